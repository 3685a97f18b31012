/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The entries: from a module of XIR to a finished artifact. */

#include "config.h"

#include "codegen/spirv/spirv.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "codegen/passes/passes.h"
#include "codegen/spirv/emit.h"
#include "codegen/spirv/plan-layout.h"
#include "codegen/spirv/plan.h"
#include "codegen/xir/verify.h"

/* The private data of an error, which GLib keeps in front of it. */
static struct xir_location *
location_of (const GError *error)
{
  const gsize alignment = 2 * sizeof (gsize);
  const gsize size = (sizeof (struct xir_location) + alignment - 1) & ~(alignment - 1);
  return (struct xir_location *) (((guint8 *) error) - size);
}

static void
error_init (GError *error)
{
  *location_of (error) = (struct xir_location) { 0, 0 };
}

static void
error_copy (const GError *from, GError *to)
{
  *location_of (to) = *location_of (from);
}

static void
error_clear (GError *error)
{
}

GQuark
spirv_error_quark (void)
{
  static gsize quark;
  if (g_once_init_enter (&quark))
    g_once_init_leave (&quark, g_error_domain_register_static ("spirv-error-quark", sizeof (struct xir_location),
                                                               error_init, error_copy, error_clear));
  return (GQuark) quark;
}

void
spirv_error_set_location (GError *error, struct xir_location location)
{
  if (error != NULL && error->domain == SPIRV_ERROR)
    *location_of (error) = location;
}

struct xir_location
spirv_error_get_location (const GError *error)
{
  return error->domain == SPIRV_ERROR ? *location_of (error) : (struct xir_location) { 0, 0 };
}

/* What is done with the module after each pass. */
struct after_pass
{
  const struct spirv_options *options;
  GString *report;                       /* of the first pass that left an invalid module */
};

static void
after_pass (const struct xir_pass *pass, const struct xir_module *module, gpointer data)
{
  struct after_pass *after = data;
  const struct spirv_observer *observer = after->options->observer;
  if (observer != NULL && observer->module != NULL)
    observer->module (pass->name, module, observer->data);
  if (!after->options->verify_passes || after->report != NULL || xir_verify_module (module, NULL) == 0)
    return;
  after->report = g_string_new (NULL);
  g_string_append_printf (after->report, "%s:\n", pass->name);
  xir_verify_module (module, after->report);
}

static void
observe_words (const struct spirv_options *options, const char *stage, const struct spirv_result *result)
{
  if (options->observer != NULL && options->observer->words != NULL)
    options->observer->words (stage, result->words, result->n_words, options->observer->data);
}

/* What the target does not say it has; without a target nothing is missing. */
static unsigned
missing_atomics (const struct spirv_target *target)
{
  static const struct { enum spirv_feature feature; enum xir_float_atomics atomics; } table[] = {
    { SPIRV_FEATURE_BUFFER_FLOAT32_ATOMICS, XIR_BUFFER_FLOAT_EXCHANGE },
    { SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_ADD, XIR_BUFFER_FLOAT_ADD },
    { SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_MIN_MAX, XIR_BUFFER_FLOAT_MIN_MAX },
    { SPIRV_FEATURE_SHARED_FLOAT32_ATOMICS, XIR_SHARED_FLOAT_EXCHANGE },
    { SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_ADD, XIR_SHARED_FLOAT_ADD },
    { SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_MIN_MAX, XIR_SHARED_FLOAT_MIN_MAX }
  };
  unsigned missing = 0;
  for (gsize i = 0; target != NULL && i < G_N_ELEMENTS (table); i++)
    if ((target->features >> table[i].feature & 1) == 0)
      missing |= table[i].atomics;
  return missing;
}

/* What lowering has to do at the least: for the interpreter resources are no values, and the parts of bitcasts are
 * lanes (interpret.h). */
static bool
specialize (struct xir_module *module, const struct xir_pass_options *options, xir_pass_observer observe, gpointer data,
            GError **error)
{
  static const char *const names[] = { "lower-print", "specialize-resources", "lower-bitcasts" };
  GError *own_error = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const struct xir_pass *pass = xir_pass_find (names[i]);
      pass->run (module, options, &own_error);
      if (own_error != NULL)
        {
          g_propagate_error (error, own_error);
          return false;
        }
      if (observe != NULL)
        observe (pass, module, data);
    }
  return true;
}

/* A verified, lowered copy of the module; NULL with `error` set. */
static struct xir_module *
lower (const struct xir_module *module, const struct spirv_target *target, const struct spirv_options *options, bool for_words,
       GError **error)
{
  GString *report = g_string_new (NULL);
  guint n_errors = xir_verify_module (module, NULL);
  if (n_errors != 0)
    {
      xir_verify_module (module, report);
      g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED, _("the module is not valid:\n%s"), report->str);
      g_string_free (report, TRUE);
      return NULL;
    }
  g_string_free (report, TRUE);
  struct xir_module *copy = xir_module_clone (module);
  const struct xir_pass_options pass_options = {
    .bounds_checks = options->bounds_checks, .missing_atomics = missing_atomics (target), .needs_words = spirv_needs_words
  };
  struct after_pass after = { options, NULL };
  bool watched = options->verify_passes || options->observer != NULL;
  xir_pass_observer observe = watched ? after_pass : NULL;
  bool done = for_words ? xir_run_pipeline (copy, &pass_options, options->xir_optimization, observe, &after, error)
                        : specialize (copy, &pass_options, observe, &after, error);
  if (done && after.report != NULL)
    {
      g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_INTERNAL, _("a pass left an invalid module: %s"), after.report->str);
      done = false;
    }
  if (after.report != NULL)
    g_string_free (after.report, TRUE);
  if (!done)
    g_clear_pointer (&copy, xir_module_free);
  return copy;
}

static const char *
last_part (const char *name)
{
  const char *slash = strrchr (name, G_DIR_SEPARATOR);
  return slash != NULL ? slash + 1 : name;
}

static void
fill_print (const struct spirv_plans *plans, uint32_t first_hidden, struct spirv_result *out)
{
  const struct xir_module *module = plans->module;
  const struct spirv_argument *dispatch = &plans->binding.arguments[first_hidden], *buffer = dispatch + 1;
  struct spirv_print *print = &out->print;
  print->dispatch_offset = dispatch->offset;
  print->metadata_offset = buffer->metadata_offset;
  print->binding = buffer->binding;
  /* All prints may have been found to be dead. */
  print->n_sites = buffer->usage != 0 ? module->print_sites->len : 0;
  print->sites = gb_arena_array (&out->arena, struct spirv_print_site, print->n_sites + 1);
  for (uint32_t i = 0; i < print->n_sites; i++)
    {
      const struct xir_print_site *site = module->print_sites->pdata[i];
      const char *file = site->location.file != 0 ? xir_module_file (module, site->location.file) : NULL;
      print->sites[i] = (struct spirv_print_site) {
        .format = site->format, .file = file != NULL ? last_part (file) : NULL,
        .condition = site->is_assert ? (site->condition != NULL ? site->condition : "") : NULL,
        .line = site->location.line, .column = site->location.column, .types = site->types, .n_types = site->n_types
      };
    }
}

/* Gives the sites memory of this arena. */
static void
keep_print (struct spirv_result *result)
{
  struct spirv_print *print = &result->print;
  print->sites = gb_arena_memdup (&result->arena, print->sites, print->n_sites * sizeof *print->sites);
  for (uint32_t i = 0; i < print->n_sites; i++)
    {
      struct spirv_print_site *site = &print->sites[i];
      site->format = gb_arena_strdup (&result->arena, site->format);
      site->condition = site->condition != NULL ? gb_arena_strdup (&result->arena, site->condition) : NULL;
      site->file = site->file != NULL ? gb_arena_strdup (&result->arena, site->file) : NULL;
      site->types = gb_arena_memdup (&result->arena, site->types, site->n_types * sizeof *site->types);
    }
}

/* Hidden arguments are the last ones. */
static uint32_t
count_arguments (const struct xir_function *kernel)
{
  uint32_t n = kernel->n_arguments;
  while (n > 0 && kernel->arguments[n - 1]->is_hidden)
    n--;
  return n;
}

static void
fill_result (const struct spirv_plans *plans, uint32_t *words, gsize n_words, struct spirv_result *out)
{
  const struct spirv_binding_plan *binding = &plans->binding;
  gb_arena_init (&out->arena, 0);
  out->words = words != NULL ? gb_arena_memdup (&out->arena, words, n_words * sizeof (uint32_t)) : NULL;
  out->n_words = n_words;
  out->entry_point = "main";
  memcpy (out->group_size, plans->kernel->group_size, sizeof out->group_size);
  out->required_features = plans->features.required;
  out->needs_whole_groups = plans->usage.is_convergent && !plans->usage.asks_in_dispatch;
  out->n_arguments = count_arguments (plans->kernel);
  out->print = (struct spirv_print) { .binding = G_MAXUINT32, .metadata_offset = G_MAXUINT32, .dispatch_offset = G_MAXUINT32 };
  if (out->n_arguments < binding->n_arguments)
    fill_print (plans, out->n_arguments, out);
  keep_print (out);
  out->arguments = gb_arena_memdup (&out->arena, binding->arguments, out->n_arguments * sizeof *binding->arguments);
  for (uint32_t i = 0; i < out->n_arguments; i++)
    {
      struct spirv_argument *argument = &out->arguments[i];
      argument->name = argument->name != NULL ? gb_arena_strdup (&out->arena, argument->name) : NULL;
      argument->source_type = argument->source_type != NULL ? gb_arena_strdup (&out->arena, argument->source_type) : NULL;
    }
  out->bindings = gb_arena_memdup (&out->arena, binding->bindings, binding->n_bindings * sizeof *binding->bindings);
  out->n_bindings = binding->n_bindings;
  for (uint32_t i = 0; i < out->n_bindings; i++)
    if (out->bindings[i].kind == SPIRV_BINDING_PRINT_BUFFER)
      out->bindings[i].argument = G_MAXUINT32;
  out->argument_size = binding->argument_size;
  out->arguments_in_block = binding->arguments_in_block;
  out->inlined_size = plans->inlined_size;
  out->push_constant_size = binding->push_constant_size;
}

/* Plans and words of a lowered module into `out`. */
static bool
emit_lowered (const struct xir_module *lowered, const char *kernel, const struct spirv_target *target,
              const struct spirv_options *options, struct spirv_result *out, GError **error)
{
  struct spirv_plans plans;
  uint32_t *words = NULL;
  gsize n_words = 0;
  if (!spirv_plans_init (&plans, lowered, kernel, target, error))
    return false;
  bool done = spirv_emit_module (&plans, options, &words, &n_words, error);
  if (done)
    fill_result (&plans, words, n_words, out);
  g_free (words);
  spirv_plans_clear (&plans);
  return done;
}

static bool
lower_and_emit (const struct xir_module *module, const char *kernel, const struct spirv_target *target,
                const struct spirv_options *options, struct spirv_result *out, GError **error)
{
  gint64 start = g_get_monotonic_time ();
  struct xir_module *lowered = lower (module, target, options, true, error);
  if (lowered == NULL)
    return false;
  gint64 middle = g_get_monotonic_time ();
  bool done = emit_lowered (lowered, kernel, target, options, out, error);
  xir_module_free (lowered);
  out->lower_time = middle - start;
  out->emit_time = g_get_monotonic_time () - middle;
  return done;
}

/* The level that the optimiser may run: level 3 begins by inlining every call. A note goes to `*note` where that is
 * not the level asked for. */
static uint32_t
affordable_level (uint32_t level, uint64_t inlined_size, char **note)
{
  const uint32_t modest = 2;
  if (level <= modest || inlined_size <= SPIRV_MAX_INLINED)
    return level;
  *note = g_strdup_printf (_("with every call inlined there would be about %" PRIu64 " instructions, the limit is %" PRIu64
                             "; level %u took the place of level %u"),
                           inlined_size, SPIRV_MAX_INLINED, modest, level);
  return modest;
}

/* The optimiser's words have been validated; without any, those that we have are kept. */
static void
optimize (const struct spirv_options *options, struct spirv_result *result)
{
  uint32_t *words = NULL;
  gsize n_words = 0;
  char *note = NULL, *modest_note = NULL;
  GError *error = NULL;
  if (options->optimization_level == 0)
    return;
  gint64 start = g_get_monotonic_time ();
  uint32_t level = affordable_level (options->optimization_level, result->inlined_size, &modest_note);
  if (spirv_optimize (result->words, result->n_words, level, NULL, &words, &n_words, &note, &error))
    {
      result->words = gb_arena_memdup (&result->arena, words, n_words * sizeof (uint32_t));
      result->n_words = n_words;
      g_free (words);
    }
  const char *rest = note != NULL ? note : error != NULL ? error->message : NULL;
  char *both = modest_note != NULL && rest != NULL ? g_strdup_printf ("%s; %s", modest_note, rest) : NULL;
  if (modest_note != NULL || rest != NULL)
    result->optimizer_note = gb_arena_strdup (&result->arena, both != NULL ? both : modest_note != NULL ? modest_note : rest);
  g_free (both);
  g_free (modest_note);
  g_free (note);
  g_clear_error (&error);
  result->optimize_time = g_get_monotonic_time () - start;
}

bool
spirv_emit (const struct xir_module *module, const char *kernel, const struct spirv_target *target,
            const struct spirv_options *options, struct spirv_result *out, GError **error)
{
  struct spirv_result result = { .n_words = 0 };
  if (!lower_and_emit (module, kernel, target, options, &result, error))
    return false;
  if (!spirv_features_check (result.required_features, target, error))
    {
      spirv_result_clear (&result);
      return false;
    }
  *out = result;
  return true;
}

bool
spirv_compile (const struct xir_module *module, const char *kernel, const struct spirv_target *target,
               const struct spirv_options *options, struct spirv_result *out, GError **error)
{
  struct spirv_result result = { .n_words = 0 };
  if (!lower_and_emit (module, kernel, target, options, &result, error))
    return false;
  observe_words (options, "emitted", &result);
  gint64 start = g_get_monotonic_time ();
  bool valid = spirv_validate (result.words, result.n_words, error);
  result.validate_time = g_get_monotonic_time () - start;
  if (valid)
    {
      optimize (options, &result);
      observe_words (options, "optimized", &result);
      /* Judged on the words that are kept: what the optimiser took away needs no feature. */
      result.required_features &= spirv_features_of_module (result.words, result.n_words) | spirv_features_of_emitter ();
      valid = spirv_features_check (result.required_features, target, error);
    }
  if (!valid)
    {
      spirv_result_clear (&result);
      return false;
    }
  *out = result;
  return true;
}

bool
spirv_lower (const struct xir_module *module, const char *kernel, const struct spirv_target *target,
             const struct spirv_options *options, struct spirv_result *out, GError **error)
{
  gint64 start = g_get_monotonic_time ();
  struct spirv_result result = { .n_words = 0 };
  struct spirv_plans plans;
  struct xir_module *lowered = lower (module, target, options, false, error);
  if (lowered == NULL)
    return false;
  if (!spirv_plans_init_binding (&plans, lowered, kernel, target, error))
    {
      xir_module_free (lowered);
      return false;
    }
  fill_result (&plans, NULL, 0, &result);
  spirv_plans_clear (&plans);
  result.lowered = lowered;
  result.lower_time = g_get_monotonic_time () - start;
  *out = result;
  return true;
}

bool
spirv_reflect (const struct xir_module *module, const char *kernel, struct spirv_result *out, GError **error)
{
  const struct spirv_options options = { .xir_optimization = true };
  struct spirv_result result = { .n_words = 0 };
  struct spirv_plans plans;
  struct xir_module *lowered = lower (module, NULL, &options, true, error);
  if (lowered == NULL)
    return false;
  bool done = spirv_plans_init (&plans, lowered, kernel, NULL, error);
  if (done)
    {
      fill_result (&plans, NULL, 0, &result);
      spirv_plans_clear (&plans);
      *out = result;
    }
  xir_module_free (lowered);
  return done;
}

void
spirv_result_copy (const struct spirv_result *from, struct spirv_result *out)
{
  struct gb_arena *arena = &out->arena;
  *out = *from;
  gb_arena_init (arena, 0);
  out->lowered = from->lowered != NULL ? xir_module_clone (from->lowered) : NULL;
  out->words = from->words != NULL ? gb_arena_memdup (arena, from->words, from->n_words * sizeof *from->words) : NULL;
  out->bindings = gb_arena_memdup (arena, from->bindings, from->n_bindings * sizeof *from->bindings);
  out->arguments = gb_arena_memdup (arena, from->arguments, from->n_arguments * sizeof *from->arguments);
  out->optimizer_note = from->optimizer_note != NULL ? gb_arena_strdup (arena, from->optimizer_note) : NULL;
  keep_print (out);
  for (uint32_t i = 0; i < out->n_arguments; i++)
    {
      struct spirv_argument *argument = &out->arguments[i];
      argument->name = argument->name != NULL ? gb_arena_strdup (arena, argument->name) : NULL;
      argument->source_type = argument->source_type != NULL ? gb_arena_strdup (arena, argument->source_type) : NULL;
    }
}

void
spirv_result_clear (struct spirv_result *result)
{
  gb_arena_clear (&result->arena);
  xir_module_free (result->lowered);
  memset (result, 0, sizeof *result);
}
