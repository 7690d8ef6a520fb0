"""Functions"""

import functools

import numpy as np

from sporax import Tensor, nn, ops
from tests.graph_capture.syntax_rows.row import REJECTED, factory, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))
Y = Tensor(np.array([4.0, 5.0, 6.0], np.float32))


def _add(x, y=3, *more, scale=1, **named):
    return (x + y + sum(more)) * scale + sum(named.values())


@row("Works.", (X, Y))
def called(x, y):
    """a function of the module: `add(x, y)`"""
    return _add(x, y)


@row("Works.", (X, Y))
def defined_inside(x, y):
    """`def` inside, that reads variables around it"""

    def inner(z):
        return z * y + x

    return inner(x) + inner(2)


@row("Works.", (X, 5))
def lambdas(x, y):
    """`lambda x, y: x + y`"""
    add = lambda a, b=2: a + b  # noqa: E731
    return add(x, y) + add(x)


@row("Works (`ops.partial`).", (X,))
def partial(x):
    """`ops.partial(add, x=2)`, `functools.partial`"""
    add, scaled = ops.partial(_add, y=2), functools.partial(_add, x, scale=4)
    return add(x), add(3), scaled()


@row("Works; of numbers, strings, tuples, lists, dicts, not Tensors.", (X,))
def defaults(x):
    """defaults: numbers, tuples, dicts, a Tensor"""

    def inner(a, b=2, c=(1, 2), d={"k": 3}, e=Y):  # noqa: B006
        return a * b + c[1] + d["k"] + e

    return inner(x)


@row("Works.", (X, Y, X))
def varied(x, *rest):
    """`def f(x, *rest)`"""
    for one in rest:
        x = x * one
    return x, len(rest)


@factory("Works, `construct(**kwargs)` too.", (X, Y))
def named():
    """`construct(self, x, **named)` called with `y=...`"""

    class Net(nn.Cell):
        def construct(self, x, **named):
            return x + named["y"]

    net = Net()
    return lambda x, y: net(x, y=y)


@row("Works.", (X, Y))
def spread(x, y):
    """`f(*items, **named)`"""
    return _add(*[x, y, 1, 2], **{"scale": 2, "a": 3, "b": y})


@row("Not listed.", (X, Y))
def keyword_only(x, y):
    """`def f(a, /, b, *, c)`"""

    def inner(a, /, b, *, c=1):
        return a * b + c

    return inner(x, b=y, c=2)


@row("Not listed.", (X,))
def functions_as_values(x):
    """functions in lists and dicts, as arguments and results"""

    def twice(f):
        return lambda v: f(f(v))

    table = {"neg": lambda v: -v, "inc": lambda v: v + 1}
    return twice(table["inc"])(x) + [table["neg"]][0](x)


@row("Works up to a depth of 1000.", (X, 5))
def recursion(x, n):
    """recursion by a number"""
    return x if n == 0 else x * n + recursion(x, n - 1)


def _endless(x):
    return _endless(x + 1)


@row("Not supported (depth 1000).", (X,), verdict=REJECTED,
     error=(RecursionError, "itself|recursion"),
     note="end it by a condition on Python values")  # fmt: skip
def recursion_without_end(x):
    """recursion without end"""
    return _endless(x)


@row("Not listed.", (X,))
def decorated(x):
    """a function with user-defined decorators"""

    def doubled(f):
        @functools.wraps(f)
        def wrapper(*args):
            return f(*args) * 2

        return wrapper

    @doubled
    def inner(v):
        return v + 1

    return inner(x)


@row("Not supported (`Yield`).", (X,))
def generators_inside(x):
    """a generator function called inside"""

    def steps(n):
        for i in range(n):
            yield x * i
        yield from (1, 2)

    total = 0
    for step in steps(3):
        total = total + step
    return total


@row("Not supported (`Yield`).", (X,), verdict=REJECTED,
     error=(TypeError, "Collect them in a list"), note="return a list")  # fmt: skip
def a_generator(x):
    """`jit` of a function with `yield`"""
    yield x


@row("Not supported (`AsyncFunctionDef`).", (X,), verdict=REJECTED, error=(TypeError, "awaits"),
     note="await outside")  # fmt: skip
async def a_coroutine(x):
    """`jit` of an `async def`"""
    return x


@factory("Works.", (X,), (Y,))
def a_closure():
    """a function that reads variables of the function around it"""
    scale, weight = 3, Tensor(np.array([2.0, 2.0, 2.0], np.float32))

    def scaled(x):
        return x * scale + weight

    return scaled


COUNTS = {"calls": 0}
LIMIT = 2


@row("Works.", (X,))
def globals_read(x):
    """globals: numbers, Tensors, dicts, functions"""
    return x * LIMIT + Y + COUNTS["calls"] + _add(1)


@row("Works.", (X, 3), (X, Tensor(3)))
def keyword_arguments(x, n):
    """arguments by name: `ops.sum(input=x)`, `f(y=n, x=x)`"""
    return _add(y=n, x=x) + ops.sum(input=x)


@row("Not supported: too many or too few arguments.", (X,), note="the TypeError of dynamic mode")
def wrong_arguments(x):
    """a call with too many arguments"""
    return (lambda v: v)(x, 1)
