"""RMSProp."""

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.update_rule import rule
from sporax.ops import optimizer_formulas as formulas

rmsprop = rule("RMSProp", states=2)(formulas.rmsprop)
centered_rmsprop = rule("RMSProp", states=3)(formulas.centered_rmsprop)


class RMSProp(Optimizer):
    r"""$s \leftarrow \rho s + (1 - \rho) g^2$, $m \leftarrow u m + \eta g / \sqrt{s + eps}$, then
    $p \leftarrow p - m$.

    $\rho$ is `decay`, $u$ `momentum`, $s$ starts at 1 (Tieleman and Hinton, 2012). `centered`:
    subtract the squared running mean of the gradient under the root. Other arguments: see
    `Optimizer`.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = RMSProp([p], 0.5)((Tensor([1.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    def __init__(
        self, params, learning_rate=0.1, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False,
        centered=False, loss_scale=1.0, weight_decay=0.0,
    ):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        kinds.NOT_NEGATIVE("RMSProp", decay=decay, momentum=momentum)
        kinds.POSITIVE("RMSProp", epsilon=epsilon)
        kinds.BOOL("RMSProp", use_locking=use_locking, centered=centered)
        self.decay, self.momentum, self.epsilon = float(decay), float(momentum), float(epsilon)
        self.centered = centered
        if centered:
            self.mg = self.parameters.clone(prefix="mean_grad", init="zeros")
        self.ms = self.parameters.clone(prefix="mean_square", init="ones")
        self.moment = self.parameters.clone(prefix="moment", init="zeros")
        if centered:
            self._set_rule(centered_rmsprop, self.mg, self.ms, self.moment)
        else:
            self._set_rule(rmsprop, self.ms, self.moment)

    def construct(self, gradients):
        return self._apply_rule(gradients, self.decay, self.momentum, self.epsilon)


__all__ = ["RMSProp"]
