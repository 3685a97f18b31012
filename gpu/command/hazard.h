/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hazards: which commands of a list must wait for which. Each command goes into
 * the earliest layer in which all that it depends on lies in layers before; one
 * memory barrier stands before a layer that needs one. Resources are known by
 * identity and byte range: up to HAZARD_MAX_INTERVALS disjoint intervals a
 * resource, then the whole of it (counted).
 *
 * Layers and commands are numbered from 0; "none" is HAZARD_NONE. Not
 * thread-safe: a tracker belongs to one list. */

#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/driver-api/gabbro-driver.h"
#include "lib/arena.h"

#define HAZARD_MAX_INTERVALS 8
#define HAZARD_NONE          UINT32_MAX

/* What a command does to a range of one resource. */
struct hazard_access
{
  const void *resource;                  /* identity */
  uint64_t resource_size;                /* bytes; of an image: as its buffer form */
  uint64_t begin, end;
  uint32_t stages;                       /* enum gabbro_stage */
  uint32_t read_access, write_access;    /* enum gabbro_access; 0: does not */
};

enum hazard_kind { HAZARD_READ_AFTER_WRITE, HAZARD_WRITE_AFTER_READ, HAZARD_WRITE_AFTER_WRITE };

/* Why a barrier stands before a layer: the first dependency that called for it. */
struct hazard_cause
{
  enum hazard_kind kind;
  uint32_t earlier, later;               /* commands */
  const void *resource;
  uint64_t begin, end;
};

struct hazard_layer
{
  struct gabbro_barrier before;
  struct hazard_cause cause;
  uint32_t n_commands;
};

struct hazard_interval
{
  uint64_t begin, end;
  uint32_t write_layer, read_layer;      /* last ones */
  uint32_t write_command, read_command;
  uint32_t write_stages, write_access, read_stages;
};

struct hazard_entry
{
  const void *resource;
  uint64_t size;
  uint32_t n_intervals;
  bool is_whole;                         /* intervals have been given up */
  uint32_t next;                         /* in the hash chain, index + 1 */
  struct hazard_interval intervals[HAZARD_MAX_INTERVALS];
};

struct hazard_tracker
{
  struct hazard_entry *entries;
  uint32_t n_entries, entries_size;
  uint32_t *buckets;                     /* index + 1 */
  uint32_t n_buckets;                    /* power of two */
  struct hazard_layer *layers;
  uint32_t n_layers, layers_size;
  uint32_t n_collapsed;                  /* resources whose intervals were given up */
};

void hazard_tracker_init  (struct hazard_tracker *tracker);
void hazard_tracker_clear (struct hazard_tracker *tracker);
/* Forgets everything and keeps the memory. */
void hazard_tracker_reset (struct hazard_tracker *tracker);

/* The entry of a resource; `*is_new` says that this call made it. */
struct hazard_entry *hazard_tracker_entry (struct hazard_tracker *tracker, const void *resource, uint64_t size, bool *is_new);

/* Finds the layer of command number `command`, which does all of `accesses` at
 * once, and remembers them. */
uint32_t hazard_tracker_add (struct hazard_tracker *tracker, uint32_t command,
                             const struct hazard_access *accesses, uint32_t n_accesses);

/* Barriers between layers. */
uint32_t hazard_tracker_n_barriers (const struct hazard_tracker *tracker);

const char *hazard_kind_name (enum hazard_kind kind);
