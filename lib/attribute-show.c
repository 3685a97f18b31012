/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Show and store functions for a member of the state at an offset. */

#include "config.h"

#include "lib/attribute.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "lib/error.h"

#define MEMBER(state, attribute, type) \
  ((type *) (void *) ((char *) (state) + (attribute)->offset))

/* Read as one piece, whatever another thread writes. */
#define LOAD(state, attribute, type) \
  __atomic_load_n (MEMBER (state, attribute, type), __ATOMIC_RELAXED)

#define STORE(state, attribute, type, value) \
  __atomic_store_n (MEMBER (state, attribute, type), value, __ATOMIC_RELAXED)

enum gb_show
gb_attribute_show_bool (struct gb_node *node,
                        gpointer state,
                        const struct gb_attribute *attribute,
                        struct gb_value *value,
                        GError **error)
{
  gb_value_set_bool (value, LOAD (state, attribute, bool));
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_bool32 (struct gb_node *node,
                          gpointer state,
                          const struct gb_attribute *attribute,
                          struct gb_value *value,
                          GError **error)
{
  gb_value_set_bool (value, LOAD (state, attribute, guint32) != 0);
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_u8 (struct gb_node *node,
                      gpointer state,
                      const struct gb_attribute *attribute,
                      struct gb_value *value,
                      GError **error)
{
  gb_value_set_u64 (value, LOAD (state, attribute, guint8));
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_u32 (struct gb_node *node,
                       gpointer state,
                       const struct gb_attribute *attribute,
                       struct gb_value *value,
                       GError **error)
{
  gb_value_set_u64 (value, LOAD (state, attribute, guint32));
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_u64 (struct gb_node *node,
                       gpointer state,
                       const struct gb_attribute *attribute,
                       struct gb_value *value,
                       GError **error)
{
  gb_value_set_u64 (value, LOAD (state, attribute, guint64));
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_u32_nonzero (struct gb_node *node,
                               gpointer state,
                               const struct gb_attribute *attribute,
                               struct gb_value *value,
                               GError **error)
{
  guint32 number = LOAD (state, attribute, guint32);

  if (number == 0)
    return GB_SHOW_ABSENT;
  gb_value_set_u64 (value, number);
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_u64_nonzero (struct gb_node *node,
                               gpointer state,
                               const struct gb_attribute *attribute,
                               struct gb_value *value,
                               GError **error)
{
  guint64 number = LOAD (state, attribute, guint64);

  if (number == 0)
    return GB_SHOW_ABSENT;
  gb_value_set_u64 (value, number);
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_size (struct gb_node *node,
                        gpointer state,
                        const struct gb_attribute *attribute,
                        struct gb_value *value,
                        GError **error)
{
  gb_value_set_u64 (value, LOAD (state, attribute, gsize));
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_i32 (struct gb_node *node,
                       gpointer state,
                       const struct gb_attribute *attribute,
                       struct gb_value *value,
                       GError **error)
{
  gb_value_set_i64 (value, LOAD (state, attribute, gint32));
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_i64 (struct gb_node *node,
                       gpointer state,
                       const struct gb_attribute *attribute,
                       struct gb_value *value,
                       GError **error)
{
  gb_value_set_i64 (value, LOAD (state, attribute, gint64));
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_float (struct gb_node *node,
                         gpointer state,
                         const struct gb_attribute *attribute,
                         struct gb_value *value,
                         GError **error)
{
  guint32 bits = LOAD (state, attribute, guint32);
  float number;

  memcpy (&number, &bits, sizeof number);
  gb_value_set_double (value, (double) number);
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_double (struct gb_node *node,
                          gpointer state,
                          const struct gb_attribute *attribute,
                          struct gb_value *value,
                          GError **error)
{
  guint64 bits = LOAD (state, attribute, guint64);
  double number;

  memcpy (&number, &bits, sizeof number);
  gb_value_set_double (value, number);
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_string (struct gb_node *node,
                          gpointer state,
                          const struct gb_attribute *attribute,
                          struct gb_value *value,
                          GError **error)
{
  const char *string = *MEMBER (state, attribute, const char *);

  if (string == NULL)
    return GB_SHOW_ABSENT;
  gb_value_set_string (value, string);
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_text (struct gb_node *node,
                        gpointer state,
                        const struct gb_attribute *attribute,
                        struct gb_value *value,
                        GError **error)
{
  const char *text = MEMBER (state, attribute, const char);
  gsize size = (gsize) attribute->data;
  char *copy;

  if (size == 0 || *text == '\0')
    return GB_SHOW_ABSENT;
  /* Texts of fixed size come from outside: the end may be missing. */
  copy = g_strndup (text, size);
  gb_value_set_string (value, copy);
  g_free (copy);
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_strings (struct gb_node *node,
                           gpointer state,
                           const struct gb_attribute *attribute,
                           struct gb_value *value,
                           GError **error)
{
  char **strings = *MEMBER (state, attribute, char **);

  if (strings == NULL)
    return GB_SHOW_ABSENT;
  gb_value_set_string_list (value, (const char *const *) strings);
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_uuid (struct gb_node *node,
                        gpointer state,
                        const struct gb_attribute *attribute,
                        struct gb_value *value,
                        GError **error)
{
  static const guint8 zero[GB_UUID_SIZE];
  const guint8 *uuid = MEMBER (state, attribute, const guint8);

  if (memcmp (uuid, zero, GB_UUID_SIZE) == 0)
    return GB_SHOW_ABSENT;
  gb_value_set_uuid (value, uuid);
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_u32_array (struct gb_node *node,
                             gpointer state,
                             const struct gb_attribute *attribute,
                             struct gb_value *value,
                             GError **error)
{
  guint32 *items = MEMBER (state, attribute, guint32);
  gsize n_items = (gsize) attribute->data;
  guint64 *list = g_new (guint64, n_items);

  for (gsize i = 0; i < n_items; i++)
    list[i] = __atomic_load_n (&items[i], __ATOMIC_RELAXED);
  gb_value_set_u64_list (value, list, n_items);
  g_free (list);
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_u64_array (struct gb_node *node,
                             gpointer state,
                             const struct gb_attribute *attribute,
                             struct gb_value *value,
                             GError **error)
{
  guint64 *items = MEMBER (state, attribute, guint64);
  gsize n_items = (gsize) attribute->data;
  guint64 *list = g_new (guint64, n_items);

  for (gsize i = 0; i < n_items; i++)
    list[i] = __atomic_load_n (&items[i], __ATOMIC_RELAXED);
  gb_value_set_u64_list (value, list, n_items);
  g_free (list);
  return GB_SHOW_OK;
}

static void
set_names_of_bits (struct gb_value *value,
                   const struct gb_attribute_name *names,
                   guint64 mask)
{
  GPtrArray *list = g_ptr_array_new ();

  for (; names->name != NULL; names++)
    if (names->value != 0 && (mask & names->value) == names->value)
      g_ptr_array_add (list, (gpointer) names->name);
  g_ptr_array_add (list, NULL);
  gb_value_set_string_list (value, (const char *const *) list->pdata);
  g_ptr_array_unref (list);
}

enum gb_show
gb_attribute_show_mask32 (struct gb_node *node,
                          gpointer state,
                          const struct gb_attribute *attribute,
                          struct gb_value *value,
                          GError **error)
{
  set_names_of_bits (value, attribute->data, LOAD (state, attribute, guint32));
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_mask64 (struct gb_node *node,
                          gpointer state,
                          const struct gb_attribute *attribute,
                          struct gb_value *value,
                          GError **error)
{
  set_names_of_bits (value, attribute->data, LOAD (state, attribute, guint64));
  return GB_SHOW_OK;
}

enum gb_show
gb_attribute_show_enum (struct gb_node *node,
                        gpointer state,
                        const struct gb_attribute *attribute,
                        struct gb_value *value,
                        GError **error)
{
  guint32 number = LOAD (state, attribute, guint32);

  for (const struct gb_attribute_name *names = attribute->data; names->name != NULL; names++)
    if (names->value == number)
      {
        gb_value_set_string (value, names->name);
        return GB_SHOW_OK;
      }
  return GB_SHOW_ABSENT;
}

bool
gb_attribute_store_bool (struct gb_node *node,
                         gpointer state,
                         const struct gb_attribute *attribute,
                         const struct gb_value *value,
                         GError **error)
{
  STORE (state, attribute, bool, value->as.boolean);
  return true;
}

bool
gb_attribute_store_u32 (struct gb_node *node,
                        gpointer state,
                        const struct gb_attribute *attribute,
                        const struct gb_value *value,
                        GError **error)
{
  if (value->as.u64 > G_MAXUINT32)
    {
      g_set_error (error, GB_ERROR, GB_ERROR_OUT_OF_RANGE,
                   _("%" PRIu64 " is too much for attribute “%s”; the limit is %u"),
                   value->as.u64, attribute->name, G_MAXUINT32);
      return false;
    }
  STORE (state, attribute, guint32, (guint32) value->as.u64);
  return true;
}

bool
gb_attribute_store_u64 (struct gb_node *node,
                        gpointer state,
                        const struct gb_attribute *attribute,
                        const struct gb_value *value,
                        GError **error)
{
  STORE (state, attribute, guint64, value->as.u64);
  return true;
}
