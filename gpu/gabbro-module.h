/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_MODULE_H
#define GABBRO_MODULE_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_MODULE (gabbro_module_get_type ())

GABBRO_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (GabbroModule, gabbro_module, GABBRO, MODULE, GObject)

/**
 * GabbroImportFunc:
 * @path: what the source imports, as it is written there
 * @importer: the name of the source that does
 * @name: (out) (optional) (nullable) (transfer full): return location for what the text is known by, @path
 *   where it is left alone
 * @user_data: data of the caller
 * @error: return location for an error
 *
 * Finds the text of an `import`. Texts of equal names are one and are read once; messages call the
 * text by its name. Called in the thread that compiles, while it does.
 *
 * Returns: (transfer full) (nullable): the text, or %NULL with @error set
 *
 * Since: 0.1
 */
typedef GBytes *(*GabbroImportFunc)          (const char          *path,
                                              const char          *importer,
                                              char               **name,
                                              gpointer             user_data,
                                              GError             **error);

GABBRO_AVAILABLE_IN_0_1
GabbroModule *gabbro_module_new_with_options (const char          *name,
                                              const char          *source,
                                              gssize               length,
                                              GVariant            *options,
                                              GabbroImportFunc     import_func,
                                              gpointer             user_data,
                                              GError             **error);
GABBRO_AVAILABLE_IN_0_1
GabbroModule *gabbro_module_new_from_source  (const char          *name,
                                              const char          *source,
                                              gssize               length,
                                              GError             **error);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_module_new_from_source_async (const char     *name,
                                              const char          *source,
                                              gssize               length,
                                              GCancellable        *cancellable,
                                              GAsyncReadyCallback  callback,
                                              gpointer             user_data);
GABBRO_AVAILABLE_IN_0_1
GabbroModule *gabbro_module_new_from_source_finish (GAsyncResult  *result,
                                              GError             **error);
GABBRO_AVAILABLE_IN_0_1
GPtrArray    *gabbro_module_check_source     (const char          *name,
                                              const char          *source,
                                              gssize               length);
GABBRO_AVAILABLE_IN_0_1
void          gabbro_module_check_source_async (const char        *name,
                                              const char          *source,
                                              gssize               length,
                                              GCancellable        *cancellable,
                                              GAsyncReadyCallback  callback,
                                              gpointer             user_data);
GABBRO_AVAILABLE_IN_0_1
GPtrArray    *gabbro_module_check_source_finish (GAsyncResult     *result,
                                              GError             **error);
GABBRO_AVAILABLE_IN_0_1
const char   *gabbro_module_get_name         (GabbroModule        *self);
GABBRO_AVAILABLE_IN_0_1
const char   *gabbro_module_get_warnings     (GabbroModule        *self);
GABBRO_AVAILABLE_IN_0_1
char         *gabbro_module_print            (GabbroModule        *self,
                                              GabbroModuleFormat   format);
GABBRO_AVAILABLE_IN_0_1
char        **gabbro_module_list_kernels     (GabbroModule        *self);
GABBRO_AVAILABLE_IN_0_1
GabbroKernel *gabbro_module_get_kernel       (GabbroModule        *self,
                                              const char          *name,
                                              GError             **error);

G_END_DECLS

#endif
