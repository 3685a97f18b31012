/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that a driver and the library know of each other. Never installed.
 *
 * A driver is a constant struct gabbro_driver, built in or exported by a module
 * under the name GABBRO_DRIVER_SYMBOL. It keeps no globals: what it knows hangs
 * from its instances, so it may be probed many times. The library calls with
 * arguments that it has checked: drivers never check a documented precondition
 * again. A driver reports failure by a GError in GABBRO_DRIVER_ERROR with a
 * message that names the thing, what was asked and what the device has.
 *
 * Threads: unless a function says otherwise it may be called from any thread, at
 * the same time as any other, but never for a handle that is being destroyed.
 */

#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/attribute.h"
#include "lib/texel.h"
#include "lib/undo.h"

/* Checked for equality. */
#define GABBRO_DRIVER_ABI    6
#define GABBRO_DRIVER_SYMBOL "gabbro_driver"

#define GABBRO_DRIVER_ERROR (g_quark_from_static_string ("gabbro-driver-error-quark"))

enum gabbro_driver_error
{
  GABBRO_DRIVER_ERROR_FAILED,
  GABBRO_DRIVER_ERROR_NOT_SUPPORTED,
  GABBRO_DRIVER_ERROR_LIMIT,
  GABBRO_DRIVER_ERROR_OUT_OF_HOST_MEMORY,
  GABBRO_DRIVER_ERROR_OUT_OF_DEVICE_MEMORY,
  GABBRO_DRIVER_ERROR_LOST,
  GABBRO_DRIVER_ERROR_BAD_ARTIFACT
};

enum gabbro_log_level { GABBRO_LOG_ERROR, GABBRO_LOG_WARNING, GABBRO_LOG_INFO, GABBRO_LOG_DEBUG };

/* What the library offers a driver. Lives as long as the instance. */
struct gabbro_host
{
  uint32_t abi;
  void *data;
  /* Any thread; never with a lock of the driver held. */
  void (*log) (void *data, enum gabbro_log_level level, const char *message);
  /* The value of a context option or of its environment variable, or NULL.
   * "device-mask": see the driver's manual; "validation": "1" asks for validation layers. */
  const char *(*option) (void *data, const char *name);
};

/* Adapters. */

enum gabbro_adapter_type
{
  GABBRO_ADAPTER_TYPE_OTHER,
  GABBRO_ADAPTER_TYPE_INTEGRATED,
  GABBRO_ADAPTER_TYPE_DISCRETE,
  GABBRO_ADAPTER_TYPE_VIRTUAL,
  GABBRO_ADAPTER_TYPE_CPU
};

struct gabbro_adapter_info
{
  char name[256];
  char driver_name[256];                 /* of the Vulkan driver, say */
  char driver_info[256];
  enum gabbro_adapter_type type;
  uint32_t vendor_id, device_id;
  uint32_t api_version;                  /* as VK_MAKE_API_VERSION; 0: none */
  uint8_t device_uuid[16], driver_uuid[16];
  bool has_pci;
  uint32_t pci_domain, pci_bus, pci_device, pci_function;
  uint64_t device_memory;                /* bytes of the largest device-local heap */
};

enum gabbro_target_feature               /* what generated code may need; append only */
{
  GABBRO_TARGET_STORAGE_IMAGE_READ_WITHOUT_FORMAT  = 1 << 0,
  GABBRO_TARGET_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT = 1 << 1,
  GABBRO_TARGET_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32 = 1 << 2,
  GABBRO_TARGET_ROUNDING_MODE_RTE_FLOAT32          = 1 << 3,
  GABBRO_TARGET_SUBGROUP_BASIC                     = 1 << 4,
  GABBRO_TARGET_SUBGROUP_VOTE                      = 1 << 5,
  GABBRO_TARGET_SUBGROUP_ARITHMETIC                = 1 << 6,
  GABBRO_TARGET_SUBGROUP_BALLOT                    = 1 << 7,
  GABBRO_TARGET_SUBGROUP_SHUFFLE                   = 1 << 8,
  GABBRO_TARGET_BUFFER_FLOAT32_ATOMICS             = 1 << 9,
  GABBRO_TARGET_BUFFER_FLOAT32_ATOMIC_ADD          = 1 << 10,
  GABBRO_TARGET_BUFFER_FLOAT32_ATOMIC_MIN_MAX      = 1 << 11,
  GABBRO_TARGET_SHARED_FLOAT32_ATOMICS             = 1 << 12,
  GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_ADD          = 1 << 13,
  GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_MIN_MAX      = 1 << 14,
  GABBRO_TARGET_INT8                               = 1 << 15,
  GABBRO_TARGET_INT16                              = 1 << 16,
  GABBRO_TARGET_INT64                              = 1 << 17,
  GABBRO_TARGET_FLOAT16                            = 1 << 18,
  GABBRO_TARGET_FLOAT64                            = 1 << 19,
  GABBRO_TARGET_STORAGE_BUFFER_8                   = 1 << 20,
  GABBRO_TARGET_STORAGE_BUFFER_16                  = 1 << 21,
  GABBRO_TARGET_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT16 = 1 << 22,
  GABBRO_TARGET_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT64 = 1 << 23,
  GABBRO_TARGET_ROUNDING_MODE_RTE_FLOAT16          = 1 << 24,
  GABBRO_TARGET_ROUNDING_MODE_RTE_FLOAT64          = 1 << 25,
  GABBRO_TARGET_BUFFER_INT64_ATOMICS               = 1 << 26,
  GABBRO_TARGET_SHARED_INT64_ATOMICS               = 1 << 27,
  GABBRO_TARGET_SUBGROUP_EXTENDED_TYPES            = 1 << 28,
  GABBRO_TARGET_DEVICE_CLOCK                       = 1 << 29
};

/* After the device mask. Bytes unless said. */
struct gabbro_limits
{
  uint64_t max_buffer_size;
  uint64_t max_allocation_size;
  uint64_t max_storage_buffer_range;
  uint32_t storage_buffer_offset_alignment;   /* power of two */
  uint32_t buffer_image_copy_offset_alignment; /* power of two: what makes copies with images fast */
  uint32_t max_push_constants;
  uint32_t max_group_count[3];
  uint32_t max_group_size[3];
  uint32_t max_group_invocations;
  uint32_t max_shared_memory;
  uint32_t max_image_2d, max_image_3d;   /* texels a side */
  uint32_t max_storage_buffers, max_storage_images, max_sampled_images, max_resources;
  uint64_t max_timeline_difference;
  uint32_t subgroup_size;                /* 0: unknown */
};

/* What can be done with images of a format. */
enum gabbro_format_use
{
  GABBRO_FORMAT_CAN_COPY          = 1 << 0,   /* from and to buffers, and to its like */
  GABBRO_FORMAT_CAN_READ          = 1 << 1,   /* by kernels that only read it: a sampled image */
  GABBRO_FORMAT_CAN_STORAGE_READ  = 1 << 2,   /* a storage image, whose format the kernel does not name */
  GABBRO_FORMAT_CAN_STORAGE_WRITE = 1 << 3
};

/* Of images of two dimensions, or three. */
struct gabbro_format_support
{
  uint32_t uses;                         /* enum gabbro_format_use; without COPY there are no such images */
  uint32_t max_size[3];                  /* texels */
  uint32_t max_levels;
  uint64_t max_bytes;
};

/* What a driver takes as a finished kernel. */
enum gabbro_artifact_kind
{
  GABBRO_ARTIFACT_SPIRV,
  GABBRO_ARTIFACT_XIR                    /* drivers that are built in and know the compiler */
};

/* The first member of a driver's own adapter struct, which is the state of the
 * adapter's node: attribute functions get it. Constant once probe has returned. */
struct gabbro_driver_adapter
{
  struct gabbro_adapter_info info;
  struct gabbro_limits limits;
  struct gabbro_format_support formats[GB_N_TEXEL_FORMATS][2];
  uint64_t target_features;              /* enum gabbro_target_feature */
  enum gabbro_artifact_kind artifact;
  bool only_by_name;                     /* never the default, also when it is alone */
  const char *unusable;                  /* why it cannot be opened, or NULL */
  const struct gb_attribute_group *const *groups;   /* of the driver, beside the library's own */
  unsigned n_groups;
};

/* Devices. Everything below is addressed by 64-bit handles that mean nothing to the library. */

enum gabbro_queue_flags
{
  GABBRO_QUEUE_COMPUTE  = 1 << 0,
  GABBRO_QUEUE_TRANSFER = 1 << 1,
  GABBRO_QUEUE_GRAPHICS = 1 << 2,
  GABBRO_QUEUE_SPARSE   = 1 << 3
};

struct gabbro_queue_info
{
  unsigned flags;
  uint32_t family, index;
};

#define GABBRO_MAX_QUEUES 16

enum gabbro_memory_use
{
  GABBRO_MEMORY_DEVICE,                  /* fast for kernels; mapped where that costs nothing */
  GABBRO_MEMORY_UPLOAD,                  /* mapped, written by the host */
  GABBRO_MEMORY_READBACK                 /* mapped, read by the host, cached if there is such memory */
};

struct gabbro_buffer_info
{
  uint64_t handle;
  void *mapped;                          /* coherent, for the buffer's whole life; NULL: not mappable */
  uint64_t allocated;                    /* bytes taken from the device */
  bool cached;                           /* the host reads through `mapped` as fast as its own memory */
};

struct gabbro_image_request
{
  enum gb_texel_format format;
  uint32_t width, height;
  uint32_t depth;                        /* 0: an image of two dimensions */
  uint32_t n_levels;                     /* at least 1; each has half the sides of the one before */
};

enum gabbro_binding_kind
{
  GABBRO_BINDING_STORAGE_BUFFER,
  GABBRO_BINDING_SAMPLED_IMAGE,
  GABBRO_BINDING_STORAGE_IMAGE
};

struct check_report;
struct interpret_trace;
struct spirv_argument;
struct spirv_print;
struct xir_module;

/* A finished, validated kernel. The driver keeps no pointer into it. */
struct gabbro_artifact
{
  const char *name;                      /* for messages and debuggers */
  /* GABBRO_ARTIFACT_SPIRV. */
  const uint32_t *words;
  size_t n_words;
  const char *entry_point;
  /* GABBRO_ARTIFACT_XIR: the module with the kernel `name`, and where each argument of it lies: bytes of the push
   * constants from 32 on, or of the buffer that is binding 0; codegen/spirv/spirv.h. */
  const struct xir_module *module;
  const struct spirv_argument *arguments;
  uint32_t n_arguments;
  const struct spirv_print *print;       /* two arguments behind those, the number of the dispatch and the buffer; or NULL */
  uint32_t argument_size;
  bool arguments_in_block;
  void *origin;                          /* for reports about the kernel; lives as long as the shader */
  /* Both. */
  uint32_t group_size[3];
  uint32_t push_constant_size;
  const enum gabbro_binding_kind *bindings;   /* set 0, binding = index */
  uint32_t n_bindings;
};

/* Commands, as the library has recorded and ordered them. */

enum gabbro_command_kind
{
  GABBRO_COMMAND_COPY_BUFFER,
  GABBRO_COMMAND_COPY_BUFFER_TO_IMAGE,
  GABBRO_COMMAND_COPY_IMAGE_TO_BUFFER,
  GABBRO_COMMAND_COPY_IMAGE,
  GABBRO_COMMAND_FILL_BUFFER,
  GABBRO_COMMAND_DISPATCH
};

struct gabbro_command
{
  enum gabbro_command_kind kind;
  uint32_t layer;
  uint32_t index;                        /* order of recording */
};

struct gabbro_copy_buffer
{
  struct gabbro_command command;
  uint64_t source, destination;          /* buffer handles */
  uint64_t source_offset, destination_offset, size;
};

/* A level of an image: all of it. */
struct gabbro_image_level
{
  uint64_t image;
  uint32_t level;
  uint32_t width, height, depth;         /* of the level; depth 1 in two dimensions */
  /* Where it is if the levels lie one behind the other, each with its rows tightly packed. */
  uint64_t offset, size;
};

/* Between a buffer and an image, both directions. Rows, and planes, are tightly packed. */
struct gabbro_copy_image
{
  struct gabbro_command command;
  uint64_t buffer, buffer_offset;
  struct gabbro_image_level level;
};

/* Between images of one format and size. */
struct gabbro_copy_image_to_image
{
  struct gabbro_command command;
  struct gabbro_image_level source, destination;
};

struct gabbro_fill_buffer
{
  struct gabbro_command command;
  uint64_t buffer, offset, size;         /* multiples of 4 */
  uint32_t value;
};

/* One a binding of the shader. */
struct gabbro_descriptor
{
  uint64_t handle;
  uint64_t offset, size;                 /* of an image the level, and 0 */
};

struct gabbro_dispatch
{
  struct gabbro_command command;
  uint64_t shader;
  const struct gabbro_descriptor *descriptors;
  const void *push_constants;            /* the artifact's push_constant_size bytes */
  uint32_t groups[3];
};

enum gabbro_stage
{
  GABBRO_STAGE_COMPUTE  = 1 << 0,
  GABBRO_STAGE_TRANSFER = 1 << 1,
  GABBRO_STAGE_HOST     = 1 << 2,
  GABBRO_STAGE_ALL      = 1 << 3
};

enum gabbro_access
{
  GABBRO_ACCESS_SHADER_READ    = 1 << 0,
  GABBRO_ACCESS_SHADER_WRITE   = 1 << 1,
  GABBRO_ACCESS_TRANSFER_READ  = 1 << 2,
  GABBRO_ACCESS_TRANSFER_WRITE = 1 << 3,
  GABBRO_ACCESS_HOST_READ      = 1 << 4,
  GABBRO_ACCESS_HOST_WRITE     = 1 << 5,
  GABBRO_ACCESS_MEMORY_READ    = 1 << 6,
  GABBRO_ACCESS_MEMORY_WRITE   = 1 << 7
};

/* One global memory barrier; no stages: none. No accesses: an execution dependency. */
struct gabbro_barrier
{
  uint32_t source_stages, source_access;
  uint32_t destination_stages, destination_access;
};

struct gabbro_layer
{
  uint32_t first, count;                 /* of gabbro_command_plan.commands */
  struct gabbro_barrier before;
};

/* Commands of one layer are independent of each other. */
struct gabbro_command_plan
{
  const struct gabbro_command *const *commands;    /* in layer order */
  uint32_t n_commands;
  const struct gabbro_layer *layers;
  uint32_t n_layers;
  const uint64_t *images;                /* every image that the plan touches, once */
  uint32_t n_images;
  struct gabbro_barrier last;            /* after the last layer */
};

struct gabbro_point
{
  uint32_t queue;
  uint64_t value;
};

struct gabbro_submission
{
  /* All of them have been submitted. */
  const struct gabbro_point *waits;
  uint32_t n_waits;
  /* Either of them, or neither: a submission that only signals. */
  const struct gabbro_command_plan *plan;
  uint64_t prepared;                     /* from list_prepare */
  /* What the queue's timeline reaches when all is done: larger than any before it. */
  uint64_t signal;
};

/* Handles of the API that the driver itself stands on, for applications that use that API beside the
 * library. A kind names its API, so a driver knows which are its own. Append only. */
enum gabbro_native_kind
{
  GABBRO_NATIVE_VULKAN_GET_INSTANCE_PROC_ADDR,   /* adapters: a function pointer */
  GABBRO_NATIVE_VULKAN_INSTANCE,                 /* adapters */
  GABBRO_NATIVE_VULKAN_PHYSICAL_DEVICE,          /* adapters */
  GABBRO_NATIVE_VULKAN_DEVICE,
  GABBRO_NATIVE_VULKAN_QUEUE,
  GABBRO_NATIVE_VULKAN_BUFFER,
  GABBRO_NATIVE_VULKAN_IMAGE
};

struct gabbro_native
{
  uint64_t handle;                       /* the bits of it */
  uint64_t offset;                       /* buffers: where ours begins in it */
  uint32_t family, index;                /* queues */
  uint32_t format, layout;               /* images: in numbers of that API */
};

enum gabbro_wait_result { GABBRO_WAIT_DONE, GABBRO_WAIT_TIMED_OUT, GABBRO_WAIT_LOST };

struct gabbro_driver_device;
struct gabbro_driver_instance;

/* Slots marked "optional" may be NULL: the library answers GABBRO_ERROR_NOT_SUPPORTED. */
struct gabbro_device_ops
{
  /* All work is done or given up. */
  void (*close) (struct gabbro_driver_device *device);

  bool (*buffer_create)  (struct gabbro_driver_device *device, uint64_t size, enum gabbro_memory_use use,
                          struct gabbro_buffer_info *out, GError **error);
  void (*buffer_destroy) (struct gabbro_driver_device *device, uint64_t buffer);

  bool (*image_create)   (struct gabbro_driver_device *device, const struct gabbro_image_request *request,
                          uint64_t *out, GError **error);                                      /* optional */
  void (*image_destroy)  (struct gabbro_driver_device *device, uint64_t image);                /* optional */

  bool (*shader_create)  (struct gabbro_driver_device *device, const struct gabbro_artifact *artifact,
                          uint64_t *out, GError **error);
  void (*shader_destroy) (struct gabbro_driver_device *device, uint64_t shader);

  /* A list to be submitted many times. It keeps no pointer into the plan. A prepared list may be
   * pending several times at once. */
  bool (*list_prepare)   (struct gabbro_driver_device *device, uint32_t queue, const struct gabbro_command_plan *plan,
                          uint64_t *out, GError **error);
  void (*list_destroy)   (struct gabbro_driver_device *device, uint64_t prepared);

  /* Encodes and submits; returns at once. Keeps no pointer into the submission. The library
   * serialises submissions of one queue, and destroys no handle before the value is reached.
   * On failure nothing was submitted, unless the error is LOST. */
  bool (*submit) (struct gabbro_driver_device *device, uint32_t queue, const struct gabbro_submission *submission,
                  GError **error);

  /* The value that the queue has completed; 0 at first. False: the device is lost. Quick, and never
   * logs: the library asks under its own lock. */
  bool (*queue_value) (struct gabbro_driver_device *device, uint32_t queue, uint64_t *value);

  /* Waits for any (all = false) or all of the points. `timeout` in nanoseconds, UINT64_MAX: for ever.
   * With `kick`, a kick() newer than the last wait with `kick` ends the wait too (DONE); one thread
   * alone waits so. */
  enum gabbro_wait_result (*wait) (struct gabbro_driver_device *device, const struct gabbro_point *points, uint32_t n_points,
                                   bool all, bool kick, uint64_t timeout);
  void (*kick) (struct gabbro_driver_device *device);

  /* The queue has completed `value`: command buffers and the like can be used again. Watcher only. */
  void (*retire) (struct gabbro_driver_device *device, uint32_t queue, uint64_t value);

  /* Bytes in use and the budget of a memory heap kind, for attributes. optional */
  bool (*memory_budget) (struct gabbro_driver_device *device, uint64_t *used, uint64_t *budget);

  /* Tells of each step of one thread, codegen/interpret/trace.h, of shaders that are made from then on. `trace` is
   * lent until another call, which waits for a dispatch that runs; NULL: none. optional */
  bool (*set_trace) (struct gabbro_driver_device *device, const struct interpret_trace *trace, GError **error);

  /* The native handle of a buffer or image, of the queue with that number, or of the device (`object` is 0).
   * Another API's kind is NOT_SUPPORTED. optional */
  bool (*get_native) (struct gabbro_driver_device *device, enum gabbro_native_kind kind, uint64_t object,
                      struct gabbro_native *out, GError **error);
  /* Keeps submit() away from the queue, while the application uses it itself. optional: both or neither */
  void (*queue_lock)   (struct gabbro_driver_device *device, uint32_t queue);
  void (*queue_unlock) (struct gabbro_driver_device *device, uint32_t queue);
  /* A buffer or image of the application's, made on the native device, as one of ours. The usual destroy
   * function ends that and leaves the native object alone. `size`: bytes of it that will be used, from its start.
   * Images rest in the layout that get_native() gives for one of ours in use. optional */
  bool (*buffer_wrap) (struct gabbro_driver_device *device, enum gabbro_native_kind kind, uint64_t native, uint64_t size,
                       uint64_t *out, GError **error);
  bool (*image_wrap)  (struct gabbro_driver_device *device, enum gabbro_native_kind kind, uint64_t native,
                       const struct gabbro_image_request *request, uint64_t *out, GError **error);

  /* What the driver itself makes of the code of shaders, which the library keeps for later processes. pipelines_load comes
   * before the first shader, or never: what pipelines_save has given for an equal adapter; the driver takes of it what it
   * can. pipelines_save gives all there is, and what `data` has beside it, for g_free(); NULL: there is nothing. Any
   * thread. optional: both or neither */
  void  (*pipelines_load) (struct gabbro_driver_device *device, const void *data, size_t size);
  void *(*pipelines_save) (struct gabbro_driver_device *device, const void *data, size_t size, size_t *out_size);
};

/* The first member of a driver's own device struct. */
struct gabbro_driver_device
{
  const struct gabbro_device_ops *ops;
  struct gabbro_queue_info queues[GABBRO_MAX_QUEUES];
  uint32_t n_queues;                     /* at least 1; queue 0 can compute and copy */
  const struct gb_attribute_group *const *groups;   /* their state is this struct; may be NULL */
  unsigned n_groups;
  uint64_t n_pipelines_compiled, n_pipelines_found;   /* shaders that were compiled, and that pipelines_load had; atomic */
  /* Set by the library before anything is submitted: takes what the driver has found wrong in the run of a
   * kernel. Any thread, under any lock: no code of the application runs in there. The report is lent. */
  void (*report) (void *data, const struct check_report *report, void *origin);
  void *report_data;
};

/* The first member of a driver's own instance struct. */
struct gabbro_driver_instance
{
  struct gabbro_driver_adapter **adapters;
  uint32_t n_adapters;
};

enum gabbro_probe_result { GABBRO_PROBE_BOUND, GABBRO_PROBE_NOTHING, GABBRO_PROBE_FAILED };

struct gabbro_driver
{
  uint32_t abi;                          /* GABBRO_DRIVER_ABI; stays the first member */
  const char *name;                      /* lower case */
  const char *description;

  /* Finds adapters. NOTHING is no error: this machine has no such thing. FAILED sets `error`.
   * What is registered in `undo` is undone in reverse order when the probe fails or the driver is
   * removed; the instance and its adapters are freed so. */
  enum gabbro_probe_result (*probe) (const struct gabbro_host *host, struct gb_undo *undo,
                                     struct gabbro_driver_instance **out, GError **error);
  struct gabbro_driver_device *(*open) (struct gabbro_driver_instance *instance, struct gabbro_driver_adapter *adapter,
                                        GError **error);
  /* A native handle of an adapter; false for another API's kind. optional */
  bool (*get_adapter_native) (struct gabbro_driver_adapter *adapter, enum gabbro_native_kind kind, uint64_t *out);
};
