/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random/check.h"
#include "tests/random/generate.h"

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  enum kernel_kind kind = strcmp (argv[1], "flow") == 0 ? KERNEL_FLOW : KERNEL_VALUES;
  guint64 seed = g_ascii_strtoull (argv[2], NULL, 10), count = g_ascii_strtoull (argv[3], NULL, 10);
  struct check_options options = { NULL, FALSE };
  struct machine *machine;
  guint binaries = 0;

  if (count == 0)
    {
      struct kernel *k = kind == KERNEL_FLOW ? generate_flow (seed) : generate_values (seed);
      char *text = kernel_print (k, FALSE);
      puts (text);
      g_free (text);
      kernel_free (k);
      return 0;
    }
  machine = machine_new (argc > 4 ? argv[4] : "vulkan", FALSE, &error);
  if (machine == NULL)
    {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
  for (guint64 i = seed; i < seed + count; i++)
    {
      struct finding finding;
      struct kernel *k = kind == KERNEL_FLOW ? generate_flow (i) : generate_values (i);
      if (!check_kernel (machine, k, &options, &finding))
        printf ("%" G_GUINT64_FORMAT ": %d %s\n", i, finding.verdict, finding.message);
      fflush (stdout);
      binaries += finding.n_binaries;
      finding_clear (&finding);
      kernel_free (k);
    }
  printf ("%u binaries\n", binaries);
  machine_free (machine);
  return 0;
}
