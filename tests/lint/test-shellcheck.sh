#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every shell script of the tree passes shellcheck.

top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$top" || exit 99
if ! command -v shellcheck >/dev/null 2>&1; then
  echo "SKIP: shellcheck is not installed"
  exit 77
fi
failed=0
scripts=$(find tests -name '*.sh' ! -path 'tests/tmp/*'; find debian/tests -type f ! -name control)
for script in bootstrap .ci/run data/demo build-aux/build-packages build-aux/check-driver build-aux/count-tests \
    build-aux/mend-reference build-aux/update-symbols build-aux/write-language build-aux/write-map gpu/gabbro-version-macros.sh $scripts; do
  [ -f "$script" ] || continue
  # SC2319: "[ condition ]; verdict $?" means the condition, on purpose.
  if shellcheck -s sh -e SC2319 "$script"; then
    echo "PASS: $script"
  else
    echo "FAIL: $script"
    failed=1
  fi
done
exit "$failed"
