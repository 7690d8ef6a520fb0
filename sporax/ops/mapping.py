"""Functions dispatched on the types of their arguments, or mapped over nested sequences."""

import functools
import operator
import types
from typing import Any

import numpy as np

from sporax._src.core.dtype import NAMES, Type, issubclass_, pytype_to_dtype
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.ops.declare import FUNCTIONS, PRIMITIVES
from sporax.ops.primitive import Primitive
from sporax.ops.sparse.tensors import COOTensor, CSRTensor, RowTensorInner

# the required class for each name that is not a dtype; no value here matches the last ones
_KINDS = {
    "Tensor": Tensor,
    "String": str,
    "Tuple": tuple,
    "List": list,
    "Dictionary": dict,
    "None": types.NoneType,
    "Slice": slice,
    "Ellipsis": types.EllipsisType,
    "TypeType": Type,
    "COOTensor": COOTensor,
    "CSRTensor": CSRTensor,
    "RowTensor": RowTensorInner,
    **dict.fromkeys(("MapTensor", "EnvType", "Problem"), ()),
}
_DTYPES = {dtype.name: dtype for dtype in NAMES.values()}
_NUMBERS = (bool, int, float, complex, np.generic)


def _fits(value, name):
    """Return True if a value is of the type of that name, as given to `register`."""
    if name == "Function":
        return callable(value) and not isinstance(value, (Tensor, type))
    if name in _KINDS:
        return isinstance(value, _KINDS[name])
    return isinstance(value, _NUMBERS) and issubclass_(pytype_to_dtype(type(value)), _DTYPES[name])


class MultitypeFuncGraph:
    """A function that dispatches on the types of its arguments to a registered function.

    `name`: the name in messages. `read_value`: ignored, as nothing is passed by reference. A single
    registered function takes every argument.

    >>> twice = ops.MultitypeFuncGraph("twice")
    >>> @twice.register("Number")
    ... def twice_number(x):
    ...     return 2 * x
    >>> @twice.register("String")
    ... def twice_string(x):
    ...     return f"{x}, {x}"
    >>> twice(3), twice("ha")
    (6, 'ha, ha')
    """

    def __init__(self, name, read_value=False):
        kinds.STR("MultitypeFuncGraph", name=name)
        self.name = name
        self.entries = []  # (names of types, function), as registered

    def register(self, *type_names):
        """Return a decorator that registers a function for these types (names or dtypes)."""
        names = tuple([self._checked(n) for n in type_names])

        def remember(fn):
            self.entries.append((names, fn))
            return fn

        return remember

    def _checked(self, kind):
        require(isinstance(kind, (str, Type)), "type-given-name-dtype", self.name, got=kind)
        name = kind.name if isinstance(kind, Type) else kind.partition("[")[0]
        if name != "Function" and name not in _KINDS and name not in _DTYPES:
            names = ["Function", *_KINDS, *_DTYPES]
            raise rejection("name-of-type", self.name, names=names, got=kind)
        return name

    def __call__(self, *args):
        for names, fn in self.entries:
            fits = len(names) == len(args) and all(map(_fits, args, names))
            if fits or len(self.entries) == 1:
                return fn(*args)
        known = [f"({', '.join(names)})" for names, _ in self.entries] or [message("nothing")]
        given = [type(a).__name__ for a in args]
        raise rejection("arguments-fit", self.name, known=known, names=given)


class Map:
    """A function applied to the items of sequences, one of each at a time; returns a tuple.

    `ops`: the function, or None if it is the first argument of the call. `reverse`: ignored, as the
    order is not observable.

    >>> ops.Map()(lambda x, y: x + y, (1, 2), (3, 4))
    (4, 6)
    """

    deep = False

    def __init__(self, ops=None, reverse=False):
        kinds.optional(kinds.FUNCTION)(type(self).__name__, ops=ops)
        self.ops, self.reverse = ops, reverse

    def __call__(self, *args):
        function, *sequences = args if self.ops is None else (self.ops, *args)
        who = type(self).__name__
        require(callable(function), "first-argument-function", who, got=function)
        require(sequences, "sequence-function", who)
        return self._apply(function, sequences)

    def _apply(self, function, sequences):
        who = type(self).__name__
        for n, sequence in enumerate(sequences):
            has_length = hasattr(sequence, "__len__")
            require(has_length, "argument-function-come-sequence", who, n=n, got=sequence)
        lengths = [len(s) for s in sequences]
        require(len({*lengths}) <= 1, "sequences-one-length", who, got=lengths)
        rows = zip(*sequences, strict=True)
        if not self.deep:
            return tuple([function(*row) for row in rows])
        return tuple([
            self._apply(function, row) if isinstance(row[0], (tuple, list)) else function(*row)
            for row in rows
        ])  # fmt: skip


class HyperMap(Map):
    """As `Map`, recursive through nested tuples and lists.

    >>> ops.HyperMap()(lambda x: x * x, ((1, 2), 3))
    ((1, 4), 9)
    """

    deep = True

    def _apply(self, function, sequences):
        if not isinstance(sequences[0], (tuple, list)):
            return function(*sequences)
        return super()._apply(function, sequences)


class Partial(Primitive):
    """A function with its first arguments bound: `ops.Partial()(fn, *args)`, or some by name.

    >>> ops.Partial()(lambda x, y: x - y, 5)(3)
    2
    >>> ops.Partial()(lambda x, y: x - y, y=5)(x=3)
    -2
    """

    def __init__(self):
        super().__init__("Partial")

    def __call__(self, fn, *args, **kwargs):
        return functools.partial(fn, *args, **kwargs)


def tail(sequence) -> tuple:
    """Return all items of a tuple or list but the first.

    >>> ops.tail((1, 2, 3))
    (2, 3)
    """
    return sequence[1:]


def add_flags(fn=None, **flags) -> Any:
    """Set flags for MindSpore's compiler on a function (or Cell), kept in `_func_graph_flags`.

    >>> ops.add_flags(lambda x: x + 1, fast=True)(2)
    3
    """
    if fn is None:
        return functools.partial(add_flags, **flags)
    fn._func_graph_flags = {**getattr(fn, "_func_graph_flags", {}), **flags}
    return fn


def _add_attr(fn, **kwargs) -> Any:
    """Return a function like `fn`, with attributes for its operations, kept in `attrs`.

    They affect kernels of other devices, and have no effect here.

    >>> ops._add_attr(lambda x: x + 1, recompute=True)(2)
    3
    """
    is_function = callable(fn) and not isinstance(fn, Primitive)
    require(is_function, "function-no-primitive", "_add_attr", fn=fn)

    @functools.wraps(fn, updated=())
    def with_attributes(*args):
        return fn(*args)

    vars(with_attributes).update(attrs=kwargs)
    return with_attributes


FUNCTIONS.update(
    _add_attr=_add_attr,
    partial=Partial(),
    tail=tail,
    add_flags=add_flags,
    hyper_add=HyperMap(operator.add),
)
PRIMITIVES.update(
    HyperMap=HyperMap, Map=Map, MultitypeFuncGraph=MultitypeFuncGraph, Partial=Partial
)
