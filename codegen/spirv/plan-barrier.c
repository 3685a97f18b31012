/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A barrier orders what the threads of a workgroup do to memory before it with what they do behind it. Shared memory it
 * always orders. That of buffers and images costs time, and most kernels with barriers touch these only at both ends, so
 * a barrier orders them only where it has to.
 *
 * The rule. Let X and Y be accesses to buffers by two threads of a workgroup, one of them a write, and X before a barrier
 * that Y is behind. Both threads come to the same barriers in the same order (others are undefined), so X is before the
 * last one before Y, too, and it is enough that this one orders buffers: a barrier does where some X may come before it,
 * however long, and some Y that conflicts with X may come behind it with no other barrier between. The same of images. A
 * loop leads from its end to its beginning, a call into the callee and back.
 *
 * Loops. One with barriers but no such access to buffers in it, as most that work in shared memory are, need not pay at each
 * barrier. What orders memory may stand apart from the control barrier, before it in one thread and behind it in the
 * other; so two memory barriers, right before the loop and right behind it, do for all barriers in it. X, which is not in
 * the loop, is before the first, and Y behind the second, as long as every way out leads to the loop's end: one with a
 * return in it does not count. Neither does one that calls functions with barriers, which others may call, too.
 *
 * What conflicts. Any two accesses to buffers, but two reads: several arguments may be views of the same memory, `const`
 * or not, and the language says that what was written before a barrier is seen behind it, whichever way one looks. Images
 * count apart, since no image shares memory with a buffer, and so does each buffer that is `restrict`, since what is written
 * of it is in no other. So accesses fall into classes, and all that is said above of buffers holds for each class.
 *
 * That a write comes before a write or a read has to be made available. That a read comes before a write needs no such
 * thing, but in the memory model of Vulkan it needs the storage class in the barrier's semantics all the same: it is
 * location-ordered where it happens before, and inter-thread happens-before leads through a barrier only by storage classes
 * that its semantics name. (That an execution dependency is enough is true of commands, not of threads.) In practice a
 * compiler may otherwise let a read sink below a barrier. So reads count, too.
 *
 * How. Forwards: what may have been accessed before a place. Backwards: what may be accessed behind it before the next
 * barrier, where a bit for the return says that callers go on without one. Sets only grow, so both end. */

#include "config.h"

#include "codegen/spirv/plan-barrier.h"

#include "codegen/spirv/plan-usage.h"

/* Classes of memory, one bit each: those of one have nothing to do with those of another. From FIRST_ALONE on there is one for
 * each buffer that is alone; those that are too many count as all others do, which orders more than they need. */
#define IMAGES      (UINT32_C (1) << 0)
#define BUFFERS     (UINT32_C (1) << 1)
#define FIRST_ALONE 2
#define END_ALONE   31

/* A set of accesses is 64 bits: the classes that are read, those that are written above them. */
#define RETURNS     (UINT64_C (1) << 31)         /* the way leads to the function's end */
#define ACCESSES    (~RETURNS)

struct block_access
{
  uint64_t all;                  /* in the block */
  uint64_t first;                /* in it before its first barrier */
  bool stops;                    /* at a barrier */
  uint64_t before;               /* before the block, from the kernel's beginning */
  uint64_t next;                 /* from the block's beginning to the next barrier */
};

struct function_access
{
  uint64_t all;                  /* with callees */
  uint64_t first;                /* from its beginning to the next barrier, RETURNS among them */
  bool has_barrier;              /* with callees */
  uint64_t before;               /* before any call of it */
  uint64_t next;                 /* behind any call of it, to the next barrier */
  struct block_access *blocks;   /* as the closure's */
};

struct planner
{
  const struct spirv_call_graph *graph;
  const struct spirv_slot *slots;
  const uint32_t *classes;               /* by kernel argument */
  struct function_access *functions;     /* as the graph's */
  uint64_t *ordered;                     /* classes; of a barrier that is not decided what comes next */
};

static struct function_access *
callee_of (const struct planner *planner, const struct xir_instruction *call)
{
  return &planner->functions[planner->slots[call->u.callee->id].position - 1];
}

/* By an instruction's own flags, so that no op is forgotten. */
static uint64_t
instruction_access (const struct planner *planner, const struct xir_instruction *instruction)
{
  const struct xir_argument *argument = instruction->n_operands > 0 ? xir_value_argument (xir_operand (instruction, 0)) : NULL;
  unsigned flags = xir_op_info (instruction->op)->flags;
  if (argument == NULL || argument->argument_kind != XIR_ARGUMENT_RESOURCE)
    return 0;
  uint64_t class = planner->classes[argument->index];
  return ((flags & XIR_FLAG_READ) != 0 ? class : 0) | ((flags & XIR_FLAG_EFFECT) != 0 ? class << 32 : 0);
}

static uint64_t
access_before (const struct planner *planner, const struct xir_instruction *instruction, uint64_t before)
{
  return before | (instruction->op == XIR_OP_CALL ? callee_of (planner, instruction)->all : instruction_access (planner, instruction));
}

/* What comes next at an instruction, by what comes next behind it. */
static uint64_t
access_next (const struct planner *planner, const struct xir_instruction *instruction, uint64_t next)
{
  if (instruction->op == XIR_OP_BARRIER)
    return 0;
  if (instruction->op != XIR_OP_CALL)
    return next | instruction_access (planner, instruction);
  uint64_t first = callee_of (planner, instruction)->first;
  return (first & ACCESSES) | ((first & RETURNS) != 0 ? next : 0);
}

static void
look_at_block (const struct planner *planner, const struct xir_block *block, struct block_access *out)
{
  uint64_t all = 0, first = RETURNS;
  gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
    all = access_before (planner, instruction, all);
  for (const struct gb_list *link = block->instructions.prev; link != &block->instructions; link = link->prev)
    first = access_next (planner, gb_container_of (link, struct xir_instruction, link), first);
  *out = (struct block_access) { .all = all, .first = first & ACCESSES, .stops = (first & RETURNS) == 0 };
}

static bool
has_barrier (const struct planner *planner, const struct xir_block *block)
{
  gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
    if (instruction->op == XIR_OP_BARRIER
        || (instruction->op == XIR_OP_CALL && callee_of (planner, instruction)->has_barrier))
      return true;
  return false;
}

/* What is next at the end of a block. */
static uint64_t
next_at_end (const struct planner *planner, const struct function_access *function, const struct xir_block *block, uint64_t at_return)
{
  const struct xir_instruction *terminator = xir_block_terminator (block);
  const struct xir_block *successor;
  uint32_t cursor = 0;
  uint64_t next = terminator->op == XIR_OP_RETURN ? at_return : 0;
  while ((successor = xir_next_successor (terminator, &cursor)) != NULL)
    next |= function->blocks[planner->slots[successor->id].position - 1].next;
  return next;
}

static void
flow_backwards (const struct planner *planner, uint32_t index, uint64_t at_return)
{
  const struct spirv_closure *closure = &planner->graph->closures[index];
  struct function_access *function = &planner->functions[index];
  bool grows;
  do
    {
      grows = false;
      for (uint32_t i = closure->n_blocks; i-- > 0;)
        {
          struct block_access *block = &function->blocks[i];
          if (!closure->blocks[i].reachable)
            continue;
          uint64_t next = block->next | block->first
                          | (block->stops ? 0 : next_at_end (planner, function, closure->blocks[i].block, at_return));
          grows = grows || next != block->next;
          block->next = next;
        }
    }
  while (grows);
}

static void
flow_forwards (const struct planner *planner, uint32_t index)
{
  const struct spirv_closure *closure = &planner->graph->closures[index];
  struct function_access *function = &planner->functions[index];
  bool grows;
  function->blocks[0].before = function->before;
  do
    {
      grows = false;
      for (uint32_t i = 0; i < closure->n_blocks; i++)
        {
          if (!closure->blocks[i].reachable)
            continue;
          const struct xir_block *successor;
          uint32_t cursor = 0;
          uint64_t out = function->blocks[i].before | function->blocks[i].all;
          while ((successor = xir_next_successor (xir_block_terminator (closure->blocks[i].block), &cursor)) != NULL)
            {
              uint64_t *before = &function->blocks[planner->slots[successor->id].position - 1].before;
              grows = grows || (*before | out) != *before;
              *before |= out;
            }
        }
    }
  while (grows);
}

/* The classes in which something before conflicts with something next. */
static uint32_t
conflicts (uint64_t before, uint64_t next)
{
  uint32_t read_before = (uint32_t) before, written_before = (uint32_t) (before >> 32);
  uint32_t read_next = (uint32_t) next, written_next = (uint32_t) (next >> 32);
  return (written_before & (read_next | written_next)) | (read_before & written_next);
}

/* Both flows at every instruction: barriers get their result, callees what surrounds their calls. */
static void
decide (const struct planner *planner, const struct function_access *function, const struct xir_block *block, uint32_t index)
{
  uint64_t next = next_at_end (planner, function, block, function->next), before = function->blocks[index].before;
  for (const struct gb_list *link = block->instructions.prev; link != &block->instructions; link = link->prev)
    {
      const struct xir_instruction *instruction = gb_container_of (link, struct xir_instruction, link);
      if (instruction->op == XIR_OP_CALL)
        callee_of (planner, instruction)->next |= next;
      else if (instruction->op == XIR_OP_BARRIER)
        planner->ordered[instruction->value.id] = next;
      next = access_next (planner, instruction, next);
    }
  gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
    {
      uint64_t *at_barrier = &planner->ordered[instruction->value.id];
      if (instruction->op == XIR_OP_CALL)
        callee_of (planner, instruction)->before |= before;
      else if (instruction->op == XIR_OP_BARRIER)
        *at_barrier = conflicts (before, *at_barrier);
      before = access_before (planner, instruction, before);
    }
}

/* No barrier stands in a callee, and no way leads out but to the merge. */
static bool
is_closed (const struct planner *planner, const struct xir_block *block)
{
  gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
    if (instruction->op == XIR_OP_RETURN || (instruction->op == XIR_OP_CALL && callee_of (planner, instruction)->has_barrier))
      return false;
  return true;
}

/* The classes that a loop's barriers need not order: where there are none, nothing. The parts of a loop stand together in the
 * closure. */
static uint32_t
left_to_ends (const struct planner *planner, const struct spirv_closure *closure, const struct function_access *function,
              uint32_t first, uint32_t end)
{
  uint64_t accesses = 0;
  bool with_barrier = false;
  for (uint32_t i = first; i < end; i++)
    {
      if (!closure->blocks[i].reachable)
        continue;
      if (!is_closed (planner, closure->blocks[i].block))
        return 0;
      accesses |= function->blocks[i].all;
      with_barrier = with_barrier || has_barrier (planner, closure->blocks[i].block);
    }
  return with_barrier ? ~((uint32_t) accesses | (uint32_t) (accesses >> 32)) : 0;
}

static bool
is_ordered (const struct xir_instruction *instruction)
{
  return instruction->op == XIR_OP_BARRIER || instruction->op == XIR_OP_LOOP;
}

/* A barrier that has to order one class of buffers orders them all, so either none is left to the ends or all are. */
static uint32_t
without_kept (const struct planner *planner, const struct spirv_closure *closure, uint32_t first, uint32_t end, uint32_t left)
{
  uint64_t kept = 0;
  for (uint32_t i = first; i < end; i++)
    gb_list_for_each (instruction, &closure->blocks[i].block->instructions, struct xir_instruction, link)
      if (is_ordered (instruction))
        kept |= planner->ordered[instruction->value.id] & ~left;
  return (kept & ~IMAGES) != 0 ? left & IMAGES : left;
}

/* After barriers are decided. An outer loop leaves nothing for those in it. */
static void
decide_loop (const struct planner *planner, const struct spirv_closure *closure, const struct function_access *function,
             uint32_t index)
{
  const struct xir_instruction *loop = xir_block_terminator (closure->blocks[index].block);
  uint32_t first = planner->slots[loop->blocks[0]->id].position - 1, end = planner->slots[xir_merge_block (loop)->id].position - 1;
  uint32_t left = without_kept (planner, closure, first, end, left_to_ends (planner, closure, function, first, end));
  const struct block_access *head = &function->blocks[index];
  planner->ordered[loop->value.id] = left & conflicts (head->before | head->all, function->blocks[end].next);
  for (uint32_t i = first; left != 0 && i < end; i++)
    gb_list_for_each (instruction, &closure->blocks[i].block->instructions, struct xir_instruction, link)
      if (is_ordered (instruction))
        planner->ordered[instruction->value.id] &= ~left;
}

static const uint32_t *
make_classes (struct gb_arena *arena, const struct xir_function *kernel)
{
  uint32_t *classes = gb_arena_alloc0 (arena, MAX (kernel->n_arguments, 1) * sizeof *classes), alone = FIRST_ALONE;
  for (uint32_t i = 0; i < kernel->n_arguments; i++)
    {
      const struct xir_argument *argument = kernel->arguments[i];
      if (argument->argument_kind == XIR_ARGUMENT_RESOURCE)
        classes[i] = argument->value.type->kind == XIR_TYPE_TEXTURE ? IMAGES
                     : spirv_is_alone (argument) && alone < END_ALONE ? UINT32_C (1) << alone++ : BUFFERS;
    }
  return classes;
}

static const uint8_t *
finish (struct gb_arena *arena, const uint64_t *classes, uint32_t n)
{
  uint8_t *ordered = gb_arena_alloc0 (arena, n);
  for (uint32_t i = 0; i < n; i++)
    ordered[i] = ((classes[i] & IMAGES) != 0 ? SPIRV_ORDERS_IMAGES : 0) | ((classes[i] & ~IMAGES) != 0 ? SPIRV_ORDERS_BUFFERS : 0);
  return ordered;
}

const uint8_t *
spirv_plan_barriers (struct gb_arena *arena, const struct xir_module *module, const struct spirv_call_graph *graph,
                     const struct spirv_slot *slots)
{
  uint32_t n = graph->n_functions;
  struct planner planner = { graph, slots, make_classes (arena, graph->functions[n - 1]),
                             gb_arena_alloc0 (arena, n * sizeof *planner.functions),
                             gb_arena_alloc0 (arena, module->next_id * sizeof *planner.ordered) };
  for (uint32_t i = 0; i < n; i++)
    {
      const struct spirv_closure *closure = &graph->closures[i];
      struct function_access *function = &planner.functions[i];
      function->blocks = gb_arena_alloc0 (arena, closure->n_blocks * sizeof *function->blocks);
      for (uint32_t b = 0; b < closure->n_blocks; b++)
        if (closure->blocks[b].reachable)
          {
            look_at_block (&planner, closure->blocks[b].block, &function->blocks[b]);
            function->all |= function->blocks[b].all;
            function->has_barrier = function->has_barrier || has_barrier (&planner, closure->blocks[b].block);
          }
      flow_backwards (&planner, i, RETURNS);
      function->first = function->blocks[0].next;
    }
  /* Callers before their callees. */
  for (uint32_t i = n; i-- > 0;)
    {
      const struct spirv_closure *closure = &graph->closures[i];
      struct function_access *function = &planner.functions[i];
      flow_backwards (&planner, i, function->next);
      flow_forwards (&planner, i);
      for (uint32_t b = 0; b < closure->n_blocks; b++)
        if (closure->blocks[b].reachable)
          decide (&planner, function, closure->blocks[b].block, b);
      /* From the innermost. */
      for (uint32_t b = closure->n_blocks; b-- > 0;)
        if (closure->blocks[b].reachable && xir_block_terminator (closure->blocks[b].block)->op == XIR_OP_LOOP)
          decide_loop (&planner, closure, function, b);
    }
  return finish (arena, planner.ordered, module->next_id);
}
