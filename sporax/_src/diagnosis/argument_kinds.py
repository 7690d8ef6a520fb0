"""Kinds of arguments: the values that an argument may have, and their description for messages.

A kind is called with the name of the rejecting function and the arguments:
`POSITIVE_INT("Dense", in_channels=3, out_channels=4)` raises TypeError for a value of another type
and ValueError for one out of range, and returns nothing; `kind.checked(who, name, value)` returns
the value.
"""

import os
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from sporax._src.diagnosis.rules import Phrase, message, rejection


def _any(_):
    return True


class Kind(NamedTuple):
    """`words`: returns the description, a `Message`; `has_type` and `is_in_range`: tests; `rule`:
    of a value out of range."""

    words: Callable[[], Phrase]
    has_type: Callable[[Any], bool] = _any
    is_in_range: Callable[[Any], bool] = _any
    rule: str = "must-be-value"

    def accepts(self, value):
        """Return True for a value of this kind."""
        return self.has_type(value) and self.is_in_range(value)

    def checked(self, who, name, value) -> Any:
        """Return the value, or raise TypeError or ValueError."""
        if not self.has_type(value):
            raise rejection("must-be-type", who, argument=name, kind=self.words(), got=value)
        if not self.is_in_range(value):
            raise rejection(self.rule, who, argument=name, kind=self.words(), got=value)
        return value

    def __call__(self, who, **arguments):
        for name, value in arguments.items():
            self.checked(who, name, value)


def is_axes(value):
    """Return True for an int, None, or a tuple of such."""
    if isinstance(value, tuple):
        return all(map(is_axes, value))
    return isinstance(value, int | None) and not isinstance(value, bool)


def _are_sizes(value):
    sizes = value if isinstance(value, (tuple, list)) else (value,)
    return all(n is None or _is_int(n) for n in sizes)


def _words(rule, kind, **fields):
    return lambda: message(rule, kind=kind.words(), **fields)


def _is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def instance(types, words, **fields):
    """Return the kind of instances of these types, described by the phrase `words`."""
    return Kind(partial(message, words, **fields), lambda value: isinstance(value, types))


def instance_of(cls):
    """Return the kind of instances of this class."""
    return instance(cls, "an-instance", kind=cls.__name__)


def member_of(enumeration):
    """Return the kind of members of this enumeration."""
    return instance(enumeration, "a-member", kind=enumeration.__name__)


INT = Kind(partial(message, "an-int"), _is_int)
NUMBER = Kind(partial(message, "a-number"), _is_number)
BOOL, STR = instance(bool, "a-bool"), instance(str, "a-str")
FLOAT = instance(float, "a-float")
LIST, TUPLE = instance(list, "a-list"), instance(tuple, "a-tuple")
SEQUENCE, DICT = instance((tuple, list), "a-tuple-or-list"), instance(dict, "a-dict")
AXES = Kind(partial(message, "int-or-ints"), is_axes)
SIZES = Kind(partial(message, "int-none-or-a-tuple"), _are_sizes)
FUNCTION = Kind(partial(message, "a-function"), callable)
PATH = instance((str, os.PathLike), "a-path")


def at_least(low, kind=NUMBER):
    """Return the kind of numbers (or of ints, with `kind=INT`) that are at least `low`."""
    return Kind(_words("of-at-least", kind, low=low), kind.has_type, lambda value: value >= low)


def at_most(high, kind=NUMBER):
    """Return the kind of numbers that are at most `high`."""
    return Kind(_words("of-at-most", kind, high=high), kind.has_type, lambda value: value <= high)


def greater_than(low, kind=NUMBER):
    """Return the kind of numbers greater than `low`."""
    return Kind(_words("greater-than-low", kind, low=low), kind.has_type, lambda value: value > low)


def within(low, high, kind=NUMBER, ends="[]"):
    """Return the kind of numbers in an interval. `ends`: "[)" if it is half-open."""
    words = _words("in-an-interval", kind, interval=f"{ends[0]}{low}, {high}{ends[1]}")

    def is_inside(value):
        above = low <= value if ends[0] == "[" else low < value
        return above and (value <= high if ends[1] == "]" else value < high)

    return Kind(words, kind.has_type, is_inside)


def one_of(*choices):
    """Return the kind of these values."""
    words = partial(message, "one-of-choices", choices=choices)
    if len(choices) == 1:
        words = partial(message, "the-value", value=choices[0])
    return Kind(words, _any, lambda value: value in choices, "must-be-choice")


def optional(kind):
    """Return the kind that also accepts None."""
    return Kind(
        _words("or-none", kind),
        lambda value: value is None or kind.has_type(value),
        lambda value: value is None or kind.is_in_range(value),
    )


def sequence_of(kind, *lengths):
    """Return the kind of tuples and lists of values of a kind. `lengths`: those allowed, if not
    any."""
    return Kind(
        _words("sequence-of-length" if lengths else "sequence-of", kind, lengths=lengths),
        lambda value: isinstance(value, (tuple, list)) and all(map(kind.has_type, value)),
        lambda value: (not lengths or len(value) in lengths) and all(map(kind.is_in_range, value)),
    )


POSITIVE_INT, POSITIVE_FLOAT = greater_than(0, INT), greater_than(0, FLOAT)
COUNT = at_least(0, INT)
POSITIVE, NOT_NEGATIVE, NOT_POSITIVE = greater_than(0), at_least(0), at_most(0)
FRACTION, INSIDE_ONE, COSINE = within(0, 1), within(0, 1, ends="()"), within(-1, 1)
