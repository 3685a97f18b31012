/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/random/generate.h"
#include "tests/random/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_DEVICE 77                     /* exit status */

/* What comes through the pipe: of each seed that it is begun, and what became of it. */
struct report
{
  guint64 seed;
  gboolean is_begin;
  struct finding finding;                /* without the message */
  char devices[64];                      /* that there are */
  char message[2048];
};

struct job
{
  pid_t process;                         /* 0: none */
  int pipe;
  guint64 next;                          /* the seed that it begins with, or has begun */
  gboolean is_busy;                      /* with `next` */
  gint64 deadline;
};

static void
send_report (int pipe, struct report *report)
{
  const char *data = (const char *) report;
  gsize left = sizeof *report;

  while (left > 0)
    {
      gssize n = write (pipe, data, left);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        _exit (1);
      data += n;
      left -= (gsize) n;
    }
}

/* FALSE at the end. */
static gboolean
receive_report (int pipe, struct report *report)
{
  char *data = (char *) report;
  gsize left = sizeof *report;

  while (left > 0)
    {
      gssize n = read (pipe, data, left);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      data += n;
      left -= (gsize) n;
    }
  return TRUE;
}

static void
report_finding (int pipe, const struct machine *machine, guint64 seed, struct finding *finding)
{
  struct report *report = g_new0 (struct report, 1);

  report->seed = seed;
  report->finding = *finding;
  report->finding.message = NULL;
  for (guint i = 0; i < machine_n_devices (machine); i++)
    {
      g_strlcat (report->devices, i > 0 ? "," : "", sizeof report->devices);
      g_strlcat (report->devices, machine_device_name (machine, i), sizeof report->devices);
    }
  g_strlcpy (report->message, finding->message != NULL ? finding->message : "", sizeof report->message);
  send_report (pipe, report);
  finding_clear (finding);
  g_free (report);
}

static struct machine *
open_machine (const struct worker_options *options)
{
  GError *error = NULL;
  struct machine *machine = machine_new (options->devices, options->validation, &error);

  if (machine != NULL)
    return machine;
  fprintf (stderr, "%s\n", error->message);
  _exit (NO_DEVICE);
}

/* How a process has ended, as a finding. */
static void
describe_end (int status, gboolean was_killed, struct finding *finding)
{
  memset (finding, 0, sizeof *finding);
  finding->verdict = VERDICT_STOPPED;
  if (was_killed)
    finding->message = g_strdup ("it does not end");
  else if (WIFSIGNALED (status))
    finding->message = g_strdup_printf ("the process ends by signal %d", WTERMSIG (status));
  else
    finding->message = g_strdup_printf ("the process ends with status %d", WEXITSTATUS (status));
}

static int
wait_for (pid_t process)
{
  int status = 0;
  while (waitpid (process, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}

/* TRUE if there is something to read before the deadline. */
static gboolean
wait_for_pipe (int pipe, gint64 deadline)
{
  struct pollfd poll_pipe = { .fd = pipe, .events = POLLIN };
  gint64 left;
  int n;

  do
    {
      left = MAX ((deadline - g_get_monotonic_time ()) / 1000, 0);
      n = poll (&poll_pipe, 1, (int) left);
    }
  while (n < 0 && errno == EINTR);
  return n > 0;
}

/* One kernel. */

static G_GNUC_NORETURN void
run_one (const struct worker_options *options, struct kernel *kernel, const struct check_options *check, int pipe)
{
  struct machine *machine = open_machine (options);
  struct finding finding;

  check_kernel (machine, kernel, check, &finding);
  report_finding (pipe, machine, kernel->seed, &finding);
  machine_free (machine);
  _exit (0);
}

gboolean
worker_check (const struct worker_options *options,
              struct kernel *kernel,
              const struct check_options *check,
              struct finding *finding)
{
  struct report *report = g_new0 (struct report, 1);
  int pipes[2], status;
  pid_t process;
  gboolean was_killed;

  fflush (NULL);
  g_assert_cmpint (pipe (pipes), ==, 0);
  process = fork ();
  g_assert_cmpint (process, >=, 0);
  if (process == 0)
    {
      close (pipes[0]);
      run_one (options, kernel, check, pipes[1]);
    }
  close (pipes[1]);
  was_killed = !wait_for_pipe (pipes[0], g_get_monotonic_time () + options->seconds * G_USEC_PER_SEC);
  if (!was_killed && receive_report (pipes[0], report))
    {
      *finding = report->finding;
      finding->message = *report->message != '\0' ? g_strdup (report->message) : NULL;
      wait_for (process);
    }
  else
    {
      if (was_killed)
        kill (process, SIGKILL);
      status = wait_for (process);
      describe_end (status, was_killed, finding);
    }
  close (pipes[0]);
  g_free (report);
  return finding->verdict == VERDICT_AGREE;
}

/* Many. */

static G_GNUC_NORETURN void
run_many (const struct campaign *campaign, guint64 from, int pipe)
{
  struct machine *machine = open_machine (&campaign->worker);

  for (guint64 seed = from; seed < campaign->first + campaign->count; seed += campaign->n_jobs)
    {
      struct report *begin = g_new0 (struct report, 1);
      struct kernel *kernel = generate_kernel (campaign->kind, seed);
      struct finding finding;

      begin->seed = seed;
      begin->is_begin = TRUE;
      send_report (pipe, begin);
      g_free (begin);
      check_kernel (machine, kernel, &campaign->check, &finding);
      report_finding (pipe, machine, seed, &finding);
      kernel_free (kernel);
    }
  machine_free (machine);
  _exit (0);
}

static void
start_job (const struct campaign *campaign, struct job *job)
{
  int pipes[2];

  if (job->next >= campaign->first + campaign->count)
    {
      job->process = 0;
      return;
    }
  fflush (NULL);
  g_assert_cmpint (pipe (pipes), ==, 0);
  job->process = fork ();
  g_assert_cmpint (job->process, >=, 0);
  if (job->process == 0)
    {
      close (pipes[0]);
      run_many (campaign, job->next, pipes[1]);
    }
  close (pipes[1]);
  job->pipe = pipes[0];
  job->is_busy = FALSE;
  job->deadline = g_get_monotonic_time () + campaign->worker.seconds * G_USEC_PER_SEC;
}

static void
account (struct campaign *campaign, guint64 seed, const struct finding *finding)
{
  campaign->n_binaries += finding->n_binaries;
  if (finding->verdict == VERDICT_AGREE)
    campaign->n_agreed++;
  else
    {
      campaign->n_differed++;
      campaign->found (campaign, seed, finding);
    }
}

static gboolean
handle_job (struct campaign *campaign, struct job *job, gboolean was_killed)
{
  struct report *report = g_new0 (struct report, 1);
  struct finding finding;
  int status;

  if (!was_killed && receive_report (job->pipe, report))
    {
      if (!report->is_begin)
        {
          report->finding.message = report->message;
          g_strlcpy (campaign->devices, report->devices, sizeof campaign->devices);
          account (campaign, report->seed, &report->finding);
        }
      job->is_busy = report->is_begin;
      job->next = report->seed + (report->is_begin ? 0 : campaign->n_jobs);
      job->deadline = g_get_monotonic_time () + campaign->worker.seconds * G_USEC_PER_SEC;
      g_free (report);
      return TRUE;
    }
  g_free (report);
  if (was_killed)
    kill (job->process, SIGKILL);
  status = wait_for (job->process);
  close (job->pipe);
  if (WIFEXITED (status) && WEXITSTATUS (status) == NO_DEVICE)
    return FALSE;
  if (job->next < campaign->first + campaign->count)
    {
      /* It went in the midst of a kernel: the others are for another process. */
      describe_end (status, was_killed, &finding);
      account (campaign, job->next, &finding);
      finding_clear (&finding);
      job->next += campaign->n_jobs;
    }
  start_job (campaign, job);
  return TRUE;
}

gboolean
campaign_run (struct campaign *campaign)
{
  struct job *jobs = g_new0 (struct job, campaign->n_jobs);
  struct pollfd *polls = g_new0 (struct pollfd, campaign->n_jobs);
  gboolean ok = TRUE, any = TRUE;

  for (guint i = 0; i < campaign->n_jobs; i++)
    {
      jobs[i].next = campaign->first + i;
      start_job (campaign, &jobs[i]);
    }
  while (any && ok)
    {
      any = FALSE;
      for (guint i = 0; i < campaign->n_jobs; i++)
        {
          polls[i] = (struct pollfd) { .fd = jobs[i].process != 0 ? jobs[i].pipe : -1, .events = POLLIN };
          any = any || jobs[i].process != 0;
        }
      if (!any || (poll (polls, campaign->n_jobs, 1000) < 0 && errno != EINTR))
        break;
      for (guint i = 0; i < campaign->n_jobs && ok; i++)
        if (jobs[i].process != 0 && polls[i].revents != 0)
          ok = handle_job (campaign, &jobs[i], FALSE);
        else if (jobs[i].process != 0 && g_get_monotonic_time () > jobs[i].deadline)
          ok = handle_job (campaign, &jobs[i], TRUE);
    }
  for (guint i = 0; i < campaign->n_jobs && !ok; i++)
    if (jobs[i].process != 0)
      kill (jobs[i].process, SIGKILL);
  g_free (jobs);
  g_free (polls);
  return ok;
}
