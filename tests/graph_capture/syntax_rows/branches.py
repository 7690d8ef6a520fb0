"""`if`"""

import numpy as np

import sporax as ms
from sporax import Tensor, ops
from tests.graph_capture.syntax_rows.row import BREAKS, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))
UP = Tensor(np.array([1, 4], np.int32))
DOWN = Tensor(np.array([0, 3], np.int32))
M, N = 1, 2


@row("Constants: bool, list, tuple, dict, string.", (X, [1], {}, "a"), (X, [], {"a": 1}, ""))
def by_constants(x, items, d, text):
    """`if` by a list, dict, string, number"""
    if items and not d:
        x = x + 1
    elif text:
        x = x * 2
    return x if text else -x


@row("Works; both values must be of one type.", (UP, DOWN), (DOWN, UP))
def returning_numbers(x, y):
    """`if (x > y).any(): return m`, `else: return n`, numbers"""
    if (x > y).any():
        return M
    else:  # noqa: RET505
        return N


@row("Works; both values must be of one type.", (UP, DOWN), (DOWN, UP))
def giving_numbers(x, y):
    """`if ...: out = m` with `out` from before"""
    out = 3
    if (x > y).any():
        out = M
    return out


@row("Works; shapes and dtypes must agree.", (X,), (-X,))
def giving_tensors(x):
    """`if x.sum() > 0: y = x * 2`, `elif`, `else`"""
    if x.sum() > 4:
        y = x * 2
    elif x.sum() > 0:
        y = x + 1
    else:
        y = -x
    return y


@row("Works.", (X,), (-X,))
def a_choice(x):
    """`x + 1 if x.sum() > 0 else x - 1`"""
    return x + 1 if x.sum() > 0 else x - 1


@row("Works.", (X,), (-X,))
def early(x):
    """`return` in a branch, and code after it"""
    if x.sum() > 0:
        return x * 2
    y = x + 1
    if y.sum() > 10:
        return y
    return y * 3


@row("Works.", (X, Tensor(1)), (X, Tensor(5)), (-X, Tensor(5)))
def nested(x, n):
    """`if` in `if`"""
    if x.sum() > 0:
        if n > 3:
            x = x * n
        else:
            x = x - n
    return x


@row("Not supported: shapes must agree.", (X,), verdict=BREAKS, words="its branches give",
     note="give both the same shape")  # fmt: skip
def other_shapes(x):
    """branches that give other shapes"""
    if x.sum() > 0:
        y = x[:2]
    else:
        y = x
    return y


@row("Not supported: dtypes must agree.", (X,), verdict=BREAKS, words="its branches give",
     note="`astype` in one of them")  # fmt: skip
def other_dtypes(x):
    """branches that give other dtypes"""
    if x.sum() > 0:
        y = x.astype(ms.float16)
    else:
        y = x
    return y


@row("Not supported: types must agree.", (X,), verdict=BREAKS, words="its branches give",
     note="give both the same kind of thing")  # fmt: skip
def other_kinds(x):
    """branches that give a Tensor and a tuple, or None"""
    if x.sum() > 0:
        y = (x, x)
    else:
        y = None
    return y


@row("Works.", (X,), (-X,))
def containers(x):
    """branches that give tuples, lists, dicts of Tensors"""
    if x.sum() > 0:
        pair, d = (x, [x + 1]), {"a": x}
    else:
        pair, d = (-x, [x - 1]), {"a": x * 2}
    return pair[0] + pair[1][0] + d["a"]


@row("Works.", (X,), (-X,), verdict=BREAKS, words="as a condition",
     note="how long a list is cannot depend on numbers")  # fmt: skip
def an_append(x):
    """`items.append(x)` in a branch on a Tensor"""
    items = []
    if x.sum() > 0:
        items.append(x)
    return items


@row("Works.", (X,), (-X,))
def a_branch_in_a_function_inside(x):
    """an `if` on a Tensor in a function defined inside"""

    def inner(v):
        if v.sum() > 0:
            return v
        return v * 5

    return inner(x) + inner(-x)


@row("Works: a separate function.", (X,), (-X,))
def a_branch_in_a_helper(x):
    """an `if` on a Tensor in a function that is called"""
    return _helper(x) * 2 + _helper(-x)


def _helper(x):
    if x.sum() > 0:
        return x
    return x * 5


@row("A value of a Tensor is not read.", (X,), (-X,))
def a_variable_of_one_branch(x):
    """a variable of one branch alone, not read afterwards"""
    if x.sum() > 0:
        scale = 2
        x = x * scale
    return x


@row("Recommended.", (X,), (-X,))
def select(x):
    """`ops.select`, `ops.where` in place of `if`"""
    return ops.select(x > 0, x, x * 2), ops.where(x.sum() > 0, x, -x)


@row("Not supported (`Match`).", (X, "up"), (X, ("by", 3)), (X, 7))
def match_by_values(x, how):
    """`match` by numbers, strings, tuples"""
    match how:
        case "up":
            return x + 1
        case ("by", n):
            return x * n
        case _:
            return x


@row("Not supported (`Match`).", (Tensor(2),), (Tensor(3),), verdict=BREAKS, words="as a condition",
     note="`if` and `elif` are a graph")  # fmt: skip
def match_by_a_tensor(n):
    """`match` by a Tensor's number"""
    match n:
        case 2:
            return n + 1
        case _:
            return n * 2
