#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# gabbro-version-macros.sh VERSION...
#
# Prints gabbro-version-macros.h: what marks functions, macros, types and enumerators with the
# version that brought them or made them obsolete. The versions are "major.minor", oldest first;
# the last one is that of the library.

if [ $# -eq 0 ]; then
  echo "usage: $0 MAJOR.MINOR..." >&2
  exit 2
fi
for version in "$@"; do
  case $version in
    *[!0-9.]* | .* | *. | *.*.* )
      echo "$0: '$version' is no MAJOR.MINOR" >&2
      exit 2
      ;;
    *.*) ;;
    *)
      echo "$0: '$version' is no MAJOR.MINOR" >&2
      exit 2
      ;;
  esac
  last=$(echo "$version" | tr . _)
done
first=$(echo "$1" | tr . _)

cat << END
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Made by gpu/gabbro-version-macros.sh. */

#ifndef GABBRO_VERSION_MACROS_H
#define GABBRO_VERSION_MACROS_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <glib.h>

END

for version in "$@"; do
  major=${version%.*} minor=${version#*.}
  cat << END
/**
 * GABBRO_VERSION_${major}_${minor}:
 *
 * Version $version, for %GABBRO_VERSION_MIN_REQUIRED and %GABBRO_VERSION_MAX_ALLOWED.
 *
 * Since: $version
 */
#define GABBRO_VERSION_${major}_${minor} (G_ENCODE_VERSION ($major, $minor))

END
done

cat << END
/**
 * GABBRO_VERSION_CUR_STABLE:
 *
 * The version of these headers, without its last number.
 *
 * Since: $1
 */
#define GABBRO_VERSION_CUR_STABLE GABBRO_VERSION_$last

/**
 * GABBRO_VERSION_MIN_REQUIRED:
 *
 * The oldest version that a program has to work with, such as %GABBRO_VERSION_$first. What
 * became obsolete later brings no warning. To be defined before <gabbro/gabbro.h> is included,
 * for the whole program; otherwise it is %GABBRO_VERSION_MAX_ALLOWED, if that is defined, or
 * %GABBRO_VERSION_CUR_STABLE.
 *
 * Since: $1
 */
#ifndef GABBRO_VERSION_MIN_REQUIRED
# ifdef GABBRO_VERSION_MAX_ALLOWED
#  define GABBRO_VERSION_MIN_REQUIRED GABBRO_VERSION_MAX_ALLOWED
# else
#  define GABBRO_VERSION_MIN_REQUIRED GABBRO_VERSION_CUR_STABLE
# endif
#endif

/**
 * GABBRO_VERSION_MAX_ALLOWED:
 *
 * The newest version that a program may use. What came later brings a warning where it is used.
 * To be defined before <gabbro/gabbro.h> is included, for the whole program; otherwise it is
 * %GABBRO_VERSION_CUR_STABLE.
 *
 * Since: $1
 */
#ifndef GABBRO_VERSION_MAX_ALLOWED
# define GABBRO_VERSION_MAX_ALLOWED GABBRO_VERSION_CUR_STABLE
#endif

/* A name that is not defined is 0 here. */
#if GABBRO_VERSION_MIN_REQUIRED < GABBRO_VERSION_$first
# error "GABBRO_VERSION_MIN_REQUIRED must be GABBRO_VERSION_$first or later"
#endif
#if GABBRO_VERSION_MAX_ALLOWED < GABBRO_VERSION_MIN_REQUIRED
# error "GABBRO_VERSION_MAX_ALLOWED must not be earlier than GABBRO_VERSION_MIN_REQUIRED"
#endif

#define GABBRO_EXTERN __attribute__ ((visibility ("default"))) extern

/* For the macros below alone. */
#define GABBRO_MACRO_WARNING(words) GABBRO_PRAGMA (GCC warning G_STRINGIFY (words))
#define GABBRO_PRAGMA(words) _Pragma (G_STRINGIFY (words))
#ifdef GABBRO_DISABLE_DEPRECATION_WARNINGS
# define GABBRO_OLD(attribute)
# define GABBRO_OLD_MACRO(words)
#else
# define GABBRO_OLD(attribute) attribute
# define GABBRO_OLD_MACRO(words) GABBRO_MACRO_WARNING (words)
#endif
END

for version in "$@"; do
  major=${version%.*} minor=${version#*.} name=${version%.*}_${version#*.}
  cat << END

#if GABBRO_VERSION_MAX_ALLOWED < GABBRO_VERSION_$name
# define GABBRO_AVAILABLE_IN_$name            G_UNAVAILABLE ($major, $minor) GABBRO_EXTERN
# define GABBRO_AVAILABLE_MACRO_IN_$name      GABBRO_MACRO_WARNING (Not available before $version)
# define GABBRO_AVAILABLE_ENUMERATOR_IN_$name G_UNAVAILABLE ($major, $minor)
# define GABBRO_AVAILABLE_TYPE_IN_$name       G_UNAVAILABLE ($major, $minor)
#else
# define GABBRO_AVAILABLE_IN_$name            GABBRO_EXTERN
# define GABBRO_AVAILABLE_MACRO_IN_$name
# define GABBRO_AVAILABLE_ENUMERATOR_IN_$name
# define GABBRO_AVAILABLE_TYPE_IN_$name
#endif

#if GABBRO_VERSION_MIN_REQUIRED >= GABBRO_VERSION_$name
# define GABBRO_DEPRECATED_IN_$name                    GABBRO_OLD (G_DEPRECATED) GABBRO_EXTERN
# define GABBRO_DEPRECATED_IN_${name}_FOR(f)             GABBRO_OLD (G_DEPRECATED_FOR (f)) GABBRO_EXTERN
# define GABBRO_DEPRECATED_MACRO_IN_$name              GABBRO_OLD_MACRO (Deprecated macro)
# define GABBRO_DEPRECATED_MACRO_IN_${name}_FOR(f)       GABBRO_OLD_MACRO (Deprecated macro: use #f instead)
# define GABBRO_DEPRECATED_ENUMERATOR_IN_$name         GABBRO_OLD (G_DEPRECATED)
# define GABBRO_DEPRECATED_ENUMERATOR_IN_${name}_FOR(f)  GABBRO_OLD (G_DEPRECATED_FOR (f))
# define GABBRO_DEPRECATED_TYPE_IN_$name               GABBRO_OLD (G_DEPRECATED)
# define GABBRO_DEPRECATED_TYPE_IN_${name}_FOR(f)        GABBRO_OLD (G_DEPRECATED_FOR (f))
#else
# define GABBRO_DEPRECATED_IN_$name                    GABBRO_EXTERN
# define GABBRO_DEPRECATED_IN_${name}_FOR(f)             GABBRO_EXTERN
# define GABBRO_DEPRECATED_MACRO_IN_$name
# define GABBRO_DEPRECATED_MACRO_IN_${name}_FOR(f)
# define GABBRO_DEPRECATED_ENUMERATOR_IN_$name
# define GABBRO_DEPRECATED_ENUMERATOR_IN_${name}_FOR(f)
# define GABBRO_DEPRECATED_TYPE_IN_$name
# define GABBRO_DEPRECATED_TYPE_IN_${name}_FOR(f)
#endif
END
done
printf '\n#endif\n'
