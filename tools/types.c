/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/types.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_DEPTH 16
#define MAX_NUMBERS (1 << 20)
#define MAX_MEMBERS 1024

struct parser
{
  const char *at;
  guint depth;
};

static const struct
{
  const char *name;
  enum tool_type_kind kind;
  gsize size;
} scalars[] = {
  { "bool", TOOL_TYPE_BOOL, 4 },
  { "int", TOOL_TYPE_INT, 4 },
  { "uint", TOOL_TYPE_UINT, 4 },
  { "float", TOOL_TYPE_FLOAT, 4 },
};

static struct tool_type *parse_type (struct parser *parser);

void
tool_type_free (struct tool_type *type)
{
  if (type == NULL)
    return;
  tool_type_free (type->element);
  if (type->members != NULL)
    {
      for (guint i = 0; i < type->count; i++)
        tool_type_free (type->members[i]);
    }
  g_free (type->members);
  g_free (type->offsets);
  g_free (type);
}

static bool
accept (struct parser *parser, char wanted)
{
  while (*parser->at == ' ')
    parser->at++;
  if (*parser->at != wanted)
    return false;
  parser->at++;
  return true;
}

static bool
parse_count (struct parser *parser, guint most, guint *count)
{
  guint64 number = 0;
  while (*parser->at == ' ')
    parser->at++;
  if (!g_ascii_isdigit (*parser->at))
    return false;
  for (; g_ascii_isdigit (*parser->at); parser->at++)
    {
      number = number * 10 + (guint64) (*parser->at - '0');
      if (number > most)
        return false;
    }
  *count = (guint) number;
  return number > 0;
}

/* Takes `element` in any case. */
static struct tool_type *
make_vector (struct tool_type *element, guint lanes)
{
  if (element == NULL)
    return NULL;
  if (element->kind > TOOL_TYPE_FLOAT || lanes < 2 || lanes > 4)
    {
      tool_type_free (element);
      return NULL;
    }
  struct tool_type *type = g_new0 (struct tool_type, 1);
  type->kind = TOOL_TYPE_VECTOR;
  type->element = element;
  type->count = lanes;
  type->n_numbers = lanes;
  type->size = element->size * (lanes == 3 ? 4 : lanes);
  type->alignment = MIN (16, type->size);
  return type;
}

static struct tool_type *
make_array (struct tool_type *element, guint length)
{
  if (element == NULL)
    return NULL;
  if (length == 0 || length > MAX_NUMBERS / element->n_numbers)
    {
      tool_type_free (element);
      return NULL;
    }
  struct tool_type *type = g_new0 (struct tool_type, 1);
  type->kind = TOOL_TYPE_ARRAY;
  type->element = element;
  type->count = length;
  type->n_numbers = length * element->n_numbers;
  type->size = length * element->size;
  type->alignment = element->alignment;
  return type;
}

/* Takes the members in any case. */
static struct tool_type *
make_structure (GPtrArray *members, guint declared_alignment)
{
  guint n_members = members->len;
  struct tool_type *type = g_new0 (struct tool_type, 1);
  type->kind = TOOL_TYPE_STRUCTURE;
  type->alignment = declared_alignment;
  type->count = n_members;
  type->members = (struct tool_type **) g_ptr_array_free (members, FALSE);
  type->offsets = g_new0 (gsize, n_members);
  for (guint i = 0; i < n_members; i++)
    {
      const struct tool_type *member = type->members[i];
      type->offsets[i] = (type->size + member->alignment - 1) / member->alignment * member->alignment;
      type->size = type->offsets[i] + member->size;
      type->alignment = MAX (type->alignment, member->alignment);
      type->n_numbers += member->n_numbers;
      if (type->n_numbers > MAX_NUMBERS)
        {
          tool_type_free (type);
          return NULL;
        }
    }
  type->size = (type->size + type->alignment - 1) / type->alignment * type->alignment;
  return type;
}

/* Behind "struct<". */
static struct tool_type *
parse_structure (struct parser *parser)
{
  guint alignment;
  if (!parse_count (parser, 16, &alignment))
    return NULL;
  GPtrArray *members = g_ptr_array_new ();
  bool good = true;
  while (good && accept (parser, ','))
    {
      struct tool_type *member = members->len < MAX_MEMBERS ? parse_type (parser) : NULL;
      good = member != NULL;
      if (good)
        g_ptr_array_add (members, member);
    }
  if (!good || members->len == 0 || !accept (parser, '>'))
    {
      g_ptr_array_foreach (members, (GFunc) (void (*) (void)) tool_type_free, NULL);
      g_ptr_array_free (members, TRUE);
      return NULL;
    }
  return make_structure (members, alignment);
}

/* Behind "vector<" or "array<". */
static struct tool_type *
parse_repeated (struct parser *parser, bool vector)
{
  guint count;
  struct tool_type *element = parse_type (parser);
  if (element == NULL)
    return NULL;
  if (!accept (parser, ',') || !parse_count (parser, MAX_NUMBERS, &count) || !accept (parser, '>'))
    {
      tool_type_free (element);
      return NULL;
    }
  return vector ? make_vector (element, count) : make_array (element, count);
}

static struct tool_type *
parse_named (struct parser *parser)
{
  char name[16];
  gsize length = 0;
  while (g_ascii_isalpha (*parser->at))
    {
      if (length + 1 == sizeof name)
        return NULL;
      name[length++] = *parser->at++;
    }
  name[length] = '\0';
  bool lanes_follow = g_ascii_isdigit (*parser->at);
  if (!lanes_follow && accept (parser, '<'))
    {
      if (strcmp (name, "struct") == 0)
        return parse_structure (parser);
      if (strcmp (name, "vector") == 0 || strcmp (name, "array") == 0)
        return parse_repeated (parser, name[0] == 'v');
      return NULL;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (scalars); i++)
    {
      if (strcmp (scalars[i].name, name) != 0)
        continue;
      struct tool_type *type = g_new0 (struct tool_type, 1);
      type->kind = scalars[i].kind;
      type->size = type->alignment = scalars[i].size;
      type->n_numbers = type->count = 1;
      if (lanes_follow)
        return make_vector (type, (guint) (*parser->at++ - '0'));
      return type;
    }
  return NULL;
}

static struct tool_type *
parse_type (struct parser *parser)
{
  if (parser->depth == MAX_DEPTH)
    return NULL;
  parser->depth++;
  while (*parser->at == ' ')
    parser->at++;
  struct tool_type *type = parse_named (parser);
  /* T[4][8] is four arrays of eight: the last length stands for the innermost. */
  guint lengths[MAX_DEPTH];
  guint n_lengths = 0;
  bool good = type != NULL;
  while (good && accept (parser, '['))
    {
      good = n_lengths < MAX_DEPTH && parse_count (parser, MAX_NUMBERS, &lengths[n_lengths])
             && accept (parser, ']');
      n_lengths++;
    }
  if (!good)
    {
      tool_type_free (type);
      return NULL;
    }
  while (n_lengths > 0)
    type = make_array (type, lengths[--n_lengths]);
  parser->depth--;
  return type;
}

struct tool_type *
tool_type_parse (const char *text)
{
  struct parser parser = { text, 0 };
  if (text == NULL)
    return NULL;
  struct tool_type *type = parse_type (&parser);
  if (type != NULL && *parser.at != '\0')
    g_clear_pointer (&type, tool_type_free);
  return type;
}

bool
tool_type_equal (const struct tool_type *a, const struct tool_type *b)
{
  if (a->kind != b->kind || a->count != b->count || a->size != b->size || a->alignment != b->alignment)
    return false;
  if (a->element != NULL)
    return tool_type_equal (a->element, b->element);
  for (guint i = 0; a->members != NULL && i < a->count; i++)
    {
      if (!tool_type_equal (a->members[i], b->members[i]))
        return false;
    }
  return true;
}

const struct tool_type *
tool_type_scalar (const struct tool_type *type)
{
  if (type->kind == TOOL_TYPE_VECTOR)
    return type->element;
  return type->kind <= TOOL_TYPE_FLOAT ? type : NULL;
}

guint
tool_type_lanes (const struct tool_type *type)
{
  return type->kind == TOOL_TYPE_VECTOR ? type->count : 1;
}

char *
tool_type_describe (const struct tool_type *type)
{
  GString *lengths = g_string_new (NULL);
  while (type->kind == TOOL_TYPE_ARRAY)
    {
      g_string_append_printf (lengths, "[%u]", type->count);
      type = type->element;
    }
  g_autofree char *behind = g_string_free (lengths, FALSE);
  if (type->kind == TOOL_TYPE_STRUCTURE)
    return g_strdup_printf (ngettext ("a structure of %u number%s", "a structure of %u numbers%s", type->n_numbers),
                            type->n_numbers, behind);
  const char *scalar = scalars[tool_type_scalar (type)->kind].name;
  if (type->kind == TOOL_TYPE_VECTOR)
    return g_strdup_printf ("%s%u%s", scalar, type->count, behind);
  return g_strconcat (scalar, behind, NULL);
}
