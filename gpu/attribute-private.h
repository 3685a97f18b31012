/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "gpu/gabbro-private.h"
#include "lib/attribute.h"

/* `value` is floating or NULL; the tables outlive the record. */
GabbroAttribute *gabbro_attribute_new (const struct gb_attribute_group *group, const struct gb_attribute *attribute, GVariant *value);
