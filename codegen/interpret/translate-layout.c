/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The order of a function's blocks: behind the block that ends in a construct its
 * parts, each with all that is in it, then its merge. So every edge but a loop's way
 * back leads forward, and what a block dominates stands behind it in one piece. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "codegen/interpret/translate.h"

struct pending
{
  const struct xir_block *block;
  uint32_t loop;
  uint32_t ends_loop;            /* the merge of this one */
};

struct layout
{
  struct translator *translator;
  GArray *pending;               /* struct pending; the last is the next */
  GArray *depths;                /* uint32_t, of `pending` behind each placed block */
};

static void
push (struct layout *layout, const struct xir_block *block, uint32_t loop, uint32_t ends_loop)
{
  struct pending pending = { block, loop, ends_loop };
  g_array_append_val (layout->pending, pending);
}

static void
push_part (struct layout *layout, const struct xir_instruction *owner, const struct xir_block *block, uint32_t loop,
           int role)
{
  struct item *item = block_item (layout->translator, block);
  item->owner = owner;
  item->role = role;
  push (layout, block, loop, NO_LOOP);
}

/* In reverse, the last case first. The default stands before case `default_position`; neighbours may share a block. */
static void
push_cases (struct layout *layout, const struct xir_instruction *owner, uint32_t loop)
{
  uint32_t n_cases = owner->n_blocks - 2, default_position = MIN (owner->u.switch_.default_position, n_cases);
  const struct xir_block *last = NULL;
  for (uint32_t i = n_cases + 1; i-- > 0;)
    for (int is_default = 0; is_default < 2; is_default++)
      {
        const struct xir_block *block = is_default ? owner->blocks[1] : i < n_cases ? owner->blocks[i + 2] : NULL;
        if (block == NULL || (is_default && i != default_position) || block == last || block == owner->blocks[0])
          continue;
        push_part (layout, owner, block, loop, ROLE_OTHER);
        last = block;
      }
}

static void
push_parts (struct layout *layout, const struct xir_instruction *owner, uint32_t loop)
{
  struct translator *translator = layout->translator;
  struct loop inner = { layout->translator->blocks->len, UINT32_MAX };
  uint32_t index = translator->loops->len;
  switch (owner->op)
    {
    case XIR_OP_IF:
      push_part (layout, owner, owner->blocks[2], loop, ROLE_OTHER);
      push_part (layout, owner, owner->blocks[1], loop, ROLE_OTHER);
      push_part (layout, owner, owner->blocks[0], loop, ROLE_TRUE);
      break;
    case XIR_OP_SWITCH:
      push_part (layout, owner, owner->blocks[0], loop, ROLE_OTHER);
      push_cases (layout, owner, loop);
      break;
    case XIR_OP_LOOP:
      g_array_append_val (translator->loops, inner);
      push (layout, owner->blocks[3], loop, index);
      push_part (layout, owner, owner->blocks[2], index, ROLE_OTHER);
      push_part (layout, owner, owner->blocks[1], index, ROLE_BODY);
      push_part (layout, owner, owner->blocks[0], index, ROLE_PREPARE);
      break;
    default:
      break;
    }
}

static void
place (struct layout *layout, const struct pending *pending)
{
  struct translator *translator = layout->translator;
  struct ordered_block ordered = { pending->block, 0, 0 };
  struct item *item = block_item (translator, pending->block);
  const struct xir_instruction *terminator = xir_block_terminator (pending->block);
  g_array_append_val (translator->blocks, ordered);
  g_array_append_val (layout->depths, layout->pending->len);
  item->position = translator->blocks->len;
  item->loop = pending->loop;
  item->mask = translator->n_masks++;
  if (pending->ends_loop != NO_LOOP)
    g_array_index (translator->loops, struct loop, pending->ends_loop).end = item->position - 1;
  gb_list_for_each (instruction, &pending->block->instructions, struct xir_instruction, link)
    item_of (translator, &instruction->value)->loop = pending->loop;
  if (terminator != NULL)
    push_parts (layout, terminator, pending->loop);
  else
    translate_fail (translator, INTERPRET_ERROR_UNSUPPORTED, _("a block has no end"));
}

/* What a block dominates ends where fewer blocks wait than when it was placed. */
static void
find_ends (struct layout *layout)
{
  GArray *blocks = layout->translator->blocks, *open = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  for (uint32_t i = 0; i <= blocks->len; i++)
    {
      while (open->len > 0)
        {
          uint32_t last = g_array_index (open, uint32_t, open->len - 1);
          if (i < blocks->len
              && g_array_index (layout->depths, uint32_t, i) >= g_array_index (layout->depths, uint32_t, last))
            break;
          g_array_index (blocks, struct ordered_block, last).end = i;
          g_array_set_size (open, open->len - 1);
        }
      g_array_append_val (open, i);
    }
  g_array_unref (open);
}

void
translate_layout (struct translator *translator)
{
  struct layout layout = { translator, g_array_new (FALSE, FALSE, sizeof (struct pending)),
                           g_array_new (FALSE, FALSE, sizeof (uint32_t)) };
  push (&layout, xir_function_entry (translator->function), NO_LOOP, NO_LOOP);
  while (layout.pending->len > 0 && translator->error == NULL)
    {
      struct pending next = g_array_index (layout.pending, struct pending, layout.pending->len - 1);
      g_array_set_size (layout.pending, layout.pending->len - 1);
      place (&layout, &next);
    }
  find_ends (&layout);
  g_array_unref (layout.pending);
  g_array_unref (layout.depths);
}

bool
translate_is_inside (const struct translator *translator, uint32_t loop, uint32_t position)
{
  const struct loop *bounds = &g_array_index (translator->loops, struct loop, loop);
  return position >= bounds->start && position < bounds->end;
}
