/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The unit: what comes in is checked for size and characters, what goes wrong
 * is said with its place. */

#include "config.h"

#include "codegen/frontend/lexer.h"
#include "codegen/frontend/unit.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MAX_HINT_SOURCE 40

static const struct { uint32_t code; enum gk_severity severity; const char *format; } rows[GK_N_DIAGNOSTICS] =
{
#define GK_DIAGNOSTIC(name, code, severity, format) [GK_D_##name] = { code, GK_SEVERITY_##severity, format },
#include "codegen/frontend/diagnostics.def"
#undef GK_DIAGNOSTIC
};

/* Index of the line that holds `offset`. */
static guint
find_line (const struct gk_unit *unit,
           uint32_t              offset)
{
  guint low = 0, high = unit->lines->len;
  while (high - low > 1)
    {
      guint middle = low + (high - low) / 2;
      if (g_array_index (unit->lines, uint32_t, middle) <= offset)
        low = middle;
      else
        high = middle;
    }
  return low;
}

/* There are few sources. */
static guint
find_source (const struct gk_unit *unit,
             uint32_t              offset)
{
  guint source = unit->sources->len - 1;
  while (source > 0 && g_array_index (unit->sources, struct gk_source, source).start > offset)
    source--;
  return source;
}

struct xir_location
gk_locate (const struct gk_unit *unit,
           uint32_t              offset)
{
  guint line = find_line (unit, offset);
  guint source = find_source (unit, offset);
  struct xir_location location = {
    line - g_array_index (unit->sources, struct gk_source, source).first_line + 1,
    offset - g_array_index (unit->lines, uint32_t, line) + 1,
    source
  };
  return location;
}

void
gk_line_bounds (const struct gk_unit *unit,
                uint32_t              offset,
                uint32_t             *start,
                uint32_t             *end)
{
  guint line = find_line (unit, offset);
  *start = g_array_index (unit->lines, uint32_t, line);
  *end = line + 1 < unit->lines->len ? g_array_index (unit->lines, uint32_t, line + 1) : G_MAXUINT32;
}

const char *
gk_hint (struct gk_unit *unit,
         const char     *format,
         ...)
{
  va_list arguments;
  char *text;
  const char *copy;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  copy = gb_arena_strdup (&unit->arena, text);
  g_free (text);
  return copy;
}

const char *
gk_node_source (const struct gk_unit *unit,
                const struct gk_node *node)
{
  uint32_t length = node->end - node->offset;
  const char *text = unit->text + node->offset;

  if (length > MAX_HINT_SOURCE || node->end > unit->length || memchr (text, '\n', length) != NULL)
    return "…";
  /* The unit owns its arena even where it is const to the caller. */
  return gb_arena_strndup (&((struct gk_unit *) unit)->arena, text, length);
}

static void
report (struct gk_unit        *unit,
        enum gk_diagnostic_id  id,
        uint32_t               offset,
        uint32_t               length,
        const char            *hint,
        va_list                arguments)
{
  struct gk_diagnostics *diagnostics = unit->diagnostics;
  bool is_error = rows[id].severity == GK_SEVERITY_ERROR;
  guint count = is_error ? diagnostics->n_errors : diagnostics->n_warnings;
  struct xir_location location = gk_locate (unit, offset);
  const char *line = unit->text + (offset - (location.column - 1));
  const char *file = location.file > 0 ? g_array_index (unit->sources, struct gk_source, location.file).name : NULL;
  char *message = NULL;
  gsize line_length = 0;

  /* Past the limit only the count matters: a file of mistakes must stay cheap. */
  if (count <= diagnostics->limit)
    {
      message = g_strdup_vprintf (_(rows[id].format), arguments);
      line_length = strcspn (line, "\r\n");
      if (location.column - 1 + length > line_length)
        length = line_length >= location.column ? line_length - (location.column - 1) : 1;
    }
  gk_diagnostics_add (diagnostics, rows[id].severity, rows[id].code, location.line, location.column, length,
                      line, line_length, hint, "%s", message != NULL ? message : "");
  if (file != NULL && count <= diagnostics->limit)
    gk_diagnostics_name_last (diagnostics, file, location.file);
  g_free (message);
}

void
gk_report (struct gk_unit        *unit,
           enum gk_diagnostic_id  id,
           uint32_t               offset,
           uint32_t               length,
           const char            *hint,
           ...)
{
  va_list arguments;
  va_start (arguments, hint);
  report (unit, id, offset, length, hint, arguments);
  va_end (arguments);
}

void
gk_report_node (struct gk_unit        *unit,
                enum gk_diagnostic_id  id,
                const struct gk_node  *node,
                const char            *hint,
                ...)
{
  va_list arguments;
  va_start (arguments, hint);
  report (unit, id, node->offset, MAX (node->end, node->offset + 1) - node->offset, hint, arguments);
  va_end (arguments);
}

static uint32_t
mark_length (const struct gk_node *node)
{
  switch (node->kind)
    {
    case GK_NODE_STRUCT:
    case GK_NODE_FUNCTION:
    case GK_NODE_PARAMETER:
    case GK_NODE_VARIABLE:
    case GK_NODE_MEMBER:
    case GK_NODE_SWIZZLE:
    case GK_NODE_PROPERTY:
      return MAX (node->u.name->length, 1);
    case GK_NODE_BINARY:
    case GK_NODE_LOGICAL:
    case GK_NODE_UNARY:
      return strlen (gk_token_text (node->op));
    case GK_NODE_CALL:
    case GK_NODE_BUILTIN_CALL:
    case GK_NODE_METHOD:
    case GK_NODE_CONSTRUCT:
      return node->child[0]->end - node->mark;
    default:
      return 1;
    }
}

void
gk_report_mark (struct gk_unit        *unit,
                enum gk_diagnostic_id  id,
                const struct gk_node  *node,
                const char            *hint,
                ...)
{
  va_list arguments;
  va_start (arguments, hint);
  report (unit, id, node->mark, mark_length (node), hint, arguments);
  va_end (arguments);
}

static void
find_lines (struct gk_unit *unit,
            uint32_t        start)
{
  const char *end;

  g_array_append_val (unit->lines, start);
  while ((end = memchr (unit->text + start, '\n', unit->length - start)) != NULL)
    {
      start = end - unit->text + 1;
      g_array_append_val (unit->lines, start);
    }
}

/* Whether the text is text: said once, not once a byte. */
static bool
check_characters (struct gk_unit *unit,
                  uint32_t        start)
{
  const char *text = unit->text + start;
  const char *nul = memchr (text, '\0', unit->length - start);
  const char *end;

  if (nul != NULL)
    {
      gk_report (unit, GK_D_SOURCE_NUL, nul - unit->text, 1, NULL, (unsigned) (nul - text));
      return false;
    }
  if (!g_utf8_validate (text, unit->length - start, &end))
    {
      gk_report (unit, GK_D_SOURCE_UTF8, end - unit->text, 1, NULL, (unsigned) (end - text));
      return false;
    }
  return true;
}

bool
gk_source_add (struct gk_unit       *unit,
               const char           *name,
               const char           *text,
               gsize                 length,
               uint32_t              importer,
               const struct gk_node *place)
{
  struct gk_source source = { NULL, 0, unit->lines->len, importer };
  bool fits = length <= GK_MAX_SOURCE_SIZE - MIN (unit->length, GK_MAX_SOURCE_SIZE);

  if (!fits && place != NULL)
    {
      gk_report_node (unit, GK_D_SOURCE_TOO_LARGE, place, NULL, (unsigned long long) unit->length + length, GK_MAX_SOURCE_SIZE);
      return false;
    }
  source.name = g_strdup (name);
  source.start = unit->sources->len > 0 ? unit->length + 1 : 0;
  if (!fits)
    length = 0;
  unit->text = g_realloc (unit->text, source.start + length + 1);
  if (length > 0)
    memcpy (unit->text + source.start, text, length);
  unit->length = source.start + length;
  unit->text[unit->length] = '\0';
  g_array_append_val (unit->sources, source);
  find_lines (unit, source.start);
  return fits && check_characters (unit, source.start);
}

static gint
compare_places (gconstpointer a,
                gconstpointer b)
{
  const struct gk_diagnostic *left = *(const struct gk_diagnostic *const *) a;
  const struct gk_diagnostic *right = *(const struct gk_diagnostic *const *) b;

  /* What has no place stands last. */
  if ((left->line == 0) != (right->line == 0))
    return left->line == 0 ? 1 : -1;
  if (left->file_number != right->file_number)
    return left->file_number < right->file_number ? -1 : 1;
  if (left->line != right->line)
    return left->line < right->line ? -1 : 1;
  return left->column == right->column ? 0 : left->column < right->column ? -1 : 1;
}

static void
free_source (gpointer data)
{
  g_free (((struct gk_source *) data)->name);
}

static void
read_unit (struct gk_unit *unit,
           const char     *text,
           gsize           length)
{
  if (!gk_source_add (unit, unit->name, text, length, 0, NULL))
    {
      if (length > GK_MAX_SOURCE_SIZE)
        gk_diagnostics_add (unit->diagnostics, GK_SEVERITY_ERROR, rows[GK_D_SOURCE_TOO_LARGE].code, 0, 0, 0, NULL, 0, NULL,
                            _(rows[GK_D_SOURCE_TOO_LARGE].format), (unsigned long long) length, GK_MAX_SOURCE_SIZE);
      return;
    }
  gk_keywords_intern (unit);
  gk_builtins_intern (unit);
  unit->file = gk_parse (unit, 0);
  if (unit->file == NULL)
    return;
  gk_import (unit, unit->file);
  gk_sema (unit);
}

struct gk_unit *
gk_unit_new_with (struct xir_context             *context,
                  const char                     *name,
                  const char                     *text,
                  gsize                           length,
                  const struct gk_source_options *options,
                  struct gk_diagnostics          *diagnostics)
{
  static const struct gk_source_options nothing;
  struct gk_unit *unit = g_new0 (struct gk_unit, 1);
  guint errors_before = diagnostics->n_errors;

  unit->context = xir_context_ref (context);
  unit->diagnostics = diagnostics;
  unit->name = g_strdup (name);
  unit->functions = g_ptr_array_new ();
  unit->lines = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  unit->sources = g_array_new (FALSE, FALSE, sizeof (struct gk_source));
  g_array_set_clear_func (unit->sources, free_source);
  unit->options = options != NULL ? options : &nothing;
  unit->options_used = g_new0 (bool, unit->options->n_values + 1);
  gb_arena_init (&unit->arena, 0);
  gk_types_init (unit);
  read_unit (unit, text, length);
  g_ptr_array_sort (diagnostics->list, compare_places);
  unit->is_good = unit->file != NULL && diagnostics->n_errors == errors_before;
  unit->diagnostics = NULL;
  unit->options = NULL;
  g_clear_pointer (&unit->options_used, g_free);
  return unit;
}

struct gk_unit *
gk_unit_new (struct xir_context    *context,
             const char            *name,
             const char            *text,
             gsize                  length,
             struct gk_diagnostics *diagnostics)
{
  return gk_unit_new_with (context, name, text, length, NULL, diagnostics);
}

const char *
gk_unit_text (const struct gk_unit *unit,
              gsize                *length)
{
  *length = unit->length;
  return unit->text;
}

void
gk_unit_free (struct gk_unit *unit)
{
  if (unit == NULL)
    return;
  for (guint i = 0; i < unit->functions->len; i++)
    {
      struct gk_function *function = g_ptr_array_index (unit->functions, i);
      g_clear_pointer (&function->calls, g_ptr_array_unref);
    }
  g_ptr_array_unref (unit->functions);
  g_clear_pointer (&unit->constants, xir_module_free);
  g_clear_pointer (&unit->arrays, g_hash_table_unref);
  g_array_unref (unit->lines);
  g_array_unref (unit->sources);
  g_free (unit->names.slots);
  g_free (unit->text);
  g_free (unit->name);
  gb_arena_clear (&unit->arena);
  xir_context_unref (unit->context);
  g_free (unit);
}
