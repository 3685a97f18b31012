# SPDX-License-Identifier: LGPL-2.1-or-later

"""What makes Gabbro feel at home in Python; "from gi.repository import Gabbro" loads it.

Buffers and mappings give and take what has the buffer protocol, numpy arrays above all, and without
a copy where memory is mapped. Kernels take numbers, tuples, dictionaries and numpy records as their
arguments. Calls whose names end in _async can be awaited when they are given no callback.
Mappings, streams and devices work with "with".
"""

import asyncio
import atexit
import ctypes
import functools
import inspect
import operator
import os
import re
import threading

from gi.module import get_introspection_module
from gi.overrides import override
from gi.overrides._gabbro_data import CODES, bytes_of, check, element_type_of, lanes_of, numpy_or_none, size_of
from gi.overrides._gabbro_values import dtype_of, nearest, variant_of
from gi.repository import Gio, GLib, GObject

Gabbro = get_introspection_module('Gabbro')

__all__ = []


def _export(class_):
    """Registers an override and exports it."""
    class_ = override(class_)
    __all__.append(class_.__name__)
    return class_


# Classes that need no more than a text of their own.

@_export
class Adapter(Gabbro.Adapter):
    def __repr__(self):
        return f'<Gabbro.Adapter “{self.get_name()}” ({self.get_driver()}, {self.get_kind().value_nick})>'


@_export
class Queue(Gabbro.Queue):
    def __repr__(self):
        return f'<Gabbro.Queue {self.get_index()}>'


@_export
class Attribute(Gabbro.Attribute):
    def __repr__(self):
        value = self.get_value()
        return f'<Gabbro.Attribute {self.get_name()}={None if value is None else value.unpack()!r}>'


@_export
class Diagnostic(Gabbro.Diagnostic):
    def __str__(self):
        return self.to_string()

    def __repr__(self):
        return f'<Gabbro.Diagnostic {self.to_string()!r}>'


def _options(options, settings):
    """What Gabbro.Context.new() takes, of a variant, a dictionary or None."""
    if isinstance(options, GLib.Variant):
        return options
    settings = {**(options or {}), **settings}
    return GLib.Variant('a{sv}', {
        name.replace('_', '-'): value if isinstance(value, GLib.Variant) else
        GLib.Variant('s', str(int(value)) if isinstance(value, bool) else str(value))
        for name, value in settings.items()}) if settings else None


@_export
class Context(Gabbro.Context):
    """Gabbro.Context(option='value', …), options with "_" for "-"; a sequence of adapters."""

    def __new__(cls, options=None, **settings):
        return cls.new(options, **settings)

    def __init__(self, *arguments, **settings):
        pass

    @classmethod
    def new(cls, options=None, **settings):
        return Gabbro.Context.new(_options(options, settings))

    def __len__(self):
        return self.get_n_adapters()

    def __bool__(self):
        return True

    def __getitem__(self, index):
        n = self.get_n_adapters()
        if isinstance(index, slice):
            return [self.get_adapter(i) for i in range(*index.indices(n))]
        index = operator.index(index)
        if not -n <= index < n:
            raise IndexError(f'There are {n} adapters, and no number {index}')
        return self.get_adapter(index % n)

    def __iter__(self):
        return iter(self[:])

    def __repr__(self):
        return f'<Gabbro.Context with {self.get_n_adapters()} adapters>'


def _wait(wait, begin, finish, timeout_us):
    """Waits so that Ctrl-C ends a wait without limit: Python handles signals in the main thread, and not while that
    is in a call of the library."""
    if timeout_us >= 0 or threading.current_thread() is not threading.main_thread():
        return wait(timeout_us)
    try:
        return wait(100000)
    except GLib.Error as error:
        if not error.matches(Gabbro.error_quark(), Gabbro.Error.TIMED_OUT):
            raise
    if _listener.ended:
        return wait(-1)
    # One more wait to its end, and not many of 0.1 s: each would wait for what others have submitted before it.
    answers, answered, cancellable = [], threading.Event(), Gio.Cancellable()

    def answer(source, result, *_):
        answers.append(result)
        answered.set()
    try:
        _listener.call(lambda: begin(cancellable, answer))
        answered.wait()
    except BaseException:
        cancellable.cancel()
        raise
    return finish(answers[0])


class _Synchronized:
    """Waits at the end of "with"; what was raised inside comes first."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        try:
            self.synchronize()
        except GLib.Error:
            if kind is None:
                raise
        return False


@_export
class Device(_Synchronized, Gabbro.Device):
    """With "with": waits for all work at the end."""

    def synchronize(self, timeout_us=-1):
        return _wait(lambda limit: Gabbro.Device.synchronize(self, limit), self.synchronize_async, self.synchronize_finish, timeout_us)

    def __repr__(self):
        return f'<Gabbro.Device {self.get_path()}>'


@_export
class Stream(_Synchronized, Gabbro.Stream):
    """Gabbro.Stream(device, queue=None); with "with": waits for its work at the end."""

    def __new__(cls, device, queue=None):
        return cls.new(device, queue)

    def __init__(self, device, queue=None):
        pass

    def synchronize(self, timeout_us=-1):
        return _wait(lambda limit: Gabbro.Stream.synchronize(self, limit), self.synchronize_async, self.synchronize_finish, timeout_us)

    def run(self, list, timeout_us=-1):
        """Submits a list and waits for it."""
        return self.submit(list) and self.synchronize(timeout_us)

    def __repr__(self):
        failure = self.get_failure()
        return f'<Gabbro.Stream on {self.get_queue()!r}{", failed: " + failure.message if failure else ""}>'


@_export
class Event(Gabbro.Event):
    """Gabbro.Event(device)"""

    def __new__(cls, device):
        return cls.new(device)

    def __init__(self, device):
        pass

    def synchronize(self, value, timeout_us=-1):
        return _wait(lambda limit: Gabbro.Event.synchronize(self, value, limit),
                     lambda cancellable, answer: self.synchronize_async(value, cancellable, answer), self.synchronize_finish, timeout_us)

    def __repr__(self):
        return f'<Gabbro.Event at {self.get_value()}>'


# Layouts and values.

@_export
class Layout(Gabbro.Layout):
    """dtype is the numpy type with the same bytes."""

    @property
    def dtype(self):
        return dtype_of(self, False)

    @property
    def members(self):
        """Of a structure: a dictionary of offsets and layouts by name, in the order of the source."""
        return {self.get_member_name(i): (self.get_member_offset(i), self.get_member_layout(i))
                for i in range(self.get_n_members())}

    def __repr__(self):
        return f'<Gabbro.Layout {self.get_name()} of {self.get_size()} bytes>'


# Memory.

def _glib_bytes(data):
    """A copy of anything with the buffer protocol, for calls that keep bytes."""
    return data if isinstance(data, GLib.Bytes) else GLib.Bytes.new(bytes(bytes_of(data)))


def _content(buffer, data):
    """The bytes of data for a buffer, if they are of its type."""
    check(data, buffer.get_element_type(), buffer.get_element_size(), buffer._layout)
    return bytes_of(data, buffer.get_element_type())


def _texels(image, data):
    """The bytes of data for an image, if they are of its type."""
    check(data, _texel_type(image.get_format())[1], 0, None, 'texels')
    content = bytes_of(data)
    if len(content) != image.get_size():
        raise ValueError(f'The image has {image.get_size()} bytes, and not {len(content)}')
    return content


def _array(buffer, memory, dtype):
    """Memory that looks like that of a buffer as numpy array, of the type of the elements unless another is given."""
    import numpy
    element_type = buffer.get_element_type()
    lanes = lanes_of(element_type)
    if dtype is not None:
        return numpy.frombuffer(memory, dtype=dtype)
    if lanes is not None:
        array = numpy.frombuffer(memory, dtype=CODES[lanes[0]])
        return array if lanes[1] == 1 else array.reshape(-1, 4 if lanes[1] == 3 else lanes[1])[:, :lanes[1]]
    if element_type is None:
        return numpy.frombuffer(memory, dtype='u1')
    if buffer._layout is not None and buffer._layout.get_kind() == Gabbro.LayoutKind.STRUCT:
        return numpy.frombuffer(memory, dtype=buffer._layout.dtype)
    return numpy.frombuffer(memory, dtype=f'V{buffer.get_element_size()}')


def _copied(thing, dtype, copy):
    """What __array__() of memory of the device gives."""
    if copy is False:
        raise ValueError(f'A {type(thing).__name__} is no array without a copy; a mapping of a buffer is')
    array = thing.download()
    return array if dtype is None else array.astype(dtype, copy=False)


async def _then(future, convert):
    return convert(await future)


@_export
class Buffer(Gabbro.Buffer):
    """Gabbro.Buffer(device, 'float', length), or Gabbro.Buffer(device, size) for bytes."""

    # What its elements look like, where that is known of the kernel that it was made for.
    _layout = None

    def __new__(cls, device, element_type, length=None):
        if length is None:
            return cls.new_bytes(device, element_type)
        return cls.new(device, element_type, length)

    def __init__(self, device, element_type, length=None):
        pass

    @classmethod
    def new_for_argument(cls, device, kernel, argument, length):
        """The argument by number or name."""
        index = kernel._index(argument)
        self = Gabbro.Buffer.new_for_argument(device, kernel, index, length)
        if self.get_element_type() is not None and lanes_of(self.get_element_type()) is None:
            self._layout = kernel.dup_argument_layout(index)
        return self

    @classmethod
    def new_from(cls, device, data, element_type=None):
        """A buffer as large as the data, and with a copy of it. The type of its elements is that of the
        data (float, int or uint of 32 bits, or bytes), unless it is given: a name such as “float4”, or a
        pair of a kernel and one of its arguments."""
        layout = None
        if isinstance(element_type, tuple):
            kernel, argument = element_type
            index = kernel._index(argument)
            element_type, layout = kernel.get_argument_element_type(index), kernel.dup_argument_layout(index)
        content = bytes_of(data, element_type)
        if len(content) == 0:
            raise ValueError('A buffer holds one element at least, and there is no data')
        if element_type is None and layout is None:
            element_type = element_type_of(data)
        if element_type is None:
            self = cls.new_bytes(device, len(content))
        else:
            lanes = lanes_of(element_type)
            size = layout.get_size() if layout else size_of(*lanes) if lanes else cls.new(device, element_type, 1).get_element_size()
            check(data, element_type, size, layout if lanes is None else None)
            if len(content) % size != 0:
                raise ValueError(f'{len(content)} bytes are no whole number of {element_type} of {size} bytes')
            self = cls.new(device, element_type, len(content) // size)
            if layout is not None and lanes is None:
                self._layout = layout
        self.upload(content)
        return self

    def new_view(self, first, length):
        view = Gabbro.Buffer.new_view(self, first, length)
        if self._layout is not None:
            view._layout = self._layout
        return view

    def _placed(self, data, offset):
        content, size, offset = _content(self, data), self.get_size(), operator.index(offset)
        if offset < 0 or offset + len(content) > size:
            raise ValueError(f'{len(content)} bytes from byte {offset} on do not lie in a buffer of {size} bytes')
        return content, offset

    def upload(self, data, offset=0):
        """Copies anything with the buffer protocol, from a byte of the buffer on. Numbers are those of the elements;
        bytes are not looked at. Waits for work that uses it."""
        content, offset = self._placed(data, offset)
        size, element_size = self.get_size(), self.get_element_size()
        if len(content) < 4096 or offset % element_size != 0 or len(content) % element_size != 0:
            return self.upload_bytes(offset, content)
        # A mapping takes the bytes from where they are.
        view = self if len(content) == size else self.new_view(offset // element_size, len(content) // element_size)
        with view.map(Gabbro.MapFlags.WRITE) as mapping:
            mapping.memoryview[:] = content
        return True

    def download(self, dtype=None):
        """A copy of the contents as numpy array, of the type of the elements unless another is given; vectors
        are rows. Without numpy: bytes. Waits for work that uses the buffer."""
        with self.map(Gabbro.MapFlags.READ) as mapping:
            if numpy_or_none() is None and dtype is None:
                return bytes(mapping.memoryview)
            return mapping.numpy(dtype).copy()

    def upload_bytes(self, offset, bytes):
        """Bytes of whatever type."""
        return Gabbro.Buffer.upload_bytes(self, offset, _glib_bytes(bytes))

    def upload_async(self, data, offset=0, cancellable=None):
        """As upload(), to be awaited; the data may be changed at once."""
        asyncio.get_running_loop()
        content, offset = self._placed(data, offset)
        return self.upload_bytes_async(offset, content, cancellable)

    def download_async(self, dtype=None, cancellable=None):
        """As download(), to be awaited."""
        asyncio.get_running_loop()
        future = self.download_bytes_async(0, self.get_size(), cancellable)
        return asyncio.ensure_future(_then(future, lambda content: content.get_data() if numpy_or_none() is None and dtype is None
                                           else _array(self, content.get_data(), dtype).copy()))

    def map(self, flags=Gabbro.MapFlags.READ | Gabbro.MapFlags.WRITE):
        return _note_flags(Gabbro.Buffer.map(self, flags), flags)

    def __len__(self):
        return self.get_length()

    def __array__(self, dtype=None, copy=None):
        return _copied(self, dtype, copy)

    def __repr__(self):
        return f'<Gabbro.Buffer of {self.get_length()} {self.get_element_type() or "bytes"}>'


def _note_flags(mapping, flags):
    if not flags & Gabbro.MapFlags.WRITE:
        mapping._readonly = True
    return mapping


@_export
class Mapping(Gabbro.Mapping):
    """With "with": unmaps at the end. Views of the memory keep the mapping alive; what is done with them after
    unmap() reaches no buffer."""

    _readonly = False

    @property
    def memoryview(self):
        """The memory itself, as bytes."""
        address = self.get_pointer()
        if not address:
            raise ValueError('The buffer has been unmapped')
        memory = (ctypes.c_ubyte * self.get_size()).from_address(address)
        memory.owners = (self, self.get_buffer())
        view = memoryview(memory).cast('B')
        return view.toreadonly() if self._readonly else view

    def numpy(self, dtype=None):
        """The memory itself as numpy array, of the type of the elements unless another is given; vectors are rows."""
        return _array(self.get_buffer(), self.memoryview, dtype)

    @property
    def __array_interface__(self):
        array = self.numpy()
        if array.dtype.names:
            raise AttributeError('records have offsets that __array_interface__ cannot say')
        return array.__array_interface__

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        if copy:
            return array.astype(dtype or array.dtype, copy=True)
        if copy is False and dtype is not None and array.dtype != dtype:
            raise ValueError(f'Memory of {array.dtype} is no array of {dtype} without a copy')
        return array if dtype is None else array.astype(dtype, copy=False)

    def __len__(self):
        return self.get_size()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        try:
            self.unmap()
        except GLib.Error:
            if kind is None:
                raise
        return False

    def __repr__(self):
        address = self.get_pointer()
        return f'<Gabbro.Mapping of {self.get_size()} bytes{f" at {address:#x}" if address else ", unmapped"}>'


def _texel_type(format):
    """How many numbers a texel has, and their type as CODES has it; (None, None) of a compressed format."""
    parts = re.fullmatch('(rgba|rg|r)(8|16|32)-(unorm|uint|sint|float)', format.value_nick)
    if parts is None:
        return None, None
    components, bits, kind = parts.groups()
    if kind == 'float':
        return len(components), {'16': 'half', '32': 'float'}[bits]
    return len(components), ('' if kind == 'sint' else 'u') + {'8': 'char', '16': 'short', '32': 'int'}[bits]


@_export
class Image(Gabbro.Image):
    """Gabbro.Image(device, format, width, height, depth=None, levels=1), with a depth one of three dimensions"""

    def __new__(cls, device, format, width, height, depth=None, levels=1):
        return cls.new_with_levels(device, format, 2 if depth is None else 3, width, height, 1 if depth is None else depth, levels)

    def __init__(self, device, format, width, height, depth=None, levels=1):
        pass

    def upload(self, data):
        """Copies anything with the buffer protocol: rows of texels, of numbers of the type of the format, or bytes."""
        return self.upload_bytes(_texels(self, data))

    def _array(self, content):
        numpy = numpy_or_none()
        if numpy is None:
            return content
        components, kind = _texel_type(self.get_format())
        if components is None:
            return numpy.frombuffer(content, dtype='u1').copy()
        shape = (self.get_depth(),) * (self.get_n_dimensions() == 3) + (self.get_height(), self.get_width()) + (components,) * (components > 1)
        return numpy.frombuffer(content, dtype=CODES[kind]).reshape(shape).copy()

    def download(self):
        """A copy as numpy array: planes of an image of three dimensions, rows, columns, numbers of a texel if there are several;
        of a compressed format its bytes. Without numpy: bytes."""
        return self._array(self.download_bytes().get_data())

    def upload_bytes(self, bytes):
        """Bytes of whatever type."""
        return Gabbro.Image.upload_bytes(self, _glib_bytes(bytes))

    def upload_async(self, data, cancellable=None):
        """As upload(), to be awaited; the data may be changed at once."""
        asyncio.get_running_loop()
        return self.upload_bytes_async(_texels(self, data), cancellable)

    def download_async(self, cancellable=None):
        """As download(), to be awaited."""
        asyncio.get_running_loop()
        return asyncio.ensure_future(_then(self.download_bytes_async(cancellable), lambda content: self._array(content.get_data())))

    def __array__(self, dtype=None, copy=None):
        return _copied(self, dtype, copy)

    def __repr__(self):
        depth = f'×{self.get_depth()}' if self.get_n_dimensions() == 3 else ''
        return f'<Gabbro.Image of {self.get_width()}×{self.get_height()}{depth} {self.get_format().value_nick}>'


# Kernels.

def _add_diagnostics(error, name, source, length=-1):
    """GError carries no lists through bindings, so that the source is checked once more."""
    if error.domain == GLib.quark_to_string(Gabbro.compile_error_quark()):
        error.diagnostics = Gabbro.Module.check_source(name, source, length)


@_export
class Module(Gabbro.Module):
    """Gabbro.Module(name, source). An error of the source has a list of diagnostics."""

    def __new__(cls, name, source, length=-1):
        return cls.new_from_source(name, source, length)

    def __init__(self, name, source, length=-1):
        pass

    @classmethod
    def new_from_source(cls, name, source, length=-1):
        try:
            return Gabbro.Module.new_from_source(name, source, length)
        except GLib.Error as error:
            _add_diagnostics(error, name, source, length)
            raise

    def __repr__(self):
        return f'<Gabbro.Module “{self.get_name()}” with {", ".join(self.list_kernels()) or "no kernels"}>'


@_export
class Kernel(Gabbro.Kernel):
    def _index(self, argument):
        if not isinstance(argument, str):
            return operator.index(argument)
        index = self.find_argument(argument)
        if index < 0:
            names = [self.get_argument_name(i) for i in range(self.get_n_arguments())]
            raise ValueError(f'The kernel “{self.get_name()}” has no argument “{argument}”; {nearest(argument, names)}')
        return index

    def compile_spirv(self, adapter=None, flags=Gabbro.CompileFlags.DEFAULT, optimization_level=Gabbro.OPTIMIZATION_DEFAULT):
        return Gabbro.Kernel.compile_spirv(self, adapter, flags, optimization_level)

    def compile_assembly(self, adapter=None, flags=Gabbro.CompileFlags.DEFAULT, optimization_level=Gabbro.OPTIMIZATION_DEFAULT):
        return Gabbro.Kernel.compile_assembly(self, adapter, flags, optimization_level)

    def layout(self, argument):
        """How an argument lies in memory, by number or name: of a value itself, of a buffer its elements."""
        return self.dup_argument_layout(self._index(argument))

    def dtype(self, argument):
        """The numpy type of an argument that is a value, or of a buffer's elements; None for images."""
        layout = self.layout(argument)
        return None if layout is None else layout.dtype

    def __repr__(self):
        arguments = ', '.join(f'{self.get_argument_type(i)} {self.get_argument_name(i)}' for i in range(self.get_n_arguments()))
        return f'<Gabbro.Kernel {self.get_name()}({arguments})>'


@_export
class Shader(Gabbro.Shader):
    """Gabbro.Shader(device, kernel)"""

    def __new__(cls, device, kernel, flags=Gabbro.CompileFlags.DEFAULT, optimization_level=Gabbro.OPTIMIZATION_DEFAULT):
        return cls.new(device, kernel, flags, optimization_level)

    def __init__(self, *arguments, **settings):
        pass

    @classmethod
    def new(cls, device, kernel, flags=Gabbro.CompileFlags.DEFAULT, optimization_level=Gabbro.OPTIMIZATION_DEFAULT):
        return Gabbro.Shader.new(device, kernel, flags, optimization_level)

    def __repr__(self):
        return f'<Gabbro.Shader of {self.get_kernel()!r}>'


def _size(size):
    size = tuple(size) if hasattr(size, '__iter__') else (size,)
    if not 1 <= len(size) <= 3:
        raise ValueError(f'The size of a dispatch has one to three dimensions, not {len(size)}')
    size = tuple(operator.index(n) for n in size) + (1,) * (3 - len(size))
    for n in size:
        if not 1 <= n <= GLib.MAXUINT32:
            raise ValueError(f'A dispatch has from 1 to {GLib.MAXUINT32} threads in each dimension, not {n}')
    return size


def _setter(kernel, index, value):
    """The method of a list that sets an argument, and what it takes."""
    name, kind = kernel.get_argument_name(index), kernel.get_argument_kind(index)
    for wanted, class_, method in ((Gabbro.ArgumentKind.BUFFER, Gabbro.Buffer, 'set_buffer'),
                                   (Gabbro.ArgumentKind.IMAGE, Gabbro.Image, 'set_image')):
        if kind == wanted:
            if not isinstance(value, class_):
                raise TypeError(f'“{name}”: {kernel.get_argument_type(index)} is a Gabbro.{class_.__name__}, not {type(value).__name__}')
            return method, value
    if isinstance(value, (Gabbro.Buffer, Gabbro.Image)):
        raise TypeError(f'“{name}”: {kernel.get_argument_type(index)} is a value, not a {type(value).__name__}')
    layout = kernel.dup_argument_layout(index)
    if isinstance(value, GLib.Variant):
        try:
            layout.pack(value)
        except GLib.Error as error:
            raise ValueError(f'“{name}”: {error.message}') from None
        return 'set_variant', value
    return 'set_variant', variant_of(layout, value, name)


@_export
class CommandList(Gabbro.CommandList):
    """Gabbro.CommandList(device)"""

    def __new__(cls, device):
        return cls.new(device)

    def __init__(self, device):
        pass

    def run(self, shader, size, /, **arguments):
        """Records a run of a shader over a number of threads, or one for each dimension. Arguments by name are
        buffers, images, numbers, tuples, dictionaries, numpy records. All are checked before the list is touched.
        Returns the list."""
        kernel = shader.get_kernel()
        names = [kernel.get_argument_name(i) for i in range(kernel.get_n_arguments())]
        size = _size(size)
        for name in arguments:
            if name not in names:
                raise TypeError(f'The kernel “{kernel.get_name()}” has no argument “{name}”; {nearest(name, names)}')
        missing = [f'“{name}”' for name in names if name not in arguments]
        if missing:
            raise TypeError(f'The kernel “{kernel.get_name()}” lacks arguments: {", ".join(missing)}')
        setters = [_setter(kernel, index, arguments[name]) for index, name in enumerate(names)]
        self.set_shader(shader)
        for index, (method, value) in enumerate(setters):
            getattr(self, method)(index, value)
        self.dispatch(*size)
        return self

    def upload(self, buffer, data, offset=0):
        """Records a copy of anything with the buffer protocol, which may be changed afterwards. Returns the list."""
        self.upload_bytes(buffer, offset, _content(buffer, data))
        return self

    def upload_bytes(self, buffer, offset, bytes):
        """Bytes of whatever type."""
        return Gabbro.CommandList.upload_bytes(self, buffer, offset, _glib_bytes(bytes))

    def upload_image(self, image, data):
        """Records a copy of anything with the buffer protocol, which may be changed afterwards. Returns the list."""
        Gabbro.CommandList.upload_image(self, image, bytes(_texels(image, data)))
        return self

    def __repr__(self):
        return f'<Gabbro.CommandList of {self.get_n_commands()} commands{", frozen" if self.is_frozen() else ""}>'


# Awaiting. The calls of the library answer in the main context of the thread that made them. An event
# loop of PyGObject iterates that one; those of asyncio iterate none, and for them one thread does
# nothing but iterate one; what it hears it tells the loop of the caller. Signals of objects that were
# made by an awaited call run where its answer came.

class _Listener:
    def __init__(self):
        self.lock = threading.Lock()
        self.thread = None
        self.ended = False

    def start(self):
        with self.lock:
            if self.ended:
                raise RuntimeError('The interpreter ends, so that nothing can be awaited')
            if self.thread is None:
                self.context = GLib.MainContext.new()
                self.loop = GLib.MainLoop.new(self.context, False)
                self.thread = threading.Thread(target=self.listen, args=(self.context, self.loop), name='gabbro-await', daemon=True)
                self.thread.start()
                atexit.register(self.stop)

    @staticmethod
    def listen(context, loop):
        context.push_thread_default()
        loop.run()
        context.pop_thread_default()

    def call(self, function):
        """Calls a function in the thread, and returns when it has been called, so that calls stay in order."""
        done, failure = threading.Event(), []

        def run(*_):
            try:
                function()
            except BaseException as error:
                failure.append(error)
            done.set()
            return GLib.SOURCE_REMOVE

        self.start()
        self.post(run)
        done.wait()
        if failure:
            raise failure[0]

    def post(self, function):
        source = GLib.Idle(priority=GLib.PRIORITY_DEFAULT)
        source.set_callback(function)
        source.attach(self.context)

    def stop(self):
        """At the end of the interpreter, after which no thread may run Python. Daemon threads go on until then."""
        with self.lock:
            self.ended = True
            thread, loop = self.thread, self.loop
        self.post(lambda *_: loop.quit())
        thread.join()


_listener = _Listener()


def _forget_listener():
    """The thread is the parent's, and locks of its main context may have been held."""
    global _listener
    atexit.unregister(_listener.stop)
    _listener = _Listener()


os.register_at_fork(after_in_child=_forget_listener)


def _settle(future, method, value):
    if not future.done():
        getattr(future, method)(value)


def _tell(loop, future, method, value):
    try:
        loop.call_soon_threadsafe(_settle, future, method, value)
    except RuntimeError:
        pass  # the loop was closed, so that nobody waits


class _Call(asyncio.Future):
    """Whoever stops waiting for it, as a task does that is cancelled, cancels the call."""

    cancellable = None

    def cancel(self, msg=None):
        if not self.done():
            self.cancellable.cancel()
        return super().cancel(msg)


def _iterates_main_context(loop):
    """Whether it is one of PyGObject's own, which there are since 3.50."""
    return any(class_.__module__ == 'gi.events' for class_ in type(loop).__mro__)


def _start(loop, begin, finish, cancellable):
    """A future of what `finish` makes of the result of `begin`."""
    future = _Call(loop=loop)
    future.cancellable = cancellable

    def answer(source, result, *_):
        try:
            method, value = 'set_result', finish(source, result)
        except BaseException as error:
            method, value = 'set_exception', error
        _tell(loop, future, method, value)

    if _iterates_main_context(loop):
        begin(cancellable, answer)
    else:
        _listener.call(lambda: begin(cancellable, answer))
    return future


# What callers need not say, beside what may be None.
_DEFAULTS = {'CompileFlags': Gabbro.CompileFlags.DEFAULT, 'MapFlags': Gabbro.MapFlags.READ | Gabbro.MapFlags.WRITE,
             'optimization_level': Gabbro.OPTIMIZATION_DEFAULT, 'length': -1}


def _parameters(info):
    """What Python gives, with what it need not give: no lengths of arrays, no data of callbacks."""
    arguments = info.get_arguments()
    hidden = set()
    for argument in arguments:
        type_ = argument.get_type()
        if type_.get_tag_as_string() == 'array' and type_.get_array_length() >= 0:
            hidden.add(type_.get_array_length())
    parameters = []
    for i, argument in enumerate(arguments):
        name = argument.get_name()
        if i not in hidden:
            type_ = argument.get_type()
            kind = type_.get_interface().get_name() if type_.get_tag_as_string() == 'interface' else name
            default = _DEFAULTS.get(kind, None if argument.may_be_null() else inspect.Parameter.empty)
            parameters.append(inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind))
        if name == 'callback':
            break
    return parameters


def _make_awaitable(class_, info, finish_info, convert):
    """Replaces a call by one that can do without a callback."""
    parameters = _parameters(info)
    if [parameter.name for parameter in parameters[-2:]] != ['cancellable', 'callback']:
        return
    name, is_method = info.__name__, info.is_method()
    # What is no method has to know its class, if it is a constructor.
    begin = info if is_method else getattr(class_, name)
    finish = finish_info if finish_info.is_method() else getattr(class_, finish_info.__name__)

    @functools.wraps(info)
    def call(*arguments, **named):
        target, arguments = (arguments[:1], list(arguments[1:])) if is_method else ((), list(arguments))
        data, arguments = arguments[len(parameters):], arguments[:len(parameters)]
        if 'user_data' in named:
            data = [named.pop('user_data')]
        for parameter in parameters[len(arguments):]:
            if parameter.default is inspect.Parameter.empty and parameter.name not in named:
                raise TypeError(f'{name}() lacks the argument “{parameter.name}”')
            arguments.append(named.pop(parameter.name, parameter.default))
        if named:
            raise TypeError(f'{name}() has no argument “{next(iter(named))}”, or has it twice')
        arguments, (cancellable, callback) = arguments[:-2], arguments[-2:]
        if (class_.__name__, name) == ('Context', 'new_async'):
            arguments[0] = _options(arguments[0], {})
        arguments = [_glib_bytes(argument) if parameter.annotation == 'Bytes' else argument
                     for parameter, argument in zip(parameters, arguments)]
        if callback is None and not data:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                pass
            else:
                return _start(loop, lambda cancellable, answer: begin(*target, *arguments, cancellable, answer),
                              lambda source, result: convert(lambda: finish(*target, result), arguments),
                              cancellable or Gio.Cancellable())
        return begin(*target, *arguments, cancellable, callback, *data)

    setattr(class_, name, call if is_method else staticmethod(call))


def _convert(finish, arguments):
    return finish()


def _convert_mapping(finish, arguments):
    return _note_flags(finish(), arguments[0])


def _convert_module(finish, arguments):
    try:
        return finish()
    except GLib.Error as error:
        _add_diagnostics(error, *arguments)
        raise


_CONVERSIONS = {('Buffer', 'map_async'): _convert_mapping, ('Module', 'new_from_source_async'): _convert_module}


def _make_all_awaitable():
    for name in dir(Gabbro):
        class_ = getattr(Gabbro, name)
        if not isinstance(class_, type) or not issubclass(class_, GObject.Object) or '__info__' not in class_.__dict__:
            continue
        infos = {info.__name__: info for info in class_.__info__.get_methods()}
        for info in infos.values():
            finish = infos.get(info.__name__[:-len('_async')] + '_finish')
            if info.__name__.endswith('_async') and finish is not None:
                _make_awaitable(class_, info, finish, _CONVERSIONS.get((name, info.__name__), _convert))


_make_all_awaitable()
