#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What desktops and editors are told: the language file has every word of the compiler's tables, the types of files
# and the metainfo are well formed, and files are recognised.

: "${top_srcdir:?run this by build-aux/run-test}" "${top_builddir:?}" "${TEST_TMPDIR:?}"
cd "$TEST_TMPDIR" || exit 99
language=$top_builddir/data/gtksourceview/gabbro-kernel.lang
frontend=$top_srcdir/codegen/frontend
failed=0

pass ()
{
  echo "PASS: $1"
}

fail ()
{
  echo "FAIL: $1"
  sed 's/^/  | /' out 2>/dev/null | head -n 20
  failed=1
}

# --- GtkSourceView -------------------------------------------------------------------------------

[ -s "$language" ] || { fail "there is no $language"; exit 1; }
: > out
# words MACRO FILE: the first text of each row.
words ()
{
  sed -n "s/^$1 ([^\"]*\"\([A-Za-z0-9_]*\)\".*/\1/p" "$frontend/$2"
}
n_words=0
missing=
for word in $(words GK_KEYWORD tokens.def; words GK_RESERVED tokens.def; words GK_BUILTIN builtins.def
              words GK_BUILTIN_PRINT builtins.def; words GK_BUILTIN_VALUE builtins.def; words GK_UNSUPPORTED builtins.def) inout out fast_math unroll; do
  n_words=$((n_words + 1))
  grep -q "<keyword>$word</keyword>" "$language" || missing="$missing $word"
done
if [ "$n_words" -gt 100 ]; then pass "the tables are read"; else fail "the tables are read: $n_words words"; fi
if [ -z "$missing" ]; then pass "the language file has all words"; else fail "the language file lacks$missing"; fi
sed -n 's/.*<keyword>\(.*\)<\/keyword>.*/\1/p' "$language" | sort > listed
sort -u listed > once
if cmp -s listed once; then pass "each of them once"; else fail "twice: $(uniq -d listed | tr '\n' ' ')"; fi
while read -r word; do
  grep -q "\"$word\"" "$frontend"/*.def "$frontend"/*.c || case $word in
    *[234]) ;; # of a vector, whose row has the first part
    *) fail "$word is no word of the compiler" ;;
  esac
done < once
for kind in float:type while:control in_dispatch:function global_id:value unroll:attribute const:storage true:constant; do
  sed -n "/<context id=\"${kind#*:}\"/,/<\/context>/p" "$language" > out
  if grep -q "<keyword>${kind%:*}</keyword>" out; then pass "$kind"; else fail "$kind"; fi
done
: > out
sed -n 's/.*style-ref="\([a-z]*\)".*/style \1/p; s/.*<context ref="\([a-z-]*\)".*/context \1/p' "$language" | sort -u > used
while read -r element name; do
  grep -q "<$element id=\"$name\"" "$language" || fail "no $element $name"
done < used

# --- XML, types of files, metainfo ---------------------------------------------------------------

mime=$top_srcdir/data/gabbro.xml
metainfo=$top_srcdir/data/metainfo/org.gabbro.gabbro.metainfo.xml
if command -v xmllint > /dev/null 2>&1; then
  for file in "$language" "$mime" "$metainfo"; do
    if xmllint --noout "$file" > out 2>&1; then pass "${file##*/} is well formed"; else fail "${file##*/} is well formed"; fi
  done
else
  echo "SKIP: well-formed XML (no xmllint)"
fi
if command -v update-mime-database > /dev/null 2>&1; then
  mkdir -p share/mime/packages
  cp "$mime" share/mime/packages/
  update-mime-database share/mime > out 2>&1
  for pair in text/x-gabbro-kernel:*.gk application/x-gabbro-bundle:*.gabbro; do
    if grep -q -F "$pair" share/mime/globs; then pass "$pair"; else fail "$pair"; fi
  done
else
  echo "SKIP: types of files (no update-mime-database)"
fi
if command -v appstreamcli > /dev/null 2>&1; then
  if appstreamcli validate --no-net "$metainfo" > out 2>&1; then pass "the metainfo is valid"; else fail "the metainfo is valid"; fi
else
  echo "SKIP: metainfo (no appstreamcli)"
fi
version=$(sed -n 's/^AC_INIT(\[Gabbro\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
if grep -q "<release version=\"$version\"" "$metainfo"; then pass "its newest release is this version"; else fail "no release $version in the metainfo"; fi
exit "$failed"
