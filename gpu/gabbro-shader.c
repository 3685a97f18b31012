/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include "codegen/frontend/frontend.h"
#include "gpu/async.h"
#include "gpu/bundle/artifact.h"
#include "gpu/command/recorder.h"
#include "gpu/compile.h"
#include "gpu/pipelines.h"
#include "gpu/report-private.h"

/**
 * GabbroShader:
 *
 * A kernel compiled for a device, ready to be dispatched by command lists. Constant;
 * thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroShader
{
  GObject parent_instance;

  GabbroDevice *device;
  GabbroKernel *kernel;
  struct gabbro_shader_core *core;
};

G_DEFINE_FINAL_TYPE (GabbroShader, gabbro_shader, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_SHADER (self) && (self)->core != NULL)

gboolean
gabbro_shader_is_whole (gpointer object)
{
  GabbroShader *self = object;

  return IS_WHOLE (self);
}

/**
 * GabbroShader:device:
 *
 * The device that it was compiled for.
 *
 * Since: 0.1
 */

/**
 * GabbroShader:kernel:
 *
 * The kernel that it was compiled from. Constant.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_shader_property_rows[] = {
  GABBRO_OWNER ("device", GabbroShader, device, gabbro_device_get_type),
  GABBRO_TYPED ("kernel", OBJECT, gabbro_shader_get_kernel, gabbro_kernel_get_type),
};

GABBRO_DEFINE_PROPERTIES (gabbro_shader)

static void
gabbro_shader_finalize (GObject *object)
{
  GabbroShader *self = GABBRO_SHADER (object);

  g_clear_pointer (&self->core, gabbro_shader_core_unref);
  g_clear_object (&self->kernel);
  g_clear_object (&self->device);
  G_OBJECT_CLASS (gabbro_shader_parent_class)->finalize (object);
}

static void
gabbro_shader_class_init (GabbroShaderClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_shader_finalize;
  gabbro_properties_install (class, &gabbro_shader_properties);
}

static void
gabbro_shader_init (GabbroShader *self)
{
}

struct gabbro_shader_core *
gabbro_shader_get_core (GabbroShader *self)
{
  return self->core;
}

static const enum gabbro_binding_kind binding_kinds[] = {
  [SPIRV_BINDING_ARGUMENT_BLOCK] = GABBRO_BINDING_STORAGE_BUFFER,
  [SPIRV_BINDING_STORAGE_BUFFER] = GABBRO_BINDING_STORAGE_BUFFER,
  [SPIRV_BINDING_SAMPLED_IMAGE] = GABBRO_BINDING_SAMPLED_IMAGE,
  [SPIRV_BINDING_STORAGE_IMAGE] = GABBRO_BINDING_STORAGE_IMAGE,
  [SPIRV_BINDING_PRINT_BUFFER] = GABBRO_BINDING_STORAGE_BUFFER,
};

static struct gabbro_resource *
create_resource (GabbroShader *self, const struct spirv_result *result, struct gabbro_origin *origin, GError **error)
{
  enum gabbro_binding_kind *bindings = g_new0 (enum gabbro_binding_kind, result->n_bindings + 1);
  struct gabbro_artifact artifact = {
    .name = gabbro_kernel_get_name (self->kernel),
    .words = result->words,
    .n_words = result->n_words,
    .entry_point = result->entry_point,
    .module = result->lowered,
    .arguments = result->arguments,
    .n_arguments = result->n_arguments,
    .print = result->print.n_sites > 0 ? &result->print : NULL,
    .argument_size = result->argument_size,
    .arguments_in_block = result->arguments_in_block,
    .origin = origin,
    .group_size = { result->group_size[0], result->group_size[1], result->group_size[2] },
    .push_constant_size = result->push_constant_size,
    .bindings = bindings,
    .n_bindings = result->n_bindings,
  };
  struct gabbro_resource *resource;

  for (uint32_t i = 0; i < result->n_bindings; i++)
    bindings[i] = binding_kinds[result->bindings[i].kind];
  resource = gabbro_resource_new_shader (gabbro_device_get_core (self->device), &artifact, error);
  g_free (bindings);
  return resource;
}

static enum gabbro_texel_class
texel_class (enum xir_type_kind kind)
{
  return kind == XIR_TYPE_INT32 ? GABBRO_TEXEL_INT : kind == XIR_TYPE_UINT32 ? GABBRO_TEXEL_UINT : GABBRO_TEXEL_FLOAT;
}

static struct gabbro_shader_argument
describe_argument (GabbroKernel *kernel, guint index, const struct spirv_argument *argument)
{
  const struct xir_type *type = argument->type;
  bool is_resource = xir_type_is_resource (type);

  return (struct gabbro_shader_argument) {
    .name = g_strdup (argument->name != NULL ? argument->name : ""),
    .kind = gabbro_kernel_get_argument_kind (kernel, index),
    .usage = (GabbroUsage) argument->usage,
    .type = is_resource ? (type->element != NULL ? g_intern_string (type->element->text) : NULL) : g_intern_string (type->text),
    .element_size = type->kind == XIR_TYPE_BUFFER && type->element != NULL ? type->element->size : 1,
    .offset = argument->offset,
    .size = is_resource ? 0 : argument->size,
    .metadata_offset = argument->metadata_offset,
    .binding = argument->binding,
    .is_const = argument->is_const,
    .dimension = type->kind == XIR_TYPE_TEXTURE ? type->dimension : 0,
    .texel = type->kind == XIR_TYPE_TEXTURE ? texel_class (type->element->kind) : GABBRO_TEXEL_FLOAT,
    .layout = is_resource ? NULL : gabbro_kernel_dup_argument_layout (kernel, index),
  };
}

static struct gabbro_printer *
make_printer (GabbroKernel *kernel, const struct spirv_print *print)
{
  const struct bundle_artifact *artifact = gabbro_kernel_get_artifact (kernel);
  GabbroModule *module = gabbro_kernel_get_module (kernel);
  const char *name = gabbro_kernel_get_name (kernel);

  if (artifact != NULL)
    return gabbro_printer_new (print, artifact->types, name, artifact->source_name);
  return gabbro_printer_new (print, gabbro_module_get_xir (module)->context, name, gabbro_module_get_name (module));
}

static struct gabbro_shader_core *
create_core (GabbroShader *self, const struct spirv_result *result, struct gabbro_resource *resource, struct gabbro_origin *origin)
{
  struct gabbro_shader_core *core = g_new0 (struct gabbro_shader_core, 1);

  g_atomic_ref_count_init (&core->references);
  core->resource = resource;
  core->origin = origin;
  core->name = g_strdup (gabbro_kernel_get_name (self->kernel));
  core->n_arguments = result->n_arguments;
  core->arguments = g_new0 (struct gabbro_shader_argument, result->n_arguments + 1);
  for (uint32_t i = 0; i < result->n_arguments; i++)
    core->arguments[i] = describe_argument (self->kernel, i, &result->arguments[i]);
  for (uint32_t i = 0; i < result->n_arguments; i++)
    if (result->arguments[i].is_restrict)
      core->restricted |= UINT64_C (1) << i;
  core->required = result->n_arguments == 64 ? UINT64_MAX : (UINT64_C (1) << result->n_arguments) - 1;
  for (int i = 0; i < 3; i++)
    core->group_size[i] = result->group_size[i];
  core->needs_whole_groups = result->needs_whole_groups;
  core->push_constant_size = result->push_constant_size;
  core->argument_size = result->argument_size;
  core->arguments_in_block = result->arguments_in_block;
  core->n_bindings = result->n_bindings;
  if (result->print.n_sites > 0)
    core->printer = make_printer (self->kernel, &result->print);
  return core;
}

static void
count (struct gabbro_core *core, enum gabbro_compiled how)
{
  if (how == GABBRO_COMPILED_NOW)
    __atomic_add_fetch (&core->n_compiled, 1, __ATOMIC_RELAXED);
  else if (how == GABBRO_COMPILED_CACHED)
    __atomic_add_fetch (&core->n_cached, 1, __ATOMIC_RELAXED);
}

/* What reports about the kernel show of it; drivers that take words make none. */
static struct gabbro_origin *
make_origin (GabbroKernel *kernel, const struct spirv_result *result)
{
  struct gabbro_origin *origin;
  const char *text;
  GBytes *bytes;
  gsize length;

  if (result->lowered == NULL)
    return NULL;
  text = gk_unit_text (gabbro_module_get_unit (gabbro_kernel_get_module (kernel)), &length);
  bytes = g_bytes_new (text, length);
  origin = gabbro_origin_new (bytes, result->lowered);
  g_bytes_unref (bytes);
  return origin;
}

/**
 * gabbro_shader_new:
 * @device: a device
 * @kernel: a kernel
 * @flags: options
 * @optimization_level: 0 to 3, or %GABBRO_OPTIMIZATION_DEFAULT
 * @error: return location for an error
 *
 * Compiles @kernel for @device, or takes what the shader cache has of it (see `cache` of
 * gabbro_context_new()); a kernel of a bundle has been compiled already. Thread-safe; blocks while
 * it compiles, which can take from a millisecond to seconds for large kernels.
 *
 * Returns: (transfer full): a new shader, or %NULL with an error of
 *   %GABBRO_COMPILE_ERROR or %GABBRO_ERROR
 *
 * Since: 0.1
 */
GabbroShader *
gabbro_shader_new (GabbroDevice *device,
                   GabbroKernel *kernel,
                   GabbroCompileFlags flags,
                   gint optimization_level,
                   GError **error)
{
  GabbroShader *self;
  struct gabbro_resource *resource;
  struct spirv_result result;
  enum gabbro_compiled how;
  struct gabbro_origin *origin;

  g_return_val_if_fail (gabbro_device_is_whole (device), NULL);
  g_return_val_if_fail (gabbro_kernel_is_whole (kernel), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_device_check (device, error)
      || !gabbro_compile_for_device (kernel, gabbro_device_get_adapter (device), flags, optimization_level, &result, &how, error))
    return NULL;
  count (gabbro_device_get_core (device), how);
  self = g_object_new (GABBRO_TYPE_SHADER, NULL);
  self->device = g_object_ref (device);
  self->kernel = g_object_ref (kernel);
  origin = make_origin (kernel, &result);
  gabbro_pipelines_load (gabbro_device_get_adapter (device), gabbro_device_get_core (device));
  resource = create_resource (self, &result, origin, error);
  if (resource != NULL)
    {
      self->core = create_core (self, &result, resource, origin);
      gabbro_pipelines_note (gabbro_device_get_adapter (device), gabbro_device_get_core (device));
    }
  else
    g_clear_pointer (&origin, gabbro_origin_unref);
  spirv_result_clear (&result);
  if (resource == NULL)
    g_clear_object (&self);
  return self;
}

static gpointer
run_new (const struct gabbro_work *work, GError **error)
{
  return gabbro_shader_new (work->objects[0], work->objects[1], (GabbroCompileFlags) work->flags, work->level, error);
}

/**
 * gabbro_shader_new_async:
 * @device: a device
 * @kernel: a kernel
 * @flags: options
 * @optimization_level: 0 to 3, or %GABBRO_OPTIMIZATION_DEFAULT
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_shader_new(), without blocking. Thread-safe; @callback is called in the thread-default
 * main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_shader_new_async (GabbroDevice *device,
                         GabbroKernel *kernel,
                         GabbroCompileFlags flags,
                         gint optimization_level,
                         GCancellable *cancellable,
                         GAsyncReadyCallback callback,
                         gpointer user_data)
{
  const struct gabbro_work work = {
    .run = run_new, .free_result = g_object_unref, .objects = { device, kernel }, .flags = flags, .level = optimization_level
  };

  g_return_if_fail (gabbro_device_is_whole (device));
  g_return_if_fail (gabbro_kernel_is_whole (kernel));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  gabbro_work_start (gabbro_task_new (NULL, gabbro_shader_new_async), &work);
}

/**
 * gabbro_shader_new_finish:
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_shader_new_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: (transfer full): a new shader, or %NULL
 *
 * Since: 0.1
 */
GabbroShader *
gabbro_shader_new_finish (GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_pointer (NULL, result, gabbro_shader_new_async, error);
}

/**
 * gabbro_shader_get_device:
 * @self: a shader
 *
 * Gets the device of a shader. Thread-safe; does not block.
 *
 * Returns: (transfer none): the device that it was compiled for
 *
 * Since: 0.1
 */
GabbroDevice *
gabbro_shader_get_device (GabbroShader *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->device;
}

/**
 * gabbro_shader_get_kernel:
 * @self: a shader
 *
 * Gets the kernel of a shader. Thread-safe; does not block.
 *
 * Returns: (transfer none): the kernel that it was compiled from
 *
 * Since: 0.1
 */
GabbroKernel *
gabbro_shader_get_kernel (GabbroShader *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->kernel;
}
