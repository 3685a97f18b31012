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

static bool
is_better (const struct gabbro_candidate *a, const struct gabbro_candidate *b)
{
  if ((a->unusable == NULL) != (b->unusable == NULL))
    return a->unusable == NULL;
  if (rank_of (a->info->type) != rank_of (b->info->type))
    return rank_of (a->info->type) > rank_of (b->info->type);
  return a->info->device_memory > b->info->device_memory;
}

typedef bool (*matcher) (const struct gabbro_candidate *candidate, const char *wanted);

static int
best_match (const struct gabbro_candidate *candidates, guint n, matcher matches, const char *wanted)
{
  int best = -1;

  for (guint i = 0; i < n; i++)
    if (matches (&candidates[i], wanted) && (best < 0 || is_better (&candidates[i], &candidates[best])))
      best = (int) i;
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
matches_anything (const struct gabbro_candidate *candidate, const char *wanted)
{
  return candidate->unusable == NULL;
}

int
gabbro_select_wanted (const struct gabbro_candidate *candidates, guint n, const char *wanted)
{
  static const matcher matchers[] = { matches_path, matches_uuid, matches_pci, matches_driver, matches_name };

  if (wanted[0] == '\0' || !g_utf8_validate (wanted, -1, NULL))
    return -1;
  for (guint i = 0; i < G_N_ELEMENTS (matchers); i++)
    {
      int found = best_match (candidates, n, matchers[i], wanted);
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
  return candidate->info->vendor_id == vendor && candidate->info->device_id == device;
}

int
gabbro_select_mesa (const struct gabbro_candidate *candidates, guint n, const char *variable)
{
  return best_match (candidates, n, matches_ids, variable);
}

int
gabbro_select_best (const struct gabbro_candidate *candidates, guint n)
{
  return best_match (candidates, n, matches_anything, NULL);
}
