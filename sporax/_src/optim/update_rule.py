"""An optimizer's update as one operation per parameter."""

import functools
import inspect

import jax.numpy as jnp

from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.operation import Op


def operation(name, fn):
    """Return an operation without derivative."""
    op = Op(name, fn)
    op.stops_gradient = True
    return op


class Rule:
    """An update rule: `fn(param, *states, grad, *scalars)` -> (new param, *new states).

    It computes in Float32 (Float64 for Float64 parameters) and keeps the dtypes of what it updates.
    `states`: the number of state arrays per parameter. `decoupled`: weight decay is passed to `fn`
    as `weight_decay` (0 if there is none) instead of being added to the gradient.
    """

    def __init__(self, name, states, fn, decoupled=False):
        self.name, self.states, self.fn, self.decoupled = name, states, fn, decoupled
        parameters = inspect.signature(fn).parameters
        self.settings = [n for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY]
        self.counts_steps = "steps" in parameters
        self.bind = functools.cache(self._bind)

    def _bind(self, decays=False, centralizes=False, scales=False, **attributes):
        """Return the operation on (param, *states, grad, *scalars[, weight decay][, scale])."""

        def run(param, *operands):
            wide = jnp.promote_types(param.dtype, jnp.float32)
            kept = (param, *operands[: self.states])
            grad, *scalars = [x.astype(wide) for x in operands[self.states :]]
            scalars = [x.reshape(()) for x in scalars]
            old = [x.astype(wide) for x in kept]
            scale = scalars.pop() if scales else None
            decay = scalars.pop() if decays else None
            extra = dict(attributes)
            if self.decoupled:  # the given decay is multiplied by the loss scale
                unscaled = decay if scale is None or decay is None else decay * scale
                extra["weight_decay"] = 0 if unscaled is None else unscaled
            elif decays:
                grad = grad + old[0] * decay
            if centralizes:
                grad = centralized(grad)
            if scales:
                grad = grad * scale
            new = self.fn(*old, grad, *scalars, **extra)
            return tuple(n.astype(k.dtype) for n, k in zip(new, kept, strict=True))

        op = Op(self.name, run, check=self._check, attributes=attributes)
        op.stops_gradient = True
        options = decays, centralizes, scales, self.decoupled
        op.identity = self.fn, self.name, self.states, options, attributes
        return op

    def _check(self, param, *operands):
        grad = operands[self.states]
        fits, shape = grad.shape == param.shape, param.shape
        require(fits, "gradient-shape-parameter", self.name, shape=shape, got=grad.shape)


def rule(name, states, decoupled=False):
    """Decorator that makes a function on arrays an update rule."""
    return lambda fn: Rule(name, states, fn, decoupled)


def centralized(grad):
    """Subtract from the gradient its mean over all axes but the first.

    As in MindSpore, only if the size of axis 1 is a multiple of 16.
    """
    if grad.ndim < 2 or grad.shape[1] % 16:
        return grad
    return grad - grad.mean(tuple(range(1, grad.ndim)), keepdims=True)
