/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/context-core.h"

#include <gmodule.h>
#include <inttypes.h>

#include "gpu/bundle/cache.h"
#include "gpu/command/print.h"
#include "gpu/gabbro-private.h"
#include "gpu/drivers/null/null.h"
#include "gpu/drivers/reference/reference.h"
#include "lib/exit.h"
#include "lib/fork.h"

#define MODULE_PREFIX "gabbro-driver-"
#define MODULE_SUFFIX "." G_MODULE_SUFFIX
#define MAX_MESSAGES  256
#define MAX_CACHE_MEBIBYTES (1024 * 1024)

/* Options: the name in the dictionary and the environment variable that fills it. */
static const struct
{
  const char *name;
  const char *variable;
} known_options[] = {
  { "cache", "GABBRO_CACHE" },
  { "cache-size", "GABBRO_CACHE_SIZE" },
  { "check", "GABBRO_CHECK" },
  { "debug", "GABBRO_DEBUG" },
  { "device", "GABBRO_DEVICE" },
  { "device-mask", "GABBRO_DEVICE_MASK" },
  { "driver-path", "GABBRO_DRIVER_PATH" },
  { "drop-barrier", "GABBRO_DROP_BARRIER" },
  { "dump", "GABBRO_DUMP" },
  { "null", "GABBRO_NULL" },
  { "optimization", "GABBRO_OPTIMIZATION" },
  { "print-buffer", "GABBRO_PRINT_BUFFER" },
  { "reap-limit", "GABBRO_REAP_LIMIT" },
  { "reference", "GABBRO_REFERENCE" },
  { "validation", "GABBRO_VALIDATION" },
};

/* Drivers that are part of the library. */
static const struct gabbro_driver *const built_in[] = { &gabbro_null_driver, &gabbro_reference_driver };

/* Programs that say nothing of checks may not know of reports either. */
static bool
is_of_checks (const char *name)
{
  return g_str_equal (name, "check") || g_str_equal (name, "reference");
}

/* Who has a program run on the reference driver by its environment wants to know what its kernels do. */
static void
check_by_default (struct gabbro_context_core *core)
{
  if (g_strcmp0 (g_hash_table_lookup (core->options, "device"), "reference") != 0 || g_hash_table_contains (core->options, "check"))
    return;
  g_hash_table_insert (core->options, g_strdup ("check"), g_strdup ("1"));
  core->prints_reports = true;
}

static bool
read_options (struct gabbro_context_core *core, GVariant *options, GError **error)
{
  GVariantIter iter;
  const char *key;
  GVariant *value;

  for (guint i = 0; i < G_N_ELEMENTS (known_options); i++)
    {
      const char *text = secure_getenv (known_options[i].variable);
      if (text == NULL || text[0] == '\0')
        continue;
      g_hash_table_insert (core->options, g_strdup (known_options[i].name), g_strdup (text));
      core->prints_reports = core->prints_reports || is_of_checks (known_options[i].name);
    }
  check_by_default (core);
  if (options == NULL)
    return true;
  if (!g_variant_is_of_type (options, G_VARIANT_TYPE_VARDICT))
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                   _("Context options have to be of type a{sv}, not %s"), g_variant_get_type_string (options));
      return false;
    }
  g_variant_iter_init (&iter, options);
  while (g_variant_iter_next (&iter, "{&sv}", &key, &value))
    {
      bool known = false;

      for (guint i = 0; i < G_N_ELEMENTS (known_options) && !known; i++)
        known = g_str_equal (key, known_options[i].name);
      if (!known || !g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
        {
          g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                       known ? _("The context option “%s” has to be a string") : _("There is no context option “%s”"), key);
          g_variant_unref (value);
          return false;
        }
      g_hash_table_insert (core->options, g_strdup (key), g_variant_dup_string (value, NULL));
      core->prints_reports = core->prints_reports && !is_of_checks (key);
      g_variant_unref (value);
    }
  return true;
}

/* Options that are whole numbers. */
static const struct
{
  const char *name;
  guint64 least;
  guint64 most;
} number_options[] = {
  { "cache-size", 1, MAX_CACHE_MEBIBYTES },
  { "drop-barrier", 0, G_MAXUINT32 },
  { "optimization", 0, 3 },
  { "print-buffer", GABBRO_PRINT_BUFFER_MIN >> 10, GABBRO_PRINT_BUFFER_MAX >> 10 },
  { "reap-limit", 1, G_MAXINT32 },
  { "validation", 0, 1 },
};

static void
check_debug_words (struct gabbro_context_core *core, const char *words)
{
  char **list = g_strsplit (words, ",", -1);

  for (char **word = list; *word != NULL; word++)
    {
      char *shown = g_utf8_make_valid (g_strstrip (*word), -1);
      if (shown[0] != '\0' && !g_str_equal (shown, "delay-release") && !g_str_equal (shown, "verify-passes"))
        gabbro_context_core_log (core, GABBRO_LOG_WARNING,
                                 _("The option “debug” (GABBRO_DEBUG) has no word “%s”; there are: delay-release, verify-passes"),
                                 shown);
      g_free (shown);
    }
  g_strfreev (list);
}

/* A value that makes no sense stops nothing, but whoever set it wants to know that it does nothing. */
static void
check_options (struct gabbro_context_core *core)
{
  const char *value;
  char *shown;

  for (guint i = 0; i < G_N_ELEMENTS (number_options); i++)
    {
      uint64_t least = number_options[i].least, most = number_options[i].most;
      const char *variable = NULL;

      value = gabbro_context_core_option (core, number_options[i].name);
      if (value == NULL || g_ascii_string_to_unsigned (value, 10, least, most, NULL, NULL))
        continue;
      for (guint j = 0; j < G_N_ELEMENTS (known_options) && variable == NULL; j++)
        if (g_str_equal (known_options[j].name, number_options[i].name))
          variable = known_options[j].variable;
      shown = g_utf8_make_valid (value, -1);
      gabbro_context_core_log (core, GABBRO_LOG_WARNING,
                               _("The option “%s” (%s) is ignored: “%s” is no whole number from %" PRIu64 " to %" PRIu64),
                               number_options[i].name, variable, shown, least, most);
      g_free (shown);
    }
  value = gabbro_context_core_option (core, "debug");
  if (value != NULL)
    check_debug_words (core, value);
  value = gabbro_context_core_option (core, "dump");
  if (value != NULL && !g_file_test (value, G_FILE_TEST_IS_DIR))
    {
      shown = g_filename_display_name (value);
      gabbro_context_core_log (core, GABBRO_LOG_WARNING, _("The option “dump” (GABBRO_DUMP) is ignored: “%s” is no folder"), shown);
      g_free (shown);
    }
}

/* The folder that was asked for, or that of the user; "0" is none. */
static void
open_cache (struct gabbro_context_core *core)
{
  const char *wanted = gabbro_context_core_option (core, "cache"), *size = gabbro_context_core_option (core, "cache-size");
  char *folder = wanted != NULL && !g_str_equal (wanted, "0") ? g_strdup (wanted) : NULL;
  guint64 mebibytes;

  if (wanted == NULL)
    folder = bundle_cache_default_folder ();
  if (folder == NULL)
    return;
  if (size != NULL && g_ascii_string_to_unsigned (size, 10, 1, MAX_CACHE_MEBIBYTES, &mebibytes, NULL))
    core->cache = bundle_cache_new (folder, mebibytes << 20);
  else
    core->cache = bundle_cache_new (folder, BUNDLE_CACHE_DEFAULT_SIZE);
  g_free (folder);
}

const char *
gabbro_context_core_option (struct gabbro_context_core *core, const char *name)
{
  return g_hash_table_lookup (core->options, name);
}

void
gabbro_context_core_log (struct gabbro_context_core *core, enum gabbro_log_level level, const char *format, ...)
{
  static const GLogLevelFlags levels[] = {
    [GABBRO_LOG_ERROR] = G_LOG_LEVEL_WARNING, [GABBRO_LOG_WARNING] = G_LOG_LEVEL_MESSAGE,
    [GABBRO_LOG_INFO] = G_LOG_LEVEL_INFO, [GABBRO_LOG_DEBUG] = G_LOG_LEVEL_DEBUG
  };
  va_list arguments;
  char *message;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  /* Libraries stay quiet: what applications want to show they read with gabbro_context_list_messages(). */
  g_log ("Gabbro", level <= GABBRO_LOG_WARNING ? G_LOG_LEVEL_INFO : levels[level], "%s", message);
  if (level > GABBRO_LOG_WARNING)
    {
      g_free (message);
      return;
    }
  g_mutex_lock (&core->lock);
  if (gabbro_notifier_tell (core->notifier) && core->untold->len < MAX_MESSAGES)
    g_ptr_array_add (core->untold, g_strdup (message));
  if (core->messages->len < MAX_MESSAGES)
    g_ptr_array_add (core->messages, g_steal_pointer (&message));
  g_mutex_unlock (&core->lock);
  g_free (message);
}

GPtrArray *
gabbro_context_core_take_messages (struct gabbro_context_core *core)
{
  GPtrArray *taken, *fresh = g_ptr_array_new_with_free_func (g_free);

  g_mutex_lock (&core->lock);
  taken = core->untold;
  core->untold = fresh;
  g_mutex_unlock (&core->lock);
  return taken;
}

static void
host_log (void *data, enum gabbro_log_level level, const char *message)
{
  gabbro_context_core_log (data, level, "%s", message);
}

static const char *
host_option (void *data, const char *name)
{
  return gabbro_context_core_option (data, name);
}

/* Drivers: a struct gabbro_driver behind the face of a gb_driver. */

static enum gb_probe
probe_driver (struct gb_binding *binding, GError **error)
{
  const struct gabbro_driver *driver = binding->driver->data;
  struct gabbro_bound_driver *bound = g_new0 (struct gabbro_bound_driver, 1);

  gb_undo_add (&binding->undo, g_free, bound);
  bound->driver = driver;
  binding->data = bound;
  switch (driver->probe (binding->host, &binding->undo, &bound->instance, error))
    {
    case GABBRO_PROBE_BOUND:
      return GB_PROBE_BOUND;
    case GABBRO_PROBE_NOTHING:
      return GB_PROBE_NOTHING_HERE;
    case GABBRO_PROBE_FAILED:
    default:
      return GB_PROBE_FAILED;
    }
}

static struct gb_driver *
wrap_driver (const struct gabbro_driver *driver)
{
  struct gb_driver *wrapper = g_new0 (struct gb_driver, 1);

  wrapper->name = driver->name;
  wrapper->abi = driver->abi;
  wrapper->probe = probe_driver;
  wrapper->data = driver;
  return wrapper;
}

/* Modules are never unloaded; `data` keeps the wrappers for as long as the registry. */
static const struct gb_driver *
load_module (const char *name, const char *origin, gpointer data, GError **error)
{
  GModule *module = g_module_open (origin, G_MODULE_BIND_LOCAL);
  gpointer symbol = NULL;
  const struct gabbro_driver *driver;

  if (module == NULL)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_BAD_DRIVER, _("The driver “%s” cannot be loaded: %s"), name, g_module_error ());
      return NULL;
    }
  if (!g_module_symbol (module, GABBRO_DRIVER_SYMBOL, &symbol) || symbol == NULL)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_BAD_DRIVER,
                   _("The file “%s” is no driver: it has no symbol “%s”"), origin, GABBRO_DRIVER_SYMBOL);
      g_module_close (module);
      return NULL;
    }
  driver = symbol;
  if (driver->abi != GABBRO_DRIVER_ABI)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_BAD_DRIVER,
                   _("The driver “%s” was built for interface %u, this library has %u"), name, driver->abi, GABBRO_DRIVER_ABI);
      g_module_close (module);
      return NULL;
    }
  g_module_make_resident (module);
  {
    struct gb_driver *wrapper = wrap_driver (driver);
    g_ptr_array_add (data, wrapper);
    return wrapper;
  }
}

/* Drivers may have logged what they then fail with, and so may the scan before. */
static bool
is_logged (struct gabbro_context_core *core, const char *text)
{
  bool found = false;

  g_mutex_lock (&core->lock);
  for (guint i = 0; i < core->messages->len && !found; i++)
    found = strstr (core->messages->pdata[i], text) != NULL;
  g_mutex_unlock (&core->lock);
  return found;
}

static void
find_modules (struct gabbro_context_core *core)
{
  const char *folder = gabbro_context_core_option (core, "driver-path");
  GError *error = NULL;
  GDir *dir;
  const char *entry;

  if (folder == NULL)
    folder = GABBRO_DRIVERDIR;
  dir = g_dir_open (folder, 0, &error);
  if (dir == NULL)
    {
      if (!is_logged (core, error->message))
        gabbro_context_core_log (core, GABBRO_LOG_WARNING, _("No driver modules: %s"), error->message);
      g_error_free (error);
      return;
    }
  while ((entry = g_dir_read_name (dir)) != NULL)
    {
      char *name, *path;

      if (!g_str_has_prefix (entry, MODULE_PREFIX) || !g_str_has_suffix (entry, MODULE_SUFFIX)
          || strlen (entry) <= strlen (MODULE_PREFIX MODULE_SUFFIX))
        continue;
      name = g_strndup (entry + strlen (MODULE_PREFIX), strlen (entry) - strlen (MODULE_PREFIX MODULE_SUFFIX));
      path = g_build_filename (folder, entry, NULL);
      if (!gb_driver_registry_add_module (core->registry, name, path, &error) && error != NULL)
        {
          if (!is_logged (core, path))
            gabbro_context_core_log (core, GABBRO_LOG_WARNING, _("The file “%s” is ignored: %s"), path, error->message);
          g_clear_error (&error);
        }
      g_free (name);
      g_free (path);
    }
  g_dir_close (dir);
}

static void
unbind (gpointer binding)
{
  gb_driver_unbind (binding);
}

static void
note_bad_driver (struct gabbro_context_core *core, const char *name, const char *why)
{
  g_mutex_lock (&core->lock);
  if (why != NULL)
    g_hash_table_insert (core->bad_drivers, g_strdup (name), g_strdup (why));
  else
    g_hash_table_remove (core->bad_drivers, name);
  g_mutex_unlock (&core->lock);
}

/* "vulkan", and "vulkan0" as its adapters are called. */
static bool
is_of_driver (const char *wanted, const char *driver)
{
  gsize length = strlen (driver);

  return g_ascii_strncasecmp (wanted, driver, length) == 0 && wanted[length + strspn (wanted + length, "0123456789")] == '\0';
}

bool
gabbro_context_core_explain_driver (struct gabbro_context_core *core, const char *wanted, GError **error)
{
  bool is_path = g_str_has_prefix (wanted, "/adapters/"), explained = true;
  const char *adapter = is_path ? wanted + strlen ("/adapters/") : wanted, *driver = NULL;
  char **names = gb_driver_registry_names (core->registry), *why = NULL;

  for (char **name = names; *name != NULL && driver == NULL; name++)
    if (is_of_driver (adapter, *name))
      driver = *name;
  if (driver != NULL)
    {
      g_mutex_lock (&core->lock);
      why = g_strdup (g_hash_table_lookup (core->bad_drivers, driver));
      g_mutex_unlock (&core->lock);
    }
  if (why != NULL)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_BAD_DRIVER, _("The driver “%s” cannot be used: %s"), driver, why);
  /* A path says which driver is meant; anything else may be a part of a name. */
  else if (is_path && driver == NULL)
    {
      char *shown = g_utf8_make_valid (adapter, -1), *all = g_strjoinv (", ", names);

      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NO_DRIVER, _("There is no driver for the adapter “%s”; there are: %s"), shown, all);
      g_free (shown);
      g_free (all);
    }
  else
    explained = false;
  g_free (why);
  g_strfreev (names);
  return explained;
}

GPtrArray *
gabbro_context_core_probe (struct gabbro_context_core *core, GPtrArray *failed)
{
  GPtrArray *bindings = g_ptr_array_new_with_free_func (unbind);
  char **names;

  find_modules (core);
  names = gb_driver_registry_names (core->registry);
  for (char **name = names; *name != NULL; name++)
    {
      GError *error = NULL;
      struct gb_binding *binding = NULL;
      const struct gb_driver *driver = gb_driver_registry_get (core->registry, *name, &error);

      note_bad_driver (core, *name, driver == NULL ? error->message : NULL);
      if (driver != NULL)
        switch (gb_driver_bind (driver, &core->host, NULL, &binding, &error))
          {
          case GB_PROBE_BOUND:
            g_ptr_array_add (bindings, binding);
            break;
          case GB_PROBE_NOTHING_HERE:
            gabbro_context_core_log (core, GABBRO_LOG_DEBUG, "The driver “%s” finds nothing here", *name);
            break;
          case GB_PROBE_FAILED:
          default:
            note_bad_driver (core, *name, error != NULL ? error->message : NULL);
            break;
          }
      if (error != NULL && !is_logged (core, error->message))
        gabbro_context_core_log (core, GABBRO_LOG_WARNING, _("The driver “%s” is not used: %s"), *name, error->message);
      if (error != NULL)
        g_ptr_array_add (failed, g_strdup (*name));
      g_clear_error (&error);
    }
  /* Drivers have been loaded. */
  gb_exit_guard ();
  g_strfreev (names);
  return bindings;
}

/* Life. */

struct gabbro_context_core *
gabbro_context_core_new (GVariant *options, GError **error)
{
  struct gabbro_context_core *core = g_new0 (struct gabbro_context_core, 1);

  g_atomic_ref_count_init (&core->references);
  g_mutex_init (&core->lock);
  core->fork_generation = gb_fork_generation ();
  core->messages = g_ptr_array_new_with_free_func (g_free);
  core->untold = g_ptr_array_new_with_free_func (g_free);
  core->bindings = g_ptr_array_new_with_free_func (unbind);
  core->wrappers = g_ptr_array_new_with_free_func (g_free);
  core->options = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  core->bad_drivers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (!read_options (core, options, error))
    {
      gabbro_context_core_unref (core);
      return NULL;
    }
  check_options (core);
  open_cache (core);
  core->tree = gb_tree_new (gb_tree_flags_from_debug (gabbro_context_core_option (core, "debug")), g_random_int ());
  core->host = (struct gabbro_host) { GABBRO_DRIVER_ABI, core, host_log, host_option };
  core->registry = gb_driver_registry_new (GABBRO_DRIVER_ABI, load_module, core->wrappers);
  for (guint i = 0; i < G_N_ELEMENTS (built_in); i++)
    {
      struct gb_driver *driver = wrap_driver (built_in[i]);
      g_ptr_array_add (core->wrappers, driver);
      gb_driver_registry_add (core->registry, driver, NULL);
    }
  return core;
}

struct gabbro_context_core *
gabbro_context_core_ref (struct gabbro_context_core *core)
{
  g_atomic_ref_count_inc (&core->references);
  return core;
}

void
gabbro_context_core_unref (struct gabbro_context_core *core)
{
  if (!g_atomic_ref_count_dec (&core->references))
    return;
  /* In a forked child drivers and tree belong to the parent, and locks may be held for ever: all of it is left alone. */
  if (core->fork_generation != gb_fork_generation ())
    return;
  g_ptr_array_unref (core->bindings);
  g_clear_pointer (&core->registry, gb_driver_registry_free);
  g_ptr_array_unref (core->wrappers);
  if (core->tree != NULL)
    {
      gb_tree_flush_delayed (core->tree);
      if (gb_tree_n_nodes (core->tree) > 0)
        {
          GString *left = gb_tree_dump (core->tree);
          g_info ("Nodes that outlive their context:\n%s", left->str);
          g_string_free (left, TRUE);
        }
    }
  g_clear_pointer (&core->tree, gb_tree_unref);
  g_hash_table_unref (core->options);
  g_hash_table_unref (core->bad_drivers);
  g_ptr_array_unref (core->messages);
  g_ptr_array_unref (core->untold);
  g_clear_pointer (&core->notifier, gabbro_notifier_unref);
  g_clear_pointer (&core->cache, bundle_cache_free);
  g_mutex_clear (&core->lock);
  g_free (core);
}
