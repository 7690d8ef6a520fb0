"""`raise`, `assert`, `pass`, `return`, `with`, `try`"""

import contextlib

import numpy as np

from sporax import Tensor, jit_class, nn
from tests.graph_capture.syntax_rows.row import BREAKS, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))
LOW, HIGH = Tensor(-2.0), Tensor(-1.0)


@row("Works; a list of built-in types of errors.", (X, 3), (X, 2))
def raise_by_a_number(x, n):
    """`if n > 2: raise ValueError(...)` by a number or a shape"""
    if n > 2:
        raise ValueError(f"n should be at most 2, but is {n}")
    return x


class TooLow(Exception):
    """An error of the user's own."""


@row("Not supported: not on its list.", (X, 3), (X, 2))
def raise_of_a_class_of_ones_own(x, n):
    """`raise TooLow(...)`, a user-defined class; `raise ... from ...`"""
    if n > 2:
        raise TooLow("n") from ValueError("n")
    return x


@row("Works.", (HIGH, LOW), verdict=BREAKS, words="cannot be one operation",
     note="a graph cannot raise; check outside, or return what tells")  # fmt: skip
def raise_by_a_tensor(x, y):
    """`if x <= y: raise ValueError(...)` of Tensors"""
    if x <= y:
        raise ValueError("x should be greater than y.")
    return x + 1


@row("Works.", (X, 3), (X, 1))
def assert_of_numbers(x, n):
    """`assert n in [2, 3], "..."`, `assert x.shape[0] == 3`"""
    assert n in [2, 3], "n"
    assert x.shape[0] == 3
    return x * n


@row("Works.", (HIGH, LOW), verdict=BREAKS, words="'assert'",
     note="a graph cannot raise; check outside")  # fmt: skip
def assert_of_tensors(x, y):
    """`assert x > y` of Tensors"""
    assert x > y
    return x + y


@row("Works.", (X,))
def pass_in_a_loop(x):
    """`pass`"""
    i = 0
    while i < 5:
        if i > 3:
            pass
        else:
            x = x * 1.5
        i += 1
    return x


@row("Works.", (X, 1), (X, -1))
def several_returns(x, n):
    """several `return`, what follows them"""
    if n > 0:
        return x
    return 0


@row("Works.", (X,))
def bare_return(x):
    """`return` without a value"""
    if x.ndim == 1:
        return
    x = x + 1


@row("Needs `jit_class` or a Cell.", (X,))
def with_jit_class(x):
    """`with Sample() as s` of a `jit_class`"""

    @jit_class
    class Sample:
        def __init__(self):
            self.num = x * 2

        def __enter__(self):
            return self.num * 2

        def __exit__(self, *error):
            pass

    total = 1
    with Sample() as sample:
        total += sample
    return total


@row("Not supported.", (X,))
def with_any_class(x):
    """`with` of any other class, `contextlib.suppress`, several in one"""
    with contextlib.suppress(ValueError), contextlib.nullcontext(2) as n:
        x = x * n
    return x


@row("Not supported (`Try`).", (X, 0), (X, 2))
def try_except(x, n):
    """`try: x / n except ZeroDivisionError` of numbers"""
    try:
        scale = 1 / n
    except ZeroDivisionError:
        scale = 3
    return x * scale


@row("Not supported (`Try`).", (X, 0), (X, 2))
def try_else_finally(x, n):
    """`try ... except ... else ... finally`"""
    done = []
    try:
        y = x * {2: 5}[n]
    except KeyError as error:
        y = x + len(error.args)
    else:
        y = y + 1
    finally:
        done.append(1)
    return y, done


@row("Not supported (`Try`).", (X,))
def an_error_of_an_operation_caught(x):
    """`try: x.reshape(7) except ValueError`, an operation that raises"""
    try:
        y = x.reshape(7)
    except ValueError:
        y = x * 2
    return y


@row("Not listed.", (X,))
class DocstringAndEmptyLines(nn.Cell):
    """docstrings, comments, `...` as a statement, `;`"""

    def construct(self, x):
        """A docstring."""
        ...
        y = x + 1; z = y * 2  # noqa: E702 # fmt: skip
        return z  # a comment


@row("Works.", (Tensor(3),), (Tensor(9),), verdict=BREAKS, words="'assert'",
     note="a graph cannot raise; check outside")  # fmt: skip
def assert_of_membership(x):
    """`assert x in [2, 3, 4]` of a Tensor"""
    assert x in [2, 3, 4]
    return x


@row("No dicts among the arguments.", (X,))
def raise_with_other_arguments(x):
    """`raise ValueError(1, {"a": 2})`, `raise` without arguments, a class alone"""
    try:
        raise KeyError
    except LookupError:
        x = x * 2
    raise ValueError(1, {"a": 2})
