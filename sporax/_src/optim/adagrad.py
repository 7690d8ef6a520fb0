"""Adagrad."""

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.update_rule import rule
from sporax.ops import optimizer_formulas as formulas

adagrad = rule("Adagrad", states=1)(formulas.adagrad)


class Adagrad(Optimizer):
    r"""$s \leftarrow s + g^2$, then $p \leftarrow p - \eta g / \sqrt{s}$.

    `accum`: the initial $s$; `update_slots`: update $s$ (Duchi et al., 2011). Other arguments: see
    `Optimizer`.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = Adagrad([p], accum=0.0, learning_rate=0.5)((Tensor([4.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    def __init__(
        self, params, accum=0.1, learning_rate=0.001, update_slots=True, loss_scale=1.0,
        weight_decay=0.0,
    ):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        kinds.NOT_NEGATIVE("Adagrad", accum=accum)
        kinds.BOOL("Adagrad", update_slots=update_slots)
        self.accum = self.parameters.clone(prefix="accum", init=accum)
        self._set_rule(adagrad, self.accum, update_slots=update_slots)

    def construct(self, grads):
        return self._apply_rule(grads)


__all__ = ["Adagrad"]
