/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names: interned once, so that a look-up while checking is one pointer; and
 * the nearest name to one that nobody knows. */

#include "config.h"

#include "codegen/frontend/unit.h"

#include <string.h>

#define FIRST_SLOTS 1024
/* Longer names are not compared for suggestions. */
#define MAX_COMPARED 64

static uint32_t
hash_text (const char *text,
           uint32_t    length)
{
  uint32_t hash = 2166136261u;
  for (uint32_t i = 0; i < length; i++)
    hash = (hash ^ (guchar) text[i]) * 16777619u;
  return hash ^ (hash >> 15);
}

static void
grow (struct gk_name_table *table)
{
  uint32_t n_slots = table->n_slots == 0 ? FIRST_SLOTS : table->n_slots * 2;
  struct gk_name **slots = g_new0 (struct gk_name *, n_slots);
  for (uint32_t i = 0; i < table->n_slots; i++)
    if (table->slots[i] != NULL)
      {
        uint32_t at = table->slots[i]->hash & (n_slots - 1);
        while (slots[at] != NULL)
          at = (at + 1) & (n_slots - 1);
        slots[at] = table->slots[i];
      }
  g_free (table->slots);
  table->slots = slots;
  table->n_slots = n_slots;
}

struct gk_name *
gk_name_intern (struct gk_unit *unit,
                const char     *text,
                uint32_t        length)
{
  struct gk_name_table *table = &unit->names;
  uint32_t hash = hash_text (text, length);
  struct gk_name *name;
  uint32_t at;

  if (table->n_names >= table->n_slots / 2)
    grow (table);
  for (at = hash & (table->n_slots - 1); table->slots[at] != NULL; at = (at + 1) & (table->n_slots - 1))
    {
      name = table->slots[at];
      if (name->hash == hash && name->length == length && memcmp (name->text, text, length) == 0)
        return name;
    }
  name = gb_arena_new0 (&unit->arena, struct gk_name);
  name->text = gb_arena_strndup (&unit->arena, text, length);
  name->length = length;
  name->hash = hash;
  name->token = GK_TOKEN_IDENTIFIER;
  table->slots[at] = name;
  table->n_names++;
  return name;
}

unsigned
gk_edit_distance (const char *a,
                  uint32_t    a_length,
                  const char *b,
                  uint32_t    b_length,
                  unsigned    limit)
{
  unsigned rows[3][MAX_COMPARED + 1];
  unsigned *before = rows[0], *last = rows[1], *row = rows[2];

  if (a_length > MAX_COMPARED || b_length > MAX_COMPARED
      || (a_length > b_length ? a_length - b_length : b_length - a_length) > limit)
    return limit + 1;
  for (uint32_t j = 0; j <= b_length; j++)
    {
      last[j] = j;
      before[j] = 0;
    }
  for (uint32_t i = 1; i <= a_length; i++)
    {
      unsigned *spare;
      unsigned best = row[0] = i;
      for (uint32_t j = 1; j <= b_length; j++)
        {
          unsigned cost = a[i - 1] == b[j - 1] ? 0 : 1;
          row[j] = MIN (MIN (last[j], row[j - 1]) + 1, last[j - 1] + cost);
          /* Two neighbours the wrong way round are one mistake. */
          if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            row[j] = MIN (row[j], before[j - 2] + 1);
          best = MIN (best, row[j]);
        }
      if (best > limit)
        return limit + 1;
      spare = before;
      before = last;
      last = row;
      row = spare;
    }
  return last[b_length];
}

static const struct { const char *theirs, *ours; } foreign[] =
{
#define GK_FOREIGN(theirs, ours) { theirs, ours },
#include "codegen/frontend/foreign.def"
#undef GK_FOREIGN
};

const char *
gk_name_foreign (const char *text)
{
  for (gsize i = 0; i < G_N_ELEMENTS (foreign); i++)
    if (strcmp (foreign[i].theirs, text) == 0)
      return foreign[i].ours[0] != '\0' ? foreign[i].ours : NULL;
  return NULL;
}

const char *
gk_name_hint (struct gk_unit       *unit,
              const struct gk_name *name)
{
  const char *hint;
  const struct gk_name *near;

  /* What nobody is told needs no search. */
  if (unit->diagnostics->n_errors > unit->diagnostics->limit)
    return NULL;
  hint = gk_name_foreign (name->text);
  if (hint != NULL)
    return hint;
  near = gk_name_suggest (unit, name);
  return near != NULL ? near->text : NULL;
}

const struct gk_name *
gk_name_suggest (struct gk_unit       *unit,
                 const struct gk_name *name)
{
  const struct gk_name *best = NULL;
  unsigned best_distance = name->length < 3 ? 1 : MIN (name->length / 3, 3);

  for (uint32_t i = 0; i < unit->names.n_slots; i++)
    {
      const struct gk_name *other = unit->names.slots[i];
      unsigned distance;
      bool visible;
      if (other == NULL || other == name)
        continue;
      visible = (other->symbol != NULL && other->symbol->kind != GK_SYMBOL_POISON)
                || (other->builtin != NULL && other->builtin->rule != GK_RULE_UNSUPPORTED)
                || gk_token_is_value_type (other->token);
      if (!visible)
        continue;
      distance = gk_edit_distance (name->text, name->length, other->text, other->length, best_distance);
      if (distance >= name->length || distance > best_distance)
        continue;
      /* Of equally near ones the program's own, then the first by spelling, so that the message is stable. */
      if (best == NULL || distance < best_distance
          || ((other->symbol != NULL) != (best->symbol != NULL) ? other->symbol != NULL
              : strcmp (other->text, best->text) < 0))
        best = other;
      best_distance = distance;
    }
  return best;
}
