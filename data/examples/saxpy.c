/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The first program: opens the best device, compiles a kernel from a string, runs it
 * on a million numbers and checks the result. Build it with
 *   cc saxpy.c $(pkg-config --cflags --libs gabbro-1)
 */

#include <gabbro/gabbro.h>

#include <stdio.h>
#include <stdlib.h>

#define LENGTH 1000000

static const char source[] =
  "kernel(64)\n"
  "void saxpy(const buffer<float> x, buffer<float> y, float a)\n"
  "{\n"
  "    uint i = global_id.x;\n"
  "    y[i] = a * x[i] + y[i];\n"
  "}\n";

/* What a program with a window would show in a dialogue. */
static gboolean
report (const GError *error)
{
  fprintf (stderr, "saxpy: %s\n", error->message);
  return FALSE;
}

static gboolean
is_right (const float *y)
{
  for (guint i = 0; i < LENGTH; i++)
    if (y[i] != 2.0f * (float) i + 1.0f)
      {
        fprintf (stderr, "saxpy: y[%u] is %g, not %g\n", i, y[i], 2.0 * i + 1.0);
        return FALSE;
      }
  return TRUE;
}

static gboolean
run (float *x, float *y)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GabbroContext) context = gabbro_context_new (NULL, &error);
  g_autoptr (GabbroDevice) device = context ? gabbro_context_open_device (context, NULL, &error) : NULL;
  g_autoptr (GabbroModule) module = NULL;
  g_autoptr (GabbroKernel) kernel = NULL;
  g_autoptr (GabbroShader) shader = NULL;
  g_autoptr (GabbroBuffer) buffer_x = NULL, buffer_y = NULL;
  g_autoptr (GabbroStream) stream = NULL;
  g_autoptr (GabbroCommandList) list = NULL;

  if (device == NULL
      || !(module = gabbro_module_new_from_source ("saxpy", source, -1, &error))
      || !(kernel = gabbro_module_get_kernel (module, "saxpy", &error))
      || !(shader = gabbro_shader_new (device, kernel, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, &error))
      || !(buffer_x = gabbro_buffer_new (device, "float", LENGTH, &error))
      || !(buffer_y = gabbro_buffer_new (device, "float", LENGTH, &error))
      || !(stream = gabbro_stream_new (device, NULL, &error))
      || !(list = gabbro_command_list_new (device, &error)))
    return report (error);

  /* Errors of recording are kept by the list: the submission gives the first. */
  gabbro_command_list_upload (list, buffer_x, 0, x, LENGTH * sizeof *x, NULL);
  gabbro_command_list_upload (list, buffer_y, 0, y, LENGTH * sizeof *y, NULL);
  gabbro_command_list_run (list, shader, LENGTH, 1, 1, NULL, "x", buffer_x, "y", buffer_y, "a", 2.0, NULL);
  gabbro_command_list_download (list, buffer_y, 0, y, LENGTH * sizeof *y, NULL);
  if (!gabbro_stream_submit (stream, list, &error)
      || !gabbro_stream_synchronize (stream, -1, &error))
    return report (error);

  printf ("%s: %d numbers, %u barriers\n", gabbro_adapter_get_name (gabbro_device_get_adapter (device)), LENGTH,
          gabbro_command_list_get_n_barriers (list));
  return TRUE;
}

int
main (void)
{
  float *x = g_new (float, LENGTH), *y = g_new (float, LENGTH);
  gboolean ok;

  for (guint i = 0; i < LENGTH; i++)
    {
      x[i] = (float) i;
      y[i] = 1.0f;
    }
  ok = run (x, y) && is_right (y);
  g_free (x);
  g_free (y);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
