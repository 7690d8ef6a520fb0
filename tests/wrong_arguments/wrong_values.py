"""Wrong values for a valid argument, by its kind."""

import enum
import math

import numpy as np

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax._src.core.dtype import Type

HUGE = 10**12


class Strange:
    """An object of an unknown class."""

    def __repr__(self):
        return "Strange()"


def _array(x, change):
    array = change(x.asnumpy() if isinstance(x, Tensor) else np.asarray(x))
    return Tensor(array) if isinstance(x, Tensor) else array


def _of(change):
    def make(x):
        try:
            return _array(x, change)
        except (TypeError, ValueError):  # an array of strings is none of numbers
            return 3

    return make


def _is_sequence(x):
    return isinstance(x, tuple | list)


def _with(*items):
    """The sequence with these in place of its first items."""
    return lambda x: type(x)([*items, *x[len(items) :]]) if type(x) in (tuple, list) else (*items,)


def _shape(x):
    return np.shape(x)


ANY = {
    "None": lambda x: None, "a string": lambda x: "wrong", "a dict": lambda x: {},
    "an object": lambda x: Strange(), "a class": lambda x: Strange, "bytes": lambda x: b"\xff",
    "a set": lambda x: {1}, "a list of strings": lambda x: ["a", "b"],
}  # fmt: skip
NUMBERS = {
    "NaN": lambda x: math.nan, "infinity": lambda x: math.inf, "-1": lambda x: -1,
    "-100": lambda x: -100, "0": lambda x: 0, "1.5": lambda x: 1.5, "97": lambda x: 97,
    "a huge number": lambda x: HUGE, "an int of 70 bits": lambda x: 2**70,
    "a complex number": lambda x: 1j, "True": lambda x: True,
}  # fmt: skip
TUPLES = {
    "()": lambda x: (), "(a, b)": lambda x: ("a", "b"), "(NaN,)": lambda x: (math.nan,),
    "(None,)": lambda x: (None,), "(-1, -1)": lambda x: (-1, -1), "nested": lambda x: ((1, 2), 3),
}  # fmt: skip
ARRAYS = {
    "a number": lambda x: 3, "a Python float": lambda x: 1.5, "a list of numbers": lambda x: [1, 2],
    "no dimensions": _of(lambda a: np.asarray(1, a.dtype)),
    "one dimension less": _of(lambda a: a[0] if a.ndim and len(a) else a),
    "two more dimensions": _of(lambda a: np.ones((*a.shape, 1, 2), a.dtype)),
    "one dimension": _of(lambda a: a.reshape(-1)),
    "other sizes": _of(lambda a: np.ones([n + 5 for n in a.shape], a.dtype)),
    "another last size": _of(lambda a: np.ones((*a.shape[:-1], 7), a.dtype)),
    "no elements": _of(lambda a: a[:0] if a.ndim else a),
    "complex": _of(lambda a: a.astype(np.complex64)), "bools": _of(lambda a: a.astype(bool)),
    "integers": _of(lambda a: a.astype(np.int64)), "int8": _of(lambda a: a.astype(np.int8)),
    "reals": _of(lambda a: a.astype(np.float32) + 0.5),
    "doubles": _of(lambda a: a.astype(np.float64)),
    "NaNs": _of(lambda a: np.full(a.shape, np.nan, a.dtype if a.dtype.kind == "f" else "f4")),
    "negative": _of(lambda a: -np.abs(a.astype(np.float32)).astype(a.dtype) - 1
                    if a.dtype.kind in "if" else a),
}  # fmt: skip
# kind -> (whether a valid argument is of it, wrong values)
KINDS = {
    "tensor": (lambda x: isinstance(x, Tensor), ARRAYS | {
        "a NumPy array of strings": lambda x: np.array(["a"])}),
    "array": (lambda x: isinstance(x, np.ndarray), ARRAYS | {
        "strings": lambda x: np.array(["a"]), "objects": lambda x: np.array([None, {}])}),
    "bool": (lambda x: isinstance(x, bool), {
        "2": lambda x: 2, "NaN": lambda x: math.nan, "()": lambda x: ()}),
    "enum": (lambda x: isinstance(x, enum.Enum), {"3": lambda x: 3, "()": lambda x: ()}),
    "dtype": (lambda x: isinstance(x, Type), {
        "3": lambda x: 3, "complex64": lambda x: ms.complex64, "int8": lambda x: ms.int8,
        "the type of strings": lambda x: ms.string, "NumPy's objects": lambda x: np.object_}),
    "number": (lambda x: isinstance(x, int | float | complex | np.generic), NUMBERS | TUPLES | {
        "a Tensor": lambda x: Tensor([1.0, 2.0])}),
    "string": (lambda x: isinstance(x, str), {
        "3": lambda x: 3, "an empty string": lambda x: "", "()": lambda x: (),
        "in a tuple": lambda x: (x,)}),
    "tensors": (lambda x: _is_sequence(x) and bool(x) and isinstance(x[0], Tensor), {
        "()": lambda x: (), "a number": lambda x: 3, "the first": lambda x: x[0],
        "one None": _with(None), "one string": _with("wrong"),
        **{f"one of {what}": (lambda x, f=f: _with(f(x[0]))(x)) for what, f in ARRAYS.items()}}),
    "sequence": (_is_sequence, TUPLES | NUMBERS | {
        "one string": _with("wrong"), "one None": _with(None), "one huge": _with(HUGE),
        "one -1": _with(-1), "one NaN": _with(math.nan), "one less": lambda x: x[1:],
        "one more": lambda x: x + type(x)((1,)) if type(x) in (tuple, list) else x}),
    "dict": (lambda x: isinstance(x, dict), {
        "a number": lambda x: 3, "another key": lambda x: {"wrong": 1},
        "a numeric key": lambda x: {1: 2}}),
    "none": (lambda x: x is None, NUMBERS | TUPLES | {"a Tensor": lambda x: Tensor([1.0, 2.0])}),
    "cell": (lambda x: isinstance(x, nn.Cell), {
        "3": lambda x: 3, "a Tensor": lambda x: Tensor(1.0)}),
    "other": (lambda x: True, {"3": lambda x: 3, "()": lambda x: (), "-1": lambda x: -1}),
}  # fmt: skip


def kind_of(value):
    return next(kind for kind, (is_of, _) in KINDS.items() if is_of(value))


def wrong_values(value):
    """Return {description: function from the valid value to the wrong one} for a value."""
    return ANY | KINDS[kind_of(value)][1]


__all__ = ["HUGE", "KINDS", "Parameter", "kind_of", "wrong_values"]
