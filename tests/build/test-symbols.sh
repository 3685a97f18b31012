#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the library and its driver module show to the world: exactly what the public headers declare,
# the version script lists and the introspection data describe.

: "${top_builddir:?run this by build-aux/run-test}" "${top_srcdir:?}"
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
    grep -v -E '^(__asan|__ubsan|__odr_asan|_init$|_fini$|__gcov|gcov)' | LC_ALL=C sort -u
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

write_map=$top_srcdir/build-aux/write-map
sh "$write_map" "$top_builddir/include" --list > "$work/declared"
[ -s "$work/declared" ]
verdict $? "the public headers declare functions"

LC_ALL=C comm -23 "$work/declared" "$work/exported" | sed 's/^/  declared, not exported: /' > "$work/lacking"
cat "$work/lacking"
[ ! -s "$work/lacking" ]
verdict $? "every declared function is exported"

LC_ALL=C comm -13 "$work/declared" "$work/exported" | sed 's/^/  exported, not declared: /' > "$work/secret"
cat "$work/secret"
[ ! -s "$work/secret" ]
verdict $? "every exported function is declared in a public header"

# The version script: no globs, sorted, and exactly what the headers declare.
sed -n '/^global:/,/^local:/p' "$top_srcdir/gpu/libgabbro.map" | sed -e '/:$/d' -e 's/^ *//' -e 's/;$//' > "$work/map"
! grep -v -x -E 'gabbro_[a-z0-9_]+' "$work/map"
verdict $? "the version script names each function"
LC_ALL=C sort -c -u "$work/map"
verdict $? "the version script is sorted"
LC_ALL=C sort -u "$work/map" | diff "$work/declared" - | sed -n -e 's/^</  not in the version script:/p' -e 's/^>/  in the version script alone:/p' > "$work/differences"
cat "$work/differences"
[ ! -s "$work/differences" ]
verdict $? "the version script is what the headers declare (build-aux/write-map writes it)"

# The introspection data: all that gabbro.h declares, whether bindings can call it or not.
gir=$top_builddir/gpu/Gabbro-1.gir
# Variable arguments; the scanner leaves such functions out in some versions.
exceptions='gabbro_command_list_run'
if [ -r "$gir" ]; then
  sh "$write_map" "$top_builddir/include" --list gabbro.h | grep -v -x -F "$exceptions" > "$work/bound"
  grep -o -E '(c:identifier|glib:get-type)="gabbro_[a-z0-9_]+"' "$gir" | sed 's/.*="\(.*\)"/\1/' |
    grep -v -x -F "$exceptions" | LC_ALL=C sort -u > "$work/gir"
  diff "$work/bound" "$work/gir" | sed -n -e 's/^</  not in Gabbro-1.gir:/p' -e 's/^>/  in Gabbro-1.gir alone:/p' > "$work/differences"
  cat "$work/differences"
  [ ! -s "$work/differences" ]
  verdict $? "Gabbro-1.gir has every function of gabbro.h"
else
  echo "SKIP: Gabbro-1.gir was not built"
fi

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
