/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/slab.h"

#include <string.h>

#include "lib/checked.h"

/* Freed objects stay in pages that malloc sees as live, so the address
 * sanitizer has to be told about them. */
#if defined (__SANITIZE_ADDRESS__)
#define SLAB_POISONING 1
#elif defined (__has_feature)
#if __has_feature (address_sanitizer)
#define SLAB_POISONING 1
#endif
#endif

#ifdef SLAB_POISONING
#include <sanitizer/asan_interface.h>
#define POISON(address, size)   __asan_poison_memory_region (address, size)
#define UNPOISON(address, size) __asan_unpoison_memory_region (address, size)
#else
#define POISON(address, size)   ((void) (address), (void) (size))
#define UNPOISON(address, size) ((void) (address), (void) (size))
#endif

#define OBJECT_ALIGNMENT         16u
#define SMALLEST_PAGE            ((gsize) 16 * 1024)
#define FEWEST_OBJECTS_PER_PAGE  8u

struct free_object
{
  struct free_object *next;
};

/* At the start of each page; pages are aligned to their size, so that the page
 * of an object is found by masking its address. Objects from `n_started` on
 * have never been handed out and are not on the free list. */
struct page
{
  struct gb_list link;
  struct free_object *free_objects;
  guint n_live;
  guint n_started;
};

#define PAGE_HEADER GB_ALIGN_UP (sizeof (struct page), OBJECT_ALIGNMENT)

static gsize
page_bytes (gsize object_size)
{
  gsize wanted = PAGE_HEADER + object_size * FEWEST_OBJECTS_PER_PAGE;
  gsize bytes = SMALLEST_PAGE;

  while (bytes < wanted)
    bytes *= 2;
  return bytes;
}

void
gb_slab_init (struct gb_slab *slab,
              gsize object_size)
{
  g_return_if_fail (object_size > 0 && object_size <= G_MAXINT32);

  slab->object_size = GB_ALIGN_UP (object_size, OBJECT_ALIGNMENT);
  slab->objects_per_page
    = (guint) ((page_bytes (slab->object_size) - PAGE_HEADER) / slab->object_size);
  gb_list_init (&slab->pages_free);
  gb_list_init (&slab->pages_full);
  slab->n_objects = 0;
  slab->n_pages = 0;
}

static char *
page_object (const struct gb_slab *slab,
             struct page *page,
             guint number)
{
  return (char *) page + PAGE_HEADER + number * slab->object_size;
}

static void
release_page (struct gb_slab *slab,
              struct page *page)
{
  UNPOISON (page, page_bytes (slab->object_size));
  gb_list_remove (&page->link);
  g_aligned_free (page);
  slab->n_pages--;
}

void
gb_slab_clear (struct gb_slab *slab)
{
  gb_list_splice (&slab->pages_free, &slab->pages_full);
  while (!gb_list_is_empty (&slab->pages_free))
    release_page (slab, gb_list_first (&slab->pages_free, struct page, link));
  slab->n_objects = 0;
}

static struct page *
new_page (struct gb_slab *slab)
{
  gsize bytes = page_bytes (slab->object_size);
  struct page *page = g_aligned_alloc (1, bytes, bytes);

  page->free_objects = NULL;
  page->n_live = 0;
  page->n_started = 0;
  gb_list_prepend (&slab->pages_free, &page->link);
  slab->n_pages++;
  POISON (page_object (slab, page, 0), bytes - PAGE_HEADER);
  return page;
}

gpointer
gb_slab_alloc (struct gb_slab *slab)
{
  struct page *page = gb_list_first (&slab->pages_free, struct page, link);
  gpointer object;

  if (page == NULL)
    page = new_page (slab);

  if (page->free_objects != NULL)
    {
      object = page->free_objects;
      UNPOISON (object, slab->object_size);
      page->free_objects = page->free_objects->next;
    }
  else
    {
      object = page_object (slab, page, page->n_started++);
      UNPOISON (object, slab->object_size);
    }

  page->n_live++;
  slab->n_objects++;
  if (page->n_live == slab->objects_per_page)
    {
      gb_list_remove (&page->link);
      gb_list_append (&slab->pages_full, &page->link);
    }
  return memset (object, 0, slab->object_size);
}

/* The one empty page that is kept stands at the end of the list, so that it is
 * used last and found at once. */
static void
page_became_empty (struct gb_slab *slab,
                   struct page *page)
{
  struct page *last;

  gb_list_remove (&page->link);
  last = gb_list_last (&slab->pages_free, struct page, link);
  if (last != NULL && last->n_live == 0)
    release_page (slab, page);
  else
    gb_list_append (&slab->pages_free, &page->link);
}

void
gb_slab_free (struct gb_slab *slab,
              gpointer object)
{
  struct free_object *freed = object;
  struct page *page;

  if (object == NULL)
    return;

  page = (struct page *) ((guintptr) object & ~((guintptr) page_bytes (slab->object_size) - 1));
  if (page->n_live == slab->objects_per_page)
    {
      gb_list_remove (&page->link);
      gb_list_prepend (&slab->pages_free, &page->link);
    }

  freed->next = page->free_objects;
  page->free_objects = freed;
  POISON (object, slab->object_size);
  page->n_live--;
  slab->n_objects--;
  if (page->n_live == 0)
    page_became_empty (slab, page);
}
