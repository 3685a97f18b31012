/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_H
#define GABBRO_H

#define GABBRO_INSIDE

#include <gabbro/gabbro-version.h>
#include <gabbro/gabbro-types.h>
#include <gabbro/gabbro-error.h>
#include <gabbro/gabbro-enums.h>
#include <gabbro/gabbro-enum-types.h>
#include <gabbro/gabbro-diagnostic.h>
#include <gabbro/gabbro-report.h>
#include <gabbro/gabbro-trace-point.h>
#include <gabbro/gabbro-print.h>
#include <gabbro/gabbro-attribute.h>
#include <gabbro/gabbro-context.h>
#include <gabbro/gabbro-adapter.h>
#include <gabbro/gabbro-device.h>
#include <gabbro/gabbro-queue.h>
#include <gabbro/gabbro-stream.h>
#include <gabbro/gabbro-event.h>
#include <gabbro/gabbro-buffer.h>
#include <gabbro/gabbro-mapping.h>
#include <gabbro/gabbro-image.h>
#include <gabbro/gabbro-layout.h>
#include <gabbro/gabbro-module.h>
#include <gabbro/gabbro-kernel.h>
#include <gabbro/gabbro-shader.h>
#include <gabbro/gabbro-command-list.h>
#include <gabbro/gabbro-bundle.h>
#include <gabbro/gabbro-cache.h>

#undef GABBRO_INSIDE

#endif
