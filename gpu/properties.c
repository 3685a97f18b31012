/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/properties.h"

static GQuark
row_quark (void)
{
  return g_quark_from_static_string ("gabbro-property-row");
}

static GQuark
properties_quark (void)
{
  return g_quark_from_static_string ("gabbro-properties");
}

static gpointer *
member_of (GObject *object, const struct gabbro_property *row)
{
  return (gpointer *) ((char *) object + row->member);
}

#define CALL(type) ((type (*) (gpointer)) row->getter) (object)

static void
get_value (GObject *object, const struct gabbro_property *row, GValue *value)
{
  switch (row->kind)
    {
    case GABBRO_PROPERTY_BOOLEAN:
      g_value_set_boolean (value, CALL (gboolean));
      break;
    case GABBRO_PROPERTY_UINT:
      g_value_set_uint (value, CALL (guint));
      break;
    case GABBRO_PROPERTY_UINT64:
      g_value_set_uint64 (value, CALL (guint64));
      break;
    case GABBRO_PROPERTY_SIZE:
      g_value_set_uint64 (value, CALL (gsize));
      break;
    case GABBRO_PROPERTY_STRING:
      g_value_set_string (value, CALL (const char *));
      break;
    case GABBRO_PROPERTY_ENUM:
      g_value_set_enum (value, CALL (gint));
      break;
    case GABBRO_PROPERTY_FLAGS:
      g_value_set_flags (value, CALL (guint));
      break;
    case GABBRO_PROPERTY_OBJECT:
      g_value_set_object (value, CALL (gpointer));
      break;
    case GABBRO_PROPERTY_FULL_OBJECT:
      g_value_take_object (value, CALL (gpointer));
      break;
    case GABBRO_PROPERTY_ERROR:
      g_value_set_boxed (value, CALL (gconstpointer));
      break;
    case GABBRO_PROPERTY_OWNER:
    default:
      g_value_set_object (value, *member_of (object, row));
      break;
    }
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  const struct gabbro_property *row = g_param_spec_get_qdata (spec, row_quark ());
  const struct gabbro_properties *properties = g_type_get_qdata (G_OBJECT_TYPE (object), properties_quark ());

  if (row == NULL || properties == NULL)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  else if (row->kind == GABBRO_PROPERTY_OWNER || properties->is_whole (object))
    get_value (object, row, value);
  else
    g_param_value_set_default (spec, value);
}

static GParamSpec *
make_spec (const struct gabbro_property *row)
{
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  GEnumClass *enumeration;
  GParamSpec *spec;

  switch (row->kind)
    {
    case GABBRO_PROPERTY_BOOLEAN:
      return g_param_spec_boolean (row->name, NULL, NULL, FALSE, flags);
    case GABBRO_PROPERTY_UINT:
      return g_param_spec_uint (row->name, NULL, NULL, 0, G_MAXUINT, 0, flags);
    case GABBRO_PROPERTY_UINT64:
    case GABBRO_PROPERTY_SIZE:
      return g_param_spec_uint64 (row->name, NULL, NULL, 0, G_MAXUINT64, 0, flags);
    case GABBRO_PROPERTY_STRING:
      return g_param_spec_string (row->name, NULL, NULL, NULL, flags);
    case GABBRO_PROPERTY_ENUM:
      /* A default has to be one of the values. */
      enumeration = g_type_class_ref (row->type ());
      spec = g_param_spec_enum (row->name, NULL, NULL, row->type (), enumeration->values[0].value, flags);
      g_type_class_unref (enumeration);
      return spec;
    case GABBRO_PROPERTY_FLAGS:
      return g_param_spec_flags (row->name, NULL, NULL, row->type (), 0, flags);
    case GABBRO_PROPERTY_ERROR:
      return g_param_spec_boxed (row->name, NULL, NULL, G_TYPE_ERROR, flags);
    case GABBRO_PROPERTY_OBJECT:
    case GABBRO_PROPERTY_FULL_OBJECT:
    case GABBRO_PROPERTY_OWNER:
    default:
      return g_param_spec_object (row->name, NULL, NULL, row->type (), flags);
    }
}

void
gabbro_properties_install (gpointer object_class, const struct gabbro_properties *properties)
{
  GObjectClass *class = G_OBJECT_CLASS (object_class);

  class->get_property = get_property;
  g_type_set_qdata (G_TYPE_FROM_CLASS (class), properties_quark (), (gpointer) properties);
  for (guint i = 0; i < properties->n_rows; i++)
    {
      GParamSpec *spec = make_spec (&properties->rows[i]);

      g_param_spec_set_qdata (spec, row_quark (), (gpointer) &properties->rows[i]);
      g_object_class_install_property (class, i + 1, spec);
    }
}
