#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Device tests again with llvmpipe's other vector widths, which are other subgroup sizes: 4 and 16
# instead of 8.

: "${top_builddir:=.}" "${TEST_TMPDIR:=/tmp}"

status=0
for width in 128 512; do
  # Mesa's cache holds machine code and does not ask for which width it was made.
  MESA_SHADER_CACHE_DIR=$TEST_TMPDIR/cache-$width
  export MESA_SHADER_CACHE_DIR
  for name in gpu/test-lists gpu/test-copies cases/test-examples; do
    log=$TEST_TMPDIR/$width-$(basename "$name").log
    if LP_NATIVE_VECTOR_WIDTH=$width "$top_builddir/tests/$name" > "$log" 2>&1; then
      echo "PASS: $name with vectors of $width bits"
    else
      echo "FAIL: $name with vectors of $width bits"
      cat "$log"
      status=1
    fi
  done
done
exit $status
