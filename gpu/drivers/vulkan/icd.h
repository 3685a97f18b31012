/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The Vulkan drivers ("installable client drivers") of this machine, found in the
 * places that the loader looks in and asked one by one, without the loader. That
 * is needed only when the loader fails, or complains, because of one of them. */

#pragma once

#include "gpu/drivers/vulkan/connection.h"

struct vulkan_icd
{
  char *manifest;                       /* the JSON file */
  char *library;                        /* what it names; a path, or a name for dlopen(); NULL: none */
  char *problem;                        /* why it names none, where it could not be read */
  bool foreign;                         /* it says that the library is for other processes than this one */
};

/* Of struct vulkan_icd, in a fixed order. */
GPtrArray *vulkan_icd_list (void);

/* Talks to one of them alone. SUCCESS: the connection is open, maybe with no device. On failure
 * `error` says why, and names the file, but not for VK_ERROR_INCOMPATIBLE_DRIVER. */
VkResult vulkan_icd_open (const struct vulkan_icd *icd, struct vulkan_log *log,
                          const struct vulkan_connection_options *options, struct vulkan_connection *connection,
                          GError **error);
