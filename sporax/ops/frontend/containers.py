"""Functions that create, read and change Python tuples, lists, dicts and slices."""

import math
from typing import Any

from sporax._src.core.from_host import plain
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import composite


def _check(who, name, value, kind):
    kinds.instance(kind, "an-instance", kind=kind.__name__).checked(who, name, value)


def _item(who, kind, items, index):
    _check(who, "x", items, kind)
    try:
        return items[index]
    except IndexError:
        raise rejection(
            "in-interval",
            who,
            index=index,
            interval=f"[{-len(items)}, {len(items)})",
            error=IndexError,
        ) from None


def _with_item(who, kind, items, index, value):
    _item(who, kind, items, index)
    changed = list(items)
    changed[index] = value
    return kind(changed)


def _equal(who, kind, x, y):
    _check(who, "x", x, kind)
    _check(who, "y", y, kind)
    return len(x) == len(y) and all(_same(a, b) for a, b in zip(x, y, strict=True))


def _same(a, b):
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return a is b or (a.shape == b.shape and bool((a == b).all()))
    return a == b


def _of_kind(kind, opened, closed):
    """Declare `getitem`, `setitem` and `equal` for tuples or lists."""
    name = kind.__name__
    x = f"{opened}1, 2{closed}"

    def getitem(x, index) -> Any:
        return _item(f"{name}_getitem", kind, x, index)

    def setitem(x, index, value):
        return _with_item(f"{name}_setitem", kind, x, index, value)

    setitem.__annotations__["return"] = kind

    def equal(x, y) -> bool:
        return _equal(f"{name}_equal", kind, x, y)

    for function, what, call, shown in [
        (getitem, "The item at `index`", f"{x}, 1", "2"),
        (setitem, f"A {name} with `value` at `index`, else as `x`", f"{x}, 0, 5",
         f"{opened}5, 2{closed}"),
        (equal, f"True if two {name}s have the same items", f"{x}, {x}", "True"),
    ]:  # fmt: skip
        function.__name__ = f"{name}_{function.__name__}"
        function.__doc__ = f"""{what}.

    >>> ops.{function.__name__}({call})
    {shown}
    """
        composite()(function)


_of_kind(tuple, "(", ")")
_of_kind(list, "[", "]")


@composite()
def list_len(x) -> int:
    """Return the number of items.

    >>> ops.list_len([1, 2])
    2
    """
    kinds.SEQUENCE("list_len", x=x)
    return len(x)


@composite()
def tuple_reversed(x) -> tuple:
    """Return the items in reverse order.

    >>> ops.tuple_reversed((1, 2, 3))
    (3, 2, 1)
    """
    kinds.TUPLE("tuple_reversed", x=x)
    return x[::-1]


@composite()
def tuple_div(x, y) -> tuple:
    """Divide the items of two tuples of ints.

    >>> ops.tuple_div((4, 6), (2, 3))
    (2, 2)
    """
    is_whole = len(x) == len(y) and all(
        isinstance(a, int) and isinstance(b, int) and b and a % b == 0
        for a, b in zip(x, y, strict=True)
    )
    require(is_whole, "y-many-ints-x", "tuple_div", x=x, y=y)
    return tuple([a // b for a, b in zip(x, y, strict=True)])


@composite()
def make_tuple(*items) -> tuple:
    """Return the arguments as a tuple.

    >>> ops.make_tuple(1, 2)
    (1, 2)
    """
    return items


@composite()
def make_list(*items) -> list:
    """Return the arguments as a list.

    >>> ops.make_list(1, 2)
    [1, 2]
    """
    return list(items)


@composite()
def make_dict(keys, values) -> dict:
    """Return a dict of these keys and values.

    >>> ops.make_dict(("a", "b"), (1, 2))
    {'a': 1, 'b': 2}
    """
    n, count = len(keys), len(values)
    require(n == count, "one-length", "make_dict", keys=n, other="values", count=count)
    return dict(zip(keys, values, strict=True))


@composite()
def make_slice(start, stop, step) -> slice:
    """`slice(start, stop, step)`.

    >>> ops.make_slice(1, 5, 2)
    slice(1, 5, 2)
    """
    return slice(start, stop, step)


@composite(function="SliceGetItem(x, name)")
def slice_getitem(x, name) -> Any:
    """Return a slice's 'start', 'stop' or 'step'.

    >>> ops.SliceGetItem(slice(1, 2, 3), "stop")
    2
    """
    _check("SliceGetItem", "x", x, slice)
    kinds.one_of("start", "stop", "step")("SliceGetItem", name=name)
    return getattr(x, name)


@composite()
def dict_getitem(x, key) -> Any:
    """Return the value of `key`.

    >>> ops.dict_getitem({"a": 1}, "a")
    1
    """
    kinds.DICT("dict_getitem", x=x)
    if key not in x:
        raise rejection("one-of", "dict_getitem", key=key, choices=[*x])
    return x[key]


@composite()
def dict_setitem(x, key, value) -> dict:
    """Return a copy of the dict `x` with `value` at `key`.

    >>> ops.dict_setitem({"a": 1}, "b", 2)
    {'a': 1, 'b': 2}
    """
    kinds.DICT("dict_setitem", x=x)
    return {**x, key: value}


@composite()
def in_dict(key, x) -> bool:
    """Return True if a dict has `key`.

    >>> ops.in_dict("a", {"a": 1})
    True
    """
    return key in x


@composite()
def not_in_dict(key, x) -> bool:
    """Return True if a dict does not have `key`.

    >>> ops.not_in_dict("a", {"a": 1})
    False
    """
    return key not in x


# one item after the other -----------------------------------------------------------------------


@composite()
def zip_operation(*sequences) -> tuple:
    """Zip sequences up to the shortest: a tuple of tuples.

    >>> ops.zip_operation((1, 2), (3, 4))
    ((1, 3), (2, 4))
    """
    return tuple(zip(*sequences, strict=False))


@composite()
def iter_converter(x) -> Any:
    """Return an object that iterates as a loop over `x`: a dict's keys, else `x` itself.

    >>> ops.iter_converter({"a": 1})
    ('a',)
    """
    return tuple(x) if isinstance(x, dict) else x


@composite()
def ms_hasnext(x) -> bool:
    """Return True if a sequence has an item.

    >>> ops.ms_hasnext((1,)), ops.ms_hasnext(())
    (True, False)
    """
    return len(x) > 0


@composite()
def ms_next(x) -> tuple:
    """Return the first item of a sequence, and the remaining ones.

    >>> ops.ms_next((1, 2, 3))
    (1, (2, 3))
    """
    require(len(x), "item-empty", "ms_next", argument="x")
    return x[0], x[1:]


# shapes -------------------------------------------------------------------------------------------


@composite()
def shape_mul(input_data) -> int:
    """Return the product of a shape's sizes.

    >>> ops.shape_mul((2, 3, 4))
    24
    """
    kinds.TUPLE("shape_mul", input_data=input_data)
    return math.prod(input_data)


@composite()
def reduced_shape(shape, axis) -> tuple:
    """Return the shape after a reduction along `axis` (int or tuple; empty: all) that keeps dims.

    >>> ops.reduced_shape((2, 3, 4), (0, -1))
    (1, 3, 1)
    """
    axes = (axis,) if isinstance(axis, int) else plain(axis)
    are_axes = all(-len(shape) <= a < len(shape) for a in axes)
    require(are_axes, "axes-of-shape", "reduced_shape", axis=axis, shape=shape)
    reduced = {a % len(shape) for a in axes} or range(len(shape))
    return tuple([1 if i in reduced else n for i, n in enumerate(shape)])


@composite()
def broadcast_gradient_args(x_shape, y_shape) -> tuple:
    """Return the axes to sum over in the gradients of two operands broadcast together.

    >>> ops.broadcast_gradient_args((2, 1, 3), (2, 4, 3))
    ((1,), ())
    """
    if x_shape == y_shape:
        return (), ()
    ndim = max(len(x_shape), len(y_shape))
    shapes = [(1,) * (ndim - len(s)) + tuple(s) for s in (x_shape, y_shape)]
    who, pairs = "broadcast_gradient_args", zip(*shapes, strict=True)
    fits = all(a == b or 1 in (a, b) for a, b in pairs)
    require(fits, "broadcast-together", who, x_shape=x_shape, y_shape=y_shape)
    return tuple(tuple([i for i, n in enumerate(s) if n == 1]) for s in shapes)
