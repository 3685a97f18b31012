/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/attribute-private.h"

#include "lib/attribute.h"

/**
 * GabbroAttribute:
 *
 * One thing that a node of a context's tree says of itself: its name, what it
 * means, its unit and its value at the moment of asking. A record that never
 * changes; may be used from any thread.
 *
 * Since: 0.1
 */
struct _GabbroAttribute
{
  gatomicrefcount references;
  const struct gb_attribute *attribute;          /* constant tables of the library and its drivers */
  const struct gb_attribute_group *group;
  GVariant *value;
};

G_DEFINE_BOXED_TYPE (GabbroAttribute, gabbro_attribute, gabbro_attribute_ref, gabbro_attribute_unref)

GabbroAttribute *
gabbro_attribute_new (const struct gb_attribute_group *group, const struct gb_attribute *attribute, GVariant *value)
{
  GabbroAttribute *self = g_new0 (GabbroAttribute, 1);

  g_atomic_ref_count_init (&self->references);
  self->attribute = attribute;
  self->group = group;
  self->value = value != NULL ? g_variant_ref_sink (value) : NULL;
  return self;
}

/**
 * gabbro_attribute_ref:
 * @attribute: an attribute
 *
 * Takes a reference. Thread-safe; does not block.
 *
 * Returns: (transfer full): @attribute
 *
 * Since: 0.1
 */
GabbroAttribute *
gabbro_attribute_ref (GabbroAttribute *attribute)
{
  g_return_val_if_fail (attribute != NULL, NULL);

  g_atomic_ref_count_inc (&attribute->references);
  return attribute;
}

/**
 * gabbro_attribute_unref:
 * @attribute: (transfer full): an attribute
 *
 * Drops a reference; the last one frees the attribute. Thread-safe; does not block.
 *
 * Since: 0.1
 */
void
gabbro_attribute_unref (GabbroAttribute *attribute)
{
  g_return_if_fail (attribute != NULL);

  if (!g_atomic_ref_count_dec (&attribute->references))
    return;
  g_clear_pointer (&attribute->value, g_variant_unref);
  g_free (attribute);
}

/**
 * gabbro_attribute_get_name:
 * @attribute: an attribute
 *
 * Gets the name of an attribute within its group. Thread-safe; does not block.
 *
 * Returns: its name, in lower-case letters, digits and dashes
 *
 * Since: 0.1
 */
const char *
gabbro_attribute_get_name (GabbroAttribute *attribute)
{
  g_return_val_if_fail (attribute != NULL, NULL);

  return attribute->attribute->name;
}

/**
 * gabbro_attribute_get_group:
 * @attribute: an attribute
 *
 * Gets the name of an attribute's group. Thread-safe; does not block.
 *
 * Returns: (nullable): the name of its group; "group.name" is its full name
 *
 * Since: 0.1
 */
const char *
gabbro_attribute_get_group (GabbroAttribute *attribute)
{
  g_return_val_if_fail (attribute != NULL, NULL);

  return attribute->group->name;
}

/**
 * gabbro_attribute_get_group_title:
 * @attribute: an attribute
 *
 * Gets the title of an attribute's group, for people. Thread-safe; does not block.
 *
 * Returns: (nullable): a title for its group, in the user's language
 *
 * Since: 0.1
 */
const char *
gabbro_attribute_get_group_title (GabbroAttribute *attribute)
{
  g_return_val_if_fail (attribute != NULL, NULL);

  return attribute->group->title != NULL ? _(attribute->group->title) : NULL;
}

/**
 * gabbro_attribute_get_description:
 * @attribute: an attribute
 *
 * Gets what an attribute means, for people. Thread-safe; does not block.
 *
 * Returns: (nullable): what it means, in the user's language
 *
 * Since: 0.1
 */
const char *
gabbro_attribute_get_description (GabbroAttribute *attribute)
{
  g_return_val_if_fail (attribute != NULL, NULL);

  return attribute->attribute->description != NULL ? _(attribute->attribute->description) : NULL;
}

/**
 * gabbro_attribute_get_unit:
 * @attribute: an attribute
 *
 * Gets the unit of an attribute. Thread-safe; does not block.
 *
 * Returns: the unit of its numbers for programs, such as "bytes" or "none"
 *
 * Since: 0.1
 */
const char *
gabbro_attribute_get_unit (GabbroAttribute *attribute)
{
  g_return_val_if_fail (attribute != NULL, NULL);

  return gb_unit_name (attribute->attribute->unit);
}

/**
 * gabbro_attribute_is_writable:
 * @attribute: an attribute
 *
 * Asks whether an attribute is a setting. Thread-safe; does not block.
 *
 * Returns: whether gabbro_context_set_attribute() can change it
 *
 * Since: 0.1
 */
gboolean
gabbro_attribute_is_writable (GabbroAttribute *attribute)
{
  g_return_val_if_fail (attribute != NULL, FALSE);

  return (attribute->attribute->mode & GB_ATTRIBUTE_WRITE) != 0;
}

/**
 * gabbro_attribute_get_value:
 * @attribute: an attribute
 *
 * Gets the value of an attribute, as it was when the attribute was read. Thread-safe; does not block.
 *
 * Returns: (transfer none) (nullable): its value, or %NULL when the node has no
 *   such thing, which is an answer and no error
 *
 * Since: 0.1
 */
GVariant *
gabbro_attribute_get_value (GabbroAttribute *attribute)
{
  g_return_val_if_fail (attribute != NULL, NULL);

  return attribute->value;
}
