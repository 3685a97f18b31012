#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The API reference: everything public is documented, and the pages made of it hang together.

: "${top_builddir:?run this by build-aux/run-test}" "${TEST_TMPDIR:?}"
: "${GI_DOCGEN:=no}"
gir=$top_builddir/gpu/Gabbro-1.gir
pages=$top_builddir/data/doc/gabbro-1
config=$top_builddir/data/doc/gabbro.toml
failed=0

if [ "$GI_DOCGEN" = no ] || [ ! -f "$pages/index.html" ]; then
  echo "SKIP: the reference was not made (configure --enable-doc)"
  exit 77
fi
cd "$TEST_TMPDIR" || exit 99

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

"$GI_DOCGEN" check --config "$config" "$gir" > out 2>&1
verdict $? "gi-docgen check: everything public is documented"

for page in introduction threads errors class.Context class.Device class.CommandList; do
  ls "$pages/$page.html" > out 2>&1
  verdict $? "$page.html is there"
done

# Links between the pages, without their fragments and with what is elsewhere left out.
(cd "$pages" && grep -o -E 'href="[^"]+"' -- *.html) | sed -e 's/^\([^:]*\):href="/\1 /' -e 's/"$//' |
  grep -v -E ' (https?:|#|data:|javascript:|mailto:)' | sed 's/[#?].*//' | sort -u > links
[ -s links ]
verdict $? "the pages have links"
while read -r page target; do
  [ -e "$pages/$target" ] || echo "$page: no $target"
done < links > out
[ ! -s out ]
verdict $? "no link between the pages is broken"
exit "$failed"
