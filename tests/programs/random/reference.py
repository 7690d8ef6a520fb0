"""The global names of random programs, implemented by NumPy in float64."""

import collections
import contextlib
import dataclasses
import functools
import math
import threading

import numpy as np
from scipy import special

import sporax
from tests.programs.random import declared
from tests.storage.view_programs import NUMPY, PARTS

MARGIN = 1e-3  # of comparisons
NOISE = 1e-6  # as float32 computes


class Uncertain(Exception):
    """Raised if a float32 computation may decide a comparison the other way."""


def _array(x):
    return x.array if isinstance(x, Array) else np.asarray(x, np.float64)


def _own(x):
    array = np.array(x, np.float64, order="C")
    if _Run.noise is not None:
        array *= 1 + NOISE * _Run.noise.standard_normal(array.shape)
    return Array(array)


written = []  # the memory that programs have written to


class _Run:
    """The current run: `noise`: a random generator for the error of each result, or None; `tape`:
    (values recorded for later runs, an iterator over the values of an earlier run or None)."""

    noise = None
    tape = None


@contextlib.contextmanager
def noisy():
    """Add an error as in float32 to each result in the block, to show its effects."""
    _Run.noise = np.random.default_rng(0)
    try:
        yield
    finally:
        _Run.noise = None


@contextlib.contextmanager
def repeating(found=None):
    """Repeat the random numbers of an earlier block, and the points at which custom derivatives are
    taken."""
    before, _Run.tape = _Run.tape, ([], None if found is None else iter(found))
    try:
        yield _Run.tape[0]
    finally:
        _Run.tape = before


def _again(values):
    """Return `values()`, or its result in the run that is repeated."""
    if _Run.tape is None:
        return values()
    found, earlier = _Run.tape
    found.append(values() if earlier is None else next(earlier))
    return found[-1]


def _with_derivative(out, x, slope):
    """Return `out`, whose derivative with respect to `x` is defined by `slope(change of x, x,
    out)`."""
    x0, out0 = map(Array, _again(lambda: (x.array.copy(), out.array.copy())))
    if _Run.tape is None or _Run.tape[1] is None:
        return out
    return Array(out0.array + slope(Array(x.array - x0.array), x0, out0).array)


def memory(array):
    """Return the array that owns the elements of a view."""
    return array if array.base is None else memory(array.base)


class Array:
    """A Tensor: elements in memory that its views share."""

    hooks = ()

    def __init__(self, array):
        self.array = array

    shape = property(lambda self: self.array.shape)
    ndim = property(lambda self: self.array.ndim)

    def __getitem__(self, index):
        index = _unwrapped(index if isinstance(index, tuple) else (index,))
        if any(isinstance(i, np.ndarray) for i in index):
            return _own(self.array[index])
        return Array(NUMPY["__getitem__"](self.array, *index))

    def __setitem__(self, index, value):
        written.append(memory(self.array))
        self.array[_unwrapped(index)] = _array(value)

    def __len__(self):
        return len(self.array)

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def __bool__(self):
        return bool(self.array)

    def item(self):
        return self.array.item()

    def float(self):
        return self

    def set_data(self, other):
        written.append(memory(self.array))
        self.array = other.array.copy()  # views keep the memory of before

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return functools.partial(getattr(OPS, name), self)

    def register_hook(self, hook):
        changed = _with_derivative(self, self, lambda change, *_: hook(change))
        self.array[...] = changed.array
        self.hooks = *self.hooks, hook


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
        result = function(self.array, *map(_array, arguments))
        if np.ndim(result) > self.ndim:  # NumPy would leave out leading axes of 1
            raise ValueError("more axes than there are")
        self.array[...] = result
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
Array.__eq__ = lambda self, other: Array(np.equal(_array(self), _array(other)))  # of truth values
Array.__hash__ = object.__hash__
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


def _cumsum(x, axis):
    if not x.ndim:  # NumPy gives an axis to what has none
        raise ValueError("no axis")
    return np.cumsum(x, axis)


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
    "logsumexp": lambda x, axis: special.logsumexp(x, axis), "cumsum": _cumsum,
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
    ), "lerp": lambda x, y, w: x + w * (y - x), "diff": np.diff,
    "tril": _tril, "trace": np.trace,
}  # fmt: skip


def _unwrapped(x):
    if isinstance(x, (tuple, list)):
        return type(x)(map(_unwrapped, x))
    return x.array if isinstance(x, Array) else x


def _function(name, function=None):
    """The function of `ops` with that name: as the samples say, or as written here."""

    def run(*args, **kwargs):
        args = _unwrapped(args)
        out = declared.reference(name, args, kwargs)
        if out is None:
            return _own(function(*args, **kwargs))
        parts = out if isinstance(out, (tuple, list)) else [out]
        parts = [_own(p) if np.asarray(p).dtype.kind == "f" else p for p in parts]
        return tuple(parts) if isinstance(out, (tuple, list)) else parts[0]

    return run


def _drawn(name):
    """A random operation: the numbers are sporax's own; that each way draws them, is the matter."""

    def run(*args, **kwargs):
        def numbers():
            tensors = [
                sporax.Tensor(a.array.astype(np.float32)) if isinstance(a, Array) else a
                for a in args
            ]
            return getattr(sporax.ops, name)(*tensors, **kwargs).asnumpy()

        return _own(_again(numbers))

    return run


def _dropout(x, p):
    return x * _drawn("dropout")(Array(np.ones(x.shape)), p=p)


def _uniform(shape, low, high):
    return _drawn("uniform")(shape, low, high)


class _Space:
    def __init__(self, functions):
        self.__dict__.update(functions)

    def __getattr__(self, name):
        return _function(name)


class Cell:
    """A Cell with hooks. A derivative of its own concerns each element by itself."""

    def __init__(self):
        self.before, self.after, self.backward_hooks = [], [], []

    def register_forward_pre_hook(self, hook):
        self.before.append(hook)

    def register_forward_hook(self, hook):
        self.after.append(hook)

    def register_backward_hook(self, hook):
        self.backward_hooks.append(hook)

    def __call__(self, *inputs):
        for hook in self.backward_hooks:
            x = _own(inputs[0].array)
            changed = _with_derivative(x, x, lambda d, *_, hook=hook: hook(self, (d,), None)[0])
            inputs = changed, *inputs[1:]
        for hook in self.before:
            inputs = hook(self, inputs)
        out = self.construct(*inputs)
        for hook in self.after:
            out = hook(self, inputs, out)
        if hasattr(self, "bprop"):
            out = _with_derivative(out, inputs[0], lambda d, x, out: self.bprop(x, out, d)[0])
        return out


class _Context:
    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors


class Function:
    """A function with a derivative of its own, which concerns each element by itself."""

    @classmethod
    def apply(cls, x):
        def backward(change, x, out):
            context = _Context()
            context.save_for_backward(x)
            return cls.backward(context, change)

        return _with_derivative(cls.forward(_Context(), x), x, backward)


def _stop_gradient(x):
    return _with_derivative(_own(x.array), x, lambda change, *_: 0 * change)


def _grad(function):
    """The derivative by central differences."""

    def derivative(x):
        step, noise = 1e-5, _Run.noise
        _Run.noise = None
        try:
            slopes = np.zeros(x.shape)
            for index in np.ndindex(x.shape):
                unit = np.zeros(x.shape)
                unit[index] = step
                up, down = (function(Array(x.array + unit * sign)) for sign in (1, -1))
                slopes[index] = (up.array - down.array) / (2 * step)
        finally:
            _Run.noise = noise
        return functools.reduce(lambda slopes, hook: hook(slopes), x.hooks, _own(slopes))

    return derivative


def _value_and_grad(function):
    return lambda x: (function(x), _grad(function)(x))


def _vmap(function):
    def run(*xs):
        rows = zip(*map(list, xs), strict=True)
        return _own(np.stack([function(*row).array for row in rows]))

    return run


def _assign(target, value):
    target[...] = value


SHARED = {
    "collections": collections, "dataclasses": dataclasses, "functools": functools, "math": math,
    "threading": threading,
}  # fmt: skip
_DRAWS = ("rand", "randn", "rand_like", "normal", "bernoulli")
OPS = _Space(
    {name: _function(name, f) for name, f in FUNCTIONS.items()}
    | {name: _drawn(name) for name in _DRAWS}
    | {"uniform": _uniform, "dropout": _dropout}
    | {"assign": _assign, "stop_gradient": _stop_gradient}
)
NAMES = SHARED | {
    "ops": OPS,
    "nn": _Space({"Cell": Cell, "CellList": list}),
    "Function": Function,
    "Parameter": lambda x, name=None: x,
    "Tensor": _own,
    "grad": _grad,
    "value_and_grad": _value_and_grad,
    "vmap": _vmap,
    "jit": lambda function: function,
    "recompute": lambda cell, *inputs: cell(*inputs),
}  # the global names of a program
