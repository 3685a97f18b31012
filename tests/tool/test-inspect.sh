#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The commands that look at adapters: list, info, tree, get, monitor, select, check and diff, as text and as
# JSON that data/gabbro-1.schema.json describes. Two adapters of the null driver stand beside llvmpipe.

GABBRO=${GABBRO:?the gabbro command to test}
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
sources=$top/tests/tool
PYTHON=${PYTHON:-python3}
[ "$PYTHON" != no ] || PYTHON=python3
if [ -z "$TEST_TMPDIR" ]; then
  TEST_TMPDIR=$(mktemp -d) || exit 99
  trap 'rm -rf "$TEST_TMPDIR"' EXIT
fi
cd "$TEST_TMPDIR" || exit 99
failed=0
unset GABBRO_DEVICE MESA_VK_DEVICE_SELECT NO_COLOR
GABBRO_NULL=adapters=2,max-buffer-size=4096
# Adapters are counted, so the one that is always there stays away.
GABBRO_REFERENCE=0
export GABBRO_NULL GABBRO_REFERENCE

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

# gives STATUS NAME ARGUMENT...
gives ()
{
  expected=$1
  name=$2
  shift 2
  "$GABBRO" "$@" > stdout 2> stderr
  status=$?
  if [ "$status" -eq "$expected" ]; then
    pass "$name"
  else
    echo "exit status $status" >> stderr
    fail "$name"
  fi
}

works ()
{
  gives 0 "$@"
}

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

# keep FILE: what the last command printed, to be held against the schema.
keep ()
{
  cp stdout "$1"
  kept="$kept $1"
}

# --- list ----------------------------------------------------------------------------------------

works "list --paths" list --paths
is "the paths and nothing else" "$(sort stdout | tr '\n' ' ')" "/adapters/null0 /adapters/null1 /adapters/vulkan0 "
works "list --json" list --json
keep list.json

# --- info ----------------------------------------------------------------------------------------

works "info --section" info null0 --section=limits
has "the section" stdout '^ +max-buffer-size +4.00 KiB \(4096 bytes\)$'
lacks "no other section" stdout 'delay'
lacks "nor what is in none" stdout 'device-uuid'
works "two sections" info null0 --section=general --section='null*'
has "the first" stdout 'device-uuid'
has "the second" stdout 'delay'
lacks "no third" stdout 'max-buffer-size'
works "info --attribute" info vulkan0 --attribute='max-*-size' --section='*limits'
has "one that fits" stdout 'max-buffer-size'
lacks "one that does not" stdout '^ +subgroup-size'
works "the memory as it is now" info vulkan0 --section=vulkan-memory
has "what there is" stdout 'heap-budgets'
has "what is used" stdout 'heap-usage'
works "info --json" info --json vulkan0
keep llvmpipe.json
works "info --json of another" info --json null1
keep null1.json
works "info --json, a part" info --json null0 --section=limits
keep part.json
lacks "what is absent is left out" llvmpipe.json 'null|absent'
gives 1 "no such section" info null0 --section=limit
has "it says which there are" stderr "^gabbro: /adapters/null0 has no section 'limit'; there are: general, limits, formats-2d, formats-3d, null$"
gives 1 "no such attribute" info null0 --attribute=max-bufer-size
has "it says what is near" stderr "did you mean 'max-buffer-size'"

# --- tree ----------------------------------------------------------------------------------------

works "tree" tree
is "the tree" "$(cat stdout)" "/
└─ adapters
   ├─ null0
   │  └─ devices
   ├─ null1
   │  └─ devices
   └─ vulkan0
      └─ devices"
LC_ALL=C "$GABBRO" tree /adapters/null0 > stdout 2> stderr
is "the tree in ASCII" "$(cat stdout)" "/adapters/null0
\`- devices"
works "tree --depth" tree --depth=1
is "one level" "$(wc -l < stdout | tr -d ' ')" 2
works "tree --attributes" tree -a /adapters/null1
has "attributes" stdout 'max-buffer-size'
works "tree --json" tree --json
keep tree.json
works "tree --json --attributes" tree --json --attributes
keep attributes.json
gives 1 "no such node" tree /adapters/null7

# --- get -----------------------------------------------------------------------------------------

works "get" get /adapters/null0/limits/max-buffer-size
is "an exact number" "$(cat stdout)" 4096
works "get without section" get /adapters/null0/max-buffer-size
is "the same number" "$(cat stdout)" 4096
works "get what is in no section" get /adapters/null0/general/memory-size
is "its number" "$(cat stdout)" 1073741824
works "get a list" get /adapters/null0/max-group-size
is "with commas" "$(cat stdout)" "1024, 1024, 64"
works "get a node" get /adapters/null0/
has "a line for each attribute" stdout '^limits/max-buffer-size 4096$'
lacks "but for those that are absent" stdout 'unusable'
works "get --json" get --json /adapters/null0/max-buffer-size
keep get.json
has "a number with its unit" stdout '"unit" : "bytes"'
works "get --json of a list" get --json /adapters/vulkan0/heap-budgets
keep budgets.json
works "get --json of a node" get --json /adapters/vulkan0
keep node.json
gives 1 "get what is absent" get /adapters/null0/unusable
has "absent is said" stderr "^gabbro: /adapters/null0: 'unusable' is absent"
gives 1 "get what there is not" get /adapters/null0/max-bufer-size
has "what is near is said" stderr "did you mean 'max-buffer-size'"
gives 1 "get it from another section" get /adapters/null0/null/max-buffer-size

# --- select --------------------------------------------------------------------------------------

works "select" select
is "the path alone" "$(cat stdout)" /adapters/vulkan0
works "select a wish" select "null 1"
is "its path" "$(cat stdout)" /adapters/null1
works "select --explain" select --explain
has "each rule" stdout '^can be used: /adapters/null0, /adapters/null1, /adapters/vulkan0$'
has "the one that decides" stdout '^has the most memory: /adapters/vulkan0$'
is "the choice comes last" "$(tail -n 1 stdout | cut -d' ' -f1)" /adapters/vulkan0
works "select --json" select --json
keep select.json
works "select --explain --json" select --explain --json null
keep explain-selection.json
GABBRO_DEVICE=null1
export GABBRO_DEVICE
works "the user's choice" select --explain
has "it is said" stdout 'GABBRO_DEVICE asks for “null1”'
is "and taken" "$(tail -n 1 stdout | cut -d' ' -f1)" /adapters/null1
unset GABBRO_DEVICE
gives 1 "select nothing" select nonsense
is "nothing is printed" "$(cat stdout)" ""
gives 1 "explain why nothing" select --explain nonsense
has "each rule left none" stdout '^has this in its name: none$'

# --- check ---------------------------------------------------------------------------------------

works "check a feature" check --feature shaderInt64 --json
keep check.json
works "check, Vulkan's name" check --feature shaderInt64
is "one adapter can" "$(grep -Ec 'Suitable +yes' stdout)" 1
has "others say why" stdout 'shaderInt64: there is no such feature here'
works "check, our name" check --feature shader-int64 --device vulkan0
works "check, an extension" check --feature VK_KHR_synchronization2 --device vulkan0
gives 1 "check, no such extension" check --feature VK_XYZ_nothing
works "check a limit" check --limit 'max-buffer-size>=4096' --device null0
gives 1 "check a larger limit" check --limit 'max-buffer-size>=4097' --device null0
has "what it is" stdout 'max-buffer-size>=4097: it is 4096'
works "check with K" check --limit 'max-buffer-size>=4K' --device null0
gives 1 "check with M" check --limit 'max-buffer-size>=1M' --device null0
works "check with <" check --limit 'max-buffer-size<5KiB' --device null0
gives 1 "check with >" check --limit 'max-buffer-size>4096' --device null0
works "check with =" check --limit 'max-buffer-size=4096' --device null0
works "check with <=" check --limit 'limits/max-buffer-size<=4096' --device null0
works "check each of a list" check --limit 'max-group-size>=64' --device null0
gives 1 "check the least of a list" check --limit 'max-group-size>=65' --device null0
works "check a version" check --limit 'api-version>=1.3' --device vulkan0
gives 1 "check a later version" check --limit 'api-version>=99.1' --device vulkan0
works "versions are numbers" check --limit 'api-version>=1.3.9' --device vulkan0
works "check a word" check --limit kind=cpu --device null0
gives 1 "check another word" check --limit kind=discrete --device null0
works "check kernels" check --device vulkan0 "$sources/saxpy.gk" "$sources/copy.gk"
works "check a saved adapter" check --device llvmpipe.json --feature shaderInt64 --limit 'max-buffer-size>=1G'
gives 1 "check several" check --limit 'max-buffer-size>=1G' --device null0 --device null1.json --json
keep check-saved.json
is "nothing is repeated on standard error" "$(cat stderr)" ""
gives 1 "an unknown feature" check --feature shaderInt65
has "what is near" stderr "did you mean 'shader-int64'"
gives 1 "an unknown limit" check --limit 'max-bufer-size>=1'
has "what is near a limit" stderr "did you mean 'max-buffer-size'"
echo 'kernel(1024) void wide(buffer<uint> b) { b[0] = 1; }' > wide.gk
GABBRO_NULL=max-group-invocations=512 "$GABBRO" check wide.gk > stdout 2> stderr
is "a kernel that one adapter cannot run" $? 0
has "why not" stdout 'wide.gk, wide: .*1024 threads'

# --- diff ----------------------------------------------------------------------------------------

works "diff" diff null0 vulkan0
has "two numbers" stdout '^ +max-image-2d +4096 → 16384$'
has "one that is absent" stdout '^ +subgroup-size +absent → 8$'
lacks "what is equal" stdout 'max-group-count'
works "diff --json" diff --json null0 vulkan0
keep diff.json
works "diff with a file" diff null1.json /adapters/null1
is "they say the same" "$(tail -n 1 stdout)" "They say the same."
works "diff --exit-code of equal ones" diff --exit-code null1.json null1
gives 1 "diff --exit-code of others" diff --exit-code null0 null1
is "no word on standard error" "$(cat stderr)" ""
works "diff --json of equal ones" diff --json null1.json null1.json
keep equal.json
sed 's/"VK_KHR_16bit_storage"/"VK_XYZ_other"/' llvmpipe.json > other.json
works "diff of lists" diff llvmpipe.json other.json
has "what each has alone" stdout '^ +extensions +-VK_KHR_16bit_storage \+VK_XYZ_other$'

# --- bundle and cache, whose own tests are elsewhere ---------------------------------------------

works "make a bundle" compile "$sources/saxpy.gk" "$sources/copy.gk" -o kernels.gabbro
works "bundle list --json" bundle list kernels.gabbro --json
keep bundle-list.json
works "bundle show --json" bundle show kernels.gabbro --json
keep bundle-show.json
works "bundle check --json" bundle check kernels.gabbro --json
keep bundle-check.json
works "fill the cache" run "$sources/saxpy.gk" --quiet --device=vulkan0 --dispatch=4 a=1 x=buffer:float:4 y=buffer:float:4
works "cache list --json" cache list --json
keep cache-list.json
works "what is saved does for bundles, too" bundle check kernels.gabbro --adapter-file=llvmpipe.json

# --- explain -------------------------------------------------------------------------------------

works "explain" explain GK0203
has "the message" stdout '^GK0203: a condition is of type .bool., not .….$'
has "a wrong example" stdout '^ +int step_of\(int n\) \{ return n \? 1 : 0; \}$'
works "explain several" explain 200 gk0203
is "both" "$(grep -c '^GK' stdout)" 2
works "explain --json" explain --json GK0203
keep explain.json
works "explain all" explain
has "a line for each code" stdout '^GK0300  the variable .…. is not used$'
works "explain all --json" explain --json
keep codes.json
gives 1 "explain no code" explain GK9999

# --- monitor -------------------------------------------------------------------------------------

# Waits until the file has so many lines with the pattern; the test's own time limit is the only other one.
await ()
{
  while [ "$(grep -c -e "$2" "$1")" -lt "$3" ]; do
    kill -0 "$monitor" 2> /dev/null || break
    sleep 0.1
  done
}

# The files are there before the command that writes them has begun.
: > events.jsonl
: > events
echo adapters=1 > settings
GABBRO_NULL=@$PWD/settings
export GABBRO_NULL
"$GABBRO" monitor --json-lines --interval=0 --timeout=300 > events.jsonl 2> stderr &
monitor=$!
await events.jsonl '"present"' 2
echo adapters=2 > settings
kill -HUP "$monitor"
await events.jsonl '"added"' 1
echo 0 > settings
kill -HUP "$monitor"
await events.jsonl '"removed"' 2
kill -TERM "$monitor"
wait "$monitor"
is "monitor ends on SIGTERM" $? 0
is "what was there" "$(grep -c '"event":"present"' events.jsonl)" 2
is "what came" "$(grep '"event":"added"' events.jsonl | grep -c /adapters/null1)" 1
is "what went" "$(grep -c '"event":"removed"' events.jsonl)" 2
kept="$kept events.jsonl"

echo adapters=1 > settings
"$GABBRO" monitor --interval=1 --once --timeout=300 > events 2> stderr &
monitor=$!
await events present 2
echo 0 > settings
wait "$monitor"
is "monitor --once ends" $? 0
is "on an interval" "$(grep -c 'removed  /adapters/null0  Null 0$' events)" 1
works "monitor --timeout" monitor --timeout=1 --interval=0
GABBRO_NULL=adapters=2,max-buffer-size=4096

# --- the schema ----------------------------------------------------------------------------------

schema=$top/data/gabbro-1.schema.json
# shellcheck disable=SC2086  # names without blanks
"$PYTHON" "$sources/check-schema.py" "$schema" $kept > stdout 2> stderr
case $? in
  0) pass "all JSON is as the schema says" ;;
  77 | 127) echo "SKIP: the schema: $(cat stderr)" ;;
  *) fail "all JSON is as the schema says" ;;
esac
echo '{ "schema": 1, "document": "get", "path": "/x", "section": "s", "attribute": "a", "value": null }' > null.json
"$PYTHON" "$sources/check-schema.py" "$schema" null.json > stdout 2> stderr
case $? in
  1) pass "the schema refuses null" ;;
  77 | 127) echo "SKIP: the schema: $(cat stderr)" ;;
  *) fail "the schema refuses null" ;;
esac

# --- colour, and no window system ----------------------------------------------------------------

escape=$(printf '\033')
works "--color=always" diff --color=always null0 vulkan0
has "colour in a pipe when it is asked for" stdout "$escape"
works "--color=never" list --color=never
lacks "none then" stdout "$escape"
works "--color=auto" list --color=auto
lacks "none in a pipe" stdout "$escape"
if command -v script > /dev/null 2>&1 && script -qec true /dev/null > /dev/null 2>&1; then
  TERM=xterm script -qec "'$GABBRO' list" /dev/null > stdout 2> stderr < /dev/null
  has "colour on a terminal" stdout "$escape"
  NO_COLOR=1 TERM=xterm script -qec "'$GABBRO' list" /dev/null > stdout 2> stderr < /dev/null
  lacks "but for NO_COLOR" stdout "$escape"
  TERM=dumb script -qec "'$GABBRO' list" /dev/null > stdout 2> stderr < /dev/null
  lacks "or a terminal without" stdout "$escape"
else
  echo "SKIP: colour on a terminal (no script)"
fi
for display in "" ":77" "garbage" "host:0.0"; do
  DISPLAY=$display WAYLAND_DISPLAY=$display XDG_RUNTIME_DIR=/nonexistent "$GABBRO" info --json > stdout 2> stderr
  is "DISPLAY=$display" $? 0
  is "DISPLAY=$display: not a word of it" "$(cat stderr)" ""
done
if command -v strace > /dev/null 2>&1 && strace -o trace true 2> /dev/null && [ "$GABBRO_SANITIZERS" != yes ]; then
  DISPLAY=:77 WAYLAND_DISPLAY=wayland-77 strace -f -e trace=connect -o trace "$GABBRO" info > stdout 2> stderr
  lacks "it connects to no window system" trace 'X11|wayland'
else
  echo "SKIP: connections to a window system (no strace)"
fi

exit "$failed"
