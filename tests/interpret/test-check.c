/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shadow memory and reports, on accesses that no kernel made. */

#include "config.h"

#include "codegen/interpret/check.h"

#include <math.h>
#include <string.h>

#include "tests/test-main.h"

#define N_SITES 400

/* Site i stands on line i + 1. */
static struct check_site sites[N_SITES];

struct bench
{
  struct check *check;
  GArray *reports;
  struct check_run *run;
  struct check_group group;
};

static void
collect (const struct check_report *report, gpointer data)
{
  g_array_append_vals (data, report, 1);
}

static void
bench_init (struct bench *t, const struct check_options *options)
{
  memset (t, 0, sizeof *t);
  for (uint32_t i = 0; i < N_SITES; i++)
    sites[i] = (struct check_site) { .location = { i + 1, 1 }, .object = "thing", .argument = CHECK_NO_ARGUMENT };
  t->reports = g_array_new (FALSE, FALSE, sizeof (struct check_report));
  t->check = check_new (options, collect, t->reports);
}

static void
bench_clear (struct bench *t)
{
  check_free (t->check);
  g_array_unref (t->reports);
}

static void
begin (struct bench *t, uint32_t group)
{
  const uint32_t id[3] = { group, 0, 0 };
  check_group_begin (t->run, &t->group, id);
}

static void
start (struct bench *t)
{
  static const struct check_variable variables[] =
  {
    { CHECK_STORAGE_SHARED, 0, 64, 4, "tile" },
    { CHECK_STORAGE_SHARED, 64, 4, 0, "sum" },
    { CHECK_STORAGE_LOCAL, 16, 16, 4, "row" }
  };
  const struct check_run_info info =
  {
    .kernel = "k", .file = "k.gk", .location = { 1000, 3 }, .group_size = { 4, 2, 1 }, .local_size = 32,
    .sites = sites, .n_sites = N_SITES, .variables = variables, .n_variables = G_N_ELEMENTS (variables)
  };
  t->run = check_run_new (t->check, &info);
  begin (t, 0);
}

static void
end (struct bench *t)
{
  check_run_end (t->run);
  t->run = NULL;
}

/* By thread `thread`, on line `line`. */
static bool
touch (struct bench *t, struct check_memory *memory, uint64_t offset, uint32_t size, enum check_access access,
       uint32_t thread, uint32_t line)
{
  const struct check_thread who = { &t->group, thread };
  return check_access (t->run, memory, offset, size, access, &who, &sites[line - 1]);
}

static const struct check_report *
report_at (const struct bench *t, guint index)
{
  ck_assert_uint_lt (index, t->reports->len);
  return &g_array_index (t->reports, struct check_report, index);
}

/* One report more than before, of this kind on these lines. */
static const struct check_report *
one_report (const struct bench *t, enum check_kind kind, uint32_t line, uint32_t other_line)
{
  const struct check_report *report = report_at (t, 0);

  ck_assert_uint_eq (t->reports->len, 1);
  ck_assert_msg (report->kind == kind, "%s: %s", check_kind_name (report->kind), report->message);
  ck_assert_uint_eq (report->location.line, line);
  ck_assert_uint_eq (report->other_location.line, other_line);
  return report;
}

START_TEST (kinds_have_names)
{
  enum check_kind kind;

  for (int i = 0; i < CHECK_N_KINDS; i++)
    {
      ck_assert (check_kind_from_name (check_kind_name (i), &kind));
      ck_assert_int_eq (kind, i);
    }
  ck_assert_str_eq (check_kind_name (CHECK_RACE), "race");
  ck_assert_str_eq (check_kind_name (CHECK_N_KINDS), "note");
  ck_assert (!check_kind_from_name ("note", &kind));
}
END_TEST

/* Bits, at every place of their words. */

START_TEST (bytes_are_marked_one_by_one)
{
  struct bench t;
  bench_init (&t, NULL);
  for (uint64_t offset = 0; offset < 130; offset++)
    for (uint64_t size = 1; size < 200; size += 7)
      {
        struct check_memory *memory = check_memory_new (t.check, CHECK_STORAGE_BUFFER, 400, false);
        check_memory_initialise (memory, offset, size);
        ck_assert (check_memory_is_initialised (memory, offset, size));
        ck_assert (!check_memory_is_initialised (memory, offset, size + 1));
        ck_assert (offset == 0 || !check_memory_is_initialised (memory, offset - 1, size));
        check_memory_uninitialise (memory, offset + size / 2, 1);
        ck_assert (!check_memory_is_initialised (memory, offset, size));
        ck_assert (check_memory_is_initialised (memory, offset, size / 2));
        ck_assert (check_memory_is_initialised (memory, offset + size / 2 + 1, size - size / 2 - 1));
        check_memory_free (memory);
      }
  bench_clear (&t);
}
END_TEST

START_TEST (ranges_are_cut)
{
  struct bench t;
  bench_init (&t, NULL);
  struct check_memory *memory = check_memory_new (t.check, CHECK_STORAGE_BUFFER, 10, false);
  check_memory_initialise (memory, 8, UINT64_MAX);
  ck_assert (check_memory_is_initialised (memory, 8, 2));
  check_memory_initialise (memory, UINT64_MAX, 3);
  check_memory_initialise (memory, 0, UINT64_MAX);
  ck_assert (check_memory_is_initialised (memory, 0, 10));
  check_memory_copy (memory, 9, memory, 2, UINT64_MAX);
  check_memory_free (memory);
  /* An empty one, and the last byte of a whole word. */
  memory = check_memory_new (t.check, CHECK_STORAGE_BUFFER, 0, false);
  check_memory_initialise (memory, 0, 1);
  check_memory_free (memory);
  memory = check_memory_new (t.check, CHECK_STORAGE_BUFFER, 128, false);
  check_memory_initialise (memory, 64, 64);
  ck_assert (check_memory_is_initialised (memory, 64, 64));
  ck_assert (!check_memory_is_initialised (memory, 63, 2));
  check_memory_free (memory);
  bench_clear (&t);
}
END_TEST

static bool
random_bit (GRand *random)
{
  return g_rand_int_range (random, 0, 4) != 0;
}

/* Against an array of bools: copies between memories and inside of one, as memmove does. */
START_TEST (copies_carry_what_is_known)
{
  enum { SIZE = 301 };
  struct bench t;
  struct check_memory *memory[2];
  bool truth[2][SIZE];
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  bench_init (&t, NULL);
  memory[0] = check_memory_new (t.check, CHECK_STORAGE_BUFFER, SIZE, false);
  memory[1] = check_memory_new (t.check, CHECK_STORAGE_BUFFER, SIZE, true);
  memset (truth[0], 0, SIZE);
  memset (truth[1], 1, SIZE);
  for (int round = 0; round < 2000; round++)
    {
      int to = g_rand_int_range (random, 0, 2), from = g_rand_int_range (random, 0, 3);
      uint32_t size = g_rand_int_range (random, 0, SIZE);
      uint32_t a = g_rand_int_range (random, 0, SIZE + 1 - size), b = g_rand_int_range (random, 0, SIZE + 1 - size);
      if (from == 2)
        {
          bool mark = random_bit (random);
          uint32_t few = MIN (size, 20);
          (mark ? check_memory_initialise : check_memory_uninitialise) (memory[to], a, few);
          memset (truth[to] + a, mark, few);
        }
      else
        {
          check_memory_copy (memory[to], a, memory[from], b, size);
          memmove (truth[to] + a, truth[from] + b, size);
        }
      for (uint32_t i = 0; i < SIZE; i++)
        ck_assert_int_eq (check_memory_is_initialised (memory[to], i, 1), truth[to][i]);
    }
  check_memory_copy (memory[0], 0, NULL, 0, SIZE);
  ck_assert (check_memory_is_initialised (memory[0], 0, SIZE));
  check_memory_free (memory[0]);
  check_memory_free (memory[1]);
  bench_clear (&t);
}
END_TEST

START_TEST (reads_of_nothing_are_reported)
{
  struct bench t;
  bench_init (&t, NULL);
  struct check_memory *memory = check_memory_new (t.check, CHECK_STORAGE_BUFFER, 64, false);
  check_memory_set_label (memory, "positions");
  check_memory_initialise (memory, 0, 6);
  start (&t);
  ck_assert (touch (&t, memory, 0, 4, CHECK_READ, 0, 5));
  ck_assert (touch (&t, memory, 8, 4, CHECK_WRITE, 1, 6));
  ck_assert (touch (&t, memory, 8, 4, CHECK_READ, 1, 7));
  ck_assert (touch (&t, memory, 4, 4, CHECK_READ, 1, 8));
  ck_assert (touch (&t, memory, 4, 4, CHECK_READ, 6, 8));
  ck_assert (touch (&t, memory, 20, 4, CHECK_ATOMIC, 6, 9));
  ck_assert (touch (&t, memory, 20, 4, CHECK_ATOMIC, 5, 9));
  end (&t);
  ck_assert_uint_eq (t.reports->len, 2);
  const struct check_report *report = report_at (&t, 0);
  ck_assert_int_eq (report->kind, CHECK_UNINITIALISED);
  ck_assert_uint_eq (report->location.line, 8);
  ck_assert_uint_eq (report->count, 2);
  ck_assert_uint_eq (report->offset, 4);
  ck_assert_uint_eq (report->size, 4);
  ck_assert_uint_eq (report->thread[0], 1);
  ck_assert_str_eq (report->kernel, "k");
  ck_assert_str_eq (report->file, "k.gk");
  ck_assert_str_eq (report->object, "thing");
  ck_assert_str_eq (report->object_label, "positions");
  ck_assert_str_eq (report->message, "thread (1, 0, 0) reads bytes 4 to 7 of “thing” (“positions”), which nothing has written");
  ck_assert_uint_eq (report_at (&t, 1)->location.line, 9);
  ck_assert_uint_eq (report_at (&t, 1)->count, 1);
  check_memory_free (memory);
  bench_clear (&t);
}
END_TEST

START_TEST (nothing_is_touched_outside)
{
  struct bench t;
  bench_init (&t, NULL);
  struct check_memory *memory = check_memory_new (t.check, CHECK_STORAGE_BUFFER, 64, true);
  start (&t);
  ck_assert (touch (&t, memory, 60, 4, CHECK_WRITE, 0, 1));
  ck_assert (touch (&t, memory, 64, 0, CHECK_WRITE, 0, 1));
  ck_assert (!touch (&t, memory, 61, 4, CHECK_WRITE, 3, 2));
  ck_assert (!touch (&t, memory, UINT64_MAX - 1, 4, CHECK_WRITE, 3, 2));
  const uint64_t offsets[4] = { 0, 100, 8, 64 };
  ck_assert_uint_eq (check_access_lanes (t.run, memory, offsets, 4, CHECK_READ, &t.group, 0, 0xf, &sites[2]), 0x5);
  ck_assert_uint_eq (check_access_lanes (t.run, memory, offsets, 4, CHECK_READ, &t.group, 0, 0xa, &sites[2]), 0);
  end (&t);
  ck_assert_uint_eq (t.reports->len, 2);
  ck_assert_int_eq (report_at (&t, 0)->kind, CHECK_OUT_OF_BOUNDS);
  ck_assert_uint_eq (report_at (&t, 0)->count, 2);
  ck_assert_str_eq (report_at (&t, 0)->message, "thread (3, 0, 0) writes bytes 61 to 64 of “thing”, which has 64 bytes");
  ck_assert_uint_eq (report_at (&t, 1)->thread[0], 1);
  ck_assert_uint_eq (report_at (&t, 1)->count, 4);
  check_memory_free (memory);
  bench_clear (&t);
}
END_TEST

/* Races, case by case: two accesses, and whether the second one races. */

struct race_case
{
  const char *what;
  enum check_storage storage;
  enum check_access access[2];
  uint32_t thread[2];
  uint32_t group[2];
  uint64_t offset[2];
  uint32_t size[2];
  bool barrier, dispatch;        /* between the two */
  bool races;
};

#define BUF CHECK_STORAGE_BUFFER
#define SHA CHECK_STORAGE_SHARED
#define R CHECK_READ
#define W CHECK_WRITE
#define A CHECK_ATOMIC

static const struct race_case race_cases[] =
{
  { "write, read", BUF, { W, R }, { 0, 1 }, { 0, 0 }, { 0, 0 }, { 4, 4 }, false, false, true },
  { "read, write", BUF, { R, W }, { 0, 1 }, { 0, 0 }, { 0, 0 }, { 4, 4 }, false, false, true },
  { "write, write", BUF, { W, W }, { 0, 1 }, { 0, 0 }, { 0, 0 }, { 4, 4 }, false, false, true },
  { "read, read", BUF, { R, R }, { 0, 1 }, { 0, 0 }, { 0, 0 }, { 4, 4 }, false, false, false },
  { "atomic, atomic", BUF, { A, A }, { 0, 1 }, { 0, 1 }, { 0, 0 }, { 4, 4 }, false, false, false },
  { "atomic, read", BUF, { A, R }, { 0, 1 }, { 0, 0 }, { 0, 0 }, { 4, 4 }, false, false, true },
  { "read, atomic", BUF, { R, A }, { 0, 1 }, { 0, 0 }, { 0, 0 }, { 4, 4 }, false, false, true },
  { "atomic, write", BUF, { A, W }, { 0, 1 }, { 0, 0 }, { 0, 0 }, { 4, 4 }, false, false, true },
  { "write, atomic", BUF, { W, A }, { 0, 1 }, { 0, 0 }, { 0, 0 }, { 4, 4 }, false, false, true },
  { "one thread", BUF, { W, R }, { 1, 1 }, { 0, 0 }, { 0, 0 }, { 4, 4 }, false, false, false },
  { "one number, two workgroups", BUF, { W, R }, { 1, 1 }, { 0, 1 }, { 0, 0 }, { 4, 4 }, false, false, true },
  { "barrier", BUF, { W, R }, { 0, 1 }, { 0, 0 }, { 0, 0 }, { 4, 4 }, true, false, false },
  { "barrier, two workgroups", BUF, { W, R }, { 0, 1 }, { 0, 1 }, { 0, 0 }, { 4, 4 }, true, false, true },
  { "another dispatch", BUF, { W, R }, { 0, 1 }, { 0, 1 }, { 0, 0 }, { 4, 4 }, false, true, false },
  { "neighbouring words", BUF, { W, W }, { 0, 1 }, { 0, 0 }, { 0, 4 }, { 4, 4 }, false, false, false },
  { "neighbouring bytes", BUF, { W, W }, { 0, 1 }, { 0, 0 }, { 4, 5 }, { 1, 1 }, false, false, false },
  { "neighbouring halves", BUF, { W, W }, { 0, 1 }, { 0, 1 }, { 4, 6 }, { 2, 2 }, false, false, false },
  { "byte in a word", BUF, { W, W }, { 0, 1 }, { 0, 0 }, { 4, 6 }, { 4, 1 }, false, false, true },
  { "word over a byte", BUF, { R, W }, { 0, 1 }, { 0, 0 }, { 7, 4 }, { 1, 4 }, false, false, true },
  { "atomic word over a byte", BUF, { W, A }, { 0, 1 }, { 0, 0 }, { 7, 4 }, { 1, 4 }, false, false, true },
  { "vector beside a lane", BUF, { W, W }, { 0, 1 }, { 0, 0 }, { 16, 32 }, { 16, 4 }, false, false, false },
  { "lane of a vector", BUF, { W, W }, { 0, 1 }, { 0, 0 }, { 16, 28 }, { 16, 4 }, false, false, true },
  { "over the end of a page", BUF, { W, R }, { 0, 1 }, { 0, 0 }, { 4092, 4096 }, { 8, 4 }, false, false, true },
  { "before the end of a page", BUF, { W, R }, { 0, 1 }, { 0, 0 }, { 4096, 4088 }, { 8, 8 }, false, false, false },
  { "many bytes", BUF, { W, R }, { 0, 1 }, { 0, 0 }, { 0, 8001 }, { 9000, 1 }, false, false, true },
  { "shared", SHA, { W, R }, { 0, 1 }, { 0, 0 }, { 0, 0 }, { 4, 4 }, false, false, true },
  { "shared, barrier", SHA, { W, R }, { 0, 1 }, { 0, 0 }, { 0, 0 }, { 4, 4 }, true, false, false },
  { "shared, of two workgroups", SHA, { W, W }, { 0, 1 }, { 0, 1 }, { 0, 0 }, { 4, 4 }, false, false, false },
  { "local", CHECK_STORAGE_LOCAL, { W, W }, { 0, 1 }, { 0, 0 }, { 0, 0 }, { 4, 4 }, false, false, false },
  { "image", CHECK_STORAGE_IMAGE, { W, R }, { 0, 1 }, { 0, 0 }, { 0, 0 }, { 16, 16 }, false, false, true }
};

#undef BUF
#undef SHA

START_TEST (pairs_race)
{
  const struct race_case *c = &race_cases[_i];
  struct bench t;
  struct check_memory *memory;

  bench_init (&t, NULL);
  memory = check_memory_new (t.check, c->storage, 10000, true);
  start (&t);
  begin (&t, c->group[0]);
  touch (&t, memory, c->offset[0], c->size[0], c->access[0], c->thread[0], 10);
  if (c->dispatch)
    {
      end (&t);
      start (&t);
    }
  if (c->group[1] != c->group[0])
    begin (&t, c->group[1]);
  if (c->barrier)
    check_group_barrier (t.run, &t.group);
  touch (&t, memory, c->offset[1], c->size[1], c->access[1], c->thread[1], 20);
  end (&t);
  ck_assert_msg (t.reports->len == c->races, "%s: %u reports", c->what, t.reports->len);
  if (c->races)
    {
      const struct check_report *report = one_report (&t, CHECK_RACE, 20, 10);
      ck_assert_uint_eq (report->thread[0], c->group[1] * 4 + c->thread[1]);
      ck_assert_uint_eq (report->other_thread[0], c->group[0] * 4 + c->thread[0]);
      ck_assert_uint_eq (report->group[0], c->group[1]);
      ck_assert_uint_eq (report->other_group[0], c->group[0]);
      ck_assert_int_eq (report->access, c->access[1]);
      ck_assert_int_eq (report->other_access, c->access[0]);
      ck_assert (report->has_other);
    }
  check_memory_free (memory);
  bench_clear (&t);
}
END_TEST

/* Several readers: whoever writes afterwards races with one of them, though the last reader was itself. */
START_TEST (writers_meet_all_readers)
{
  static const uint32_t readers[][4] = { { 1, 2, 3, 1 }, { 2, 1, 1, 1 }, { 2, 2, 2, 1 } };
  struct bench t;
  bench_init (&t, NULL);
  struct check_memory *memory = check_memory_new (t.check, CHECK_STORAGE_BUFFER, 64, true);
  for (guint round = 0; round < 2 * G_N_ELEMENTS (readers); round++)
    {
      enum check_access how = round % 2 ? CHECK_ATOMIC : CHECK_READ;
      g_array_set_size (t.reports, 0);
      start (&t);
      for (int i = 0; i < 4; i++)
        touch (&t, memory, 0, 4, how, readers[round / 2][i], 20 * round + readers[round / 2][i]);
      touch (&t, memory, 0, 4, CHECK_WRITE, 1, 20 * round + 9);
      end (&t);
      ck_assert_uint_eq (t.reports->len, 1);
      one_report (&t, CHECK_RACE, 20 * round + 9, 20 * round + 2);
    }
  /* A reader of another workgroup, and those of this one before a barrier. */
  g_array_set_size (t.reports, 0);
  start (&t);
  touch (&t, memory, 0, 4, CHECK_READ, 5, 201);
  begin (&t, 1);
  touch (&t, memory, 0, 4, CHECK_READ, 1, 202);
  touch (&t, memory, 0, 4, CHECK_READ, 2, 203);
  check_group_barrier (t.run, &t.group);
  touch (&t, memory, 0, 4, CHECK_WRITE, 2, 204);
  end (&t);
  const struct check_report *report = one_report (&t, CHECK_RACE, 204, 201);
  ck_assert_str_eq (report->message, "thread (6, 0, 0) writes bytes 0 to 3 of “thing”, "
                    "which thread (1, 1, 0) of another workgroup reads on line 201");
  check_memory_free (memory);
  bench_clear (&t);
}
END_TEST

/* Every access of random dispatches, with all that went before it. */

struct event
{
  enum check_access access;
  uint32_t group, thread, interval, offset, size;
};

static bool
truly_races (const struct event *a, const struct event *b, uint32_t byte)
{
  if (byte < a->offset || byte >= a->offset + a->size || byte < b->offset || byte >= b->offset + b->size)
    return false;
  if ((a->access == CHECK_READ && b->access == CHECK_READ) || (a->access == CHECK_ATOMIC && b->access == CHECK_ATOMIC))
    return false;
  return a->group != b->group || (a->thread != b->thread && a->interval == b->interval);
}

static bool
truly_races_anywhere (const struct event *a, const struct event *b)
{
  for (uint32_t byte = a->offset; byte < a->offset + a->size; byte++)
    if (truly_races (a, b, byte))
      return true;
  return false;
}

static bool
is_reported (const struct bench *t, uint32_t line)
{
  for (guint i = 0; i < t->reports->len; i++)
    if (report_at (t, i)->location.line == line)
      return true;
  return false;
}

START_TEST (random_accesses_agree_with_all_pairs)
{
  enum { N_EVENTS = 40, SIZE = 24 };
  const struct check_options options = { CHECK_DEFAULT_KINDS, 100000 };
  struct event events[N_EVENTS];
  g_autoptr (GRand) random = g_rand_new_with_seed (_i);
  guint n_races = 0, n_silent = 0;

  for (int round = 0; round < 300; round++)
    {
      struct bench t;
      uint32_t group = 0, interval = 0;
      bool races = false;
      int n = g_rand_int_range (random, 2, N_EVENTS);

      bench_init (&t, &options);
      struct check_memory *memory = check_memory_new (t.check, CHECK_STORAGE_BUFFER, SIZE, true);
      start (&t);
      for (int i = 0; i < n; i++)
        {
          uint32_t dice = g_rand_int_range (random, 0, 12);
          uint32_t size = 1u << g_rand_int_range (random, 0, 4);
          if (dice == 0)
            begin (&t, ++group);
          else if (dice < 3)
            {
              check_group_barrier (t.run, &t.group);
              interval++;
            }
          events[i] = (struct event) { g_rand_int_range (random, 0, 3), group, g_rand_int_range (random, 0, 3), interval,
                                       g_rand_int_range (random, 0, SIZE / size) * size, size };
          touch (&t, memory, events[i].offset, size, events[i].access, events[i].thread, i + 1);
        }
      end (&t);
      for (guint i = 0; i < t.reports->len; i++)
        {
          const struct check_report *report = report_at (&t, i);
          ck_assert_int_eq (report->kind, CHECK_RACE);
          ck_assert_msg (truly_races_anywhere (&events[report->location.line - 1], &events[report->other_location.line - 1]),
                         "seed %d round %d: %s", _i, round, report->message);
        }
      /* On each byte the first access that races with an earlier one. */
      for (uint32_t byte = 0; byte < SIZE; byte++)
        {
          bool found = false;
          for (int i = 0; i < n && !found; i++)
            for (int j = 0; j < i && !found; j++)
              if (truly_races (&events[j], &events[i], byte))
                {
                  found = races = true;
                  ck_assert_msg (is_reported (&t, i + 1), "seed %d round %d: event %d is missed", _i, round, i);
                }
        }
      ck_assert_int_eq (races, t.reports->len != 0);
      n_races += races;
      n_silent += !races;
      check_memory_free (memory);
      bench_clear (&t);
    }
  ck_assert_uint_gt (n_races, 20);
  ck_assert_uint_gt (n_silent, 10);
}
END_TEST

START_TEST (memory_that_nobody_writes_is_left_alone)
{
  struct bench t;
  bench_init (&t, NULL);
  struct check_memory *memory = check_memory_new (t.check, CHECK_STORAGE_BUFFER, 64, true);
  struct check_view view = { .name = "src", .memory = memory, .size = 64, .element_size = 4, .alignment = 4, .is_read = true };
  for (int written = 0; written < 2; written++)
    {
      view.is_written = written;
      start (&t);
      check_run_views (t.run, &view, 1);
      touch (&t, memory, 0, 4, CHECK_WRITE, 0, 1);
      touch (&t, memory, 0, 4, CHECK_WRITE, 1, 1);
      end (&t);
      ck_assert_uint_eq (t.reports->len, written);
    }
  check_memory_free (memory);
  bench_clear (&t);
}
END_TEST

START_TEST (places_have_names)
{
  struct bench t;
  bench_init (&t, NULL);
  struct check_memory *buffer = check_memory_new (t.check, CHECK_STORAGE_BUFFER, 256, false);
  struct check_memory *image = check_memory_new (t.check, CHECK_STORAGE_IMAGE, 4 * 4 * 4, false);
  struct check_memory *shared = check_memory_new (t.check, CHECK_STORAGE_SHARED, 68, false);
  struct check_memory *local = check_memory_new (t.check, CHECK_STORAGE_LOCAL, 8 * 32, false);
  const struct check_view views[] =
  {
    { .name = "src", .memory = buffer, .offset = 32, .size = 64, .element_size = 16, .alignment = 16, .is_read = true },
    { .name = "img", .memory = image, .size = 64, .element_size = 4, .alignment = 4, .n_dimensions = 2, .extent = { 4, 4, 0 },
      .is_read = true }
  };
  check_memory_set_label (image, "photo");
  sites[1].argument = 0;
  sites[2].argument = 1;
  start (&t);
  check_run_views (t.run, views, G_N_ELEMENTS (views));
  touch (&t, buffer, 32 + 20, 4, CHECK_READ, 0, 2);
  touch (&t, image, 4 * (2 * 4 + 3), 4, CHECK_READ, 7, 3);
  touch (&t, shared, 8, 4, CHECK_READ, 0, 4);
  touch (&t, shared, 64, 4, CHECK_READ, 0, 4);
  touch (&t, local, 5 * 32 + 24, 4, CHECK_READ, 5, 4);
  end (&t);
  ck_assert_uint_eq (t.reports->len, 5);
  const struct check_report *report = report_at (&t, 0);
  ck_assert_str_eq (report->object, "src");
  ck_assert_uint_eq (report->offset, 20);
  ck_assert_uint_eq (report->n_indices, 1);
  ck_assert_int_eq (report->index[0], 1);
  ck_assert_uint_eq (report->limit[0], 4);
  ck_assert_str_eq (report->message, "thread (0, 0, 0) reads element 1 of “src”, which nothing has written");
  report = report_at (&t, 1);
  ck_assert_str_eq (report->object, "img");
  ck_assert_str_eq (report->object_label, "photo");
  ck_assert_uint_eq (report->n_indices, 2);
  ck_assert_int_eq (report->index[0], 3);
  ck_assert_int_eq (report->index[1], 2);
  ck_assert_str_eq (report->message, "thread (3, 1, 0) reads texel (3, 2) of “img” (“photo”), which nothing has written");
  report = report_at (&t, 2);
  ck_assert_str_eq (report->object, "tile");
  ck_assert_int_eq (report->index[0], 2);
  ck_assert_uint_eq (report->limit[0], 16);
  report = report_at (&t, 3);
  ck_assert_str_eq (report->object, "sum");
  ck_assert_uint_eq (report->offset, 0);
  ck_assert_uint_eq (report->n_indices, 0);
  report = report_at (&t, 4);
  ck_assert_str_eq (report->object, "row");
  ck_assert_uint_eq (report->offset, 8);
  ck_assert_int_eq (report->index[0], 2);
  ck_assert_int_eq (report->storage, CHECK_STORAGE_LOCAL);
  check_memory_free (buffer);
  check_memory_free (image);
  check_memory_free (shared);
  check_memory_free (local);
  bench_clear (&t);
}
END_TEST

START_TEST (views_are_compared)
{
  struct bench t;
  bench_init (&t, NULL);
  struct check_memory *memory = check_memory_new (t.check, CHECK_STORAGE_BUFFER, 256, true);
  struct check_memory *other = check_memory_new (t.check, CHECK_STORAGE_BUFFER, 256, true);
  struct check_view views[] =
  {
    { .name = "a", .memory = memory, .offset = 0, .size = 64, .element_size = 16, .alignment = 16, .is_read = true },
    { .name = "p" },
    { .name = "b", .memory = memory, .offset = 64, .size = 64, .element_size = 16, .alignment = 16, .is_written = true },
    { .name = "c", .memory = other, .offset = 0, .size = 128, .element_size = 4, .alignment = 4, .is_written = true }
  };
  start (&t);
  check_run_views (t.run, views, G_N_ELEMENTS (views));
  end (&t);
  ck_assert_uint_eq (t.reports->len, 0);
  views[2].offset = 60;
  start (&t);
  check_run_views (t.run, views, G_N_ELEMENTS (views));
  end (&t);
  ck_assert_uint_eq (t.reports->len, 2);
  const struct check_report *report = report_at (&t, 0);
  ck_assert_int_eq (report->kind, CHECK_OVERLAP);
  ck_assert_str_eq (report->object, "a");
  ck_assert_str_eq (report->other_object, "b");
  ck_assert_uint_eq (report->offset, 60);
  ck_assert_uint_eq (report->size, 4);
  ck_assert_uint_eq (report->location.line, 1000);
  ck_assert (!report->has_thread);
  ck_assert_str_eq (report->message, "“a” and “b” share 4 bytes from byte 60 of one memory on, and the kernel writes “b”");
  report = report_at (&t, 1);
  ck_assert_int_eq (report->kind, CHECK_MISALIGNED);
  ck_assert_str_eq (report->object, "b");
  ck_assert_str_eq (report->message, "“b” begins at byte 60 of its memory, and its elements are aligned to 16 bytes");
  /* Two that are only read may share. */
  views[2].offset = 48;
  views[2].is_written = false;
  views[2].is_read = true;
  g_array_set_size (t.reports, 0);
  start (&t);
  check_run_views (t.run, views, G_N_ELEMENTS (views));
  end (&t);
  ck_assert_uint_eq (t.reports->len, 0);
  check_memory_free (memory);
  check_memory_free (other);
  bench_clear (&t);
}
END_TEST

START_TEST (other_kinds_say_what_happened)
{
  const struct check_options all = { CHECK_ALL_KINDS, 100 };
  const struct check_options none = { 0, 100 };
  const int64_t index[2] = { -1, 3 };
  const uint64_t limit[2] = { 4, 8 };
  static const char *const messages[] =
  {
    "thread (1, 0, 0) reads element -1 of “thing”, which has 4",
    "thread (1, 0, 0) writes texel (-1, 3) of “thing”, which has 4 × 8",
    "thread (1, 0, 0) shifts a value of 32 bits by -3",
    "thread (1, 0, 0) shifts a value of 64 bits by 18446744073709551615",
    "thread (1, 0, 0) converts 3e+09 to int, which cannot hold it",
    "thread (1, 0, 0) converts nan to uint, which cannot hold it",
    "thread (1, 0, 0) divides -7 by 0",
    "thread (1, 0, 0) divides -2147483648 by -1, and the result does not fit its type",
    "“sqrt” gives thread (1, 0, 0) NaN, and none of its operands is NaN",
    "thread (1, 0, 0) waits at a barrier, and thread (2, 0, 0) of its workgroup does not come",
    "thread (1, 0, 0) waits at a barrier, but thread (2, 0, 0) of its workgroup waits at that on line 30",
    "thread (1, 0, 0) has not ended after 500 steps of its subgroup"
  };
  for (int on = 1; on >= 0; on--)
    {
      struct bench t;
      bench_init (&t, on ? &all : &none);
      start (&t);
      const struct check_thread thread = { &t.group, 1 }, other = { &t.group, 2 };
      check_report_bounds (t.run, &thread, &sites[0], CHECK_STORAGE_LOCAL, CHECK_READ, NULL, 1, index, limit);
      check_report_bounds (t.run, &thread, &sites[1], CHECK_STORAGE_IMAGE, CHECK_WRITE, NULL, 2, index, limit);
      check_report_shift (t.run, &thread, &sites[2], (uint64_t) -3, true, 32);
      check_report_shift (t.run, &thread, &sites[3], UINT64_MAX, false, 64);
      check_report_convert (t.run, &thread, &sites[4], 3e9, "int");
      check_report_convert (t.run, &thread, &sites[5], NAN, "uint");
      check_report_division (t.run, &thread, &sites[6], (uint64_t) -7, true, false);
      check_report_division (t.run, &thread, &sites[7], (uint64_t) INT32_MIN, true, true);
      check_report_nan (t.run, &thread, &sites[8], "sqrt");
      check_report_barrier (t.run, &thread, &sites[9], &other, NULL);
      check_report_barrier (t.run, &thread, &sites[10], &other, &sites[29]);
      check_report_loop (t.run, &thread, &sites[11], 500);
      end (&t);
      ck_assert_uint_eq (t.reports->len, on ? G_N_ELEMENTS (messages) : 0);
      for (guint i = 0; i < t.reports->len; i++)
        {
          ck_assert_str_eq (report_at (&t, i)->message, messages[i]);
          ck_assert_uint_eq (report_at (&t, i)->location.line, i + 1);
          ck_assert_uint_eq (report_at (&t, i)->thread[0], 1);
          ck_assert_uint_eq (report_at (&t, i)->count, 1);
        }
      bench_clear (&t);
    }
}
END_TEST

START_TEST (kinds_are_switched_off)
{
  struct bench t;
  for (int off = 0; off < 2; off++)
    {
      const struct check_options options = { off ? CHECK_ALL_KINDS & ~CHECK_KIND_MASK (CHECK_RACE)
                                                   & ~CHECK_KIND_MASK (CHECK_UNINITIALISED)
                                                   & ~CHECK_KIND_MASK (CHECK_OUT_OF_BOUNDS) : CHECK_ALL_KINDS, 10 };
      bench_init (&t, &options);
      struct check_memory *memory = check_memory_new (t.check, CHECK_STORAGE_BUFFER, 64, false);
      start (&t);
      ck_assert_int_eq (check_run_wants (t.run, CHECK_RACE), !off);
      touch (&t, memory, 0, 4, CHECK_READ, 0, 1);
      touch (&t, memory, 0, 4, CHECK_WRITE, 1, 2);
      ck_assert (!touch (&t, memory, 64, 4, CHECK_WRITE, 1, 3));
      end (&t);
      ck_assert_uint_eq (t.reports->len, off ? 0 : 3);
      check_memory_free (memory);
      bench_clear (&t);
    }
  bench_init (&t, NULL);
  start (&t);
  ck_assert (!check_run_wants (t.run, CHECK_NAN));
  ck_assert (check_run_wants (t.run, CHECK_ENDLESS_LOOP));
  end (&t);
  bench_clear (&t);
}
END_TEST

START_TEST (reports_are_counted_and_limited)
{
  const struct check_options options = { CHECK_DEFAULT_KINDS, 3 };
  struct bench t;
  uint64_t left_out;
  bench_init (&t, &options);
  for (int round = 0; round < 2; round++)
    {
      start (&t);
      const struct check_thread thread = { &t.group, 1 };
      for (int i = 0; i < 10; i++)
        check_report_loop (t.run, &thread, &sites[i / 2], 500);
      end (&t);
    }
  /* Three, and the note; nothing of the second round is new. */
  ck_assert_uint_eq (t.reports->len, 4);
  ck_assert_uint_eq (report_at (&t, 0)->count, 2);
  ck_assert_int_eq (report_at (&t, 3)->kind, CHECK_N_KINDS);
  ck_assert_str_eq (report_at (&t, 3)->message, "there are more reports than 3: the others are left out");
  g_autoptr (GArray) all = check_dup_reports (t.check, &left_out);
  ck_assert_uint_eq (all->len, 4);
  ck_assert_uint_eq (g_array_index (all, struct check_report, 2).count, 4);
  ck_assert_uint_eq (left_out, 2);
  bench_clear (&t);
}
END_TEST

START_TEST (a_race_has_no_direction)
{
  struct bench t;
  bench_init (&t, NULL);
  struct check_memory *memory = check_memory_new (t.check, CHECK_STORAGE_BUFFER, 64, true);
  start (&t);
  touch (&t, memory, 0, 4, CHECK_WRITE, 0, 5);
  touch (&t, memory, 0, 4, CHECK_READ, 1, 6);
  touch (&t, memory, 4, 4, CHECK_READ, 0, 6);
  touch (&t, memory, 4, 4, CHECK_WRITE, 1, 5);
  end (&t);
  ck_assert_uint_eq (one_report (&t, CHECK_RACE, 6, 5)->count, 2);
  check_memory_free (memory);
  bench_clear (&t);
}
END_TEST

/* Two variables of one shared memory, one line. */
START_TEST (objects_are_told_apart)
{
  struct bench t;
  bench_init (&t, NULL);
  struct check_memory *memory = check_memory_new (t.check, CHECK_STORAGE_SHARED, 68, false);
  start (&t);
  for (int i = 0; i < 4; i++)
    touch (&t, memory, i % 2 ? 64 : 0, 4, CHECK_READ, 0, 5);
  end (&t);
  ck_assert_uint_eq (t.reports->len, 2);
  ck_assert_str_eq (report_at (&t, 0)->object, "tile");
  ck_assert_uint_eq (report_at (&t, 0)->count, 2);
  ck_assert_str_eq (report_at (&t, 1)->object, "sum");
  ck_assert_uint_eq (report_at (&t, 1)->count, 2);
  check_memory_free (memory);
  bench_clear (&t);
}
END_TEST

struct host
{
  struct check_memory *memory;
  gint stops, rounds;            /* atomic */
};

/* Bytes 64 to 99, in one word of bits with those of the dispatch. */
static gpointer
mark_and_forget (gpointer data)
{
  struct host *host = data;
  for (int i = 0; g_atomic_int_get (&host->stops) == 0; i++)
    {
      check_memory_initialise (host->memory, 64 + i % 36, 1);
      check_memory_uninitialise (host->memory, 64 + i % 36, 1);
      g_atomic_int_inc (&host->rounds);
    }
  return NULL;
}

/* The host works beside a dispatch: bits of neighbours are never lost. Goes on until the two have met often enough, which on
 * one processor they do when one is interrupted. */
START_TEST (marks_of_two_threads_are_both_kept)
{
  struct bench t;
  int met = 0, before = 0;
  bench_init (&t, NULL);
  struct host host = { check_memory_new (t.check, CHECK_STORAGE_BUFFER, 128, false), 0, 0 };
  GThread *thread = g_thread_new ("host", mark_and_forget, &host);
  start (&t);
  for (int i = 0; met < 20000 && i < 20000000; i++)
    {
      uint32_t at = 100 + i % 28;
      int rounds = g_atomic_int_get (&host.rounds);
      check_memory_uninitialise (host.memory, at, 1);
      ck_assert (!check_memory_is_initialised (host.memory, at, 1));
      check_memory_initialise (host.memory, at, 1);
      ck_assert (check_memory_is_initialised (host.memory, at, 1));
      if (i % 8 == 0)
        touch (&t, host.memory, at, 1, CHECK_WRITE, 0, 1);
      met += rounds != before;
      before = rounds;
    }
  g_atomic_int_set (&host.stops, 1);
  g_thread_join (thread);
  end (&t);
  ck_assert_int_gt (met, 0);
  ck_assert_uint_eq (t.reports->len, 0);
  /* Neither has left a bit of the other's. */
  for (uint32_t at = 64; at < 100; at++)
    ck_assert (!check_memory_is_initialised (host.memory, at, 1));
  for (uint32_t at = 100; at < 128; at++)
    ck_assert (check_memory_is_initialised (host.memory, at, 1));
  check_memory_free (host.memory);
  bench_clear (&t);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("check");
  TCase *test_case = gb_test_case (suite, "shadow");

  tcase_add_test (test_case, kinds_have_names);
  tcase_add_test (test_case, bytes_are_marked_one_by_one);
  tcase_add_test (test_case, ranges_are_cut);
  tcase_add_test (test_case, copies_carry_what_is_known);
  tcase_add_test (test_case, reads_of_nothing_are_reported);
  tcase_add_test (test_case, nothing_is_touched_outside);
  tcase_add_test (test_case, marks_of_two_threads_are_both_kept);
  test_case = gb_test_case (suite, "races");
  tcase_add_loop_test (test_case, pairs_race, 0, G_N_ELEMENTS (race_cases));
  tcase_add_test (test_case, writers_meet_all_readers);
  tcase_add_loop_test (test_case, random_accesses_agree_with_all_pairs, 0, 20);
  tcase_add_test (test_case, memory_that_nobody_writes_is_left_alone);
  test_case = gb_test_case (suite, "reports");
  tcase_add_test (test_case, places_have_names);
  tcase_add_test (test_case, views_are_compared);
  tcase_add_test (test_case, other_kinds_say_what_happened);
  tcase_add_test (test_case, kinds_are_switched_off);
  tcase_add_test (test_case, reports_are_counted_and_limited);
  tcase_add_test (test_case, a_race_has_no_direction);
  tcase_add_test (test_case, objects_are_told_apart);
  return suite;
}

GB_TEST_MAIN (make_suite)
