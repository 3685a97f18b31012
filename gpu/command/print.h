/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What kernels of a list print, from the buffer that they write it to (codegen/passes/print-record.h) to lines. A list
 * has one such buffer for all of its dispatches, if any of them prints; a frozen one has one for each version that is in
 * flight. It is cleared at the beginning of the list, copied to the host at its end, and read by the watcher. */

#pragma once

#include "codegen/spirv/spirv.h"
#include "gpu/command/core.h"

struct gabbro_recorder;

#define GABBRO_PRINT_BUFFER_DEFAULT (UINT64_C (1) << 20)        /* bytes */
#define GABBRO_PRINT_BUFFER_MIN     (UINT64_C (4) << 10)
#define GABBRO_PRINT_BUFFER_MAX     (UINT64_C (1) << 30)

/* What there is to know of a kernel that prints; part of its shader's core. Constant, counted. */
struct gabbro_printer
{
  gatomicrefcount references;
  struct gb_arena arena;                 /* owns what follows */
  struct xir_context *types;             /* a reference */
  const char *kernel, *file;             /* of the module */
  struct spirv_print print;
};

/* `types` is the context of the sites' types. */
struct gabbro_printer *gabbro_printer_new   (const struct spirv_print *print, struct xir_context *types, const char *kernel,
                                             const char *file);
struct gabbro_printer *gabbro_printer_ref   (struct gabbro_printer *printer);
void                   gabbro_printer_unref (struct gabbro_printer *printer);

/* `size` 0: nothing is printed. */
struct gabbro_print_memory
{
  struct gabbro_slice device, host;
  uint64_t size;
};

bool gabbro_print_memory_alloc (struct gabbro_core *core, struct gb_list *chunks, uint64_t size, struct gabbro_print_memory *memory,
                                GError **error);

/* Before the dispatch: gives it a number and its place in the buffer. */
bool gabbro_recorder_bind_print   (struct gabbro_recorder *recorder, GError **error);
/* The layers in front of all others and behind them, around those of the plan; `n_layers` and `n_commands` are without. */
void gabbro_recorder_plan_print   (struct gabbro_recorder *recorder);
/* Another version of a frozen list: commands and descriptors name its memory. */
void gabbro_recorder_move_print   (struct gabbro_recorder *recorder, const struct gabbro_print_memory *memory);
/* The list has run: its lines go to the device's listener. Without any lock. */
void gabbro_recorder_deliver_print (struct gabbro_recorder *recorder, const struct gabbro_print_memory *memory);
