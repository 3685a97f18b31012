#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# make install puts the promised files at the promised places, and a program finds them through
# pkg-config as anybody's program would.

: "${top_builddir:?run this by build-aux/run-test}"
: "${CC:=cc}" "${PKG_CONFIG:=pkg-config}"
root=${TEST_TMPDIR:-/tmp}/root
failed=0
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

verdict ()
{
  if [ "$1" -eq 0 ]; then
    echo "PASS: $2"
  else
    echo "FAIL: $2"
    failed=1
  fi
}

if ! make --no-print-directory -C "$top_builddir" install DESTDIR="$root" > "$root.log" 2>&1; then
  tail -n 20 "$root.log"
  echo "FAIL: make install"
  exit 1
fi
echo "PASS: make install"

pc=$(find "$root" -name gabbro-1.pc)
if [ -z "$pc" ]; then
  echo "FAIL: gabbro-1.pc is not installed"
  exit 1
fi
PKG_CONFIG_PATH=${pc%/*}
export PKG_CONFIG_PATH
libdir=$($PKG_CONFIG --variable=libdir gabbro-1)
includedir=$($PKG_CONFIG --variable=includedir gabbro-1)
driverdir=$($PKG_CONFIG --variable=driverdir gabbro-1)
libdir=${libdir#"$root"} includedir=${includedir#"$root"} driverdir=${driverdir#"$root"}

for file in "$libdir/libgabbro-1.so.0" "$libdir/libgabbro-1.so" "$driverdir/gabbro-driver-vulkan.so" \
    "$includedir/gabbro-1/gabbro/gabbro.h" "$includedir/gabbro-1/gabbro/gabbro-vulkan.h" \
    "$libdir/pkgconfig/gabbro-vulkan-1.pc" "${libdir%/lib*}/bin/gabbro"; do
  [ -e "$root$file" ]
  verdict $? "$file is installed"
done

# What bindings read, where they look for it. Vala's folder is not that of one version of Vala.
prefix=${libdir%/lib*}
for file in Gabbro-1.gir:"$prefix/share/gir-1.0" Gabbro-1.typelib:"$libdir/girepository-1.0" \
    gabbro-1.vapi:"$prefix/share/vala/vapi" gabbro-1.deps:"$prefix/share/vala/vapi"; do
  [ -e "$top_builddir/gpu/${file%%:*}" ] || continue
  [ -e "$root${file#*:}/${file%%:*}" ]
  verdict $? "${file#*:}/${file%%:*} is installed"
done
if [ -e "$top_builddir/gpu/Gabbro-1.typelib" ]; then
  [ "$(find "$root" -path '*/gi/overrides/Gabbro.py' -o -path '*/gi/overrides/_gabbro_*.py' | wc -l)" -eq 3 ]
  verdict $? "the overrides for Python are installed"
fi

# What shells, desktops and editors look for. An uninstalled tool of another machine makes no completion.
share=$prefix/share
for file in gabbro-1/gabbro-1.schema.json mime/packages/gabbro.xml metainfo/org.gabbro.gabbro.metainfo.xml \
    gtksourceview-4/language-specs/gabbro-kernel.lang gtksourceview-5/language-specs/gabbro-kernel.lang man/man1/gabbro.1 \
    bash-completion/completions/gabbro zsh/site-functions/_gabbro fish/vendor_completions.d/gabbro.fish; do
  case $file in
    zsh/*) found=$(find "$root" -name _gabbro -size +0) ;;
    *) found=$(find "$root$share/$file" -size +0 2> /dev/null) ;;
  esac
  [ -n "$found" ]
  verdict $? "$share/$file is installed"
done

# Private code stays at home.
strays=$(find "$root" -name 'libgb*' -o -name 'libgabbro-codegen*' -o -name 'xir.h' -o -name 'gabbro-driver.h' -o -name '*.a')
[ -z "$strays" ]
verdict $? "nothing private is installed${strays:+: $strays}"

cat > "$root.c" <<'END'
#include <gabbro/gabbro.h>
int main (void) { return G_TYPE_IS_OBJECT (GABBRO_TYPE_CONTEXT) ? 0 : 1; }
END
# gabbro-1.pc names the final prefix, hence the folders by hand here.
sanitize=
[ "${GABBRO_SANITIZERS:-no}" = no ] || sanitize=-fsanitize=address,undefined
# shellcheck disable=SC2086,SC2046
$CC $sanitize -o "$root.program" "$root.c" -I "$root$includedir/gabbro-1" -L "$root$libdir" -lgabbro-1 \
  $($PKG_CONFIG --cflags --libs gio-2.0) && LD_LIBRARY_PATH=$root$libdir "$root.program"
verdict $? "a program compiles, links and runs against the installed library"

$PKG_CONFIG --exists --print-errors gabbro-1 &&
  [ "$($PKG_CONFIG --cflags-only-I gabbro-1 | grep -c "$includedir/gabbro-1")" -eq 1 ]
verdict $? "pkg-config knows gabbro-1 and its header folder"
$PKG_CONFIG --exists --print-errors gabbro-vulkan-1 && [ "$($PKG_CONFIG --cflags-only-I gabbro-vulkan-1 | grep -c "$includedir/gabbro-1")" -eq 1 ]
verdict $? "pkg-config knows gabbro-vulkan-1"
$PKG_CONFIG --print-requires --print-requires-private gabbro-1 | grep -q vulkan
[ $? -eq 1 ]
verdict $? "gabbro-1 asks for no Vulkan"
exit "$failed"
