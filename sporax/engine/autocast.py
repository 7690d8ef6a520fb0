"""What operations compute in where a Cell says so (`Cell.to_float`).

A mark in the trace begins and ends it, so that a path through the tree of traces always means the
same program, and an operation whose operands fit costs nothing more. One whose operands do not is
refused, and recorded again with converted ones.
"""

import functools

import jax.numpy as jnp
import numpy as np

from sporax.core.promotion import promote
from sporax.core.value import thread
from sporax.engine.operation import Op
from sporax.engine.recorder import record


class Policy:
    """What is done with operations that it refuses; see `recorder.fitted`."""

    returns = None  # what results are converted to

    def splits(self, op):
        """Whether an operation is recorded by `in_parts`."""
        return False

    def around(self, inside):
        """What holds where `inside` begins within this."""
        return inside


class Precision(Policy):
    """One floating dtype (NumPy's) that operations compute in."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.cast = Op("Cast", lambda x: x.astype(dtype))

    def of(self, op, avals):
        """What an operation computes in: this."""
        return self

    def converts(self, aval):
        """Whether an operand has to be converted."""
        return aval.dtype != self.dtype and not aval.weak and _is_floating(aval)

    def refuses(self, op, avals):
        """Whether one of an operation's operands has to be converted."""
        return op.converts and any(map(self.converts, avals))


def _is_floating(aval):
    return jnp.issubdtype(aval.dtype, jnp.floating)


precision_of = functools.cache(Precision)


class Choice(Policy):
    """For each operation its own, by its name.

    `low`: which compute in `dtype` (NumPy's). `high`: which compute in float32. `widest`: which
    convert their floating operands to the widest dtype among them. All others compute in what
    their operands say. `returns`: the dtype that results of the low ones are converted to.
    """

    def __init__(self, dtype, low, high, widest, returns):
        self.widest = widest
        self.table = dict.fromkeys(high, precision_of(np.dtype(np.float32)))
        self.table.update(dict.fromkeys(low, precision_of(dtype)))
        self.returns = None if returns is None else precision_of(returns)

    def of(self, op, avals):
        """What an operation computes in; None where its operands say it."""
        if op.name not in self.widest:
            return self.table.get(op.name)
        floats = [a for a in avals if _is_floating(a)]
        return precision_of(np.dtype(promote(floats))) if floats else None

    def refuses(self, op, avals):
        """Whether an operation has to be split, or one of its operands to be converted."""
        if self.splits(op):
            return True
        precision = self.of(op, avals) if op.converts else None
        return precision is not None and precision.refuses(op, avals)

    def splits(self, op):
        """Whether an operation is recorded as its parts, each with its own choice."""
        return op.converts and op.parts is not None

    def in_parts(self, op, operands, do):
        """The first of an operation's parts of two operands, each further part of the result so
        far and the next operand."""
        first, *others = op.parts
        out = do(first, *operands[:2])
        for part, operand in zip(others, operands[2:], strict=True):
            out = do(part, out, operand)
        return out


choice_of = functools.cache(Choice)


@functools.cache
def _mark(precision):
    op = Op("Precision", lambda: ())
    op.mark = (precision,)
    return op


def mark_precision():
    """Begin a capture's trace in the precision that there is."""
    if thread.precision is not None:
        record(_mark(thread.precision))


class computing_in:
    """Within, operations compute in a Precision or Choice (None: in what their operands say). Used
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
        """As before the block; may be called again, after an interrupt."""
        self._change(self.before)

    def _change(self, precision):
        if self.inside is not self.before:
            thread.precision = precision
            if thread.recorder.state.precision is not precision:
                record(_mark(precision))
