#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What gabbro compile --emit=layout-c and --emit=layout-python write, given to compilers and to Python: there everything must
# lie where the table of --emit=layout says. tests/python has the types of GVariant.

GABBRO=${GABBRO:?the gabbro command to test}
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
layouts=$top/tests/frontend/layouts
if [ -z "$TEST_TMPDIR" ]; then
  TEST_TMPDIR=$(mktemp -d) || exit 99
  trap 'rm -rf "$TEST_TMPDIR"' EXIT
fi
cd "$TEST_TMPDIR" || exit 99
failed=0

verdict ()
{
  if [ "$1" -eq 0 ]; then
    echo "PASS: $2"
  else
    echo "FAIL: $2"
    [ -z "$3" ] || sed 's/^/  | /' "$3" | head -n 20
    failed=1
  fi
}

# Assertions for C and C++ from the table: those in the header come from where the table comes from, but say it by themselves.
# Names that are words there have an underscore more.
write_assertions ()
{
  awk -v words='class new register INT8_MAX unix' '
    BEGIN { split (words, list, " "); for (i in list) is_word[list[i]] = 1 }
    function there (name, is_tag) { return name in is_word ? name (is_tag && name "_" in tags ? "__" : "_") : name }
    FNR == NR { if ($1 == "struct") tags[substr ($2, 1, length ($2) - 1)] = 1; next }
    /^struct / {
      tag = "struct " there(substr ($2, 1, length ($2) - 1), 1)
      printf "static_assert (sizeof (%s) == %d && alignof (%s) == %d, \"%s\");\n", tag, $4, tag, $6, tag
    }
    /^ +[0-9]+ +[0-9]+ +[0-9]+ / {
      printf "static_assert (offsetof (%s, %s) == %d, \"offset\");\n", tag, there($7, 0), $1
      printf "static_assert (sizeof (((%s *) 0)->%s) == %d, \"size\");\n", tag, there($7, 0), $2
    }' "$1" "$1"
}

# compiles LANGUAGE STANDARD COMPILER...: layout.h and what the table says of it; -Wpadded finds what is not written out.
compiles ()
{
  language=$1
  standard=$2
  shift 2
  "$@" -x "$language" "-std=$standard" -Wall -Wextra -Wpedantic -Wpadded -Werror -fsyntax-only layout.c > said 2>&1
}

for name in nasty words large; do
  "$GABBRO" compile "$layouts/$name.gk" --emit=layout > table 2> said && "$GABBRO" compile "$layouts/$name.gk" --emit=layout-c -o good.h 2> said
  verdict $? "$name: a header is written" said
  { printf '#include "layout.h"\n#include "layout.h"\n'; write_assertions table; } > layout.c
  verdict "$([ "$(grep -c offsetof layout.c)" -eq "$(grep -c '^ *[0-9][0-9]* *[0-9][0-9]* .*[a-z]' table)" ] && echo 0 || echo 1)" \
    "$name: all of the table is asserted" layout.c
  cp good.h layout.h
  # shellcheck disable=SC2086  # CC may have options
  for standard in c11 gnu17 gnu2x; do
    compiles c $standard ${CC:-cc}
    verdict $? "$name: $standard agrees with the table" said
  done
  # shellcheck disable=SC2086
  for standard in c++11 gnu++20; do
    compiles c++ $standard ${CXX:-c++}
    verdict $? "$name: $standard agrees with the table" said
  done
done

# The assertions of the header alone find what is wrong with it.
"$GABBRO" compile "$layouts/nasty.gk" --emit=layout-c -o good.h 2> said
echo '#include "layout.h"' > layout.c
for change in 's/alignas (16) //' 's/padding_17\[15\]/padding_17[16]/' 's/int16_t b;/int32_t b;/' 's/double f;/float f;/'; do
  sed "$change" good.h > layout.h
  # shellcheck disable=SC2086
  if cmp -s good.h layout.h || compiles c gnu17 ${CC:-cc} || ! grep -q 'kernels have' said; then result=1; else result=0; fi
  verdict $result "a header after $change is refused" said
done

if ! ${PYTHON:-python3} -c 'import numpy' 2> said; then
  echo "SKIP: Python has no numpy"
  exit $failed
fi
for name in nasty words large; do
  "$GABBRO" compile "$layouts/$name.gk" --emit=layout > table 2> said && "$GABBRO" compile "$layouts/$name.gk" --emit=layout-python -o good.py 2> said
  verdict $? "$name: a module is written" said
  ${PYTHON:-python3} "$top/tests/tool/check-layout.py" table good.py > said 2>&1
  verdict $? "$name: numpy agrees with the table" said
done
"$GABBRO" compile "$layouts/nasty.gk" --emit=layout-python -o good.py 2> said
"$GABBRO" compile "$layouts/nasty.gk" --emit=layout > table 2> said
for change in "s/'itemsize': 96/'itemsize': 112/" "s/'i2', /'u1', /" "s/^float3 = .*/float3 = numpy.dtype(('f4', (3,)))/"; do
  sed "$change" good.py > wrong.py
  if cmp -s good.py wrong.py || ${PYTHON:-python3} "$top/tests/tool/check-layout.py" table wrong.py > said 2>&1; then result=1; else result=0; fi
  verdict $result "a module after $change is refused" said
done
exit $failed
