"""Adadelta: steps scaled by the size of previous steps."""

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.update_rule import rule
from sporax.ops import optimizer_formulas as formulas

adadelta = rule("Adadelta", states=2)(formulas.adadelta)


class Adadelta(Optimizer):
    r"""$s \leftarrow \rho s + (1 - \rho) g^2$, $d = \sqrt{\frac{u + \epsilon}{s + \epsilon}} g$,
    $u \leftarrow \rho u + (1 - \rho) d^2$, $p \leftarrow p - \eta d$.

    Zeiler, 2012. `rho`: between 0 and 1, `epsilon`: at least 0. Other arguments: see `Optimizer`;
    weight decay is added to the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = Adadelta([p], rho=0.75, epsilon=1.0)((Tensor([2.0]),))
    >>> print(round(p.asnumpy()[0], 4))
    -0.4142
    """

    def __init__(
        self, params, learning_rate=1.0, rho=0.9, epsilon=1e-6, loss_scale=1.0, weight_decay=0.0
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        kinds.FRACTION("Adadelta", rho=rho)
        kinds.NOT_NEGATIVE("Adadelta", epsilon=epsilon)
        self.rho, self.epsilon = rho, epsilon
        self._scalars = Tensor(rho, dtypes.float32), Tensor(epsilon, dtypes.float32)
        self.accum = self.parameters.clone(prefix="accum", init=0)
        self.accum_update = self.parameters.clone(prefix="accum_update", init=0)
        self._set_rule(adadelta, self.accum, self.accum_update)

    def construct(self, grads):
        return self._apply_rule(grads, *self._scalars)


__all__ = ["Adadelta"]
