/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/element-type.h"

#include <string.h>

#include "codegen/type/type.h"
#include "gpu/gabbro-private.h"

#define MAX_SHOWN 64

/* What the kernel language calls types that descriptions call otherwise. */
static const struct
{
  const char *name;
  const char *description;
} renamed[] = {
  { "char", "byte" }, { "uchar", "ubyte" }, { "fp8e4m3", "float8e4m3" }, { "fp8e5m2", "float8e5m2" },
  { "float2x2", "matrix<2>" }, { "float3x3", "matrix<3>" }, { "float4x4", "matrix<4>" },
};

static const char *
described (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (renamed); i++)
    if (strcmp (name, renamed[i].name) == 0)
      return renamed[i].description;
  return name;
}

static const char *
named (const char *description)
{
  for (gsize i = 0; i < G_N_ELEMENTS (renamed); i++)
    if (strcmp (description, renamed[i].description) == 0)
      return renamed[i].name;
  return description;
}

/* "float4", "fp8e4m3x4" and so on, as a description; others are returned as they are. */
static char *
expand (const char *text)
{
  gsize length = strlen (text);
  char last = length >= 2 ? text[length - 1] : '\0', *scalar, *result;

  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isalnum (text[i]))
      return g_strdup (text);
  if (last < '2' || last > '4' || strcmp (described (text), text) != 0 || strcmp (named (text), text) != 0)
    return g_strdup (described (text));
  /* The names of FP8 end in a digit, so that an x stands between it and the lanes. */
  scalar = g_strndup (text, length - (text[length - 2] == 'x' ? 2 : 1));
  result = g_strdup_printf ("vector<%s,%c>", described (scalar), last);
  g_free (scalar);
  return result;
}

const char *
gabbro_element_type_name (const char *description)
{
  static const char prefix[] = "vector<";
  gsize length = strlen (description);
  char *scalar, *name;
  const char *interned;

  if (!g_str_has_prefix (description, prefix) || strchr (description + strlen (prefix), '<') != NULL || length < sizeof prefix + 3)
    return g_intern_string (named (description));
  scalar = g_strndup (description + strlen (prefix), length - strlen (prefix) - 3);
  name = g_strdup_printf ("%s%s%c", named (scalar), g_ascii_isdigit (scalar[strlen (scalar) - 1]) ? "x" : "",
                          description[length - 2]);
  interned = g_intern_string (name);
  g_free (scalar);
  g_free (name);
  return interned;
}

bool
gabbro_element_type_parse (const char *text, struct gabbro_element_type *out, GError **error)
{
  struct xir_context *context;
  const struct xir_type *type = NULL;
  char *description;

  if (strlen (text) <= XIR_TYPE_MAX_TEXT && g_utf8_validate (text, -1, NULL))
    {
      context = xir_context_new ();
      description = expand (text);
      type = xir_type_parse (context, description);
      if (type != NULL && (!xir_type_is_data (type) || type->size == 0))
        type = NULL;
      if (type != NULL)
        {
          out->text = g_intern_string (type->text);
          out->name = gabbro_element_type_name (type->text);
          out->size = type->size;
        }
      g_free (description);
      xir_context_unref (context);
    }
  if (type == NULL)
    {
      char *shown = g_utf8_make_valid (text, (gssize) MIN (strlen (text), MAX_SHOWN));
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_ARGUMENT,
                   _("“%s” is no type of buffer elements; examples are float, uint2 and struct<16,float,vector<float,3>>"), shown);
      g_free (shown);
      return false;
    }
  return true;
}
