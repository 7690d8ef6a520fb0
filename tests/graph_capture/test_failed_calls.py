"""A failure in the middle of a captured call leaves all state as before the call, bit by bit."""

import contextlib

import jax
import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import random
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.runtime.engine.program import Program
from sporax._src.runtime.engine.recorder import Recorder
from sporax._src.runtime.engine.trace_tree import Forest
from sporax._src.transforms.autodiff.grad import value_and_grad
from sporax.nn.cell import Cell

X = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)


class OnHost(Cell):
    """Computes with NumPy, and fails on request."""

    fails = False

    def construct(self, x):
        if self.fails:
            raise ValueError("on request")
        return Tensor(x.asnumpy() * 2)


class Net(Cell):
    def __init__(self, on_host):
        super().__init__()
        self.dense = nn.Dense(4, 3)
        self.norm = nn.BatchNorm1d(3)
        self.dropout = nn.Dropout(p=0.5)
        self.calls = Parameter(Tensor(np.zeros((), np.int64)), name="calls", requires_grad=False)
        self.register_buffer("last", ops.zeros((6, 3)))
        self.on_host = OnHost() if on_host else None

    def construct(self, x):
        self.calls.add_(1)
        y = self.dropout(self.norm(self.dense(x)))
        self.last.assign_value(y)
        if self.on_host is not None:
            y = y + ops.stop_gradient(self.on_host(y))
        return (y * y).mean()


class Training:
    """A captured step, and all that it writes."""

    def __init__(self, on_host=False):
        self.net = net = Net(on_host).set_train()
        self.optimizer = nn.Adam(net.trainable_params(), 0.01)
        gradient = value_and_grad(net, None, net.trainable_params())

        @jit
        def step(x):
            loss, gradients = gradient(x)
            self.optimizer(gradients)
            return loss

        self.step = step

    def state(self):
        """All numbers that there are, and the random state."""
        handles = [
            *self.net.get_parameters(),
            *self.net.buffers(),
            *self.optimizer.get_parameters(),
        ]
        return [h.asnumpy().tobytes() for h in handles] + [
            random.get_rng_state().asnumpy().tobytes()
        ]


@contextlib.contextmanager
def failing(owner, name, at, error, after=False, only=lambda *args: True):
    """`owner.name` raises at one of its calls, before it does its work or after; its calls are
    counted."""
    work, counter = getattr(owner, name), [0]

    def wrapped(*args):
        if not only(*args):
            return work(*args)
        counter[0] += 1
        if counter[0] - 1 != at:
            return work(*args)
        if after:
            work(*args)
        raise error

    setattr(owner, name, wrapped)
    try:
        yield counter
    finally:
        setattr(owner, name, work)


def is_captured(forest, recorder, *args):
    return recorder.tracer is not None


ERRORS = [
    ValueError("on request"),
    KeyboardInterrupt(),
    jax.errors.JaxRuntimeError("out of memory"),
]
pytestmark = pytest.mark.skipif(Recorder.immediate, reason="captures run in any executor alike")


def unharmed(training, fails):
    """The call fails and changes nothing; the next one does what it would have done."""
    before = training.state()
    with (
        fails as counter,
        pytest.raises((ValueError, KeyboardInterrupt, jax.errors.JaxRuntimeError)),
    ):
        training.step(Tensor(X))
    assert training.state() == before
    return counter


def agrees(training, steps):
    """The steps made so far and two more are those of a copy that has never failed."""
    result = [float(training.step(Tensor(X))) for _ in range(2)]
    state = training.state()
    random.set_seed(0)
    copied = Training(training.net.on_host is not None)
    assert [float(copied.step(Tensor(X))) for _ in range(steps + 2)][steps:] == result
    assert copied.state() == state


@pytest.mark.parametrize("on_host", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.99])
def test_at_capture(share, on_host):
    random.set_seed(0)
    with failing(Forest, "grow", -1, None, only=is_captured) as counter:
        Training(on_host).step(Tensor(X))
    random.set_seed(0)
    training = Training(on_host)
    for error in ERRORS:
        unharmed(
            training, failing(Forest, "grow", int(share * counter[0]), error, only=is_captured)
        )
    agrees(training, 0)


@pytest.mark.parametrize("on_host", [False, True])
@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("steps", [0, 2])
def test_when_the_program_runs(error, steps, on_host):
    random.set_seed(0)
    training = Training(on_host)
    for _ in range(steps):
        training.step(Tensor(X))
    for part in range(2 if on_host else 1):
        unharmed(training, failing(Program, "__call__", part, error))
    agrees(training, steps)


@pytest.mark.parametrize("steps", [0, 2])
def test_in_a_call_on_the_host(steps, monkeypatch):
    random.set_seed(0)
    training = Training(on_host=True)
    for _ in range(steps):
        training.step(Tensor(X))
    with monkeypatch.context() as patch:
        patch.setattr(OnHost, "fails", True)
        unharmed(training, contextlib.nullcontext())
    agrees(training, steps)


def test_an_interrupt_after_the_program_changes_all_or_nothing():
    random.set_seed(0)
    training = Training()
    for _ in range(3):
        training.step(Tensor(X))
    held = training.net.dense.weight.value()  # so that one buffer is not given away
    before = held.asnumpy().tobytes()
    interrupt = failing(Program, "__call__", 0, KeyboardInterrupt(), after=True)
    with interrupt, pytest.raises(KeyboardInterrupt):
        training.step(Tensor(X))
    assert held.asnumpy().tobytes() == before
    agrees(training, 4)
