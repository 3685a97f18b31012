/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/plan-binding.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "codegen/spirv/plan-layout.h"
#include "lib/checked.h"

static const char *
argument_name (const struct spirv_argument *argument)
{
  return argument->name != NULL ? argument->name : "?";
}

static bool
too_large (const struct spirv_argument *argument, uint64_t size, GError **error)
{
  g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_TOO_LARGE,
               _("argument “%s”: all arguments by value up to it take %" PRIu64 " bytes, the limit is %u"),
               argument_name (argument), size, SPIRV_MAX_ARGUMENT_SIZE);
  return false;
}

static bool
place_value (const struct xir_module *module, struct spirv_argument *argument, uint64_t *cursor, GError **error)
{
  const struct xir_type *type = spirv_argument_storage_type (module->context, argument->type);
  enum spirv_layout_status status = spirv_plan_layout_member (type, 0);
  if (status != SPIRV_LAYOUT_COMPATIBLE && !spirv_needs_words (argument->type, false))
    {
      g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED, _("argument “%s” of type %s cannot be passed by value: %s"),
                   argument_name (argument), argument->type != NULL ? argument->type->text : "void",
                   spirv_layout_status_text (status));
      return false;
    }
  argument->size = (uint32_t) (type != NULL ? type->size : 0);
  return spirv_place_value (module->context, argument->type, cursor, &argument->offset) || too_large (argument, *cursor, error);
}

static bool
place_arguments (struct gb_arena *arena, const struct xir_module *module, const struct xir_function *kernel,
                 const struct spirv_usage_plan *usage, struct spirv_binding_plan *plan, GError **error)
{
  uint64_t cursor = 0;
  for (uint32_t i = 0; i < kernel->n_arguments; i++)
    {
      const struct xir_argument *source = kernel->arguments[i];
      struct spirv_argument *argument = &plan->arguments[i];
      *argument = (struct spirv_argument) {
        .type = xir_argument_type (source),
        .name = source->name != NULL ? gb_arena_strdup (arena, source->name) : NULL,
        .source_type = source->source_type != NULL ? gb_arena_strdup (arena, source->source_type) : NULL,
        .is_const = source->is_const,
        .is_restrict = source->is_restrict,
        .usage = usage->arguments[source->value.id] & (SPIRV_NEED_READ | SPIRV_NEED_WRITE),
        .metadata_offset = G_MAXUINT32,
        .binding = G_MAXUINT32
      };
      if (source->argument_kind == XIR_ARGUMENT_VALUE && !place_value (module, argument, &cursor, error))
        return false;
    }
  for (uint32_t i = 0; i < kernel->n_arguments; i++)
    if ((usage->arguments[kernel->arguments[i]->value.id] & (SPIRV_NEED_FIRST | SPIRV_NEED_LENGTH)) != 0
        && !spirv_place (&cursor, SPIRV_METADATA_SIZE, SPIRV_METADATA_ALIGNMENT, &plan->arguments[i].metadata_offset))
      return too_large (&plan->arguments[i], cursor, error);
  plan->argument_size = (uint32_t) GB_ALIGN_UP (cursor, 4);
  return true;
}

static enum spirv_binding_kind
kind_of (const struct xir_argument *argument)
{
  if (argument->is_hidden)
    return SPIRV_BINDING_PRINT_BUFFER;
  if (argument->value.type->kind == XIR_TYPE_BUFFER)
    return SPIRV_BINDING_STORAGE_BUFFER;
  return argument->is_const ? SPIRV_BINDING_SAMPLED_IMAGE : SPIRV_BINDING_STORAGE_IMAGE;
}

static void
place_bindings (const struct xir_function *kernel, const struct spirv_usage_plan *usage, struct spirv_binding_plan *plan)
{
  if (plan->arguments_in_block)
    {
      plan->bindings[0] = (struct spirv_binding) { SPIRV_BINDING_ARGUMENT_BLOCK, 0, 0, G_MAXUINT32 };
      plan->n_bindings = 1;
    }
  for (uint32_t i = 0; i < kernel->n_arguments; i++)
    {
      const struct xir_argument *source = kernel->arguments[i];
      if (source->argument_kind != XIR_ARGUMENT_RESOURCE
          || (usage->arguments[source->value.id] & (SPIRV_NEED_FIRST | SPIRV_NEED_IMAGE)) == 0)
        continue;
      uint32_t binding = plan->n_bindings++;
      plan->bindings[binding] = (struct spirv_binding) { kind_of (source), 0, binding, i };
      plan->arguments[i].binding = binding;
    }
}

static bool
within (const char *what, uint64_t asked, uint64_t allowed, GError **error)
{
  if (asked <= allowed)
    return true;
  g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_TARGET,
               _("the kernel needs %" PRIu64 " %s, the device has at most %" PRIu64), asked, what, allowed);
  return false;
}

bool
spirv_check_demand (const struct spirv_demand *demand, const struct spirv_target *target, GError **error)
{
  static const char *const axes[3] = { N_("threads in a workgroup along x"), N_("threads in a workgroup along y"),
                                       N_("threads in a workgroup along z") };
  uint32_t counts[SPIRV_BINDING_PRINT_BUFFER + 1] = { 0 };
  for (uint32_t i = 0; i < demand->n_bindings; i++)
    counts[demand->bindings[i].kind]++;
  uint64_t threads = 1;
  for (int axis = 0; axis < 3; axis++)
    {
      if (!within (_(axes[axis]), demand->group_size[axis], target->max_group_size[axis], error))
        return false;
      if (!gb_checked_mul (threads, demand->group_size[axis], &threads))
        threads = UINT64_MAX;
    }
  return within (_("threads in a workgroup"), threads, target->max_group_invocations, error)
         && within (_("bytes of shared memory"), demand->shared_size, target->max_shared_memory, error)
         && within (_("storage buffers"), counts[SPIRV_BINDING_ARGUMENT_BLOCK] + counts[SPIRV_BINDING_STORAGE_BUFFER]
                                           + counts[SPIRV_BINDING_PRINT_BUFFER], target->max_storage_buffers, error)
         && within (_("images that are written"), counts[SPIRV_BINDING_STORAGE_IMAGE], target->max_storage_images, error)
         && within (_("images that are read"), counts[SPIRV_BINDING_SAMPLED_IMAGE], target->max_sampled_images, error)
         && within (_("resources"), demand->n_bindings, target->max_resources, error)
         && within (_("bytes of push constants"), demand->push_constant_size, target->max_push_constants, error);
}

static bool
check_limits (const struct xir_function *kernel, const struct spirv_usage_plan *usage, const struct spirv_binding_plan *plan,
              const struct spirv_target *target, GError **error)
{
  const struct spirv_demand demand = {
    .group_size = { kernel->group_size[0], kernel->group_size[1], kernel->group_size[2] },
    .bindings = plan->bindings,
    .n_bindings = plan->n_bindings,
    .push_constant_size = plan->push_constant_size,
    .shared_size = usage->shared_size
  };
  for (int axis = 0; axis < 3; axis++)
    if (kernel->group_size[axis] == 0)
      {
        g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED, _("kernel “%s” has a workgroup of no threads"),
                     kernel->name != NULL ? kernel->name : "?");
        return false;
      }
  return spirv_check_demand (&demand, target, error);
}

bool
spirv_plan_binding (struct gb_arena *arena, const struct xir_module *module, const struct xir_function *kernel,
                    const struct spirv_usage_plan *usage, const struct spirv_target *target,
                    struct spirv_binding_plan *plan, GError **error)
{
  const uint32_t head = sizeof (struct spirv_dispatch_constants);
  *plan = (struct spirv_binding_plan) { .n_arguments = kernel->n_arguments };
  plan->arguments = gb_arena_array (arena, struct spirv_argument, MAX (kernel->n_arguments, 1));
  plan->bindings = gb_arena_array (arena, struct spirv_binding, kernel->n_arguments + 1);
  if (!place_arguments (arena, module, kernel, usage, plan, error))
    return false;
  plan->push_constant_size = head + plan->argument_size;
  if (target == NULL)
    return true;
  if (plan->push_constant_size > target->max_push_constants)
    {
      plan->arguments_in_block = true;
      plan->push_constant_size = head;
    }
  place_bindings (kernel, usage, plan);
  return check_limits (kernel, usage, plan, target, error);
}
