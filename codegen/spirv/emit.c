/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The module: capabilities, modes, entry point, functions. */

#include "config.h"

#include "codegen/spirv/emit.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "codegen/spirv/plan-size.h"

static const char entry_name[] = "main";

static void
emit_capabilities (struct spirv_emitter *emitter)
{
  const struct spirv_features *features = &emitter->plans->features;
  spirv_capability (&emitter->writer, SpvCapabilityShader);
  if (features->uses_image_queries)
    spirv_capability (&emitter->writer, SpvCapabilityImageQuery);
  for (unsigned i = 0; i < SPIRV_N_FEATURES; i++)
    {
      const struct spirv_feature_need need = spirv_feature_need ((enum spirv_feature) i);
      if ((features->required >> i & 1) == 0 || need.capability == 0)
        continue;
      spirv_capability (&emitter->writer, (SpvCapability) need.capability);
      if (need.extension != NULL)
        spirv_extension (&emitter->writer, need.extension);
    }
}

static void
emit_entry_point (struct spirv_emitter *emitter)
{
  struct spirv_writer *writer = &emitter->writer;
  const struct xir_function *kernel = emitter->plans->kernel;
  uint32_t main_function = emitter->functions[emitter->plans->call_graph.n_functions - 1];
  spirv_begin (writer, SPIRV_SECTION_ENTRY_POINTS, SpvOpEntryPoint);
  spirv_word (writer, SPIRV_SECTION_ENTRY_POINTS, SpvExecutionModelGLCompute);
  spirv_word (writer, SPIRV_SECTION_ENTRY_POINTS, main_function);
  spirv_text (writer, SPIRV_SECTION_ENTRY_POINTS, entry_name);
  for (guint i = 0; i < emitter->interface->len; i++)
    spirv_word (writer, SPIRV_SECTION_ENTRY_POINTS, g_array_index (emitter->interface, uint32_t, i));
  spirv_end (writer, SPIRV_SECTION_ENTRY_POINTS);
  const uint32_t size[] = {
    main_function, SpvExecutionModeLocalSize, kernel->group_size[0], kernel->group_size[1], kernel->group_size[2]
  };
  spirv_write (writer, SPIRV_SECTION_EXECUTION_MODES, SpvOpExecutionMode, size, G_N_ELEMENTS (size));
  for (unsigned i = 0; i < SPIRV_N_FEATURES; i++)
    {
      struct spirv_feature_need need = spirv_feature_need (i);
      const uint32_t mode[] = { main_function, need.mode, need.width };
      if (need.width != 0 && (emitter->plans->features.required >> i & 1) != 0)
        spirv_write (writer, SPIRV_SECTION_EXECUTION_MODES, SpvOpExecutionMode, mode, G_N_ELEMENTS (mode));
    }
}

static uint32_t
emit_source_name (struct spirv_emitter *emitter, const char *name)
{
  struct spirv_writer *writer = &emitter->writer;
  uint32_t words = 0;
  if (!emitter->options->debug_names || name == NULL || !spirv_plan_size (SPIRV_SIZED_NAME, strlen (name), &words))
    return 0;
  uint32_t id = spirv_new_id (writer);
  spirv_begin (writer, SPIRV_SECTION_DEBUG_STRINGS, SpvOpString);
  spirv_word (writer, SPIRV_SECTION_DEBUG_STRINGS, id);
  spirv_text (writer, SPIRV_SECTION_DEBUG_STRINGS, name);
  spirv_end (writer, SPIRV_SECTION_DEBUG_STRINGS);
  return id;
}

uint32_t
spirv_emit_file (struct spirv_emitter *emitter, uint32_t file)
{
  const struct xir_module *module = emitter->plans->module;
  if (file == 0 || file > module->files->len)
    return emitter->source;
  if (emitter->files == NULL)
    emitter->files = g_new0 (uint32_t, module->files->len + 1);
  if (emitter->files[file] == 0)
    emitter->files[file] = emit_source_name (emitter, xir_module_file (module, file));
  return emitter->files[file];
}

static void
emitter_init (struct spirv_emitter *emitter, const struct spirv_plans *plans, const struct spirv_options *options)
{
  memset (emitter, 0, sizeof *emitter);
  spirv_writer_init (&emitter->writer);
  spirv_types_init (&emitter->types, &emitter->writer);
  emitter->plans = plans;
  emitter->options = options;
  emitter->ids = g_new0 (uint32_t, MAX (plans->module->next_id, 1));
  emitter->constant_variables = g_hash_table_new (NULL, NULL);
  emitter->interface = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  emitter->functions = g_new0 (uint32_t, plans->call_graph.n_functions);
  emitter->arguments = g_new0 (struct spirv_emitter_argument, MAX (plans->binding.n_arguments, 1));
  emitter->phi_patches = g_array_new (FALSE, FALSE, sizeof (struct spirv_phi_patch));
}

static void
emitter_clear (struct spirv_emitter *emitter)
{
  spirv_types_clear (&emitter->types);
  spirv_writer_clear (&emitter->writer);
  g_free (emitter->ids);
  g_hash_table_unref (emitter->constant_variables);
  g_array_unref (emitter->interface);
  g_free (emitter->functions);
  g_free (emitter->arguments);
  g_free (emitter->labels);
  g_free (emitter->files);
  g_array_unref (emitter->phi_patches);
}

bool
spirv_emit_module (const struct spirv_plans *plans, const struct spirv_options *options, uint32_t **words, gsize *n_words,
                   GError **error)
{
  struct spirv_emitter emitter;
  emitter_init (&emitter, plans, options);
  emit_capabilities (&emitter);
  emitter.source = emit_source_name (&emitter, plans->module->source_name);
  for (uint32_t i = 0; i < plans->call_graph.n_functions; i++)
    emitter.functions[i] = spirv_new_id (&emitter.writer);
  spirv_emit_globals (&emitter);
  for (uint32_t i = 0; i < plans->call_graph.n_functions; i++)
    spirv_emit_function (&emitter, i);
  spirv_emit_pow_int_functions (&emitter);
  emit_entry_point (&emitter);
  uint32_t *result = spirv_writer_finish (&emitter.writer, n_words);
  if (result == NULL)
    g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_TOO_LARGE, "%s", emitter.writer.error);
  else
    *words = result;
  emitter_clear (&emitter);
  return result != NULL;
}
