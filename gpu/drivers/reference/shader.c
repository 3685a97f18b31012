/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/reference/reference.h"

#include "codegen/spirv/spirv.h"

static struct reference_argument
argument_of (const struct spirv_argument *argument)
{
  const struct xir_type *type = argument->type;
  bool is_value = !xir_type_is_resource (type);

  return (struct reference_argument) {
    .is_value = is_value,
    .is_image = type->kind == XIR_TYPE_TEXTURE,
    .n_bools = is_value && xir_type_is_bool (type) ? xir_type_lanes (type) : 0,
    .size = is_value ? (uint32_t) type->size : 0,
    .element_size = type->kind == XIR_TYPE_BUFFER && type->element != NULL ? type->element->size : 1,
    .offset = argument->offset,
    .metadata_offset = argument->metadata_offset,
    .binding = argument->binding,
  };
}

/* Those of the source, and the two that a kernel that prints has behind them. */
static void
add_arguments (struct reference_shader *shader, const struct gabbro_artifact *artifact)
{
  const struct spirv_print *print = artifact->print;
  uint32_t n = artifact->n_arguments;

  shader->arguments = g_new0 (struct reference_argument, n + 2);
  for (uint32_t i = 0; i < n; i++)
    shader->arguments[i] = argument_of (&artifact->arguments[i]);
  if (print != NULL)
    {
      shader->arguments[n++] = (struct reference_argument) {
        .is_value = true, .size = sizeof (uint32_t), .offset = print->dispatch_offset,
        .metadata_offset = G_MAXUINT32, .binding = G_MAXUINT32
      };
      shader->arguments[n++] = (struct reference_argument) {
        .element_size = sizeof (uint32_t), .metadata_offset = print->metadata_offset, .binding = print->binding
      };
    }
  shader->n_arguments = n;
}

bool
reference_shader_create (struct gabbro_driver_device *base, const struct gabbro_artifact *artifact, uint64_t *out,
                         GError **error)
{
  struct reference_device *device = reference_device_of (base);
  const struct interpret_options options = {
    .subgroup_size = device->settings->width, .check = device->check != NULL,
    .trace = g_atomic_int_get (&device->traces) != 0
  };
  struct reference_shader *shader;
  struct interpret_program *program;
  GError *own_error = NULL;

  program = interpret_program_new (artifact->module, artifact->name, &options, &own_error);
  if (program == NULL)
    {
      g_set_error_literal (error, GABBRO_DRIVER_ERROR,
                           g_error_matches (own_error, INTERPRET_ERROR, INTERPRET_ERROR_TOO_LARGE)
                             ? GABBRO_DRIVER_ERROR_LIMIT : GABBRO_DRIVER_ERROR_NOT_SUPPORTED,
                           own_error->message);
      g_error_free (own_error);
      return false;
    }
  shader = g_new0 (struct reference_shader, 1);
  shader->program = program;
  add_arguments (shader, artifact);
  shader->n_bindings = artifact->n_bindings;
  shader->push_constant_size = artifact->push_constant_size;
  shader->arguments_in_block = artifact->arguments_in_block;
  shader->origin = artifact->origin;
  *out = (uint64_t) (uintptr_t) shader;
  return true;
}

void
reference_shader_destroy (struct gabbro_driver_device *base, uint64_t handle)
{
  struct reference_shader *shader = (struct reference_shader *) (uintptr_t) handle;

  interpret_program_free (shader->program);
  g_free (shader->arguments);
  g_free (shader);
}
