"""Runs a Cell and records its calls and gradients for `compare`."""

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax import ops
from sporax._src.core import cell_tree, context
from sporax._src.core.tensor import Tensor
from sporax._src.core.to_host import on_host
from sporax._src.transforms import autodiff
from sporax.migrate.call_recorder import CallRecorder
from sporax.migrate.module_run import (
    Call,
    Module,
    ModuleRun,
    loss_weights,
    plain_attributes,
    tensors_in,
)
from sporax.nn.cell import Cell


def cell_modules(cell):
    """Return [Module] of a Cell and all its subcells."""
    return [
        Module(
            path,
            [c.__name__ for c in type(subcell).__mro__[:-1]],
            plain_attributes(subcell, subcell._params),
        )
        for path, subcell in cell_tree.tree(cell)
    ]


def cell_weights(cell: Cell) -> dict[str, np.ndarray]:
    """Return {path: array} of a Cell's Parameters."""
    return {path: np.asarray(p.asnumpy(), order="C") for path, p in cell_tree.parameters(cell)}


def put(cell, weights):
    """Set Parameters by path, in their own dtypes."""
    parameters = dict(cell_tree.parameters(cell))
    for path, x in weights.items():
        parameters[path].set_data(Tensor(np.ascontiguousarray(x), parameters[path].dtype))


def run_cell(cell: Cell, arrays: Sequence[np.ndarray]) -> ModuleRun:
    """Run a Cell on NumPy arrays in its current mode; return a `ModuleRun`. Parameters that the run
    changes (moving statistics) are restored. An error ends the run, and is stored as `failure`."""
    weights = cell_weights(cell)
    recorder = _Recorder(cell)
    try:
        with _dynamic_mode():
            return recorder.run(arrays, weights)
    finally:
        recorder.remove()
        put(cell, {n: x for n, x in weights.items() if n not in recorder.trainable})


@contextlib.contextmanager
def _dynamic_mode():
    mode = context.get_context("mode")
    context.set_context(mode=context.PYNATIVE_MODE)
    try:
        yield
    finally:
        context.set_context(mode=mode)


def _is_tensor(x):
    return isinstance(x, Tensor)


def _array(value):
    x = on_host(value.read())
    return x.astype(np.float32) if x.dtype.kind == "V" else np.array(x)


class _Recorder(CallRecorder):
    """Records Values, which are read at the end."""

    def __init__(self, cell):
        self.cell = cell
        self.parameters = dict(cell_tree.parameters(cell))
        self.trainable = {n: p for n, p in self.parameters.items() if p.requires_grad}
        super().__init__({subcell: path for path, subcell in cell_tree.tree(cell)})

    def noted(self, x, gradients):
        """Return the tensors' Values."""
        leaves = tensors_in(x, _is_tensor)
        gradients[:] = [None] * len(leaves)
        for i, leaf in enumerate(leaves):
            if leaf.is_floating_point():
                leaf.register_hook(lambda g, i=i: gradients.__setitem__(i, g._value))
        return [leaf._value for leaf in leaves]

    def run(self, arrays, weights):
        inputs = [Tensor(x) for x in arrays]
        floating = tuple(i for i, x in enumerate(inputs) if x.is_floating_point())
        outputs = []

        def loss(*xs):
            outputs[:] = tensors_in(self.cell(*xs), _is_tensor)
            results[:] = [x._value for x in outputs]
            total = ops.zeros((), outputs[0].dtype) if outputs else Tensor(0.0)
            for i, x in enumerate(outputs):
                if x.is_floating_point():
                    total = total + (x * Tensor(loss_weights(i, x.shape))).sum()
            return total

        results = []
        of_inputs, of_weights, failure = {}, [None] * len(self.trainable), None
        try:
            if floating or self.trainable:
                of_inputs, of_weights = self._gradients(loss, inputs, floating)
            else:
                loss(*inputs)
        except (TypeError, ValueError, RuntimeError) as error:  # such as shapes, after a departure
            failure = error
        state = {n: _array(p._value) for n, p in self.parameters.items() if n not in self.trainable}
        return ModuleRun(
            modules=cell_modules(self.cell), calls=[_read(call) for call in self.calls],
            inputs=[np.array(x) for x in arrays], weights=weights, trainable=list(self.trainable),
            state=state, outputs=[_array(v) for v in results],
            input_gradients=[of_inputs.get(i) for i in range(len(inputs))],
            gradients=dict(zip(self.trainable, of_weights, strict=True)), failure=failure,
        )  # fmt: skip

    def _gradients(self, loss, inputs, floating):
        """Return ({position: gradient}, [gradient of each trainable Parameter])."""
        parameters = list(self.trainable.values())
        positions: Any = floating or None
        function = autodiff.value_and_grad(loss, positions, parameters or None)
        gradients: Any = function(*inputs)[1]
        by_position: Any = ()
        by_weight: Any = ()
        if not floating:
            by_weight = gradients
        elif not parameters:
            by_position = gradients
        else:
            by_position, by_weight = gradients
        arrays, weights = (
            [_array(g._value) for g in tensors_in(x, _is_tensor)] for x in (by_position, by_weight)
        )
        return dict(zip(floating, arrays, strict=True)), weights


def _read(call):
    path, number, *groups = call
    return Call(path, number, *[[None if v is None else _array(v) for v in g] for g in groups])
