"""`import`, `global`, `nonlocal`, `class`, `async`"""

import numpy as np

from sporax import Tensor
from tests.graph_capture.syntax_rows.row import factory, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))


@row("Not supported (`Import`).", (X,))
def import_inside(x):
    """`import math` inside"""
    import math

    return x * math.floor(2.7)


@row("Not supported (`ImportFrom`).", (X,))
def import_from_inside(x):
    """`from math import pi` inside"""
    from math import pi

    return x * pi


@row("Not supported (`Nonlocal`).", (X,))
def nonlocal_inside(x):
    """`nonlocal` in a function defined inside"""
    count = 0

    def inner(v):
        nonlocal count
        count += 1
        return v + count

    return inner(x) + inner(x), count


LAST = 0


@row("Works for constants.", (X, 3), (X, 4))
def a_global_given(x, n):
    """`global last; last = n`, read afterwards"""
    global LAST
    LAST = n
    return x * LAST


@factory("Not supported (`Nonlocal`).", (X, 3), (X, 4))
def a_global_given_only():
    """`global last; last = n`, not read inside"""

    def giving(x, n):
        global LAST
        LAST = n
        return x * n

    return giving, lambda: LAST


@row("Not supported.", (X,))
def a_class_inside(x):
    """`class` inside"""

    class Pair:
        def __init__(self, a):
            self.a, self.b = a, a + 1

        def total(self):
            return self.a + self.b

    return Pair(x).total()


class Steps:
    """An asynchronous iterator and context."""

    def __init__(self, count):
        self.count = count

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.count == 0:
            raise StopAsyncIteration
        self.count -= 1
        return self.count

    async def __aenter__(self):
        return self.count

    async def __aexit__(self, *error):
        pass


@row("Not supported (`Await`, `AsyncFor`, `AsyncWith`).", (X,))
def a_coroutine_driven_inside(x):
    """`await`, `async for`, `async with` in an `async def` inside"""

    async def once(v):
        return v * 2

    async def several(v):
        async with Steps(4) as n:
            v = v + n
        async for i in Steps(3):
            v = v + i
        return await once(v)

    try:
        several(x).send(None)
    except StopIteration as end:
        return end.value


@row("Not listed.", (X,))
def type_hints(x: "Tensor") -> "Tensor":
    """annotations of parameters and results"""

    def inner(a: int, *b: float) -> int:
        return a * len(b)

    return x * inner(2, 1.0, 2.0)
