/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_COMMAND_LIST_H
#define GABBRO_COMMAND_LIST_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_COMMAND_LIST (gabbro_command_list_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroCommandList, gabbro_command_list, GABBRO, COMMAND_LIST, GObject)

/**
 * GabbroCompletionFunc: (skip)
 * @error: (nullable): why the work did not complete, or %NULL
 * @user_data: (closure): what was given with the function
 *
 * Called once for each submission of a list, on the watcher thread of its device,
 * after all of its commands have completed and downloads have arrived. It must not
 * block and must not call anything that waits.
 *
 * Since: 0.1
 */
typedef void (*GabbroCompletionFunc) (const GError *error,
                                      gpointer      user_data);

GABBRO_AVAILABLE_IN_0_1
GabbroCommandList *gabbro_command_list_new             (GabbroDevice         *device,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
GabbroDevice      *gabbro_command_list_get_device      (GabbroCommandList    *self);

GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_upload          (GabbroCommandList    *self,
                                                        GabbroBuffer         *buffer,
                                                        guint64               offset,
                                                        gconstpointer         data,
                                                        gsize                 size,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_upload_bytes    (GabbroCommandList    *self,
                                                        GabbroBuffer         *buffer,
                                                        guint64               offset,
                                                        GBytes               *bytes,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_download        (GabbroCommandList    *self,
                                                        GabbroBuffer         *buffer,
                                                        guint64               offset,
                                                        gpointer              data,
                                                        gsize                 size,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_upload_image    (GabbroCommandList    *self,
                                                        GabbroImage          *image,
                                                        gconstpointer         data,
                                                        gsize                 size,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_download_image  (GabbroCommandList    *self,
                                                        GabbroImage          *image,
                                                        gpointer              data,
                                                        gsize                 size,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_copy_buffer     (GabbroCommandList    *self,
                                                        GabbroBuffer         *source,
                                                        guint64               source_offset,
                                                        GabbroBuffer         *destination,
                                                        guint64               destination_offset,
                                                        guint64               size,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_copy_buffer_to_image (GabbroCommandList *self,
                                                        GabbroBuffer         *source,
                                                        guint64               source_offset,
                                                        GabbroImage          *destination,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_copy_image_to_buffer (GabbroCommandList *self,
                                                        GabbroImage          *source,
                                                        GabbroBuffer         *destination,
                                                        guint64               destination_offset,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_copy_image      (GabbroCommandList    *self,
                                                        GabbroImage          *source,
                                                        GabbroImage          *destination,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_fill            (GabbroCommandList    *self,
                                                        GabbroBuffer         *buffer,
                                                        guint64               offset,
                                                        guint64               size,
                                                        guint32               value,
                                                        GError              **error);

GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_set_shader      (GabbroCommandList    *self,
                                                        GabbroShader         *shader,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_set_buffer      (GabbroCommandList    *self,
                                                        guint                 index,
                                                        GabbroBuffer         *buffer,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_set_image       (GabbroCommandList    *self,
                                                        guint                 index,
                                                        GabbroImage          *image,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_set_value       (GabbroCommandList    *self,
                                                        guint                 index,
                                                        gconstpointer         data,
                                                        gsize                 size,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_set_bool        (GabbroCommandList    *self,
                                                        guint                 index,
                                                        gboolean              value,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_set_int         (GabbroCommandList    *self,
                                                        guint                 index,
                                                        gint32                value,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_set_uint        (GabbroCommandList    *self,
                                                        guint                 index,
                                                        guint32               value,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_set_float       (GabbroCommandList    *self,
                                                        guint                 index,
                                                        gfloat                value,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_set_variant     (GabbroCommandList    *self,
                                                        guint                 index,
                                                        GVariant             *value,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_dispatch        (GabbroCommandList    *self,
                                                        guint32               x,
                                                        guint32               y,
                                                        guint32               z,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_run             (GabbroCommandList    *self,
                                                        GabbroShader         *shader,
                                                        guint32               x,
                                                        guint32               y,
                                                        guint32               z,
                                                        GError              **error,
                                                        const char           *first_argument,
                                                        ...) G_GNUC_NULL_TERMINATED;

GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_add_completion  (GabbroCommandList    *self,
                                                        GabbroCompletionFunc  function,
                                                        gpointer              user_data,
                                                        GDestroyNotify        destroy,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_freeze          (GabbroCommandList    *self,
                                                        GabbroQueue          *queue,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_update_value    (GabbroCommandList    *self,
                                                        guint                 dispatch,
                                                        guint                 index,
                                                        gconstpointer         data,
                                                        gsize                 size,
                                                        GError              **error);
GABBRO_AVAILABLE_IN_0_1
gboolean           gabbro_command_list_is_frozen       (GabbroCommandList    *self);
GABBRO_AVAILABLE_IN_0_1
guint              gabbro_command_list_get_n_commands  (GabbroCommandList    *self);
GABBRO_AVAILABLE_IN_0_1
guint              gabbro_command_list_get_n_barriers  (GabbroCommandList    *self);
GABBRO_AVAILABLE_IN_0_1
char             **gabbro_command_list_explain_barriers (GabbroCommandList   *self);

G_END_DECLS

#endif
