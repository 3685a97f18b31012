/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/adapters.h"

#include <glib/gi18n.h>

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

GabbroAdapter *
tool_select_adapter (GabbroContext *context, const char *wanted, char **reason, GError **error)
{
  return gabbro_context_select_adapter (context, wanted, reason, error);
}

void
tool_describe_adapter (struct tool_output *output, GabbroAdapter *adapter)
{
  guint kind = (guint) gabbro_adapter_get_kind (adapter);
  guint64 memory = gabbro_adapter_get_memory_size (adapter);
  const char *unusable = gabbro_adapter_get_unusable_reason (adapter);
  GabbroAdapter *twin = gabbro_adapter_get_twin (adapter);

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
}

void
tool_report_messages (GabbroContext *context)
{
  g_auto (GStrv) messages = gabbro_context_list_messages (context);

  for (guint i = 0; messages != NULL && messages[i] != NULL; i++)
    tool_remark ("%s", messages[i]);
}
