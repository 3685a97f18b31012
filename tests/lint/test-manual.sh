#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Manual pages are well formed.

top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
if ! command -v mandoc >/dev/null 2>&1; then
  echo "SKIP: mandoc is not installed"
  exit 77
fi
failed=0
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
