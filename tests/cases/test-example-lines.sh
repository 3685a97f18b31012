#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The command lines in the headings of data/examples: each does what it says, and its kernel does nothing
# that --check would report. Pictures are made smaller, and loops shorter.

: "${top_srcdir:?run this by build-aux/run-test}" "${GABBRO:?}" "${TEST_TMPDIR:?}"
cd "$TEST_TMPDIR" || exit 99
cp "$top_srcdir"/data/examples/*.gk . || exit 99
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

# lines FILE: what stands three spaces deep in the comment at its top.
lines ()
{
  sed -n -e '/^[^/]/q' -e 's,^//   ,,p' "$1" |
    sed -e 's/960x540/32x18/; s/640x480/80x60/; s/480x480/48x48/; s/samples=[0-9]*/samples=2/; s/seq [0-9]*/seq 2/; s/1500/150/g'
}

# follow FILE [OPTION]: runs its lines, with the option behind each "gabbro run".
follow ()
{
  {
    # shellcheck disable=SC2016  # it is the script's
    echo "set -e; gabbro () { shift; \"\$GABBRO\" run $2 \"\$@\"; }"
    lines "$1"
  } > script
  sh script > out 2>&1
}

for file in *.gk; do
  [ "$(lines "$file" | grep -c '^ *gabbro run')" -gt 0 ]
  verdict $? "$file says how to run it"
  kernels=$(grep -A 1 '^kernel' "$file" | sed -n 's/^void \([a-z_]*\).*/\1/p')
  if [ "$(echo "$kernels" | wc -l)" -gt 1 ]; then
    for kernel in $kernels; do
      lines "$file" | grep -q "$file:$kernel "
      verdict $? "$file runs $kernel"
    done
  fi
  follow "$file" ''
  verdict $? "the lines of $file work"
  ! grep -q warning out
  verdict $? "$file gives no warning"
  follow "$file" --check
  verdict $? "nothing is reported of $file"
done

# prints FILE TEXT: its lines print this, wherever they run.
prints ()
{
  for option in '' --check; do
    follow "$1" "$option" && grep -Fqx -- "$2" out
    verdict $? "$1 $option prints $2"
  done
}

prints saxpy.gk 'y = 0 3 6 9 12 15 18 21'
prints transpose.gk 'target = 0 4 8 1 5 9 2 6 10 3 7 11'
prints matrix-product.gk 'product = 42 48 54 114 136 158 186 224 262'
exit "$failed"
