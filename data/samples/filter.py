#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Finds the edges of a picture: an image comes from a numpy array and goes back into one, and the
kernel is given a structure as dictionary. numpy computes the same for comparison. Run it with
  python3 filter.py
"""

import sys

import gi
import numpy

gi.require_version('Gabbro', '1')
from gi.repository import Gabbro, GLib  # noqa: E402

SIZE = 256

SOURCE = '''
struct Options { float gain; float threshold; float3 luma; };

kernel(16, 16)
void edges(const image2d<float> source, image2d<float> target, Options options)
{
    int2 at = int2(global_id.xy);
    int2 last = int2(source.size) - 1;
    float right = dot(source.read(min(at + int2(1, 0), last)).rgb, options.luma);
    float below = dot(source.read(min(at + int2(0, 1), last)).rgb, options.luma);
    float here = dot(source.read(at).rgb, options.luma);
    float edge = saturate((abs(right - here) + abs(below - here)) * options.gain);
    target.write(at, float4(float3(edge < options.threshold ? 0.0 : edge), 1));
}
'''

OPTIONS = {'gain': 2.5, 'threshold': 0.125, 'luma': (0.25, 0.5, 0.25)}


def picture():
    """A disc on a ramp, with an opaque fourth channel."""
    y, x = numpy.mgrid[0:SIZE, 0:SIZE].astype(numpy.float32)
    disc = (x - 100) ** 2 + (y - 120) ** 2 < 60 ** 2
    channels = [disc * 0.75, x / (2 * SIZE), numpy.where(disc, 0.125, 0.25), numpy.ones_like(x)]
    return numpy.stack(channels, axis=-1).astype(numpy.float32)


def expected(source):
    grey = source[..., :3] @ numpy.array(OPTIONS['luma'], dtype=numpy.float32)
    right = numpy.concatenate([grey[:, 1:], grey[:, -1:]], axis=1)
    below = numpy.concatenate([grey[1:], grey[-1:]], axis=0)
    edge = numpy.clip((abs(right - grey) + abs(below - grey)) * OPTIONS['gain'], 0, 1)
    return numpy.where(edge < OPTIONS['threshold'], 0, edge)


def main():
    device = Gabbro.Context().open_device()
    kernel = Gabbro.Module('filter', SOURCE).get_kernel('edges')
    shader = Gabbro.Shader(device, kernel)
    source, target = (Gabbro.Image(device, Gabbro.Format.RGBA32_FLOAT, SIZE, SIZE) for _ in range(2))
    pixels = picture()

    source.upload(pixels)
    with Gabbro.Stream(device) as stream:
        stream.submit(Gabbro.CommandList(device).run(shader, (SIZE, SIZE), source=source, target=target, options=OPTIONS))
    result = target.download()
    difference = abs(result[..., 0] - expected(pixels)).max()
    print(f'{device.get_adapter().get_name()}: {SIZE}×{SIZE} texels, {int((result[..., 0] > 0).sum())} of them edges')
    if difference > 1e-5:
        print(f'filter: a texel differs by {difference}', file=sys.stderr)
        return 1
    return 0


try:
    sys.exit(main())
except GLib.Error as error:
    sys.exit(f'filter: {error.message}')
