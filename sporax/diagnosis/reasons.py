"""The reason of a failure as a sentence, from what the exception and the arguments say."""

from sporax.diagnosis.causes import own_words, translated
from sporax.diagnosis.parameter_kinds import culprit, shown

_NO_AXIS = "index out of range", "out of bounds", "between instances of", "duplicate"


def names_a_rule(reason):
    """Whether a sentence says which argument must be what."""
    return " must " in reason and "'" in reason


def reason_of(parameters, arguments, cause):
    """Which rule was broken, after an error from within: its own words where it is one of ours,
    else the argument that is none of what its parameter takes, else what the words mean here."""
    own = own_words(cause)
    if own is not None and names_a_rule(own):
        return own
    blamed = culprit(parameters, arguments, cause)
    if blamed is not None:
        name, rule, value = blamed
        said = f"'{name}' must be {rule}, but got {shown(value)}"
        return f"{own}. {said}" if own else said
    return own or translated(cause)


def not_broadcast(avals):
    """Why shapes cannot be broadcast together; None if they can."""
    for axis in range(1, max((a.ndim for a in avals), default=0) + 1):
        sizes = {a.shape[-axis] for a in avals if a.ndim >= axis} - {1}
        if len(sizes) > 1:
            found = " and ".join(map(str, sorted(sizes)))
            return (
                f"Aligned at the last axis, shapes must be equal or 1 along each, but axis -{axis} "
                f"has the sizes {found}; reshape, expand or transpose one of them"
            )
    return None


def not_an_axis(attributes, avals, cause):
    """Why an axis among the attributes is none of the operands'; None if that is not the cause."""
    if not any(words in cause for words in _NO_AXIS):
        return None
    ndim = max((a.ndim for a in avals), default=0)
    for name in ("axis", "dim", "start_dim", "end_dim"):
        axes = attributes.get(name)
        for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
            if isinstance(axis, str) or (isinstance(axis, int) and not -ndim <= axis < ndim):
                return f"'{name}' must be an int in [{-ndim}, {ndim}), but got {axis!r}"
    return None


def about_shapes(reason):
    """Whether a sentence is about shapes, and so a ValueError's."""
    return any(word in reason for word in ("shape", "sizes", "broadcast", "dimension", "axis"))
