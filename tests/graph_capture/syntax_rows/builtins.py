"""Built-in functions that MindSpore lists"""

import numpy as np

import sporax as ms
from sporax import Tensor, jit_class, nn
from tests.graph_capture.syntax_rows.row import BREAKS, factory, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))
I = Tensor(np.array([[1, 2], [3, 4]], np.int32))


@jit_class
class Settings:
    """A class of the user's."""

    def __init__(self):
        self.first = 2


SETTINGS = Settings()


@row("Objects and types of libraries; a default or `hasattr` is recommended.", (X,))
def getattr_(x):
    """`getattr(settings, "first")`, `getattr(settings, "second", 2)`, `getattr(x, "shape")`"""
    return x * getattr(SETTINGS, "first"), getattr(SETTINGS, "second", 2), getattr(x, "shape")


@row("AttributeError.", (X,))
def getattr_without_default(x):
    """`getattr(settings, "second")` that is not there: the AttributeError of dynamic mode"""
    return x * getattr(SETTINGS, "second")


@row("Works.", (X,))
def hasattr_(x):
    """`hasattr(settings, "first")`, `hasattr(x, "shape")`"""
    return x, hasattr(SETTINGS, "first"), hasattr(SETTINGS, "second"), hasattr(x, "shape")


@row("Works.", (X,), verdict=BREAKS, words="'asnumpy'", note="`hasattr(x, ...)`")
def getattr_of_an_array(x):
    """`getattr(x.asnumpy(), "shape")`"""
    return getattr(x.asnumpy(), "shape", None)


@row("Tuples, lists, dicts, Tensors, arrays.", (X,))
def len_(x):
    """`len(x)`, `len([1, 2])`, `len({"a": 1})`, `len("ab")`, `len(np.array([1]))`"""
    return x * len(x), len([1, 2]), len({"a": 1}), len("ab"), len(np.array([1]))


@row("Sequences of constants, Tensors, arrays.", (X,))
def all_any(x):
    """`all([0, 1])`, `any(("a", ""))`, `all([])`"""
    return x, all([0, 1]), any(("a", "")), all([]), any(()), all(np.array([1, 2]))


@row("Works.", (X,), (X * 0,))
def all_any_of_tensors(x):
    """`(x > 0).all()`, `x.any()` of a Tensor"""
    return (x > 0).all(), x.any()


@row("Works.", (X,), verdict=BREAKS, words="as a condition", note="`x.all()` is a graph")
def builtin_all_of_a_tensor(x):
    """`all(x)`, `any(x)` of a Tensor"""
    return x, all(x), any(x)


@row("Numbers and digits, Tensors without digits.", (X,))
def round_(x):
    """`round(10.567)`, `round(10.17, 1)`, `round(17.12, -1)`"""
    return x, round(10.567), round(10.17, 1), round(17.12, -1), round(10)


@row("Works.", (X * 1.3,))
def round_of_a_tensor(x):
    """`round(x)` of a Tensor"""
    return round(x)


@row("Sequences, dicts, several arguments, Tensors.", (X,))
def max_min(x):
    """`max([0, 1, 2])`, `min({1: 10})`, `max((1, 2), (1, 4))`, `max("a", "b")`"""
    return x * max([0, 1, 2]), min({1: 10}), max((1, 2), (1, 4)), max("a", "b"), min(3, 2)


@row("Works.", (X,), verdict=BREAKS, words="as a condition", note="`x.max()` is a graph")
def max_of_a_tensor(x):
    """`max(x)`, `min(x)` of a Tensor"""
    return max(x), min(x)


@row("Works.", (X[0], X[1]), verdict=BREAKS, words="as a condition",
     note="`ops.maximum(x, y)` is a graph")  # fmt: skip
def max_of_two_tensors(x, y):
    """`max(x, y)` of Tensors"""
    return max(x, y)


@row("Sequences, Tensors, a start.", (I,))
def sum_(x):
    """`sum([0, 1, 2], 10)`, `sum(x)`, `sum([1, x, x], x)`"""
    return sum([0, 1, 2], 10), sum(x), sum(x, 10), sum([1, x, x], x)


@row("Numbers, Tensors, arrays.", (X,))
def abs_(x):
    """`abs(-45)`, `abs(x)`, `abs(tensor([-1]).asnumpy())`"""
    return abs(-45), abs(x), abs(ms.tensor([-1, 2]).asnumpy())


@row("A tuple or list; sequences of the same length.", (X,))
def map_(x):
    """`list(map(add, (x, 2), [3, 4, 5]))`"""
    return list(map(lambda a, b: a + b, (x, 2), [3, 4, 5]))


@row("A tuple or list.", (X,), note="an iterator, as in Python")
def map_returned(x):
    """`return map(add, ...)`"""
    return map(lambda a: a + 1, (x, 2))


@row("A tuple.", (X,))
def zip_(x):
    """`zip((1, 2), [x, 3, 4])`, as long as the shortest"""
    return list(zip((1, 2), [x, 3, 4]))  # noqa: B905


@row("A tuple.", (X,), note="a `range`, as in Python")
def range_(x):
    """`range(0, 6, 2)`, `return range(3)`"""
    return x, list(range(0, 6, 2)), range(3)


@row("Tuples, lists, Tensors.", (X,))
def enumerate_(x):
    """`enumerate((1, 2), 3)`, `enumerate(x)`"""
    return list(enumerate((1, 2), 3)), list(enumerate(x))


@factory("Works.", (X,))
def super_():
    """`super().construct(x)`, `super(Net, self).helper(x)`"""

    class Base(nn.Cell):
        def construct(self, x):
            return x * 2

        def helper(self, x):
            return x + 1

    class Net(Base):
        def construct(self, x):
            return super().construct(x) + super(Net, self).helper(x)  # noqa: UP008

    return Net()


@row("Works.", (X, I))
def pow_(x, i):
    """`pow(x, 2)`, `pow(i, i)`, `pow(2, 3)`"""
    return pow(x, 2), pow(i, i), pow(2, 3)


@row("Numbers, strings, Tensors.", (X,))
def print_(x):
    """`print(x)`, `print("x:", x.shape)`"""
    print("x:", x.shape, 3)
    return x + 1


@row("A list.", (X,))
def filter_(x):
    """`list(filter(is_odd, (1, 2, 3)))`"""
    return x, list(filter(lambda n: n % 2, (1, 2, 3)))


@row("Not supported.", (X,), verdict=BREAKS, words="as a condition", note="masks keep the shape")
def filter_by_tensors(x):
    """`list(filter(lambda v: v > 0, x))` of a Tensor"""
    return list(filter(lambda v: v > 0, x))


@row("Works: printed when the graph runs.", (X,), (X * 2,))
def print_of_tensors(x):
    """`print("x:", x)` of a Tensor"""
    print("x:", x)
    y = x + 1
    print(y.sum())
    return y


@row("Not listed.", (X,), (X * 2,))
def print_of_f_strings(x):
    """`print(f"x is {x}")` of a Tensor"""
    print(f"x is {x}, {x.shape}")
    return x + 1


@row("Not supported.", (X * 1.33,))
def round_of_a_tensor_to_digits(x):
    """`round(x, 1)` of a Tensor"""
    return round(x, 1)
