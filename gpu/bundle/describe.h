/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What can be said of a compiled kernel, for people and programs. */

#pragma once

#include "gpu/bundle/artifact.h"

/* A floating a{sv}. */
GVariant *bundle_artifact_describe (const struct bundle_artifact *artifact);
