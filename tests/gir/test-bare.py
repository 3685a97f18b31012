#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""No binding can crash the library with an object that its constructor never saw: every class is
made bare, by g_object_new() without properties, and every method of it is called, each in a process
of its own, with empty and with small arguments, and bare objects where objects are asked for. Then
proper objects are given the bare ones. Criticals are what such calls deserve; signals are not.

test-bare.sh starts it. test-bare.py [CLASS.METHOD]: all, or one of them in this process."""

import concurrent.futures
import itertools
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

try:
    import gi
    gi.require_version('Gabbro', '1')
    from gi.module import get_introspection_module
    from gi.repository import Gio, GLib, GObject
    # The library itself, without what Python puts in front of it.
    Gabbro = get_introspection_module('Gabbro')
except (ImportError, ValueError) as error:
    print(f'SKIP: {error}')
    sys.exit(77)

CORE = '{http://www.gtk.org/introspection/core/1.0}'
MODULES = {'Gabbro': Gabbro, 'Gio': Gio, 'GLib': GLib, 'GObject': GObject}
NUMBERS = {'gint8', 'guint8', 'gint16', 'guint16', 'gint', 'guint', 'gint32', 'guint32', 'gint64', 'guint64',
           'gsize', 'gssize', 'glong', 'gulong', 'gfloat', 'gdouble', 'gboolean', 'gunichar', 'GType', 'GQuark'}
TIME_LIMIT = 60

gir = ElementTree.parse(os.path.join(os.environ['top_builddir'], 'gpu', 'Gabbro-1.gir')).getroot()
namespace = gir.find(CORE + 'namespace')
classes = {element.get('name'): element for element in namespace.findall(CORE + 'class')}


def bare(cls):
    """An object that no constructor has seen."""
    return GObject.new(getattr(Gabbro, cls))


class Proper:
    """Objects that are as they should be, each made when it is first asked for."""

    SOURCE = 'kernel(1) void k(buffer<float> b, image2d<float> i, float a) { b[0] = a; i.write(int2(0, 0), float4(a)); }'
    MAKERS = {
        'Context': lambda self: Gabbro.Context.new(None),
        'Adapter': lambda self: self.Context.get_adapter(0),
        'Device': lambda self: self.Context.open_device(None),
        'Queue': lambda self: self.Device.get_queue(0),
        'Stream': lambda self: Gabbro.Stream.new(self.Device, None),
        'Event': lambda self: Gabbro.Event.new(self.Device),
        'Buffer': lambda self: Gabbro.Buffer.new(self.Device, 'float', 4),
        'Mapping': lambda self: self.Buffer.map(Gabbro.MapFlags.READ),
        'Image': lambda self: Gabbro.Image.new_2d(self.Device, Gabbro.Format.RGBA8_UNORM, 1, 1),
        'Module': lambda self: Gabbro.Module.new_from_source('bare', self.SOURCE, -1),
        'Kernel': lambda self: self.Module.get_kernel('k'),
        'Shader': lambda self: Gabbro.Shader.new(self.Device, self.Kernel, Gabbro.CompileFlags.DEFAULT, 0),
        'Bundle': lambda self: Gabbro.Bundle.new_from_kernels([self.Kernel], None, Gabbro.CompileFlags.DEFAULT, 0),
        'Cache': lambda self: Gabbro.Cache.new(None),
        'CommandList': lambda self: Gabbro.CommandList.new(self.Device)}

    def __getattr__(self, name):
        value = self.MAKERS[name](self)
        if name == 'CommandList':
            value.set_shader(self.Shader)
        setattr(self, name, value)
        return value


def is_object(parameter):
    kind = parameter.find(CORE + 'type')
    return kind is not None and kind.get('name') in classes


def dummy(parameter, number, text, data, give_object):
    """What stands for an argument."""
    array = parameter.find(CORE + 'array')
    if array is not None:
        return data if array.find(CORE + 'type').get('name') == 'guint8' else []
    name = parameter.find(CORE + 'type').get('name')
    if name in NUMBERS:
        return number
    if name in ('utf8', 'filename'):
        return text
    if name in classes:
        return give_object(name)
    if name == 'GLib.Bytes':
        return GLib.Bytes.new(data)
    if name == 'GLib.Variant':
        return GLib.Variant('a{sv}', {})
    if name == 'Gio.AsyncReadyCallback' or parameter.get('scope'):
        return lambda *arguments: None
    if name == 'Gio.File':
        return Gio.File.new_for_path(os.path.join(os.environ['TEST_TMPDIR'], 'no-folder', 'file'))
    if name == 'Gio.AsyncResult':
        return Gio.Task.new(None, None, None)
    kind = getattr(MODULES[name.split('.')[0]] if '.' in name else Gabbro, name.split('.')[-1], None)
    if kind is not None and issubclass(kind, (GObject.GEnum, GObject.GFlags)):
        return kind(number)
    return None


def parameters_of(method):
    """The parameters that Python passes: no outputs, no lengths, no user data."""
    parameters = method.findall(f'{CORE}parameters/{CORE}parameter')
    hidden = set()
    for parameter in parameters:
        array = parameter.find(CORE + 'array')
        if array is not None and array.get('length') is not None:
            hidden.add(int(array.get('length')))
        # The data of a function may be named with either; the data itself has no scope.
        if parameter.get('scope'):
            hidden.update(int(parameter.get(key)) for key in ('closure', 'destroy') if parameter.get(key) is not None)
    return [parameter for index, parameter in enumerate(parameters)
            if index not in hidden and parameter.get('direction') != 'out']


def methods_of(cls):
    for kind in ('constructor', 'method', 'function'):
        for method in cls.findall(CORE + kind):
            if method.get('introspectable') != '0':
                yield method


def call(target, method, arguments):
    name = method.get('name')
    # A word of Python has a line below it.
    function = getattr(target, name, None) or getattr(target, name + '_')
    try:
        function(*arguments)
    except GLib.Error:
        pass
    except TypeError as error:
        # A constructor that refuses gives no object, for which the binding has words of its own.
        if 'constructor returned NULL' not in str(error):
            raise
    # What was started for the main loop has the time to go wrong.
    for _ in range(20):
        GLib.MainContext.default().iteration(False)


def call_in_every_way(cls, method):
    on_object = method.find(f'{CORE}parameters/{CORE}instance-parameter') is not None
    parameters = parameters_of(method)
    for number, text, data in ((0, '', b''), (1, 'float', b'abcd')):
        for nullable in (True, False):
            arguments = [None if nullable and parameter.get('nullable') else dummy(parameter, number, text, data, bare)
                         for parameter in parameters]
            call(bare(cls) if on_object else getattr(Gabbro, cls), method, arguments)
    proper = Proper()
    for odd, number in itertools.product(filter(is_object, parameters), (0, 1)):
        arguments = [dummy(parameter, number, 'float', b'abcd',
                           bare if parameter is odd else lambda name: getattr(proper, name))
                     for parameter in parameters]
        call(getattr(proper, cls) if on_object else getattr(Gabbro, cls), method, arguments)


def see(cls):
    """Reads every property of a bare object, and connects to every signal."""
    instance = bare(cls)
    for spec in instance.list_properties():
        if spec.flags & GObject.ParamFlags.READABLE:
            instance.get_property(spec.name)
        handler = instance.connect('notify::' + spec.name, lambda *arguments: None)
        instance.notify(spec.name)
        instance.disconnect(handler)
    for name in GObject.signal_list_names(type(instance)):
        instance.disconnect(instance.connect(name, lambda *arguments: None))
    if isinstance(instance, Gio.ListModel):
        instance.get_n_items()
        instance.get_item(0)


def run_one(cls, name):
    if name == 'properties':
        see(cls)
        return
    for method in methods_of(classes[cls]):
        if method.get('name') == name:
            call_in_every_way(cls, method)


def run_in_child(name):
    environment = dict(os.environ, G_DEBUG='')
    try:
        child = subprocess.run([sys.executable, __file__, name], env=environment, timeout=TIME_LIMIT,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return name, child.returncode, child.stdout.decode(errors='replace')
    except subprocess.TimeoutExpired as error:
        return name, -1000, (error.stdout or b'').decode(errors='replace')


def main():
    if len(sys.argv) == 2:
        run_one(*sys.argv[1].split('.'))
        # Calls that do not block are still at work, some in a Vulkan driver that is not made for exit ().
        sys.stdout.flush()
        os._exit(0)
    names = [f"{cls}.{method.get('name')}" for cls, element in classes.items() for method in methods_of(element)]
    names += [f'{cls}.properties' for cls in classes]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, status, output in pool.map(run_in_child, names):
            if status == 0:
                print(f'PASS: {name} on a bare object')
                continue
            failed = 1
            print(output.rstrip())
            how = {-1000: f'does not end in {TIME_LIMIT} seconds'}.get(
                status, f'ends by signal {-status}' if status < 0 else f'cannot be called (exit status {status})')
            print(f'FAIL: {name} on a bare object {how}')
    return failed


if __name__ == '__main__':
    sys.exit(main())
