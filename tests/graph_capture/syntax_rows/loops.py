"""`for`, `while`, `break`, `continue`"""

import numpy as np

import sporax as ms
from sporax import Tensor, ops
from tests.graph_capture.syntax_rows.row import BREAKS, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))
N, MORE = Tensor(3, ms.int32), Tensor(5, ms.int32)
ZERO, SIX = Tensor(0), Tensor(6)


@row("Works; the graph grows with each turn.", (X,))
def over_sequences(x):
    """`for i in (1, 2, 3)`, over a list, `range`, dict"""
    for i in (1, 2, 3):
        x = x + i
    for i in [x, 2]:
        x = x * i
    for i in range(2):
        x = x - i
    for key in {"a": 1}:
        x = x * len(key)
    return x


@row("Works.", (X,))
def unpacking(x):
    """`for i, (a, b) in enumerate(zip(...))`, `reversed`, `.items()`"""
    for i, (a, b) in enumerate(zip([1, 2], (x, 3), strict=True)):
        x = x * i + a * b
    for k in reversed(range(3)):
        x = x - k
    for key, value in {"a": 2}.items():
        x = x * value + len(key)
    return x


@row("Not listed.", (X,))
def over_a_tensor(x):
    """`for row in x` of a Tensor"""
    total = 0
    for row_ in x:
        total = total * 2 + row_
    return total


@row("Not supported.", (X, 1), (X, 9))
def for_else(x, n):
    """`for ... else`"""
    for i in range(3):
        if i == n:
            break
        x = x + i
    else:
        x = x * 2
    return x


@row("Not supported.", (X, 1), (X, 9))
def while_else(x, n):
    """`while ... else`"""
    i = 0
    while i < 3:
        if i == n:
            break
        i += 1
    else:
        x = x * 2
    return x


@row("Works.", (X,))
def break_by_a_number(x):
    """`if i > 5: break`, by a number"""
    for i in range(8):
        if i > 5:
            x = x * 3
            break
        x = x * 2
    return x


@row("Works.", (X,))
def continue_by_a_number(x):
    """`if i > 2: continue`, by a number"""
    for i in range(4):
        if i > 2:
            x = x * 3
            continue
        x = x + 1
    return x


@row("Works.", (X, N), (X, MORE), (X, ZERO))
def over_a_range_of_a_tensor(x, n):
    """`for i in range(n)` where `n` is a Tensor"""
    for i in range(n):
        x = x + i
    return x


@row("Works.", (X, N), (X, MORE))
def break_by_a_tensor(x, n):
    """`if x.sum() > n: break` in `for` and `while`"""
    i = 0
    while i < 6:
        x = x + 1
        i += 1
        if x.sum() > n:
            break
    for k in range(4):
        if x.sum() > n * 4:
            break
        x = x + k
    return x


@row("Works.", (X, N), (X, MORE))
def continue_by_a_tensor(x, n):
    """`if x.sum() > n: continue`"""
    for i in range(4):
        if x.sum() > n:
            continue
        x = x + i
    return x


@row("Works with numbers.", (1, 5), (7, 5))
def while_over_numbers(x, y):
    """`while x < y` over numbers, `return` inside"""
    while x < y:
        x += 1
        return 1
    return 2


@row("Works; types, shapes and dtypes must stay.", (N, SIX), (ZERO, SIX), (SIX, N))
def while_over_tensors(x, y):
    """`while x < y` over Tensors"""
    total = x
    while x < y:
        x = x + 1
        total = total + x
    return total


@row("Works, if both are of one type.", (N, SIX), (SIX, N))
def a_return_in_a_loop(x, y):
    """`return` inside `while x < y` over Tensors"""
    while x < y:
        x = x + 1
        if x > 4:
            return x * 2
    return x


@row("Works, if both are of one type.", (X, N), (X, SIX))
def a_return_in_a_for(x, n):
    """`return` by a Tensor inside `for i in range(4)`"""
    for i in range(4):
        x = x + i
        if x.sum() > n:
            return x
    return -x


@row("Not supported: the shape changes.", (X, N), verdict=BREAKS, words="shape or dtype",
     note="write into a Tensor of full size")  # fmt: skip
def a_shape_that_changes(x, n):
    """a Tensor that gets another shape at each turn of a loop over a Tensor"""
    i = n * 0
    while i < n:
        x = ops.cat([x, x])
        i = i + 1
    return x


@row("Works where the number of turns is known.", (X, 3))
def appends(x, n):
    """`items.append(x)` in a loop of `n` turns, a number"""
    items = []
    for i in range(n):
        items.append(x * i)
    return ops.stack(items)


@row("Not supported.", (X, N), verdict=BREAKS, words="",
     note="write into a Tensor of full size")  # fmt: skip
def appends_over_a_tensor(x, n):
    """`items.append(x)` in a loop over a Tensor"""
    items = []
    for i in range(n):
        items.append(x * i)
    return items


@row("Works.", (X, N), (X, ZERO))
def nested(x, n):
    """loops in loops, with branches"""
    i = n * 0
    while i < n:
        for k in range(2):
            if x.sum() > k:
                x = x - i
            else:
                x = x + 2
        i = i + 1
    return x


@row("Works.", (X,))
def loops_of_ops(x):
    """`ops.WhileLoop`, `ops.ForiLoop`, `ops.Scan`"""
    x = ops.WhileLoop()(lambda x: x.sum() < 20, lambda x: x + 1, x)
    return ops.ForiLoop()(0, 3, lambda i, x: x * 2, x)


@row("Works.", (X,))
def while_true(x):
    """`while True` with `break` by a number"""
    i = 0
    while True:
        i += 1
        x = x + i
        if i == 3:
            break
    return x


@row("Works with `break` by a variable.", (X, N), (X, SIX))
def while_true_by_a_tensor(x, n):
    """`while True` with `break` by a Tensor"""
    while True:
        x = x + 1
        if x.sum() > n:
            break
    return x


@row("Works with `capture_mode='bytecode'`, outside of the graph.", (Tensor([1], ms.int32),))
def a_range_of_a_tensor_of_one_element(x):
    """`for _ in range(x * 3)` where `x` has the shape (1,)"""
    a = 0
    for _ in range(x * 3):
        a = a + 1
    return a
