/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/requirement.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "tools/output.h"
#include "tools/report.h"

/* Longer ones first: ">=" begins with ">". */
static const struct
{
  const char *sign;
  enum tool_comparison comparison;
} signs[] = {
  { ">=", TOOL_AT_LEAST },
  { "<=", TOOL_AT_MOST },
  { "==", TOOL_EQUAL },
  { ">", TOOL_MORE },
  { "<", TOOL_LESS },
  { "=", TOOL_EQUAL },
};

struct tool_requirement *
tool_requirement_new_feature (const char *text, GError **error)
{
  if (strpbrk (text, "<>=") != NULL)
    {
      tool_usage (error, _("--feature: '%s' is a comparison; --limit takes these"), text);
      return NULL;
    }
  struct tool_requirement *requirement = g_new0 (struct tool_requirement, 1);
  requirement->text = g_strdup (text);
  requirement->name = g_strdup (text);
  return requirement;
}

/* A number with K, M, G or T behind it, which are powers of 1024. `*whole` says whether it is one
 * that 64 bits hold; `*real` is set in any case. */
static bool
parse_number (const char *text, guint64 *number, double *real, bool *whole)
{
  static const char suffixes[] = "KMGT";
  char *end;
  guint shift = 0;

  if (!g_ascii_isdigit (text[0]))
    return false;
  *real = g_ascii_strtod (text, &end);
  if (*end != '\0')
    {
      const char *suffix = strchr (suffixes, g_ascii_toupper (*end));
      if (suffix == NULL || (end[1] != '\0' && strcmp (end + 1, "iB") != 0 && strcmp (end + 1, "B") != 0))
        return false;
      shift = 10 * (guint) (suffix - suffixes + 1);
    }
  *real = ldexp (*real, (int) shift);
  if (!isfinite (*real))
    return false;
  errno = 0;
  guint64 digits = g_ascii_strtoull (text, &end, 10);
  *whole = errno == 0 && (*end == '\0' || g_ascii_isalpha (*end)) && digits <= G_MAXUINT64 >> shift;
  *number = digits << shift;
  return true;
}

static bool
is_version (const char *text)
{
  return g_ascii_isdigit (text[0]) && text[strspn (text, "0123456789.")] == '\0';
}

struct tool_requirement *
tool_requirement_new_limit (const char *text, GError **error)
{
  gsize length = strcspn (text, "<>=");
  const char *sign = text + length;
  guint found = 0;

  while (found < G_N_ELEMENTS (signs) && !g_str_has_prefix (sign, signs[found].sign))
    found++;
  if (length == 0 || found == G_N_ELEMENTS (signs))
    {
      tool_usage (error, _("--limit: '%s' is no comparison such as max-buffer-size>=1G"), text);
      return NULL;
    }
  const char *value = sign + strlen (signs[found].sign);
  guint64 number;
  double real;
  bool whole;
  bool is_number = parse_number (value, &number, &real, &whole);
  if (value[0] == '\0' || (!is_number && !is_version (value) && signs[found].comparison != TOOL_EQUAL))
    {
      tool_usage (error, _("--limit: '%s' is no number, such as 65536 or 1G"), value);
      return NULL;
    }
  struct tool_requirement *requirement = g_new0 (struct tool_requirement, 1);
  requirement->text = g_strdup (text);
  requirement->name = g_strndup (text, length);
  requirement->is_limit = true;
  requirement->comparison = signs[found].comparison;
  requirement->value = g_strdup (value);
  return requirement;
}

void
tool_requirement_free (struct tool_requirement *requirement)
{
  if (requirement == NULL)
    return;
  g_free (requirement->text);
  g_free (requirement->name);
  g_free (requirement->value);
  g_free (requirement);
}

/* --- limits ------------------------------------------------------------------------------------ */

static int
compare_versions (const char *a, const char *b)
{
  while (*a != '\0' || *b != '\0')
    {
      guint64 left = g_ascii_strtoull (a, (char **) &a, 10);
      guint64 right = g_ascii_strtoull (b, (char **) &b, 10);
      if (left != right)
        return left < right ? -1 : 1;
      a += *a == '.';
      b += *b == '.';
    }
  return 0;
}

/* How `value` stands to what was asked; false where they cannot be compared. */
static bool
compare_value (JsonNode *value, const char *wanted, int *order)
{
  GType type = json_node_get_value_type (value);
  guint64 number = 0;
  double real = 0;
  bool whole = false;

  if (type == G_TYPE_STRING)
    {
      const char *text = json_node_get_string (value);
      bool versions = is_version (text) && is_version (wanted);
      *order = versions ? compare_versions (text, wanted) : strcmp (text, wanted);
      return versions || *order == 0;
    }
  if (type == G_TYPE_BOOLEAN || !parse_number (wanted, &number, &real, &whole))
    return false;
  if (type == G_TYPE_INT64 && whole)
    {
      gint64 own = json_node_get_int (value);
      *order = own < 0 || (guint64) own < number ? -1 : (guint64) own > number;
      return true;
    }
  double own = type == G_TYPE_INT64 ? (double) json_node_get_int (value) : json_node_get_double (value);
  *order = own < real ? -1 : own > real;
  return true;
}

static bool
is_met (enum tool_comparison comparison, int order)
{
  switch (comparison)
    {
    case TOOL_AT_LEAST:
      return order >= 0;
    case TOOL_AT_MOST:
      return order <= 0;
    case TOOL_MORE:
      return order > 0;
    case TOOL_LESS:
      return order < 0;
    case TOOL_EQUAL:
    default:
      return order == 0;
    }
}

/* A list must meet it with each of its values: a dispatch is limited on each axis. */
static bool
meets (const struct tool_requirement *requirement, JsonNode *value, bool *comparable)
{
  int order = 0;

  if (JSON_NODE_HOLDS_ARRAY (value))
    {
      JsonArray *array = json_node_get_array (value);
      bool met = true;
      for (guint i = 0; i < json_array_get_length (array) && *comparable; i++)
        met = meets (requirement, json_array_get_element (array, i), comparable) && met;
      return met;
    }
  if (compare_value (value, requirement->value, &order))
    return is_met (requirement->comparison, order);
  /* What cannot be compared is at least not equal. */
  *comparable = requirement->comparison == TOOL_EQUAL;
  return false;
}

static char *
check_limit (const struct tool_requirement *requirement, const struct tool_record *record)
{
  const struct tool_fact *fact = tool_record_find (record, requirement->name);
  bool comparable = true;

  if (fact == NULL || fact->value == NULL)
    return g_strdup_printf (_("%s: there is no such limit here"), requirement->name);
  if (meets (requirement, fact->value, &comparable))
    return NULL;
  g_autofree char *text = tool_json_text (fact->value);
  return g_strdup_printf (comparable ? _("%s: it is %s") : _("%s: %s cannot be compared with that"),
                          requirement->text, text);
}

/* --- features ---------------------------------------------------------------------------------- */

static bool
is_boolean (const struct tool_fact *fact)
{
  return fact->value != NULL && JSON_NODE_HOLDS_VALUE (fact->value)
         && json_node_get_value_type (fact->value) == G_TYPE_BOOLEAN;
}

/* A word of a list, such as an extension. */
static bool
is_listed (const struct tool_record *record, const char *name)
{
  for (guint i = 0; i < record->facts->len; i++)
    {
      const struct tool_fact *fact = g_ptr_array_index (record->facts, i);
      if (fact->value == NULL || !JSON_NODE_HOLDS_ARRAY (fact->value))
        continue;
      JsonArray *array = json_node_get_array (fact->value);
      for (guint j = 0; j < json_array_get_length (array); j++)
        {
          JsonNode *item = json_array_get_element (array, j);
          if (json_node_get_value_type (item) == G_TYPE_STRING && strcmp (json_node_get_string (item), name) == 0)
            return true;
        }
    }
  return false;
}

static char *
check_feature (const struct tool_requirement *requirement, const struct tool_record *record)
{
  const struct tool_fact *fact = tool_record_find (record, requirement->name);

  if (fact != NULL && is_boolean (fact))
    return json_node_get_boolean (fact->value) ? NULL : g_strdup_printf (_("%s: not supported"), requirement->text);
  if (is_listed (record, requirement->name))
    return NULL;
  return g_strdup_printf (_("%s: there is no such feature here"), requirement->text);
}

char *
tool_requirement_check (const struct tool_requirement *requirement, const struct tool_record *record)
{
  return requirement->is_limit ? check_limit (requirement, record) : check_feature (requirement, record);
}

bool
tool_requirement_is_known (const struct tool_requirement *requirement, const struct tool_record *record)
{
  const struct tool_fact *fact = tool_record_find (record, requirement->name);

  if (requirement->is_limit)
    return fact != NULL;
  /* Extensions that nothing here has are no mistake. */
  return (fact != NULL && is_boolean (fact)) || is_listed (record, requirement->name)
         || g_str_has_prefix (requirement->name, "VK_");
}
