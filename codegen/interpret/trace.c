/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the one who looks at a thread is told while it runs. */

#include "config.h"

#include "codegen/interpret/trace-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/xir/evaluate-private.h"

/* Parts of a value that are shown. */
#define MAX_PARTS 64

/* As short as reads back the same. */
static void
append_real (GString *out, enum xir_type_kind kind, double real)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  for (int digits = 4; digits <= 17; digits++)
    {
      struct evaluate_lane again = { 0, 0 };
      char format[8];
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, real);
      evaluate_set_real (kind, g_ascii_strtod (text, NULL), &again);
      if (again.real == real)
        break;
    }
  g_string_append (out, text);
}

static void
append_scalar (GString *out, const struct xir_type *type, const uint8_t *data)
{
  struct evaluate_lane lane = { 0, 0 };
  evaluate_load (type->kind, data, &lane);
  if (type->kind == XIR_TYPE_BOOL)
    g_string_append (out, lane.bits != 0 ? "true" : "false");
  else if (evaluate_is_float (type->kind))
    append_real (out, type->kind, lane.real);
  else if (evaluate_is_signed (type->kind))
    {
      uint32_t unused = 64 - xir_type_bits (type);
      g_string_append_printf (out, "%" PRId64, (int64_t) (lane.bits << unused) >> unused);
    }
  else
    g_string_append_printf (out, "%" PRIu64, lane.bits);
}

static void
append_value (GString *out, const struct trace_table *table, const struct xir_type *type, const uint8_t *data, uint32_t *left)
{
  const char *const *names = type->kind == XIR_TYPE_STRUCTURE ? g_hash_table_lookup (table->members, type) : NULL;
  const char *ends = type->kind == XIR_TYPE_ARRAY ? "[]" : type->kind == XIR_TYPE_STRUCTURE ? "{}" : "()";
  if (xir_type_is_scalar (type))
    {
      append_scalar (out, type, data);
      return;
    }
  g_string_append_c (out, ends[0]);
  for (uint64_t i = 0; i < type->count; i++)
    {
      const struct xir_type *child = xir_type_child (type, i);
      if (i > 0)
        g_string_append (out, ", ");
      if (*left == 0)
        {
          g_string_append (out, "…");
          break;
        }
      *left -= xir_type_is_scalar (child);
      if (names != NULL && names[i] != NULL)
        g_string_append_printf (out, "%s = ", names[i]);
      append_value (out, table, child, data + (type->kind == XIR_TYPE_STRUCTURE ? type->offsets[i] : i * child->size), left);
    }
  g_string_append_c (out, ends[1]);
}

/* The value of one lane, as it would lie in memory; to be freed. */
static uint8_t *
read_registers (const struct subgroup *subgroup, uint32_t lane, const struct xir_type *type, uint32_t slot)
{
  uint32_t width = subgroup->program->width;
  uint8_t *data = g_malloc0 (MAX (type->size, 1));
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (struct value_run));
  interpret_type_runs (type, slot, 0, runs);
  for (uint32_t i = 0; i < runs->len; i++)
    {
      const struct value_run *run = &g_array_index (runs, struct value_run, i);
      bool wide = interpret_kind_is_wide (run->kind);
      gsize size = wide ? 8 : run->kind == XIR_TYPE_UINT32 ? 4 : run->kind == XIR_TYPE_UINT16 ? 2 : 1;
      for (uint32_t k = 0; k < run->count; k++)
        {
          const uint32_t *from = subgroup->registers + (gsize) (run->slot + (wide ? 2 * k : k)) * width;
          uint64_t bits = 0;
          if (wide)
            memcpy (&bits, from + 2 * lane, sizeof bits);
          else
            bits = from[lane];
          if (G_BYTE_ORDER == G_BIG_ENDIAN)
            bits <<= 8 * (8 - size);
          memcpy (data + run->offset + k * size, &bits, size);
        }
    }
  g_array_unref (runs);
  return data;
}

static void
append_registers (GString *out, const struct subgroup *subgroup, uint32_t lane, const struct xir_type *type, uint32_t slot)
{
  uint8_t *data = read_registers (subgroup, lane, type, slot);
  uint32_t left = MAX_PARTS;
  append_value (out, subgroup->program->trace, type, data, &left);
  g_free (data);
}

static void
append_memory (GString *out, const struct subgroup *subgroup, uint32_t lane, const struct xir_type *type, uint32_t slot)
{
  uint32_t pointer = subgroup->registers[(gsize) slot * subgroup->program->width + lane], left = MAX_PARTS;
  if (pointer == POINTER_INVALID)
    g_string_append (out, "?");
  else if ((pointer & POINTER_SHARED) != 0)
    append_value (out, subgroup->program->trace, type, subgroup->shared + (pointer & ~POINTER_SHARED), &left);
  else
    append_value (out, subgroup->program->trace, type, subgroup->local + lane * subgroup->local_size + pointer, &left);
}

static void
append_resource (GString *out, const struct resource *resource)
{
  if (resource->image != NULL)
    g_string_append_printf (out, _("image of %u×%u×%u texels"), resource->image->size[0], resource->image->size[1],
                            resource->image->size[2]);
  else
    g_string_append_printf (out, _("buffer of %" PRIu64 " elements"), resource->n_elements);
}

static void
append_index (GString *out, const struct subgroup *subgroup, uint32_t lane, const struct trace_index *index)
{
  if (index->is_lane && index->type == NULL && index->slot < 4)
    g_string_append_printf (out, ".%c", "xyzw"[index->slot]);
  else if (index->member != NULL)
    g_string_append_printf (out, ".%s", index->member);
  else if (index->is_member)
    g_string_append_printf (out, ".%u", index->slot);
  else
    {
      g_string_append_c (out, '[');
      if (index->type == NULL)
        g_string_append_printf (out, "%u", index->slot);
      else
        append_registers (out, subgroup, lane, index->type, index->slot);
      g_string_append_c (out, ']');
    }
}

static char *
describe (const struct subgroup *subgroup, uint32_t lane, const struct trace_entry *entry)
{
  GString *out = g_string_new (entry->kind == TRACE_DECIDED ? _(entry->text) : entry->text);
  for (uint32_t i = 0; i < entry->n_indices; i++)
    append_index (out, subgroup, lane, &entry->indices[i]);
  g_string_append (out, entry->kind == TRACE_READ ? " → " : entry->kind == TRACE_DECIDED ? ": " : " = ");
  append_registers (out, subgroup, lane, entry->type, entry->slot);
  return g_string_free (out, FALSE);
}

static void
clear_variable (gpointer data)
{
  struct interpret_variable *variable = data;
  g_free (variable->name);
  g_free (variable->value);
}

static bool
is_listed (const GArray *variables, const char *name)
{
  for (guint i = 0; i < variables->len; i++)
    if (strcmp (g_array_index (variables, struct interpret_variable, i).name, name) == 0)
      return true;
  return false;
}

/* The blocks of the source end, and those of the code go on. */
static bool
has_ended (const struct trace_variable *variable, const struct xir_location *here)
{
  return variable->end.line != 0
         && (here->line > variable->end.line || (here->line == variable->end.line && here->column >= variable->end.column));
}

GArray *
interpret_step_variables (const struct interpret_step *step)
{
  GArray *variables = g_array_new (FALSE, FALSE, sizeof (struct interpret_variable));
  uint32_t next = step->entry != NULL ? step->entry->scope : 0;
  g_array_set_clear_func (variables, clear_variable);
  while (next != 0)
    {
      const struct trace_variable *from
        = &g_array_index (step->subgroup->program->trace->variables, struct trace_variable, next - 1);
      struct interpret_variable variable = { NULL, NULL, from->type->text };
      GString *value;
      next = from->outer;
      /* By its name only the inner one can be meant: the copy of an argument that is changed, too. */
      if (has_ended (from, &step->location) || is_listed (variables, from->name))
        continue;
      variable.name = g_strdup (from->name);
      value = g_string_new (NULL);
      if (from->place == TRACE_REGISTERS)
        append_registers (value, step->subgroup, step->lane, from->type, from->slot);
      else if (from->place == TRACE_MEMORY)
        append_memory (value, step->subgroup, step->lane, from->type, from->slot);
      else
        append_resource (value, &step->subgroup->resources[from->slot]);
      variable.value = g_string_free (value, FALSE);
      if (from->line < step->location.line)
        g_array_prepend_val (variables, variable);
      else
        clear_variable (&variable);
    }
  return variables;
}

/* One dispatch. */

struct trace_run *
trace_run_new (const struct interpret_trace *trace)
{
  struct trace_run *run = g_new0 (struct trace_run, 1);
  run->trace = trace;
  run->made = g_ptr_array_new_with_free_func (g_free);
  return run;
}

static void
tell (struct trace_run *run, struct interpret_step *step)
{
  GPtrArray *made = run->made;
  run->made = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (made, NULL);
  memcpy (step->thread, run->thread, sizeof step->thread);
  memcpy (step->group, run->group, sizeof step->group);
  step->made = (const char *const *) made->pdata;
  run->has_begun = true;
  run->is_stopped = !run->trace->step (step, run->trace->data);
  g_ptr_array_unref (made);
}

void
trace_run_end (struct trace_run *run, const struct interpret_program *program)
{
  struct interpret_step step = { .kernel = program->kernel, .function = program->kernel, .file = program->source_name };
  if (run->has_begun && !run->is_stopped)
    tell (run, &step);
  g_ptr_array_unref (run->made);
  g_free (run);
}

static void
place_of (const struct subgroup *subgroup, uint32_t lane, uint32_t thread[3])
{
  uint32_t rest = subgroup->first_thread + lane;
  for (int axis = 0; axis < 3; axis++)
    {
      uint32_t size = subgroup->program->group_size[axis];
      thread[axis] = subgroup->group_id[axis] * size + rest % size;
      rest /= size;
    }
}

static bool
is_begin (const struct interpret_trace *trace, const struct trace_entry *entry)
{
  if (entry->kind != TRACE_LINE || (trace->line != 0 && trace->line != entry->location.line))
    return false;
  return trace->line == 0 || (trace->file != NULL ? g_strcmp0 (trace->file, entry->file) == 0 : entry->location.file == 0);
}

/* Which of the active lanes it is; false: none. */
static bool
find_lane (struct trace_run *run, const struct subgroup *subgroup, const struct trace_entry *entry, uint32_t *lane)
{
  const struct interpret_trace *trace = run->trace;
  uint64_t mask = subgroup->mask;
  if (!run->is_found && trace->any_thread && (mask == 0 || !is_begin (trace, entry)))
    return false;
  if (!run->is_found)
    {
      if (trace->any_thread)
        place_of (subgroup, (uint32_t) __builtin_ctzll (mask), run->thread);
      else
        memcpy (run->thread, trace->thread, sizeof run->thread);
      for (int axis = 0; axis < 3; axis++)
        run->group[axis] = run->thread[axis] / subgroup->program->group_size[axis];
      run->is_found = true;
    }
  if (memcmp (subgroup->group_id, run->group, sizeof run->group) != 0)
    return false;
  for (; mask != 0; mask &= mask - 1)
    {
      uint32_t thread[3];
      *lane = (uint32_t) __builtin_ctzll (mask);
      place_of (subgroup, *lane, thread);
      if (memcmp (thread, run->thread, sizeof thread) == 0)
        return true;
    }
  return false;
}

void
trace_at (struct subgroup *subgroup, const struct trace_entry *entry)
{
  struct trace_run *run = subgroup->trace;
  struct interpret_step step;
  uint32_t lane;
  if (run == NULL || run->is_stopped || !find_lane (run, subgroup, entry, &lane))
    return;
  if (entry->kind != TRACE_LINE)
    {
      g_ptr_array_add (run->made, describe (subgroup, lane, entry));
      return;
    }
  /* A line of several blocks, such as the head of a loop, is one. */
  if (run->has_begun && run->line == entry->location.line && run->file == entry->location.file && run->depth == (uint32_t) (subgroup->frame - subgroup->frames))
    return;
  run->line = entry->location.line;
  run->file = entry->location.file;
  run->depth = (uint32_t) (subgroup->frame - subgroup->frames);
  step = (struct interpret_step) {
    .kernel = subgroup->program->kernel, .function = entry->function, .file = entry->file,
    .location = entry->location, .depth = run->depth,
    .subgroup = subgroup, .entry = entry, .lane = lane
  };
  tell (run, &step);
}
