#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The API reference: everything public is documented, and the pages made of it hang together.

: "${top_srcdir:?run this by build-aux/run-test}" "${top_builddir:?}" "${TEST_TMPDIR:?}"
: "${GI_DOCGEN:=no}"
gir=$top_builddir/gpu/Gabbro-1.gir
pages=$top_builddir/data/doc/gabbro-1
config=$top_builddir/data/doc/gabbro.toml
failed=0

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

# Each function says whether threads may share it and whether it blocks: in its text, since there are
# threads among the arguments and the values that are returned, too.
sed -n 's/^  \(gabbro_[a-z0-9_]*\);$/\1/p' "$top_srcdir/gpu/libgabbro.map" | grep -v '_get_type$' > functions
grep -q '^gabbro_vulkan_queue_lock$' functions && grep -q '^gabbro_command_list_run$' functions
verdict $? "the map names the functions"
awk '
  FNR == NR { wanted[$1] = 1; next }
  /^\/\*\*$/ { inside = 1; name = text = ""; prose = 0; next }
  !inside { next }
  /^ \* gabbro_[a-z0-9_]+:/ && name == "" { name = $2; sub (/:.*/, "", name); next }
  /^ \*$/ { prose = 1; next }
  /^ \* (Returns|Since):/ { prose = 0 }
  /^ \*\// {
    inside = 0
    if (name in wanted) {
      seen[name] = 1
      if (text !~ /hread-safe/) print name "() does not say whether it is thread-safe"
      if (text !~ /[Bb]lock/) print name "() does not say whether it blocks"
    }
    next
  }
  prose { text = text $0 }
  END { for (name in wanted) if (!(name in seen)) print name "() has no comment" }
' functions "$top_srcdir"/gpu/*.c > out
[ ! -s out ]
verdict $? "each function says whether it is thread-safe and whether it blocks"

if [ "$GI_DOCGEN" = no ] || [ ! -f "$pages/index.html" ]; then
  echo "SKIP: the pages of the reference were not made (configure --enable-doc)"
  [ "$failed" -eq 0 ] && exit 77
  exit 1
fi

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
