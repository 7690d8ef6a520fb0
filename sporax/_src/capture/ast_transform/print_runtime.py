"""Python's `print` in captured functions: its output appears at each run.

During a capture `builtins.print` is replaced, so that each `print` is recorded, with or without
Tensors, also in lambdas and in functions without source. Strings that are formatted before `print`
is called (f-strings) are converted in the source: see `ast_transform.ast_prints`.
"""

import builtins
import contextlib
import functools
import operator
import os
import sys
import threading

from sporax._src.capture.ast_transform.runtime_functions import runtime_function
from sporax._src.capture.staging.deferred_print import Later, deferrable, show, with_present_values
from sporax._src.capture.staging.graph_break import CAUSES, CONCRETE_VALUE, OTHER_FILE, TEXT
from sporax._src.core.environment import Process
from sporax._src.core.errors import is_users
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import thread

_STREAMS = ("stdout", "stderr")
_LIBRARY = os.path.dirname(os.__file__)  # standard library: debuggers and tracebacks print there


@contextlib.contextmanager
def print_replaced():
    """Replace `builtins.print` in the block, so that prints of captured functions are deferred."""
    block = object()
    try:
        _replace(block)
        yield
    finally:
        _restore(block)


_lock = threading.RLock()
Process.locks.append(_lock)
_blocks = set()  # the open ones of all threads


@uninterrupted
def _replace(block):
    with _lock:
        _blocks.add(block)
        if not hasattr(builtins.print, "takes_text"):
            builtins.print = _capturing(builtins.print)


@uninterrupted
def _restore(block):
    with _lock:
        _blocks.discard(block)
        if not _blocks and hasattr(builtins.print, "takes_text"):
            builtins.print = builtins.print.replaced


def _capturing(printer):
    """Return the replacement for the function `printer` during a capture."""
    streams = {id(getattr(sys, name)): name for name in _STREAMS}

    def printed(*objects, sep=" ", end="\n", file=None, flush=False):
        tracer = thread.recorder.tracer
        stream = streams.get(id(sys.stdout if file is None else file))
        if tracer is not None and stream is None:
            tracer.to_host(thread.recorder)  # readers of the file expect the text immediately
            tracer = None
        if tracer is None or not _is_users(sys._getframe(1)):
            return printer(*objects, sep=sep, end=end, file=file, flush=flush)
        print_later = functools.partial(_print, stream, sep, end, flush)
        text = functools.partial(_joined, sep, end)
        return show(print_later, text, [deferrable(item) for item in objects])

    printed.takes_text, printed.replaced = True, printer
    return printed


CAUSES["printed"] = OTHER_FILE  # the function above


def _is_users(frame):
    """Return True if a frame is user code, not a library or a debugger."""
    file = frame.f_code.co_filename
    is_pythons = file.startswith(_LIBRARY) and "-packages" not in file
    return is_users(frame) and not is_pythons


def _print(stream, sep, end, flush, objects):
    builtins.print(*objects, sep=sep, end=end, file=getattr(sys, stream), flush=flush)


def _joined(sep, end, objects):
    sep, end = " " if sep is None else sep, "\n" if end is None else end
    return sep.join(map(str, objects)) + end


# called by converted functions for the arguments of a `print` -------------------------------------

_OF_TENSORS = (str, repr, float, int)


def is_shown(printer):
    """Return True if the output of this function is deferred to each run."""
    return getattr(printer, "takes_text", False)


@runtime_function(TEXT)
def text(printer, function, *args, **kwargs):
    """Return `function(*args, **kwargs)`, an argument of a call of `printer`: a string or scalar,
    deferred to the run if it depends on Tensors."""
    is_known = function in _OF_TENSORS or isinstance(getattr(function, "__self__", None), str)
    call = Later(function, args, kwargs)
    if not is_known or not _waits(printer, call):
        return call.value()
    return with_present_values(call)


@runtime_function(CONCRETE_VALUE)
def concrete_value(printer, thing, name):
    """Return `thing.name()`, an argument of a call of `printer`; deferred if `thing` is a Tensor or
    deferred."""
    call = Later(operator.methodcaller(name), (thing,), {})
    if not isinstance(thing, (Tensor, Later)) or not _waits(printer, call):
        return call.value()
    return with_present_values(call)


def _waits(printer, call):
    is_captured = thread.recorder.tracer is not None and is_shown(printer)
    return is_captured and bool(tensors_of(call))
