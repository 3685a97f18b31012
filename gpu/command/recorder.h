/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A list while it is recorded: commands in an arena, hazards, staging memory,
 * what has to happen on completion; and, once finished, its plan. Arguments are
 * checked by the caller (gabbro-command-list.c). Nothing on the path of a
 * recorded command allocates, but for the growth of arrays that are reused.
 * Not thread-safe while recording; counted, because submissions keep it. */

#pragma once

#include "gpu/command/core.h"
#include "gpu/command/hazard.h"
#include "gpu/command/print.h"
#include "gpu/gabbro-private.h"

#define GABBRO_MAX_ARGUMENTS 64

/* What a kernel sees of texels, and what formats hold. */
enum gabbro_texel_class { GABBRO_TEXEL_FLOAT, GABBRO_TEXEL_INT, GABBRO_TEXEL_UINT };

/* What a dispatch must know of a shader. Counted; shared by shader objects and lists. */
struct gabbro_shader_argument
{
  const char *name;                      /* or "" */
  GabbroArgumentKind kind;
  GabbroUsage usage;
  const char *type;                      /* canonical description of values, elements of buffers; interned */
  uint64_t element_size;                 /* buffers */
  uint32_t offset, size;                 /* values */
  uint32_t metadata_offset;              /* buffers; HAZARD_NONE: none */
  uint32_t binding;                      /* HAZARD_NONE: unused */
  bool is_const;                         /* an image that is fetched from */
  uint32_t dimension;                    /* images: 2 or 3 */
  enum gabbro_texel_class texel;         /* images */
  GabbroLayout *layout;                  /* values: owned */
};

struct gabbro_shader_core
{
  gatomicrefcount references;
  struct gabbro_resource *resource;
  char *name;
  struct gabbro_shader_argument *arguments;
  uint32_t n_arguments;
  uint64_t required;                     /* bit mask: arguments that must be set */
  uint64_t restricted;                   /* bit mask: buffers that share no memory that is written */
  uint32_t group_size[3];
  bool needs_whole_groups;               /* a dispatch is a multiple of the workgroup */
  uint32_t push_constant_size;
  uint32_t argument_size;
  bool arguments_in_block;               /* binding 0 is the argument block */
  uint32_t n_bindings;
  struct gabbro_printer *printer;        /* or NULL: the kernel prints nothing */
  struct gabbro_origin *origin;          /* of the kernel's source, where the driver makes reports; or NULL */
  GBytes *strings;                       /* what names and types point into, or NULL */
};

struct gabbro_shader_core *gabbro_shader_core_ref   (struct gabbro_shader_core *shader);
void                       gabbro_shader_core_unref (struct gabbro_shader_core *shader);

struct gabbro_download
{
  const void *source;
  void *destination;
  uint64_t size;
};

struct gabbro_completion
{
  GabbroCompletionFunc function;
  gpointer data;
  GDestroyNotify destroy;
};

/* A list made ready by the driver; lives as long as a submission of it is in flight. */
struct gabbro_prepared
{
  gatomicrefcount references;
  struct gabbro_core *core;              /* not a reference: the recorder has one */
  uint64_t handle;
  struct gb_list chunks;                 /* argument slices of this version */
  struct gabbro_print_memory print;
};

/* One call of gabbro_recorder_dispatch(), as far as a frozen list needs it to change values later. */
struct gabbro_dispatch_record
{
  uint32_t first, count;                 /* commands: the parts of a split dispatch */
  const struct gabbro_shader_core *shader;
  uint8_t *arguments;                    /* in the arena; NULL: in the push constants */
};

enum gabbro_recorder_state
{
  GABBRO_RECORDER_RECORDING,
  GABBRO_RECORDER_FINISHED,              /* one submission, made or on its way */
  GABBRO_RECORDER_FROZEN
};

/* The argument that is set, in bytes of its resource. */
struct gabbro_bound
{
  struct gabbro_resource *resource;
  uint64_t begin, end;
};

struct gabbro_recorder
{
  gatomicrefcount references;
  struct gb_list link;                   /* in core->idle_recorders */
  struct gabbro_core *core;              /* a reference while in use */
  enum gabbro_recorder_state state;
  uint32_t queue;                        /* frozen: the queue it was made ready for */

  struct gb_arena arena;
  struct gabbro_command **commands;      /* in order of recording */
  uint32_t n_commands, commands_size;
  struct hazard_tracker tracker;
  struct gb_list chunks;
  GArray *downloads;                     /* struct gabbro_download */
  GArray *completions;                   /* struct gabbro_completion */
  bool tells_release;                    /* keeps a resource whose end the application is told of */
  GPtrArray *shaders;                    /* struct gabbro_shader_core, each once */
  GArray *dispatches;                    /* struct gabbro_dispatch_record */

  GPtrArray *printers;                   /* struct gabbro_printer, kept by `shaders`: one a dispatch that prints */
  struct gabbro_print_memory print;      /* if there are any */
  struct gabbro_fill_buffer *print_fill; /* in the arena, when planned */
  struct gabbro_copy_buffer *print_copy;

  struct gabbro_shader_core *shader;     /* kept by `shaders` */
  struct gabbro_bound bound[GABBRO_MAX_ARGUMENTS];
  uint64_t set;                          /* bit mask of bound and given arguments */
  /* The argument block and the buffer for prints are two more. */
  struct gabbro_descriptor descriptors[GABBRO_MAX_ARGUMENTS + 2];
  const struct gabbro_descriptor *last_descriptors;    /* in the arena, equal to `descriptors`; or NULL */
  uint8_t *arguments;                    /* bytes of values and metadata */
  uint32_t arguments_size;               /* allocated */
  bool arguments_changed;

  struct gabbro_command_plan plan;       /* when finished */
  struct gabbro_prepared *prepared;      /* when frozen */
  bool is_stale;                         /* values have changed since it was made */
  struct gabbro_notice *notice;          /* of the next submission, which takes it; or NULL */
};

struct gabbro_recorder *gabbro_recorder_new   (struct gabbro_core *core);
struct gabbro_recorder *gabbro_recorder_ref   (struct gabbro_recorder *recorder);
void                    gabbro_recorder_unref (struct gabbro_recorder *recorder);
/* Frees the idle ones of a core. */
void                    gabbro_recorder_drain (struct gabbro_core *core);

void gabbro_recorder_copy_buffer (struct gabbro_recorder *recorder, struct gabbro_resource *source, uint64_t source_offset,
                                  struct gabbro_resource *destination, uint64_t destination_offset, uint64_t size);
void gabbro_recorder_copy_image  (struct gabbro_recorder *recorder, enum gabbro_command_kind kind,
                                  struct gabbro_resource *buffer, uint64_t offset,
                                  struct gabbro_resource *image, const struct gabbro_image_level *level);
void gabbro_recorder_copy_image_to_image (struct gabbro_recorder *recorder,
                                          struct gabbro_resource *source, const struct gabbro_image_level *from,
                                          struct gabbro_resource *destination, const struct gabbro_image_level *to);
void gabbro_recorder_fill        (struct gabbro_recorder *recorder, struct gabbro_resource *buffer, uint64_t offset,
                                  uint64_t size, uint32_t value);
/* The list uses the image and does nothing with it: that brings it into its rest layout. */
void gabbro_recorder_touch_image (struct gabbro_recorder *recorder, struct gabbro_resource *image);
/* The bytes arrive on completion. */
void gabbro_recorder_add_download (struct gabbro_recorder *recorder, const void *source, void *destination, uint64_t size);

void gabbro_recorder_set_shader (struct gabbro_recorder *recorder, struct gabbro_shader_core *shader);
/* The largest offset at or below `offset` that a descriptor may have and from which the view begins
 * at a whole element: a common multiple of alignment and element size. */
uint64_t gabbro_recorder_descriptor_offset (uint64_t offset, uint64_t element_size, uint64_t alignment);
/* A view of `length` elements from byte `offset` on, a multiple of the element's size. */
void gabbro_recorder_set_buffer (struct gabbro_recorder *recorder, uint32_t argument, struct gabbro_resource *buffer,
                                 uint64_t offset, uint64_t size);
void gabbro_recorder_set_image  (struct gabbro_recorder *recorder, uint32_t argument, struct gabbro_resource *image,
                                 const struct gabbro_image_level *level);
void gabbro_recorder_set_value  (struct gabbro_recorder *recorder, uint32_t argument, const void *data);
/* All required arguments are set, no dimension is 0. */
bool gabbro_recorder_dispatch   (struct gabbro_recorder *recorder, const uint32_t size[3], GError **error);

/* Puts the commands into layer order. */
void gabbro_recorder_finish (struct gabbro_recorder *recorder);
bool gabbro_recorder_freeze (struct gabbro_recorder *recorder, uint32_t queue, GError **error);
/* A frozen list takes another by-value argument for its later submissions; those in flight keep theirs. */
void gabbro_recorder_update_value (struct gabbro_recorder *recorder, uint32_t dispatch, uint32_t argument, const void *data);
/* Before a submission of a frozen list: makes it ready anew if values have changed. */
bool gabbro_recorder_refresh (struct gabbro_recorder *recorder, GError **error);
/* Why each barrier is there, one line each, in order. */
char **gabbro_recorder_explain (const struct gabbro_recorder *recorder);

struct gabbro_prepared *gabbro_prepared_ref   (struct gabbro_prepared *prepared);
void                    gabbro_prepared_unref (struct gabbro_prepared *prepared);
