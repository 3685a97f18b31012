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

needs_typelib ()
{
  needs_file "$top_builddir/gpu/Gabbro-1.typelib" "no introspection in this build"
  [ "${GABBRO_SANITIZERS:-no}" = no ] || [ -n "$preload" ] || {
    echo "SKIP: the sanitizers of $CC cannot be loaded into an interpreter"
    exit 77
  }
}

# interpret COMMAND...: an interpreter has no sanitizer runtime, and cannot load a library that needs
# one without. What it leaks itself is not our concern.
interpret ()
{
  if [ -n "$preload" ]; then
    LD_PRELOAD=$preload ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 "$@"
  else
    "$@"
  fi
}

preload=
if [ "${GABBRO_SANITIZERS:-no}" != no ]; then
  # A compiler that has no such file prints the name alone.
  preload=$(${CC:-cc} -print-file-name=libasan.so):$(${CC:-cc} -print-file-name=libubsan.so)
  case $preload in
    /*:/*) ;;
    *) preload= ;;
  esac
fi

GI_TYPELIB_PATH=$top_builddir/gpu
LD_LIBRARY_PATH=$top_builddir/.libs
export GI_TYPELIB_PATH LD_LIBRARY_PATH
