/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include <string.h>

#include "codegen/frontend/frontend.h"
#include "gpu/async.h"
#include "gpu/bundle/artifact.h"
#include "gpu/compile.h"
#include "gpu/element-type.h"

/**
 * GabbroKernel:
 *
 * A kernel of a module or of a bundle: what can be said of it without a device.
 * gabbro_shader_new() makes it ready for one. Constant; thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroKernel
{
  GObject parent_instance;

  /* Of a module: */
  GabbroModule *module;
  struct spirv_result signature;         /* arguments without bindings */
  const struct xir_function *function;
  /* Of a bundle: */
  struct bundle_artifact *artifact;
};

G_DEFINE_FINAL_TYPE (GabbroKernel, gabbro_kernel, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_KERNEL (self) && ((self)->function != NULL || (self)->artifact != NULL))

gboolean
gabbro_kernel_is_whole (gpointer object)
{
  GabbroKernel *self = object;

  return IS_WHOLE (self);
}

static const struct spirv_result *
signature_of (GabbroKernel *self)
{
  return self->artifact != NULL ? &self->artifact->result : &self->signature;
}

struct bundle_artifact *
gabbro_kernel_get_artifact (GabbroKernel *self)
{
  return self->artifact;
}

/**
 * GabbroKernel:module:
 *
 * The module that it is of, or %NULL for a kernel of a bundle.
 *
 * Since: 0.1
 */

/**
 * GabbroKernel:name:
 *
 * Its name. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroKernel:n-arguments:
 *
 * The number of its arguments. Constant.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_kernel_property_rows[] = {
  GABBRO_OWNER ("module", GabbroKernel, module, gabbro_module_get_type),
  GABBRO_PLAIN ("name", STRING, gabbro_kernel_get_name),
  GABBRO_PLAIN ("n-arguments", UINT, gabbro_kernel_get_n_arguments),
};

GABBRO_DEFINE_PROPERTIES (gabbro_kernel)

static void
gabbro_kernel_finalize (GObject *object)
{
  GabbroKernel *self = GABBRO_KERNEL (object);

  if (self->function != NULL)
    spirv_result_clear (&self->signature);
  g_clear_pointer (&self->artifact, bundle_artifact_unref);
  g_clear_object (&self->module);
  G_OBJECT_CLASS (gabbro_kernel_parent_class)->finalize (object);
}

static void
gabbro_kernel_class_init (GabbroKernelClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_kernel_finalize;
  gabbro_properties_install (class, &gabbro_kernel_properties);
}

static void
gabbro_kernel_init (GabbroKernel *self)
{
}

GabbroKernel *
gabbro_kernel_new (GabbroModule *module, const char *name, GError **error)
{
  GabbroKernel *self = g_object_new (GABBRO_TYPE_KERNEL, NULL);
  GError *spirv_error = NULL;

  self->module = g_object_ref (module);
  if (!spirv_reflect (gabbro_module_get_xir (module), name, &self->signature, &spirv_error))
    {
      gabbro_compile_translate_error (module, name, spirv_error, error);
      g_object_unref (self);
      return NULL;
    }
  self->function = xir_module_find_function (gabbro_module_get_xir (module), name);
  return self;
}

GabbroKernel *
gabbro_kernel_new_of_artifact (struct bundle_artifact *artifact)
{
  GabbroKernel *self = g_object_new (GABBRO_TYPE_KERNEL, NULL);

  self->artifact = bundle_artifact_ref (artifact);
  return self;
}

/**
 * gabbro_kernel_get_module:
 * @self: a kernel
 *
 * Gets the module of a kernel. Thread-safe; does not block.
 *
 * Returns: (transfer none) (nullable): the module that it is of, or %NULL for a kernel of a bundle
 *
 * Since: 0.1
 */
GabbroModule *
gabbro_kernel_get_module (GabbroKernel *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->module;
}

/**
 * gabbro_kernel_get_name:
 * @self: a kernel
 *
 * Gets the name of a kernel. Thread-safe; does not block.
 *
 * Returns: its name
 *
 * Since: 0.1
 */
const char *
gabbro_kernel_get_name (GabbroKernel *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->artifact != NULL ? self->artifact->kernel : self->function->name;
}

/**
 * gabbro_kernel_get_group_size:
 * @self: a kernel
 * @x: (out) (optional): threads of a workgroup in the first dimension
 * @y: (out) (optional): in the second
 * @z: (out) (optional): in the third
 *
 * Gets how many threads a workgroup of a kernel has. Thread-safe; does not block.
 *
 * Since: 0.1
 */
void
gabbro_kernel_get_group_size (GabbroKernel *self, guint *x, guint *y, guint *z)
{
  g_return_if_fail (IS_WHOLE (self));

  if (x != NULL)
    *x = signature_of (self)->group_size[0];
  if (y != NULL)
    *y = signature_of (self)->group_size[1];
  if (z != NULL)
    *z = signature_of (self)->group_size[2];
}

/**
 * gabbro_kernel_get_n_arguments:
 * @self: a kernel
 *
 * Counts the arguments of a kernel. Thread-safe; does not block.
 *
 * Returns: the number of its arguments
 *
 * Since: 0.1
 */
guint
gabbro_kernel_get_n_arguments (GabbroKernel *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return signature_of (self)->n_arguments;
}

static const struct spirv_argument *
argument_at (GabbroKernel *self, guint index)
{
  const struct spirv_result *signature = signature_of (self);

  return index < signature->n_arguments ? &signature->arguments[index] : NULL;
}

/**
 * gabbro_kernel_find_argument:
 * @self: a kernel
 * @name: the name of an argument
 *
 * Finds an argument by its name. Thread-safe; does not block.
 *
 * Returns: its number, or -1 when there is none of that name
 *
 * Since: 0.1
 */
gint
gabbro_kernel_find_argument (GabbroKernel *self, const char *name)
{
  g_return_val_if_fail (IS_WHOLE (self), -1);
  g_return_val_if_fail (name != NULL, -1);

  for (guint i = 0; i < signature_of (self)->n_arguments; i++)
    if (g_strcmp0 (signature_of (self)->arguments[i].name, name) == 0)
      return (gint) i;
  return -1;
}

/**
 * gabbro_kernel_get_argument_name:
 * @self: a kernel
 * @index: the number of an argument
 *
 * Gets the name of an argument. Thread-safe; does not block.
 *
 * Returns: (nullable): its name, or %NULL past the last
 *
 * Since: 0.1
 */
const char *
gabbro_kernel_get_argument_name (GabbroKernel *self, guint index)
{
  const struct spirv_argument *argument;

  g_return_val_if_fail (IS_WHOLE (self), NULL);

  argument = argument_at (self, index);
  return argument != NULL ? argument->name : NULL;
}

/**
 * gabbro_kernel_get_argument_kind:
 * @self: a kernel
 * @index: the number of an argument
 *
 * Gets whether an argument is a value, a buffer or an image. Thread-safe; does not block.
 *
 * Returns: what it is
 *
 * Since: 0.1
 */
GabbroArgumentKind
gabbro_kernel_get_argument_kind (GabbroKernel *self, guint index)
{
  const struct spirv_argument *argument;

  g_return_val_if_fail (IS_WHOLE (self), GABBRO_ARGUMENT_VALUE);

  argument = argument_at (self, index);
  if (argument == NULL || !xir_type_is_resource (argument->type))
    return GABBRO_ARGUMENT_VALUE;
  return argument->type->kind == XIR_TYPE_BUFFER ? GABBRO_ARGUMENT_BUFFER : GABBRO_ARGUMENT_IMAGE;
}

/**
 * gabbro_kernel_get_argument_type:
 * @self: a kernel
 * @index: the number of an argument
 *
 * Gets the type of an argument. Thread-safe; does not block.
 *
 * Returns: (nullable): its type as the source has it, such as "const buffer<float>" or
 *   "restrict buffer<float>", or %NULL past the last
 *
 * Since: 0.1
 */
const char *
gabbro_kernel_get_argument_type (GabbroKernel *self, guint index)
{
  const struct spirv_argument *argument;
  const char *type, *interned;
  char *qualified;

  g_return_val_if_fail (IS_WHOLE (self), NULL);

  argument = argument_at (self, index);
  if (argument == NULL)
    return NULL;
  type = argument->source_type != NULL ? argument->source_type : gabbro_element_type_name (argument->type->text);
  if (!(argument->is_const || argument->is_restrict) || !xir_type_is_resource (argument->type))
    return type;
  qualified = g_strconcat (argument->is_const ? "const " : "", argument->is_restrict ? "restrict " : "", type, NULL);
  interned = g_intern_string (qualified);
  g_free (qualified);
  return interned;
}

/**
 * gabbro_kernel_get_argument_element_type:
 * @self: a kernel
 * @index: the number of an argument
 *
 * Gets the type of which an argument has one or many. Thread-safe; does not block.
 *
 * Returns: (nullable): for buffers the type of their elements, for images that of a
 *   component, for values their own type, as gabbro_buffer_new() takes it; %NULL past the last
 *
 * Since: 0.1
 */
const char *
gabbro_kernel_get_argument_element_type (GabbroKernel *self, guint index)
{
  const struct spirv_argument *argument;
  const struct xir_type *type;

  g_return_val_if_fail (IS_WHOLE (self), NULL);

  argument = argument_at (self, index);
  if (argument == NULL)
    return NULL;
  type = xir_type_is_resource (argument->type) ? argument->type->element : argument->type;
  return type != NULL ? gabbro_element_type_name (type->text) : NULL;
}

/**
 * gabbro_kernel_get_argument_size:
 * @self: a kernel
 * @index: the number of an argument
 *
 * Gets the size of an argument, or of its elements, in host memory. Thread-safe; does not block.
 *
 * Returns: for values the bytes that gabbro_command_list_set_value() takes, for buffers the
 *   bytes from one element to the next, otherwise 0
 *
 * Since: 0.1
 */
gsize
gabbro_kernel_get_argument_size (GabbroKernel *self, guint index)
{
  const struct spirv_argument *argument;

  g_return_val_if_fail (IS_WHOLE (self), 0);

  argument = argument_at (self, index);
  if (argument == NULL)
    return 0;
  if (argument->type->kind == XIR_TYPE_BUFFER)
    return argument->type->element != NULL ? argument->type->element->size : 1;
  return xir_type_is_resource (argument->type) ? 0 : argument->size;
}

/**
 * gabbro_kernel_get_argument_usage:
 * @self: a kernel
 * @index: the number of an argument
 *
 * Gets whether a kernel reads or writes an argument. Thread-safe; does not block.
 *
 * Returns: what the code of the kernel does with it
 *
 * Since: 0.1
 */
GabbroUsage
gabbro_kernel_get_argument_usage (GabbroKernel *self, guint index)
{
  const struct spirv_argument *argument;

  g_return_val_if_fail (IS_WHOLE (self), GABBRO_USAGE_NONE);

  argument = argument_at (self, index);
  return argument != NULL ? (GabbroUsage) argument->usage : GABBRO_USAGE_NONE;
}

/**
 * gabbro_kernel_dup_argument_layout:
 * @self: a kernel
 * @index: the number of an argument
 *
 * Says how the host lays out what it gives the kernel: of a value the value, of a buffer
 * an element. Thread-safe; does not block.
 *
 * Returns: (transfer full) (nullable): a layout, or %NULL for images and past the last argument
 *
 * Since: 0.1
 */
GabbroLayout *
gabbro_kernel_dup_argument_layout (GabbroKernel *self, guint index)
{
  const struct gk_unit *unit;

  g_return_val_if_fail (IS_WHOLE (self), NULL);

  if (argument_at (self, index) == NULL)
    return NULL;
  if (self->artifact != NULL)
    return self->artifact->layouts[index] != NULL ? gabbro_layout_ref (self->artifact->layouts[index]) : NULL;
  unit = gabbro_module_get_unit (self->module);
  return gabbro_layout_new_for_type (gk_unit_parameter_type (unit, self->function->name, index));
}

/**
 * gabbro_kernel_compile_spirv:
 * @self: a kernel
 * @adapter: (nullable): what to compile for, or %NULL for any Vulkan device
 * @flags: options
 * @optimization_level: 0 to 3, or %GABBRO_OPTIMIZATION_DEFAULT
 * @error: return location for an error
 *
 * Compiles to SPIR-V 1.5, validated. Programs that run kernels need no more than
 * gabbro_shader_new(). A kernel of a bundle gives the words that the bundle has, if they fit
 * @adapter. Thread-safe; blocks while it compiles.
 *
 * Returns: (transfer full): the words of a SPIR-V module in the byte order of the host, or
 *   %NULL
 *
 * Since: 0.1
 */
GBytes *
gabbro_kernel_compile_spirv (GabbroKernel *self,
                             GabbroAdapter *adapter,
                             GabbroCompileFlags flags,
                             gint optimization_level,
                             GError **error)
{
  struct spirv_result result;
  GBytes *bytes;

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (adapter == NULL || gabbro_adapter_is_whole (adapter), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_compile (self, adapter, flags, optimization_level, &result, error))
    return NULL;
  bytes = g_bytes_new (result.words, result.n_words * sizeof *result.words);
  spirv_result_clear (&result);
  return bytes;
}

/**
 * gabbro_kernel_compile_assembly:
 * @self: a kernel
 * @adapter: (nullable): as of gabbro_kernel_compile_spirv()
 * @flags: options
 * @optimization_level: 0 to 3, or %GABBRO_OPTIMIZATION_DEFAULT
 * @error: return location for an error
 *
 * As gabbro_kernel_compile_spirv(), in the assembly language of SPIRV-Tools. Thread-safe; blocks while it
 * compiles.
 *
 * Returns: (transfer full): text, or %NULL
 *
 * Since: 0.1
 */
char *
gabbro_kernel_compile_assembly (GabbroKernel *self,
                                GabbroAdapter *adapter,
                                GabbroCompileFlags flags,
                                gint optimization_level,
                                GError **error)
{
  struct spirv_result result;
  GError *spirv_error = NULL;
  char *text;

  g_return_val_if_fail (IS_WHOLE (self), NULL);
  g_return_val_if_fail (adapter == NULL || gabbro_adapter_is_whole (adapter), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_compile (self, adapter, flags, optimization_level, &result, error))
    return NULL;
  text = spirv_disassemble (result.words, result.n_words, &spirv_error);
  if (text == NULL)
    gabbro_compile_translate_error (self->module, gabbro_kernel_get_name (self), spirv_error, error);
  spirv_result_clear (&result);
  return text;
}

static gpointer
run_compile_spirv (const struct gabbro_work *work, GError **error)
{
  return gabbro_kernel_compile_spirv (work->objects[0], work->objects[1], (GabbroCompileFlags) work->flags, work->level, error);
}

/**
 * gabbro_kernel_compile_spirv_async:
 * @self: a kernel
 * @adapter: (nullable): as of gabbro_kernel_compile_spirv()
 * @flags: options
 * @optimization_level: 0 to 3, or %GABBRO_OPTIMIZATION_DEFAULT
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_kernel_compile_spirv(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_kernel_compile_spirv_async (GabbroKernel *self,
                                   GabbroAdapter *adapter,
                                   GabbroCompileFlags flags,
                                   gint optimization_level,
                                   GCancellable *cancellable,
                                   GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  const struct gabbro_work work = {
    .run = run_compile_spirv, .free_result = (GDestroyNotify) g_bytes_unref, .objects = { self, adapter }, .flags = flags,
    .level = optimization_level
  };

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (adapter == NULL || gabbro_adapter_is_whole (adapter));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  gabbro_work_start (gabbro_task_new (self, gabbro_kernel_compile_spirv_async), &work);
}

/**
 * gabbro_kernel_compile_spirv_finish:
 * @self: a kernel
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_kernel_compile_spirv_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): the words of a SPIR-V module, or %NULL
 *
 * Since: 0.1
 */
GBytes *
gabbro_kernel_compile_spirv_finish (GabbroKernel *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (self, result, gabbro_kernel_compile_spirv_async, error);
}

static gpointer
run_compile_assembly (const struct gabbro_work *work, GError **error)
{
  return gabbro_kernel_compile_assembly (work->objects[0], work->objects[1], (GabbroCompileFlags) work->flags, work->level, error);
}

/**
 * gabbro_kernel_compile_assembly_async:
 * @self: a kernel
 * @adapter: (nullable): as of gabbro_kernel_compile_spirv()
 * @flags: options
 * @optimization_level: 0 to 3, or %GABBRO_OPTIMIZATION_DEFAULT
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_kernel_compile_assembly(), without blocking. Thread-safe; @callback is called in the
 * thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_kernel_compile_assembly_async (GabbroKernel *self,
                                   GabbroAdapter *adapter,
                                   GabbroCompileFlags flags,
                                   gint optimization_level,
                                   GCancellable *cancellable,
                                   GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  const struct gabbro_work work = {
    .run = run_compile_assembly, .free_result = g_free, .objects = { self, adapter }, .flags = flags,
    .level = optimization_level
  };

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (adapter == NULL || gabbro_adapter_is_whole (adapter));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  gabbro_work_start (gabbro_task_new (self, gabbro_kernel_compile_assembly_async), &work);
}

/**
 * gabbro_kernel_compile_assembly_finish:
 * @self: a kernel
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_kernel_compile_assembly_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): text, or %NULL
 *
 * Since: 0.1
 */
char *
gabbro_kernel_compile_assembly_finish (GabbroKernel *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (self, result, gabbro_kernel_compile_assembly_async, error);
}
