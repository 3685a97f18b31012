#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Manual pages are well formed, and one of them has every environment variable of the library.

top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
failed=0

# The table of the library against the page, both ways.
page=$top/data/man/gabbro-environment.7
table=$(sed -n '/^} known_options\[\] = {$/,/^};$/s/^ *{ "[a-z-]*", "\(GABBRO_[A-Z_]*\)" },$/\1/p' "$top/gpu/context-core.c" | sort)
entries=$(sed -n 's/^\.It Ev \(GABBRO_[A-Z_]*\)$/\1/p' "$page" | sort)
if [ -z "$table" ]; then
  echo "FAIL: gpu/context-core.c has no table known_options with variables"
  failed=1
elif [ "$table" = "$entries" ]; then
  echo "PASS: gabbro-environment.7 has the variables of the library"
else
  for variable in $table; do
    echo "$entries" | grep -qx "$variable" || echo "FAIL: $variable is not in gabbro-environment.7"
  done
  for variable in $entries; do
    echo "$table" | grep -qx "$variable" || echo "FAIL: $variable is in gabbro-environment.7, but not in gpu/context-core.c"
  done
  echo "FAIL: gabbro-environment.7 and gpu/context-core.c differ"
  failed=1
fi

if ! command -v mandoc >/dev/null 2>&1; then
  [ "$failed" -eq 0 ] || exit 1
  echo "SKIP: mandoc is not installed"
  exit 77
fi
seen=0
for page in "$top"/data/man/*.[157]; do
  [ -r "$page" ] || continue
  seen=1
  if mandoc -T lint -W warning "$page"; then
    echo "PASS: ${page##*/}"
  else
    echo "FAIL: ${page##*/}"
    failed=1
  fi
done
if [ "$seen" -eq 0 ]; then
  echo "FAIL: there is no manual page"
  exit 1
fi
exit "$failed"
