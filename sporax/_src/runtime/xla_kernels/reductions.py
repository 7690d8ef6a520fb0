"""Reductions of large arrays in stages, each of at most 32 elements.

XLA:CPU computes a reduction element by element of the result. The loop over the reduced elements is
vectorized only if LLVM unrolls it, and then along the result. Sums by YNNPACK would be, but they
are wrong in some programs (`jaxlib_faults`). So a reduced axis of size n becomes two of sizes r and
n / r, and the first is reduced by itself, behind an optimization barrier, without which XLA merges
the stages again. A sum of products over the columns or rows of 2 million elements takes 0.8 ms
instead of 1.8, a sum over the axes (0, 1, 2) of (32, 32, 32, 64) 0.5 instead of 4.8, and a maximum
of each row 0.8 instead of 3.5. The rounding error of a sum is smaller as well.

XLA fuses the operations that compute the operand into the first stage. If other equations use the
operand too, it would be computed several times; so that stage of a sum is a sum over windows,
into which XLA fuses nothing (a maximum over windows takes longer than it saves).
"""

import math

from jax import lax

_REDUCE = {"reduce_sum": lax.reduce_sum, "reduce_max": lax.reduce_max, "reduce_min": lax.reduce_min}
_LARGE = 2**14  # elements
_SIZES = range(4, 33)  # of a stage
_BEST = 16
_FEWEST = 4  # adjacent elements of a stage's result


def is_large(eqn):
    """Return True if an equation is a reduction that runs in stages."""
    if eqn.primitive.name not in _REDUCE:
        return False
    aval = eqn.invars[0].aval
    is_real = aval.dtype.name in ("float32", "float64")
    return is_real and _stage(aval.shape, eqn.params["axes"]) is not None


def in_stages(x, name, axes, is_shared):
    """Return a reduction by the primitive of this name; `is_shared`: whether other equations use
    `x`."""
    stage = _stage(x.shape, axes)
    if is_shared and name == "reduce_sum" and stage is not None:
        x = lax.optimization_barrier(_in_windows(x, *stage))
    return _reduced(name, x, axes)


def _in_windows(x, axis, size):
    """Return sums over windows of this size along an axis, the first stage of a sum."""
    window = *[1] * axis, size, *[1] * (x.ndim - axis - 1)
    return lax.reduce_window(x, x.dtype.type(0), lax.add, window, window, "VALID")


def _reduced(name, x, axes):
    stage = _stage(x.shape, axes)
    if stage is None:
        return _REDUCE[name](x, axes)
    axis, size = stage
    shape = *x.shape[:axis], size, x.shape[axis] // size, *x.shape[axis + 1 :]
    part = _REDUCE[name](lax.reshape(x, shape), (axis,))
    return _reduced(name, lax.optimization_barrier(part), axes)


def _stage(shape, axes):
    """Return (an axis, the number of its elements that one stage reduces); None if the array is
    small, or no size of a stage divides an axis."""
    if math.prod(shape) < _LARGE:
        return None
    stages = [
        (abs(math.log(size / _BEST)), -axis, size)
        for axis in axes
        for size in _SIZES
        if shape[axis] % size == 0 and math.prod(shape[axis:]) // size >= _FEWEST
    ]
    if not stages:
        return None
    _, axis, size = min(stages)
    return -axis, size
