"""Library state that is not an attribute of an object, as values that guards compare."""

import codecs
import contextlib
import decimal
import encodings
import importlib
import re
import warnings

import numpy as np
from numpy._core import umath  # type: ignore[attr-defined]


def decimal_settings():
    """Return the rounding settings of decimal numbers in this thread, and the error conditions."""
    context = decimal.getcontext()
    return (
        context.prec, context.rounding, context.Emin, context.Emax, context.capitals, context.clamp,
        tuple(context.traps.values()),
    )  # fmt: skip


def warnings_as_errors():
    """Return the warning filters that turn warnings into errors."""
    return tuple([entry for entry in warnings.filters if entry[0] == "error"])


def is_own_codec(text):
    """Return True if a text names a codec or error handler that a script has registered."""
    if not _CODEC.fullmatch(text):
        return False
    with contextlib.suppress(LookupError):
        if codecs.lookup_error(text) not in _HANDLERS:
            return True
    with contextlib.suppress(LookupError):
        codecs.lookup(text)
        return encodings.search_function(text.lower().replace("-", "_")) is None
    return False


def find(path):
    """Return (object, attribute name) of a dotted name."""
    components = path.split(".")
    for i in reversed(range(1, len(components))):
        try:
            owner = importlib.import_module(".".join(components[:i]))
        except ModuleNotFoundError:
            continue
        for name in components[i:-1]:
            owner = getattr(owner, name)
        return owner, components[-1]
    raise LookupError(path)


# function -> function that returns the same object while the result of the first is unchanged
IDENTITIES = {np.geterr: umath._extobj_contextvar.get}
_CODEC = re.compile(r"[A-Za-z0-9_.-]{1,40}")
_HANDLERS = [
    codecs.lookup_error(name)
    for name in (
        "strict", "ignore", "replace", "xmlcharrefreplace", "backslashreplace", "namereplace",
        "surrogateescape", "surrogatepass",
    )
]  # fmt: skip
