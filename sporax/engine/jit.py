"""`jit`: a function that runs as one program, captured anew when what it depends on changes."""

import functools
import inspect

import numpy as np

from sporax.core.parameter import Parameter
from sporax.core.tensor import Tensor
from sporax.core.tree import map_tensors
from sporax.core.value import thread
from sporax.engine.capture import capture
from sporax.engine.recorder import run_pending, wrap


class Changes:
    """Counts changes to Cells (attributes, modes, hooks); a graph is looked at again after one."""

    count = 0


class Variant:
    """A graph, the shape of its result, and until when it is known to hold."""

    __slots__ = ("checked", "graph", "outside", "result")

    def __init__(self, graph, result, outside):
        self.graph, self.result, self.outside = graph, result, outside
        self.checked = Changes.count


class JitFunction:
    """A captured function; see `jit`."""

    MOST_VARIANTS = 128  # kinds of arguments remembered

    def __init__(self, fn):
        functools.update_wrapper(self, fn, updated=())
        self.name = getattr(fn, "__name__", type(fn).__name__)
        self.fn = fn
        self.variants = {}
        self.dynamic = False
        self.captures = 0

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return functools.partial(self, instance)

    def __call__(self, *args, **kwargs):
        if self.dynamic or thread.recorder.capture is not None or thread.tape is not None:
            return self.fn(*args, **kwargs)
        tensors, seen = [], {}
        key = _key((args, tuple(kwargs.items())), tensors, seen)
        outside = self._outside()
        variants = self.variants.pop(key, None)
        if variants is None:
            variants = []
            if len(self.variants) >= self.MOST_VARIANTS:
                del self.variants[next(iter(self.variants))]
        self.variants[key] = variants  # the one used last comes last
        for variant in variants:
            if self._holds(variant, outside):
                return _run(variant, tensors)
        self.captures += 1
        result, graph = capture(self.name, self.fn, args, kwargs, tensors)
        if graph is None:
            self.dynamic = True
            return result
        shape = map_tensors(lambda _: _PLACE, result)
        variant = Variant(graph, shape, outside)
        variants.insert(0, variant)
        return _run(variant, tensors)

    def _holds(self, variant, outside):
        if any(a is not b for a, b in zip(variant.outside, outside, strict=True)):
            return False
        if variant.checked != Changes.count:
            if not variant.graph.holds():
                return False
            variant.checked = Changes.count
        return True

    def _outside(self):
        """What the function's closure and the globals it names refer to now."""
        fn = inspect.unwrap(self.fn)
        code = getattr(fn, "__code__", None)
        if code is None:
            return []
        found = []
        for cell in fn.__closure__ or ():
            try:
                found.append(cell.cell_contents)
            except ValueError:  # a name not bound yet
                found.append(None)
        names = fn.__globals__
        return found + [names[n] for n in code.co_names if n in names]


def _run(variant, tensors):
    values = iter(variant.graph(tensors))
    run_pending()
    return map_tensors(lambda _: wrap(next(values)), variant.result)


_PLACE = wrap(None)  # stands for a Tensor in the shape of a result


def _key(obj, tensors, seen):
    """What a call's arguments must share for one graph to serve them; collects their Tensors."""
    if isinstance(obj, Tensor):
        first = seen.setdefault(id(obj), len(tensors))
        same = first != len(tensors)
        tensors.append(obj)
        if isinstance(obj, Parameter):
            return obj._value.aval, first, id(obj)
        return (obj._value.aval, first) if same else obj._value.aval
    if isinstance(obj, (tuple, list)):
        return (obj.__class__, *[_key(item, tensors, seen) for item in obj])
    if isinstance(obj, dict):
        return (dict, *[(k, _key(v, tensors, seen)) for k, v in obj.items()])
    if isinstance(obj, np.ndarray):
        return obj.shape, obj.dtype, obj.tobytes()
    try:
        hash(obj)
    except TypeError:
        return obj.__class__, id(obj)
    return obj.__class__, obj


def jit(
    function=None, *, capture_mode="ast", jit_level="O0", dynamic=0, fullgraph=False, backend="",
    **options,
):  # fmt: skip
    """Compile a function (or method) into one program.

    The first call runs it once and records it. Everything it touches is followed: arguments in any
    nesting of tuples, lists and dicts, Parameters and other Tensors from Cells, closures and
    globals. Later calls run the recorded program; changed shapes, dtypes, Python values or Cell
    modes record anew. Where the function needs a number (`asnumpy`, `if` on a Tensor) it runs
    dynamically, with a warning that names the line.

    `capture_mode`, `jit_level`, `dynamic`, `backend` and further options are accepted as MindSpore
    has them and change nothing: there is one way of capturing, and one compiler. `fullgraph` is not
    there yet.

    >>> jit(lambda x: x * x + 1)(Tensor([3.0])).asnumpy()
    array([10.], dtype=float32)
    """
    if fullgraph:
        raise NotImplementedError(
            "For 'jit', fullgraph=True is not done yet: a function that cannot be captured whole "
            "runs dynamically, with a warning. Leave 'fullgraph' out."
        )
    if function is None:
        return functools.partial(
            jit, capture_mode=capture_mode, jit_level=jit_level, dynamic=dynamic, backend=backend
        )
    if isinstance(function, JitFunction):
        return function
    if not callable(function):
        raise TypeError(
            f"For 'jit', 'function' must be callable, but got {type(function).__name__}."
        )
    return JitFunction(function)
