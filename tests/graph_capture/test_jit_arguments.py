"""What a captured function is given, returns and writes to: as without a capture."""

import collections
import copy
import dataclasses
import enum
import gc
import weakref

import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax.nn.cell import Cell


def tensor(k, n=2):
    return Tensor(np.arange(n, dtype=np.float32) + k)


@dataclasses.dataclass
class Batch:
    x: Tensor
    scale: float = 2.0
    rest: object = None


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: Tensor
    name: str = "a"


class Pair(collections.namedtuple("Pair", "x y")):
    def total(self):
        return self.x + self.y


class Kind(enum.Enum):
    ADD = 1
    SUB = 2


class Plain:
    """An object that is no container: its attributes are what it depends on."""

    def __init__(self, k):
        self.x, self.k = tensor(k), 3


WEIGHT = Parameter(tensor(5), name="weight")
DENSE = nn.Dense(2, 2)


def chosen(x, kind):
    return x + 1 if kind is Kind.ADD else x - 1


# name -> (function, what it is given for a number k, captures for k = 0, 1, 0, 1)
GIVEN = {
    "tuples": (
        lambda a: (a[0] + a[1][0], a[1]), lambda k: (tensor(k), (tensor(1), [tensor(2)])), 1
    ),
    "lists": (lambda a: [a[0] * len(a)], lambda k: [tensor(k), tensor(2)], 1),
    "dicts": (lambda a: {"r": a["x"] * a["k"]["n"]}, lambda k: {"x": tensor(k), "k": {"n": 3}}, 1),
    "other keys": (lambda a: a[1] + a[(2, 3)], lambda k: {1: tensor(k), (2, 3): 1.0}, 1),
    "OrderedDict": (
        lambda a: collections.OrderedDict(b=a["x"], a=a["x"] * 2),
        lambda k: collections.OrderedDict(x=tensor(k)),
        1,
    ),
    "defaultdict": (
        lambda a: a["x"] + 1, lambda k: collections.defaultdict(int, x=tensor(k)), 1
    ),
    "dataclass": (
        lambda a: dataclasses.replace(a, x=a.x * a.scale),
        lambda k: Batch(tensor(k), rest=[None]),
        1,
    ),
    "frozen dataclass": (lambda a: Frozen(a.x * 2, a.name + "b"), lambda k: Frozen(tensor(k)), 1),
    "namedtuple": (lambda a: Pair(a.total(), a.x), lambda k: Pair(tensor(k), tensor(1)), 1),
    "None and strings": (
        lambda a: a[0] if a[1] is None and a[2] == "x" else None,
        lambda k: (tensor(k), None, "x", b"y", ...),
        1,
    ),
    "numbers": (lambda a: a[0] * a[1] + a[2], lambda k: (tensor(k), 2, 0.5, True, 1j), 1),
    "numbers that change": (lambda a: a[0] ** a[1], lambda k: (tensor(2), k + 1), 2),
    "enum": (lambda a: chosen(*a), lambda k: (tensor(1), [Kind.ADD, Kind.SUB][k]), 2),
    "slice and range": (
        lambda a: a[0][a[1]] + sum(a[2]), lambda k: (tensor(k, 4), slice(1, 3), range(3)), 1
    ),
    "dtype": (lambda a: a[0].astype(a[1]), lambda k: (tensor(k), tensor(0).dtype), 1),
    "NumPy array": (lambda a: a[0] + Tensor(a[1]), lambda k: (tensor(1), np.full(2, k, "f")), 2),
    "NumPy number": (lambda a: a[0] * a[1], lambda k: (tensor(k), np.float32(3)), 1),
    "set": (lambda a: a[0] * len(a[1]), lambda k: (tensor(k), {1, 2}), 1),
    "function": (lambda a: a[1](a[0]), lambda k: (tensor(k), ops.tanh), 1),
    "Cell": (lambda a: a[1](a[0]), lambda k: (tensor(k).reshape(1, 2), DENSE), 1),
    "Parameter": (lambda a: a[0] * a[1], lambda k: (tensor(k), WEIGHT), 1),
    "Parameter as a result": (lambda a: (a[0], WEIGHT), lambda k: (tensor(k),), 1),
    "empty containers": (lambda a: (a[0], (), [], {}), lambda k: (tensor(k), (), [], {}), 1),
    "deep": (lambda a: a[0][0][0]["x"][0].x + 1, lambda k: [[[{"x": (Batch(tensor(k)),)}]]], 1),
    "another length": (lambda a: sum(a, tensor(0)), lambda k: [tensor(1)] * (k + 1), 2),
    "another structure": (
        lambda a: a["x"] if isinstance(a, dict) else a,
        lambda k: [tensor(1), {"x": tensor(2)}][k],
        2,
    ),
    "object": (lambda a: a.x * a.k, Plain, 2),
}  # fmt: skip


def plain(obj):
    """The numbers, and everything around them."""
    if isinstance(obj, Tensor):
        return str(obj.dtype), obj.shape, obj.asnumpy().tolist()
    if isinstance(obj, dict):
        return type(obj), [(k, plain(v)) for k, v in obj.items()]
    if isinstance(obj, (tuple, list)):
        return type(obj), [plain(v) for v in obj]
    if dataclasses.is_dataclass(obj):
        return type(obj), [plain(getattr(obj, f.name)) for f in dataclasses.fields(obj)]
    return obj


@pytest.mark.parametrize("function, make, captures", GIVEN.values(), ids=list(GIVEN))
def test_any_nesting(function, make, captures):
    captured = jit(function)
    kept = [make(0), make(1)]
    for k in (0, 1, 0, 1):
        inputs = kept[k] if isinstance(kept[k], Plain) else make(k)
        assert plain(captured(inputs)) == plain(function(inputs))
    assert captured.captures == captures


def test_the_results_of_two_calls_share_nothing():
    swap = jit(lambda a: {"x": [a, [1]], "k": {}})
    one, two = swap(tensor(1)), swap(tensor(2))
    one["x"].append(3)
    one["k"]["new"] = 1
    one["x"][1].append(2)
    assert two["k"] == {} and len(two["x"]) == 2 and two["x"][1] == [1]
    assert one["x"][0].asnumpy().tolist() == [1.0, 2.0]
    assert plain(swap(tensor(1))["x"][1]) == (list, [1])


class Stateful(Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.ones((2, 3), np.float32)), name="weight")
        self.register_buffer("table", ops.zeros((2, 3)))


NET, CLOSED = Stateful(), Tensor(np.zeros((2, 3), np.float32))


def index(target, x):
    target[0] = x
    target[1, 1:] = x[0] * 2
    target[target > 3] = 0.5


def in_place(target, x):
    target.add_(x)
    target.mul_(2.0)
    target += x  # a Tensor changes in place
    return target


def whole(target, x):
    target.assign_value(ops.stack([x, x * 2]))


TARGETS = {
    "argument": lambda given: given,
    "closure": lambda given: CLOSED,
    "Parameter": lambda given: NET.weight,
    "buffer": lambda given: NET.table,
}


@pytest.mark.parametrize("write", [index, in_place, whole], ids=lambda f: f.__name__)
@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_writing(target, write):
    def f(inputs, x):
        write(target(inputs), x)
        return target(inputs).sum() + x.sum()

    def run(function):
        inputs, result = Tensor(np.zeros((2, 3), np.float32)), []
        for handle in (NET.weight, NET.table, CLOSED):
            handle.assign_value(Tensor(np.ones((2, 3), np.float32)))
        for k in range(4):
            result.append(plain(function(inputs, tensor(k, 3))))
            result += [plain(t) for t in (inputs, NET.weight, NET.table, CLOSED)]
        return result

    captured = jit(f)
    assert run(captured) == run(f)
    assert captured.captures == 1


def test_one_tensor_in_two_places():
    """As two arguments, as argument and in the enclosing function, written to in one of them."""
    table = tensor(1)

    def f(a, b):
        a.add_(1.0)
        return a + b * 10 + table * 100

    for inputs in [(table, table), (table, tensor(2)), (tensor(3), table), (tensor(1), tensor(2))]:
        result = []
        for function in (jit(f), f):
            table.assign_value(tensor(1))
            a, b = copy.copy(inputs) if inputs[0] is inputs[1] else inputs
            a, b = (t if t is table else Tensor(t) for t in (a, b))
            result.append([plain([function(a, b), a, b, table]) for _ in range(3)])
        assert result[0] == result[1]


def test_what_is_kept_of_arguments():
    """Nothing: an argument that nobody else holds is freed after the call."""
    f = jit(lambda a: a["x"] * 2)
    for k in range(3):
        inputs = {"x": tensor(k)}
        alive = weakref.ref(tensors_of(inputs)[0]._value)
        f(inputs)
        del inputs
        gc.collect()
        assert alive() is None
