"""Eight threads at once compute what one computes, bit for bit; none waits for ever."""

import concurrent.futures
import faulthandler
import sys
import threading
import time

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.capture.graph_capture import jit as jit_module
from sporax._src.capture.graph_capture import tracer
from sporax._src.core.jax_internals import device_array
from sporax._src.runtime.engine.recorder import Recorder
from sporax._src.runtime.engine.verification.agreement import Operands
from sporax._src.runtime.engine.verification.switch import Evidence
from sporax._src.runtime.storage import lending

pytestmark = [
    pytest.mark.usefixtures("on_numpy"),
    pytest.mark.skipif(Recorder.immediate, reason="about the deferred executor"),
]
THREADS = 8
STEPS = [pytest.param(3, id="3 steps"), pytest.param(3000, id="minutes", marks=pytest.mark.slow)]


@pytest.fixture(autouse=True)
def often():
    """Threads take turns often; a deadlock ends the process with all stacks."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    faulthandler.dump_traceback_later(900, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
    sys.setswitchinterval(interval)


class Net(nn.Cell):
    def __init__(self, seed=0):
        super().__init__()
        self.first, self.norm, self.last = nn.Dense(6, 8), nn.BatchNorm1d(8), nn.Dense(8, 3)
        rng = np.random.default_rng(seed)
        for p in self.get_parameters():
            p.set_data(Tensor(rng.random(p.shape, np.float32)))

    def construct(self, x):
        return self.last(ops.tanh(self.norm(self.first(x))))


def batch(seed):
    rng = np.random.default_rng(seed)
    return (
        Tensor(rng.standard_normal((4, 6)).astype(np.float32)),
        Tensor(rng.integers(0, 3, 4).astype(np.int32)),
    )


def trained(seed, steps, way):
    """The Parameters of a network after some steps."""
    net, loss_fn = Net(seed), nn.CrossEntropyLoss()
    net.set_train()
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    step = ms.jit(step) if way == "jit" else step
    for i in range(steps):
        step(*batch(100 * seed + i % 50))
    return [p.asnumpy() for p in (*net.get_parameters(), *optimizer.get_parameters())]


def in_threads(function):
    """`function(number)` in each of the threads at once; their results in order."""
    start = threading.Barrier(THREADS)

    def run(number):
        start.wait()
        return function(number)

    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def assert_same(results, expected):
    for result, alone in zip(results, expected, strict=True):
        for one, other in zip(result, alone, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("way", ["dynamic", "jit"])
@pytest.mark.parametrize("steps", STEPS)
def test_eight_train_eight(steps, way):
    results = in_threads(lambda number: trained(number, steps, way))
    assert_same(results, [trained(number, steps, way) for number in range(THREADS)])


@pytest.mark.filterwarnings("ignore:.*has been captured 8 times")  # threads capture at once
@pytest.mark.parametrize("way", ["dynamic", "jit"])
@pytest.mark.parametrize("steps", STEPS)
def test_eight_infer_from_one(steps, way):
    net = Net()
    net.set_train(False)
    infer = ms.jit(net) if way == "jit" else net

    def run(number):
        return [infer(batch(number + i % 50)[0]).asnumpy() for i in range(steps)]

    assert_same(in_threads(run), [run(number) for number in range(THREADS)])


def test_a_function_that_all_capture_at_once_counts_as_captured_once(monkeypatch):
    """Threads that call a function for the first time together capture it each, and one entry
    stays: no warning of many captures, and the reason for each is that there was none before."""
    together = threading.Barrier(THREADS)

    def capture_together(*args):
        together.wait()
        return tracer.capture(*args)

    monkeypatch.setattr(jit_module, "capture", capture_together)
    infer, reasons = ms.jit(lambda x, n: x * n + 1.0), []
    monkeypatch.setattr(infer, "WARN_AT", 1)
    monkeypatch.setattr(jit_module, "warn", reasons.append)
    inputs = [np.full(3, i, np.float32) for i in range(THREADS)]
    results = in_threads(lambda number: [infer(Tensor(inputs[number]), 2.0 + number).asnumpy()])
    assert_same(results, [[x * (2.0 + i) + 1.0] for i, x in enumerate(inputs)])
    assert (infer.captures, [len(entries) for entries in infer.entries.values()]) == (1, [1])
    assert reasons and all("because first call" in reason for reason in reasons)


@pytest.mark.parametrize("steps", STEPS)
def test_eight_differentiate_one(steps):
    """Each thread has the Parameters as variables of its own tape."""
    net, loss_fn = Net(), nn.CrossEntropyLoss()
    net.set_train(False)
    parameters = net.trainable_params()
    gradient = ms.grad(lambda x, y: loss_fn(net(x), y), None, parameters)

    def run(number):
        each = [gradient(*batch(number + i % 50)) for i in range(steps)]
        return [g.asnumpy() for gradients in each for g in gradients]

    assert_same(in_threads(run), [run(number) for number in range(THREADS)])
    assert not lending.scopes
    assert all(type(p) is Parameter for p in parameters)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["dynamic", "jit"])
def test_eight_differentiate_one_for_minutes(way, request):
    """As long as `--minutes` says: first and second derivatives by the same Parameters."""
    seconds = 60 * request.config.getoption("--minutes")
    faulthandler.dump_traceback_later(900 + 2 * seconds, exit=True)
    net, loss_fn = Net(), nn.CrossEntropyLoss()
    net.set_train(False)
    parameters = net.trainable_params()
    first = ms.grad(lambda x, y: loss_fn(net(x), y), None, parameters)
    second = ms.grad(lambda x, y: sum((g * g).sum() for g in first(x, y)), None, parameters)
    functions = [ms.jit(f) if way == "jit" else f for f in (first, second)]

    def computed(i):
        return [g.asnumpy() for g in functions[i % 2](*batch(i))]

    expected = [computed(i) for i in range(16)]
    end = time.monotonic() + seconds

    def run(number):
        count = 0
        while time.monotonic() < end:
            i = (number + count) % len(expected)
            assert_same([computed(i)], [expected[i]])
            count += 1
        return count

    assert min(in_threads(run)) > 0
    assert not lending.scopes


def elsewhere(function):
    """What a function returns in another thread, for which this one waits."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


W = np.array([2.0, 3.0], np.float32)
WAITS = [
    (
        "the same Parameter",
        lambda w, other: ms.grad(lambda: (w * w * w).sum(), None, w)(),
        3 * W**2,
    ),
    ("another", lambda w, other: ms.grad(lambda: (other * w).sum(), None, other)(), W),
    (
        "of a derivative",
        lambda w, other: ms.grad(lambda: ms.grad(lambda: (w**3).sum(), None, w)().sum(), None, w)(),
        6 * W,
    ),
    ("a captured one", lambda w, other: ms.jit(ms.grad(lambda: (w**3).sum(), None, w))(), 3 * W**2),
    ("an assignment", lambda w, other: other.set_data(other * 0.0) + w, W),
    ("computed again", lambda w, other: ms.vmap(lambda x: x * w.sum())(w), W * W.sum()),
]


@pytest.mark.parametrize("there, expected", [r[1:] for r in WAITS], ids=[r[0] for r in WAITS])
def test_a_derivative_waits_for_another_thread(there, expected):
    w, other = Parameter(Tensor(W), name="w"), Parameter(Tensor(W), name="other")
    seen = []

    def function():
        before = w * w
        seen.append(elsewhere(lambda: there(w, other)))
        seen.append(elsewhere(lambda: w + 0.0))
        return (before * w).sum() + (w.value() * 0.0).sum()

    gradient = ms.grad(function, None, w)()
    np.testing.assert_array_equal(gradient.asnumpy(), 3 * W**2)
    np.testing.assert_array_equal(seen[0].asnumpy(), expected)
    np.testing.assert_array_equal(seen[1].asnumpy(), W)
    assert type(w) is Parameter
    assert not lending.scopes


def test_what_a_derivative_writes_stays_where_another_thread_differentiates_too():
    w = Parameter(Tensor(W), name="w")

    def function():
        elsewhere(lambda: ms.grad(lambda: (w * w).sum(), None, w)())
        y = (w * w).sum()
        w.set_data(w * 2.0)
        return y

    np.testing.assert_array_equal(ms.grad(function, None, w)().asnumpy(), 2 * W)
    np.testing.assert_array_equal(w.asnumpy(), 2 * W)
    assert type(w) is Parameter


def test_no_program_takes_over_what_is_compared():
    before = np.arange(1000, dtype=np.float32)
    double = jax.jit(lambda x: x * 2, donate_argnums=0)
    operand, result = double(device_array(before)), double(device_array(before))
    evidence = Evidence(Operands([operand], [], []), [result])
    arrays = evidence.host_arrays()
    for array in operand, result:  # another thread's programs
        np.testing.assert_array_equal(double(array), before * 4)
    for view in arrays:
        np.testing.assert_array_equal(view, before * 2)
    other = Evidence(Operands([double(device_array(before))], [], []), [result])
    double(other.operands.arrays[0])
    assert other.host_arrays() is None
