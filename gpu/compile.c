/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/compile.h"

#include <stdlib.h>

#include "codegen/passes/passes.h"
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
  const struct xir_function *function = xir_module_find_function (gabbro_module_get_xir (module), kernel);
  char *message = g_strdup_printf (_("The kernel “%s”: %s"), kernel, spirv_error->message);

  /* What is about no place in it is about the kernel. */
  if (location.line == 0 && function != NULL)
    location = function->location;
  gabbro_compile_error_set (error, translate_code (spirv_error),
                            gabbro_diagnostics_single (gabbro_module_get_name (module), location.line, location.column, message), message);
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

gboolean
gabbro_compile (GabbroKernel *kernel,
                GabbroAdapter *adapter,
                GabbroCompileFlags flags,
                gint optimization_level,
                struct spirv_result *out,
                GError **error)
{
  struct spirv_target target;
  struct spirv_options options = {
    .optimization_level = (uint32_t) choose_level (adapter, optimization_level),
    .xir_optimization = (flags & GABBRO_COMPILE_NO_XIR_OPTIMIZATION) == 0,
    .bounds_checks = (flags & GABBRO_COMPILE_BOUNDS_CHECKS) != 0,
    .debug_names = (flags & GABBRO_COMPILE_DEBUG_NAMES) != 0,
    .verify_passes = has_debug_word (adapter, "verify-passes"),
  };
  struct gabbro_dump dump = { find_option (adapter, "dump", "GABBRO_DUMP"), gabbro_kernel_get_name (kernel), 0 };
  struct spirv_observer observer = gabbro_dump_observer;
  GError *spirv_error = NULL;

  if (adapter != NULL && !gabbro_adapter_check (adapter, error))
    return FALSE;
  if (optimization_level < GABBRO_OPTIMIZATION_DEFAULT || optimization_level > MAX_LEVEL)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT, _("There are optimisation levels 0 to %d, not %d"),
                   MAX_LEVEL, optimization_level);
      return FALSE;
    }
  observer.data = &dump;
  if (dump.folder != NULL)
    options.observer = &observer;
  gabbro_adapter_fill_target (adapter, &target);
  if (spirv_compile (gabbro_module_get_xir (gabbro_kernel_get_module (kernel)), gabbro_kernel_get_name (kernel),
                     &target, &options, out, &spirv_error))
    {
      log_note (adapter, gabbro_kernel_get_name (kernel), out);
      return TRUE;
    }
  gabbro_compile_translate_error (gabbro_kernel_get_module (kernel), gabbro_kernel_get_name (kernel), spirv_error, error);
  return FALSE;
}
