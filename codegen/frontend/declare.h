/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a program of the host has to declare, to share memory with the kernels of a unit; layout-c.c,
 * layout-python.c and layout-gvariant.c say it in their languages. */

#pragma once

#include "codegen/frontend/unit.h"

/* The structures that arguments of kernels are made of, those that others have first: of const struct gk_type *. */
GPtrArray *gk_declare_structures (const struct gk_unit *unit);
/* What an argument is in memory, or an element of it where it is a buffer; NULL for an image. */
const struct gk_type *gk_declare_argument (const struct gk_unit *unit, const struct gk_type *type);
/* "const restrict buffer<uint> in", as the source has it. */
void gk_declare_parameter (const struct gk_symbol *parameter, GString *out);
/* The name of the unit without folders, fit for comments of any language. */
char *gk_declare_source (const struct gk_unit *unit);

/* The names of one scope in another language. */
struct gk_target_names
{
  bool (*is_reserved) (const char *name);
  GHashTable *names;             /* those of the source, and what stands for each there */
  GHashTable *taken;             /* all that are in use there */
};

/* The names are added first, then settled, then found. They have to live as long. */
void        gk_target_names_init   (struct gk_target_names *scope, bool (*is_reserved) (const char *name));
void        gk_target_names_add    (struct gk_target_names *scope, const char *name);
/* Words of the other language get an underscore, or as many as nobody else has. */
void        gk_target_names_settle (struct gk_target_names *scope);
const char *gk_target_names_find   (const struct gk_target_names *scope, const char *name);
/* A name of the writer's own: `name` itself or something like it; the scope keeps it. */
const char *gk_target_names_make   (struct gk_target_names *scope, const char *name);
void        gk_target_names_clear  (struct gk_target_names *scope);
/* Whether the words, with blanks between, have this one among them. */
bool        gk_is_among            (const char *words, const char *word);
