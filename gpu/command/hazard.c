/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/command/hazard.h"

#include <string.h>

#define INITIAL_BUCKETS 64

void
hazard_tracker_init (struct hazard_tracker *tracker)
{
  memset (tracker, 0, sizeof *tracker);
}

void
hazard_tracker_clear (struct hazard_tracker *tracker)
{
  g_free (tracker->entries);
  g_free (tracker->buckets);
  g_free (tracker->layers);
  hazard_tracker_init (tracker);
}

void
hazard_tracker_reset (struct hazard_tracker *tracker)
{
  if (tracker->n_buckets > 0)
    memset (tracker->buckets, 0, tracker->n_buckets * sizeof *tracker->buckets);
  tracker->n_entries = 0;
  tracker->n_layers = 0;
  tracker->n_collapsed = 0;
}

/* Addresses differ in their middle bits; the multiplication brings those down. */
static inline uint32_t
bucket_of (const struct hazard_tracker *tracker, const void *resource)
{
  uint64_t hash = (uint64_t) (uintptr_t) resource * UINT64_C (0x9e3779b97f4a7c15);
  return (uint32_t) (hash >> 40) & (tracker->n_buckets - 1);
}

static void
rehash (struct hazard_tracker *tracker)
{
  uint32_t n_buckets = tracker->n_buckets == 0 ? INITIAL_BUCKETS : tracker->n_buckets * 2;

  g_free (tracker->buckets);
  tracker->buckets = g_new0 (uint32_t, n_buckets);
  tracker->n_buckets = n_buckets;
  for (uint32_t i = 0; i < tracker->n_entries; i++)
    {
      uint32_t bucket = bucket_of (tracker, tracker->entries[i].resource);
      tracker->entries[i].next = tracker->buckets[bucket];
      tracker->buckets[bucket] = i + 1;
    }
}

struct hazard_entry *
hazard_tracker_entry (struct hazard_tracker *tracker,
                      const void *resource,
                      uint64_t size,
                      bool *is_new)
{
  struct hazard_entry *entry;
  uint32_t bucket;

  if (tracker->n_entries >= tracker->n_buckets)
    rehash (tracker);
  bucket = bucket_of (tracker, resource);
  for (uint32_t at = tracker->buckets[bucket]; at != 0; at = tracker->entries[at - 1].next)
    if (tracker->entries[at - 1].resource == resource)
      {
        *is_new = false;
        return &tracker->entries[at - 1];
      }
  if (tracker->n_entries == tracker->entries_size)
    {
      tracker->entries_size = tracker->entries_size == 0 ? 16 : tracker->entries_size * 2;
      tracker->entries = g_renew (struct hazard_entry, tracker->entries, tracker->entries_size);
    }
  entry = &tracker->entries[tracker->n_entries++];
  entry->resource = resource;
  entry->size = size;
  entry->n_intervals = 0;
  entry->is_whole = false;
  entry->next = tracker->buckets[bucket];
  tracker->buckets[bucket] = tracker->n_entries;
  *is_new = true;
  return entry;
}

/* One dependency of the command that is being placed. */
struct dependency
{
  struct hazard_cause cause;
  uint32_t layer;
  uint32_t source_stages, source_access;
  uint32_t destination_stages, destination_access;
};

/* Those of one command, folded together as they are found: the barrier needs
 * their union, the explanation the one that decides the layer. */
struct placement
{
  uint32_t layer;                        /* where the command may go, at the earliest */
  struct gabbro_barrier barrier;
  struct hazard_cause cause;
};

static void
place_after (struct placement *placement, const struct dependency *dependency)
{
  placement->barrier.source_stages |= dependency->source_stages;
  placement->barrier.source_access |= dependency->source_access;
  placement->barrier.destination_stages |= dependency->destination_stages;
  placement->barrier.destination_access |= dependency->destination_access;
  if (dependency->layer + 1 > placement->layer)
    {
      placement->layer = dependency->layer + 1;
      placement->cause = dependency->cause;
    }
}

static void
find_dependencies (struct placement *placement,
                   const struct hazard_entry *entry,
                   const struct hazard_access *access,
                   uint32_t command)
{
  for (uint32_t i = 0; i < entry->n_intervals; i++)
    {
      const struct hazard_interval *interval = &entry->intervals[i];
      struct dependency dependency;

      if (interval->end <= access->begin || interval->begin >= access->end)
        continue;
      dependency.cause.later = command;
      dependency.cause.resource = access->resource;
      dependency.cause.begin = MAX (interval->begin, access->begin);
      dependency.cause.end = MIN (interval->end, access->end);
      dependency.destination_stages = access->stages;
      dependency.destination_access = access->read_access | access->write_access;
      if (interval->write_layer != HAZARD_NONE)
        {
          dependency.cause.kind = access->read_access != 0 ? HAZARD_READ_AFTER_WRITE : HAZARD_WRITE_AFTER_WRITE;
          dependency.cause.earlier = interval->write_command;
          dependency.layer = interval->write_layer;
          dependency.source_stages = interval->write_stages;
          dependency.source_access = interval->write_access;
          place_after (placement, &dependency);
        }
      if (interval->read_layer != HAZARD_NONE && access->write_access != 0)
        {
          /* Nothing of a read has to be made visible: order is enough. */
          dependency.cause.kind = HAZARD_WRITE_AFTER_READ;
          dependency.cause.earlier = interval->read_command;
          dependency.layer = interval->read_layer;
          dependency.source_stages = interval->read_stages;
          dependency.source_access = 0;
          dependency.destination_access = 0;
          place_after (placement, &dependency);
        }
    }
}

/* Writes what the access leaves of `before` (an interval inside the access's range). */
static struct hazard_interval
interval_after (const struct hazard_interval *before,
                const struct hazard_access *access,
                uint32_t layer,
                uint32_t command)
{
  struct hazard_interval after = *before;

  if (access->write_access != 0)
    {
      after.write_layer = layer;
      after.write_command = command;
      after.write_stages = access->stages;
      after.write_access = access->write_access;
      after.read_layer = HAZARD_NONE;
      after.read_stages = 0;
    }
  else
    {
      if (after.read_layer == HAZARD_NONE || layer >= after.read_layer)
        {
          after.read_layer = layer;
          after.read_command = command;
        }
      after.read_stages |= access->stages;
    }
  return after;
}

static const struct hazard_interval untouched = {
  .write_layer = HAZARD_NONE, .read_layer = HAZARD_NONE
};

static bool
same_history (const struct hazard_interval *a, const struct hazard_interval *b)
{
  return a->write_layer == b->write_layer && a->read_layer == b->read_layer
         && a->write_command == b->write_command && a->read_command == b->read_command
         && a->write_stages == b->write_stages && a->write_access == b->write_access
         && a->read_stages == b->read_stages;
}

/* Appends to a sorted list, joining what touches and is alike. Up to three
 * pieces can come of each old interval, hence the room. */
#define MAX_PIECES (HAZARD_MAX_INTERVALS * 2 + 2)

static void
append_piece (struct hazard_interval *pieces, uint32_t *n_pieces,
              struct hazard_interval piece, uint64_t begin, uint64_t end)
{
  if (begin >= end)
    return;
  piece.begin = begin;
  piece.end = end;
  if (*n_pieces > 0 && pieces[*n_pieces - 1].end == begin && same_history (&pieces[*n_pieces - 1], &piece))
    pieces[*n_pieces - 1].end = end;
  else
    pieces[(*n_pieces)++] = piece;
}

/* Too many intervals: one that covers the resource and has the latest of each. */
static void
collapse (struct hazard_tracker *tracker, struct hazard_entry *entry,
          const struct hazard_interval *pieces, uint32_t n_pieces)
{
  struct hazard_interval whole = untouched;

  for (uint32_t i = 0; i < n_pieces; i++)
    {
      const struct hazard_interval *piece = &pieces[i];
      if (piece->write_layer != HAZARD_NONE)
        {
          if (whole.write_layer == HAZARD_NONE || piece->write_layer >= whole.write_layer)
            {
              whole.write_layer = piece->write_layer;
              whole.write_command = piece->write_command;
            }
          whole.write_stages |= piece->write_stages;
          whole.write_access |= piece->write_access;
        }
      if (piece->read_layer != HAZARD_NONE)
        {
          if (whole.read_layer == HAZARD_NONE || piece->read_layer >= whole.read_layer)
            {
              whole.read_layer = piece->read_layer;
              whole.read_command = piece->read_command;
            }
          whole.read_stages |= piece->read_stages;
        }
    }
  whole.begin = 0;
  whole.end = entry->size;
  entry->intervals[0] = whole;
  entry->n_intervals = 1;
  entry->is_whole = true;
  tracker->n_collapsed++;
}

static void
remember_whole (struct hazard_entry *entry, const struct hazard_access *access, uint32_t layer, uint32_t command)
{
  struct hazard_interval *whole = &entry->intervals[0];
  bool covers = access->begin == 0 && access->end >= entry->size;

  if (access->write_access != 0 && !covers)
    {
      /* Other bytes may have been written in a later layer or at other stages: keep the latest of both. */
      if (whole->write_layer == HAZARD_NONE || layer >= whole->write_layer)
        {
          whole->write_layer = layer;
          whole->write_command = command;
        }
      whole->write_stages |= access->stages;
      whole->write_access |= access->write_access;
    }
  else
    *whole = interval_after (whole, access, layer, command);
}

static void
remember (struct hazard_tracker *tracker, struct hazard_entry *entry,
          const struct hazard_access *access, uint32_t layer, uint32_t command)
{
  struct hazard_interval pieces[MAX_PIECES];
  uint32_t n_pieces = 0;
  uint64_t at = access->begin;

  if (entry->is_whole)
    {
      remember_whole (entry, access, layer, command);
      return;
    }
  /* By far the most frequent case: the same range again. */
  if (entry->n_intervals == 1 && entry->intervals[0].begin == access->begin && entry->intervals[0].end == access->end)
    {
      entry->intervals[0] = interval_after (&entry->intervals[0], access, layer, command);
      return;
    }
  for (uint32_t i = 0; i < entry->n_intervals; i++)
    {
      const struct hazard_interval *old = &entry->intervals[i];

      if (old->end <= access->begin)
        {
          append_piece (pieces, &n_pieces, *old, old->begin, old->end);
          continue;
        }
      if (old->begin >= access->end)
        {
          append_piece (pieces, &n_pieces, interval_after (&untouched, access, layer, command), at, access->end);
          at = access->end;
          append_piece (pieces, &n_pieces, *old, old->begin, old->end);
          continue;
        }
      append_piece (pieces, &n_pieces, *old, old->begin, MIN (old->end, access->begin));
      append_piece (pieces, &n_pieces, interval_after (&untouched, access, layer, command), at, MAX (at, old->begin));
      append_piece (pieces, &n_pieces, interval_after (old, access, layer, command),
                    MAX (old->begin, access->begin), MIN (old->end, access->end));
      at = MAX (at, MIN (old->end, access->end));
      append_piece (pieces, &n_pieces, *old, MAX (old->begin, access->end), old->end);
    }
  append_piece (pieces, &n_pieces, interval_after (&untouched, access, layer, command), at, access->end);
  if (n_pieces > HAZARD_MAX_INTERVALS)
    collapse (tracker, entry, pieces, n_pieces);
  else
    {
      memcpy (entry->intervals, pieces, n_pieces * sizeof *pieces);
      entry->n_intervals = n_pieces;
    }
}

static struct hazard_layer *
layer_at (struct hazard_tracker *tracker, uint32_t layer)
{
  /* Layers grow one at a time: a command follows something in the layer before. */
  if (layer == tracker->n_layers)
    {
      if (tracker->n_layers == tracker->layers_size)
        {
          tracker->layers_size = tracker->layers_size == 0 ? 64 : tracker->layers_size * 2;
          tracker->layers = g_renew (struct hazard_layer, tracker->layers, tracker->layers_size);
        }
      memset (&tracker->layers[layer], 0, sizeof tracker->layers[layer]);
      tracker->n_layers++;
    }
  return &tracker->layers[layer];
}

uint32_t
hazard_tracker_add (struct hazard_tracker *tracker,
                    uint32_t command,
                    const struct hazard_access *accesses,
                    uint32_t n_accesses)
{
  struct placement placement = { 0 };
  struct hazard_layer *layer;
  bool is_new;

  for (uint32_t i = 0; i < n_accesses; i++)
    {
      const struct hazard_entry *entry = hazard_tracker_entry (tracker, accesses[i].resource, accesses[i].resource_size, &is_new);
      find_dependencies (&placement, entry, &accesses[i], command);
    }
  layer = layer_at (tracker, placement.layer);
  if (placement.barrier.source_stages != 0)
    {
      if (layer->before.source_stages == 0)
        layer->cause = placement.cause;
      layer->before.source_stages |= placement.barrier.source_stages;
      layer->before.source_access |= placement.barrier.source_access;
      layer->before.destination_stages |= placement.barrier.destination_stages;
      layer->before.destination_access |= placement.barrier.destination_access;
    }
  layer->n_commands++;
  for (uint32_t i = 0; i < n_accesses; i++)
    {
      struct hazard_entry *entry = hazard_tracker_entry (tracker, accesses[i].resource, accesses[i].resource_size, &is_new);
      remember (tracker, entry, &accesses[i], placement.layer, command);
    }
  return placement.layer;
}

uint32_t
hazard_tracker_n_barriers (const struct hazard_tracker *tracker)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < tracker->n_layers; i++)
    n += tracker->layers[i].before.source_stages != 0;
  return n;
}

const char *
hazard_kind_name (enum hazard_kind kind)
{
  static const char *const names[] = { "read after write", "write after read", "write after write" };
  return names[kind];
}
