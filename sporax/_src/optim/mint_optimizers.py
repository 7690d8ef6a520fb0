"""The optimizers of `mint.optim`: like `experimental`, with PyTorch's placement of `eps` in Adam,
and other state names."""

from types import MappingProxyType

import jax.numpy as jnp

from sporax._src.core import dtype as dtypes
from sporax._src.diagnosis.rules import rejection
from sporax._src.optim import experimental
from sporax._src.optim.experimental.sgd_adam import adam_rule
from sporax._src.optim.update_rule import rule
from sporax.ops.declare import MINT


@rule("SGD", states=1)
def sgd(
    param, buffer, grad, rate, steps, *, momentum, dampening, weight_decay, nesterov, maximize
):  # fmt: skip
    grad = (-grad if maximize else grad) + weight_decay * param
    if momentum:
        buffer = jnp.where(steps == 0, grad, momentum * buffer + (1 - dampening) * grad)
        grad = grad + momentum * buffer if nesterov else buffer
    return param - rate * grad, buffer


class SGD(experimental.SGD):
    __doc__ = experimental.SGD.__doc__

    _STATES, _RULE = MappingProxyType({"momentum_buf": "zeros"}), sgd


class Adam(experimental.Adam):
    r"""$m \leftarrow \beta_1 m + (1 - \beta_1) g$, $v \leftarrow \beta_2 v + (1 - \beta_2) g^2$,
    $p \leftarrow p - \frac{\eta}{1 - \beta_1^t} \frac{m}{\sqrt{v / (1 - \beta_2^t)} + eps}$.

    `amsgrad`: use the maximum of all $v$ instead; `maximize`: use $-g$. Weight decay is added to
    the gradient.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = mint.optim.Adam([p], 0.5)((Tensor([3.0]),))
    >>> print(round(p.asnumpy()[0], 3))
    0.5
    """

    _RULE, _START = rule("Adam", states=3)(adam_rule(late_eps=True)), ([0], dtypes.float32)


class AdamW(experimental.AdamW):
    __doc__ = experimental.AdamW.__doc__

    _START = [-1], dtypes.float32
    _RULE = rule("AdamW", states=3)(adam_rule(late_eps=True, decoupled=True, first=-1))


class FusedAdamW(AdamW):
    """Same as `AdamW`, whose step is also one program for all parameters. `amsgrad` must be the
    same for all groups.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = mint.optim.FusedAdamW([p], 0.5, weight_decay=0.5)((Tensor([3.0]),))
    >>> print(round(p.asnumpy()[0], 3))
    0.25
    """

    def add_param_group(self, param_group):
        """Like `Optimizer.add_param_group`; ValueError if `amsgrad` differs from other groups."""
        mine = self.defaults["amsgrad"]
        if isinstance(param_group, dict) and param_group.get("amsgrad", mine) != mine:
            got = param_group["amsgrad"]
            raise rejection("same-all-groups-group", "FusedAdamW", amsgrad=got, mine=mine)
        super().add_param_group(param_group)


for _class in (SGD, Adam, AdamW, FusedAdamW):
    MINT[f"optim.{_class.__name__}"] = _class

__all__ = ["SGD", "Adam", "AdamW", "FusedAdamW"]
