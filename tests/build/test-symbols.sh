#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the library and its driver module show to the world: exactly what the public headers declare.

: "${top_builddir:?run this by build-aux/run-test}"
: "${CC:=cc}" "${NM:=nm}" "${PKG_CONFIG:=pkg-config}"
library=$top_builddir/.libs/libgabbro-1.so
module=$GABBRO_DRIVER_PATH/gabbro-driver-vulkan.so
work=${TEST_TMPDIR:-/tmp}/symbols
mkdir -p "$work" || exit 99
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

# exported FILE: names of defined dynamic symbols. Version names (A) are none; sanitizers add some.
exported ()
{
  $NM --dynamic --defined-only "$1" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' |
    grep -v -E '^(__asan|__ubsan|__odr_asan|_init$|_fini$|__gcov|gcov)' | sort -u
}

needed ()
{
  readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

if [ ! -r "$library" ]; then
  echo "FAIL: $library is not there"
  exit 1
fi

exported "$library" > "$work/exported"
grep -v '^gabbro_' "$work/exported" > "$work/foreign"
sed 's/^/  foreign: /' "$work/foreign"
[ ! -s "$work/foreign" ]
verdict $? "the library exports gabbro_* and nothing else"

# All of a public header's functions begin with gabbro_; the preprocessor expands declaring macros.
# shellcheck disable=SC2046  # compiler flags
printf '#include <gabbro/gabbro.h>\n#include <gabbro/gabbro-vulkan.h>\n' |
  $CC -E -P -x c -I "$top_builddir/include" $($PKG_CONFIG --cflags gio-2.0) - |
  grep -o -E '(^|[^A-Za-z0-9_])gabbro_[a-z0-9_]+ *\(' | grep -o -E 'gabbro_[a-z0-9_]+' |
  sort -u > "$work/declared"
[ -s "$work/declared" ]
verdict $? "the public headers declare functions"

comm -23 "$work/declared" "$work/exported" | sed 's/^/  declared, not exported: /' > "$work/lacking"
cat "$work/lacking"
[ ! -s "$work/lacking" ]
verdict $? "every declared function is exported"

comm -13 "$work/declared" "$work/exported" | sed 's/^/  exported, not declared: /' > "$work/secret"
cat "$work/secret"
[ ! -s "$work/secret" ]
verdict $? "every exported function is declared in a public header"

needed "$library" | grep -q '^libvulkan'
[ $? -eq 1 ]
verdict $? "the library does not need libvulkan"

readelf -d "$library" | grep -q 'SONAME.*\[libgabbro-1\.so\.0\]'
verdict $? "the soname is libgabbro-1.so.0"

if [ -r "$module" ]; then
  exported "$module" | grep -v '^gabbro_driver$' | sed 's/^/  foreign: /' > "$work/foreign"
  cat "$work/foreign"
  [ ! -s "$work/foreign" ]
  verdict $? "the Vulkan module exports its entry point and nothing else"
  needed "$module" | grep -q '^libgabbro'
  [ $? -eq 1 ]
  verdict $? "the Vulkan module does not need libgabbro"
else
  echo "FAIL: $module is not there"
  failed=1
fi
exit "$failed"
