"""Captured functions in several threads at once: the same results, and no call sees half of
another's."""

import sys
import threading

import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import contexts
from sporax._src.runtime.engine import compile_policy
from sporax._src.runtime.engine.program import Program
from sporax._src.transforms.autodiff import grad, value_and_grad
from sporax._src.transforms.batching import vmap

THREADS, CALLS = 4, 12


@pytest.fixture(params=[True, False], ids=["interpreted first", "compiled at once"], autouse=True)
def tiers(request, monkeypatch):
    monkeypatch.setattr(compile_policy, "uses_interpreter", request.param)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def in_threads(function):
    """`function(number of the thread)` in each of the threads at once; their results."""
    start, results, errors = threading.Barrier(THREADS), {}, []

    def run(number):
        try:
            start.wait()
            results[number] = function(number)
        except BaseException as error:  # noqa: BLE001 - raised in the main thread
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    if errors:
        raise errors[0]
    return [results[i] for i in range(THREADS)]


def vector(number, n=3):
    return Tensor(np.full(n, number, np.float32))


def training():
    """A step of Adam, which donates its state, and the Parameter."""
    weight = Parameter(Tensor(np.ones(64, np.float32)), name="weight")
    optimizer = nn.Adam([weight], 0.01)
    gradient = value_and_grad(lambda x: ((x * weight) ** 2).sum(), None, [weight])

    @jit
    def step(x):
        loss, gradients = gradient(x)
        optimizer(gradients)
        return loss

    return step, weight


started = []


class Elsewhere:
    """Calls a function in another thread, once, and waits for its result. A `with` of a lock may
    be captured, other ways to wait are not."""

    def __init__(self, function):
        self.function = function
        self.begin, self.end = threading.Lock(), threading.Lock()
        self.begin.acquire()
        self.end.acquire()
        started.append(threading.Thread(target=self.work, daemon=True))
        started[-1].start()

    def work(self):
        self.begin.acquire()
        try:
            self.result = self.function(*self.args)
        except BaseException as error:  # noqa: BLE001 - the test shows it
            self.result = error
        self.end.release()

    def __call__(self, *args):
        self.args = args
        self.begin.release()
        self.end.__enter__()


# functions of a Tensor
PURE = {
    "operations": lambda x: (x * 2 + 1).sum(),
    "a gradient": grad(lambda x: (x**3).sum()),
    "mapped": vmap(lambda row: row * row.sum()),
}


@pytest.mark.parametrize("function", PURE.values(), ids=PURE)
def test_one_function_for_all(function):
    captured = jit(function)

    def run(number):
        inputs = [vector(number + i, (2, 3)) for i in range(CALLS)]
        return [captured(x).asnumpy() for x in inputs]

    for number, results in enumerate(in_threads(run)):
        for i, result in enumerate(results):
            np.testing.assert_allclose(result, function(vector(number + i, (2, 3))).asnumpy(), 1e-6)


@pytest.mark.filterwarnings("ignore:.*has been captured 8 times")  # threads capture at once
def test_sizes_that_vary():
    captured = jit(lambda x: (x * 2).sum() + x, dynamic=1)

    def run(number):
        return [captured(vector(number, n)).asnumpy() for n in range(2, 2 + CALLS)]

    for number, results in enumerate(in_threads(run)):
        for n, result in enumerate(results, 2):
            np.testing.assert_allclose(result, np.full(n, number * (2 * n + 1)), 1e-6)


def test_each_thread_trains_its_own():
    expected, weight = training()
    for _ in range(CALLS):
        expected(vector(1.0, 1))
    expected = weight.asnumpy()

    def run(number):
        step, weight = training()
        for _ in range(CALLS):
            loss = step(vector(1.0, 1))
        return float(loss), weight.asnumpy()

    for loss, result in in_threads(run):
        np.testing.assert_allclose(result, expected, 1e-6)
        assert loss > 0


def test_all_train_one():
    alone, weight = training()
    for _ in range(THREADS * CALLS):
        alone(vector(1.0, 1))
    expected = weight.asnumpy()
    step, weight = training()

    def run(number):
        for _ in range(CALLS):
            step(vector(1.0, 1))
            weight.asnumpy()  # while other threads donate it

    in_threads(run)
    np.testing.assert_allclose(weight.asnumpy(), expected, 1e-5)


def test_dynamic_code_beside_captured():
    """Threads that record what they read later, and threads that donate."""

    def run(number):
        step, weight = training()
        held = []
        for _ in range(CALLS):
            step(vector(1.0, 1))
            held.append((weight + 0.0, weight.asnumpy()))
            held.append((ops.sin(held[-1][0]), np.sin(held[-1][1])))
        return [(a.asnumpy(), b) for a, b in held]

    for pairs in in_threads(run):
        for result, expected in pairs:
            np.testing.assert_allclose(result, expected, 1e-5)


def test_others_see_a_call_that_fails_as_if_it_had_never_been(monkeypatch):
    weight = Parameter(Tensor(np.ones(3, np.float32)), name="weight")
    step = jit(lambda x: weight.set_data(weight * x).sum())
    for _ in range(3):
        step(vector(1.0))
    seen, waits = [], threading.Event()

    def read():
        pending = weight + 0.0 if weight._value.array is not None else weight
        waits.set()
        seen.extend([pending.asnumpy(), weight.asnumpy()])

    def fail(*operands):
        reader.start()
        waits.wait()
        raise ArithmeticError

    reader = threading.Thread(target=read)
    with monkeypatch.context() as patch, pytest.raises(ArithmeticError):
        patch.setattr(Program, "__call__", fail)
        step(vector(5.0))
    reader.join()
    step(vector(2.0))
    for value in seen:
        np.testing.assert_array_equal(value, np.ones(3))
    np.testing.assert_array_equal(weight.asnumpy(), np.full(3, 2.0))


def test_a_capture_may_wait_for_another_thread():
    """Which reads, derives and captures, and sees what was before."""
    weight = Parameter(Tensor(np.ones(3, np.float32)), name="weight")

    def work():
        slope = grad(lambda: (weight**2).sum(), None, weight)()
        return weight.asnumpy(), slope.asnumpy(), jit(lambda: weight.sum())().asnumpy()

    before, elsewhere = len(contexts), Elsewhere(work)

    @jit
    def step(x):
        weight.set_data(weight * x)
        elsewhere()
        return weight.sum()

    assert float(step(vector(2.0))) == 6.0
    assert not step.dynamic
    value, slope, captured = elsewhere.result
    np.testing.assert_array_equal(value, np.ones(3))
    np.testing.assert_array_equal(slope, np.full(3, 2.0))
    assert captured == 3.0
    np.testing.assert_array_equal(weight.asnumpy(), np.full(3, 2.0))
    assert type(weight) is Parameter
    started.pop().join()
    assert len(contexts) == before


def test_what_another_thread_reads_of_a_capture_has_escaped():
    elsewhere = Elsewhere(lambda y: y.asnumpy())

    @jit
    def step(x):
        y = x * 2.0
        if not hasattr(elsewhere, "args"):
            elsewhere(y)
            elsewhere.args = ()
        return y + 1.0

    for x in 3.0, 4.0, 5.0:
        np.testing.assert_array_equal(step(vector(x)).asnumpy(), np.full(3, 2 * x + 1))
    np.testing.assert_array_equal(elsewhere.result, np.full(3, 6.0))


def test_a_write_elsewhere_leaves_a_captures_own_views():
    weight = Parameter(Tensor(np.ones(3, np.float32)), name="weight")

    def write():
        weight[0] = 5.0

    elsewhere = Elsewhere(write)

    @jit
    def step(x):
        part = weight[:2]
        elsewhere()
        return part * x

    np.testing.assert_array_equal(step(vector(2.0, 2)).asnumpy(), [10.0, 2.0])
    assert elsewhere.result is None
    np.testing.assert_array_equal(weight.asnumpy(), [5.0, 1.0, 1.0])
