"""Operations whose derivative computes everything again instead of keeping it.

A pullback computes the forward pass a second time by itself. Within one program XLA would see that
it has been computed already, and keep it. On a GPU or TPU an optimization barrier prevents that. On
a CPU XLA removes barriers too early (`jax.checkpoint` saves nothing there), but it does not look
into the branches of a conditional; so here the second pass is the branch of a condition that always
holds, which depends on the elements of an array.
"""

import functools

import jax
import jax.numpy as jnp
from jax import lax

from sporax.engine.operation import Op, Rule
from sporax.lifting.lifted_op import LiftedOp


@jax.custom_batching.custom_vmap
def _true(x):
    return (x == x) | (x != x)  # of a NaN only the second is true


@_true.def_vmap
def _(size, batched, x):
    """One condition for all examples, or it would not be a conditional any more."""
    return _true(x[0]), False


def behind_barrier(run, avals, arrays):
    """`run(*arrays)`, computed apart from all else in the program."""
    inexact = [x for a, x in zip(avals, arrays, strict=True) if a.inexact and a.size and not a.weak]
    if jax.default_backend() != "cpu" or not inexact:
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
    """Another operation, computed apart from all else in the program; so are its derivatives."""

    __slots__ = ("plain",)
    is_polymorphic = False

    def __init__(self, plain):
        super().__init__(plain.name, None)
        self.plain, self.collective = plain, plain.collective

    def compute(self, avals, *arrays, real=False):
        """What the plain one computes."""
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
    """A recording whose derivative computes it again."""

    __slots__ = ()

    def _new_pullback(self, inputs, outputs):
        return BarrierOp(super()._new_pullback(inputs, outputs))


class BarrierLiftedOp(LiftedOp):
    """A recording that is computed apart from all else in the program."""

    __slots__ = ()

    def compute(self, avals, *arrays, real=False):
        """As recorded."""
        return behind_barrier(self.real if real else self.fn, avals, arrays)
