"""`enable_dynamic`: captured functions with dynamic argument sizes."""

import functools
import inspect
import types

from sporax._src.capture.graph_capture.jit import JitFunction
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import UnknownShape
from sporax._src.diagnosis.rules import rejection, require


def enable_dynamic(**kwargs):
    """Decorator for functions under `jit`: the None sizes in `name=Tensor(shape=[None, 16],
    dtype=...)` are dynamic (all of them for `shape=None`), sharing one recording and few programs.

    Each keyword names a parameter; its value is such a Tensor, or a tuple or list of them. Other
    dynamic sizes are also detected, as by `jit(dynamic=1)`.

    >>> @enable_dynamic(x=Tensor(shape=[None], dtype=ms.float32))
    ... @jit
    ... def total(x):
    ...     return x.sum()
    >>> [float(total(ops.ones(n))) for n in (2, 3, 4)]
    [2.0, 3.0, 4.0]
    """
    require(kwargs, "keyword-arguments", "enable_dynamic")
    for name, described in kwargs.items():
        is_described = isinstance(described, (Tensor, tuple, list))
        tensors = list(tensors_of(described)) if is_described else []
        is_unknown = any(isinstance(t._value, UnknownShape) for t in tensors)
        fields = {"argument": name, "got": described}
        require(is_unknown, "tensor-unknown-size-tuple", "enable_dynamic", **fields)
    return functools.partial(_with_dynamic_shapes, frozenset(kwargs))


def _with_dynamic_shapes(names, function):
    is_one = isinstance(function, (JitFunction, types.FunctionType, types.MethodType))
    require(is_one, "decorated-object-function-method", "enable_dynamic", got=function)
    unknown = names - inspect.signature(function).parameters.keys()
    if unknown:
        name, got = getattr(function, "__name__", function), min(unknown)
        raise rejection("keyword-arguments-parameters", "enable_dynamic", function=name, got=got)
    if isinstance(function, JitFunction):
        return JitFunction(function.fn, function.fullgraph, True)
    inspect.unwrap(function)._has_dynamic_shapes = True  # `jit` above this decorator reads it
    return function
