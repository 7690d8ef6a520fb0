"""`int`, `float`, `bool`, `str`, `list`, `tuple`, `dict`, `type`"""

import numpy as np

import sporax as ms
from sporax import Parameter, Tensor
from tests.graph_capture.syntax_rows.row import BREAKS, row

X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))
ONE = Tensor(np.array([-1.0], np.float32))


@row("Numbers, strings with a base, constant Tensors.", (X,))
def int_of_others(x):
    """`int(3.6)`, `int("0xa", 16)`, `int("10", 8)`"""
    return x * int(3.6), int("0xa", 16), int("10", 8), int(True)


@row("Numbers, strings, arrays.", (X,))
def float_of_others(x):
    """`float(1)`, `float("123")`, `float("inf")`"""
    return x * float(1), float("123"), float(-123.5), float("inf")


@row("Works.", (ONE,), verdict=BREAKS, words="'asnumpy'", note="`.astype(ms.float32)`")
def float_of_an_array(x):
    """`float(x.asnumpy()[0])`"""
    return x * float(x.asnumpy()[0])


@row("Works.", (ONE,), verdict=BREAKS, words="'float' of a Tensor", note="`.astype(ms.float32)`")
def float_of_a_tensor(x):
    """`float(x)` of an argument"""
    return x * float(x)


@row("Numbers, strings, sequences, dicts.", (X,))
def bool_of_others(x):
    """`bool()`, `bool(0)`, `bool("abc")`, `bool([1])`, `bool(tensor([10]).asnumpy())`"""
    return x, bool(), bool(0), bool("abc"), bool([1]), bool(ms.tensor([10]).asnumpy())


@row("Works.", (ONE,), verdict=BREAKS, words="or 'bool'", note="`x != 0`")
def bool_of_a_tensor(x):
    """`bool(x)` of an argument"""
    return x, bool(x)


@row("Numbers, sequences, constant Tensors, arrays.", (X,))
def str_of_others(x):
    """`str()`, `str(0)`, `str([1, 2])`, `str(tensor([10]))`, `str(np.array([1, 2]))`"""
    return x, str(), str(0), str([1, 2]), str(ms.tensor([10])), str(np.array([1, 2]))


@row("Lists, dicts, Tensors and arrays.", (X,))
def tuples(x):
    """`tuple([1, 2])`, `tuple({"a": 1})`, `tuple(x)`, `tuple(np.array([1, 2]))`"""
    return tuple([1, 2]), tuple({"a": 1}), tuple(x), tuple(np.arange(2).tolist())


@row("Tuples, dicts, Tensors and arrays.", (X,))
def lists(x):
    """`list((1, 2))`, `list({"a": 1})`, `list(x)`, `list("ab")`"""
    return list((1, 2)), list({"a": 1}), list(x), list("ab")


@row("Works.", (X,))
def dicts(x):
    """`dict()`, `dict(a=x)`, `dict(zip(...))`, `dict([("a", 1)])`"""
    return dict(), dict(a=x), dict(zip(["a", "b"], [1, x], strict=True)), dict([("a", 1)])


@row("Numbers, sequences, dicts, arrays, constant Tensors.", (X,))
def types(x):
    """`type(1)`, `type([1])`, `type(x)`, `type(np.array([1]))`"""
    return type(1), type(1.5), type([1]), type({}), type(np.array([1])), type(x) is Tensor


@row("Not supported.", (X,))
def a_class_by_type(x):
    """`type("Pair", (), {...})`, a new class"""
    pair = type("Pair", (), {"scale": 3})
    return x * pair.scale


@row("Built-in types, Tensor, Parameter, types of libraries.", (X,))
def isinstance_(x):
    """`isinstance(x, Tensor)`, `isinstance(1, (int, float))`"""
    result = isinstance(x, Tensor), isinstance(x, Parameter), isinstance(1, (int, float))
    return x, result, isinstance((1,), tuple)


@row("Works.", (X,), verdict=BREAKS, words="'asnumpy'", note="`isinstance(x, Tensor)`")
def isinstance_of_an_array(x):
    """`isinstance(x.asnumpy(), np.ndarray)`"""
    return isinstance(x.asnumpy(), np.ndarray)
