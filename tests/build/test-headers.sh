#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Each installed header stands on its own, as C11 and as C++, without a warning.

: "${top_builddir:?run this by build-aux/run-test}"
: "${CC:=cc}" "${CXX:=c++}" "${PKG_CONFIG:=pkg-config}"
# -DGABBRO_INSIDE: single headers refuse to be included by themselves, which is tested below.
flags="-DGABBRO_INSIDE= -Wall -Wextra -Werror -Wno-unused-parameter -I $top_builddir/include $($PKG_CONFIG --cflags gio-2.0)"
failed=0
seen=0

verdict ()
{
  if [ "$1" -eq 0 ]; then
    echo "PASS: $2"
  else
    echo "FAIL: $2"
    failed=1
  fi
}

for header in "$top_builddir"/include/gabbro/*.h; do
  [ -r "$header" ] || continue
  seen=1
  name=${header##*/}
  # shellcheck disable=SC2086  # flags are split on purpose
  echo "#include <gabbro/$name>" | $CC -std=c11 -Wstrict-prototypes $flags -fsyntax-only -x c -
  verdict $? "$name as C11"
  # shellcheck disable=SC2086
  echo "#include <gabbro/$name>" | $CXX -std=c++17 $flags -fsyntax-only -x c++ -
  verdict $? "$name as C++"
done
# shellcheck disable=SC2086
echo "#include <gabbro/gabbro-buffer.h>" | $CC $flags -UGABBRO_INSIDE -fsyntax-only -x c - 2>&1 |
  grep -q 'Only <gabbro/gabbro.h> can be included directly'
verdict $? "a single header sends people to gabbro.h"

# shellcheck disable=SC2086
vulkan=$(echo '#include <gabbro/gabbro.h>' | $CC -E -P $flags -x c - | grep -c -w 'Vk[A-Z][A-Za-z0-9]*')
[ "$vulkan" -eq 0 ]
verdict $? "gabbro.h brings no Vulkan type with it"

# shellcheck disable=SC2086
version=$(printf '#include <gabbro/gabbro.h>\nVERSION GABBRO_MAJOR_VERSION GABBRO_MINOR_VERSION GABBRO_MICRO_VERSION\n' |
  $CC -E -P $flags -x c - | sed -n 's/^VERSION //p' | tr ' ' .)
[ "Version: $version" = "$(grep '^Version:' "$top_builddir/data/gabbro-1.pc")" ]
verdict $? "gabbro-version.h ($version) and gabbro-1.pc agree"

# shellcheck disable=SC2086
printf '#include <gabbro/gabbro.h>\n#if GABBRO_VERSION_CUR_STABLE != G_ENCODE_VERSION (GABBRO_MAJOR_VERSION, GABBRO_MINOR_VERSION)\n#error\n#endif\n' |
  $CC $flags -fsyntax-only -x c -
verdict $? "the last of the versions in gpu/Makefile-gpu.am is that of gabbro-version.h"

# Types can only grow while nobody but the library knows how large they are and nobody derives from them.
for header in "$top_builddir"/include/gabbro/*.h; do
  name=${header##*/}
  # Without comments, and on one line.
  text=$(sed 's:/\*.*\*/::' "$header" | sed '/\/\*/,/\*\//d' | tr '\n\t' '  ')
  open=$(printf '%s\n' "$text" | grep -o -E '(struct|union) +_?Gabbro[A-Za-z0-9]* *\{' | head -n 1)
  [ -z "$open" ]
  verdict $? "$name keeps its types opaque${open:+: $open}"
  ! printf '%s\n' "$text" | grep -q -E 'G_DECLARE_(DERIVABLE_TYPE|INTERFACE)|G_DEFINE_TYPE|parent_(instance|class)'
  verdict $? "$name declares final types alone"
done

if [ "$seen" -eq 0 ]; then
  echo "FAIL: there is no installed header"
  exit 1
fi
exit "$failed"
