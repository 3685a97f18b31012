# SPDX-License-Identifier: LGPL-2.1-or-later

"""The overrides for Python: arrays in and out of memory, arguments of kernels, awaiting, and that no
order in which Python drops, forks or ends does harm. test-python.sh starts it."""

import array
import asyncio
import ctypes
import gc
import os
import subprocess
import sys
import threading
import time
import unittest

try:
    import gi
    gi.require_version('Gabbro', '1')
    from gi.repository import Gabbro, Gio, GLib, GObject
    import numpy
except (ImportError, ValueError) as error:
    print(f'SKIP: {error}')
    sys.exit(77)

MAP = Gabbro.MapFlags
SOURCE = '''
struct Inner { float3 direction; float weight; };
struct Params { float gain; int2 offset; Inner inner[2]; uint count; float3 list[3]; };

kernel(64) void scale(buffer<float> x, float a) { uint i = global_id.x; x[i] = x[i] * a; }
kernel(1) void values(buffer<float> out, Params p, bool flag, bool3 flags, int i, uint u, float3 v, float f)
{
    out[0] = p.gain; out[1] = float(p.offset.y); out[2] = p.inner[1].direction.z; out[3] = float(p.count); out[4] = p.list[2].y;
    out[5] = flag ? 1.0 : 0.0; out[6] = flags.z ? 1.0 : 0.0; out[7] = float(i); out[8] = float(u); out[9] = v.z; out[10] = f;
}
kernel(1) void copy(const buffer<Params> from, buffer<Params> to) { uint i = global_id.x; to[i] = from[i]; }
kernel(1) void paint(image2d<float> picture, float3 colour) { picture.write(int2(global_id.xy), float4(colour, 1.0)); }
kernel(1) void long_work(buffer<float> x, uint n)
{
    float sum = x[0];
    for (uint i = 0u; i < n; ++i) sum = sum * 1.000001 + 0.5;
    x[global_id.x] = sum;
}
'''
PARAMS = {'gain': 0.5, 'offset': (-1, 2), 'inner': [{'direction': (1, 2, 3), 'weight': 4}, {'direction': (5, 6, 7), 'weight': 8}],
          'count': 9, 'list': [(1, 2, 3), (4, 5, 6), (7, 8, 9)]}
VALUES = {'p': PARAMS, 'flag': True, 'flags': (False, True, True), 'i': -5, 'u': 6, 'v': (1, 2, 3.5), 'f': 0.25}
GOOD = [0.5, 2, 7, 9, 8, 1, 1, -5, 6, 3.5, 0.25]


def resident():
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


class DeviceTest(unittest.TestCase):
    def shortDescription(self):
        """Nothing: the names are enough."""

    @classmethod
    def setUpClass(cls):
        # One adapter, whatever drivers are always there.
        cls.context = Gabbro.Context(reference='0')
        cls.device = cls.context.open_device()
        cls.module = Gabbro.Module('test', SOURCE)
        cls.stream = Gabbro.Stream(cls.device)

    @classmethod
    def tearDownClass(cls):
        for name in ('stream', 'module', 'device', 'context'):
            delattr(cls, name)

    def shader(self, name):
        return Gabbro.Shader(self.device, self.module.get_kernel(name))

    def list(self):
        return Gabbro.CommandList(self.device)

    def fails(self, code, call, *arguments, **named):
        with self.assertRaises(GLib.Error) as raised:
            call(*arguments, **named)
        self.assertTrue(raised.exception.matches(GLib.quark_from_string('gabbro-error-quark'), code), raised.exception)


    async def later(self, stream):
        await stream.synchronize_async()


class Objects(DeviceTest):
    def test_representations(self):
        image = Gabbro.Image(self.device, Gabbro.Format.RGBA8_UNORM, 3, 2)
        kernel = self.module.get_kernel('scale')
        buffer = Gabbro.Buffer(self.device, 'float', 3)
        for thing, text in (
                (self.context, '<Gabbro.Context with 1 adapters>'),
                (self.context[0], 'llvmpipe'), (self.device, '<Gabbro.Device /adapters/'), (self.stream, '<Gabbro.Stream on <Gabbro.Queue 0>>'),
                (Gabbro.Event(self.device), '<Gabbro.Event at 0>'), (buffer, '<Gabbro.Buffer of 3 float>'),
                (Gabbro.Buffer(self.device, 7), '<Gabbro.Buffer of 7 bytes>'), (image, '<Gabbro.Image of 3×2 rgba8-unorm>'),
                (self.module, '<Gabbro.Module “test” with scale, values, copy, paint, long_work>'),
                (kernel, '<Gabbro.Kernel scale(buffer<float> x, float a)>'), (Gabbro.Shader(self.device, kernel), '<Gabbro.Shader of <Gabbro.Kernel'),
                (self.list(), '<Gabbro.CommandList of 0 commands>'), (kernel.layout('a'), '<Gabbro.Layout float of 4 bytes>'),
                (buffer.map(), '<Gabbro.Mapping of 12 bytes at 0x'),
                (self.context.list_attributes(self.context.list_nodes('/adapters')[0])[0], '<Gabbro.Attribute ')):
            self.assertIn(text, repr(thing))

    def test_context_is_a_sequence_of_adapters(self):
        self.assertEqual(len(self.context), 1)
        self.assertEqual([adapter.get_name() for adapter in self.context], [self.context.get_adapter(0).get_name()])
        self.assertEqual(self.context[-1].get_name(), self.context[0].get_name())
        self.assertIsInstance(self.context[0], Gabbro.Adapter)
        with self.assertRaises(IndexError):
            self.context[1]
        self.assertTrue(Gabbro.Context(driver_path='/nonexistent'))

    def test_options(self):
        self.assertIn('null', Gabbro.Context({'null': '1'}).list_drivers())
        self.assertIn('null', Gabbro.Context(null=True).list_drivers())
        self.assertIn('null', Gabbro.Context.new(GLib.Variant('a{sv}', {'null': GLib.Variant('s', '1')})).list_drivers())
        self.assertNotIn('null', [adapter.get_driver() for adapter in Gabbro.Context()])

    def test_enumerations(self):
        self.assertEqual(self.context[0].get_kind(), Gabbro.AdapterKind.CPU)
        self.assertEqual(MAP.READ | MAP.WRITE, 3)
        self.assertEqual(self.module.get_kernel('values').layout('p').get_kind(), Gabbro.LayoutKind.STRUCT)

    def test_with(self):
        buffer = Gabbro.Buffer.new_from(self.device, numpy.ones(64, dtype='f4'))
        with Gabbro.Stream(self.device) as stream:
            event = Gabbro.Event(self.device)
            stream.submit(self.list().run(self.shader('scale'), 64, x=buffer, a=3))
            stream.signal(event, 1)
        self.assertTrue(event.is_completed(1))
        with self.context.open_device() as device:
            self.assertIsInstance(device, Gabbro.Device)
        # What is raised inside comes out, also where the end would fail too.
        device = Gabbro.Context(null='lose-submit=1', driver_path='/nonexistent').open_device('null')
        with self.assertRaises(KeyError):
            with Gabbro.Stream(device) as stream:
                self.fails(Gabbro.Error.DEVICE_LOST, stream.submit, Gabbro.CommandList(device))
                raise KeyError
        with self.assertRaisesRegex(GLib.Error, 'lost'):
            with stream:
                pass
        self.assertIn(', failed: ', repr(stream))


class Memory(DeviceTest):
    def test_from_anything(self):
        for data, element_type, back in (
                (numpy.arange(5, dtype='f4'), 'float', [0, 1, 2, 3, 4]), (numpy.arange(5, dtype='i4'), 'int', [0, 1, 2, 3, 4]),
                (numpy.arange(3, dtype='i1'), 'char', [0, 1, 2]), (numpy.arange(3, dtype='i2') - 1, 'short', [-1, 0, 1]),
                (numpy.arange(3, dtype='u2'), 'ushort', [0, 1, 2]), (numpy.array([-2 ** 40]), 'long', [-2 ** 40]),
                (numpy.array([2 ** 64 - 1], dtype='u8'), 'ulong', [2 ** 64 - 1]), (numpy.array([0.5], dtype='f2'), 'half', [0.5]),
                (numpy.zeros(3), 'double', [0, 0, 0]), (array.array('h', [-5]), 'short', [-5]), (array.array('Q', [9]), 'ulong', [9]),
                (numpy.arange(5, dtype='u4'), 'uint', [0, 1, 2, 3, 4]), (b'abc', None, list(b'abc')), (bytearray(b'ab'), None, list(b'ab')),
                (memoryview(b'abcd')[1:3], None, list(b'bc')), (memoryview(b'abcdef')[::2], None, list(b'ace')),
                (array.array('f', [1, 2]), 'float', [1, 2]), (array.array('i', [-1]), 'int', [-1]), (array.array('I', [7]), 'uint', [7]),
                (numpy.arange(10, dtype='f4')[::3], 'float', [0, 3, 6, 9]), (numpy.arange(6, dtype='f4').reshape(2, 3).T, 'float', [0, 3, 1, 4, 2, 5]),
                ((ctypes.c_float * 2)(1, 2), 'float', [1, 2])):
            buffer = Gabbro.Buffer.new_from(self.device, data)
            self.assertEqual(buffer.get_element_type(), element_type)
            self.assertEqual(buffer.download().tolist(), back)
            self.assertEqual(len(buffer), len(back))

    def test_element_types(self):
        numbers = numpy.arange(12, dtype='f4')
        buffer = Gabbro.Buffer.new_from(self.device, numbers, 'float4')
        self.assertEqual(len(buffer), 3)
        self.assertEqual(buffer.download().tolist(), numbers.reshape(3, 4).tolist())
        # Three lanes take the room of four.
        rows = numpy.arange(1, 7, dtype='i4').reshape(2, 3)
        buffer = Gabbro.Buffer.new_from(self.device, rows, 'int3')
        self.assertEqual((len(buffer), buffer.get_size()), (2, 32))
        self.assertEqual(buffer.download().tolist(), rows.tolist())
        buffer.upload(rows + 1)
        with buffer.map() as mapping:
            self.assertEqual(mapping.numpy().tolist(), (rows + 1).tolist())
            self.assertEqual(mapping.numpy('i4').tolist(), [2, 3, 4, 0, 5, 6, 7, 0])
        with self.assertRaisesRegex(TypeError, '“Zf”, 8 bytes'):
            Gabbro.Buffer.new_from(self.device, numpy.zeros(3, dtype='c8'))
        with self.assertRaisesRegex(ValueError, '12 bytes are no whole number of float2 of 8 bytes'):
            Gabbro.Buffer.new_from(self.device, numpy.zeros(3, dtype='f4'), 'float2')
        with self.assertRaisesRegex(ValueError, 'no data'):
            Gabbro.Buffer.new_from(self.device, b'')
        with self.assertRaisesRegex(TypeError, 'not list'):
            Gabbro.Buffer.new_from(self.device, [1, 2])
        self.fails(Gabbro.Error.INVALID_ARGUMENT, Gabbro.Buffer.new_from, self.device, b'abcd', 'flot')

    def test_upload(self):
        for length in (8, 5000):             # bytes that are copied twice, and those that a mapping takes
            buffer = Gabbro.Buffer.new_from(self.device, numpy.zeros(length * 2, dtype='u4'))
            whole = numpy.arange(length * 2, dtype='u4') + 1
            buffer.upload(whole)
            self.assertTrue((buffer.download() == whole).all())
            part = numpy.full(length, 7, dtype='u4')
            buffer.upload(part, 4)
            self.assertEqual(buffer.download()[0], 1)
            self.assertTrue((buffer.download()[1:length + 1] == 7).all())
            self.assertTrue((buffer.download()[length + 1:] == whole[length + 1:]).all())
            buffer.upload(b'\xff' * (length + 1), 2)
            raw = buffer.download('u1')
            self.assertEqual(raw[2:length + 3].tolist(), [255] * (length + 1))
            self.assertEqual((raw[1], raw[length + 3]), (0, 0))
            for data, offset in ((whole, 4), (b'a', -1), (b'a', 8 * length), (b'', 8 * length + 1)):
                with self.assertRaisesRegex(ValueError, f'do not lie in a buffer of {8 * length} bytes'):
                    buffer.upload(data, offset)
            view = buffer.new_view(1, 2)
            view.upload(numpy.array([5, 6], dtype='u4'))
            self.assertEqual(buffer.download()[1:3].tolist(), [5, 6])
        with self.assertRaisesRegex(TypeError, 'not int'):
            buffer.upload(5)

    def test_list_uploads(self):
        numbers = numpy.arange(8, dtype='f4')
        buffer = Gabbro.Buffer(self.device, 'float', 8)
        commands = self.list().upload(buffer, numbers).upload(buffer, numpy.array([9], dtype='f4'), 4)
        numbers[:] = 0
        self.stream.run(commands)
        self.assertEqual(buffer.download().tolist(), [0, 9, 2, 3, 4, 5, 6, 7])
        self.assertEqual(numpy.asarray(buffer).tolist(), [0, 9, 2, 3, 4, 5, 6, 7])
        self.assertEqual(numpy.array(buffer, dtype='i4').tolist(), [0, 9, 2, 3, 4, 5, 6, 7])

    def test_mapping_is_the_memory(self):
        buffer = Gabbro.Buffer.new_from(self.device, numpy.arange(6, dtype='f4'))
        with buffer.map() as mapping:
            self.assertTrue(mapping.is_direct())
            address = mapping.get_pointer()
            view, numbers = mapping.memoryview, mapping.numpy()
            self.assertEqual(ctypes.addressof(ctypes.c_char.from_buffer(view)), address)
            for same in (numbers, numpy.asarray(mapping), numpy.array(mapping, copy=False), numpy.frombuffer(view, dtype='f4')):
                self.assertEqual(same.__array_interface__['data'], (address, False))
                self.assertEqual(same.dtype, numpy.float32)
            self.assertNotEqual(numpy.array(mapping).__array_interface__['data'][0], address)
            self.assertEqual((len(mapping), view.nbytes, view.format), (24, 24, 'B'))
            numbers[1] = 42
            self.assertEqual(bytes(view[4:8]), numpy.float32(42).tobytes())
            view[8:12] = numpy.float32(43).tobytes()
            self.assertEqual(numbers[2], 43)
        # The device sees it.
        self.stream.run(self.list().run(self.shader('scale'), 6, x=buffer, a=2))
        self.assertEqual(buffer.download().tolist(), [0, 84, 86, 6, 8, 10])
        with buffer.map(MAP.READ) as mapping:
            self.assertEqual(mapping.get_pointer(), address)
            self.assertTrue(mapping.memoryview.readonly)
            self.assertFalse(mapping.numpy().flags.writeable)

    def test_unmapped(self):
        buffer = Gabbro.Buffer(self.device, 'float', 4)
        with self.assertRaises(KeyError):
            with buffer.map() as mapping:
                mapping.numpy()[:] = 5
                raise KeyError
        self.assertEqual(buffer.download().tolist(), [5] * 4)
        for access in (lambda: mapping.memoryview, mapping.numpy, lambda: numpy.asarray(mapping)):
            with self.assertRaisesRegex(ValueError, 'unmapped'):
                access()
        self.assertIn('unmapped', repr(mapping))
        self.assertTrue(mapping.unmap())

    def test_views_keep_their_memory(self):
        for context, wanted in ((self.context, None), (Gabbro.Context(null='unmapped', driver_path='/nonexistent'), 'null')):
            device = context.open_device(wanted)
            buffer = Gabbro.Buffer.new_from(device, numpy.arange(1000, dtype='f4'))
            mapping = buffer.map()
            self.assertEqual(mapping.is_direct(), wanted is None)
            gone = []
            mapping.weak_ref(gone.append, 1)
            numbers, view = mapping.numpy()[10:], mapping.memoryview
            del mapping, buffer, device
            gc.collect()
            self.assertEqual(gone, [])
            self.assertEqual(numbers[0], 10)
            del numbers
            self.assertEqual(bytes(view[4:8]), numpy.float32(1).tobytes())
            del view
            gc.collect()
            self.assertEqual(gone, [1])
            # What is left of a mapping that was ended is memory that reaches no buffer, and no crash.
            buffer = Gabbro.Buffer.new_from(context.open_device(wanted), numpy.arange(100000, dtype='f4'))
            with buffer.map() as mapping:
                numbers = mapping.numpy()
            del mapping, buffer
            numbers += 1
            self.assertEqual(numbers[99999], 100000)

    def test_structures(self):
        kernel = self.module.get_kernel('copy')
        dtype = kernel.dtype('from')
        self.assertEqual(dtype, self.module.get_kernel('values').dtype('p'))
        self.assertEqual((dtype.names, dtype.itemsize), (('gain', 'offset', 'inner', 'count', 'list'), 144))
        self.assertEqual([dtype.fields[name][1] for name in dtype.names], [0, 8, 16, 80, 96])
        records = numpy.zeros(5, dtype=dtype)
        records['gain'] = numpy.arange(5)
        records['inner']['direction'][:, 1, 2] = 77
        records['list'][:, 2] = (1, 2, 3)
        source = Gabbro.Buffer.new_from(self.device, records, (kernel, 'from'))
        target = Gabbro.Buffer.new_for_argument(self.device, kernel, 'to', 5)
        self.assertEqual((len(source), source.get_size()), (5, 720))
        self.stream.run(self.list().run(Gabbro.Shader(self.device, kernel), 5, **{'from': source, 'to': target}))
        back = target.download()
        self.assertEqual(back.dtype, dtype)
        self.assertEqual(back['gain'].tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(back['inner']['direction'][4, 1].tolist(), [0, 0, 77])
        self.assertEqual(back['list'][3, 2].tolist(), (1, 2, 3))
        self.assertEqual(target.new_view(1, 2).download()['gain'].tolist(), [1, 2])
        with target.map() as mapping:
            self.assertEqual(mapping.numpy().__array_interface__['data'][0], mapping.get_pointer())
            self.assertEqual(numpy.asarray(mapping)['gain'].tolist(), [0, 1, 2, 3, 4])
        # A buffer that knows only sizes.
        plain = Gabbro.Buffer(self.device, source.get_element_type(), 2)
        self.assertEqual(plain.download().dtype, numpy.dtype('V144'))
        self.assertEqual(plain.download(dtype).dtype, dtype)
        self.assertIsNone(self.module.get_kernel('paint').dtype('picture'))
        with self.assertRaisesRegex(ValueError, 'did you mean “from”'):
            kernel.dtype('form')

    def test_images(self):
        texels = numpy.arange(24, dtype='u1').reshape(2, 3, 4)
        image = Gabbro.Image(self.device, Gabbro.Format.RGBA8_UNORM, 3, 2)
        image.upload(texels)
        self.assertTrue((image.download() == texels).all())
        image = Gabbro.Image(self.device, Gabbro.Format.RGBA32_FLOAT, 3, 2)
        self.stream.run(self.list().upload_image(image, numpy.zeros((2, 3, 4), dtype='f4'))
                        .run(self.shader('paint'), (2, 1), picture=image, colour=numpy.array([0.5, 1, 2], dtype='f4')))
        self.assertEqual(numpy.asarray(image).tolist(), [[[0.5, 1, 2, 1]] * 2 + [[0] * 4], [[0] * 4] * 3])
        with self.assertRaisesRegex(ValueError, 'has 96 bytes, and not 3'):
            image.upload(b'abc')

    def test_images_of_other_shapes(self):
        image = Gabbro.Image(self.device, Gabbro.Format.RG16_FLOAT, 3, 2, 4, levels=2)
        self.assertEqual(repr(image), '<Gabbro.Image of 3×2×4 rg16-float>')
        texels = numpy.arange(48, dtype='f2').reshape(4, 2, 3, 2)
        image.upload(texels)
        level = image.new_view(1)
        level.upload(numpy.array([5, 6, 7, 8], dtype='f2'))
        self.assertTrue((image.download() == texels).all())
        self.assertEqual(level.download().tolist(), [[[[5, 6]]], [[[7, 8]]]])
        image = Gabbro.Image(self.device, Gabbro.Format.R8_SINT, 3, 2)
        image.upload(numpy.array([[-1, 2, -3], [4, 5, 6]], dtype='i1'))
        self.assertEqual(image.download().tolist(), [[-1, 2, -3], [4, 5, 6]])
        image = Gabbro.Image(self.device, Gabbro.Format.BC7_UNORM, 5, 4)
        image.upload(bytes(range(32)))
        self.assertEqual(image.download().tolist(), list(range(32)))

    def test_without_numpy(self):
        self.assertEqual(child('''
            import sys; sys.modules['numpy'] = None
            from gi.repository import Gabbro
            buffer = Gabbro.Buffer.new_from(Gabbro.Context().open_device(), array.array('i', [1, 2]))
            assert buffer.download() == array.array('i', [1, 2]).tobytes()
            buffer.upload(b'\\x07', 4)
            with buffer.map() as mapping:
                assert mapping.memoryview.cast('i').tolist() == [1, 7]
            buffer.upload(memoryview(b'abcdefgh')[::2])
            assert buffer.download()[:4] == b'aceg'
            '''), 0)


class Arguments(DeviceTest):
    def values(self, **changed):
        out = Gabbro.Buffer.new_from(self.device, numpy.zeros(11, dtype='f4'))
        self.stream.run(self.list().run(self.shader('values'), 1, out=out, **{**VALUES, **changed}))
        return out.download().tolist()

    def test_values(self):
        dtype = self.module.get_kernel('values').dtype('p')
        record = numpy.zeros(1, dtype=dtype)
        for name in ('gain', 'offset', 'count', 'list'):
            record[name] = PARAMS[name]
        record['inner'] = [((1, 2, 3), 4), ((5, 6, 7), 8)]
        packed = self.module.get_kernel('values').layout('p').pack(GLib.Variant('(d(ii)a((ddd)d)ua(ddd))', (
            0.5, (-1, 2), [((1, 2, 3), 4), ((5, 6, 7), 8)], 9, [(1, 2, 3), (4, 5, 6), (7, 8, 9)])))
        self.assertEqual(packed.get_data(), record.tobytes())
        for changed in (
                {}, {'p': record[0]}, {'p': record.reshape(())}, {'p': (0.5, (-1, 2), [((1, 2, 3), 4), ((5, 6, 7), 8)], 9, PARAMS['list'])},
                {'p': {**PARAMS, 'offset': numpy.array([-1, 2]), 'list': numpy.arange(1, 10).reshape(3, 3), 'count': numpy.uint8(9)}},
                {'v': [1, 2, 3.5]}, {'v': numpy.array([1, 2, 3.5])}, {'i': numpy.int64(-5), 'u': numpy.array(6), 'f': numpy.float64(0.25)},
                {'flag': numpy.bool_(True), 'flags': numpy.array([False, True, True])}, {'i': GLib.Variant('n', -5), 'v': GLib.Variant('(iid)', (1, 2, 3.5))},
                {'p': self.module.get_kernel('values').layout('p').unpack(packed, 0)}):
            self.assertEqual(self.values(**changed), GOOD)

    def test_refusals(self):
        shader, buffer = self.shader('values'), Gabbro.Buffer(self.device, 'float', 11)
        for changed, error, text in (
                ({'i': 2 ** 31}, ValueError, '“i”: an int is a whole number from -2147483648 to 2147483647, not 2147483648'),
                ({'i': 1.5}, TypeError, '“i”: an int is a whole number, not float'), ({'i': True}, TypeError, 'not bool'),
                ({'u': -1}, ValueError, '“u”: a uint .* not -1'), ({'f': 'x'}, TypeError, '“f”: a float is a number, not str'),
                ({'f': 1e39}, ValueError, '“f”: a float is at the most'), ({'f': 2 ** 24 + 1}, ValueError, 'without rounding'),
                ({'f': 10 ** 400}, ValueError, '“f”'), ({'flag': 1}, TypeError, '“flag”: a bool'), ({'flags': (True,)}, ValueError, '“flags”: .* 3 values, not 1'),
                ({'v': 5}, TypeError, '“v”: .* sequence of 3'), ({'v': 'abc'}, TypeError, 'not str'), ({'v': (1, 2, None)}, TypeError, r'“v\[2\]”'),
                ({'v': buffer}, TypeError, '“v”: float3 is a value, not a Buffer'), ({'out': 5}, TypeError, '“out”: buffer<float> is a Gabbro.Buffer, not int'),
                ({'p': {**PARAMS, 'gian': 5}}, ValueError, '“p”: a Params has no member “gian”; did you mean “gain”?'),
                ({'p': {'gain': 1}}, ValueError, '“p”: the member “offset” of Params is missing'), ({'p': (1, 2)}, ValueError, '5 members, not 2'),
                ({'p': 5}, TypeError, '“p”: a Params is a dictionary, a tuple or a numpy record, not int'),
                ({'p': {**PARAMS, 'inner': [PARAMS['inner'][0], {'direction': (1, 'x', 3), 'weight': 1}]}}, TypeError, r'“p.inner\[1\].direction\[1\]”'),
                ({'p': GLib.Variant('i', 1)}, ValueError, '“p”: A Params is a dictionary'),
                ({'q': 1}, TypeError, 'The kernel “values” has no argument “q”; there are: out, p, flag')):
            commands = self.list()
            with self.assertRaisesRegex(error, text):
                commands.run(shader, 1, **{'out': buffer, **VALUES, **changed})
            # The list is as it was.
            self.assertEqual(commands.get_n_commands(), 0)
            commands.run(shader, 1, out=buffer, **VALUES)
            self.stream.run(commands)
            self.assertEqual(buffer.download().tolist(), GOOD)
        with self.assertRaisesRegex(TypeError, 'lacks arguments: “out”, “v”$'):
            self.list().run(shader, 1, **{name: value for name, value in VALUES.items() if name != 'v'})
        with self.assertRaisesRegex(TypeError, 'image2d<float> is a Gabbro.Image, not Buffer'):
            self.list().run(self.shader('paint'), 1, picture=buffer, colour=(1, 2, 3))

    def test_names_of_arguments(self):
        """Those of the parameters of run() are free."""
        shader = Gabbro.Shader(self.device, Gabbro.Module('names', 'kernel(1) void k(buffer<float> self, float shader, float size) '
                                                          '{ self[0] = shader - size; }').get_kernel('k'))
        buffer = Gabbro.Buffer(self.device, 'float', 1)
        self.stream.run(self.list().run(shader, 1, **{'self': buffer, 'shader': 5, 'size': 3}))
        self.assertEqual(buffer.download().tolist(), [2])

    def test_sizes(self):
        shader = self.shader('scale')
        for size in (64, (64,), (64, 1), [64, 1, 1], numpy.array([64, 1]), numpy.int64(64)):
            buffer = Gabbro.Buffer.new_from(self.device, numpy.ones(64, dtype='f4'))
            self.stream.run(self.list().run(shader, size, x=buffer, a=2))
            self.assertEqual(buffer.download().tolist(), [2] * 64)
        for size, error in (((), ValueError), ((1, 1, 1, 1), ValueError), (0, ValueError), (-1, ValueError), (2 ** 32, ValueError),
                            (1.5, TypeError), ('1', TypeError)):
            with self.assertRaises(error):
                self.list().run(shader, size, x=buffer, a=2)

    def test_other_device(self):
        buffer = Gabbro.Buffer(self.context.open_device(), 'float', 64)
        self.fails(Gabbro.Error.WRONG_DEVICE, self.list().run, self.shader('scale'), 64, x=buffer, a=2)


class Printing(DeviceTest):
    def test_lines_and_failures(self):
        """Signals come in the main context, with what was printed."""
        module = Gabbro.Module('talk', '''kernel(2) void talk(buffer<float> x)
{
    print("{}: {}", global_id.x, x[global_id.x]);
    assert(x[global_id.x] > 0.0, "not so {}", x[global_id.x]);
    x[global_id.x] = 1.0;
}''')
        device = self.context.open_device()
        heard = []
        device.connect('print', lambda _, line: heard.append(line))
        buffer = Gabbro.Buffer.new_from(device, numpy.array([-0.5, 2.25], dtype='f4'))
        stream = Gabbro.Stream(device)
        stream.run(Gabbro.CommandList(device).run(Gabbro.Shader(device, module.get_kernel('talk')), 2, x=buffer))
        stream.synchronize(-1)
        while GLib.MainContext.default().iteration(False):
            pass
        self.assertEqual([line.get_text() for line in heard], ['0: -0.5', 'not so -0.5', '1: 2.25'])
        self.assertEqual([line.is_failure() for line in heard], [False, True, False])
        self.assertEqual([line.get_thread() for line in heard], [(0, 0, 0), (0, 0, 0), (1, 0, 0)])
        self.assertEqual(heard[1].get_condition(), 'x[global_id.x] > 0.0')
        self.assertEqual((heard[1].get_file(), heard[1].get_line(), heard[1].get_kernel()), ('talk', 4, 'talk'))
        self.assertEqual(buffer.download().tolist(), [1, 1])


class Compiling(unittest.TestCase):
    def test_diagnostics(self):
        with self.assertRaises(GLib.Error) as raised:
            Gabbro.Module('wrong.gk', 'kernel(1) void k(buffer<float> x) { x[0] = y; x[1] = z; }')
        self.assertIn('wrong.gk:1:', raised.exception.message)
        diagnostics = raised.exception.diagnostics
        self.assertEqual([(d.get_line(), d.get_column()) for d in diagnostics], [(1, 44), (1, 54)])
        self.assertIsInstance(diagnostics[0], Gabbro.Diagnostic)
        self.assertIn('y', str(diagnostics[0]))
        self.assertIn('Gabbro.Diagnostic', repr(diagnostics[0]))


class Awaiting(DeviceTest):
    def run_in_loop(self, function):
        return asyncio.run(asyncio.wait_for(function(), 60))

    def test_everything(self):
        async def work():
            context = await Gabbro.Context.new_async({'validation': '0'})
            self.assertIsInstance(context, Gabbro.Context)
            device = await context.open_device_async(None)
            device = await (await context[0].open_async()).get_adapter().open_async()
            module = await Gabbro.Module.new_from_source_async('test', SOURCE)
            kernel = module.get_kernel('scale')
            self.assertGreater((await kernel.compile_spirv_async(optimization_level=0)).get_size(), 100)
            self.assertIn('OpEntryPoint', await kernel.compile_assembly_async(self.context[0]))
            shader = await Gabbro.Shader.new_async(device, kernel)
            self.assertEqual(kernel.compile_assembly(), kernel.compile_assembly(None, Gabbro.CompileFlags.DEFAULT, -1))
            stream, event, buffer = Gabbro.Stream(device), Gabbro.Event(device), Gabbro.Buffer(device, 'float', 4)
            await buffer.upload_bytes_async(0, GLib.Bytes.new(numpy.arange(4, dtype='f4').tobytes()))
            await stream.run_async(Gabbro.CommandList(device).run(shader, 4, x=buffer, a=2))
            stream.signal(event, 5)
            await event.synchronize_async(5)
            self.assertTrue(event.is_completed(5))
            await stream.synchronize_async()
            await device.synchronize_async()
            bytes_ = await buffer.download_bytes_async(0, 16)
            self.assertEqual(numpy.frombuffer(bytes_.get_data(), dtype='f4').tolist(), [0, 2, 4, 6])
            with await buffer.map_async(MAP.READ) as mapping:
                self.assertTrue(mapping.memoryview.readonly)
                self.assertEqual(mapping.numpy().tolist(), [0, 2, 4, 6])
            mapping = await buffer.map_async(MAP.WRITE)
            mapping.numpy()[:] = 1
            await mapping.unmap_async()
            self.assertEqual(buffer.download().tolist(), [1] * 4)
            image = Gabbro.Image(device, Gabbro.Format.RGBA8_UNORM, 1, 1)
            await image.upload_bytes_async(GLib.Bytes.new(b'abcd'))
            self.assertEqual((await image.download_bytes_async()).get_data(), b'abcd')
        self.run_in_loop(work)

    def test_arrays(self):
        async def work():
            numbers = numpy.arange(4, dtype='f4')
            await buffer.upload_bytes_async(0, numbers)
            self.assertEqual((await buffer.download_async()).tolist(), [0, 1, 2, 3])
            self.assertEqual((await buffer.download_async('u1')).tolist(), list(numbers.tobytes()))
            waiting = buffer.upload_async(numbers[2:], 4), image.upload_async(numpy.full((1, 1, 4), 7, dtype='f4'))
            numbers[:] = 0
            await asyncio.gather(*waiting)
            back = await buffer.download_async()
            self.assertEqual(back.tolist(), [0, 2, 3, 3])
            back += 1                        # it is a copy that may be written
            self.assertEqual((await image.download_async()).tolist(), [[[7] * 4]])
            await image.upload_bytes_async(bytes(16))
            self.assertEqual((await image.download_async()).tolist(), [[[0] * 4]])
            for upload in (buffer.upload_async, image.upload_async):
                with self.assertRaisesRegex(TypeError, 'are float, and the data float64'):
                    upload(numpy.ones(4))
            with self.assertRaisesRegex(ValueError, 'do not lie in'):
                buffer.upload_async(numbers, 4)
            with self.assertRaisesRegex(ValueError, 'has 16 bytes, and not 4'):
                image.upload_async(numbers[:1])
            with self.assertRaisesRegex(TypeError, 'not int'):
                buffer.upload_bytes_async(0, 5)
            cancellable = Gio.Cancellable()
            cancellable.cancel()
            with self.assertRaises(GLib.Error):
                await buffer.download_async(cancellable=cancellable)
        buffer, image = Gabbro.Buffer(self.device, 'float', 4), Gabbro.Image(self.device, Gabbro.Format.RGBA32_FLOAT, 1, 1)
        self.run_in_loop(work)
        for call in (buffer.download_async, image.download_async, lambda: buffer.upload_async(b'1234')):
            self.assertRaises(RuntimeError, call)

    def test_errors(self):
        async def work():
            with self.assertRaises(GLib.Error) as raised:
                await Gabbro.Module.new_from_source_async('wrong', 'kernel', -1)
            self.assertGreaterEqual(len(raised.exception.diagnostics), 1)
            with self.assertRaises(GLib.Error):
                await self.context.open_device_async('nosuch')
            with self.assertRaisesRegex(TypeError, 'lacks the argument “list”'):
                self.stream.run_async()
            with self.assertRaisesRegex(TypeError, 'no argument “lists”'):
                self.stream.run_async(self.list(), lists=1)
            with self.assertRaises(TypeError):
                self.stream.run_async(5)
            cancellable = Gio.Cancellable()
            cancellable.cancel()
            with self.assertRaises(GLib.Error) as raised:
                await self.stream.synchronize_async(cancellable=cancellable)
            self.assertTrue(raised.exception.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED))
        self.run_in_loop(work)

    def test_many_at_once(self):
        async def one(number):
            buffer = Gabbro.Buffer.new_from(self.device, numpy.full(64, number, dtype='f4'))
            await self.stream.run_async(self.list().run(shader, 64, x=buffer, a=2))
            return buffer.download()[0]

        async def work():
            self.assertEqual(await asyncio.gather(*(one(i) for i in range(200))), [2 * i for i in range(200)])
        shader = self.shader('scale')
        for _ in range(2):                   # a loop after another
            self.run_in_loop(work)

    def test_order(self):
        async def work():
            # Each call has happened when the next is made, awaited or not.
            first = self.stream.run_async(self.list().run(shader, 64, x=buffer, a=2))
            self.stream.submit(self.list().run(shader, 64, x=buffer, a=3))
            second = self.stream.run_async(self.list().run(shader, 64, x=buffer, a=5))
            await second
            self.assertTrue(first.done())
            await first
        shader, buffer = self.shader('scale'), Gabbro.Buffer.new_from(self.device, numpy.ones(64, dtype='f4'))
        self.run_in_loop(work)
        self.assertEqual(buffer.download()[0], 30)

    def test_cancellation(self):
        async def work():
            waiting = asyncio.ensure_future(self.event_of(device).synchronize_async(1, cancellable))
            await asyncio.sleep(0.01)
            waiting.cancel()
            self.assertTrue(cancellable.is_cancelled())
            with self.assertRaises(asyncio.CancelledError):
                await waiting
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(self.event_of(device).synchronize_async(1), 0.02)
            # A task that awaits.
            task = asyncio.ensure_future(self.wait_for_event(device))
            await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
        device, cancellable = self.context.open_device(), Gio.Cancellable()
        self.run_in_loop(work)

    def event_of(self, device):
        return Gabbro.Event(device)

    async def wait_for_event(self, device):
        await self.event_of(device).synchronize_async(1)

    def test_callbacks(self):
        """With a callback, and without a loop of asyncio, calls are as everywhere."""
        loop, answers = GLib.MainLoop(), []

        def answer(source, result, data=None):
            answers.append((source.synchronize_finish(result), threading.current_thread(), data))
            loop.quit()

        async def work():
            self.stream.synchronize_async(None, answer)
        self.stream.synchronize_async(None, answer, 'data')
        loop.run()
        self.stream.synchronize_async(callback=answer)
        loop.run()
        self.run_in_loop(work)
        loop.run()
        self.assertEqual([data for _, _, data in answers], ['data', None, None])
        self.assertEqual({thread for _, thread, _ in answers}, {threading.main_thread()})
        self.assertIsNone(self.stream.synchronize_async())

    def test_loop_closed_meanwhile(self):
        event = Gabbro.Event(self.device)

        async def work():
            self.waiting = event.synchronize_async(1)
        complaints, hook = [], sys.excepthook
        sys.excepthook = lambda *arguments: complaints.append(arguments)
        try:
            self.run_in_loop(work)
            event.signal(1)
            self.run_in_loop(lambda: self.later(self.stream))
        finally:
            sys.excepthook = hook
        self.assertFalse(self.waiting.done())
        self.assertEqual(complaints, [])

    def test_events_of_pygobject(self):
        try:
            from gi.events import GLibEventLoopPolicy
        except ImportError:
            self.skipTest('gi.events is of PyGObject 3.50')

        async def work():
            buffer = Gabbro.Buffer.new_from(self.device, numpy.ones(64, dtype='f4'))
            await self.stream.run_async(self.list().run(self.shader('scale'), 64, x=buffer, a=2))
            await asyncio.wait_for(self.stream.synchronize_async(), 60)
            # What is made by an awaited call speaks in the main context of this thread.
            event, heard = Gabbro.Event(await self.context.open_device_async()), []
            event.connect('completed', lambda event, value: heard.append((value, threading.current_thread())))
            event.signal(3)
            while not heard:
                await asyncio.sleep(0.001)
            self.assertEqual(heard, [(3, threading.main_thread())])
            return buffer.download()[0]
        policy = GLibEventLoopPolicy()
        asyncio.set_event_loop_policy(policy)
        try:
            self.assertEqual(policy.get_event_loop().run_until_complete(work()), 2)
        finally:
            asyncio.set_event_loop_policy(None)


def child(code, timeout=60):
    """The exit status of another interpreter; -1: it hung."""
    lines = code.rstrip().split('\n')
    indent = len(lines[1]) - len(lines[1].lstrip()) if len(lines) > 1 else 0
    head = "import array, asyncio, gi, os, sys, threading\ngi.require_version('Gabbro', '1')\n"
    try:
        return subprocess.run([sys.executable, '-c', head + '\n'.join(line[indent:] for line in lines)], timeout=timeout).returncode
    except subprocess.TimeoutExpired:
        return -1


class Lifetimes(DeviceTest):
    def test_collected_in_another_thread(self):
        """Cycles that hold all classes, work in flight among it, and a collector in a thread."""
        def cycle():
            device = self.context.open_device()
            buffer = Gabbro.Buffer.new_from(device, numpy.ones(64, dtype='f4'))
            stream, event = Gabbro.Stream(device), Gabbro.Event(device)
            commands = Gabbro.CommandList(device).run(Gabbro.Shader(device, self.module.get_kernel('scale')), 64, x=buffer, a=2)
            stream.wait(event, 1) if cycles % 2 else None
            stream.submit(commands)
            ring = [device, buffer, stream, event, commands, Gabbro.Image(device, Gabbro.Format.RGBA8_UNORM, 1, 1)]
            ring.append(ring)
            if cycles % 2:
                event.signal(1)

        def collect():
            while not done.is_set():
                gc.collect()
                time.sleep(0.001)
        done = threading.Event()
        thread = threading.Thread(target=collect)
        gc.disable()
        thread.start()
        try:
            for cycles in range(40):
                cycle()
        finally:
            done.set()
            thread.join()
            gc.enable()
            gc.collect()

    @unittest.skipIf('asan' in os.environ.get('LD_PRELOAD', ''), 'the address sanitizer keeps what is freed')
    def test_memory_stays_flat(self):
        shader = self.shader('scale')
        data = numpy.ones(16384, dtype='f4')

        def some(n):
            for i in range(n):
                buffer = Gabbro.Buffer.new_from(self.device, data)
                self.stream.submit(self.list().run(shader, 16384, x=buffer, a=2))
                del buffer
                if i % 100 == 99:            # what is in flight is memory in use
                    self.stream.synchronize()
        some(2000)
        before = resident()
        some(10000)
        gc.collect()
        # 640 MB went through.
        self.assertLess(resident() - before, 32 * 1024 * 1024)

    @unittest.skipIf('asan' in os.environ.get('LD_PRELOAD', ''), 'the address sanitizer keeps what is freed')
    def test_many_mappings(self):
        buffer = Gabbro.Buffer.new_from(self.device, numpy.zeros(1024, dtype='f4'))
        before = None
        for i in range(20000):
            with buffer.map() as mapping:
                mapping.numpy()[i % 1024] += 1
            if i == 2000:
                before = resident()
        self.assertEqual(buffer.download().sum(), 20000)
        self.assertLess(resident() - before, 8 * 1024 * 1024)

    def test_exit_with_work_pending(self):
        start = f'''
            from gi.repository import Gabbro, GLib
            SOURCE = {SOURCE!r}
            device = Gabbro.Context().open_device()
            buffer = Gabbro.Buffer(device, 'float', 1024)
            shader = Gabbro.Shader(device, Gabbro.Module('test', SOURCE).get_kernel('long_work'))
            stream, event = Gabbro.Stream(device), Gabbro.Event(device)
            work = lambda: Gabbro.CommandList(device).run(shader, 1024, x=buffer, n=1000000)
            '''
        for end in ('''
            stream.submit(work())
            ''', '''
            stream.wait(event, 1)
            stream.submit(work())
            ''', '''
            async def main():
                await stream.synchronize_async()
                stream.submit(work())
                global waiting
                waiting = [stream.run_async(work()), event.synchronize_async(7)]
            asyncio.run(main())
            ''', '''
            async def main():
                stream.submit(work())
                task = asyncio.ensure_future(wait())
                await asyncio.sleep(0.01)
            async def wait():
                await event.synchronize_async(7)
            asyncio.run(main())
            ''', '''
            mapping = buffer.map()
            view, numbers = mapping.memoryview, mapping.numpy()
            ''', '''
            stream.synchronize_async(None, lambda *_: None)
            event.synchronize_async(3, None, lambda *_: None)
            stream.submit(work())
            '''):
            self.assertEqual(child(start.rstrip(' ') + end[1:]), 0, end)

    def test_exit_with_threads_that_await(self):
        """Daemon threads go on until Python has ended."""
        for _ in range(20):
            self.assertEqual(child('''
                from gi.repository import Gabbro
                import time
                stream = Gabbro.Stream(Gabbro.Context(null='1', driver_path='/nonexistent').open_device('null'))
                async def main():
                    while True:
                        await stream.synchronize_async()
                def work():
                    while True:
                        try:
                            asyncio.run(main())
                        except RuntimeError:
                            pass
                for _ in range(4):
                    threading.Thread(target=work, daemon=True).start()
                time.sleep(0.05)
                ''', 20), 0)

    def test_end_after_the_end(self):
        """What is called at exit may still wait, but not await."""
        self.assertEqual(child('''
            from gi.repository import Gabbro
            import atexit
            event = Gabbro.Event(Gabbro.Context().open_device())
            async def main():
                await stream.synchronize_async()
            def late():
                try:
                    asyncio.run(main())
                    os._exit(1)
                except RuntimeError:
                    pass
                threading.Timer(0.3, lambda: event.signal(1)).start()
                event.synchronize(1)
                sys.stdout.flush()
                os._exit(0)
            atexit.register(late)                 # before that of the module, and so called after it
            stream = Gabbro.Stream(event.get_device())
            asyncio.run(main())
            sys.exit(3)
            '''), 0)

    def test_interrupt(self):
        """Ctrl-C ends each wait that has no limit, and the work goes on."""
        for wait in ('stream.synchronize()', 'device.synchronize()', 'event.synchronize(1)', 'stream.run(list)', 'stream.__exit__(None, None, None)'):
            self.assertEqual(child(f'''
                from gi.repository import Gabbro
                import signal, time
                device = Gabbro.Context().open_device()
                stream, event = Gabbro.Stream(device), Gabbro.Event(device)
                buffer = Gabbro.Buffer.new_from(device, array.array('f', [1]))
                module = Gabbro.Module('test', 'kernel(1) void twice(buffer<float> x) {{ x[0] = x[0] * 2.0; }}')
                list = Gabbro.CommandList(device).run(Gabbro.Shader(device, module.get_kernel('twice')), 1, x=buffer)
                stream.wait(event, 1)
                if {'run' not in wait}:
                    stream.submit(list)
                threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
                start = time.monotonic()
                try:
                    {wait}
                    sys.exit(2)
                except KeyboardInterrupt:
                    pass
                late = time.monotonic() - start > 5
                event.signal(1)
                stream.synchronize()
                sys.exit(3 if late else 4 if memoryview(buffer.download_bytes(0, 4).get_data()).cast('f')[0] != 2 else 0)
                ''', 20), 0, wait)

    def test_long_waits(self):
        """They end with what they wait for, and a list is run once."""
        for wait in (lambda: self.stream.run(commands), lambda: self.stream.run(commands, 10 ** 8)):
            event, buffer = Gabbro.Event(self.device), Gabbro.Buffer.new_from(self.device, numpy.ones(1, dtype='f4'))
            commands = self.list().run(self.shader('scale'), 1, x=buffer, a=2)
            self.stream.wait(event, 1)
            timer = threading.Timer(0.3, lambda: event.signal(1))
            timer.start()
            self.assertTrue(wait())
            self.assertEqual(buffer.download()[0], 2)
            timer.join()
        for wait in (self.stream.synchronize, self.device.synchronize, lambda limit: event.synchronize(2, limit), lambda limit: self.stream.run(self.list(), limit)):
            self.stream.wait(event, 2)
            self.fails(Gabbro.Error.TIMED_OUT, wait, 1000)
            event.signal(2)
            self.assertTrue(wait(-1))
            event = Gabbro.Event(self.device)

    def test_fork_and_leave(self):
        self.assertEqual(child('''
            from gi.repository import Gabbro
            stream = Gabbro.Stream(Gabbro.Context().open_device())
            async def main():
                await stream.synchronize_async()
            asyncio.run(main())
            pid = os.fork()
            if pid == 0:
                sys.exit(7)
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) - 7)
            '''), 0)

    def test_fork(self):
        buffer = Gabbro.Buffer(self.device, 'float', 4)
        asyncio.run(asyncio.wait_for(self.later(self.stream), 60))
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                for call in (buffer.download, lambda: buffer.upload(b'1234'), lambda: buffer.map(), lambda: Gabbro.Buffer(self.device, 'float', 4),
                             lambda: self.stream.submit(self.list()), lambda: asyncio.run(self.later(self.stream)), self.device.get_adapter().open):
                    try:
                        call()
                    except GLib.Error as error:
                        if not error.matches(GLib.quark_from_string('gabbro-error-quark'), Gabbro.Error.WRONG_PROCESS):
                            print(error)
                            break
                    else:
                        print('a call worked in the child')
                        break
                else:
                    # One of the child's own works.
                    other = Gabbro.Buffer.new_from(Gabbro.Context(null='1', driver_path='/nonexistent').open_device('null'), b'abc')
                    status = 0 if bytes(other.download()) == b'abc' else 2
            except BaseException as error:
                print(repr(error))
            os._exit(status)
        deadline = time.monotonic() + 60
        while (waited := os.waitpid(pid, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        if waited[0] == 0:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
        self.assertEqual(waited, (pid, 0))
        buffer.upload(b'1234')

    def test_last_reference_in_a_callback(self):
        loop = GLib.MainLoop()
        held = {'stream': Gabbro.Stream(self.device), 'event': Gabbro.Event(self.device)}

        def answer(source, result):
            held.clear()
            del source
            gc.collect()
            loop.quit()
        held['event'].synchronize_async(1, None, answer)
        held['event'].signal(1)
        loop.run()
        self.assertEqual(held, {})

        async def work():
            context = await Gabbro.Context.new_async(None)
            stream = Gabbro.Stream(await context.open_device_async(None))
            waiting = stream.synchronize_async()
            del stream, context
            gc.collect()
            await waiting
        asyncio.run(asyncio.wait_for(work(), 60))

    def test_disposed_twice(self):
        device = self.context.open_device()
        buffer = Gabbro.Buffer.new_from(device, b'abcd')
        stream = Gabbro.Stream(device)
        kernel = self.module.get_kernel('scale')
        objects = [stream, Gabbro.Event(device), buffer.map(), buffer, Gabbro.Image(device, Gabbro.Format.RGBA8_UNORM, 1, 1), Gabbro.CommandList(device),
                   Gabbro.Shader(device, kernel), kernel, device, self.context[0], Gabbro.Context()]
        stream.submit(Gabbro.CommandList(device))
        for thing in objects:
            for _ in range(2):
                thing.run_dispose()
        del objects, thing, device, buffer, stream, kernel
        gc.collect()
        self.assertEqual(bytes(Gabbro.Buffer.new_from(self.device, b'abc').download()), b'abc')

    def test_properties_and_attributes_survive(self):
        """Python's side of an object lives as long as the object, wherever it is kept."""
        buffer = Gabbro.Buffer.new_for_argument(self.device, self.module.get_kernel('copy'), 'to', 2)
        store = Gio.ListStore(item_type=GObject.Object)
        store.append(buffer)
        del buffer
        gc.collect()
        self.assertEqual(store[0].download().dtype.names[0], 'gain')


if __name__ == '__main__':
    unittest.main(verbosity=2)
