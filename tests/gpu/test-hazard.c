/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The hazard tracker against a model that keeps every byte: whatever depends on
 * something must come in a later layer behind a barrier that covers both, and
 * nothing else may be kept waiting while intervals last. */

#include "config.h"

#include "gpu/command/hazard.h"
#include "gpu/gabbro-private.h"
#include "gpu/command/recorder.h"
#include "tests/gpu/device-test.h"

#define MAX_COMMANDS  60
#define MAX_ACCESSES  3
#define N_RESOURCES   3
#define RESOURCE_SIZE 96

struct command
{
  struct hazard_access accesses[MAX_ACCESSES];
  guint n_accesses;
  guint32 layer;
  gboolean was_whole;                    /* a resource of it had collapsed before */
};

struct model
{
  struct command commands[MAX_COMMANDS];
  guint n_commands;
  /* Of each byte: the last command that wrote it, and those that read it since. */
  gint writer[N_RESOURCES][RESOURCE_SIZE];
  gboolean readers[N_RESOURCES][RESOURCE_SIZE][MAX_COMMANDS];
  /* [later][earlier]: what a barrier between them must cover; no stages: nothing. */
  struct gabbro_barrier depends[MAX_COMMANDS][MAX_COMMANDS];
};

static char resources[N_RESOURCES];

static guint
resource_index (const struct hazard_access *access)
{
  return (guint) ((const char *) access->resource - resources);
}

static struct hazard_access
random_access (GRand *rand, guint grid)
{
  struct hazard_access access = { .resource = &resources[g_rand_int_range (rand, 0, N_RESOURCES)], .resource_size = RESOURCE_SIZE };
  gboolean transfer = g_rand_boolean (rand);
  gint mode = g_rand_int_range (rand, 0, transfer ? 2 : 3);
  gint n_cells = RESOURCE_SIZE / (gint) grid;
  gint first = g_rand_int_range (rand, 0, n_cells);

  access.begin = (guint64) first * grid;
  access.end = access.begin + (guint64) g_rand_int_range (rand, 1, n_cells - first + 1) * grid;
  access.stages = transfer ? GABBRO_STAGE_TRANSFER : GABBRO_STAGE_COMPUTE;
  if (mode != 1)
    access.read_access = transfer ? GABBRO_ACCESS_TRANSFER_READ : GABBRO_ACCESS_SHADER_READ;
  if (mode != 0)
    access.write_access = transfer ? GABBRO_ACCESS_TRANSFER_WRITE : GABBRO_ACCESS_SHADER_WRITE;
  return access;
}

/* A command is all transfer or all compute, and does not name a resource twice. */
static void
random_command (GRand *rand, guint grid, struct command *command)
{
  gint n = g_rand_int_range (rand, 1, MAX_ACCESSES + 1);

  command->n_accesses = 0;
  for (gint i = 0; i < n; i++)
    {
      struct hazard_access access = random_access (rand, grid);
      gboolean twice = FALSE;

      for (guint j = 0; j < command->n_accesses; j++)
        twice = twice || command->accesses[j].resource == access.resource || command->accesses[j].stages != access.stages;
      if (!twice)
        command->accesses[command->n_accesses++] = access;
    }
}

static void
model_depend (struct model *model, guint later, guint earlier, const struct hazard_access *access, guint resource, guint64 byte)
{
  struct gabbro_barrier *needed = &model->depends[later][earlier];
  const struct command *command = &model->commands[earlier];

  for (guint i = 0; i < command->n_accesses; i++)
    {
      const struct hazard_access *source = &command->accesses[i];

      if (resource_index (source) != resource || byte < source->begin || byte >= source->end)
        continue;
      needed->source_stages |= source->stages;
      needed->destination_stages |= access->stages;
      /* Nothing of a read has to be made visible. */
      needed->source_access |= source->write_access;
      if (source->write_access != 0)
        needed->destination_access |= access->read_access | access->write_access;
    }
}

static void
model_add (struct model *model, guint at)
{
  const struct command *command = &model->commands[at];

  for (guint i = 0; i < command->n_accesses; i++)
    {
      const struct hazard_access *access = &command->accesses[i];
      guint resource = resource_index (access);

      for (guint64 byte = access->begin; byte < access->end; byte++)
        {
          gboolean *readers = model->readers[resource][byte];

          if (model->writer[resource][byte] >= 0)
            model_depend (model, at, (guint) model->writer[resource][byte], access, resource, byte);
          if (access->write_access != 0)
            {
              for (guint j = 0; j < at; j++)
                if (readers[j])
                  model_depend (model, at, j, access, resource, byte);
              memset (readers, 0, sizeof model->readers[resource][byte]);
              model->writer[resource][byte] = (gint) at;
            }
          else
            readers[at] = TRUE;
        }
    }
}

static gboolean
covers (const struct gabbro_barrier *barrier, const struct gabbro_barrier *needed)
{
  return (needed->source_stages & ~barrier->source_stages) == 0 && (needed->source_access & ~barrier->source_access) == 0
         && (needed->destination_stages & ~barrier->destination_stages) == 0
         && (needed->destination_access & ~barrier->destination_access) == 0;
}

static gboolean
is_separated (const struct hazard_tracker *tracker, const struct model *model, guint earlier, guint later)
{
  for (guint32 layer = model->commands[earlier].layer + 1; layer <= model->commands[later].layer; layer++)
    if (covers (&tracker->layers[layer].before, &model->depends[later][earlier]))
      return TRUE;
  return FALSE;
}

static void
check_layers (const struct hazard_tracker *tracker, const struct model *model)
{
  guint n_commands = 0, n_barriers = 0;

  for (guint32 i = 0; i < tracker->n_layers; i++)
    {
      const struct hazard_layer *layer = &tracker->layers[i];

      n_commands += layer->n_commands;
      ck_assert_uint_gt (layer->n_commands, 0);
      ck_assert_int_eq (layer->before.source_stages != 0, i > 0);
      if (i == 0)
        continue;
      n_barriers++;
      ck_assert_uint_lt (layer->cause.earlier, layer->cause.later);
      ck_assert_uint_lt (layer->cause.later, model->n_commands);
      ck_assert_uint_eq (model->commands[layer->cause.later].layer, i);
      ck_assert_uint_lt (layer->cause.begin, layer->cause.end);
      if (tracker->n_collapsed == 0)
        ck_assert_msg (model->depends[layer->cause.later][layer->cause.earlier].source_stages != 0, "the cause of barrier %u is no dependency", i);
    }
  ck_assert_uint_eq (n_commands, model->n_commands);
  ck_assert_uint_eq (hazard_tracker_n_barriers (tracker), n_barriers);
}

static void
check_model (const struct hazard_tracker *tracker, const struct model *model, guint seed)
{
  for (guint later = 0; later < model->n_commands; later++)
    {
      const struct command *command = &model->commands[later];
      guint32 earliest = 0;

      for (guint earlier = 0; earlier < later; earlier++)
        {
          if (model->depends[later][earlier].source_stages == 0)
            continue;
          earliest = MAX (earliest, model->commands[earlier].layer + 1);
          ck_assert_msg (is_separated (tracker, model, earlier, later),
                         "seed %u: no barrier between command %u in layer %u and command %u in layer %u", seed, earlier,
                         model->commands[earlier].layer, later, command->layer);
        }
      if (command->was_whole)
        ck_assert_uint_ge (command->layer, earliest);
      else
        ck_assert_msg (command->layer == earliest, "seed %u: command %u waits in layer %u, could go in %u", seed, later,
                       command->layer, earliest);
    }
  check_layers (tracker, model);
}

static gboolean
names_whole (const struct hazard_tracker *tracker, const struct command *command)
{
  for (guint i = 0; i < command->n_accesses; i++)
    for (guint32 j = 0; j < tracker->n_entries; j++)
      if (tracker->entries[j].resource == command->accesses[i].resource && tracker->entries[j].is_whole)
        return TRUE;
  return FALSE;
}

static guint
run_model (struct hazard_tracker *tracker, guint seed, guint grid)
{
  GRand *rand = g_rand_new_with_seed (seed);
  struct model *model = g_new0 (struct model, 1);
  guint n_collapsed;

  memset (model->writer, 0xff, sizeof model->writer);
  model->n_commands = (guint) g_rand_int_range (rand, 2, MAX_COMMANDS);
  hazard_tracker_reset (tracker);
  for (guint i = 0; i < model->n_commands; i++)
    {
      struct command *command = &model->commands[i];

      random_command (rand, grid, command);
      command->was_whole = names_whole (tracker, command);
      command->layer = hazard_tracker_add (tracker, i, command->accesses, command->n_accesses);
      model_add (model, i);
    }
  check_model (tracker, model, seed);
  n_collapsed = tracker->n_collapsed;
  g_free (model);
  g_rand_free (rand);
  return n_collapsed;
}

/* A grid of eight cells never needs a ninth interval. */
START_TEST (random_on_a_grid)
{
  struct hazard_tracker tracker;

  hazard_tracker_init (&tracker);
  for (guint seed = 0; seed < 1500; seed++)
    ck_assert_uint_eq (run_model (&tracker, seed, RESOURCE_SIZE / HAZARD_MAX_INTERVALS), 0);
  hazard_tracker_clear (&tracker);
}
END_TEST

START_TEST (random_bytes)
{
  struct hazard_tracker tracker;
  guint n_collapsed = 0;

  hazard_tracker_init (&tracker);
  for (guint seed = 0; seed < 1500; seed++)
    n_collapsed += run_model (&tracker, seed, 1);
  hazard_tracker_clear (&tracker);
  ck_assert_uint_gt (n_collapsed, 100);
}
END_TEST

static struct hazard_access
access_of (guint64 begin, guint64 end, gboolean write)
{
  return (struct hazard_access) {
    .resource = &resources[0], .resource_size = RESOURCE_SIZE, .begin = begin, .end = end, .stages = GABBRO_STAGE_COMPUTE,
    .read_access = write ? 0 : GABBRO_ACCESS_SHADER_READ, .write_access = write ? GABBRO_ACCESS_SHADER_WRITE : 0
  };
}

START_TEST (eight_intervals_and_one_over)
{
  struct hazard_tracker tracker;
  struct hazard_access access;

  hazard_tracker_init (&tracker);
  for (guint i = 0; i < HAZARD_MAX_INTERVALS; i++)
    {
      access = access_of (i * 8, i * 8 + 4, TRUE);
      ck_assert_uint_eq (hazard_tracker_add (&tracker, i, &access, 1), 0);
    }
  ck_assert_uint_eq (tracker.entries[0].n_intervals, HAZARD_MAX_INTERVALS);
  ck_assert (!tracker.entries[0].is_whole);
  ck_assert_uint_eq (tracker.n_collapsed, 0);
  /* What lies between is still free. */
  access = access_of (4, 8, FALSE);
  ck_assert_uint_eq (hazard_tracker_add (&tracker, 8, &access, 1), 0);
  ck_assert (tracker.entries[0].is_whole);
  ck_assert_uint_eq (tracker.n_collapsed, 1);
  /* And now it is not. */
  access = access_of (12, 16, FALSE);
  ck_assert_uint_eq (hazard_tracker_add (&tracker, 9, &access, 1), 1);
  ck_assert_uint_eq (tracker.n_collapsed, 1);
  ck_assert_uint_eq (hazard_tracker_n_barriers (&tracker), 1);
  hazard_tracker_clear (&tracker);
}
END_TEST

START_TEST (disjoint_halves)
{
  struct hazard_tracker tracker;
  struct hazard_access low = access_of (0, RESOURCE_SIZE / 2, TRUE), high = access_of (RESOURCE_SIZE / 2, RESOURCE_SIZE, TRUE);

  hazard_tracker_init (&tracker);
  for (guint i = 0; i < 100; i++)
    {
      ck_assert_uint_eq (hazard_tracker_add (&tracker, 2 * i, &low, 1), i);
      ck_assert_uint_eq (hazard_tracker_add (&tracker, 2 * i + 1, &high, 1), i);
    }
  ck_assert_uint_eq (hazard_tracker_n_barriers (&tracker), 99);
  ck_assert_int_eq (tracker.layers[1].cause.kind, HAZARD_WRITE_AFTER_WRITE);
  hazard_tracker_clear (&tracker);
}
END_TEST

/* Readers side by side; a writer after all of them, without making reads visible. */
START_TEST (readers)
{
  struct hazard_tracker tracker;
  struct hazard_access read = access_of (0, 16, FALSE), write = access_of (0, 16, TRUE);

  hazard_tracker_init (&tracker);
  for (guint i = 0; i < 50; i++)
    ck_assert_uint_eq (hazard_tracker_add (&tracker, i, &read, 1), 0);
  ck_assert_uint_eq (hazard_tracker_add (&tracker, 50, &write, 1), 1);
  ck_assert_int_eq (tracker.layers[1].cause.kind, HAZARD_WRITE_AFTER_READ);
  ck_assert_uint_eq (tracker.layers[1].before.source_access, 0);
  ck_assert_uint_eq (tracker.layers[1].before.source_stages, GABBRO_STAGE_COMPUTE);
  hazard_tracker_clear (&tracker);
}
END_TEST

/* Many resources: the table grows and finds each again. */
START_TEST (many_resources)
{
  static char many[5000];
  struct hazard_tracker tracker;

  hazard_tracker_init (&tracker);
  for (guint round = 0; round < 3; round++)
    for (guint i = 0; i < G_N_ELEMENTS (many); i++)
      {
        struct hazard_access access = access_of (0, 4, TRUE);

        access.resource = &many[i];
        ck_assert_uint_eq (hazard_tracker_add (&tracker, round * G_N_ELEMENTS (many) + i, &access, 1), round);
      }
  ck_assert_uint_eq (tracker.n_entries, G_N_ELEMENTS (many));
  ck_assert_uint_eq (hazard_tracker_n_barriers (&tracker), 2);
  hazard_tracker_clear (&tracker);
}
END_TEST

/* In words, through the public list; and the count of collapsed resources as an attribute. */
START_TEST (explained)
{
  struct device_test test = null_test_begin ("1");
  GabbroBuffer *a = new_buffer (test.device, "uint", 1024), *b = new_buffer (test.device, "uint", 1024);
  GabbroCommandList *list = new_list (test.device);
  GVariant *collapsed;
  char **lines;

  gabbro_command_list_fill (list, a, 0, 64, 1, NULL);
  gabbro_command_list_copy_buffer (list, a, 16, b, 0, 32, NULL);
  gabbro_command_list_fill (list, a, 32, 4, 2, NULL);
  ck_assert_uint_eq (gabbro_command_list_get_n_commands (list), 3);
  ck_assert_uint_eq (gabbro_command_list_get_n_barriers (list), 2);
  lines = gabbro_command_list_explain_barriers (list);
  ck_assert_uint_eq (g_strv_length (lines), 2);
  ck_assert_ptr_nonnull (strstr (lines[0], "#1 (copy of 32 bytes) after #0 (fill of 64 bytes): read after write"));
  ck_assert_ptr_nonnull (strstr (lines[0], "bytes 16 to 48"));
  ck_assert_ptr_nonnull (strstr (lines[1], "#2 (fill of 4 bytes) after #1 (copy of 32 bytes): write after read"));
  ck_assert_ptr_nonnull (strstr (lines[1], "bytes 32 to 36"));
  g_strfreev (lines);
  for (guint i = 0; i < 9; i++)
    gabbro_command_list_fill (list, b, 256 + i * 8, 4, i, NULL);
  submit_list (test.stream, list);
  synchronize (test.stream);
  collapsed = gabbro_context_get_attribute (test.context, gabbro_device_get_path (test.device), "collapsed-resources", NULL);
  ck_assert_uint_eq (g_variant_get_uint64 (collapsed), 1);
  g_variant_unref (collapsed);
  g_object_unref (a);
  g_object_unref (b);
  device_test_end (&test);
}
END_TEST

/* The barriers that no list can do without: before the first layer against all that ran before, after
 * the last one for the host, which reads mapped memory. */
START_TEST (ends_of_a_plan)
{
  struct device_test test = null_test_begin ("1");
  GabbroBuffer *a = new_buffer (test.device, "uint", 16);
  GabbroCommandList *list = fill_list (test.device, a, 1);
  const struct gabbro_command_plan *plan = &gabbro_command_list_get_recorder (list)->plan;

  submit (test.stream, list);
  ck_assert_uint_eq (plan->n_layers, 1);
  ck_assert_uint_eq (plan->layers[0].before.source_stages, GABBRO_STAGE_ALL);
  ck_assert_uint_eq (plan->layers[0].before.source_access, GABBRO_ACCESS_MEMORY_WRITE);
  ck_assert_uint_eq (plan->layers[0].before.destination_stages, GABBRO_STAGE_ALL);
  ck_assert_uint_eq (plan->layers[0].before.destination_access, GABBRO_ACCESS_MEMORY_READ | GABBRO_ACCESS_MEMORY_WRITE);
  ck_assert_uint_eq (plan->last.source_stages, GABBRO_STAGE_COMPUTE | GABBRO_STAGE_TRANSFER);
  ck_assert_uint_eq (plan->last.source_access, GABBRO_ACCESS_SHADER_WRITE | GABBRO_ACCESS_TRANSFER_WRITE);
  ck_assert_uint_eq (plan->last.destination_stages, GABBRO_STAGE_HOST);
  ck_assert_uint_eq (plan->last.destination_access, GABBRO_ACCESS_HOST_READ);
  g_object_unref (list);
  g_object_unref (a);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("hazard");
  TCase *test_case = null_test_case (suite, "hazard");

  tcase_add_test (test_case, random_on_a_grid);
  tcase_add_test (test_case, random_bytes);
  tcase_add_test (test_case, eight_intervals_and_one_over);
  tcase_add_test (test_case, disjoint_halves);
  tcase_add_test (test_case, readers);
  tcase_add_test (test_case, many_resources);
  tcase_add_test (test_case, explained);
  tcase_add_test (test_case, ends_of_a_plan);
  return suite;
}

GB_TEST_MAIN (make_suite)
