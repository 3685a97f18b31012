/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random graphs of streams, signals and waits, each from a seed: a cycle is refused by
 * the call that would close it, everything else completes, and what a wait lets
 * through sees what was written before the signal. A model that knows nothing of how
 * the library does it says which is which.
 *
 * GABBRO_TEST_GRAPHS=N makes another number of graphs, GABBRO_TEST_SEED=N begins with another seed. */

#include "config.h"

#include "tests/gpu/device-test.h"

#define MAX_STREAMS 4
#define MAX_EVENTS  4
#define MAX_STEPS   24
#define ENOUGH      100                  /* graphs that must have some of both kinds; a seed alone may not */

enum step_kind { STEP_WRITE, STEP_SIGNAL, STEP_WAIT };

/* One operation of a stream. A signal writes its word of the board before; a wait copies the whole
 * board to a place of its own after. */
struct step
{
  enum step_kind kind;
  guint stream, event;
  guint64 value;
  gboolean accepted;
};

struct graph
{
  struct device_test *test;
  guint seed;
  guint n_streams, n_events, n_steps;
  gboolean one_owner;                    /* each event is signalled by one stream alone */
  struct step steps[MAX_STEPS];
  GabbroStream *streams[MAX_STREAMS];
  GabbroEvent *events[MAX_EVENTS];
  guint64 last[MAX_EVENTS];
  gboolean settled[MAX_STREAMS];         /* completed before the host helped */
  GabbroBuffer *board, *copies;
};

static guint32
word_of (const struct graph *graph, guint step)
{
  return 0x10000u * (graph->seed % 0x7000 + 1) + step + 1;
}

/* The model. A step can happen when the one before it in its stream can, and if it is a wait, when one
 * of the signals that would do can; without any such signal it can if `host_helps`. */
static void
find_possible (const struct graph *graph, guint n, gboolean host_helps, gboolean first_signal_only, gboolean possible[MAX_STEPS])
{
  gboolean grows = TRUE;

  memset (possible, 0, MAX_STEPS * sizeof *possible);
  while (grows)
    {
      grows = FALSE;
      for (guint i = 0; i < n; i++)
        {
          const struct step *step = &graph->steps[i];
          gboolean can = TRUE, any_signal = FALSE, signalled = FALSE;

          if (possible[i] || !step->accepted)
            continue;
          for (guint j = 0; j < i; j++)
            if (graph->steps[j].accepted && graph->steps[j].stream == step->stream)
              can = possible[j];
          if (step->kind == STEP_WAIT)
            {
              for (guint j = 0; j < n; j++)
                {
                  const struct step *signal = &graph->steps[j];

                  if (signal->kind != STEP_SIGNAL || !signal->accepted || signal->event != step->event || signal->value < step->value)
                    continue;
                  if (!any_signal || !first_signal_only)
                    signalled = signalled || possible[j];
                  any_signal = TRUE;
                }
              can = can && (any_signal ? signalled : host_helps);
            }
          if (can)
            possible[i] = grows = TRUE;
        }
    }
}

static GabbroCommandList *
list_of (struct graph *graph, guint at)
{
  const struct step *step = &graph->steps[at];
  GabbroCommandList *list = new_list (graph->test->device);
  GError *error = NULL;

  if (step->kind == STEP_WAIT)
    gabbro_command_list_copy_buffer (list, graph->board, 0, graph->copies, at * MAX_STEPS * 4, MAX_STEPS * 4, &error);
  else
    gabbro_command_list_fill (list, graph->board, at * 4, 4, word_of (graph, at), &error);
  assert_no_error (error);
  return list;
}

/* Gives a step to the library; FALSE: it refused a signal. */
static gboolean
do_step (struct graph *graph, guint at, GError **error)
{
  struct step *step = &graph->steps[at];
  GabbroStream *stream = graph->streams[step->stream];
  gboolean ok = TRUE;

  if (step->kind == STEP_WAIT)
    ok = gabbro_stream_wait (stream, graph->events[step->event], step->value, error);
  submit_list (stream, list_of (graph, at));
  if (step->kind == STEP_SIGNAL)
    ok = gabbro_stream_signal (stream, graph->events[step->event], step->value, error);
  step->accepted = ok;
  return ok;
}

static void
graph_begin (struct graph *graph, struct device_test *test, guint seed, GRand *rand)
{
  guint32 zeros[MAX_STEPS] = { 0 };

  memset (graph, 0, sizeof *graph);
  graph->test = test;
  graph->seed = seed;
  graph->one_owner = seed % 2 == 0;
  graph->n_streams = (guint) g_rand_int_range (rand, 2, MAX_STREAMS + 1);
  graph->n_events = (guint) g_rand_int_range (rand, 1, MAX_EVENTS + 1);
  graph->n_steps = (guint) g_rand_int_range (rand, 4, MAX_STEPS + 1);
  for (guint i = 0; i < graph->n_streams; i++)
    graph->streams[i] = new_stream (test->device, NULL);
  for (guint i = 0; i < graph->n_events; i++)
    graph->events[i] = new_event (test->device);
  graph->board = new_buffer (test->device, "uint", MAX_STEPS);
  graph->copies = new_buffer (test->device, "uint", MAX_STEPS * MAX_STEPS);
  upload (graph->board, zeros, sizeof zeros);
}

static void
graph_end (struct graph *graph)
{
  for (guint i = 0; i < graph->n_streams; i++)
    g_object_unref (graph->streams[i]);
  for (guint i = 0; i < graph->n_events; i++)
    g_object_unref (graph->events[i]);
  g_object_unref (graph->board);
  g_object_unref (graph->copies);
}

static struct step
random_step (struct graph *graph, GRand *rand)
{
  struct step step = { .stream = (guint) g_rand_int_range (rand, 0, (gint) graph->n_streams),
                       .event = (guint) g_rand_int_range (rand, 0, (gint) graph->n_events) };
  guint64 last = graph->last[step.event];

  switch (g_rand_int_range (rand, 0, 5))
    {
    case 0:
      step.kind = STEP_WRITE;
      break;
    case 1:
    case 2:
      step.kind = STEP_SIGNAL;
      step.value = last + (guint64) g_rand_int_range (rand, 1, 3);
      if (graph->one_owner)
        step.stream = step.event % graph->n_streams;
      break;
    default:
      step.kind = STEP_WAIT;
      step.value = (guint64) g_rand_int_range (rand, 1, (gint) last + 3);
      break;
    }
  return step;
}

/* The signal number `at` was taken or refused; was that right? */
static void
check_signal (struct graph *graph, guint at, gboolean ok, const GError *error)
{
  gboolean by_any[MAX_STEPS], by_first[MAX_STEPS];

  if (!ok)
    ck_assert_msg (g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_DEADLOCK), "seed %u: %s", graph->seed, error->message);
  graph->steps[at].accepted = TRUE;
  find_possible (graph, at + 1, TRUE, FALSE, by_any);
  find_possible (graph, at + 1, TRUE, TRUE, by_first);
  graph->steps[at].accepted = ok;
  /* In between both are right: whether a later signal was faster is a matter of time. */
  ck_assert_msg (by_any[at] || !ok, "seed %u: the cycle of step %u was not found", graph->seed, at);
  ck_assert_msg (!by_first[at] || ok, "seed %u: step %u closes no cycle: %s", graph->seed, at, ok ? "" : error->message);
}

/* Streams of which every step can happen without the host do complete. */
static void
check_possible (struct graph *graph)
{
  gboolean possible[MAX_STEPS];

  find_possible (graph, graph->n_steps, FALSE, TRUE, possible);
  for (guint stream = 0; stream < graph->n_streams; stream++)
    {
      gboolean all = TRUE;

      for (guint i = 0; i < graph->n_steps; i++)
        all = all && (graph->steps[i].stream != stream || !graph->steps[i].accepted || possible[i]);
      if (all)
        synchronize (graph->streams[stream]);
      graph->settled[stream] = all;
    }
}

/* Raises every event beyond all waits: everything must complete now. */
static void
let_go (struct graph *graph)
{
  GError *error = NULL;

  for (guint i = 0; i < graph->n_events; i++)
    {
      gabbro_event_signal (graph->events[i], 1000, &error);
      assert_no_error (error);
    }
  for (guint i = 0; i < graph->n_streams; i++)
    {
      gabbro_stream_synchronize (graph->streams[i], 30 * SECOND, &error);
      if (error != NULL)
        ck_abort_msg ("seed %u: stream %u: %s", graph->seed, i, error->message);
    }
}

/* Behind a wait the words of a signal that ended it are on the board. */
static void
check_data (struct graph *graph)
{
  guint32 copies[MAX_STEPS * MAX_STEPS], board[MAX_STEPS];

  download (graph->copies, copies, sizeof copies);
  download (graph->board, board, sizeof board);
  for (guint i = 0; i < graph->n_steps; i++)
    {
      const struct step *step = &graph->steps[i];
      gboolean seen = FALSE, any = FALSE;

      if (step->kind != STEP_WAIT)
        ck_assert_uint_eq (board[i], word_of (graph, i));
      if (step->kind != STEP_WAIT || !graph->settled[step->stream])
        continue;
      for (guint j = 0; j < graph->n_steps && !(any && graph->one_owner); j++)
        {
          const struct step *signal = &graph->steps[j];

          if (signal->kind != STEP_SIGNAL || !signal->accepted || signal->event != step->event || signal->value < step->value)
            continue;
          any = TRUE;
          seen = seen || copies[i * MAX_STEPS + j] == word_of (graph, j);
        }
      ck_assert_msg (seen, "seed %u: the wait of step %u does not see what was signalled", graph->seed, i);
    }
}

static gboolean
run_graph (struct device_test *test, guint seed)
{
  GRand *rand = g_rand_new_with_seed (seed);
  struct graph graph;
  guint n_refused = 0;

  graph_begin (&graph, test, seed, rand);
  for (guint i = 0; i < graph.n_steps; i++)
    {
      GError *error = NULL;
      gboolean ok;

      graph.steps[i] = random_step (&graph, rand);
      ok = do_step (&graph, i, &error);
      if (graph.steps[i].kind == STEP_SIGNAL)
        check_signal (&graph, i, ok, error);
      else
        assert_no_error (error);
      if (ok && graph.steps[i].kind == STEP_SIGNAL)
        graph.last[graph.steps[i].event] = graph.steps[i].value;
      n_refused += !ok;
      g_clear_error (&error);
    }
  check_possible (&graph);
  let_go (&graph);
  check_data (&graph);
  graph_end (&graph);
  g_rand_free (rand);
  return n_refused > 0;
}

static guint
number_of (const char *variable, guint fallback)
{
  const char *text = g_getenv (variable);
  return text != NULL ? (guint) g_ascii_strtoull (text, NULL, 10) : fallback;
}

static void
run_graphs (struct device_test *test, guint n)
{
  guint first = number_of ("GABBRO_TEST_SEED", 0), n_cyclic = 0;

  n = number_of ("GABBRO_TEST_GRAPHS", n);
  for (guint i = 0; i < n; i++)
    n_cyclic += run_graph (test, first + i);
  if (n >= ENOUGH)
    {
      ck_assert_uint_gt (n_cyclic, n / 50);
      ck_assert_uint_lt (n_cyclic, n - n / 50);
    }
}

START_TEST (one_queue)
{
  struct device_test test = null_test_begin ("queues=1");

  run_graphs (&test, 5000);
  device_test_end (&test);
}
END_TEST

START_TEST (two_queues)
{
  struct device_test test = null_test_begin ("queues=2");

  run_graphs (&test, 5000);
  device_test_end (&test);
}
END_TEST

START_TEST (short_timeline)
{
  struct device_test test = null_test_begin ("queues=2,max-timeline-difference=1");

  run_graphs (&test, 1000);
  device_test_end (&test);
}
END_TEST

/* What comes in while the watcher retires, and is held back, goes on afterwards. */
START_TEST (slow_retiring)
{
  struct device_test test = null_test_begin ("queues=2,max-timeline-difference=1,retire-delay=300");

  run_graphs (&test, 300);
  device_test_end (&test);
}
END_TEST

START_TEST (llvmpipe)
{
  struct device_test test = device_test_begin ();

  run_graphs (&test, 200);
  device_test_end (&test);
}
END_TEST

/* Two threads, each with its own half of the streams and events of its own to signal, so that values
 * grow; who comes first is left to chance. */
struct half
{
  struct graph *graph;
  guint number;
  guint n_refused;
  char *failure;
};

static gpointer
run_half (gpointer data)
{
  struct half *half = data;
  struct graph *graph = half->graph;

  for (guint i = 0; i < graph->n_steps; i++)
    {
      GError *error = NULL;

      if (graph->steps[i].stream % 2 != half->number)
        continue;
      if (!do_step (graph, i, &error))
        half->n_refused++;
      if (error != NULL && !g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_DEADLOCK))
        half->failure = g_strdup (error->message);
      g_clear_error (&error);
      if (graph->seed % 3 == 0)
        g_thread_yield ();
    }
  return NULL;
}

static guint
run_shared_graph (struct device_test *test, guint seed)
{
  GRand *rand = g_rand_new_with_seed (seed);
  gboolean possible[MAX_STEPS];
  struct half halves[2];
  struct graph graph;
  GThread *threads[2];

  graph_begin (&graph, test, seed, rand);
  graph.one_owner = TRUE;
  for (guint i = 0; i < graph.n_steps; i++)
    {
      graph.steps[i] = random_step (&graph, rand);
      if (graph.steps[i].kind == STEP_SIGNAL)
        graph.last[graph.steps[i].event] = graph.steps[i].value;
    }
  for (guint i = 0; i < 2; i++)
    {
      halves[i] = (struct half) { &graph, i, 0, NULL };
      threads[i] = g_thread_new ("half", run_half, &halves[i]);
    }
  for (guint i = 0; i < 2; i++)
    {
      g_thread_join (threads[i]);
      ck_assert_msg (halves[i].failure == NULL, "seed %u: %s", seed, halves[i].failure);
    }
  /* No cycle got in. */
  find_possible (&graph, graph.n_steps, TRUE, FALSE, possible);
  for (guint i = 0; i < graph.n_steps; i++)
    ck_assert_msg (possible[i] || !graph.steps[i].accepted, "seed %u: step %u is part of a cycle", seed, i);
  check_possible (&graph);
  let_go (&graph);
  check_data (&graph);
  graph_end (&graph);
  g_rand_free (rand);
  return halves[0].n_refused + halves[1].n_refused;
}

/* How many signals were refused. */
static guint
run_shared_graphs (struct device_test *test, guint n)
{
  guint first = number_of ("GABBRO_TEST_SEED", 0), n_refused = 0;

  for (guint i = 0; i < n; i++)
    n_refused += run_shared_graph (test, first + i);
  return n_refused;
}

START_TEST (two_threads)
{
  struct device_test test = null_test_begin (_i == 0 ? "queues=1" : "queues=2");
  guint n = number_of ("GABBRO_TEST_GRAPHS", 1000), n_refused = run_shared_graphs (&test, n);

  if (n >= ENOUGH)
    ck_assert_uint_gt (n_refused, 0);
  device_test_end (&test);
}
END_TEST

START_TEST (two_threads_llvmpipe)
{
  struct device_test test = device_test_begin ();

  run_shared_graphs (&test, number_of ("GABBRO_TEST_GRAPHS", 100));
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("event graphs");
  TCase *test_case = null_test_case (suite, "event graphs"), *device = gb_test_case (suite, "device");

  tcase_add_test (test_case, one_queue);
  tcase_add_test (test_case, two_queues);
  tcase_add_test (test_case, short_timeline);
  tcase_add_test (test_case, slow_retiring);
  tcase_add_loop_test (test_case, two_threads, 0, 2);
  tcase_set_tags (device, "device");
  tcase_add_test (device, llvmpipe);
  tcase_add_test (device, two_threads_llvmpipe);
  return suite;
}

GB_TEST_MAIN (make_suite)
