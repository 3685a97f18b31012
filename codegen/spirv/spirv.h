/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* XIR to SPIR-V: what the rest of the library sees of it. */

#pragma once

#include "codegen/xir/xir.h"

#define SPIRV_ERROR (spirv_error_quark ())
GQuark spirv_error_quark (void);
/* Errors of this domain know a place of the source; line 0: none. NULL is allowed. */
void                spirv_error_set_location (GError *error, struct xir_location location);
struct xir_location spirv_error_get_location (const GError *error);

enum spirv_error
{
  SPIRV_ERROR_UNSUPPORTED,       /* the gate refuses an op or type by name */
  SPIRV_ERROR_TARGET,            /* the target lacks a feature or limit that the kernel needs */
  SPIRV_ERROR_TOO_LARGE,         /* an instruction or table passes a limit of SPIR-V */
  SPIRV_ERROR_INTERNAL           /* our own module does not validate */
};

/* Bits of spirv_target.features and spirv_result.required_features. Part of the
 * artifact format: append only. */
enum spirv_feature
{
  SPIRV_FEATURE_STORAGE_IMAGE_READ_WITHOUT_FORMAT,
  SPIRV_FEATURE_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT,
  SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32,
  SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT32,
  SPIRV_FEATURE_SUBGROUP_BASIC,
  SPIRV_FEATURE_SUBGROUP_VOTE,
  SPIRV_FEATURE_SUBGROUP_ARITHMETIC,
  SPIRV_FEATURE_SUBGROUP_BALLOT,
  SPIRV_FEATURE_SUBGROUP_SHUFFLE,
  SPIRV_FEATURE_BUFFER_FLOAT32_ATOMICS,
  SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_ADD,
  SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_MIN_MAX,
  SPIRV_FEATURE_SHARED_FLOAT32_ATOMICS,
  SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_ADD,
  SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_MIN_MAX,
  SPIRV_FEATURE_INT8,
  SPIRV_FEATURE_INT16,
  SPIRV_FEATURE_INT64,
  SPIRV_FEATURE_FLOAT16,
  SPIRV_FEATURE_FLOAT64,
  SPIRV_FEATURE_STORAGE_BUFFER_8,
  SPIRV_FEATURE_STORAGE_BUFFER_16,
  SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT16,
  SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT64,
  SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT16,
  SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT64,
  SPIRV_FEATURE_BUFFER_INT64_ATOMICS,
  SPIRV_FEATURE_SHARED_INT64_ATOMICS,
  SPIRV_FEATURE_SUBGROUP_EXTENDED_TYPES,
  SPIRV_FEATURE_DEVICE_CLOCK,
  SPIRV_N_FEATURES
};

const char *spirv_feature_name (enum spirv_feature feature);

/* What a device can do, as the plans see it. */
struct spirv_target
{
  uint64_t features;                     /* 1 << enum spirv_feature */
  uint32_t max_group_size[3];
  uint32_t max_group_invocations;
  uint32_t max_shared_memory;            /* bytes */
  uint32_t max_push_constants;           /* bytes, at least 128 */
  uint32_t max_storage_buffers;          /* per stage and per set, the smaller */
  uint32_t max_storage_images;
  uint32_t max_sampled_images;
  uint32_t max_resources;
};

/* What a compile shows of itself on the way. */
struct spirv_observer
{
  /* After each pass over XIR. */
  void (*module) (const char *pass, const struct xir_module *module, gpointer data);
  /* "emitted", then "optimized". */
  void (*words) (const char *stage, const uint32_t *words, gsize n_words, gpointer data);
  gpointer data;
};

struct spirv_options
{
  uint32_t optimization_level;           /* 0 none, 1 light, 2 compute, 3 full: SPIRV-Tools passes */
  bool xir_optimization;                 /* constant folding and dead code on XIR */
  bool bounds_checks;
  bool debug_names;                      /* OpName and OpLine */
  bool verify_passes;                    /* verify XIR after each pass */
  const struct spirv_observer *observer; /* or NULL */
};

/* The ABI between generated code, the library and drivers. */

/* The head of the push constants, 32 bytes; arguments follow it. */
struct spirv_dispatch_constants
{
  uint32_t dispatch_size[3];             /* logical size in threads */
  uint32_t kernel_id;
  uint32_t group_offset[3];              /* first workgroup of this part of a split dispatch */
  uint32_t reserved;                     /* 0 */
};

enum spirv_binding_kind
{
  SPIRV_BINDING_ARGUMENT_BLOCK,          /* storage buffer, read-only, 16-byte aligned: the arguments when they
                                            do not fit the push constants */
  SPIRV_BINDING_STORAGE_BUFFER,
  SPIRV_BINDING_SAMPLED_IMAGE,           /* read with texel fetches only */
  SPIRV_BINDING_STORAGE_IMAGE,
  SPIRV_BINDING_PRINT_BUFFER             /* storage buffer: passes/print-record.h */
};

struct spirv_binding
{
  enum spirv_binding_kind kind;
  uint32_t set;                          /* 0 */
  uint32_t binding;                      /* dense */
  uint32_t argument;                     /* index of the kernel argument; G_MAXUINT32 for those that are none */
};

enum spirv_usage { SPIRV_USAGE_NONE = 0, SPIRV_USAGE_READ = 1, SPIRV_USAGE_WRITE = 2 };

/* One a kernel argument, in order. */
struct spirv_argument
{
  const struct xir_type *type;
  const char *name;                      /* may be NULL */
  const char *source_type;               /* may be NULL */
  bool is_const;
  bool is_restrict;                      /* buffers: what is written of it or through it is in no other argument that is used */
  unsigned usage;                        /* enum spirv_usage bits, exact; values: READ if used */
  uint32_t offset;                       /* values: bytes into the argument bytes, host layout
                                            (bool and its vectors: one uint a lane) */
  uint32_t size;                         /* values: bytes there */
  uint32_t metadata_offset;              /* buffers: bytes into the argument bytes of a record
                                            { uint32 first element of the view within the descriptor,
                                              uint32 elements of the view }; G_MAXUINT32: not needed (unused) */
  uint32_t binding;                      /* index into spirv_result.bindings; G_MAXUINT32: values and unused resources */
};

/* A print or an assert. */
struct spirv_print_site
{
  const char *format;                    /* xir/format.h */
  const char *condition;                 /* of an assert, as in the source; NULL: a print */
  const char *file;                      /* last part of the name of an imported file; NULL: the module's own */
  uint32_t line, column;
  const struct xir_type **types;         /* of the values */
  uint32_t n_types;
};

struct spirv_print
{
  struct spirv_print_site *sites;        /* records begin with the number of one, plus one */
  uint32_t n_sites;                      /* 0: the kernel does not print */
  uint32_t binding;                      /* G_MAXUINT32: none */
  uint32_t metadata_offset;              /* of the buffer's record, as of arguments; G_MAXUINT32: none */
  uint32_t dispatch_offset;              /* bytes into the argument bytes: uint, goes into the records; G_MAXUINT32: none */
};

struct spirv_result
{
  struct gb_arena arena;                 /* owns everything below */
  uint32_t *words;
  gsize n_words;
  const char *entry_point;               /* "main" */
  uint32_t group_size[3];
  uint64_t required_features;
  bool needs_whole_groups;               /* threads past the dispatch size run and the kernel does not ask whether
                                            they are inside: its size must be a multiple of the workgroup's */
  struct spirv_argument *arguments;
  uint32_t n_arguments;
  struct spirv_binding *bindings;
  uint32_t n_bindings;
  struct spirv_print print;
  uint32_t argument_size;                /* bytes of values and metadata together */
  bool arguments_in_block;               /* in the argument block, else in push constants from byte 32 on */
  uint32_t push_constant_size;           /* bytes, 32 included */
  struct xir_module *lowered;            /* of spirv_lower(): what runs in place of words; else NULL */
  uint64_t inlined_size;                 /* instructions with every call inlined, by estimate */
  const char *optimizer_note;            /* NULL: the optimiser did all of its level; else what it did not do, and why */
  /* microseconds, for benches and `gabbro compile --time` */
  gint64 lower_time, emit_time, validate_time, optimize_time;
};

/* Compiles one kernel of `module`. The module is cloned, not changed. On success
 * `*out` is filled (free with spirv_result_clear), on failure left untouched. */
bool spirv_compile (const struct xir_module *module, const char *kernel, const struct spirv_target *target,
                    const struct spirv_options *options, struct spirv_result *out, GError **error);
void spirv_result_clear (struct spirv_result *result);
/* Types stay those of the original's context. */
void spirv_result_copy  (const struct spirv_result *from, struct spirv_result *out);

/* The same up to the words, without SPIRV-Tools: for benches. */
bool spirv_emit (const struct xir_module *module, const char *kernel, const struct spirv_target *target,
                 const struct spirv_options *options, struct spirv_result *out, GError **error);

/* For a target that runs XIR itself: arguments, bindings and limits by the plans of spirv_compile(), in place of
 * words the module, with resources specialised, matrices as columns and bitcasts by lanes. The gate is not asked. */
bool spirv_lower (const struct xir_module *module, const char *kernel, const struct spirv_target *target,
                  const struct spirv_options *options, struct spirv_result *out, GError **error);

/* Kernel signature without a target: arguments with types, usage and offsets; no words, no bindings. */
bool spirv_reflect (const struct xir_module *module, const char *kernel, struct spirv_result *out, GError **error);

/* SPIRV-Tools (tools.cc). */
bool spirv_validate    (const uint32_t *words, gsize n_words, GError **error);
/* Where the optimiser is stopped. It looks after each group of passes. */
struct spirv_optimizer_limits
{
  gint64 time;                           /* microseconds */
  gsize words;
};
/* `limits` may be NULL: the usual ones. True with validated words in `*out`; what was not done of the level, and why,
 * is in `*note` then (free it), else NULL. False with `error` set where nothing could be done: the caller keeps its input. */
bool spirv_optimize    (const uint32_t *words, gsize n_words, uint32_t level, const struct spirv_optimizer_limits *limits,
                        uint32_t **out, gsize *n_out, char **note, GError **error);
char *spirv_disassemble (const uint32_t *words, gsize n_words, GError **error);
