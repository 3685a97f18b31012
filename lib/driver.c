/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/driver.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/node.h"

static void
free_binding (struct gb_binding *binding)
{
  gb_undo_run (&binding->undo);
  gb_node_unref (binding->parent);
  g_free (binding);
}

enum gb_probe
gb_driver_bind (const struct gb_driver *driver,
                gpointer host,
                struct gb_node *parent,
                struct gb_binding **binding,
                GError **error)
{
  struct gb_binding *trial = g_new0 (struct gb_binding, 1);
  GError *problem = NULL;
  enum gb_probe result;

  trial->driver = driver;
  trial->host = host;
  trial->parent = parent != NULL ? gb_node_ref (parent) : NULL;
  gb_undo_init (&trial->undo);

  result = driver->probe (trial, &problem);
  if (result == GB_PROBE_BOUND)
    *binding = trial;
  else
    free_binding (trial);

  if (result == GB_PROBE_FAILED && problem != NULL)
    g_propagate_error (error, problem);
  else if (result == GB_PROBE_FAILED)
    g_set_error (error, GB_ERROR, GB_ERROR_FAILED,
                 _("Driver “%s” failed and gave no reason"), driver->name);
  else
    g_clear_error (&problem);
  return result;
}

void
gb_driver_unbind (struct gb_binding *binding)
{
  if (binding == NULL)
    return;
  if (binding->driver->remove != NULL)
    binding->driver->remove (binding);
  free_binding (binding);
}

struct entry
{
  char *name;
  char *origin;                   /* NULL for built-in drivers */
  const struct gb_driver *driver; /* NULL until loaded */
};

struct gb_driver_registry
{
  guint32 abi;
  gb_driver_load_func load;
  gpointer data;
  GMutex lock;
  GPtrArray *entries;             /* built-in ones first, then modules by name */
  guint n_built_in;
};

static void
free_entry (gpointer data)
{
  struct entry *entry = data;

  g_free (entry->name);
  g_free (entry->origin);
  g_free (entry);
}

struct gb_driver_registry *
gb_driver_registry_new (guint32 abi,
                        gb_driver_load_func load,
                        gpointer data)
{
  struct gb_driver_registry *registry = g_new0 (struct gb_driver_registry, 1);

  registry->abi = abi;
  registry->load = load;
  registry->data = data;
  g_mutex_init (&registry->lock);
  registry->entries = g_ptr_array_new_with_free_func (free_entry);
  return registry;
}

void
gb_driver_registry_free (struct gb_driver_registry *registry)
{
  if (registry == NULL)
    return;
  g_ptr_array_unref (registry->entries);
  g_mutex_clear (&registry->lock);
  g_free (registry);
}

static bool
check_name (const char *name,
            GError **error)
{
  gsize length = 0;
  char *shown;

  while (length < GB_NODE_NAME_MAX
         && (g_ascii_islower (name[length]) || g_ascii_isdigit (name[length])
             || (length != 0 && name[length] == '-')))
    length++;
  if (length != 0 && name[length] == '\0')
    return true;

  shown = g_strescape (name, NULL);
  g_set_error (error, GB_ERROR, GB_ERROR_INVALID_NAME,
               _("“%s” is no name for a driver: up to %d lower-case ASCII letters, digits and “-”"),
               shown, GB_NODE_NAME_MAX);
  g_free (shown);
  return false;
}

static bool
check_driver (const struct gb_driver_registry *registry,
              const struct gb_driver *driver,
              const char *name,
              GError **error)
{
  if (driver->abi != registry->abi)
    {
      g_set_error (error, GB_ERROR, GB_ERROR_WRONG_ABI,
                   _("Driver “%s” was built for driver interface %u; this library has %u"),
                   name, driver->abi, registry->abi);
      return false;
    }
  if (driver->name == NULL || strcmp (driver->name, name) != 0)
    {
      g_set_error (error, GB_ERROR, GB_ERROR_INVALID_NAME,
                   _("The module of driver “%s” holds driver “%s”"),
                   name, driver->name != NULL ? driver->name : "");
      return false;
    }
  if (driver->probe == NULL)
    {
      g_set_error (error, GB_ERROR, GB_ERROR_FAILED, _("Driver “%s” has no probe function"), name);
      return false;
    }
  return true;
}

static struct entry *
find_locked (struct gb_driver_registry *registry,
             const char *name)
{
  for (guint i = 0; i < registry->entries->len; i++)
    {
      struct entry *entry = g_ptr_array_index (registry->entries, i);

      if (strcmp (entry->name, name) == 0)
        return entry;
    }
  return NULL;
}

/* Puts a new entry in its place; false when the name is taken. */
static bool
insert_locked (struct gb_driver_registry *registry,
               const char *name,
               const char *origin,
               const struct gb_driver *driver)
{
  guint at = registry->n_built_in;
  struct entry *entry;

  if (find_locked (registry, name) != NULL)
    return false;

  if (driver != NULL)
    registry->n_built_in++;
  else
    for (; at < registry->entries->len; at++)
      {
        const struct entry *other = g_ptr_array_index (registry->entries, at);

        if (strcmp (other->name, name) > 0)
          break;
      }
  entry = g_new0 (struct entry, 1);
  entry->name = g_strdup (name);
  entry->origin = g_strdup (origin);
  entry->driver = driver;
  g_ptr_array_insert (registry->entries, (gint) at, entry);
  return true;
}

bool
gb_driver_registry_add (struct gb_driver_registry *registry,
                        const struct gb_driver *driver,
                        GError **error)
{
  bool inserted;

  if (!check_name (driver->name, error) || !check_driver (registry, driver, driver->name, error))
    return false;
  g_mutex_lock (&registry->lock);
  inserted = insert_locked (registry, driver->name, NULL, driver);
  g_mutex_unlock (&registry->lock);
  if (!inserted)
    g_set_error (error, GB_ERROR, GB_ERROR_EXISTS,
                 _("There is a driver “%s” already"), driver->name);
  return inserted;
}

bool
gb_driver_registry_add_module (struct gb_driver_registry *registry,
                               const char *name,
                               const char *origin,
                               GError **error)
{
  char *lower = g_ascii_strdown (name, -1);
  bool inserted = false;

  if (check_name (lower, error))
    {
      g_mutex_lock (&registry->lock);
      inserted = insert_locked (registry, lower, origin, NULL);
      g_mutex_unlock (&registry->lock);
    }
  g_free (lower);
  return inserted;
}

char **
gb_driver_registry_names (struct gb_driver_registry *registry)
{
  char **names;

  g_mutex_lock (&registry->lock);
  names = g_new0 (char *, registry->entries->len + 1);
  for (guint i = 0; i < registry->entries->len; i++)
    names[i] = g_strdup (((struct entry *) g_ptr_array_index (registry->entries, i))->name);
  g_mutex_unlock (&registry->lock);
  return names;
}

static const struct gb_driver *
load_driver (struct gb_driver_registry *registry,
             const char *name,
             const char *origin,
             GError **error)
{
  const struct gb_driver *driver;
  GError *problem = NULL;

  driver = registry->load != NULL ? registry->load (name, origin, registry->data, &problem) : NULL;
  if (driver == NULL)
    {
      if (problem != NULL)
        g_propagate_error (error, problem);
      else
        g_set_error (error, GB_ERROR, GB_ERROR_FAILED,
                     _("Driver “%s” cannot be loaded from “%s”"), name, origin);
      return NULL;
    }
  g_clear_error (&problem);
  return check_driver (registry, driver, name, error) ? driver : NULL;
}

const struct gb_driver *
gb_driver_registry_get (struct gb_driver_registry *registry,
                        const char *name,
                        GError **error)
{
  const struct gb_driver *driver = NULL;
  char *lower = g_ascii_strdown (name, -1);
  char *origin = NULL;
  struct entry *entry;

  g_mutex_lock (&registry->lock);
  entry = find_locked (registry, lower);
  if (entry != NULL)
    {
      driver = entry->driver;
      origin = g_strdup (entry->origin);
    }
  g_mutex_unlock (&registry->lock);

  /* Entries are never taken out, so that it is still there after the load. */
  if (entry == NULL)
    g_set_error (error, GB_ERROR, GB_ERROR_NOT_FOUND, _("There is no driver “%s”"), lower);
  else if (driver == NULL)
    {
      driver = load_driver (registry, lower, origin, error);
      g_mutex_lock (&registry->lock);
      if (driver != NULL && entry->driver == NULL)
        entry->driver = driver;
      g_mutex_unlock (&registry->lock);
    }
  g_free (origin);
  g_free (lower);
  return driver;
}
