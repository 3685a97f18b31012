/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The interpreter: runs a kernel of XIR on the CPU with the results of the
 * arithmetic table of gabbro-kernel(5). A program is made once for a kernel and may
 * then be run by any number of threads; a run blocks. It knows no device. */

#pragma once

#include "codegen/xir/xir.h"

#define INTERPRET_ERROR (interpret_error_quark ())
GQuark interpret_error_quark (void);

enum interpret_error
{
  INTERPRET_ERROR_UNSUPPORTED,   /* something in the kernel that it cannot run */
  INTERPRET_ERROR_TOO_LARGE,     /* registers, variables or groups beyond what it holds */
  INTERPRET_ERROR_NO_MEMORY,
  INTERPRET_ERROR_STEP_LIMIT,    /* a subgroup did not end within the steps that it had */
  INTERPRET_ERROR_CANCELLED
};

struct check;
struct check_memory;
struct interpret_trace;

/* A translated kernel. Immutable; any thread. Keeps a copy of what it needs of the module. */
struct interpret_program;

struct interpret_options
{
  uint32_t subgroup_size;        /* power of two, 1..64 */
  bool check;
  bool trace;
};

/* The module stands behind specialize-resources and lower-bitcasts: callees name the kernel's own resources, and there
 * are no bitcasts that change the lanes. */
struct interpret_program *interpret_program_new  (const struct xir_module *module, const char *kernel,
                                                  const struct interpret_options *options, GError **error);
void                      interpret_program_free (struct interpret_program *program);

struct interpret_image
{
  uint8_t *texels;
  uint32_t size[3];
  uint32_t texel_size;
  void (*load)  (const uint8_t *texel, uint32_t components[4]);       /* bits of float, int or uint components */
  void (*store) (uint8_t *texel, const uint32_t components[4]);
};

/* One a kernel argument, in order. */
struct interpret_binding
{
  const void *value;             /* values: type->size bytes, host layout */
  uint8_t *data;                 /* buffers: the bytes of the view */
  uint64_t size;
  const struct interpret_image *image;
  struct check_memory *shadow;   /* of the whole object; NULL: unchecked */
  uint64_t shadow_offset;        /* where the view begins in it */
};

struct interpret_dispatch
{
  const struct interpret_program *program;
  const struct interpret_binding *bindings;
  uint32_t dispatch_size[3];     /* threads of the logical dispatch */
  uint32_t groups[3];            /* workgroups to run, of it */
  uint32_t group_offset[3];
  uint32_t kernel_id;
  uint32_t n_workers;            /* threads at once; 0: as many as processors */
  uint64_t seed;                 /* orders workgroups and subgroups; 0: as they are numbered. The same seed with one worker:
                                    the same run */
  uint64_t step_limit;           /* instructions of one subgroup; 0: none */
  uint64_t *clock;               /* atomic: ticks once each time that a subgroup reads it; NULL: one that begins with the run */
  const gint *cancelled;         /* atomic; may be NULL; not 0: stop soon */
  struct check *check;           /* NULL: no checks */
  const struct interpret_trace *trace;   /* NULL: none */
};

/* Blocks. Out of range reads give 0 and writes nothing, whether or not it is checked: no kernel harms the process. */
bool interpret_run (const struct interpret_dispatch *dispatch, GError **error);
