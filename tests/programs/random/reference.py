"""The names of a random program's text, by NumPy in float64."""

import numpy as np
from scipy import special

from tests.storage.view_programs import NUMPY, PARTS

MARGIN = 1e-3


class Uncertain(Exception):
    """A float32 computation may decide a comparison the other way."""


def _array(x):
    return x.array if isinstance(x, Array) else np.asarray(x, np.float64)


def _own(x):
    return Array(np.array(x, np.float64, order="C"))


written = []  # the memory that programs have written to


def memory(array):
    """The array that owns the elements of a view."""
    return array if array.base is None else memory(array.base)


class Array:
    """A Tensor: elements in memory that its views share."""

    def __init__(self, array):
        self.array = array

    shape = property(lambda self: self.array.shape)
    ndim = property(lambda self: self.array.ndim)

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        return Array(NUMPY["__getitem__"](self.array, *index))

    def __setitem__(self, index, value):
        written.append(memory(self.array))
        self.array[index] = _array(value)

    def __len__(self):
        return len(self.array)

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def __bool__(self):
        return bool(self.array)

    def item(self):
        return self.array.item()

    def register_hook(self, hook):
        return None


def _binary(function, swapped=False):
    def run(self, other):
        operands = (other, self) if swapped else (self, other)
        return _own(function(*map(_array, operands)))

    return run


def _comparison(function):
    def run(self, other):
        if np.min(np.abs(_array(self) - _array(other)), initial=1) < MARGIN:
            raise Uncertain
        return Array(np.asarray(function(_array(self), _array(other))))

    return run


def _in_place(function):
    def run(self, *arguments):
        written.append(memory(self.array))
        self.array[...] = function(self.array, *map(_array, arguments))
        return self

    return run


for _name, _function in {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide,
    "matmul": np.matmul, "pow": np.power,
}.items():  # fmt: skip
    setattr(Array, f"__{_name}__", _binary(_function))
    setattr(Array, f"__r{_name}__", _binary(_function, swapped=True))
for _name, _function in {
    "gt": np.greater, "lt": np.less, "ge": np.greater_equal, "le": np.less_equal
}.items():  # fmt: skip
    setattr(Array, f"__{_name}__", _comparison(_function))
Array.__neg__ = lambda self: _own(-self.array)
for _name, _function in {
    "add_": np.add, "sub_": np.subtract, "mul_": np.multiply, "exp_": np.exp,
    "fill_": lambda x, value: value, "zero_": lambda x: 0, "copy_": lambda x, y: y,
    "clamp_": lambda x, low, high: np.clip(x, low, high),
}.items():  # fmt: skip
    setattr(Array, _name, _in_place(_function))


def _view(name):
    def run(self, *arguments):
        return Array(NUMPY[name](self.array, *arguments))

    def parts(self, *arguments):
        return [Array(part) for part in NUMPY[name](self.array, *arguments)]

    return parts if name in PARTS else run


for _name in NUMPY:
    if _name != "__getitem__":
        setattr(Array, _name, property(_view(_name)) if _name == "T" else _view(_name))


def _softmax(x, axis):
    return special.softmax(x, axis)


def _tril(x):
    rows, columns = x.shape[-2:]
    return x * np.tri(rows, columns)


# function of `ops` -> by NumPy, of arrays
FUNCTIONS = {
    "tanh": np.tanh, "exp": np.exp, "sin": np.sin, "cos": np.cos, "square": np.square,
    "abs": np.abs, "relu": lambda x: np.maximum(x, 0), "sigmoid": special.expit, "erf": special.erf,
    "softplus": lambda x: np.logaddexp(x, 0), "atan": np.arctan, "log": np.log, "sqrt": np.sqrt,
    "gelu": lambda x: x * special.ndtr(x), "rsqrt": lambda x: 1 / np.sqrt(x),
    "maximum": np.maximum, "minimum": np.minimum, "where": np.where, "matmul": np.matmul,
    "softmax": _softmax, "log_softmax": special.log_softmax,
    "logsumexp": lambda x, axis: special.logsumexp(x, axis), "cumsum": np.cumsum,
    "flip": np.flip, "roll": np.roll, "concat": lambda xs, axis: np.concatenate(xs, axis),
    "stack": np.stack, "expand_dims": np.expand_dims, "tile": np.tile, "outer": np.outer,
    "sum": lambda x, axis=None, keepdim=False: x.sum(axis, keepdims=keepdim),
    "mean": lambda x, axis=None, keep_dims=False: x.mean(axis, keepdims=keep_dims),
    "prod": lambda x, axis=None: x.prod(axis),
    "amax": lambda x, axis: x.max(axis), "amin": lambda x, axis: x.min(axis),
    "clamp": np.clip, "broadcast_to": np.broadcast_to, "masked_fill": lambda x, m, v: np.where(
        np.asarray(m, bool), v, x
    ), "gather": lambda x, i, axis: np.take(x, np.asarray(i, int), axis),
    "zeros_like": np.zeros_like, "ones_like": np.ones_like, "addcmul": lambda x, a, b, value: (
        x + value * a * b
    ), "lerp": lambda x, y, w: x + w * (y - x), "diff": np.diff, "stop_gradient": lambda x: x,
    "tril": _tril, "trace": np.trace,
}  # fmt: skip


def _function(function):
    def unwrapped(x):
        return x.array if isinstance(x, Array) else [*map(unwrapped, x)] if _is_nested(x) else x

    def run(*args, **kwargs):
        return _own(function(*map(unwrapped, args), **kwargs))

    return run


def _is_nested(x):
    return isinstance(x, (tuple, list)) and any(isinstance(item, Array) for item in x)


class _Space:
    def __init__(self, functions):
        self.__dict__.update(functions)


class Cell:
    """A Cell, whose `bprop` is taken to be right."""

    def __call__(self, *inputs):
        return self.construct(*inputs)


def _assign(target, value):
    target[...] = value


def names():
    """The global names of a program."""
    return {
        "ops": _Space({name: _function(f) for name, f in FUNCTIONS.items()} | {"assign": _assign}),
        "nn": _Space({"Cell": Cell, "CellList": list}),
        "Parameter": lambda x, name=None: x,
        "Tensor": _own,
    }
