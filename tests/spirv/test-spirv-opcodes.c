/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The opcode matrix: every op of ops.def at every type it takes, through the
 * whole back end, at every level, checked and unchecked, with and without fast
 * math. An op that is added to ops.def and not here fails. */

#include "config.h"

#include "tests/spirv/fixture.h"

static const enum xir_type_kind all_kinds[] = { XIR_TYPE_FLOAT32, XIR_TYPE_INT32, XIR_TYPE_UINT32, XIR_TYPE_BOOL };

static bool
takes (enum xir_operand_rule rule, enum xir_type_kind kind, uint32_t lanes)
{
  switch (rule)
    {
    case XIR_OPERANDS_NUMERIC:
      return kind != XIR_TYPE_BOOL;
    case XIR_OPERANDS_INTEGER:
    case XIR_OPERANDS_SHIFT:
      return kind == XIR_TYPE_INT32 || kind == XIR_TYPE_UINT32;
    case XIR_OPERANDS_INTBOOL:
      return kind != XIR_TYPE_FLOAT32;
    case XIR_OPERANDS_FLOAT:
      return kind == XIR_TYPE_FLOAT32;
    case XIR_OPERANDS_FLOATVEC:
      return kind == XIR_TYPE_FLOAT32 && lanes >= 2;
    case XIR_OPERANDS_UNSIGNED:
      return kind == XIR_TYPE_UINT32;
    case XIR_OPERANDS_BOOLEAN:
      return kind == XIR_TYPE_BOOL;
    case XIR_OPERANDS_SAME:
      return true;
    case XIR_OPERANDS_FLAG:
      return kind == XIR_TYPE_BOOL && lanes == 1;
    default:
      return false;
    }
}

static bool
is_reduction (enum xir_op op)
{
  return op >= XIR_OP_REDUCE_SUM && op <= XIR_OP_REDUCE_MAX;
}

/* Of ops whose operands do not say it. */
static const struct xir_type *
explicit_result (struct fixture *fixture, enum xir_op op)
{
  if (xir_op_info (op)->result != XIR_RESULT_EXPLICIT)
    return NULL;
  return fixture_type (fixture, XIR_TYPE_UINT32, op == XIR_OP_SUBGROUP_BALLOT ? 4 : 1);
}

/* Ops whose operands are of one rule: one instruction a type. */
static void
build_regular (struct fixture *fixture, enum xir_op op)
{
  const struct xir_op_info *info = xir_op_info (op);
  for (guint k = 0; k < G_N_ELEMENTS (all_kinds); k++)
    for (uint32_t lanes = 1; lanes <= 4; lanes++)
      {
        if (!takes (info->operands, all_kinds[k], lanes) || (op == XIR_OP_CROSS && lanes != 3)
            || (is_reduction (op) && lanes == 1))
          continue;
        struct xir_value *operands[3];
        for (int i = 0; i < info->min_operands; i++)
          operands[i] = fixture_source (fixture, fixture_type (fixture, all_kinds[k], lanes), (uint32_t) i);
        if (info->operands != XIR_OPERANDS_SHIFT)
          {
            fixture_sink (fixture, xir_build_op (&fixture->builder, op, explicit_result (fixture, op), operands,
                                                 (uint32_t) info->min_operands));
            continue;
          }
        for (int count = 0; count < 2; count++)
          {
            operands[1] = fixture_source (fixture, fixture_type (fixture, count == 0 ? XIR_TYPE_INT32 : XIR_TYPE_UINT32, lanes), 9);
            fixture_sink (fixture, xir_build_op (&fixture->builder, op, NULL, operands, 2));
          }
      }
}

static void
build_casts (struct fixture *fixture, enum xir_op op)
{
  for (uint32_t lanes = 1; lanes <= 4; lanes++)
    for (guint from = 0; from < G_N_ELEMENTS (all_kinds); from++)
      for (guint to = 0; to < G_N_ELEMENTS (all_kinds); to++)
        {
          if (op == XIR_OP_BITCAST && (all_kinds[from] == XIR_TYPE_BOOL || all_kinds[to] == XIR_TYPE_BOOL))
            continue;
          struct xir_value *operand = fixture_source (fixture, fixture_type (fixture, all_kinds[from], lanes), 0);
          fixture_sink (fixture, xir_build_op (&fixture->builder, op, fixture_type (fixture, all_kinds[to], lanes), &operand, 1));
        }
}

static void
build_select (struct fixture *fixture)
{
  for (guint k = 0; k < G_N_ELEMENTS (all_kinds); k++)
    for (uint32_t lanes = 1; lanes <= 4; lanes++)
      {
        const struct xir_type *type = fixture_type (fixture, all_kinds[k], lanes);
        struct xir_value *a = fixture_source (fixture, type, 0), *b = fixture_source (fixture, type, 1);
        struct xir_value *scalar = fixture_source (fixture, fixture_type (fixture, XIR_TYPE_BOOL, 1), 2);
        fixture_sink (fixture, xir_build_ternary (&fixture->builder, XIR_OP_SELECT, a, b, scalar));
        struct xir_value *each = fixture_source (fixture, fixture_type (fixture, XIR_TYPE_BOOL, lanes), 3);
        fixture_sink (fixture, xir_build_ternary (&fixture->builder, XIR_OP_SELECT, a, b, each));
      }
}

static void
build_pow_int (struct fixture *fixture)
{
  for (uint32_t lanes = 1; lanes <= 4; lanes++)
    {
      struct xir_value *x = fixture_source (fixture, fixture_type (fixture, XIR_TYPE_FLOAT32, lanes), 0);
      struct xir_value *n = fixture_source (fixture, fixture_type (fixture, XIR_TYPE_INT32, lanes), 1);
      fixture_sink (fixture, xir_build_binary (&fixture->builder, XIR_OP_POW_INT, x, n));
      struct xir_value *constant = xir_constant_splat (fixture->module, fixture_type (fixture, XIR_TYPE_INT32, lanes),
                                                       fixture_int (fixture, lanes == 2 ? -3 : (int32_t) lanes * 5 - 5));
      fixture_sink (fixture, xir_build_binary (&fixture->builder, XIR_OP_POW_INT, x, constant));
    }
}

/* A structure { float3 a; float b[4]; uint c; }. */
static const struct xir_type *
some_structure (struct fixture *fixture)
{
  const struct xir_type *members[] = {
    fixture_type (fixture, XIR_TYPE_FLOAT32, 3),
    xir_type_array (fixture->context, fixture_type (fixture, XIR_TYPE_FLOAT32, 1), 4),
    fixture_type (fixture, XIR_TYPE_UINT32, 1)
  };
  return xir_type_structure (fixture->context, 0, members, 3);
}

static struct xir_value *
dynamic_index (struct fixture *fixture, enum xir_type_kind kind)
{
  struct xir_value *value = fixture_source (fixture, fixture_type (fixture, kind, 1), 17);
  struct xir_value *three = kind == XIR_TYPE_INT32 ? fixture_int (fixture, 3) : fixture_uint (fixture, 3);
  return xir_build_binary (&fixture->builder, XIR_OP_AND, value, three);
}

static void
build_aggregate (struct fixture *fixture)
{
  for (guint k = 0; k < G_N_ELEMENTS (all_kinds); k++)
    for (uint32_t lanes = 2; lanes <= 4; lanes++)
      {
        struct xir_value *parts[4];
        for (uint32_t i = 0; i < lanes; i++)
          parts[i] = fixture_source (fixture, fixture_type (fixture, all_kinds[k], 1), i);
        fixture_sink (fixture, xir_build_aggregate (&fixture->builder, fixture_type (fixture, all_kinds[k], lanes), parts, lanes));
      }
  const struct xir_type *structure = some_structure (fixture);
  struct xir_value *floats[4];
  for (uint32_t i = 0; i < 4; i++)
    floats[i] = fixture_source (fixture, fixture_type (fixture, XIR_TYPE_FLOAT32, 1), i);
  struct xir_value *members[] = {
    fixture_source (fixture, structure->members[0], 5),
    xir_build_aggregate (&fixture->builder, structure->members[1], floats, 4),
    fixture_source (fixture, structure->members[2], 6)
  };
  fixture_sink (fixture, xir_build_aggregate (&fixture->builder, structure, members, 3));
}

static void
build_shuffle (struct fixture *fixture)
{
  static const uint8_t lanes[] = { 1, 0, 1, 0 };
  for (guint k = 0; k < G_N_ELEMENTS (all_kinds); k++)
    for (uint32_t from = 2; from <= 4; from++)
      for (uint32_t to = 1; to <= 4; to++)
        fixture_sink (fixture, xir_build_shuffle (&fixture->builder, fixture_source (fixture, fixture_type (fixture, all_kinds[k], from), 0),
                                                  lanes, to));
}

/* Constant and dynamic places in vectors, arrays, structures; constants as the aggregate too. */
static void
build_extract (struct fixture *fixture)
{
  struct xir_builder *b = &fixture->builder;
  const struct xir_type *structure = some_structure (fixture);
  struct xir_value *whole = fixture_source (fixture, structure, 0);
  for (int kind = 0; kind < 2; kind++)
    {
      struct xir_value *i = dynamic_index (fixture, kind == 0 ? XIR_TYPE_INT32 : XIR_TYPE_UINT32);
      for (guint k = 0; k < G_N_ELEMENTS (all_kinds); k++)
        fixture_sink (fixture, xir_build_extract (b, fixture_source (fixture, fixture_type (fixture, all_kinds[k], 4), 0), &i, 1));
      struct xir_value *in_array[] = { fixture_int (fixture, 1), i };
      fixture_sink (fixture, xir_build_extract (b, whole, in_array, 2));
      struct xir_value *in_vector[] = { fixture_int (fixture, 0), i };
      fixture_sink (fixture, xir_build_extract (b, whole, in_vector, 2));
      float numbers[4] = { 1, 2, 3, 4 };
      struct xir_value *table = xir_constant_get (fixture->module, structure->members[1], numbers);
      fixture_sink (fixture, xir_build_extract (b, table, &i, 1));
    }
  struct xir_value *member[] = { fixture_uint (fixture, 2) };
  fixture_sink (fixture, xir_build_extract (b, whole, member, 1));
}

static void
build_insert (struct fixture *fixture)
{
  struct xir_builder *b = &fixture->builder;
  const struct xir_type *structure = some_structure (fixture);
  struct xir_value *whole = fixture_source (fixture, structure, 0);
  struct xir_value *f = fixture_source (fixture, fixture_type (fixture, XIR_TYPE_FLOAT32, 1), 3);
  struct xir_value *i = dynamic_index (fixture, XIR_TYPE_UINT32);
  struct xir_value *constant[] = { fixture_int (fixture, 1), fixture_int (fixture, 2) };
  whole = xir_build_insert (b, whole, f, constant, 2);
  struct xir_value *in_array[] = { fixture_int (fixture, 1), i };
  whole = xir_build_insert (b, whole, f, in_array, 2);
  struct xir_value *in_vector[] = { fixture_int (fixture, 0), i };
  whole = xir_build_insert (b, whole, f, in_vector, 2);
  fixture_sink (fixture, whole);
  struct xir_value *vector = fixture_source (fixture, fixture_type (fixture, XIR_TYPE_FLOAT32, 4), 0);
  fixture_sink (fixture, xir_build_insert (b, vector, f, &i, 1));
}

/* Local memory, shared memory, references. */
static void
build_memory (struct fixture *fixture)
{
  struct xir_builder *b = &fixture->builder;
  const struct xir_type *structure = some_structure (fixture);
  const struct xir_type *scalar = fixture_type (fixture, XIR_TYPE_FLOAT32, 1);
  for (int storage = 0; storage < 2; storage++)
    {
      struct xir_value *variable = xir_build_alloca (b, storage == 0 ? XIR_STORAGE_LOCAL : XIR_STORAGE_SHARED, structure, "variable");
      xir_build_store (b, variable, fixture_source (fixture, structure, 0));
      struct xir_value *path[] = { fixture_int (fixture, 1), dynamic_index (fixture, XIR_TYPE_INT32) };
      struct xir_value *place = xir_build_gep (b, variable, path, 2);
      xir_build_store (b, place, fixture_source (fixture, scalar, 1));
      struct xir_value *row[] = { fixture_int (fixture, 1) };
      struct xir_value *step[] = { dynamic_index (fixture, XIR_TYPE_UINT32) };
      fixture_sink (fixture, xir_build_load (b, xir_build_gep (b, xir_build_gep (b, variable, row, 1), step, 1)));
      fixture_sink (fixture, xir_build_load (b, variable));
    }
}

static void
build_call (struct fixture *fixture)
{
  const struct xir_type *scalar = fixture_type (fixture, XIR_TYPE_FLOAT32, 1);
  struct xir_function *inner = xir_function_new (fixture->module, XIR_FUNCTION_CALLABLE, "inner", NULL);
  struct xir_argument *reference = xir_function_add_argument (inner, XIR_ARGUMENT_REFERENCE, scalar, "place");
  struct xir_builder b;
  xir_builder_init (&b, inner);
  xir_builder_at_end (&b, xir_block_new (inner));
  xir_build_store (&b, &reference->value, xir_build_unary (&b, XIR_OP_NEG, xir_build_load (&b, &reference->value)));
  xir_build_return (&b, NULL);
  struct xir_function *outer = xir_function_new (fixture->module, XIR_FUNCTION_CALLABLE, "outer", scalar);
  outer->no_inline = true;
  struct xir_argument *place = xir_function_add_argument (outer, XIR_ARGUMENT_REFERENCE, scalar, "place");
  struct xir_argument *amount = xir_function_add_argument (outer, XIR_ARGUMENT_VALUE, scalar, "amount");
  xir_builder_init (&b, outer);
  xir_builder_at_end (&b, xir_block_new (outer));
  struct xir_value *passed = &place->value;
  xir_build_call (&b, inner, &passed, 1);
  xir_build_return (&b, xir_build_binary (&b, XIR_OP_ADD, xir_build_load (&b, &place->value), &amount->value));
  struct xir_value *variable = xir_build_alloca (&fixture->builder, XIR_STORAGE_LOCAL, scalar, "counter");
  xir_build_store (&fixture->builder, variable, fixture_source (fixture, scalar, 0));
  struct xir_value *actual[] = { variable, fixture_source (fixture, scalar, 1) };
  fixture_sink (fixture, xir_build_call (&fixture->builder, outer, actual, 2));
  fixture_sink (fixture, xir_build_load (&fixture->builder, variable));
}

static void
build_buffers (struct fixture *fixture)
{
  struct xir_builder *b = &fixture->builder;
  const struct xir_type *structure = some_structure (fixture);
  struct xir_value *buffer = fixture_argument (fixture, XIR_ARGUMENT_RESOURCE, xir_type_buffer (fixture->context, structure), "things");
  struct xir_value *i = dynamic_index (fixture, XIR_TYPE_INT32);
  struct xir_value *path[] = { i, fixture_int (fixture, 1), dynamic_index (fixture, XIR_TYPE_UINT32) };
  struct xir_value *part = xir_build_buffer_read (b, buffer, path, 3);
  xir_build_buffer_write (b, buffer, part, path, 3);
  struct xir_value *whole = xir_build_buffer_read (b, buffer, path, 1);
  struct xir_value *other[] = { xir_build_buffer_size (b, buffer) };
  xir_build_buffer_write (b, buffer, whole, other, 1);
  struct xir_value *lane[] = { i, fixture_int (fixture, 0), dynamic_index (fixture, XIR_TYPE_UINT32) };
  fixture_sink (fixture, xir_build_buffer_read (b, buffer, lane, 3));
}

static void
build_bytes (struct fixture *fixture)
{
  struct xir_builder *b = &fixture->builder;
  struct xir_value *bytes = fixture_argument (fixture, XIR_ARGUMENT_RESOURCE, xir_type_buffer (fixture->context, NULL), "bytes");
  struct xir_value *at = dynamic_index (fixture, XIR_TYPE_INT32);
  xir_build_byte_buffer_write (b, bytes, xir_build_byte_buffer_read (b, some_structure (fixture), bytes, at), at);
  fixture_sink (fixture, xir_build_buffer_first (b, bytes));
}

static void
build_textures (struct fixture *fixture)
{
  struct xir_builder *b = &fixture->builder;
  for (uint32_t dimension = 2; dimension <= 3; dimension++)
    for (guint k = 0; k < 3; k++)
      for (int form = 0; form < 3; form++)
        {
          const struct xir_type *texture = xir_type_texture (fixture->context, dimension, fixture_type (fixture, all_kinds[k], 1));
          const struct xir_type *texel = fixture_type (fixture, all_kinds[k], 4);
          struct xir_value *image = fixture_argument (fixture, XIR_ARGUMENT_RESOURCE, texture, "image");
          struct xir_value *at = fixture_source (fixture, fixture_type (fixture, form == 1 ? XIR_TYPE_INT32 : XIR_TYPE_UINT32, dimension), 0);
          xir_value_argument (image)->is_const = form == 0;
          fixture_sink (fixture, xir_build_texture_size (b, image));
          if (form < 2)
            fixture_sink (fixture, xir_build_texture_read (b, image, at));
          else
            xir_build_texture_write (b, image, at, fixture_source (fixture, texel, 0));
        }
}

/* One function with every way that control can go. */
static void
build_control (struct fixture *fixture)
{
  struct xir_builder *b = &fixture->builder;
  struct xir_function *kernel = fixture->kernel;
  const struct xir_type *integer = fixture_type (fixture, XIR_TYPE_INT32, 1);
  struct xir_value *limit = fixture_source (fixture, integer, 0);
  struct xir_block *prepare = xir_block_new (kernel), *body = xir_block_new (kernel), *update = xir_block_new (kernel);
  struct xir_block *merge = xir_block_new (kernel), *yes = xir_block_new (kernel), *no = xir_block_new (kernel);
  struct xir_block *joined = xir_block_new (kernel), *first = xir_block_new (kernel), *other = xir_block_new (kernel);
  struct xir_block *after = xir_block_new (kernel), *dead = xir_block_new (kernel);
  struct xir_block *before = b->block;
  xir_build_loop (b, prepare, body, update, merge);
  xir_builder_at_end (b, prepare);
  struct xir_value *i = xir_build_phi (b, integer);
  xir_build_conditional_branch (b, xir_build_binary (b, XIR_OP_LESS, i, limit), body, merge);
  xir_builder_at_end (b, body);
  xir_build_if (b, xir_build_binary (b, XIR_OP_EQUAL, i, fixture_int (fixture, 7)), yes, no, joined);
  xir_builder_at_end (b, yes);
  xir_build_break (b, merge);
  xir_builder_at_end (b, no);
  xir_build_continue (b, update);
  xir_builder_at_end (b, joined);
  xir_build_branch (b, update);
  xir_builder_at_end (b, update);
  struct xir_value *next = xir_build_binary (b, XIR_OP_ADD, i, fixture_int (fixture, 1));
  xir_build_branch (b, prepare);
  xir_phi_add (i, fixture_int (fixture, 0), before);
  xir_phi_add (i, next, update);
  xir_builder_at_end (b, merge);
  struct xir_instruction *choice = xir_build_switch (b, limit, after);
  xir_switch_add_case (choice, 3, first);
  xir_switch_set_default (choice, other);
  xir_switch_add_case (choice, 5, dead);
  xir_builder_at_end (b, first);
  xir_build_branch (b, other);
  xir_builder_at_end (b, other);
  xir_build_break (b, after);
  xir_builder_at_end (b, dead);
  xir_build_unreachable (b, "never five");
  xir_builder_at_end (b, after);
}

/* On elements and parts of elements of buffers, on whole shared variables and parts of them. */
static void
build_atomics (struct fixture *fixture, enum xir_op op)
{
  bool bitwise = op == XIR_OP_ATOMIC_AND || op == XIR_OP_ATOMIC_OR || op == XIR_OP_ATOMIC_XOR;
  struct xir_builder *b = &fixture->builder;
  for (guint k = bitwise ? 1 : 0; k < 3; k++)
    {
      const struct xir_type *type = fixture_type (fixture, all_kinds[k], 1);
      const struct xir_type *members[] = { type, xir_type_array (fixture->context, type, 4) };
      const struct xir_type *structure = xir_type_structure (fixture->context, 0, members, 2);
      struct xir_value *value = fixture_source (fixture, type, 1);
      struct xir_value *expected = op == XIR_OP_ATOMIC_COMPARE_EXCHANGE ? fixture_source (fixture, type, 2) : NULL;
      struct xir_value *numbers = fixture_argument (fixture, XIR_ARGUMENT_RESOURCE, xir_type_buffer (fixture->context, type), "numbers");
      struct xir_value *records = fixture_argument (fixture, XIR_ARGUMENT_RESOURCE, xir_type_buffer (fixture->context, structure), "records");
      struct xir_value *indices[] = { dynamic_index (fixture, XIR_TYPE_UINT32), fixture_int (fixture, 1), dynamic_index (fixture, XIR_TYPE_INT32) };
      fixture_sink (fixture, xir_build_atomic (b, op, numbers, expected, value, indices, 1));
      fixture_sink (fixture, xir_build_atomic (b, op, records, expected, value, indices, 3));
      struct xir_value *number = xir_build_alloca (b, XIR_STORAGE_SHARED, type, "number");
      struct xir_value *record = xir_build_alloca (b, XIR_STORAGE_SHARED, structure, "record");
      fixture_sink (fixture, xir_build_atomic (b, op, number, expected, value, NULL, 0));
      fixture_sink (fixture, xir_build_atomic (b, op, xir_build_gep (b, record, indices + 1, 2), expected, value, NULL, 0));
    }
}

static void
build_subgroup_read (struct fixture *fixture)
{
  for (guint k = 0; k < G_N_ELEMENTS (all_kinds); k++)
    for (uint32_t lanes = 1; lanes <= 4; lanes++)
      {
        struct xir_value *value = fixture_source (fixture, fixture_type (fixture, all_kinds[k], lanes), 0);
        fixture_sink (fixture, xir_build_binary (&fixture->builder, XIR_OP_SUBGROUP_READ, value,
                                                 xir_special_get (fixture->module, XIR_SPECIAL_SUBGROUP_LANE)));
        struct xir_value *last = xir_build_binary (&fixture->builder, XIR_OP_SUB,
                                                   xir_special_get (fixture->module, XIR_SPECIAL_SUBGROUP_SIZE), fixture_uint (fixture, 1));
        fixture_sink (fixture, xir_build_binary (&fixture->builder, XIR_OP_SUBGROUP_READ, value, last));
      }
}

/* Values of all kinds, and none. */
static void
build_print (struct fixture *fixture, enum xir_op op)
{
  struct xir_builder *b = &fixture->builder;
  struct xir_value *flag = fixture_source (fixture, fixture_type (fixture, XIR_TYPE_UINT32, 1), 0);
  flag = xir_build_binary (b, XIR_OP_LESS, flag, fixture_uint (fixture, 7));
  for (guint k = 0; k < G_N_ELEMENTS (all_kinds); k++)
    for (uint32_t lanes = 1; lanes <= 4; lanes++)
      {
        struct xir_value *values[] = { flag, fixture_source (fixture, fixture_type (fixture, all_kinds[k], lanes), 0), flag };
        bool is_assert = op == XIR_OP_ASSERT;
        xir_build_print (b, op, "{} and {}", is_assert ? "x < 7" : NULL, is_assert ? values : values + 1, is_assert ? 3 : 2);
      }
  xir_build_print (b, op, "", NULL, &flag, op == XIR_OP_ASSERT ? 1 : 0);
}

/* Matrices of every size with what may stand on either side. */
static void
build_matrices (struct fixture *fixture, enum xir_op op)
{
  struct xir_builder *b = &fixture->builder;
  for (uint32_t n = 2; n <= 4; n++)
    {
      char *text = g_strdup_printf ("matrix<%u>", n);
      const struct xir_type *type = xir_type_parse (fixture->context, text), *scalar = fixture_type (fixture, XIR_TYPE_FLOAT32, 1);
      struct xir_value *a = fixture_source (fixture, type, 0), *other = fixture_source (fixture, type, 1);
      struct xir_value *column = fixture_source (fixture, type->element, 2), *number = fixture_source (fixture, scalar, 3);
      bool is_outer = op == XIR_OP_OUTER_PRODUCT, is_product = op == XIR_OP_MATRIX_MULTIPLY;
      struct xir_value *beside = is_outer || is_product ? column : number;
      struct xir_value *both[] = { a, other }, *left[] = { beside, is_outer ? beside : a }, *right[] = { a, beside };
      const struct xir_type *result = is_product ? type->element : type;
      if (xir_op_info (op)->max_operands == 1)
        fixture_sink (fixture, xir_build_op (b, op, op == XIR_OP_MATRIX_DETERMINANT ? scalar : type, &a, 1));
      else
        {
          fixture_sink (fixture, xir_build_op (b, op, type, both, 2));
          fixture_sink (fixture, xir_build_op (b, op, result, left, 2));
          if (!is_outer)
            fixture_sink (fixture, xir_build_op (b, op, result, right, 2));
        }
      g_free (text);
    }
}

static void
build_barrier (struct fixture *fixture)
{
  xir_build_op (&fixture->builder, XIR_OP_BARRIER, NULL, NULL, 0);
}

static void
build_is_first (struct fixture *fixture)
{
  fixture_sink (fixture, xir_build_op (&fixture->builder, XIR_OP_SUBGROUP_IS_FIRST, NULL, NULL, 0));
}

static void
build_clock (struct fixture *fixture)
{
  const struct xir_type *type = fixture_type (fixture, XIR_TYPE_UINT64, 1);
  fixture_sink (fixture, xir_build_op (&fixture->builder, XIR_OP_CLOCK, type, NULL, 0));
}

static const struct
{
  enum xir_op op;
  void (*build) (struct fixture *fixture);
} builders[] = {
  { XIR_OP_BARRIER, build_barrier }, { XIR_OP_SUBGROUP_IS_FIRST, build_is_first }, { XIR_OP_CLOCK, build_clock },
  { XIR_OP_SUBGROUP_READ, build_subgroup_read }, { XIR_OP_SELECT, build_select }, { XIR_OP_POW_INT, build_pow_int },
  { XIR_OP_AGGREGATE, build_aggregate }, { XIR_OP_SHUFFLE, build_shuffle }, { XIR_OP_EXTRACT, build_extract },
  { XIR_OP_INSERT, build_insert }, { XIR_OP_CALL, build_call }, { XIR_OP_ALLOCA, build_memory },
  { XIR_OP_LOAD, build_memory }, { XIR_OP_STORE, build_memory }, { XIR_OP_GEP, build_memory },
  { XIR_OP_BUFFER_SIZE, build_buffers }, { XIR_OP_BUFFER_READ, build_buffers }, { XIR_OP_BUFFER_WRITE, build_buffers },
  { XIR_OP_BUFFER_FIRST, build_bytes }, { XIR_OP_BYTE_BUFFER_READ, build_bytes },
  { XIR_OP_BYTE_BUFFER_WRITE, build_bytes }, { XIR_OP_TEXTURE_SIZE, build_textures },
  { XIR_OP_TEXTURE_READ, build_textures }, { XIR_OP_TEXTURE_WRITE, build_textures }
};

static void
build_op (struct fixture *fixture, enum xir_op op)
{
  if (op >= XIR_OP_OUTER_PRODUCT && op <= XIR_OP_MATRIX_INVERSE)
    {
      build_matrices (fixture, op);
      return;
    }
  if (xir_op_info (op)->operands != XIR_OPERANDS_ANY && op != XIR_OP_PHI)
    {
      build_regular (fixture, op);
      return;
    }
  if (xir_op_is_atomic (op))
    {
      build_atomics (fixture, op);
      return;
    }
  if (op == XIR_OP_PRINT || op == XIR_OP_ASSERT)
    {
      build_print (fixture, op);
      return;
    }
  if (op == XIR_OP_CAST || op == XIR_OP_BITCAST)
    {
      build_casts (fixture, op);
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (builders); i++)
    if (builders[i].op == op)
      {
        builders[i].build (fixture);
        return;
      }
  build_control (fixture);
}

static bool
contains (const struct fixture *fixture, enum xir_op op)
{
  gb_list_for_each (function, &fixture->module->functions, struct xir_function, link)
    gb_list_for_each (block, &function->blocks, struct xir_block, link)
      gb_list_for_each (instruction, &block->instructions, struct xir_instruction, link)
        if (instruction->op == op)
          return true;
  return false;
}

/* What may be contracted, and what SPIRV-Tools folds without a care for NaN where it is not decorated. */
static bool
is_contractible (SpvOp op)
{
  return op == SpvOpFAdd || op == SpvOpFSub || op == SpvOpFMul || op == SpvOpDot || op == SpvOpVectorTimesScalar
         || op == SpvOpFDiv || op == SpvOpFNegate;
}

/* What the words must look like before any optimiser has seen them. */
static void
check_words (const struct fixture *fixture, const struct spirv_result *result)
{
  bool fast = fixture->kernel->fast_math, unchecked = fixture->kernel->unchecked;
  uint32_t n_contractible = 0;
  for (gsize at = 5; at < result->n_words; at += result->words[at] >> SpvWordCountShift)
    {
      SpvOp op = (SpvOp) (result->words[at] & SpvOpCodeMask);
      n_contractible += is_contractible (op);
      ck_assert (op != SpvOpSpecConstantOp);
      if (is_contractible (op) && !fast)
        ck_assert (fixture_is_decorated (result, result->words[at + 2], SpvDecorationNoContraction));
      if ((op == SpvOpConvertFToS || op == SpvOpConvertFToU) && !unchecked)
        {
          const uint32_t *operand = fixture_definition (result, result->words[at + 3]);
          ck_assert_uint_eq (operand[0] & SpvOpCodeMask, SpvOpSelect);
        }
      ck_assert_msg (op != SpvOpSRem && op != SpvOpSMod, "a remainder that Vulkan leaves undefined");
    }
  if (!fast)
    ck_assert_uint_eq (fixture_count_decoration (result, SpvDecorationNoContraction), n_contractible);
  bool all_fast = true;
  gb_list_for_each (function, &fixture->module->functions, struct xir_function, link)
    all_fast = all_fast && function->fast_math;
  const uint32_t *mode = fixture_find (result, SpvOpExecutionMode, 2, SpvExecutionModeSignedZeroInfNanPreserve);
  ck_assert_int_eq (mode != NULL, !all_fast);
  mode = fixture_find (result, SpvOpExecutionMode, 2, SpvExecutionModeRoundingModeRTE);
  ck_assert_int_eq (mode != NULL, !all_fast);
}

START_TEST (test_matrix)
{
  enum xir_op op = (enum xir_op) _i;
  for (int mode = 0; mode < 4; mode++)
    {
      struct fixture fixture;
      fixture_init (&fixture);
      fixture.kernel->fast_math = (mode & 1) != 0;
      fixture.kernel->unchecked = (mode & 2) != 0;
      build_op (&fixture, op);
      if (!xir_builder_terminated (&fixture.builder))
        xir_build_return (&fixture.builder, NULL);
      ck_assert_msg (contains (&fixture, op), "the matrix has no case for %s", xir_op_info (op)->mnemonic);
      struct spirv_result result;
      fixture_compile (&fixture, &fixture_options, &result);
      /* The pow_int function decorates its products whatever the mode. */
      if (op != XIR_OP_POW_INT || !fixture.kernel->fast_math)
        check_words (&fixture, &result);
      spirv_result_clear (&result);
      fixture_compile_all (&fixture);
      fixture_clear (&fixture);
    }
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("spirv opcodes");
  TCase *test_case = gb_test_case (suite, "matrix");
  tcase_add_loop_test (test_case, test_matrix, 0, XIR_N_OPS);
  return suite;
}

GB_TEST_MAIN (make_suite)
