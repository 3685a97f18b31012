/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes: what a node shows of itself, and lets others store. An attribute
 * is a constant row in a table; its functions get the state that the node (or
 * whoever added the group) keeps. What a device does not have is *absent*, which
 * is an answer and no error.
 *
 * A show function runs in any thread, several at a time, with no lock of the
 * tree held. It never adds, deletes or references its node. After gb_node_del()
 * has returned none runs, so that the state may go then. */

#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/value.h"

struct gb_node;
struct gb_attribute;

enum gb_show
{
  GB_SHOW_OK,
  GB_SHOW_ABSENT,
  GB_SHOW_FAILED,               /* the error is set */
};

enum gb_attribute_mode
{
  GB_ATTRIBUTE_READ = 1 << 0,
  GB_ATTRIBUTE_WRITE = 1 << 1,
  GB_ATTRIBUTE_READ_WRITE = GB_ATTRIBUTE_READ | GB_ATTRIBUTE_WRITE,
};

typedef enum gb_show (*gb_show_func) (struct gb_node *node,
                                      gpointer state,
                                      const struct gb_attribute *attribute,
                                      struct gb_value *value,
                                      GError **error);
/* `value` has the type of the attribute. */
typedef bool (*gb_store_func) (struct gb_node *node,
                               gpointer state,
                               const struct gb_attribute *attribute,
                               const struct gb_value *value,
                               GError **error);

struct gb_attribute
{
  const char *name;             /* lower-case letters, digits, '-' */
  const char *description;      /* marked with N_(), or NULL */
  enum gb_value_type type;
  enum gb_unit unit;
  enum gb_attribute_mode mode;
  gb_show_func show;
  gb_store_func store;
  gconstpointer data;           /* for the functions, as they like */
  gsize offset;                 /* of a member in the state, likewise */
};

struct gb_attribute_group
{
  const char *name;             /* as of an attribute; NULL: the attributes stand alone */
  const char *title;            /* marked with N_(), or NULL */
  const struct gb_attribute *attributes;
  guint n_attributes;
  /* NULL: always. Asked each time; must be quick. */
  bool (*visible) (struct gb_node *node, gpointer state);
};

/* Attributes by name: "group.name", or "name" alone, which is looked for in the
 * groups without a name first and then in all, in order. An attribute of an
 * invisible group is absent. `value` is initialised; it is changed only with
 * GB_SHOW_OK, and has the unit of the attribute then. */
enum gb_show gb_node_show  (struct gb_node *node, const char *name, struct gb_value *value, GError **error);
/* Whole numbers of the other sign are converted when they fit. */
bool         gb_node_store (struct gb_node *node, const char *name, const struct gb_value *value, GError **error);

/* Calls `func` for each attribute of each visible group, in order, until it
 * answers false. Whether that was never. */
typedef bool (*gb_attribute_visitor) (struct gb_node *node,
                                      const struct gb_attribute_group *group,
                                      const struct gb_attribute *attribute,
                                      gpointer data);
bool gb_node_visit_attributes (struct gb_node *node, gb_attribute_visitor func, gpointer data);
/* The attribute and its group, or NULL; invisible ones too. `group` may be NULL. */
const struct gb_attribute *gb_node_find_attribute (struct gb_node *node,
                                                   const char *name,
                                                   const struct gb_attribute_group **group);
/* One attribute found by visiting. */
enum gb_show gb_node_show_attribute (struct gb_node *node,
                                     const struct gb_attribute_group *group,
                                     const struct gb_attribute *attribute,
                                     struct gb_value *value,
                                     GError **error);
/* Everything that can be shown now, as a{sv} with the keys of gb_node_show();
 * a full reference. */
GVariant *gb_node_attributes (struct gb_node *node);

/* Show functions for a member at `offset` in the state. Numbers that change are
 * read as one piece, so that a plain store with __atomic_store_n() on the other
 * side is enough. */
enum gb_show gb_attribute_show_bool   (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
enum gb_show gb_attribute_show_bool32 (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
enum gb_show gb_attribute_show_u8     (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
enum gb_show gb_attribute_show_u32    (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
enum gb_show gb_attribute_show_u64    (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
/* Zero is absent. */
enum gb_show gb_attribute_show_u32_nonzero (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
enum gb_show gb_attribute_show_u64_nonzero (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
enum gb_show gb_attribute_show_size   (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
enum gb_show gb_attribute_show_i32    (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
enum gb_show gb_attribute_show_i64    (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
enum gb_show gb_attribute_show_float  (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
enum gb_show gb_attribute_show_double (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
/* A char *; NULL is absent. The string does not change while the node lives. */
enum gb_show gb_attribute_show_string (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
/* A char array in the state; the empty string is absent. */
enum gb_show gb_attribute_show_text   (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
/* A char ** that ends with NULL; NULL is absent. */
enum gb_show gb_attribute_show_strings (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
/* 16 bytes; all zero is absent. */
enum gb_show gb_attribute_show_uuid   (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
/* An array of numbers, as a list; `data` is GUINT_TO_POINTER (number of items). */
enum gb_show gb_attribute_show_u32_array (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
enum gb_show gb_attribute_show_u64_array (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);

/* Names for the bits of a mask, or for the values of an enumeration; the table
 * ends with a NULL name. */
struct gb_attribute_name
{
  guint64 value;
  const char *name;
};

/* `data` is such a table. A 32-bit or 64-bit mask as a list of the names of its
 * bits; a 32-bit enumeration as its name, absent when it has none. */
enum gb_show gb_attribute_show_mask32 (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
enum gb_show gb_attribute_show_mask64 (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);
enum gb_show gb_attribute_show_enum   (struct gb_node *, gpointer, const struct gb_attribute *, struct gb_value *, GError **);

/* Store functions for a member at `offset`. A u32 that does not fit is an error. */
bool gb_attribute_store_bool (struct gb_node *, gpointer, const struct gb_attribute *, const struct gb_value *, GError **);
bool gb_attribute_store_u32  (struct gb_node *, gpointer, const struct gb_attribute *, const struct gb_value *, GError **);
bool gb_attribute_store_u64  (struct gb_node *, gpointer, const struct gb_attribute *, const struct gb_value *, GError **);

/* A row for a member: GB_ATTRIBUTE ("max-size", N_("…"), u64, GB_UNIT_BYTES, struct limits, max_size).
 * `kind` is what stands behind gb_attribute_show_. The member's size is checked. */
#define GB_ATTRIBUTE(name_, description_, kind, unit_, state_type, member)                \
  {                                                                                       \
    .name = (name_), .description = (description_),                                       \
    .type = GB_ATTRIBUTE_TYPE_##kind, .unit = (unit_), .mode = GB_ATTRIBUTE_READ,         \
    .show = gb_attribute_show_##kind,                                                     \
    .offset = offsetof (state_type, member)                                               \
              + GB_ATTRIBUTE_CHECK (GB_ATTRIBUTE_CTYPE_##kind, state_type, member)        \
  }

/* A row for an array of u32 or u64. */
#define GB_ATTRIBUTE_ARRAY(name_, description_, item, unit_, state_type, member)          \
  {                                                                                       \
    .name = (name_), .description = (description_),                                       \
    .type = GB_VALUE_U64_LIST, .unit = (unit_), .mode = GB_ATTRIBUTE_READ,                \
    .show = gb_attribute_show_##item##_array,                                             \
    .data = (gconstpointer) (gsize) (sizeof (((state_type *) 0)->member)                  \
                                     / sizeof (GB_ATTRIBUTE_CTYPE_##item)),               \
    .offset = offsetof (state_type, member)                                               \
              + GB_ATTRIBUTE_CHECK (GB_ATTRIBUTE_CTYPE_##item, state_type, member[0])     \
  }

/* A row with a table of names; kind is mask32, mask64 or enum. */
#define GB_ATTRIBUTE_NAMES(name_, description_, kind, names, state_type, member)          \
  {                                                                                       \
    .name = (name_), .description = (description_),                                       \
    .type = GB_ATTRIBUTE_TYPE_##kind, .mode = GB_ATTRIBUTE_READ,                          \
    .show = gb_attribute_show_##kind, .data = (names),                                    \
    .offset = offsetof (state_type, member)                                               \
              + GB_ATTRIBUTE_CHECK (GB_ATTRIBUTE_CTYPE_##kind, state_type, member)        \
  }

/* A row with a show function of its own. */
#define GB_ATTRIBUTE_FUNC(name_, description_, type_, unit_, show_)                       \
  {                                                                                       \
    .name = (name_), .description = (description_), .type = (type_), .unit = (unit_),     \
    .mode = GB_ATTRIBUTE_READ, .show = (show_)                                            \
  }

/* Zero, or an array of negative size when the member is not as large as `ctype`. */
#define GB_ATTRIBUTE_CHECK(ctype, state_type, member) \
  (0 * sizeof (char[sizeof (ctype) == sizeof (((state_type *) 0)->member) ? 1 : -1]))

#define GB_ATTRIBUTE_TYPE_bool        GB_VALUE_BOOL
#define GB_ATTRIBUTE_TYPE_bool32      GB_VALUE_BOOL
#define GB_ATTRIBUTE_TYPE_u8          GB_VALUE_U64
#define GB_ATTRIBUTE_TYPE_u32         GB_VALUE_U64
#define GB_ATTRIBUTE_TYPE_u64         GB_VALUE_U64
#define GB_ATTRIBUTE_TYPE_u32_nonzero GB_VALUE_U64
#define GB_ATTRIBUTE_TYPE_u64_nonzero GB_VALUE_U64
#define GB_ATTRIBUTE_TYPE_size        GB_VALUE_U64
#define GB_ATTRIBUTE_TYPE_i32         GB_VALUE_I64
#define GB_ATTRIBUTE_TYPE_i64         GB_VALUE_I64
#define GB_ATTRIBUTE_TYPE_float       GB_VALUE_DOUBLE
#define GB_ATTRIBUTE_TYPE_double      GB_VALUE_DOUBLE
#define GB_ATTRIBUTE_TYPE_string      GB_VALUE_STRING
#define GB_ATTRIBUTE_TYPE_strings     GB_VALUE_STRING_LIST
#define GB_ATTRIBUTE_TYPE_uuid        GB_VALUE_UUID
#define GB_ATTRIBUTE_TYPE_mask32      GB_VALUE_STRING_LIST
#define GB_ATTRIBUTE_TYPE_mask64      GB_VALUE_STRING_LIST
#define GB_ATTRIBUTE_TYPE_enum        GB_VALUE_STRING

#define GB_ATTRIBUTE_CTYPE_bool        bool
#define GB_ATTRIBUTE_CTYPE_bool32      uint32_t
#define GB_ATTRIBUTE_CTYPE_u8          uint8_t
#define GB_ATTRIBUTE_CTYPE_u32         uint32_t
#define GB_ATTRIBUTE_CTYPE_u64         uint64_t
#define GB_ATTRIBUTE_CTYPE_u32_nonzero uint32_t
#define GB_ATTRIBUTE_CTYPE_u64_nonzero uint64_t
#define GB_ATTRIBUTE_CTYPE_size        size_t
#define GB_ATTRIBUTE_CTYPE_i32         int32_t
#define GB_ATTRIBUTE_CTYPE_i64         int64_t
#define GB_ATTRIBUTE_CTYPE_float       float
#define GB_ATTRIBUTE_CTYPE_double      double
#define GB_ATTRIBUTE_CTYPE_string      char *
#define GB_ATTRIBUTE_CTYPE_strings     char **
#define GB_ATTRIBUTE_CTYPE_uuid        guint8[GB_UUID_SIZE]
#define GB_ATTRIBUTE_CTYPE_mask32      uint32_t
#define GB_ATTRIBUTE_CTYPE_mask64      uint64_t
#define GB_ATTRIBUTE_CTYPE_enum        uint32_t

/* A text has the size of its array, whatever that is. */
#define GB_ATTRIBUTE_TEXT(name_, description_, state_type, member)                        \
  {                                                                                       \
    .name = (name_), .description = (description_), .type = GB_VALUE_STRING,              \
    .mode = GB_ATTRIBUTE_READ, .show = gb_attribute_show_text,                            \
    .data = (gconstpointer) sizeof (((state_type *) 0)->member),                          \
    .offset = offsetof (state_type, member)                                               \
  }
