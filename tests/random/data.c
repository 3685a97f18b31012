/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/data.h"
#include "tests/random/generate.h"

#include <math.h>
#include <string.h>

#define GUARD 3                     /* elements behind each output */

struct filling
{
  struct dice dice;
  guint8 *bytes;
};

static const guint32 edge_words[] = {
  0, 1, 2, 3, 4, 5, 7, 31, 32, 33, 63, 64, 255, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0xfffffff8, 0x55555555, 0x00010000,
};

static const float edge_floats[] = {
  0.0f, -0.0f, 0.5f, -0.5f, 1.0f, -1.0f, 1.5f, 2.5f, -2.5f, 3.0f, -7.25f, 100.75f, 8388607.5f, -8388609.0f, 2147483520.0f, 2147483648.0f,
  -2147483648.0f, 4294967040.0f, 4294967296.0f, 1e10f, -1e10f, 3.4e38f, -3.4e38f, (float) INFINITY, (float) -INFINITY, (float) NAN, 16777216.0f,
};

/* An edge of 32 bits as it is, at the top of 64 bits, or with its sign spread. */
static guint64
random_edge (struct dice *dice, guint bits)
{
  guint64 edge = edge_words[dice_below (dice, G_N_ELEMENTS (edge_words))];
  guint choice = bits < 64 ? 0 : dice_below (dice, 3);
  return choice == 0 ? edge : choice == 1 ? edge << 32 : (guint64) (gint64) (gint32) (guint32) edge;
}

static const double edge_halves[] = { 0, -0.0, 0.5, -0.5, 1, -1, 1.5, 2.5, -7.25, 100.75, 1023.5, -2048, 65504, -65504, INFINITY, -INFINITY, NAN };

/* Multiples of two to the GRAIN_INPUT, as halves have it. */
static double
random_half (struct dice *dice)
{
  if (dice_percent (dice, 35))
    return edge_halves[dice_below (dice, G_N_ELEMENTS (edge_halves))];
  return ((double) dice_below (dice, 4096) - 2048) / 4;
}

static double
random_double (struct dice *dice)
{
  if (dice_percent (dice, 35))
    return edge_floats[dice_below (dice, G_N_ELEMENTS (edge_floats))];
  if (dice_percent (dice, 25))
    return (double) (gint32) dice_below (dice, 40) - 20;
  return ldexp ((double) ((gint64) dice_next (dice) >> 11), GRAIN_INPUT);
}

static guint64
random_word (struct dice *dice, enum scalar scalar)
{
  float number;

  switch (scalar_infos[scalar].family)
    {
    case FAMILY_BOOL:
      /* What is not 0 is true. */
      return dice_percent (dice, 20) ? dice_next (dice) : dice_below (dice, 2);
    case FAMILY_STORED:
      /* All numbers that FP8 has. */
      if (scalar_infos[scalar].bits == 8)
        return dice_next (dice);
      return scalar_bits (scalar, random_double (dice));
    case FAMILY_FLOAT:
      if (scalar != SCALAR_FLOAT)
        return scalar_bits (scalar, scalar == SCALAR_HALF ? random_half (dice) : random_double (dice));
      /* Multiples of two to the GRAIN_INPUT. */
      number = ldexpf ((float) (gint32) (dice_next (dice) >> 40) - 8388608.0f, GRAIN_INPUT);
      if (dice_percent (dice, 25))
        number = (float) ((gint32) dice_below (dice, 40) - 20);
      if (dice_percent (dice, 35))
        number = edge_floats[dice_below (dice, G_N_ELEMENTS (edge_floats))];
      return scalar_bits (scalar, number);
    default:
      if (dice_percent (dice, 40))
        return random_edge (dice, scalar_infos[scalar].bits);
      return dice_percent (dice, 50) ? dice_below (dice, 20) : dice_next (dice);
    }
}

static void
fill_leaf (enum scalar scalar, gsize offset, gpointer user_data)
{
  struct filling *filling = user_data;
  guint64 word = random_word (&filling->dice, scalar);
  /* Hosts are little-endian, as devices are. */
  memcpy (filling->bytes + offset, &word, scalar_infos[scalar].bits / 8);
}

static void
fill_background (struct slot *slot)
{
  const guint32 word = BACKGROUND;
  for (gsize i = 0; i < slot->size; i += sizeof word)
    memcpy (slot->bytes + i, &word, MIN (sizeof word, slot->size - i));
}

static void
add_slot (struct data *data, struct slot *slot)
{
  slot->bytes = g_malloc0 (slot->size);
  if (slot_is_output (slot))
    {
      fill_background (slot);
      data->output_size += slot->size;
    }
  g_array_append_val (data->slots, *slot);
}

static void
add_words (struct data *data, const char *name, enum role role, guint length)
{
  struct slot slot = { .role = role, .length = length, .whole = length + GUARD, .size = sizeof (guint32) * (length + GUARD) };
  g_strlcpy (slot.name, name, sizeof slot.name);
  add_slot (data, &slot);
}

static gboolean
is_bytes (enum role role)
{
  return role == ROLE_INPUT_BYTES || role == ROLE_OUTPUT_BYTES;
}

static void
set_lengths (struct slot *slot, const struct kernel *kernel)
{
  const struct variable *parameter = slot->variable;
  guint guard = GUARD, all = kernel_n_threads (kernel);

  slot->first = parameter->view_offset;
  switch (slot->role)
    {
    case ROLE_INPUT_BUFFER:
      all = 1;
      slot->length = N_INPUTS;
      break;
    case ROLE_INPUT_BYTES:
      all = N_INPUTS;
      G_GNUC_FALLTHROUGH;
    case ROLE_OUTPUT_BYTES:
      slot->first *= sizeof (guint32);
      guard = GUARD * sizeof (guint32);
      G_GNUC_FALLTHROUGH;
    default:
      slot->length = parameter->length;
      break;
    }
  if (slot->role == ROLE_TOTALS)
    all = 1;
  slot->length *= all;
  slot->whole = slot->first + slot->length + guard;
}

/* A bool by value, or a vector of them, travels as words. */
static void
fill_flags (struct slot *slot, struct dice *dice)
{
  for (gsize i = 0; i + sizeof (guint32) <= slot->size; i += sizeof (guint32))
    slot->bytes[i] = (guint8) dice_below (dice, 2);
}

/* Records, and between their cells anything. */
static void
fill_bytes (struct slot *slot, struct filling *filling)
{
  const struct variable *bytes = slot->variable;

  for (gsize i = 0; i < slot->size; i++)
    slot->bytes[i] = (guint8) dice_next (&filling->dice);
  for (guint at = slot->first; at + bytes->length <= slot->first + slot->length; at += bytes->length)
    for (guint i = 0; i < bytes->n_cells; i++)
      {
        filling->bytes = slot->bytes + at + bytes->cells[i].offset;
        type_each_leaf (bytes->cells[i].type, 0, fill_leaf, filling);
      }
}

static void
add_parameter (struct data *data, const struct kernel *kernel, const struct variable *parameter, guint number)
{
  gsize element = type_size (parameter->type);
  struct slot slot = { .variable = parameter, .role = parameter->role };
  gboolean is_flag = parameter->role == ROLE_VALUE && parameter->type->kind == TYPE_VALUE && parameter->type->scalar == SCALAR_BOOL;
  guint n = parameter->role == ROLE_VALUE ? 1 : IMAGE_TEXELS;

  g_strlcpy (slot.name, parameter->name, sizeof slot.name);
  if (parameter->role == ROLE_INPUT_BUFFER || parameter->role == ROLE_OUTPUT_BUFFER || parameter->role == ROLE_TOTALS || is_bytes (slot.role))
    {
      set_lengths (&slot, kernel);
      n = slot.whole;
    }
  slot.size = element * n * (is_flag ? sizeof (guint32) : 1);
  add_slot (data, &slot);
  if (slot_is_output (&slot) || parameter->is_plain)
    return;
  struct filling filling = { dice_new (kernel->seed, 1000 + number), slot.bytes };
  if (is_flag)
    fill_flags (&slot, &filling.dice);
  else if (is_bytes (slot.role))
    fill_bytes (&slot, &filling);
  else
    for (guint i = 0; i < n; i++, filling.bytes += element)
      type_each_leaf (parameter->type, 0, fill_leaf, &filling);
}

/* A vector of bits for each thread. */
static void
add_conditions (struct data *data, const struct kernel *kernel, guint n_threads)
{
  struct slot slot = { .name = "conditions", .role = ROLE_INPUT_BUFFER, .length = n_threads, .whole = n_threads };
  struct dice dice = dice_new (kernel->seed, 999);
  guint32 *words;

  slot.size = sizeof *words * N_CONDITIONS * n_threads;
  add_slot (data, &slot);
  words = (guint32 *) g_array_index (data->slots, struct slot, data->slots->len - 1).bytes;
  for (guint i = 0; i < N_CONDITIONS * n_threads; i++)
    words[i] = (guint32) dice_next (&dice);
}

struct data *
data_new (const struct kernel *kernel)
{
  struct data *data = g_new0 (struct data, 1);
  guint n_threads = kernel_n_threads (kernel);

  data->slots = g_array_new (FALSE, TRUE, sizeof (struct slot));
  if (kernel->kind == KERNEL_FLOW)
    {
      add_words (data, "trace", ROLE_OUTPUT_BUFFER, n_threads * kernel->trace_size);
      add_conditions (data, kernel, n_threads);
    }
  else if (kernel->record_size > 0)
    add_words (data, "records", ROLE_OUTPUT_BUFFER, n_threads * kernel->record_size);
  for (guint i = 0; i < kernel->parameters->len; i++)
    {
      const struct variable *parameter = kernel->parameters->pdata[i];
      if (!parameter->removed)
        add_parameter (data, kernel, parameter, i);
    }
  return data;
}

void
data_free (struct data *data)
{
  for (guint i = 0; i < data->slots->len; i++)
    g_free (g_array_index (data->slots, struct slot, i).bytes);
  g_array_unref (data->slots);
  g_free (data);
}

gboolean
slot_is_output (const struct slot *slot)
{
  return slot->role == ROLE_OUTPUT_BUFFER || slot->role == ROLE_OUTPUT_IMAGE || slot->role == ROLE_TOTALS || slot->role == ROLE_OUTPUT_BYTES;
}

const guint32 *
data_conditions (const struct data *data)
{
  return (const guint32 *) g_array_index (data->slots, struct slot, 1).bytes;
}
