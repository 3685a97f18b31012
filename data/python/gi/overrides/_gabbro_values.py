# SPDX-License-Identifier: LGPL-2.1-or-later

"""What Gabbro's overrides make of a layout: the numpy type with the same bytes, and of values what
Gabbro.Layout.pack() takes."""

import collections.abc
import difflib
import operator
import struct

from gi.module import get_introspection_module
from gi.overrides._gabbro_data import CODES, numpy_or_none
from gi.repository import GLib

Gabbro = get_introspection_module('Gabbro')


def dtype_of(layout, is_member):
    """Vectors of three have a member more room than they need, so that they are records outside of one."""
    numpy = numpy_or_none()
    kind = layout.get_kind()
    if kind == Gabbro.LayoutKind.STRUCT:
        members = layout.members
        return numpy.dtype({'names': list(members), 'offsets': [offset for offset, _ in members.values()],
                            'formats': [dtype_of(member, True) for _, member in members.values()],
                            'itemsize': layout.get_size()})
    if kind in (Gabbro.LayoutKind.ARRAY, Gabbro.LayoutKind.MATRIX):
        return numpy.dtype((dtype_of(layout.get_element(), False), (layout.get_length(),)))
    if kind == Gabbro.LayoutKind.BOOL:
        return numpy.dtype('=u4' if layout.get_size() == 4 else '?')
    if kind != Gabbro.LayoutKind.VECTOR:
        return numpy.dtype(CODES[layout.get_name()])
    element, length = dtype_of(layout.get_element(), True), layout.get_length()
    if is_member or length != 3:
        return numpy.dtype((element, (length,)))
    return numpy.dtype({'names': ['x', 'y', 'z'], 'formats': [element] * 3,
                        'offsets': [i * layout.get_stride() for i in range(3)], 'itemsize': layout.get_size()})


def nearest(name, names):
    near = difflib.get_close_matches(name, names, 1)
    return f'did you mean “{near[0]}”?' if near else 'there are: ' + ', '.join(names)


def _sequence(layout, value, where):
    if getattr(getattr(value, 'dtype', None), 'names', None):
        value = value.tolist()
    if isinstance(value, (str, bytes, collections.abc.Mapping)) or not hasattr(value, '__iter__'):
        raise TypeError(f'“{where}”: a {layout.get_name()} is a sequence of {layout.get_length()} values, not {type(value).__name__}')
    value = list(value)
    if len(value) != layout.get_length():
        raise ValueError(f'“{where}”: a {layout.get_name()} has {layout.get_length()} values, not {len(value)}')
    return [variant_of(layout.get_element(), element, f'{where}[{i}]') for i, element in enumerate(value)]


def _structure(layout, value, where):
    members = layout.members
    names = getattr(getattr(value, 'dtype', None), 'names', None)
    if names:
        value = {name: value[name] for name in names}
    elif isinstance(value, (tuple, list)):
        if len(value) != len(members):
            raise ValueError(f'“{where}”: a {layout.get_name()} has {len(members)} members, not {len(value)}')
        value = dict(zip(members, value))
    elif not isinstance(value, collections.abc.Mapping):
        raise TypeError(f'“{where}”: a {layout.get_name()} is a dictionary, a tuple or a numpy record, not {type(value).__name__}')
    for name in value:
        if name not in members:
            raise ValueError(f'“{where}”: a {layout.get_name()} has no member “{name}”; {nearest(str(name), list(members))}')
    for name in members:
        if name not in value:
            raise ValueError(f'“{where}”: the member “{name}” of {layout.get_name()} is missing')
    return GLib.Variant('a{sv}', {name: variant_of(member, value[name], f'{where}.{name}') for name, (_, member) in members.items()})


def _integer(value, least, most, name, where):
    try:
        if type(value).__name__ in ('bool', 'bool_'):
            raise TypeError
        value = operator.index(value)
    except TypeError:
        raise TypeError(f'“{where}”: {name} is a whole number, not {type(value).__name__}') from None
    if not least <= value <= most:
        raise ValueError(f'“{where}”: {name} is a whole number from {least} to {most}, not {value}')
    return GLib.Variant('x' if value <= GLib.MAXINT64 else 't', value)


# The whole numbers of a type, and its name with an article.
_WHOLE = {Gabbro.LayoutKind.CHAR: (-128, 127, 'a char'), Gabbro.LayoutKind.UCHAR: (0, 255, 'a uchar'),
          Gabbro.LayoutKind.SHORT: (GLib.MININT16, GLib.MAXINT16, 'a short'), Gabbro.LayoutKind.USHORT: (0, GLib.MAXUINT16, 'a ushort'),
          Gabbro.LayoutKind.INT: (GLib.MININT32, GLib.MAXINT32, 'an int'), Gabbro.LayoutKind.UINT: (0, GLib.MAXUINT32, 'a uint'),
          Gabbro.LayoutKind.LONG: (GLib.MININT64, GLib.MAXINT64, 'a long'), Gabbro.LayoutKind.ULONG: (0, GLib.MAXUINT64, 'a ulong')}


def _narrow_real(kind, value, where):
    """A number of another float type than float: Gabbro.Layout.pack() knows what fits it."""
    if isinstance(value, (str, bytes, bool)):
        raise TypeError(f'“{where}”: a {kind.value_nick} is a number, not {type(value).__name__}')
    try:
        return GLib.Variant('x', value) if isinstance(value, int) and -2 ** 63 <= value < 2 ** 63 else GLib.Variant('d', float(value))
    except (TypeError, ValueError):
        raise TypeError(f'“{where}”: a {kind.value_nick} is a number, not {type(value).__name__}') from None


def _real(value, where):
    try:
        if isinstance(value, (str, bytes, bool)):
            raise TypeError
        real = float(value)
        packed = struct.unpack('=f', struct.pack('=f', real))[0]
        if isinstance(value, int) and int(packed) != value:
            raise ValueError(f'“{where}”: the integer {value} is no float without rounding')
    except TypeError:
        raise TypeError(f'“{where}”: a float is a number, not {type(value).__name__}') from None
    except OverflowError:
        raise ValueError(f'“{where}”: a float is at the most 3.40282347e+38, not {value}') from None
    return GLib.Variant('d', real)


def variant_of(layout, value, where):
    """A value as Gabbro.Layout.pack() takes it."""
    kind = layout.get_kind()
    # A numpy array without dimensions is its element.
    if getattr(value, 'shape', None) == () and hasattr(value, 'ndim') and getattr(value.dtype, 'names', None) is None:
        value = value.item()
    if kind == Gabbro.LayoutKind.STRUCT:
        return _structure(layout, value, where)
    if kind in (Gabbro.LayoutKind.ARRAY, Gabbro.LayoutKind.VECTOR, Gabbro.LayoutKind.MATRIX):
        return GLib.Variant('av', _sequence(layout, value, where))
    if kind == Gabbro.LayoutKind.BOOL:
        if not isinstance(value, bool):
            raise TypeError(f'“{where}”: a bool is True or False, not {type(value).__name__}')
        return GLib.Variant('b', value)
    if kind == Gabbro.LayoutKind.FLOAT:
        return _real(value, where)
    if kind in _WHOLE:
        return _integer(value, *_WHOLE[kind], where)
    return _narrow_real(kind, value, where)
