/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/plan-call-graph.h"

#include <glib/gi18n-lib.h>

#include "codegen/spirv/spirv.h"

/* Of a function's slot while the walk goes on: `reached` is "on the stack or done". */
struct frame
{
  struct xir_function *function;
  struct spirv_closure closure;
  uint32_t block;                        /* the next to look at */
  struct xir_instruction *at;            /* in the block before it; NULL: begin the next */
};

struct walk
{
  struct gb_arena *arena;
  struct spirv_slot *slots;
  GArray *stack;                         /* struct frame */
  GPtrArray *functions;
  GArray *closures;
  GError **error;
};

static bool
enter (struct walk *walk, struct xir_function *function)
{
  struct frame frame = { function, { NULL, 0 }, 0, NULL };
  if (!spirv_plan_closure (walk->arena, function, walk->slots, &frame.closure, walk->error))
    return false;
  walk->slots[function->id].reached = true;
  g_array_append_val (walk->stack, frame);
  return true;
}

/* The next callee in the frame's closure; NULL: none left. */
static struct xir_function *
next_call (struct frame *frame)
{
  for (;;)
    {
      struct gb_list *link;
      const struct xir_block *block;
      if (frame->at == NULL)
        {
          while (frame->block < frame->closure.n_blocks && !frame->closure.blocks[frame->block].reachable)
            frame->block++;
          if (frame->block == frame->closure.n_blocks)
            return NULL;
          block = frame->closure.blocks[frame->block++].block;
          link = block->instructions.next;
        }
      else
        {
          block = frame->at->block;
          link = frame->at->link.next;
        }
      frame->at = NULL;
      for (; link != &block->instructions; link = link->next)
        {
          struct xir_instruction *instruction = gb_list_entry (link, struct xir_instruction, link);
          if (instruction->op == XIR_OP_CALL)
            {
              frame->at = instruction;
              return instruction->u.callee;
            }
        }
    }
}

static void
leave (struct walk *walk)
{
  struct frame *frame = &g_array_index (walk->stack, struct frame, walk->stack->len - 1);
  g_ptr_array_add (walk->functions, frame->function);
  g_array_append_val (walk->closures, frame->closure);
  walk->slots[frame->function->id].position = walk->functions->len;
  g_array_set_size (walk->stack, walk->stack->len - 1);
}

static bool
step (struct walk *walk)
{
  struct frame *frame = &g_array_index (walk->stack, struct frame, walk->stack->len - 1);
  struct xir_function *callee = next_call (frame);
  if (callee == NULL)
    {
      if (frame->at != NULL)
        {
          g_set_error (walk->error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED, _("function “%s” calls nothing"),
                       frame->function->name != NULL ? frame->function->name : "?");
          return false;
        }
      leave (walk);
      return true;
    }
  const char *name = callee->name != NULL ? callee->name : "?";
  if (callee->kind == XIR_FUNCTION_KERNEL)
    {
      g_set_error (walk->error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED, _("kernel “%s” is called as a function"), name);
      return false;
    }
  const struct spirv_slot *slot = &walk->slots[callee->id];
  if (slot->position != 0)
    return true;
  if (slot->reached)
    {
      g_set_error (walk->error, SPIRV_ERROR, SPIRV_ERROR_UNSUPPORTED, _("function “%s” calls itself"), name);
      return false;
    }
  return enter (walk, callee);
}

bool
spirv_plan_call_graph (struct gb_arena *arena, struct xir_function *kernel, struct spirv_slot *slots,
                       struct spirv_call_graph *graph, GError **error)
{
  struct walk walk = { arena, slots, g_array_new (FALSE, FALSE, sizeof (struct frame)), g_ptr_array_new (),
                       g_array_new (FALSE, FALSE, sizeof (struct spirv_closure)), error };
  bool done = enter (&walk, kernel);
  while (done && walk.stack->len > 0)
    done = step (&walk);
  if (done)
    {
      graph->n_functions = walk.functions->len;
      graph->functions = gb_arena_memdup (arena, walk.functions->pdata, walk.functions->len * sizeof (gpointer));
      graph->closures = gb_arena_memdup (arena, walk.closures->data, walk.closures->len * sizeof (struct spirv_closure));
    }
  g_array_unref (walk.stack);
  g_ptr_array_unref (walk.functions);
  g_array_unref (walk.closures);
  return done;
}
