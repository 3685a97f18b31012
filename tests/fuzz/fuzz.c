/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes inputs and tries them, in processes that are watched:
 *
 *   fuzz                          a few rounds of each target
 *   fuzz source --seconds 1800 --jobs 4 --seed 7
 *   fuzz source --seed 7 --from 1234 --rounds 1     that input again
 *   fuzz source -- FILE...                          files, once each
 *
 * A finding is a process that ends, hangs, takes too much memory or leaks, or a fuzz_check() that does not hold. Its input
 * is kept, with a text beside it that says how to make it again. */

#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_US       50000
#define STATUS_LEAK   41                 /* of a worker, as all of these */
#define STATUS_CHECK  42
#define LEAK_EVERY    250                /* rounds between two looks for leaks */
#define MAX_FINDINGS  20                 /* of a run; more say nothing new */
/* A process that waits uses no processor, and a machine that is busy gives it little. */
#define WALL_FACTOR   20

/* Of AddressSanitizer, where it is there. */
extern int __lsan_do_recoverable_leak_check (void) __attribute__ ((weak));

/* What a worker and its watcher share. */
struct shared
{
  volatile guint64 round;                /* that is being tried */
  volatile guint64 n_taken, n_refused;
  volatile gboolean is_done;
  char message[4096];                    /* of a check that did not hold */
  volatile guint32 size;
  guint8 data[FUZZ_MAX_INPUT];
};

struct settings
{
  gint64 seed, from, rounds;
  gint seconds, jobs, limit_seconds, limit_mib;
  char *output, *log, *commit, *fault;
  char **files;
};

struct job
{
  const struct fuzz_target *target;
  const struct settings *settings;
  guint64 seed;
  guint64 next;                          /* round */
  struct shared *shared;
  pid_t process;
  gint64 cpu_begin, wall_begin;          /* of the round that is being tried, nanoseconds and microseconds */
  guint64 seen_round;
  gint64 cpu_seconds;                    /* of processes that have ended */
  const char *stopped;                   /* why the watcher ended it, or NULL */
  guint n_findings;
  gboolean is_over;
};

static struct shared *shared_of_worker;

void
fuzz_fail (const char *file, int line, const char *format, ...)
{
  va_list arguments;
  g_autofree char *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  fprintf (stderr, "%s:%d: %s\n", file, line, text);
  if (shared_of_worker != NULL)
    {
      g_snprintf (shared_of_worker->message, sizeof shared_of_worker->message, "%s:%d: %s", file, line, text);
      _exit (STATUS_CHECK);
    }
  exit (STATUS_CHECK);
}

/* --- the worker -------------------------------------------------------------------------------- */

/* What a finding looks like, for the test of this program. */
static void
make_fault (const char *kind)
{
  static volatile gpointer kept;

  if (g_str_equal (kind, "crash"))
    raise (SIGSEGV);
  else if (g_str_equal (kind, "hang"))
    for (;;)
      ;
  else if (g_str_equal (kind, "sleep"))
    for (;;)
      pause ();
  else if (g_str_equal (kind, "memory"))
    for (;;)
      {
        kept = g_malloc (1 << 20);
        memset (kept, 1, 1 << 20);
      }
  else if (g_str_equal (kind, "check"))
    fuzz_check (kept != NULL, "this was asked for");
}

static bool
attempt (const struct fuzz_target *target, const guint8 *data, gsize size)
{
  /* Ends where the input does. */
  g_autofree guint8 *exact = g_malloc (MAX (size, 1));

  memcpy (exact, data, size);
  return target->attempt (exact, size);
}

G_NORETURN static void
work (const struct job *job, gint64 end)
{
  const struct settings *settings = job->settings;
  struct shared *shared = job->shared;
  guint64 last = settings->rounds > 0 ? (guint64) (settings->from + settings->rounds) : G_MAXUINT64;

  shared_of_worker = shared;
  job->target->prepare ();
  for (guint64 round = job->next; round < last && (end == 0 || g_get_monotonic_time () < end); round++)
    {
      struct dice dice = dice_new (job->seed, round);
      GByteArray *data = job->target->make (&dice);

      shared->size = MIN (data->len, FUZZ_MAX_INPUT);
      memcpy (shared->data, data->data, shared->size);
      g_byte_array_unref (data);
      shared->round = round;
      if (settings->fault != NULL && round == (guint64) settings->from + 3)
        make_fault (settings->fault);
      if (attempt (job->target, shared->data, shared->size))
        shared->n_taken++;
      else
        shared->n_refused++;
      if (round % LEAK_EVERY == LEAK_EVERY - 1 && __lsan_do_recoverable_leak_check != NULL && __lsan_do_recoverable_leak_check () != 0)
        _exit (STATUS_LEAK);
    }
  shared->is_done = TRUE;
  if (__lsan_do_recoverable_leak_check != NULL && __lsan_do_recoverable_leak_check () != 0)
    _exit (STATUS_LEAK);
  _exit (EXIT_SUCCESS);
}

/* --- the watcher ------------------------------------------------------------------------------- */

static gint64
cpu_time (pid_t process)
{
  clockid_t clock;
  struct timespec now;

  if (clock_getcpuclockid (process, &clock) != 0 || clock_gettime (clock, &now) != 0)
    return 0;
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

static gint64
resident_mib (pid_t process)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/statm", (int) process), *text = NULL;
  gint64 pages = 0;

  if (g_file_get_contents (path, &text, NULL, NULL))
    {
      const char *blank = strchr (text, ' ');

      pages = blank != NULL ? g_ascii_strtoll (blank, NULL, 10) : 0;
    }
  return pages * sysconf (_SC_PAGESIZE) / (1 << 20);
}

static void
start (struct job *job, gint64 end)
{
  job->shared->is_done = FALSE;
  job->shared->message[0] = '\0';
  job->shared->size = 0;
  job->shared->round = job->next;
  job->stopped = NULL;
  job->seen_round = G_MAXUINT64;
  fflush (NULL);
  job->process = fork ();
  if (job->process < 0)
    g_error ("No process can be made: %s", g_strerror (errno));
  if (job->process == 0)
    work (job, end);
}

/* Ends a process that has had too much of something. */
static void
look_after (struct job *job)
{
  const struct settings *settings = job->settings;
  gint64 cpu = cpu_time (job->process), now = g_get_monotonic_time ();

  if (job->shared->round != job->seen_round)
    {
      job->seen_round = job->shared->round;
      job->cpu_begin = cpu;
      job->wall_begin = now;
    }
  if ((cpu - job->cpu_begin) / 1000000000 >= settings->limit_seconds)
    job->stopped = "it does not end";
  else if ((now - job->wall_begin) / G_USEC_PER_SEC >= (gint64) settings->limit_seconds * WALL_FACTOR)
    job->stopped = "it waits and does not end";
  else if (resident_mib (job->process) > settings->limit_mib)
    job->stopped = "it takes too much memory";
  if (job->stopped != NULL)
    kill (job->process, SIGKILL);
}

static char *
describe_end (const struct job *job, int status)
{
  if (job->stopped != NULL)
    return g_strdup (job->stopped);
  if (WIFSIGNALED (status))
    return g_strdup_printf ("it ends by signal %d", WTERMSIG (status));
  if (WEXITSTATUS (status) == STATUS_CHECK)
    return g_strdup (job->shared->message);
  if (WEXITSTATUS (status) == STATUS_LEAK)
    return g_strdup_printf ("one of %d rounds up to this leaks", LEAK_EVERY);
  return g_strdup_printf ("it ends with status %d", WEXITSTATUS (status));
}

static void
keep_finding (struct job *job, int status)
{
  const struct shared *shared = job->shared;
  g_autofree char *why = describe_end (job, status);
  g_autofree char *base = g_strdup_printf ("%s/%s-%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT, job->settings->output, job->target->name, job->seed,
                                           (guint64) shared->round);
  g_autofree char *input = g_strdup_printf ("%s.%s", base, job->target->extension), *text = g_strdup_printf ("%s.txt", base);
  g_autofree char *said = g_strdup_printf ("%s\n%s %s --seed %" G_GUINT64_FORMAT " --from %" G_GUINT64_FORMAT " --rounds 1\n%s %s -- %s\n", why,
                                           g_get_prgname (), job->target->name, job->seed, (guint64) shared->round, g_get_prgname (),
                                           job->target->name, input);

  g_mkdir_with_parents (job->settings->output, 0777);
  if (!g_file_set_contents (input, (const char *) shared->data, shared->size, NULL) || !g_file_set_contents (text, said, -1, NULL))
    fprintf (stderr, "Cannot write %s.\n", input);
  fprintf (stderr, "FOUND: %s: %s\n", input, why);
  job->n_findings++;
}

/* Whether something has happened to the process of the job. */
static void
poll_job (struct job *job, gint64 end)
{
  struct rusage usage;
  int status;

  if (job->is_over)
    return;
  if (wait4 (job->process, &status, WNOHANG, &usage) != job->process)
    {
      look_after (job);
      if (job->stopped == NULL)
        return;
      wait4 (job->process, &status, 0, &usage);
    }
  job->cpu_seconds += usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
  if (WIFEXITED (status) && WEXITSTATUS (status) == EXIT_SUCCESS && job->shared->is_done)
    {
      job->is_over = TRUE;
      return;
    }
  keep_finding (job, status);
  job->next = job->shared->round + 1;
  job->is_over = job->shared->is_done || job->n_findings >= MAX_FINDINGS || (end != 0 && g_get_monotonic_time () >= end)
                 || (job->settings->rounds > 0 && job->next >= (guint64) (job->settings->from + job->settings->rounds));
  if (!job->is_over)
    start (job, end);
}

static void
append_log (const struct job *job, gint64 seconds)
{
  const struct settings *settings = job->settings;
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *day = g_date_time_format (now, "%Y-%m-%d");
  FILE *file = fopen (settings->log, "a");

  if (file == NULL)
    {
      fprintf (stderr, "Cannot write %s.\n", settings->log);
      return;
    }
  fprintf (file, "%s %s %s seed %" G_GUINT64_FORMAT " rounds %" G_GINT64_FORMAT "-%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT
           " s, %" G_GINT64_FORMAT " of the processor: %" G_GUINT64_FORMAT " taken %" G_GUINT64_FORMAT " refused %u findings (%s)\n", day, settings->commit != NULL ? settings->commit : "unknown", job->target->name,
           job->seed, settings->from, (guint64) job->shared->round, seconds, job->cpu_seconds, (guint64) job->shared->n_taken, (guint64) job->shared->n_refused,
           job->n_findings, __lsan_do_recoverable_leak_check != NULL ? "sanitizers" : "no sanitizers");
  fclose (file);
}

/* A fuzzer whose inputs are all alike to the reader looks at nothing. */
static bool
is_monotonous (const struct shared *shared)
{
  return shared->n_taken + shared->n_refused > 500 && (shared->n_taken == 0 || shared->n_refused == 0);
}

static bool
run_target (const struct fuzz_target *target, struct settings *settings)
{
  g_autofree struct job *jobs = g_new0 (struct job, (gsize) settings->jobs);
  gint64 begin = g_get_monotonic_time (), end = settings->seconds > 0 ? begin + settings->seconds * G_USEC_PER_SEC : 0;
  bool is_busy = true, all_good = true;

  for (gint i = 0; i < settings->jobs; i++)
    {
      struct shared *shared = mmap (NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

      if (shared == MAP_FAILED)
        g_error ("There is no memory to share");
      jobs[i] = (struct job) { .target = target, .settings = settings, .seed = (guint64) (settings->seed + i), .next = (guint64) settings->from, .shared = shared };
      start (&jobs[i], end);
    }
  while (is_busy)
    {
      g_usleep (POLL_US);
      is_busy = false;
      for (gint i = 0; i < settings->jobs; i++)
        {
          poll_job (&jobs[i], end);
          is_busy |= !jobs[i].is_over;
        }
    }
  for (gint i = 0; i < settings->jobs; i++)
    {
      struct shared *shared = jobs[i].shared;

      bool is_good = jobs[i].n_findings == 0 && !is_monotonous (shared);

      printf ("%s: %s, seed %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " inputs taken, %" G_GUINT64_FORMAT " refused, %u findings\n",
              is_good ? "PASS" : "FAIL", target->name, jobs[i].seed, (guint64) shared->n_taken, (guint64) shared->n_refused, jobs[i].n_findings);
      if (settings->log != NULL)
        append_log (&jobs[i], (g_get_monotonic_time () - begin) / G_USEC_PER_SEC);
      all_good = all_good && is_good;
      munmap (shared, sizeof *shared);
    }
  fflush (stdout);
  return all_good;
}

/* In this very process, where debuggers are. */
static void
try_files (const struct fuzz_target *target, char **files)
{
  target->prepare ();
  for (; *files != NULL; files++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *data = NULL;
      gsize size;

      if (!g_file_get_contents (*files, &data, &size, &error))
        g_error ("%s", error->message);
      printf ("%s: %s\n", *files, attempt (target, (const guint8 *) data, size) ? "taken" : "refused");
    }
}

/* --- the command line -------------------------------------------------------------------------- */

static const struct fuzz_target *
find_target (const char *name)
{
  for (guint i = 0; fuzz_targets[i] != NULL; i++)
    if (g_str_equal (fuzz_targets[i]->name, name))
      return fuzz_targets[i];
  fprintf (stderr, "There is no target “%s” here.\n", name);
  exit (2);
}

static void
parse (struct settings *settings, int *argc, char ***argv)
{
  const GOptionEntry entries[] = {
    { "seed", 0, 0, G_OPTION_ARG_INT64, &settings->seed, "The first seed (1)", "N" },
    { "from", 0, 0, G_OPTION_ARG_INT64, &settings->from, "The first round (0)", "N" },
    { "rounds", 0, 0, G_OPTION_ARG_INT64, &settings->rounds, "Rounds of each seed (a few)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &settings->seconds, "As many rounds as there is time for", "N" },
    { "jobs", 0, 0, G_OPTION_ARG_INT, &settings->jobs, "Processes, each with a seed of its own (1)", "N" },
    { "limit", 0, 0, G_OPTION_ARG_INT, &settings->limit_seconds, "Seconds of the processor that one input may take (30)", "N" },
    { "memory", 0, 0, G_OPTION_ARG_INT, &settings->limit_mib, "MiB that a process may have (2048)", "N" },
    { "output", 0, 0, G_OPTION_ARG_FILENAME, &settings->output, "Where findings go (tests/tmp/fuzz)", "FOLDER" },
    { "log", 0, 0, G_OPTION_ARG_FILENAME, &settings->log, "Append a line for each seed", "FILE" },
    { "commit", 0, 0, G_OPTION_ARG_STRING, &settings->commit, "What the log calls this version", "NAME" },
    { "fault", 0, 0, G_OPTION_ARG_STRING, &settings->fault, "Make something to find", "crash|hang|sleep|memory|check" },
    { NULL }
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("[TARGET]… [-- FILE…]");
  g_autoptr (GError) error = NULL;

  for (int i = 1; i < *argc; i++)
    if (g_str_equal ((*argv)[i], "--"))
      {
        settings->files = &(*argv)[i + 1];
        *argc = i;
        break;
      }
  g_option_context_add_main_entries (context, entries, NULL);
  if (g_option_context_parse (context, argc, argv, &error) && settings->jobs > 0 && settings->rounds >= 0 && settings->from >= 0)
    return;
  fprintf (stderr, "%s\n", error != NULL ? error->message : "There is no such number of jobs or rounds.");
  exit (2);
}

int
main (int argc, char **argv)
{
  struct settings settings = { .seed = 1, .jobs = 1, .limit_seconds = 30, .limit_mib = 2048 };
  bool all_good = true;
  gint64 rounds;

  parse (&settings, &argc, &argv);
  if (settings.output == NULL)
    settings.output = g_strdup ("tests/tmp/fuzz");
  rounds = settings.rounds;
  for (guint i = 0; argc > 1 ? i < (guint) argc - 1 : fuzz_targets[i] != NULL; i++)
    {
      const struct fuzz_target *target = argc > 1 ? find_target (argv[i + 1]) : fuzz_targets[i];

      if (settings.files != NULL)
        try_files (target, settings.files);
      else
        {
          settings.rounds = rounds > 0 || settings.seconds > 0 ? rounds : (gint64) target->smoke_rounds;
          all_good = run_target (target, &settings) && all_good;
        }
    }
  g_free (settings.output);
  g_free (settings.log);
  g_free (settings.commit);
  g_free (settings.fault);
  return all_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
