#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The tests on the null driver under valgrind: no error, and nothing of ours is lost. What leaks on
# purpose, because a kernel never ends, is left out, and so is what needs a device.

: "${top_builddir:=.}" "${TEST_TMPDIR:=/tmp}" "${LIBTOOL:=$top_builddir/libtool}" "${VALGRIND:=valgrind}"

if ! command -v "$VALGRIND" > /dev/null 2>&1; then
  echo "SKIP: valgrind is not there"
  exit 77
fi
if [ "${GABBRO_SANITIZERS:-no}" = yes ]; then
  echo "SKIP: the sanitizers and valgrind exclude each other"
  exit 77
fi

# Clocks run differently there.
GABBRO_TEST_PATIENCE=20
GABBRO_TEST_GRAPHS=100
CK_EXCLUDE_TAGS='leaks device'
CK_DEFAULT_TIMEOUT=300
CK_TIMEOUT_MULTIPLIER=4
G_SLICE=always-malloc
export GABBRO_TEST_PATIENCE GABBRO_TEST_GRAPHS CK_EXCLUDE_TAGS CK_DEFAULT_TIMEOUT CK_TIMEOUT_MULTIPLIER G_SLICE

status=0
for name in test-bare test-context test-errors test-event-graphs test-failure test-lifetime test-objects test-rescan test-scheduler test-signals; do
  log=$TEST_TMPDIR/$name.log
  # Each test is a process of its own, and valgrind's exit status fails it.
  if "$LIBTOOL" --mode=execute "$VALGRIND" --quiet --leak-check=full --errors-for-leak-kinds=definite \
      --show-leak-kinds=definite --error-exitcode=9 --num-callers=30 "$top_builddir/tests/gpu/$name" > "$log" 2>&1; then
    echo "PASS: $name under valgrind"
  else
    echo "FAIL: $name under valgrind"
    cat "$log"
    status=1
  fi
done
exit $status
