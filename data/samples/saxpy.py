#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Opens the best device, compiles a kernel from a string, runs it on a million numbers and checks the
result. Nothing of this blocks the event loop. Run it with
  python3 saxpy.py
"""

import asyncio
import sys

import gi
import numpy

gi.require_version('Gabbro', '1')
from gi.repository import Gabbro, GLib  # noqa: E402

LENGTH = 1000000

SOURCE = '''
kernel(64)
void saxpy(const buffer<float> x, buffer<float> y, float a)
{
    uint i = global_id.x;
    y[i] = a * x[i] + y[i];
}
'''


async def main():
    context = await Gabbro.Context.new_async()
    device = await context.open_device_async()
    module = await Gabbro.Module.new_from_source_async('saxpy', SOURCE)
    kernel = module.get_kernel('saxpy')
    shader = await Gabbro.Shader.new_async(device, kernel)

    numbers = numpy.arange(LENGTH, dtype=numpy.float32)
    x = Gabbro.Buffer.new_from(device, numbers)
    y = Gabbro.Buffer.new_from(device, numpy.ones(LENGTH, dtype=numpy.float32))
    commands = Gabbro.CommandList(device).run(shader, LENGTH, x=x, y=y, a=2)
    await Gabbro.Stream(device).run_async(commands)

    # Where the device's memory is the host's, this is that memory and no copy.
    with await y.map_async(Gabbro.MapFlags.READ) as mapping:
        wrong = numpy.flatnonzero(mapping.numpy() != 2 * numbers + 1)
        if len(wrong) > 0:
            print(f'saxpy: y[{wrong[0]}] is {mapping.numpy()[wrong[0]]}, not {2 * wrong[0] + 1}', file=sys.stderr)
            return 1
    print(f'{device.get_adapter().get_name()}: {LENGTH} numbers, {commands.get_n_barriers()} barriers')
    return 0


# What a program with a window would show in a dialogue.
try:
    sys.exit(asyncio.run(main()))
except GLib.Error as error:
    sys.exit(f'saxpy: {error.message}')
