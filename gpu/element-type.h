/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Types of buffer elements by name: "float4" as in kernels, or a description such as
 * "struct<16,float,vector<float,3>>". */

#pragma once

#include <glib.h>
#include <stdbool.h>

struct gabbro_element_type
{
  const char *text;                      /* canonical description, interned */
  const char *name;                      /* what a user would write, interned */
  guint64 size;                          /* bytes from one element to the next */
};

bool gabbro_element_type_parse (const char *text, struct gabbro_element_type *out, GError **error);
/* "float4" for "vector<float,4>", others as they are; interned. */
const char *gabbro_element_type_name (const char *description);
