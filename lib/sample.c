/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sample of lib/README: a shelf with jars. Two types of node with
 * attributes, a listener, a set, a walk over the tree. Exits with success only
 * when nothing of it is left at the end. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/node.h"

struct shelf
{
  guint32 width;
  char *material;
};

static const struct gb_attribute shelf_attributes[] = {
  GB_ATTRIBUTE ("width", N_("How wide the shelf is"), u32, GB_UNIT_NONE, struct shelf, width),
  GB_ATTRIBUTE ("material", N_("What the shelf is made of"), string, GB_UNIT_NONE,
                struct shelf, material),
};

static const struct gb_attribute_group shelf_group = {
  .attributes = shelf_attributes,
  .n_attributes = G_N_ELEMENTS (shelf_attributes),
};

static void
shelf_release (gpointer state)
{
  struct shelf *shelf = state;

  g_free (shelf->material);
  g_free (shelf);
}

static const struct gb_node_type shelf_type = {
  .name = "shelf",
  .groups = (const struct gb_attribute_group *const[]) { &shelf_group, NULL },
  .release = shelf_release,
};

struct jar
{
  guint64 capacity;
  guint64 level;
  bool sealed;
};

/* How full the jar is; a jar that holds nothing has no such thing. */
static enum gb_show
fill_show (struct gb_node *node,
           gpointer state,
           const struct gb_attribute *attribute,
           struct gb_value *value,
           GError **error)
{
  const struct jar *jar = state;

  if (jar->capacity == 0)
    return GB_SHOW_ABSENT;
  gb_value_set_double (value, 100.0 * (double) jar->level / (double) jar->capacity);
  return GB_SHOW_OK;
}

static const struct gb_attribute jar_content_attributes[] = {
  GB_ATTRIBUTE ("capacity", "How much goes in", u64, GB_UNIT_BYTES, struct jar, capacity),
  {
    .name = "level",
    .description = "How much is in",
    .type = GB_VALUE_U64,
    .unit = GB_UNIT_BYTES,
    .mode = GB_ATTRIBUTE_READ_WRITE,
    .show = gb_attribute_show_u64,
    .store = gb_attribute_store_u64,
    .offset = offsetof (struct jar, level),
  },
  GB_ATTRIBUTE_FUNC ("fill", "How full it is", GB_VALUE_DOUBLE, GB_UNIT_PERCENT, fill_show),
};

static const struct gb_attribute jar_lid_attributes[] = {
  GB_ATTRIBUTE ("sealed", "Whether the lid is sealed", bool, GB_UNIT_NONE, struct jar, sealed),
};

static const struct gb_attribute_group jar_groups[] = {
  {
    .name = "content",
    .title = "Content",
    .attributes = jar_content_attributes,
    .n_attributes = G_N_ELEMENTS (jar_content_attributes),
  },
  {
    .name = "lid",
    .title = "Lid",
    .attributes = jar_lid_attributes,
    .n_attributes = G_N_ELEMENTS (jar_lid_attributes),
  },
};

static const struct gb_node_type jar_type = {
  .name = "jar",
  .groups = (const struct gb_attribute_group *const[]) { &jar_groups[0], &jar_groups[1], NULL },
  .release = g_free,
};

static void
print_event (const struct gb_uevent *event,
             gpointer data)
{
  printf ("event %" PRIu64 ": %s %s (%s)\n", event->serial,
          gb_uevent_action_name (event->action), event->path, event->type);
}

static bool
print_attribute (struct gb_node *node,
                 const struct gb_attribute_group *group,
                 const struct gb_attribute *attribute,
                 gpointer data)
{
  struct gb_value value = GB_VALUE_INIT;
  GString *text = g_string_new (NULL);

  if (gb_node_show_attribute (node, group, attribute, &value, NULL) == GB_SHOW_OK)
    {
      gb_value_append_text (&value, text);
      printf ("    %s%s%s = %s\n", group->name != NULL ? group->name : "",
              group->name != NULL ? "." : "", attribute->name, text->str);
    }
  g_string_free (text, TRUE);
  gb_value_clear (&value);
  return true;
}

static void
print_nodes (GPtrArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      struct gb_node *node = g_ptr_array_index (nodes, i);
      char *path = gb_node_path (node);

      printf ("  %s\n", path);
      g_free (path);
      gb_node_visit_attributes (node, print_attribute, NULL);
      print_nodes (gb_node_children (node));
    }
  g_ptr_array_unref (nodes);
}

static struct gb_node *
add_shelf (struct gb_tree *tree,
           const char *name,
           GError **error)
{
  struct shelf *shelf = g_new0 (struct shelf, 1);
  struct gb_node *node = gb_node_new (tree, &shelf_type, name, shelf);

  shelf->width = 80;
  shelf->material = g_strdup ("oak");
  if (gb_node_add (node, NULL, error))
    return node;
  gb_node_unref (node);
  return NULL;
}

static struct gb_node *
add_jar (struct gb_node *shelf,
         const char *name,
         guint64 capacity,
         GError **error)
{
  struct gb_tree *tree = gb_node_tree (shelf);
  struct jar *jar = g_new0 (struct jar, 1);
  struct gb_node *node = gb_node_new (tree, &jar_type, name, jar);

  jar->capacity = capacity;
  if (gb_node_add (node, shelf, error))
    {
      gb_set_add (gb_tree_set (tree, "jars"), node);
      return node;
    }
  gb_node_unref (node);
  return NULL;
}

static bool
fill (struct gb_tree *tree,
      const char *path,
      guint64 level,
      GError **error)
{
  struct gb_value value = GB_VALUE_INIT;
  struct gb_node *node = gb_tree_lookup (tree, path);
  bool done;

  if (node == NULL)
    return false;
  gb_value_set_u64 (&value, level);
  done = gb_node_store (node, "content.level", &value, error);
  if (done)
    gb_node_emit (node, GB_UEVENT_CHANGE);
  gb_node_unref (node);
  return done;
}

int
main (void)
{
  struct gb_tree *tree = gb_tree_new (GB_TREE_NORMAL, 0);
  struct gb_listener *listener = gb_tree_subscribe (tree, print_event, NULL, NULL);
  struct gb_node *shelf = NULL;
  struct gb_node *jars[2] = { NULL, NULL };
  GError *error = NULL;
  GString *left;
  bool done;

  shelf = add_shelf (tree, "top-shelf", &error);
  if (shelf != NULL)
    jars[0] = add_jar (shelf, "honey", 500, &error);
  if (jars[0] != NULL)
    jars[1] = add_jar (shelf, "glued-shut", 0, &error);
  done = jars[1] != NULL && fill (tree, "/top-shelf/honey", 125, &error);

  if (done)
    {
      printf ("the tree, %u jars:\n", gb_set_count (gb_tree_set (tree, "jars")));
      print_nodes (gb_tree_roots (tree));
    }
  else
    fprintf (stderr, "%s\n", error != NULL ? error->message : "no such node");
  g_clear_error (&error);

  /* The jars go with their shelf. */
  if (shelf != NULL)
    gb_node_del (shelf);
  gb_node_unref (jars[0]);
  gb_node_unref (jars[1]);
  gb_node_unref (shelf);

  left = gb_tree_dump (tree);
  if (left->len != 0)
    fprintf (stderr, "left over:\n%s", left->str);
  done = done && left->len == 0;
  g_string_free (left, TRUE);
  gb_tree_unsubscribe (tree, listener);
  gb_tree_unref (tree);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
