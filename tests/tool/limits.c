/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* limits REPORT SECONDS COMMAND [ARGUMENT]…
 *
 * Runs a command, kills it after SECONDS, and writes one line into REPORT:
 *   exit=N signal=N rss=KiB ms=N
 * Exits with the status of the command, 124 when it was killed for its time. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child_process;
static volatile sig_atomic_t timed_out;

static void
on_alarm (int number)
{
  timed_out = 1;
  kill (child_process, SIGKILL);
}

static long
milliseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int
main (int argc, char **argv)
{
  struct rusage usage;
  int status;

  if (argc < 4)
    {
      fprintf (stderr, "usage: %s REPORT SECONDS COMMAND [ARGUMENT]...\n", argv[0]);
      return 125;
    }
  long begin = milliseconds ();
  pid_t child = fork ();
  if (child < 0)
    return 125;
  if (child == 0)
    {
      execvp (argv[3], argv + 3);
      perror (argv[3]);
      _exit (127);
    }
  child_process = child;
  struct sigaction action = { .sa_handler = on_alarm };
  sigaction (SIGALRM, &action, NULL);
  alarm ((unsigned) atoi (argv[2]));
  while (wait4 (child, &status, 0, &usage) < 0)
    {
      if (errno != EINTR)
        return 125;
    }
  alarm (0);
  FILE *report = fopen (argv[1], "w");
  if (report == NULL)
    return 125;
  fprintf (report, "exit=%d signal=%d rss=%ld ms=%ld\n", WIFEXITED (status) ? WEXITSTATUS (status) : -1,
           WIFSIGNALED (status) ? WTERMSIG (status) : 0, usage.ru_maxrss, milliseconds () - begin);
  fclose (report);
  if (timed_out)
    return 124;
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}
