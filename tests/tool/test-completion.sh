#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion: every command and option that help knows is completed and in the manual, and bash completes what
# it should.

GABBRO=${GABBRO:?the gabbro command to test}
if [ -z "$TEST_TMPDIR" ]; then
  TEST_TMPDIR=$(mktemp -d) || exit 99
  trap 'rm -rf "$TEST_TMPDIR"' EXIT
fi
cd "$TEST_TMPDIR" || exit 99
failed=0
unset GABBRO_DEVICE MESA_VK_DEVICE_SELECT
GABBRO_NULL=adapters=2
export GABBRO_NULL

pass ()
{
  echo "PASS: $1"
}

fail ()
{
  echo "FAIL: $1"
  failed=1
}

commands=$("$GABBRO" help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ -n "$commands" ] || fail "help names commands"
for shell in bash zsh fish; do
  if ! "$GABBRO" completion $shell > "gabbro.$shell" 2> stderr; then fail "completion $shell: $(cat stderr)"; fi
  [ -s "gabbro.$shell" ] || fail "completion $shell prints nothing"
  if command -v $shell > /dev/null 2>&1; then
    if $shell -n "gabbro.$shell" 2> stderr; then pass "$shell reads it"; else fail "$shell reads it: $(cat stderr)"; fi
  else
    echo "SKIP: $shell is not installed"
  fi
  missing=
  for command in $commands; do
    grep -qw -e "$command" "gabbro.$shell" || missing="$missing $command"
    [ "$command" != help ] || continue
    for option in $("$GABBRO" help "$command" | sed -n 's/^  \(-., \)\{0,1\}--\([a-z-]*\).*/\2/p'); do
      [ "$option" != help ] || continue
      case $shell in
        bash) grep -q -e "^    $command) options=\"\(.* \)\{0,1\}--${option}[= ]" gabbro.bash ;;
        zsh) sed -n "/^    $command)\$/,/^      ;;\$/p" gabbro.zsh | grep -q -e "'\*\{0,1\}--${option}[=[]" ;;
        fish) grep -q -e "from $command'.* -l $option " gabbro.fish ;;
      esac || missing="$missing $command:--$option"
    done
  done
  if [ -z "$missing" ]; then pass "$shell has every option of every command"; else fail "$shell lacks$missing"; fi
done

# --- the manual knows them all, too ----------------------------------------------------------------

manual=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/data/man
missing=
for command in $commands; do
  [ "$command" != help ] || continue
  if [ -f "$manual/gabbro-$command.1" ]; then
    cp "$manual/gabbro-$command.1" section
  else
    sed -n "/^\.Ss $command\$/,/^\.S[sh] /p" "$manual/gabbro.1" > section
  fi
  [ -s section ] || missing="$missing $command"
  for option in $("$GABBRO" help "$command" | sed -n 's/^  \(-., \)\{0,1\}--\([a-z-]*\).*/\2/p'); do
    case $option in help | color) continue ;; esac
    grep -q -e "Fl Fl $option\( \|\$\)" section || missing="$missing $command:--$option"
  done
done
if [ -z "$missing" ]; then pass "the manual has every option of every command"; else fail "the manual lacks$missing"; fi

# --- bash ----------------------------------------------------------------------------------------

if ! command -v bash > /dev/null 2>&1; then
  [ "$failed" -eq 0 ] || exit 1
  echo "SKIP: bash is not installed"
  exit 77
fi
mkdir bin files
printf '#!/bin/sh\nexec %s "$@"\n' "'$GABBRO'" > bin/gabbro
chmod +x bin/gabbro
PATH=$PWD/bin:$PATH
export PATH
touch files/blur.gk "files/with blank.gk"
cat > complete.bash << 'EOF'
# complete.bash WORD...: what the last word may become, sorted, on one line.
source ./gabbro.bash
compopt () { :; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
cd files
_gabbro
printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' '|'
EOF

# completes WORDS EXPECTED: the words are separated by blanks, the last may be empty as ''.
completes ()
{
  # shellcheck disable=SC2086  # words
  eval "set -- $1 '$2'"
  for expected in "$@"; do :; done
  n=$#
  i=1
  words=
  while [ $i -lt $n ]; do
    eval "words=\"\$words '\${$i}'\""
    i=$((i + 1))
  done
  got=$(eval "bash complete.bash $words" 2>&1)
  if [ "$got" = "$expected" ]; then pass "$words completes"; else fail "$words gives $got, not $expected"; fi
}
completes "gabbro com" "compile|completion|"
completes "gabbro completion ''" "bash|fish|zsh|"
completes "gabbro help mon" "monitor|"
completes "gabbro list --pa" "--paths|"
completes "gabbro list --color = ''" "always|auto|never|"
completes "gabbro list --color = al" "always|"
completes "gabbro list --color =" "always|auto|never|"
completes "gabbro list --color ne" "never|"
completes "gabbro info /adapters/nu" "/adapters/null0|/adapters/null1|"
completes "gabbro run --device = /adapters/v" "/adapters/vulkan0|"
completes "gabbro compile bl" "blur.gk|"
completes "gabbro compile --emit = layout-" "layout-c|layout-gvariant|layout-python|"
completes "gabbro compile wi" "with blank.gk|"
completes "gabbro explain GK020" "GK0200|GK0201|GK0202|GK0203|GK0204|GK0205|GK0206|GK0207|GK0208|GK0209|"
completes "gabbro list x" "|"
exit "$failed"
