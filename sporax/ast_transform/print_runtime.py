"""Python's `print` in a function that is being captured: shown at each run.

While a function is captured, `builtins.print` is replaced, so that each `print` is recorded, with
Tensors or without, in lambdas and in functions without source too. Texts that are formatted before
`print` is called (f-strings) are converted in the source: see `ast_transform.ast_prints`.
"""

import builtins
import contextlib
import functools
import operator
import os
import sys
import threading

from sporax.ast_transform.runtime_functions import runtime_function
from sporax.core.environment import Process
from sporax.core.errors import is_users
from sporax.core.tensor import Tensor
from sporax.core.tree import tensors_of
from sporax.core.value import thread
from sporax.staging.deferred_print import Later, deferrable, show, with_present_values
from sporax.staging.graph_break import CAUSES, CONCRETE_VALUE, OTHER_FILE, TEXT

_STREAMS = ("stdout", "stderr")
_LIBRARY = os.path.dirname(os.__file__)  # Python's own, where debuggers and tracebacks print


@contextlib.contextmanager
def print_replaced():
    """In the block, `builtins.print` defers what captured functions print."""
    block = object()
    try:
        with _lock:
            _blocks.add(block)
            if not hasattr(builtins.print, "takes_text"):
                builtins.print = _capturing(builtins.print)
        yield
    finally:
        with _lock:
            _blocks.discard(block)
            if not _blocks and hasattr(builtins.print, "takes_text"):
                builtins.print = builtins.print.replaced


_lock = threading.RLock()
Process.locks.append(_lock)
_blocks = set()  # those that are open, in all threads


def _capturing(printer):
    """The replacement of the function `printer` while functions are captured."""
    streams = {id(getattr(sys, name)): name for name in _STREAMS}

    def printed(*objects, sep=" ", end="\n", file=None, flush=False):
        tracer = thread.recorder.tracer
        stream = streams.get(id(sys.stdout if file is None else file))
        if tracer is not None and stream is None:
            tracer.to_host(thread.recorder)  # a reader of the file expects the text at once
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
    """Whether the user's code calls `print`, rather than a library or a debugger."""
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
    """Whether the texts of this function are deferred to each run."""
    return getattr(printer, "takes_text", False)


@runtime_function(TEXT)
def text(printer, function, *args, **kwargs):
    """`function(*args, **kwargs)`, an argument of a call of `printer`: a string or scalar, deferred
    to the run where it depends on Tensors."""
    is_known = function in _OF_TENSORS or isinstance(getattr(function, "__self__", None), str)
    call = Later(function, args, kwargs)
    if not is_known or not _waits(printer, call):
        return call.value()
    return with_present_values(call)


@runtime_function(CONCRETE_VALUE)
def concrete_value(printer, thing, name):
    """`thing.name()`, an argument of a call of `printer`, where the method reads a Tensor."""
    call = Later(operator.methodcaller(name), (thing,), {})
    if not isinstance(thing, (Tensor, Later)) or not _waits(printer, call):
        return call.value()
    return with_present_values(call)


def _waits(printer, call):
    is_captured = thread.recorder.tracer is not None and is_shown(printer)
    return is_captured and bool(tensors_of(call))
