/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro run --check, --trace and --break: a run on the reference driver that somebody looks at. */

#pragma once

#include <gabbro/gabbro.h>
#include <stdbool.h>
#include <stdio.h>

#include "tools/options.h"
#include "tools/prints.h"

#define TOOL_WATCH_OPTIONS                                                                                \
  { "check", 0, NULL, N_("run on the reference driver and report what the kernel does wrong") },         \
  { "json", 0, NULL, N_("with --check: the reports and what was printed as JSON, in place of values") },                      \
  { "trace", 0, N_("X[,Y[,Z]]"), N_("print each line that this thread runs, and what it makes") },       \
  { "break", 0, N_("FILE:LINE"), N_("stop there and show the variables: the thread of --trace, or the first that comes") }

struct tool_watch
{
  bool checks, json;
  bool has_thread;
  guint thread[3];
  char *break_file;             /* as the user has it; NULL: none */
  guint break_line;             /* 0: none */
};

bool tool_watch_parse (struct tool_watch *watch, const struct tool_options *options, GError **error);
void tool_watch_clear (struct tool_watch *watch);
/* Whether it is a run for the reference driver. */
bool tool_watch_is_on (const struct tool_watch *watch);
/* Whether somebody looks at a thread. */
bool tool_watch_sees_lines (const struct tool_watch *watch);
/* Options for the context. */
void tool_watch_context_options (const struct tool_watch *watch, GVariantDict *options);
/* Whether the adapter and the thread will do; `size` is that of the dispatch. */
bool tool_watch_fits (const struct tool_watch *watch, GabbroAdapter *adapter, const guint32 size[3], GError **error);

/* The reports of a device as `watch` wants them. False with an error that says how many there were, or that they
 * could not be written, or, where there are none, how many assertions failed. `is_explained`: one of them says why
 * the device was lost. */
bool tool_watch_report (const struct tool_watch *watch, GabbroDevice *device, const struct tool_prints *prints, bool *is_explained,
                        GError **error);

/* Who looks at one thread. */
struct tool_debugger;

/* `name` is that of the kernel's file; `sources` has it and all that it imports, as GBytes by name. Commands come from
 * `input` where it `asks`. */
struct tool_debugger *tool_debugger_new  (const struct tool_watch *watch, const char *name, GHashTable *sources, FILE *input,
                                          bool asks);
void                  tool_debugger_free (struct tool_debugger *debugger);
/* Before shaders are made. */
bool tool_debugger_attach (struct tool_debugger *debugger, GabbroDevice *device, GError **error);
/* Is called no more. Says what never happened in a run that was `good`. NULL is allowed. */
void tool_debugger_finish (struct tool_debugger *debugger, GabbroDevice *device, bool good);
/* The user has seen enough. */
bool tool_debugger_has_quit (const struct tool_debugger *debugger);
