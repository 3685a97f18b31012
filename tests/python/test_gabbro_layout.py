# SPDX-License-Identifier: LGPL-2.1-or-later

"""What a module prints for programs that share memory with its kernels, against the layouts that it gives at run time.
test-python.sh starts it."""

import os
import re
import sys
import unittest

try:
    import gi
    gi.require_version('Gabbro', '1')
    from gi.repository import Gabbro, GLib
    import numpy
except (ImportError, ValueError) as error:
    print(f'SKIP: {error}')
    sys.exit(77)

FOLDER = os.path.join(os.environ['top_srcdir'], 'tests', 'frontend', 'layouts')
KIND = Gabbro.LayoutKind
MEMBER = re.compile(r' +(\d+) +(\d+|-)  (\S+) +(\S+) +\S+ (\w+)(?:  \(.*\))?')
ARGUMENT = re.compile(r'  \d+: .*\b(\w+)')
TYPE = re.compile(r' +(?:element )?(value|bytes): (\S+)( \(.*\))?')


def read_types(text):
    """Of structures, by name: the number of the child that each member is. Of each kernel's arguments: value and bytes, None
    where there is none."""
    structures, kernels = {}, {}
    for line in text.splitlines():
        if line.startswith('struct '):
            children = structures[line.split()[1].rstrip(':')] = {}
        elif line.startswith('kernel '):
            arguments = kernels[line.split()[1].rstrip(':')] = {}
        elif match := MEMBER.fullmatch(line):
            children[match[5]] = None if match[2] == '-' else int(match[2])
        elif match := ARGUMENT.fullmatch(line):
            types = arguments[match[1]] = {}
        elif kernels and (match := TYPE.fullmatch(line)):
            types[match[1]] = None if match[2] == '-' else match[2]
    return structures, kernels


def elements(layout):
    return [layout.get_element()] * layout.get_length()


def make_value(layout, numbers):
    """A value of the layout as GLib.Variant() takes it, no number of it like its neighbours."""
    kind = layout.get_kind()
    if kind == KIND.STRUCT:
        return tuple(make_value(member, numbers) for _, member in layout.members.values())
    if kind in (KIND.ARRAY, KIND.MATRIX):
        return [make_value(element, numbers) for element in elements(layout)]
    if kind == KIND.VECTOR:
        return tuple(make_value(element, numbers) for element in elements(layout))
    number = next(numbers)
    return number % 3 == 0 if kind == KIND.BOOL else number


def count():
    while True:
        yield from range(1, 16)


class Layouts(unittest.TestCase):
    def modules(self):
        for name in ('nasty.gk', 'words.gk'):
            with open(os.path.join(FOLDER, name), encoding='utf-8') as file:
                yield name, Gabbro.Module.new_from_source(name, file.read(), -1)

    def kernels(self, module):
        for name in module.list_kernels():
            kernel = module.get_kernel(name)
            yield name, kernel, [kernel.get_argument_name(i) for i in range(kernel.get_n_arguments())]

    def test_numpy(self):
        for source, module in self.modules():
            names = {}
            exec(module.print_(Gabbro.ModuleFormat.LAYOUT_PYTHON), names)
            for name, kernel, arguments in self.kernels(module):
                printed = names[name + '_' if name == 'lambda' else name]
                for argument in arguments:
                    layout = kernel.layout(argument)
                    if layout is not None:
                        self.assertEqual(printed[argument], layout.dtype, f'{source}: {name}: {argument}')
                    elif argument in printed:
                        self.assertEqual(printed[argument], numpy.dtype('u1'))

    def same(self, structures, layout, variant, value, where):
        """`variant` was made of bytes."""
        kind = layout.get_kind()
        if kind == KIND.STRUCT:
            for part, (name, (_, member)) in zip(value, layout.members.items()):
                child = variant.get_child_value(structures[layout.get_name()][name])
                self.same(structures, member, child, part, f'{where}.{name}')
        elif kind in (KIND.ARRAY, KIND.VECTOR):
            for i, part in enumerate(value):
                self.same(structures, layout.get_element(), variant.get_child_value(i), part, f'{where}[{i}]')
        else:
            self.assertEqual(variant.unpack(), value, where)

    def test_variants(self):
        known = 0
        for source, module in self.modules():
            structures, kernels = read_types(module.print_(Gabbro.ModuleFormat.LAYOUT_GVARIANT))
            for name, kernel, arguments in self.kernels(module):
                for argument in arguments:
                    layout, where = kernel.layout(argument), f'{source}: {name}: {argument}'
                    if layout is None:
                        continue
                    numbers, types = count(), kernels[name][argument]
                    values = [make_value(layout, numbers) for _ in range(2)]
                    packed = [layout.pack(GLib.Variant(types['value'], value)) for value in values]
                    if types['bytes'] is None:
                        continue
                    known += 1
                    array = GLib.Variant.new_from_bytes(GLib.VariantType('a' + types['bytes']), GLib.Bytes(b''.join(
                        content.get_data() for content in packed)), False)
                    self.assertTrue(array.is_normal_form(), where)
                    self.assertEqual(array.n_children(), 2, where)
                    for i, value in enumerate(values):
                        self.same(structures, layout, array.get_child_value(i), value, f'{where}[{i}]')
        self.assertGreater(known, 10)


if __name__ == '__main__':
    unittest.main(verbosity=2)
