/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/command/print.h"

#include <string.h>

#include "codegen/passes/print-record.h"
#include "codegen/xir/format.h"
#include "gpu/command/recorder.h"
#include "gpu/print-private.h"

/* Printers. */

struct gabbro_printer *
gabbro_printer_new (const struct spirv_print *print, struct xir_context *types, const char *kernel, const char *file)
{
  struct gabbro_printer *printer = g_new0 (struct gabbro_printer, 1);
  struct gb_arena *arena = &printer->arena;

  g_atomic_ref_count_init (&printer->references);
  gb_arena_init (arena, 0);
  printer->types = xir_context_ref (types);
  printer->kernel = gb_arena_strdup (arena, kernel);
  printer->file = gb_arena_strdup (arena, file);
  printer->print = *print;
  printer->print.sites = gb_arena_memdup (arena, print->sites, print->n_sites * sizeof *print->sites);
  for (uint32_t i = 0; i < print->n_sites; i++)
    {
      struct spirv_print_site *site = &printer->print.sites[i];

      site->format = gb_arena_strdup (arena, site->format);
      site->condition = site->condition != NULL ? gb_arena_strdup (arena, site->condition) : NULL;
      site->file = site->file != NULL ? gb_arena_strdup (arena, site->file) : printer->file;
      site->types = gb_arena_memdup (arena, site->types, site->n_types * sizeof *site->types);
    }
  return printer;
}

struct gabbro_printer *
gabbro_printer_ref (struct gabbro_printer *printer)
{
  g_atomic_ref_count_inc (&printer->references);
  return printer;
}

void
gabbro_printer_unref (struct gabbro_printer *printer)
{
  if (!g_atomic_ref_count_dec (&printer->references))
    return;
  gb_arena_clear (&printer->arena);
  xir_context_unref (printer->types);
  g_free (printer);
}

/* Recording. */

bool
gabbro_print_memory_alloc (struct gabbro_core *core, struct gb_list *chunks, uint64_t size, struct gabbro_print_memory *memory,
                           GError **error)
{
  uint64_t alignment = MAX (16, core->limits.storage_buffer_offset_alignment);
  struct gabbro_print_memory result = { .size = size };

  if (!gabbro_staging_alloc (core, chunks, GABBRO_MEMORY_DEVICE, result.size, alignment, &result.device, error)
      || !gabbro_staging_alloc (core, chunks, GABBRO_MEMORY_READBACK, result.size, alignment, &result.host, error))
    return false;
  *memory = result;
  return true;
}

static struct gabbro_descriptor
descriptor_of (const struct gabbro_print_memory *memory)
{
  return (struct gabbro_descriptor) { memory->device.buffer->handle, memory->device.offset, memory->size };
}

bool
gabbro_recorder_bind_print (struct gabbro_recorder *recorder, GError **error)
{
  struct gabbro_printer *printer = recorder->shader->printer;
  uint32_t number = recorder->printers->len, record[2];
  struct gabbro_descriptor descriptor;

  if (number == 0
      && !gabbro_print_memory_alloc (recorder->core, &recorder->chunks, recorder->core->print_buffer_size, &recorder->print, error))
    return false;
  record[0] = 0;
  record[1] = (uint32_t) (recorder->print.size / sizeof (uint32_t));
  memcpy (recorder->arguments + printer->print.metadata_offset, record, sizeof record);
  memcpy (recorder->arguments + printer->print.dispatch_offset, &number, sizeof number);
  recorder->arguments_changed = true;
  descriptor = descriptor_of (&recorder->print);
  if (memcmp (&recorder->descriptors[printer->print.binding], &descriptor, sizeof descriptor) != 0)
    {
      recorder->descriptors[printer->print.binding] = descriptor;
      recorder->last_descriptors = NULL;
    }
  g_ptr_array_add (recorder->printers, printer);
  return true;
}

/* The plan. */

static void
name_memory (struct gabbro_recorder *recorder, const struct gabbro_print_memory *memory)
{
  struct gabbro_fill_buffer *fill = recorder->print_fill;
  struct gabbro_copy_buffer *copy = recorder->print_copy;

  fill->buffer = copy->source = memory->device.buffer->handle;
  fill->offset = copy->source_offset = memory->device.offset;
  fill->size = copy->size = memory->size;
  copy->destination = memory->host.buffer->handle;
  copy->destination_offset = memory->host.offset;
}

void
gabbro_recorder_plan_print (struct gabbro_recorder *recorder)
{
  struct gabbro_command_plan *plan = &recorder->plan;
  struct gabbro_layer *layers = gb_arena_array (&recorder->arena, struct gabbro_layer, plan->n_layers + 2);
  const struct gabbro_command **commands = gb_arena_array (&recorder->arena, const struct gabbro_command *, plan->n_commands + 2);
  uint32_t last = plan->n_layers + 1;

  recorder->print_fill = gb_arena_new (&recorder->arena, struct gabbro_fill_buffer);
  recorder->print_copy = gb_arena_new (&recorder->arena, struct gabbro_copy_buffer);
  *recorder->print_fill = (struct gabbro_fill_buffer) { .command = { .kind = GABBRO_COMMAND_FILL_BUFFER } };
  *recorder->print_copy = (struct gabbro_copy_buffer) {
    .command = { .kind = GABBRO_COMMAND_COPY_BUFFER, .layer = last, .index = plan->n_commands + 1 }
  };
  name_memory (recorder, &recorder->print);
  memcpy (layers + 1, plan->layers, plan->n_layers * sizeof *layers);
  memcpy (commands + 1, plan->commands, plan->n_commands * sizeof *commands);
  for (uint32_t i = 1; i < last; i++)
    layers[i].first++;
  /* The list begins here. */
  layers[0] = (struct gabbro_layer) { .first = 0, .count = 1, .before = layers[1].before };
  layers[1].before = (struct gabbro_barrier) {
    GABBRO_STAGE_TRANSFER, GABBRO_ACCESS_TRANSFER_WRITE,
    GABBRO_STAGE_COMPUTE, GABBRO_ACCESS_SHADER_READ | GABBRO_ACCESS_SHADER_WRITE
  };
  layers[last] = (struct gabbro_layer) {
    .first = plan->n_commands + 1, .count = 1,
    .before = { GABBRO_STAGE_COMPUTE, GABBRO_ACCESS_SHADER_WRITE, GABBRO_STAGE_TRANSFER, GABBRO_ACCESS_TRANSFER_READ }
  };
  commands[0] = &recorder->print_fill->command;
  commands[plan->n_commands + 1] = &recorder->print_copy->command;
  plan->layers = layers;
  plan->n_layers += 2;
  plan->commands = commands;
  plan->n_commands += 2;
}

void
gabbro_recorder_move_print (struct gabbro_recorder *recorder, const struct gabbro_print_memory *memory)
{
  name_memory (recorder, memory);
  for (guint i = 0; i < recorder->dispatches->len; i++)
    {
      const struct gabbro_dispatch_record *record = &g_array_index (recorder->dispatches, struct gabbro_dispatch_record, i);

      for (uint32_t j = record->first; record->shader->printer != NULL && j < record->first + record->count; j++)
        {
          struct gabbro_dispatch *dispatch = (struct gabbro_dispatch *) recorder->commands[j];

          /* Dispatches may share their descriptors; the first change gives each its own. */
          if (recorder->prepared == NULL)
            dispatch->descriptors = gb_arena_memdup (&recorder->arena, dispatch->descriptors,
                                                     record->shader->n_bindings * sizeof *dispatch->descriptors);
          ((struct gabbro_descriptor *) dispatch->descriptors)[record->shader->printer->print.binding] = descriptor_of (memory);
        }
    }
}

/* Reading. Nothing is taken for granted: a kernel without bounds checks may have written anywhere. */

/* Lines come thread by thread, and those of a thread as it printed them. */
struct key
{
  uint32_t dispatch, z, y, x;
  uint32_t place;                        /* of the record: words into the buffer */
};

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  const uint32_t *one = a, *other = b;

  for (guint i = 0; i < sizeof (struct key) / sizeof *one; i++)
    if (one[i] != other[i])
      return one[i] < other[i] ? -1 : 1;
  return 0;
}

static const struct spirv_print_site *
find_site (const struct gabbro_recorder *recorder, const uint32_t *record, const struct gabbro_printer **printer)
{
  if (record[1] >= recorder->printers->len)
    return NULL;
  *printer = recorder->printers->pdata[record[1]];
  return record[0] > 0 && record[0] <= (*printer)->print.n_sites ? &(*printer)->print.sites[record[0] - 1] : NULL;
}

static GArray *
find_records (const struct gabbro_recorder *recorder, const uint32_t *words, uint32_t n_words)
{
  GArray *keys = g_array_new (FALSE, FALSE, sizeof (struct key));
  uint32_t at = XIR_PRINT_HEADER, end = XIR_PRINT_HEADER + MIN (words[0], n_words - XIR_PRINT_HEADER);

  while (end - at >= XIR_PRINT_RECORD_HEADER)
    {
      const uint32_t *record = words + at;
      const struct gabbro_printer *printer;
      const struct spirv_print_site *site = find_site (recorder, record, &printer);
      struct key key = { record[1], record[4], record[3], record[2], at };
      uint32_t size = XIR_PRINT_RECORD_HEADER;

      for (uint32_t i = 0; site != NULL && i < site->n_types; i++)
        size += xir_print_words (site->types[i]);
      /* Behind the last record that had room there are zeros. */
      if (site == NULL || size > end - at)
        break;
      g_array_append_val (keys, key);
      at += size;
    }
  g_array_sort (keys, compare_keys);
  return keys;
}

void
gabbro_recorder_deliver_print (struct gabbro_recorder *recorder, const struct gabbro_print_memory *memory)
{
  struct gabbro_core *core = recorder->core;
  const uint32_t *words = memory->host.pointer;
  GPtrArray *prints;
  GArray *keys;

  if (words[0] == 0 && words[1] == 0)
    return;
  keys = find_records (recorder, words, (uint32_t) (memory->size / sizeof *words));
  prints = g_ptr_array_new_full (keys->len, (GDestroyNotify) gabbro_print_unref);
  for (guint i = 0; i < keys->len; i++)
    {
      const uint32_t *record = words + g_array_index (keys, struct key, i).place;
      const struct gabbro_printer *printer = NULL;
      const struct spirv_print_site *site = find_site (recorder, record, &printer);

      g_ptr_array_add (prints, gabbro_print_new (printer, site, record));
    }
  g_array_unref (keys);
  __atomic_add_fetch (&core->n_prints, prints->len, __ATOMIC_RELAXED);
  __atomic_add_fetch (&core->n_dropped_prints, words[1], __ATOMIC_RELAXED);
  if (core->on_print != NULL)
    core->on_print (core->on_lost_data, prints, words[1]);
  g_ptr_array_unref (prints);
}
