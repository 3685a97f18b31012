/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Devices that run kernels. Not across a fork. */

#pragma once

#include "tests/random/data.h"

struct machine;

/* `names`: of the devices, with commas between; "reference" may be missing where the library has none. */
struct machine *machine_new  (const char *names, gboolean validation, GError **error);
void            machine_free (struct machine *machine);

/* How a kernel is compiled, and where it runs. */
struct configuration
{
  guint device;
  gint level;
  GabbroCompileFlags flags;
};

guint       machine_n_devices    (const struct machine *machine);
const char *machine_device_name  (const struct machine *machine, guint device);
gboolean    machine_has_levels   (const struct machine *machine, guint device);
char       *configuration_print  (const struct machine *machine, const struct configuration *configuration);
/* The words that a configuration compiles to; NULL without error where it has none. */
GBytes     *machine_compile      (struct machine *machine, const struct configuration *configuration, GabbroKernel *kernel, GError **error);
/* All outputs, one after the other; NULL on failure. `lines`: what the threads printed. */
guint8     *machine_run          (struct machine *machine, const struct configuration *configuration, GabbroKernel *kernel,
                                  const struct kernel *tree, const struct data *data, char **lines, GError **error);
/* What validation has said since the last time, or NULL. */
char       *machine_take_messages (struct machine *machine);
