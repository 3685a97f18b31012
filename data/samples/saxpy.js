// SPDX-License-Identifier: LGPL-2.1-or-later

// Opens the best device, compiles a kernel from a string, runs it on a million numbers and checks
// the result. Run it with
//   gjs -m saxpy.js

import Gabbro from 'gi://Gabbro?version=1';
import Gio from 'gi://Gio';
import System from 'system';

// What takes time is awaited, so that a window would go on answering.
Gio._promisify(Gabbro.Context, 'new_async', 'new_finish');
Gio._promisify(Gabbro.Context.prototype, 'open_device_async', 'open_device_finish');
Gio._promisify(Gabbro.Module, 'new_from_source_async', 'new_from_source_finish');
Gio._promisify(Gabbro.Shader, 'new_async', 'new_finish');
Gio._promisify(Gabbro.Stream.prototype, 'run_async', 'run_finish');
Gio._promisify(Gabbro.Buffer.prototype, 'download_bytes_async', 'download_bytes_finish');

const LENGTH = 1000000;

const SOURCE = `
kernel(64)
void saxpy(const buffer<float> x, buffer<float> y, float a)
{
    uint i = global_id.x;
    y[i] = a * x[i] + y[i];
}
`;

// A typed array as the bytes that buffers hold.
function bytesOf(numbers) {
    return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function isRight(y) {
    for (let i = 0; i < LENGTH; i++) {
        const right = Math.fround(2 * i + 1);
        if (y[i] !== right) {
            printerr(`saxpy: y[${i}] is ${y[i]}, not ${right}`);
            return false;
        }
    }
    return true;
}

async function run() {
    const context = await Gabbro.Context.new_async(null, null);
    const device = await context.open_device_async(null, null);
    const module = await Gabbro.Module.new_from_source_async('saxpy', SOURCE, -1, null);
    const kernel = module.get_kernel('saxpy');
    const shader = await Gabbro.Shader.new_async(device, kernel, Gabbro.CompileFlags.DEFAULT, Gabbro.OPTIMIZATION_DEFAULT, null);
    const stream = Gabbro.Stream.new(device, null);
    const x = Gabbro.Buffer.new(device, 'float', LENGTH);
    const y = Gabbro.Buffer.new(device, 'float', LENGTH);

    const list = Gabbro.CommandList.new(device);
    list.upload_bytes(x, 0, bytesOf(Float32Array.from({length: LENGTH}, (_, i) => i)));
    list.upload_bytes(y, 0, bytesOf(new Float32Array(LENGTH).fill(1)));
    list.set_shader(shader);
    list.set_buffer(kernel.find_argument('x'), x);
    list.set_buffer(kernel.find_argument('y'), y);
    list.set_float(kernel.find_argument('a'), 2);
    list.dispatch(LENGTH, 1, 1);
    await stream.run_async(list, null);

    const result = (await y.download_bytes_async(0, y.get_size(), null)).toArray();
    print(`${device.get_adapter().get_name()}: ${LENGTH} numbers, ${list.get_n_barriers()} barriers`);
    return isRight(new Float32Array(result.buffer, result.byteOffset, LENGTH));
}

// What a program with a window would show in a dialogue.
try {
    if (!await run())
        System.exit(1);
} catch (error) {
    printerr(`saxpy: ${error.message}`);
    System.exit(1);
}
