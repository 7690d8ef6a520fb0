"""What a captured function does to Python besides computing: never lost, and warned of once.

A row makes (function, what to look at after each call). At each call both must be what they are
without a capture.
"""

import collections
import concurrent.futures
import io
import random
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import context
from sporax._src.core.parameter import Parameter
from sporax._src.core.random import _Seed
from sporax._src.core.tensor import Tensor
from sporax.nn.cell import Cell

pytestmark = pytest.mark.usefixtures("on_numpy")

X = np.array([1.0, 2.0], np.float32)
COUNT, LAST, TABLE = 0, None, np.zeros(2, np.float32)


class Of(Cell):
    """A Cell of a function of itself and `x`."""

    def __init__(self, function, **attributes):
        super().__init__()
        self.function = function
        for name, value in attributes.items():
            setattr(self, name, value)

    def construct(self, x):
        return self.function(self, x)


def of_global():
    global COUNT
    COUNT = 0

    def f(x):
        global COUNT
        COUNT += 1
        return x * 2

    return f, lambda: COUNT


def of_written_global():
    def f(x):
        global LAST
        LAST = x * 3
        return x * 2

    return f, lambda: LAST


def of_nonlocal():
    n = 0

    def f(x):
        nonlocal n
        n += 1
        return x * n

    return f, lambda: n


def of_container(container, change, look=len):
    def f(x):
        change(container, x)
        return x * look(container)

    return f, lambda: look(container)


def count(table, x):
    table["a"]["n"] += 1


def of_kept():
    kept = []

    def f(x):
        kept.append(x.sum())
        return x * 2

    return f, lambda: [float(k) for k in kept]


def of_attribute():
    def f(self, x):
        self.step += 1
        return x * self.step

    cell = Of(f, step=0)
    return cell, lambda: cell.step


def of_flip():
    def f(self, x):
        self.flag = not self.flag
        return x * 2 if self.flag else x

    cell = Of(f, flag=False)
    return cell, lambda: cell.flag


def of_attribute_tensor():
    def f(self, x):
        self.last = x * 2
        return x * 3

    cell = Of(f)
    return cell, lambda: cell.last


def of_parts():
    def f(self, x):
        self.parts.append(Parameter(Tensor([2.0]), name=f"p{len(self.parts)}"))
        for p in self.parts:
            x = x * p
        return x

    cell = Of(f, parts=[])
    return cell, lambda: len(cell.parts)


class Meter:
    def __init__(self):
        self.total, self.n = 0, 0

    def update(self, value):
        self.total = self.total + value
        self.n += 1


def of_object():
    meter = Meter()

    def f(x):
        meter.update(x.sum())
        return x * 2

    return f, lambda: (float(meter.total), meter.n)


def of_removed():
    space = SimpleNamespace()

    def f(x):
        space.shape = x.shape
        return x * 2

    return f, lambda: (space.shape, delattr(space, "shape"))


def of_result():
    return (lambda x: SimpleNamespace(y=x * 2, x=x)), lambda: None


def of_iterator():
    batches = iter([Tensor([float(i)]) for i in range(9)])
    return (lambda x: x + next(batches)), lambda: None


def of_file():
    file = io.StringIO()

    def f(x):
        file.write("step ")
        return x * 2

    return f, file.getvalue


def of_numpy():
    return (lambda x: x + float(np.random.rand())), lambda: None


def of_random():
    return (lambda x: x + random.random()), lambda: None


def of_default_rng():
    rng = np.random.default_rng(0)
    return (lambda x: x + rng.random()), lambda: None


def of_thread():
    def f(x):
        results = []
        thread = threading.Thread(target=lambda: results.append(x * 2))
        thread.start()
        thread.join()
        return results[0]

    return f, lambda: None


def of_local_pool():
    def f(x):
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: x * 2).result()

    return f, lambda: None


def of_pool():
    pool = concurrent.futures.ThreadPoolExecutor(1)
    return (lambda x: pool.submit(lambda: x * 2).result()), lambda: None


# name -> (what makes it, what the warning says)
EFFECTS = {
    "global": (of_global, "'COUNT', at each call.*COUNT \\+= 1"),
    "written global": (of_written_global, "leaves a Tensor.*'LAST'.*LAST = x \\* 3"),
    "nonlocal": (of_nonlocal, "'n', at each call.*n \\+= 1"),
    "list": (lambda: of_container([], lambda c, x: c.append(len(c))), "'container'"),
    "deque": (lambda: of_container(collections.deque(), lambda c, x: c.append(1)), "'container'"),
    "set": (lambda: of_container(set(), lambda c, x: c.add(len(c))), "'container'"),
    "Counter": (
        lambda: of_container(collections.Counter(), lambda c, x: c.update("a"), lambda c: c["a"]),
        "'container'",
    ),
    "dict in a dict": (
        lambda: of_container({"a": {"n": 0}}, count, lambda c: c["a"]["n"]), "'container'"
    ),
    "a long list": (
        lambda: of_container([0] * 300, lambda c, x: c.append(1), len), "'container'"
    ),
    "kept Tensors": (of_kept, "leaves a Tensor where others find it, 'kept'.*kept.append"),
    "attribute": (of_attribute, "'step', at each call.*self.step \\+= 1"),
    "flag": (of_flip, "'flag'.*self.flag = not self.flag"),
    "Tensor as attribute": (of_attribute_tensor, "leaves a Tensor.*'last'.*self.last = x \\* 2"),
    "Parameters": (of_parts, "'parts'"),
    "object": (of_object, "leaves a Tensor.*'total'.*self.total = "),
    "removed attribute": (of_removed, "'shape'.*space.shape = x.shape"),
    "object as result": (of_result, "leaves a Tensor where others find it"),
    "iterator": (of_iterator, "'batches', an iterator or a file"),
    "file": (of_file, "'file', an iterator or a file.*file.write"),
    "numbers of NumPy": (of_numpy, "draws random numbers"),
    "numbers of random": (of_random, "draws random numbers"),
    "numbers of default_rng": (of_default_rng, "'rng'"),
    "thread": (of_thread, "other threads, by 'Thread'"),
    "pool": (of_pool, "other threads, by 'pool'"),
    "pool of its own": (of_local_pool, "other threads, by 'ThreadPoolExecutor'"),
}  # fmt: skip


def plain(result):
    if isinstance(result, Tensor):
        return result.asnumpy().tolist()
    if isinstance(result, SimpleNamespace):
        return plain(result.x), plain(result.y)
    return result


def calls(make, wrap):
    random.seed(1)
    np.random.seed(1)
    function, look = make()
    function = wrap(function)
    return [(plain(function(Tensor(X * i))), plain(look())) for i in range(5)]


@pytest.mark.parametrize("make, words", EFFECTS.values(), ids=list(EFFECTS))
def test_nothing_is_lost(make, words):
    expected = calls(make, lambda f: f)
    with pytest.warns(RuntimeWarning, match=f"cannot be captured, since it .*{words}") as seen:
        assert calls(make, jit) == expected
    assert len(seen) == 1
    assert seen[0].filename == __file__


def test_a_seed_that_sporax_takes_from_numpy_is_no_effect(monkeypatch):
    monkeypatch.setattr(_Seed, "value", None)
    drop = ops.Dropout(0.5)
    captured = jit(lambda x: drop(x)[0])
    masks = {captured(Tensor(np.ones(64, np.float32))).asnumpy().tobytes() for _ in range(4)}
    assert (captured.dynamic, captured.captures, len(masks)) == (False, 1, 4)


@pytest.mark.parametrize("name", ["kept Tensors", "iterator", "numbers of NumPy"])
def test_fullgraph_refuses(name):
    make, _ = EFFECTS[name]
    function, _ = make()
    with pytest.raises(RuntimeError, match=r"fullgraph=True.*must compute only, but it "):
        jit(function, fullgraph=True)(Tensor(X))


def test_what_happens_once_is_captured_afterwards():
    """A cache that is filled at the first call."""
    cache = {}

    @jit
    def f(x):
        if "table" not in cache:
            cache["table"] = x * 0 + 3.0
        return x * cache["table"]

    for i in range(5):
        assert f(Tensor(X)).asnumpy().tolist() == [3.0, 6.0]
        if i == 2:
            cache["table"] = Tensor([3.0, 3.0])  # another Tensor: captured once more
    assert f.captures == 3
    assert not f.dynamic


def test_what_another_thread_draws_is_none_of_it():
    ended = threading.Event()

    def load():
        while not ended.is_set():
            np.random.rand()

    loader = threading.Thread(target=load)
    loader.start()
    try:
        f = jit(lambda x: x * 2)
        for _ in range(3):
            assert f(Tensor(X)).asnumpy().tolist() == [2.0, 4.0]
        assert f.captures == 1
        with pytest.warns(RuntimeWarning, match="draws random numbers"):
            jit(lambda x: x * np.random.rand())(Tensor(X))
    finally:
        ended.set()
        loader.join()


def test_numpy_arrays_that_change_in_place_are_noticed():
    f = jit(lambda x: x + Tensor(TABLE))
    for i in range(3):
        TABLE[:] = i
        assert f(Tensor(X)).asnumpy().tolist() == [1.0 + i, 2.0 + i]


@pytest.fixture
def graph_mode():
    context.set_context(mode=context.GRAPH_MODE)
    yield
    context.set_context(mode=context.PYNATIVE_MODE)


def test_a_network_that_runs_dynamically_in_graph_mode(graph_mode):
    """Its parts still run as graphs of their own."""

    def f(self, x):
        return self.dense(x) * float(self.dense(x).asnumpy().sum())

    net = Of(f, dense=nn.Dense(2, 2))
    x = Tensor(X.reshape(1, 2))
    with pytest.warns(RuntimeWarning, match="needs a number"):
        result = [net(x).asnumpy() for _ in range(3)]
    y = X.reshape(1, 2) @ net.dense.weight.asnumpy().T + net.dense.bias.asnumpy()
    for one in result:
        np.testing.assert_allclose(one, y * y.sum(), rtol=1e-5)
    assert net.dense._captured_call.captures == 1


def test_recursion_without_end():
    weight = Parameter(Tensor(X), name="weight")

    def inner(x):
        weight.set_data(weight + 1)
        return inner(x) + 1

    words = "'outer' must end, but 'inner' calls itself without end at .*return inner"
    f = jit(lambda x: inner(x))
    f.name = "outer"
    with pytest.raises(RecursionError, match=words):
        f(Tensor(X))
    assert weight.asnumpy().tolist() == X.tolist()
