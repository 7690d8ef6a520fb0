"""Autocast: the dtypes that operations compute in, set by a Cell (`Cell.to_float`).

A mark in the trace begins and ends it, so that a path through the trace tree always means the same
program, and an operation whose operands need no conversion has no overhead. Any other operation
raises `NeedsCast`, and is recorded again with converted operands.
"""

import functools

import jax.numpy as jnp
import numpy as np

from sporax._src.core.promotion import promote
from sporax._src.core.value import thread
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import record


class Policy:
    """Determines how operands and results are converted; see `recorder.fitted`."""

    returns = None  # the `Precision` that results are converted to

    def splits(self, op):
        """Return True if an operation is recorded by `in_parts`."""
        return False

    def around(self, inside):
        """Return the policy in effect when `inside` begins within this one."""
        return inside


class Precision(Policy):
    """One floating dtype (NumPy's) that operations compute in."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.cast = Op("Cast", lambda x: x.astype(dtype))

    def for_op(self, op, avals):
        """Return self."""
        return self

    def converts(self, aval):
        """Return True if an operand must be converted."""
        return aval.dtype != self.dtype and not aval.weak and _is_floating(aval)

    def refuses(self, op, avals):
        """Return True if one of an operation's operands must be converted."""
        return op.converts and any(map(self.converts, avals))


def _is_floating(aval):
    return jnp.issubdtype(aval.dtype, jnp.floating)


precision_of = functools.cache(Precision)


class Choice(Policy):
    """Selects a precision for each operation by its name.

    `low`: operations that compute in `dtype` (NumPy's). `high`: in float32. `widest`: operations
    that convert their floating operands to the widest dtype among them. All others compute in
    their operands' dtypes. `returns`: the dtype that results of converted operations are
    converted to, or None.
    """

    def __init__(self, dtype, low, high, widest, returns):
        self.widest = widest
        self.table = dict.fromkeys(high, precision_of(np.dtype(np.float32)))
        self.table.update(dict.fromkeys(low, precision_of(dtype)))
        self.returns = None if returns is None else precision_of(returns)

    def for_op(self, op, avals):
        """Return the precision of an operation; None for its operands' dtypes."""
        if op.name not in self.widest:
            return self.table.get(op.name)
        floats = [a for a in avals if _is_floating(a)]
        return precision_of(np.dtype(promote(floats))) if floats else None

    def refuses(self, op, avals):
        """Return True if an operation must be split, or an operand or its result converted."""
        if self.splits(op):
            return True
        precision = self.for_op(op, avals) if op.converts else None
        if precision is None:
            return False
        return self.returns is not None or precision.refuses(op, avals)

    def splits(self, op):
        """Return True if an operation is recorded as its parts, each with its own precision."""
        return op.converts and op.components is not None

    def in_parts(self, op, operands, do):
        """Record an operation as its parts: the first on two operands, each further one on the
        result so far and the next operand."""
        first, *others = op.components
        out = do(first, *operands[:2])
        for step, operand in zip(others, operands[2:], strict=True):
            out = do(step, out, operand)
        return out


choice_of = functools.cache(Choice)


@functools.cache
def _mark(precision):
    op = Op("Precision", lambda: ())
    op.mark = (precision,)
    return op


def mark_precision():
    """Begin a capture's trace in the precision in effect."""
    if thread.precision is not None:
        record(_mark(thread.precision))


class computing_in:
    """Compute in a Precision or Choice in the block (None: in the operands' dtypes). Used
    as `with closing(computing_in(...)) as block, block:`, it is closed wherever an interrupt comes.
    """

    def __init__(self, inside):
        before = self.before = thread.precision
        self.inside = inside if before is None else before.around(inside)

    def __enter__(self):
        self._change(self.inside)

    def __exit__(self, *exception):
        self.close()

    def close(self):
        """Restore the policy before the block; may be called again, after an interrupt."""
        self._change(self.before)

    def _change(self, precision):
        if self.inside is not self.before:
            thread.precision = precision
            if thread.recorder.state.precision is not precision:
                record(_mark(precision))
