#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the gabbro command refuses: every argument and every kind of file, broken in every way.
# Each time one clear line (a compile may print all its diagnostics), an exit status that is not 0,
# no crash, no file made or changed, less than 256 MiB of memory and 10 seconds.

GABBRO=${GABBRO:?the gabbro command to test}
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
sources=$top/tests/tool
limits=${GABBRO_LIMITS:-${top_builddir:-$top}/tests/tool/limits}
[ -x "$limits" ] || { echo "$limits is not there: make check builds it"; exit 99; }
if [ -z "$TEST_TMPDIR" ]; then
  TEST_TMPDIR=$(mktemp -d) || exit 99
  trap 'rm -rf "$TEST_TMPDIR"' EXIT
fi
cd "$TEST_TMPDIR" || exit 99
mkdir work logs || exit 99
cd work || exit 99
logs=../logs
failed=0
kib=262144
seconds=10

saxpy=$sources/saxpy.gk
copy=$sources/copy.gk
shade=$sources/shade.gk

# What is here, with times: any change is a file that should not have been touched.
state ()
{
  find . ! -type d -exec stat -c '%n %s %Y %Z %i' {} + | sort
}

# Names of tests hold what was tried; a log is text.
plain ()
{
  printf '%s' "$1" | LC_ALL=C tr -c '[:print:]' '?'
}

# judge NAME STATUS LINES: what the last run left in $logs is what a refusal looks like.
judge ()
{
  verdict=
  read -r report < $logs/report
  case $report in
    "exit=$2 signal=0 "*) ;;
    *) verdict="$report, exit=$2 expected" ;;
  esac
  rss=${report#*rss=}
  rss=${rss%% *}
  if [ "$GABBRO_SANITIZERS" != yes ] && [ "$rss" -ge "$kib" ]; then
    verdict="$verdict; $rss KiB of memory"
  fi
  if [ "$3" = one ]; then
    if [ "$(wc -l < $logs/stderr)" -ne 1 ] || ! grep -q '^gabbro: .' $logs/stderr; then
      verdict="$verdict; not one line 'gabbro: …'"
    fi
  elif ! [ -s $logs/stderr ]; then
    verdict="$verdict; nothing was said"
  fi
  if [ -s $logs/stdout ]; then
    verdict="$verdict; something on standard output"
  fi
  state > $logs/after
  if ! cmp -s $logs/before $logs/after; then
    verdict="$verdict; files were touched: $(diff $logs/before $logs/after | head -n 3 | tr '\n' ' ')"
    cp $logs/after $logs/before
  fi
  if [ -z "$verdict" ]; then
    echo "PASS: $(plain "$1")"
  else
    echo "FAIL: $(plain "$1: ${verdict#; }")"
    head -c 2000 $logs/stderr | head -n 5 | LC_ALL=C tr -c '[:print:]\n' '?' | sed 's/^/  | /'
    failed=1
  fi
}

# bad NAME STATUS ARGUMENT...
bad ()
{
  name=$1
  expected=$2
  shift 2
  "$limits" $logs/report $seconds "$GABBRO" "$@" > $logs/stdout 2> $logs/stderr < /dev/null
  judge "$name" "$expected" one
}

# uncompilable NAME ARGUMENT...: all diagnostics may come.
uncompilable ()
{
  name=$1
  shift
  "$limits" $logs/report $seconds "$GABBRO" "$@" > $logs/stdout 2> $logs/stderr < /dev/null
  judge "$name" 1 any
}

# modest NAME ARGUMENT...: nothing is wrong with it, and it takes no more than what is.
modest ()
{
  name=$1
  shift
  "$limits" $logs/report $seconds "$GABBRO" "$@" > $logs/stdout 2> $logs/stderr < /dev/null
  read -r report < $logs/report
  rss=${report#*rss=}
  rss=${rss%% *}
  case $report in
    "exit=0 signal=0 "*)
      if [ "$GABBRO_SANITIZERS" = yes ] || [ "$rss" -lt "$kib" ]; then
        echo "PASS: $name"
        return
      fi ;;
  esac
  echo "FAIL: $name: $report"
  failed=1
}

# says PATTERN: the message of the last refusal.
says ()
{
  if grep -Eq -e "$1" $logs/stderr; then
    echo "PASS: $(plain "$name"): says $1"
  else
    echo "FAIL: $(plain "$name"): does not say $1"
    head -n 5 $logs/stderr | sed 's/^/  | /'
    failed=1
  fi
}

# --- files to be refused -------------------------------------------------------------------------

strange=$(printf 'n\351\377\033[31m')
: > empty
mkdir folder
mkfifo fifo
head -c 1048576 /dev/urandom > noise
cp noise big
truncate -s 1G big
head -c 100 "$saxpy" > cut.gk
printf '\211PNG\r\n\032\n' > magic.png
cat magic.png noise > noise.png
printf '\211PNG\r\n\032\n\000\000\000\015IHDR\000\001\000\000\000\001\000\000\010\006\000\000\000' > bomb.png
# The largest that is allowed (8192×4096), cut short behind some of its data: 128 MiB of texels.
"$GABBRO" run "$shade" -q dst=image:8192x4096:rgba8:large.png p=1,1,1,1,1,1 flip=true 2> $logs/stderr || cat $logs/stderr
[ -s large.png ] || { echo "FAIL: no large picture can be made"; failed=1; }
head -c 100000 large.png > large-cut.png
rm -f large.png
# One row more; it ends where its data begins.
printf '\211PNG\r\n\032\n\000\000\000\015IHDR\000\000\040\000\000\000\020\001\010\006\000\000\000\021\225\274\256\000\000\020\000IDATx\001' > too-large.png
printf '\377\330\377' > magic.jpg
cat magic.jpg noise > noise.jpg
# A progressive JPEG of 5792×5792: tables that make everything short, and one scan of zeros. progressive SCANS adds as many
# scans of 74 bytes, each of which goes over the whole picture, whose coefficients take 192 MiB.
progressive ()
{
  printf '\377\330\377\333\000\103\000'
  head -c 64 /dev/zero | tr '\0' '\020'
  printf '\377\302\000\021\010\026\240\026\240\003\001\021\000\002\021\000\003\021\000'
  printf '\377\304\000\024\000\001'
  head -c 16 /dev/zero
  printf '\377\304\000\025\020\001\001'
  head -c 14 /dev/zero
  printf '\340\000\377\332\000\014\003\001\000\002\000\003\000\000\000\000'
  head -c 196566 /dev/zero
  { printf '\377\332\000\010\001\001\000\001\077\000'; head -c 60 /dev/zero; } > scan
  for _ in $(seq "$1"); do cat scan; done
}
progressive 3 > progressive-cut.jpg
{ progressive 40; printf '\377\331'; } > progressive-scans.jpg
{ head -c 33 bomb.png; head -c 12600000 /dev/zero; } > chunks.png
printf '\223NUMPY\001\000' > magic.npy
cat magic.npy noise > noise.npy
printf "\223NUMPY\001\000\166\000%-117s\n" "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }" > cut.npy
printf "\223NUMPY\001\000\166\000%-117s\n" "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }" > huge.npy
printf "\223NUMPY\001\000\166\000%-117s\n" "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }" > flat.npy
printf 1234 >> flat.npy
printf "\223NUMPY\001\000\166\000%-117s\n" "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }12345678" > double.npy
printf "\223NUMPY\001\000\166\000%-117s\n" "{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }" > bool.npy
printf "\223NUMPY\001\000\166\000%-117s\n" "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }" > none.npy
printf "\223NUMPY\001\000\166\000%-117s\nABCDABCDABCD" "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" > three.npy
printf "\223NUMPY\001\000\166\000%-117s\nABCDABCDABCDABCD" "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }" > four.npy
printf "\223NUMPY\001\000\166\000%-117s\nABCDABCDABCD" "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }" > three-int.npy
cp "$saxpy" "$strange.gk"
cp noise "$strange"
if "$GABBRO" run "$shade" -q dst=image:16x9:rgba8:good.png p=1,1,1,1,1,1 flip=true 2> $logs/stderr; then
  head -c 60 good.png > cut.png
  echo before > kept.png
  cp kept.png kept.npy
else
  # No picture can be made: the rest is still to be tried.
  cat $logs/stderr
  cp noise.png cut.png
  echo before > kept.png
  cp kept.png kept.npy
fi
state > $logs/before

# --- commands and options ------------------------------------------------------------------------

bad "no command" 2
bad "an empty command" 2 ""
bad "an unknown command" 2 lsit
says "did you mean 'list'"
bad "a strange command" 2 "$strange"
bad "an unknown option before it" 2 --jsn list
bad "help of nothing known" 2 help runn
says "did you mean 'run'"
bad "too much help" 2 help run list
for command in list info tree get monitor select check diff compile explain run bundle cache completion; do
  bad "$command: unknown option" 2 $command --jsonn
  bad "$command: unknown letter" 2 $command -Z
  bad "$command: strange option" 2 $command "--$strange"
  bad "$command: empty option" 2 $command --=
done
bad "list: too many" 2 list x
bad "list: a value for a flag" 2 list --json=yes
bad "list: twice" 2 list --json --json
bad "info: too many" 2 info a b
bad "info: empty" 2 info ""
bad "info: unknown adapter" 1 info "no such adapter"
bad "info: strange adapter" 1 info "$strange"
bad "info: unknown path" 1 info /adapters/none99

bad "list: paths as JSON" 2 list --paths --json
for command in list info tree get select check diff explain; do
  for when in "" yes alway "$strange"; do
    bad "$command: --color=$when" 2 $command "--color=$when"
  done
done
says "is none of auto, always, never"
for glob in "" nothing "$strange" '['; do
  expected=1
  if [ -z "$glob" ]; then expected=2; fi
  bad "info: --section=$glob" "$expected" info "--section=$glob"
  bad "info: --attribute=$glob" "$expected" info "--attribute=$glob"
done
bad "info: a good and a bad section" 1 info --section=limits --section=limit
bad "tree: too many" 2 tree / /adapters
for path in "" adapters "$strange"; do
  bad "tree: '$path'" 2 tree "$path"
  bad "get: '$path'" 2 get "$path"
done
for path in /nothing //adapters "/$strange" /adapters/../adapters; do
  bad "tree: $path" 1 tree "$path"
  bad "get: $path" 1 get "$path"
  bad "get: $path/x/y" 1 get "$path/x/y"
done
for depth in "" -1 x 65 1.5 99999999999999999999; do
  bad "tree: --depth=$depth" 2 tree "--depth=$depth"
done
bad "get: nothing" 2 get
bad "get: too many" 2 get /adapters /adapters
bad "get: unknown attribute" 1 get /adapters/vulkan0/nothing
bad "get: unknown section" 1 get /adapters/vulkan0/nothing/max-buffer-size
for seconds_given in "" -1 x 86401 1.5 99999999999999999999; do
  bad "monitor: --interval=$seconds_given" 2 monitor "--interval=$seconds_given"
  bad "monitor: --timeout=$seconds_given" 2 monitor "--timeout=$seconds_given"
done
bad "monitor: --timeout=0" 2 monitor --timeout=0
bad "monitor: too many" 2 monitor x
bad "select: too many" 2 select a b
bad "select: empty" 2 select ""
bad "select: unknown adapter" 1 select "no such adapter"
bad "explain: unknown code" 1 explain GK0000
bad "explain: a good and a bad code" 1 explain GK0200 GK9999
for code in "" x GK 0 200x 99999999999999999999 "$strange"; do
  bad "explain: '$code'" 1 explain "$code"
done
bad "completion: no shell" 2 completion
bad "completion: too many" 2 completion bash zsh
bad "completion: unknown shell" 2 completion tcsh
bad "completion: near shell" 2 completion bahs
says "did you mean 'bash'"

# --- check and diff ------------------------------------------------------------------------------

"$GABBRO" info --json > good.json 2> $logs/stderr || cat $logs/stderr
head -c 500 good.json > cut.json
cp noise noise.json
cp empty empty.json
cp big big.json
echo '{}' > object.json
echo '[]' > list.json
echo 'null' > null.json
printf '"text' > text.json
printf '\377' > bytes.json
head -c 1000000 /dev/zero | tr '\0' '[' > deep.json
{ printf '{"schema":1,"adapter":{"name":"x","attributes":'; head -c 500000 /dev/zero | tr '\0' '['; } > deeper.json
echo '{ "schema": 2, "adapter": { "name": "x", "attributes": { } } }' > later.json
echo '{ "schema": "1", "adapter": { "name": "x", "attributes": { } } }' > schema.json
echo '{ "schema": 1, "adapter": { "name": 3, "attributes": { } } }' > name.json
echo '{ "schema": 1, "adapter": { "name": "x", "attributes": [ ] } }' > attributes.json
echo '{ "schema": 1, "adapter": { "name": "x", "attributes": { "a": null } } }' > value.json
echo '{ "schema": 1, "adapter": { "name": "x", "attributes": { "a": { "b": { "c": 1 } } } } }' > nested.json
echo '{ "schema": 1, "adapter": { "name": "x", "attributes": { "a": [ [ 1 ] ] } } }' > nested-list.json
mkdir folder.json
mkfifo fifo.json
cp good.json "$strange.json"
state > $logs/before
for file in missing.json cut.json noise.json empty.json big.json object.json list.json null.json text.json bytes.json deep.json \
  deeper.json later.json schema.json name.json attributes.json value.json nested.json nested-list.json folder.json fifo.json \
  empty/x.json; do
  bad "diff: $file" 1 diff good.json $file
  bad "diff: $file first" 1 diff $file good.json
  bad "check: $file" 1 check --device $file --feature shaderInt64
done
bad "diff: nothing" 2 diff
bad "diff: one" 2 diff good.json
bad "diff: three" 2 diff good.json good.json good.json
bad "diff: an empty name" 2 diff good.json ""
bad "diff: unknown adapter" 1 diff good.json nothing
bad "check: nothing" 2 check
bad "check: a device and nothing" 2 check --device=good.json
bad "check: an empty feature" 2 check --feature=
bad "check: a feature that compares" 2 check --feature 'a>=1'
says "limit takes these"
for limit in "" x '>=1' 'x>=' 'x>1x' 'x>=-1' 'x>=nan' 'x>=inf' 'x>=1e999' 'x>=1Z' 'x>=1KK' 'x!1' 'x>=word' "x>=$strange"; do
  bad "check: --limit=$limit" 2 check "--limit=$limit"
done
bad "check: unknown feature" 1 check --feature shaderInt65
says "did you mean 'shader-int64'"
bad "check: strange feature" 1 check --feature "$strange"
bad "check: unknown limit" 1 check --limit 'nothing>=1'
bad "check: unknown device" 1 check --device nothing --feature shaderInt64
bad "check: kernels and a saved adapter" 2 check --device good.json "$saxpy"
bad "check: missing kernels" 1 check missing.gk
uncompilable "check: kernels cut short" check cut.gk
uncompilable "check: noise" check noise

long=$(head -c 100000 /dev/zero | tr '\0' x)
bad "a command of 100,000 letters" 2 "$long"
bad "an adapter of 100,000 letters" 1 info "$long"
bad "a file of 100,000 letters" 1 compile "$long"

# --- kernel files --------------------------------------------------------------------------------

for command in compile run; do
  bad "$command: no file" 2 $command
  bad "$command: an empty name" 2 $command ""
  bad "$command: no such file" 1 $command missing.gk
  bad "$command: strange name" 1 $command "$strange.missing"
  bad "$command: an empty file" 1 $command empty
  says "no kernel"
  bad "$command: a folder" 1 $command folder
  says "is a folder"
  bad "$command: /dev/zero" 1 $command /dev/zero
  says "is a device"
  bad "$command: a pipe" 1 $command fifo
  bad "$command: 1 GiB" 1 $command big
  says "1073741824 bytes, 16777216 are allowed"
  bad "$command: through a file" 1 $command "empty/x.gk"
  uncompilable "$command: noise" $command noise
  uncompilable "$command: noise with a strange name" $command "$strange"
  uncompilable "$command: cut short" $command cut.gk
  uncompilable "$command: a picture" $command noise.png
  bad "$command: level not a number" 2 $command "$saxpy" -Ox
  bad "$command: level out of range" 2 $command "$saxpy" -O4
  bad "$command: level overflows" 2 $command "$saxpy" -O18446744073709551617
  bad "$command: level without value" 2 $command "$saxpy" -O
done
for command in compile run check; do
  bad "$command: imports from nothing" 2 $command "$saxpy" -I ""
  bad "$command: imports from nowhere" 1 $command "$saxpy" -I missing
  says "^gabbro: missing: No such file"
  bad "$command: imports from /dev/zero" 1 $command "$saxpy" -I folder -I /dev/zero
  says "^gabbro: /dev/zero: is a device; a folder is needed"
  bad "$command: imports from a file" 1 $command "$saxpy" -I empty
  says "^gabbro: empty: is a regular file; a folder is needed"
  bad "$command: imports from a pipe" 1 $command "$saxpy" -I fifo
  bad "$command: imports from a name through a file" 1 $command "$saxpy" -I empty/x
done
bad "compile: unknown device" 1 compile "$saxpy" --device=nothing
bad "run: unknown device" 1 run "$saxpy" --device=nothing -d4 a=1 x=buffer:float:4 y=buffer:float:4:new.npy
bad "run: empty device" 2 run "$saxpy" --device= -d4 a=1 x=buffer:float:4 y=buffer:float:4

head -c 16777216 /dev/urandom > noise-16 && state > $logs/before
uncompilable "compile: 16 MiB of noise" compile noise-16
head -c 16777216 /dev/zero | tr '\0' '(' > noise-16 && state > $logs/before
uncompilable "compile: 16 MiB of parentheses" compile noise-16
head -c 16777216 /dev/zero > noise-16 && state > $logs/before
uncompilable "compile: 16 MiB of zeros" compile noise-16
head -c 16777216 /dev/zero | tr '\0' x > noise-16 && state > $logs/before
uncompilable "compile: a name of 16 MiB" compile noise-16
yes 'float f(float x) { return x * 2.0 + 1.0; }' | head -c 16777216 > noise-16 && state > $logs/before
uncompilable "compile: 16 MiB of functions" compile noise-16
{ echo 'kernel(1) void f(buffer<float> b) { float x = 0.0;'; yes 'x = x + 1.0;' | head -c 16000000; echo '}'; } > noise-16
state > $logs/before
uncompilable "compile: 16 MB of statements" compile noise-16
rm noise-16
# Sixty loops of eight copies each: many blocks in a row, and values in each that the optimiser compares.
{
  echo 'kernel(64) void f(buffer<float> b) { float x = b[global_index];'
  for _ in $(seq 60); do
    echo '[[unroll]] for (int i = 0; i < 8; i++) {'
    for _ in $(seq 12); do echo 'x = x * 1.5 + float(i);'; done
    echo '}'
  done
  echo 'b[global_index] = x; }'
} > unrolled.gk
for level in 0 1 2 3; do modest "compile: unrolled loops at level $level" compile unrolled.gk -O$level; done
state > $logs/before

bad "compile: unknown form" 2 compile "$saxpy" --emit=smp
bad "compile: near form" 2 compile "$saxpy" --emit=spriv
says "did you mean 'spirv'"
bad "compile: too many" 2 compile "$saxpy" "$copy"
bad "compile: which kernel" 2 compile "$copy" --emit=spirv
says "copy, negate, scale, fill"
bad "compile: unknown kernel" 2 compile "$copy" --emit=asm --kernel=negat
says "did you mean 'negate'"
bad "compile: strange kernel" 2 compile "$copy" --emit=asm "--kernel=$strange"
bad "compile: kernel of a check" 2 compile "$copy" --kernel=nothing
bad "compile: kernel of an AST" 2 compile "$copy" --emit=ast --kernel=copy
bad "compile: kernel of a layout" 2 compile "$copy" --emit=layout --kernel=copy
bad "compile: kernel of a header" 2 compile "$copy" --emit=layout-c --kernel=copy
says 'layout-c shows the whole file'
bad "compile: layout of no language" 2 compile "$copy" --emit=layout-pyhton
says "did you mean 'layout-python'"
bad "compile: into a folder" 1 compile "$saxpy" -o folder
bad "compile: into no folder" 1 compile "$saxpy" -o nowhere/x.spv
bad "compile: into a device" 1 compile "$saxpy" -o /dev/null
bad "compile: into a pipe" 1 compile "$saxpy" -o fifo
bad "compile: into nothing" 2 compile "$saxpy" -o ""
bad "compile: failure keeps the file" 2 compile "$copy" -o kept.npy
uncompilable "compile: errors keep the file" compile cut.gk -o kept.npy
if [ -w /dev/full ]; then
  "$limits" $logs/report $seconds "$GABBRO" compile "$saxpy" --emit=asm > /dev/full 2> $logs/stderr
  : > $logs/stdout
  judge "compile: a full disk" 1 one
  "$limits" $logs/report $seconds "$GABBRO" list > /dev/full 2> $logs/stderr
  judge "list: a full disk" 1 one
fi

# --- run: the command line -----------------------------------------------------------------------

ok_x=x=buffer:float:4
ok_y=y=buffer:float:4:new.npy
bad "run: no arguments" 2 run "$saxpy" -d4
says "a .value., x .buffer., y .buffer."
bad "run: some missing" 2 run "$saxpy" -d4 a=1
says "also needs: x .buffer., y .buffer."
bad "run: which kernel" 2 run "$copy"
bad "run: unknown kernel" 2 run "$copy:sacle"
says "did you mean 'scale'"
bad "run: unknown argument" 2 run "$saxpy" -d4 a=1 $ok_x $ok_y z=1
bad "run: near argument" 2 run "$copy:scale" -d4 factr=1,2,3
says "did you mean 'factor'"
bad "run: twice" 2 run "$saxpy" -d4 a=1 a=2 $ok_x $ok_y
bad "run: no equals sign" 2 run "$saxpy" -d4 a 1
bad "run: no name" 2 run "$saxpy" -d4 =1
bad "run: strange argument" 2 run "$saxpy" -d4 "$strange=1"
bad "run: strange value" 2 run "$saxpy" -d4 "a=$strange" $ok_x $ok_y
for value in "" x 1x nan -nan inf -inf 1e39 1e999 1,2 "," buffer:float:4 image:good.png; do
  bad "run: a=$value" 2 run "$saxpy" -d4 "a=$value" $ok_x $ok_y
done
for value in "" 1 1,2 1,2,3,4 1.5,2,3 1,2,2147483648 1,2,-2147483649 1,2,99999999999999999999 1,2,nan; do
  bad "run: factor=$value" 2 run "$copy:scale" -d4 "factor=$value" v=buffer:float3:4 counts=buffer:uint:4
done
for value in "" 2 maybe TRUE true,true; do
  bad "run: upwards=$value" 2 run "$copy:fill" -d4 "upwards=$value" v=buffer:int2:4
done
bad "run: a structure cut short" 2 run "$shade" dst=image:4x4:rgba8:new.png p=1,2,3 flip=true
bad "run: a structure with a wrong member" 2 run "$shade" dst=image:4x4:rgba8:new.png p=1,2,3,4,5,x flip=true

for size in "" 0 -1 4x 4x0 x4 1x2x3x4 4294967296 99999999999999999999 4.0 nan 0x10 " 4"; do
  bad "run: --dispatch=$size" 2 run "$saxpy" "--dispatch=$size" a=1 $ok_x $ok_y
done
bad "run: --dispatch is missing" 2 run "$saxpy" a=1 $ok_x $ok_y
echo 'kernel(1) void f(buffer<uint> b) { while (b[0] < 1u) b[1] += 1u; }' > endless.gk
state > $logs/before
bad "run: a kernel that never ends" 1 run endless.gk -d1 --timeout=1 b=buffer:uint:2:new.npy
for count in "" 0 -1 x 1000001 99999999999999999999; do
  bad "run: --repeat=$count" 2 run "$saxpy" -d4 "--repeat=$count" a=1 $ok_x $ok_y
  bad "run: --timeout=$count" 2 run "$saxpy" -d4 "--timeout=$count" a=1 $ok_x $ok_y
done

# --- run: the reference driver ---------------------------------------------------------------------

for option in --check --trace=1 --break=saxpy.gk:7; do
  bad "run: $option on another driver" 2 run "$saxpy" -d4 $option --device=vulkan a=1 $ok_x $ok_y
  says "need the driver 'reference'"
done
bad "run: --check with a value" 2 run "$saxpy" -d4 --check=race a=1 $ok_x $ok_y
bad "run: --json alone" 2 run "$saxpy" -d4 --json a=1 $ok_x $ok_y
bad "run: --json with --trace" 2 run "$saxpy" -d4 --check --json --trace=1 a=1 $ok_x $ok_y
for thread in '' ',' '1,' x 1,x 1,2,3,4 -1 4294967295 99999999999 1.5 4 1,1 0,0,1; do
  bad "run: --trace=$thread" 2 run "$saxpy" -d4 "--trace=$thread" a=1 $ok_x $ok_y
done
for place in '' 7 : saxpy.gk: saxpy.gk:x saxpy.gk:0 saxpy.gk:-1 saxpy.gk:99999999999 saxpy.gk:9999 other.gk:7 :7 "$strange:7"; do
  bad "run: --break=$place" 2 run "$saxpy" -d4 "--break=$place" a=1 $ok_x $ok_y
done
GABBRO_REFERENCE=colour=red
export GABBRO_REFERENCE
bad "run: a setting that makes no sense" 1 run "$saxpy" -d4 --check a=1 $ok_x $ok_y
GABBRO_REFERENCE=0
bad "run: --check without the driver" 1 run "$saxpy" -d4 --check a=1 $ok_x $ok_y
unset GABBRO_REFERENCE
GABBRO_CHECK=everything
export GABBRO_CHECK
bad "run: a check that there is not" 1 run "$saxpy" -d4 --check a=1 $ok_x $ok_y
unset GABBRO_CHECK

# --- run: images ---------------------------------------------------------------------------------

for size in 0x0 0x4 4x0 -1x4 4x-1 4294967295x4294967295 4294967296x1 99999999999999999999x1 32769x1 32768x32768 \
  4x4x4 x 4x x4 4.5x4 +4x4; do
  bad "run: image:$size" 2 run "$shade" dst=image:$size:rgba8:new.png p=1,1,1,1,1,1 flip=true
done
for format in "" rgba rgba16 RGBA8 "$strange"; do
  bad "run: format '$format'" 2 run "$shade" "dst=image:4x4:$format:new.png" p=1,1,1,1,1,1 flip=true
done
for name in "" dst src nothing; do
  bad "run: as large as '$name'" 2 run "$copy:copy" src=image:@dst:rgba8 "dst=image:@$name:rgba8:new.png"
done
bad "run: no format" 2 run "$shade" dst=image:4x4 p=1,1,1,1,1,1 flip=true
for output in "" x x.gif x.bmp x.npyx .PNGx folder/; do
  bad "run: a picture into '$output'" 2 run "$shade" "dst=image:4x4:rgba8:$output" p=1,1,1,1,1,1 flip=true
done
mkdir folder.png
ln -s /dev/null null.png
state > $logs/before
bad "run: a picture into a folder" 1 run "$shade" dst=image:4x4:rgba8:folder.png p=1,1,1,1,1,1 flip=true
bad "run: a picture into no folder" 1 run "$shade" dst=image:4x4:rgba8:nowhere/x.png p=1,1,1,1,1,1 flip=true
bad "run: a picture into a device" 1 run "$shade" dst=image:4x4:rgba8:null.png p=1,1,1,1,1,1 flip=true
bad "run: a value for an image" 2 run "$shade" dst=1 p=1,1,1,1,1,1 flip=true
bad "run: a buffer for an image" 2 run "$shade" dst=buffer:float:4 p=1,1,1,1,1,1 flip=true
bad "run: a result for what is only read" 2 run "$copy:copy" src=image:good.png:new.png dst=image:4x4:rgba8
for file in "" missing.png empty folder /dev/zero fifo noise big magic.png noise.png bomb.png cut.png large-cut.png too-large.png chunks.png magic.jpg noise.jpg \
  progressive-cut.jpg progressive-scans.jpg \
  huge.npy "$saxpy" "$strange" empty/x.png; do
  case $file in
    "") expected=2 ;;
    *) expected=1 ;;
  esac
  bad "run: picture $file" $expected run "$copy:copy" "src=image:$file" dst=image:4x4:rgba8:kept.png
done
bad "run: a picture of one row too many" 1 run "$copy:copy" src=image:too-large.png dst=image:4x4:rgba8:kept.png
says "8192×4097 texels; 32768 a side and 33554432 in all are allowed"
bad "run: a JPEG that is cut short" 1 run "$copy:copy" src=image:progressive-cut.jpg dst=image:4x4:rgba8:kept.png
says "the picture is cut short"
bad "run: a JPEG of too many scans" 1 run "$copy:copy" src=image:progressive-scans.jpg dst=image:4x4:rgba8:kept.png
says "41 scans; for 5792×5792 texels 32 are allowed"
bad "run: a PNG of too many chunks" 1 run "$copy:copy" src=image:chunks.png dst=image:4x4:rgba8:kept.png
says "more than 1048576 chunks"

volume=$sources/volume.gk
for size in 4x4 4x4x0 0x4x4 4x4x32769 4x4x4x4 1024x1024x1024 4xx4; do
  bad "run: a volume of $size" 2 run "$volume:make" v=image:$size:rgba8-uint:new.npy
done
bad "run: a volume into a picture" 2 run "$volume:make" v=image:4x4x4:rgba8-uint:new.png
bad "run: a volume from a picture" 2 run "$volume:make" v=image:good.png
says "'v' is an image3d"
bad "run: a compressed format" 2 run "$shade" dst=image:4x4:bc7-unorm:new.npy p=1,1,1,1,1,1 flip=true
says "bc7-unorm is compressed"
bad "run: a compressed image without blocks" 2 run "$copy:copy" src=image:4x4:bc7-unorm dst=image:@src:rgba8:new.npy
says "its blocks come from a file"
bad "run: blocks of another size" 2 run "$copy:copy" src=image:4x4:bc7-unorm:magic.png dst=image:@src:rgba8:new.npy
says "have 16 bytes, magic.png has 8"
bad "run: blocks for whole numbers" 2 run "$sources/volume.gk:twice" from=image:4x4x1:bc7-unorm:noise to=image:@from:r16-uint:new.npy
for file in missing folder /dev/zero fifo empty/x; do
  bad "run: blocks from $file" 1 run "$copy:copy" src=image:4x4:bc7-unorm:$file dst=image:@src:rgba8:new.npy
done
levels=$sources/levels.gk
for level in "" 0 3 -1 x 1x 99999999999999999999; do
  bad "run: mip level '$level'" 2 run "$levels:halve" from=image:4x4:rgba8 "to=image:@from/$level"
done
bad "run: a level of nothing" 2 run "$levels:halve" from=image:4x4:rgba8 to=image:@form/1
bad "run: a level of itself" 2 run "$levels:halve" from=image:4x4:rgba8 to=image:@to/1
bad "run: levels of each other" 2 run "$levels:halve" from=image:@to/1 to=image:@from/1
bad "run: a level of one texel" 2 run "$levels:halve" from=image:1x1:rgba8 to=image:@from/1
bad "run: the same level twice" 2 run "$levels:deep" -d1 from=image:4x4x4:rgba8 to=image:@from/1 last=image:@from/1
says "'to' and 'last' are the same level of 'from'"
bad "run: a level that begins with another size" 2 run "$levels:enlarge" to=image:4x4:rgba8 from=image:@to/1:good.png
bad "run: a level into no picture" 2 run "$levels:halve" from=image:4x4:rgba8 to=image:@from/1:x.gif
for file in missing.npy folder /dev/zero; do
  bad "run: a level from $file" 1 run "$levels:enlarge" to=image:4x4:rgba8 from=image:@to/1:$file
done
bad "run: a format with a slip in it" 2 run "$shade" dst=image:4x4:r16-flaot:new.npy p=1,1,1,1,1,1 flip=true
says "r16-float"
bad "run: integers for a picture of floats" 2 run "$shade" dst=image:4x4:r8-uint:new.npy p=1,1,1,1,1,1 flip=true
says "takes an image of float, and r8-uint is read as uint"
bad "run: integers into a PNG" 2 run "$shade" dst=image:4x4:r8-unorm:new.png p=1,1,1,1,1,1 flip=true
for file in huge.npy flat.npy missing.npy; do
  case $file in
    flat.npy) expected=2 ;;
    *) expected=1 ;;
  esac
  bad "run: $file as a volume" $expected run "$volume:make" v=image:$file:new.npy
done

# --- run: buffers --------------------------------------------------------------------------------

for length in "" 0 -1 x 1.5 1e3 4294967296 99999999999999999999 18446744073709551615; do
  bad "run: buffer of '$length'" 2 run "$saxpy" -d4 a=1 "x=buffer:float:$length" $ok_y
done
bad "run: buffer without length" 2 run "$saxpy" -d4 a=1 x=buffer:float $ok_y
bad "run: buffer of another type" 2 run "$saxpy" -d4 a=1 x=buffer:float4:4 $ok_y
bad "run: buffer of another number" 2 run "$saxpy" -d4 a=1 x=buffer:int:4 $ok_y
bad "run: buffer of no type" 2 run "$saxpy" -d4 a=1 x=buffer:flot:4 $ok_y
says "did you mean 'float'"
bad "run: an image for a buffer" 2 run "$saxpy" -d4 a=1 x=image:good.png $ok_y
bad "run: a value for a buffer" 2 run "$saxpy" -d4 a=1 x=3 $ok_y
bad "run: a result for a read buffer" 2 run "$saxpy" -d4 a=1 x=buffer:float:4:new2.npy $ok_y
bad "run: two results in one file" 2 run "$copy:scale" -d4 factor=1,1,1 v=buffer:float3:4:new.npy counts=buffer:uint:4:./new.npy
bad "run: an array into a folder" 1 run "$saxpy" -d4 a=1 $ok_x y=buffer:float:4:folder
bad "run: an array into no folder" 1 run "$saxpy" -d4 a=1 $ok_x y=buffer:float:4:nowhere/x.npy
for file in "" missing.npy empty folder /dev/zero fifo noise big magic.npy noise.npy cut.npy huge.npy double.npy bool.npy \
  noise.png "$saxpy" "$strange" empty/x.npy; do
  case $file in
    "") expected=2 ;;
    *) expected=1 ;;
  esac
  bad "run: array $file" $expected run "$saxpy" -d4 a=1 "x=buffer:$file" y=buffer:float:4:kept.npy
done
types=$sources/types.gk
bad "run: raw bytes of another size" 2 run "$types:balls" -d1 in=buffer:raw:three.npy out=buffer:Ball:1 one=1,2,3,4,5,6,7,8
bad "run: no raw bytes" 2 run "$types:balls" -d1 in=buffer:raw:empty out=buffer:Ball:1 one=1,2,3,4,5,6,7,8
bad "run: raw bytes from nowhere" 1 run "$types:balls" -d1 in=buffer:raw:missing out=buffer:Ball:1 one=1,2,3,4,5,6,7,8
bad "run: numbers for structures" 2 run "$types:balls" -d1 in=buffer:three.npy out=buffer:Ball:1 one=1,2,3,4,5,6,7,8
bad "run: another structure" 2 run "$types:balls" -d1 in=buffer:Bell:1 out=buffer:Ball:1 one=1,2,3,4,5,6,7,8
bad "run: a structure without a length" 2 run "$types:balls" -d1 in=buffer:Ball out=buffer:Ball:1 one=1,2,3,4,5,6,7,8
bad "run: raw bytes for a value, too many" 2 run "$types:balls" -d1 in=buffer:Ball:1 out=buffer:Ball:1 one=raw:four.npy
bad "run: a value of a structure cut short" 2 run "$types:balls" -d1 in=buffer:Ball:1 out=buffer:Ball:1 one=1,2,3
for length in "" 0 -1 x 4294967297 99999999999999999999; do
  bad "run: '$length' bytes" 2 run "$types:bytes" -d1 in=buffer:four.npy "out=buffer:byte:$length"
done
bad "run: bytes without length" 2 run "$types:bytes" -d1 in=buffer:four.npy out=buffer:byte
bad "run: bytes of a type" 2 run "$types:bytes" -d1 in=buffer:magic.png out=buffer:float:4
says "is of byte, not of float"
bad "run: bytes of an array of another type" 2 run "$types:bytes" -d1 in=buffer:three-int.npy out=buffer:byte:4
bad "run: no bytes" 2 run "$types:bytes" -d1 in=buffer:empty out=buffer:byte:4
bad "run: a value for bytes" 2 run "$types:bytes" -d1 in=3 out=buffer:byte:4
bad "run: a result for read bytes" 2 run "$types:bytes" -d1 in=buffer:byte:4:new.bin out=buffer:byte:4
for file in missing.bin folder /dev/zero fifo empty/x; do
  bad "run: bytes from $file" 1 run "$types:bytes" -d1 in=buffer:$file out=buffer:byte:4
done
bad "run: a matrix of other shape" 2 run "$types:matrices" -d1 in=buffer:four.npy out=buffer:float3x3:1 m=1,2,3,4,5,6,7,8,9
bad "run: a half too large" 2 run "$types:doubles" -d1 out=buffer:double:2 a=1e309 b=1,2
bad "run: a long too large" 2 run "$types:wide" -d1 out=buffer:long:3 a=9223372036854775808 b=1 c=1,2
bad "run: a negative ulong" 2 run "$types:wide" -d1 out=buffer:long:3 a=1 b=-1 c=1,2
bad "run: an empty array" 2 run "$saxpy" -d4 a=1 x=buffer:none.npy $ok_y
bad "run: an array of another type" 2 run "$saxpy" -d4 a=1 x=buffer:three-int.npy $ok_y
bad "run: an array without lanes" 2 run "$copy:scale" -d4 factor=1,1,1 v=buffer:four.npy counts=buffer:uint:4
bad "run: an array of other lanes" 2 run "$copy:fill" -d4 upwards=true v=buffer:three-int.npy

# --- what another user may not read --------------------------------------------------------------

cp "$saxpy" secret.gk
cp cut.npy secret.npy
cp cut.png secret.png
mkdir locked
echo before > locked/kept.npy
state > $logs/before
# Root may read everything, so it becomes nobody for this.
if [ "$(id -u)" -eq 0 ]; then
  chmod 600 secret.gk secret.npy secret.png
  chmod 755 .. . locked
  as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
else
  chmod 000 secret.gk secret.npy secret.png
  chmod 555 locked
  as_nobody="env"
fi
state > $logs/before
unreadable ()
{
  name=$1
  shift
  # shellcheck disable=SC2086  # a command with its arguments
  "$limits" $logs/report $seconds $as_nobody "$GABBRO" "$@" > $logs/stdout 2> $logs/stderr < /dev/null
  judge "$name" 1 one
  says "Permission denied"
}
# Another user needs a way to the tool, to the kernels and to this folder.
if $as_nobody "$GABBRO" --version > /dev/null 2>&1 && $as_nobody test -r "$saxpy" &&
   $as_nobody test -r "$PWD/cut.npy"; then
  unreadable "unreadable kernels" compile "$PWD/secret.gk"
  unreadable "unreadable picture" run "$copy:copy" "src=image:$PWD/secret.png" dst=image:4x4:rgba8
  unreadable "unreadable array" run "$saxpy" -d4 a=1 "x=buffer:$PWD/secret.npy" y=buffer:float:4
  unreadable "unwritable folder" run "$saxpy" -d4 a=1 x=buffer:float:4 "y=buffer:float:4:$PWD/locked/new.npy"
  unreadable "unwritable folder of a known file" run "$saxpy" -d4 a=1 x=buffer:float:4 "y=buffer:float:4:$PWD/locked/kept.npy"
else
  echo "SKIP: unreadable files (another user cannot get at the tool here)"
fi
chmod -R u+rwX locked secret.*

exit "$failed"
