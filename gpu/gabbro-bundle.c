/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include <string.h>

#include "gpu/async.h"
#include "gpu/bundle/archive.h"
#include "gpu/bundle/describe.h"
#include "gpu/compile.h"

/**
 * GabbroBundle:
 *
 * Compiled kernels in one file: what a program is shipped with, so that its users need neither
 * sources nor the time to compile them. `gabbro compile a.gk b.gk -o kernels.gabbro` makes one, and so
 * does gabbro_bundle_new_from_kernels().
 *
 * |[<!-- language="C" -->
 * GabbroBundle *bundle = gabbro_bundle_new_from_resource (NULL, "/org/example/kernels.gabbro", &error);
 * GabbroShader *shader = gabbro_bundle_create_shader (bundle, device, "blur", &error);
 * ]|
 *
 * A bundle is a tar archive, described in gabbro-bundle(5). It may come from anywhere: nothing in it is
 * used before it has been checked, and a bundle that was changed or damaged is refused with
 * %GABBRO_ERROR_BAD_BUNDLE and what is wrong with it. The kernels themselves are programs, and run
 * with the rights of the one that loads them.
 *
 * Constant; thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroBundle
{
  GObject parent_instance;

  char *generator;
  GPtrArray *members;                    /* of struct bundle_member, sorted by name */
  GMutex lock;
  struct bundle_artifact **artifacts;    /* of the members; NULL: not decoded yet; lock */
};

G_DEFINE_FINAL_TYPE (GabbroBundle, gabbro_bundle, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_BUNDLE (self) && (self)->members != NULL)

gboolean
gabbro_bundle_is_whole (gpointer object)
{
  GabbroBundle *self = object;

  return IS_WHOLE (self);
}

GPtrArray *
gabbro_bundle_get_members (GabbroBundle *self)
{
  return self->members;
}

/**
 * GabbroBundle:generator:
 *
 * What made the bundle, such as "Gabbro 0.1.0". Constant.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_bundle_property_rows[] = {
  GABBRO_PLAIN ("generator", STRING, gabbro_bundle_get_generator),
};

GABBRO_DEFINE_PROPERTIES (gabbro_bundle)

static void
gabbro_bundle_finalize (GObject *object)
{
  GabbroBundle *self = GABBRO_BUNDLE (object);

  for (guint i = 0; self->members != NULL && i < self->members->len; i++)
    g_clear_pointer (&self->artifacts[i], bundle_artifact_unref);
  g_free (self->artifacts);
  g_clear_pointer (&self->members, g_ptr_array_unref);
  g_free (self->generator);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gabbro_bundle_parent_class)->finalize (object);
}

static void
gabbro_bundle_class_init (GabbroBundleClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_bundle_finalize;
  gabbro_properties_install (class, &gabbro_bundle_properties);
}

static void
gabbro_bundle_init (GabbroBundle *self)
{
  g_mutex_init (&self->lock);
}

/* Takes both. */
static GabbroBundle *
new_of_members (GPtrArray *members, char *generator)
{
  GabbroBundle *self = g_object_new (GABBRO_TYPE_BUNDLE, NULL);

  self->members = members;
  self->generator = generator;
  self->artifacts = g_new0 (struct bundle_artifact *, members->len + 1);
  return self;
}

/* Loading. */

/**
 * gabbro_bundle_new_from_bytes:
 * @bytes: the bytes of a bundle
 * @error: return location for an error
 *
 * Reads a bundle, compressed or not. That its parts belong together is checked now; the code of a
 * kernel is when the kernel is asked for. Thread-safe; blocks for a time proportional to the size of the bundle.
 *
 * Returns: (transfer full): a bundle, or %NULL (%GABBRO_ERROR_BAD_BUNDLE)
 *
 * Since: 0.1
 */
GabbroBundle *
gabbro_bundle_new_from_bytes (GBytes *bytes, GError **error)
{
  GPtrArray *members;
  char *generator = NULL;

  g_return_val_if_fail (bytes != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  members = bundle_archive_read (bytes, &generator, error);
  return members != NULL ? new_of_members (members, generator) : NULL;
}

static gpointer
run_new_from_bytes (const struct gabbro_work *work, GError **error)
{
  return gabbro_bundle_new_from_bytes (work->bytes, error);
}

/**
 * gabbro_bundle_new_from_bytes_async:
 * @bytes: as of gabbro_bundle_new_from_bytes()
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_bundle_new_from_bytes(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_bundle_new_from_bytes_async (GBytes *bytes, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  const struct gabbro_work work = { .run = run_new_from_bytes, .free_result = g_object_unref, .bytes = bytes };

  g_return_if_fail (bytes != NULL);
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  gabbro_work_start (gabbro_task_new (NULL, gabbro_bundle_new_from_bytes_async), &work);
}

/**
 * gabbro_bundle_new_from_bytes_finish:
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_bundle_new_from_bytes_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): a bundle, or %NULL
 *
 * Since: 0.1
 */
GabbroBundle *
gabbro_bundle_new_from_bytes_finish (GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (NULL, result, gabbro_bundle_new_from_bytes_async, error);
}

/* With the place in front of what is wrong. */
static GabbroBundle *
load (GBytes *bytes, const char *place, GError **error)
{
  GabbroBundle *self = bytes != NULL ? gabbro_bundle_new_from_bytes (bytes, error) : NULL;

  if (bytes != NULL && self == NULL)
    g_prefix_error (error, "%s: ", place);
  g_clear_pointer (&bytes, g_bytes_unref);
  return self;
}

/* All of a stream, but no more than a bundle can have. */
static GBytes *
read_stream (GInputStream *stream, const char *place, GCancellable *cancellable, GError **error)
{
  GByteArray *out = g_byte_array_new ();
  const gsize step = 256 * 1024;
  gssize n;

  do
    {
      guint length = out->len;

      g_byte_array_set_size (out, length + (guint) step);
      n = g_input_stream_read (stream, out->data + length, step, cancellable, error);
      g_byte_array_set_size (out, length + (n > 0 ? (guint) n : 0));
      if (n > 0 && out->len > BUNDLE_MAX_SIZE)
        {
          bundle_refuse (error, _("%s: a bundle is at the most %zu bytes large"), place, (gsize) BUNDLE_MAX_SIZE);
          n = -1;
        }
    }
  while (n > 0);
  if (n == 0)
    return g_byte_array_free_to_bytes (out);
  g_byte_array_unref (out);
  return NULL;
}

/**
 * gabbro_bundle_new_from_file:
 * @file: a file
 * @cancellable: (nullable): a #GCancellable
 * @error: return location for an error
 *
 * Reads a bundle from a file, as gabbro_bundle_new_from_bytes() does. Thread-safe; blocks while it reads.
 *
 * Returns: (transfer full): a bundle, or %NULL: %GABBRO_ERROR_BAD_BUNDLE, or an error of
 *   %G_IO_ERROR when the file cannot be read
 *
 * Since: 0.1
 */
GabbroBundle *
gabbro_bundle_new_from_file (GFile *file, GCancellable *cancellable, GError **error)
{
  GFileInputStream *stream;
  GabbroBundle *self = NULL;
  char *place;

  g_return_val_if_fail (G_IS_FILE (file), NULL);
  g_return_val_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  place = g_file_get_parse_name (file);
  stream = g_file_read (file, cancellable, error);
  if (stream != NULL)
    {
      self = load (read_stream (G_INPUT_STREAM (stream), place, cancellable, error), place, error);
      g_object_unref (stream);
    }
  g_free (place);
  return self;
}

static gpointer
run_new_from_file (const struct gabbro_work *work, GError **error)
{
  return gabbro_bundle_new_from_file (work->objects[0], work->objects[1], error);
}

/**
 * gabbro_bundle_new_from_file_async:
 * @file: a file
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_bundle_new_from_file(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_bundle_new_from_file_async (GFile *file, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  const struct gabbro_work work = { .run = run_new_from_file, .free_result = g_object_unref, .objects = { file, cancellable } };

  g_return_if_fail (G_IS_FILE (file));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  gabbro_work_start (gabbro_task_new (NULL, gabbro_bundle_new_from_file_async), &work);
}

/**
 * gabbro_bundle_new_from_file_finish:
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_bundle_new_from_file_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): a bundle, or %NULL
 *
 * Since: 0.1
 */
GabbroBundle *
gabbro_bundle_new_from_file_finish (GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (NULL, result, gabbro_bundle_new_from_file_async, error);
}

static GBytes *
find_resource (GResource *resource, const char *path, GError **error)
{
  return resource != NULL ? g_resource_lookup_data (resource, path, G_RESOURCE_LOOKUP_FLAGS_NONE, error)
                          : g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
}

/**
 * gabbro_bundle_new_from_resource:
 * @resource: (nullable): resources, or %NULL for all that are registered
 * @path: a path in them
 * @error: return location for an error
 *
 * Reads a bundle that is part of a program, as gabbro_bundle_new_from_bytes() does. Thread-safe; blocks for a time
 * proportional to the size of the bundle.
 *
 * Returns: (transfer full): a bundle, or %NULL: %GABBRO_ERROR_BAD_BUNDLE, or an error of
 *   %G_RESOURCE_ERROR when there is nothing at @path
 *
 * Since: 0.1
 */
GabbroBundle *
gabbro_bundle_new_from_resource (GResource *resource, const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return load (find_resource (resource, path, error), path, error);
}

/**
 * gabbro_bundle_new_from_resource_async:
 * @resource: (nullable): as of gabbro_bundle_new_from_resource()
 * @path: as there
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_bundle_new_from_resource(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_bundle_new_from_resource_async (GResource *resource, const char *path, GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer user_data)
{
  struct gabbro_work work = { .run = run_new_from_bytes, .free_result = g_object_unref };
  GError *error = NULL;
  GTask *task;

  g_return_if_fail (path != NULL);
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (NULL, gabbro_bundle_new_from_resource_async);
  /* Resources are in memory. */
  work.bytes = find_resource (resource, path, &error);
  if (work.bytes == NULL)
    {
      gabbro_task_fail (task, error);
      return;
    }
  gabbro_work_start (task, &work);
  g_bytes_unref (work.bytes);
}

/**
 * gabbro_bundle_new_from_resource_finish:
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_bundle_new_from_resource_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): a bundle, or %NULL
 *
 * Since: 0.1
 */
GabbroBundle *
gabbro_bundle_new_from_resource_finish (GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (NULL, result, gabbro_bundle_new_from_resource_async, error);
}

/* Making. */

static bool
add_kernel (GPtrArray *members, GabbroKernel *kernel, GabbroAdapter *adapter, GabbroCompileFlags flags, gint level, GError **error)
{
  struct bundle_artifact *artifact = gabbro_compile_artifact (kernel, adapter, flags, level, error);
  struct bundle_member *member;
  bool good;

  if (artifact == NULL)
    return false;
  member = g_new0 (struct bundle_member, 1);
  member->name = g_strdup (artifact->kernel);
  good = bundle_artifact_encode (artifact, member->sections, error);
  bundle_artifact_unref (artifact);
  g_ptr_array_add (members, member);
  return good;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  const struct bundle_member *const *first = a, *const *second = b;

  return strcmp ((*first)->name, (*second)->name);
}

static bool
check_names (GPtrArray *members, GError **error)
{
  for (guint i = 1; i < members->len; i++)
    {
      const struct bundle_member *one = members->pdata[i - 1], *other = members->pdata[i];

      if (g_str_equal (one->name, other->name))
        {
          g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                       _("Two kernels are called “%s”; a bundle has each name once"), one->name);
          return false;
        }
    }
  return true;
}

/**
 * gabbro_bundle_new_from_kernels:
 * @kernels: (array length=n_kernels): kernels, each of another name
 * @n_kernels: their number
 * @adapter: (nullable): what to compile for, or %NULL for any Vulkan device
 * @flags: options
 * @optimization_level: 0 to 3, or %GABBRO_OPTIMIZATION_DEFAULT
 * @error: return location for an error
 *
 * Compiles kernels into a bundle. What it is given decides each byte of what gabbro_bundle_to_bytes() then gives; the
 * order of @kernels does not matter. Kernels of other bundles are taken as they are. Thread-safe;
 * blocks while it compiles.
 *
 * Returns: (transfer full): a bundle, or %NULL with an error of %GABBRO_COMPILE_ERROR or %GABBRO_ERROR
 *
 * Since: 0.1
 */
GabbroBundle *
gabbro_bundle_new_from_kernels (GabbroKernel **kernels,
                                guint n_kernels,
                                GabbroAdapter *adapter,
                                GabbroCompileFlags flags,
                                gint optimization_level,
                                GError **error)
{
  GPtrArray *members;
  bool good = true;

  g_return_val_if_fail (kernels != NULL || n_kernels == 0, NULL);
  g_return_val_if_fail (adapter == NULL || gabbro_adapter_is_whole (adapter), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);
  for (guint i = 0; i < n_kernels; i++)
    g_return_val_if_fail (gabbro_kernel_is_whole (kernels[i]), NULL);

  if (n_kernels == 0 || n_kernels > BUNDLE_MAX_KERNELS)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT, _("A bundle has 1 to %d kernels, not %u"), BUNDLE_MAX_KERNELS, n_kernels);
      return NULL;
    }
  members = g_ptr_array_new_with_free_func (bundle_member_free);
  for (guint i = 0; i < n_kernels && good; i++)
    good = add_kernel (members, kernels[i], adapter, flags, optimization_level, error);
  if (good)
    {
      g_ptr_array_sort (members, compare_names);
      good = check_names (members, error);
    }
  if (good)
    return new_of_members (members, g_strdup (BUNDLE_GENERATOR));
  g_ptr_array_unref (members);
  return NULL;
}

static gpointer
run_new_from_kernels (const struct gabbro_work *work, GError **error)
{
  GListModel *model = work->objects[0];
  guint n = g_list_model_get_n_items (model);
  GabbroKernel **kernels = g_new0 (GabbroKernel *, n + 1);
  GabbroBundle *self;

  for (guint i = 0; i < n; i++)
    kernels[i] = g_list_model_get_item (model, i);
  self = gabbro_bundle_new_from_kernels (kernels, n, work->objects[1], (GabbroCompileFlags) work->flags, work->level, error);
  for (guint i = 0; i < n; i++)
    g_object_unref (kernels[i]);
  g_free (kernels);
  return self;
}

/**
 * gabbro_bundle_new_from_kernels_async:
 * @kernels: (array length=n_kernels): as of gabbro_bundle_new_from_kernels()
 * @n_kernels: their number
 * @adapter: (nullable): as there
 * @flags: options
 * @optimization_level: 0 to 3, or %GABBRO_OPTIMIZATION_DEFAULT
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_bundle_new_from_kernels(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_bundle_new_from_kernels_async (GabbroKernel **kernels,
                                      guint n_kernels,
                                      GabbroAdapter *adapter,
                                      GabbroCompileFlags flags,
                                      gint optimization_level,
                                      GCancellable *cancellable,
                                      GAsyncReadyCallback callback,
                                      gpointer user_data)
{
  struct gabbro_work work = {
    .run = run_new_from_kernels, .free_result = g_object_unref, .objects = { NULL, adapter }, .flags = flags, .level = optimization_level
  };
  GListStore *store;

  g_return_if_fail (kernels != NULL || n_kernels == 0);
  g_return_if_fail (adapter == NULL || gabbro_adapter_is_whole (adapter));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));
  for (guint i = 0; i < n_kernels; i++)
    g_return_if_fail (gabbro_kernel_is_whole (kernels[i]));

  store = g_list_store_new (GABBRO_TYPE_KERNEL);
  for (guint i = 0; i < n_kernels; i++)
    g_list_store_append (store, kernels[i]);
  work.objects[0] = store;
  gabbro_work_start (gabbro_task_new (NULL, gabbro_bundle_new_from_kernels_async), &work);
  g_object_unref (store);
}

/**
 * gabbro_bundle_new_from_kernels_finish:
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_bundle_new_from_kernels_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): a bundle, or %NULL
 *
 * Since: 0.1
 */
GabbroBundle *
gabbro_bundle_new_from_kernels_finish (GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (NULL, result, gabbro_bundle_new_from_kernels_async, error);
}

/* Looking inside. */

/**
 * gabbro_bundle_get_generator:
 * @self: a bundle
 *
 * Gets what made a bundle. Thread-safe; does not block.
 *
 * Returns: a name and a version, such as "Gabbro 0.1.0"
 *
 * Since: 0.1
 */
const char *
gabbro_bundle_get_generator (GabbroBundle *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->generator;
}

/**
 * gabbro_bundle_list_kernels:
 * @self: a bundle
 *
 * Lists the kernels of a bundle. Thread-safe; does not block.
 *
 * Returns: (transfer full) (array zero-terminated=1): their names, sorted
 *
 * Since: 0.1
 */
char **
gabbro_bundle_list_kernels (GabbroBundle *self)
{
  char **names;

  g_return_val_if_fail (IS_WHOLE (self), NULL);

  names = g_new0 (char *, self->members->len + 1);
  for (guint i = 0; i < self->members->len; i++)
    names[i] = g_strdup (((struct bundle_member *) self->members->pdata[i])->name);
  return names;
}

/* Names the kernels that there are. */
static bool
not_found (GabbroBundle *self, const char *name, GError **error)
{
  char **names = gabbro_bundle_list_kernels (self), *all = g_strjoinv (", ", names), *shown = name != NULL ? g_utf8_make_valid (name, -1) : NULL;
  const char *nearest = name != NULL ? gabbro_nearest (name, (const char *const *) names) : NULL;

  if (name == NULL && self->members->len == 0)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND, _("The bundle has no kernel"));
  else if (name == NULL)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND, _("The bundle has more than one kernel, name one of them: %s"), all);
  else if (nearest != NULL)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND, _("The bundle has no kernel “%s”; did you mean “%s”?"), shown, nearest);
  else
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND, _("The bundle has no kernel “%s”; there are: %s"), shown, all);
  g_free (shown);
  g_free (all);
  g_strfreev (names);
  return false;
}

static bool
find (GabbroBundle *self, const char *name, guint *index, GError **error)
{
  *index = 0;
  if (name == NULL && self->members->len == 1)
    return true;
  for (guint i = 0; name != NULL && i < self->members->len; i++)
    if (g_str_equal (((struct bundle_member *) self->members->pdata[i])->name, name))
      {
        *index = i;
        return true;
      }
  return not_found (self, name, error);
}

/* Checked whole; a reference. Two threads may decode the same: one of them keeps it. */
static struct bundle_artifact *
get_artifact (GabbroBundle *self, guint index, GError **error)
{
  const struct bundle_member *member = self->members->pdata[index];
  const struct bundle_expectation expectation = { .dialect = BUNDLE_DIALECT_XIR_SPIRV, .kernel = member->name };
  struct bundle_artifact *artifact, *fresh = NULL;

  g_mutex_lock (&self->lock);
  artifact = self->artifacts[index] != NULL ? bundle_artifact_ref (self->artifacts[index]) : NULL;
  g_mutex_unlock (&self->lock);
  if (artifact != NULL)
    return artifact;
  artifact = bundle_artifact_decode (member->sections, &expectation, error);
  if (artifact == NULL)
    {
      g_prefix_error (error, _("The kernel “%s” of the bundle: "), member->name);
      return NULL;
    }
  fresh = bundle_artifact_ref (artifact);
  g_mutex_lock (&self->lock);
  if (self->artifacts[index] == NULL)
    self->artifacts[index] = g_steal_pointer (&fresh);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&fresh, bundle_artifact_unref);
  return artifact;
}

/**
 * gabbro_bundle_get_kernel:
 * @self: a bundle
 * @name: (nullable): the name of a kernel, or %NULL for the only one
 * @error: return location for an error
 *
 * Finds a kernel of a bundle, and checks all of it the first time. It knows its arguments as one of a module
 * does, and gabbro_shader_new() takes it; it has no module. Thread-safe; blocks the first time, some
 * milliseconds for large kernels.
 *
 * Returns: (transfer full): the kernel, or %NULL: %GABBRO_ERROR_NOT_FOUND or
 *   %GABBRO_ERROR_BAD_BUNDLE
 *
 * Since: 0.1
 */
GabbroKernel *
gabbro_bundle_get_kernel (GabbroBundle *self, const char *name, GError **error)
{
  struct bundle_artifact *artifact;
  GabbroKernel *kernel;
  guint index;

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  artifact = find (self, name, &index, error) ? get_artifact (self, index, error) : NULL;
  if (artifact == NULL)
    return NULL;
  kernel = gabbro_kernel_new_of_artifact (artifact);
  bundle_artifact_unref (artifact);
  return kernel;
}

/**
 * gabbro_bundle_describe_kernel:
 * @self: a bundle
 * @name: (nullable): the name of a kernel, or %NULL for the only one
 * @error: return location for an error
 *
 * Says what a bundle knows of a kernel: "source-name", "source-digest" and "line" where it came from; "group-size",
 * "code-size", "push-constant-size", "shared-size"; "features", the names of those that a device must have;
 * "requirements", what of its attributes must be so large at the least; "compile-flags", "optimization-level" how it
 * was compiled; "identity" and "digest" to compare it with others. Thread-safe; blocks as gabbro_bundle_get_kernel()
 * does.
 *
 * Returns: (transfer full): a dictionary of type a{sv}, or %NULL: %GABBRO_ERROR_NOT_FOUND or
 *   %GABBRO_ERROR_BAD_BUNDLE
 *
 * Since: 0.1
 */
GVariant *
gabbro_bundle_describe_kernel (GabbroBundle *self, const char *name, GError **error)
{
  struct bundle_artifact *artifact;
  GVariant *answer;
  guint index;

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  artifact = find (self, name, &index, error) ? get_artifact (self, index, error) : NULL;
  if (artifact == NULL)
    return NULL;
  answer = g_variant_ref_sink (bundle_artifact_describe (artifact));
  bundle_artifact_unref (artifact);
  return answer;
}

/**
 * gabbro_bundle_get_section:
 * @self: a bundle
 * @name: (nullable): the name of a kernel, or %NULL for the only one
 * @section: "header", "properties", "arguments", "code", "printers", "constants" or "source-map"
 * @error: return location for an error
 *
 * Gets a part of a kernel as the bundle has it, described in gabbro-bundle(5): "code" is SPIR-V, least significant
 * byte first. Thread-safe; blocks as gabbro_bundle_get_kernel() does.
 *
 * Returns: (transfer full): the bytes, or %NULL: %GABBRO_ERROR_NOT_FOUND or
 *   %GABBRO_ERROR_BAD_BUNDLE
 *
 * Since: 0.1
 */
GBytes *
gabbro_bundle_get_section (GabbroBundle *self, const char *name, const char *section, GError **error)
{
  struct bundle_artifact *artifact;
  const struct bundle_member *member;
  guint index;

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (section != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  artifact = find (self, name, &index, error) ? get_artifact (self, index, error) : NULL;
  if (artifact == NULL)
    return NULL;
  bundle_artifact_unref (artifact);
  member = self->members->pdata[index];
  for (guint i = 0; i < BUNDLE_N_SECTIONS; i++)
    if (g_str_equal (section, bundle_section_name ((enum bundle_section) i)))
      return g_bytes_ref (member->sections[i]);
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_FOUND,
               _("A kernel of a bundle has no section “%s”; there are: header, properties, arguments, code, printers, constants, source-map"),
               section);
  return NULL;
}

/**
 * gabbro_bundle_verify:
 * @self: a bundle
 * @error: return location for an error
 *
 * Checks every kernel of a bundle, which otherwise happens when one is asked for. Thread-safe; blocks for a
 * time proportional to the size of the bundle.
 *
 * Returns: %TRUE, or %FALSE with %GABBRO_ERROR_BAD_BUNDLE
 *
 * Since: 0.1
 */
gboolean
gabbro_bundle_verify (GabbroBundle *self, GError **error)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  for (guint i = 0; i < self->members->len; i++)
    {
      struct bundle_artifact *artifact = get_artifact (self, i, error);

      if (artifact == NULL)
        return FALSE;
      bundle_artifact_unref (artifact);
    }
  return TRUE;
}

/**
 * gabbro_bundle_check_adapter:
 * @self: a bundle
 * @name: (nullable): the name of a kernel, or %NULL for the only one
 * @adapter: an adapter
 * @error: return location for an error
 *
 * Says whether an adapter can run a kernel, without opening it. Thread-safe; blocks as
 * gabbro_bundle_get_kernel() does.
 *
 * Returns: %TRUE, or %FALSE: %GABBRO_COMPILE_ERROR_TARGET, where the message says what the adapter
 *   lacks, %GABBRO_ERROR_NOT_FOUND or %GABBRO_ERROR_BAD_BUNDLE
 *
 * Since: 0.1
 */
gboolean
gabbro_bundle_check_adapter (GabbroBundle *self, const char *name, GabbroAdapter *adapter, GError **error)
{
  GabbroKernel *kernel;
  struct spirv_result result;
  gboolean good;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (gabbro_adapter_is_whole (adapter), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  kernel = gabbro_bundle_get_kernel (self, name, error);
  if (kernel == NULL)
    return FALSE;
  if (gabbro_adapter_get_unusable_reason (adapter) != NULL)
    {
      g_set_error (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_TARGET, _("The adapter “%s” cannot be used: %s"),
                   gabbro_adapter_get_name (adapter), gabbro_adapter_get_unusable_reason (adapter));
      g_object_unref (kernel);
      return FALSE;
    }
  good = gabbro_compile (kernel, adapter, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, &result, error);
  if (good)
    spirv_result_clear (&result);
  g_object_unref (kernel);
  return good;
}
