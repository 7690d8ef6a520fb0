"""Gradient descent with momentum."""

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.update_rule import rule
from sporax.ops import optimizer_formulas as formulas

momentum_rule = rule("Momentum", states=1)(formulas.momentum_step)


class Momentum(Optimizer):
    r"""$v \leftarrow u v + g$, then $p \leftarrow p - \eta v$, with $u$ = `momentum`.

    `use_nesterov`: $p \leftarrow p - \eta (g + u v)$ instead (Sutskever et al., 2013). Other
    arguments: see `Optimizer`. Called with a tuple of gradients; returns a tuple of True.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = Momentum([p], 0.5, 0.9)
    >>> for _ in range(2):
    ...     done = optimizer((Tensor([1.0]),))
    >>> print(p.asnumpy())
    [-0.45]
    """

    def __init__(
        self, params, learning_rate, momentum, weight_decay=0.0, loss_scale=1.0, use_nesterov=False
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        kinds.NOT_NEGATIVE("Momentum", momentum=momentum)
        kinds.BOOL("Momentum", use_nesterov=use_nesterov)
        self.momentum = Parameter(Tensor(momentum, dtypes.float32), name="momentum")
        self.params = self.parameters
        self.use_nesterov = use_nesterov
        self.moments = self.parameters.clone(prefix="moments", init="zeros")
        self._set_rule(momentum_rule, self.moments, nesterov=use_nesterov)

    def construct(self, gradients):
        return self._apply_rule(gradients, self.momentum)


__all__ = ["Momentum"]
