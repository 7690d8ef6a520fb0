"""SGD, Adam and AdamW with `param_groups`."""

from types import MappingProxyType
from typing import ClassVar

import jax.numpy as jnp

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.optim import sgd as plain
from sporax._src.optim.experimental.optimizer import GroupOptimizer
from sporax._src.optim.update_rule import rule


@rule("SGD", states=2)
def sgd(param, accum, stat, grad, rate, *, momentum, dampening, weight_decay, nesterov, maximize):
    grad = (-grad if maximize else grad) + weight_decay * param
    return plain.sgd.fn(
        param, accum, stat, grad, rate, momentum, dampening=dampening, nesterov=nesterov
    )


def _moments(m, v, grad, betas):
    return m + (grad - m) * (1 - betas[0]), v + (grad * grad - v) * (1 - betas[1])


def adam_rule(late_eps, decoupled=False, first=0):
    """Return Adam's update rule on arrays. `late_eps`: add eps after the bias correction of the
    root, not before. `decoupled`: decay the parameter, not the gradient. `first`: the value of
    `steps` before the first step."""

    def run(
        param, m, v, highest, grad, rate, steps, *, betas, eps, weight_decay, amsgrad, maximize
    ):
        grad = -grad if maximize else grad
        if decoupled:
            param = param * (1 - rate * weight_decay)
        else:
            grad = grad + weight_decay * param
        m, v = _moments(m, v, grad, betas)
        highest = jnp.maximum(highest, v) if amsgrad else highest
        unbiased1, unbiased2 = (1 - beta ** (steps - first + 1) for beta in betas)
        scale, root = jnp.sqrt(unbiased2), jnp.sqrt(highest if amsgrad else v)
        divisor = root / scale + eps if late_eps else (root + eps) / scale
        return param - rate / unbiased1 * m / divisor, m, v, highest

    return run


# MindSpore adds eps before the bias correction in Adam, after it in AdamW
adam = rule("Adam", states=3)(adam_rule(late_eps=False))
adamw = rule("AdamW", states=3)(adam_rule(late_eps=True, decoupled=True))


class SGD(GroupOptimizer):
    r"""$v \leftarrow u v + (1 - dampening) g$, then $p \leftarrow p - \eta v$.

    $u$ is `momentum` (0: $p \leftarrow p - \eta g$); the first step uses $v = g$. `nesterov`
    (requires a momentum and no dampening): $p \leftarrow p - \eta (g + u v)$; `maximize`: use $-g$.
    Weight decay is added to the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> SGD([p], 0.5)((Tensor([1.0]),))
    True
    >>> print(p.asnumpy())
    [0.5]
    """

    _STATES = MappingProxyType({"accum": "zeros", "stat": "ones"})
    _RULE = sgd

    def __init__(
        self, params, lr, momentum=0, dampening=0, weight_decay=0.0, nesterov=False, *,
        maximize=False,
    ):  # fmt: skip
        kinds.NOT_NEGATIVE("SGD", momentum=momentum)
        kinds.NUMBER("SGD", dampening=dampening)
        kinds.BOOL("SGD", nesterov=nesterov)
        fits = not nesterov or (momentum > 0 and dampening == 0)
        fields = {"argument": "nesterov", "momentum": momentum, "dampening": dampening}
        require(fits, "needs-momentum-greater-than-0", "SGD", **fields)
        super().__init__(
            params, lr=lr, momentum=float(momentum), dampening=float(dampening),
            weight_decay=weight_decay, nesterov=nesterov, maximize=maximize,
            grad_centralization=False,
        )  # fmt: skip


class _Adaptive(GroupOptimizer):
    """Base class of Adam and AdamW."""

    _STATES = MappingProxyType(
        {"exp_avg": "zeros", "exp_avg_sq": "zeros", "max_exp_avg_sq": "zeros"}
    )
    _RULE, _COUNTER = adam, "state_step"
    _CHECKS: ClassVar = {**GroupOptimizer._CHECKS, "eps": kinds.NOT_NEGATIVE}

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, amsgrad=False, *,
        maximize=False,
    ):  # fmt: skip
        super().__init__(
            params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
            maximize=maximize,
        )  # fmt: skip


class Adam(_Adaptive):
    r"""$m \leftarrow \beta_1 m + (1 - \beta_1) g$, $v \leftarrow \beta_2 v + (1 - \beta_2) g^2$,
    $p \leftarrow p - \eta \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \frac{m}{\sqrt{v} + eps}$.

    `amsgrad`: use the maximum of all $v$ instead; `maximize`: use $-g$. Weight decay is added to
    the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = Adam([p], 0.5)((Tensor([3.0]),))
    >>> print(round(p.asnumpy()[0], 3))
    0.5
    """


class AdamW(_Adaptive):
    r"""$m$, $v$ as in `Adam`, $p \leftarrow (1 - \eta \lambda) p - \frac{\eta}{1 - \beta_1^t}
    \frac{m}{\sqrt{v / (1 - \beta_2^t)} + eps}$.

    $\lambda$ is `weight_decay`. `amsgrad`: use the maximum of all $v$ instead; `maximize`: use
    $-g$.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = AdamW([p], 0.5, weight_decay=0.5)((Tensor([3.0]),))
    >>> print(round(p.asnumpy()[0], 3))
    0.25
    """

    _RULE = adamw

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *,
        maximize=False,
    ):  # fmt: skip
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


__all__ = ["SGD", "Adam", "AdamW"]
