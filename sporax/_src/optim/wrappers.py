"""Wrappers of optimizers: AdaSum, which combines updates of processes, and `OptTFTWrapper`."""

import functools

import jax.numpy as jnp

from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.devices.distributed.groups import world
from sporax._src.diagnosis.rules import require
from sporax._src.optim.optimizer import OPTIMIZER, Optimizer, OptimizerBase
from sporax._src.optim.update_rule import operation
from sporax._src.runtime.engine.recorder import apply
from sporax.ops.communication import collectives


def adasum(vectors):
    """AdaSum of `(n, size)` arrays, n a power of 2: combine neighbours pairwise, recursively."""
    while len(vectors) > 1:
        a, b = vectors[::2], vectors[1::2]
        common = (a * b).sum(1, keepdims=True) / 2
        a_square, b_square = ((x * x).sum(1, keepdims=True) for x in (a, b))
        # a zero part adds nothing, whatever its factor
        a_share = common / jnp.where(a_square == 0, 1, a_square)
        b_share = common / jnp.where(b_square == 0, 1, b_square)
        vectors = (1 - a_share) * a + (1 - b_share) * b
    return vectors[0]


@functools.cache
def _sum_of(ranks):
    """Return the operation on (the arrays gathered from `ranks` processes, the own array)."""

    def run(gathered, own):
        vectors = gathered.reshape(ranks, -1).astype(jnp.promote_types(own.dtype, jnp.float32))
        return adasum(vectors).reshape(own.shape).astype(own.dtype)

    return operation("AdaSum", run)


_less = operation("AdaSum", lambda x, y: x - y)


class AdaSumByGradWrapCell(OptimizerBase):
    r"""Runs `optimizer` with the gradients of all processes combined by AdaSum: for two, $(1 -
    \frac{g_1 \cdot g_2}{2 \|g_1\|^2}) g_1 + (1 - \frac{g_1 \cdot g_2}{2 \|g_2\|^2}) g_2$.

    Maleki et al., 2020; per parameter, for more processes recursively over pairs of neighbours.
    Called with a process's own gradients, so leave `parallel_mode` at 'stand_alone'. With one
    process, gradients are unchanged.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = nn.AdaSumByGradWrapCell(nn.SGD([p], 0.5))((Tensor([1.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    def __init__(self, optimizer):
        super().__init__(auto_prefix=False)
        OPTIMIZER(type(self).__name__, optimizer=optimizer)
        self.optimizer, self.parameters = optimizer, optimizer.parameters
        self._ranks = ranks = world()
        is_power, size = not ranks.size & (ranks.size - 1), ranks.size
        require(is_power, "number-processes-power-2", type(self).__name__, size=size)

    def construct(self, grads):
        return self.optimizer(self._summed(grads))

    def _summed(self, tensors):
        """Combine each Tensor over the processes by AdaSum."""
        ranks = self._ranks
        if ranks.size == 1:
            return tensors
        return tuple(
            [apply(_sum_of(ranks.size), collectives.all_gather(x.reshape(-1), ranks), x)
             for x in tensors]
        )  # fmt: skip


class AdaSumByDeltaWeightWrapCell(AdaSumByGradWrapCell):
    """Like `AdaSumByGradWrapCell`, but combines the parameter updates that `optimizer` makes on
    each process. With one process, they are unchanged.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = nn.AdaSumByDeltaWeightWrapCell(nn.SGD([p], 0.5))((Tensor([1.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    def construct(self, grads):
        if self._ranks.size == 1:
            return self.optimizer(grads)
        before = [p.value() for p in self.parameters]
        done = self.optimizer(grads)
        changes = [apply(_less, *each) for each in zip(before, self.parameters, strict=True)]
        for p, old, change in zip(self.parameters, before, self._summed(changes), strict=True):
            p._rebind(apply(_less, old, change)._value)
        return done


class OptTFTWrapper(Optimizer):
    """Runs `opt`. On Ascend it notifies MindIO, which repairs distributed training; here it does
    nothing else.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = nn.OptTFTWrapper(nn.SGD([p], 0.5))((Tensor([1.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    def __init__(self, opt, **kwargs):
        OPTIMIZER("OptTFTWrapper", opt=opt)
        super().__init__(0.0, [Parameter(Tensor(0.0), name="fake_param")])
        self.opt = opt
        for name in _OF_THE_OPTIMIZER:
            setattr(self, name, getattr(opt, name))

    def construct(self, gradients):
        return self.opt(gradients)


_OF_THE_OPTIMIZER = (
    "global_step", "parameters", "param_length", "is_group", "is_group_lr", "learning_rate",
    "dynamic_lr", "weight_decay", "exec_weight_decay", "dynamic_weight_decay", "decay_flags",
    "grad_centralization", "loss_scale", "need_scale", "reciprocal_scale",
)  # fmt: skip

__all__ = ["AdaSumByDeltaWeightWrapCell", "AdaSumByGradWrapCell", "OptTFTWrapper"]
