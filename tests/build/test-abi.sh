#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A program that was linked against the newest release runs with this library: abidiff between the
# two, where the older one is built from its tag. Skipped outside of a git checkout, without a tag
# and without abidiff. What was built of a tag is kept below tests/tmp for the next time.

: "${top_builddir:?run this by build-aux/run-test}" "${top_srcdir:?}"
: "${CC:=cc}" "${CXX:=c++}" "${PKG_CONFIG:=pkg-config}"
library=$top_builddir/.libs/libgabbro-1.so
work=${TEST_TMPDIR:-/tmp}/abi

skip ()
{
  echo "SKIP: $1"
  exit 77
}

# A tarball that is unpacked inside of some other checkout is no checkout of its own.
there=$(git -C "$top_srcdir" rev-parse --show-toplevel 2>/dev/null) || skip "there is no git checkout to take a release from"
[ "$(cd "$there" && pwd -P)" = "$(cd "$top_srcdir" && pwd -P)" ] || skip "there is no git checkout to take a release from"
tag=$(git -C "$top_srcdir" tag --list 'v*' --sort=-version:refname | head -n 1)
[ -n "$tag" ] || skip "there is no tag v* to compare with"
command -v abidiff >/dev/null 2>&1 || skip "abidiff (Debian: abigail-tools) is not installed"
[ "${GABBRO_SANITIZERS:-no}" = no ] || skip "a library with sanitizers has symbols of theirs"
commit=$(git -C "$top_srcdir" rev-parse "$tag^{commit}") || exit 99
kept=$top_builddir/tests/tmp/abi/$commit

# build: the library of the tag and its headers, as symbolic links to nothing outside of `kept`.
build ()
{
  mkdir -p "$work/source" "$work/build" || return 1
  git -C "$top_srcdir" archive "$commit" | tar -x -C "$work/source" || return 1
  (
    unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
    cd "$work/source" && autoreconf -fi && cd "$work/build" &&
      ../source/configure --disable-tests CC="$CC" CXX="$CXX" && make -j "$(nproc)"
  ) > "$work/log" 2>&1 || return 1
  rm -rf "$kept.part" && mkdir -p "$kept.part/include" &&
    cp -L "$work/build/.libs/libgabbro-1.so" "$kept.part/" &&
    cp -rL "$work/build/include/gabbro" "$kept.part/include/" &&
    rm -rf "$kept" && mv "$kept.part" "$kept"
}

if [ ! -r "$kept/libgabbro-1.so" ] && ! build; then
  tail -n 20 "$work/log"
  echo "FAIL: $tag cannot be built"
  exit 1
fi
rm -rf "${work:?}"
mkdir -p "$work" || exit 99

soname ()
{
  readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'
}

old=$(soname "$kept/libgabbro-1.so")
new=$(soname "$library")
if [ "$old" != "$new" ]; then
  echo "PASS: $tag has $old, this library $new: programs do not mix them up"
  exit 0
fi

# Structures of the library's own may change: the headers show none of them. Types of GLib and Vulkan
# that they use are as public as theirs.
cp -rL "$top_builddir/include/gabbro" "$work/headers" || exit 99
set -- --headers-dir1 "$kept/include/gabbro" --headers-dir2 "$work/headers"
for folder in $($PKG_CONFIG --cflags-only-I gio-2.0 | sed 's/-I//g') "$($PKG_CONFIG --variable=includedir vulkan)/vulkan"; do
  [ ! -d "$folder" ] || set -- "$@" --headers-dir1 "$folder" --headers-dir2 "$folder"
done
if abidiff --no-added-syms --drop-private-types "$@" "$kept/libgabbro-1.so" "$library" > "$work/report" 2>&1; then
  echo "PASS: what was linked against $tag runs with this library"
  exit 0
fi
cat "$work/report"
echo "FAIL: programs that were linked against $tag break, and the soname is still $new (HACKING: ABI)"
exit 1
