/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who touched what last. Two accesses of one byte in one dispatch by different threads, one of them a
 * write, not both atomic, are a race if they are in different workgroups, or in one with no barrier between.
 *
 * For each cell there are the last plain write, and three plain reads and three atomic accesses, chosen so
 * that an access which races with any earlier one also races with one that is kept. What can be missed:
 *
 *   - of several accesses that race with the one at hand, all but those kept: the others are in no
 *     report if it is by other lines;
 *   - a write that was followed by another one that raced with it: it is forgotten, but the race between
 *     the two has been reported;
 *   - where workgroups run side by side, the second thread of a section that is no longer the latest;
 *   - accesses for which there is no memory left (a note says so).
 *
 * Nothing that is no race is reported: what is kept has happened, and covered all bytes of its cell. */

#include "config.h"

#include "codegen/interpret/check-private.h"

#include <string.h>

/* Cells of a page at a shift. */
static uint64_t
n_cells (uint32_t shift)
{
  return SHADOW_PAGE_SIZE >> shift;
}

static void *
take (struct check_run *run, uint64_t n, gsize size)
{
  uint64_t *used = &run->check->shadow_bytes;
  void *block = __atomic_load_n (used, __ATOMIC_RELAXED) + n * size <= SHADOW_LIMIT ? g_try_malloc0_n (n, size) : NULL;

  if (block == NULL)
    run->exhausted = true;
  else
    __atomic_fetch_add (used, n * size, __ATOMIC_RELAXED);
  return block;
}

static void
give (struct check *check, void *block, uint64_t n, gsize size)
{
  if (block != NULL)
    __atomic_fetch_sub (&check->shadow_bytes, n * size, __ATOMIC_RELAXED);
  g_free (block);
}

static void
clear_page (struct check *check, struct shadow_page *page)
{
  give (check, page->cells, n_cells (page->shift), sizeof *page->cells);
  give (check, page->atomics, n_cells (page->shift), sizeof *page->atomics);
  page->cells = NULL;
  page->atomics = NULL;
}

static uint64_t
n_pages (const struct check_memory *memory)
{
  return memory->size / SHADOW_PAGE_SIZE + 1;
}

void
shadow_drop_pages (struct check_memory *memory)
{
  if (memory->pages == NULL)
    return;
  for (uint64_t i = 0; i < n_pages (memory); i++)
    clear_page (memory->check, &memory->pages[i]);
  give (memory->check, memory->pages, n_pages (memory), sizeof *memory->pages);
  memory->pages = NULL;
}

/* Cells become smaller, each part with what the whole knew. */
static bool
split_page (struct check_run *run, struct shadow_page *page, uint32_t shift)
{
  struct shadow_page parts = { .shift = shift };
  uint32_t down = page->shift - shift;

  parts.cells = take (run, n_cells (shift), sizeof *parts.cells);
  if (page->atomics != NULL)
    parts.atomics = take (run, n_cells (shift), sizeof *parts.atomics);
  if (parts.cells == NULL || (page->atomics != NULL && parts.atomics == NULL))
    {
      clear_page (run->check, &parts);
      return false;
    }
  for (uint64_t i = 0; i < n_cells (shift); i++)
    {
      parts.cells[i] = page->cells[i >> down];
      if (parts.atomics != NULL)
        parts.atomics[i] = page->atomics[i >> down];
    }
  clear_page (run->check, page);
  *page = parts;
  return true;
}

/* The page of an access that lies in one, ready for it. NULL: no memory. */
static struct shadow_page *
prepare_page (struct check_run *run, struct check_memory *memory, uint64_t offset, uint32_t size, bool atomic)
{
  struct shadow_page *page;
  uint32_t fit = MIN (SHADOW_MAX_SHIFT, __builtin_ctzll (offset | size));

  if (memory->pages == NULL)
    memory->pages = take (run, n_pages (memory), sizeof *memory->pages);
  if (memory->pages == NULL)
    return NULL;
  page = &memory->pages[offset / SHADOW_PAGE_SIZE];
  if (page->cells == NULL)
    {
      page->shift = fit;
      page->cells = take (run, n_cells (fit), sizeof *page->cells);
    }
  else if (fit < page->shift && !split_page (run, page, fit))
    return NULL;
  if (page->cells != NULL && atomic && page->atomics == NULL)
    {
      page->atomics = take (run, n_cells (page->shift), sizeof *page->atomics);
      if (page->atomics == NULL)
        return NULL;
    }
  return page->cells != NULL ? page : NULL;
}

static uint32_t
group_of (const struct check_run *run, uint64_t section)
{
  return g_array_index (run->section_groups, uint32_t, section - run->first_section);
}

/* One access, as it is compared and kept. */
struct access
{
  struct check_run *run;
  struct check_memory *memory;
  uint64_t offset;
  uint32_t size;
  enum check_access access;
  const struct check_thread *thread;
  const struct check_site *site;
  uint64_t section;
  shadow_stamp stamp;
};

static bool
conflicts (const struct access *a, shadow_stamp earlier)
{
  uint64_t section = shadow_stamp_section (earlier);

  if (section < a->run->first_section)
    return false;
  if (section == a->section)
    return shadow_stamp_thread (earlier) != a->thread->index;
  /* Shared memory of other workgroups is another one, though it may be in the same place. */
  return a->memory->storage != CHECK_STORAGE_SHARED && group_of (a->run, section) != a->thread->group->number;
}

static void
compare (const struct access *a, shadow_stamp earlier, enum check_access how)
{
  struct check_other other;
  uint32_t site = shadow_stamp_site (earlier);

  if (!conflicts (a, earlier))
    return;
  other.site = site < a->run->info.n_sites ? &a->run->info.sites[site] : NULL;
  other.group = group_of (a->run, shadow_stamp_section (earlier));
  other.thread = shadow_stamp_thread (earlier);
  other.access = how;
  check_fault_race (a->run, a->memory, a->offset, a->size, a->access, a->thread, a->site, &other);
}

static void
compare_class (const struct access *a, const struct shadow_class *earlier, enum check_access how)
{
  compare (a, earlier->latest, how);
  compare (a, earlier->second, how);
  compare (a, earlier->elsewhere, how);
}

static void
keep (const struct access *a, struct shadow_class *kept)
{
  uint64_t latest = shadow_stamp_section (kept->latest);

  if (latest == a->section)
    {
      if (shadow_stamp_thread (kept->latest) != a->thread->index && shadow_stamp_section (kept->second) != a->section)
        kept->second = a->stamp;
      return;
    }
  if (latest >= a->run->first_section && group_of (a->run, latest) != a->thread->group->number)
    kept->elsewhere = kept->latest;
  kept->latest = a->stamp;
}

static void
touch (const struct access *a, struct shadow_cell *cell, struct shadow_class *atomics)
{
  switch (a->access)
    {
    case CHECK_READ:
    case CHECK_COPY:
      compare (a, cell->write, CHECK_WRITE);
      if (atomics != NULL)
        compare_class (a, atomics, CHECK_ATOMIC);
      keep (a, &cell->reads);
      break;
    case CHECK_WRITE:
      compare (a, cell->write, CHECK_WRITE);
      compare_class (a, &cell->reads, CHECK_READ);
      if (atomics != NULL)
        compare_class (a, atomics, CHECK_ATOMIC);
      cell->write = a->stamp;
      break;
    case CHECK_ATOMIC:
      compare (a, cell->write, CHECK_WRITE);
      compare_class (a, &cell->reads, CHECK_READ);
      keep (a, atomics);
      break;
    }
}

static void
touch_page (struct access *a, uint64_t offset, uint32_t size)
{
  struct shadow_page *page = prepare_page (a->run, a->memory, offset, size, a->access == CHECK_ATOMIC);
  uint32_t first, last;

  if (page == NULL)
    return;
  first = offset % SHADOW_PAGE_SIZE >> page->shift;
  last = (offset + size - 1) % SHADOW_PAGE_SIZE >> page->shift;
  for (uint32_t i = first; i <= last; i++)
    touch (a, &page->cells[i], page->atomics != NULL ? &page->atomics[i] : NULL);
}

void
shadow_follow (struct check_run *run, struct check_memory *memory, uint64_t offset, uint32_t size,
               enum check_access access, const struct check_thread *thread, const struct check_site *site)
{
  struct access a = { .run = run, .memory = memory, .offset = offset, .size = size, .access = access,
                      .thread = thread, .site = site, .section = thread->group->section };
  uint64_t number = site != NULL ? (uint64_t) (site - run->info.sites) : SHADOW_NO_SITE;

  if (a.section > SHADOW_MAX_SECTION)
    return;
  a.stamp = shadow_stamp_make (a.section, thread->index, number);
  while (size > 0)
    {
      uint32_t n = MIN (size, SHADOW_PAGE_SIZE - offset % SHADOW_PAGE_SIZE);
      touch_page (&a, offset, n);
      offset += n;
      size -= n;
    }
}
