"""`mutable`: Python numbers that are inputs of a captured function, as Tensors are."""

from typing import Any

from sporax.core.tree import itself, map_tensors
from sporax.core.value import scalar_value
from sporax.engine.recorder import wrap


class MutableInput:
    """A Python number that is an input of a captured function."""

    def as_input(self):
        """A Tensor of the number, as weak in dtype promotion as the number."""
        return wrap(scalar_value("mutable", self.plain(self)))

    plain: Any  # the Python type


class Int(MutableInput, int):
    plain = int


class Float(MutableInput, float):
    plain = float


class Bool(MutableInput, int):
    """A bool for `isinstance`: Python allows no subclass of bool."""

    plain = bool

    @property
    def __class__(self):
        return bool

    def __repr__(self):
        return repr(bool(self))

    __str__ = __repr__


_MUTABLE = {bool: Bool, int: Int, float: Float}


def mutable(input_data, dynamic_len=False):
    """`input_data`, whose numbers a captured function takes as inputs, as it takes Tensors.

    `input_data`: a Tensor, number, tuple, list or dict of these in any nesting. Under `jit` another
    number then needs no new capture, and the function computes with Tensors without dimensions in
    the numbers' place: for numbers in lists and dicts, since others are inputs anyway. Outside it
    is what it was. A sequence of another length is captured anew: `dynamic_len` is accepted for a
    tuple or list. Raises TypeError for anything else.

    >>> double = jit(lambda n: n * 2)
    >>> [int(double(mutable(n))) for n in (1, 2, 3)]
    [2, 4, 6]
    >>> double.captures
    1
    """
    if not isinstance(dynamic_len, bool):
        raise TypeError(
            f"For 'mutable', 'dynamic_len' must be a bool, but got {type(dynamic_len).__name__}."
        )
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise TypeError(
            "For 'mutable' with dynamic_len=True, 'input_data' must be a tuple or list, but got "
            f"{type(input_data).__name__}."
        )
    try:
        return map_tensors(itself, input_data, _mutable)
    except RecursionError:
        raise TypeError("For 'mutable', 'input_data' must not contain itself.") from None


def _mutable(item):
    if isinstance(item, MutableInput):
        return item
    kind = _MUTABLE.get(item.__class__)
    if kind is None:
        raise TypeError(
            "For 'mutable', 'input_data' must be a Tensor, bool, int, float, or a tuple, list or "
            f"dict of these, but got {type(item).__name__}."
        )
    return kind(item)


def as_inputs(arguments):
    """The arguments of a call, with Tensors in place of mutable numbers."""
    return map_tensors(
        itself, arguments, lambda item: item.as_input() if isinstance(item, MutableInput) else item
    )
