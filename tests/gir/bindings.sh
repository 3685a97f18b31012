# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# What the tests of bindings share: where the build tree keeps its library and its descriptions.

: "${top_builddir:?run this by build-aux/run-test}"

# verdict STATUS NAME [FILE]: one result; the file is what a failed check printed.
verdict ()
{
  if [ "$1" -eq 0 ]; then
    echo "PASS: $2"
  else
    [ -z "$3" ] || cat "$3"
    echo "FAIL: $2"
    # shellcheck disable=SC2034  # what the scripts exit with
    failed=1
  fi
}

needs_program ()
{
  command -v "$1" > /dev/null || { echo "SKIP: $1 is not installed"; exit 77; }
}

needs_file ()
{
  [ -r "$1" ] || { echo "SKIP: $2"; exit 77; }
}

# An interpreter has no sanitizer runtime, and the library cannot be loaded without.
needs_typelib ()
{
  needs_file "$top_builddir/gpu/Gabbro-1.typelib" "no introspection in this build"
  [ "${GABBRO_SANITIZERS:-no}" = no ] || { echo "SKIP: interpreters cannot load a library with sanitizers"; exit 77; }
}

GI_TYPELIB_PATH=$top_builddir/gpu
LD_LIBRARY_PATH=$top_builddir/.libs
export GI_TYPELIB_PATH LD_LIBRARY_PATH
