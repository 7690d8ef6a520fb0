"""Resilient backpropagation: steps that use only the sign of the gradient."""

import jax.numpy as jnp

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.update_rule import rule


@rule("Rprop", states=2)
def rprop(param, before, size, grad, rate, steps, *, etas, step_sizes):
    agreed = jnp.sign(grad * before)
    factor = jnp.where(agreed > 0, etas[1], jnp.where(agreed < 0, etas[0], 1.0))
    size = jnp.where(steps == 0, jnp.reshape(rate, ()), size) * factor
    size = jnp.clip(size, *step_sizes)
    grad = jnp.where(agreed < 0, 0.0, grad)
    return param - jnp.sign(grad) * size, grad, size


def check_steps(who, etas, step_sizes):
    """Check the factors and limits of the step sizes; TypeError or ValueError."""
    kinds.TUPLE(who, etas=etas, step_sizes=step_sizes)
    for name, pair in (("etas", etas), ("step_sizes", step_sizes)):
        require(len(pair) == 2, "2-items", who, argument=name, got=len(pair))
    kinds.INSIDE_ONE(who, etaminus=etas[0])
    kinds.POSITIVE(who, min_step_sizes=step_sizes[0], max_step_sizes=step_sizes[1])
    require(etas[1] > 1, "greater-than", who, etaplus=etas[1], n=1)
    require(step_sizes[0] <= step_sizes[1], "smallest-largest", who, step_sizes=step_sizes)


class Rprop(Optimizer):
    r"""$p \leftarrow p - \Delta \operatorname{sign}(g)$ with a step size $\Delta$ per element.

    $\Delta$ starts at the learning rate, is multiplied by `etas[1]` while the gradient keeps its
    sign, and by `etas[0]` when the sign changes (the element is then not updated in that step),
    within `step_sizes` (Riedmiller and Braun, 1993). Other arguments: see `Optimizer`; weight decay
    is added to the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = Rprop([p], 0.5)((Tensor([7.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    def __init__(
        self, params, learning_rate=0.1, etas=(0.5, 1.2), step_sizes=(1e-6, 50.0), weight_decay=0.0
    ):
        super().__init__(learning_rate, params, weight_decay)
        check_steps("Rprop", etas, step_sizes)
        self.etaminus, self.etaplus = etas
        self.step_size_min, self.step_size_max = step_sizes
        self.prev = self.parameters.clone(prefix="prev", init="zeros")
        self.step_size = self.parameters.clone(prefix="step_size", init="zeros")
        self._set_rule(rprop, self.prev, self.step_size, etas=etas, step_sizes=step_sizes)

    def construct(self, gradients):
        return self._apply_rule(gradients, self.global_step.reshape(()))


__all__ = ["Rprop"]
