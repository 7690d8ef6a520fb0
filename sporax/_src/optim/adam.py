"""Adam, and Adam with decoupled weight decay."""

import inspect

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.signature_errors import meant
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.initializers import initializer
from sporax._src.optim import parameter_groups as groups
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.update_rule import operation, rule
from sporax._src.runtime.engine.recorder import apply
from sporax.ops import optimizer_formulas as formulas

adam = rule("Adam", states=2)(formulas.adam)
amsgrad = rule("Adam", states=3)(formulas.amsgrad)


@rule("AdamWeightDecay", states=2, decoupled=True)
def adam_weight_decay(param, m, v, grad, rate, beta1, beta2, eps, *, weight_decay):
    return formulas.adam_weight_decay(param, m, v, grad, rate, beta1, beta2, eps, weight_decay)


_next_powers = operation("Adam", lambda p1, p2, beta1, beta2: (p1 * beta1, p2 * beta2))


class Adam(Optimizer):
    r"""$m \leftarrow \beta_1 m + (1 - \beta_1) g$, $v \leftarrow \beta_2 v + (1 - \beta_2) g^2$,
    $p \leftarrow p - \eta \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \frac{m}{\sqrt{v} + eps}$.

    Kingma and Ba, 2015. `use_nesterov`: $\beta_1 m + (1 - \beta_1) g$ in place of $m$;
    `use_amsgrad`: the maximum of all $v$ in place of $v$ (not both). Other arguments: see
    `Optimizer`; weight decay is added to the gradient. `use_locking`, `use_lazy` and `use_offload`
    are accepted: gradients are dense and parameters are not moved.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = Adam([p], 0.5)((Tensor([3.0]),))
    >>> print(round(p.asnumpy()[0], 3))
    0.5
    """

    _POWER = ()  # shape of the powers

    def __init__(
        self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, use_locking=False,
        use_nesterov=False, weight_decay=0.0, loss_scale=1.0, use_amsgrad=False, **kwargs,
    ):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        who = type(self).__name__
        lazy, offload = _placement(kwargs, use_amsgrad)
        kinds.INSIDE_ONE(who, beta1=beta1, beta2=beta2)
        kinds.POSITIVE(who, eps=eps)
        kinds.BOOL(who, use_locking=use_locking, use_nesterov=use_nesterov)
        kinds.BOOL(who, use_amsgrad=use_amsgrad, use_lazy=lazy, use_offload=offload)
        self.use_nesterov, self.use_amsgrad = use_nesterov, use_amsgrad
        self.use_locking, self.use_lazy, self.use_offload = use_locking, lazy, offload
        self.beta1, self.beta2 = Tensor(beta1, dtypes.float32), Tensor(beta2, dtypes.float32)
        self.eps = Tensor(eps, dtypes.float32)
        self.beta1_power = Parameter(
            initializer(1, self._POWER, dtypes.float32), name="beta1_power"
        )
        self.beta2_power = Parameter(
            initializer(1, self._POWER, dtypes.float32), name="beta2_power"
        )
        self.moment1 = self.parameters.clone(prefix="moment1", init="zeros")
        self.moment2 = self.parameters.clone(prefix="moment2", init="zeros")
        if use_amsgrad:
            self.vhat = self.parameters.clone(prefix="vhat", init="zeros")
            self._set_rule(amsgrad, self.moment1, self.moment2, self.vhat)
        else:
            self._set_rule(adam, self.moment1, self.moment2, nesterov=use_nesterov)

    def construct(self, gradients):
        beta1, beta2, powers = self.beta1, self.beta2, (self.beta1_power, self.beta2_power)
        now = apply(_next_powers, *powers, beta1, beta2)
        also = zip(powers, now, strict=True)
        return self._apply_rule(gradients, *now, beta1, beta2, self.eps, also=also)

    def _apply_adam(self, params, beta1_power, beta2_power, moment1, moment2, lr, gradients):
        """Update with these gradients unchanged, for subclasses with a custom step."""
        update = amsgrad.bind() if self.use_amsgrad else adam.bind(nesterov=self.use_nesterov)
        kept = (params, moment1, moment2, *((self.vhat,) if self.use_amsgrad else ()))
        scalars = beta1_power, beta2_power, self.beta1, self.beta2, self.eps
        rates = lr if self.is_group_lr else (lr,) * len(params)
        each = zip(zip(*kept, strict=True), gradients, rates, strict=True)
        updates = [(update, handles, (grad, rate, *scalars)) for handles, grad, rate in each]
        groups.update(type(self).__name__, gradients, params, updates, ())
        return self._done


def _placement(kwargs, use_amsgrad):
    """Return (use_lazy, use_offload) from Adam's keywords."""
    unknown = set(kwargs) - {"use_lazy", "use_offload"}
    if unknown:
        names, signature = sorted(unknown), inspect.signature(Adam)
        near = [*filter(None, [meant(name, signature.parameters) for name in names])]
        fields = {"meant": near} if near else {}
        rule = "keywords-of-adam-meant" if near else "keywords-of-adam"
        raise rejection(rule, "Adam", names=names, **fields)
    lazy, offload = kwargs.get("use_lazy", False), kwargs.get("use_offload", False)
    values = lazy, offload, use_amsgrad
    require(sum(v is True for v in values) <= 1, "at-most-one-variant", "Adam", got=values)
    return lazy, offload


class LazyAdam(Adam):
    """Same as `Adam`, since gradients are dense; its powers have shape (1,).

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = LazyAdam([p], 0.5)((Tensor([3.0]),))
    >>> print(round(p.asnumpy()[0], 3))
    0.5
    """

    _POWER = (1,)

    def __init__(
        self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, use_locking=False,
        use_nesterov=False, weight_decay=0.0, loss_scale=1.0,
    ):  # fmt: skip
        super().__init__(
            params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov, weight_decay,
            loss_scale,
        )  # fmt: skip


class AdamOffload(LazyAdam):
    """Same as `Adam`, which MindSpore runs on the host; parameters are not moved. Its powers have
    shape (1,).

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = AdamOffload([p], 0.5)((Tensor([3.0]),))
    >>> print(round(p.asnumpy()[0], 3))
    0.5
    """


class AdamWeightDecay(Optimizer):
    r"""$m$, $v$ as in `Adam`, then $p \leftarrow p - \eta (\frac{m}{\sqrt{v} + eps} + \lambda p)$.

    No bias correction; $\lambda$ is `weight_decay` (Loshchilov and Hutter, 2019). Other arguments:
    see `Optimizer`, without loss scale and gradient centralization.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = AdamWeightDecay([p], 0.5, weight_decay=0.1)((Tensor([0.0]),))
    >>> print(p.asnumpy())
    [0.95]
    """

    def __init__(
        self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0
    ):
        super().__init__(learning_rate, params, weight_decay)
        kinds.INSIDE_ONE("AdamWeightDecay", beta1=beta1, beta2=beta2)
        kinds.POSITIVE("AdamWeightDecay", eps=eps)
        self.beta1, self.beta2 = Tensor([beta1], dtypes.float32), Tensor([beta2], dtypes.float32)
        self.eps = Tensor([eps], dtypes.float32)
        self.moments1 = self.parameters.clone(prefix="adam_m", init="zeros")
        self.moments2 = self.parameters.clone(prefix="adam_v", init="zeros")
        self._set_rule(adam_weight_decay, self.moments1, self.moments2)

    def construct(self, gradients):
        return self._apply_rule(gradients, self.beta1, self.beta2, self.eps)


__all__ = ["Adam", "AdamOffload", "AdamWeightDecay", "LazyAdam"]
