"""Optimizers with proximal (regularized) steps: FTRL, proximal Adagrad."""

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.update_rule import rule
from sporax.ops import optimizer_formulas as formulas

ftrl = rule("FTRL", states=2)(formulas.ftrl)
proximal_adagrad = rule("ProximalAdagrad", states=1)(formulas.proximal_adagrad)


class FTRL(Optimizer):
    r"""$s' = s + g^2$, $z \leftarrow z + g - \frac{s'^{-q} - s^{-q}}{\eta} p$, then
    $p \leftarrow \frac{\operatorname{sign}(z) l_1 - z}{s'^{-q} / \eta + 2 l_2}$ where
    $|z| > l_1$ and 0 elsewhere.

    McMahan et al., 2013. $q$ is `lr_power` (at most 0), `initial_accum` the initial $s$. The
    learning rate is one scalar. Other arguments: see `Optimizer`; without groups weight decay
    applies to all parameters. `use_locking` is accepted: an update is one operation.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = FTRL([p], initial_accum=0.0, learning_rate=1.0)((Tensor([4.0]),))
    >>> print(p.asnumpy())
    [0.]
    """

    def __init__(
        self, params, initial_accum=0.1, learning_rate=0.001, lr_power=-0.5, l1=0.0, l2=0.0,
        use_locking=False, loss_scale=1.0, weight_decay=0.0,
    ):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        is_one = not self.dynamic_lr and not self.is_group_lr
        require(is_one, "one-number-all-parameters", "FTRL", argument="learning_rate")
        kinds.POSITIVE("FTRL", learning_rate=learning_rate)
        kinds.NOT_NEGATIVE("FTRL", initial_accum=initial_accum, l1=l1, l2=l2)
        kinds.NOT_POSITIVE("FTRL", lr_power=lr_power)
        kinds.BOOL("FTRL", use_locking=use_locking)
        self.l1, self.l2, self.lr, self.lr_power = l1, l2, learning_rate, lr_power
        self.use_locking = use_locking
        self._scalars = tuple(Tensor(x, dtypes.float32) for x in (l1, l2, lr_power))
        self.moments = self.parameters.clone(prefix="moments", init=initial_accum)
        self.linear = self.parameters.clone(prefix="linear", init="zeros")
        if not self.is_group:
            self.decay_flags = (True,) * self.param_length
        self._set_rule(ftrl, self.moments, self.linear)

    def construct(self, grads):
        return self._apply_rule(grads, *self._scalars)


class ProximalAdagrad(Optimizer):
    r"""$s \leftarrow s + g^2$, $a = \eta / \sqrt{s}$, $d = p - a g$, then
    $p \leftarrow \frac{\operatorname{sign}(d) \max(|d| - a l_1, 0)}{1 + a l_2}$.

    Duchi and Singer, 2009. `accum`: the initial $s$. Other arguments: see `Optimizer`; weight decay
    is added to the gradient. `use_locking` is accepted: an update is one operation.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = ProximalAdagrad([p], accum=0.0, learning_rate=0.25, l1=1.0)((Tensor([1.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    def __init__(
        self, params, accum=0.1, learning_rate=0.001, l1=0.0, l2=0.0, use_locking=False,
        loss_scale=1.0, weight_decay=0.0,
    ):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        kinds.NOT_NEGATIVE("ProximalAdagrad", accum=accum, l1=l1, l2=l2)
        kinds.BOOL("ProximalAdagrad", use_locking=use_locking)
        self.use_locking = use_locking
        self.l1, self.l2 = Tensor(l1, dtypes.float32), Tensor(l2, dtypes.float32)
        self.accum = self.parameters.clone(prefix="accum", init=accum)
        self._set_rule(proximal_adagrad, self.accum)

    def construct(self, grads):
        return self._apply_rule(grads, self.l1, self.l2)


__all__ = ["FTRL", "ProximalAdagrad"]
