/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An opened device and its objects. Handles that the library holds are pointers
 * to the structs here.
 *
 * Locks, outermost first: layout_mutex, a queue's mutex, then the leaves (a
 * queue's frames_mutex, kick_mutex, those of memory, sets and log). */

#pragma once

#include "gpu/drivers/vulkan/adapter.h"
#include "gpu/drivers/vulkan/descriptors.h"
#include "gpu/drivers/vulkan/memory.h"

struct vulkan_buffer
{
  VkBuffer buffer;
  struct vulkan_allocation allocation;
  bool is_foreign;                      /* the application's, with its memory: there is no allocation */
};

/* Always in the layout GENERAL, once the first submission that touches it has put
 * it there. */
struct vulkan_image
{
  VkImage image;
  VkImageView *views;                   /* one a level; NULL: no kernel can use it */
  uint32_t n_levels;
  VkFormat format;
  struct vulkan_allocation allocation;
  bool is_foreign;                      /* as of buffers; the view is ours */
  gint ready;                           /* the transition has been submitted: */
  uint32_t ready_queue;                 /* there, */
  uint64_t ready_value;                 /* and is done at this value */
};

struct vulkan_set_cursor
{
  struct vulkan_set_chunk *chunk;
  uint64_t epoch;                       /* of the encoder, when this is its */
};

struct vulkan_shader
{
  VkPipeline pipeline;
  VkPipelineLayout layout;
  VkDescriptorSetLayout set_layout;     /* these three: null without bindings */
  VkDescriptorUpdateTemplate update;
  struct vulkan_set_store *sets;
  enum gabbro_binding_kind *bindings;
  uint32_t n_bindings;
  uint32_t push_constant_size;
  struct vulkan_set_cursor cursors[GABBRO_MAX_QUEUES];
};

/* Command buffers and descriptor sets of one submission. */
struct vulkan_frame
{
  struct gb_list link;
  VkCommandPool pool;
  VkCommandBuffer commands;
  VkCommandBuffer transitions;          /* made when first needed */
  struct vulkan_set_chunk *chunks;
  uint64_t value;                       /* of the queue, when all is done */
};

#define VULKAN_SET_TABLE_SIZE 256

/* Sets of the plan that is being encoded, by what they show. */
struct vulkan_set_entry
{
  uint64_t epoch;
  const struct vulkan_shader *shader;
  const struct gabbro_descriptor *descriptors;
  VkDescriptorSet set;
};

union vulkan_descriptor_data
{
  VkDescriptorBufferInfo buffer;
  VkDescriptorImageInfo image;
};

struct vulkan_encoder
{
  uint64_t epoch;                       /* counts plans */
  struct vulkan_set_entry table[VULKAN_SET_TABLE_SIZE];
  union vulkan_descriptor_data *scratch;
  uint32_t n_scratch;
};

struct vulkan_queue
{
  VkQueue queue;
  VkSemaphore timeline;
  uint32_t index;                       /* of the device's queues */
  uint32_t family;
  unsigned flags;
  uint64_t completed;                   /* at least; atomic */
  GMutex mutex;                         /* the queue itself, and encoding for it */
  struct vulkan_encoder encoder;
  GMutex frames_mutex;
  struct gb_list pending, ready;        /* struct vulkan_frame, oldest first */
  unsigned n_ready;
};

struct vulkan_device
{
  struct gabbro_driver_device base;
  struct vulkan_adapter *adapter;
  const struct vulkan_plan *plan;
  struct vulkan_log *log;
  VkDevice device;
  struct vulkan_device_table vk;
  struct vulkan_memory memory;
  struct vulkan_queue queues[GABBRO_MAX_QUEUES];
  VkPipelineCache pipelines;            /* null: the library keeps none */
  GMutex layout_mutex;                  /* images that are becoming ready */

  gint lost;                            /* 1: for good */
  gint losing;                          /* somebody writes the reason */
  char lost_reason[128];

  VkSemaphore kick;
  GMutex kick_mutex;
  uint64_t kick_value, kick_seen;
  bool wait_any_spins;                  /* a wait for any of several semaphores keeps a processor busy */
};

/* device.c */
struct gabbro_driver_device *vulkan_device_open (struct gabbro_driver_instance *instance,
                                                 struct gabbro_driver_adapter *adapter, GError **error);
/* Notes a loss, whoever sees it first. Answers `result`. */
VkResult vulkan_device_check (struct vulkan_device *device, VkResult result, const char *what);
bool     vulkan_device_is_lost (struct vulkan_device *device);
void     vulkan_device_set_lost_error (struct vulkan_device *device, GError **error);
/* For debuggers and messages of layers; does nothing without debug utils. */
void     vulkan_device_name (struct vulkan_device *device, VkObjectType type, uint64_t object, const char *name);

/* device-attributes.c; the state is struct vulkan_device. */
extern const struct gb_attribute_group *const vulkan_device_groups[];
extern const unsigned vulkan_device_n_groups;

/* buffer.c */
bool vulkan_buffer_create  (struct gabbro_driver_device *device, uint64_t size, enum gabbro_memory_use use,
                            struct gabbro_buffer_info *out, GError **error);
void vulkan_buffer_destroy (struct gabbro_driver_device *device, uint64_t buffer);

/* image.c */
bool vulkan_image_create   (struct gabbro_driver_device *device, const struct gabbro_image_request *request,
                            uint64_t *out, GError **error);
void vulkan_image_destroy  (struct gabbro_driver_device *device, uint64_t image);
/* Sets view and format. */
VkResult vulkan_image_create_views (struct vulkan_device *device, const struct gabbro_image_request *request,
                                    struct vulkan_image *image);
/* Of an image whose size is told: for messages. */
char    *vulkan_image_describe (const struct gabbro_image_request *request);

/* native.c */
bool vulkan_get_adapter_native (struct gabbro_driver_adapter *adapter, enum gabbro_native_kind kind, uint64_t *out);
bool vulkan_get_native   (struct gabbro_driver_device *device, enum gabbro_native_kind kind, uint64_t object,
                          struct gabbro_native *out, GError **error);
void vulkan_queue_lock   (struct gabbro_driver_device *device, uint32_t queue);
void vulkan_queue_unlock (struct gabbro_driver_device *device, uint32_t queue);
bool vulkan_buffer_wrap  (struct gabbro_driver_device *device, enum gabbro_native_kind kind, uint64_t native, uint64_t size,
                          uint64_t *out, GError **error);
bool vulkan_image_wrap   (struct gabbro_driver_device *device, enum gabbro_native_kind kind, uint64_t native,
                          const struct gabbro_image_request *request, uint64_t *out, GError **error);

/* pipelines.c */
void     vulkan_pipelines_load   (struct gabbro_driver_device *device, const void *data, size_t size);
void    *vulkan_pipelines_save   (struct gabbro_driver_device *device, const void *data, size_t size, size_t *out_size);
/* vkCreateComputePipelines() with what is kept, and counted; for one, whose pNext is free. */
VkResult vulkan_pipelines_create (struct vulkan_device *device, const VkComputePipelineCreateInfo *wanted, VkPipeline *out);

/* shader.c */
bool vulkan_shader_create  (struct gabbro_driver_device *device, const struct gabbro_artifact *artifact, uint64_t *out,
                            GError **error);
void vulkan_shader_destroy (struct gabbro_driver_device *device, uint64_t shader);

/* encode.c: the whole of a plan, without begin and end. The queue's mutex is held.
 * Chunks of sets are added to `chunks`, also on failure. */
VkResult vulkan_encode (struct vulkan_device *device, struct vulkan_queue *queue, const struct gabbro_command_plan *plan,
                        VkCommandBuffer commands, struct vulkan_set_chunk **chunks);
/* Puts the images that are not ready into GENERAL. */
void     vulkan_encode_transitions (struct vulkan_device *device, VkCommandBuffer commands, const uint64_t *images,
                                    uint32_t n_images);

/* submit.c */
bool vulkan_queue_init  (struct vulkan_device *device, uint32_t index, GError **error);
void vulkan_queue_clear (struct vulkan_device *device, uint32_t index);
bool vulkan_submit      (struct gabbro_driver_device *device, uint32_t queue, const struct gabbro_submission *submission,
                         GError **error);
void vulkan_retire      (struct gabbro_driver_device *device, uint32_t queue, uint64_t value);

/* wait.c */
bool vulkan_kick_init  (struct vulkan_device *device, GError **error);
void vulkan_kick_clear (struct vulkan_device *device);
bool vulkan_queue_value (struct gabbro_driver_device *device, uint32_t queue, uint64_t *value);
enum gabbro_wait_result vulkan_wait (struct gabbro_driver_device *device, const struct gabbro_point *points,
                                     uint32_t n_points, bool all, bool kick, uint64_t timeout);
void vulkan_kick (struct gabbro_driver_device *device);

/* prepared.c */
struct vulkan_prepared
{
  uint32_t queue;
  VkCommandPool pool;
  VkCommandBuffer commands;
  struct vulkan_set_chunk *chunks;
  uint64_t *images;
  uint32_t n_images;
};

bool vulkan_list_prepare (struct gabbro_driver_device *device, uint32_t queue, const struct gabbro_command_plan *plan,
                          uint64_t *out, GError **error);
void vulkan_list_destroy (struct gabbro_driver_device *device, uint64_t prepared);

static inline void *
vulkan_pointer (uint64_t handle)
{
  return (void *) (uintptr_t) handle;
}

static inline uint64_t
vulkan_handle (const void *pointer)
{
  return (uint64_t) (uintptr_t) pointer;
}
