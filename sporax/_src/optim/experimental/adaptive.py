"""Optimizers with `param_groups` that adapt the step of each weight: Adadelta to Rprop."""

import math
from types import MappingProxyType

import jax.numpy as jnp

from sporax._src.optim import adadelta as plain_adadelta
from sporax._src.optim import asgd as plain_asgd
from sporax._src.optim import rprop as plain_rprop
from sporax._src.optim.experimental.optimizer import GroupOptimizer
from sporax._src.optim.update_rule import rule


def _gradient(grad, param, weight_decay, maximize=False):
    return (-grad if maximize else grad) + weight_decay * param


@rule("Adadelta", states=2)
def adadelta(param, accum, accum_update, grad, rate, *, rho, eps, weight_decay, maximize):
    grad = _gradient(grad, param, weight_decay, maximize)
    return plain_adadelta.adadelta.fn(param, accum, accum_update, grad, rate, rho, eps)


@rule("Adagrad", states=1)
def adagrad(param, accum, grad, rate, steps, *, lr_decay, eps, weight_decay, maximize):
    grad = _gradient(grad, param, weight_decay, maximize)
    accum = accum + grad * grad
    return param - rate / (1 + steps * lr_decay) * grad / (jnp.sqrt(accum) + eps), accum


@rule("Adamax", states=2)
def adamax(param, m, v, grad, rate, steps, *, betas, eps, weight_decay, maximize):
    grad = _gradient(grad, param, weight_decay, maximize)
    m = m + (grad - m) * (1 - betas[0])
    v = jnp.maximum(v * betas[1], jnp.abs(grad) + eps)
    return param - rate / (1 - betas[0] ** (steps + 1)) * m / v, m, v


@rule("RAdam", states=2)
def radam(param, m, v, grad, rate, steps, *, betas, eps, weight_decay):
    grad, steps = _gradient(grad, param, weight_decay), steps + 1
    m, v = m + (grad - m) * (1 - betas[0]), v + (grad * grad - v) * (1 - betas[1])
    # `1 - power` loses precision in Float32 that the small difference of lengths needs
    unbiased = -jnp.expm1(steps * math.log(betas[1])) if betas[1] else 1.0
    most = 2 / (1 - betas[1]) - 1
    length = most - 2 * steps * (1 - unbiased) / unbiased
    known = length > 5  # True once the variance can be estimated
    sma_length = jnp.where(known, length, most)
    share = (sma_length - 4) * (sma_length - 2) * most / ((most - 4) * (most - 2) * sma_length)
    factor = jnp.where(known, jnp.sqrt(share * unbiased) / (jnp.sqrt(v) + eps), 1)
    return param - rate / (1 - betas[0] ** steps) * m * factor, m, v


@rule("RMSprop", states=3)
def rmsprop(
    param, mean, square, moment, grad, rate, *,
    alpha, eps, weight_decay, momentum, centered, maximize,
):  # fmt: skip
    grad = _gradient(grad, param, weight_decay, maximize)
    square = alpha * square + (1 - alpha) * grad * grad
    mean = alpha * mean + (1 - alpha) * grad if centered else mean
    change = grad / (jnp.sqrt(square - mean * mean if centered else square) + eps)
    if momentum > 0:
        change = moment = momentum * moment + change
    return param - rate * change, mean, square, moment


@rule("NAdam", states=3)
def nadam(
    param, m, v, product, grad, rate, steps, *, betas, eps, weight_decay, momentum_decay
):  # fmt: skip
    grad, steps = _gradient(grad, param, weight_decay), steps + 1

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
    grad = _gradient(grad, param, weight_decay, maximize)
    param, mu, eta, mean = plain_asgd.asgd.fn(
        param, mu, eta, mean, grad, rate, steps, lambd=lambd, alpha=alpha, t0=t0
    )
    return param, mean, mu, eta


@rule("Rprop", states=2)
def rprop(param, before, size, grad, rate, steps, *, etas, step_sizes, maximize):
    grad = -grad if maximize else grad
    return plain_rprop.rprop.fn(
        param, before, size, grad, rate, steps, etas=etas, step_sizes=step_sizes
    )


class Adadelta(GroupOptimizer):
    """`nn.Adadelta` with `eps` for its epsilon; `maximize`: negate the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = Adadelta([p], lr=100.0)((Tensor([3.0]),))
    >>> print(round(p.asnumpy()[0], 3))
    0.684
    """

    _STATES = MappingProxyType({"accum": 0, "accum_update": 0})
    _RULE = adadelta

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.0, *, maximize=False):
        super().__init__(
            params, lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize
        )


class Adagrad(GroupOptimizer):
    r"""$s \leftarrow s + g^2$, $p \leftarrow p - \frac{\eta}{1 + t d} \frac{g}{\sqrt{s} + eps}$.

    $d$ is `lr_decay`, $t$ counts steps from 0, $s$ starts at `initial_accumulator_value`;
    `maximize`: use $-g$. Weight decay is added to the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = Adagrad([p], lr=0.5)((Tensor([3.0]),))
    >>> print(round(p.asnumpy()[0], 3))
    0.5
    """

    _RULE = adagrad

    def __init__(
        self, params, lr=0.01, lr_decay=0.0, weight_decay=0.0, initial_accumulator_value=0.0,
        eps=1e-10, *, maximize=False,
    ):  # fmt: skip
        start = initial_accumulator_value
        object.__setattr__(self, "_STATES", {"accum": start})
        super().__init__(
            params, lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
            initial_accumulator_value=start, maximize=maximize,
        )  # fmt: skip


class Adamax(GroupOptimizer):
    r"""$m \leftarrow \beta_1 m + (1 - \beta_1) g$, $v \leftarrow \max(\beta_2 v, |g| + eps)$,
    $p \leftarrow p - \frac{\eta}{1 - \beta_1^t} \frac{m}{v}$; `maximize`: use $-g$.

    Weight decay is added to the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = Adamax([p], lr=0.5)((Tensor([3.0]),))
    >>> print(round(p.asnumpy()[0], 3))
    0.5
    """

    _STATES = MappingProxyType({"exp_avg": "zeros", "exp_inf": "zeros"})
    _RULE = adamax

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, *, maximize=False
    ):
        super().__init__(
            params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize
        )


class RAdam(GroupOptimizer):
    """Adam without division by the root of $v$ until its variance can be estimated, with a
    variance rectification factor afterwards (Liu et al., 2020). Weight decay is added to the
    gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = RAdam([p], lr=0.5)((Tensor([3.0]),))
    >>> print(round(p.asnumpy()[0], 3))
    -0.5
    """

    _STATES = MappingProxyType({"exp_avg": "zeros", "exp_avg_sq": "zeros"})
    _RULE = radam

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)


class RMSprop(GroupOptimizer):
    r"""$s \leftarrow \alpha s + (1 - \alpha) g^2$, $v \leftarrow u v + \frac{g}{\sqrt{s} + eps}$,
    $p \leftarrow p - \eta v$; `centered`: with $s$ minus the squared mean gradient.

    $u$ is `momentum`; `maximize`: use $-g$. Weight decay is added to the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = RMSprop([p], lr=0.5)((Tensor([3.0]),))
    >>> print(round(p.asnumpy()[0], 3))
    -4.0
    """

    _STATES = MappingProxyType({"mean_grad": "zeros", "mean_square": "zeros", "moment": "zeros"})
    _RULE = rmsprop

    def __init__(
        self, params, lr=0.01, alpha=0.99, eps=1e-8, weight_decay=0.0, momentum=0.0,
        centered=False, maximize=False,
    ):  # fmt: skip
        super().__init__(
            params, lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=centered,
            weight_decay=weight_decay, maximize=maximize,
        )  # fmt: skip


class NAdam(GroupOptimizer):
    r"""Adam with Nesterov momentum $\mu_t = \beta_1 (1 - \frac12 0.96^{t d})$, where $d$ is
    `momentum_decay` (Dozat, 2016). Weight decay is added to the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = NAdam([p], lr=0.5)((Tensor([2.0]),))
    >>> print(p.asnumpy().round(4))
    [0.4718]
    """

    _STATES = MappingProxyType({"exp_avg": "zeros", "exp_avg_sq": "zeros"})
    _SINGLE = MappingProxyType({"mu_product": 1.0})
    _RULE = nadam

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, momentum_decay=4e-3
    ):
        super().__init__(
            params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
            momentum_decay=momentum_decay,
        )  # fmt: skip


class ASGD(GroupOptimizer):
    """`nn.ASGD` with `lr` for its learning rate; `maximize`: negate the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = ASGD([p], lr=0.5, lambd=0.0)((Tensor([1.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    _STATES = MappingProxyType({"ax": "zeros"})
    _SINGLE = MappingProxyType({"mu": 1.0, "eta": 0.0})
    _RULE = asgd

    def __init__(
        self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0, maximize=False
    ):
        super().__init__(
            params, lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay,
            maximize=maximize,
        )  # fmt: skip


class Rprop(GroupOptimizer):
    """`nn.Rprop` with `lr` for its learning rate; `maximize`: negate the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = Rprop([p], lr=0.5)((Tensor([7.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    _STATES = MappingProxyType({"prev": "zeros", "step_size": "zeros"})
    _RULE = rprop

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, maximize=False):
        plain_rprop.check_steps("Rprop", etas, step_sizes)
        super().__init__(params, lr=lr, etas=etas, step_sizes=step_sizes, maximize=maximize)


__all__ = ["ASGD", "Adadelta", "Adagrad", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop"]
