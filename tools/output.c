/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/output.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/files.h"
#include "tools/report.h"

#define WIDEST_TITLE 56
#define NARROWEST 60
#define PARAGRAPH 92

struct row
{
  char *title;
  char *value;                  /* NULL: absent */
  char *description;            /* or NULL */
  const char *style;            /* of the value, or NULL */
};

struct tool_output
{
  JsonBuilder *builder;         /* NULL: text */
  GString *text;
  GArray *rows;                 /* of struct row: not yet aligned */
  guint depth;
  bool colour;
  bool compact;                 /* JSON on one line */
  guint columns;                /* of the terminal, 0: none */
};

static void
clear_row (gpointer data)
{
  struct row *row = data;
  g_free (row->title);
  g_free (row->value);
  g_free (row->description);
}

static guint
terminal_columns (void)
{
  struct winsize size;

  if (isatty (STDOUT_FILENO) != 1)
    return 0;
  if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 80;
  return MAX (size.ws_col, NARROWEST);
}

static bool
may_colour (void)
{
  const char *no_colour = secure_getenv ("NO_COLOR");
  const char *terminal = secure_getenv ("TERM");
  return (no_colour == NULL || no_colour[0] == '\0') && terminal != NULL && strcmp (terminal, "dumb") != 0;
}

struct tool_output *
tool_output_new (bool json)
{
  struct tool_output *output = g_new0 (struct tool_output, 1);

  output->text = g_string_new (NULL);
  output->rows = g_array_new (FALSE, FALSE, sizeof (struct row));
  g_array_set_clear_func (output->rows, clear_row);
  output->columns = terminal_columns ();
  output->colour = output->columns > 0 && may_colour ();
  if (json)
    {
      output->builder = json_builder_new ();
      json_builder_begin_object (output->builder);
    }
  return output;
}

static void
begin_document (struct tool_output *output, const char *document)
{
  tool_output_for_programs (output, "schema", g_variant_new_int64 (TOOL_SCHEMA_VERSION));
  tool_output_for_programs (output, "document", g_variant_new_string (document));
}

struct tool_output *
tool_output_new_document (const struct tool_options *options, const char *document)
{
  struct tool_output *output = tool_output_new (tool_options_has (options, "json"));
  const char *colour = tool_options_get (options, "color");

  if (colour != NULL && strcmp (colour, "auto") != 0)
    output->colour = strcmp (colour, "always") == 0;
  begin_document (output, document);
  return output;
}

struct tool_output *
tool_output_new_json (const char *document)
{
  struct tool_output *output = tool_output_new (true);

  begin_document (output, document);
  return output;
}

struct tool_output *
tool_output_new_line (const char *document)
{
  struct tool_output *output = tool_output_new_json (document);

  output->compact = true;
  return output;
}

void
tool_output_free (struct tool_output *output)
{
  if (output == NULL)
    return;
  g_clear_object (&output->builder);
  g_string_free (output->text, TRUE);
  g_array_unref (output->rows);
  g_free (output);
}

/* --- text ---------------------------------------------------------------------------- */

static void
append_styled (struct tool_output *output, const char *style, const char *text)
{
  if (output->colour)
    g_string_append_printf (output->text, "\033[%sm%s\033[0m", style, text);
  else
    g_string_append (output->text, text);
}

static void
indent (struct tool_output *output, guint columns)
{
  for (guint i = 0; i < columns; i++)
    g_string_append_c (output->text, ' ');
}

/* Breaks at blanks where a terminal would break anywhere; a file gets one line. */
static void
append_wrapped (struct tool_output *output, const char *value, guint start)
{
  if (output->columns < start + 20 || (guint) g_utf8_strlen (value, -1) + start <= output->columns)
    {
      g_string_append (output->text, value);
      return;
    }
  g_auto (GStrv) words = g_strsplit (value, " ", -1);
  guint column = start;
  for (guint i = 0; words[i] != NULL; i++)
    {
      guint width = (guint) g_utf8_strlen (words[i], -1);
      if (i > 0 && column + 1 + width > output->columns)
        {
          g_string_append_c (output->text, '\n');
          indent (output, start);
          column = start;
        }
      else if (i > 0)
        {
          g_string_append_c (output->text, ' ');
          column++;
        }
      g_string_append (output->text, words[i]);
      column += width;
    }
}

/* Rows are aligned with their neighbours, so they wait until there is another thing. */
static void
flush_rows (struct tool_output *output)
{
  guint widest = 0;

  for (guint i = 0; i < output->rows->len; i++)
    {
      guint width = (guint) g_utf8_strlen (g_array_index (output->rows, struct row, i).title, -1);
      if (width <= WIDEST_TITLE)
        widest = MAX (widest, width);
    }
  for (guint i = 0; i < output->rows->len; i++)
    {
      const struct row *row = &g_array_index (output->rows, struct row, i);
      guint width = (guint) g_utf8_strlen (row->title, -1);
      guint start = output->depth * 2 + MAX (widest, width) + 2;
      indent (output, output->depth * 2);
      g_string_append (output->text, row->title);
      indent (output, start - output->depth * 2 - width);
      if (row->value != NULL && row->style != NULL)
        append_styled (output, row->style, row->value);
      else if (row->value != NULL)
        append_wrapped (output, row->value, start);
      else
        append_styled (output, "2", _("absent"));
      g_string_append_c (output->text, '\n');
      if (row->description != NULL)
        {
          indent (output, output->depth * 2 + 4);
          append_styled (output, "2", row->description);
          g_string_append_c (output->text, '\n');
        }
    }
  g_array_set_size (output->rows, 0);
}

/* Takes `value`. */
static void
add_row (struct tool_output *output, const char *title, char *value, const char *description)
{
  struct row row = {
    .title = tool_printable (title != NULL ? title : ""),
    .value = value != NULL ? tool_printable (value) : NULL,
    .description = description != NULL ? tool_printable (description) : NULL,
  };
  g_free (value);
  g_array_append_val (output->rows, row);
}

static void
begin_text (struct tool_output *output, const char *title)
{
  flush_rows (output);
  if (title == NULL)
    return;
  g_autofree char *safe = tool_printable (title);
  if (output->depth == 0 && output->text->len > 0)
    g_string_append_c (output->text, '\n');
  indent (output, output->depth * 2);
  append_styled (output, "1", safe);
  g_string_append_c (output->text, '\n');
}

/* --- both ---------------------------------------------------------------------------- */

static void
set_key (struct tool_output *output, const char *key)
{
  if (key != NULL)
    json_builder_set_member_name (output->builder, key);
}

void
tool_output_begin_object (struct tool_output *output, const char *key, const char *title)
{
  if (output->builder != NULL)
    {
      set_key (output, key);
      json_builder_begin_object (output->builder);
      return;
    }
  begin_text (output, title);
  output->depth++;
}

void
tool_output_end_object (struct tool_output *output)
{
  if (output->builder != NULL)
    {
      json_builder_end_object (output->builder);
      return;
    }
  flush_rows (output);
  output->depth--;
}

void
tool_output_begin_list (struct tool_output *output, const char *key, const char *title)
{
  if (output->builder != NULL)
    {
      set_key (output, key);
      json_builder_begin_array (output->builder);
      return;
    }
  begin_text (output, title);
}

void
tool_output_end_list (struct tool_output *output)
{
  if (output->builder != NULL)
    json_builder_end_array (output->builder);
  else
    flush_rows (output);
}

void
tool_output_string (struct tool_output *output, const char *key, const char *title, const char *value)
{
  if (output->builder == NULL)
    {
      add_row (output, title, g_strdup (value), NULL);
      return;
    }
  if (value == NULL)
    return;
  g_autofree char *valid = g_utf8_make_valid (value, -1);
  set_key (output, key);
  json_builder_add_string_value (output->builder, valid);
}

void
tool_output_word (struct tool_output *output, const char *key, const char *title, const char *word, const char *text)
{
  tool_output_string (output, key, title, output->builder != NULL ? word : text);
}

void
tool_output_boolean (struct tool_output *output, const char *key, const char *title, bool value)
{
  if (output->builder == NULL)
    {
      add_row (output, title, g_strdup (value ? _("yes") : _("no")), NULL);
      return;
    }
  set_key (output, key);
  json_builder_add_boolean_value (output->builder, value);
}

void
tool_output_verdict (struct tool_output *output, const char *key, const char *title, bool good)
{
  tool_output_boolean (output, key, title, good);
  if (output->builder == NULL)
    g_array_index (output->rows, struct row, output->rows->len - 1).style = good ? "32" : "31";
}

void
tool_output_strings (struct tool_output *output, const char *key, const char *title, const char *const *values)
{
  tool_output_variant (output, key, title, g_variant_new_strv (values, -1), NULL, NULL);
}

void
tool_output_line (struct tool_output *output, const char *text)
{
  if (output->builder != NULL)
    return;
  flush_rows (output);
  g_autofree char *safe = tool_printable (text);
  if (safe[0] != '\0')
    indent (output, output->depth * 2);
  g_string_append_printf (output->text, "%s\n", safe);
}

void
tool_output_paragraph (struct tool_output *output, const char *text)
{
  guint columns = output->columns;

  if (output->builder != NULL)
    return;
  flush_rows (output);
  g_autofree char *safe = tool_printable (text);
  indent (output, output->depth * 2);
  output->columns = columns > 0 ? MIN (columns, PARAGRAPH) : PARAGRAPH;
  append_wrapped (output, safe, output->depth * 2);
  output->columns = columns;
  g_string_append_c (output->text, '\n');
}

/* --- values of attributes -------------------------------------------------------------- */

static char *
scaled (guint64 number, const char *const *symbols, double step, const char *exact)
{
  double value = (double) number;
  guint power = 0;

  while (symbols[power + 1] != NULL && value >= step)
    {
      value /= step;
      power++;
    }
  if (power == 0)
    return g_strdup_printf ("%" PRIu64 " %s", number, symbols[0]);
  g_autofree char *many = g_strdup_printf (exact, number);
  return g_strdup_printf (value < 10 ? "%.2f %s (%s)" : "%.1f %s (%s)", value, symbols[power], many);
}

char *
tool_humanise (guint64 number, const char *unit)
{
  static const char *const bytes[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", NULL };
  static const char *const rates[] = { "B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s", NULL };
  static const char *const hertz[] = { "Hz", "kHz", "MHz", "GHz", "THz", NULL };
  static const char *const times[] = { "ns", "µs", "ms", "s", NULL };

  if (unit == NULL)
    return g_strdup_printf ("%" PRIu64, number);
  if (strcmp (unit, "bytes") == 0)
    return scaled (number, bytes, 1024, ngettext ("%" PRIu64 " byte", "%" PRIu64 " bytes",
                                                  (gulong) MIN (number, G_MAXULONG)));
  if (strcmp (unit, "bytes-per-second") == 0)
    return scaled (number, rates, 1024, _("%" PRIu64 " bytes a second"));
  if (strcmp (unit, "hertz") == 0)
    return scaled (number, hertz, 1000, "%" PRIu64 " Hz");
  if (strcmp (unit, "nanoseconds") == 0)
    return scaled (number, times, 1000, "%" PRIu64 " ns");
  if (strcmp (unit, "percent") == 0)
    return g_strdup_printf ("%" PRIu64 " %%", number);
  if (strcmp (unit, "bits") == 0)
    return g_strdup_printf (ngettext ("%" PRIu64 " bit", "%" PRIu64 " bits",
                                      (gulong) MIN (number, G_MAXULONG)), number);
  if (strcmp (unit, "texels") == 0)
    return g_strdup_printf (ngettext ("%" PRIu64 " texel", "%" PRIu64 " texels",
                                      (gulong) MIN (number, G_MAXULONG)), number);
  return g_strdup_printf ("%" PRIu64, number);
}

/* Bytes are shown in hexadecimal; sixteen of them as the UUID that they are. */
static char *
hexadecimal (GVariant *value)
{
  gsize size;
  const guint8 *bytes = g_variant_get_fixed_array (value, &size, 1);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < size; i++)
    {
      if (size == 16 && (i == 4 || i == 6 || i == 8 || i == 10))
        g_string_append_c (text, '-');
      g_string_append_printf (text, "%02x", bytes[i]);
    }
  return g_string_free (text, FALSE);
}

static char *
number_text (double number)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.9g", number));
}

static bool
get_unsigned (GVariant *value, guint64 *number)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BYTE:
      *number = g_variant_get_byte (value);
      return true;
    case G_VARIANT_CLASS_UINT16:
      *number = g_variant_get_uint16 (value);
      return true;
    case G_VARIANT_CLASS_UINT32:
      *number = g_variant_get_uint32 (value);
      return true;
    case G_VARIANT_CLASS_UINT64:
      *number = g_variant_get_uint64 (value);
      return true;
    default:
      return false;
    }
}

static bool
get_signed (GVariant *value, gint64 *number)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_INT16:
      *number = g_variant_get_int16 (value);
      return true;
    case G_VARIANT_CLASS_INT32:
      *number = g_variant_get_int32 (value);
      return true;
    case G_VARIANT_CLASS_INT64:
      *number = g_variant_get_int64 (value);
      return true;
    default:
      return false;
    }
}

static char *
variant_text (GVariant *value, const char *unit)
{
  guint64 number;
  gint64 integer;

  if (get_unsigned (value, &number))
    return tool_humanise (number, unit);
  if (get_signed (value, &integer))
    return integer >= 0 ? tool_humanise ((guint64) integer, unit) : g_strdup_printf ("%" PRId64, integer);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return g_strdup (g_variant_get_boolean (value) ? _("yes") : _("no"));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    return number_text (g_variant_get_double (value));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return g_variant_dup_string (value, NULL);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BYTESTRING))
    return hexadecimal (value);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_ARRAY))
    {
      GString *text = g_string_new (NULL);
      gsize n_items = g_variant_n_children (value);
      for (gsize i = 0; i < n_items; i++)
        {
          g_autoptr (GVariant) item = g_variant_get_child_value (value, i);
          g_autofree char *part = variant_text (item, unit);
          g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", part);
        }
      if (n_items == 0)
        g_string_append (text, _("none"));
      return g_string_free (text, FALSE);
    }
  return g_variant_print (value, FALSE);
}

static void
add_json (JsonBuilder *builder, GVariant *value)
{
  guint64 number;
  gint64 integer;

  if (get_unsigned (value, &number))
    {
      /* JSON-GLib has signed whole numbers; above them there are doubles. */
      if (number <= G_MAXINT64)
        json_builder_add_int_value (builder, (gint64) number);
      else
        json_builder_add_double_value (builder, (double) number);
    }
  else if (get_signed (value, &integer))
    json_builder_add_int_value (builder, integer);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    json_builder_add_boolean_value (builder, g_variant_get_boolean (value));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE) && isfinite (g_variant_get_double (value)))
    json_builder_add_double_value (builder, g_variant_get_double (value));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_ARRAY)
           && !g_variant_is_of_type (value, G_VARIANT_TYPE_BYTESTRING))
    {
      json_builder_begin_array (builder);
      gsize n_items = g_variant_n_children (value);
      for (gsize i = 0; i < n_items; i++)
        {
          g_autoptr (GVariant) item = g_variant_get_child_value (value, i);
          add_json (builder, item);
        }
      json_builder_end_array (builder);
    }
  else
    {
      g_autofree char *text = variant_text (value, NULL);
      json_builder_add_string_value (builder, text);
    }
}

void
tool_output_variant (struct tool_output *output,
                     const char *key,
                     const char *title,
                     GVariant *value,
                     const char *unit,
                     const char *description)
{
  g_autoptr (GVariant) kept = value != NULL ? g_variant_ref_sink (value) : NULL;

  if (output->builder == NULL)
    {
      add_row (output, title, kept != NULL ? variant_text (kept, unit) : NULL, description);
      return;
    }
  if (kept == NULL)
    return;
  set_key (output, key);
  add_json (output->builder, kept);
}

JsonNode *
tool_variant_to_json (GVariant *value)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  /* The builder wants something around a value. */
  json_builder_begin_array (builder);
  add_json (builder, value);
  json_builder_end_array (builder);
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  return json_array_dup_element (json_node_get_array (root), 0);
}

char *
tool_json_text (JsonNode *value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (JSON_NODE_HOLDS_ARRAY (value))
    {
      JsonArray *array = json_node_get_array (value);
      GString *text = g_string_new (NULL);
      for (guint i = 0; i < json_array_get_length (array); i++)
        {
          g_autofree char *part = tool_json_text (json_array_get_element (array, i));
          g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", part);
        }
      if (text->len == 0)
        g_string_append (text, _("none"));
      return g_string_free (text, FALSE);
    }
  if (!JSON_NODE_HOLDS_VALUE (value))
    return json_to_string (value, FALSE);
  if (json_node_get_value_type (value) == G_TYPE_BOOLEAN)
    return g_strdup (json_node_get_boolean (value) ? _("yes") : _("no"));
  if (json_node_get_value_type (value) == G_TYPE_DOUBLE)
    return g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.17g", json_node_get_double (value)));
  if (json_node_get_value_type (value) == G_TYPE_STRING)
    return g_strdup (json_node_get_string (value));
  return g_strdup_printf ("%" PRId64, json_node_get_int (value));
}

void
tool_output_node (struct tool_output *output, const char *key, const char *title, JsonNode *value)
{
  if (output->builder == NULL)
    {
      add_row (output, title, value != NULL ? tool_json_text (value) : NULL, NULL);
      return;
    }
  if (value == NULL)
    return;
  set_key (output, key);
  json_builder_add_value (output->builder, json_node_copy (value));
}

void
tool_output_for_programs (struct tool_output *output, const char *key, GVariant *value)
{
  g_autoptr (GVariant) kept = g_variant_ref_sink (value);

  if (output->builder != NULL)
    tool_output_variant (output, key, NULL, kept, NULL, NULL);
}

bool
tool_output_finish (struct tool_output *output, GError **error)
{
  bool good;

  if (output->builder != NULL)
    {
      json_builder_end_object (output->builder);
      g_autoptr (JsonNode) root = json_builder_get_root (output->builder);
      g_autofree char *text = json_to_string (root, !output->compact);
      g_autofree char *line = g_strconcat (text, "\n", NULL);
      good = tool_write_stdout (line, strlen (line), error);
    }
  else
    {
      flush_rows (output);
      good = tool_write_stdout (output->text->str, output->text->len, error);
    }
  tool_output_free (output);
  return good;
}
