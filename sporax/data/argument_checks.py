"""Argument checks of datasets and transforms; each returns the value in its canonical form."""

import math

from sporax.diagnosis import argument_kinds as kinds
from sporax.diagnosis.rules import require


def number(who, name, value, least=-math.inf, most=math.inf, kind=kinds.NUMBER):
    """Check that `value` is a number of this kind in [`least`, `most`]."""
    if most != math.inf:
        kind = kinds.within(least, most, kind)
    elif least != -math.inf:
        kind = kinds.at_least(least, kind)
    return kind.checked(who, name, value)


def positive(who, name, value, most=math.inf):
    """Check that `value` is a number in (0, `most`]."""
    kind = kinds.POSITIVE if most == math.inf else kinds.within(0, most, ends="(]")
    return kind.checked(who, name, value)


def whole(who, name, value, least=0, most=2**31 - 1):
    """Check that `value` is an int in [`least`, `most`]."""
    return number(who, name, value, least, most, kinds.INT)


text, true_or_false = kinds.STR.checked, kinds.BOOL.checked


def several(who, name, value, lengths, check, **limits):
    """Return `value` as a tuple after `check` of each item; `lengths`: allowed ones, () for any."""
    kinds.SEQUENCE.checked(who, name, value)
    require(
        not lengths or len(value) in lengths,
        "items",
        who,
        argument=name,
        lengths=lengths,
        got=value,
    )
    return tuple(check(who, f"{name}[{i}]", item, **limits) for i, item in enumerate(value))


def interval(who, name, value, least=-math.inf, most=math.inf):
    """Return (low, high), with low <= high."""
    low, high = several(who, name, value, (2,), number, least=least, most=most)
    require(low <= high, "least-most", who, argument=name, got=value)
    return low, high


def size(who, value, name="size", most=2**31 - 1):
    """Return (height, width); `value`: this pair, or one int for both."""
    if isinstance(value, int):
        return (whole(who, name, value, 1, most),) * 2
    is_pair = isinstance(value, (tuple, list)) and len(value) == 2
    require(is_pair, "int-height-width", who, argument=name, got=value)
    return several(who, name, value, (2,), whole, least=1, most=most)


def edges(who, value):
    """Return (left, top, right, bottom); `value`: these, (horizontal, vertical), or an int."""
    if isinstance(value, int):
        return (whole(who, "padding", value),) * 4
    is_sequence = isinstance(value, (tuple, list))
    require(not is_sequence or len(value) in (2, 4), "2-4-items", who, padding=value)
    widths = several(who, "padding", value, (2, 4), whole)
    return widths if len(widths) == 4 else widths * 2


def colour(who, value, name="fill_value"):
    """Return three numbers in [0, 255]; `value`: these, or one for all channels."""
    if isinstance(value, (int, float)):
        return (number(who, name, value, 0, 255),) * 3
    is_triple = isinstance(value, tuple) and len(value) == 3
    require(is_triple, "int-3-tuple", who, argument=name, got=value)
    return several(who, name, value, (3,), number, least=0, most=255)


def member(who, name, value, kind):
    """Check that `value` is a member of the enumeration `kind`."""
    return kinds.instance(kind, "a-member", kind=kind.__name__).checked(who, name, value)


def instance(who, name, value, kind):
    """Check that `value` is an instance of the class `kind`."""
    return kinds.instance(kind, "an-instance", kind=kind.__name__).checked(who, name, value)


function = kinds.optional(kinds.FUNCTION).checked


def one_of(who, name, value, allowed):
    """Check that `value` is one of `allowed`."""
    return kinds.one_of(*allowed).checked(who, name, value)
