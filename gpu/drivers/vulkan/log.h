/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages to the host. Vulkan's layers speak while a lock of the driver is held,
 * and the host must not be called then: messages are kept and handed over at the
 * next point where no lock is held. */

#pragma once

#include "gpu/driver-api/gabbro-driver.h"
#include "gpu/drivers/vulkan/dispatch-table.h"

struct vulkan_log
{
  const struct gabbro_host *host;
  GMutex mutex;
  GPtrArray *waiting;
  gint n_waiting;
};

void vulkan_log_init  (struct vulkan_log *log, const struct gabbro_host *host);
/* Hands over what is left. */
void vulkan_log_clear (struct vulkan_log *log);

/* Any thread, with any lock held. */
void vulkan_log_add   (struct vulkan_log *log, enum gabbro_log_level level, const char *format, ...) G_GNUC_PRINTF (3, 4);
void vulkan_log_flush_slow (struct vulkan_log *log);

/* With no lock held. */
static inline void
vulkan_log_flush (struct vulkan_log *log)
{
  if (G_UNLIKELY (g_atomic_int_get (&log->n_waiting) != 0))
    vulkan_log_flush_slow (log);
}

/* For the messenger of an instance; the user data is the log. */
void vulkan_log_messenger_info (struct vulkan_log *log, VkDebugUtilsMessengerCreateInfoEXT *info);
