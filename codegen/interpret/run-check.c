/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A run with checks: what it tells them before, and what is seen only between
 * instructions: who waits where, and which loop has no end. */

#include "config.h"

#include "codegen/interpret/execute.h"

/* Steps that are looked at one by one for a loop that ends after all. */
#define MAX_EXTRA_STEPS 100000

static void
describe_view (const struct interpret_binding *binding, const struct program_argument *argument, struct check_view *view)
{
  view->name = argument->name;
  if (argument->kind != XIR_ARGUMENT_RESOURCE)
    return;
  view->memory = binding->shadow;
  view->offset = binding->shadow_offset;
  view->is_read = argument->is_read;
  view->is_written = argument->is_written;
  if (binding->image != NULL)
    {
      view->n_dimensions = argument->type->dimension;
      view->element_size = view->size = binding->image->texel_size;
      for (uint32_t i = 0; i < view->n_dimensions; i++)
        {
          view->extent[i] = binding->image->size[i];
          view->size *= binding->image->size[i];
        }
      return;
    }
  view->size = binding->size;
  view->element_size = argument->element_size;
  view->alignment = argument->type->element != NULL ? argument->type->element->alignment : 1;
}

struct check_run *
interpret_check_begin (const struct interpret_dispatch *dispatch, struct check_view *views)
{
  const struct interpret_program *program = dispatch->program;
  struct check_run_info info =
  {
    .kernel = program->kernel, .file = program->source_name, .location = program->location, .local_size = program->local_size,
    .group_size = { program->group_size[0], program->group_size[1], program->group_size[2] },
    .sites = (const struct check_site *) (gconstpointer) program->sites->data, .n_sites = program->sites->len,
    .variables = (const struct check_variable *) (gconstpointer) program->variables->data, .n_variables = program->variables->len
  };
  struct check_run *check;
  if (dispatch->check == NULL || !program->options.check)
    return NULL;
  check = check_run_new (dispatch->check, &info);
  for (uint32_t i = 0; i < program->n_arguments; i++)
    describe_view (&dispatch->bindings[i], &program->arguments[i], &views[i]);
  check_run_views (check, views, program->n_arguments);
  return check;
}

static uint32_t
first_lane (uint64_t lanes)
{
  return lanes != 0 ? (uint32_t) __builtin_ctzll (lanes) : 0;
}

/* All wait at the barrier of the first that does, or are reported. */
void
interpret_check_together (struct check_run *check, const struct subgroup *subgroups, uint32_t n_subgroups)
{
  const struct subgroup *first = NULL;
  for (uint32_t i = 0; i < n_subgroups && first == NULL; i++)
    if (subgroups[i].state == SUBGROUP_AT_BARRIER)
      first = &subgroups[i];
  for (uint32_t i = 0; i < n_subgroups && first != NULL; i++)
    {
      const struct subgroup *other = &subgroups[i];
      struct check_thread here = { first->group, first->first_thread + first_lane (first->mask) };
      struct check_thread there = { other->group, other->first_thread + first_lane (other->launched) };
      if (other->state == SUBGROUP_AT_BARRIER && other->waits_at != first->waits_at)
        {
          there.index = other->first_thread + first_lane (other->mask);
          check_report_barrier (check, &here, first->waits_at, &there, other->waits_at);
        }
      else if (other->state == SUBGROUP_ENDED && other->launched != 0)
        check_report_barrier (check, &here, first->waits_at, &there, NULL);
    }
}

/* A loop in a function that is running, `depth` calls deep. */
struct running_loop
{
  const struct program_loop *loop;
  ptrdiff_t depth;
};

static bool
is_in (const struct program_loop *loop, const struct subgroup *subgroup, const struct code *code)
{
  uint32_t index = (uint32_t) (code - subgroup->program->code);
  return index >= loop->begin && index < loop->end;
}

/* The innermost, in the innermost function that has one. */
static struct running_loop
innermost (const struct subgroup *subgroup, const struct code *code)
{
  const GArray *loops = subgroup->program->loops;
  struct running_loop found = { NULL, subgroup->frame - subgroup->frames };
  for (;; found.depth--)
    {
      for (guint i = loops->len; i-- > 0;)
        if (is_in (&g_array_index (loops, struct program_loop, i), subgroup, code))
          {
            found.loop = &g_array_index (loops, struct program_loop, i);
            return found;
          }
      if (found.depth == 0)
        return found;
      code = subgroup->frames[found.depth - 1].code;
    }
}

static bool
has_left (const struct running_loop *running, const struct subgroup *subgroup, const struct code *code)
{
  ptrdiff_t depth = subgroup->frame - subgroup->frames;
  return depth < running->depth || (depth == running->depth && !is_in (running->loop, subgroup, code));
}

void
interpret_check_endless (struct subgroup *subgroup, const struct code *code, uint64_t steps)
{
  const GArray *sites = subgroup->program->sites;
  struct running_loop running = innermost (subgroup, code);
  struct check_thread thread = { subgroup->group, subgroup->first_thread + first_lane (subgroup->mask) };
  uint64_t left = MIN (steps, MAX_EXTRA_STEPS);
  for (; left > 0 && running.loop != NULL; left--)
    {
      code = code->run (subgroup, code);
      if (code == NULL)
        break;
      if (has_left (&running, subgroup, code))
        running = innermost (subgroup, code);
    }
  check_report_loop (subgroup->check, &thread,
                     running.loop != NULL ? &g_array_index (sites, struct check_site, running.loop->site) : NULL, steps);
}
