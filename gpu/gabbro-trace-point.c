/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/trace-private.h"

#include <string.h>

/**
 * GabbroTracePoint: (skip)
 *
 * Where a thread is that is looked at, see gabbro_device_set_trace(). Only to be used in the #GabbroTraceFunc that
 * was given it, in that thread.
 *
 * Since: 0.1
 */

static const struct interpret_step *
step_of (const GabbroTracePoint *self)
{
  return (const struct interpret_step *) self;
}

static bool
call_function (const struct interpret_step *step, gpointer data)
{
  const struct gabbro_tracer *tracer = data;

  return tracer->function ((const GabbroTracePoint *) step, tracer->data);
}

struct gabbro_tracer *
gabbro_tracer_new (const guint *thread, const char *file, guint line, GabbroTraceFunc function, gpointer data,
                   GDestroyNotify destroy)
{
  struct gabbro_tracer *tracer = g_new0 (struct gabbro_tracer, 1);

  tracer->trace.any_thread = thread == NULL;
  for (int i = 0; i < 3 && thread != NULL; i++)
    tracer->trace.thread[i] = thread[i];
  tracer->file = g_strdup (file);
  tracer->trace.file = tracer->file;
  tracer->trace.line = line;
  tracer->trace.step = call_function;
  tracer->trace.data = tracer;
  tracer->function = function;
  tracer->data = data;
  tracer->destroy = destroy;
  return tracer;
}

void
gabbro_tracer_free (struct gabbro_tracer *tracer)
{
  if (tracer == NULL)
    return;
  if (tracer->destroy != NULL)
    tracer->destroy (tracer->data);
  g_free (tracer->file);
  g_free (tracer);
}

/**
 * gabbro_trace_point_get_kernel: (skip)
 * @self: a trace point
 *
 * Gets the kernel that runs. Not thread-safe; does not block.
 *
 * Returns: its name
 *
 * Since: 0.1
 */
const char *
gabbro_trace_point_get_kernel (const GabbroTracePoint *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return step_of (self)->kernel;
}

/**
 * gabbro_trace_point_get_function: (skip)
 * @self: a trace point
 *
 * Gets the function that the thread is in. Not thread-safe; does not block.
 *
 * Returns: its name
 *
 * Since: 0.1
 */
const char *
gabbro_trace_point_get_function (const GabbroTracePoint *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return step_of (self)->function;
}

/**
 * gabbro_trace_point_get_file: (skip)
 * @self: a trace point
 *
 * Gets the file of the kernel. Not thread-safe; does not block.
 *
 * Returns: (nullable): the name that was given with the source, or %NULL where there is none
 *
 * Since: 0.1
 */
const char *
gabbro_trace_point_get_file (const GabbroTracePoint *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return step_of (self)->file;
}

/**
 * gabbro_trace_point_get_line: (skip)
 * @self: a trace point
 *
 * Gets the line that the thread has come to and not run yet. Not thread-safe; does not block.
 *
 * Returns: the line, counted from 1; 0 when the thread has ended
 *
 * Since: 0.1
 */
guint
gabbro_trace_point_get_line (const GabbroTracePoint *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return step_of (self)->location.line;
}

/**
 * gabbro_trace_point_get_depth: (skip)
 * @self: a trace point
 *
 * Counts the functions around the one that the thread is in. Not thread-safe; does not block.
 *
 * Returns: 0 in the kernel itself, 1 in what it calls, and so on
 *
 * Since: 0.1
 */
guint
gabbro_trace_point_get_depth (const GabbroTracePoint *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return step_of (self)->depth;
}

/**
 * gabbro_trace_point_get_thread: (skip)
 * @self: a trace point
 * @x: (out) (optional): the thread's place in the dispatch in the first dimension
 * @y: (out) (optional): in the second
 * @z: (out) (optional): in the third
 *
 * Gets which thread it is. Not thread-safe; does not block.
 *
 * Since: 0.1
 */
void
gabbro_trace_point_get_thread (const GabbroTracePoint *self, guint *x, guint *y, guint *z)
{
  g_return_if_fail (self != NULL);

  if (x != NULL)
    *x = step_of (self)->thread[0];
  if (y != NULL)
    *y = step_of (self)->thread[1];
  if (z != NULL)
    *z = step_of (self)->thread[2];
}

/**
 * gabbro_trace_point_list_made: (skip)
 * @self: a trace point
 *
 * Lists what the thread has computed, read, written and decided since the point before this one, in order, such as
 * "total = 3", "y[2] = 0.5" or "condition: true". Not thread-safe; does not block.
 *
 * Returns: (transfer full): lines of text
 *
 * Since: 0.1
 */
char **
gabbro_trace_point_list_made (const GabbroTracePoint *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_strdupv ((char **) step_of (self)->made);
}

/**
 * gabbro_trace_point_list_variables: (skip)
 * @self: a trace point
 *
 * Lists the arguments and variables that can be seen where the thread is, the innermost last. Not thread-safe; does
 * not block.
 *
 * Returns: (transfer full): their names
 *
 * Since: 0.1
 */
char **
gabbro_trace_point_list_variables (const GabbroTracePoint *self)
{
  GStrvBuilder *builder;
  GArray *variables;
  char **names;

  g_return_val_if_fail (self != NULL, NULL);

  builder = g_strv_builder_new ();
  variables = interpret_step_variables (step_of (self));
  for (guint i = 0; i < variables->len; i++)
    g_strv_builder_add (builder, g_array_index (variables, struct interpret_variable, i).name);
  names = g_strv_builder_end (builder);
  g_strv_builder_unref (builder);
  g_array_unref (variables);
  return names;
}

/**
 * gabbro_trace_point_dup_value: (skip)
 * @self: a trace point
 * @name: an argument or variable
 *
 * Gets the value that a variable has for the thread: of those of that name the innermost. Not thread-safe; does not
 * block.
 *
 * Returns: (transfer full) (nullable): the value as text, or %NULL where no such variable can be seen
 *
 * Since: 0.1
 */
char *
gabbro_trace_point_dup_value (const GabbroTracePoint *self, const char *name)
{
  GArray *variables;
  char *value = NULL;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (name != NULL, NULL);

  variables = interpret_step_variables (step_of (self));
  for (guint i = variables->len; i-- > 0 && value == NULL;)
    if (strcmp (g_array_index (variables, struct interpret_variable, i).name, name) == 0)
      value = g_strdup (g_array_index (variables, struct interpret_variable, i).value);
  g_array_unref (variables);
  return value;
}
