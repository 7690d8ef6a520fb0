"""Averaged stochastic gradient descent."""

import jax.numpy as jnp

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.update_rule import rule
from sporax.nn.parameter_tuple import ParameterTuple


@rule("ASGD", states=3)
def asgd(param, mu, eta, mean, grad, rate, steps, *, lambd, alpha, t0):
    step, rate = jnp.reshape(steps, ()) + 1, jnp.reshape(rate, ())
    eta = jnp.where(step == 1, rate, eta)
    param = param * (1 - lambd * eta) - eta * grad
    mean = jnp.where(mu == 1, param, mean + (param - mean) * mu)
    eta = rate / (1 + lambd * rate * step) ** alpha
    return param, 1 / jnp.maximum(1, step - t0), eta, mean


class ASGD(Optimizer):
    r"""$p \leftarrow (1 - \lambda \eta) p - \eta g$ with a decaying rate
    $\eta = \eta_0 / (1 + \lambda \eta_0 t)^\alpha$.

    `ax` is the mean of the parameters from step `t0` on (Polyak and Juditsky, 1992). `lambd` is
    $\lambda$. Other arguments: see `Optimizer`; weight decay is added to the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = ASGD([p], 0.5, lambd=0.0)((Tensor([1.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    def __init__(self, params, learning_rate=0.1, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        kinds.NOT_NEGATIVE("ASGD", lambd=lambd, alpha=alpha, t0=t0)
        self.lambd, self.alpha, self.t0 = float(lambd), float(alpha), float(t0)
        self.mu, self.eta = self._of_each("mu_", 1.0), self._of_each("eta_", 0.0)
        self.ax = self.parameters.clone(prefix="ax_", init="zeros")
        settings = {"lambd": self.lambd, "alpha": self.alpha, "t0": self.t0}
        self._set_rule(asgd, self.mu, self.eta, self.ax, **settings)

    def _of_each(self, prefix, start):
        """Create a scalar state for each parameter."""
        return ParameterTuple(
            [Parameter(Tensor(start, dtypes.float32), prefix + p.name) for p in self.parameters]
        )

    def construct(self, gradients):
        return self._apply_rule(gradients, self.global_step)


__all__ = ["ASGD"]
