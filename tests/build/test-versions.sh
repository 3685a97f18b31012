#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a program says of the versions that it is for decides what it is warned of: the real headers
# under macros for more versions than there are, and samples of all that can be marked.

: "${top_builddir:?run this by build-aux/run-test}" "${top_srcdir:?}"
: "${CC:=cc}" "${CXX:=c++}" "${PKG_CONFIG:=pkg-config}"
work=${TEST_TMPDIR:-/tmp}/versions
failed=0
mkdir -p "$work/include/gabbro" || exit 99
flags="-Wall -Wextra -I $work/include $($PKG_CONFIG --cflags gio-2.0)"

verdict ()
{
  if [ "$1" -eq 0 ]; then
    echo "PASS: $2"
  else
    echo "FAIL: $2"
    failed=1
  fi
}

# The headers as they are, and macros as if there was a version before and two after this one.
cp -L "$top_builddir"/include/gabbro/*.h "$work/include/gabbro/" || exit 99
generate ()
{
  sh "$top_srcdir/gpu/gabbro-version-macros.sh" "$@"
}
generate 0.0 0.1 0.2 0.3 > "$work/include/gabbro/gabbro-version-macros.h"
verdict $? "macros for four versions"

cat > "$work/include/gabbro/sample.h" <<'END'
#include <gabbro/gabbro.h>
GABBRO_DEPRECATED_IN_0_2 int obsolete (void);
GABBRO_DEPRECATED_IN_0_2_FOR (better) int worse (void);
GABBRO_AVAILABLE_IN_0_2 int better (void);
#define OBSOLETE_NUMBER GABBRO_DEPRECATED_MACRO_IN_0_2 1
#define WORSE_NUMBER GABBRO_DEPRECATED_MACRO_IN_0_2_FOR (BETTER_NUMBER) 1
#define BETTER_NUMBER GABBRO_AVAILABLE_MACRO_IN_0_2 2
typedef enum
{
  SAMPLE_ALWAYS,
  SAMPLE_OBSOLETE GABBRO_DEPRECATED_ENUMERATOR_IN_0_2,
  SAMPLE_WORSE GABBRO_DEPRECATED_ENUMERATOR_IN_0_2_FOR (SAMPLE_BETTER),
  SAMPLE_BETTER GABBRO_AVAILABLE_ENUMERATOR_IN_0_2
} Sample;
typedef int obsolete_type GABBRO_DEPRECATED_TYPE_IN_0_2;
typedef int worse_type GABBRO_DEPRECATED_TYPE_IN_0_2_FOR (better_type);
typedef int better_type GABBRO_AVAILABLE_TYPE_IN_0_2;
END

# compile USE DEFINITION...: what the compiler says; both languages must say as much.
compile ()
{
  use=$1
  shift
  printf '#include <gabbro/sample.h>\nint use (void);\nint use (void) { %s }\n' "$use" > "$work/use.c"
  # shellcheck disable=SC2086  # flags are split on purpose
  $CC -std=c11 $flags "$@" -fsyntax-only "$work/use.c" > "$work/said" 2>&1
  # shellcheck disable=SC2086
  $CXX -std=c++17 $flags "$@" -fsyntax-only -x c++ "$work/use.c" > "$work/said++" 2>&1
}

warns ()
{
  name=$1 text=$2
  shift 2
  compile "$@"
  grep -q "warning: .*$text" "$work/said" && grep -q "warning: .*$text" "$work/said++"
  verdict $? "$name"
  grep -q "warning: .*$text" "$work/said" || cat "$work/said"
}

silent ()
{
  name=$1
  shift
  compile "$@"
  cat "$work/said" "$work/said++"
  [ ! -s "$work/said" ] && [ ! -s "$work/said++" ]
  verdict $? "$name"
}

# The real headers, whose functions are all of 0.1.
call='gabbro_get_version (NULL, NULL, NULL); return GABBRO_TYPE_CONTEXT != 0;'
warns "a function later than the newest allowed version" "gabbro_get_version.*Not available before 0.1" \
  "$call" -DGABBRO_VERSION_MAX_ALLOWED=GABBRO_VERSION_0_0
warns "a type's function later than that" "gabbro_context_get_type.*Not available before 0.1" \
  "$call" -DGABBRO_VERSION_MAX_ALLOWED=GABBRO_VERSION_0_0
silent "a function of the newest allowed version" "$call" -DGABBRO_VERSION_MAX_ALLOWED=GABBRO_VERSION_0_1
silent "the headers without any definition" "$call"

# Samples: name, use, the warning when it is obsolete.
while IFS='|' read -r kind use text; do
  warns "an obsolete $kind" "$text" "$use"
  silent "an obsolete $kind, for a program that has to work before that" "$use" -DGABBRO_VERSION_MIN_REQUIRED=GABBRO_VERSION_0_1
  silent "an obsolete $kind, warnings switched off" "$use" -DGABBRO_DISABLE_DEPRECATION_WARNINGS
done <<'END'
function|return obsolete ();|obsolete.* is deprecated
function with a better one|return worse ();|worse.*better
macro|return OBSOLETE_NUMBER;|Deprecated macro
macro with a better one|return WORSE_NUMBER;|Deprecated macro: use .*BETTER_NUMBER.* instead
enumerator|return SAMPLE_OBSOLETE;|SAMPLE_OBSOLETE.* is deprecated
enumerator with a better one|return SAMPLE_WORSE;|SAMPLE_WORSE.*SAMPLE_BETTER
type|obsolete_type a = 1; return a;|obsolete_type.* is deprecated
type with a better one|worse_type a = 1; return a;|worse_type.*better_type
END
while IFS='|' read -r kind use text; do
  warns "a later $kind" "$text" "$use" -DGABBRO_VERSION_MAX_ALLOWED=GABBRO_VERSION_0_1
  silent "an allowed $kind" "$use" -DGABBRO_VERSION_MAX_ALLOWED=GABBRO_VERSION_0_2
done <<'END'
function|return better ();|better.*Not available before 0.2
macro|return BETTER_NUMBER;|Not available before 0.2
enumerator|return SAMPLE_BETTER;|SAMPLE_BETTER.*Not available before 0.2
type|better_type a = 1; return a;|better_type.*Not available before 0.2
END

# Definitions that make no sense.
compile 'return 0;' -DGABBRO_VERSION_MAX_ALLOWED=GABBRO_VERSION_0_1 -DGABBRO_VERSION_MIN_REQUIRED=GABBRO_VERSION_0_2
grep -q 'error: .*MAX_ALLOWED must not be earlier than' "$work/said"
verdict $? "a newest version before the oldest is refused"
generate 0.1 0.2 > "$work/include/gabbro/gabbro-version-macros.h"
compile 'return 0;' -DGABBRO_VERSION_MIN_REQUIRED=GABBRO_VERSION_9_9
grep -q 'error: .*MIN_REQUIRED must be GABBRO_VERSION_0_1 or later' "$work/said"
verdict $? "a version that is not there is refused"
for wrong in 1 1.x .1 1. 1.2.3; do
  ! generate "$wrong" > "$work/wrong" 2>&1
  verdict $? "'$wrong' is no version for the macros"
done
exit "$failed"
