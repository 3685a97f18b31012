/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/element-type.h"

#include <string.h>

#include "codegen/type/type.h"
#include "gpu/gabbro-private.h"

#define MAX_SHOWN 64

/* "float4" and so on, as a description; others are returned as they are. */
static char *
expand (const char *text)
{
  gsize length = strlen (text);
  bool plain = length >= 2 && text[length - 1] >= '2' && text[length - 1] <= '4';

  for (gsize i = 0; plain && i + 1 < length; i++)
    plain = g_ascii_isalpha (text[i]);
  if (plain)
    return g_strdup_printf ("vector<%.*s,%c>", (int) length - 1, text, text[length - 1]);
  return g_strdup (text);
}

const char *
gabbro_element_type_name (const char *description)
{
  static const char prefix[] = "vector<";
  gsize length = strlen (description);
  char *name;
  const char *interned;

  if (!g_str_has_prefix (description, prefix) || strchr (description + strlen (prefix), '<') != NULL || length < sizeof prefix + 3)
    return g_intern_string (description);
  name = g_strdup_printf ("%.*s%c", (int) (length - strlen (prefix) - 3), description + strlen (prefix), description[length - 2]);
  interned = g_intern_string (name);
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
