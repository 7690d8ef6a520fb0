"""Operators"""

import numpy as np

import sporax as ms
from sporax import Tensor
from tests.graph_capture.syntax_rows.row import BREAKS, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))
I = Tensor(np.array([5, 6, 7], np.int32))
B = Tensor(np.array([True, False, True]))
ONE = Tensor(np.array([2.0], np.float32))


@row("Numbers and Tensors.", (X, 2))
def plus_and_minus(x, n):
    """`+x`, `-x`, of numbers too"""
    return +x, -x, +n, -n


@row("Bool Tensors alone, where it is `logical_not`.", (B, I, 5))
def inverted(b, i, n):
    """`~b`, `~i` of an integer Tensor, `~5`"""
    return ~b, ~i, ~n


@row("Numbers, strings, Tensors, lists and tuples.", (X, I))
def sums(x, i):
    """`+` of numbers, strings, Tensors, lists, tuples, two dtypes"""
    return 1 + 2.5, "a" + "b", 1 + x, x + 1, x + i, [1] + [x], (1,) + (x,), True + 1  # noqa: RUF005


@row("Works: a list or tuple stands for a Tensor.", (X,))
def sequences_and_tensors(x):
    """`x + [1, 2, 3]`, `(1, 2, 3) * x`, `[1.0, 2.0, 3.0] - x`"""
    return x + [1, 2, 3], (1, 2, 3) * x, [1.0, 2.0, 3.0] - x


@row("Works.", (X, I))
def differences_and_products(x, i):
    """`-`, `*` of numbers and Tensors"""
    return 3 - 1.5, x - i, 1 - x, x * i, 2 * x, x * True


@row("Works.", (X,))
def sequences_repeated(x):
    """`[x] * 2`, `2 * (x, "a", None)`"""
    return [x] * 2, 2 * (x, "a", None)


@row("Works.", (X, I))
def quotients(x, i):
    """`/`, `//`, `%` of numbers and Tensors"""
    return 7 / 2, x / i, 1 / x, x // 2, 7 // i, i % 4, 7 % 4, x % 2.0


@row("Works.", (X, I))
def powers(x, i):
    """`**`, `pow(x, y)`"""
    return 2**3, x**2, 2**i, i**i, pow(x, 2)


@row("Works.", (I, B))
def bits(i, b):
    """`&`, `|`, `^` of numbers and Tensors"""
    return 6 & 3, i & 3, 6 | i, i ^ i, b & b, b | False


@row("Numbers alone.", (I,))
def shifts(i):
    """`<<`, `>>` of numbers and Tensors"""
    return 1 << 3, 9 >> 1, i << 1, i >> 1


@row("Tensors.", (X,))
def matrices(x):
    """`x @ y`"""
    return x @ x, x.reshape(3, 1) @ x.reshape(1, 3)


@row("Not both of them bool.", (B,))
def bools_and_tensors(b):
    """`b + True` of a bool Tensor and a bool"""
    return b & True, b == True  # noqa: E712


@row("Not supported: float64 with int32 numbers.", (X,))
def kinds_of_numbers(x):
    """`1 + 2.5`, `3 % 1.5` of numbers of two kinds"""
    return x * (1 + 2.5), 3 % 1.5, 2**0.5


@row("Works; the left operand must be one element.", (ONE, ONE * 0), (ONE * 0, ONE))
def and_or_of_tensors(x, y):
    """`if x and y`, `if x or y` of Tensors of one element"""
    if x and y:
        return x + 1
    return x - 1


@row("The right operand must be a Tensor of one element and the same dtype.", (ONE,), (ONE * 0,))
def and_with_a_value(x):
    """`if x > 0 and 3 > 2`"""
    if x > 0 and 3 > 2:
        return x + 1
    return x


@row("Works: the value of one operand.", (ONE, ONE * 0), (ONE * 0, ONE))
def the_value_of_and(x, y):
    """`z = x and y` of Tensors, as a value"""
    z = x and y
    return z + 1


@row("Works.", ("", [], 3, None))
def and_or_of_others(text, items, n, none):
    """`and`, `or` of strings, numbers, lists, dicts, None"""
    return text or "a", items and 1, n and 2, none or n, {} or 5


@row("Numbers, tuples, lists, Tensors of one element.", (ONE,), (ONE * 0,))
def not_of_a_tensor(x):
    """`if not x`"""
    if not x:
        x = x + 5
    return x, not [], not 3, not ()


@row("A bool, computed by the graph.", (ONE,), (ONE * 0,))
def the_value_of_not(x):
    """`y = not x`, as a value"""
    y = not x
    return x, y


@row("Not supported for more than one element.", (X,), note="the ValueError of dynamic mode")
def truth_of_many(x):
    """`if x` of several elements"""
    if x:
        return x + 1
    return x


@row("Numbers, strings and Tensors in tuples and lists, strings in dicts.", (X,))
def membership(x):
    """`2 in (1, 2)`, `"a" not in {"a": 1}`, `(None, 1) in ((None, 1), 2)`"""
    result = 2 in (1, 2), "a" not in {"a": 1}, (None, 1) in ((None, 1), 2), x.ndim in [1, 2]
    return x, result


@row("Works.", (ONE,), verdict=BREAKS, words="as a condition",
     note="`(ops.stack(items) == x).any()` is a graph")  # fmt: skip
def membership_of_a_tensor(x):
    """`x in [1, 2, 3]` of a Tensor"""
    return x, x in [1, 2, 3]


@row("Not listed.", (X,), verdict=BREAKS, words="'in' on a Tensor",
     note="`(x == 3).any()` is a graph")  # fmt: skip
def membership_in_a_tensor(x):
    """`3 in x` of a Tensor"""
    return x, 3 in x


@row("Numbers (not bool) and Tensors.", (X, I))
def comparisons(x, i):
    """`<`, `<=`, `>`, `>=`, `==`, `!=` of numbers and Tensors"""
    return x < i, x <= 1, 2 > x, x >= x, i == 5, i != i, 1 < 2.5, True > 0


@row("dtypes, strings, tuples, lists, None too.", (X,))
def equality_of_others(x):
    """`==`, `!=` of dtypes, strings, tuples, lists, None"""
    same = x.dtype == ms.float32, "a" != "b", True == 1, (1, 2) == (1, 2), [1] == [2], None == 1
    return x, same


@row("Not listed.", (ONE,), (ONE * 9,))
def a_chain_of_comparisons(x):
    """`if 0 < x < 5`"""
    if 0 < x < 5:
        return x + 1
    return x


@row("Not listed.", (3, X))
def a_chain_of_numbers(n, x):
    """`0 < n < 5` of numbers"""
    return x, 0 < n < 5


@row("Works.", (X,))
def sparse_tensors(x):
    """`COOTensor`, `CSRTensor` with `+`, `-`, `*`, `/`"""
    matrix, dense = (
        ms.COOTensor(Tensor([[0, 0], [1, 1]]), x[:2], (2, 2)),
        x[:1] + Tensor([[1.0, 2]]),
    )
    rows = matrix.to_csr() / 2
    return (-matrix * dense.broadcast_to((2, 2))).values, rows.mv(x[:2]), matrix.to_dense() + x[0]
