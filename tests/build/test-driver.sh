#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The machinery that runs and counts tests, on little tests that pass, fail, crash, skip and hang.

: "${top_srcdir:?run this by build-aux/run-test}" "${top_builddir:?}"
work=${TEST_TMPDIR:-/tmp}/driver
mkdir -p "$work" || exit 99
cd "$work" || exit 99
failed=0

# expect NAME TOTALS STATUS BODY: what count-tests says of a test with that body.
expect ()
{
  printf '#!/bin/sh\n%s\n' "$4" > sample.sh
  chmod +x sample.sh
  rm -f sample.trs
  GABBRO_TEST_TIMEOUT=2 sh "$top_srcdir/build-aux/check-driver" --test-name sample.sh \
    --log-file sample.log --trs-file sample.trs --color-tests no -- \
    "$top_builddir/build-aux/run-test" ./sample.sh > driver.out
  totals=$(sh "$top_srcdir/build-aux/count-tests" sample.trs)
  status=$?
  if [ "$totals" = "$2" ] && [ "$status" -eq "$3" ]; then
    echo "PASS: $1"
  else
    echo "FAIL: $1: \"$totals\" (status $status), \"$2\" (status $3) was expected"
    sed 's/^/  /' driver.out sample.trs
    failed=1
  fi
}

expect "a silent success is one check" "1 passed, 0 failed, 0 skipped" 0 'true'
expect "a silent failure is one check" "0 passed, 1 failed, 0 skipped" 1 'exit 3'
expect "lines of a script are counted" "2 passed, 1 failed, 1 skipped" 1 \
  'echo "PASS: a"; echo "PASS: b"; echo "FAIL: c"; echo "SKIP: d"; exit 1'
expect "a failure that the status hides is seen" "1 passed, 1 failed, 0 skipped" 1 \
  'echo "PASS: a"; echo "FAIL: b"'
expect "a status that the lines hide is seen" "1 passed, 1 failed, 0 skipped" 1 'echo "PASS: a"; exit 2'
expect "status 77 skips" "0 passed, 0 failed, 1 skipped" 1 'exit 77'
expect "status 77 after some checks skips the rest" "1 passed, 0 failed, 0 skipped" 0 'echo "PASS: a"; exit 77'
expect "a crash is a failure" "0 passed, 1 failed, 0 skipped" 1 'kill -SEGV $$'
expect "a hang is a failure" "0 passed, 1 failed, 0 skipped" 1 'sleep 60'
expect "Check's closing lines are counted" "8 passed, 3 failed, 0 skipped" 1 \
  'echo "63%: Checks: 8, Failures: 1, Errors: 2"; echo "100%: Checks: 3, Failures: 0, Errors: 0"; exit 1'
expect "a set-up error is a failure" "0 passed, 1 failed, 0 skipped" 1 'exit 99'

totals=$(sh "$top_srcdir/build-aux/count-tests" gone.trs | tail -n 1)
if [ "$totals" = "0 passed, 1 failed, 0 skipped" ]; then
  echo "PASS: a test without a result is a failure"
else
  echo "FAIL: a test without a result is a failure: $totals"
  failed=1
fi

# The environment that tests are promised.
# shellcheck disable=SC2016
cat > environment.sh <<'END'
#!/bin/sh
[ "$VK_DRIVER_FILES" = "$VK_ICD_FILENAMES" ] && [ "$LP_NATIVE_VECTOR_WIDTH" = 256 ] &&
  [ "$LVP_POISON_MEMORY" = 1 ] && [ "$G_DEBUG" = fatal-criticals ] && [ -d "$TEST_TMPDIR" ] &&
  [ -n "$GABBRO_DRIVER_PATH" ] && [ -z "$GABBRO_DEVICE" ] || exit 1
for folder in "$HOME" "$XDG_CACHE_HOME" "$XDG_RUNTIME_DIR" "$MESA_SHADER_CACHE_DIR"; do
  case $folder in
    "$top_builddir"/*) ;;
    *) exit 1 ;;
  esac
done
END
chmod +x environment.sh
if GABBRO_DEVICE=nonsense HOME=/ LP_NATIVE_VECTOR_WIDTH='' G_DEBUG='' "$top_builddir/build-aux/run-test" ./environment.sh; then
  echo "PASS: the environment of tests"
else
  echo "FAIL: the environment of tests"
  failed=1
fi
exit "$failed"
