#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# gabbro run --check, --trace and --break: what the reference driver shows of a kernel that runs.

GABBRO=${GABBRO:?the gabbro command to test}
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
sources=$top/tests/tool
if [ -z "$TEST_TMPDIR" ]; then
  TEST_TMPDIR=$(mktemp -d) || exit 99
  trap 'rm -rf "$TEST_TMPDIR"' EXIT
fi
cd "$TEST_TMPDIR" || exit 99
cp "$sources/blocks.gk" "$sources/faulty.gk" "$sources/steps.gk" "$sources/saxpy.gk" "$sources/imports.gk" "$sources/helper.gk" "$sources/members.gk" "$sources/lines.gk" . || exit 99
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
    diff expected "$2" > difference
    fail "$1"
    sed 's/^/  | /' difference
  fi
}

has ()
{
  if grep -Eq -e "$3" "$2"; then pass "$1"; else fail "$1: no $3"; fi
}

lacks ()
{
  if grep -Eq -e "$3" "$2"; then fail "$1: $3"; else pass "$1"; fi
}

unset GABBRO_CHECK GABBRO_REFERENCE
buffers="x=buffer:float:8 y=buffer:float:8"

# --- it is a device like others -------------------------------------------------------------------

gives 0 "run by name" run saxpy.gk -q -d4 --device=reference a=2 x=buffer:float:4 y=buffer:float:4
has "it computes" stdout '^y = 0 0 0 0$'
GABBRO_DEVICE=reference
export GABBRO_DEVICE
gives 0 "run by GABBRO_DEVICE" run saxpy.gk -d4 a=2 x=buffer:float:4 y=buffer:float:4
has "nothing is wrong" stderr 'on Reference'
lacks "nothing is reported" stderr 'error:'
gives 0 "run by GABBRO_DEVICE with a fault" run faulty.gk:shift -q -d8 x=buffer:float:8 y=buffer:float:8
has "the library checks" stderr 'faulty.gk:7:13: error: .*\[out-of-bounds\]$'
GABBRO_CHECK=0 "$GABBRO" run faulty.gk:shift -q -d8 x=buffer:float:8 y=buffer:float:8 > stdout 2> stderr
lacks "but not against GABBRO_CHECK=0" stderr 'error:'
gives 0 "run by GABBRO_DEVICE once more" run saxpy.gk -d4 a=2 x=buffer:float:4 y=buffer:float:4
unset GABBRO_DEVICE
has "the summary names it" stderr 'on Reference interpreter, driver reference'
gives 0 "info" info reference
has "info shows its settings" stdout 'Reference driver'
gives 0 "list" list
has "list shows it" stdout '^  Reference interpreter'

# --- checks ---------------------------------------------------------------------------------------

# shellcheck disable=SC2086  # two arguments
gives 0 "nothing to report" run saxpy.gk -q -d8 --check a=2 $buffers
prints "nothing is said" stderr << 'END'
END
has "the values come" stdout '^y = 0 0 0 0 0 0 0 0$'

# shellcheck disable=SC2086
gives 3 "an index out of range" run faulty.gk:shift -q -d8 --check $buffers
prints "as compilers print it" stderr << 'END'
faulty.gk:7:13: error: thread (7, 0, 0) reads element 8 of “x”, which has 8 [out-of-bounds]
      y[i] = x[i + 1u];
              ^
  in the kernel “shift”, workgroup (0, 0, 0)
  hint: compare the index with the length before it is used
gabbro: the kernel does 1 thing that it may not
END
has "the values come all the same" stdout '^y = 0 0 0 0 0 0 0 0$'

GABBRO_REFERENCE=reports=1
export GABBRO_REFERENCE
gives 3 "more reports than are kept" run faulty.gk:mistakes -q -d1 --check b=buffer:int:4
has "that there are more is said" stderr '^gabbro: the kernel does more than 1 thing that it may not$'
unset GABBRO_REFERENCE
gives 3 "all of them" run faulty.gk:mistakes -q -d1 --check b=buffer:int:4
has "by -1 is not by 0" stderr 'divides -2147483648 by -1'
has "and has a hint of its own" stderr 'hint: the result is the dividend again'
has "types as the language has them" stderr 'converts 1000000 to short, which cannot hold it'
lacks "nothing more" stderr 'more than'
cat > gate.gk << 'END'
kernel(4) void gate(buffer<int> b)
{
    if (b[local_id.x] == 0 && local_id.x < 2)
        return;
    barrier();
}
END
gives 3 "a barrier" run gate.gk -q -d4 --check b=buffer:int:4
lacks "no place without a line" stderr '^gate.gk: note'

gives 3 "a race" run faulty.gk:race -q -d4 --check out=buffer:uint:4
has "both places are shown" stderr '^faulty.gk:13:[0-9]+: error: .* \[race\]$'
has "the other one is a note" stderr '^faulty.gk:13:[0-9]+: note: thread \(0, 0, 0\) of workgroup \(0, 0, 0\) was here$'
has "it is counted" stderr '; 3 times$'

GABBRO_REFERENCE=steps=5000
export GABBRO_REFERENCE
gives 3 "an endless loop" run faulty.gk:forever -q -d1 --check b=buffer:uint:4:never.npy
has "the loop is shown" stderr '^faulty.gk:19:[0-9]+: error: .* \[endless-loop\]$'
has "the device is lost" stderr '^gabbro: .* was lost'
if [ "$(grep -c '^gabbro: ' stderr)" -eq 1 ]; then pass "one line says so"; else fail "one line says so"; fi
if [ -e never.npy ]; then fail "no results of a lost device"; else pass "no results of a lost device"; fi
gives 1 "an endless loop without checks" run faulty.gk:forever -q -d1 --device=reference b=buffer:uint:4
GABBRO_REFERENCE=width=4,seed=9
# shellcheck disable=SC2086
gives 3 "settings of the environment" run faulty.gk:shift -q -d8 --check $buffers
unset GABBRO_REFERENCE
GABBRO_CHECK=1,no-out-of-bounds
export GABBRO_CHECK
# shellcheck disable=SC2086
gives 0 "a check that is switched off" run faulty.gk:shift -q -d8 --check $buffers
GABBRO_CHECK=no-race
# shellcheck disable=SC2086
gives 3 "the others stay" run faulty.gk:shift -q -d8 --check $buffers
GABBRO_CHECK=0
# shellcheck disable=SC2086
gives 3 "--check is stronger than none" run faulty.gk:shift -q -d8 --check $buffers
unset GABBRO_CHECK


# Whoever sets the variable sees what is found, though no program listens.
GABBRO_CHECK=1
export GABBRO_CHECK
# shellcheck disable=SC2086
gives 0 "checks by the environment" run faulty.gk:shift -q -d8 --device=reference $buffers
has "reports are on standard error" stderr '^(.*Gabbro-)?.*faulty.gk:7:13: error: .* \[out-of-bounds\]$'
has "with the line" stderr 'y\[i\] = x\[i \+ 1u\];'
# shellcheck disable=SC2086
gives 3 "--check listens" run faulty.gk:shift -q -d8 --check $buffers
if [ "$(grep -c '\[out-of-bounds\]' stderr)" -eq 1 ]; then pass "no report comes twice"; else fail "no report comes twice"; fi
GABBRO_CHECK=rase
# shellcheck disable=SC2086
gives 1 "a check that there is not" run saxpy.gk -q -d8 --device=reference a=2 $buffers
has "variable, value and words are named" stderr 'GABBRO_CHECK .*“rase”.*out-of-bounds'
unset GABBRO_CHECK

# shellcheck disable=SC2086
gives 3 "reports as JSON" run faulty.gk:shift -d8 --check --json $buffers
prints "one line says that there are some" stderr << 'END'
gabbro: the kernel does 1 thing that it may not
END
lacks "no values between" stdout '^y ='
has "JSON has the kind" stdout '"kind" : "out-of-bounds"'
has "JSON has the line" stdout '"line" : 7'
has "JSON has the object" stdout '"object" : "x"'
if command -v python3 > /dev/null 2>&1; then
  if python3 -c 'import json, sys; r = json.load(sys.stdin)["reports"]; assert len(r) == 1 and r[0]["thread"] == [7, 0, 0] and r[0]["limit"] == [8]' < stdout 2> stderr; then
    pass "it is JSON"
  else
    fail "it is JSON"
  fi
fi
fits_schema ()
{
  "$PYTHON" "$top_srcdir/tests/tool/check-schema.py" "$top_srcdir/data/gabbro-1.schema.json" "$2" > schema.out 2>&1
  case $? in
    0) pass "$1" ;;
    77 | 127) echo "SKIP: $1: $(cat schema.out)" ;;
    *) fail "$1" ;;
  esac
}
cp stdout reports.json
fits_schema "reports are as the schema says" reports.json
# shellcheck disable=SC2086
gives 0 "no reports as JSON" run saxpy.gk -d8 --check --json a=2 $buffers
has "an empty list" stdout '"reports" : \[\]'

# A bundle has no source to interpret.
gives 0 "a bundle" compile saxpy.gk -o saxpy.gabbro
# shellcheck disable=SC2086
gives 1 "a bundle cannot be checked" run saxpy.gabbro:saxpy -q -d8 --check a=2 $buffers
has "it is said" stderr '^gabbro: The kernel “saxpy” is of a bundle, and the driver of “Reference interpreter” runs kernels from their source alone$'

# --- one thread -----------------------------------------------------------------------------------

gives 0 "a trace" run steps.gk -q -d4 --trace=1 scale=2 x=buffer:float:4 y=buffer:float:4
prints "line by line" stdout << 'END'
thread (1, 0, 0) of sum
steps.gk:12: uint i = global_id.x;
    i = 1
steps.gk:13: float total = 0.0;
    total = 0
steps.gk:14: for (uint j = 0u; j <= i; j++)
    j = 0
    condition: true
steps.gk:16: float part = square(x[j]);
    x[0] → 0
steps.gk:5:   float r = x * x;
    r = 0
steps.gk:6:   return r;
    result: 0
steps.gk:16: float part = square(x[j]);
    part = 0
steps.gk:17: total += part;
    total = 0
steps.gk:14: for (uint j = 0u; j <= i; j++)
    j = 1
    condition: true
steps.gk:16: float part = square(x[j]);
    x[1] → 0
steps.gk:5:   float r = x * x;
    r = 0
steps.gk:6:   return r;
    result: 0
steps.gk:16: float part = square(x[j]);
    part = 0
steps.gk:17: total += part;
    total = 0
steps.gk:14: for (uint j = 0u; j <= i; j++)
    j = 2
    condition: false
steps.gk:19: y[i] = scale * total;
    y[1] = 0
steps.gk:20: }
the thread has ended
y = 0 0 0 0
END

gives 0 "a breakpoint" run steps.gk -q -d4 --break=steps.gk:17 scale=2 x=buffer:float:4 y=buffer:float:4
prints "the variables there" stdout << 'END'
thread (0, 0, 0) of sum
steps.gk:17: total += part;
    scale = 2
    x = buffer of 4 elements
    y = buffer of 4 elements
    i = 0
    total = 0
    j = 0
    part = 0
the thread has ended
y = 0 0 0 0
END

gives 0 "a trace of structures" run members.gk -q -d1 --trace=0 pairs=buffer:Pair:2 range=0,5
prints "members by their names" stdout << 'END'
thread (0, 0, 0) of members
members.gk:32: Pair pair = pairs[range.first];
    pairs[0] → {balls = [{(0, 0), radius = 0}, {(0, 0), radius = 0}], weight = 0}
    pair = {balls = [{(0, 0), radius = 0}, {(0, 0), radius = 0}], weight = 0}
members.gk:33: pair.balls[1].radius = 2.0;
    pair.balls[1].radius = 2
members.gk:34: pair.weight = int(range.last);
    pair.weight = 5
members.gk:35: pairs[range.first] = pair;
    pairs[0] = {balls = [{(0, 0), radius = 0}, {(0, 0), radius = 2}], weight = 5}
members.gk:36: pairs[0].weight = 7;
    pairs[0].weight = 7
members.gk:37: }
the thread has ended
pairs = ((((0, 0), 0), ((0, 0), 2)), 7) ((((0, 0), 0), ((0, 0), 0)), 0)
END
gives 0 "a breakpoint with structures" run members.gk -q -d1 --break=members.gk:36 pairs=buffer:Pair:2 range=0,5
has "their members, too" stdout '^    range = \{first = 0, last = 5\}$'
gives 0 "a breakpoint in a thread" run "$sources/steps.gk" -q -d4 --trace=2 --break=steps.gk:16 scale=2 x=buffer:float:4 y=buffer:float:4
has "of that thread" stdout '^thread \(2, 0, 0\) of sum$'
if [ "$(grep -c 'steps.gk:16: ' stdout)" -eq 3 ]; then pass "each time that it comes there, not when it comes back"; else fail "each time that it comes there, not when it comes back"; fi
lacks "no other lines" stdout 'steps.gk:12: '

gives 0 "a line that nobody comes to" run steps.gk -q -d4 --break=steps.gk:2 scale=2 x=buffer:float:4 y=buffer:float:4
has "it is said" stderr '^gabbro: no such thread came to line 2$'

# What is imported has lines too, what the head of a loop declares ends with it, and an argument that is changed is one.
gives 0 "a trace of imports" run imports.gk -q -d4 --trace=1 step=3 out=buffer:uint:4
has "a line of the other file" stdout '^helper.gk:5:   uint r = x \+ x;$'
gives 0 "a breakpoint in an imported file" run imports.gk -q -d4 --trace=2 --break=helper.gk:6 step=3 out=buffer:uint:4
has "it stops there" stdout '^helper.gk:6:   return r;$'
has "with its variables" stdout '^    r = 8$'
gives 0 "the first thread that comes there" run imports.gk -q -d4 --break=helper.gk:5 step=3 out=buffer:uint:4
has "it is the first" stdout '^thread \(0, 0, 0\) of main_$'
gives 2 "a file that is not there" run imports.gk -q -d4 --break=other.gk:5 step=3 out=buffer:uint:4
has "the files are named" stderr "'other.gk' is no file of the kernel; there are: helper.gk, imports.gk"
gives 2 "a line that it has not" run imports.gk -q -d4 --break=helper.gk:50 step=3 out=buffer:uint:4
gives 0 "variables in a block" run blocks.gk -q -d4 --break=blocks.gk:14 step=3 out=buffer:uint:4
has "those of the block" stdout '^    once = 11$'
has "what an inner one hid" stdout '^    changed = 6$'
gives 0 "variables behind a block" run blocks.gk -q -d4 --break=blocks.gk:17 step=3 out=buffer:uint:4
has "those that are declared again" stdout '^    once = 1$'
lacks "none of the block" stdout '(changed|five) ='
gives 0 "variables behind a switch" run blocks.gk -q -d4 --break=blocks.gk:25 step=3 out=buffer:uint:4
has "those around it" stdout '^    sum = 64$'
lacks "none of the switch" stdout 'inside ='
gives 0 "variables behind a loop" run imports.gk -q -d4 --break=imports.gk:11 step=3 out=buffer:uint:4
prints "each once, and none of the loop" stdout << 'END'
thread (0, 0, 0) of main_
imports.gk:11: out[global_id.x] = global_id.x == 0u ? 0u : sum;
    out = buffer of 4 elements
    step = 4
    sum = 18
the thread has ended
out = 0 18 4 18
END

gives 0 "a trace of loops" run lines.gk:loops -q -d1 --trace=0 y=buffer:uint:8
prints "lines that are not run are not shown, of loops" stdout <<'END'
thread (0, 0, 0) of loops
lines.gk:33: uint k = 0, x = 0;
    k = 0
    x = 0
lines.gk:34: while (k < 2)
    condition: true
lines.gk:36: k++;
    k = 1
lines.gk:37: if (k == 1)
    condition: true
lines.gk:38: x = 3;
    x = 3
lines.gk:34: while (k < 2)
    condition: true
lines.gk:36: k++;
    k = 2
lines.gk:37: if (k == 1)
    condition: false
lines.gk:40: x = 4;
    x = 4
lines.gk:34: while (k < 2)
    condition: false
lines.gk:44: k++;
    k = 3
lines.gk:45: if (k == 3)
    condition: true
lines.gk:46: continue;
lines.gk:49: while (k < 4);
    condition: true
lines.gk:44: k++;
    k = 4
lines.gk:45: if (k == 3)
    condition: false
lines.gk:47: x = k;
    x = 4
lines.gk:49: while (k < 4);
    condition: false
lines.gk:50: for (;;)
lines.gk:52: if (x == 4)
    condition: true
lines.gk:54: x = 5;
    x = 5
lines.gk:55: continue;
lines.gk:50: for (;;)
lines.gk:52: if (x == 4)
    condition: false
lines.gk:57: if (x == 5)
    condition: true
lines.gk:58: break;
lines.gk:61: y[0] = x;
    y[0] = 5
lines.gk:62: }
the thread has ended
y = 5 0 0 0 0 0 0 0
END

gives 0 "a trace of choices" run lines.gk:choices -q -d1 --trace=0 y=buffer:uint:8
prints "lines that are not run are not shown, of choices" stdout <<'END'
thread (0, 0, 0) of choices
lines.gk:67: y[0] = choose(1);
lines.gk:5:   uint choose(uint a)
    a = 1
lines.gk:7:   if (a > 3)
    condition: false
lines.gk:9:   switch (a)
    condition: 1
lines.gk:12:   a = 2;
    a = 2
lines.gk:13:   break;
lines.gk:20:   if (a == 2)
    condition: true
lines.gk:21:   if (a > 0)
    condition: true
lines.gk:22:   a = 0;
    a = 0
lines.gk:27:   return a;
    result: 0
lines.gk:67: y[0] = choose(1);
    y[0] = 0
lines.gk:68: y[1] = choose(5);
lines.gk:5:   uint choose(uint a)
    a = 5
lines.gk:7:   if (a > 3)
    condition: true
lines.gk:8:   return 1;
    result: 1
lines.gk:68: y[1] = choose(5);
    y[1] = 1
lines.gk:69: if (y[0] > 0 && y[3] == 0
    y[0] → 0
    condition: false
lines.gk:70: || y[2] == 0)
    condition: false
    y[2] → 0
lines.gk:69: if (y[0] > 0 && y[3] == 0
    condition: true
lines.gk:71: return;
the thread has ended
y = 0 1 0 0 0 0 0 0
END

gives 0 "no breakpoint in a branch that is not taken" run lines.gk:choices -q -d1 --trace=0 --break=lines.gk:24 y=buffer:uint:8
has "nobody came" stderr 'came to line 24'

gives 0 "a trace of bytes" run lines.gk:bytes -q -d1 --trace=0 from=buffer:byte:12 to=buffer:byte:12
has "bytes that are read" stdout '^    from\[4\] → \(0, 0\)$'
has "bytes that are written" stdout '^    to\[8\] = \(0, 0\)$'

gives 3 "checks and a trace" run faulty.gk:shift -q -d8 --check --trace=7 x=buffer:float:8 y=buffer:float:8
has "the trace" stdout '^    x\[8\] → 0$'
has "the report" stderr '\[out-of-bounds\]$'

exit $failed
