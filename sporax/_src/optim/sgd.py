"""Stochastic gradient descent."""

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.update_rule import rule
from sporax.ops import optimizer_formulas as formulas

sgd = rule("SGD", states=2)(formulas.sgd)


class SGD(Optimizer):
    r"""$v \leftarrow u v + (1 - dampening) g$, then $p \leftarrow p - \eta v$.

    $u$ is `momentum` (0: $p \leftarrow p - \eta g$); the first step uses $v = g$. `nesterov`
    (requires a momentum and no dampening): $p \leftarrow p - \eta (g + u v)$. Other arguments: see
    `Optimizer`. Called with a tuple of gradients; returns a tuple of True.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> SGD([p], 0.5)((Tensor([1.0]),))
    (True,)
    >>> print(p.asnumpy())
    [0.5]
    """

    def __init__(
        self, params, learning_rate=0.1, momentum=0.0, dampening=0.0, weight_decay=0.0,
        nesterov=False, loss_scale=1.0,
    ):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        kinds.NOT_NEGATIVE("SGD", momentum=momentum, dampening=dampening)
        kinds.BOOL("SGD", nesterov=nesterov)
        fits = not nesterov or (momentum > 0 and dampening == 0)
        fields = {"argument": "nesterov", "momentum": momentum, "dampening": dampening}
        require(fits, "needs-momentum-greater-than-0", "SGD", **fields)
        self.dampening, self.nesterov = float(dampening), nesterov
        self.momentum = Parameter(Tensor(momentum, dtypes.float32), name="momentum")
        self.accum = self.parameters.clone(prefix="accum", init="zeros")
        self.stat = self.parameters.clone(prefix="stat", init="ones")
        self._set_rule(sgd, self.accum, self.stat, dampening=self.dampening, nesterov=nesterov)

    def construct(self, gradients):
        return self._apply_rule(gradients, self.momentum)


__all__ = ["SGD"]
