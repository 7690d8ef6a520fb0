"""AdaMax: Adam with the infinity norm of past gradients."""

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.initializers import initializer
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.update_rule import operation, rule
from sporax._src.runtime.engine.recorder import apply
from sporax.ops import optimizer_formulas as formulas

ada_max = rule("AdaMax", states=2)(formulas.ada_max)
_next_power = operation("AdaMax", lambda power, beta: power * beta)


class AdaMax(Optimizer):
    r"""$m \leftarrow \beta_1 m + (1 - \beta_1) g$, $v \leftarrow \max(\beta_2 v, |g|)$,
    $p \leftarrow p - \frac{\eta}{1 - \beta_1^t} \frac{m}{v + eps}$.

    Kingma and Ba, 2015, section 7. Other arguments: see `Optimizer`; weight decay is added to the
    gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = AdaMax([p], 0.5)((Tensor([3.0]),))
    >>> print(round(p.asnumpy()[0], 3))
    0.5
    """

    def __init__(
        self, params, learning_rate=0.001, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0.0,
        loss_scale=1.0,
    ):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        kinds.INSIDE_ONE("AdaMax", beta1=beta1, beta2=beta2)
        kinds.POSITIVE("AdaMax", eps=eps)
        self.beta1, self.beta2 = Tensor(beta1, dtypes.float32), Tensor(beta2, dtypes.float32)
        self.eps = Tensor(eps, dtypes.float32)
        self.beta1_power = Parameter(initializer(1, [1], dtypes.float32), name="beta1_power")
        self.moment1 = self.parameters.clone(prefix="moment1", init="zeros")
        self.moment2 = self.parameters.clone(prefix="moment2", init="zeros")
        self._set_rule(ada_max, self.moment1, self.moment2)

    def construct(self, gradients):
        power = apply(_next_power, self.beta1_power, self.beta1)
        also = [(self.beta1_power, power)]
        return self._apply_rule(gradients, power, self.beta1, self.beta2, self.eps, also=also)


__all__ = ["AdaMax"]
