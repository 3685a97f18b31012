// SPDX-License-Identifier: LGPL-2.1-or-later

// Opens the best device, compiles a kernel from a string, runs it on a million numbers and checks
// the result. Run it with
//   gjs -m saxpy.js

import Gabbro from 'gi://Gabbro?version=1';
import System from 'system';

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

function run() {
    const context = Gabbro.Context.new(null);
    const device = context.open_device(null);
    const module = Gabbro.Module.new_from_source('saxpy', SOURCE, -1);
    const kernel = module.get_kernel('saxpy');
    const shader = Gabbro.Shader.new(device, kernel, Gabbro.CompileFlags.DEFAULT, Gabbro.OPTIMIZATION_DEFAULT);
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
    stream.submit(list);

    // Waits for all that uses the buffer.
    const result = y.download_bytes(0, y.get_size()).toArray();
    print(`${device.get_adapter().get_name()}: ${LENGTH} numbers, ${list.get_n_barriers()} barriers`);
    return isRight(new Float32Array(result.buffer, result.byteOffset, LENGTH));
}

// What a program with a window would show in a dialogue.
try {
    if (!run())
        System.exit(1);
} catch (error) {
    printerr(`saxpy: ${error.message}`);
    System.exit(1);
}
