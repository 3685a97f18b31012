/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/undo.h"

struct entry
{
  struct gb_list link;
  gb_undo_func func;            /* NULL marks the start of a group */
  gpointer data;
};

struct gb_undo_group
{
  struct entry entry;
};

void
gb_undo_init (struct gb_undo *undo)
{
  gb_list_init (&undo->entries);
}

static struct entry *
add_entry (struct gb_undo *undo,
           gb_undo_func func,
           gpointer data)
{
  struct gb_undo_group *group = g_new0 (struct gb_undo_group, 1);

  group->entry.func = func;
  group->entry.data = data;
  gb_list_append (&undo->entries, &group->entry.link);
  return &group->entry;
}

void
gb_undo_add (struct gb_undo *undo,
             gb_undo_func func,
             gpointer data)
{
  g_return_if_fail (func != NULL);

  add_entry (undo, func, data);
}

static void
run_entry (struct entry *entry)
{
  gb_undo_func func = entry->func;
  gpointer data = entry->data;

  /* Off the list before it is called, so that it may look at the list. */
  gb_list_remove (&entry->link);
  g_free (entry);
  if (func != NULL)
    func (data);
}

void
gb_undo_run (struct gb_undo *undo)
{
  while (!gb_list_is_empty (&undo->entries))
    run_entry (gb_list_last (&undo->entries, struct entry, link));
}

bool
gb_undo_is_empty (const struct gb_undo *undo)
{
  return gb_list_is_empty (&undo->entries);
}

static struct entry *
find_newest (struct gb_undo *undo,
             gb_undo_func func,
             gpointer data)
{
  for (struct gb_list *link = undo->entries.prev; link != &undo->entries; link = link->prev)
    {
      struct entry *entry = gb_list_entry (link, struct entry, link);

      if (entry->func == func && entry->data == data)
        return entry;
    }
  return NULL;
}

bool
gb_undo_remove (struct gb_undo *undo,
                gb_undo_func func,
                gpointer data)
{
  struct entry *entry = find_newest (undo, func, data);

  if (entry == NULL)
    return false;
  gb_list_remove (&entry->link);
  g_free (entry);
  return true;
}

bool
gb_undo_run_one (struct gb_undo *undo,
                 gb_undo_func func,
                 gpointer data)
{
  if (!gb_undo_remove (undo, func, data))
    return false;
  func (data);
  return true;
}

void
gb_undo_steal (struct gb_undo *undo,
               struct gb_undo *from)
{
  gb_list_splice (&undo->entries, &from->entries);
}

struct gb_undo_group *
gb_undo_open_group (struct gb_undo *undo)
{
  return gb_container_of (add_entry (undo, NULL, NULL), struct gb_undo_group, entry);
}

void
gb_undo_run_group (struct gb_undo *undo,
                   struct gb_undo_group *group)
{
  bool reached_start = false;

  while (!reached_start && !gb_list_is_empty (&undo->entries))
    {
      struct entry *entry = gb_list_last (&undo->entries, struct entry, link);

      reached_start = entry == &group->entry;
      run_entry (entry);
    }
}

void
gb_undo_close_group (struct gb_undo *undo,
                     struct gb_undo_group *group)
{
  gb_list_remove (&group->entry.link);
  g_free (group);
}
