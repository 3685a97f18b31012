/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/drivers/vulkan/device.h"
#include "gpu/drivers/vulkan/icd.h"
#include "gpu/drivers/vulkan/mask.h"

/* The one symbol that is taken from the loader; all else goes through tables. */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr (VkInstance instance, const char *name);

static bool
option_is (const struct gabbro_host *host, const char *name, const char *value)
{
  return g_strcmp0 (host->option (host->data, name), value) == 0;
}

/* Whether the user has switched on a validation layer. */
static bool
validation_from_outside (void)
{
  static const char *const variables[] = { "VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE" };

  for (unsigned i = 0; i < G_N_ELEMENTS (variables); i++)
    {
      const char *value = secure_getenv (variables[i]);
      if (value != NULL && strstr (value, "validation") != NULL)
        return true;
    }
  return false;
}

/* Undo functions. */

static void
undo_instance (gpointer data)
{
  struct vulkan_instance *instance = data;

  vulkan_log_clear (&instance->log);
  g_free (instance);
}

static void
undo_connections (gpointer data)
{
  struct vulkan_instance *instance = data;

  for (unsigned i = 0; i < instance->n_connections; i++)
    vulkan_connection_close (&instance->connections[i]);
  g_free (instance->connections);
}

static void
undo_adapters (gpointer data)
{
  struct vulkan_instance *instance = data;

  for (uint32_t i = 0; i < instance->base.n_adapters; i++)
    vulkan_adapter_free ((struct vulkan_adapter *) instance->base.adapters[i]);
  g_free (instance->base.adapters);
}

/* Asks every Vulkan driver alone, and names those that are broken. With `keep`,
 * those that work become the connections of the instance. */
static void
ask_each (struct vulkan_instance *instance, const struct vulkan_connection_options *options, bool keep,
          GError **first_error)
{
  GPtrArray *icds = vulkan_icd_list ();

  if (keep)
    instance->connections = g_new0 (struct vulkan_connection, icds->len + 1);
  for (unsigned i = 0; i < icds->len; i++)
    {
      struct vulkan_connection temporary;
      /* Where it will stay: Vulkan may keep a pointer to it. */
      struct vulkan_connection *connection = keep ? &instance->connections[instance->n_connections] : &temporary;
      GError *error = NULL;
      VkResult result = vulkan_icd_open (g_ptr_array_index (icds, i), &instance->log, options, connection, &error);

      if (result == VK_SUCCESS && keep)
        instance->n_connections++;
      else if (result == VK_SUCCESS)
        vulkan_connection_close (connection);
      if (error != NULL)
        {
          vulkan_log_add (&instance->log, GABBRO_LOG_WARNING, "a Vulkan driver does not work and is left out: %s",
                          error->message);
          if (first_error != NULL && *first_error == NULL)
            g_propagate_error (first_error, error);
          else
            g_error_free (error);
        }
    }
  g_ptr_array_unref (icds);
}

/* False with no error: there is nothing. */
static bool
open_connections (struct vulkan_instance *instance, GError **error)
{
  const struct vulkan_connection_options options
    = { .validation = option_is (instance->host, "validation", "1"), .messages = validation_from_outside () };
  const struct vulkan_connection_options alone = { false, false };
  struct vulkan_connection *connection = g_new0 (struct vulkan_connection, 1);
  GError *loader_error = NULL, *first_error = NULL;
  VkResult result = vulkan_connection_open (connection, vkGetInstanceProcAddr, &instance->log, &options, &loader_error);
  unsigned complaints = connection->complaints;

  if (result == VK_SUCCESS)
    {
      instance->connections = connection;
      instance->n_connections = 1;
      if (complaints != 0)
        ask_each (instance, &alone, false, NULL);
      if (connection->n_devices != 0)
        return true;
    }
  else
    {
      vulkan_connection_close (connection);
      g_free (connection);
    }
  /* Layers are the loader's business, so there are none behind this. */
  if (result != VK_SUCCESS && (result != VK_ERROR_INCOMPATIBLE_DRIVER || complaints != 0))
    ask_each (instance, &alone, true, &first_error);
  if (instance->n_connections == 0 && first_error == NULL)
    first_error = g_steal_pointer (&loader_error);
  g_clear_error (&loader_error);
  if (instance->n_connections != 0)
    g_clear_error (&first_error);
  if (first_error != NULL)
    g_propagate_error (error, first_error);
  return instance->n_connections != 0;
}

static uint32_t
count_devices (const struct vulkan_instance *instance)
{
  uint32_t n = 0;

  for (unsigned i = 0; i < instance->n_connections; i++)
    n += instance->connections[i].n_devices;
  return n;
}

static void
add_adapters (struct vulkan_instance *instance, const char *mask)
{
  instance->base.adapters = g_new0 (struct gabbro_driver_adapter *, count_devices (instance) + 1);
  for (unsigned i = 0; i < instance->n_connections; i++)
    for (uint32_t j = 0; j < instance->connections[i].n_devices; j++)
      instance->base.adapters[instance->base.n_adapters++]
        = &vulkan_adapter_new (&instance->connections[i], instance->connections[i].devices[j], mask)->base;
}

static enum gabbro_probe_result
probe (const struct gabbro_host *host, struct gb_undo *undo, struct gabbro_driver_instance **out, GError **error)
{
  const char *mask = host->option (host->data, "device-mask");
  struct vulkan_instance *instance;
  GError *connect_error = NULL;

  if (!vulkan_mask_check (mask, error))
    return GABBRO_PROBE_FAILED;
  instance = g_new0 (struct vulkan_instance, 1);
  instance->host = host;
  vulkan_log_init (&instance->log, host);
  gb_undo_add (undo, undo_instance, instance);
  gb_undo_add (undo, undo_connections, instance);
  if (!open_connections (instance, &connect_error) || count_devices (instance) == 0)
    {
      vulkan_log_flush (&instance->log);
      if (connect_error == NULL)
        return GABBRO_PROBE_NOTHING;
      g_propagate_error (error, connect_error);
      return GABBRO_PROBE_FAILED;
    }
  add_adapters (instance, mask);
  gb_undo_add (undo, undo_adapters, instance);
  vulkan_log_flush (&instance->log);
  *out = &instance->base;
  return GABBRO_PROBE_BOUND;
}

#define VULKAN_EXPORT __attribute__ ((visibility ("default")))

extern VULKAN_EXPORT const struct gabbro_driver gabbro_driver;

VULKAN_EXPORT const struct gabbro_driver gabbro_driver = {
  .abi = GABBRO_DRIVER_ABI,
  .name = "vulkan",
  .description = "Vulkan 1.3",
  .probe = probe,
  .open = vulkan_device_open,
  .get_adapter_native = vulkan_get_adapter_native,
};
