"""Kinds of arguments of datasets and transforms, and checks that return a canonical form."""

from pathlib import Path

from sporax._src.diagnosis.argument_kinds import INT, NUMBER, SEQUENCE, instance, one_of, within
from sporax._src.diagnosis.rules import require

MOST = 2**31 - 1

INT32, WHOLE, COUNT = (within(least, MOST, INT) for least in (-(2**31), 0, 1))
UINT32, BYTE = within(0, 2**32 - 1, INT), within(0, 255, INT)
ORDERED = NUMBER._replace(is_in_range=lambda value: value == value)  # not NaN
PATH = instance((str, Path), "a-path")
LEVEL, SHARE = within(0, 255), within(0, 1)


def choice(*choices):
    """Return the kind of these values, all of one type; those of others raise TypeError."""
    return one_of(*choices)._replace(has_type=lambda value: isinstance(value, type(choices[0])))


def several(who, name, value, lengths, kind):
    """Return `value` as a tuple of items of this kind; `lengths`: allowed ones, () for any. A
    function of the same call as `Kind.checked` may return other items."""
    SEQUENCE.checked(who, name, value)
    fits = not lengths or len(value) in lengths
    require(fits, "items", who, argument=name, lengths=lengths, got=value)
    checked = getattr(kind, "checked", kind)
    return tuple(checked(who, f"{name}[{i}]", item) for i, item in enumerate(value))


def interval(who, name, value, kind=ORDERED):
    """Return (low, high), with low <= high."""
    low, high = several(who, name, value, (2,), kind)
    require(low <= high, "least-most", who, argument=name, got=value)
    return low, high


def size(who, value, name="size", most=MOST):
    """Return (height, width); `value`: this pair, or one int for both."""
    kind = within(1, most, INT)
    if isinstance(value, int):
        return (kind.checked(who, name, value),) * 2
    is_pair = isinstance(value, (tuple, list)) and len(value) == 2
    require(is_pair, "int-height-width", who, argument=name, got=value)
    return several(who, name, value, (2,), kind)


def edges(who, value):
    """Return (left, top, right, bottom); `value`: these, (horizontal, vertical), or an int."""
    if isinstance(value, int):
        return (WHOLE.checked(who, "padding", value),) * 4
    is_sequence = isinstance(value, (tuple, list))
    require(not is_sequence or len(value) in (2, 4), "2-4-items", who, padding=value)
    widths = several(who, "padding", value, (2, 4), WHOLE)
    return widths if len(widths) == 4 else widths * 2


def colour(who, value, name="fill_value"):
    """Return three numbers in [0, 255]; `value`: these, or one for all channels."""
    if isinstance(value, (int, float)):
        return (LEVEL.checked(who, name, value),) * 3
    is_triple = isinstance(value, tuple) and len(value) == 3
    require(is_triple, "int-3-tuple", who, argument=name, got=value)
    return several(who, name, value, (3,), LEVEL)
