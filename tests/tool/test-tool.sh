#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the gabbro command does when all is well: each sub-command, each form of argument,
# results compared with values worked out here.

GABBRO=${GABBRO:?the gabbro command to test}
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
sources=$top/tests/tool
if [ -z "$TEST_TMPDIR" ]; then
  TEST_TMPDIR=$(mktemp -d) || exit 99
  trap 'rm -rf "$TEST_TMPDIR"' EXIT
fi
cd "$TEST_TMPDIR" || exit 99
failed=0

pass ()
{
  echo "PASS: $1"
}

fail ()
{
  echo "FAIL: $1"
  sed 's/^/  | /' stdout stderr 2>/dev/null | head -n 20
  failed=1
}

# works NAME ARGUMENT...: exit status 0; what it printed is in stdout and stderr.
works ()
{
  name=$1
  shift
  "$GABBRO" "$@" > stdout 2> stderr
  status=$?
  if [ "$status" -eq 0 ]; then
    pass "$name"
  else
    echo "exit status $status" >> stderr
    fail "$name"
  fi
}

# has NAME FILE PATTERN: an extended regular expression.
has ()
{
  if grep -Eq -e "$3" "$2"; then pass "$1"; else fail "$1: no $3"; fi
}

lacks ()
{
  if grep -Eq -e "$3" "$2"; then fail "$1: $3"; else pass "$1"; fi
}

is ()
{
  if [ "$2" = "$3" ]; then pass "$1"; else fail "$1: '$2' is not '$3'"; fi
}

# npy FILE DESCR SHAPE: an array file whose numbers are read from standard input as octal escapes.
npy ()
{
  header="{'descr': '$2', 'fortran_order': False, 'shape': $3, }"
  {
    printf '\223NUMPY\001\000\166\000%-117s\n' "$header"
    while read -r escapes; do
      # shellcheck disable=SC2059  # the escapes are the format
      printf "$escapes"
    done
  } > "$1"
}

# numbers FILE TYPE: those behind the header, on one line; TYPE as of od -t.
numbers ()
{
  tail -c +129 "$1" | od -An -v -t "$2" | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}

header_of ()
{
  head -c 128 "$1" | tail -c +11 | sed 's/ *$//'
}

# --- help ----------------------------------------------------------------------------------------

works version --version
has "version says its number" stdout '^gabbro [0-9]+\.[0-9]+\.[0-9]+'
works help help
cp stdout overview
for command in list info tree get monitor select check diff compile explain run bundle cache completion; do
  has "help names $command" overview "^  $command "
  works "help $command" help "$command"
  has "help $command begins with usage" stdout "^Usage: gabbro $command "
  has "help $command shows examples" stdout "^  gabbro $command"
  cp stdout help-text
  works "$command --help" "$command" --help
  if cmp -s help-text stdout; then pass "$command --help is help $command"; else fail "$command --help is help $command"; fi
done
works "help of help" help help

# --- list and info -------------------------------------------------------------------------------

works list list
has "list names the software device" stdout 'llvmpipe'
has "list marks the default" stdout '^\* '
has "list shows the driver" stdout 'vulkan'
lacks "list has no colour in a pipe" stdout "$(printf '\033')"
works "list --json" list --json
has "JSON list has adapters" stdout '"adapters" : \['
has "JSON list has a number" stdout '"memory-size" : [0-9]+'
has "JSON list has a boolean" stdout '"default" : true'
has "JSON list has a word" stdout '"kind" : "cpu"'

works info info
has "info shows the path" stdout 'Path +/adapters/'
has "info humanises bytes with the exact number" stdout '[KMG]iB \([0-9]+ bytes\)'
has "info shows absent as absent" stdout ' absent$'
works "info by name" info llvmpipe
works "info --describe" info --describe
works "info --json" info --json
has "JSON info has attributes" stdout '"attributes" : \{'
has "JSON info has numbers" stdout ' : [0-9]+,?$'
lacks "JSON info leaves out what is absent" stdout 'absent'
if command -v python3 > /dev/null 2>&1; then
  if python3 -c 'import json, sys; json.load(sys.stdin)' < stdout 2> stderr; then pass "info --json is JSON"; else fail "info --json is JSON"; fi
fi

GABBRO_DEVICE=nonsense
export GABBRO_DEVICE
works "list with a GABBRO_DEVICE that fits none" list
unset GABBRO_DEVICE
has "it is said" stderr '^gabbro: No adapter fits “nonsense”'
lacks "nothing is marked then" stdout '^\*'

# no_vulkan FILE COMMAND STATUS: with this file of a Vulkan driver and no other.
no_vulkan ()
{
  VK_DRIVER_FILES=$1 VK_ICD_FILENAMES=$1 "$GABBRO" "$2" > stdout 2> stderr
  is "$2 with $1: exit status" $? "$3"
  is "$2 with $1: one line" "$(grep -c '^gabbro: ' stderr)" 1
}
cat > broken.json << 'EOF'
{ "file_format_version": "1.0.0", "ICD": { "library_path": "/nonexistent/driver.so", "api_version": "1.3.0" } }
{ "file_format_version": "1.0.0", "ICD": { "library_path": "/nonexistent/driver.so", "api_version": "1.3.0" } }
EOF
for command in list info; do
  expected=1
  if [ $command = list ]; then expected=0; fi
  no_vulkan /nonexistent.json $command $expected
  has "$command says what to install" stderr 'No Vulkan driver was found; .*mesa-vulkan-drivers'
  no_vulkan "$PWD/broken.json" $command $expected
  is "$command tells a failure once" "$(grep -o 'nonexistent/driver.so: cannot open' stderr | wc -l)" 1
  lacks "$command has nothing to install for it" stderr 'mesa-vulkan-drivers'
done

# ignored VARIABLE=VALUE PATTERN: one line says that it does nothing, whoever asks.
ignored ()
{
  for arguments in list info "run $sources/saxpy.gk -q -d4 a=1 x=buffer:float:4 y=buffer:float:4"; do
    # shellcheck disable=SC2086  # a command with its arguments
    env "$1" "$GABBRO" $arguments > stdout 2> stderr
    is "$1 ${arguments%% *}: exit status" $? 0
    is "$1 ${arguments%% *}: one line" "$(wc -l < stderr | tr -d ' ')" 1
    has "$1 ${arguments%% *}: is refused" stderr "$2"
  done
}
ignored GABBRO_OPTIMIZATION=9 '\(GABBRO_OPTIMIZATION\) is ignored: “9” is no whole number from 0 to 3'
ignored GABBRO_VALIDATION=banana '\(GABBRO_VALIDATION\) is ignored: “banana” '
ignored GABBRO_REAP_LIMIT=soon '\(GABBRO_REAP_LIMIT\) is ignored: “soon” '
ignored GABBRO_DEBUG=delay-release,foo '\(GABBRO_DEBUG\) has no word “foo”'
ignored GABBRO_DUMP=/nonexistent '\(GABBRO_DUMP\) is ignored: “/nonexistent” is no folder'
mkdir dump
for setting in GABBRO_OPTIMIZATION=3 GABBRO_VALIDATION=0 GABBRO_REAP_LIMIT=100 "GABBRO_DEBUG=delay-release, verify-passes" \
  GABBRO_DUMP=dump; do
  env "$setting" "$GABBRO" list > stdout 2> stderr
  is "$setting is fine" "$(cat stderr)" ""
done

# --- compile -------------------------------------------------------------------------------------

works "compile checks" compile "$sources/copy.gk"
is "compile without --emit prints nothing" "$(wc -c < stdout)" 0
works "compile --emit=ast" compile "$sources/saxpy.gk" --emit=ast
has "the AST names the kernel" stdout saxpy
works "compile --emit=xir" compile "$sources/saxpy.gk" --emit xir
has "the XIR names the kernel" stdout saxpy
layouts=$sources/../frontend/layouts
for form in layout layout-c layout-gvariant layout-python; do
  works "compile --emit=$form" compile "$layouts/words.gk" --emit=$form
  if cmp -s "$layouts/words.$form" stdout; then pass "the $form is that of the library"; else fail "the $form is that of the library"; fi
done
is "one warning of words" "$(grep -c GK0309 stderr)" 1
works "compile --emit=asm" compile "$sources/saxpy.gk" --emit=asm
has "assembly is SPIR-V" stdout OpEntryPoint
works "compile --emit=spirv" compile "$sources/saxpy.gk" --emit=spirv
is "SPIR-V has its magic number" "$(head -c 4 stdout | od -An -t x4 | tr -d ' ')" 07230203
cp stdout expected.spv
echo before > out.spv
works "compile -o" compile "$sources/saxpy.gk" -o out.spv
if cmp -s expected.spv out.spv; then pass "-o alone is SPIR-V"; else fail "-o alone is SPIR-V"; fi
works "compile --kernel" compile "$sources/copy.gk" --kernel=negate --emit=asm -O0
mkdir -p imports/sub imports/lib
printf '%s\n' 'import "sub/b.gk"; import "c.gk"; option uint N = 4;' \
  'kernel(N) void k(buffer<uint> out) { out[global_id.x] = b() + c() + N; }' > imports/a.gk
printf '%s\n' 'import "../lib/c.gk"; uint b() { return c(); }' > imports/sub/b.gk
printf '%s\n' 'uint c() { return 10; }' > imports/lib/c.gk
works "compile with imports" compile imports/a.gk --emit=xir -I imports/lib
has "the value of the source" stdout 'group_size 4 1 1'
works "compile -D" compile imports/a.gk --emit=xir --include=imports/lib -DN=7 -D N=2
has "the last value counts" stdout 'group_size 2 1 1'
works "compile --bounds-checks" compile "$sources/saxpy.gk" --emit=spirv --bounds-checks
if cmp -s expected.spv stdout; then fail "bounds checks make a difference"; else pass "bounds checks make a difference"; fi
for level in 0 1 2 3; do
  works "compile -O$level" compile "$sources/saxpy.gk" --emit=asm "-O$level"
done
works "compile --device" compile "$sources/saxpy.gk" --emit=asm --device=llvmpipe
works "compile -o -" compile "$sources/saxpy.gk" --emit=asm -o -
has "'-' is standard output" stdout OpEntryPoint

# --- run: buffers --------------------------------------------------------------------------------

works "run prints values" run "$sources/saxpy.gk" --dispatch 4 a=2 x=buffer:float:4 y=buffer:float:4
is "new buffers hold zeros" "$(cat stdout)" "y = 0 0 0 0"
has "the summary says where" stderr 'saxpy on llvmpipe.*driver vulkan: 4×1×1'
has "the summary says how long" stderr 'compile [0-9.]+ ms, upload [0-9.]+ ms, run [0-9.]+ ms, download [0-9.]+ ms'

# 1, 2, 3, -4 and 0.5, 0, -1, 100
printf '%s\n' '\000\000\200\077\000\000\000\100\000\000\100\100\000\000\200\300' | npy x.npy '<f4' '(4,)'
printf '%s\n' '\000\000\000\077\000\000\000\000\000\000\200\277\000\000\310\102' | npy y.npy '<f4' '(2, 2)'
works "run with array files" run "$sources/saxpy.gk" -d4 a=2.5 x=buffer:x.npy y=buffer:y.npy
is "saxpy is right" "$(cat stdout)" "y = 3 5 6.5 90"
works "run writes an array file" run "$sources/saxpy.gk:saxpy" --quiet --dispatch=4 a=2.5 x=buffer:x.npy y=buffer:y.npy:out.npy
is "the file has the numbers" "$(numbers out.npy f4 | awk '{ print $1 + 0, $2 + 0, $3 + 0, $4 + 0 }')" "3 5 6.5 90"
is "the file has a header" "$(header_of out.npy)" "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"
is "--quiet is quiet" "$(cat stdout stderr)" ""
is "no temporary file is left" "$(find . -name '.gabbro-*')" ""
works "run --repeat" run "$sources/saxpy.gk" -d4 --repeat=3 --time a=1 x=buffer:x.npy y=buffer:float:4
is "three runs add three times" "$(cat stdout)" "y = 3 6 9 -12"
has "--time says more" stderr '3 runs: shortest .* median .* mean .* longest'
for level in 0 1 2 3; do
  works "run -O$level" run "$sources/saxpy.gk" -d4 "-O$level" a=2.5 x=buffer:x.npy y=buffer:y.npy
  is "-O$level is right" "$(cat stdout)" "y = 3 5 6.5 90"
done
works "run --bounds-checks" run "$sources/saxpy.gk" -d64 --bounds-checks a=2.5 x=buffer:x.npy y=buffer:y.npy
is "bounds checks keep to the bounds" "$(cat stdout)" "y = 3 5 6.5 90"

works "vectors and several buffers" run "$sources/copy.gk:scale" --dispatch=2 factor=2,-3,4 v=buffer:float3:2 counts=buffer:uint:2:counts.npy
is "a vector prints as one" "$(cat stdout)" "v = (0, -0, 0) (0, -0, 0)"
is "whole numbers in a file" "$(numbers counts.npy u4)" "0 1"
is "their type in the header" "$(header_of counts.npy)" "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }"
printf '%s\n' '\000\000\200\077\000\000\200\077\000\000\200\077\000\000\000\100\000\000\000\100\000\000\000\100' | npy v.npy '<f4' '(2, 3)'
works "an array of three lanes" run "$sources/copy.gk:scale" --dispatch=2 factor=2,-3,4 v=buffer:v.npy:v.npy counts=buffer:uint:2
is "lanes without padding" "$(numbers v.npy f4 | awk '{ for (i = 1; i <= NF; i++) printf "%g ", $i }')" "2 -3 4 4 -6 8 "
is "the shape has the lanes" "$(header_of v.npy)" "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
works "bool and int2" run "$sources/copy.gk:fill" --dispatch=20 v=buffer:int2:20 upwards=false
has "signed numbers, the first sixteen" stdout '^v = \(0, 0\) \(1, -1\) .*\(15, -15\) …$'

# --- run: no room --------------------------------------------------------------------------------

# keeps BLOCKS NAME FILE ARGUMENT...: with so much room in a file the command fails, says so, and FILE and its folder are as
# they were. llvmpipe has its memory in files, so a limit for them is for the reference driver.
keeps ()
{
  blocks=$1 name=$2 file=$3
  shift 3
  echo old > "$file"
  if (ulimit -f "$blocks"; trap '' XFSZ; "$GABBRO" "$@") > stdout 2> stderr; then fail "$name: status 0"; else pass "$name"; fi
  has "$name: it says why" stderr '^gabbro: .*(File too large|No space left)'
  is "$name: the old file is there" "$(cat "$file")" old
  is "$name: and nothing else" "$(find "$(dirname "$file")" -name '.gabbro-*')" ""
}

shade="$sources/shade.gk p=1,0.5,0,0.5,0.1,0.02 flip=false"
# shellcheck disable=SC2086  # several arguments
{
  keeps 8 "no room for an array of an image" full.npy run $shade --device=reference dst=image:128x128:rgba32f:full.npy
  keeps 1 "no room for a picture" full.png run $shade --device=reference dst=image:256x256:rgba8:full.png
}
keeps 8 "no room for an array" full.npy run "$sources/saxpy.gk" --device=reference -d4 a=1 x=buffer:float:8192 y=buffer:float:8192:full.npy
head -c 48000 /dev/zero > many.bin
keeps 8 "no room for raw bytes" full.bin run "$sources/types.gk:balls" --device=reference -d1 in=buffer:Ball:1 out=buffer:raw:many.bin:full.bin one=1,2,3,4,5,6,7,8
keeps 8 "no room for a bundle" full.gabbro compile "$sources/../../data/examples/sobel.gk" "$sources/../../data/examples/gaussian-blur.gk" -o full.gabbro

# A disk that is full, of which only the system's administrator can make one.
mkdir disk
if mount -t tmpfs -o size=16k gabbro-test "$PWD/disk" 2> stderr; then
  # shellcheck disable=SC2086
  keeps unlimited "a full disk and an image" disk/full.npy run $shade dst=image:64x64:rgba32f:disk/full.npy
  keeps unlimited "a full disk and a bundle" disk/full.gabbro compile "$sources/../../data/examples/sobel.gk" -o disk/full.gabbro
  umount "$PWD/disk"
else
  echo "SKIP: a full disk: $(head -n 1 stderr)"
fi

# --- run: types ----------------------------------------------------------------------------------

printf '%s\n' '\000\074\000\300' | npy half.npy '<f2' '(2,)'
printf '%s\n' '\001\000\000\200' | npy short.npy '<i2' '(2,)'
printf '%s\n' '\200\077\040\300' | npy bfloat.npy '<u2' '(2,)'
printf '%s\n' '\070\271\176' | npy fp8.npy '|u1' '(3,)'
printf '%s\n' '\001\000\001' | npy bool.npy '|b1' '(3,)'
printf abcdefghijkl > bytes.bin
for number in 1 2 3 4 5 6 7 8 9; do
  case $number in
    1) printf '%s\n' '\000\000\200\077' ;;
    2) printf '%s\n' '\000\000\000\100' ;;
    3) printf '%s\n' '\000\000\100\100' ;;
    4) printf '%s\n' '\000\000\200\100' ;;
    5) printf '%s\n' '\000\000\240\100' ;;
    6) printf '%s\n' '\000\000\300\100' ;;
    7) printf '%s\n' '\000\000\340\100' ;;
    8) printf '%s\n' '\000\000\000\101' ;;
    9) printf '%s\n' '\000\000\020\101' ;;
  esac
done | npy matrix.npy '<f4' '(1, 3, 3)'
# Three floats, a gap, a float, four ints, a gap: 48 bytes of a Ball.
printf '\000\000\200\077\000\000\000\100\000\000\100\100\000\000\000\000\000\000\200\100\000\000\000\000\001\000\000\000\002\000\000\000\003\000\000\000\004\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000' \
  | head -c 48 > ball.bin
for device in llvmpipe reference; do
  types ()
  {
    name=$1 kernel=$2
    shift 2
    works "$name on $device" run "$sources/types.gk:$kernel" --quiet --device=$device "$@"
  }
  types "longs" wide -d1 out=buffer:long:3 a=-9223372036854775808 b=18446744073709551615 c=1,0x10
  is "all 64 bits" "$(cat stdout)" "out = -9223372036854775807 9223372036854775807 15"
  types "shorts" narrow -d2 in=buffer:short.npy out=buffer:short:2:short-out.npy bytes=buffer:uchar3:2:bytes.npy
  is "16 bits wrap" "$(numbers short-out.npy d2)" "2 0"
  is "their type" "$(header_of short-out.npy)" "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }"
  is "bytes without padding" "$(numbers bytes.npy u1)" "0 255 7 1 255 7"
  is "the type of bytes" "$(header_of bytes.npy)" "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }"
  types "halves" halves -d2 in=buffer:half.npy out=buffer:half:2
  is "halves as numbers" "$(cat stdout)" "out = 2 -4"
  types "doubles" doubles -d1 out=buffer:double:2:double.npy a=0.1 b=1e300,1e299
  is "doubles have all digits" "$(numbers double.npy f8)" "0.2 1.1e+300"
  is "the type of doubles" "$(header_of double.npy)" "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
  types "bfloats, as their bits" brains -d2 in=buffer:bfloat.npy out=buffer:bfloat:2:bfloat-out.npy
  is "their bits come back" "$(numbers bfloat-out.npy x2)" "4000 bfc0"
  types "FP8, as its bits" eighths -d3 in=buffer:fp8.npy out=buffer:float:3
  is "FP8 as numbers" "$(cat stdout)" "out = 1 -1.125 448"
  types "matrices" matrices -d1 in=buffer:matrix.npy out=buffer:float3x3:1:matrix-out.npy m=2,0,0,0,3,0,0,0,4
  is "columns without padding" "$(numbers matrix-out.npy f4 | awk '{ for (i = 1; i <= NF; i++) printf "%g ", $i }')" "2 4 6 12 15 18 28 32 36 "
  is "columns are a dimension" "$(header_of matrix-out.npy)" "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 3), }"
  types "structures, raw" balls -d1 in=buffer:raw:ball.bin out=buffer:Ball:1:ball.npy one=raw:ball.bin
  is "a structure in a file is bytes" "$(header_of ball.npy)" "{'descr': '|V48', 'fortran_order': False, 'shape': (1,), }"
  types "that can be read again" balls -d1 in=buffer:ball.npy out=buffer:Ball:1 one=1,2,3,4,5,6,7,8
  is "members in their order" "$(cat stdout)" "out = ((1, 2, 3), 12, ((1, 2), (3, 7)))"
  works "bools on $device" run "$sources/flags.gk" --quiet --device=$device -d3 in=buffer:bool.npy out=buffer:bool:3 more=buffer:bool3:3:flags.npy
  is "bools as words" "$(cat stdout)" "out = false true false"
  is "bools as bytes" "$(numbers flags.npy u1)" "1 0 0 0 1 0 1 0 1"
  is "the type of bools" "$(header_of flags.npy)" "{'descr': '|b1', 'fortran_order': False, 'shape': (3, 3), }"
  types "bytes from a file" bytes -d3 in=buffer:bytes.bin out=buffer:byte:12:bytes-out.bin
  is "bytes into a file" "$(cat bytes-out.bin)" "dcbahgfelkji"
  types "bytes in and out" bytes -d3 in=buffer:bytes-out.bin out=buffer:bytes.bin:bytes-back.bin
  is "bytes turned back" "$(cat bytes-back.bin)" "abcdefghijkl"
  types "bytes as an array" bytes -d3 in=buffer:raw:bytes.bin out=buffer:byte:12:bytes-out.npy
  is "the type of an array of bytes" "$(header_of bytes-out.npy)" "{'descr': '|u1', 'fortran_order': False, 'shape': (12,), }"
  types "bytes from an array" bytes -d3 in=buffer:bytes-out.npy out=buffer:byte:10
  is "bytes as numbers" "$(cat stdout)" "out = 97 98 99 100 101 102 103 104 0 0"
done

# --- run: images ---------------------------------------------------------------------------------

# At (3, 5): 0.5 * (0.1 * 3 + 0.02 * 5) = 0.2; tint 1, 0.5, 0 -> 51, 25.5, 0.
p=1,0.5,0,0.5,0.1,0.02
works "run makes a picture" run "$sources/shade.gk" dst=image:16x9:rgba8:shade.png p=$p flip=false
has "its size is the dispatch" stderr '16×9×1 threads'
has "it says what it wrote" stderr 'dst written to shade.png: 16×9'
is "it is a PNG" "$(head -c 4 shade.png | tail -c 3)" PNG
works "the picture into an array" run "$sources/copy.gk:copy" src=image:shade.png dst=image:16x9:rgba32f:shade.npy
is "the array is height, width, four" "$(header_of shade.npy)" "{'descr': '<f4', 'fortran_order': False, 'shape': (9, 16, 4), }"
texel=$(numbers shade.npy f4 | awk '{ at = (5 * 16 + 3) * 4; printf "%.0f %.0f %.0f %.0f", $(at + 1) * 255, $(at + 2) * 255, $(at + 3) * 255, $(at + 4) * 255 }')
case $texel in
  "51 26 0 255" | "51 25 0 255") pass "a texel is right" ;;
  *) fail "a texel is right: $texel" ;;
esac
works "a structure and a bool" run "$sources/shade.gk" dst=image:16x9:rgba32f:flip.npy p=$p flip=true
is "it was turned around" "$(numbers flip.npy f4 | awk '{ at = (3 * 16 + 12) * 4; printf "%.3f", $(at + 1) }')" 0.200
works "floats into a PNG" run "$sources/shade.gk" dst=image:16x9:rgba32f:float.png p=$p flip=false
works "the same again" run "$sources/copy.gk:copy" src=image:float.png dst=image:16x9:rgba8:again.png
works "a JPEG out" run "$sources/copy.gk:copy" src=image:shade.png dst=image:16x9:rgba8:shade.jpg
works "a JPEG in" run "$sources/copy.gk:copy" src=image:shade.jpg dst=image:@src:rgba8:from-jpeg.png
has "as large as another image" stderr 'dst written to from-jpeg.png: 16×9'
works "a picture in place" run "$sources/copy.gk:negate" picture=image:shade.png:negative.png
works "and back" run "$sources/copy.gk:negate" picture=image:negative.png:positive.png
works "both as arrays" run "$sources/copy.gk:copy" src=image:positive.png dst=image:16x9:rgba32f:positive.npy
if cmp -s shade.npy positive.npy; then pass "twice negated is the same"; else fail "twice negated is the same"; fi
works "a picture without a file" run "$sources/copy.gk:copy" src=image:shade.png dst=image:16x9:rgba8
is "an unwritten picture prints nothing" "$(cat stdout)" ""

works "a picture as its bytes" run "$sources/copy.gk:copy" src=image:shade.png dst=image:16x9:rgba8:bytes.npy
is "they are of one byte" "$(header_of bytes.npy)" "{'descr': '|u1', 'fortran_order': False, 'shape': (9, 16, 4), }"
works "an array as a picture" run "$sources/copy.gk:copy" src=image:bytes.npy dst=image:@src:rgba16-float:halves.npy
is "halves" "$(header_of halves.npy)" "{'descr': '<f2', 'fortran_order': False, 'shape': (9, 16, 4), }"
works "and back" run "$sources/copy.gk:copy" src=image:halves.npy dst=image:@src:rgba8:bytes2.npy
if cmp -s bytes.npy bytes2.npy; then pass "nothing is lost"; else fail "nothing is lost"; fi
works "a volume" run "$sources/volume.gk:make" v=image:3x2x4:rgba8-uint:volume.npy
has "its size is the dispatch" stderr '3×2×4 threads'
has "it says what it wrote" stderr 'v written to volume.npy: 3×2×4'
is "planes, rows, texels, components" "$(header_of volume.npy)" "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 2, 3, 4), }"
works "another format" run "$sources/volume.gk:twice" from=image:volume.npy to=image:@from:r16-uint:twice.npy
is "one number a texel" "$(header_of twice.npy)" "{'descr': '<u2', 'fortran_order': False, 'shape': (4, 2, 3), }"
is "twice the columns" "$(numbers twice.npy u2)" "0 2 4 0 2 4 0 2 4 0 2 4 0 2 4 0 2 4 0 2 4 0 2 4"
works "the same by the reference driver" run --device=reference "$sources/volume.gk:twice" from=image:volume.npy to=image:@from:r16-uint:twice2.npy
if cmp -s twice.npy twice2.npy; then pass "the same numbers"; else fail "the same numbers"; fi
printf '\063\063\000\000\000\000\000\000\314\314\000\000\000\000\000\000' > blocks.bin
works "blocks of a compressed image" run --device=llvmpipe "$sources/copy.gk:copy" src=image:8x4:bc4-unorm:blocks.bin dst=image:@src:rgba32f:unpacked.npy
is "what is in them" "$(numbers unpacked.npy f4 | awk '{ printf "%.1f %.1f %.1f %.1f", $13, $14, $17, $18 }')" "0.2 0.0 0.8 0.0"
for device in llvmpipe reference; do
  works "a mip level on $device" run --device=$device "$sources/levels.gk:halve" from=image:shade.npy to=image:@from/1:half.npy
  has "its size is the dispatch" stderr '8×4×1 threads'
  is "it is half as large" "$(header_of half.npy)" "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 8, 4), }"
  whole=$(numbers shade.npy f4 | awk '{ at = (4 * 16 + 2) * 4 + 1; printf "%.6f", ($at + $(at + 4) + $(at + 64) + $(at + 68)) / 4 }')
  is "four texels make one" "$(numbers half.npy f4 | awk '{ printf "%.6f", $((2 * 8 + 1) * 4 + 1) }')" "$whole"
  works "a mip level from a file on $device" run --device=$device --dispatch=16x8 "$sources/levels.gk:enlarge" \
    to=image:16x9:rgba32f:large.npy from=image:@to/1:half.npy
  is "one texel makes four" "$(numbers large.npy f4 | awk '{ printf "%.6f", $((5 * 16 + 3) * 4 + 1) }')" "$whole"
  works "a mip level from a file into it on $device" run --device=$device --dispatch=1 "$sources/levels.gk:halve" \
    from=image:16x9:rgba32f to=image:@from/1:half.npy:half2.npy
  is "what was not written is as it was" "$(numbers half2.npy f4 | awk '{ printf "%g %.6f", $1, $((2 * 8 + 1) * 4 + 1) }')" "0 $whole"
  works "two levels of a volume on $device" run --device=$device --dispatch=2x2x2 "$sources/levels.gk:deep" from=image:4x4x4:rgba32f \
    to=image:@from/1:1.npy last=image:@from/2:2.npy
  is "planes, too" "$(header_of 1.npy)" "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 2, 4), }"
  is "sizes of levels" "$(numbers 2.npy f4 | awk '{ print $1, $2, $3 }')" "4 2 1"
done
works "the formats of an adapter" info --section=formats-3d reference
has "what a format can do" stdout 'rgba8-uint *copy, read, storage-read, storage-write'

works "non-UTF-8 file names" run "$sources/copy.gk:copy" src=image:shade.png "dst=image:16x9:rgba8:$(printf 'n\351.png')"
if [ -f "$(printf 'n\351.png')" ]; then pass "they are kept as they are"; else fail "they are kept as they are"; fi

exit "$failed"
