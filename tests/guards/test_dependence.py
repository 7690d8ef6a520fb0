"""What a captured function depends on: when any of it changes, the numbers are those of Python."""

import collections
import copy
import copyreg
import dataclasses
import functools
import os
import threading
from collections import OrderedDict
from types import SimpleNamespace

import numpy as np
import pytest

from sporax._src.capture.graph_capture.jit import JitFunction, jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff.grad import grad
from sporax.nn.cell import Cell
from tests.comparison import tensor

SCALE = 2.0
SETTINGS = {"scale": 2.0}


def scaled(x):
    return x * SCALE


class Settings(SimpleNamespace):
    """A plain object with a method."""

    def apply(self, x):
        return x * self.scale


class Net(Cell):
    """x * k, of a plain attribute."""

    def __init__(self):
        super().__init__()
        self.k = 2.0

    def construct(self, x):
        return x * self.k


class Lazy(Cell):
    """Makes its weight when it is called first."""

    def __init__(self):
        super().__init__()
        self.w = None

    def construct(self, x):
        if self.w is None:
            self.w = Parameter(tensor(2, 2), name="w")
        return x * self.w


def change_global():
    def change():
        globals()["SCALE"] += 1.0

    return change


def of_global(wrap):
    return lambda: (wrap(lambda x: scaled(x) + 0.0), change_global())


def of_comprehension():
    return lambda x: sum([x * SCALE for _ in range(2)]), change_global()


def of_partial():
    return functools.partial(lambda x, y: y * x * SCALE, 2.0), change_global()


def of_dict():
    return lambda x: x * SETTINGS["scale"], lambda: SETTINGS.update(scale=SETTINGS["scale"] + 1)


def of_object():
    settings = Settings(scale=2.0, unused=1)
    return settings.apply, lambda: setattr(settings, "scale", settings.scale + 1.0)


def of_object_tensor():
    settings = Settings(scale=tensor(2, 2))
    return settings.apply, lambda: setattr(settings, "scale", tensor(3, 3))


def of_list():
    sizes = [1.0]
    return lambda x: x * len(sizes), lambda: sizes.append(1.0)


def of_cell_method():
    net = Net()
    return net.construct, lambda: setattr(net, "k", net.k + 1.0)


def of_cell_below():
    net = Net()
    return lambda x: net.construct(x) + net(x), lambda: setattr(net, "k", net.k + 1.0)


def of_copies():
    w = Parameter(tensor(1, 2), name="w")

    def run(x):
        return x * copy.copy(w) + copy.deepcopy(w) * Tensor(w) + w.clone() + w.value()

    return run, lambda: w.set_data(tensor(5, 6))


def of_lazy():
    net = Lazy()
    return net, lambda: net.w.set_data(tensor(5, 6))


def of_required_gradient():
    p = Parameter(tensor(1, 2), name="p")

    def run(x):
        return grad(lambda x: (p * p * x).sum(), None, p)(x)

    return run, lambda: setattr(p, "requires_grad", not p.requires_grad)


class Kind:
    """What a class has: a value, a property, methods of all kinds."""

    scale = 2.0

    @property
    def doubled(self):
        return 2.0 * SCALE

    @staticmethod
    def static(x):
        return x * SCALE

    @classmethod
    def of_class(cls, x):
        return x * cls.scale


class Derived(Kind):
    pass


def change_class():
    Kind.scale += 1.0


def of_instance(function, change):
    def make():
        instance = Derived()
        return lambda x: function(instance, x), change

    return make


def of_class():
    return lambda x: x * Derived.scale, change_class


def of_two_closures():
    """Two functions of one code."""
    ones, twos = [1.0], [2.0]

    def times(factors):
        return lambda x: x * factors[0]

    one, two = times(ones), times(twos)
    return lambda x: one(x) + two(x), lambda: twos.append(twos.pop() + 1.0)


def of_nested_dict():
    settings = {"a": {"b": [1.0]}}
    return lambda x: x * settings["a"]["b"][0], lambda: settings["a"]["b"].insert(0, 5.0)


CHANGED = {
    "attribute of a class": of_class,
    "attribute of a class by an instance": of_instance(lambda a, x: x * a.scale, change_class),
    "global of a property": of_instance(lambda a, x: x * a.doubled, change_global()),
    "global of a static method": of_instance(lambda a, x: a.static(x), change_global()),
    "attribute in a class method": of_instance(lambda a, x: a.of_class(x), change_class),
    "second of two closures of one code": of_two_closures,
    "list in a dict in a dict": of_nested_dict,
    "global of a function named": of_global(lambda f: f),
    "global of a wrapped function": of_global(lambda f: functools.wraps(f)(lambda x: f(x))),
    "global in a comprehension": of_comprehension,
    "global of a partial": of_partial,
    "item of a global dict": of_dict,
    "attribute of an object": of_object,
    "Tensor of an object": of_object_tensor,
    "length of a list": of_list,
    "attribute of a Cell whose construct is captured": of_cell_method,
    "attribute of a Cell that is called in part": of_cell_below,
    "contents of a Parameter that is copied": of_copies,
    "Parameter made at the first call": of_lazy,
    "whether a Parameter requires a gradient": of_required_gradient,
}


@pytest.mark.parametrize("make", CHANGED.values(), ids=list(CHANGED))
def test_a_change_is_noticed(make):
    function, change = make()
    run, x = jit(function), tensor(1, 2)
    for _ in range(3):
        for _ in range(2):
            result, expected = run(x).asnumpy(), function(x).asnumpy()
            np.testing.assert_allclose(result, expected)
        change()
    assert run.captures <= 4


STATIC = [
    ("a set that grows", {1}, lambda s: s.add(len(s) + 5), lambda x, s: x * len(s)),
    ("an array that changes", np.ones(2), lambda a: a.__iadd__(1), lambda x, a: x * float(a[0])),
    (
        "an object",
        Settings(scale=1.0),
        lambda s: vars(s).update(scale=4.0),
        lambda x, s: s.apply(x),
    ),
]


@pytest.mark.parametrize(
    "given, change, function", [r[1:] for r in STATIC], ids=[r[0] for r in STATIC]
)
def test_what_is_given_may_change_in_place(given, change, function):
    run, x = jit(function), tensor(1, 2)
    for _ in range(2):
        np.testing.assert_allclose(run(x, given).asnumpy(), function(x, given).asnumpy())
        change(given)
    np.testing.assert_allclose(run(x, given).asnumpy(), function(x, given).asnumpy())


@pytest.mark.parametrize("kind", [list, collections.deque, bytearray])
def test_a_container_that_is_an_argument_and_a_variable_too(kind):
    held = kind([1, 2])

    @jit
    def f(x, argument):
        return x * held[0] if argument is held else x

    x = tensor([1.0])
    for number in (3, 4, 4):
        held[0] = number
        assert f(x, held).item() == number


def test_a_change_of_an_argument_without_a_name_is_a_side_effect():
    @jit
    def f(x, calls):
        calls.append(1)
        return x * 2

    calls = collections.deque()
    with pytest.warns(RuntimeWarning, match="it changes what it reads, a deque, at each call"):
        for _ in range(4):
            assert f(tensor([1.0]), calls).item() == 2.0
    assert len(calls) == 4


def test_negative_zero_is_no_zero_and_one_nan_is_another():
    for run in (jit(lambda x, zero: x * zero), jit(lambda x, zero: x * float(repr(zero)))):
        assert [np.signbit(run(tensor(1), z).asnumpy()[0]) for z in (0.0, -0.0)] == [False, True]
        for _ in range(3):
            run(tensor(1), float("nan"))
    assert run.captures == 3


def test_a_name_that_appears_later_is_no_error():
    run = jit(lambda x: x.ndim * x)
    run(tensor(1))
    globals()["ndim"] = 3
    try:
        assert run(tensor(1)).asnumpy()[0] == 1.0
    finally:
        del globals()["ndim"]


def test_what_changes_at_every_call_runs_dynamically_in_the_end():
    calls = [0]

    def count(x):
        return x * calls[0]

    def counted(x):
        calls[0] += 1
        return run(x)

    run = jit(count)
    eight = pytest.warns(RuntimeWarning, match="captured 8 times.*'calls'.*changed")
    sixteen = pytest.warns(RuntimeWarning, match="16 times because 'calls' was another one")
    with eight, sixteen:
        result = [counted(tensor(1)).asnumpy()[0] for _ in range(20)]
    assert result == [float(i) for i in range(1, 21)]


def test_writing_to_an_argument_writes_to_that_of_each_call():
    def first_to_nine(x):
        x[0] = 9.0
        return x * 1.0

    run, a, b = jit(first_to_nine), tensor(1, 2), tensor(3, 4)
    assert run(a).asnumpy().tolist() == [9.0, 2.0]
    assert run(b).asnumpy().tolist() == [9.0, 4.0]
    assert a.asnumpy().tolist() == [9.0, 2.0]
    assert b.asnumpy().tolist() == [9.0, 4.0]
    assert run.captures == 1


def test_an_argument_that_is_state_too():
    t = tensor(1, 2)

    def run(x):
        t.add_(1.0)
        return x * 2.0

    run = jit(run)
    for _ in range(2):
        t.zero_()
        assert run(t).asnumpy().tolist() == [2.0, 2.0]
        assert run(tensor(1, 1)).asnumpy().tolist() == [2.0, 2.0]
        assert run(t).asnumpy().tolist() == [6.0, 6.0]
        assert t.asnumpy().tolist() == [3.0, 3.0]
    assert run.captures == 2


def test_dataclasses_and_ordered_dicts_come_and_go():
    @dataclasses.dataclass
    class Batch:
        x: Tensor
        name: str

    run = jit(lambda b: (Batch(b.x * 2.0, b.name), OrderedDict(a=b.x)))
    for k in (1.0, 2.0):
        batch, table = run(Batch(tensor(k), "n"))
        assert (batch.x.asnumpy()[0], batch.name) == (2 * k, "n")
        assert type(table) is OrderedDict
        assert table["a"].asnumpy()[0] == k
    assert run.captures == 1


def test_threads_capture_and_differentiate_with_one_parameter():
    p, errors, runs = Parameter(tensor(1, 2), name="p"), [], []

    def work(k):
        x = tensor(k, k)
        try:
            for _ in range(10):
                run = jit(lambda x: (p * x * x + p).sum())
                slope = grad(lambda x: (p * x).sum(), None, p)
                assert float(run(x)) == 3 * k * k + 3
                assert slope(x).asnumpy().tolist() == [k, k]
                runs.append((k, run))
        except BaseException as error:  # noqa: BLE001 (the assertion is below)
            errors.append(error)

    workers = [threading.Thread(target=work, args=(k,)) for k in (1, 2, 3)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert errors == []
    assert not p._value.tracked
    p.set_data(p * 2.0)
    for k, run in runs:
        assert float(run(tensor(k, k))) == 2 * (3 * k * k + 3)
        assert p.asnumpy().tolist() == [2.0, 4.0]


def test_kinds_of_arguments_are_forgotten_in_the_end(monkeypatch):
    monkeypatch.setattr(JitFunction, "MAX_KINDS", 2)
    run = jit(lambda x, n: x * n[0])
    for n, captures in [(1, 1), (2, 2), (1, 2), (3, 3), (1, 3), (2, 4)]:
        assert run(tensor(1), [n]).asnumpy()[0] == n
        assert run.captures == captures


def test_functions_that_libraries_register_are_not_called(monkeypatch):
    monkeypatch.setitem(copyreg.dispatch_table, memoryview, os.listdir)  # as SciPy does
    held = [2.0]
    function = jit(lambda x: x * copy.deepcopy(held)[0])
    function(tensor(2, 2))
    assert not function.dynamic
