# SPDX-License-Identifier: LGPL-2.1-or-later

"""The overrides for Python: what data may go into buffers and images. test-python.sh starts it."""

import array
import ctypes
import unittest

import test_gabbro
from test_gabbro import Gabbro, GLib, numpy


class Data(test_gabbro.DeviceTest):
    def test_numbers_of_another_type(self):
        """They are refused where they would be read as others, and named; bytes are bytes."""
        buffer, raw = Gabbro.Buffer(self.device, 'float', 4), Gabbro.Buffer(self.device, 32)
        uploads = (buffer.upload, lambda data: self.list().upload(buffer, data), lambda data: Gabbro.Buffer.new_from(self.device, data, 'float'))
        for data, name in (
                (numpy.ones(4), 'float64'), (numpy.ones(4, dtype='i4'), 'int32'), (numpy.ones(4, dtype='u4'), 'uint32'), (numpy.ones(4, dtype='>f4'), '>f4'),
                (numpy.ones(4, dtype='f2'), 'float16'), (numpy.ones(4, dtype='i1'), 'int8'), (numpy.ones(4, dtype='?'), 'bool'),
                (array.array('d', [1]), '“d” of 8 bytes'), (array.array('i', [1]), '“i” of 4 bytes'), (memoryview(array.array('I', [1])), '“I” of 4 bytes'),
                ((ctypes.c_double * 1)(1), '“<d” of 8 bytes'), (numpy.ones(1, dtype=[('a', 'f4'), ('b', 'f4')]), 'records of 8 bytes'),
                (numpy.ones(1, dtype=[('a', 'i4')]), 'records of 4 bytes')):
            for upload in uploads:
                with self.assertRaisesRegex(TypeError, f'elements are float, and the data {name}: '):
                    upload(data)
            raw.upload(data)
            self.assertEqual(bytes(raw.download())[:memoryview(data).nbytes], memoryview(data).tobytes())
        for data in (numpy.ones(4, dtype='f4'), numpy.ones((2, 2), dtype='f4'), array.array('f', [1] * 4), memoryview(array.array('f', [1] * 4)),
                     numpy.ones(4, dtype='f4').tobytes(), bytearray(numpy.ones(4, dtype='f4').tobytes()), numpy.ones(4, dtype='f4').view('u1'),
                     (ctypes.c_float * 4)(1, 1, 1, 1), numpy.ones(4, dtype=[('a', 'f4')]), numpy.ones(4, dtype='f4').view('V4')):
            for upload in uploads:
                upload(data)
            self.assertEqual(buffer.download().tolist(), [1] * 4)
            buffer.upload(bytes(16))
        with self.assertRaisesRegex(TypeError, 'hold no bool: convert'):
            Gabbro.Buffer.new_from(self.device, numpy.array([True, False]))
        for element_type, good, bad in (('int', 'i4', 'u4'), ('uint2', 'u4', 'i4'), ('float3', 'f4', 'f8'), ('struct<8,float,float>', 'f4', 'i4')):
            self.assertTrue(Gabbro.Buffer(self.device, element_type, 8).upload(numpy.zeros(8, dtype=good)))
            with self.assertRaisesRegex(TypeError, 'and the data'):
                Gabbro.Buffer(self.device, element_type, 8).upload(numpy.zeros(8, dtype=bad))

    def test_records_of_another_type(self):
        kernel = self.module.get_kernel('copy')
        dtype = kernel.dtype('from')
        known = Gabbro.Buffer.new_for_argument(self.device, kernel, 'to', 2)
        plain = Gabbro.Buffer(self.device, known.get_element_type(), 2)
        for buffer in (known, plain):
            buffer.upload(numpy.zeros(2, dtype=dtype))
            buffer.upload(buffer.download())
            for wrong in ([('x', 'f8', 18)], [('x', 'f4', 35)]):
                with self.assertRaisesRegex(TypeError, 'and the data records of 14'):
                    buffer.upload(numpy.zeros(2, dtype=wrong))
            with self.assertRaisesRegex(TypeError, 'and the data float32'):
                buffer.upload(numpy.zeros(72, dtype='f4'))
        # Numbers in other places.
        wrong = numpy.dtype({'names': ['gain', 'count'], 'formats': ['f4', 'u4'], 'offsets': [0, 84], 'itemsize': 144})
        with self.assertRaisesRegex(TypeError, 'records of 144 bytes'):
            known.upload(numpy.zeros(2, dtype=wrong))
        with self.assertRaisesRegex(TypeError, 'records of 144 bytes'):
            Gabbro.Buffer.new_from(self.device, numpy.zeros(2, dtype=wrong), (kernel, 'from'))

    def test_texels_of_another_type(self):
        for format_, good, bad in ((Gabbro.Format.RGBA8_UNORM, 'u1', ('f4', 'i1', '?', 'u4')), (Gabbro.Format.RGBA32_FLOAT, 'f4', ('f8', 'i4', 'f2'))):
            image = Gabbro.Image(self.device, format_, 3, 2)
            name = {'u1': 'uchar', 'f4': 'float'}[good]
            for upload in (image.upload, lambda data: self.list().upload_image(image, data)):
                for code in bad:
                    data = numpy.zeros((2, 3, 4), dtype=code)
                    with self.assertRaisesRegex(TypeError, f'texels are {name}, and the data {data.dtype}: '):
                        upload(data)
                upload(numpy.zeros((2, 3, 4), dtype=good))
                upload(bytes(image.get_size()))
                with self.assertRaisesRegex(ValueError, 'The image has'):
                    upload(numpy.zeros((2, 3, 3), dtype=good))

    def test_bytes_of_anything(self):
        """Where the library takes bytes, Python takes all with the buffer protocol."""
        buffer, image = Gabbro.Buffer(self.device, 'float', 4), Gabbro.Image(self.device, Gabbro.Format.RGBA8_UNORM, 2, 2)
        for i, kind in enumerate((lambda data: data, numpy.ndarray.tobytes, lambda data: GLib.Bytes.new(data.tobytes()), memoryview)):
            numbers = numpy.arange(i, i + 4, dtype='f4')
            buffer.upload_bytes(0, kind(numbers))
            self.assertEqual(buffer.download().tolist(), numbers.tolist())
            image.upload_bytes(kind(numbers))
            self.assertEqual(image.download().tobytes(), numbers.tobytes())
            commands = self.list()
            self.assertTrue(commands.upload_bytes(buffer, 0, kind(numbers + 1)))
            self.stream.run(commands)
            self.assertEqual(buffer.download().tolist(), (numbers + 1).tolist())
        with self.assertRaisesRegex(TypeError, 'not int'):
            buffer.upload_bytes(0, 5)

    def test_arrays_are_copies(self):
        """NumPy 2 gives copy=False where it must not be one, NumPy 1 never does."""
        buffer, image = Gabbro.Buffer.new_from(self.device, numpy.ones(4, dtype='f4')), Gabbro.Image(self.device, Gabbro.Format.RGBA8_UNORM, 1, 1)
        for thing in (buffer, image):
            with self.assertRaisesRegex(ValueError, f'A {type(thing).__name__} is no array without a copy'):
                thing.__array__(copy=False)
            for copy in (None, True):
                self.assertEqual(thing.__array__(copy=copy).size, 4)
                self.assertEqual(thing.__array__(numpy.dtype('f8'), copy=copy).dtype, numpy.float64)
        with buffer.map() as mapping:
            self.assertEqual(mapping.__array__(copy=False).tolist(), [1] * 4)
            self.assertEqual(mapping.__array__('f4', copy=False).tolist(), [1] * 4)
            with self.assertRaisesRegex(ValueError, 'without a copy'):
                mapping.__array__('f8', copy=False)


if __name__ == '__main__':
    unittest.main(verbosity=2)
