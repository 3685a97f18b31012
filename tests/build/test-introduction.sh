#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The introduction of the reference: its programs, taken from the page, are compiled and run with the
# commands of the page and print what the page says.

: "${top_srcdir:?run this by build-aux/run-test}" "${top_builddir:?}" "${TEST_TMPDIR:?}"
: "${CC:=cc}"
page=$top_srcdir/data/doc/introduction.md
cd "$TEST_TMPDIR" || exit 99
failed=0

verdict ()
{
  if [ "$1" -eq 0 ]; then
    echo "PASS: $2"
  else
    echo "FAIL: $2"
    sed 's/^/  | /' out err 2>/dev/null | tail -n 20
    failed=1
  fi
}

# block HEADING LANGUAGE: the one block of that language below that heading.
block ()
{
  awk -v heading="## $1" -v fence="\`\`\`$2" '
    /^```/ { if (inside) { inside = 0; next } if (here && $0 == fence) { inside = 1; count++; next } }
    inside { print; next }
    /^## / { here = $0 == heading }
    END { exit count != 1 }' "$page"
}

# The page says cc and python3: here those are what configure found, the first with its sanitizers.
# Full paths, since what is found under these names would otherwise be found again.
sanitize=
[ "${GABBRO_SANITIZERS:-no}" = no ] || sanitize=-fsanitize=address,undefined
compiler=$(command -v "${CC%% *}") || exit 99
flags=${CC#"${CC%% *}"}
python=$(command -v "${PYTHON:-python3}") || python=no
mkdir -p bin || exit 99
printf '#!/bin/sh\nexec %s "$@"\n' "$compiler $flags $sanitize" > bin/cc
printf '#!/bin/sh\nexec %s "$@"\n' "$python" > bin/python3
chmod +x bin/cc bin/python3
PATH=$TEST_TMPDIR/bin:$PATH

# shellcheck disable=SC2016  # pkg-config expands it
# The library of the build tree, as pkg-config would show an installed one.
sed -e "s|^libdir=.*|libdir=$top_builddir/.libs|" -e "s|^includedir=.*|includedir=$top_builddir|" \
  -e 's|^Cflags:.*|Cflags: -I${includedir}/include|' "$top_builddir/data/gabbro-1.pc" > gabbro-1.pc || exit 99
PKG_CONFIG_PATH=$TEST_TMPDIR${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
LD_LIBRARY_PATH=$top_builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
GI_TYPELIB_PATH=$top_builddir/gpu${GI_TYPELIB_PATH:+:$GI_TYPELIB_PATH}
export PKG_CONFIG_PATH LD_LIBRARY_PATH GI_TYPELIB_PATH

block "In C" c > first.c && block "In C" sh > commands && block "In C" text > expected
verdict $? "the page has a program in C, commands and what it prints"
sh -e ./commands > out 2> err && cmp -s out expected
verdict $? "the commands of the page compile and run the program, which prints what the page says"

overrides=$top_srcdir/data/python
block "In Python" python > first.py && block "In Python" sh > commands && block "In Python" text > expected
verdict $? "the page has a program in Python, a command and what it prints"
name="the command of the page runs the program in Python, which prints what the page says"
if [ "${GABBRO_SANITIZERS:-no}" != no ]; then
  echo "SKIP: $name: an interpreter cannot load a library with sanitizers"
elif [ ! -r "$top_builddir/gpu/Gabbro-1.typelib" ] || [ ! -r "$overrides/gi/overrides/Gabbro.py" ] ||
    ! python3 -c 'import gi.overrides, numpy' 2> err; then
  echo "SKIP: $name: no typelib, no overrides, no PyGObject or no NumPy"
else
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$overrides sh -e ./commands > out 2> err && cmp -s out expected
  verdict $? "$name"
fi
exit "$failed"
