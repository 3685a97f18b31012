#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-layout.py TABLE MODULE: whether the types that a module of --emit=layout-python makes are those of the table of
--emit=layout. Values are written through the types, and read by ctypes and struct from the bytes that the table names."""

import ctypes
import keyword
import re
import runpy
import struct
import sys

import numpy

# What the table calls numbers, as struct does; its ends are all that is looked at.
CODES = {'bool': '?', 'char': 'b', 'uchar': 'B', 'short': 'h', 'ushort': 'H', 'int': 'i', 'uint': 'I', 'long': 'q', 'ulong': 'Q',
         'half': 'e', 'float': 'f', 'double': 'd', 'bfloat': 'H', 'fp8e4m3': 'B', 'fp8e5m2': 'B'}
# An x stands between the lanes and the names that end in a digit; of a matrix, between its sides.
NUMBER = re.compile(rf'({"|".join(CODES)})(?:(?<=\d)x)?([234]?)(?:x([234]))?(?:\[\d+\])*')
MEMBER = re.compile(r' +(\d+) +(\d+) +(\d+) +\S+ +\S+ +(\S+) (\S+)')
STRUCTURE = re.compile(r'struct (\w+): size (\d+), alignment (\d+)')


def name_there(name, structures):
    return name + '_' * (1 + (name + '_' in structures)) if keyword.iskeyword(name) or name == 'numpy' else name


def read_table(lines):
    """Names of structures, with sizes and members (name, type, offset, size)."""
    structures = {}
    for line in lines:
        if match := STRUCTURE.match(line):
            members = []
            structures[match[1]] = int(match[2]), members
        elif match := MEMBER.match(line):
            members.append((match[5], match[4], int(match[1]), int(match[2])))
    return structures


def places(kind, structures):
    """Offsets of all numbers in a type, with the codes of struct; and its size."""
    match = NUMBER.fullmatch(kind)
    if match:
        width, lanes, columns = struct.calcsize(CODES[match[1]]), int(match[2] or 1), int(match[3] or 1)
        column = width * (4 if lanes == 3 else lanes)
        inner = [(column * c + width * i, CODES[match[1]]) for c in range(columns) for i in range(lanes)]
        size = column * columns
    else:
        size, members = structures[kind.partition('[')[0]]
        inner = [(offset + at, code) for _, member, offset, _ in members for at, code in places(member, structures)[0]]
    for length in reversed([int(length) for length in re.findall(r'\[(\d+)\]', kind)]):
        inner = [(i * size + at, code) for i in range(length) for at, code in inner]
        size *= length
    return inner, size


def leaves(view):
    """Numbers of a numpy array in their order, each as an array without dimensions."""
    if view.ndim:
        for i in range(len(view)):
            yield from leaves(view[i:i + 1].reshape(view.shape[1:]))
    elif view.dtype.names:
        for name in view.dtype.names:
            yield from leaves(view[name])
    else:
        yield view


def check(name, dtype, structures):
    size, members = structures[name]
    assert dtype.itemsize == size, f'{name}: {dtype.itemsize} bytes, not {size}'
    assert list(dtype.names) == [member for member, _, _, _ in members], f'{name}: {dtype.names}'
    for member, kind, offset, room in members:
        assert dtype.fields[member][1] == offset, f'{name}.{member}: at {dtype.fields[member][1]}, not {offset}'
        assert places(kind, structures)[1] == room, f'{name}.{member}: the table has {room} bytes for {kind}'
    memory = ctypes.create_string_buffer(2 * size)
    for i in range(2):
        record = numpy.frombuffer(memory, dtype=dtype, count=1, offset=i * size).reshape(())
        wanted = places(name, structures)[0]
        views = list(leaves(record))
        assert len(views) == len(wanted), f'{name}: {len(views)} numbers, not {len(wanted)}'
        for n, (view, (at, code)) in enumerate(zip(views, wanted)):
            assert view.dtype == numpy.dtype(code), f'{name}: {view.dtype} at byte {at}, not {code}'
            ctypes.memset(memory, 0, 2 * size)
            view[...] = 1 + n % 100
            got = struct.unpack_from('=' + code, memory, i * size + at)[0]
            assert got == (1 if code == '?' else 1 + n % 100), f'{name}: number {n} is not at byte {at}'
            assert memory.raw.count(0) >= 2 * size - struct.calcsize(code), f'{name}: number {n} is elsewhere too'


def main():
    with open(sys.argv[1], encoding='utf-8') as table:
        structures = read_table(table)
    module = runpy.run_path(sys.argv[2])
    assert structures, 'the table has no structures'
    for name in structures:
        check(name, module[name_there(name, structures)], structures)


main()
