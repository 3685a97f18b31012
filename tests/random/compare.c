/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/bounds.h"
#include "tests/random/check.h"

#include <math.h>
#include <string.h>

struct comparison
{
  const struct slot *slot;
  const guint8 *left, *right;            /* of one element */
  guint element;
  char *difference;
};

/* Bits, but that a NaN is a NaN, and a zero a zero where its sign is not promised. */
static gboolean
is_same (enum scalar scalar, guint64 a, guint64 b, gboolean strict)
{
  double left, right;

  if (a == b)
    return TRUE;
  if (!scalar_is_float (scalar))
    return FALSE;
  left = scalar_value (scalar, a);
  right = scalar_value (scalar, b);
  return (isnan (left) && isnan (right)) || (!strict && left == 0 && right == 0);
}

static void
compare_leaf (enum scalar scalar, gsize offset, gpointer user_data)
{
  struct comparison *comparison = user_data;
  const struct variable *variable = comparison->slot->variable;
  guint digits = scalar_infos[scalar].bits / 4;
  guint64 left = 0, right = 0;

  /* Hosts are little-endian, as devices are. */
  memcpy (&left, comparison->left + offset, scalar_infos[scalar].bits / 8);
  memcpy (&right, comparison->right + offset, scalar_infos[scalar].bits / 8);
  if (comparison->difference != NULL)
    return;
  if (scalar_is_denormal (scalar, left))
    comparison->difference = g_strdup_printf ("%s[%u] is a denormal: the generator has failed", comparison->slot->name, comparison->element);
  if (comparison->difference != NULL || is_same (scalar, left, right, variable->promise.strict))
    return;
  comparison->difference = g_strdup_printf ("%s[%u], byte %u: 0x%0*" G_GINT64_MODIFIER "x (%.9g), 0x%0*" G_GINT64_MODIFIER "x (%.9g)",
                                            comparison->slot->name, comparison->element, (guint) offset, (int) digits, left,
                                            scalar_value (scalar, left), (int) digits, right, scalar_value (scalar, right));
}

struct rest
{
  const guint8 *before;
  guint8 *bytes;
};

static void
take_leaf (enum scalar scalar, gsize offset, gpointer user_data)
{
  const struct rest *rest = user_data;
  memcpy (rest->bytes + offset, rest->before + offset, scalar_infos[scalar].bits / 8);
}

/* Records of a byte buffer. What lies between their cells has stayed as it was. */
static void
compare_bytes (struct comparison *comparison, const guint8 *left, const guint8 *right)
{
  const struct slot *slot = comparison->slot;
  const struct variable *bytes = slot->variable;
  guint8 *rest[2] = { g_memdup2 (left, slot->size), g_memdup2 (right, slot->size) };
  guint n = slot->length / bytes->length;

  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < bytes->n_cells; i++)
      {
        const struct cell *cell = &bytes->cells[i];
        gsize at = slot->first + k * bytes->length + cell->offset;
        comparison->left = left + at;
        comparison->right = right + at;
        comparison->element = (guint) at;
        type_each_leaf (cell->type, 0, compare_leaf, comparison);
        for (guint side = 0; side < 2; side++)
          {
            struct rest of = { slot->bytes + at, rest[side] + at };
            type_each_leaf (cell->type, 0, take_leaf, &of);
          }
      }
  for (gsize i = 0; i < slot->size && comparison->difference == NULL; i++)
    if (rest[0][i] != slot->bytes[i] || rest[1][i] != slot->bytes[i])
      comparison->difference = g_strdup_printf ("%s: byte %" G_GSIZE_FORMAT ", which nothing writes, is 0x%02x, 0x%02x", slot->name, i, rest[0][i], rest[1][i]);
  g_free (rest[0]);
  g_free (rest[1]);
}

char *
compare_outputs (const struct data *data, const guint8 *left, const guint8 *right)
{
  struct comparison comparison = { .left = left, .right = right };

  for (guint i = 0; i < data->slots->len; i++)
    {
      const struct slot *slot = &g_array_index (data->slots, struct slot, i);
      if (!slot_is_output (slot))
        continue;
      comparison.slot = slot;
      if (slot->role == ROLE_OUTPUT_BYTES)
        compare_bytes (&comparison, left, right);
      else if (slot->variable != NULL)
        {
          gsize element = type_size (slot->variable->type);
          for (guint k = 0; k < slot->size / element; k++)
            {
              comparison.left = left + k * element;
              comparison.right = right + k * element;
              comparison.element = k;
              type_each_leaf (slot->variable->type, 0, compare_leaf, &comparison);
            }
        }
      if (comparison.difference != NULL)
        return comparison.difference;
      left += slot->size;
      right += slot->size;
    }
  return NULL;
}

/* What was printed, of which order and text are defined. */
char *
compare_lines (const char *left, const char *right)
{
  char **lefts, **rights, *difference = NULL;

  if (strcmp (left, right) == 0)
    return NULL;
  lefts = g_strsplit (left, "\n", -1);
  rights = g_strsplit (right, "\n", -1);
  for (guint i = 0; difference == NULL; i++)
    if (g_strcmp0 (lefts[i], rights[i]) != 0)
      difference = g_strdup_printf ("line %u is “%s”, “%s”", i, lefts[i] != NULL ? lefts[i] : "", rights[i] != NULL ? rights[i] : "");
  g_strfreev (lefts);
  g_strfreev (rights);
  return difference;
}

/* Bounded operations. */

static float
float_at (const guint8 *words, guint index)
{
  float number;
  memcpy (&number, words + index * sizeof number, sizeof number);
  return number;
}

static gboolean
is_of_matrices (const struct expression *operation)
{
  return operation->type->kind == TYPE_MATRIX || operation->operands[0]->type->kind == TYPE_MATRIX
         || (operation->n_operands > 1 && operation->operands[1]->type->kind == TYPE_MATRIX);
}

static char *
check_matrices (const struct expression *operation, const float operands[3][16], guint lane, float result)
{
  struct bounds_matrix matrices[2] = { { NULL, 0, FALSE }, { NULL, 0, FALSE } };

  for (guint i = 0; i < operation->n_operands; i++)
    {
      const struct type *type = operation->operands[i]->type;
      gboolean is_vector = type->kind != TYPE_MATRIX;
      matrices[i] = (struct bounds_matrix) { operands[i], is_vector ? type->lanes : type->length, is_vector };
    }
  return bounds_check_matrix ((guint) operation->bits, matrices, lane, result);
}

/* The words of one thread at the record. */
static char *
compare_record (const struct record *record, const guint8 *words)
{
  const struct expression *operation = record->operation;
  float operands[3][16] = { { 0 } };
  guint at = record->first, lanes = type_count_numbers (operation->type), most = lanes, results = at + 1;

  if (float_at (words, at) != 1)
    return NULL;
  at += 1 + lanes;
  for (guint i = 0; i < operation->n_operands; i++)
    {
      guint n = type_count_numbers (operation->operands[i]->type);
      most = MAX (most, n);
      for (guint lane = 0; lane < n; lane++)
        operands[i][lane] = float_at (words, at++);
    }
  for (guint lane = 0; lane < lanes; lane++)
    {
      const float (*of)[16] = (const float (*)[16]) operands;
      float result = float_at (words, results + lane);
      char *right = is_of_matrices (operation) ? check_matrices (operation, of, lane, result)
                    : bounds_check ((guint) operation->bits, operation->type->scalar == SCALAR_HALF, most, lane, of, result);
      char *all;
      if (right == NULL)
        continue;
      all = g_strdup_printf ("%s of (%.9g, %.9g, %.9g) in lane %u is %.9g, not %s", operation->text, operands[0][lane], operands[1][lane],
                             operands[2][lane], lane, result, right);
      g_free (right);
      return all;
    }
  return NULL;
}

char *
compare_records (const struct kernel *kernel, const struct data *data, const guint8 *outputs)
{
  const struct slot *slot = &g_array_index (data->slots, struct slot, 0);
  char *difference = NULL;

  if (kernel->kind != KERNEL_VALUES || kernel->record_size == 0 || strcmp (slot->name, "records") != 0)
    return NULL;
  for (guint thread = 0; thread < kernel_n_threads (kernel) && difference == NULL; thread++)
    for (guint i = 0; i < kernel->records->len && difference == NULL; i++)
      difference = compare_record (kernel->records->pdata[i], outputs + (gsize) thread * kernel->record_size * sizeof (float));
  return difference;
}

/* Paths. */

static char *
print_path (const guint32 *path, guint n)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < n && i < 24; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? " " : "", path[i]);
  if (n > 24)
    g_string_append (text, " …");
  return g_string_free (text, FALSE);
}

/* `expected`: of each thread its path, which is as long as the trace; what was not written is as it was before. */
char *
compare_traces (const struct kernel *kernel, const struct data *data, const guint8 *outputs, guint32 *const *expected)
{
  const guint32 *before = (const guint32 *) g_array_index (data->slots, struct slot, 0).bytes;
  guint size = kernel->trace_size;

  for (guint thread = 0; thread < kernel_n_threads (kernel); thread++)
    {
      const guint32 *path = (const guint32 *) outputs + (gsize) thread * size;
      guint n = 0, n_expected = 0;
      char *is, *should, *difference;
      if (memcmp (path, expected[thread], size * sizeof *path) == 0)
        continue;
      while (n < size && path[n] != before[0])
        n++;
      while (n_expected < size && expected[thread][n_expected] != before[0])
        n_expected++;
      is = print_path (path, n);
      should = print_path (expected[thread], n_expected);
      difference = g_strdup_printf ("thread %u goes %s, not %s", thread, is, should);
      g_free (is);
      g_free (should);
      return difference;
    }
  return NULL;
}
