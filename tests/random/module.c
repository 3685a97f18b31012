/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/module.h"

#include <string.h>

struct source
{
  const struct kernel *kernel;
  gboolean fault;
};

static GBytes *
find_import (const char *path, const char *importer G_GNUC_UNUSED, char **name G_GNUC_UNUSED, gpointer user_data, GError **error)
{
  const struct source *source = user_data;

  for (guint part = 0; part < N_PARTS; part++)
    if (strcmp (path, part_names[part]) == 0)
      {
        char *text = kernel_print_part (source->kernel, source->fault, (enum part) part);
        return g_bytes_new_take (text, strlen (text));
      }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "there is no %s", path);
  return NULL;
}

GabbroModule *
module_new (const struct kernel *kernel, gboolean fault, GError **error)
{
  struct source source = { kernel, fault };
  char *text = kernel->has_imports ? kernel_print_part (kernel, fault, PART_KERNEL) : kernel_print (kernel, fault);
  GVariantBuilder options;
  GabbroModule *module;

  g_variant_builder_init (&options, G_VARIANT_TYPE ("a{ss}"));
  for (guint i = 0; i < kernel->options->len; i++)
    {
      const struct variable *option = kernel->options->pdata[i];
      char *value;
      if (option->removed || option->is_default)
        continue;
      value = literal_print (option->chosen);
      g_variant_builder_add (&options, "{ss}", option->name, value);
      g_free (value);
    }
  module = gabbro_module_new_with_options (part_names[PART_KERNEL], text, -1, g_variant_builder_end (&options), find_import, &source, error);
  g_free (text);
  return module;
}
