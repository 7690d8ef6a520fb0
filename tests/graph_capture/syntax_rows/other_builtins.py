"""Built-in functions that MindSpore does not support"""

import functools

import numpy as np

from sporax import Tensor
from tests.graph_capture.syntax_rows.row import BREAKS, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))
I = Tensor(np.array([7, 5], np.int32))


@row("Not supported.", (X,))
def numerals(x):
    """`bin(5)`, `oct(8)`, `hex(255)`"""
    return x, bin(5), oct(8), hex(255)


@row("Not supported.", (X,))
def characters(x):
    """`chr(97)`, `ord("a")`, `bytearray(b"a")`, `memoryview`, `repr`, `ascii`, `format`"""
    return x, chr(97), ord("a"), bytearray(b"a"), memoryview(b"ab")[0], repr([1]), ascii("a")


@row("Not supported.", (X,))
def asking(x):
    """`callable(f)`, `issubclass(...)`, `id(x) == id(x)`, `dir(x)`"""
    return x, callable(len), issubclass(bool, int), id(x) == id(x), "shape" in dir(x)


@row("Not supported.", (X,))
def divmod_of_numbers(x):
    """`divmod(7, 2)`"""
    return x, divmod(7, 2)


@row("Not supported.", (I,))
def divmod_of_tensors(i):
    """`divmod(i, 2)` of a Tensor"""
    return divmod(i, 2)


@row("Not supported.", (X,))
def hash_(x):
    """`hash((1, 2))`, `hash(x) == hash(x)`"""
    return x, hash((1, 2)), hash(x) == hash(x)


@row("Not supported.", (X,))
def sorted_and_reversed(x):
    """`sorted([3, 1, 2], key=...)`, `list(reversed([x, 2]))`"""
    return x, sorted([3, 1, 2], key=lambda n: -n), list(reversed([x, 2]))


@row("Not supported.", (X,))
def reversed_of_a_tensor(x):
    """`list(reversed(x))` of a Tensor"""
    return list(reversed(x))


@row(
    "Not supported.", (X,), verdict=BREAKS, words="as a condition", note="`ops.sort(x)` is a graph"
)
def sorted_of_a_tensor(x):
    """`sorted(x)` of a Tensor"""
    return sorted(x)


@row("Not supported.", (X,))
def slice_(x):
    """`x[slice(0, 2)]`"""
    return x[slice(0, 2)]


@row("Not supported.", (X,))
def iter_and_next(x):
    """`it = iter([x, 2])`, `next(it)`, `next(it, 3)`"""
    it = iter([x, 2])
    return next(it), next(it), next(it, 3), next(iter(x))


@row("Not supported.", (X,))
def attributes(x):
    """`object()`, `setattr`, `delattr`, `vars`"""

    class Thing:
        pass

    thing = Thing()
    setattr(thing, "a", x)
    setattr(thing, "b", 2)
    delattr(thing, "b")
    return vars(thing), object() is not None


@row("Not supported.", (X,))
def evaluated(x):
    """`eval("x + 1")`, `exec(...)`, `compile(...)`, `locals()`, `globals()`"""
    space = {}
    exec("y = 2", {}, space)
    return eval("x + 1"), space, eval(compile("1 + 1", "here", "eval")), "x" in locals()


@row("Not supported.", (X,))
def imported(x):
    """`__import__("math").pi`"""
    return x * __import__("math").pi


@row("Not supported.", (X,))
def reduce(x):
    """`functools.reduce(add, [x, 2, 3])`"""
    return functools.reduce(lambda a, b: a * b, [x, 2, 3])


@row("Not supported.", (X,))
def properties(x):
    """`property`, `staticmethod`, `classmethod` in a class inside"""

    class Thing:
        @property
        def a(self):
            return x + 1

        @staticmethod
        def b(y):
            return y * 2

        @classmethod
        def c(cls):
            return cls()

    return Thing.c().a + Thing.b(x)


@row("Not supported.", (X,), verdict=BREAKS, words="calls 'open'", note="read it outside")
def read_from_a_file(x):
    """`open(path).read()`"""
    with open(__file__, encoding="utf8") as file:
        return x * file.readline().count('"')


@row("Not listed.", (X,))
def aggregates(x):
    """`itertools`, `operator`, `math`, `functools.lru_cache`"""
    import itertools
    import math
    import operator

    pairs = list(itertools.product((1, 2), repeat=2))
    return operator.mul(x, len(pairs)) + math.sqrt(4), list(itertools.accumulate([1, x]))
