"""Views, in-place operations, order"""

import numpy as np

import sporax as ms
from sporax import Parameter, Tensor, mint, ops
from tests.graph_capture.syntax_rows.row import factory, row

M = Tensor(np.arange(9, dtype=np.float32).reshape(3, 3))
X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))


@row("Ascend alone.", (M,))
def narrow(x):
    """`mint.narrow(x, 1, 1, 2)`"""
    return mint.narrow(x, 1, 1, 2)


@row("Works.", (X, X * 2))
def added(x, y):
    """`x.add_(y)`: the argument changes"""
    x.add_(y)
    return x


@row("Works.", (X,))
def in_place(x):
    """`x.mul_(2)`, `x.sub_(1)`, `x.copy_(y)`, `x.zero_()`"""
    y = x * 1
    y.mul_(2).sub_(1)
    x.copy_(y)
    y.zero_()
    return x, y


@row("Ascend alone.", (M,))
def a_slice_given(x):
    """`x[slice(0, 1)] = -1`: the argument changes"""
    x[slice(0, 1)] = -1
    return x


@factory("Works.", (X,))
def assigned():
    """`ops.assign(weight, x)` of a Parameter outside, read before and after"""
    weight = Parameter(Tensor(np.zeros(3, np.float32)), name="w")

    def assigning(x):
        before = weight * 2
        ops.assign(weight, x)
        return before + weight

    return assigning, lambda: weight.asnumpy()


@factory("Works (a copy guards each reading).", (Tensor(1, ms.int32),))
def assigned_in_a_loop():
    """`ops.assign(weight, i)` in a loop, read at each turn"""
    weight = Parameter(Tensor(0, ms.int32), name="w")

    def assigning(x):
        out, i = 0, 0
        while i < 3:
            ops.assign(weight, i)
            out = x * weight + out
            i = i + 1
        return out

    return assigning, lambda: weight.asnumpy()


@row("Orders two operations.", (X,))
def depend(x):
    """`ops.depend(x, y)`"""
    return ops.depend(x, x + 1)


@row("Not listed.", (X,))
def aliases(x):
    """`y = x; y += 1`: `x` changes too"""
    y = x
    y += 1
    return x


@row("The view and what it is of change together (Ascend).", (M,))
def a_view_written(x):
    """`y = ops.abs(x); mint.select(y, 0, 0).add_(-1)`"""
    y = ops.abs(x)
    mint.select(y, 0, 0).add_(-1)
    return y


@factory("Works.", (X,))
def a_cell_that_depends():
    """`ops.Depend()(x, y)`"""
    after = ops.Depend()
    return lambda x: after(x, x + 1)
