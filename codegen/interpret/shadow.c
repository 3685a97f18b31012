/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which bytes have been written. The host may mark and copy while a dispatch runs, so words of bits are
 * changed by atomic operations; no order between them is needed, since whoever writes beside a dispatch has
 * no right to know what it sees. */

#include "config.h"

#include "codegen/interpret/check-private.h"

#include "lib/checked.h"

#define WORD_BITS 64

static uint64_t *
load_bits (const struct check_memory *memory)
{
  return __atomic_load_n (&memory->bits, __ATOMIC_ACQUIRE);
}

/* `n` bits of which the lowest is that of `offset`; at most 64, all of them in the memory. */
static uint64_t
get_bits (const uint64_t *bits, uint64_t offset, uint32_t n)
{
  const uint64_t *word = bits + offset / WORD_BITS;
  uint32_t shift = offset % WORD_BITS;
  uint64_t value = __atomic_load_n (word, __ATOMIC_RELAXED) >> shift;

  if (shift + n > WORD_BITS)
    value |= __atomic_load_n (word + 1, __ATOMIC_RELAXED) << (WORD_BITS - shift);
  return value & (UINT64_MAX >> (WORD_BITS - n));
}

/* The bits of `mask` in one word become those of `value`. Most are so already, and reading is cheaper. */
static void
change_word (uint64_t *word, uint64_t mask, uint64_t value)
{
  uint64_t now = __atomic_load_n (word, __ATOMIC_RELAXED);

  if ((mask & value) & ~now)
    __atomic_fetch_or (word, mask & value, __ATOMIC_RELAXED);
  if ((mask & ~value) & now)
    __atomic_fetch_and (word, ~(mask & ~value), __ATOMIC_RELAXED);
}

static void
put_bits (uint64_t *bits, uint64_t offset, uint32_t n, uint64_t value)
{
  uint64_t *word = bits + offset / WORD_BITS;
  uint32_t shift = offset % WORD_BITS;
  uint64_t mask = UINT64_MAX >> (WORD_BITS - n);

  change_word (word, mask << shift, value << shift);
  if (shift + n > WORD_BITS)
    change_word (word + 1, mask >> (WORD_BITS - shift), value >> (WORD_BITS - shift));
}

static void
fill_bits (uint64_t *bits, uint64_t offset, uint64_t size, uint64_t value)
{
  while (size > 0)
    {
      uint32_t n = MIN (size, WORD_BITS - offset % WORD_BITS);
      if (n == WORD_BITS)
        __atomic_store_n (bits + offset / WORD_BITS, value, __ATOMIC_RELAXED);
      else
        put_bits (bits, offset, n, value);
      offset += n;
      size -= n;
    }
}

static bool
make_bits (struct check_memory *memory, bool initialised)
{
  uint64_t n_words = memory->size / WORD_BITS + 2;
  uint64_t *bits = n_words <= G_MAXSIZE / sizeof *bits ? g_try_malloc0 (n_words * sizeof *bits) : NULL;
  uint64_t *none = NULL;

  if (bits == NULL)
    return false;
  if (initialised)
    fill_bits (bits, 0, memory->size, UINT64_MAX);
  if (!__atomic_compare_exchange_n (&memory->bits, &none, bits, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    g_free (bits);
  return true;
}

struct check_memory *
check_memory_new (struct check *check, enum check_storage storage, uint64_t size, bool initialised)
{
  struct check_memory *memory = g_new0 (struct check_memory, 1);

  memory->check = check;
  memory->storage = storage;
  memory->size = size;
  if (!initialised && !make_bits (memory, false))
    {
      g_free (memory);
      return NULL;
    }
  g_mutex_lock (&check->lock);
  gb_list_append (&check->memories, &memory->link);
  g_mutex_unlock (&check->lock);
  return memory;
}

void
check_memory_free (struct check_memory *memory)
{
  struct check *check;

  if (memory == NULL)
    return;
  check = memory->check;
  g_mutex_lock (&check->lock);
  gb_list_remove (&memory->link);
  shadow_drop_pages (memory);
  g_mutex_unlock (&check->lock);
  g_free (memory->bits);
  g_free (memory);
}

void
check_memory_set_label (struct check_memory *memory, const char *label)
{
  g_mutex_lock (&memory->check->lock);
  memory->label = label != NULL ? g_string_chunk_insert_const (memory->check->strings, label) : NULL;
  g_mutex_unlock (&memory->check->lock);
}

static uint64_t
cut (const struct check_memory *memory, uint64_t offset, uint64_t size)
{
  return offset < memory->size ? MIN (size, memory->size - offset) : 0;
}

bool
shadow_is_initialised (const struct check_memory *memory, uint64_t offset, uint64_t size)
{
  const uint64_t *bits = load_bits (memory);

  if (bits == NULL)
    return true;
  while (size > 0)
    {
      uint32_t n = MIN (size, WORD_BITS);
      if (get_bits (bits, offset, n) != UINT64_MAX >> (WORD_BITS - n))
        return false;
      offset += n;
      size -= n;
    }
  return true;
}

void
shadow_set_initialised (struct check_memory *memory, uint64_t offset, uint64_t size)
{
  uint64_t *bits = load_bits (memory);

  if (bits == NULL)
    return;
  if (size <= WORD_BITS)
    put_bits (bits, offset, size, UINT64_MAX);
  else
    fill_bits (bits, offset, size, UINT64_MAX);
}

bool
check_memory_is_initialised (const struct check_memory *memory, uint64_t offset, uint64_t size)
{
  return shadow_is_initialised (memory, offset, cut (memory, offset, size));
}

void
check_memory_initialise (struct check_memory *memory, uint64_t offset, uint64_t size)
{
  size = cut (memory, offset, size);
  if (size > 0)
    shadow_set_initialised (memory, offset, size);
}

/* Without memory for the bits all stays initialised: a fault may be missed, none is made up. */
void
check_memory_uninitialise (struct check_memory *memory, uint64_t offset, uint64_t size)
{
  size = cut (memory, offset, size);
  if (size > 0 && (load_bits (memory) != NULL || make_bits (memory, true)))
    fill_bits (load_bits (memory), offset, size, 0);
}

void
check_memory_copy (struct check_memory *to, uint64_t to_offset, const struct check_memory *from, uint64_t from_offset,
                   uint64_t size)
{
  const uint64_t *source = from != NULL ? load_bits (from) : NULL;
  uint64_t *target;
  uint64_t done = 0;
  bool backwards = to == from && to_offset > from_offset;

  size = cut (to, to_offset, size);
  if (source != NULL)
    size = cut (from, from_offset, size);
  if (source == NULL || shadow_is_initialised (from, from_offset, size))
    {
      check_memory_initialise (to, to_offset, size);
      return;
    }
  if (load_bits (to) == NULL && !make_bits (to, true))
    return;
  target = load_bits (to);
  while (done < size)
    {
      uint32_t n = MIN (size - done, WORD_BITS);
      uint64_t at = backwards ? size - done - n : done;
      put_bits (target, to_offset + at, n, get_bits (source, from_offset + at, n));
      done += n;
    }
}
