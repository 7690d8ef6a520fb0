"""oneDNN's C API, version 3, through ctypes: the library, its objects, their errors."""

import contextlib
import ctypes as c
import functools
import platform
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from typing import Any

import numpy as np

from sporax._src.core.errors import warn

MAJOR, PACKAGE, _NAME = 3, "onednn-cpu-gomp", "libdnnl.so.3"
TYPES = {"float16": 1, "bfloat16": 2, "float32": 3}
_STATUS = {
    1: "out of memory", 2: "invalid arguments", 3: "unimplemented", 4: "last implementation",
    5: "runtime error", 6: "not required", 7: "invalid graph",
}  # fmt: skip
_NO_KERNEL = (2, 3)
_ANY_LAYOUT, _CPU, _IN_ORDER, _CALLERS_SCRATCHPAD = 1, 1, 1, 1
_ARGUMENT_DESC, SCRATCHPAD, _FROM, _TO = 255, 80, 1, 17
_SMALL = 1 << 18  # bytes up to which a reorder runs on one thread
_NOTHING_YET, _PAGE = c.c_void_p(0), 4096


class Unsupported(Exception):
    """oneDNN has no kernel for this."""


class _Argument(c.Structure):
    _fields_ = [("place", c.c_int), ("memory", c.c_void_p)]


class _Version(c.Structure):
    _fields_ = [("major", c.c_int), ("minor", c.c_int), ("patch", c.c_int)]


def version(library):
    """(major, minor) of the library."""
    library.dnnl_version.restype = c.POINTER(_Version)
    version = library.dnnl_version().contents
    return version.major, version.minor


def _paths():
    """Yield possible paths of the library: in the package, and by name for the system's loader."""
    try:
        files = metadata.files(PACKAGE) or ()
    except metadata.PackageNotFoundError:
        files = ()
    yield from (str(file.locate()) for file in files if file.name == _NAME)
    yield _NAME


@functools.cache
def load() -> Any:
    """Return the library; None if it is missing, with a warning on Linux x86-64, which needs it."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        return None
    reason = ""
    for path in _paths():
        try:
            library = c.CDLL(path)
            major, minor = version(library)
            if major == MAJOR:
                library.dnnl_primitive_desc_query_md.restype = c.c_void_p
                library.dnnl_memory_desc_get_size.restype = c.c_size_t
                library.omp_get_max_threads.argtypes = ()
                library.omp_set_num_threads.argtypes = (c.c_int,)
                return library
            reason = f"its version is {major}.{minor}, not {MAJOR}"
        except (OSError, AttributeError) as error:
            reason = str(error)
    warn(
        f"oneDNN cannot be used ({reason}), so convolutions run on XLA's own kernels, which are "
        f"slower. Remedy: pip install {PACKAGE}"
    )
    return None


class _Object(c.c_void_p):
    """An object from a oneDNN constructor; destroyed with this handle."""

    destroy: Any = None

    def __del__(self):
        if self.destroy is not None:
            self.destroy()


def create(constructor, *args):
    """Create a oneDNN object; the constructor stores its address at its first argument."""
    result = _Object()
    status = getattr(load(), constructor)(c.byref(result), *args)
    if status in _NO_KERNEL:
        raise Unsupported(f"{constructor}: {_STATUS[status]}")
    _check(status, constructor)
    destroy = getattr(load(), _destructor(constructor))
    result.destroy = functools.partial(destroy, c.c_void_p(result.value))
    return result


def _destructor(constructor):
    kinds = (
        "memory_desc",
        "primitive_desc",
        "primitive_attr",
        "primitive",
        "memory",
        "engine",
        "stream",
    )
    kind = next(kind for kind in kinds if f"_{kind}_create" in constructor)
    return f"dnnl_{kind}_destroy"


def _check(status, function):
    if status:
        raise RuntimeError(f"oneDNN's {function}: {_STATUS.get(status, status)}")


@functools.cache
def engine():
    return create("dnnl_engine_create", _CPU, c.c_size_t(0))


_thread = threading.local()


def _stream():
    """Return this thread's stream."""
    if not hasattr(_thread, "stream"):
        _thread.stream = create("dnnl_stream_create", engine(), _IN_ORDER)
    return _thread.stream


@functools.cache
def single_threads():
    """Return (a pool, the number of its threads): the threads that oneDNN would use, each of which
    runs oneDNN on one thread."""
    library = load()
    count = library.omp_get_max_threads()
    return ThreadPoolExecutor(count, "onednn", library.omp_set_num_threads, (1,)), count


def integers(values):
    return (c.c_int64 * len(values))(*values)


def layout(shape, dtype, strides=None):
    """Create a memory descriptor; without strides, the primitive chooses the layout."""
    args = len(shape), integers(shape), TYPES[dtype]
    if strides is None:
        return create("dnnl_memory_desc_create_with_tag", *args, _ANY_LAYOUT)
    return create("dnnl_memory_desc_create_with_strides", *args, integers(strides))


@functools.cache
def attributes():
    """Create attributes for scratch memory from the caller, so that several threads can run one
    primitive."""
    result = create("dnnl_primitive_attr_create")
    function = "dnnl_primitive_attr_set_scratchpad_mode"
    _check(getattr(load(), function)(result, _CALLERS_SCRATCHPAD), function)
    return result


def argument_desc(primitive_desc, arg):
    """Return the memory descriptor of an argument, in the layout that the primitive chose."""
    desc = load().dnnl_primitive_desc_query_md(primitive_desc, _ARGUMENT_DESC, arg)
    return c.c_void_p(desc)


def size_of(desc):
    """Return the bytes of memory that a descriptor describes."""
    return load().dnnl_memory_desc_get_size(desc)


def whole_pages(count):
    """Round a number of bytes, or an address, up to whole pages."""
    return -(-count // _PAGE) * _PAGE


def _memory(desc, data):
    return create("dnnl_memory_create", desc, engine(), data)


@contextlib.contextmanager
def on_one_thread(is_small):
    """Create and run primitives in this block on one thread if `is_small`: waking others takes
    about 50 us, and they compete with XLA's threads."""
    threads = load().omp_get_max_threads()
    load().omp_set_num_threads(1 if is_small else threads)
    try:
        yield
    finally:
        load().omp_set_num_threads(threads)


_workspaces = []  # unused memory blocks, at most one for each concurrent call


def _workspace(size):
    """Return (memory with at least `size` bytes from a page boundary on, the address of that
    boundary)."""
    try:
        workspace = _workspaces.pop()
    except IndexError:
        workspace = np.empty(0, np.uint8), 0
    if workspace[0].nbytes < size + _PAGE:
        del workspace  # before the larger one is allocated
        array = np.empty(size + _PAGE, np.uint8)
        workspace = array, whole_pages(array.ctypes.data)
    return workspace


class Kernel:
    """A primitive, with reorders before and after it of arguments whose layouts it chooses.

    `layouts`: {argument: its descriptor in the program}; `written`: the arguments that are results;
    `is_small`: create and run the primitive on one thread. Scratch memory is an argument of the
    program, or else part of a workspace, with the reordered arguments.
    """

    def __init__(self, primitive_desc, layouts, written, is_small):
        self.is_small = is_small
        with on_one_thread(is_small):
            self.primitive = create("dnnl_primitive_create", primitive_desc)
        self.primitive_desc = primitive_desc  # owns the descriptors queried from it
        self.outer, self.chosen, self.before, self.after = layouts, {}, {}, {}
        self.contexts = []  # unused memory objects
        for arg, desc in layouts.items():
            chosen = argument_desc(primitive_desc, arg)
            if not load().dnnl_memory_desc_equal(desc, chosen):
                self.chosen[arg] = chosen
                ends = (chosen, desc) if arg in written else (desc, chosen)
                args = ends[0], engine(), ends[1], engine(), None
                is_small = load().dnnl_memory_desc_get_size(desc) <= _SMALL
                with on_one_thread(is_small):
                    reorder = create("dnnl_reorder_primitive_desc_create", *args)
                    primitive = create("dnnl_primitive_create", reorder)
                steps = self.after if arg in written else self.before
                steps[arg] = primitive, is_small
        self.inner, self.offsets, self.size = dict(self.chosen), {}, 0
        if SCRATCHPAD not in layouts:
            self.inner[SCRATCHPAD] = argument_desc(primitive_desc, SCRATCHPAD)
        for arg, desc in self.inner.items():
            self.offsets[arg] = self.size
            self.size += whole_pages(size_of(desc))

    def _context(self):
        """Return (memory objects of the program, memory objects in the workspace, both by argument;
        the steps: (primitive, whether it runs on one thread, argument count, arguments))."""
        outer, chosen = (
            {arg: _memory(desc, _NOTHING_YET) for arg, desc in descs.items()}
            for descs in (self.outer, self.inner)
        )
        inner = {**outer, **chosen}
        steps = [
            *((*run, {_FROM: outer[arg], _TO: chosen[arg]}) for arg, run in self.before.items()),
            (self.primitive, self.is_small, inner),
            *((*run, {_FROM: chosen[arg], _TO: outer[arg]}) for arg, run in self.after.items()),
        ]
        return (
            outer,
            chosen,
            [
                (run, is_small, len(args), (_Argument * len(args))(*args.items()))
                for run, is_small, args in steps
            ],
        )

    def __call__(self, addresses):
        """Run on {argument: address}; several threads may do so at once."""
        library, stream = load(), _stream()
        try:
            context = self.contexts.pop()
        except IndexError:
            context = self._context()
        outer, chosen, steps = context
        workspace = _workspace(self.size)
        for arg, address in addresses.items():
            library.dnnl_memory_set_data_handle(outer[arg], c.c_void_p(address))
        for arg, offset in self.offsets.items():
            library.dnnl_memory_set_data_handle(chosen[arg], c.c_void_p(workspace[1] + offset))
        threads = library.omp_get_max_threads()
        for run, is_small, count, args in steps:
            library.omp_set_num_threads(1 if is_small else threads)
            status = library.dnnl_primitive_execute(run, stream, count, args)
            library.omp_set_num_threads(threads)
            _check(status, "dnnl_primitive_execute")
        _check(library.dnnl_stream_wait(stream), "dnnl_stream_wait")
        _workspaces.append(workspace)
        self.contexts.append(context)
