#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The sample in JavaScript, by the typelib of the build tree, on the device of all tests.

: "${top_srcdir:?run this by build-aux/run-test}" "${top_builddir:?}"
failed=0
# shellcheck disable=SC1091
. "$top_srcdir/tests/gir/bindings.sh"
needs_program gjs
needs_typelib
sample=$top_srcdir/data/samples/saxpy.js
work=${TEST_TMPDIR:-/tmp}

interpret gjs -m "$sample" > "$work/out" 2>&1 && grep -q '^llvmpipe.*: 1000000 numbers, 1 barriers$' "$work/out"
verdict $? "the sample in JavaScript computes what it should" "$work/out"

# The sample looks at its result, and an error of the library is an exception with its text.
sed "s/find_argument('a'), 2)/find_argument('a'), 3)/" "$sample" > "$work/wrong.js"
! interpret gjs -m "$work/wrong.js" > "$work/out" 2>&1 && grep -q '^saxpy: y\[1\] is 4, not 3$' "$work/out"
verdict $? "the sample in JavaScript sees a wrong result" "$work/out"
! (GABBRO_DEVICE=nosuch; export GABBRO_DEVICE; interpret gjs -m "$sample") > "$work/out" 2>&1 && grep -q '^saxpy: .*nosuch' "$work/out"
verdict $? "the sample in JavaScript says why there is no device" "$work/out"
exit "$failed"
