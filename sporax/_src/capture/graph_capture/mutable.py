"""`mutable`: Python numbers that are inputs of a captured function, like Tensors."""

from typing import Any

from sporax._src.core.tree import itself, map_tensors
from sporax._src.core.value import scalar_value
from sporax._src.diagnosis.argument_kinds import BOOL
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.recorder import wrap


class MutableInput:
    """A Python number that is an input of a captured function."""

    def as_input(self):
        """Return a Tensor of the number, with the number's weak dtype promotion."""
        return wrap(scalar_value("mutable", self.plain(self)))

    plain: Any  # the Python type


class Int(MutableInput, int):
    plain = int


class Float(MutableInput, float):
    plain = float


class Bool(MutableInput, int):
    """A bool for `isinstance`: Python does not allow subclasses of bool."""

    plain = bool

    @property
    def __class__(self):
        return bool

    def __repr__(self):
        return repr(bool(self))

    __str__ = __repr__


_MUTABLE = {bool: Bool, int: Int, float: Float}


def mutable(input_data, dynamic_len=False):
    """Mark the numbers in `input_data` as inputs of captured functions, like Tensors.

    `input_data`: a Tensor, number, or a nested tuple, list or dict of these. Under `jit`, another
    number then does not cause a new capture, and the function sees 0-d Tensors in place of the
    numbers. Needed only for numbers in lists and dicts, since others are inputs anyway. No effect
    outside `jit`. A sequence of another length is captured anew: `dynamic_len` is accepted for a
    tuple or list.

    >>> double = jit(lambda n: n * 2)
    >>> [int(double(mutable(n))) for n in (1, 2, 3)]
    [2, 4, 6]
    >>> double.captures
    1
    """
    BOOL("mutable", dynamic_len=dynamic_len)
    fits = not dynamic_len or isinstance(input_data, (tuple, list))
    require(fits, "mutable-dynamic-len-true-input-data", got=input_data)
    try:
        return map_tensors(itself, input_data, _mutable)
    except RecursionError:
        raise rejection("not-contain-itself", "mutable", argument="input_data") from None


def _mutable(item):
    if isinstance(item, MutableInput):
        return item
    kind = _MUTABLE.get(item.__class__)
    if kind is None:
        raise rejection("tensor-bool-int-float", "mutable", input_data=item)
    return kind(item)


def as_inputs(arguments):
    """Replace mutable numbers in the arguments of a call by Tensors."""
    return map_tensors(
        itself, arguments, lambda item: item.as_input() if isinstance(item, MutableInput) else item
    )
