/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From what a list says of a dispatch back to the kernel's own arguments. */

#include "config.h"

#include "gpu/drivers/reference/reference.h"

#include <string.h>

#include "codegen/spirv/spirv.h"

struct dispatch
{
  const struct reference_shader *shader;
  uint32_t groups[3];
  uint8_t *push_constants;
  struct gabbro_descriptor *descriptors;
};

void *
reference_dispatch_new (struct host_device *device, const struct gabbro_dispatch *command, struct gb_arena *arena)
{
  const struct reference_shader *shader = (const struct reference_shader *) (uintptr_t) command->shader;
  struct dispatch *dispatch = gb_arena_new (arena, struct dispatch);

  dispatch->shader = shader;
  memcpy (dispatch->groups, command->groups, sizeof dispatch->groups);
  dispatch->push_constants = gb_arena_memdup (arena, command->push_constants, shader->push_constant_size);
  dispatch->descriptors = gb_arena_memdup (arena, command->descriptors, shader->n_bindings * sizeof *dispatch->descriptors);
  return dispatch;
}

/* Values and records, in the order of the plan. */
static const uint8_t *
argument_bytes (const struct dispatch *dispatch)
{
  const struct gabbro_descriptor *block = &dispatch->descriptors[0];

  if (dispatch->shader->arguments_in_block)
    return host_memory_of (block->handle)->bytes + block->offset;
  return dispatch->push_constants + sizeof (struct spirv_dispatch_constants);
}

static const void *
decode_value (const struct reference_argument *argument, const uint8_t *bytes, struct gb_arena *arena)
{
  uint8_t *value;

  if (argument->n_bools == 0)
    return bytes + argument->offset;
  value = gb_arena_alloc0 (arena, argument->size);
  for (uint32_t i = 0; i < argument->n_bools; i++)
    {
      uint32_t word;

      memcpy (&word, bytes + argument->offset + i * sizeof word, sizeof word);
      value[i] = word != 0;
    }
  return value;
}

static struct interpret_binding
decode_buffer (const struct reference_argument *argument, const struct gabbro_descriptor *descriptor, const uint8_t *bytes)
{
  struct interpret_binding binding = { .data = NULL };
  uint32_t record[2] = { 0, 0 };
  struct reference_memory *memory;

  if (argument->metadata_offset != G_MAXUINT32)
    memcpy (record, bytes + argument->metadata_offset, sizeof record);
  binding.size = record[1] * argument->element_size;
  /* Of one whose length alone is asked for there is nothing else. */
  if (descriptor == NULL)
    return binding;
  memory = reference_memory_of (descriptor->handle);
  binding.shadow = memory->shadow;
  binding.shadow_offset = descriptor->offset + record[0] * argument->element_size;
  binding.data = memory->base.bytes + binding.shadow_offset;
  return binding;
}

static struct interpret_binding *
decode_arguments (const struct dispatch *dispatch, struct gb_arena *arena)
{
  const struct reference_shader *shader = dispatch->shader;
  struct interpret_binding *bindings = gb_arena_alloc0 (arena, MAX (shader->n_arguments, 1) * sizeof *bindings);
  const uint8_t *bytes = argument_bytes (dispatch);

  for (uint32_t i = 0; i < shader->n_arguments; i++)
    {
      const struct reference_argument *argument = &shader->arguments[i];
      const struct gabbro_descriptor *descriptor
        = argument->binding != G_MAXUINT32 ? &dispatch->descriptors[argument->binding] : NULL;

      if (argument->is_value)
        bindings[i].value = decode_value (argument, bytes, arena);
      else if (!argument->is_image)
        bindings[i] = decode_buffer (argument, descriptor, bytes);
      else if (descriptor != NULL)
        {
          const struct reference_memory *memory = reference_memory_of (descriptor->handle);

          bindings[i].image = &memory->levels[descriptor->offset];
          bindings[i].shadow = memory->shadow;
          bindings[i].shadow_offset = (uint64_t) (bindings[i].image->texels - memory->base.bytes);
        }
    }
  return bindings;
}

/* Whether step_lock is held while a step runs. */
static bool
is_watched (struct reference_device *device)
{
  return device->check != NULL || g_atomic_int_get (&device->traces) != 0;
}

static bool
run_dispatch (struct reference_device *device, const struct dispatch *dispatch, bool watched, GError **error)
{
  const struct reference_settings *settings = device->settings;
  struct spirv_dispatch_constants constants;
  GError *own_error = NULL;
  struct gb_arena arena;
  bool ok;

  memcpy (&constants, dispatch->push_constants, sizeof constants);
  if (watched)
    device->origin = dispatch->shader->origin;
  gb_arena_init (&arena, 0);
  {
    const struct interpret_dispatch run = {
      .program = dispatch->shader->program,
      .bindings = decode_arguments (dispatch, &arena),
      .dispatch_size = { constants.dispatch_size[0], constants.dispatch_size[1], constants.dispatch_size[2] },
      .groups = { dispatch->groups[0], dispatch->groups[1], dispatch->groups[2] },
      .group_offset = { constants.group_offset[0], constants.group_offset[1], constants.group_offset[2] },
      .kernel_id = constants.kernel_id,
      .n_workers = settings->threads,
      .seed = settings->seed,
      .step_limit = settings->steps,
      .clock = &device->clock,
      .cancelled = &device->host.cancelled,
      .check = device->check,
      .trace = watched ? device->trace : NULL,
    };
    ok = interpret_run (&run, &own_error);
  }
  gb_arena_clear (&arena);
  /* Who looked at it has seen enough: no fault of the kernel's. */
  if (!ok && g_error_matches (own_error, INTERPRET_ERROR, INTERPRET_ERROR_CANCELLED)
      && g_atomic_int_get (&device->host.cancelled) == 0)
    {
      g_error_free (own_error);
      return true;
    }
  if (!ok)
    g_propagate_error (error, own_error);
  return ok;
}

/* What is known of bytes goes with them. */
static void
copy_shadow (const struct host_step *step)
{
  struct check_memory *to = ((struct reference_memory *) step->destination)->shadow;
  struct check_memory *from = step->source != NULL ? ((struct reference_memory *) step->source)->shadow : NULL;

  check_memory_copy (to, step->destination_offset, from, step->source_offset, step->size);
}

bool
reference_run_step (struct host_device *base, const struct host_step *step, GError **error)
{
  struct reference_device *device = (struct reference_device *) base;
  bool is_dispatch = step->kind == GABBRO_COMMAND_DISPATCH, watched = is_watched (device), ok = true;

  if (watched)
    g_mutex_lock (&device->step_lock);
  if (is_dispatch)
    ok = run_dispatch (device, step->dispatch, watched, error);
  else
    host_step_copy (step);
  if (!is_dispatch && device->check != NULL)
    copy_shadow (step);
  if (watched)
    g_mutex_unlock (&device->step_lock);
  return ok;
}
