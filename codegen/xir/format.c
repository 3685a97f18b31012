/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/xir/format.h"

bool
xir_format_next (const char **at,
                 GString *out,
                 bool *is_wrong)
{
  const char *next = *at;

  for (; *next != '\0'; next++)
    {
      if (next[0] == '{' && next[1] == '}')
        {
          *at = next + 2;
          return true;
        }
      if (*next == '{' || *next == '}')
        {
          if (next[1] == *next)
            next++;
          else
            *is_wrong = true;
        }
      if (out != NULL)
        g_string_append_c (out, *next);
    }
  *at = next;
  return false;
}

bool
xir_format_count (const char *format,
                  uint32_t *n_places)
{
  bool is_wrong = false;

  for (*n_places = 0; xir_format_next (&format, NULL, &is_wrong);)
    ++*n_places;
  return !is_wrong;
}

uint32_t
xir_print_words (const struct xir_type *type)
{
  uint64_t n = 0;

  if (xir_type_is_scalar (type))
    return type->size > sizeof (uint32_t) ? 2 : 1;
  for (uint64_t i = 0; i < type->count && n <= XIR_PRINT_MAX_WORDS; i++)
    {
      uint32_t part = xir_print_words (xir_type_child (type, i));

      if (type->kind != XIR_TYPE_STRUCTURE)
        {
          if (part > 0 && type->count > XIR_PRINT_MAX_WORDS / part)
            return XIR_PRINT_MAX_WORDS + 1;
          return part * (uint32_t) type->count;
        }
      n += part;
    }
  return (uint32_t) n;
}
