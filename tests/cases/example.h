/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernels of data/examples for tests, at all levels of optimisation. */

#pragma once

#include "tests/gpu/device-test.h"

/* Levels of optimisation and checks that every example is run with. */
static const struct
{
  gint level;
  GabbroCompileFlags flags;
} example_configurations[] = {
  { 0, GABBRO_COMPILE_NO_XIR_OPTIMIZATION },
  { GABBRO_OPTIMIZATION_DEFAULT, GABBRO_COMPILE_DEFAULT },
  { 3, GABBRO_COMPILE_BOUNDS_CHECKS },
};

static inline char *
read_example (const char *file)
{
  const char *top = g_getenv ("top_srcdir");
  char *path = g_build_filename (top != NULL ? top : ".", "data", "examples", file, NULL);
  GError *error = NULL;
  char *source;

  g_file_get_contents (path, &source, NULL, &error);
  assert_no_error (error);
  g_free (path);
  return source;
}

static inline GabbroShader *
configured_shader (GabbroDevice *device, const char *source, const char *name, guint configuration)
{
  GabbroKernel *kernel = new_kernel (source, name);
  GError *error = NULL;
  GabbroShader *shader = gabbro_shader_new (device, kernel, example_configurations[configuration].flags,
                                            example_configurations[configuration].level, &error);

  assert_no_error (error);
  g_object_unref (kernel);
  return shader;
}

static inline GabbroShader *
example_shader (GabbroDevice *device, const char *file, const char *name, guint configuration)
{
  char *source = read_example (file);
  GabbroShader *shader = configured_shader (device, source, name, configuration);

  g_free (source);
  return shader;
}
