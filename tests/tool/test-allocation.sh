#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# One whole run of the command, again and again, each time with one more allocation that fails: it says what is wrong
# and leaves the old file, or does without. Never a crash, half a file, a leak (in builds with sanitizers) or a lie.

GABBRO=${GABBRO:?the gabbro command to test}
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
preload=${top_builddir:-$top}/.libs/libfail-allocations.so
[ -e "$preload" ] || { echo "$preload is not there: make check builds it"; exit 99; }
# libtool's wrapper would be what the library is loaded into first.
program=${top_builddir:-$top}/tools/.libs/gabbro
[ -x "$program" ] || program=$GABBRO
LD_LIBRARY_PATH=${top_builddir:-$top}/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
if [ -z "$TEST_TMPDIR" ]; then
  TEST_TMPDIR=$(mktemp -d) || exit 99
  trap 'rm -rf "$TEST_TMPDIR"' EXIT
fi
cd "$TEST_TMPDIR" || exit 99
failed=0
most=400
# Each run starts without what the one before has compiled.
GABBRO_CACHE=0
export GABBRO_CACHE

fail ()
{
  echo "FAIL: $1"
  head -n 5 stderr | sed 's/^/  | /'
  failed=1
}

# The library is loaded before AddressSanitizer's, which does not mind if it is told.
run ()
{
  ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" LD_PRELOAD="$preload" \
    "$program" run "$top/tests/tool/copy.gk:copy" --device="$1" src=image:in.png dst=image:@src:rgba8:out.png \
    > stdout 2> stderr
}

# judge NAME STATUS: what the run with one failure has left.
judge ()
{
  if [ "$2" -eq 0 ]; then
    cmp -s out.png good.png || { fail "$1: status 0, and another picture"; return; }
  elif [ "$2" -ne 1 ]; then
    fail "$1: status $2"
    return
  elif [ "$(cat out.png)" != old ]; then
    fail "$1: the old file is gone"
    return
  elif ! grep -q '^gabbro: .' stderr; then
    fail "$1: nothing was said"
    return
  else
    n_refused=$((n_refused + 1))
  fi
  for file in .gabbro-*; do
    if [ -e "$file" ]; then
      fail "$1: $file is left"
      rm -f "$file"
    fi
  done
}

"$GABBRO" run "$top/tests/tool/shade.gk" --quiet dst=image:8x8:rgba8:in.png p=1,0.5,0,0.5,0.1,0.02 flip=false || exit 99

for device in llvmpipe reference; do
  rm -f out.png good.png
  if ! run $device; then
    fail "a run on $device with the allocations that it wants"
    continue
  fi
  mv out.png good.png
  n=0 n_refused=0 names=
  before=$failed
  while [ $n -lt $most ]; do
    n=$((n + 1))
    rm -f what
    echo old > out.png
    GABBRO_FAIL_AT=$n GABBRO_FAIL_LOG=what
    export GABBRO_FAIL_AT GABBRO_FAIL_LOG
    run $device
    status=$?
    unset GABBRO_FAIL_AT GABBRO_FAIL_LOG
    [ -e what ] || break
    judge "$device: allocation $n, $(cat what)" $status
    names="$names $(cat what)"
  done
  [ $before -eq $failed ] && [ $n -lt $most ] && echo "PASS: $((n - 1)) allocations that fail on $device, one a run"
  [ $n -lt $most ] || fail "$device: more than $most allocations"
  # Most are needed; where all runs succeed nothing has failed.
  if [ $n_refused -ge 3 ]; then
    echo "PASS: $n_refused runs on $device were refused"
  else
    fail "only $n_refused of $((n - 1)) runs on $device were refused:$names"
  fi
  for wanted in $([ $device = llvmpipe ] && echo vkAllocateMemory vkCreateComputePipelines vkQueueSubmit2) g_try_malloc; do
    case "$names " in
      *" $wanted "*) echo "PASS: $wanted failed on $device" ;;
      *) fail "$wanted never failed on $device:$names" ;;
    esac
  done
done

exit $failed
