"""The arrays inside an operation, between its operands and its results: huge ones raise an error.

XLA aborts the process if an array has more elements than it can count, and an array that it cannot
fuse has to fit into memory.
"""

import math
from collections import Counter

from sporax._src.core.jax_internals import CALLS, equations
from sporax._src.diagnosis.rules import message
from sporax._src.diagnosis.sizes import ADDRESSES, check_size, is_huge

# operations that expand arrays inside fused loops, so that the results need not be stored
_FUSED = {"broadcast_in_dim", "iota"}


def intermediates(jaxpr):
    """Return the distinct (shape, dtype, operand shapes) of the arrays that the equations of a
    jaxpr compute; the operand shapes are None for an array that is never stored."""
    arrays = {}
    for equation in equations(jaxpr):
        name = equation.primitive.name
        if name in CALLS:
            continue  # its inner equations are included
        operands = None
        if name not in _FUSED:
            operands = tuple([getattr(x.aval, "shape", ()) for x in equation.invars])
        for variable in equation.outvars:
            shape = getattr(variable.aval, "shape", ())
            if shape:
                arrays[shape, variable.aval.dtype, operands] = None
    return [*arrays]


def largest(arrays, others):
    """Return (shape, dtype) of the `arrays` that may be larger than all `others` and each other for
    some values of their symbolic sizes."""
    chosen, known = [], [(Counter(a.shape), a.dtype.itemsize) for a in others]
    for shape, dtype, *_ in sorted(arrays, key=lambda each: -len(each[0])):
        sizes, bytes_each = Counter([n for n in shape if n != 1]), dtype.itemsize
        if not any(sizes <= more and bytes_each <= most for more, most in known):
            known.append((sizes, bytes_each))
            chosen.append((shape, dtype))
    return chosen


def refuse_huge_intermediates(who, arrays, arguments):
    """Raise ValueError if one of the `arrays` has more bytes than there are addresses, or is stored
    and does not fit into memory. `arguments`: the operation's arguments, in words.
    """
    for shape, dtype, operands in arrays:
        if is_huge(shape, dtype) and (
            is_huge(shape, dtype, ADDRESSES) or _is_stored(shape, operands)
        ):
            check_size(who, shape, dtype, arguments, message("an-intermediate-array"))


def _is_stored(shape, operands):
    """Return True if an array is larger than each of its operands, and not just a broadcast of
    them."""
    if operands is None:
        return False
    spread = all(any(len(x) == len(shape) and x[i] == n for x in operands)
                 for i, n in enumerate(shape))  # fmt: skip
    return not spread and math.prod(shape) > max(map(math.prod, operands), default=0)
