/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Intrusive doubly-linked lists. A list head and a link are the same thing: a
 * circular chain in which the head stands for both ends, so that no operation
 * has a special case. Not thread-safe; whoever owns the head owns the lock. */

#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The structure that contains `member` at `pointer`. */
#define gb_container_of(pointer, type, member) \
  ((type *) (void *) ((char *) (pointer) - offsetof (type, member)))

struct gb_list
{
  struct gb_list *next;
  struct gb_list *prev;
};

static inline void
gb_list_init (struct gb_list *list)
{
  list->next = list;
  list->prev = list;
}

static inline bool
gb_list_is_empty (const struct gb_list *list)
{
  return list->next == list;
}

/* Puts `link` behind `position`; with a head as `position`: at the front. */
static inline void
gb_list_insert_after (struct gb_list *position,
                      struct gb_list *link)
{
  link->prev = position;
  link->next = position->next;
  position->next->prev = link;
  position->next = link;
}

static inline void
gb_list_append (struct gb_list *head,
                struct gb_list *link)
{
  gb_list_insert_after (head->prev, link);
}

static inline void
gb_list_prepend (struct gb_list *head,
                 struct gb_list *link)
{
  gb_list_insert_after (head, link);
}

/* Takes `link` out and leaves it an empty list of its own, so that removing
 * twice is harmless. */
static inline void
gb_list_remove (struct gb_list *link)
{
  link->prev->next = link->next;
  link->next->prev = link->prev;
  gb_list_init (link);
}

/* Moves everything of `from` to the end of `to`; `from` is empty afterwards. */
static inline void
gb_list_splice (struct gb_list *to,
                struct gb_list *from)
{
  if (gb_list_is_empty (from))
    return;
  from->next->prev = to->prev;
  to->prev->next = from->next;
  from->prev->next = to;
  to->prev = from->prev;
  gb_list_init (from);
}

#define gb_list_entry(link, type, member) gb_container_of (link, type, member)

#define gb_list_first(head, type, member) \
  (gb_list_is_empty (head) ? NULL : gb_list_entry ((head)->next, type, member))

#define gb_list_last(head, type, member) \
  (gb_list_is_empty (head) ? NULL : gb_list_entry ((head)->prev, type, member))

#define gb_list_for_each(var, head, type, member)          \
  for (type *var = gb_list_entry ((head)->next, type, member); \
       &var->member != (head);                              \
       var = gb_list_entry (var->member.next, type, member))

/* As above; the loop's body may remove or free `var`. */
#define gb_list_for_each_safe(var, head, type, member)                      \
  for (type *var = gb_list_entry ((head)->next, type, member),              \
            *var##_next = gb_list_entry (var->member.next, type, member);   \
       &var->member != (head);                                               \
       var = var##_next,                                                     \
            var##_next = gb_list_entry (var->member.next, type, member))
