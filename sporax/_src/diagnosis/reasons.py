"""The reason for a failure as a sentence, from the exception and the arguments."""

import re

from sporax._src.diagnosis.causes import own_words, translated
from sporax._src.diagnosis.parameter_kinds import culprit
from sporax._src.diagnosis.rules import message, shown

_NO_AXIS = "index out of range", "out of bounds", "between instances of", "duplicate"
_QUOTED = re.compile(r"'[^']*'")


def names_a_rule(reason):
    """Return True if a sentence states a rule for a named argument."""
    return " must " in reason and "'" in reason


def reason_of(parameters, arguments, cause):
    """Return the violated rule after an inner error: its message if sporax raised it, else the rule
    of the argument that violates its parameter's, else the translated message."""
    own = own_words(cause)
    if own is not None and names_a_rule(own):
        return own
    blamed = culprit(parameters, arguments, cause)
    if blamed is not None:
        name, rule, value = blamed
        said = message("must-be", argument=name, words=rule, got=shown(value))
        return message("two-sentences", first=own, second=said) if own else said
    return own or translated(cause)


def not_broadcast(avals):
    """Return the reason why shapes cannot be broadcast together; None if they can."""
    for axis in range(1, max((a.ndim for a in avals), default=0) + 1):
        sizes = {a.shape[-axis] for a in avals if a.ndim >= axis} - {1}
        if len(sizes) > 1:
            return message("broadcast-sizes", axis=-axis, sizes=sorted(sizes))
    return None


def not_an_axis(attributes, avals, cause):
    """Return the reason why an axis attribute is out of range; None if that is not the cause."""
    if not any(words in cause for words in _NO_AXIS):
        return None
    ndim = max((a.ndim for a in avals), default=0)
    for name in ("axis", "dim", "start_dim", "end_dim"):
        axes = attributes.get(name)
        for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
            if isinstance(axis, str) or (isinstance(axis, int) and not -ndim <= axis < ndim):
                interval = f"[{-ndim}, {ndim})"
                return message("int-in-interval", argument=name, interval=interval, got=axis)
    return None


def about_shapes(reason):
    """Return True if a sentence is about shapes, so that it belongs in a ValueError."""
    words = _QUOTED.sub("", str(reason))
    return any(word in words for word in ("shape", "size", "broadcast", "dimension", "axis"))
