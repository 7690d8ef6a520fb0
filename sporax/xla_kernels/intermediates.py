"""The arrays inside an operation, between its operands and its results: huge ones are refused.

XLA ends the process where the elements of an array are more than it can count, and what it cannot
fuse has to fit into memory.
"""

import math
from collections import Counter

from sporax.core.jax_internals import CALLS, equations
from sporax.diagnosis.sizes import ADDRESSES, is_huge, refuse_huge

# what makes larger arrays of smaller ones within loops, so that they need not be stored
_FUSED = {"broadcast_in_dim", "iota"}


def intermediates(jaxpr):
    """The different (shape, dtype, shapes of its operands) of what the equations of a jaxpr
    compute; None for those shapes where it is never stored."""
    found = {}
    for equation in equations(jaxpr):
        name = equation.primitive.name
        if name in CALLS:
            continue  # the equations within give the same
        operands = None
        if name not in _FUSED:
            operands = tuple([getattr(x.aval, "shape", ()) for x in equation.invars])
        for variable in equation.outvars:
            shape = getattr(variable.aval, "shape", ())
            if shape:
                found[shape, variable.aval.dtype, operands] = None
    return [*found]


def largest(arrays, others):
    """Of the (shape, dtype, ...) those that can be larger than all `others` and each other,
    whatever values their sizes have."""
    chosen, known = [], [(Counter(a.shape), a.dtype.itemsize) for a in others]
    for shape, dtype, *_ in sorted(arrays, key=lambda each: -len(each[0])):
        sizes, bytes_each = Counter([n for n in shape if n != 1]), dtype.itemsize
        if not any(sizes <= more and bytes_each <= most for more, most in known):
            known.append((sizes, bytes_each))
            chosen.append((shape, dtype))
    return chosen


def refuse_huge_intermediates(who, found, arguments):
    """Raise a ValueError where an array of those `found` has more bytes than there are addresses,
    or is stored and does not fit into memory. `arguments`: in words, what the operation was given.
    """
    for shape, dtype, operands in found:
        if is_huge(shape, dtype) and (
            is_huge(shape, dtype, ADDRESSES) or _is_stored(shape, operands)
        ):
            refuse_huge(who, shape, dtype, arguments, "an intermediate array")


def _is_stored(shape, operands):
    """Whether an array is larger than all that it is computed of, and not just these spread over
    each other."""
    if operands is None:
        return False
    spread = all(any(len(x) == len(shape) and x[i] == n for x in operands)
                 for i, n in enumerate(shape))  # fmt: skip
    return not spread and math.prod(shape) > max(map(math.prod, operands), default=0)
