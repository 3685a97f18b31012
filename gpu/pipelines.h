/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What drivers compile of the code of shaders, in the shader cache: taken from there before the first shader of a
 * device, and put there when it closes and while it makes many. Nothing here is an error to anybody. */

#pragma once

#include "gpu/command/core.h"
#include "gpu/gabbro-private.h"

/* Once a device; later calls do nothing. Any thread. */
void gabbro_pipelines_load (GabbroAdapter *adapter, struct gabbro_core *core);
/* When something is new. Any thread. */
void gabbro_pipelines_save (GabbroAdapter *adapter, struct gabbro_core *core);
/* Another shader was made. */
void gabbro_pipelines_note (GabbroAdapter *adapter, struct gabbro_core *core);
