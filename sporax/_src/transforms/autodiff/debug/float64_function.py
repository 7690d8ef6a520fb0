"""Wraps a user function as a scalar function of float64 arrays, for `check_grad`."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.capture.guards.dependence import Dependence
from sporax._src.core import random
from sporax._src.core.cell_tree import is_cell, parameters, tree
from sporax._src.core.dtype import from_numpy
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor, new_value
from sporax._src.core.tree import tensors_of, unflatten
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import apply
from sporax._src.transforms.autodiff.debug.input_names import named_inputs, tensor_paths
from sporax._src.transforms.autodiff.grad import Derivative
from sporax._src.transforms.autodiff.tape import PythonDerivative, active_tape

_WIDE = {"f": np.dtype(np.float64), "V": np.dtype(np.float64), "c": np.dtype(np.complex128)}


def _weigh(*arrays):
    """Return (Re sum of conj(w) y, sum of |w y|) for outputs y and their weights w."""
    half = len(arrays) // 2
    products = [jnp.conj(w) * y for y, w in zip(arrays[:half], arrays[half:], strict=True)]
    products = [p.astype(_WIDE[p.dtype.kind]) for p in products]
    total = sum(jnp.real(p).sum() for p in products)
    return total, sum(jnp.abs(p).sum() for p in products)


_weighted = Op("check_grad.sum", _weigh)
_inner = Op("check_grad.inner", lambda *arrays: _weigh(*arrays)[0])


class Subject:
    """The function `fn` at `inputs`, within a `with` block.

    s(x) is the sum of its outputs' elements, each with a random weight. `names` and `points`: its
    variables, the floating and complex Tensors in the inputs and the trainable Parameters. Floating
    values are float64 in the block, complex ones complex128; state that the function changes is
    restored before each evaluation, and after the block.
    """

    def __init__(self, fn, inputs, weights, rng):
        self.fn, self.inputs, self.rng = fn, inputs, rng
        handles = tensors_of(inputs)
        paths = tensor_paths(named_inputs(fn, inputs))
        able = [t._value.aval.inexact for t in handles]
        self.skipped = [(n, t) for n, t, ok in zip(paths, handles, able, strict=True) if not ok]
        self.fixed = [None if ok else t for t, ok in zip(handles, able, strict=True)]
        cells, loose = reached(fn, inputs)
        self.names = [n for n, ok in zip(paths, able, strict=True) if ok]
        differentiable = [t for t, ok in zip(handles, able, strict=True) if ok]
        self.parameters = []
        for name, p in _trainable(fn, cells, loose) if weights is None else _by_name(weights):
            if p._value.aval.inexact:
                self.parameters.append(p)
                self.names.append(name)
        self.points = [_widened(t.asnumpy()) for t in (*differentiable, *self.parameters)]
        self.count = len(differentiable)
        mutable, self.precisions = [*loose, *self.parameters], []
        for cell in cells:
            mutable += [p for _, p in parameters(cell)]
            for _, descendant in tree(cell):
                mutable += tensors_of(vars(descendant))
                self.precisions.append((descendant, vars(descendant).get("_autocast")))
        mutable += random.states()
        self.mutable = list({id(t): t for t in mutable}.values())
        self.seeds, self.outputs = None, ()
        self.written, self.narrow = [], None
        self.first = Derivative("check_grad", self._total, "all", self.parameters, has_aux=True)
        self.second = Derivative("check_grad", self._along, "all", self.parameters)

    def __enter__(self):
        self.before = [(t, t._value) for t in self.mutable]
        try:
            for cell, _ in self.precisions:
                vars(cell)["_autocast"] = None  # set by `to_float`
            self.state = [(t, _wide_value(t)) for t in self.mutable]
            self._reset()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception):
        for handle, value in self.before:
            handle._value = value
        for cell, precision in self.precisions:
            vars(cell)["_autocast"] = precision

    def _reset(self):
        drawing = {id(t) for t in random.states()}  # not restored, so that draws are detected
        for handle, value in self.state:
            if id(handle) not in drawing:
                handle._value = value

    def evaluate(self, points):
        """Return (s, the sum of its terms' magnitudes, each variable's gradient) at points."""
        result: Any
        result, by_position, by_weight = self.first(self._place(points), {})
        total, size, *self.outputs = result
        return float(total), float(size), _numbers([*by_position, *by_weight])

    def along(self, points, direction):
        """Return the gradient of the slope of s along a direction: an array for each variable."""
        self.direction = [Tensor(v) for v in direction]
        _, by_position, by_weight = self.second(self._place(points), {})
        return _numbers([*by_position, *by_weight])

    def _place(self, points):
        self._reset()
        for p, x in zip(self.parameters, points[self.count :], strict=True):
            p._value = new_value(x, None)
        return [Tensor(x) for x in points[: self.count]]

    def _total(self, *tensors):
        """Return (s, sum of magnitudes, outputs...) as Tensors."""
        remaining = iter(tensors)
        placed = [next(remaining) if t is None else t for t in self.fixed]
        result = self.fn(*unflatten(self.inputs, placed))
        outs = [t for t in tensors_of(result) if t._value.aval.inexact]
        require(outs, "function-return-floating-complex", "check_grad", got=result)
        if self.seeds is None:
            self.seeds = [Tensor(w) for w in self._weights(outs)]
            self._look(thread.tape.entries)
        first, now = [w.shape for w in self.seeds], [t.shape for t in outs]
        require(first == now, "function-return-same-shapes", "check_grad", first=first, now=now)
        return (*apply(_weighted, *outs, *self.seeds), *outs)

    def _weights(self, outs):
        if len(outs) == 1 and outs[0].size == 1:
            return [np.ones(outs[0].shape)]
        return [random_like(self.rng, t.shape, t._value.aval.dtype.kind == "c") for t in outs]

    def _along(self, *tensors):
        _, by_position, by_weight = self.first(tensors, {})
        return apply(_inner, *by_position, *by_weight, *self.direction)

    def _look(self, entries):
        """Record user-defined derivatives on a tape, and the narrowest dtype below float64."""
        for op, _, out in entries:
            if isinstance(op, PythonDerivative):
                self.written.append(op.who)
            for value in out if isinstance(out, tuple) else (out,):
                dtype = value.aval.dtype
                wide = _WIDE.get(dtype.kind) if value.tracked else None
                narrower = wide is not None and dtype.itemsize < wide.itemsize
                if narrower and (self.narrow is None or dtype.itemsize < self.narrow[1].itemsize):
                    self.narrow = getattr(op, "name", "a bprop"), dtype


def _numbers(tensors: Any):
    return [t.asnumpy() for t in tensors]


def random_like(rng, shape, is_complex):
    """Draw normally distributed numbers, real or complex."""
    drawn = rng.standard_normal(shape)
    return drawn + 1j * rng.standard_normal(shape) if is_complex else np.asarray(drawn)


def reached(fn, inputs):
    """Return (the Cells, the other Tensors) that a function references."""
    if is_cell(fn):
        return [fn], []
    followed = Dependence(fn, inputs).followed()
    input_ids = {id(t) for t in tensors_of(inputs)}
    loose = [v for v in followed if isinstance(v, Tensor) and id(v) not in input_ids]
    return [v for v in followed if is_cell(v)], loose


def refuse_nesting():
    """Raise RuntimeError inside `grad` or `jit`: a check runs the function many times."""
    is_outside = active_tape() is None and thread.recorder.tracer is None
    require(is_outside, "call-stand-outside-grad", "check_grad")


def _trainable(fn, cells, loose):
    trainable = {}
    for cell in cells:
        for path, p in parameters(cell):
            if p.requires_grad:
                trainable.setdefault(id(p), (path if cell is fn else p.name, p))
    for p in loose:
        if isinstance(p, Parameter) and p.requires_grad:
            trainable.setdefault(id(p), (p.name, p))
    return trainable.values()


def _by_name(weights):
    return [(p.name, p) for p in ([weights] if isinstance(weights, Parameter) else weights)]


def _widened(array):
    return np.array(array, _WIDE.get(array.dtype.kind, array.dtype))


def _wide_value(tensor):
    value = tensor._value
    wide = _WIDE.get(value.aval.dtype.kind)
    if wide is None or wide == value.aval.dtype:
        return value
    return tensor.astype(from_numpy(wide))._value
