/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/bundle/artifact.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "gpu/command/recorder.h"
#include "lib/checked.h"
#include "lib/reader.h"

/* In front of what the header's digest is of, so that it is the digest of nothing else. */
#define DIGEST_TAG "Gabbro compute artifact"

enum field_kind { KIND_U8, KIND_U32, KIND_U64, KIND_DIGEST };

static const struct
{
  enum field_kind kind;
  gsize member;
  const char *name;
} fields[] = {
#define FIELD(kind, name, text) { KIND_##kind, offsetof (struct bundle_header, name), text },
  BUNDLE_HEADER_FIELDS (FIELD)
#undef FIELD
};

static const gsize sizes[] = { [KIND_U8] = 1, [KIND_U32] = 4, [KIND_U64] = 8, [KIND_DIGEST] = GB_DIGEST_SIZE };

bool
bundle_refuse (GError **error, const char *format, ...)
{
  va_list arguments;
  char *what;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_BAD_BUNDLE, what);
  g_free (what);
  return false;
}

const char *
bundle_header_field (guint index, gsize *offset, gsize *size)
{
  gsize at = BUNDLE_MAGIC_SIZE;

  if (index > G_N_ELEMENTS (fields))
    return NULL;
  for (guint i = 0; i < index; i++)
    at += sizes[fields[i].kind];
  *offset = at;
  *size = index < G_N_ELEMENTS (fields) ? sizes[fields[index].kind] : GB_DIGEST_SIZE;
  return index < G_N_ELEMENTS (fields) ? fields[index].name : "header-digest";
}

gsize
bundle_header_size (void)
{
  gsize offset, size;

  bundle_header_field (G_N_ELEMENTS (fields), &offset, &size);
  return offset + size;
}

static void
digest_header (const uint8_t *data, gsize size, uint8_t result[GB_DIGEST_SIZE])
{
  struct gb_digest digest;

  gb_digest_init (&digest);
  gb_digest_append_string (&digest, DIGEST_TAG);
  gb_digest_append_bytes (&digest, data, size);
  gb_digest_finish (&digest, result);
}

GBytes *
bundle_header_write (struct bundle_header *header)
{
  GByteArray *out = g_byte_array_new ();

  gb_writer_bytes (out, BUNDLE_MAGIC, BUNDLE_MAGIC_SIZE);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      const uint8_t *member = (const uint8_t *) header + fields[i].member;
      uint32_t u32;
      uint64_t u64;

      switch (fields[i].kind)
        {
        case KIND_U32:
          memcpy (&u32, member, sizeof u32);
          gb_writer_u32 (out, u32);
          break;
        case KIND_U64:
          memcpy (&u64, member, sizeof u64);
          gb_writer_u64 (out, u64);
          break;
        case KIND_U8:
        case KIND_DIGEST:
        default:
          gb_writer_bytes (out, member, sizes[fields[i].kind]);
        }
    }
  digest_header (out->data, out->len, header->digest);
  gb_writer_bytes (out, header->digest, sizeof header->digest);
  return g_byte_array_free_to_bytes (out);
}

static void
read_fields (struct gb_reader *reader, struct bundle_header *header)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      uint8_t *member = (uint8_t *) header + fields[i].member;
      uint32_t u32;
      uint64_t u64;
      const uint8_t *bytes;

      switch (fields[i].kind)
        {
        case KIND_U32:
          u32 = gb_reader_u32 (reader);
          memcpy (member, &u32, sizeof u32);
          break;
        case KIND_U64:
          u64 = gb_reader_u64 (reader);
          memcpy (member, &u64, sizeof u64);
          break;
        case KIND_U8:
        case KIND_DIGEST:
        default:
          bytes = gb_reader_bytes (reader, sizes[fields[i].kind]);
          if (bytes != NULL)
            memcpy (member, bytes, sizes[fields[i].kind]);
        }
    }
}

static bool
field_within (const char *name, uint64_t value, uint64_t least, uint64_t most, GError **error)
{
  if (value >= least && value <= most)
    return true;
  return bundle_refuse (error, _("the header field “%s” is %" PRIu64 ", not from %" PRIu64 " to %" PRIu64), name, value, least, most);
}

/* What can be said of the fields alone. */
static bool
check_fields (const struct bundle_header *header, GError **error)
{
  const struct
  {
    const char *name;
    uint64_t value, least, most;
  } ranges[] = {
    { "group-size-x", header->group_size_x, 1, G_MAXUINT16 },
    { "group-size-y", header->group_size_y, 1, G_MAXUINT16 },
    { "group-size-z", header->group_size_z, 1, G_MAXUINT16 },
    { "property-count", header->n_properties, 0, BUNDLE_MAX_PROPERTIES },
    { "argument-count", header->n_arguments, 0, GABBRO_MAX_ARGUMENTS },
    { "printer-count", header->n_printers, 0, BUNDLE_MAX_PRINTERS },
    { "code-size", header->code_size, 4, BUNDLE_MAX_CODE },
    { "arguments-size", header->arguments_size, 0, BUNDLE_MAX_ARGUMENTS },
    { "printers-size", header->printers_size, 0, BUNDLE_MAX_PRINTER_SIZE },
    { "constants-size", header->constants_size, 0, BUNDLE_MAX_CONSTANTS },
    { "source-map-size", header->source_map_size, 0, BUNDLE_MAX_SOURCE_MAP },
    { "shared-size", header->shared_size, 0, XIR_TYPE_MAX_SIZE },
    { "whole-groups", header->needs_whole_groups, 0, 1 },
    { "arguments-in-block", header->arguments_in_block, 0, 1 },
    { "bindless-buffers", header->bindless_buffers, 0, 1 },
    { "bindless-2d", header->bindless_2d, 0, 1 },
    { "bindless-3d", header->bindless_3d, 0, 1 },
    { "validation-count", header->n_validations, 0, 0 },
    { "compile-flags", header->compile_flags, 0, GABBRO_COMPILE_BOUNDS_CHECKS | GABBRO_COMPILE_NO_XIR_OPTIMIZATION
                                                 | GABBRO_COMPILE_DEBUG_NAMES },
    { "optimization-level", header->optimization_level, 0, 3 },
    { "dialect", header->dialect, 0, BUNDLE_DIALECT_VULKAN_BUILTIN },
    { "features", header->features, 0, (UINT64_C (1) << SPIRV_N_FEATURES) - 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ranges); i++)
    if (!field_within (ranges[i].name, ranges[i].value, ranges[i].least, ranges[i].most, error))
      return false;
  if (header->code_size % 4 != 0)
    return bundle_refuse (error, _("the header field “%s” is %" PRIu64 ", which is no whole number of words"), "code-size", header->code_size);
  if (header->subgroup_size != 0 && (!gb_is_power_of_two (header->subgroup_size) || header->subgroup_size > 128))
    return bundle_refuse (error, _("the header field “%s” is %u, which is neither 0 nor a power of two up to 128"), "subgroup-size",
                          header->subgroup_size);
  return true;
}

bool
bundle_header_read (const uint8_t *data, gsize size, struct bundle_header *out, GError **error)
{
  gsize whole = bundle_header_size ();
  struct bundle_header header;
  struct gb_reader reader;
  uint8_t digest[GB_DIGEST_SIZE];

  if (size < BUNDLE_MAGIC_SIZE || memcmp (data, BUNDLE_MAGIC, BUNDLE_MAGIC_SIZE) != 0)
    return bundle_refuse (error, _("the header does not begin as that of a compiled kernel does"));
  gb_reader_init (&reader, data + BUNDLE_MAGIC_SIZE, size - BUNDLE_MAGIC_SIZE);
  memset (&header, 0, sizeof header);
  read_fields (&reader, &header);
  /* The versions say how long a header is, so they come before its length. */
  if (gb_reader_failed (&reader) && size < BUNDLE_MAGIC_SIZE + 12)
    return bundle_refuse (error, _("the header is cut off: it has %zu bytes"), size);
  if (header.header_version != BUNDLE_HEADER_VERSION)
    return bundle_refuse (error, _("the header field “%s” is %" PRIu64 "; this library reads %u"), "header-version",
                          header.header_version, BUNDLE_HEADER_VERSION);
  if (header.pipeline_version != BUNDLE_PIPELINE_VERSION)
    return bundle_refuse (error, _("the header field “%s” is %" PRIu64 "; this library reads %u"), "pipeline-version",
                          (uint64_t) header.pipeline_version, BUNDLE_PIPELINE_VERSION);
  if (size != whole)
    return bundle_refuse (error, _("the header has %zu bytes instead of %zu"), size, whole);
  memcpy (header.digest, data + whole - GB_DIGEST_SIZE, GB_DIGEST_SIZE);
  digest_header (data, whole - GB_DIGEST_SIZE, digest);
  if (memcmp (digest, header.digest, GB_DIGEST_SIZE) != 0)
    return bundle_refuse (error, _("the header field “%s” does not fit the header: it was changed or damaged"), "header-digest");
  if (!check_fields (&header, error))
    return false;
  *out = header;
  return true;
}

uint64_t
bundle_header_section_size (const struct bundle_header *header, enum bundle_section section)
{
  switch (section)
    {
    case BUNDLE_SECTION_HEADER:
      return bundle_header_size ();
    case BUNDLE_SECTION_PROPERTIES:
      return header->n_properties * 4 * sizeof (uint32_t);
    case BUNDLE_SECTION_ARGUMENTS:
      return header->arguments_size;
    case BUNDLE_SECTION_CODE:
      return header->code_size;
    case BUNDLE_SECTION_PRINTERS:
      return header->printers_size;
    case BUNDLE_SECTION_CONSTANTS:
      return header->constants_size;
    case BUNDLE_SECTION_SOURCE_MAP:
      return header->source_map_size;
    case BUNDLE_N_SECTIONS:
    default:
      return 0;
    }
}
