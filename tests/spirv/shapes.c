/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/spirv/shapes.h"

#define CASES(...) (const struct shape_case[]) { __VA_ARGS__ }, \
                   sizeof ((const struct shape_case[]) { __VA_ARGS__ }) / sizeof (struct shape_case)

/* Short names, since a shape is read for its blocks. */

static const struct xir_type *
integer (struct fixture *f)
{
  return fixture_type (f, XIR_TYPE_INT32, 1);
}

static struct xir_block *
block (struct fixture *f)
{
  return xir_block_new (f->builder.function);
}

static void
at (struct fixture *f, struct xir_block *place)
{
  xir_builder_at_end (&f->builder, place);
}

static struct xir_value *
op (struct fixture *f, enum xir_op code, struct xir_value *a, struct xir_value *b)
{
  return xir_build_binary (&f->builder, code, a, b);
}

static struct xir_value *
number (struct fixture *f, int32_t value)
{
  return fixture_int (f, value);
}

static struct xir_value *
variable (struct fixture *f, struct xir_value *start)
{
  struct xir_value *place = xir_build_alloca (&f->builder, XIR_STORAGE_LOCAL, integer (f), "variable");
  xir_build_store (&f->builder, place, start);
  return place;
}

static struct xir_value *
get (struct fixture *f, struct xir_value *place)
{
  return xir_build_load (&f->builder, place);
}

static void
set (struct fixture *f, struct xir_value *place, struct xir_value *value)
{
  xir_build_store (&f->builder, place, value);
}

static void
change (struct fixture *f, struct xir_value *place, enum xir_op code, int32_t by)
{
  set (f, place, op (f, code, get (f, place), number (f, by)));
}

static void
go (struct fixture *f, struct xir_block *target)
{
  xir_build_branch (&f->builder, target);
}

/* A counting loop: `i` from 0 while below `limit`; leaves the finger in its body. */
struct counting
{
  struct xir_value *i;
  struct xir_block *prepare, *body, *update, *merge;
};

static struct counting
count_to (struct fixture *f, int32_t limit)
{
  struct counting loop = { variable (f, number (f, 0)), block (f), block (f), block (f), block (f) };
  xir_build_loop (&f->builder, loop.prepare, loop.body, loop.update, loop.merge);
  at (f, loop.prepare);
  xir_build_conditional_branch (&f->builder, op (f, XIR_OP_LESS, get (f, loop.i), number (f, limit)), loop.body, loop.merge);
  at (f, loop.update);
  change (f, loop.i, XIR_OP_ADD, 1);
  go (f, loop.prepare);
  at (f, loop.body);
  return loop;
}

static struct xir_value *
continue_in_switch (struct fixture *f, struct xir_value *v)
{
  struct xir_value *sum = variable (f, number (f, 0));
  struct counting loop = count_to (f, 3);
  struct xir_block *zero = block (f), *one = block (f), *other = block (f), *merge = block (f);
  struct xir_instruction *choice = xir_build_switch (&f->builder, v, merge);
  xir_switch_add_case (choice, 0, zero);
  xir_switch_add_case (choice, 1, one);
  xir_switch_set_default (choice, other);
  at (f, zero);
  change (f, sum, XIR_OP_ADD, 1);
  xir_build_continue (&f->builder, loop.update);
  at (f, one);
  change (f, sum, XIR_OP_ADD, 2);
  xir_build_break (&f->builder, merge);
  at (f, other);
  change (f, sum, XIR_OP_ADD, 3);
  go (f, merge);
  at (f, merge);
  change (f, sum, XIR_OP_ADD, 10);
  go (f, loop.update);
  at (f, loop.merge);
  return get (f, sum);
}

static struct xir_value *
two_switches_that_continue (struct fixture *f, struct xir_value *v)
{
  struct xir_value *turns = variable (f, number (f, 0));
  struct counting loop = count_to (f, 4);
  change (f, turns, XIR_OP_ADD, 1);
  for (int i = 0; i < 2; i++)
    {
      struct xir_block *other = block (f), *merge = block (f);
      xir_switch_set_default (xir_build_switch (&f->builder, v, merge), other);
      at (f, other);
      xir_build_continue (&f->builder, loop.update);
      at (f, merge);
      change (f, turns, XIR_OP_ADD, 100);
    }
  go (f, loop.update);
  at (f, loop.merge);
  return get (f, turns);
}

static struct xir_value *
default_first (struct fixture *f, struct xir_value *v)
{
  struct xir_value *result = variable (f, number (f, 0));
  struct xir_block *other = block (f), *one = block (f), *two = block (f), *merge = block (f);
  struct xir_instruction *choice = xir_build_switch (&f->builder, v, merge);
  xir_switch_set_default (choice, other);
  xir_switch_add_case (choice, 1, one);
  xir_switch_add_case (choice, 2, two);
  struct xir_block *blocks[] = { other, one, two };
  for (int i = 0; i < 3; i++)
    {
      at (f, blocks[i]);
      set (f, result, number (f, 5 + 2 * i));
      xir_build_break (&f->builder, merge);
    }
  at (f, merge);
  return get (f, result);
}

/* y = 1; case 0: y += 1; then two places that fall through: y *= 10; y += 100. `order` says which is the default. */
static struct xir_value *
fall_through (struct fixture *f, struct xir_value *v, bool default_in_the_middle)
{
  struct xir_value *y = variable (f, number (f, 1));
  struct xir_block *first = block (f), *second = block (f), *third = block (f), *merge = block (f);
  struct xir_instruction *choice = xir_build_switch (&f->builder, v, merge);
  xir_switch_add_case (choice, 0, first);
  if (default_in_the_middle)
    xir_switch_set_default (choice, second);
  else
    xir_switch_add_case (choice, 1, second);
  xir_switch_add_case (choice, 2, third);
  if (!default_in_the_middle)
    xir_switch_set_default (choice, third);
  at (f, first);
  change (f, y, XIR_OP_ADD, 1);
  go (f, second);
  at (f, second);
  change (f, y, XIR_OP_MUL, 10);
  go (f, third);
  at (f, third);
  change (f, y, XIR_OP_ADD, 100);
  go (f, merge);
  at (f, merge);
  return get (f, y);
}

static struct xir_value *
fall_through_to_default (struct fixture *f, struct xir_value *v)
{
  return fall_through (f, v, false);
}

static struct xir_value *
fall_through_default_between (struct fixture *f, struct xir_value *v)
{
  return fall_through (f, v, true);
}

/* array 1..5; even indices are skipped, the rest set to 0; the step doubles the element. The digits in one number. */
static struct xir_value *
continuing_part (struct fixture *f, struct xir_value *v)
{
  struct xir_builder *b = &f->builder;
  struct xir_value *array = xir_build_alloca (b, XIR_STORAGE_LOCAL, xir_type_array (f->context, integer (f), 5), "array");
  for (int32_t i = 0; i < 5; i++)
    {
      struct xir_value *index = number (f, i);
      set (f, xir_build_gep (b, array, &index, 1), op (f, XIR_OP_ADD, v, number (f, i + 1)));
    }
  struct xir_value *i = variable (f, number (f, 0));
  struct xir_block *prepare = block (f), *body = block (f), *update = block (f), *merge = block (f);
  struct xir_block *even = block (f), *odd = block (f), *joined = block (f);
  xir_build_loop (b, prepare, body, update, merge);
  at (f, prepare);
  xir_build_conditional_branch (b, op (f, XIR_OP_LESS, get (f, i), number (f, 5)), body, merge);
  at (f, body);
  xir_build_if (b, op (f, XIR_OP_EQUAL, op (f, XIR_OP_AND, get (f, i), number (f, 1)), number (f, 0)), even, odd, joined);
  at (f, even);
  xir_build_continue (b, update);
  at (f, odd);
  go (f, joined);
  at (f, joined);
  struct xir_value *place = get (f, i);
  set (f, xir_build_gep (b, array, &place, 1), number (f, 0));
  go (f, update);
  at (f, update);
  place = get (f, i);
  struct xir_value *element = xir_build_gep (b, array, &place, 1);
  set (f, element, op (f, XIR_OP_MUL, get (f, element), number (f, 2)));
  change (f, i, XIR_OP_ADD, 1);
  go (f, prepare);
  at (f, merge);
  struct xir_value *result = number (f, 0);
  for (int32_t k = 0; k < 5; k++)
    {
      struct xir_value *index = number (f, k);
      result = op (f, XIR_OP_ADD, op (f, XIR_OP_MUL, result, number (f, 16)), get (f, xir_build_gep (b, array, &index, 1)));
    }
  return result;
}

/* In what nothing reaches behind the arms stands a branch, or with `construct` a whole `if`. */
static struct xir_value *
loop_in_step_with (struct fixture *f, struct xir_value *v, bool construct)
{
  struct xir_builder *b = &f->builder;
  struct xir_value *i = variable (f, v);
  struct xir_block *prepare = block (f), *body = block (f), *update = block (f), *merge = block (f);
  xir_build_loop (b, prepare, body, update, merge);
  at (f, prepare);
  xir_build_conditional_branch (b, op (f, XIR_OP_LESS_EQUAL, get (f, i), number (f, 10)), body, merge);
  at (f, body);
  go (f, update);
  at (f, update);
  struct xir_block *inner = block (f), *inner_body = block (f), *inner_update = block (f), *inner_merge = block (f);
  struct xir_block *yes = block (f), *no = block (f), *joined = block (f);
  xir_build_loop (b, inner, inner_body, inner_update, inner_merge);
  at (f, inner);
  go (f, inner_body);
  at (f, inner_body);
  xir_build_if (b, op (f, XIR_OP_GREATER, get (f, i), number (f, 4)), yes, no, joined);
  at (f, yes);
  change (f, i, XIR_OP_MUL, 2);
  xir_build_break (b, inner_merge);
  at (f, no);
  change (f, i, XIR_OP_MUL, 2);
  xir_build_break (b, inner_merge);
  at (f, joined);
  if (construct)
    {
      struct xir_block *left = block (f), *right = block (f), *after = block (f);
      xir_build_if (b, op (f, XIR_OP_LESS, get (f, i), number (f, 0)), left, right, after);
      at (f, left);
      change (f, i, XIR_OP_ADD, 1);
      go (f, after);
      at (f, right);
      go (f, after);
      at (f, after);
    }
  go (f, inner_update);
  at (f, inner_update);
  go (f, inner);
  at (f, inner_merge);
  go (f, prepare);
  at (f, merge);
  return get (f, i);
}

static struct xir_value *
loop_in_step (struct fixture *f, struct xir_value *v)
{
  return loop_in_step_with (f, v, false);
}

static struct xir_value *
loop_in_step_with_dead_if (struct fixture *f, struct xir_value *v)
{
  return loop_in_step_with (f, v, true);
}

static struct xir_value *
both_arms_break (struct fixture *f, struct xir_value *v)
{
  struct xir_builder *b = &f->builder;
  struct xir_value *result = variable (f, number (f, 0));
  struct xir_block *prepare = block (f), *body = block (f), *update = block (f), *merge = block (f);
  struct xir_block *yes = block (f), *no = block (f), *joined = block (f);
  xir_build_loop (b, prepare, body, update, merge);
  at (f, prepare);
  go (f, body);
  at (f, body);
  xir_build_if (b, op (f, XIR_OP_EQUAL, v, number (f, 0)), yes, no, joined);
  at (f, yes);
  set (f, result, number (f, 1));
  xir_build_break (b, merge);
  at (f, no);
  set (f, result, number (f, 1));
  xir_build_break (b, merge);
  at (f, joined);
  struct xir_value *dead = op (f, XIR_OP_ADD, get (f, result), number (f, 7));
  go (f, update);
  at (f, update);
  xir_build_conditional_branch (b, op (f, XIR_OP_LESS, dead, number (f, 3)), prepare, merge);
  at (f, merge);
  return get (f, result);
}

/* (1, 2) swapped v times by phis alone: 10 * first + second. */
static struct xir_value *
carried_swap (struct fixture *f, struct xir_value *v)
{
  struct xir_builder *b = &f->builder;
  struct xir_block *before = b->block;
  struct xir_block *prepare = block (f), *body = block (f), *update = block (f), *merge = block (f);
  xir_build_loop (b, prepare, body, update, merge);
  at (f, prepare);
  struct xir_value *i = xir_build_phi (b, integer (f)), *x = xir_build_phi (b, integer (f)), *y = xir_build_phi (b, integer (f));
  xir_build_conditional_branch (b, op (f, XIR_OP_LESS, i, v), body, merge);
  at (f, body);
  go (f, update);
  at (f, update);
  struct xir_value *next = op (f, XIR_OP_ADD, i, number (f, 1));
  go (f, prepare);
  xir_phi_add (i, number (f, 0), before);
  xir_phi_add (i, next, update);
  xir_phi_add (x, number (f, 1), before);
  xir_phi_add (x, y, update);
  xir_phi_add (y, number (f, 2), before);
  xir_phi_add (y, x, update);
  at (f, merge);
  return op (f, XIR_OP_ADD, op (f, XIR_OP_MUL, x, number (f, 10)), y);
}

static struct xir_value *
fibonacci (struct fixture *f, struct xir_value *v)
{
  struct xir_value *a = variable (f, number (f, 0)), *c = variable (f, number (f, 1));
  struct counting loop = count_to (f, 10);
  struct xir_value *sum = op (f, XIR_OP_ADD, get (f, a), get (f, c));
  set (f, a, get (f, c));
  set (f, c, sum);
  go (f, loop.update);
  at (f, loop.merge);
  return op (f, XIR_OP_ADD, get (f, a), v);
}

/* int bump (inout int counter) { return ++counter; } */
static struct xir_function *
bump_function (struct fixture *f)
{
  struct xir_builder saved = f->builder;
  struct xir_function *function = xir_function_new (f->module, XIR_FUNCTION_CALLABLE, "bump", integer (f));
  struct xir_value *counter = &xir_function_add_argument (function, XIR_ARGUMENT_REFERENCE, integer (f), "counter")->value;
  xir_builder_init (&f->builder, function);
  at (f, xir_block_new (function));
  change (f, counter, XIR_OP_ADD, 1);
  xir_build_return (&f->builder, get (f, counter));
  f->builder = saved;
  return function;
}

static struct xir_value *
counter_by_reference (struct fixture *f, struct xir_value *v)
{
  struct xir_function *bump = bump_function (f);
  struct xir_value *counter = variable (f, v), *last = variable (f, number (f, 0));
  struct counting loop = count_to (f, 10);
  set (f, last, xir_build_call (&f->builder, bump, &counter, 1));
  go (f, loop.update);
  at (f, loop.merge);
  return get (f, last);
}

static struct xir_value *
set_in_if (struct fixture *f, struct xir_value *v)
{
  struct xir_value *result = variable (f, number (f, 0));
  struct xir_block *yes = block (f), *no = block (f), *merge = block (f);
  xir_build_if (&f->builder, op (f, XIR_OP_NOT_EQUAL, v, number (f, 0)), yes, no, merge);
  at (f, yes);
  set (f, result, op (f, XIR_OP_MUL, v, number (f, 3)));
  go (f, merge);
  at (f, no);
  go (f, merge);
  at (f, merge);
  return get (f, result);
}

/* for (;;) { --i; if (i < 2) { ++v; return; } } in a function with an in/out argument. */
static struct xir_value *
return_in_endless_loop (struct fixture *f, struct xir_value *v)
{
  struct xir_builder saved = f->builder;
  struct xir_function *function = xir_function_new (f->module, XIR_FUNCTION_CALLABLE, "spin", NULL);
  struct xir_value *result = &xir_function_add_argument (function, XIR_ARGUMENT_REFERENCE, integer (f), "v")->value;
  struct xir_value *start = &xir_function_add_argument (function, XIR_ARGUMENT_VALUE, integer (f), "i")->value;
  xir_builder_init (&f->builder, function);
  at (f, xir_block_new (function));
  struct xir_value *i = variable (f, start);
  struct xir_block *prepare = block (f), *body = block (f), *update = block (f), *merge = block (f);
  struct xir_block *yes = block (f), *no = block (f), *joined = block (f);
  xir_build_loop (&f->builder, prepare, body, update, merge);
  at (f, prepare);
  go (f, body);
  at (f, body);
  change (f, i, XIR_OP_SUB, 1);
  xir_build_if (&f->builder, op (f, XIR_OP_LESS, get (f, i), number (f, 2)), yes, no, joined);
  at (f, yes);
  change (f, result, XIR_OP_ADD, 1);
  xir_build_return (&f->builder, NULL);
  at (f, no);
  go (f, joined);
  at (f, joined);
  go (f, update);
  at (f, update);
  go (f, prepare);
  at (f, merge);
  xir_build_return (&f->builder, NULL);
  f->builder = saved;
  struct xir_value *place = variable (f, v);
  struct xir_value *arguments[] = { place, number (f, 3) };
  xir_build_call (&f->builder, function, arguments, 2);
  return get (f, place);
}

/* Five labels, one block that returns; the default is unreachable. */
static struct xir_value *
shared_case (struct fixture *f, struct xir_value *v)
{
  struct xir_builder saved = f->builder;
  struct xir_function *function = xir_function_new (f->module, XIR_FUNCTION_CALLABLE, "seven", integer (f));
  struct xir_value *selector = &xir_function_add_argument (function, XIR_ARGUMENT_VALUE, integer (f), "selector")->value;
  xir_builder_init (&f->builder, function);
  at (f, xir_block_new (function));
  struct xir_block *same = block (f), *other = block (f), *merge = block (f);
  struct xir_instruction *choice = xir_build_switch (&f->builder, selector, merge);
  for (uint64_t i = 0; i < 5; i++)
    xir_switch_add_case (choice, i, same);
  xir_switch_set_default (choice, other);
  at (f, same);
  xir_build_return (&f->builder, number (f, 7));
  at (f, other);
  xir_build_unreachable (&f->builder, NULL);
  at (f, merge);
  xir_build_unreachable (&f->builder, "every case returns");
  f->builder = saved;
  return xir_build_call (&f->builder, function, &v, 1);
}

/* for x: for y: { ++count; if (x * y == 4) { flag = 1; break; } } if (flag) break; */
static struct xir_value *
two_levels_of_break (struct fixture *f, struct xir_value *v)
{
  struct xir_builder *b = &f->builder;
  struct xir_value *count = variable (f, v), *flag = variable (f, number (f, 0));
  struct counting outer = count_to (f, 4);
  struct counting inner = count_to (f, 4);
  struct xir_block *found = block (f), *not_yet = block (f), *joined = block (f);
  change (f, count, XIR_OP_ADD, 1);
  xir_build_if (b, op (f, XIR_OP_EQUAL, op (f, XIR_OP_MUL, get (f, outer.i), get (f, inner.i)), number (f, 4)), found, not_yet, joined);
  at (f, found);
  set (f, flag, number (f, 1));
  xir_build_break (b, inner.merge);
  at (f, not_yet);
  go (f, joined);
  at (f, joined);
  go (f, inner.update);
  at (f, inner.merge);
  struct xir_block *end = block (f), *go_on = block (f), *after = block (f);
  xir_build_if (b, op (f, XIR_OP_NOT_EQUAL, get (f, flag), number (f, 0)), end, go_on, after);
  at (f, end);
  xir_build_break (b, outer.merge);
  at (f, go_on);
  go (f, after);
  at (f, after);
  go (f, outer.update);
  at (f, outer.merge);
  return get (f, count);
}

/* false && bump (); true || bump (): short circuits as a front end writes them, with a phi. */
static struct xir_value *
short_circuit (struct fixture *f, struct xir_value *v)
{
  struct xir_builder *b = &f->builder;
  struct xir_function *bump = bump_function (f);
  struct xir_value *counter = variable (f, number (f, 0)), *bits = variable (f, number (f, 0));
  for (int is_or = 0; is_or < 2; is_or++)
    {
      struct xir_value *left = op (f, is_or ? XIR_OP_EQUAL : XIR_OP_NOT_EQUAL, v, number (f, 0));
      struct xir_block *right = block (f), *skip = block (f), *merge = block (f);
      xir_build_if (b, left, is_or ? skip : right, is_or ? right : skip, merge);
      at (f, right);
      struct xir_value *called = op (f, XIR_OP_GREATER, xir_build_call (b, bump, &counter, 1), number (f, 0));
      go (f, merge);
      at (f, skip);
      go (f, merge);
      at (f, merge);
      struct xir_value *result = xir_build_phi (b, fixture_type (f, XIR_TYPE_BOOL, 1));
      xir_phi_add (result, called, right);
      xir_phi_add (result, xir_constant_bool (f->module, is_or != 0), skip);
      set (f, bits, op (f, XIR_OP_ADD, op (f, XIR_OP_MUL, get (f, bits), number (f, 2)), xir_build_cast (b, integer (f), result)));
    }
  return op (f, XIR_OP_ADD, op (f, XIR_OP_MUL, get (f, counter), number (f, 10)), get (f, bits));
}

/* do { x += i; } while (++i < v); `continue` in it tests the condition. */
static struct xir_value *
do_while (struct fixture *f, struct xir_value *v)
{
  struct xir_builder *b = &f->builder;
  struct xir_value *i = variable (f, number (f, 0)), *sum = variable (f, number (f, 0));
  struct xir_block *prepare = block (f), *body = block (f), *update = block (f), *merge = block (f);
  struct xir_block *skip = block (f), *add = block (f), *joined = block (f);
  xir_build_loop (b, prepare, body, update, merge);
  at (f, prepare);
  go (f, body);
  at (f, body);
  xir_build_if (b, op (f, XIR_OP_EQUAL, get (f, i), number (f, 2)), skip, add, joined);
  at (f, skip);
  xir_build_continue (b, update);
  at (f, add);
  change (f, sum, XIR_OP_ADD, 100);
  go (f, joined);
  at (f, joined);
  set (f, sum, op (f, XIR_OP_ADD, get (f, sum), get (f, i)));
  go (f, update);
  at (f, update);
  change (f, i, XIR_OP_ADD, 1);
  xir_build_conditional_branch (b, op (f, XIR_OP_LESS, get (f, i), v), prepare, merge);
  at (f, merge);
  return get (f, sum);
}

/* A loop whose body always breaks: nothing reaches the update, and its phi keeps two ways. */
static struct xir_value *
update_never_reached (struct fixture *f, struct xir_value *v)
{
  struct xir_builder *b = &f->builder;
  struct xir_block *before = b->block;
  struct xir_block *prepare = block (f), *body = block (f), *update = block (f), *merge = block (f);
  xir_build_loop (b, prepare, body, update, merge);
  at (f, prepare);
  struct xir_value *i = xir_build_phi (b, integer (f));
  go (f, body);
  at (f, body);
  struct xir_value *result = op (f, XIR_OP_ADD, i, number (f, 4));
  xir_build_break (b, merge);
  at (f, update);
  struct xir_value *next = op (f, XIR_OP_ADD, i, number (f, 1));
  go (f, prepare);
  xir_phi_add (i, v, before);
  xir_phi_add (i, next, update);
  at (f, merge);
  return result;
}

/* An if whose arms both return, in a switch in a loop: three merges that nothing reaches. */
static struct xir_value *
merges_never_reached (struct fixture *f, struct xir_value *v)
{
  struct xir_builder saved = f->builder;
  struct xir_function *function = xir_function_new (f->module, XIR_FUNCTION_CALLABLE, "sign", integer (f));
  struct xir_value *x = &xir_function_add_argument (function, XIR_ARGUMENT_VALUE, integer (f), "x")->value;
  xir_builder_init (&f->builder, function);
  at (f, xir_block_new (function));
  struct xir_builder *b = &f->builder;
  struct xir_block *prepare = block (f), *body = block (f), *update = block (f), *merge = block (f);
  struct xir_block *zero = block (f), *other = block (f), *chosen = block (f);
  struct xir_block *yes = block (f), *no = block (f), *joined = block (f);
  xir_build_loop (b, prepare, body, update, merge);
  at (f, prepare);
  go (f, body);
  at (f, body);
  struct xir_instruction *choice = xir_build_switch (b, x, chosen);
  xir_switch_add_case (choice, 0, zero);
  xir_switch_set_default (choice, other);
  at (f, zero);
  xir_build_return (b, number (f, 0));
  at (f, other);
  xir_build_if (b, op (f, XIR_OP_LESS, x, number (f, 0)), yes, no, joined);
  at (f, yes);
  xir_build_return (b, number (f, -1));
  at (f, no);
  xir_build_return (b, number (f, 1));
  at (f, joined);
  xir_build_unreachable (b, NULL);
  at (f, chosen);
  go (f, update);
  at (f, update);
  go (f, prepare);
  at (f, merge);
  xir_build_unreachable (b, NULL);
  f->builder = saved;
  return xir_build_call (&f->builder, function, &v, 1);
}

/* A switch without a default and with a case at the merge's door; a loop within it. */
static struct xir_value *
loop_in_switch (struct fixture *f, struct xir_value *v)
{
  struct xir_builder *b = &f->builder;
  struct xir_value *result = variable (f, number (f, 1));
  struct xir_block *turn = block (f), *minus = block (f), *merge = block (f);
  struct xir_instruction *choice = xir_build_switch (b, v, merge);
  xir_switch_add_case (choice, 4, turn);
  xir_switch_add_case (choice, (uint32_t) -1, minus);
  at (f, turn);
  struct counting loop = count_to (f, 5);
  change (f, result, XIR_OP_MUL, 2);
  go (f, loop.update);
  at (f, loop.merge);
  xir_build_break (b, merge);
  at (f, minus);
  set (f, result, number (f, -7));
  go (f, merge);
  at (f, merge);
  return get (f, result);
}

/* Cases that share a block, and one that shares it with the default: 0 and 2 -> 10, 1 -> 20, default with 3 -> 30. */
static struct xir_value *
shared_labels (struct fixture *f, struct xir_value *v)
{
  struct xir_value *result = variable (f, number (f, 0));
  struct xir_block *even = block (f), *one = block (f), *other = block (f), *merge = block (f);
  struct xir_instruction *choice = xir_build_switch (&f->builder, v, merge);
  xir_switch_add_case (choice, 0, even);
  xir_switch_add_case (choice, 2, even);
  xir_switch_add_case (choice, 1, one);
  xir_switch_add_case (choice, 3, other);
  xir_switch_set_default (choice, other);
  struct xir_block *blocks[] = { even, one, other };
  for (int i = 0; i < 3; i++)
    {
      at (f, blocks[i]);
      set (f, result, number (f, 10 + 10 * i));
      xir_build_break (&f->builder, merge);
    }
  at (f, merge);
  return get (f, result);
}

const struct shape shapes[] = {
  { "A01 continue in switch", continue_in_switch, CASES ({ 0, 3 }, { 1, 36 }, { 2, 39 }) },
  { "A02 two switches that continue", two_switches_that_continue, CASES ({ 0, 4 }, { 5, 4 }) },
  { "A03 default first", default_first, CASES ({ 2, 9 }, { 1, 7 }, { 8, 5 }) },
  { "A04 fall through to the default", fall_through_to_default, CASES ({ 0, 120 }, { 1, 110 }, { 7, 101 }) },
  { "A04 fall through, default between", fall_through_default_between, CASES ({ 0, 120 }, { 2, 101 }, { 7, 110 }) },
  { "A07 continuing part", continuing_part, CASES ({ 0, 0x2060a }, { 1, 0x4080c }) },
  { "A08 loop in the step", loop_in_step, CASES ({ 1, 16 }, { 3, 12 }, { 6, 12 }), true },
  { "A08 loop in the step, dead if", loop_in_step_with_dead_if, CASES ({ 1, 16 }, { 3, 12 }, { 6, 12 }), true },
  { "A09 both arms break", both_arms_break, CASES ({ 0, 1 }, { 3, 1 }) },
  { "A10 swap", carried_swap, CASES ({ 3, 21 }, { 2, 12 }, { 0, 12 }) },
  { "A10 fibonacci", fibonacci, CASES ({ 0, 55 }, { 5, 60 }) },
  { "A11 counter by reference", counter_by_reference, CASES ({ 0, 10 }, { 32, 42 }) },
  { "A12 set in if", set_in_if, CASES ({ 1, 3 }, { 0, 0 }) },
  { "A13 return in an endless loop", return_in_endless_loop, CASES ({ 2, 3 }) },
  { "A14 shared case", shared_case, CASES ({ 0, 7 }, { 1, 7 }, { 2, 7 }, { 3, 7 }, { 4, 7 }) },
  { "A15 two levels of break", two_levels_of_break, CASES ({ 0, 11 }) },
  { "A16 short circuit", short_circuit, CASES ({ 0, 1 }, { 1, 23 }) },
  { "do while", do_while, CASES ({ 0, 100 }, { 2, 201 }, { 4, 304 }) },
  { "update never reached", update_never_reached, CASES ({ 3, 7 }) },
  { "merges never reached", merges_never_reached, CASES ({ -5, -1 }, { 0, 0 }, { 9, 1 }) },
  { "loop in switch", loop_in_switch, CASES ({ 4, 32 }, { -1, -7 }, { 0, 1 }) },
  { "shared labels", shared_labels, CASES ({ 0, 10 }, { 1, 20 }, { 2, 10 }, { 3, 30 }, { 99, 30 }) }
};
const uint32_t n_shapes = G_N_ELEMENTS (shapes);

void
shape_build (const struct shape *shape, struct fixture *fixture)
{
  struct xir_value *input = fixture_source (fixture, integer (fixture), 0);
  fixture_sink (fixture, shape->build (fixture, input));
  xir_build_return (&fixture->builder, NULL);
}
