"""Operations whose derivative recomputes everything instead of keeping it.

A pullback computes the forward pass a second time. Within one program XLA would detect that it was
computed before, and keep the results. On a GPU or TPU an optimization barrier prevents that. On a
CPU XLA removes barriers too early (`jax.checkpoint` saves nothing there), but it does not look into
the branches of a conditional; so here the second pass is a branch whose condition is always true
but depends on the elements of an array.
"""

import functools

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.core.jax_internals import default_platform
from sporax._src.runtime.engine.operation import Op, Rule
from sporax._src.transforms.lifting.lifted_op import LiftedOp


@jax.custom_batching.custom_vmap
def _true(x):
    return (x == x) | (x != x)  # for a NaN only the second is true


@_true.def_vmap
def _(size, batched, x):
    """Use one condition for all examples: batched, it would no longer be a conditional."""
    return _true(x[0]), False


def behind_barrier(run, avals, arrays):
    """Compute `run(*arrays)` isolated from the other computations of the program."""
    inexact = [x for a, x in zip(avals, arrays, strict=True) if a.inexact and a.size and not a.weak]
    if default_platform() != "cpu" or not inexact:
        return run(*lax.optimization_barrier(tuple(arrays)))
    # the last is a cotangent; the first may be a constant to XLA
    ends = [lax.stop_gradient(inexact[i].ravel()[0]) for i in (0, -1)]
    shapes = jax.eval_shape(run, *arrays)
    return lax.cond(
        _true(ends[0]) & _true(ends[1]),
        run,
        lambda *arrays: jax.tree.map(lambda o: jnp.zeros(o.shape, o.dtype), shapes),
        *arrays,
    )


class BarrierOp(Op):
    """Isolates an operation, and its derivatives, from the other computations of the program."""

    __slots__ = ("plain",)
    is_polymorphic = False

    def __init__(self, plain):
        super().__init__(plain.name, None)
        self.plain, self.collective = plain, plain.collective

    def compute(self, avals, *arrays, real=False):
        """Compute the plain operation behind a barrier."""
        return behind_barrier(
            functools.partial(self.plain.compute, avals, real=real), avals, arrays
        )

    def _infer(self, avals):
        rule = self.plain.rule(avals)
        run = jax.jit(functools.partial(self.compute, avals), inline=True)
        return Rule(avals, rule.avals, run, rule.single)

    def _new_pullback(self, inputs, outputs):
        return BarrierOp(self.plain.pullback(inputs, outputs))


class RematLiftedOp(LiftedOp):
    """A recording whose derivative recomputes it."""

    __slots__ = ()

    def _new_pullback(self, inputs, outputs):
        return BarrierOp(super()._new_pullback(inputs, outputs))


class BarrierLiftedOp(LiftedOp):
    """A recording that is isolated from the other computations of the program."""

    __slots__ = ()

    def compute(self, avals, *arrays, real=False):
        """Compute the recording behind a barrier."""
        return behind_barrier(self.real if real else self.fn, avals, arrays)
