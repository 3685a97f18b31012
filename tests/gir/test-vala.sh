#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The sample in Vala, compiled with the VAPI file of the build tree, on the device of all tests.

: "${top_srcdir:?run this by build-aux/run-test}" "${top_builddir:?}"
: "${CC:=cc}"
failed=0
# shellcheck disable=SC1091
. "$top_srcdir/tests/gir/bindings.sh"
needs_program valac
needs_file "$top_builddir/gpu/gabbro-1.vapi" "no VAPI file in this build"
sample=$top_srcdir/data/samples/saxpy.vala
work=${TEST_TMPDIR:-/tmp}

# compile SOURCE PROGRAM. Vala's C discards "const" here and there, whatever the source says.
compile ()
{
  sanitize=
  [ "${GABBRO_SANITIZERS:-no}" = no ] || sanitize='-X -fsanitize=address,undefined'
  # shellcheck disable=SC2086  # two words
  (cd "$work" && valac --cc="$CC" --vapidir="$top_builddir/gpu" --pkg gabbro-1 --fatal-warnings $sanitize \
    -X -w -X "-I$top_builddir/include" -X "-L$top_builddir/.libs" -X -lgabbro-1 -o "$2" "$1")
}

compile "$sample" "$work/saxpy" > "$work/out" 2>&1
verdict $? "the sample in Vala compiles" "$work/out"
"$work/saxpy" > "$work/out" 2>&1 && grep -q '^llvmpipe.*: 1000000 numbers, 1 barriers$' "$work/out"
verdict $? "the sample in Vala computes what it should" "$work/out"

sed 's/find_argument ("a"), 2.0f)/find_argument ("a"), 3.0f)/' "$sample" > "$work/wrong.vala"
compile "$work/wrong.vala" "$work/wrong" > "$work/out" 2>&1
! "$work/wrong" > "$work/out" 2>&1 && grep -q '^saxpy: y\[1\] is 4, not 3$' "$work/out"
verdict $? "the sample in Vala sees a wrong result" "$work/out"
! GABBRO_DEVICE=nosuch "$work/saxpy" > "$work/out" 2>&1 && grep -q '^saxpy: .*nosuch' "$work/out"
verdict $? "the sample in Vala says why there is no device" "$work/out"
exit "$failed"
