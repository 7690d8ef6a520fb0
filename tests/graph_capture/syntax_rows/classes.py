"""User-defined classes"""

import dataclasses
from collections import OrderedDict, namedtuple
from enum import Enum

import numpy as np

import sporax as ms
from sporax import Tensor, jit_class, nn
from tests.graph_capture.syntax_rows.row import BREAKS, REJECTED, factory, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))
Pair = namedtuple("Pair", "a b")


class Plain:
    """A class without decorators."""

    def __init__(self, scale=2):
        self.scale, self.shift = scale, 1

    def method(self, x):
        return x * self.scale + self.shift


@jit_class
class Marked(Plain):
    """A `jit_class`."""

    def __call__(self, x, y):
        return self.scale * (x + y)


@jit_class
class Outer:
    """One `jit_class` in another."""

    kind = "outer"

    def __init__(self):
        self.inner = Marked(5)


class Kind(Enum):
    """An Enum."""

    UP = 1
    DOWN = 2


@dataclasses.dataclass
class Batch:
    """A dataclass of Tensors."""

    x: Tensor
    n: int = 2


PLAIN, MARKED, OUTER = Plain(), Marked(), Outer()


@row("Works ('LAX').", (X,))
def a_class_outside(x):
    """`plain.method(x)`, `plain.scale` of an object outside"""
    return PLAIN.method(x) + PLAIN.scale


@row("Works ('LAX').", (X,))
def a_class_made_inside(x):
    """`Plain(3).method(x)`, made inside"""
    return Plain(3).method(x)


@row("Works.", (X,))
def a_jit_class(x):
    """a `jit_class`: attributes, methods, called"""
    return MARKED.method(x) + MARKED.scale + MARKED(x, 3)


@row("Arguments must be constants.", (X,))
def a_jit_class_made_inside(x):
    """`Marked(x.sum())(x, 1)`, made inside of a Tensor"""
    return Marked(x.sum())(x, 1)


@row("Works.", (X,))
def jit_classes_in_each_other(x):
    """`outer.inner.method(x)`, `Outer.kind`"""
    return OUTER.inner.method(x), Outer.kind


@row("Not supported.", (X,), note="the TypeError of Python")
def an_object_without_call(x):
    """`plain(x)` of a class without `__call__`"""
    return PLAIN(x)


@row("Not listed.", (X,))
def operators_of_classes(x):
    """`__add__`, `__getitem__`, `__len__`, `__iter__`, `__bool__` of a class"""

    class Vector:
        def __init__(self, *parts):
            self.parts = parts

        def __add__(self, other):
            return Vector(*[a + b for a, b in zip(self, other, strict=True)])

        def __getitem__(self, i):
            return self.parts[i]

        def __len__(self):
            return len(self.parts)

        def __iter__(self):
            return iter(self.parts)

    total = Vector(x, 1) + Vector(2, x)
    return total[0] + len(total), list(total)


@row("Not listed.", (X, Kind.UP), (X, Kind.DOWN))
def enums(x, kind):
    """an Enum: `if kind is Kind.UP`"""
    return x + kind.value if kind is Kind.UP else -x


@row("Not listed.", (Pair(X, 2),))
def named_tuples(pair):
    """a named tuple as argument and result"""
    return Pair(pair.a * pair.b, pair._replace(b=3))


@row("Not listed.", (Batch(X),), (Batch(X, 5),))
def dataclasses_(batch):
    """a dataclass as argument and result"""
    return dataclasses.replace(batch, x=batch.x * batch.n)


@row("Not listed.", (OrderedDict(b=X, a=2),))
def ordered_dicts(d):
    """an OrderedDict as argument and result"""
    d = OrderedDict((k, v * 2) for k, v in d.items())
    d.move_to_end("b")
    return d


@factory("Works ('LAX').", (X,))
def an_attribute_of_an_object_given():
    """`obj.x = 100` of an object outside"""
    obj = Plain()

    def giving(x):
        obj.scale = 100
        return x * obj.scale

    return giving, lambda: obj.scale


@factory("Works ('LAX').", (X,))
def an_attribute_of_an_object_given_only():
    """`obj.x = 100` of an object outside, not read inside"""
    obj = Plain()

    def giving(x):
        obj.other = 100
        return x

    return giving, lambda: vars(obj)


class Counting(nn.Cell):
    """A Cell with an attribute."""

    def __init__(self):
        super().__init__()
        self.m, self.inner = 2, Marked()

    def construct(self, x):
        self.m = 3
        self.new = 4
        self.inner.scale = 100
        return x * self.m + self.inner.scale + self.new


@factory("Works ('LAX'); 'STRICT' raises for an attribute that is not a Parameter.", (X,))
def attributes_of_the_cell_given():
    """`self.m = 3`, `self.new = 4`, `self.inner.scale = 100` in `construct`"""
    net = Counting()
    return net, lambda: (net.m, net.new, net.inner.scale)


@factory("Works.", (X,))
def a_counter_in_a_parameter():
    """`self.count += 1` of a Parameter"""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = ms.Parameter(Tensor(0, ms.int32), name="count", requires_grad=False)

        def construct(self, x):
            self.count += 1
            return x * self.count

    net = Net()
    return net, lambda: net.count.asnumpy()


@row("ValueError.", (X,), note="the TypeError of Python")
def a_jit_class_without_call(x):
    """`settings(x)` of a `jit_class` without `__call__`"""
    return OUTER(x)


@row("TypeError.", (X,), verdict=REJECTED, error=(TypeError, "jit_class"),
     note="a Cell needs no decorator")  # fmt: skip
def a_jit_class_that_is_a_cell(x):
    """`@jit_class` of a Cell"""

    @jit_class
    class Net(nn.Cell):
        def construct(self, x):
            return x

    return Net()(x)


class Child(Marked):
    """A class that inherits from a `jit_class`."""

    def method(self, x):
        return super().method(x) * 2


@row("Works: what inherits is one too.", (X,))
def inheritance(x):
    """a class that inherits from a `jit_class`, `super()`"""
    return Child(3).method(x)


@row("Not listed.", (Batch(X),), verdict=BREAKS, words="changes a Batch",
     note="`dataclasses.replace` makes another")  # fmt: skip
def a_dataclass_given(batch):
    """`batch.n = 3` of a dataclass that is an argument"""
    batch.n = 3
    return batch.x * batch.n
