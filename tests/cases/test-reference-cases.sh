#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The cases of run-cases on the driver that interprets them.

GABBRO_DEVICE=reference
export GABBRO_DEVICE
exec "${top_builddir:-.}/tests/cases/run-cases" "$@"
