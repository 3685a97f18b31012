/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/dump.h"

#include "codegen/xir/print.h"
#include "gpu/gabbro-private.h"

static void
dump_bytes (const struct gabbro_dump *dump, const char *suffix, const char *data, gssize size)
{
  char *base = g_path_get_basename (dump->name), *file, *path;
  GError *error = NULL;

  if (dump->folder != NULL)
    {
      g_strcanon (base, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_.", '_');
      file = g_strconcat (base, ".", suffix, NULL);
      path = g_build_filename (dump->folder, file, NULL);
      /* A dump that cannot be written must not make the compile fail. */
      if (!g_file_set_contents (path, data, size, &error))
        {
          g_info ("GABBRO_DUMP: %s", error->message);
          g_error_free (error);
        }
      g_free (path);
      g_free (file);
    }
  g_free (base);
}

void
gabbro_dump_text (const struct gabbro_dump *dump, const char *suffix, const char *text)
{
  dump_bytes (dump, suffix, text, -1);
}

static void
dump_module (const char *pass, const struct xir_module *module, gpointer data)
{
  struct gabbro_dump *dump = data;
  GString *text = g_string_new (NULL);
  char *suffix = g_strdup_printf ("%02u-%s.xir", dump->step++, pass);

  xir_print_module (module, text);
  gabbro_dump_text (dump, suffix, text->str);
  g_free (suffix);
  g_string_free (text, TRUE);
}

static void
dump_words (const char *stage, const uint32_t *words, gsize n_words, gpointer data)
{
  struct gabbro_dump *dump = data;
  char *suffix = g_strdup_printf ("%02u-%s.spv", dump->step, stage);
  char *assembly_suffix = g_strdup_printf ("%02u-%s.spvasm", dump->step++, stage);
  char *assembly = spirv_disassemble (words, n_words, NULL);

  dump_bytes (dump, suffix, (const char *) words, (gssize) (n_words * sizeof *words));
  if (assembly != NULL)
    gabbro_dump_text (dump, assembly_suffix, assembly);
  g_free (assembly);
  g_free (assembly_suffix);
  g_free (suffix);
}

const struct spirv_observer gabbro_dump_observer = { dump_module, dump_words, NULL };
