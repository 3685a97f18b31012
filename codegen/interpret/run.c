/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Workgroups over workers. A worker has registers and memory of its own and takes one
 * workgroup after the other. */

#include "config.h"

#include "codegen/interpret/interpret.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "codegen/interpret/execute.h"
#include "codegen/interpret/order.h"
#include "codegen/interpret/trace-private.h"
#include "lib/checked.h"

/* Instructions between two looks at whether to stop. */
#define STEPS_AT_ONCE 4096
#define MAX_WORKERS   256
/* Memory of one worker. */
#define MAX_STATE     (UINT64_C (4) << 30)

struct run
{
  const struct interpret_dispatch *dispatch;
  struct trace_run *trace;       /* NULL: nobody looks */
  const struct interpret_program *program;
  struct resource *resources;
  struct interpret_order order;
  uint64_t n_groups;
  uint64_t next;                 /* atomic */
  uint64_t *clock, own_clock;    /* atomic; its own where the dispatch has none */
  gint stop;                     /* atomic: one of enum interpret_error plus one */
  struct check_run *check;       /* NULL: none */
};

struct worker
{
  struct run *run;
  GThread *thread;
  struct subgroup *subgroups;
  uint32_t n_subgroups;          /* at once: all of a workgroup where they wait for each other */
  uint8_t *shared;
  struct check_memory *shared_shadow;
  struct check_group group;
};

static void
stop (struct run *run, enum interpret_error why)
{
  g_atomic_int_compare_and_exchange (&run->stop, 0, (gint) why + 1);
}

/* Values that are the same in all lanes. */
static void
spread_value (struct subgroup *subgroup, const struct value_run *runs, uint32_t n_runs, const uint8_t *data)
{
  uint32_t width = subgroup->program->width;
  for (uint32_t r = 0; r < n_runs; r++)
    {
      bool wide = interpret_kind_is_wide (runs[r].kind);
      gsize size = wide ? 8 : runs[r].kind == XIR_TYPE_UINT32 ? 4 : runs[r].kind == XIR_TYPE_UINT16 ? 2 : 1;
      for (uint32_t k = 0; k < runs[r].count; k++)
        {
          uint32_t *to = subgroup->registers + (gsize) (runs[r].slot + (wide ? 2 * k : k)) * width;
          uint64_t value = 0;
          memcpy (&value, data + runs[r].offset + k * size, size);
          if (runs[r].kind == XIR_TYPE_BOOL)
            value = value != 0;
          if (G_BYTE_ORDER == G_BIG_ENDIAN)
            value >>= 8 * (8 - size);
          for (uint32_t i = 0; i < width; i++)
            if (wide)
              memcpy (to + 2 * i, &value, sizeof value);
            else
              to[i] = (uint32_t) value;
        }
    }
}

static void
set_values (const struct run *run, struct subgroup *subgroup)
{
  const struct interpret_program *program = run->program;
  for (guint i = 0; i < program->constants->len; i++)
    {
      const struct constant_slot *constant = &g_array_index (program->constants, struct constant_slot, i);
      spread_value (subgroup, constant->runs, constant->n_runs, constant->data);
    }
  for (uint32_t i = 0; i < program->n_arguments; i++)
    if (program->arguments[i].kind == XIR_ARGUMENT_VALUE)
      spread_value (subgroup, program->arguments[i].runs, program->arguments[i].n_runs, run->dispatch->bindings[i].value);
}

/* A special's registers, NULL where the kernel does not ask for it. */
static uint32_t *
special_registers (const struct subgroup *subgroup, enum xir_special special, uint32_t scalar)
{
  const struct interpret_program *program = subgroup->program;
  if (program->special_slots[special] == INTERPRET_NO_SLOT)
    return NULL;
  return subgroup->registers + (gsize) (program->special_slots[special] + scalar) * program->width;
}

static void
set_special (struct subgroup *subgroup, enum xir_special special, uint32_t scalar, uint32_t value)
{
  uint32_t *registers = special_registers (subgroup, special, scalar);
  for (uint32_t lane = 0; registers != NULL && lane < subgroup->program->width; lane++)
    registers[lane] = value;
}

/* What does not depend on the workgroup. */
static void
set_dispatch (const struct run *run, struct subgroup *subgroup)
{
  const struct interpret_program *program = run->program;
  const struct interpret_dispatch *dispatch = run->dispatch;
  uint32_t *lanes = special_registers (subgroup, XIR_SPECIAL_SUBGROUP_LANE, 0);
  for (uint32_t axis = 0; axis < 3; axis++)
    {
      uint32_t size = program->group_size[axis], threads = dispatch->dispatch_size[axis];
      set_special (subgroup, XIR_SPECIAL_DISPATCH_SIZE, axis, threads);
      set_special (subgroup, XIR_SPECIAL_GROUP_SIZE, axis, size);
      set_special (subgroup, XIR_SPECIAL_NUM_GROUPS, axis, threads / size + (threads % size != 0));
    }
  set_special (subgroup, XIR_SPECIAL_KERNEL_ID, 0, dispatch->kernel_id);
  set_special (subgroup, XIR_SPECIAL_SUBGROUP_SIZE, 0, program->options.subgroup_size);
  for (uint32_t lane = 0; lanes != NULL && lane < program->width; lane++)
    lanes[lane] = lane;
}

/* The numbers of a subgroup's threads, and the mask of those that are asked for: inside both workgroup and dispatch. */
static uint64_t
number_threads (const struct run *run, struct subgroup *subgroup, const uint32_t group[3], uint64_t *in_group)
{
  const struct interpret_program *program = run->program;
  const uint32_t *size = program->group_size;
  uint32_t *locals[3], *globals[3], *inside = special_registers (subgroup, XIR_SPECIAL_IN_DISPATCH, 0);
  uint32_t local[3] = { subgroup->first_thread % size[0], subgroup->first_thread / size[0] % size[1],
                        subgroup->first_thread / size[0] / size[1] };
  uint32_t n = MIN (program->options.subgroup_size, program->group_threads - subgroup->first_thread);
  uint64_t asked = 0;
  for (uint32_t axis = 0; axis < 3; axis++)
    {
      locals[axis] = special_registers (subgroup, XIR_SPECIAL_LOCAL_ID, axis);
      globals[axis] = special_registers (subgroup, XIR_SPECIAL_GLOBAL_ID, axis);
      set_special (subgroup, XIR_SPECIAL_GROUP_ID, axis, group[axis]);
    }
  for (uint32_t lane = 0; lane < n; lane++)
    {
      bool is_inside = true;
      for (uint32_t axis = 0; axis < 3; axis++)
        {
          uint64_t global = (uint64_t) group[axis] * size[axis] + local[axis];
          is_inside = is_inside && global < run->dispatch->dispatch_size[axis];
          if (locals[axis] != NULL)
            locals[axis][lane] = local[axis];
          if (globals[axis] != NULL)
            globals[axis][lane] = (uint32_t) global;
        }
      if (inside != NULL)
        inside[lane] = is_inside;
      asked |= (uint64_t) is_inside << lane;
      for (uint32_t axis = 0; axis < 3 && ++local[axis] == size[axis] && axis < 2; axis++)
        local[axis] = 0;
    }
  *in_group = n == 64 ? UINT64_MAX : (UINT64_C (1) << n) - 1;
  return asked;
}

/* The threads of one subgroup, and which of them run. */
static void
begin_subgroup (const struct run *run, struct subgroup *subgroup, const uint32_t group[3], uint32_t index)
{
  const struct interpret_program *program = run->program;
  uint64_t in_group;
  subgroup->first_thread = index * program->options.subgroup_size;
  memcpy (subgroup->group_id, group, sizeof subgroup->group_id);
  subgroup->launched = number_threads (run, subgroup, group, &in_group);
  if (program->runs_outside)
    subgroup->launched = in_group;
  subgroup->mask = subgroup->launched;
  subgroup->frame = subgroup->frames;
  subgroup->code = program->code + program->entry;
  subgroup->state = subgroup->launched != 0 ? SUBGROUP_RUNS : SUBGROUP_ENDED;
  subgroup->steps = 0;
  subgroup->waits_at = NULL;
  memset (subgroup->masks, 0, program->n_masks * sizeof *subgroup->masks);
}

/* Until it ends, waits, or everything stops. */
static bool
run_subgroup (struct run *run, struct subgroup *subgroup)
{
  const struct interpret_dispatch *dispatch = run->dispatch;
  const struct code *code = subgroup->code;
  for (;;)
    {
      uint64_t left = STEPS_AT_ONCE;
      if (dispatch->step_limit != 0)
        left = MIN (left, dispatch->step_limit - subgroup->steps);
      subgroup->steps += left;
      for (; left > 0 && code != NULL; left--)
        code = code->run (subgroup, code);
      subgroup->steps -= left;
      if (run->trace != NULL && run->trace->is_stopped)
        stop (run, INTERPRET_ERROR_CANCELLED);
      if (code == NULL)
        return true;
      if (dispatch->step_limit != 0 && subgroup->steps >= dispatch->step_limit)
        {
          if (run->check != NULL)
            interpret_check_endless (subgroup, code, subgroup->steps);
          stop (run, INTERPRET_ERROR_STEP_LIMIT);
        }
      if (dispatch->cancelled != NULL && g_atomic_int_get (dispatch->cancelled) != 0)
        stop (run, INTERPRET_ERROR_CANCELLED);
      if (g_atomic_int_get (&run->stop) != 0)
        return false;
    }
}

/* One after the other, each with the same registers. */
static bool
run_apart (struct worker *worker, const uint32_t group[3], const struct interpret_order *order)
{
  for (uint32_t i = 0; i < worker->run->program->n_subgroups; i++)
    {
      struct subgroup *subgroup = &worker->subgroups[0];
      begin_subgroup (worker->run, subgroup, group, (uint32_t) interpret_order_at (order, i));
      if (subgroup->state == SUBGROUP_RUNS && !run_subgroup (worker->run, subgroup))
        return false;
    }
  return true;
}

/* From barrier to barrier, in another order each time. */
static bool
run_together (struct worker *worker, const uint32_t group[3], struct interpret_order *order)
{
  struct run *run = worker->run;
  uint32_t waiting;
  for (uint32_t i = 0; i < worker->n_subgroups; i++)
    begin_subgroup (run, &worker->subgroups[i], group, i);
  do
    {
      waiting = 0;
      for (uint32_t i = 0; i < worker->n_subgroups; i++)
        {
          struct subgroup *subgroup = &worker->subgroups[interpret_order_at (order, i)];
          if (subgroup->state == SUBGROUP_ENDED)
            continue;
          subgroup->state = SUBGROUP_RUNS;
          if (!run_subgroup (run, subgroup))
            return false;
          waiting += subgroup->state == SUBGROUP_AT_BARRIER;
        }
      if (run->check != NULL && waiting > 0)
        {
          interpret_check_together (run->check, worker->subgroups, worker->n_subgroups);
          check_group_barrier (run->check, &worker->group);
        }
      if (order->seed != 0)
        order->seed++;
    }
  while (waiting > 0);
  return true;
}

static bool
run_group (struct worker *worker, uint64_t place)
{
  const struct interpret_dispatch *dispatch = worker->run->dispatch;
  uint64_t number = interpret_order_at (&worker->run->order, place), rest = number;
  struct interpret_order order;
  uint32_t group[3];
  for (int axis = 0; axis < 3; axis++)
    {
      group[axis] = (uint32_t) (rest % dispatch->groups[axis]) + dispatch->group_offset[axis];
      rest /= dispatch->groups[axis];
    }
  interpret_order_init (&order, worker->run->program->n_subgroups,
                        dispatch->seed != 0 ? dispatch->seed + number * UINT64_C (0x9e3779b97f4a7c15) : 0);
  if (worker->run->program->shared_size > 0)
    memset (worker->shared, 0, (gsize) worker->run->program->shared_size);
  if (worker->run->check != NULL)
    {
      check_group_begin (worker->run->check, &worker->group, group);
      check_memory_uninitialise (worker->shared_shadow, 0, worker->run->program->shared_size);
    }
  return worker->run->program->has_barrier ? run_together (worker, group, &order) : run_apart (worker, group, &order);
}

static gpointer
work (gpointer data)
{
  struct worker *worker = data;
  struct run *run = worker->run;
  for (uint32_t i = 0; i < worker->n_subgroups; i++)
    {
      set_values (run, &worker->subgroups[i]);
      set_dispatch (run, &worker->subgroups[i]);
    }
  while (g_atomic_int_get (&run->stop) == 0)
    {
      uint64_t place = __atomic_fetch_add (&run->next, 1, __ATOMIC_RELAXED);
      if (place >= run->n_groups || !run_group (worker, place))
        break;
      if (run->dispatch->cancelled != NULL && g_atomic_int_get (run->dispatch->cancelled) != 0)
        stop (run, INTERPRET_ERROR_CANCELLED);
    }
  return NULL;
}

static bool
make_shadow (struct worker *worker, struct subgroup *subgroup)
{
  const struct interpret_program *program = worker->run->program;
  subgroup->check = worker->run->check;
  if (subgroup->check == NULL)
    return true;
  subgroup->group = &worker->group;
  subgroup->shared_shadow = worker->shared_shadow;
  subgroup->local_shadow = check_memory_new (worker->run->dispatch->check, CHECK_STORAGE_LOCAL,
                                             program->local_size * program->width, false);
  subgroup->undefined = g_try_new0 (uint64_t, MAX (program->n_slots, 1));
  return subgroup->local_shadow != NULL && subgroup->undefined != NULL;
}

/* One piece of memory a subgroup: registers first, at a cache line. */
static bool
make_subgroup (const struct run *run, struct subgroup *subgroup, uint8_t *shared)
{
  const struct interpret_program *program = run->program;
  uint64_t registers = GB_ALIGN_UP ((uint64_t) program->n_slots * program->width * sizeof (uint32_t), 64);
  uint64_t masks = program->n_masks * sizeof (uint64_t);
  uint64_t frames = ((uint64_t) program->n_calls + 1) * sizeof (struct call_frame);
  uint64_t local = program->local_size * program->width, at;
  uint64_t total = 2 * program->width * sizeof (uint32_t) + registers + masks + frames + local;
  memset (subgroup, 0, sizeof *subgroup);
  if (total > MAX_STATE)
    return false;
  subgroup->memory = g_try_malloc0 ((gsize) total);
  if (subgroup->memory == NULL)
    return false;
  at = GB_ALIGN_UP ((uintptr_t) subgroup->memory, 2 * program->width * sizeof (uint32_t));
  subgroup->registers = (uint32_t *) (uintptr_t) at;
  at += registers;
  subgroup->masks = (uint64_t *) (uintptr_t) at;
  at += masks;
  subgroup->frames = (struct call_frame *) (uintptr_t) at;
  at += frames;
  subgroup->local = (uint8_t *) (uintptr_t) at;
  subgroup->local_size = program->local_size;
  subgroup->shared = shared;
  subgroup->resources = run->resources;
  subgroup->clock = run->clock;
  subgroup->program = program;
  subgroup->trace = run->trace;
  return true;
}

static void
clear_worker (struct worker *worker)
{
  for (uint32_t i = 0; worker->subgroups != NULL && i < worker->n_subgroups; i++)
    {
      g_free (worker->subgroups[i].memory);
      g_free (worker->subgroups[i].undefined);
      check_memory_free (worker->subgroups[i].local_shadow);
    }
  check_memory_free (worker->shared_shadow);
  g_free (worker->subgroups);
  g_free (worker->shared);
}

static bool
make_worker (struct run *run, struct worker *worker)
{
  const struct interpret_program *program = run->program;
  memset (worker, 0, sizeof *worker);
  worker->run = run;
  worker->n_subgroups = program->has_barrier ? program->n_subgroups : 1;
  worker->shared = g_try_malloc0 ((gsize) MAX (program->shared_size, 1));
  worker->subgroups = g_try_new0 (struct subgroup, worker->n_subgroups);
  if (run->check != NULL)
    worker->shared_shadow = check_memory_new (run->dispatch->check, CHECK_STORAGE_SHARED, program->shared_size, false);
  if (worker->shared != NULL && worker->subgroups != NULL && (run->check == NULL || worker->shared_shadow != NULL))
    {
      uint32_t i = 0;
      while (i < worker->n_subgroups && make_subgroup (run, &worker->subgroups[i], worker->shared)
             && make_shadow (worker, &worker->subgroups[i]))
        i++;
      if (i == worker->n_subgroups)
        return true;
    }
  clear_worker (worker);
  return false;
}

static void
take_resources (struct run *run)
{
  const struct interpret_program *program = run->program;
  run->resources = g_new0 (struct resource, MAX (program->n_arguments, 1));
  for (uint32_t i = 0; i < program->n_arguments; i++)
    {
      const struct interpret_binding *binding = &run->dispatch->bindings[i];
      struct resource *resource = &run->resources[i];
      if (program->arguments[i].kind != XIR_ARGUMENT_RESOURCE)
        continue;
      resource->data = binding->data;
      resource->size = binding->size;
      resource->image = binding->image;
      resource->shadow = binding->shadow;
      resource->shadow_offset = binding->shadow_offset;
      resource->element_size = program->arguments[i].element_size;
      if (resource->element_size > 0)
        resource->n_elements = binding->size / resource->element_size;
    }
}

static bool
report_stop (const struct run *run, GError **error)
{
  const char *kernel = run->program->kernel;
  switch (run->stop - 1)
    {
    case -1:
      return true;
    case INTERPRET_ERROR_STEP_LIMIT:
      g_set_error (error, INTERPRET_ERROR, INTERPRET_ERROR_STEP_LIMIT,
                   _("kernel “%s” did not end within %" PRIu64 " steps"), kernel, run->dispatch->step_limit);
      return false;
    case INTERPRET_ERROR_CANCELLED:
      g_set_error (error, INTERPRET_ERROR, INTERPRET_ERROR_CANCELLED, _("kernel “%s” was cancelled"), kernel);
      return false;
    default:
      g_set_error (error, INTERPRET_ERROR, INTERPRET_ERROR_NO_MEMORY, _("there is not enough memory to interpret kernel “%s”"),
                   kernel);
      return false;
    }
}

/* The calling thread is the first worker; without memory or threads for more it works alone. */
static void
run_workers (struct run *run, uint32_t n_workers)
{
  struct worker *workers = g_new0 (struct worker, n_workers);
  uint32_t n = 0;
  while (n < n_workers && make_worker (run, &workers[n]))
    n++;
  if (n == 0)
    stop (run, INTERPRET_ERROR_NO_MEMORY);
  for (uint32_t i = 1; i < n; i++)
    workers[i].thread = g_thread_try_new ("gabbro-interpret", work, &workers[i], NULL);
  if (n > 0)
    work (&workers[0]);
  for (uint32_t i = 0; i < n; i++)
    {
      if (workers[i].thread != NULL)
        g_thread_join (workers[i].thread);
      clear_worker (&workers[i]);
    }
  g_free (workers);
}

bool
interpret_run (const struct interpret_dispatch *dispatch, GError **error)
{
  struct run run = { .dispatch = dispatch, .program = dispatch->program, .n_groups = 1 };
  struct check_view *views;
  uint32_t n_workers = dispatch->n_workers != 0 ? dispatch->n_workers : g_get_num_processors ();
  for (int axis = 0; axis < 3; axis++)
    if (!gb_checked_mul (run.n_groups, dispatch->groups[axis], &run.n_groups) || run.n_groups > UINT64_C (1) << 62)
      {
        g_set_error (error, INTERPRET_ERROR, INTERPRET_ERROR_TOO_LARGE, _("kernel “%s” has more workgroups than can be counted"),
                     run.program->kernel);
        return false;
      }
  if (run.n_groups == 0)
    return true;
  run.clock = dispatch->clock != NULL ? dispatch->clock : &run.own_clock;
  take_resources (&run);
  interpret_order_init (&run.order, run.n_groups, dispatch->seed);
  n_workers = (uint32_t) MIN (MIN (n_workers, MAX_WORKERS), run.n_groups);
  if (dispatch->check != NULL || dispatch->trace != NULL)
    n_workers = 1;
  views = g_new0 (struct check_view, MAX (run.program->n_arguments, 1));
  run.check = interpret_check_begin (dispatch, views);
  if (dispatch->trace != NULL && run.program->trace != NULL)
    run.trace = trace_run_new (dispatch->trace);
  run_workers (&run, n_workers);
  if (run.trace != NULL)
    trace_run_end (run.trace, run.program);
  if (run.check != NULL)
    check_run_end (run.check);
  g_free (views);
  g_free (run.resources);
  return report_stop (&run, error);
}
