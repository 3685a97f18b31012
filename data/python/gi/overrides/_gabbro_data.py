# SPDX-License-Identifier: LGPL-2.1-or-later

"""What Gabbro's overrides know of data with the buffer protocol: the bytes, and what numbers they stand for."""

import re
import sys

# numpy has no reals of 8 bits and no bfloat: their bytes are what there is.
CODES = {'char': '=i1', 'uchar': '=u1', 'short': '=i2', 'ushort': '=u2', 'int': '=i4', 'uint': '=u4', 'long': '=i8', 'ulong': '=u8',
         'half': '=f2', 'float': '=f4', 'double': '=f8', 'bool': '=u1', 'bfloat': '=u2', 'fp8e4m3': '=u1', 'fp8e5m2': '=u1'}
_NUMBERS = 'char|uchar|short|ushort|int|uint|long|ulong|half|float|double'
_FLOATS = {2: 'half', 4: 'float', 8: 'double'}
_INTEGERS = {1: 'char', 2: 'short', 4: 'int', 8: 'long'}
_VALUE = re.compile(rf'({_NUMBERS})([234]?)')
_SCALARS = re.compile(rf'\b({_NUMBERS}|bool|byte|ubyte)(?=[234]?\b)')
_UNTYPED = re.compile(r'\d*[Bcsx]')


def numpy_or_none():
    """numpy, which is loaded when it is first needed."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def size_of(scalar, lanes):
    """Bytes of a vector as an element: three lanes have the room of four."""
    return int(CODES[scalar][2]) * (4 if lanes == 3 else lanes)


def lanes_of(element_type):
    """"float3" as ("float", 3), "float" as ("float", 1), what is neither as None."""
    match = _VALUE.fullmatch(element_type or '')
    return (match[1], int(match[2] or 1)) if match else None


def view_of(data):
    try:
        return memoryview(data)
    except TypeError:
        raise TypeError(f'Wanted is an object with a buffer, such as bytes or a numpy array, not {type(data).__name__}') from None


def bytes_of(data, element_type=None):
    """A memoryview of contiguous bytes. Rows of three numbers are spread where elements have three lanes."""
    lanes = lanes_of(element_type)
    shape = getattr(data, 'shape', ())
    if lanes is not None and lanes[1] == 3 and len(shape) > 1 and shape[-1] == 3:
        data = view_of(data)
        numpy = numpy_or_none()
        rows = numpy.asarray(data)
        data = numpy.zeros(shape[:-1] + (4,), dtype=rows.dtype)
        data[..., :3] = rows
    view = view_of(data)
    if not view.c_contiguous or 0 in view.shape:
        return memoryview(view.tobytes())
    try:
        return view.cast('B')
    except (TypeError, ValueError):
        # Records have a format that memoryview cannot cast.
        return memoryview(numpy_or_none().ascontiguousarray(data).view('u1').reshape(-1))


def _kind(view):
    """What kernels call such a number; '' where the bytes stand for none, None for numbers that kernels lack."""
    code = view.format.lstrip('@=<' if sys.byteorder == 'little' else '@=>')
    if _UNTYPED.fullmatch(code):
        return ''
    if code in ('?', 'e', 'f', 'd'):
        return 'bool' if code == '?' else _FLOATS[view.itemsize]
    if code in ('b', 'h', 'i', 'l', 'q'):
        return _INTEGERS.get(view.itemsize)
    return 'u' + _INTEGERS[view.itemsize] if code in ('H', 'I', 'L', 'Q') else None


def element_type_of(data):
    """The type of elements that data stand for; None for bytes."""
    view = view_of(data)
    kind = _kind(view)
    if kind == '':
        return None
    if kind == 'bool':
        raise TypeError('Buffers of kernels hold no bool: convert the data to uint of 32 bits, or give bytes')
    if kind is None:
        raise TypeError(f'Kernels know no numbers like these (“{view.format}”, {view.itemsize} bytes each): '
                        'convert them to a type of the kernel language, or give an element type')
    return kind


def _scalars(dtype, offset=0):
    """Where the numbers of a numpy type lie, and what kernels call them."""
    if dtype.names:
        return [scalar for name in dtype.names for scalar in _scalars(dtype.fields[name][0], offset + dtype.fields[name][1])]
    if dtype.subdtype:
        base, shape = dtype.subdtype
        return [scalar for at in range(0, dtype.itemsize, base.itemsize or 1) for scalar in _scalars(base, offset + at)]
    if dtype.kind == 'V':
        return []
    kind = {'f': _FLOATS.get(dtype.itemsize), 'i': _INTEGERS.get(dtype.itemsize), 'b': 'bool',
            'u': 'u' + _INTEGERS.get(dtype.itemsize, '?')}.get(dtype.kind)
    return [(offset, kind if dtype.isnative else None)]


def _record_fits(data, view, wanted, size, layout):
    """Records have the size of an element, and numbers of its types, where they lie in it if that is known."""
    numpy = numpy_or_none()
    if view.itemsize != size:
        return False
    if numpy is None:
        return True
    scalars = _scalars(getattr(data, 'dtype', None) or numpy.asarray(data).dtype)
    if layout is not None:
        return sorted(scalars, key=str) == sorted(_scalars(layout.dtype), key=str)
    return {kind for _, kind in scalars} <= wanted


def check(data, element_type, size, layout=None, what='elements'):
    """Raises TypeError where data are numbers of another type than elements of a size, of whose layout may be
    known. Data and elements that are bytes fit all."""
    view = view_of(data)
    kind = _kind(view)
    if element_type is None or kind == '':
        return
    wanted = set(_SCALARS.findall(element_type))
    if _record_fits(data, view, wanted, size, layout) if view.format.startswith('T{') else wanted == {kind}:
        return
    dtype = getattr(data, 'dtype', None)
    shown = f'records of {view.itemsize} bytes' if view.format.startswith('T{') else str(dtype or f'“{view.format}” of {view.itemsize} bytes')
    raise TypeError(f'The {what} are {element_type}, and the data {shown}: convert the data, or give their bytes, '
                    'such as by view("u1") of numpy')
