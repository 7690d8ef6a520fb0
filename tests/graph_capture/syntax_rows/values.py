"""Constants, variables, numbers, strings, None"""

import numpy as np

import sporax as ms
from sporax import Tensor, mutable
from tests.graph_capture.syntax_rows.row import BREAKS, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))
ONE = Tensor(np.array([2.5], np.float32))


@row("Constants of the compiled graph.", (1, [1, 2], ("a", "b"), 2.5, X))
def numbers_as_arguments(n, items, names, real, x):
    """numbers, lists, tuples and strings as arguments: `x * n + items[1]`"""
    return x * n + items[1] - real, n, items, names


@row("Compiles the function again for each value.", (X, 1), (X, 2), (X, 3))
def another_number(x, n):
    """a number that is another one at the next call"""
    return x * n


@row("Constants.", ())
def made_inside():
    """`a = 1; b = "2"; c = tensor([1, 2, 3])` inside"""
    a, b, c = 1, "2", ms.tensor([1, 2, 3])
    return a, b, c


@row("Computed once, by the compiler.", ())
def of_constants():
    """arithmetic of Tensors made inside"""
    return ms.tensor([1, 2, 3]) + ms.tensor([1, 1, 1])


@row("A variable: one graph for all numbers.", (X, mutable(2)), (X, mutable(5)))
def a_mutable_number(x, n):
    """`mutable(2)` as an argument"""
    return x * n


@row("Variables.", ([ONE, X],))
def tensors_in_a_list(pair):
    """a list of Tensors as an argument, `pair[0] + pair[1]`"""
    return pair[0] + pair[1]


@row("A variable.", ())
def mutable_inside():
    """`mutable((tensor([1]), tensor([2])))` inside"""
    pair = mutable((ms.tensor([1]), ms.tensor([2])))
    return pair[0] + pair[1]


@row("Works.", (X,))
def kinds_of_numbers(x):
    """`y = 1`, `y = 1.2`, `y = True` inside"""
    a, b, c = 1, 1.2, True
    return x * a + b, c


@row("Not supported: no complex numbers.", (X,))
def complex_numbers(x):
    """`(1 + 2j) * x`, `complex(1, 2)`"""
    return x * (1 + 2j), complex(1, 2)


@row("Works, also where the number is known at run time only.", (ONE,), verdict=BREAKS,
     words="'int' of a Tensor", note="`.astype(ms.int64)` keeps it a Tensor")  # fmt: skip
def int_of_a_tensor(x):
    """`int(x)` of an argument"""
    return x + int(x)


@row("Works.", ())
def int_of_a_constant():
    """`int(tensor([10]))` of a Tensor made inside"""
    return int(ms.tensor([10])), int(11.1)


@row("A number.", (mutable(1), mutable(2)), note="a Tensor without dimensions comes back")
def numbers_returned(a, b):
    """`return a + b` of `mutable` numbers"""
    return a + b


@row("Works.", ())
def strings():
    """strings: indices, slices, `+`, `*`, `in`, `%s`, `str.format`"""
    one, two, three = "Hello!", "sporax", str(123)
    four = f"{three}", "{} is {}".format("it", three)
    return one[0], two[1:4], one + two, two * 2, "H" in one, "a %s" % two, four  # noqa: UP031


@row("Only `str.format` of constants is listed.", (X, "axis {}"))
def string_methods(x, text):
    """methods of strings: `split`, `join`, `upper`, `startswith`"""
    parts = text.upper().split()
    return x * len(parts), "-".join(parts), text.startswith("axis")


@row("Not listed.", (X,))
def f_strings(x):
    """f-strings of numbers and shapes"""
    return x, f"{x.shape} {x.dtype} {3:>4}"


@row("Works, as argument and result; a function without `return` gives it.", (X, None), (X, ONE))
def nothing(x, y=None):
    """`y=None`, `if y is not None`, `return x, None`"""
    if y is not None:
        x = x + y
    return x, None


@row("Works.", (X,))
def no_return(x):
    """a function without `return`"""
    x = x + 1


@row("`is` with None, True and False alone.", (X, X), (X, ONE))
def identity_of_others(x, y):
    """`a is b` of other objects"""
    return x + 1 if x is y else x * 2


@row("Not listed.", (X,))
def bytes_and_ellipsis(x):
    """`b"..."`, `x[...]`"""
    return x[...] + len(b"abc")


@row("Not listed.", (X,), verdict=BREAKS, words="the text of a Tensor",
     note="`print` and f-strings in it are part of the graph")  # fmt: skip
def a_text_of_a_tensor(x):
    """`return f"{x}"`, a text that depends on a Tensor"""
    return x, f"{x}"


@row("Compiles for the annotated type.", (X,))
def a_comment_on_types(x):
    """`# @jit.typing: () -> tensor_type[float32]`: a comment"""
    y = x * 2  # @jit.typing: () -> tensor_type[float32]
    return y
