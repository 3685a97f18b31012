#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The interface that bindings see is the one that was last looked at: Gabbro-1.gir of the build
# against the copy in this folder, both reduced to what programs can depend on.
#
# test-gir.sh --update  writes the copy anew; "make update-gir" does that.

: "${top_srcdir:?run this by build-aux/run-test}" "${top_builddir:?}"
kept=$top_srcdir/tests/gir/Gabbro-1.gir
built=$top_builddir/gpu/Gabbro-1.gir
reduce=$top_srcdir/tests/gir/normalise-gir.py
work=${TEST_TMPDIR:-/tmp}

if [ ! -r "$built" ] || ! python3 -c '' 2>/dev/null; then
  echo "SKIP: no introspection in this build, or no python3"
  exit 77
fi
if [ "$1" = --update ]; then
  python3 "$reduce" "$built" > "$work/new.gir" && cp "$work/new.gir" "$kept" || exit 1
  echo "$kept is up to date"
  exit
fi

if ! python3 "$reduce" "$built" > "$work/built.gir" || ! python3 "$reduce" "$kept" > "$work/kept.gir"; then
  echo "FAIL: the GIR can be read"
  exit 1
fi
if diff -u --label kept --label built "$work/kept.gir" "$work/built.gir" > "$work/diff"; then
  echo "PASS: the interface is the one that is kept"
else
  cat "$work/diff"
  echo "FAIL: the interface (+) is not the one that is kept (-)"
  echo "If every line of this is meant: make update-gir, and commit tests/gir/Gabbro-1.gir."
  exit 1
fi

# A difference that matters does show.
sed 's/<return-value nullable="1" /<return-value /; t done; b; :done; n; b done' "$work/built.gir" > "$work/broken.gir"
python3 "$reduce" "$work/broken.gir" > "$work/changed.gir"
[ "$(diff "$work/kept.gir" "$work/changed.gir" | grep -c '^[<>]')" -eq 2 ]
shown=$?
# One that does not, does not: the same thing as another version of the scanner writes it.
sed -e 's/ \(nullable\)="1"/ \1="1" allow-none="1"/' -e 's/<method /<method glib:finish-func="x" /' \
  -e 's/<parameters>/<source-position filename="x.c" line="1"\/><parameters>/' "$work/built.gir" > "$work/other.gir"
python3 "$reduce" "$work/other.gir" | cmp - "$work/kept.gir"
hidden=$?
if [ "$shown" -eq 0 ] && [ "$hidden" -eq 0 ]; then
  echo "PASS: the comparison sees what matters and nothing else"
else
  echo "FAIL: the comparison sees what matters and nothing else"
  exit 1
fi
