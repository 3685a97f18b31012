#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs test-bare.py with the library of the build tree, which has to be known before Python starts.
# test-bare.sh [CLASS.METHOD]

: "${top_srcdir:?run this by build-aux/run-test}" "${top_builddir:?}"
# shellcheck disable=SC1091
. "$top_srcdir/tests/gir/bindings.sh"
# The python3 of the system: another one may be first and have no gi.
needs_program /usr/bin/python3
needs_typelib
interpret /usr/bin/python3 "$top_srcdir/tests/gir/test-bare.py" "$@"
