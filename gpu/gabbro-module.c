/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include <string.h>

#include "codegen/frontend/frontend.h"
#include "codegen/xir/print.h"
#include "codegen/xir/verify.h"
#include "gpu/async.h"
#include "gpu/diagnostic-private.h"
#include "gpu/dump.h"
#include "lib/digest.h"

/**
 * GabbroModule:
 *
 * A source file of the kernel language, read and checked. It knows no device; its
 * kernels can be compiled for any number of them. Constant; thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroModule
{
  GObject parent_instance;

  char *name;
  struct xir_context *context;
  struct gk_unit *unit;
  struct xir_module *xir;
  char *warnings;
  guint8 digest[GB_DIGEST_SIZE];         /* of the source */
};

G_DEFINE_FINAL_TYPE (GabbroModule, gabbro_module, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_MODULE (self) && (self)->xir != NULL)

gboolean
gabbro_module_is_whole (gpointer object)
{
  GabbroModule *self = object;

  return IS_WHOLE (self);
}

/**
 * GabbroModule:name:
 *
 * The name that was given with the source. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroModule:warnings:
 *
 * Warnings about the source, formatted for a terminal, or %NULL. Constant.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_module_property_rows[] = {
  GABBRO_PLAIN ("name", STRING, gabbro_module_get_name),
  GABBRO_PLAIN ("warnings", STRING, gabbro_module_get_warnings),
};

GABBRO_DEFINE_PROPERTIES (gabbro_module)

static void
gabbro_module_finalize (GObject *object)
{
  GabbroModule *self = GABBRO_MODULE (object);

  g_clear_pointer (&self->xir, xir_module_free);
  g_clear_pointer (&self->unit, gk_unit_free);
  g_clear_pointer (&self->context, xir_context_unref);
  g_free (self->name);
  g_free (self->warnings);
  G_OBJECT_CLASS (gabbro_module_parent_class)->finalize (object);
}

static void
gabbro_module_class_init (GabbroModuleClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_module_finalize;
  gabbro_properties_install (class, &gabbro_module_properties);
}

static void
gabbro_module_init (GabbroModule *self)
{
}

const struct gk_unit *
gabbro_module_get_unit (GabbroModule *self)
{
  return self->unit;
}

struct xir_module *
gabbro_module_get_xir (GabbroModule *self)
{
  return self->xir;
}

void
gabbro_module_get_digest (GabbroModule *self, uint8_t digest[GB_DIGEST_SIZE])
{
  memcpy (digest, self->digest, GB_DIGEST_SIZE);
}

struct import
{
  GabbroImportFunc func;
  gpointer data;
};

static char *
run_import (const char *path, const char *importer, char **name, gsize *length, gpointer data, GError **error)
{
  const struct import *import = data;
  GBytes *bytes = import->func (path, importer, name, import->data, error);
  const char *text;
  char *copy;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, length);
  copy = g_malloc (*length + 1);
  if (*length > 0)
    memcpy (copy, text, *length);
  g_bytes_unref (bytes);
  return copy;
}

/* Reads and checks. `options` is NULL or a{ss}. */
static GabbroModule *
parse (const char *name, const char *source, gssize length, GVariant *options, const struct import *import,
       struct gk_diagnostics *diagnostics)
{
  struct gk_option_value *values = options != NULL ? g_new0 (struct gk_option_value, g_variant_n_children (options) + 1) : NULL;
  struct gk_source_options source_options = { .values = values };
  const char *text;
  gsize size;
  GabbroModule *self = g_object_new (GABBRO_TYPE_MODULE, NULL);

  self->name = g_utf8_make_valid (name, -1);
  self->context = xir_context_new ();
  gk_diagnostics_init (diagnostics, self->name);
  if (options != NULL)
    for (source_options.n_values = 0; source_options.n_values < g_variant_n_children (options); source_options.n_values++)
      g_variant_get_child (options, source_options.n_values, "{&s&s}", &values[source_options.n_values].name,
                           &values[source_options.n_values].value);
  if (import != NULL && import->func != NULL)
    {
      source_options.import = run_import;
      source_options.import_data = (gpointer) import;
    }
  self->unit = gk_unit_new_with (self->context, self->name, source, length < 0 ? strlen (source) : (gsize) length, &source_options,
                                 diagnostics);
  g_free (values);
  text = gk_unit_text (self->unit, &size);
  gb_digest_of (text, size, self->digest);
  return self;
}

static bool
lower (GabbroModule *self, GError **error)
{
  GString *report;
  char *what, *message;
  bool ok;

  self->xir = gk_unit_lower (self->unit);
  report = g_string_new (NULL);
  ok = self->xir != NULL && xir_verify_module (self->xir, report) == 0;
  if (!ok)
    {
      what = g_strdup_printf (_("the compiler made invalid code; please report this\n%s"), report->str);
      message = g_strdup_printf ("%s: %s", self->name, what);
      gabbro_compile_error_set (error, GABBRO_COMPILE_ERROR_INTERNAL, gabbro_diagnostics_single (self->name, 0, 0, what), message);
      g_free (message);
      g_free (what);
    }
  g_string_free (report, TRUE);
  return ok;
}

static void
dump (GabbroModule *self, const char *source, gssize length)
{
  const struct gabbro_dump dump = { secure_getenv ("GABBRO_DUMP"), self->name, 0 };
  char *text;

  if (dump.folder == NULL || dump.folder[0] == '\0')
    return;
  text = length < 0 ? g_strdup (source) : g_strndup (source, (gsize) length);
  gabbro_dump_text (&dump, "source.gk", text);
  g_free (text);
  text = gabbro_module_print (self, GABBRO_MODULE_AST);
  gabbro_dump_text (&dump, "ast", text);
  g_free (text);
  text = gabbro_module_print (self, GABBRO_MODULE_XIR);
  gabbro_dump_text (&dump, "xir", text);
  g_free (text);
}

static GabbroModule *
make (const char *name, const char *source, gssize length, GVariant *options, const struct import *import, GError **error)
{
  GabbroModule *self;
  struct gk_diagnostics diagnostics;
  GString *text;
  gboolean ok;

  self = parse (name, source, length, options, import, &diagnostics);
  text = g_string_new (NULL);
  gk_diagnostics_format (&diagnostics, text);
  /* The last newline is the caller's to print. */
  while (text->len > 0 && text->str[text->len - 1] == '\n')
    g_string_truncate (text, text->len - 1);
  ok = diagnostics.n_errors == 0;
  if (!ok)
    gabbro_compile_error_set (error, GABBRO_COMPILE_ERROR_SOURCE, gabbro_diagnostics_new (&diagnostics), text->str);
  else if (text->len > 0)
    self->warnings = g_strdup (text->str);
  g_string_free (text, TRUE);
  gk_diagnostics_clear (&diagnostics);
  if (!ok || !lower (self, error))
    g_clear_object (&self);
  else
    dump (self, source, length);
  return self;
}

/**
 * gabbro_module_new_from_source:
 * @name: what messages call the source, such as the name of its file
 * @source: text of the kernel language, in UTF-8
 * @length: bytes, or -1 if @source ends with a NUL
 * @error: return location for an error
 *
 * Reads and checks a source. All its mistakes are found: the message of the error has
 * each with place, line and, where one is known, a hint, and
 * gabbro_compile_error_get_diagnostics() has them one by one. gabbro_module_get_warnings() has
 * what is only suspicious. Needs no device and opens no file. Thread-safe; blocks while
 * it compiles, for a time proportional to @length.
 *
 * Returns: (transfer full): a module, or %NULL (%GABBRO_COMPILE_ERROR_SOURCE)
 *
 * Since: 0.1
 */
GabbroModule *
gabbro_module_new_from_source (const char *name, const char *source, gssize length, GError **error)
{
  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (source != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return make (name, source, length, NULL, NULL, error);
}

/**
 * gabbro_module_new_with_options:
 * @name: what messages call the source, such as the name of its file
 * @source: text of the kernel language, in UTF-8
 * @length: bytes, or -1 if @source ends with a NUL
 * @options: (nullable): a dictionary `a{ss}`: values for the `option`s of the source by their names, each an
 *   expression of the kernel language, such as `8` or `true`; consumed if floating
 * @import_func: (scope call) (closure user_data) (nullable): finds what the source imports, or %NULL: it imports nothing
 * @user_data: for @import_func
 * @error: return location for an error
 *
 * Reads and checks a source as gabbro_module_new_from_source() does, with values for its options, and with other
 * sources that it imports. Thread-safe; blocks while it compiles and while @import_func runs.
 *
 * Returns: (transfer full): a module, or %NULL: %GABBRO_COMPILE_ERROR_SOURCE, or
 *   %GABBRO_ERROR_INVALID_ARGUMENT where @options is no such dictionary
 *
 * Since: 0.1
 */
GabbroModule *
gabbro_module_new_with_options (const char *name,
                                const char *source,
                                gssize length,
                                GVariant *options,
                                GabbroImportFunc import_func,
                                gpointer user_data,
                                GError **error)
{
  const struct import import = { import_func, user_data };
  GabbroModule *self = NULL;

  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (source != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (options != NULL)
    g_variant_ref_sink (options);
  if (options != NULL && !g_variant_is_of_type (options, G_VARIANT_TYPE ("a{ss}")))
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                 _("Options of a source are a dictionary of type a{ss}, not %s"), g_variant_get_type_string (options));
  else
    self = make (name, source, length, options, &import, error);
  g_clear_pointer (&options, g_variant_unref);
  return self;
}

static gpointer
run_new (const struct gabbro_work *work, GError **error)
{
  return gabbro_module_new_from_source (work->texts[0], work->texts[1], work->length, error);
}

/**
 * gabbro_module_new_from_source_async:
 * @name: as of gabbro_module_new_from_source()
 * @source: as there; copied
 * @length: bytes, or -1 if @source ends with a NUL
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_module_new_from_source(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_module_new_from_source_async (const char *name,
                                     const char *source,
                                     gssize length,
                                     GCancellable *cancellable,
                                     GAsyncReadyCallback callback,
                                     gpointer user_data)
{
  const struct gabbro_work work = {
    .run = run_new, .free_result = g_object_unref, .texts = { name, source }, .length = length
  };

  g_return_if_fail (name != NULL);
  g_return_if_fail (source != NULL);
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  gabbro_work_start (gabbro_task_new (NULL, gabbro_module_new_from_source_async), &work);
}

/**
 * gabbro_module_new_from_source_finish:
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_module_new_from_source_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): a module, or %NULL
 *
 * Since: 0.1
 */
GabbroModule *
gabbro_module_new_from_source_finish (GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (NULL, result, gabbro_module_new_from_source_async, error);
}

/**
 * gabbro_module_check_source:
 * @name: what messages call the source, such as the name of its file
 * @source: text of the kernel language, in UTF-8
 * @length: bytes, or -1 if @source ends with a NUL
 *
 * Reads and checks a source as gabbro_module_new_from_source() does, and keeps nothing but what
 * there is to say about it: for editors, and for bindings whose errors have no more than a
 * message. Needs no device and opens no file. Thread-safe; blocks while it compiles, for a
 * time proportional to @length.
 *
 * Returns: (transfer container) (element-type GabbroDiagnostic): mistakes and warnings in the order
 *   of their lines, in a new array that keeps its elements alive; empty when all is well
 *
 * Since: 0.1
 */
GPtrArray *
gabbro_module_check_source (const char *name, const char *source, gssize length)
{
  GabbroModule *self;
  struct gk_diagnostics diagnostics;
  GPtrArray *array;
  GError *error = NULL;

  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (source != NULL, NULL);

  self = parse (name, source, length, NULL, NULL, &diagnostics);
  array = gabbro_diagnostics_new (&diagnostics);
  if (diagnostics.n_errors == 0 && !lower (self, &error))
    {
      g_ptr_array_extend_and_steal (array, gabbro_compile_error_get_diagnostics (error));
      g_error_free (error);
    }
  gk_diagnostics_clear (&diagnostics);
  g_object_unref (self);
  return array;
}

static gpointer
run_check (const struct gabbro_work *work, GError **error)
{
  return gabbro_module_check_source (work->texts[0], work->texts[1], work->length);
}

/**
 * gabbro_module_check_source_async:
 * @name: as of gabbro_module_check_source()
 * @source: as there; copied
 * @length: bytes, or -1 if @source ends with a NUL
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_module_check_source(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_module_check_source_async (const char *name,
                                  const char *source,
                                  gssize length,
                                  GCancellable *cancellable,
                                  GAsyncReadyCallback callback,
                                  gpointer user_data)
{
  const struct gabbro_work work = {
    .run = run_check, .free_result = (GDestroyNotify) g_ptr_array_unref, .texts = { name, source }, .length = length
  };

  g_return_if_fail (name != NULL);
  g_return_if_fail (source != NULL);
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  gabbro_work_start (gabbro_task_new (NULL, gabbro_module_check_source_async), &work);
}

/**
 * gabbro_module_check_source_finish:
 * @result: what the callback was given
 * @error: return location for an error: that of a cancellation
 *
 * Gives what gabbro_module_check_source_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer container) (element-type GabbroDiagnostic): as of gabbro_module_check_source(), or
 *   %NULL
 *
 * Since: 0.1
 */
GPtrArray *
gabbro_module_check_source_finish (GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (NULL, result, gabbro_module_check_source_async, error);
}

/**
 * gabbro_module_get_name:
 * @self: a module
 *
 * Gets the name of a module. Thread-safe; does not block.
 *
 * Returns: the name that was given with the source
 *
 * Since: 0.1
 */
const char *
gabbro_module_get_name (GabbroModule *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->name;
}

/**
 * gabbro_module_get_warnings:
 * @self: a module
 *
 * Gets what the compiler has to say about a source that it took. Thread-safe; does not block.
 *
 * Returns: (nullable): warnings about the source, formatted for a terminal, or %NULL
 *
 * Since: 0.1
 */
const char *
gabbro_module_get_warnings (GabbroModule *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->warnings;
}

/**
 * gabbro_module_print:
 * @self: a module
 * @format: which form
 *
 * Prints a module: what the compiler makes of it, or its layouts as a program would declare them. Thread-safe;
 * does not block.
 *
 * Returns: (transfer full): the module as text
 *
 * Since: 0.1
 */
char *
gabbro_module_print (GabbroModule *self, GabbroModuleFormat format)
{
  GString *text;

  g_return_val_if_fail (IS_WHOLE (self), NULL);

  text = g_string_new (NULL);
  switch (format)
    {
    case GABBRO_MODULE_AST:
      gk_unit_print (self->unit, text);
      break;
    case GABBRO_MODULE_LAYOUT:
      gk_unit_print_layout (self->unit, text);
      break;
    case GABBRO_MODULE_LAYOUT_C:
      gk_unit_print_layout_c (self->unit, text);
      break;
    case GABBRO_MODULE_LAYOUT_PYTHON:
      gk_unit_print_layout_python (self->unit, text);
      break;
    case GABBRO_MODULE_LAYOUT_GVARIANT:
      gk_unit_print_layout_gvariant (self->unit, text);
      break;
    default:
      xir_print_module (self->xir, text);
    }
  return g_string_free (text, FALSE);
}

/**
 * gabbro_module_list_kernels:
 * @self: a module
 *
 * Lists the kernels of a module. Thread-safe; does not block.
 *
 * Returns: (transfer full): the names of its kernels, in the order of the source
 *
 * Since: 0.1
 */
char **
gabbro_module_list_kernels (GabbroModule *self)
{
  GStrvBuilder *builder;
  char **names;

  g_return_val_if_fail (IS_WHOLE (self), NULL);

  builder = g_strv_builder_new ();
  gb_list_for_each (function, &self->xir->functions, struct xir_function, link)
    if (function->kind == XIR_FUNCTION_KERNEL)
      g_strv_builder_add (builder, function->name);
  names = g_strv_builder_end (builder);
  g_strv_builder_unref (builder);
  return names;
}

/**
 * gabbro_module_get_kernel:
 * @self: a module
 * @name: (nullable): the name of a kernel, or %NULL for the only one
 * @error: return location for an error
 *
 * Finds a kernel of a module by its name. Thread-safe; does not block.
 *
 * Returns: (transfer full): the kernel, or %NULL: %GABBRO_ERROR_NOT_FOUND, where the message
 *   names those that there are, or an error of %GABBRO_COMPILE_ERROR when no device can have it
 *
 * Since: 0.1
 */
GabbroKernel *
gabbro_module_get_kernel (GabbroModule *self, const char *name, GError **error)
{
  char **names, *all;
  GabbroKernel *kernel = NULL;

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  names = gabbro_module_list_kernels (self);
  all = g_strjoinv (", ", names);
  if (names[0] == NULL)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND, _("“%s” has no kernel"), self->name);
  else if (name == NULL && names[1] != NULL)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND, _("“%s” has more than one kernel, name one of them: %s"), self->name, all);
  else if (name != NULL && !g_strv_contains ((const char *const *) names, name))
    {
      const char *nearest = gabbro_nearest (name, (const char *const *) names);
      char *shown = g_utf8_make_valid (name, -1);

      if (nearest != NULL)
        g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND, _("“%s” has no kernel “%s”; did you mean “%s”?"), self->name, shown, nearest);
      else
        g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND, _("“%s” has no kernel “%s”; there are: %s"), self->name, shown, all);
      g_free (shown);
    }
  else
    kernel = gabbro_kernel_new (self, name != NULL ? name : names[0], error);
  g_free (all);
  g_strfreev (names);
  return kernel;
}
