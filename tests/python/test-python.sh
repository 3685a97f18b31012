#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The overrides for Python and the samples that use them, on the device of all tests.

: "${top_srcdir:?run this by build-aux/run-test}" "${top_builddir:?}" "${PYTHON:?}"
failed=0
# shellcheck disable=SC1091
. "$top_srcdir/tests/gir/bindings.sh"
needs_program "$PYTHON"
needs_typelib
work=${TEST_TMPDIR:-/tmp}
PYTHONPATH=$top_srcdir/data/python
PYTHONDONTWRITEBYTECODE=1
# Views of memory that was freed see garbage.
MALLOC_PERTURB_=170
export PYTHONPATH PYTHONDONTWRITEBYTECODE MALLOC_PERTURB_

interpret "$PYTHON" -c 'import gi.overrides, numpy' 2> "$work/missing" || { echo "SKIP: $(tail -n 1 "$work/missing")"; exit 77; }

# One line for each test: "test_upload (__main__.Memory.test_upload) ... ok".
for tests in test_gabbro test_gabbro_data test_gabbro_layout; do
  interpret "$PYTHON" -W ignore -X faulthandler "$top_srcdir/tests/python/$tests.py" > "$work/out" 2>&1
  status=$?
  [ "$status" -ne 77 ] || { cat "$work/out"; exit 77; }
  sed -n -e 's/^\(test_[a-z_]*\) .*\.\.\. ok$/PASS: \1/p' -e "s/^\(test_[a-z_]*\) .*\.\.\. skipped '\(.*\)'\$/SKIP: \1: \2/p" "$work/out"
  verdict "$status" "$tests.py" "$work/out"
done

for sample in saxpy filter; do
  interpret "$PYTHON" "$top_srcdir/data/samples/$sample.py" > "$work/out" 2>&1 && grep -q '^llvmpipe.*: ' "$work/out"
  verdict $? "the sample $sample.py computes what it should" "$work/out"
  ! (GABBRO_DEVICE=nosuch; export GABBRO_DEVICE; interpret "$PYTHON" "$top_srcdir/data/samples/$sample.py") > "$work/out" 2>&1 && grep -q "^$sample: .*nosuch" "$work/out"
  verdict $? "the sample $sample.py says why there is no device" "$work/out"
done

# The samples look at their results.
sed 's/2 \* numbers + 1)/3 * numbers + 1)/' "$top_srcdir/data/samples/saxpy.py" > "$work/wrong.py"
! interpret "$PYTHON" "$work/wrong.py" > "$work/out" 2>&1 && grep -q '^saxpy: y\[1\] is 3.0, not 3$' "$work/out"
verdict $? "the sample saxpy.py sees a wrong result" "$work/out"
sed "s/\* OPTIONS\['gain'\]/* 2/" "$top_srcdir/data/samples/filter.py" > "$work/wrong.py"
! interpret "$PYTHON" "$work/wrong.py" > "$work/out" 2>&1 && grep -q '^filter: a texel differs' "$work/out"
verdict $? "the sample filter.py sees a wrong result" "$work/out"
exit "$failed"
