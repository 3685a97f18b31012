/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Driver modules that must be refused: built with another ABI number, or with a
 * symbol of another name. */

#include "config.h"

#include "gpu/driver-api/gabbro-driver.h"

static enum gabbro_probe_result
probe (const struct gabbro_host *host, struct gb_undo *undo, struct gabbro_driver_instance **out, GError **error)
{
#ifdef BROKEN_PROBE
  g_set_error_literal (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED, "the probe fails by request");
  return GABBRO_PROBE_FAILED;
#else
  return GABBRO_PROBE_NOTHING;
#endif
}

extern const struct gabbro_driver BROKEN_SYMBOL;

__attribute__ ((visibility ("default"))) const struct gabbro_driver BROKEN_SYMBOL = {
  .abi = BROKEN_ABI,
  .name = BROKEN_NAME,
  .description = "For tests",
  .probe = probe,
};
