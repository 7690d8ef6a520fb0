"""NAdam, ASGD and Rprop with `param_groups`."""

import math
from types import MappingProxyType

import jax.numpy as jnp

from sporax.nn import argument
from sporax.optim import averaged, resilient
from sporax.optim.experimental.optimizer import ByRule, checked_betas
from sporax.optim.rule import rule


@rule("NAdam", states=3)
def nadam(
    param, m, v, product, grad, rate, steps, *, betas, eps, weight_decay, momentum_decay
):  # fmt: skip
    grad, steps = grad + weight_decay * param, steps + 1

    def momentum(step):
        return betas[0] * (1 - 0.5 * 0.96 ** (step * momentum_decay))

    now, following = momentum(steps), momentum(steps + 1)
    product = product * now
    m, v = m + (grad - m) * (1 - betas[0]), v + (grad * grad - v) * (1 - betas[1])
    unbiased = -jnp.expm1(steps * math.log(betas[1])) if betas[1] else 1.0
    root = jnp.sqrt(v / unbiased) + eps
    ahead = following / (1 - product * following) * m
    return param - rate * ((1 - now) / (1 - product) * grad + ahead) / root, m, v, product


@rule("ASGD", states=3)
def asgd(
    param, mean, mu, eta, grad, rate, steps, *, lambd, alpha, t0, weight_decay, maximize
):  # fmt: skip
    grad = (-grad if maximize else grad) + weight_decay * param
    given = {"lambd": lambd, "alpha": alpha, "t0": t0}
    param, mu, eta, mean = averaged.asgd.fn(param, mu, eta, mean, grad, rate, steps, **given)
    return param, mean, mu, eta


@rule("Rprop", states=2)
def rprop(param, before, size, grad, rate, steps, *, etas, step_sizes, maximize):
    grad = -grad if maximize else grad
    given = {"etas": etas, "step_sizes": step_sizes}
    return resilient.rprop.fn(param, before, size, grad, rate, steps, **given)


class NAdam(ByRule):
    r"""Adam that looks ahead with a momentum $\mu_t = \beta_1 (1 - \frac12 0.96^{t d})$, $d$ being
    `momentum_decay` (Dozat, 2016). Weight decay is added to the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = NAdam([p], lr=0.5)((Tensor([2.0]),))
    >>> print(p.asnumpy().round(4))
    [0.4718]
    """

    _STATES = MappingProxyType({"exp_avg": "zeros", "exp_avg_sq": "zeros"})
    _SINGLE = MappingProxyType({"mu_product": 1.0})
    _RULE, _COUNTER = nadam, "step_t"
    _NUMBERS = ("betas", "eps", "weight_decay", "momentum_decay")

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, momentum_decay=4e-3
    ):
        checked_betas("NAdam", betas)
        argument.positive("NAdam", eps=eps)
        argument.not_negative("NAdam", momentum_decay=momentum_decay)
        super().__init__(
            params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
            momentum_decay=momentum_decay,
        )  # fmt: skip


class ASGD(ByRule):
    """As `nn.ASGD`, with `lr` for its learning rate; `maximize`: with the gradient's negative.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = ASGD([p], lr=0.5, lambd=0.0)((Tensor([1.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    _STATES = MappingProxyType({"ax": "zeros"})
    _SINGLE = MappingProxyType({"mu": 1.0, "eta": 0.0})
    _RULE, _COUNTER = asgd, "step_t"
    _NUMBERS = ("lambd", "alpha", "t0", "weight_decay", "maximize")

    def __init__(
        self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0, maximize=False
    ):
        argument.flag("ASGD", maximize=maximize)
        argument.not_negative("ASGD", lambd=lambd, alpha=alpha, t0=t0)
        super().__init__(
            params, lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay,
            maximize=maximize,
        )  # fmt: skip


class Rprop(ByRule):
    """As `nn.Rprop`, with `lr` for its learning rate; `maximize`: with the gradient's negative.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = Rprop([p], lr=0.5)((Tensor([7.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    _STATES = MappingProxyType({"prev": "zeros", "step_size": "zeros"})
    _RULE, _COUNTER = rprop, "step_t"
    _NUMBERS = ("etas", "step_sizes", "maximize")

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, maximize=False):
        argument.flag("Rprop", maximize=maximize)
        resilient.check("Rprop", etas, step_sizes)
        super().__init__(params, lr=lr, etas=etas, step_sizes=step_sizes, maximize=maximize)


__all__ = ["ASGD", "NAdam", "Rprop"]
