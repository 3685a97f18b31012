/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks of a device, its runs, and the book of reports. */

#include "config.h"

#include "codegen/interpret/check-private.h"

#include <string.h>

#include "lib/checked.h"

/* Different faults that are told apart once the book is full. */
#define MAX_KEYS 65536
/* Sections of one run whose workgroups are remembered. */
#define MAX_SECTIONS (1u << 26)

static const char *const kind_names[CHECK_N_KINDS + 1] =
{
  [CHECK_OUT_OF_BOUNDS] = "out-of-bounds",
  [CHECK_UNINITIALISED] = "uninitialised",
  [CHECK_RACE] = "race",
  [CHECK_DIVERGENT_BARRIER] = "divergent-barrier",
  [CHECK_MISALIGNED] = "misaligned",
  [CHECK_OVERLAP] = "overlap",
  [CHECK_SHIFT_RANGE] = "shift-range",
  [CHECK_CONVERT_RANGE] = "convert-range",
  [CHECK_DIVISION_BY_ZERO] = "division-by-zero",
  [CHECK_NAN] = "nan",
  [CHECK_ENDLESS_LOOP] = "endless-loop",
  [CHECK_UNREACHABLE] = "unreachable",
  [CHECK_INACTIVE_LANE] = "inactive-lane",
  [CHECK_ASSERT] = "assert",
  [CHECK_N_KINDS] = "note"
};

const char *
check_kind_name (enum check_kind kind)
{
  return (unsigned) kind <= CHECK_N_KINDS ? kind_names[kind] : NULL;
}

bool
check_kind_from_name (const char *name, enum check_kind *kind)
{
  for (int i = 0; i < CHECK_N_KINDS; i++)
    if (strcmp (kind_names[i], name) == 0)
      {
        *kind = i;
        return true;
      }
  return false;
}

/* What makes two faults one. Strings are interned. */
struct report_key
{
  const char *kernel, *file, *object, *label, *other_object;
  struct xir_location location[2];
  enum check_access access[2];
  enum check_kind kind;
};

static void
key_init (struct report_key *key, const struct check_report *report)
{
  /* A race is the same whichever of its two accesses came first. */
  int first = report->kind == CHECK_RACE
              && (report->other_location.line < report->location.line
                  || (report->other_location.line == report->location.line
                      && (report->other_location.column < report->location.column
                          || (report->other_location.column == report->location.column
                              && report->other_access < report->access))));

  memset (key, 0, sizeof *key);
  key->kind = report->kind;
  key->kernel = report->kernel;
  key->file = report->file;
  key->object = report->object;
  key->label = report->object_label;
  key->other_object = report->other_object;
  key->location[first] = report->location;
  key->location[!first] = report->other_location;
  key->access[first] = report->access;
  key->access[!first] = report->other_access;
}

static guint
hash_bytes (const void *data, gsize size)
{
  const guint8 *bytes = data;
  guint hash = 2166136261u;

  for (gsize i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}

static guint
key_hash (gconstpointer key)
{
  return hash_bytes (key, sizeof (struct report_key));
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (struct report_key)) == 0;
}

struct check *
check_new (const struct check_options *options, check_report_function function, gpointer data)
{
  struct check *check = g_new0 (struct check, 1);

  check->kinds = options != NULL ? options->kinds & CHECK_ALL_KINDS : CHECK_DEFAULT_KINDS;
  check->limit = options != NULL ? options->limit : CHECK_DEFAULT_LIMIT;
  check->function = function;
  check->data = data;
  g_mutex_init (&check->running);
  g_mutex_init (&check->lock);
  gb_list_init (&check->memories);
  check->strings = g_string_chunk_new (1024);
  check->reports = g_array_new (FALSE, FALSE, sizeof (struct check_report));
  check->index = g_hash_table_new_full (key_hash, key_equal, g_free, NULL);
  return check;
}

void
check_free (struct check *check)
{
  if (check == NULL)
    return;
  g_hash_table_unref (check->index);
  g_array_unref (check->reports);
  g_string_chunk_free (check->strings);
  g_mutex_clear (&check->running);
  g_mutex_clear (&check->lock);
  g_free (check);
}

GArray *
check_dup_reports (struct check *check, uint64_t *n_left_out)
{
  GArray *copy = g_array_new (FALSE, FALSE, sizeof (struct check_report));

  g_mutex_lock (&check->lock);
  g_array_append_vals (copy, check->reports->data, check->reports->len);
  if (n_left_out != NULL)
    *n_left_out = check->n_left_out;
  g_mutex_unlock (&check->lock);
  return copy;
}

/* With the lock. */
static const char *
intern (struct check *check, const char *text)
{
  return text != NULL ? g_string_chunk_insert_const (check->strings, text) : NULL;
}

/* A fault of one dispatch as the executor meets it: the way to its report without any text. */
struct seen_key
{
  const void *site, *other_site, *object, *other_object;
  uint32_t kind, access, other_access;
};

static guint
seen_hash (gconstpointer key)
{
  return hash_bytes (key, sizeof (struct seen_key));
}

static gboolean
seen_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (struct seen_key)) == 0;
}

/* Race records of dispatches that are over are worth nothing. */
static void
drop_records (struct check *check)
{
  g_mutex_lock (&check->lock);
  gb_list_for_each (memory, &check->memories, struct check_memory, link)
    shadow_drop_pages (memory);
  g_mutex_unlock (&check->lock);
}

struct check_run *
check_run_new (struct check *check, const struct check_run_info *info)
{
  struct check_run *run = g_new0 (struct check_run, 1);

  g_mutex_lock (&check->running);
  if (check->section > SHADOW_MAX_SECTION / 2)
    {
      drop_records (check);
      check->section = 0;
    }
  else if (__atomic_load_n (&check->shadow_bytes, __ATOMIC_RELAXED) > SHADOW_LIMIT / 2)
    drop_records (check);
  run->check = check;
  run->info = *info;
  run->kinds = check->kinds;
  run->number = ++check->n_runs;
  run->first_section = check->section + 1;
  run->groups = g_array_new (FALSE, FALSE, 3 * sizeof (uint32_t));
  run->section_groups = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  run->seen = g_hash_table_new_full (seen_hash, seen_equal, g_free, NULL);
  g_mutex_lock (&check->lock);
  run->first_new = check->reports->len;
  run->info.kernel = intern (check, info->kernel);
  run->info.file = intern (check, info->file);
  g_mutex_unlock (&check->lock);
  return run;
}

void
check_run_end (struct check_run *run)
{
  struct check *check = run->check;
  GArray *fresh = g_array_new (FALSE, FALSE, sizeof (struct check_report));

  check_add_notes (run);
  g_mutex_lock (&check->lock);
  g_array_append_vals (fresh, &g_array_index (check->reports, struct check_report, run->first_new),
                       check->reports->len - run->first_new);
  g_mutex_unlock (&check->lock);
  g_array_unref (run->groups);
  g_array_unref (run->section_groups);
  g_hash_table_unref (run->seen);
  g_free (run);
  g_mutex_unlock (&check->running);
  for (guint i = 0; i < fresh->len && check->function != NULL; i++)
    check->function (&g_array_index (fresh, struct check_report, i), check->data);
  g_array_unref (fresh);
}

bool
check_run_wants (const struct check_run *run, enum check_kind kind)
{
  return (run->kinds & CHECK_KIND_MASK (kind)) != 0;
}

static void
next_section (struct check_run *run, struct check_group *group)
{
  if (run->section_groups->len >= MAX_SECTIONS || run->check->section >= SHADOW_MAX_SECTION)
    {
      run->exhausted = true;
      group->section = SHADOW_MAX_SECTION + 1;
      return;
    }
  group->section = ++run->check->section;
  g_array_append_val (run->section_groups, group->number);
}

void
check_group_begin (struct check_run *run, struct check_group *group, const uint32_t id[3])
{
  memcpy (group->id, id, sizeof group->id);
  group->number = run->groups->len;
  if (run->groups->len < MAX_SECTIONS)
    g_array_append_vals (run->groups, id, 1);
  next_section (run, group);
}

void
check_group_barrier (struct check_run *run, struct check_group *group)
{
  next_section (run, group);
}

static bool
access_one (struct check_run *run, struct check_memory *memory, uint64_t offset, uint32_t size,
            enum check_access access, const struct check_thread *thread, const struct check_site *site)
{
  if (!gb_range_fits (offset, size, memory->size))
    {
      check_fault_outside (run, memory, offset, size, access == CHECK_COPY ? CHECK_READ : access, thread, site);
      return false;
    }
  if (size == 0)
    return true;
  if ((access == CHECK_READ || access == CHECK_ATOMIC) && !shadow_is_initialised (memory, offset, size))
    check_fault_uninitialised (run, memory, offset, size, access, thread, site);
  if (access == CHECK_COPY)
    access = CHECK_READ;
  if (access != CHECK_READ)
    shadow_set_initialised (memory, offset, size);
  if (memory->storage != CHECK_STORAGE_LOCAL && memory->quiet_run != run->number
      && (run->kinds & CHECK_KIND_MASK (CHECK_RACE)))
    shadow_follow (run, memory, offset, size, access, thread, site);
  return true;
}

bool
check_access (struct check_run *run, struct check_memory *memory, uint64_t offset, uint32_t size,
              enum check_access access, const struct check_thread *thread, const struct check_site *site)
{
  return access_one (run, memory, offset, size, access, thread, site);
}

uint64_t
check_access_lanes (struct check_run *run, struct check_memory *memory, const uint64_t *offsets, uint32_t size,
                    enum check_access access, const struct check_group *group, uint32_t first, uint64_t mask,
                    const struct check_site *site)
{
  uint64_t good = 0;

  for (uint64_t rest = mask; rest != 0; rest &= rest - 1)
    {
      uint32_t lane = __builtin_ctzll (rest);
      struct check_thread thread = { group, first + lane };
      if (access_one (run, memory, offsets[lane], size, access, &thread, site))
        good |= UINT64_C (1) << lane;
    }
  return good;
}

/* Reports. */

static void
place_thread (const struct check_run *run, const uint32_t group[3], uint32_t index,
              uint32_t global[3], uint32_t group_out[3], uint32_t local[3])
{
  for (int i = 0; i < 3; i++)
    {
      uint32_t size = MAX (run->info.group_size[i], 1);
      local[i] = i < 2 ? index % size : index;
      index /= size;
      group_out[i] = group[i];
      global[i] = group[i] * size + local[i];
    }
}

static void
place_threads (const struct check_run *run, const struct check_fault *fault, struct check_report *report)
{
  const struct check_other *other = fault->other;

  if (fault->thread != NULL)
    {
      report->has_thread = true;
      place_thread (run, fault->thread->group->id, fault->thread->index, report->thread, report->group, report->local);
    }
  if (other == NULL)
    return;
  report->has_other = true;
  report->other_access = other->access;
  if (other->site != NULL)
    report->other_location = other->site->location;
  if (other->group < run->groups->len)
    place_thread (run, (const uint32_t *) (const void *) run->groups->data + 3 * (gsize) other->group, other->thread,
                  report->other_thread, report->other_group, report->other_local);
}

static const struct check_variable *
find_variable (const struct check_run *run, enum check_storage storage, uint64_t offset)
{
  for (uint32_t i = 0; i < run->info.n_variables; i++)
    {
      const struct check_variable *variable = &run->info.variables[i];
      if (variable->storage == storage && offset >= variable->offset && offset - variable->offset < variable->size)
        return variable;
    }
  return NULL;
}

/* The offset in a view as element or texel. */
static void
place_element (const struct check_view *view, struct check_report *report)
{
  uint64_t element = view->element_size != 0 ? report->offset / view->element_size : 0;

  if (view->element_size == 0)
    return;
  report->n_indices = view->n_dimensions != 0 ? view->n_dimensions : 1;
  report->limit[0] = view->size / view->element_size;
  report->index[0] = (int64_t) element;
  for (uint32_t i = 0; i < view->n_dimensions; i++)
    {
      report->limit[i] = view->extent[i];
      report->index[i] = (int64_t) (element % MAX (view->extent[i], 1));
      element /= MAX (view->extent[i], 1);
    }
}

static void
place_object (const struct check_run *run, const struct check_fault *fault, struct check_report *report)
{
  const struct check_site *site = fault->site;
  const struct check_view *view = fault->view;
  const struct check_variable *variable = NULL;

  report->object = site != NULL ? site->object : NULL;
  report->offset = fault->offset;
  report->size = fault->size;
  if (view == NULL && site != NULL && site->argument < run->n_views)
    view = &run->views[site->argument];
  if (view != NULL)
    {
      report->object = view->name;
      if (fault->view == NULL && fault->offset >= view->offset)
        {
          report->offset -= view->offset;
          if (fault->memory != NULL && fault->size != 0)
            place_element (view, report);
        }
    }
  else if (fault->memory != NULL && fault->size != 0)
    {
      if (fault->storage == CHECK_STORAGE_LOCAL && run->info.local_size != 0)
        report->offset %= run->info.local_size;
      variable = find_variable (run, fault->storage, report->offset);
    }
  if (variable != NULL)
    {
      struct check_view place = { .size = variable->size, .element_size = variable->element_size };
      if (variable->name != NULL)
        report->object = variable->name;
      report->offset -= variable->offset;
      place_element (&place, report);
    }
}

static void
fill_report (const struct check_run *run, const struct check_fault *fault, struct check_report *report)
{
  memset (report, 0, sizeof *report);
  report->kind = fault->kind;
  report->kernel = run->info.kernel;
  report->file = run->info.file;
  report->location = fault->site != NULL ? fault->site->location : run->info.location;
  report->has_storage = fault->has_storage;
  report->storage = fault->storage;
  report->access = fault->access;
  report->value = fault->value;
  place_threads (run, fault, report);
  place_object (run, fault, report);
  if (fault->n_indices != 0)
    {
      report->n_indices = fault->n_indices;
      memcpy (report->index, fault->index, fault->n_indices * sizeof *report->index);
      memcpy (report->limit, fault->limit, fault->n_indices * sizeof *report->limit);
    }
  if (fault->other_view != NULL)
    report->other_object = fault->other_view->name;
}

/* With the lock. */
static void
intern_report (struct check *check, const struct check_memory *memory, struct check_report *report)
{
  report->object = intern (check, report->object);
  report->other_object = intern (check, report->other_object);
  report->value = intern (check, report->value);
  report->object_label = memory != NULL ? memory->label : NULL;
}

static void
seen_key_init (struct seen_key *key, const struct check_fault *fault)
{
  memset (key, 0, sizeof *key);
  key->site = fault->site;
  key->other_site = fault->other != NULL ? fault->other->site : NULL;
  key->object = fault->view != NULL ? (const void *) fault->view : (const void *) fault->memory;
  key->other_object = fault->other_view;
  key->kind = fault->kind;
  key->access = fault->access;
  key->other_access = fault->other != NULL ? fault->other->access : 0;
}

bool
check_fault_is_new (struct check_run *run, const struct check_fault *fault, struct check_report *report)
{
  struct check *check = run->check;
  struct seen_key seen;
  struct report_key key;
  gpointer number;
  bool is_new = false;

  /* Two variables of one shared memory are one place for `seen`; only the report tells them apart. */
  bool one_object = fault->storage != CHECK_STORAGE_SHARED && fault->storage != CHECK_STORAGE_LOCAL;
  seen_key_init (&seen, fault);
  g_mutex_lock (&check->lock);
  if (!one_object || !g_hash_table_lookup_extended (run->seen, &seen, NULL, &number))
    {
      fill_report (run, fault, report);
      intern_report (check, fault->memory, report);
      key_init (&key, report);
      is_new = !g_hash_table_lookup_extended (check->index, &key, NULL, &number);
      if (is_new)
        {
          bool kept = check->reports->len < check->limit;
          number = GUINT_TO_POINTER (kept ? check->reports->len + 1 : 0);
          if (!kept && g_hash_table_size (check->index) < MAX_KEYS)
            check->n_left_out++;
          if (kept || g_hash_table_size (check->index) < MAX_KEYS)
            g_hash_table_insert (check->index, g_memdup2 (&key, sizeof key), number);
          is_new = kept;
        }
      if (one_object)
        g_hash_table_insert (run->seen, g_memdup2 (&seen, sizeof seen), number);
    }
  if (!is_new && GPOINTER_TO_UINT (number) != 0)
    g_array_index (check->reports, struct check_report, GPOINTER_TO_UINT (number) - 1).count++;
  g_mutex_unlock (&check->lock);
  return is_new;
}

void
check_fault_add (struct check_run *run, struct check_report *report, const char *message)
{
  struct check *check = run->check;

  g_mutex_lock (&check->lock);
  report->message = g_string_chunk_insert (check->strings, message);
  report->count = 1;
  g_array_append_vals (check->reports, report, 1);
  g_mutex_unlock (&check->lock);
}
