/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Copies between the host and a resource, after everything that was submitted before
 * and uses it. Memory that is mapped is copied directly, as soon as the device is done
 * with it; other memory, and memory of a device across a bus that the host would read
 * word by word, through lists of one command. Counted: a submission in flight keeps
 * the memory that it writes to. */

#pragma once

#include <gio/gio.h>

#include "gpu/command/recorder.h"

struct gabbro_copy
{
  gatomicrefcount references;
  struct gabbro_resource *resource;      /* a reference */
  uint64_t offset;                       /* of a buffer's memory */
  struct gabbro_image_level level;       /* of an image */
  uint8_t *data;                         /* of the host */
  uint64_t size, done;
  bool upload;
  gpointer owner;                        /* keeps `data` */
  GDestroyNotify release_owner;
  struct gabbro_stream_core *stream;     /* of its own, once one is needed */
  /* Gives the task its result, which may take `owner` over. */
  void (*finish) (GTask *task, struct gabbro_copy *copy);
};

struct gabbro_copy *gabbro_copy_new   (struct gabbro_resource *resource, uint64_t offset, gconstpointer data, uint64_t size, bool upload);
struct gabbro_copy *gabbro_copy_ref   (struct gabbro_copy *copy);
void                gabbro_copy_unref (gpointer copy);

/* Blocks. */
bool gabbro_copy_run   (struct gabbro_copy *copy, GError **error);
/* Without a thread that waits; takes both. Without `finish` the task returns TRUE. */
void gabbro_copy_start (struct gabbro_copy *copy, GTask *task);
/* The same to memory of its own: the task returns GBytes. */
void gabbro_copy_start_download (struct gabbro_copy *copy, GTask *task);
