/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A compiled kernel as bytes: one codec for what bundles and the shader cache write, for looking at either, and for
 * loading. An artifact is a header and six sections behind it; the header has the size and the SHA-256 of each
 * section, and last its own. Everything is little-endian and canonical: an artifact has one form in bytes.
 *
 * Bytes are hostile until all of these have passed, in this order: magic and versions, the header's digest, its
 * fields, who it says it is, sizes, the digest of each section, the records in them, SPIR-V (header, what it
 * declares, the validator), and that SPIR-V and header say the same. Nothing that was read is handed out before. */

#pragma once

#include "codegen/frontend/frontend.h"
#include "codegen/spirv/inspect.h"
#include "gpu/gabbro-private.h"
#include "lib/digest.h"

#define BUNDLE_MAGIC            "GABBROAF"
#define BUNDLE_MAGIC_SIZE       8
#define BUNDLE_HEADER_VERSION   1
/* What generated code and library agree on: push constants, records of buffers, bindings, which arguments are restrict. */
#define BUNDLE_PIPELINE_VERSION 3

#define BUNDLE_MAX_PROPERTIES   261
#define BUNDLE_MAX_PRINTERS     (1u << 20)
#define BUNDLE_MAX_CODE         (UINT64_C (256) << 20)   /* bytes */
#define BUNDLE_MAX_ARGUMENTS    (UINT64_C (16) << 20)    /* bytes */
#define BUNDLE_MAX_PRINTER_SIZE (UINT64_C (64) << 20)    /* bytes */
#define BUNDLE_MAX_CONSTANTS    (UINT64_C (64) << 20)    /* bytes */
#define BUNDLE_MAX_SOURCE_MAP   (UINT64_C (1) << 20)     /* bytes */
#define BUNDLE_MAX_KERNEL_NAME  GK_MAX_NAME              /* bytes */

/* The order is that of the bytes. */
enum bundle_section
{
  BUNDLE_SECTION_HEADER,
  BUNDLE_SECTION_PROPERTIES,             /* bindings */
  BUNDLE_SECTION_ARGUMENTS,              /* and how they lie in memory */
  BUNDLE_SECTION_CODE,                   /* words of SPIR-V */
  BUNDLE_SECTION_PRINTERS,
  BUNDLE_SECTION_CONSTANTS,
  BUNDLE_SECTION_SOURCE_MAP,
  BUNDLE_N_SECTIONS
};

/* Names of sections, as of files. */
const char *bundle_section_name (enum bundle_section section);

/* Part of the format: append only. */
enum bundle_dialect
{
  BUNDLE_DIALECT_HLSL_SPIRV,
  BUNDLE_DIALECT_XIR_SPIRV,              /* ours */
  BUNDLE_DIALECT_LLVM_SPIRV,
  BUNDLE_DIALECT_VULKAN_BUILTIN
};

/* The header, in the order of its bytes. */
#define BUNDLE_HEADER_FIELDS(FIELD)                     \
  FIELD (U64, header_version, "header-version")         \
  FIELD (U32, pipeline_version, "pipeline-version")     \
  FIELD (DIGEST, identity, "identity")                  \
  FIELD (DIGEST, types, "types")                        \
  FIELD (DIGEST, properties, "properties-digest")       \
  FIELD (DIGEST, arguments, "arguments-digest")         \
  FIELD (DIGEST, code, "code-digest")                   \
  FIELD (U64, n_properties, "property-count")           \
  FIELD (U64, code_size, "code-size")                   \
  FIELD (U32, group_size_x, "group-size-x")             \
  FIELD (U32, group_size_y, "group-size-y")             \
  FIELD (U32, group_size_z, "group-size-z")             \
  FIELD (U32, n_arguments, "argument-count")            \
  FIELD (U64, arguments_size, "arguments-size")         \
  FIELD (U32, push_constant_size, "push-constant-size") \
  FIELD (U32, argument_size, "argument-bytes")          \
  FIELD (U8, arguments_in_block, "arguments-in-block")  \
  FIELD (U8, needs_whole_groups, "whole-groups")        \
  FIELD (U32, print_record, "print-record")             \
  FIELD (U32, print_dispatch, "print-dispatch")         \
  FIELD (U32, n_printers, "printer-count")              \
  FIELD (U64, printers_size, "printers-size")           \
  FIELD (DIGEST, printers, "printers-digest")           \
  FIELD (U32, n_validations, "validation-count")        \
  FIELD (U32, subgroup_size, "subgroup-size")           \
  FIELD (U64, constants_size, "constants-size")         \
  FIELD (DIGEST, constants, "constants-digest")         \
  FIELD (U64, source_map_size, "source-map-size")       \
  FIELD (DIGEST, source_map, "source-map-digest")       \
  FIELD (U64, shared_size, "shared-size")               \
  FIELD (U32, compile_flags, "compile-flags")           \
  FIELD (U32, optimization_level, "optimization-level") \
  FIELD (U8, bindless_buffers, "bindless-buffers")      \
  FIELD (U8, bindless_2d, "bindless-2d")                \
  FIELD (U8, bindless_3d, "bindless-3d")                \
  FIELD (U8, dialect, "dialect")                        \
  FIELD (U64, features, "features")

#define BUNDLE_MEMBER_U8(name)     uint8_t name;
#define BUNDLE_MEMBER_U32(name)    uint32_t name;
#define BUNDLE_MEMBER_U64(name)    uint64_t name;
#define BUNDLE_MEMBER_DIGEST(name) uint8_t name[GB_DIGEST_SIZE];

struct bundle_header
{
#define FIELD(kind, name, text) BUNDLE_MEMBER_##kind (name)
  BUNDLE_HEADER_FIELDS (FIELD)
#undef FIELD
  uint8_t digest[GB_DIGEST_SIZE];        /* of all before it, with a tag; the last bytes of the header */
};

/* Where each field is in the bytes of a header, for those who show or test it. NULL past the last. */
const char *bundle_header_field (guint index, gsize *offset, gsize *size);
gsize       bundle_header_size  (void);
/* Fills in header->digest. */
GBytes     *bundle_header_write (struct bundle_header *header);
/* Magic, versions, digest, the range of each field. */
bool        bundle_header_read  (const uint8_t *data, gsize size, struct bundle_header *out, GError **error);
/* Bytes that the section must have. */
uint64_t    bundle_header_section_size (const struct bundle_header *header, enum bundle_section section);

/* A compiled kernel, whole. Constant; counted. */
struct bundle_artifact
{
  gatomicrefcount references;
  struct xir_context *types;             /* a reference */
  struct spirv_result result;            /* its arena owns the texts below */
  const char *kernel;
  GabbroLayout **layouts;                /* one an argument; NULL: an image */
  uint8_t identity[GB_DIGEST_SIZE];      /* of what it was made from, and how */
  uint32_t compile_flags;                /* GabbroCompileFlags */
  uint32_t optimization_level;
  uint64_t shared_size;                  /* bytes of workgroup memory */
  uint32_t subgroup_size;                /* that it must run with; 0: any */
  const char *bindless;                  /* the header field that asks for a bindless array, or NULL */
  GBytes *constants;                     /* NULL: none */
  const char *source_name;
  uint8_t source_digest[GB_DIGEST_SIZE]; /* SHA-256 of the source's bytes */
  struct xir_location location;          /* of the kernel in it */
  uint8_t header_digest[GB_DIGEST_SIZE]; /* SHA-256 of the header's bytes, once it has some */
};

/* Who a reader thinks it is reading. NULL leaves that open. */
struct bundle_expectation
{
  enum bundle_dialect dialect;
  const uint8_t *identity;
  const uint8_t *types;                  /* bundle_artifact_digest_types() */
  const char *kernel;
};

struct bundle_artifact *bundle_artifact_ref   (struct bundle_artifact *artifact);
void                    bundle_artifact_unref (struct bundle_artifact *artifact);

/* What calls of the kernel rest on: the types of its arguments. */
void bundle_artifact_digest_types (const struct bundle_artifact *artifact, uint8_t digest[GB_DIGEST_SIZE]);
/* The sections belong to the caller. */
void bundle_artifact_write  (struct bundle_artifact *artifact, GBytes *sections[BUNDLE_N_SECTIONS]);
/* The same for what others will read: false where a reader would refuse it. */
bool bundle_artifact_encode (struct bundle_artifact *artifact, GBytes *sections[BUNDLE_N_SECTIONS], GError **error);
/* NULL with %GABBRO_ERROR_BAD_BUNDLE. */
struct bundle_artifact *bundle_artifact_decode (GBytes *const sections[BUNDLE_N_SECTIONS],
                                                const struct bundle_expectation *expectation, GError **error);
void bundle_sections_clear (GBytes *sections[BUNDLE_N_SECTIONS]);

/* All sections in one piece, and back: exactly so many bytes, no copy. */
GBytes *bundle_artifact_join  (GBytes *const sections[BUNDLE_N_SECTIONS]);
bool    bundle_artifact_split (GBytes *bytes, GBytes *sections[BUNDLE_N_SECTIONS], GError **error);

/* Whether a device can run it: %GABBRO_COMPILE_ERROR_TARGET names what is missing. %GABBRO_ERROR_NOT_SUPPORTED: no device can
 * with this library. */
bool bundle_artifact_check_target (const struct bundle_artifact *artifact, const struct spirv_target *target, GError **error);

/* Parts of the codec. */
struct gb_reader;
/* NULL is a text of its own. */
void        bundle_write_text (GByteArray *out, const char *text);
/* Fails the reader for what is no UTF-8, has a NUL in it or is longer than `limit`. */
const char *bundle_read_text  (struct gb_reader *reader, struct gb_arena *arena, gsize limit);
/* The layouts of arguments, each node once. */
void        bundle_write_layouts (GByteArray *out, GabbroLayout *const *layouts, uint32_t n);
/* n new references or NULL; false when they are malformed. */
bool        bundle_read_layouts  (struct gb_reader *reader, GabbroLayout **layouts, uint32_t n);

/* Always false. The message names what is wrong. */
bool bundle_refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
