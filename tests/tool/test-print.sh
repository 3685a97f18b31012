#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# gabbro run with kernels that print: where the lines go, failed assertions, lines that found no room.

GABBRO=${GABBRO:?the gabbro command to test}
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
if [ -z "$TEST_TMPDIR" ]; then
  TEST_TMPDIR=$(mktemp -d) || exit 99
  trap 'rm -rf "$TEST_TMPDIR"' EXIT
fi
cd "$TEST_TMPDIR" || exit 99
cp "$top/tests/tool/loud.gk" . || exit 99
failed=0

pass ()
{
  echo "PASS: $1"
}

fail ()
{
  echo "FAIL: $1"
  sed 's/^/  | /' stdout stderr 2>/dev/null | head -n 40
  failed=1
}

# gives STATUS NAME ARGUMENT...: what it printed is in stdout and stderr.
gives ()
{
  expected=$1
  name=$2
  shift 2
  "$GABBRO" "$@" > stdout 2> stderr < /dev/null
  status=$?
  if [ "$status" -eq "$expected" ]; then pass "$name"; else fail "$name: exit status $status, not $expected"; fi
}

# prints NAME FILE: exactly what stands on standard input.
prints ()
{
  cat > expected
  if cmp -s expected "$2"; then
    pass "$1"
  else
    fail "$1"
    diff expected "$2" | sed 's/^/  | /'
  fi
}

for device in vulkan reference; do
  gives 0 "a kernel that prints on $device" run loud.gk:square -q -d4 --device=$device out=buffer:int:4
  prints "its lines on $device" stdout << 'END'
0 squared is 0
1 squared is 1
2 squared is 4
3 squared is 9
out = 0 1 4 9
END
  prints "nothing else on $device" stderr < /dev/null
  gives 0 "three runs on $device" run loud.gk:square -q -d4 --repeat=3 --device=$device out=buffer:int:4
  if [ "$(grep -c '^2 squared is 4$' stdout)" -eq 3 ]; then pass "each prints on $device"; else fail "each prints on $device"; fi

  gives 3 "an assertion that fails on $device" run loud.gk:positive -q -d4 --device=$device out=buffer:int:4
  prints "what it says on $device" stderr << 'END'
loud.gk:17:5: assertion failed: i != 2: thread 2 has 0
  in the kernel “positive”, thread (2, 0, 0)
gabbro: 1 assertion of the kernel failed
END
  prints "values all the same on $device" stdout << 'END'
out = 1 1 1 1
END

  gives 0 "too much for a small buffer on $device" run loud.gk:much -q -d64 --print-buffer=4 --device=$device out=buffer:int:64
  if [ "$(wc -l < stdout)" -eq 146 ]; then pass "what found room on $device"; else fail "what found room on $device"; fi
  prints "the rest is counted on $device" stderr << 'END'
gabbro: 6255 lines that the kernel printed were dropped: --print-buffer makes room for more
END
done

gives 0 "enough room" run loud.gk:much -q -d64 --print-buffer=1024 --device=reference out=buffer:int:64
if [ "$(wc -l < stdout)" -eq 6401 ]; then pass "all lines"; else fail "all lines"; fi

gives 0 "a bundle of it" compile loud.gk -o loud.gabbro
gives 0 "a bundle that prints" run loud.gabbro:square -q -d4 --device=vulkan out=buffer:int:4
if [ "$(head -n 4 stdout | tail -n 1)" = "3 squared is 9" ]; then pass "lines of a bundle"; else fail "lines of a bundle"; fi

gives 3 "an assertion that is checked" run loud.gk:positive -q -d4 --check out=buffer:int:4
prints "what it says and what is reported" stderr << 'END'
loud.gk:17:5: assertion failed: i != 2: thread 2 has 0
  in the kernel “positive”, thread (2, 0, 0)
loud.gk:17:5: error: the assertion “i != 2” does not hold in thread (2, 0, 0) [assert]
      assert(i != 2, "thread {} has {}", i, out[i]);
      ^
  in the kernel “positive”, workgroup (0, 0, 0)
  hint: a text with values, as in assert(a < b, "{} {}", a, b), lets each such thread print them
gabbro: the kernel does 1 thing that it may not
END
GABBRO_CHECK=no-assert gives 3 "an assertion that is not checked" run loud.gk:positive -q -d4 --check out=buffer:int:4
prints "what it says alone" stderr << 'END'
loud.gk:17:5: assertion failed: i != 2: thread 2 has 0
  in the kernel “positive”, thread (2, 0, 0)
gabbro: 1 assertion of the kernel failed
END
gives 3 "as JSON" run loud.gk:positive -d4 --check --json out=buffer:int:4
for part in '"text" *: *"thread 2 has 0"' '"condition" *: *"i != 2"' '"failure" *: *true' '"dropped-prints" *: *0' '"kind" *: *"assert"' '"value" *: *"i != 2"'; do
  if grep -Eq "$part" stdout; then pass "JSON has $part"; else fail "JSON has $part"; fi
done
gives 2 "no room at all" run loud.gk:square -d4 --print-buffer=3 out=buffer:int:4
exit $failed
