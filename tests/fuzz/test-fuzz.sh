#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The fuzzers themselves: whatever goes wrong is found, kept, and can be made again.

top_builddir=${top_builddir:-.}
if [ -z "$TEST_TMPDIR" ]; then
  TEST_TMPDIR=$(mktemp -d) || exit 99
  trap 'rm -rf "$TEST_TMPDIR"' EXIT
fi
fuzz=$top_builddir/tests/fuzz/fuzz
found=$TEST_TMPDIR/found
failed=0

check ()
{
  if [ "$2" -eq 0 ]; then
    echo "PASS: $1"
  else
    echo "FAIL: $1"
    failed=1
  fi
}

# kind WORDS: the finding of a fault of this kind says WORDS.
kind ()
{
  rm -rf "$found"
  ! "$fuzz" artifact --seed 5 --from 10 --rounds 8 --fault "$1" --limit "${3:-30}" --memory 1024 --output "$found" \
    > "$TEST_TMPDIR/out" 2>&1 && grep -q "$2" "$found/artifact-5-13.txt"
  check "a fault of the kind '$1' is found and said" $?
}

# Sanitizers make an exit of a signal.
kind crash 'it ends by signal 11\|it ends with status'
kind hang 'it does not end' 1
kind sleep 'it waits and does not end' 1
kind memory 'too much memory'
kind check 'this was asked for'
# The text says which program and which input that was.
grep -q '^[a-z-]*fuzz artifact --seed 5 --from 13 --rounds 1$' "$found/artifact-5-13.txt"
check 'a finding says how to make it again' $?

# What goes on behind a finding: the other seven rounds were tried.
grep -q '1 findings' "$TEST_TMPDIR/out"
check 'one fault is one finding, and the rounds behind it are tried' $?

# The same seed and round make the same bytes, in a process of their own.
cp "$found/artifact-5-13.shader" "$TEST_TMPDIR/first" || failed=1
"$fuzz" artifact --seed 5 --from 10 --rounds 4 --fault check --output "$found" > /dev/null 2>&1
cmp -s "$found/artifact-5-13.shader" "$TEST_TMPDIR/first"
check 'a seed and a round make the same input again' $?
"$fuzz" artifact -- "$TEST_TMPDIR/first" > "$TEST_TMPDIR/out" 2>&1 && grep -q 'taken\|refused' "$TEST_TMPDIR/out"
check 'a file that was kept can be tried alone' $?

# Several seeds at once, and the log.
"$fuzz" artifact --seed 7 --rounds 20 --jobs 2 --log "$TEST_TMPDIR/log" --commit here > /dev/null 2>&1
check 'two processes with seeds of their own' $?
grep -q 'here artifact seed 7 ' "$TEST_TMPDIR/log" && grep -q 'here artifact seed 8 ' "$TEST_TMPDIR/log"
check 'the log has a line for each seed' $?

exit $failed
