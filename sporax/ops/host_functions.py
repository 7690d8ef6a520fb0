"""Python functions as Primitives: run on the host, or recorded as their operations."""

import functools
import types
from typing import Any

import numpy as np

from sporax._src.core.signature_errors import fitting_method
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.transforms.autodiff.function import Function
from sporax.ops.custom import Custom
from sporax.ops.declare import FUNCTIONS, PRIMITIVES, composite
from sporax.ops.primitive import Primitive

_DEVICE = kinds.one_of("CPU", "Ascend", "GPU")
_REGISTRATION = kinds.optional(kinds.instance((str, dict, tuple), "a-string-dict-or-tuple"))


class PyFunc(Primitive):
    """An operation that calls a function on NumPy arrays; `op((x, y))` or `op(x, y)` returns a
    tuple of Tensors.

    `in_types`, `in_shapes`, `out_types`, `out_shapes`: a dtype and a shape for each input and each
    result. The function runs on the host on each call; `stateful`: ignored.

    >>> kinds, shapes = [sporax.float32], [(2,)]
    >>> add = ops.PyFunc(lambda x, y: x + y, kinds * 2, shapes * 2, kinds, shapes)
    >>> add((Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))[0].asnumpy()
    array([4., 6.], dtype=float32)
    """

    def __init__(self, fn, in_types, in_shapes, out_types, out_shapes, stateful=True):
        super().__init__("PyFunc")
        kinds.FUNCTION("PyFunc", fn=fn)
        for types_, shapes, side in ((in_types, in_shapes, "in"), (out_types, out_shapes, "out")):
            given = {"argument": f"{side}_types", "side": side}
            are_lists = all(isinstance(x, tuple | list) for x in (types_, shapes))
            require(are_lists, "shapes-lists", "PyFunc", **given)
            given = {"argument": f"{side}_shapes", "got": len(shapes), "count": len(types_)}
            require(len(types_) == len(shapes), "as-many-as-types", "PyFunc", side=side, **given)
        self.in_types, self.in_shapes = list(in_types), [tuple(s) for s in in_shapes]
        self.out_types, self.out_shapes = list(out_types), [tuple(s) for s in out_shapes]

        def on_host(*arrays):
            returned = fn(*arrays)
            returned = returned if isinstance(returned, tuple | list) else (returned,)
            return tuple(returned) if self.out_types else np.zeros((1,), np.int32)

        shapes = tuple(self.out_shapes) or (1,)
        self._custom = Custom(on_host, shapes, tuple(self.out_types) or None)

    def __call__(self, *inputs):
        if len(inputs) == 1 and isinstance(inputs[0], tuple | list):
            inputs = tuple(inputs[0])
        given = [(x.dtype, x.shape) for x in inputs if isinstance(x, Tensor)]
        wanted = list(zip(self.in_types, self.in_shapes, strict=True))
        require(given == wanted, "inputs-tensors", "PyFunc", wanted=wanted, got=given)
        outs = self._custom(*inputs)
        return outs if isinstance(outs, tuple) else (outs,)


class PyExecute(Primitive):
    """Evaluate a Python expression: `PyExecute()("a + b", ("a", "b"), (x, y))`.

    >>> ops.PyExecute()("a + b", ("a", "b"), (Tensor([1.0]), 2)).asnumpy()
    array([3.], dtype=float32)
    """

    def __init__(self):
        super().__init__("PyExecute")

    def __call__(self, script, local_keys, local_values):
        kinds.STR("PyExecute", script=script)
        count, got = len(local_keys), len(local_values)
        require(count == got, "value-names", "PyExecute", count=count, got=got)
        return eval(script, {}, dict(zip(local_keys, local_values, strict=True)))


class Morph(Primitive):
    """A function as a Primitive, recorded as its operations.

    `infer_shape`, `infer_dtype`: ignored; tracing `fn` determines both. `bprop_fn(*inputs, out,
    dout)`: returns the gradients, a tuple; `fn` must then have only positional parameters without
    defaults.

    >>> same = lambda *args: args
    >>> ops.Morph(lambda x: x * 2, same, same)(Tensor([3.0])).asnumpy()
    array([6.], dtype=float32)
    """

    def __init__(self, fn, infer_shape, infer_dtype, bprop_fn=None):
        super().__init__("Morph")
        kinds.FUNCTION("Morph", fn=fn)
        self.fn, self._apply = fn, fn
        self.bprop_fn: Any = bprop_fn
        if bprop_fn is not None:
            kinds.FUNCTION("Morph", bprop_fn=bprop_fn)
            members = {
                "forward": staticmethod(self._forward),
                "backward": staticmethod(self._backward),
            }
            self._apply = type("Morph", (Function,), members).apply

    def _forward(self, ctx, *inputs):
        ctx.inputs, ctx.output = inputs, self.fn(*inputs)
        return ctx.output

    def _backward(self, ctx, *grads):
        dout = grads if isinstance(ctx.output, tuple) else grads[0]
        return self.bprop_fn(*ctx.inputs, ctx.output, dout)

    def __call__(self, *args, **kwargs):
        return self._apply(*args, **kwargs)


class Reusing(Primitive):
    """Return the argument: XLA decides which results to reuse.

    >>> ops.Reusing()(len)([1, 2])
    2
    """

    def __init__(self):
        super().__init__("Reusing")

    @fitting_method
    def __call__(self, x):
        return x


class UpdateState(Primitive):
    """Return the first argument: side effects occur in program order.

    >>> ops.UpdateState()(3, Tensor([1.0]))
    3
    """

    def __init__(self):
        super().__init__("UpdateState")

    def __call__(self, *args):
        return args[0]


@composite(
    function="move_to(input, to='CPU', blocking=True)",
    primitive="MoveTo()(input, to='CPU', blocking=True)",
)
def move_to(input, to="CPU", blocking=True):
    """Convert `input`, a Tensor or ints, to a Tensor on the device `to`: 'CPU', or 'Ascend' or
    'GPU', which both mean the computing device. XLA keeps the contents where they are used.

    `blocking`: ignored.

    >>> ops.move_to((1, 2)).asnumpy()
    array([1, 2])
    """
    _DEVICE("move_to", to=to)
    return input.copy() if isinstance(input, Tensor) else Tensor(input)


def _ms_pyfunc(infer_func) -> Any:
    """Return a decorator that converts a Python function on Tensors and numbers to a Primitive.

    `infer_func`: ignored; the function's result determines shape and dtype.

    >>> @ops._ms_pyfunc(lambda x: x)
    ... def twice(x: Tensor) -> Tensor:
    ...     return x * 2
    >>> twice(Tensor([3.0])).asnumpy(), twice
    (array([6.], dtype=float32), Prim[PyCallback_twice])
    """
    kinds.FUNCTION("_ms_pyfunc", infer_func=infer_func)

    def decorate(function):
        kinds.FUNCTION("_ms_pyfunc", pyfunc_fn=function)
        name = f"PyCallback_{function.__name__}"
        members = {"__call__": lambda self, *args: function(*args), "__doc__": function.__doc__}
        return type(name, (Primitive,), members)(name)

    return decorate


# kernels in Python ----------------------------------------------------------------------------


class _Scope:
    """A `with` block of a kernel that sets its schedule."""

    def __init__(self, *settings):
        self.settings = settings

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def _erf(x):
    from scipy import special  # importing it takes 0.1 s

    return special.erf(x)


def _allocate(shape, dtype, scope=None):
    return np.zeros(shape, dtype)


# the functions that kernels may call, by name
_INTRINSICS = {
    "allocate": _allocate, "output_tensor": _allocate, "grid": np.ndindex,
    "attr": _Scope, "block_realize": _Scope,
    **dict.fromkeys(["range", "serial", "vectorize", "parallel", "reduce"], range),
    "rsqrt": lambda x: 1 / np.sqrt(x), "erf": _erf, "atan": np.arctan, "atan2": np.arctan2,
    "ceil_div": lambda a, b: -(-a // b),
    **{name: getattr(np, name) for name in (
        "sqrt", "sign", "log", "tanh", "exp", "abs", "power", "isnan", "isinf", "isfinite", "sin",
        "cos", "expm1", "floor", "ceil", "trunc", "round", "int8", "int16", "int32", "int64",
        "float16", "float32", "float64",
    )},
}  # fmt: skip


def kernel(fn=None, reg_info=None, compile_attrs=None) -> Any:
    """Decorate a kernel in MindSpore's Hybrid DSL: it becomes a function on NumPy arrays, for
    `Custom` or to be called, in which the DSL's functions are defined: `output_tensor(shape,
    dtype)`, `allocate`, `grid`, `serial`, `parallel`, `block_realize`, `attr`, `exp`, `rsqrt`, ...

    `reg_info`: kept as an attribute; `compile_attrs`: ignored, as nothing is compiled.

    >>> @ops.kernel
    ... def twice(a):
    ...     y = output_tensor(a.shape, a.dtype)
    ...     for i in grid(a.shape):
    ...         y[i] = a[i] * 2
    ...     return y
    >>> twice(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    kinds.optional(kinds.DICT)("kernel", compile_attrs=compile_attrs)
    _REGISTRATION("kernel", reg_info=reg_info)
    if fn is None:
        return lambda function: kernel(function, reg_info, compile_attrs)
    kinds.FUNCTION("kernel", fn=fn)

    @functools.wraps(fn)
    def run(*args):
        names = {**fn.__globals__, **_INTRINSICS}
        own = fn.__name__, fn.__defaults__, fn.__closure__
        return types.FunctionType(fn.__code__, names, *own)(*args)

    vars(run).update(reg_info=reg_info)
    return run


def ms_kernel(fn=None, reg_info=None, compile_attrs=None) -> Any:
    """Former name of `kernel`.

    >>> ops.ms_kernel(lambda a: a + 1)(np.array([1]))
    array([2])
    """
    return kernel(fn, reg_info, compile_attrs)


FUNCTIONS.update(_ms_pyfunc=_ms_pyfunc, kernel=kernel, ms_kernel=ms_kernel)
PRIMITIVES.update(
    PyFunc=PyFunc, PyExecute=PyExecute, Morph=Morph, Reusing=Reusing, UpdateState=UpdateState
)
