/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The driver that interprets: kernels run by codegen/interpret on the CPU, with the results that
 * gabbro-kernel(5) states, and on request with checks of every access. Its one adapter is always there
 * and never the default. The option "reference" (GABBRO_REFERENCE) is a comma-separated list of settings:
 *
 *   width=N           threads of a subgroup, a power of two, 1 to 64
 *   threads=N         threads of the process that run one dispatch; as many as there are processors without
 *   seed=N            orders workgroups and subgroups; 0: as they are numbered
 *   steps=N           instructions that one subgroup may run; 0: any number
 *   memory=N          bytes of all buffers and images
 *   queues=N          queues of a device, 1 to 16
 *   copy-queues=N     the last ones of them that only copy; the first one never
 *   lose-submit=N     that submission loses the device, counted from 1
 *   max-group-count=N, max-push-constants=N
 *                     limits of the adapter
 *   reports=N         reports that a device makes at the most
 *   check             looks for mistakes, by default for all but NaN
 *   KIND, no-KIND     looks for that kind too, or not: see check_kind_name()
 *   0                 no adapter
 *
 * The option "check" (GABBRO_CHECK) has words of the last kind, "1" for "check". */

#pragma once

#include "codegen/interpret/check.h"
#include "codegen/interpret/interpret.h"
#include "codegen/interpret/trace.h"
#include "gpu/drivers/host/host.h"

extern const struct gabbro_driver gabbro_reference_driver;

struct reference_settings
{
  struct host_options host;
  uint32_t width, threads;
  uint32_t max_group_count, max_push_constants;
  uint64_t seed, steps;
  uint32_t reports;
  uint32_t checks;                       /* of CHECK_KIND_MASK */
  bool absent;
};

struct reference_adapter
{
  struct gabbro_driver_adapter base;
  struct reference_settings settings;
};

struct reference_instance
{
  struct gabbro_driver_instance base;
  const struct gabbro_host *host;
  struct gabbro_driver_adapter *list[1];
  struct reference_adapter adapter;
};

/* A buffer or an image. */
struct reference_memory
{
  struct host_memory base;
  struct check_memory *shadow;           /* NULL: unchecked */
  struct interpret_image *levels;        /* of an image, owned; NULL: a buffer */
};

struct reference_argument
{
  bool is_value, is_image;
  uint32_t n_bools;                      /* values of bool and its vectors travel as words */
  uint32_t size;                         /* values: bytes of the interpreter's layout */
  uint64_t element_size;                 /* buffers */
  uint32_t offset, metadata_offset, binding;   /* as of struct spirv_argument */
};

struct reference_shader
{
  struct interpret_program *program;
  struct reference_argument *arguments;
  uint32_t n_arguments, n_bindings;
  uint32_t push_constant_size;
  bool arguments_in_block;
  void *origin;
};

struct reference_device
{
  struct host_device host;
  const struct reference_settings *settings;
  struct check *check;                   /* NULL: no checks */
  /* One step at a time, of all queues, while it is checked or looked at: what a step does is seen whole. */
  GMutex step_lock;
  gint traces;                           /* atomic: shaders are made for it; stays */
  const struct interpret_trace *trace;   /* step_lock */
  uint64_t clock;                        /* atomic; of all kernels */
  void *origin;                          /* of the kernel that runs; step_lock */
};

static inline struct reference_device *
reference_device_of (struct gabbro_driver_device *device)
{
  return (struct reference_device *) device;
}

static inline struct reference_memory *
reference_memory_of (uint64_t handle)
{
  return (struct reference_memory *) host_memory_of (handle);
}

/* settings.c. NULL texts: nothing is set. */
bool reference_settings_parse (struct reference_settings *settings, const char *text, const char *check, GError **error);

/* device.c */
struct gabbro_driver_device *reference_device_open (struct gabbro_driver_instance *instance, struct gabbro_driver_adapter *adapter,
                                                    GError **error);

/* memory.c */
bool reference_buffer_create (struct gabbro_driver_device *base, uint64_t size, enum gabbro_memory_use use,
                              struct gabbro_buffer_info *out, GError **error);
bool reference_image_create  (struct gabbro_driver_device *base, const struct gabbro_image_request *request, uint64_t *out,
                              GError **error);
void reference_memory_destroy (struct gabbro_driver_device *base, uint64_t handle);

/* image.c */
/* The levels of an image, whose texels lie one behind the other. */
struct interpret_image *reference_image_levels (const struct gabbro_image_request *request, uint8_t *texels);

/* shader.c */
bool  reference_shader_create (struct gabbro_driver_device *base, const struct gabbro_artifact *artifact, uint64_t *out,
                               GError **error);
void  reference_shader_destroy (struct gabbro_driver_device *base, uint64_t shader);

/* dispatch.c */
void *reference_dispatch_new (struct host_device *device, const struct gabbro_dispatch *dispatch, struct gb_arena *arena);
bool  reference_run_step     (struct host_device *device, const struct host_step *step, GError **error);
