"""What a captured function gives away: buffers of state that nobody else holds, and no others."""

import copy
import gc
import threading

import jax
import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.graph_call import GraphCall
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.runtime.engine.program import compilations
from sporax._src.runtime.engine.recorder import Recorder
from sporax._src.transforms.autodiff.grad import value_and_grad
from sporax._src.transforms.autodiff.jacobian import vjp

N = 64
pytestmark = pytest.mark.skipif(Recorder.immediate, reason="captures run in any executor alike")


class Training:
    """A captured step of Adam on one Parameter; another Tensor is an argument of it."""

    def __init__(self, n=N):
        self.weight = weight = Parameter(Tensor(np.ones((n, n), np.float32)), name="weight")
        self.optimizer = nn.Adam([weight], 0.01)
        gradient = value_and_grad(lambda x: ((x * weight) ** 2).sum(), None, [weight])

        def step(x, *rest):
            loss, gradients = gradient(x)
            self.optimizer(gradients)
            return loss

        self.step = jit(step)

    def __call__(self, *rest):
        return self.step(Tensor(np.float32(2.0)), *rest)


def test_a_step_is_compiled_once_and_needs_its_state_once():
    training = Training(256)
    gc.collect()
    before, programs = sum(a.nbytes for a in jax.live_arrays()), compilations["programs"]
    for _ in range(3):
        float(training())
        live = sum(a.nbytes for a in jax.live_arrays())
        assert live - before < 1000  # of 786 kB: the Parameter and its two moments
    assert compilations["programs"] == programs + 1


def saved(training):
    """What a tape keeps."""
    _, pull = vjp(lambda w: w * w, training.weight)
    return lambda: pull(Tensor(np.ones((N, N), np.float32)))[0].asnumpy() / 2


def copies(make):
    def keep(training):
        held = make(training.weight)
        return lambda: np.asarray(held)

    return keep


def shared(training):
    """Two handles of one Value, one of which another captured function rebinds."""
    other = Parameter(Tensor(np.zeros((N, N), np.float32)), name="other")
    other.set_data(training.weight)

    @jit
    def move():
        other.set_data(other + 0.0)

    move()
    return other.asnumpy


def in_another_trace(training):
    """An operand of what is still pending."""
    pending = training.weight + 0.0
    return pending.asnumpy


HOLDERS = {
    "value()": copies(lambda w: w.value()),
    "NumPy": copies(lambda w: w.asnumpy()),
    "a view of NumPy": copies(lambda w: w.asnumpy()[:]),
    "np.asarray": copies(np.asarray),
    "jax": copies(lambda w: w.asjax()),
    "a list": copies(lambda w: [w.value()][0]),
    "copy": copies(copy.copy),
    "deepcopy": copies(copy.deepcopy),
    "Tensor": copies(Tensor),
    "Parameter": copies(lambda w: Parameter(w, name="twin")),
    "clone": copies(lambda w: w.clone()),
    "a tape": saved,
    "set_data": shared,
    "a pending operation": in_another_trace,
}


@pytest.mark.parametrize("keep", HOLDERS.values(), ids=list(HOLDERS))
def test_what_somebody_holds_is_not_given_away(keep):
    training = Training()
    for _ in range(2):
        training()
    before = training.weight.asnumpy()
    read = keep(training)
    for _ in range(3):
        training()
        np.testing.assert_array_equal(read(), before)
    assert not np.array_equal(training.weight.asnumpy(), before)


VIEWS = {
    "stop_gradient": ops.stop_gradient,
    "reshape": lambda w: w.reshape(-1),
    "an index": lambda w: w[0],
    "T": lambda w: w.T,
}


@pytest.mark.parametrize("form", VIEWS.values(), ids=list(VIEWS))
def test_a_view_sees_what_the_program_writes(form):
    training = Training()
    for turn in range(5):
        training()
        if turn == 2:
            view = form(training.weight)
        if turn >= 2:
            assert view.asnumpy().tolist() == form(training.weight).asnumpy().tolist()


def test_a_parameter_that_is_an_argument_too():
    training, copied = Training(), Training()
    for _ in range(3):
        a, b = training(training.weight), copied()
        assert float(a) == float(b)
    assert training.weight.asnumpy().tobytes() == copied.weight.asnumpy().tobytes()


def test_an_argument_is_kept_for_who_gave_it():
    """Written to in place, it is the caller's Tensor that has another Value."""

    @jit
    def grow(x):
        x.add_(1.0)
        return x * 2.0

    x = Tensor(np.zeros(N, np.float32))
    same, value = x, Tensor(x)
    for i in range(3):
        assert grow(x).asnumpy()[0] == 2.0 * (i + 1)
    assert same.asnumpy()[0] == 3.0
    assert value.asnumpy()[0] == 0.0


def test_a_result_that_is_state_is_not_given_away():
    training = Training()
    seen = jit(lambda: (training.weight, training.weight * 1.0))
    before = seen()
    numbers = [t.asnumpy() for t in before]
    for _ in range(3):
        training()
    for tensor, then in zip(before, numbers, strict=True):
        np.testing.assert_array_equal(tensor.asnumpy(), then)


def test_a_loop_that_keeps_all_its_values():
    total = Parameter(Tensor(np.zeros(N, np.float32)), name="total")
    add = jit(lambda x: total.set_data(total + x))
    kept = []
    for i in range(6):
        kept.append(total.value())
        add(Tensor(np.float32(i)))
    assert [float(t[0]) for t in kept] == [0.0, 0.0, 1.0, 3.0, 6.0, 10.0]


def test_an_input_of_a_call_that_runs_in_another_thread_is_not_donated(monkeypatch):
    """Another thread's step writes to the Parameter while a call that reads it begins to run."""
    training = Training()
    read = jit(lambda: training.weight * 1.0)
    training(), read().asnumpy()
    before, run, results = training.weight.asnumpy(), GraphCall.read_only, []

    def run_after_a_step_elsewhere(call, *args):
        if threading.current_thread() is threading.main_thread():
            thread = threading.Thread(target=lambda: results.append(float(training())))
            thread.start()
            thread.join()
        return run(call, *args)

    monkeypatch.setattr(GraphCall, "read_only", run_after_a_step_elsewhere)
    np.testing.assert_array_equal(read().asnumpy(), before)
    assert len(results) == 1
    assert not np.array_equal(training.weight.asnumpy(), before)
