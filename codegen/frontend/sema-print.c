/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* print ("format", values…) and assert (condition, "format", values…): the format is a text and says where each value
 * goes, so that all that can be wrong with it is known here. */

#include "config.h"

#include "codegen/frontend/sema.h"

#include <string.h>

#include "codegen/xir/format.h"

static const char *
source_of (const struct gk_unit *unit, const struct gk_node *node)
{
  return gk_hint ((struct gk_unit *) unit, "%.*s", (int) (node->end - node->offset), unit->text + node->offset);
}

/* The end of what C's printf() takes for the place of a value, or NULL. */
static const char *
skip_conversion (const char *at)
{
  if (*at++ != '%')
    return NULL;
  at += strspn (at, "-+ #0123456789.hlzjt");
  return *at != '\0' && strchr ("diuxXofFeEgGaAcsp", *at) != NULL ? at + 1 : NULL;
}

/* The format, as it stands in the source, with places where there are none yet. */
static const char *
with_places (struct gk_sema *sema, const struct gk_node *format, uint32_t n_missing)
{
  const char *source = source_of (sema->unit, format);
  GString *text = g_string_new (NULL);
  const char *result;

  for (const char *end; *source != '\0'; source = end != NULL ? end : source + 1)
    {
      end = n_missing > 0 ? skip_conversion (source) : NULL;
      if (end == NULL)
        g_string_append_c (text, *source);
      else
        {
          g_string_append (text, "{}");
          n_missing--;
        }
    }
  for (; n_missing > 0 && text->len < 200; n_missing--)
    g_string_insert (text, (gssize) text->len - 1, " {}");
  result = gk_hint (sema->unit, "%s", text->str);
  g_string_free (text, TRUE);
  return result;
}

static void
check_format (struct gk_sema *sema, const struct gk_node *format, uint32_t n_values)
{
  uint32_t n_places;

  if (!xir_format_count (format->u.text, &n_places))
    gk_report_node (sema->unit, GK_D_FORMAT_BRACE, format, NULL);
  else if (n_places != n_values)
    gk_report_node (sema->unit, GK_D_FORMAT_VALUES, format,
                    n_places < n_values ? with_places (sema, format, n_values - n_places) : NULL, n_places, n_values);
}

/* Words of the value, or 0 after a message. */
static uint32_t
check_value (struct gk_sema *sema, struct gk_node *value, const char *name)
{
  if (value->kind == GK_NODE_STRING)
    {
      gk_report_node (sema->unit, GK_D_PRINT_TEXT, value, NULL);
      return 0;
    }
  gk_check_any (sema, value);
  if (gk_is_poison (value->type))
    return 0;
  if (value->type->xir != NULL && xir_type_is_data (value->type->xir))
    return xir_print_words (value->type->xir);
  gk_report_node (sema->unit, GK_D_PRINT_VALUE, value, NULL, name, value->type->text);
  return 0;
}

static void
check_values (struct gk_sema *sema, const struct gk_node *call, const struct gk_node *format, const char *name)
{
  uint32_t n_values = 0, n_words = 0;

  for (struct gk_node *value = format->next; value != NULL; value = value->next)
    {
      n_words = MIN (n_words, XIR_PRINT_MAX_WORDS + 1) + check_value (sema, value, name);
      n_values++;
    }
  check_format (sema, format, n_values);
  if (n_words > XIR_PRINT_MAX_WORDS)
    gk_report_node (sema->unit, GK_D_PRINT_SIZE, call, NULL, XIR_PRINT_MAX_WORDS);
}

void
gk_check_print (struct gk_sema *sema, struct gk_node *node, const struct gk_builtin *builtin)
{
  struct gk_node *format = node->child[1];

  node->type = &sema->unit->void_type;
  if (builtin->op == XIR_OP_ASSERT && format != NULL)
    {
      if (format->kind == GK_NODE_STRING)
        {
          gk_report_node (sema->unit, GK_D_CONDITION_TEXT, format, gk_hint (sema->unit, "assert(false, %s)", source_of (sema->unit, format)));
          return;
        }
      gk_check_condition (sema, format);
      format = format->next;
      if (format == NULL)
        return;
    }
  if (format == NULL)
    gk_report_node (sema->unit, GK_D_ARGUMENTS, node, NULL, builtin->name, 1u, 0u);
  else if (format->kind == GK_NODE_STRING)
    check_values (sema, node, format, builtin->name);
  else
    {
      gk_report_node (sema->unit, GK_D_FORMAT, format, gk_hint (sema->unit, "\"{}\", %s", gk_node_source (sema->unit, format)), builtin->name);
      for (; format != NULL; format = format->next)
        check_value (sema, format, builtin->name);
    }
}
