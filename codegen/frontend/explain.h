/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What there is to say about each message beyond the message. */

#pragma once

#include "codegen/diagnostic.h"

struct gk_explanation
{
  const char *name;              /* of the row in diagnostics.def */
  uint32_t code;
  enum gk_severity severity;
  const char *format;            /* the message, not translated */
  const char *text;              /* why it is wrong and what to do, not translated */
  const char *wrong;             /* a program that gets the message */
  const char *right;             /* … and how it is right */
};

/* In the order of diagnostics.def, from 0 on. The strings live forever. */
bool  gk_explanation_at      (guint index, struct gk_explanation *explanation);
bool  gk_explain             (uint32_t code, struct gk_explanation *explanation);
/* The message with "…" for what it names, translated. */
char *gk_explanation_summary (const struct gk_explanation *explanation);
