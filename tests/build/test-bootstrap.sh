#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# bootstrap's words to people who mistype, and its reading of debian/control. That it sets up a
# machine is seen in clean chroots, not here.

: "${top_srcdir:?run this by build-aux/run-test}"
work=${TEST_TMPDIR:-/tmp}/bootstrap
mkdir -p "$work/debian" || exit 99
cd "$work" || exit 99
failed=0

verdict ()
{
  if [ "$1" -eq 0 ]; then
    echo "PASS: $2"
  else
    echo "FAIL: $2"
    failed=1
  fi
}

sh "$top_srcdir/bootstrap" help > out 2>&1 && grep -q 'bootstrap demo' out && grep -q 'bootstrap check' out
verdict $? "help explains both commands"

# refused NAME ARGUMENT...: one line, status above 0, nothing made.
refused ()
{
  name=$1
  shift
  sh "$top_srcdir/bootstrap" "$@" > out 2> err
  status=$?
  [ "$status" -ne 0 ] && [ "$(wc -l < err)" -eq 1 ] && [ ! -s out ] && grep -q '^bootstrap: ' err
  verdict $? "$name"
}

refused "an unknown command" nonsense
refused "demo with two pictures" demo a.png b.png
refused "demo with a picture that is not there" demo "$work/gone.png"
refused "demo with a folder" demo "$work"
refused "check with an argument" check lib

# The parser alone, taken out of the script.
cat > debian/control <<'END'
Source: x
Build-Depends:
 debhelper-compat (= 13),
 one (>= 1.2~) <!nocheck>,
# a comment, in the middle
 two [amd64 arm64] | other, three:native,
 four
Build-Depends-Indep: five
Standards-Version: 4

Package: y
Depends: six
END
sed -n '/^needed_packages ()$/,/^}$/p' "$top_srcdir/bootstrap" > parser.sh
echo 'needed_packages' >> parser.sh
got=$(top=$work sh parser.sh | tr '\n' ' ')
[ "$got" = "debhelper-compat one two three four five " ]
verdict $? "debian/control is read: $got"

# The list lives once: nothing else of the tree names packages to install.
# What it names itself is Mesa, which it takes from elsewhere.
grep -n -E 'apt[a-z_-]*.* install ' "$top_srcdir/bootstrap" "$top_srcdir/.ci/run" > named
grep -q 'install "mesa-vulkan-drivers/' named && ! grep -v 'install "mesa-vulkan-drivers/' named
verdict $? "bootstrap has no package list of its own"
exit "$failed"
