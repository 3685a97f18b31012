/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Undo lists. Whoever builds something in steps adds, after each step, the
 * function that takes the step back. When a later step fails the list is run:
 * newest first. When all went well the list is kept, and run at the end of
 * life. A group is a stretch of the list that can be taken back on its own.
 * Not thread-safe. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#include "lib/list.h"

typedef void (*gb_undo_func) (gpointer data);

struct gb_undo
{
  struct gb_list entries;       /* oldest first */
};

struct gb_undo_group;

void gb_undo_init (struct gb_undo *undo);
/* Cannot fail. */
void gb_undo_add  (struct gb_undo *undo, gb_undo_func func, gpointer data);
/* Calls everything, newest first, and leaves the list empty. An undo function
 * may add to the list; what it adds is called next. */
void gb_undo_run  (struct gb_undo *undo);
bool gb_undo_is_empty (const struct gb_undo *undo);

/* Forgets the newest entry of this function and data without calling it, or
 * calls it now. False when there is none. */
bool gb_undo_remove  (struct gb_undo *undo, gb_undo_func func, gpointer data);
bool gb_undo_run_one (struct gb_undo *undo, gb_undo_func func, gpointer data);

/* Moves everything of `from` behind what is in `undo`. */
void gb_undo_steal (struct gb_undo *undo, struct gb_undo *from);

/* Everything added from now on belongs to the group, until it is closed. Groups
 * nest. Running the list, or an outer group, ends the groups inside. */
struct gb_undo_group *gb_undo_open_group (struct gb_undo *undo);
/* Takes back what the group holds, newest first. */
void gb_undo_run_group   (struct gb_undo *undo, struct gb_undo_group *group);
/* All went well: what the group holds now belongs to the list itself. */
void gb_undo_close_group (struct gb_undo *undo, struct gb_undo_group *group);
