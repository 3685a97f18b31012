/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tree as text. What a node is called and what its children are for comes
 * out of ast.def. */

#include "config.h"

#include "codegen/frontend/unit.h"

#include <inttypes.h>
#include <string.h>

const struct gk_node_info gk_node_infos[GK_N_NODES] =
{
#define GK_NODE(name, text, n, a, b, c, d) { text, n, { a, b, c, d } },
#include "codegen/frontend/ast.def"
#undef GK_NODE
};

static const struct { uint32_t flag; const char *text; } flag_names[] =
{
  { GK_FLAG_CONST, "const" }, { GK_FLAG_RESTRICT, "restrict" }, { GK_FLAG_VOLATILE, "volatile" }, { GK_FLAG_INOUT, "inout" },
  { GK_FLAG_OUT, "out" }, { GK_FLAG_KERNEL, "kernel" },
  { GK_FLAG_FAST_MATH, "fast_math" }, { GK_FLAG_UNCHECKED, "unchecked" }, { GK_FLAG_NO_INLINE, "noinline" },
  { GK_FLAG_UNROLL, "unroll" }, { GK_FLAG_POSTFIX, "postfix" }, { GK_FLAG_STOPS, "stops" }
};

static bool
has_name (enum gk_node_kind kind)
{
  switch (kind)
    {
    case GK_NODE_STRUCT:
    case GK_NODE_FUNCTION:
    case GK_NODE_PARAMETER:
    case GK_NODE_VARIABLE:
    case GK_NODE_NAME:
    case GK_NODE_VALUE:
    case GK_NODE_MEMBER:
    case GK_NODE_SWIZZLE:
    case GK_NODE_PROPERTY:
      return true;
    default:
      return false;
    }
}

static void
print_detail (const struct gk_node *node,
              GString              *out)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  char *escaped;

  if (has_name (node->kind))
    g_string_append_printf (out, " %s", node->u.name->text);
  else if (node->kind == GK_NODE_INTEGER)
    g_string_append_printf (out, " %" PRIu64, (guint64) node->u.integer);
  else if (node->kind == GK_NODE_BOOLEAN)
    g_string_append (out, node->u.integer != 0 ? " true" : " false");
  else if (node->kind == GK_NODE_REAL)
    g_string_append_printf (out, " %s", g_ascii_dtostr (buffer, sizeof buffer, node->u.real));
  else if ((node->kind == GK_NODE_UNREACHABLE || node->kind == GK_NODE_STRING) && node->u.text != NULL)
    {
      escaped = g_strescape (node->u.text, NULL);
      g_string_append_printf (out, " \"%s\"", escaped);
      g_free (escaped);
    }
  if (node->op != 0 && node->kind != GK_NODE_TYPE)
    g_string_append_printf (out, " %s", gk_token_text (node->op));
  for (gsize i = 0; i < G_N_ELEMENTS (flag_names); i++)
    if (node->flags & flag_names[i].flag)
      g_string_append_printf (out, " %s", flag_names[i].text);
  if (node->flags & GK_FLAG_UNROLL && node->u.unroll_count != 0)
    g_string_append_printf (out, " %u", node->u.unroll_count);
  if (node->kind == GK_NODE_TYPE && node->type == NULL)
    g_string_append_printf (out, " %s", node->u.name != NULL ? node->u.name->text : "?");
  if (node->type != NULL)
    g_string_append_printf (out, node->kind == GK_NODE_TYPE ? " %s" : " : %s", node->type->text);
  if (node->spread != 0)
    g_string_append_printf (out, " spread %u", node->spread);
}

static void print_node (const struct gk_unit *unit, const struct gk_node *node, const char *role, unsigned indent,
                        GString *out);

/* Returns the next of a ladder of ifs, which is left to the caller. */
static const struct gk_node *
print_tree (const struct gk_unit *unit,
            const struct gk_node *node,
            const char           *role,
            unsigned              indent,
            GString              *out)
{
  const struct gk_node_info *info = &gk_node_infos[node->kind];
  struct xir_location location = gk_locate (unit, node->mark);
  const struct gk_node *rest = NULL;

  g_string_append_printf (out, "%*s", (int) indent, "");
  if (role[0] != '\0')
    g_string_append_printf (out, "%s: ", role);
  g_string_append (out, info->name);
  print_detail (node, out);
  g_string_append_printf (out, " <%u:%u>\n", location.line, location.column);
  for (unsigned i = 0; i < info->n_children; i++)
    {
      bool is_list = g_str_has_suffix (info->roles[i], "…");
      for (const struct gk_node *child = node->child[i]; child != NULL; child = child->next)
        {
          if (node->kind == GK_NODE_IF && i == 2 && gk_else_if (node) != NULL)
            {
              rest = child;
              break;
            }
          /* Declarators share the type of their line, and lists need no role on each line. */
          print_node (unit, child, is_list || info->n_children == 1 ? "" : info->roles[i], indent + 2, out);
          if (!is_list)
            break;
        }
    }
  return rest;
}

/* The ifs of a ladder stand one below the other, however many they are. */
static void
print_node (const struct gk_unit *unit,
            const struct gk_node *node,
            const char           *role,
            unsigned              indent,
            GString              *out)
{
  node = print_tree (unit, node, role, indent, out);
  while (node != NULL)
    node = print_tree (unit, node, gk_node_infos[GK_NODE_IF].roles[2], indent + 2, out);
}

void
gk_unit_print (const struct gk_unit *unit,
               GString              *out)
{
  if (unit->file != NULL)
    print_node (unit, unit->file, "", 0, out);
}
