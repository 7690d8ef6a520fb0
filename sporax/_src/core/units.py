"""Quantities with units as text: 1.82 GFLOP, 44.7 MB, 3.1 ms."""

import re

from sporax._src.diagnosis.rules import require

_LARGE = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""))
_SECONDS = ((1, "s"), (1e-3, "ms"), (1e-6, "us"))


def _scaled(number, steps):
    for size, prefix in steps:
        if abs(number) >= 0.9995 * size:  # 999.9 MB is shown as 1 GB
            return _digits(number / size), prefix
    return ("0", steps[-1][1]) if number == 0 else (_digits(number / steps[-1][0]), steps[-1][1])


def _digits(number):
    return f"{number:.0f}" if abs(number) >= 99.95 else f"{number:.3g}"


def quantity(number, unit=""):
    """Format with three digits and a decimal prefix: `quantity(1.82e9, "FLOP")` is '1.82 GFLOP'."""
    digits, prefix = _scaled(number, _LARGE)
    return f"{digits} {prefix}{unit}".rstrip()


def bytes_text(number):
    """Format a size: '44.7 MB'."""
    return quantity(number, "B")


_SIZE = re.compile(r"(\d+(?:\.\d+)?) *([kMGT]?)(i?)B", re.IGNORECASE)


def bytes_of_text(who, given, argument="memory"):
    """Return the bytes of an argument: an int, or text such as '24GB' or '16GiB'."""
    match = _SIZE.fullmatch(given.strip()) if isinstance(given, str) else None
    size = given
    if match is not None:
        unit = 1024 if match[3] else 1000
        size = int(float(match[1]) * unit ** " kmgt".index(match[2].lower() or " "))
    fits = isinstance(size, int) and not isinstance(size, bool) and size > 0
    require(fits, "must-be-value", who, kind="a-size-of-memory", **{argument: given})
    return size


def seconds(number):
    """Format a duration with three digits in s, ms or us."""
    return " ".join(_scaled(number, _SECONDS))


def seconds_range(spread):
    """Format a least and a largest duration: '1.2 to 1.5 ms'."""
    (least, unit), (most, other) = (_scaled(number, _SECONDS) for number in spread)
    return f"{least} to {most} {other}" if unit == other else f"{least} {unit} to {most} {other}"


def shape_text(aval):
    """Format a shape: '(1, 64, 56, 56)'."""
    return str(tuple(aval.shape))
