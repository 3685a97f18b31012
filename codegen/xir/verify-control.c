/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The shape of control flow, phis, and that definitions dominate uses. Nothing
 * here recurses: source text may nest as deep as it likes. */

#include "config.h"

#include "codegen/xir/verify.h"

#include "codegen/xir/verify-private.h"

#define error(verifier, object, ...) \
  verify_error (verifier, (verifier)->function, object, __VA_ARGS__)

static struct verify_block *
block_at (const struct verifier *verifier,
          uint32_t index)
{
  return &g_array_index (verifier->blocks, struct verify_block, index);
}

static struct verify_region *
region_at (const struct verifier *verifier,
           uint32_t index)
{
  return &g_array_index (verifier->regions, struct verify_region, index);
}

/* Regions and roles. */

struct role_walk
{
  struct verifier *verifier;
  GArray *pending;               /* of uint32_t, blocks with a role whose terminator was not looked at */
};

static uint32_t
new_region (struct role_walk *walk,
            enum verify_region_kind kind,
            const struct xir_instruction *owner,
            uint32_t parent)
{
  struct verify_region region = { .kind = kind, .owner = owner };

  if (parent != VERIFY_NONE)
    {
      const struct verify_region *outer = region_at (walk->verifier, parent);

      region.break_target = outer->break_target;
      region.continue_target = outer->continue_target;
      region.closed = outer->closed;
    }
  if (kind == VERIFY_REGION_CASE)
    region.break_target = owner->blocks[0];
  if (kind == VERIFY_REGION_BODY)
    {
      region.break_target = owner->blocks[3];
      region.continue_target = owner->blocks[2];
    }
  if (kind == VERIFY_REGION_PREPARE || kind == VERIFY_REGION_UPDATE)
    {
      region.break_target = NULL;
      region.continue_target = NULL;
      region.closed = true;
    }
  g_array_append_val (walk->verifier->regions, region);
  return walk->verifier->regions->len - 1;
}

static void
claim (struct role_walk *walk,
       const struct xir_instruction *owner,
       const struct xir_block *block,
       uint32_t region,
       const char *role)
{
  uint32_t index = verify_block_index (walk->verifier, block);

  if (index == VERIFY_NONE)
    error (walk->verifier, owner, "the %s block is missing or of another function", role);
  else if (index == 0)
    error (walk->verifier, owner, "the %s block is the entry", role);
  else if (block_at (walk->verifier, index)->region != VERIFY_NONE)
    error (walk->verifier, owner, "the %s block has a role already", role);
  else
    {
      block_at (walk->verifier, index)->region = region;
      g_array_append_val (walk->pending, index);
    }
}

/* Cases and default in source order; runs of one block count once. */
static void
claim_cases (struct role_walk *walk,
             const struct xir_instruction *owner,
             uint32_t parent)
{
  uint32_t n_cases = owner->n_blocks - 2;
  uint32_t default_position = MIN (owner->u.switch_.default_position, n_cases);
  const struct xir_block *previous = NULL, *block;
  uint32_t region;

  for (uint32_t i = 0; i <= n_cases; i++)
    for (int is_default = i == default_position; is_default >= 0; is_default--)
      {
        if (is_default == 0 && i == n_cases)
          continue;
        block = is_default != 0 ? owner->blocks[1] : owner->blocks[i + 2];
        if (block == previous || (is_default != 0 && block == owner->blocks[0]))
          continue;
        region = new_region (walk, VERIFY_REGION_CASE, owner, parent);
        claim (walk, owner, block, region, is_default != 0 ? "default" : "case");
        if (previous != NULL)
          region_at (walk->verifier, region - 1)->next_case = block;
        previous = block;
      }
}

static void
claim_roles (struct role_walk *walk,
             const struct xir_instruction *owner,
             uint32_t region)
{
  switch (owner->op)
    {
    case XIR_OP_IF:
      claim (walk, owner, owner->blocks[2], region, "merge");
      claim (walk, owner, owner->blocks[0], new_region (walk, VERIFY_REGION_ARM, owner, region), "true");
      claim (walk, owner, owner->blocks[1], new_region (walk, VERIFY_REGION_ARM, owner, region), "false");
      break;
    case XIR_OP_SWITCH:
      claim (walk, owner, owner->blocks[0], region, "merge");
      claim_cases (walk, owner, region);
      break;
    case XIR_OP_LOOP:
      claim (walk, owner, owner->blocks[3], region, "merge");
      claim (walk, owner, owner->blocks[0], new_region (walk, VERIFY_REGION_PREPARE, owner, region), "prepare");
      claim (walk, owner, owner->blocks[1], new_region (walk, VERIFY_REGION_BODY, owner, region), "body");
      claim (walk, owner, owner->blocks[2], new_region (walk, VERIFY_REGION_UPDATE, owner, region), "update");
      break;
    default:
      break;
    }
}

static bool
branch_is_allowed (const struct verifier *verifier,
                   uint32_t index,
                   const struct xir_block *target)
{
  const struct verify_region *region = region_at (verifier, block_at (verifier, index)->region);
  const struct xir_instruction *owner = region->owner;

  switch (region->kind)
    {
    case VERIFY_REGION_ARM:
      return target == owner->blocks[2];
    case VERIFY_REGION_CASE:
      return target == owner->blocks[0]
             || (target != NULL && target == region->next_case);
    case VERIFY_REGION_PREPARE:
      return target == owner->blocks[1];
    case VERIFY_REGION_BODY:
      return target == owner->blocks[2];
    case VERIFY_REGION_UPDATE:
      return target == owner->blocks[0];
    case VERIFY_REGION_FUNCTION:
    default:
      return false;
    }
}

static bool
conditional_branch_is_allowed (const struct verify_region *region,
                               const struct xir_instruction *terminator)
{
  const struct xir_instruction *owner = region->owner;

  if (region->kind != VERIFY_REGION_PREPARE && region->kind != VERIFY_REGION_UPDATE)
    return false;
  return terminator->blocks[0] == owner->blocks[region->kind == VERIFY_REGION_PREPARE ? 1 : 0]
         && terminator->blocks[1] == owner->blocks[3];
}

static void
check_way_out (struct verifier *verifier,
               uint32_t index,
               const struct xir_instruction *terminator)
{
  const struct verify_region *region = region_at (verifier, block_at (verifier, index)->region);

  switch (terminator->op)
    {
    case XIR_OP_BRANCH:
      if (!branch_is_allowed (verifier, index, terminator->blocks[0]))
        error (verifier, terminator, "a branch may not go there from here");
      break;
    case XIR_OP_CONDITIONAL_BRANCH:
      if (!conditional_branch_is_allowed (region, terminator))
        error (verifier, terminator, "a conditional branch only ends a loop's prepare or update, with its own targets");
      break;
    case XIR_OP_BREAK:
      if (region->break_target == NULL || region->break_target != terminator->blocks[0])
        error (verifier, terminator, "break does not name the merge of the innermost loop or switch around it");
      break;
    case XIR_OP_CONTINUE:
      if (region->continue_target == NULL || region->continue_target != terminator->blocks[0])
        error (verifier, terminator, "continue does not name the update of the innermost loop around it");
      break;
    case XIR_OP_RETURN:
    case XIR_OP_UNREACHABLE:
      if (region->closed)
        error (verifier, terminator, "control may not end inside a loop's prepare or update");
      break;
    default:
      if (region->kind == VERIFY_REGION_PREPARE)
        error (verifier, terminator, "a loop's prepare is one block");
      break;
    }
}

static void
check_roles (struct verifier *verifier)
{
  struct role_walk walk = { verifier, g_array_new (FALSE, FALSE, sizeof (uint32_t)) };
  uint32_t entry = 0;

  block_at (verifier, entry)->region = new_region (&walk, VERIFY_REGION_FUNCTION, NULL, VERIFY_NONE);
  g_array_append_val (walk.pending, entry);
  while (walk.pending->len > 0)
    {
      uint32_t index = g_array_index (walk.pending, uint32_t, walk.pending->len - 1);

      g_array_set_size (walk.pending, walk.pending->len - 1);
      claim_roles (&walk, xir_block_terminator (block_at (verifier, index)->block),
                   block_at (verifier, index)->region);
    }
  g_array_free (walk.pending, TRUE);

  for (uint32_t i = 0; i < verifier->blocks->len; i++)
    if (block_at (verifier, i)->region == VERIFY_NONE)
      error (verifier, block_at (verifier, i)->block, "nothing leads to this block");
    else
      check_way_out (verifier, i, xir_block_terminator (block_at (verifier, i)->block));
}

/* Edges. */

/* Counts the ways in, then lists them: two rounds over the terminators. */
static bool
find_predecessors (struct verifier *verifier)
{
  uint32_t sum = 0;
  bool good = true;

  for (int round = 0; round < 2; round++)
    {
      for (uint32_t i = 0; i < verifier->blocks->len; i++)
        {
          const struct xir_instruction *terminator = xir_block_terminator (block_at (verifier, i)->block);
          const struct xir_block *successor;
          uint32_t cursor = 0;

          while ((successor = xir_next_successor (terminator, &cursor)) != NULL)
            {
              uint32_t to = verify_block_index (verifier, successor);
              struct verify_block *target;

              if (to == VERIFY_NONE || to == 0)
                {
                  if (round == 0)
                    error (verifier, terminator, to == 0 ? "control goes back to the entry"
                                                         : "control leaves the function");
                  good = false;
                  continue;
                }
              target = block_at (verifier, to);
              if (round == 1)
                verifier->predecessors[target->first_predecessor + target->n_predecessors] = i;
              target->n_predecessors++;
            }
        }
      if (round == 1)
        break;
      for (uint32_t i = 0; i < verifier->blocks->len; i++)
        {
          block_at (verifier, i)->first_predecessor = sum;
          sum += block_at (verifier, i)->n_predecessors;
          block_at (verifier, i)->n_predecessors = 0;
        }
      verifier->predecessors = g_new (uint32_t, sum + 1);
    }
  return good;
}

static void
check_phi (struct verifier *verifier,
           uint32_t index,
           const struct xir_instruction *phi,
           uint32_t *marks,
           uint32_t mark)
{
  const struct verify_block *block = block_at (verifier, index);
  uint32_t n_good = 0;

  for (uint32_t i = 0; i < block->n_predecessors; i++)
    marks[verifier->predecessors[block->first_predecessor + i]] = mark;
  for (uint32_t i = 0; i < phi->n_blocks; i++)
    {
      uint32_t predecessor = verify_block_index (verifier, phi->blocks[i]);

      if (predecessor == VERIFY_NONE || (marks[predecessor] != mark && marks[predecessor] != mark + 1))
        error (verifier, phi, "entry %u does not come from a predecessor", i);
      else if (marks[predecessor] == mark + 1)
        error (verifier, phi, "entry %u comes from a predecessor that had its entry", i);
      else
        {
          marks[predecessor] = mark + 1;
          n_good++;
        }
    }
  if (n_good < block->n_predecessors)
    error (verifier, phi, "%u predecessors have no entry", block->n_predecessors - n_good);
}

static void
check_phis (struct verifier *verifier)
{
  uint32_t *marks = g_new0 (uint32_t, verifier->blocks->len);
  uint32_t mark = 1;

  for (uint32_t i = 0; i < verifier->blocks->len; i++)
    gb_list_for_each (phi, &block_at (verifier, i)->block->instructions, struct xir_instruction, link)
      {
        if (phi->op != XIR_OP_PHI)
          break;
        check_phi (verifier, i, phi, marks, mark);
        mark += 2;
      }
  g_free (marks);
}

/* Dominance. Structured control flow goes back only to a loop's prepare, which
 * dominates where it comes from. In reverse post order every other predecessor
 * of a block stands before it, so that one round finds the dominator tree. Jumps
 * that double in length keep each step upwards logarithmic. */

struct visit
{
  uint32_t block;
  uint32_t cursor;
};

static uint32_t *
reverse_post_order (struct verifier *verifier,
                    uint32_t *n_reachable)
{
  uint32_t n = verifier->blocks->len, next = n;
  uint32_t *order = g_new (uint32_t, n);
  GArray *stack = g_array_new (FALSE, FALSE, sizeof (struct visit));
  struct visit entry = { 0, 0 };

  block_at (verifier, 0)->order = 0;
  g_array_append_val (stack, entry);
  while (stack->len > 0)
    {
      struct visit *top = &g_array_index (stack, struct visit, stack->len - 1);
      const struct xir_block *successor
        = xir_next_successor (xir_block_terminator (block_at (verifier, top->block)->block), &top->cursor);

      if (successor == NULL)
        {
          order[--next] = top->block;
          g_array_set_size (stack, stack->len - 1);
          continue;
        }
      struct visit step = { verify_block_index (verifier, successor), 0 };
      if (block_at (verifier, step.block)->order == VERIFY_NONE)
        {
          block_at (verifier, step.block)->order = 0;
          g_array_append_val (stack, step);
        }
    }
  g_array_free (stack, TRUE);

  *n_reachable = n - next;
  for (uint32_t i = next; i < n; i++)
    {
      order[i - next] = order[i];
      block_at (verifier, order[i])->order = i - next;
    }
  return order;
}

static uint32_t
ancestor_at (const struct verifier *verifier,
             uint32_t index,
             uint32_t depth)
{
  while (block_at (verifier, index)->depth > depth)
    {
      const struct verify_block *block = block_at (verifier, index);

      index = block_at (verifier, block->jump)->depth >= depth ? block->jump : block->dominator;
    }
  return index;
}

static uint32_t
common_ancestor (const struct verifier *verifier,
                 uint32_t a,
                 uint32_t b)
{
  uint32_t depth = MIN (block_at (verifier, a)->depth, block_at (verifier, b)->depth);

  a = ancestor_at (verifier, a, depth);
  b = ancestor_at (verifier, b, depth);
  while (a != b)
    {
      const struct verify_block *left = block_at (verifier, a), *right = block_at (verifier, b);
      bool can_jump = left->jump != right->jump;

      a = can_jump ? left->jump : left->dominator;
      b = can_jump ? right->jump : right->dominator;
    }
  return a;
}

static void
find_dominators (struct verifier *verifier)
{
  uint32_t n_reachable;
  uint32_t *order = reverse_post_order (verifier, &n_reachable);

  for (uint32_t i = 1; i < n_reachable; i++)
    {
      struct verify_block *block = block_at (verifier, order[i]);
      const struct verify_block *parent, *above;
      uint32_t dominator = VERIFY_NONE;

      for (uint32_t k = 0; k < block->n_predecessors; k++)
        {
          uint32_t predecessor = verifier->predecessors[block->first_predecessor + k];

          if (block_at (verifier, predecessor)->order >= i)
            continue;
          dominator = dominator == VERIFY_NONE ? predecessor
                                               : common_ancestor (verifier, dominator, predecessor);
        }
      parent = block_at (verifier, dominator);
      above = block_at (verifier, parent->jump);
      block->dominator = dominator;
      block->depth = parent->depth + 1;
      block->jump = parent->depth - above->depth == above->depth - block_at (verifier, above->jump)->depth
                    ? above->jump : dominator;
    }
  g_free (order);
}

static bool
dominates (const struct verifier *verifier,
           uint32_t a,
           uint32_t b)
{
  if (block_at (verifier, b)->order == VERIFY_NONE)
    return true;
  if (block_at (verifier, a)->order == VERIFY_NONE)
    return false;
  return block_at (verifier, a)->depth <= block_at (verifier, b)->depth
         && ancestor_at (verifier, b, block_at (verifier, a)->depth) == a;
}

static guint
position_of (const struct verifier *verifier,
             const struct xir_instruction *instruction)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (verifier->positions, instruction));
}

static void
check_use (struct verifier *verifier,
           uint32_t index,
           const struct xir_instruction *user,
           uint32_t operand)
{
  const struct xir_instruction *definition = xir_value_instruction (user->operands[operand].value);
  uint32_t defined_in;
  bool good;

  if (definition == NULL || position_of (verifier, definition) == 0)
    return;
  defined_in = verify_block_index (verifier, definition->block);
  if (defined_in == VERIFY_NONE)
    return;
  if (user->op == XIR_OP_PHI)
    {
      uint32_t from = operand < user->n_blocks ? verify_block_index (verifier, user->blocks[operand]) : VERIFY_NONE;

      good = from == VERIFY_NONE || dominates (verifier, defined_in, from);
    }
  else if (defined_in == index)
    good = position_of (verifier, definition) < position_of (verifier, user);
  else
    good = dominates (verifier, defined_in, index);
  if (!good)
    error (verifier, user, "operand %u is used where its definition does not dominate", operand);
}

static void
check_dominance (struct verifier *verifier)
{
  for (uint32_t i = 0; i < verifier->blocks->len; i++)
    gb_list_for_each (instruction, &block_at (verifier, i)->block->instructions, struct xir_instruction, link)
      for (uint32_t k = 0; k < instruction->n_operands; k++)
        check_use (verifier, i, instruction, k);
}

/* Whether each block's last instruction is a terminator whose blocks can be read. */
static bool
terminators_are_readable (const struct verifier *verifier)
{
  for (uint32_t i = 0; i < verifier->blocks->len; i++)
    {
      const struct xir_instruction *terminator = xir_block_terminator (block_at (verifier, i)->block);

      if (terminator == NULL || !verify_blocks_fit (terminator))
        return false;
    }
  return true;
}

void
verify_control (struct verifier *verifier)
{
  guint n_before;

  if (!terminators_are_readable (verifier))
    return;
  n_before = verifier->n_function_errors;
  check_roles (verifier);
  if (!find_predecessors (verifier))
    return;
  check_phis (verifier);
  /* Dominators are found in one round only where control flow is as it should be. */
  if (verifier->n_function_errors != n_before)
    return;
  find_dominators (verifier);
  check_dominance (verifier);
}
