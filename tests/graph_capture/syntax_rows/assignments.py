"""Assignments"""

import numpy as np

from sporax import Tensor
from tests.graph_capture.syntax_rows.row import row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))
I = Tensor(np.array([5, 6, 7], np.int32))
M = Tensor(np.eye(3, dtype=np.float32))


@row("Works.", (X,))
def plain(x):
    """`a = b = x`, `(a, b), c = ...`"""
    a = b = x
    (c, d), e = (a + 1, b), 2
    return a, b, c, d, e


@row("Numbers (not bool), strings, lists, tuples, Tensors.", (X,))
def added_in_place(x):
    """`+=` of numbers, strings, lists, tuples, Tensors"""
    n, s, items, t, flag = 1, "a", [1], (1,), True
    n += 1.5
    s += "b"
    items += [x]
    t += (x,)
    flag += 1
    return n, s, items, t, flag


@row("Works.", (X,))
def tensors_in_place(x):
    """`x += 1`, `-=`, `*=`, `/=`, `**=`, `//=`, `%=` of Tensors: the argument changes too"""
    x += 1
    x -= 0.5
    x *= 3
    x /= 2
    x **= 2
    x //= 0.3
    x %= 7
    return x


@row("A list or tuple stands for a Tensor.", (X,))
def tensors_and_sequences(x):
    """`x += [1, 2, 3]`, `n = 2; n *= x`"""
    n = 2
    n *= x
    x += [1, 2, 3]
    return x, n


@row("Works.", (I,))
def bits_in_place(i):
    """`&=`, `|=`, `^=`"""
    i &= 6
    i |= 1
    i ^= 3
    n = 6
    n &= 3
    return i, n


@row("Numbers alone.", (I,))
def shifts_in_place(i):
    """`<<=`, `>>=`"""
    n = 4
    n <<= 1
    n >>= 2
    i <<= 1
    return i, n


@row("Tensors.", (M,))
def matrices_in_place(m):
    """`@=`"""
    m @= m
    return m


@row("Works; copies.", (X,))
def sequences_in_place(x):
    """`items *= 2`, `t *= 2`"""
    items, t = [x, [1]], (1, "a")
    items *= 2
    t *= 2
    return items, t


@row("Not supported (`AnnAssign`).", (X,))
def annotated(x):
    """`y: Tensor = x + 1`"""
    y: Tensor = x + 1
    n: int
    n = 2
    return y * n


@row("Not supported (`NamedExpr`).", (X, 3))
def named(x, n):
    """`if (k := n + 1) > 2`"""
    if (k := n + 1) > 2:
        x = x * k
    return x


@row("Works.", (X,))
def indices(x):
    """`x[0] = 5`, `x[1:] = y`, `x[x > 0] = 0`, `x[0] += 1`"""
    x = x * 1
    x[0] = 5
    x[1:] = x[:2] + 1
    x[x > 5] = 0
    x[0] += 1
    return x


@row("Works.", (X,))
def slices(x):
    """`x[::2]`, `x[None]`, `x[..., 0]`, `x[[0, 2]]`"""
    return x[::2], x[None], x[..., 0], x[[0, 2]], x[-1], x[:, None]


@row("The index may be a variable.", (X, Tensor(1)), (X, Tensor(2)))
def an_index_that_is_a_tensor(x, i):
    """`x[i]`, `x[i] = 0` where `i` is a Tensor"""
    y = x * 1
    y[i] = 0
    return x[i], y


@row("Not supported (`Delete`).", (X,))
def deleted(x):
    """`del y`"""
    y = x + 1
    z = y * 2
    del y
    return z
