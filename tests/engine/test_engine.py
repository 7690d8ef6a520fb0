"""The engine: what is recorded, what runs, what is compiled, what is given away."""

import gc
import threading

import numpy as np
import pytest

from sporax import ops
from sporax._src.core import context
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.runtime.engine.program import compilations
from sporax._src.runtime.engine.recorder import Recorder, run_pending
from sporax._src.runtime.engine.trace_tree import CAP, period_of
from sporax._src.transforms.autodiff.grad import grad

deferred_only = pytest.mark.skipif(Recorder.immediate, reason="about the deferred executor")


def ones(*shape):
    return Tensor(np.ones(shape, np.float32))


def compiled_by(function):
    """How many programs were compiled by a call."""
    before = compilations["programs"]
    function()
    return compilations["programs"] - before


@deferred_only
def test_nothing_runs_until_a_number_is_read():
    x = ones(3) * 2.0
    assert x._value.array is None
    assert x.asnumpy().tolist() == [2.0, 2.0, 2.0]
    assert x._value.array is not None


@deferred_only
def test_what_nobody_holds_is_not_computed():
    run_pending()
    x = ones(3)
    y = ((x + 1.0) * 2.0) + 3.0
    recorder = thread.recorder
    assert [o() is not None for o in recorder.outputs] == [False, False, True]
    assert y.asnumpy().tolist() == [7.0, 7.0, 7.0]


@deferred_only
def test_numbers_and_repetition_compile_nothing_new():
    x = ones(4)

    def step(a, b):
        return ops.add(x * a, b).asnumpy()

    step(1.0, 2.0)
    assert compiled_by(lambda: [step(float(i), i * 0.5) for i in range(20)]) == 0
    assert compiled_by(lambda: step(1.0, 2)) == 1  # an int in place of a float is another program


@deferred_only
def test_a_parameter_nobody_else_sees_gives_its_buffer_away():
    p = Parameter(ones(64, 64), name="p")
    p.set_data(p * 0.5)
    run_pending()
    array = p._value.array
    p.set_data(p * 0.5)
    run_pending()
    assert array.is_deleted()
    assert p.asnumpy()[0, 0] == 0.25


def test_what_somebody_holds_is_never_given_away():
    p = Parameter(ones(8, 8), name="p")
    before = p.value()
    view = p.asnumpy()
    copied = Tensor(p)
    for _ in range(3):
        p.set_data(p + 1.0)
        run_pending()
    assert before.asnumpy()[0, 0] == copied.asnumpy()[0, 0] == view[0, 0] == 1.0
    assert p.asnumpy()[0, 0] == 4.0


@deferred_only
@pytest.mark.parametrize("turns", [1, 3, 7])
def test_a_loop_that_reads_nothing_is_cut_where_it_repeats(turns):
    def body(x):
        for i in range(turns):
            x = x * 0.5 + float(i)
        return -x

    def loop(n):
        x = ones(4)
        for _ in range(n):
            x = body(x)
        return x.asnumpy()

    loop(10)
    first = compiled_by(lambda: loop(2000))
    assert first <= 4  # entry, the repeating middle, the rest
    x = np.ones(4)
    for _ in range(2000):
        x = -_body_in_numpy(x, turns)
    np.testing.assert_allclose(loop(2000), x, rtol=1e-5)


def _body_in_numpy(x, turns):
    for i in range(turns):
        x = x * 0.5 + i
    return x


@pytest.mark.parametrize(
    "ops, period",
    [("aaaa", 1), ("abab", 2), ("abcabc", 3), ("abcd", None), ("babab", 2), ("aab", None)],
)
def test_period(ops, period):
    assert period_of(list(ops)) == period


@pytest.mark.slow
@deferred_only
def test_an_endless_trace_is_cut_at_the_cap():
    x, terms = ones(2), []
    rng = np.random.default_rng(0)
    for choice in rng.integers(0, 2, CAP + 10):
        x = x + 1.0 if choice else -x
        terms.append(choice)
    assert thread.recorder.state.depth < CAP
    expected = 1.0
    for choice in terms:
        expected = expected + 1.0 if choice else -expected
    assert x.asnumpy()[0] == expected


@pytest.mark.executors
def test_a_refused_operation_leaves_no_mark():
    x, y = ones(2, 3) * 2.0, ones(4, 5)
    for _ in range(3):
        with pytest.raises(ValueError, match="For 'Add'"):
            _ = x + (y + 0.5)
    assert (x + 1.0).asnumpy().tolist() == np.full((2, 3), 3.0).tolist()


@pytest.mark.executors
def test_a_pending_value_can_be_read_in_another_thread():
    x = ones(3) * 2.0
    seen = []
    reader = threading.Thread(target=lambda: seen.append((x + 1.0).asnumpy()))
    reader.start()
    reader.join()
    y = x * 10.0  # the owner goes on with the same trace
    assert seen[0].tolist() == [3.0, 3.0, 3.0]
    assert y.asnumpy().tolist() == [20.0, 20.0, 20.0]


@pytest.mark.executors
def test_many_threads_share_a_pending_value():
    x = ones(100)
    shared = x * 3.0
    results = {}

    def work(k):
        total = shared
        for _ in range(50):
            total = total + float(k)
        results[k] = total.asnumpy()[0]

    workers = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for w in workers:
        w.start()
    mine = shared
    for _ in range(200):
        mine = mine + 1.0
    for w in workers:
        w.join()
    assert mine.asnumpy()[0] == 203.0
    assert results == {k: 3.0 + 50 * k for k in range(8)}


def test_the_immediate_executor_runs_each_operation_at_its_line():
    was = context.get_context("pynative_synchronize")
    context.set_context(pynative_synchronize=True)
    try:
        x = ones(3) * 2.0
        assert x._value.array is not None
        slope = grad(lambda x: (x * x * x).sum())(ones(2) * 2.0)
        assert slope.asnumpy().tolist() == [12.0, 12.0]
    finally:
        context.set_context(pynative_synchronize=was)


def test_asnumpy_gives_an_array_of_its_own():
    x = ones(3)
    array = x.asnumpy()
    array[0] = 5.0
    assert x.asnumpy().tolist() == [1.0, 1.0, 1.0]


def test_a_numpy_array_can_change_after_it_became_a_tensor():
    array = np.ones(1 << 16, np.float32)
    x = Tensor(array)
    array[:] = 7.0
    assert x.asnumpy()[0] == 1.0


@deferred_only
def test_a_training_loop_keeps_memory_flat_and_compiles_nothing_after_its_start():
    p = Parameter(ones(32, 32), name="p")
    data = ones(16, 32)
    gradient = grad(lambda x: ((x @ p) * (x @ p)).mean(), None, [p])

    def step():
        (g,) = gradient(data)
        p.set_data(p - g * 0.01)
        return float((p * 0.0).sum())

    def objects():
        gc.collect()
        return len(gc.get_objects())

    for _ in range(3):
        step()
    before, threads = objects(), threading.active_count()
    assert compiled_by(lambda: [step() for _ in range(300)]) == 0
    assert objects() - before < 50
    assert threading.active_count() == threads
