"""The cause of a failed call, from an inner exception: its message if sporax raised it, else a
translation."""

import collections
import dis
import linecache
import re
import traceback

from sporax._src import PACKAGE
from sporax._src.diagnosis.rules import message, message_of

_RAISE = dis.opmap["RAISE_VARARGS"]
# prefix of an inner error, which the outer one names again
_WHO = re.compile(r"^For ('[^']*'|a random operation), ")

# message of Python, NumPy or JAX -> the rule that it violates, with its groups as a, b, c
_TRANSLATIONS = [(re.compile(words), rule) for words, rule in (
    (r"dot_general requires contracting dimensions .* got (\(.*?\)) and (\(.*?\))",
     "summed-sizes"),
    (r"ncompatible types for broadcasting: input type=\w+\[(.*?)\] and requested type=\w+\[(.*?)\]",
     "broadcast-to"),
    (r"incompatible shapes for broadcasting: \(.*?(\d+), (\d+)\), \(.*?\2, \1\)",
     "square-sizes"),
    (r"must have shape \[\.\.\., n, n\], got (\(.*?\))", "square-matrix"),
    (r"ncompatible shapes for broadcasting|not be broadcast", "shapes-broadcast"),
    (r"label '(\w)' for operand \d+ \((\d+)\) does not match previous terms \((\d+)\)",
     "equation-sizes"),
    (r"array is (\d+)-dimensional, but (\d+) were indexed", "too-many-indices"),
    (r"must be 1D, got shapes", "each-one-dimension"),
    (r"zip\(\) argument", "item-per-dimension"),
    (r"step cannot be zero", "step-not-0"),
    (r"[Cc]annot reshape array of shape (.*) \(size (\d+)\) into shape (.*) \(size",
     "new-shape-of"),
    (r"annot reshape array of size (\d+) into shape (.*)", "new-shape"),
    (r"(?:axis|index) (-?\d+) is out of (?:bounds|range) for (?:array of|axis \d+ with|input of) "
     r"(?:dimension|size|shape) (.*)", "axis-below"),
    (r"out of bounds for (u?int\d+)|too (?:large|big) to|exceeds the limit", "number-bits"),
    (r"cannot convert float NaN|cannot convert float infinity|float infinity", "finite-number"),
    (r"[Cc]omplex", "no-complex"),
    (r"math domain error|math range error", "function-domain"),
    (r"division by zero|modulo by zero|divide by zero", "divisor-not-0"),
    (r"negative (?:dimensions|dimension|shape)|must be (?:non-)?negative|nonnegative",
     "size-not-negative"),
    (r"(?:tuple|list) index out of range", "more-dimensions"),
    (r"recursion", "nesting-less-deep"),
    (r"values to unpack", "as-many-items"),
    (r"[Aa]ll input arrays must have the same shape", "equal-shapes"),
    (r"concatenate|same number of dimensions", "shapes-agree"),
)]  # fmt: skip


def recursion_of(error, is_users):
    """Return a `Message` on where user code recurses endlessly; None if no user frame is involved.
    `is_users`: returns True for user frames."""
    calls = traceback.walk_tb(error.__traceback__)
    lines = collections.Counter((f.f_code, line) for f, line in calls if is_users(f))
    if not lines:
        return None
    (((code, line), _),) = lines.most_common(1)
    text = linecache.getline(code.co_filename, line).strip()
    location = f"{code.co_filename}:{line}"
    return message("calls-itself", function=code.co_name, location=location, line=text)


def innermost(error):
    """Return the innermost traceback entry of an exception: its frame and instruction."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def is_raised_here(error):
    """Return True if a `raise` statement in sporax raised an exception, with sporax's message."""
    if message_of(error) is not None:
        return True
    frame = innermost(error)
    if frame is None:
        return False
    code = frame.tb_frame.f_code
    return code.co_filename.startswith(PACKAGE) and code.co_code[frame.tb_lasti] == _RAISE


def is_from(error, is_users):
    """Return True if an exception passed through a frame for which `is_users` returns True."""
    return any(is_users(frame) for frame, _ in traceback.walk_tb(error.__traceback__))


def own_words(error):
    """Return the message of a sporax exception, without the operation's name; None for others."""
    if not is_raised_here(error):
        return None
    if (said := message_of(error)) is not None:
        return said.clause()
    text = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
    return _WHO.sub("", text.strip().split("\n")[0].rstrip(".")) or None


def translated(error):
    """Return the rule that an exception from a lower level implies; None if it is unknown."""
    if isinstance(error, MemoryError):
        return message("result-fits-memory")
    text = str(error)
    for words, rule in _TRANSLATIONS:
        match = words.search(text)
        if match:
            return message(rule, **dict(zip("abc", match.groups(), strict=False)))
    return None
