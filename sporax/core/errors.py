"""The one voice in which sporax refuses: who, rule, what came, remedy."""

import re
import sys
import traceback
import warnings
from pathlib import Path

from sporax.core.dtype import from_numpy

_PACKAGE = str(Path(__file__).parents[1])
# an inner refusal, named again by the outer one
_WHO = re.compile(r"^For ('[^']*'|a random operation), ")
_NO_ATTRIBUTE = re.compile(r"^'(\w+)' object has no attribute ")
_TELLS = re.compile(r"'\w+'.* must ")  # an operation's own words: which argument, which rule
_NO_AXIS = "index out of range", "out of bounds", "between instances of"

# what a function on arrays, JAX below it included, raises for arguments that do not fit
REFUSALS = (
    TypeError, ValueError, LookupError, NotImplementedError, NameError, AttributeError,
    AssertionError, ArithmeticError,
)  # fmt: skip

_INT = (
    "as an integer", "integer type", "integers or slices", "nly integers", "int() argument",
    "instead of an integer",
)  # fmt: skip
_SEQUENCE = "not iterable", "has no len()", "not subscriptable", "zip() argument"
_NUMBER = (
    "unsupported operand", "bad operand", "not supported between", "requires ndarray",
    "as an abstract array", "could not convert", "real number",
)  # fmt: skip


def _holds(kinds, x):
    return all(_holds(kinds, e) for e in x) if isinstance(x, tuple) else isinstance(x, kinds)


# (what Python or JAX says of a broken rule, the rule, whether an attribute keeps it)
_RULES = (
    (_INT, "an int or a tuple of ints", lambda x: _holds((int, type(None)), x)),
    (_SEQUENCE, "a tuple or list", lambda x: isinstance(x, tuple)),
    (_NUMBER, "a number", lambda x: isinstance(x, int | float | complex)),
)


def describe(aval):
    """How messages name an operand: `Float32 (2, 3)`, or the kind of a Python number."""
    if aval.weak:
        return f"a Python {aval.dtype.name.rstrip('0123456789')}"
    return f"{from_numpy(aval.dtype)} {aval.shape}"


def operand_error(op, avals, cause):
    """An error that names the operation, every operand and the likely cause."""
    names = op.operands if len(op.operands) == len(avals) else [""] * len(avals)
    operands = ", ".join(
        f"'{n}' {describe(a)}" if n else describe(a) for n, a in zip(names, avals, strict=True)
    )
    reason = not_broadcast(avals) if "broadcast" in str(cause) else None
    reason = reason or not_an_axis(op.attributes, avals, str(cause))
    reason = reason or broken_rule(op.attributes, cause)
    given = f" with {op.attributes}" if op.attributes else ""
    what = f"operands do not fit: {operands}{given}"
    what = what if avals else f"arguments do not fit: {op.attributes}"
    message = f"For '{op.name}', the {what}. "
    kind = TypeError if isinstance(cause, TypeError) and not _about_shapes(reason) else ValueError
    return kind(f"{message}{reason[:1].upper()}{reason[1:]}.")


_OWN = "For '", "sporax has no "  # how errors begin that tell already


def refuse(name, given, cause):
    """Raise what a function written in operations raised from within as its own refusal of the
    arguments `given`. Nothing, where the cause tells already, or came out of the user's code."""
    if str(cause).strip("\"'").startswith(_OWN) or isinstance(cause, NotImplementedError):
        return
    if any(is_users(frame) for frame, _ in traceback.walk_tb(cause.__traceback__)):
        return
    shown = ", ".join(f"'{n}' {_shown(value)}" for n, value in given.items())
    reason = _no_tensor(given, cause) or broken_rule({}, cause)
    kind = TypeError if isinstance(cause, TypeError | AttributeError) else ValueError
    raise kind(
        f"For '{name}', the arguments do not fit: {shown}. {reason[:1].upper()}{reason[1:]}."
    ) from None


def _no_tensor(given, cause):
    """Which argument was taken for a Tensor; None if that is not the cause."""
    found = _NO_ATTRIBUTE.match(str(cause))
    kind = found and found[1]
    for name, value in given.items():
        if type(value).__name__ == kind:
            return f"'{name}' must be a Tensor, or hold Tensors, but got {kind}"
    return None


def _shown(value):
    value = getattr(value, "_value", value)
    return describe(value.aval) if hasattr(value, "aval") else f"{value!r:.80}"


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


def broken_rule(attributes, cause):
    """Which rule was broken, after an error from within: its own words where it tells, else the
    attribute that does not keep what Python or JAX asks for."""
    said = _WHO.sub("", str(cause).strip().split("\n")[0].rstrip("."))
    for words, rule, keeps in () if _TELLS.match(said) else _RULES:
        if any(w in said.lower() for w in words):
            for name, value in attributes.items():
                if not keeps(value):
                    return f"'{name}' must be {rule}, but got {value!r:.80}"
    if isinstance(cause, ZeroDivisionError):
        return "A number or size that divides here must not be 0"
    if isinstance(cause, IndexError) and said == "tuple index out of range":
        return "An operand must have more dimensions"
    if isinstance(cause, KeyError):
        return f"There is no {said} to choose"
    return said or "They break a rule of the operation"


def _about_shapes(reason):
    return any(word in reason for word in ("shape", "broadcast", "dimension", "axis"))


def missing(module, name):
    """The AttributeError for a MindSpore name that sporax lacks."""
    return AttributeError(f"sporax has no 'mindspore.{module}.{name}' yet")


def user_call():
    """(the innermost line that is the user's own, the name of what it called); (None, None) if
    there is none."""
    frame, called = users_frame(sys._getframe(1))
    if frame is None:
        return None, None
    code = frame.f_code
    return traceback.FrameSummary(code.co_filename, frame.f_lineno, code.co_name), called


def user_frame():
    """The innermost line of the call that is the user's own; None if there is none."""
    return user_call()[0]


def users_frame(frame):
    """(the innermost frame, from this one outward, that is the user's own; the name of what it
    called); the frame is None if there is none."""
    called = None
    while frame is not None and not is_users(frame):
        frame, called = frame.f_back, frame.f_code.co_name
    return frame, called


def warn(message, category=RuntimeWarning):
    """Warn at the innermost line of the call that is the user's own."""
    frame, level = sys._getframe(1), 2
    while frame is not None and not is_users(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


_LIBRARIES = {"contextlib", "functools", "jax", "numpy"}  # what stands between a user and sporax


def is_users(frame):
    """Whether a frame of the stack is the user's code: neither sporax's own, nor a library's on the
    way to it, nor a face, which is compiled with None for a module's name."""
    inside = frame.f_code.co_filename.startswith(_PACKAGE)
    module = frame.f_globals.get("__name__", "")
    return not inside and module is not None and module.partition(".")[0] not in _LIBRARIES
