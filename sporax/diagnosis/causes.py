"""The cause of a failed call, from an inner exception: its message if sporax raised it, else a
translation."""

import collections
import dis
import linecache
import re
import traceback
from pathlib import Path

_PACKAGE = str(Path(__file__).parents[1])
_RAISE = dis.opmap["RAISE_VARARGS"]
# prefix of an inner error, which the outer one names again
_WHO = re.compile(r"^For ('[^']*'|a random operation), ")

# message of Python, NumPy or JAX -> its meaning here, formatted with the groups of the former
_TRANSLATIONS = [(re.compile(words), ours) for words, ours in (
    (r"dot_general requires contracting dimensions .* got (\(.*?\)) and (\(.*?\))",
     "The sizes that are summed over must be equal, but got {0} and {1}"),
    (r"ncompatible types for broadcasting: input type=\w+\[(.*?)\] and requested type=\w+\[(.*?)\]",
     "The shape ({0}) must be one that can be broadcast to ({1}): aligned at the last axis, each "
     "size must be equal or 1"),
    (r"incompatible shapes for broadcasting: \(.*?(\d+), (\d+)\), \(.*?\2, \1\)",
     "The last two sizes must be equal, as those of square matrices, but got {0} and {1}"),
    (r"must have shape \[\.\.\., n, n\], got (\(.*?\))",
     "The last two sizes must be equal, as those of square matrices, but got {0}"),
    (r"ncompatible shapes for broadcasting|not be broadcast",
     "Aligned at the last axis, the shapes must be equal or 1 along each"),
    (r"label '(\w)' for operand \d+ \((\d+)\) does not match previous terms \((\d+)\)",
     "The sizes that 'equation' calls {0!r} must be equal, but got {2} and {1}"),
    (r"array is (\d+)-dimensional, but (\d+) were indexed",
     "The indices must have at most {0} parts, one for each dimension, but have {1}"),
    (r"must be 1D, got shapes", "Each operand must have one dimension"),
    (r"zip\(\) argument", "The tuples must have one item for each dimension"),
    (r"step cannot be zero", "A step must not be 0"),
    (r"[Cc]annot reshape array of shape (.*) \(size (\d+)\) into shape (.*) \(size",
     "The new shape {2} must have the {1} elements of {0}"),
    (r"annot reshape array of size (\d+) into shape (.*)",
     "The new shape {1} must have the {0} elements"),
    (r"(?:axis|index) (-?\d+) is out of (?:bounds|range) for (?:array of|axis \d+ with|input of) "
     r"(?:dimension|size|shape) (.*)", "An axis must be below {1}, but got {0}"),
    (r"out of bounds for (u?int\d+)|too (?:large|big) to|exceeds the limit",
     "A number must fit into its integers' bits"),
    (r"cannot convert float NaN|cannot convert float infinity|float infinity",
     "A number must be finite"),
    (r"[Cc]omplex", "Complex numbers must not be given here, which have no order"),
    (r"math domain error|math range error", "A number must lie in the domain of the function"),
    (r"division by zero|modulo by zero|divide by zero",
     "A number or size that divides here must not be 0"),
    (r"negative (?:dimensions|dimension|shape)|must be (?:non-)?negative|nonnegative",
     "A size must not be negative"),
    (r"(?:tuple|list) index out of range", "An operand must have more dimensions, or items"),
    (r"recursion", "The nesting must be less deep"),
    (r"values to unpack", "A tuple or a shape must have as many items as the call needs"),
    (r"[Aa]ll input arrays must have the same shape", "The shapes must be equal"),
    (r"concatenate|same number of dimensions", "The shapes must agree but for the axis of joining"),
)]  # fmt: skip


_END_IT = "End it by a condition on Python values, or write a loop."


def recursion_of(error, is_users):
    """Describe where user code recurses endlessly; None if no user frame is involved. `is_users`:
    returns True for user frames."""
    calls = traceback.walk_tb(error.__traceback__)
    lines = collections.Counter((f.f_code, line) for f, line in calls if is_users(f))
    if not lines:
        return None
    (((code, line), _),) = lines.most_common(1)
    text = linecache.getline(code.co_filename, line).strip()
    where = f"{code.co_filename}:{line}"
    return f"'{code.co_name}' calls itself without end at {where}: {text}. {_END_IT}"


def innermost(error):
    """Return the innermost traceback entry of an exception: its frame and instruction."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at


def is_raised_here(error):
    """Return True if a `raise` statement in sporax raised an exception, with sporax's message."""
    at = innermost(error)
    if at is None:
        return False
    code = at.tb_frame.f_code
    return code.co_filename.startswith(_PACKAGE) and code.co_code[at.tb_lasti] == _RAISE


def is_from(error, is_users):
    """Return True if an exception passed through a frame for which `is_users` returns True."""
    return any(is_users(frame) for frame, _ in traceback.walk_tb(error.__traceback__))


def own_words(error):
    """Return the message of a sporax exception, without the operation's name; None for others."""
    if not is_raised_here(error):
        return None
    text = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
    return _WHO.sub("", text.strip().split("\n")[0].rstrip(".")) or None


def translated(error):
    """Return the meaning of an exception from a lower level; None if it is unknown."""
    if isinstance(error, MemoryError):
        return "The sizes must be such that the result fits into memory"
    text = str(error)
    for words, ours in _TRANSLATIONS:
        match = words.search(text)
        if match:
            return ours.format(*match.groups())
    return None
