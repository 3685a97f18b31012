/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/options.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#include "tools/report.h"
#include "tools/suggest.h"

static const struct tool_option *
find_long (const struct tool_option *table, const char *name, gsize length)
{
  for (; table->name != NULL; table++)
    {
      if (strlen (table->name) == length && strncmp (table->name, name, length) == 0)
        return table;
    }
  return NULL;
}

static const struct tool_option *
find_letter (const struct tool_option *table, char letter)
{
  for (; table->name != NULL; table++)
    {
      if (table->letter != '\0' && table->letter == letter)
        return table;
    }
  return NULL;
}

static bool
unknown_long (const struct tool_option *table, const char *name, gsize length, GError **error)
{
  g_autofree char *wanted = g_strndup (name, length);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (; table->name != NULL; table++)
    g_ptr_array_add (names, (gpointer) table->name);
  g_ptr_array_add (names, (gpointer) "help");
  g_ptr_array_add (names, NULL);
  g_autofree char *suggestion = tool_suggestion (wanted, (const char *const *) names->pdata, "--");
  return tool_usage (error, _("unknown option '--%s'%s"), wanted, suggestion);
}

static bool
is_word (const struct tool_option *option, const char *value, GError **error)
{
  g_auto (GStrv) words = g_strsplit (option->words, " ", -1);
  if (g_strv_contains ((const char *const *) words, value))
    return true;
  g_autofree char *all = g_strjoinv (", ", words);
  g_autofree char *suggestion = tool_suggestion (value, (const char *const *) words, "");
  return tool_usage (error, _("--%s: '%s' is none of %s%s"), option->name, value, all, suggestion);
}

static bool
store (struct tool_options *options, const struct tool_option *option, const char *value, GError **error)
{
  GPtrArray *values = g_hash_table_lookup (options->values, option->name);

  if (option->value_name != NULL && value[0] == '\0')
    return tool_usage (error, _("option '--%s' needs a value: %s"), option->name, _(option->value_name));
  if (values != NULL && !option->many)
    return tool_usage (error, _("option '--%s' was given twice"), option->name);
  if (option->words != NULL && !is_word (option, value, error))
    return false;
  if (values == NULL)
    {
      values = g_ptr_array_new_null_terminated (1, NULL, TRUE);
      g_hash_table_insert (options->values, (gpointer) option->name, values);
    }
  g_ptr_array_add (values, (gpointer) value);
  return true;
}

/* The value of an option that was written without one: the argument behind it. */
static bool
take_next (struct tool_options *options, const struct tool_option *option, char ***at, GError **error)
{
  char *next = (*at)[1];
  if (next == NULL)
    return tool_usage (error, _("option '--%s' needs a value: %s"), option->name, _(option->value_name));
  (*at)++;
  return store (options, option, next, error);
}

static bool
parse_long (struct tool_options *options, const struct tool_option *table, char ***at, GError **error)
{
  const char *text = **at + 2;
  const char *equals = strchr (text, '=');
  gsize length = equals != NULL ? (gsize) (equals - text) : strlen (text);

  if (length == 4 && strncmp (text, "help", 4) == 0 && equals == NULL)
    {
      options->help = true;
      return true;
    }
  const struct tool_option *option = find_long (table, text, length);
  if (option == NULL)
    return unknown_long (table, text, length, error);
  if (option->value_name == NULL)
    {
      if (equals != NULL)
        return tool_usage (error, _("option '--%s' takes no value"), option->name);
      return store (options, option, "", error);
    }
  if (equals != NULL)
    return store (options, option, equals + 1, error);
  return take_next (options, option, at, error);
}

/* Letters of flags may stand together; one that takes a value ends the group. */
static bool
parse_letters (struct tool_options *options, const struct tool_option *table, char ***at, GError **error)
{
  for (const char *letter = **at + 1; *letter != '\0'; letter++)
    {
      if (*letter == 'h')
        {
          options->help = true;
          continue;
        }
      const struct tool_option *option = find_letter (table, *letter);
      if (option == NULL)
        {
          g_autofree char *shown = g_strndup (letter, 1);
          return tool_usage (error, _("unknown option '-%s'"), shown);
        }
      if (option->value_name == NULL)
        {
          if (!store (options, option, "", error))
            return false;
          continue;
        }
      if (letter[1] != '\0')
        return store (options, option, letter + 1, error);
      return take_next (options, option, at, error);
    }
  return true;
}

bool
tool_options_parse (struct tool_options *options,
                    const struct tool_option *table,
                    char **arguments,
                    GError **error)
{
  bool only_operands = false;

  options->operands = g_ptr_array_new ();
  options->values = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_ptr_array_unref);
  options->help = false;
  for (char **at = arguments; *at != NULL; at++)
    {
      const char *argument = *at;
      bool good = true;
      if (only_operands || argument[0] != '-' || argument[1] == '\0')
        g_ptr_array_add (options->operands, *at);
      else if (strcmp (argument, "--") == 0)
        only_operands = true;
      else if (argument[1] == '-')
        good = parse_long (options, table, &at, error);
      else
        good = parse_letters (options, table, &at, error);
      if (!good)
        {
          tool_options_clear (options);
          return false;
        }
    }
  return true;
}

void
tool_options_clear (struct tool_options *options)
{
  g_clear_pointer (&options->operands, g_ptr_array_unref);
  g_clear_pointer (&options->values, g_hash_table_unref);
}

bool
tool_options_has (const struct tool_options *options, const char *name)
{
  return g_hash_table_contains (options->values, name);
}

const char *
tool_options_get (const struct tool_options *options, const char *name)
{
  const GPtrArray *values = g_hash_table_lookup (options->values, name);
  return values != NULL ? g_ptr_array_index (values, 0) : NULL;
}

const char *const *
tool_options_get_all (const struct tool_options *options, const char *name)
{
  const GPtrArray *values = g_hash_table_lookup (options->values, name);
  return values != NULL ? (const char *const *) values->pdata : NULL;
}

guint
tool_options_n_operands (const struct tool_options *options)
{
  return options->operands->len;
}

const char *
tool_options_operand (const struct tool_options *options, guint index)
{
  return index < options->operands->len ? g_ptr_array_index (options->operands, index) : NULL;
}

bool
tool_options_at_most (const struct tool_options *options, guint most, GError **error)
{
  if (options->operands->len <= most)
    return true;
  return tool_usage (error, _("'%s' is one argument too many"), tool_options_operand (options, most));
}

bool
tool_parse_whole (const char *text,
                  const char *what,
                  guint64 least,
                  guint64 most,
                  guint64 *number,
                  GError **error)
{
  guint64 parsed = 0;
  gsize n_digits = strspn (text, "0123456789");

  if (n_digits == 0 || text[n_digits] != '\0')
    return tool_usage (error, _("%s: '%s' is not a whole number"), what, text);
  if (!g_ascii_string_to_unsigned (text, 10, least, most, &parsed, NULL))
    return tool_usage (error,
                       _("%s: %s is not in the range from %" PRIu64 " to %" PRIu64),
                       what, text, least, most);
  *number = parsed;
  return true;
}

bool
tool_options_get_number (const struct tool_options *options,
                         const char *name,
                         guint64 least,
                         guint64 most,
                         guint64 *number,
                         GError **error)
{
  const char *text = tool_options_get (options, name);
  if (text == NULL)
    return true;
  g_autofree char *what = g_strconcat ("--", name, NULL);
  return tool_parse_whole (text, what, least, most, number, error);
}
