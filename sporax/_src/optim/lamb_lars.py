"""Layer-wise adaptive optimizers: Lamb, LARS."""

import functools

import jax.numpy as jnp

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.optim import parameter_groups as groups
from sporax._src.optim.optimizer import OPTIMIZER, Optimizer
from sporax._src.optim.update_rule import operation, rule
from sporax._src.runtime.engine.recorder import apply
from sporax.ops import optimizer_formulas as formulas


def _norm(x):
    return jnp.sqrt(jnp.sum(x * x))


@rule("Lamb", states=2, decoupled=True)
def lamb(param, m, v, grad, rate, steps, beta1, beta2, eps, *, weight_decay):
    steps = steps + 1
    m, v = formulas.moments(m, v, grad, beta1, beta2)
    ratio = m / (1 - beta1**steps) / (jnp.sqrt(v / (1 - beta2**steps)) + eps)
    change = ratio + weight_decay * param
    weight, length = _norm(param), _norm(change)
    there = (weight > 0) & (length > 0)
    return param - rate * jnp.where(there, weight / jnp.where(there, length, 1), 1) * change, m, v


class Lamb(Optimizer):
    r"""$m$, $v$ as in `Adam`, $d = \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + eps}
    + \lambda p$, then $p \leftarrow p - \eta \frac{\|p\|}{\|d\|} d$, per parameter.

    You et al., 2020. The factor is 1 if a norm is 0; $\lambda$ is `weight_decay`. Other arguments:
    see `Optimizer`.

    >>> p = Parameter(Tensor([3.0, 4.0]), name="w")
    >>> done = Lamb([p], 0.1)((Tensor([2.0, 0.0]),))
    >>> print(p.asnumpy())
    [2.5 4. ]
    """

    def __init__(self, params, learning_rate, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        kinds.INSIDE_ONE("Lamb", beta1=beta1, beta2=beta2)
        kinds.POSITIVE("Lamb", eps=eps)
        self.beta1, self.beta2 = Tensor([beta1], dtypes.float32), Tensor([beta2], dtypes.float32)
        self.eps = Tensor([eps], dtypes.float32)
        self.params = self.parameters
        self.moments1 = self.parameters.clone(prefix="lamb_m", init="zeros")
        self.moments2 = self.parameters.clone(prefix="lamb_v", init="zeros")
        self._set_rule(lamb, self.moments1, self.moments2)

    def construct(self, gradients):
        return self._apply_rule(gradients, self.global_step, self.beta1, self.beta2, self.eps)


@functools.cache
def _larger(epsilon, coefficient, use_clip):
    """Return the operation (param, gradient, weight decay, rate) -> gradient for the optimizer."""

    def run(param, grad, decay, rate):
        wide = jnp.promote_types(param.dtype, jnp.float32)
        p, g, decay, rate = (x.astype(wide) for x in (param, grad, decay, rate))
        larger = formulas.lars_gradient(
            p, g, _norm(p), _norm(g), decay, rate,
            epsilon=epsilon, coefficient=coefficient, use_clip=use_clip,
        )  # fmt: skip
        return larger.astype(grad.dtype)

    return operation("LARS", run)


_unscaled = operation("LARS", lambda decay, scale: decay.reshape(()) * scale)


class LARS(Optimizer):
    r"""Calls `optimizer` with gradients $c \frac{\|p\|}{\|g\| + \lambda \|p\| + \epsilon}
    (g + \lambda p)$.

    You et al., 2017. $c$ is `coefficient`, $\lambda$ the weight decay of `optimizer`, which no
    longer applies weight decay or loss scale itself. `use_clip`: divide the factor before $g +
    \lambda p$ by the learning rate and clip it to 1. Gradients of parameters for which
    `lars_filter` is False are unchanged, without weight decay.

    >>> p = Parameter(Tensor([3.0, 4.0]), name="w")
    >>> done = LARS(nn.SGD([p], 1.0), epsilon=0.0, coefficient=0.5)((Tensor([0.0, 2.0]),))
    >>> print(p.asnumpy())
    [3.  1.5]
    """

    def __init__(
        self, optimizer, epsilon=1e-05, coefficient=0.001, use_clip=False,
        lars_filter=lambda x: "LayerNorm" not in x.name and "bias" not in x.name,
    ):  # fmt: skip
        OPTIMIZER("LARS", optimizer=optimizer)
        super().__init__(0.0, [Parameter(Tensor(0.0), name="fake_param")])
        kinds.NUMBER("LARS", epsilon=epsilon, coefficient=coefficient)
        kinds.BOOL("LARS", use_clip=use_clip)
        fits = not use_clip or not optimizer.is_group_lr or not optimizer.dynamic_lr
        require(fits, "false-groups-learning-rates", "LARS", argument="use_clip")
        self.opt, self.use_clip = optimizer, use_clip
        for name in _OF_THE_OPTIMIZER:
            setattr(self, name, getattr(optimizer, name))
        self.learning_rate = Parameter(Tensor(0.0, dtypes.float32), name="fake_lr")
        self.lars_flag = tuple(bool(lars_filter(p)) for p in self.parameters)
        self._larger = _larger(epsilon, coefficient, use_clip)
        self._none = Tensor(0.0, dtypes.float32)
        optimizer._leave_decay_and_scale()

    def construct(self, gradients):
        gradients = self.scale_grad(groups.counted("LARS", gradients, self.parameters))
        groups.refuse_shapes("LARS", gradients, self.parameters)
        rates, decays = self.opt.get_lr(), self.get_weight_decay()
        rates = rates if self.opt.is_group_lr else (rates,) * self.param_length
        decays = decays if self.is_group else (decays,) * self.param_length
        new = [
            self._enlarged(*each) if flag else each[1]
            for flag, *each in zip(
                self.lars_flag, self.parameters, gradients, decays, self.decay_flags, rates,
                strict=True,
            )
        ]  # fmt: skip
        return self.opt(tuple(new))

    def _enlarged(self, param, gradient, decay, decays, rate):
        decay = apply(_unscaled, decay, self.reciprocal_scale) if decays else self._none
        return apply(self._larger, param, gradient, decay, rate)


_OF_THE_OPTIMIZER = (
    "global_step", "parameters", "param_length", "is_group", "weight_decay", "decay_flags",
    "dynamic_weight_decay", "loss_scale", "need_scale", "reciprocal_scale",
)  # fmt: skip

__all__ = ["LARS", "Lamb"]
