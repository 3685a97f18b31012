/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/select.h"

#include <stdlib.h>
#include <string.h>

char *
gabbro_format_uuid (const uint8_t uuid[16])
{
  GString *out = g_string_new (NULL);

  for (int i = 0; i < 16; i++)
    g_string_append_printf (out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
  return g_string_free (out, FALSE);
}

char *
gabbro_format_pci (const struct gabbro_adapter_info *info)
{
  return g_strdup_printf ("%04x:%02x:%02x.%x", info->pci_domain, info->pci_bus, info->pci_device, info->pci_function);
}

static int
rank_of (enum gabbro_adapter_type type)
{
  static const int ranks[] = {
    [GABBRO_ADAPTER_TYPE_DISCRETE] = 4, [GABBRO_ADAPTER_TYPE_INTEGRATED] = 3, [GABBRO_ADAPTER_TYPE_VIRTUAL] = 2,
    [GABBRO_ADAPTER_TYPE_OTHER] = 1, [GABBRO_ADAPTER_TYPE_CPU] = 0
  };
  return ranks[type];
}

/* Larger is better. */
typedef guint64 (*measurer) (const struct gabbro_candidate *candidate);

static guint64
measure_usable (const struct gabbro_candidate *candidate)
{
  return candidate->unusable == NULL;
}

static guint64
measure_kind (const struct gabbro_candidate *candidate)
{
  return candidate->only_by_name ? 0 : 1 + (guint64) rank_of (candidate->info->type);
}

static guint64
measure_memory (const struct gabbro_candidate *candidate)
{
  return candidate->info->device_memory;
}

/* One after the other, each among those that are equal for the ones before. */
static const struct
{
  enum gabbro_select_rule rule;
  measurer measure;
} preferences[] = {
  { GABBRO_SELECT_USABLE, measure_usable },
  { GABBRO_SELECT_KIND, measure_kind },
  { GABBRO_SELECT_MEMORY, measure_memory },
};

typedef bool (*matcher) (const struct gabbro_candidate *candidate, const char *wanted);

static void
tell (const struct gabbro_select_trace *trace, enum gabbro_select_rule rule, const guint *left, guint n_left)
{
  if (trace != NULL)
    trace->step (rule, left, n_left, trace->data);
}

static guint
keep_best (const struct gabbro_candidate *candidates, guint *left, guint n_left, measurer measure)
{
  guint64 most = 0;
  guint n_kept = 0;

  for (guint i = 0; i < n_left; i++)
    most = MAX (most, measure (&candidates[left[i]]));
  for (guint i = 0; i < n_left; i++)
    if (measure (&candidates[left[i]]) == most)
      left[n_kept++] = left[i];
  return n_kept;
}

static int
best_match (const struct gabbro_candidate *candidates, guint n, enum gabbro_select_rule rule, matcher matches,
            const char *wanted, const struct gabbro_select_trace *trace)
{
  guint *left = g_new (guint, n + 1);
  guint n_left = 0;
  int best = -1;

  for (guint i = 0; i < n; i++)
    if (matches (&candidates[i], wanted))
      left[n_left++] = i;
  tell (trace, rule, left, n_left);
  for (guint i = 0; i < G_N_ELEMENTS (preferences) && n_left > 1; i++)
    {
      if (preferences[i].rule == rule)
        continue;
      n_left = keep_best (candidates, left, n_left, preferences[i].measure);
      tell (trace, preferences[i].rule, left, n_left);
    }
  if (n_left > 1)
    tell (trace, GABBRO_SELECT_ORDER, left, 1);
  if (n_left > 0)
    best = (int) left[0];
  g_free (left);
  return best;
}

static bool
matches_path (const struct gabbro_candidate *candidate, const char *wanted)
{
  const char *last = strrchr (candidate->path, '/');
  return g_ascii_strcasecmp (candidate->path, wanted) == 0
         || (last != NULL && g_ascii_strcasecmp (last + 1, wanted) == 0);
}

/* Dashes do not matter. */
static bool
matches_uuid (const struct gabbro_candidate *candidate, const char *wanted)
{
  char digits[33];
  int n = 0;

  for (const char *c = wanted; *c != '\0'; c++)
    {
      if (*c == '-')
        continue;
      if (!g_ascii_isxdigit (*c) || n == 32)
        return false;
      digits[n++] = *c;
    }
  if (n != 32)
    return false;
  for (int i = 0; i < 16; i++)
    if (g_ascii_xdigit_value (digits[2 * i]) * 16 + g_ascii_xdigit_value (digits[2 * i + 1]) != candidate->info->device_uuid[i])
      return false;
  return true;
}

/* With or without the domain in front. */
static bool
matches_pci (const struct gabbro_candidate *candidate, const char *wanted)
{
  char *address;
  bool matches;

  if (!candidate->info->has_pci)
    return false;
  address = gabbro_format_pci (candidate->info);
  matches = g_ascii_strcasecmp (address, wanted) == 0
            || (candidate->info->pci_domain == 0 && g_ascii_strcasecmp (strchr (address, ':') + 1, wanted) == 0);
  g_free (address);
  return matches;
}

static bool
matches_driver (const struct gabbro_candidate *candidate, const char *wanted)
{
  return g_ascii_strcasecmp (candidate->driver, wanted) == 0;
}

static bool
matches_name (const struct gabbro_candidate *candidate, const char *wanted)
{
  char *name = g_utf8_casefold (candidate->info->name, -1);
  char *part = g_utf8_casefold (wanted, -1);
  bool matches = strstr (name, part) != NULL;

  g_free (name);
  g_free (part);
  return matches;
}

static bool
matches_usable (const struct gabbro_candidate *candidate, const char *wanted)
{
  return candidate->unusable == NULL && !candidate->only_by_name;
}

int
gabbro_select_wanted (const struct gabbro_candidate *candidates, guint n, const char *wanted,
                      const struct gabbro_select_trace *trace)
{
  static const struct
  {
    enum gabbro_select_rule rule;
    matcher matches;
  } matchers[] = {
    { GABBRO_SELECT_PATH, matches_path },
    { GABBRO_SELECT_UUID, matches_uuid },
    { GABBRO_SELECT_PCI, matches_pci },
    { GABBRO_SELECT_DRIVER, matches_driver },
    { GABBRO_SELECT_NAME, matches_name },
  };

  if (wanted[0] == '\0' || !g_utf8_validate (wanted, -1, NULL))
    return -1;
  for (guint i = 0; i < G_N_ELEMENTS (matchers); i++)
    {
      int found = best_match (candidates, n, matchers[i].rule, matchers[i].matches, wanted, trace);
      if (found >= 0)
        return found;
    }
  return -1;
}

static bool
matches_ids (const struct gabbro_candidate *candidate, const char *wanted)
{
  char *end;
  guint64 vendor = g_ascii_strtoull (wanted, &end, 16), device;

  if (end == wanted || *end != ':')
    return false;
  wanted = end + 1;
  device = g_ascii_strtoull (wanted, &end, 16);
  if (end == wanted || (*end != '\0' && strcmp (end, "!") != 0))
    return false;
  return !candidate->only_by_name && candidate->info->vendor_id == vendor && candidate->info->device_id == device;
}

int
gabbro_select_mesa (const struct gabbro_candidate *candidates, guint n, const char *variable,
                    const struct gabbro_select_trace *trace)
{
  return best_match (candidates, n, GABBRO_SELECT_IDS, matches_ids, variable, trace);
}

guint
gabbro_select_count (const struct gabbro_candidate *candidates, guint n)
{
  guint count = 0;

  for (guint i = 0; i < n; i++)
    count += !candidates[i].only_by_name;
  return count;
}

int
gabbro_select_best (const struct gabbro_candidate *candidates, guint n, const struct gabbro_select_trace *trace)
{
  return best_match (candidates, n, GABBRO_SELECT_USABLE, matches_usable, NULL, trace);
}
