/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Opens the best device, compiles a kernel from a string, runs it on a million numbers and checks
 * the result. What takes time is yielded to, so that a window would go on answering. Build it with
 *   valac --pkg gabbro-1 saxpy.vala
 */

const uint LENGTH = 1000000;

const string SOURCE = """
kernel(64)
void saxpy(const buffer<float> x, buffer<float> y, float a)
{
    uint i = global_id.x;
    y[i] = a * x[i] + y[i];
}
""";

/* An array of floats as the bytes that buffers hold. */
Bytes bytes_of (float[] numbers)
{
    unowned uint8[] data = (uint8[]) numbers;
    data.length = (int) (numbers.length * sizeof (float));
    return new Bytes (data);
}

bool is_right (Bytes result)
{
    unowned float[] y = (float[]) result.get_data ();

    for (uint i = 0; i < LENGTH; i++)
        if (y[i] != 2.0f * i + 1.0f) {
            printerr ("saxpy: y[%u] is %g, not %g\n", i, y[i], 2.0 * i + 1.0);
            return false;
        }
    return true;
}

async bool run () throws Error
{
    var context = yield new Gabbro.Context.asynchronous (null, null);
    var device = yield context.open_device_async (null, null);
    var module = yield new Gabbro.Module.from_source_async ("saxpy", SOURCE, -1, null);
    var kernel = module.get_kernel ("saxpy");
    var shader = yield new Gabbro.Shader.asynchronous (device, kernel, Gabbro.CompileFlags.DEFAULT,
                                                       Gabbro.OPTIMIZATION_DEFAULT, null);
    var stream = new Gabbro.Stream (device, null);
    var x = new Gabbro.Buffer (device, "float", LENGTH);
    var y = new Gabbro.Buffer (device, "float", LENGTH);
    var numbers = new float[LENGTH];
    var ones = new float[LENGTH];

    for (uint i = 0; i < LENGTH; i++) {
        numbers[i] = i;
        ones[i] = 1.0f;
    }

    var list = new Gabbro.CommandList (device);
    list.upload_bytes (x, 0, bytes_of (numbers));
    list.upload_bytes (y, 0, bytes_of (ones));
    list.set_shader (shader);
    list.set_buffer (kernel.find_argument ("x"), x);
    list.set_buffer (kernel.find_argument ("y"), y);
    list.set_float (kernel.find_argument ("a"), 2.0f);
    list.dispatch (LENGTH, 1, 1);
    yield stream.run_async (list, null);

    var result = yield y.download_bytes_async (0, (size_t) y.get_size (), null);
    print ("%s: %u numbers, %u barriers\n", device.get_adapter ().get_name (), LENGTH, list.get_n_barriers ());
    return is_right (result);
}

int main ()
{
    var loop = new MainLoop ();
    var ok = false;

    run.begin ((object, result) => {
        try {
            ok = run.end (result);
        } catch (Error error) {
            printerr ("saxpy: %s\n", error.message);
        }
        loop.quit ();
    });
    loop.run ();
    return ok ? 0 : 1;
}
