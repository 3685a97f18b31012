/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro diff: how two adapters differ. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>
#include <string.h>

#include "tools/adapters.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/record.h"
#include "tools/report.h"

static const struct tool_option options_of_diff[] = {
  TOOL_OUTPUT_OPTIONS,
  { "exit-code", 0, NULL, N_("exit with 1 when they differ") },
  { NULL }
};

static const struct tool_example examples[] = {
  { "diff llvmpipe 0000:01:00.0", N_("two adapters of this machine") },
  { "info --json > mine.json", N_("save what an adapter says, to send it or to keep it") },
  { "diff mine.json yours.json", N_("… and compare it with another, on any machine") },
  { "diff --exit-code before.json llvmpipe", N_("whether an update of the driver has changed anything") },
  { NULL }
};

struct difference
{
  const char *section;
  const char *name;
  JsonNode *values[2];          /* lent; NULL: absent */
};

static guint
hash_fact (gconstpointer data)
{
  const struct tool_fact *fact = data;
  return g_str_hash (fact->section) * 31 + g_str_hash (fact->name);
}

static gboolean
equal_facts (gconstpointer fact, gconstpointer other)
{
  const struct tool_fact *a = fact, *b = other;
  return strcmp (a->section, b->section) == 0 && strcmp (a->name, b->name) == 0;
}

static bool
is_equal (JsonNode *a, JsonNode *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return json_node_equal (a, b);
}

/* In the order of the first; what the second has more stands behind. */
static GArray *
find_differences (const struct tool_record *a, const struct tool_record *b)
{
  GArray *differences = g_array_new (FALSE, FALSE, sizeof (struct difference));
  g_autoptr (GHashTable) theirs = g_hash_table_new (hash_fact, equal_facts);

  for (guint i = 0; i < b->facts->len; i++)
    g_hash_table_add (theirs, g_ptr_array_index (b->facts, i));
  for (guint i = 0; i < a->facts->len; i++)
    {
      const struct tool_fact *fact = g_ptr_array_index (a->facts, i);
      const struct tool_fact *other = g_hash_table_lookup (theirs, fact);
      struct difference difference = { fact->section, fact->name, { fact->value, other != NULL ? other->value : NULL } };
      if (!is_equal (difference.values[0], difference.values[1]))
        g_array_append_val (differences, difference);
      g_hash_table_remove (theirs, fact);
    }
  for (guint i = 0; i < b->facts->len; i++)
    {
      const struct tool_fact *fact = g_ptr_array_index (b->facts, i);
      struct difference difference = { fact->section, fact->name, { NULL, fact->value } };
      if (fact->value != NULL && g_hash_table_contains (theirs, fact))
        g_array_append_val (differences, difference);
    }
  return differences;
}

/* What only one of two lists has says more than both lists. */
static char *
describe_lists (JsonArray *a, JsonArray *b)
{
  JsonArray *sides[2] = { a, b };
  GString *text = g_string_new (NULL);

  for (guint side = 0; side < 2; side++)
    {
      g_autoptr (GHashTable) others = g_hash_table_new (g_str_hash, g_str_equal);
      JsonArray *other = sides[1 - side];
      for (guint i = 0; i < json_array_get_length (other); i++)
        g_hash_table_add (others, (gpointer) json_array_get_string_element (other, i));
      for (guint i = 0; i < json_array_get_length (sides[side]); i++)
        {
          const char *item = json_array_get_string_element (sides[side], i);
          if (!g_hash_table_contains (others, item))
            g_string_append_printf (text, "%s%c%s", text->len > 0 ? " " : "", side == 0 ? '-' : '+', item);
        }
    }
  return g_string_free (text, FALSE);
}

static bool
is_list_of_words (JsonNode *node)
{
  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return false;
  JsonArray *array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      if (json_node_get_value_type (json_array_get_element (array, i)) != G_TYPE_STRING)
        return false;
    }
  return true;
}

static char *
describe (const struct difference *difference)
{
  JsonNode *a = difference->values[0], *b = difference->values[1];

  if (is_list_of_words (a) && is_list_of_words (b))
    {
      char *text = describe_lists (json_node_get_array (a), json_node_get_array (b));
      if (text[0] != '\0')
        return text;
      g_free (text);
    }
  g_autofree char *left = a != NULL ? tool_json_text (a) : g_strdup (_("absent"));
  g_autofree char *right = b != NULL ? tool_json_text (b) : g_strdup (_("absent"));
  return g_strdup_printf ("%s → %s", left, right);
}

static void
show_sides (struct tool_output *output, struct tool_record *const records[2])
{
  static const char *const keys[2] = { "a", "b" };
  static const char *const signs[2] = { "---", "+++" };

  for (guint side = 0; side < 2; side++)
    {
      g_autofree char *line = g_strdup_printf ("%s %s  %s", signs[side], records[side]->source, records[side]->name);
      tool_output_line (output, line);
      tool_output_begin_object (output, keys[side], NULL);
      tool_output_for_programs (output, "name", g_variant_new_string (records[side]->name));
      tool_output_for_programs (output, "source", g_variant_new_string (records[side]->source));
      tool_output_end_object (output);
    }
}

static void
show_differences (const struct tool_options *options, struct tool_output *output, const GArray *differences)
{
  bool json = tool_options_has (options, "json");
  const char *section = NULL;

  tool_output_for_programs (output, "equal", g_variant_new_boolean (differences->len == 0));
  if (differences->len == 0)
    tool_output_line (output, _("They say the same."));
  tool_output_begin_list (output, "differences", NULL);
  for (guint i = 0; i < differences->len; i++)
    {
      const struct difference *difference = &g_array_index (differences, struct difference, i);
      if (json)
        {
          tool_output_begin_object (output, NULL, NULL);
          tool_output_string (output, "section", NULL, difference->section);
          tool_output_string (output, "attribute", NULL, difference->name);
          tool_output_node (output, "a", NULL, difference->values[0]);
          tool_output_node (output, "b", NULL, difference->values[1]);
          tool_output_end_object (output);
          continue;
        }
      if (section == NULL || strcmp (section, difference->section) != 0)
        {
          if (section != NULL)
            tool_output_end_object (output);
          tool_output_begin_object (output, NULL, difference->section);
          section = difference->section;
        }
      g_autofree char *text = describe (difference);
      tool_output_string (output, NULL, difference->name, text);
    }
  if (section != NULL)
    tool_output_end_object (output);
  tool_output_end_list (output);
}

static bool
compare (const struct tool_options *options, struct tool_record *const records[2], GError **error)
{
  g_autoptr (GArray) differences = find_differences (records[0], records[1]);
  struct tool_output *output = tool_output_new_document (options, "diff");

  show_sides (output, records);
  show_differences (options, output, differences);
  if (!tool_output_finish (output, error))
    return false;
  return differences->len == 0 || !tool_options_has (options, "exit-code") || tool_answer_no (error);
}

static bool
run (const struct tool_options *options, GError **error)
{
  g_autoptr (GabbroContext) context = NULL;
  struct tool_record *records[2] = { NULL, NULL };
  bool good = true;

  if (tool_options_n_operands (options) < 2)
    return tool_usage (error, _("two adapters are wanted, each a name, a path or a saved file: gabbro diff A B"));
  if (!tool_options_at_most (options, 2, error))
    return false;
  for (guint i = 0; good && i < 2; i++)
    {
      const char *wanted = tool_options_operand (options, i);
      if (wanted[0] == '\0')
        good = tool_usage (error, _("the name of the adapter is empty"));
      else
        {
          records[i] = tool_record_new (&context, wanted, error);
          good = records[i] != NULL;
        }
    }
  good = good && compare (options, records, error);
  tool_record_free (records[0]);
  tool_record_free (records[1]);
  if (good && context != NULL)
    tool_report_messages (context, NULL);
  return good;
}

const struct tool_command tool_command_diff = {
  .name = "diff",
  .usage = N_("ADAPTER|FILE ADAPTER|FILE [--exit-code] [--json]"),
  .summary = N_("show how two adapters differ"),
  .text = N_("What ends in .json is a file that 'gabbro info --json' has written. Attributes that are\n"
             "the same are not shown; of lists what only one side has, with '-' and '+'.\n"),
  .options = options_of_diff,
  .examples = examples,
  .run = run,
};
