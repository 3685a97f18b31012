/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/context-core.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/gabbro-private.h"
#include "gpu/select.h"

/* Which adapter a context chooses, and why: the rules themselves are in gpu/select.c. */

static struct gabbro_candidate *
candidates_of (const GPtrArray *adapters)
{
  struct gabbro_candidate *candidates = g_new0 (struct gabbro_candidate, adapters->len + 1);

  for (guint i = 0; i < adapters->len; i++)
    {
      GabbroAdapter *adapter = adapters->pdata[i];

      candidates[i].info = &gabbro_adapter_get_driver_adapter (adapter)->info;
      candidates[i].driver = gabbro_adapter_get_driver (adapter);
      candidates[i].path = gabbro_adapter_get_path (adapter);
      candidates[i].unusable = gabbro_adapter_get_unusable_reason (adapter);
      candidates[i].only_by_name = gabbro_adapter_get_driver_adapter (adapter)->only_by_name;
    }
  return candidates;
}

static char *
list_names (const GPtrArray *adapters)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < adapters->len; i++)
    g_string_append_printf (names, "%s“%s”", i > 0 ? ", " : "", gabbro_adapter_get_name (adapters->pdata[i]));
  if (names->len == 0)
    g_string_append (names, _("none"));
  return g_string_free (names, FALSE);
}

static int
select_default (const struct gabbro_candidate *candidates, guint n_candidates, const char **reason,
                const struct gabbro_select_trace *trace)
{
  const char *mesa = secure_getenv ("MESA_VK_DEVICE_SELECT");
  int found = -1;

  if (mesa != NULL)
    found = gabbro_select_mesa (candidates, n_candidates, mesa, trace);
  if (found >= 0 && candidates[found].unusable == NULL)
    {
      *reason = _("chosen by MESA_VK_DEVICE_SELECT");
      return found;
    }
  *reason = gabbro_select_count (candidates, n_candidates) == 1 ? _("the only adapter")
                                                           : _("the best adapter: a device before a CPU, more memory first");
  return gabbro_select_best (candidates, n_candidates, trace);
}

/* What there is may be less than there should be, because of a driver that cannot be used. */
static void
append_messages (GabbroContext *self, GString *text)
{
  char **messages = gabbro_context_list_messages (self);

  for (char **message = messages; *message != NULL; message++)
    g_string_append_printf (text, " %s.", *message);
  g_strfreev (messages);
}

static void
set_none_fits (GabbroContext *self, const GPtrArray *adapters, const char *wanted, GError **error)
{
  char *names = list_names (adapters), *shown = g_utf8_make_valid (wanted, -1);
  GString *text = g_string_new (NULL);

  append_messages (self, text);
  if (text->len == 0)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NO_DEVICE, _("No adapter fits “%s”; there are: %s"), shown, names);
  else
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NO_DEVICE, _("No adapter fits “%s”; there are: %s.%s"), shown, names, text->str);
  g_string_free (text, TRUE);
  g_free (shown);
  g_free (names);
}

static void
set_no_device (GabbroContext *self, const GPtrArray *adapters, GError **error)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < adapters->len; i++)
    {
      const char *why = gabbro_adapter_get_unusable_reason (adapters->pdata[i]);

      g_string_append_printf (text, " “%s”: %s.", gabbro_adapter_get_name (adapters->pdata[i]),
                              why != NULL ? why : _("used only where it is named"));
    }
  append_messages (self, text);
  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NO_DEVICE, _("No adapter can be used.%s"), text->str);
  g_string_free (text, TRUE);
}

/**
 * gabbro_context_select_adapter:
 * @self: a context
 * @wanted: (nullable): which adapter: its path or the last part of it ("vulkan0"), its UUID, its
 *   PCI address, the name of a driver, or a part of its name; %NULL for the user's choice
 *   (option `device`, `MESA_VK_DEVICE_SELECT`) or else the best
 * @reason: (out) (optional) (transfer full): why this one, in the user's language
 * @error: return location for an error
 *
 * Chooses an adapter. CPU implementations are chosen only where there is nothing
 * else or they are asked for; the reference driver ("reference"), which interprets kernels to check
 * them, only where it is asked for.
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer none): the adapter, or %NULL when none fits
 *   (%GABBRO_ERROR_NO_DEVICE; the message names what there is), when its driver is not there
 *   (%GABBRO_ERROR_NO_DRIVER, for paths), or cannot be loaded or does not take its settings (%GABBRO_ERROR_BAD_DRIVER)
 *
 * Since: 0.1
 */
GabbroAdapter *
gabbro_context_select_adapter (GabbroContext *self, const char *wanted, char **reason, GError **error)
{
  struct gabbro_candidate *candidates;
  GPtrArray *adapters;
  const char *why = NULL;
  GabbroAdapter *adapter = NULL;
  int found;

  g_return_val_if_fail (gabbro_context_is_whole (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!gabbro_context_check (self, error))
    return NULL;
  adapters = gabbro_context_dup_adapters (self);
  candidates = candidates_of (adapters);
  if (wanted != NULL)
    why = _("asked for");
  else
    {
      wanted = gabbro_context_core_option (gabbro_context_get_core (self), "device");
      why = _("chosen by GABBRO_DEVICE");
    }
  if (wanted != NULL)
    found = gabbro_select_wanted (candidates, adapters->len, wanted, NULL);
  else
    found = select_default (candidates, adapters->len, &why, NULL);
  if (found >= 0)
    {
      adapter = adapters->pdata[found];
      if (reason != NULL)
        *reason = g_strdup (why);
    }
  else if (wanted != NULL && !gabbro_context_core_explain_driver (gabbro_context_get_core (self), wanted, error))
    set_none_fits (self, adapters, wanted, error);
  else if (wanted == NULL)
    set_no_device (self, adapters, error);
  g_free (candidates);
  g_ptr_array_unref (adapters);
  return adapter;
}

/* Explanation. */

static const struct
{
  const char *word;
  const char *text;
} rules[] = {
  [GABBRO_SELECT_PATH] = { "path", N_("has this path") },
  [GABBRO_SELECT_UUID] = { "uuid", N_("has this UUID") },
  [GABBRO_SELECT_PCI] = { "pci-address", N_("is at this PCI address") },
  [GABBRO_SELECT_DRIVER] = { "driver", N_("is offered by this driver") },
  [GABBRO_SELECT_NAME] = { "name", N_("has this in its name") },
  [GABBRO_SELECT_IDS] = { "ids", N_("has these numbers of vendor and device") },
  [GABBRO_SELECT_USABLE] = { "usable", N_("can be used") },
  [GABBRO_SELECT_KIND] = { "kind", N_("is of the best kind: a discrete GPU, then an integrated, a virtual and any other one, at last a CPU") },
  [GABBRO_SELECT_MEMORY] = { "memory", N_("has the most memory") },
  [GABBRO_SELECT_ORDER] = { "order", N_("was found first") },
};

struct explanation
{
  GVariantBuilder *steps;
  const struct gabbro_candidate *candidates;
};

/* A source of wishes: what it says, or that it says nothing. */
static void
explain_source (struct explanation *explanation, const char *word, const char *name, const char *value)
{
  char *shown = value != NULL ? g_utf8_make_valid (value, -1) : NULL;
  char *text = value == NULL ? g_strdup_printf (_("%s is not set"), name)
               : name != NULL ? g_strdup_printf (_("%s asks for “%s”"), name, shown)
                              : g_strdup_printf (_("“%s” is asked for"), shown);

  g_variant_builder_open (explanation->steps, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (explanation->steps, "{sv}", "rule", g_variant_new_string (word));
  g_variant_builder_add (explanation->steps, "{sv}", "text", g_variant_new_string (text));
  g_variant_builder_close (explanation->steps);
  g_free (shown);
  g_free (text);
}

static void
explain_step (enum gabbro_select_rule rule, const guint *left, guint n_left, gpointer data)
{
  struct explanation *explanation = data;
  GVariantBuilder paths;

  g_variant_builder_init (&paths, G_VARIANT_TYPE_STRING_ARRAY);
  for (guint i = 0; i < n_left; i++)
    g_variant_builder_add (&paths, "s", explanation->candidates[left[i]].path);
  g_variant_builder_open (explanation->steps, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (explanation->steps, "{sv}", "rule", g_variant_new_string (rules[rule].word));
  g_variant_builder_add (explanation->steps, "{sv}", "text", g_variant_new_string (_(rules[rule].text)));
  g_variant_builder_add (explanation->steps, "{sv}", "adapters", g_variant_builder_end (&paths));
  g_variant_builder_close (explanation->steps);
}

/**
 * gabbro_context_explain_selection:
 * @self: a context
 * @wanted: (nullable): as for gabbro_context_select_adapter()
 *
 * Says how gabbro_context_select_adapter() comes to its choice: one dictionary for each step, in order,
 * of the type `aa{sv}`. Each has `rule`, a word that stays the same, and `text`, what the rule is in the
 * user's language. A step that looks at adapters has `adapters`, the paths of those that it left, of type `as`;
 * of the last such step the first one is chosen, and where it left none, none is. Steps without it say what the user
 * asks for, or that the user asks for nothing.
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer full): the steps; none in a process that was forked after the context was made
 *
 * Since: 0.1
 */
GVariant *
gabbro_context_explain_selection (GabbroContext *self, const char *wanted)
{
  const char *option, *mesa, *why;
  struct gabbro_candidate *candidates;
  GVariantBuilder steps;
  GPtrArray *adapters;

  g_return_val_if_fail (gabbro_context_is_whole (self), NULL);

  g_variant_builder_init (&steps, G_VARIANT_TYPE ("aa{sv}"));
  if (!gabbro_context_check (self, NULL))
    return g_variant_ref_sink (g_variant_builder_end (&steps));
  adapters = gabbro_context_dup_adapters (self);
  candidates = candidates_of (adapters);
  struct explanation explanation = { &steps, candidates };
  const struct gabbro_select_trace trace = { explain_step, &explanation };
  option = gabbro_context_core_option (gabbro_context_get_core (self), "device");
  mesa = secure_getenv ("MESA_VK_DEVICE_SELECT");
  if (wanted != NULL)
    explain_source (&explanation, "wanted", NULL, wanted);
  else
    {
      explain_source (&explanation, "option", "GABBRO_DEVICE", option);
      wanted = option;
    }
  if (wanted != NULL)
    gabbro_select_wanted (candidates, adapters->len, wanted, &trace);
  else
    {
      explain_source (&explanation, "mesa", "MESA_VK_DEVICE_SELECT", mesa);
      select_default (candidates, adapters->len, &why, &trace);
    }
  g_free (candidates);
  g_ptr_array_unref (adapters);
  return g_variant_ref_sink (g_variant_builder_end (&steps));
}
