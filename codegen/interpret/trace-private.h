/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What translator and executor know of traces. */

#pragma once

#include "codegen/interpret/execute.h"
#include "codegen/interpret/trace.h"

struct translator;

enum trace_place { TRACE_REGISTERS, TRACE_MEMORY, TRACE_RESOURCE };

/* A variable or argument, and where its value is. */
struct trace_variable
{
  const char *name;
  const struct xir_type *type;
  enum trace_place place;
  uint32_t slot;                 /* of the value, of a pointer; number of a resource */
  uint32_t line;                 /* seen behind this line alone; 0: wherever its scope is */
  struct xir_location end;       /* seen before that place of its file alone; line 0: wherever its scope is */
  uint32_t outer;                /* what can be seen where it was declared: index plus one; 0: nothing */
};

/* One of the indices of an access: a constant, or in registers. */
struct trace_index
{
  const struct xir_type *type;   /* NULL: constant */
  uint32_t slot;                 /* or the constant */
  bool is_member, is_lane;
  const char *member;            /* its name, where that is known */
};

enum trace_kind
{
  TRACE_LINE,                    /* a line begins */
  TRACE_NAMED,                   /* text = value */
  TRACE_WRITTEN,                 /* text[indices] = value */
  TRACE_READ,                    /* text[indices] was value */
  TRACE_DECIDED                  /* text: value */
};

struct trace_entry
{
  enum trace_kind kind;
  struct xir_location location;
  const char *file, *function;
  uint32_t scope;                /* innermost variable: index plus one */
  const char *text;
  const struct xir_type *type;
  uint32_t slot;
  const struct trace_index *indices;
  uint32_t n_indices;
};

/* Of a program. */
struct trace_table
{
  struct gb_arena arena;
  GArray *variables;             /* struct trace_variable */
  GArray *entries;               /* struct trace_entry */
  GHashTable *members;           /* structure to the names of its members, const char **; some may be NULL */

  /* While it is made: of the function at hand. */
  GArray *scopes;                /* struct trace_scope: the blocks around the one at hand */
  uint32_t scope;
  uint32_t line;                 /* of the last entry in this block */
};

struct trace_table *trace_table_new  (const struct xir_module *module);
void                trace_table_free (struct trace_table *table);

/* The translator's side; all of it does nothing where nothing is traced. */
void trace_begin_function (struct translator *translator);
void trace_begin_block    (struct translator *translator);
void trace_before         (struct translator *translator, const struct xir_instruction *instruction);
void trace_after          (struct translator *translator, const struct xir_instruction *instruction);

/* The executor's side: of one dispatch. */
struct trace_run
{
  const struct interpret_trace *trace;
  bool is_found;                 /* the thread */
  bool has_begun;
  bool is_stopped;               /* by the one who looks */
  uint32_t thread[3], group[3];
  uint32_t line, file, depth;    /* of the last step */
  GPtrArray *made;               /* char * */
};

struct trace_run *trace_run_new (const struct interpret_trace *trace);
/* The last step, and the end. */
void              trace_run_end (struct trace_run *run, const struct interpret_program *program);
void              trace_at      (struct subgroup *subgroup, const struct trace_entry *entry);
