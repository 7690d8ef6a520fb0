"""Training steps in which faults are raised: networks, and all state that a step changes."""

import contextlib

import numpy as np

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.core import random
from sporax._src.core.random import default_generator
from sporax._src.core.value import owned_value
from tests.faults.donation import array_of

SIZE = 6


class Plain(nn.Cell):
    """Two layers."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Dense(SIZE, 8), nn.Dense(8, 3)

    def construct(self, x):
        return self.last(ops.tanh(self.first(x)))


class Normalized(Plain):
    """Draws random numbers and keeps moving statistics: state that changes during a step."""

    def __init__(self):
        super().__init__()
        self.drop, self.norm = nn.Dropout(p=0.5), nn.BatchNorm1d(8)

    def construct(self, x):
        return self.last(self.norm(self.first(self.drop(x))))


class Squared(nn.Cell):
    """A layer with a custom bprop."""

    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * x * 2.0,)


class Instrumented(Plain):
    """Hooks, a bprop, another precision and a recomputed layer."""

    def __init__(self):
        super().__init__()
        self.square = Squared()
        self.again = nn.Dense(8, 8)
        self.again.recompute()
        self.single = nn.Dense(8, 8, dtype=ms.float64).to_float(ms.float32)
        self.again.register_forward_hook(lambda cell, inputs, output: output * 0.5)
        self.first.register_backward_hook(lambda cell, to_inputs, from_outputs: None)

    def construct(self, x):
        hidden = self.square(ops.tanh(self.first(x)))
        with ms.no_grad():
            scale = hidden.abs().max() + 1.0
        double = self.again(hidden).astype(ms.float64)
        return self.last(self.single(double) / scale)


class Branching(Plain):
    """A condition on a Tensor, which becomes an operation in a capture."""

    def construct(self, x):
        hidden = self.first(x)
        if hidden.sum() > 0:
            hidden = ops.tanh(hidden)
        else:
            hidden = ops.sin(hidden) * 2.0
        return self.last(hidden)


class Training:
    """A network, an optimizer, a batch, and the step of a row.

    `handles`: {name: Tensor} of all state. `commits`: groups of names in the order in which dynamic
    code changes them, each group at once.
    """

    def __init__(self, network, way):
        random.set_seed(1)
        self.way = way
        net = network()
        for i, p in enumerate(net.get_parameters()):
            values = np.sin(np.arange(p.size) + i).reshape(p.shape)
            p.set_data(Tensor(values.astype(p.asnumpy().dtype)))
        rng = np.random.default_rng(0)
        self.batch = (
            Tensor(rng.standard_normal((4, SIZE)).astype(np.float32)),
            Tensor(np.array([0, 1, 2, 0], np.int32)),
        )
        optimizer = nn.Adam(net.trainable_params(), 0.01)
        loss_fn = nn.CrossEntropyLoss()
        net.set_train()
        if way == "graph mode":
            self.cell = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)
            self.cell.set_train()
        gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

        def step(x, y):
            loss, gradients = gradient(x, y)
            optimizer(gradients)
            return loss

        self.net, self.optimizer, self._step = net, optimizer, step
        self.handles = {"random": default_generator.state}
        self.handles |= {p.name: p for p in (*net.get_parameters(), *optimizer.get_parameters())}
        moving = [name for name in self.handles if "moving" in name]
        rest = [name for name in self.handles if name != "random" and name not in moving]
        self.commits = [["random"], moving, rest]
        with self.mode():
            self.forget()

    def forget(self):
        """Make the next step a new capture."""
        if self.way == "graph mode":
            self.cell.__dict__["_captured_call"] = None
        elif self.way == "jit":
            self.captured = ms.jit(self._step)
        if self.way != "dynamic" and isinstance(self.net, Branching):
            self.step()  # finds the condition; the next call is captured with it

    @contextlib.contextmanager
    def mode(self):
        """Set MindSpore's mode of the row in the block."""
        ms.set_context(mode=ms.GRAPH_MODE if self.way == "graph mode" else ms.PYNATIVE_MODE)
        try:
            yield
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)

    def step(self):
        """Run one step; return its loss."""
        if self.way == "graph mode":
            return self.cell(*self.batch)
        return (self.captured if self.way == "jit" else self._step)(*self.batch)

    def state(self):
        """Return the elements of all handles, as {name: bytes}."""
        return {name: h.asnumpy().tobytes() for name, h in self.handles.items()}

    def load(self, state):
        """Set the elements of all handles."""
        for name, handle in self.handles.items():
            array = np.frombuffer(state[name], handle._value.aval.dtype)
            handle._value = owned_value(array_of(array.reshape(handle.shape)))

    def flags(self):
        """Return the state that a step must not change: modes, hooks, code."""
        cells = [c for _, c in self.net.cells_and_names()]
        return (
            [c.training for c in cells],
            [len(c._cell_hooks.forward) if hasattr(c._cell_hooks, "forward") else 0 for c in cells],
            [type(h) for h in self.handles.values()],
            [c.construct.__func__.__code__ for c in cells],
            ms.get_context("mode"),
            self._step.__code__,
        )

    def allowed(self, before, after):
        """Return the states that a fault may leave: in dynamic code a step changes its groups one
        after another, a captured step all of them at once."""
        states, state = [before], dict(before)
        for group in self.commits if self.way == "dynamic" else [list(self.handles)]:
            state = state | {name: after[name] for name in group}
            states.append(state)
        return states


NETWORKS = {
    "plain": Plain,
    "normalized": Normalized,
    "instrumented": Instrumented,
    "branching": Branching,
}
WAYS = ("dynamic", "jit", "graph mode")
