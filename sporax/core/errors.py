"""The one voice in which sporax refuses: who, rule, what came, remedy."""

import traceback
from pathlib import Path

_PACKAGE = str(Path(__file__).parents[1])


def describe(aval):
    """How messages name an operand: `Float32 (2, 3)`, or the kind of a Python number."""
    from sporax.core.dtype import from_numpy

    if aval.weak:
        return f"a Python {aval.dtype.name.rstrip('0123456789')}"
    return f"{from_numpy(aval.dtype)} {aval.shape}"


def operand_error(op, avals, cause):
    """An error that names the operation, every operand and the likely cause."""
    operands = ", ".join(describe(a) for a in avals)
    reason = str(cause).strip().split("\n")[0].rstrip(".")
    given = f" with {op.attributes}" if op.attributes else ""
    message = f"For '{op.name}', the operands do not fit: {operands}{given}. {reason}."
    kind = TypeError if isinstance(cause, TypeError) and not _about_shapes(reason) else ValueError
    return kind(message)


def _about_shapes(reason):
    return any(word in reason for word in ("shape", "broadcast", "dimension", "axis"))


def missing(module, name):
    """The AttributeError for a MindSpore name that sporax lacks."""
    return AttributeError(f"sporax has no 'mindspore.{module}.{name}' yet")


def user_frame():
    """The innermost frame of the call that is the user's own; None if there is none."""
    frames = [f for f in traceback.extract_stack() if not f.filename.startswith(_PACKAGE)]
    return frames[-1] if frames else None
