/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/compile.h"

#include <stdlib.h>

#include <string.h>

#include "codegen/passes/passes.h"
#include "gpu/bundle/artifact.h"
#include "gpu/bundle/cache.h"
#include "gpu/bundle/identity.h"
#include "gpu/context-core.h"
#include "gpu/diagnostic-private.h"
#include "gpu/dump.h"

#define DEFAULT_LEVEL 2
#define MAX_LEVEL     3

static const GabbroCompileError compile_codes[] = {
  [SPIRV_ERROR_UNSUPPORTED] = GABBRO_COMPILE_ERROR_UNSUPPORTED,
  [SPIRV_ERROR_TARGET] = GABBRO_COMPILE_ERROR_TARGET,
  [SPIRV_ERROR_TOO_LARGE] = GABBRO_COMPILE_ERROR_TOO_LARGE,
  [SPIRV_ERROR_INTERNAL] = GABBRO_COMPILE_ERROR_INTERNAL,
};

/* What passes over the intermediate representation refuse. */
static const GabbroCompileError pass_codes[] = {
  [XIR_PASS_ERROR_RECURSION] = GABBRO_COMPILE_ERROR_UNSUPPORTED,
  [XIR_PASS_ERROR_RESOURCE] = GABBRO_COMPILE_ERROR_UNSUPPORTED,
  [XIR_PASS_ERROR_TOO_LARGE] = GABBRO_COMPILE_ERROR_TOO_LARGE,
};

static GabbroCompileError
translate_code (const GError *error)
{
  if (error->domain == SPIRV_ERROR && (guint) error->code < G_N_ELEMENTS (compile_codes))
    return compile_codes[error->code];
  if (error->domain == XIR_PASS_ERROR && (guint) error->code < G_N_ELEMENTS (pass_codes))
    return pass_codes[error->code];
  return GABBRO_COMPILE_ERROR_INTERNAL;
}

void
gabbro_compile_translate_error (GabbroModule *module, const char *kernel, GError *spirv_error, GError **error)
{
  struct xir_location location = spirv_error_get_location (spirv_error);
  const struct xir_function *function = module != NULL ? xir_module_find_function (gabbro_module_get_xir (module), kernel) : NULL;
  char *message = g_strdup_printf (_("The kernel “%s”: %s"), kernel, spirv_error->message);

  /* What is about no place in it is about the kernel. */
  if (location.line == 0 && function != NULL)
    location = function->location;
  gabbro_compile_error_set (error, translate_code (spirv_error),
                            gabbro_diagnostics_single (module != NULL ? gabbro_module_get_name (module) : kernel, location.line, location.column, message), message);
  g_free (message);
  g_error_free (spirv_error);
}

/* An option of the context, or of the environment where there is none. */
static const char *
find_option (GabbroAdapter *adapter, const char *name, const char *variable)
{
  const char *value;

  if (adapter != NULL)
    return gabbro_context_core_option (gabbro_adapter_get_core (adapter), name);
  value = secure_getenv (variable);
  return value != NULL && value[0] != '\0' ? value : NULL;
}

/* What the caller says, or the user's default. */
static int
choose_level (GabbroAdapter *adapter, gint level)
{
  const char *option = find_option (adapter, "optimization", "GABBRO_OPTIMIZATION");
  guint64 chosen;

  if (level >= 0)
    return level;
  if (option != NULL && g_ascii_string_to_unsigned (option, 10, 0, MAX_LEVEL, &chosen, NULL))
    return (int) chosen;
  return DEFAULT_LEVEL;
}

static bool
has_debug_word (GabbroAdapter *adapter, const char *word)
{
  const char *option = find_option (adapter, "debug", "GABBRO_DEBUG");
  char **words = option != NULL ? g_strsplit (option, ",", -1) : NULL;
  bool found = false;

  for (char **at = words; at != NULL && *at != NULL && !found; at++)
    found = g_str_equal (g_strstrip (*at), word);
  g_strfreev (words);
  return found;
}

/* The kernel runs as well without it, so it is no warning. */
static void
log_note (GabbroAdapter *adapter, const char *kernel, const struct spirv_result *result)
{
  if (adapter != NULL && result->optimizer_note != NULL)
    gabbro_context_core_log (gabbro_adapter_get_core (adapter), GABBRO_LOG_INFO, _("The kernel “%s”: %s"), kernel,
                             result->optimizer_note);
}

/* All that decides what a compile makes. */
struct request
{
  GabbroKernel *kernel;
  GabbroAdapter *adapter;                /* or NULL */
  GabbroCompileFlags flags;
  struct spirv_target target;
  struct spirv_options options;
};

static gboolean
make_request (GabbroKernel *kernel, GabbroAdapter *adapter, GabbroCompileFlags flags, gint optimization_level, struct request *out,
              GError **error)
{
  if (adapter != NULL && !gabbro_adapter_check (adapter, error))
    return FALSE;
  if (optimization_level < GABBRO_OPTIMIZATION_DEFAULT || optimization_level > MAX_LEVEL)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT, _("There are optimisation levels 0 to %d, not %d"),
                   MAX_LEVEL, optimization_level);
      return FALSE;
    }
  *out = (struct request) {
    .kernel = kernel,
    .adapter = adapter,
    .flags = flags,
    .options = {
      .optimization_level = (uint32_t) choose_level (adapter, optimization_level),
      .xir_optimization = (flags & GABBRO_COMPILE_NO_XIR_OPTIMIZATION) == 0,
      .bounds_checks = (flags & GABBRO_COMPILE_BOUNDS_CHECKS) != 0,
      .debug_names = (flags & GABBRO_COMPILE_DEBUG_NAMES) != 0,
      .verify_passes = has_debug_word (adapter, "verify-passes"),
    }
  };
  gabbro_adapter_fill_target (adapter, &out->target);
  return TRUE;
}

static const char *
dump_folder (const struct request *request)
{
  return find_option (request->adapter, "dump", "GABBRO_DUMP");
}

typedef bool (*compiler) (const struct xir_module *module, const char *kernel, const struct spirv_target *target,
                          const struct spirv_options *options, struct spirv_result *out, GError **error);

static gboolean
compile_by (compiler make, const struct request *request, struct spirv_result *out, GError **error)
{
  const char *name = gabbro_kernel_get_name (request->kernel);
  GabbroModule *module = gabbro_kernel_get_module (request->kernel);
  struct gabbro_dump dump = { dump_folder (request), name, 0 };
  struct spirv_observer observer = gabbro_dump_observer;
  struct spirv_options options = request->options;
  GError *spirv_error = NULL;

  observer.data = &dump;
  if (dump.folder != NULL)
    options.observer = &observer;
  if (make (gabbro_module_get_xir (module), name, &request->target, &options, out, &spirv_error))
    {
      log_note (request->adapter, name, out);
      return TRUE;
    }
  gabbro_compile_translate_error (module, name, spirv_error, error);
  return FALSE;
}

static gboolean
compile (const struct request *request, struct spirv_result *out, GError **error)
{
  return compile_by (spirv_compile, request, out, error);
}

/* For a driver that runs XIR itself. A bundle has none, and it is no work that a cache would spare. */
static gboolean
lower (const struct request *request, struct spirv_result *out, GError **error)
{
  if (gabbro_kernel_get_artifact (request->kernel) == NULL)
    return compile_by (spirv_lower, request, out, error);
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED,
               _("The kernel “%s” is of a bundle, and the driver of “%s” runs kernels from their source alone"),
               gabbro_kernel_get_name (request->kernel), gabbro_adapter_get_name (request->adapter));
  return FALSE;
}

/* A kernel of a bundle has been compiled: what it lacks cannot be added any more. */
static gboolean
use_artifact (const struct request *request, const struct bundle_artifact *artifact, struct spirv_result *out, GError **error)
{
  if ((request->flags & ~artifact->compile_flags & GABBRO_COMPILE_BOUNDS_CHECKS) != 0)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                   _("The kernel “%s” is of a bundle and was compiled without bounds checks"), artifact->kernel);
      return FALSE;
    }
  if (artifact->constants != NULL)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED,
                   _("The kernel “%s” has a block of constants, which this library cannot bind"), artifact->kernel);
      return FALSE;
    }
  if (!bundle_artifact_check_target (artifact, &request->target, error))
    return FALSE;
  spirv_result_copy (&artifact->result, out);
  return TRUE;
}

gboolean
gabbro_compile (GabbroKernel *kernel,
                GabbroAdapter *adapter,
                GabbroCompileFlags flags,
                gint optimization_level,
                struct spirv_result *out,
                GError **error)
{
  const struct bundle_artifact *artifact = gabbro_kernel_get_artifact (kernel);
  struct request request;

  if (!make_request (kernel, adapter, flags, optimization_level, &request, error))
    return FALSE;
  return artifact != NULL ? use_artifact (&request, artifact, out, error) : compile (&request, out, error);
}

/* Artifacts. */

static void
identify (const struct request *request, uint8_t identity[GB_DIGEST_SIZE])
{
  const struct bundle_origin origin = {
    .module = gabbro_kernel_get_module (request->kernel),
    .kernel = gabbro_kernel_get_name (request->kernel),
    .compile_flags = request->flags,
    .optimization_level = request->options.optimization_level,
    .target = &request->target
  };

  bundle_identify (&origin, identity);
}

static struct bundle_artifact *
make_artifact (const struct request *request, const uint8_t identity[GB_DIGEST_SIZE], const struct spirv_result *result, GError **error)
{
  GabbroModule *module = gabbro_kernel_get_module (request->kernel);
  const char *name = gabbro_kernel_get_name (request->kernel);
  const struct xir_function *function = xir_module_find_function (gabbro_module_get_xir (module), name);
  struct bundle_artifact *artifact = g_new0 (struct bundle_artifact, 1);
  /* Where a source was when it was compiled is no part of what is shipped. */
  char *base = g_path_get_basename (gabbro_module_get_name (module));
  struct spirv_interface interface;
  GError *spirv_error = NULL;

  g_atomic_ref_count_init (&artifact->references);
  artifact->types = xir_context_ref (gabbro_module_get_xir (module)->context);
  spirv_result_copy (result, &artifact->result);
  artifact->kernel = gb_arena_strdup (&artifact->result.arena, name);
  artifact->layouts = g_new0 (GabbroLayout *, result->n_arguments + 1);
  for (guint i = 0; i < result->n_arguments; i++)
    artifact->layouts[i] = gabbro_kernel_dup_argument_layout (request->kernel, i);
  memcpy (artifact->identity, identity, GB_DIGEST_SIZE);
  artifact->compile_flags = request->flags;
  artifact->optimization_level = request->options.optimization_level;
  artifact->source_name = gb_arena_strdup (&artifact->result.arena, base);
  g_free (base);
  gabbro_module_get_digest (module, artifact->source_digest);
  artifact->location = function->location;
  if (spirv_inspect (artifact->result.words, artifact->result.n_words, &interface, &spirv_error))
    {
      artifact->shared_size = interface.shared_size;
      return artifact;
    }
  gabbro_compile_translate_error (module, name, spirv_error, error);
  bundle_artifact_unref (artifact);
  return NULL;
}

struct bundle_artifact *
gabbro_compile_artifact (GabbroKernel *kernel, GabbroAdapter *adapter, GabbroCompileFlags flags, gint optimization_level, GError **error)
{
  struct bundle_artifact *artifact = gabbro_kernel_get_artifact (kernel);
  struct request request;
  struct spirv_result result;
  uint8_t identity[GB_DIGEST_SIZE];

  if (artifact != NULL)
    return bundle_artifact_ref (artifact);
  if (!make_request (kernel, adapter, flags, optimization_level, &request, error) || !compile (&request, &result, error))
    return NULL;
  identify (&request, identity);
  artifact = make_artifact (&request, identity, &result, error);
  spirv_result_clear (&result);
  return artifact;
}

/* With the shader cache. */

/* Where somebody looks at what a compile does, it is done. */
static struct bundle_cache *
choose_cache (const struct request *request)
{
  if (dump_folder (request) != NULL || request->options.verify_passes)
    return NULL;
  return gabbro_adapter_get_core (request->adapter)->cache;
}

static bool
find_cached (const struct request *request, struct bundle_cache *cache, const uint8_t key[GB_DIGEST_SIZE], struct spirv_result *out)
{
  struct bundle_artifact *artifact = bundle_cache_load (cache, key, gabbro_kernel_get_name (request->kernel));
  struct xir_context *context = gabbro_module_get_xir (gabbro_kernel_get_module (request->kernel))->context;

  if (artifact == NULL)
    return false;
  spirv_result_copy (&artifact->result, out);
  /* The artifact's own go with it. */
  for (uint32_t i = 0; i < out->n_arguments; i++)
    out->arguments[i].type = xir_type_parse (context, artifact->result.arguments[i].type->text);
  for (uint32_t i = 0; i < out->print.n_sites; i++)
    for (uint32_t j = 0; j < out->print.sites[i].n_types; j++)
      out->print.sites[i].types[j] = xir_type_parse (context, artifact->result.print.sites[i].types[j]->text);
  bundle_artifact_unref (artifact);
  log_note (request->adapter, gabbro_kernel_get_name (request->kernel), out);
  return true;
}

/* A cache that cannot be written is no error: everything works without one. */
static void
store (const struct request *request, struct bundle_cache *cache, const uint8_t key[GB_DIGEST_SIZE],
       const struct spirv_result *result)
{
  GError *error = NULL;
  struct bundle_artifact *artifact = make_artifact (request, key, result, &error);

  if (artifact != NULL && bundle_cache_store (cache, artifact, &error))
    {
      bundle_artifact_unref (artifact);
      return;
    }
  gabbro_context_core_log (gabbro_adapter_get_core (request->adapter), GABBRO_LOG_INFO, _("The shader cache: %s"), error->message);
  g_error_free (error);
  g_clear_pointer (&artifact, bundle_artifact_unref);
}

gboolean
gabbro_compile_for_device (GabbroKernel *kernel,
                           GabbroAdapter *adapter,
                           GabbroCompileFlags flags,
                           gint optimization_level,
                           struct spirv_result *out,
                           enum gabbro_compiled *how,
                           GError **error)
{
  const struct bundle_artifact *artifact = gabbro_kernel_get_artifact (kernel);
  struct bundle_cache *cache;
  struct request request;
  uint8_t key[GB_DIGEST_SIZE];

  *how = artifact != NULL ? GABBRO_COMPILED_BEFORE : GABBRO_COMPILED_NOW;
  if (!make_request (kernel, adapter, flags, optimization_level, &request, error))
    return FALSE;
  if (gabbro_adapter_get_driver_adapter (adapter)->artifact == GABBRO_ARTIFACT_XIR)
    return lower (&request, out, error);
  if (artifact != NULL)
    return use_artifact (&request, artifact, out, error);
  cache = choose_cache (&request);
  if (cache == NULL)
    return compile (&request, out, error);
  identify (&request, key);
  bundle_identify_here (key, gabbro_adapter_get_driver (adapter), &gabbro_adapter_get_driver_adapter (adapter)->info, key);
  if (find_cached (&request, cache, key, out))
    {
      *how = GABBRO_COMPILED_CACHED;
      return TRUE;
    }
  if (!compile (&request, out, error))
    return FALSE;
  store (&request, cache, key, out);
  return TRUE;
}
