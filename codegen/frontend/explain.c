/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table of explanations: GK_EXPLANATION (ENUM, text, wrong, right), one for each row of
 * diagnostics.def. tests/frontend/test-explain compiles the examples. What would be too long
 * for an example is written once, behind a comment that says how often it stands there: a #
 * in it is the number of the repetition, #+1 the one after that. */

#include "config.h"

#include "codegen/frontend/explain.h"
#include "codegen/frontend/unit.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Each text is a constant of its own, so that a row of diagnostics.def without one shows as NULL
 * and an explanation of no row does not compile. */
static const struct { const char *text, *wrong, *right; } texts[GK_N_DIAGNOSTICS] =
{
#define GK_EXPLANATION(name, text, wrong, right) [GK_D_##name] = { text, wrong, right },
#include "codegen/frontend/explain-names.def"
#include "codegen/frontend/explain-statements.def"
#include "codegen/frontend/explain-syntax.def"
#undef GK_EXPLANATION
};

static const struct { const char *name; uint32_t code; enum gk_severity severity; const char *format; } rows[GK_N_DIAGNOSTICS] =
{
#define GK_DIAGNOSTIC(name, code, severity, format) [GK_D_##name] = { #name, code, GK_SEVERITY_##severity, format },
#include "codegen/frontend/diagnostics.def"
#undef GK_DIAGNOSTIC
};

bool
gk_explanation_at (guint                  index,
                   struct gk_explanation *explanation)
{
  if (index >= GK_N_DIAGNOSTICS)
    return false;
  explanation->name = rows[index].name;
  explanation->code = rows[index].code;
  explanation->severity = rows[index].severity;
  explanation->format = rows[index].format;
  explanation->text = texts[index].text;
  explanation->wrong = texts[index].wrong;
  explanation->right = texts[index].right;
  return true;
}

bool
gk_explain (uint32_t               code,
            struct gk_explanation *explanation)
{
  for (guint i = 0; i < GK_N_DIAGNOSTICS; i++)
    if (rows[i].code == code)
      return gk_explanation_at (i, explanation);
  return false;
}

/* A conversion ends in a letter that is no length modifier. */
char *
gk_explanation_summary (const struct gk_explanation *explanation)
{
  GString *out = g_string_new (NULL);

  for (const char *at = _(explanation->format); *at != '\0'; at++)
    {
      if (*at != '%')
        {
          g_string_append_c (out, *at);
          continue;
        }
      at++;
      if (*at == '%')
        {
          g_string_append_c (out, '%');
          continue;
        }
      while (*at != '\0' && strchr ("sdiuxXc", *at) == NULL)
        at++;
      g_string_append (out, "…");
      if (*at == '\0')
        break;
    }
  return g_string_free (out, FALSE);
}
