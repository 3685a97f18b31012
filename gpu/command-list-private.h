/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "gpu/command/recorder.h"
#include "gpu/gabbro-private.h"

struct _GabbroCommandList
{
  GObject parent_instance;

  GabbroDevice *device;
  struct gabbro_core *core;              /* of the device, which is kept */
  struct gabbro_recorder *recorder;
  GError *failure;                       /* of the first command that could not be recorded */
  GMainContext *main_context;            /* a reference: where it emits; NULL: the default one */
};

/* In place of a function call: every recorded command asks. */
#define IS_WHOLE(self) (GABBRO_IS_COMMAND_LIST (self) && (self)->recorder != NULL)

gboolean gabbro_command_list_check_recording (GabbroCommandList *self, GError **error);
/* Keeps the first failure of the list. Always FALSE. */
gboolean gabbro_command_list_fail (GabbroCommandList *self, GError **error, GabbroError code, const char *format, ...)
  G_GNUC_PRINTF (4, 5);
