"""The common format of error messages: name, rule, actual argument, remedy."""

import linecache
import sys
import traceback
import warnings

from sporax._src import PACKAGE
from sporax._src.core.dtype import from_numpy
from sporax._src.diagnosis import probes
from sporax._src.diagnosis.causes import is_from
from sporax._src.diagnosis.reasons import (
    about_shapes,
    not_an_axis,
    not_broadcast,
    reason_of,
)
from sporax._src.diagnosis.rules import message, message_of, rejection, shown

# raised for invalid arguments by a function on arrays, or by JAX below it
REFUSALS = (
    TypeError, ValueError, LookupError, NotImplementedError, NameError, AttributeError,
    AssertionError, ArithmeticError, MemoryError, RecursionError,
)  # fmt: skip
_OWN = "For '", "sporax has no ", "sporax needs "  # prefixes of messages in this format
_UNKNOWN = "unknown-misfit"  # the rule of a failure without a known cause


def describe(aval):
    """Describe an operand for messages: `Float32 (2, 3)`, or the type of a Python number."""
    if aval.weak:
        return message("python-number", kind=aval.dtype.name.rstrip("0123456789"))
    return f"{from_numpy(aval.dtype)} {aval.shape}"


def operand_error(op, avals, cause):
    """Return an error that names the operation, every operand and the likely cause."""
    names = op.operands if len(op.operands) == len(avals) else [""] * len(avals)
    operands = [
        message("named-operand", name=n, operand=describe(a)) if n else describe(a)
        for n, a in zip(names, avals, strict=True)
    ]
    reason = not_broadcast(avals) if "broadcast" in str(cause) else None
    reason = reason or not_an_axis(op.attributes, avals, str(cause))
    reason = reason or reason_of(op.parameters, op.attributes, cause)
    if reason is None or " must " not in reason:
        change = probes.fitting_change(op, avals, describe)
        if reason and change:
            reason = message("two-sentences", first=reason, second=change)
        reason = reason or change or message(_UNKNOWN)
    kind = TypeError if isinstance(cause, TypeError) and not about_shapes(reason) else ValueError
    given = {"error": kind, "reason": reason}
    if not avals:
        arguments = named(op.attributes) or [message("no-operands")]
        error = rejection("arguments-misfit", op.name, arguments=arguments, **given)
    elif op.attributes:
        given |= {"operands": operands, "attributes": named(op.attributes)}
        error = rejection("operands-misfit-with", op.name, **given)
    else:
        error = rejection("operands-misfit", op.name, operands=operands, **given)
    return _explained(error, cause)


def named(arguments):
    """Return phrases with the names and values of arguments."""
    rows = arguments.items()
    return [message("named-operand", name=name, operand=_shown(value)) for name, value in rows]


def listed(arguments):
    """Format arguments by name for messages about sizes."""
    return ", ".join(f"'{name}' {_shown(value)}" for name, value in arguments.items())


def refusal_of(name, given, cause, parameters=None, earlier=None):
    """Return the error for a call with the arguments `given`, in which `cause` was raised.

    `parameters`: the function's, if known; `earlier`: the arguments of its object's constructor.
    None if `cause` is a sporax error, a NotImplementedError, or was raised by user code.
    """
    is_signal = type(cause).__module__.startswith("sporax.") or isinstance(
        cause, NotImplementedError
    )
    if is_own(cause) or is_signal or is_from(cause, is_users):
        return None
    given = {n: value for n, value in given.items() if n != "self"}
    earlier = earlier or {}
    reason = reason_of(parameters or {}, {**earlier, **given}, cause) or message(_UNKNOWN)
    kind = TypeError if isinstance(cause, TypeError | AttributeError) else ValueError
    arguments = named(given or earlier)
    error = rejection("arguments-misfit", name, kind, arguments=arguments, reason=reason)
    return _explained(error, cause)


def _explained(error, cause):
    """Chain `cause` to an error whose message states no reason: the fault may lie in the
    function."""
    is_unknown = error.args[0].fields["reason!:sentence"] == message(_UNKNOWN)
    error.__cause__ = cause if is_unknown else None
    return error


def refuse(name, given, cause, parameters=None, earlier=None):
    """Raise the error that `refusal_of` returns, if any."""
    refusal = refusal_of(name, given, cause, parameters, earlier)
    if refusal is not None:
        raise refusal from refusal.__cause__


def _shown(value):
    value = getattr(value, "_value", value)
    return describe(value.aval) if hasattr(value, "aval") else shown(value)


def missing(module, name):
    """Return the AttributeError for a MindSpore name that sporax lacks."""
    return rejection("sporax-no-path", path=f"mindspore.{module}.{name}")


def user_call():
    """Return (the innermost stack frame of user code as a FrameSummary, the name of the function
    it called), or (None, None)."""
    frame, called = users_frame(sys._getframe(1))
    if frame is None:
        return None, None
    code = frame.f_code
    return traceback.FrameSummary(code.co_filename, frame.f_lineno, code.co_name), called


def user_frame():
    """Return the innermost stack frame of user code as a FrameSummary, or None."""
    return user_call()[0]


def located(file, line, cell=""):
    """Format a source location for messages: `, at a.py:7: y = x[i] (in cell Net.head)`."""
    source = linecache.getline(file, line).strip()
    where = f"{file}:{line}" + (f": {source}" if source else "")
    location = message("at-source-line", where=where)
    return message("in-cell", place=location, cell=cell) if cell else location


def users_frame(frame):
    """Return (the innermost frame of user code from this one outward, the name of the function it
    called); the frame is None if there is none."""
    called = None
    while frame is not None and not is_users(frame):
        frame, called = frame.f_back, frame.f_code.co_name
    return frame, called


def warn(message, category: type[Warning] = RuntimeWarning):
    """Warn at the innermost line of user code on the stack."""
    frame, level = sys._getframe(1), 2
    while frame is not None and not is_users(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


# modules that may lie between user code and sporax on the stack
_LIBRARIES = {"jax", "ml_dtypes", "numpy", "PIL", "scipy", "sporax"} | sys.stdlib_module_names


def is_own(error):
    """Return True if the message of an error is in this module's format."""
    if (said := message_of(error)) is not None:
        return said.who is not None or said.startswith(_OWN)
    return str(error).strip("\"'").startswith(_OWN)


def is_users(frame):
    """Return True if a stack frame is user code: not sporax, not a library that may call it, and
    not a compiled API function of an operation, whose module name is None."""
    if frame.f_code.co_filename.startswith(PACKAGE):
        return False
    module = frame.f_globals.get("__name__", "")
    return module is not None and module.partition(".")[0] not in _LIBRARIES
