"""Argument checks of datasets and transforms; each returns the value in its canonical form."""

import math


def _range(least, most):
    if most == math.inf:
        return f"at least {least}"
    return f"in [{least}, {most}]"


def number(who, name, value, least=-math.inf, most=math.inf, kind=(int, float)):
    """Check that `value` is a number in [`least`, `most`]."""
    if not isinstance(value, kind) or isinstance(value, bool):
        what = "an int" if kind is int else "a number"
        raise TypeError(f"For '{who}', '{name}' must be {what}, but got {type(value).__name__}.")
    if not least <= value <= most:
        raise ValueError(f"For '{who}', '{name}' must be {_range(least, most)}, but got {value}.")
    return value


def positive(who, name, value, most=math.inf):
    """Check that `value` is a number in (0, `most`]."""
    if not 0 < number(who, name, value) <= most:
        rule = "greater than 0" if most == math.inf else f"in (0, {most}]"
        raise ValueError(f"For '{who}', '{name}' must be {rule}, but got {value}.")
    return value


def whole(who, name, value, least=0, most=2**31 - 1):
    """Check that `value` is an int in [`least`, `most`]."""
    return number(who, name, value, least, most, int)


def text(who, name, value):
    """Check that `value` is a str."""
    if not isinstance(value, str):
        raise TypeError(f"For '{who}', '{name}' must be a str, but got {type(value).__name__}.")
    return value


def true_or_false(who, name, value):
    """Check that `value` is a bool."""
    if not isinstance(value, bool):
        raise TypeError(f"For '{who}', '{name}' must be a bool, but got {type(value).__name__}.")
    return value


def several(who, name, value, lengths, check, **limits):
    """Return `value` as a tuple after `check` of each item; `lengths`: allowed ones, () for any."""
    if not isinstance(value, (tuple, list)):
        raise TypeError(
            f"For '{who}', '{name}' must be a tuple or list, but got {type(value).__name__}."
        )
    if lengths and len(value) not in lengths:
        wanted = " or ".join(map(str, lengths))
        raise TypeError(f"For '{who}', '{name}' must have {wanted} items, but got {value}.")
    return tuple(check(who, f"{name}[{i}]", item, **limits) for i, item in enumerate(value))


def interval(who, name, value, least=-math.inf, most=math.inf):
    """Return (low, high), with low <= high."""
    low, high = several(who, name, value, (2,), number, least=least, most=most)
    if low > high:
        raise ValueError(f"For '{who}', '{name}' must be (least, most), but got {value}.")
    return low, high


def size(who, value, name="size", most=2**31 - 1):
    """Return (height, width); `value`: this pair, or one int for both."""
    if isinstance(value, int):
        return (whole(who, name, value, 1, most),) * 2
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise TypeError(
            f"For '{who}', '{name}' must be an int or (height, width), but got {value}."
        )
    return several(who, name, value, (2,), whole, least=1, most=most)


def edges(who, value):
    """Return (left, top, right, bottom); `value`: these, (horizontal, vertical), or an int."""
    if isinstance(value, int):
        return (whole(who, "padding", value),) * 4
    if isinstance(value, (tuple, list)) and len(value) not in (2, 4):
        raise ValueError(f"For '{who}', 'padding' must have 2 or 4 items, but got {value}.")
    widths = several(who, "padding", value, (2, 4), whole)
    return widths if len(widths) == 4 else widths * 2


def colour(who, value, name="fill_value"):
    """Return three numbers in [0, 255]; `value`: these, or one for all channels."""
    if isinstance(value, (int, float)):
        return (number(who, name, value, 0, 255),) * 3
    if not isinstance(value, tuple) or len(value) != 3:
        raise TypeError(f"For '{who}', '{name}' must be an int or a 3-tuple, but got {value!r}.")
    return several(who, name, value, (3,), number, least=0, most=255)


def member(who, name, value, kind):
    """Check that `value` is a member of the enumeration `kind`."""
    if not isinstance(value, kind):
        raise TypeError(
            f"For '{who}', '{name}' must be a member of {kind.__name__}, but got {value!r}."
        )
    return value


def instance(who, name, value, kind):
    """Check that `value` is an instance of the class `kind`."""
    if not isinstance(value, kind):
        raise TypeError(
            f"For '{who}', '{name}' must be a {kind.__name__}, but got {type(value).__name__}."
        )
    return value


def function(who, name, value):
    """Check that `value` is callable or None."""
    if value is not None and not callable(value):
        raise TypeError(
            f"For '{who}', '{name}' must be a function, but got {type(value).__name__}."
        )
    return value


def one_of(who, name, value, allowed):
    """Check that `value` is one of `allowed`."""
    if value not in allowed:
        wanted = ", ".join(map(repr, allowed))
        raise ValueError(f"For '{who}', '{name}' must be one of {wanted}, but got {value!r}.")
    return value
