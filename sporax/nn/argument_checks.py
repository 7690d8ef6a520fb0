"""Type and range checks of hyperparameters, with uniform messages."""

import inspect
import operator
import traceback

from sporax.core.errors import is_own as is_taught
from sporax.core.errors import is_users, refusal_of
from sporax.core.signature_errors import constructed_with, is_own, unfitting
from sporax.core.value import thread
from sporax.diagnosis.causes import is_from, recursion_of
from sporax.diagnosis.rules import rejection, require
from sporax.ops.declaration import AXES, is_axes


def _number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _are_sizes(value):
    parts = value if isinstance(value, (tuple, list)) else (value,)
    return all(n is None or _integer(n) for n in parts)


# rule -> (description for messages, type check, range check)
_RULES = {
    "positive": ("a number greater than 0", _number, lambda x: x > 0),
    "not_negative": ("a number, at least 0", _number, lambda x: x >= 0),
    "not_positive": ("a number, at most 0", _number, lambda x: x <= 0),
    "number": ("a number", _number, lambda x: True),
    "fraction": ("a number from 0 to 1", _number, lambda x: 0 <= x <= 1),
    "inside_one": ("a number between 0 and 1, neither included", _number, lambda x: 0 < x < 1),
    "integer": ("an int", _integer, lambda x: True),
    "positive_int": ("an int greater than 0", _integer, lambda x: x > 0),
    "not_negative_int": ("an int, at least 0", _integer, lambda x: x >= 0),
    "flag": ("a bool", lambda x: isinstance(x, bool), lambda x: True),
    "cosine": ("a number from -1 to 1", _number, lambda x: -1 <= x <= 1),
    "axes": (AXES, is_axes, lambda x: True),
    "sizes": ("an int, None or a tuple of these", _are_sizes, lambda x: True),
}


def tensor(who, x):
    """Raise TypeError if an input has no shape (a list, a scalar, None)."""
    require(hasattr(x, "shape"), "input-tensor", who, got=x)


def _rule(name):
    words, of_kind, in_range = _RULES[name]

    def check(who, **values):
        for argument, value in values.items():
            require(
                of_kind(value),
                "must-be-argument-type-argument-checks",
                who,
                argument=argument,
                value=words,
                got=value,
            )
            require(in_range(value), "must-be", who, argument=argument, words=words, got=value)

    check.__name__ = name
    check.__doc__ = f"Raise TypeError or ValueError unless each keyword's value is {words}."
    return check


positive, not_negative, not_positive, number, fraction, inside_one, *_rest = map(_rule, _RULES)
integer, positive_int, not_negative_int, flag, cosine, axes, sizes = _rest


def instance(who, types, words, **values):
    """Raise TypeError unless every keyword's value is one of `types`, described by `words`."""
    for argument, value in values.items():
        require(
            isinstance(value, types),
            "must-be-argument-type-argument-checks",
            who,
            argument=argument,
            value=words,
            got=value,
        )


def one_of(who, choices, **values):
    """Raise ValueError unless every keyword's value is one of `choices`."""
    for argument, value in values.items():
        require(value in choices, "one-of", who, argument=argument, choices=choices, got=value)


def choice(who, choices, **values):
    """Like `one_of`, but the message joins the choices with commas and "or"."""
    *others, last = map(repr, choices)
    words = f"{', '.join(others)} or {last}" if others else last
    for argument, value in values.items():
        require(
            value in choices,
            "must-be-argument-value",
            who,
            argument=argument,
            words=words,
            got=value,
        )


def below(who, **values):
    """Raise ValueError unless the first of two keyword values is less than the second."""
    (low, a), (high, b) = values.items()
    require(operator.lt(a, b), "less-than", who, argument=low, other=high, got=a, high=b)


def _endless(cell, error):
    """Return the error for a Cell that calls itself endlessly; None if that is not the cause."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    calls = [f for f in frames if f.f_code.co_name == "_compute" and f.f_locals["self"] is cell]
    if len(calls) < 2 or thread.recorder.tracer is not None:
        return None
    recursion = recursion_of(error, is_users) or "it is among its own parts. Take it out of them."
    return rejection("call-end", type(cell).__name__, recursion=recursion)


def call_refusal(cell, args, kwargs, error):
    """Return the error to raise instead of `error` from a Cell's call: a signature mismatch, or,
    for a built-in layer, an error raised inside its `construct`. None for an error from user
    code."""
    if isinstance(error, RecursionError) and not is_taught(error):
        return _endless(cell, error)
    within = error.with_traceback(error.__traceback__.tb_next)
    if is_from(within, is_users):
        return None
    who, signature = type(cell).__name__, inspect.signature(cell.construct)
    refusal = unfitting(who, signature, args, kwargs)
    if refusal is not None or not is_own(type(cell)):
        return refusal if isinstance(error, TypeError) else None
    (parameters, earlier), given = constructed_with(cell), signature.bind(*args, **kwargs).arguments
    return refusal_of(who, given, error, {**parameters, **signature.parameters}, earlier)
