#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Bundles and the cache by the gabbro command: made, looked at, run, refused.

GABBRO=${GABBRO:?the gabbro command to test}
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
examples=$top/data/examples
if [ -z "$TEST_TMPDIR" ]; then
  TEST_TMPDIR=$(mktemp -d) || exit 99
  trap 'rm -rf "$TEST_TMPDIR"' EXIT
fi
cd "$TEST_TMPDIR" || exit 99
failed=0
GABBRO_CACHE=$TEST_TMPDIR/cache
export GABBRO_CACHE

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

# exits STATUS NAME ARGUMENT...: what it printed is in stdout and stderr.
exits ()
{
  wanted=$1 name=$2
  shift 2
  "$GABBRO" "$@" > stdout 2> stderr
  status=$?
  if [ "$status" -eq "$wanted" ]; then
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

# passes NAME COMMAND...: an exit status of 0.
passes ()
{
  name=$1
  shift
  if "$@" > stdout 2> stderr; then pass "$name"; else fail "$name"; fi
}

# --- compile -o FILE.gabbro --------------------------------------------------------------------
exits 0 "a bundle of two files" compile "$examples/sobel.gk" "$examples/gaussian-blur.gk" -o filters.gabbro
exits 0 "... again, the other way round" compile "$examples/gaussian-blur.gk" "$examples/sobel.gk" --emit=bundle -o again.gabbro
passes "the same bytes" cmp filters.gabbro again.gabbro
cp "$examples/sobel.gk" "$examples/gaussian-blur.gk" .
exits 0 "... from another folder" compile sobel.gk gaussian-blur.gk -o here.gabbro
passes "the same bytes from another folder" cmp filters.gabbro here.gabbro
exits 0 "a compressed bundle" compile sobel.gk gaussian-blur.gk --compress -o small.gabbro
passes "... is smaller" test "$(wc -c < small.gabbro)" -lt "$(wc -c < filters.gabbro)"
passes "tar lists a bundle" tar tf filters.gabbro
has "... with its manifest" stdout '^gabbro-manifest$'
has "... and its sections" stdout '^sobel/code$'
exits 2 "several files without a bundle" compile sobel.gk gaussian-blur.gk
exits 2 "compressed SPIR-V" compile sobel.gk --compress -o sobel.spv
exits 2 "one kernel of a bundle" compile sobel.gk --kernel=sobel -o sobel.gabbro
exits 1 "one name twice" compile sobel.gk sobel.gk -o twice.gabbro
has "... is named" stderr 'sobel'
passes "... and no file is left" test ! -e twice.gabbro
echo old > full.gabbro
(ulimit -f 8; trap '' XFSZ; "$GABBRO" compile sobel.gk gaussian-blur.gk -o full.gabbro) > stdout 2> stderr
passes "a full disk leaves the old file" test "$(cat full.gabbro)" = old
passes "... and nothing else" test -z "$(find . -name '.gabbro-*')"

# --- bundle ------------------------------------------------------------------------------------
exits 0 "list" bundle list filters.gabbro
passes "... the kernels" test "$(tr -d ' ' < stdout | tr '\n' ' ')" = "blur_columns blur_rows sobel "
exits 0 "list, compressed, for programs" bundle list small.gabbro --json
has "... the kernels" stdout '"blur_rows"'
exits 0 "show" bundle show filters.gabbro:sobel
has "... its source" stdout 'Source +sobel.gk'
has "... its arguments" stdout 'const image2d<float>'
exits 0 "show for programs" bundle show filters.gabbro --json
has "... a number" stdout '"code-size" : [0-9]+'
exits 0 "verify" bundle verify filters.gabbro small.gabbro
passes "... says nothing" test ! -s stdout -a ! -s stderr
exits 0 "extract" bundle extract filters.gabbro -o out
passes "... the code of each" test -s out/sobel.spv -a -s out/blur_rows.spv -a -s out/blur_columns.spv
exits 0 "the same as a compile makes" compile sobel.gk -o direct.spv
passes "the same bytes as spirv" cmp direct.spv out/sobel.spv
exits 0 "extract a section" bundle extract filters.gabbro:sobel --section=header -o out
has "... of its name" out/sobel.header 'GABBROAF'
exits 1 "a section that there is not" bundle extract filters.gabbro --section=nonsense -o out
exits 2 "a kernel that there is not" bundle show filters.gabbro:sobol
has "... what is near" stderr "did you mean 'sobel'"
exits 2 "no action" bundle
exits 2 "an unknown action" bundle lists filters.gabbro
exits 2 "no bundle" bundle list
exits 2 "an option of another action" bundle list filters.gabbro --section=code
exits 1 "a source is no bundle" bundle list sobel.gk
has "... says so" stderr 'no bundle'
printf 'x' | dd of=again.gabbro bs=1 seek=5000 conv=notrunc 2> /dev/null
exits 1 "a changed bundle" bundle verify again.gabbro
head -c 9000 filters.gabbro > cut.gabbro
exits 1 "a cut bundle" bundle verify cut.gabbro

# --- check -------------------------------------------------------------------------------------
exits 0 "check on this machine" bundle check filters.gabbro
has "... says which runs" stdout 'Runs +yes'
exits 0 "save an adapter" info --json
cp stdout adapter.json
exits 0 "check a saved adapter" bundle check filters.gabbro --adapter-file=adapter.json
sed 's/"max-group-invocations" : [0-9]*/"max-group-invocations" : 16/' adapter.json > weak.json
exits 1 "check a weak one" bundle check filters.gabbro --adapter-file=weak.json
has "... says why not" stdout 'max-group-invocations of 256, the adapter has 16'
sed '/"shaderStorageImageWriteWithoutFormat"/d' adapter.json > weak.json
exits 1 "check one without a feature" bundle check filters.gabbro --adapter-file=weak.json --json
has "... says which" stdout 'needs shaderStorageImageWriteWithoutFormat'
echo '{"adapter":' > bad.json
exits 1 "no JSON" bundle check filters.gabbro --adapter-file=bad.json
echo '[1]' > bad.json
exits 1 "another JSON" bundle check filters.gabbro --adapter-file=bad.json
head -c 1000000 /dev/zero | tr '\0' '[' > bad.json
exits 1 "deep JSON" bundle check filters.gabbro --adapter-file=bad.json
has "... is refused" stderr 'nested more than 64 deep'
exits 2 "two kinds of adapters" bundle check filters.gabbro --adapter-file=adapter.json --device=llvmpipe

# --- extract into what is no folder ------------------------------------------------------------
exits 1 "extract into a device" bundle extract filters.gabbro -o /dev/zero
has "... is refused" stderr '^gabbro: /dev/zero: is a device; a folder is needed'
exits 1 "extract into a file" bundle extract filters.gabbro -o bad.json
has "... is refused" stderr '^gabbro: bad.json: is a regular file; a folder is needed'

# --- run ---------------------------------------------------------------------------------------
cp "$top/tests/tool/saxpy.gk" .
exits 0 "a bundle to run" compile saxpy.gk --compress -o saxpy.gabbro
exits 0 "run from the source" run saxpy.gk -q --dispatch=8 a=2 x=buffer:float:8 y=buffer:float:8
cp stdout expected
exits 0 "run from a bundle" run saxpy.gabbro -q --dispatch=8 a=2 x=buffer:float:8 y=buffer:float:8
cp stdout got
passes "the same result" cmp got expected
exits 1 "bounds checks that a bundle lacks" run saxpy.gabbro --bounds-checks -q --dispatch=8 a=2 x=buffer:float:8 y=buffer:float:8
has "... are refused" stderr 'without bounds checks'

# --- cache -------------------------------------------------------------------------------------
exits 0 "the cache has it" cache list
has "... by its name" stdout 'Kernel +saxpy'
exits 0 "for programs" cache list --json
has "... with a size" stdout '"size" : [1-9][0-9]*'
exits 0 "verify the cache" cache verify
file=$(find cache -name '*.shader' | head -n 1)
printf 'x' | dd of="$file" bs=1 seek=600 conv=notrunc 2> /dev/null
exits 1 "verify a damaged cache" cache verify
exits 0 "run with a damaged cache" run saxpy.gk -q --dispatch=8 a=2 x=buffer:float:8 y=buffer:float:8
cp stdout got
passes "the same result" cmp got expected
exits 0 "it was mended" cache verify
printf 'x' | dd of="$file" bs=1 seek=600 conv=notrunc 2> /dev/null
exits 0 "remove what is damaged" cache verify --remove
passes "it is gone" test ! -e "$file"
exits 0 "run again" run saxpy.gk -q --dispatch=8 a=2 x=buffer:float:8 y=buffer:float:8
exits 0 "collect all" cache gc --max-size=0
passes "nothing is left" test -z "$(find cache -name '*.shader')"
exits 1 "a cache that is a device" cache list --folder=/dev/zero
has "... is refused" stderr '^gabbro: /dev/zero: is a device; a folder is needed'
exits 1 "a cache that is a file" cache gc --folder=saxpy.gk
has "... is refused" stderr '^gabbro: saxpy.gk: is a regular file; a folder is needed'
exits 0 "a cache that is not there" cache list --folder="$TEST_TMPDIR/nowhere"
exits 2 "no action" cache
exits 2 "an unknown action" cache lst
exits 2 "an option of another action" cache list --max-size=1
GABBRO_CACHE=0 exits 1 "no cache" cache list

exit $failed
