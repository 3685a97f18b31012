/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/adapters.h"

#include <glib/gi18n.h>
#include <string.h>

#include "tools/report.h"

static const struct
{
  const char *key;
  const char *title;
} kinds[] = {
  [GABBRO_ADAPTER_OTHER] = { "other", N_("other") },
  [GABBRO_ADAPTER_INTEGRATED] = { "integrated", N_("integrated GPU") },
  [GABBRO_ADAPTER_DISCRETE] = { "discrete", N_("discrete GPU") },
  [GABBRO_ADAPTER_VIRTUAL] = { "virtual", N_("virtual GPU") },
  [GABBRO_ADAPTER_CPU] = { "cpu", N_("CPU (software)") },
};

/* No GPU was found, and nothing that was said explains it: then there is no Vulkan driver. */
static bool
lacks_vulkan_driver (GabbroContext *context)
{
  g_auto (GStrv) drivers = gabbro_context_list_drivers (context);
  g_auto (GStrv) messages = gabbro_context_list_messages (context);

  if (drivers == NULL || !g_strv_contains ((const char *const *) drivers, "vulkan"))
    return false;
  for (guint i = 0; i < gabbro_context_get_n_adapters (context); i++)
    if (strcmp (gabbro_adapter_get_driver (gabbro_context_get_adapter (context, i)), "vulkan") == 0)
      return false;
  for (guint i = 0; messages != NULL && messages[i] != NULL; i++)
    {
      if (strstr (messages[i], "vulkan") != NULL || strstr (messages[i], "Vulkan") != NULL)
        return false;
    }
  return true;
}

GabbroAdapter *
tool_select_adapter (GabbroContext *context, const char *wanted, char **reason, GError **error)
{
  GError *cause = NULL;
  GabbroAdapter *adapter = gabbro_context_select_adapter (context, wanted, reason, &cause);

  if (cause == NULL)
    return adapter;
  if (lacks_vulkan_driver (context))
    {
      g_autofree char *message = g_steal_pointer (&cause->message);
      cause->message = g_strdup_printf (_("%s%s No Vulkan driver was found; on Debian the package %s brings some"),
                                        message, g_str_has_suffix (message, ".") ? "" : ".", "mesa-vulkan-drivers");
    }
  g_propagate_error (error, cause);
  return NULL;
}

void
tool_describe_adapter (struct tool_output *output, GabbroAdapter *adapter)
{
  guint kind = (guint) gabbro_adapter_get_kind (adapter);
  guint64 memory = gabbro_adapter_get_memory_size (adapter);
  const char *unusable = gabbro_adapter_get_unusable_reason (adapter);
  GabbroAdapter *twin = gabbro_adapter_dup_twin (adapter);

  if (kind >= G_N_ELEMENTS (kinds))
    kind = GABBRO_ADAPTER_OTHER;
  tool_output_string (output, "path", _("Path"), gabbro_adapter_get_path (adapter));
  tool_output_string (output, "driver", _("Driver"), gabbro_adapter_get_driver (adapter));
  tool_output_word (output, "kind", _("Kind"), kinds[kind].key, _(kinds[kind].title));
  tool_output_variant (output, "memory-size", _("Memory"),
                       memory > 0 ? g_variant_new_uint64 (memory) : NULL, "bytes", NULL);
  tool_output_string (output, "uuid", _("UUID"), gabbro_adapter_get_uuid (adapter));
  tool_output_string (output, "pci-address", _("PCI address"), gabbro_adapter_get_pci_address (adapter));
  if (unusable != NULL)
    tool_output_string (output, "unusable", _("Unusable"), unusable);
  if (twin != NULL)
    tool_output_string (output, "twin", _("Same device as"), gabbro_adapter_get_path (twin));
  g_clear_object (&twin);
}

/* Of equal messages the first is shown. */
static bool
is_told (char **messages, guint index)
{
  for (guint i = 0; messages[i] != NULL; i++)
    {
      if (i != index && strstr (messages[i], messages[index]) != NULL
          && (i < index || strcmp (messages[i], messages[index]) != 0))
        return true;
    }
  return false;
}

void
tool_report_messages (GabbroContext *context, const GError *told)
{
  g_auto (GStrv) messages = gabbro_context_list_messages (context);

  for (guint i = 0; messages != NULL && messages[i] != NULL; i++)
    {
      if ((told == NULL || strstr (told->message, messages[i]) == NULL) && !is_told (messages, i))
        tool_remark ("%s", messages[i]);
    }
}
