"""What goes wrong leaves nothing half done: refusals, failures, interrupts, other threads."""

import os
import signal
import threading

import numpy as np
import pytest

from sporax import ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.runtime.engine import recorder
from sporax._src.runtime.engine.program import Program
from sporax._src.runtime.engine.recorder import Recorder, run_pending
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.transforms.autodiff.grad import grad, value_and_grad
from tests.comparison import tensor

deferred_only = pytest.mark.skipif(Recorder.immediate, reason="about the deferred executor")


def leaked():
    """A Tensor without numbers: kept past the end of a capture."""
    kept = []
    with pytest.raises(RuntimeError, match="leaves a Tensor where others find it"):
        jit(lambda x: kept.append(x * 2.0), fullgraph=True)(tensor(1, 2))
    return kept[0]


REFUSALS = [
    ("shapes", ValueError, lambda x, y: ops.add(x + y, tensor(1, 2, 3))),
    ("an operand without numbers", RuntimeError, lambda x, y: ops.add(y, leaked())),
    ("a large int", OverflowError, lambda x, y: ops.addcmul(x, y, 2**63)),
    ("a small int", OverflowError, lambda x, y: y * -(2**70)),
    ("no operand at all", TypeError, lambda x, y: ops.addcmul(x, y, object())),
    ("a derivative of what has no numbers", RuntimeError, lambda x, y: derivative(x, leaked())),
]


def derivative(x, y):
    return grad(lambda x, y: x * y, (0, 1))(x, y)


@pytest.mark.executors
@pytest.mark.parametrize("error, refused", [r[1:] for r in REFUSALS], ids=[r[0] for r in REFUSALS])
def test_what_is_refused_leaves_no_mark(error, refused):
    x, y = tensor(1, 2), tensor(3, 4)
    before = x * 10.0
    for _ in range(2):
        with pytest.raises(error):
            refused(x, y)
        assert thread.tape is None
        assert not x._value.tracked
    after = before + y + 0.5
    assert after.asnumpy().tolist() == [13.5, 24.5]


@pytest.mark.executors
def test_ints_of_64_bits_are_taken():
    x = Tensor(np.array([0, 1], np.int64))
    assert (x + (2**63 - 1)).asnumpy()[0] == 2**63 - 1
    assert (x + -(2**63)).asnumpy()[0] == -(2**63)
    with pytest.raises(OverflowError, match="For 'Add', a Python int must have at most 64 bits"):
        _ = x + 2**63


FAILURES = [(Program, "__call__", KeyboardInterrupt, 1), (recorder, "prepare", MemoryError, 2)]


@deferred_only
@pytest.mark.parametrize("owner, name, error, turns", FAILURES)
def test_a_run_that_fails_is_tried_again(monkeypatch, owner, name, error, turns):
    def fail(*args):
        raise error

    p, box = Parameter(tensor(1, 2), name="p"), []
    twice = jit(lambda x: box.append(1) or p.set_data(p + x))
    p.set_data(p * 3.0)
    for _ in range(turns):  # another program each time
        p.set_data(p * 1.0)
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, fail)
        with pytest.raises(error):
            p.asnumpy()
    other = tensor(5, 6) + 1.0  # goes on in a trace of its own
    assert other.asnumpy().tolist() == [6.0, 7.0]
    assert p.asnumpy().tolist() == [3.0, 6.0]
    with monkeypatch.context() as patched:
        patched.setattr(Program, "__call__", fail)
        with pytest.raises(error):
            twice(tensor(1, 1))
    assert p.asnumpy().tolist() == [3.0, 6.0]  # a captured call is made whole, or not at all
    twice(tensor(1, 1))
    assert p.asnumpy().tolist() == [4.0, 7.0]


def training(size=32):
    weights = [Parameter(Tensor(np.eye(size, dtype=np.float32)), name=f"w{i}") for i in range(6)]
    x = Tensor(np.full((4, size), 0.5, np.float32))

    def forward(x):
        for w in weights:
            x = ops.tanh(x @ w)
        return (x * x).mean()

    gradient = value_and_grad(forward, None, weights)

    def step():
        loss, gradients = gradient(x)
        for w, g in zip(weights, gradients, strict=True):
            w.set_data(w - g * 0.1)
        run_pending()
        return loss

    return step, weights


@pytest.fixture
def interruptible():
    """Interrupts raise KeyboardInterrupt, even where the tests were started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@deferred_only
def test_a_training_loop_survives_interrupts(interruptible):
    step, weights = training()
    for _ in range(3):
        step().asnumpy()
    for i in range(25):
        alarm = threading.Timer(0.002 + 0.0003 * i, os.kill, (os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            alarm.start()
            while True:
                step()
        alarm.join()
        assert all(np.isfinite(w.asnumpy()).all() for w in weights)
        assert np.isfinite(step().asnumpy())


@pytest.mark.executors
def test_what_another_thread_is_about_to_use_is_not_given_away():
    p = Parameter(tensor(1, 2), name="p")
    p.set_data(p * 1.0)
    p.asnumpy()
    recorded, done = threading.Event(), threading.Event()
    result = []

    def other():
        y = p * 3.0
        recorded.set()
        done.wait()
        result.append(y.asnumpy().tolist())

    worker = threading.Thread(target=other)
    worker.start()
    recorded.wait()
    p.set_data(p * 2.0)
    p.asnumpy()
    done.set()
    worker.join()
    assert result == [[3.0, 6.0]]


@pytest.mark.executors
def test_a_parameter_can_be_read_while_another_thread_trains_it():
    p, stop, errors = Parameter(Tensor(np.ones(300, np.float32)), name="p"), [], []

    def other():
        try:
            while not stop:
                assert p.asnumpy()[0] == 1.0
                assert (p * 2.0).asnumpy()[0] == 2.0
        except BaseException as error:  # noqa: BLE001 (the assertion is below)
            errors.append(error)

    worker = threading.Thread(target=other)
    worker.start()
    for _ in range(400):
        p.set_data(p * 1.0)
        run_pending()
    stop.append(1)
    worker.join()
    assert errors == []


@pytest.mark.executors
def test_a_pending_value_outlives_its_thread():
    kept = []
    worker = threading.Thread(target=lambda: kept.append(tensor(1, 2) * 3.0))
    worker.start()
    worker.join()
    assert (kept[0] + 1.0).asnumpy().tolist() == [4.0, 7.0]


@pytest.mark.filterwarnings("ignore:.* cannot be captured")  # weak references
def test_traces_can_be_forgotten_at_any_time():
    x = tensor(1, 2) * 2.0
    forest.clear()
    y = x + 1.0
    assert (y * x).asnumpy().tolist() == [6.0, 20.0]
    cube = lambda x: forest.clear() or x * x * x  # noqa: E731
    for _ in range(2):
        assert grad(cube)(tensor(1, 2)).asnumpy().tolist() == [3.0, 12.0]
        assert jit(cube)(tensor(1, 2)).asnumpy().tolist() == [1.0, 8.0]
