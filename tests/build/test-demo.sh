#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What "./bootstrap demo" runs once everything is built: with and without a picture.

: "${top_srcdir:?run this by build-aux/run-test}" "${GABBRO:?}" "${TEST_TMPDIR:?}"
cd "$TEST_TMPDIR" || exit 99
GABBRO_EXAMPLES=$top_srcdir/data/examples
export GABBRO_EXAMPLES
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

# size FILE: width and height of a PNG, from its header.
size ()
{
  # shellcheck disable=SC2046  # eight bytes, split on purpose
  set -- $(od -An -v -tu1 -j16 -N8 "$1")
  echo "$(($3 * 256 + $4))x$(($7 * 256 + $8))"
}

sh "$top_srcdir/data/demo" pictures > out 2>&1
verdict $? "the demo without a picture"
for name in mandelbrot blur sobel; do
  [ "$(size "pictures/$name.png")" = 1024x768 ]
  verdict $? "$name.png is 1024x768"
done
[ "$(cksum < pictures/blur.png)" != "$(cksum < pictures/mandelbrot.png)" ]
verdict $? "the filtered picture is another one"
grep -q 'llvmpipe' out && grep -q 'ms' out
verdict $? "the demo says where it ran and how long it took"

"$GABBRO" run "$GABBRO_EXAMPLES/mandelbrot.gk" centre=-0.6,0 height=2.4 max_steps=50 'picture=image:70x50:rgba8:small.jpg' > out 2>&1 &&
  mv small.jpg 'odd name: 1.jpg' && sh "$top_srcdir/data/demo" own 'odd name: 1.jpg' > out 2>&1
verdict $? "the demo with a JPEG of an odd name"
for name in blur sobel; do
  [ "$(size "own/$name.png")" = 70x50 ]
  verdict $? "$name.png has the picture's size"
done

echo 'no picture' > text.png
sh "$top_srcdir/data/demo" own text.png > out 2>&1
[ $? -eq 1 ] && [ ! -e own/blur.png ]
verdict $? "what is no picture is refused, and nothing of the last run is left to mislead"
exit "$failed"
