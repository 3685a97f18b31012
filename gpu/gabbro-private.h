/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the objects of this folder know of each other. */

#pragma once

#include <gabbro/gabbro.h>
#include <glib/gi18n-lib.h>
#include <stdbool.h>

#include "gpu/driver-api/gabbro-driver.h"
#include "gpu/notifier.h"
#include "gpu/properties.h"
#include "lib/node.h"

struct bundle_artifact;
struct gabbro_context_core;
struct gabbro_core;
struct gabbro_element_type;
struct gabbro_event_core;
struct gabbro_notice;
struct gabbro_recorder;
struct gabbro_resource;
struct gabbro_shader_core;
struct gabbro_stream_core;
struct gk_type;
struct gk_unit;
struct xir_module;
struct spirv_target;

/* Of the class, and made by one of its functions: what every public function asks of its objects. One of
 * g_object_new() alone, which bindings allow, has nothing to work on. */
gboolean gabbro_context_is_whole (gpointer object);
gboolean gabbro_adapter_is_whole (gpointer object);
gboolean gabbro_device_is_whole (gpointer object);
gboolean gabbro_queue_is_whole (gpointer object);
gboolean gabbro_stream_is_whole (gpointer object);
gboolean gabbro_event_is_whole (gpointer object);
gboolean gabbro_buffer_is_whole (gpointer object);
gboolean gabbro_mapping_is_whole (gpointer object);
gboolean gabbro_image_is_whole (gpointer object);
gboolean gabbro_module_is_whole (gpointer object);
gboolean gabbro_kernel_is_whole (gpointer object);
gboolean gabbro_shader_is_whole (gpointer object);
gboolean gabbro_command_list_is_whole (gpointer object);
gboolean gabbro_bundle_is_whole (gpointer object);
gboolean gabbro_cache_is_whole (gpointer object);

struct gabbro_context_core  *gabbro_context_get_core   (GabbroContext *self);
/* Same process. */
gboolean                     gabbro_context_check      (GabbroContext *self, GError **error);
/* Of GabbroAdapter, each with a reference for the caller. */
GPtrArray                   *gabbro_context_dup_adapters (GabbroContext *self);

GabbroAdapter               *gabbro_adapter_new        (GabbroContext *context, struct gabbro_driver_instance *instance,
                                                        const struct gabbro_driver *driver,
                                                        struct gabbro_driver_adapter *driver_adapter, struct gb_node *node);
/* Same process. */
gboolean                     gabbro_adapter_check      (GabbroAdapter *self, GError **error);
/* The device is no longer in the machine: the node goes, what was opened goes on. */
void                         gabbro_adapter_remove     (GabbroAdapter *self);
struct gabbro_context_core  *gabbro_adapter_get_core   (GabbroAdapter *self);
void                         gabbro_adapter_set_twin   (GabbroAdapter *self, GabbroAdapter *twin);
struct gb_node              *gabbro_adapter_get_devices_node (GabbroAdapter *self);
struct gabbro_driver_adapter *gabbro_adapter_get_driver_adapter (GabbroAdapter *self);
/* NOT_SUPPORTED for handles of another API than the driver's own. */
gboolean                     gabbro_adapter_get_native (GabbroAdapter *self, enum gabbro_native_kind kind, uint64_t *out, GError **error);
struct gabbro_driver_device *gabbro_adapter_open_driver (GabbroAdapter *self, GError **error);
/* enum gabbro_target_feature as bits of enum spirv_feature. */
uint64_t                     gabbro_target_features    (uint64_t driver_features);
/* NULL: what every Vulkan device offers. */
void                         gabbro_adapter_fill_target (GabbroAdapter *self, struct spirv_target *target);

GabbroDevice                *gabbro_device_new         (GabbroAdapter *adapter, GError **error);
struct gabbro_core          *gabbro_device_get_core    (GabbroDevice *self);
struct gb_node              *gabbro_device_get_streams_node (GabbroDevice *self);
/* Same process, not lost. */
gboolean                     gabbro_device_check       (GabbroDevice *self, GError **error);

GabbroQueue                 *gabbro_queue_new          (GabbroDevice *device, guint index, struct gb_node *parent);
void                         gabbro_queue_end          (GabbroQueue *self, gboolean in_child);
gboolean                     gabbro_queue_is_of        (GabbroQueue *self, GabbroDevice *device);

/* Takes the reference on `resource`; `offset` in bytes of it. */
GabbroBuffer                *gabbro_buffer_new_of_resource (GabbroDevice *device, struct gabbro_resource *resource,
                                                        const struct gabbro_element_type *type, guint64 length, guint64 offset);
/* What a command needs to know of a buffer, in one call and without checks. */
struct gabbro_buffer_place
{
  GabbroDevice *device;
  struct gabbro_resource *resource;
  const char *type;                      /* the interned description of its elements; NULL: bytes */
  guint64 offset, size;
};

struct gabbro_buffer_place   gabbro_buffer_get_place   (GabbroBuffer *self);
struct gabbro_resource      *gabbro_buffer_get_resource (GabbroBuffer *self);
gboolean                     gabbro_buffer_check_range (GabbroBuffer *self, guint64 offset, guint64 size, GError **error);
struct gabbro_resource      *gabbro_image_get_resource (GabbroImage *self);
/* What copies and arguments mean by the image: its first level, or the one that it is a view of. */
const struct gabbro_image_level *gabbro_image_get_place (GabbroImage *self);
/* "64×64" or "64×64×8"; to be freed. */
char                        *gabbro_image_describe     (GabbroImage *self);
/* Whether such an image can be; `size` is that of all of its levels on the host. */
gboolean                     gabbro_image_check_request (GabbroDevice *device, const struct gabbro_image_request *request,
                                                         guint64 *size, GError **error);
/* Takes the reference on `resource`. */
GabbroImage                 *gabbro_image_new_of_resource (GabbroDevice *device, struct gabbro_resource *resource,
                                                           const struct gabbro_image_request *request);

/* Of an idle buffer, or to be filled later. */
GabbroMapping               *gabbro_mapping_new        (GabbroBuffer *buffer, GabbroMapFlags flags, GError **error);
/* Brings the contents, where the mapping is a copy for reading. */
gboolean                     gabbro_mapping_fill       (GabbroMapping *self, GError **error);
/* The same for a task, which returns the mapping; takes both. */
void                         gabbro_mapping_fill_async (GabbroMapping *self, GTask *task);

struct xir_module           *gabbro_module_get_xir     (GabbroModule *self);
const struct gk_unit        *gabbro_module_get_unit    (GabbroModule *self);
/* Of a value itself, of a buffer's elements; NULL for images. */
GabbroLayout                *gabbro_layout_new_for_type (const struct gk_type *type);
/* Of the bytes of the source. */
void                         gabbro_module_get_digest  (GabbroModule *self, uint8_t digest[32]);
GabbroKernel                *gabbro_kernel_new         (GabbroModule *module, const char *name, GError **error);
/* One of a bundle, compiled already; has no module. */
GabbroKernel                *gabbro_kernel_new_of_artifact (struct bundle_artifact *artifact);
/* NULL: it is of a module. */
struct bundle_artifact      *gabbro_kernel_get_artifact (GabbroKernel *self);

/* Of struct bundle_member, sorted by name. */
GPtrArray                   *gabbro_bundle_get_members (GabbroBundle *self);
struct gabbro_event_core    *gabbro_event_get_core     (GabbroEvent *self);
struct gabbro_shader_core   *gabbro_shader_get_core    (GabbroShader *self);
struct gabbro_recorder      *gabbro_command_list_get_recorder (GabbroCommandList *self);
/* Finishes a list for its submission; a failed or used one is an error. After each success and the submission
 * comes gabbro_command_list_end_submit(), which takes a reference on the recorder: the list may be gone. */
gboolean                     gabbro_command_list_prepare_submit (GabbroCommandList *self, guint queue, GError **error);
void                         gabbro_command_list_end_submit (struct gabbro_recorder *recorder);

/* What a list's signal "completed" needs to know of one submission: a reference on the list, and the error. */
void                         gabbro_notice_set_error   (struct gabbro_notice *notice, const GError *error);
/* The submission is over: emits in the list's main context. Consumes the notice. Any thread, without a lock. */
void                         gabbro_notice_send        (struct gabbro_notice *notice);

/* Whether a handler is connected, and not blocked, to a signal, or to the notification of `property` where that is not NULL. */
bool            gabbro_has_handler (gpointer object, guint signal, const char *property);
/* A folder in the tree: a node without attributes, added under `parent`. */
struct gb_node *gabbro_folder_new (struct gb_tree *tree, struct gb_node *parent, const char *name);
/* Deletes the node and drops the reference; NULL is allowed. */
void            gabbro_node_clear (struct gb_node **node);

/* Microseconds from now as a deadline in g_get_monotonic_time(); negative: none. */
gint64 gabbro_deadline (gint64 timeout_us);

/* Memory for the contents of a resource, at least a byte; NULL with %GABBRO_ERROR_OUT_OF_MEMORY. */
gpointer gabbro_try_alloc (gsize size, GError **error);

/* "did you mean" for a name; NULL where nothing is near. */
const char *gabbro_nearest (const char *name, const char *const *candidates);
