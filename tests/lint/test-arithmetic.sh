#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The classes and bounds of operations in gabbro-kernel(5) are those of the code. With --update they become that.

top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
page=$top/data/man/gabbro-kernel.5
work=$(mktemp -d "${TEST_TMPDIR:-/tmp}/arithmetic.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT

begin='.\\" Classes and bounds: written by make update-arithmetic.'
end='.\\" End of classes and bounds.'

section ()
{
  sed -n "/^$begin\$/,/^$end\$/p" "$1" | sed '1d;$d'
}

if ! "${top_builddir:-.}/tests/lint/arithmetic" > "$work/code"; then
  echo "FAIL: not every operation has a name and a bound"
  exit 1
fi

if [ "${1-}" = --update ]; then
  sed -e "/^$begin\$/r $work/code" -e "/^$begin\$/,/^$end\$/{/^$begin\$/b" -e "/^$end\$/b" -e 'd' -e '}' "$page" > "$work/page" \
    && [ -s "$work/page" ] && cp "$work/page" "$page"
  exit
fi

section "$page" > "$work/page"
if [ ! -s "$work/page" ]; then
  echo "FAIL: gabbro-kernel(5) has no classes and bounds"
  exit 1
fi
if ! diff -u "$work/page" "$work/code"; then
  echo "FAIL: gabbro-kernel(5) has other classes or bounds than the code: make update-arithmetic"
  exit 1
fi
echo "PASS: gabbro-kernel(5) has the classes and bounds of the code"

# That the comparison sees one number.
sed 's/^2\.5 ulp$/2.4 ulp/' "$page" > "$work/other"
section "$work/other" > "$work/page"
if cmp -s "$work/page" "$work/code"; then
  echo "FAIL: another bound of division is not noticed"
  exit 1
fi
echo "PASS: another bound is noticed"
