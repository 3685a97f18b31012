#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# debian/: the list of exported names is that of the library, and its maker keeps what was released.

: "${top_srcdir:?run this by build-aux/run-test}" "${top_builddir:?}" "${TEST_TMPDIR:?}"
library=$top_builddir/.libs/libgabbro-1.so
symbols=$top_srcdir/debian/libgabbro-1-0.symbols
update=$top_srcdir/build-aux/update-symbols
cd "$TEST_TMPDIR" || exit 99
failed=0

verdict ()
{
  if [ "$1" -eq 0 ]; then
    echo "PASS: $2"
  else
    echo "FAIL: $2"
    sed 's/^/  | /' out | tail -n 20
    failed=1
  fi
}

version=$(sed -n 's/^AC_INIT(\[Gabbro\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
sh "$update" "$library" "$version" < "$symbols" > new 2> out && diff "$symbols" new > out
verdict $? "debian/libgabbro-1-0.symbols lists what the library exports (make debian-symbols)"

# An older list: one name less, another that is gone, and everything of version 0.0.9.
sed -e 's/ 0\.[0-9.]*$/ 0.0.9/' -e '/ gabbro_get_version@/d' new > old
echo ' gabbro_bygone@GABBRO_1 0.0.9' >> old
sh "$update" "$library" 7.8 < old > newer 2> out
[ "$(grep -c ' 7\.8$' newer)" -eq 1 ] && grep -q '^ gabbro_get_version@.* 7\.8$' newer &&
  [ "$(grep -c ' 0\.0\.9$' newer)" -eq "$(($(grep -c '^ ' new) - 1))" ]
verdict $? "names keep their version, a new one gets the present one"
! grep -q bygone newer && grep -q 'gone: gabbro_bygone@GABBRO_1' out
verdict $? "a name that is gone is said"
cp /dev/null empty
! sh "$update" empty "$version" < old > newer 2> out
verdict $? "what is no library is refused"

# What the source package needs is in the tarball; the upstream version is the same everywhere.
head -n 1 "$top_srcdir/debian/changelog" > out
grep -q "^gabbro ($version-" out
verdict $? "debian/changelog and configure.ac have the same version"
exit "$failed"
