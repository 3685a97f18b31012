/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Properties by table. A class lists its properties, each with the getter that a program
 * would call, and installs them in one call. All are read-only: objects are made by the
 * functions that say why they could not be. What the object hangs from is kept in a member
 * of the object, which bare objects have too. */

#pragma once

#include <glib-object.h>
#include <stddef.h>

enum gabbro_property_kind
{
  GABBRO_PROPERTY_BOOLEAN,
  GABBRO_PROPERTY_UINT,
  GABBRO_PROPERTY_UINT64,
  GABBRO_PROPERTY_SIZE,                  /* a gsize, shown as 64 bits */
  GABBRO_PROPERTY_STRING,
  GABBRO_PROPERTY_ENUM,
  GABBRO_PROPERTY_FLAGS,
  GABBRO_PROPERTY_OBJECT,                /* lent by the getter */
  GABBRO_PROPERTY_FULL_OBJECT,           /* given by the getter */
  GABBRO_PROPERTY_ERROR,                 /* a const GError * or NULL, lent */
  GABBRO_PROPERTY_OWNER                  /* a member */
};

struct gabbro_property
{
  const char *name;
  enum gabbro_property_kind kind;
  GCallback getter;                      /* but for the owner */
  GType (*type) (void);                  /* of enumerations, flags and objects */
  size_t member;                         /* of the owner */
};

struct gabbro_properties
{
  const struct gabbro_property *rows;
  guint n_rows;
  /* Whether getters can be called: an object of g_object_new() alone shows defaults. */
  gboolean (*is_whole) (gpointer object);
};

#define GABBRO_PLAIN(name, kind, getter) \
  { name, GABBRO_PROPERTY_##kind, G_CALLBACK (getter), NULL, 0 }
#define GABBRO_TYPED(name, kind, getter, type) \
  { name, GABBRO_PROPERTY_##kind, G_CALLBACK (getter), type, 0 }
#define GABBRO_OWNER(name, object, member, type) \
  { name, GABBRO_PROPERTY_OWNER, NULL, type, offsetof (object, member) }

/* `properties` lives for ever. */
void gabbro_properties_install (gpointer object_class, const struct gabbro_properties *properties);

/* Defines type_properties from the rows `type_property_rows`. */
#define GABBRO_DEFINE_PROPERTIES(type)                                                            \
  static const struct gabbro_properties type##_properties = {                                     \
    type##_property_rows, G_N_ELEMENTS (type##_property_rows), type##_is_whole                    \
  };
