"""Optimizers around another one: AdaSum, which adds up devices' steps, and `OptTFTWrapper`."""

from sporax.core.parameter import Parameter
from sporax.core.tensor import Tensor
from sporax.nn import argument_checks as check
from sporax.optim.optimizer import Optimizer, OptimizerBase


class AdaSumByGradWrapCell(OptimizerBase):
    r"""`optimizer`'s step for the gradients of all devices, added up by AdaSum: of two, $(1 -
    \frac{g_1 \cdot g_2}{2 \|g_1\|^2}) g_1 + (1 - \frac{g_1 \cdot g_2}{2 \|g_2\|^2}) g_2$.

    Maleki et al., 2020. Of one device it is the gradient itself.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = nn.AdaSumByGradWrapCell(nn.SGD([p], 0.5))((Tensor([1.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    def __init__(self, optimizer):
        super().__init__(auto_prefix=False)
        check.instance(type(self).__name__, Optimizer, "an Optimizer", optimizer=optimizer)
        self.optimizer, self.parameters = optimizer, optimizer.parameters

    def construct(self, grads):
        return self.optimizer(grads)


class AdaSumByDeltaWeightWrapCell(AdaSumByGradWrapCell):
    """As `AdaSumByGradWrapCell`; what is added up are the changes that `optimizer` makes to the
    parameters on each device. Of one device they are its own.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = nn.AdaSumByDeltaWeightWrapCell(nn.SGD([p], 0.5))((Tensor([1.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """


class OptTFTWrapper(Optimizer):
    """`opt`'s step. On Ascend it tells MindIO, which repairs trainings on several devices; there is
    nothing to tell here.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = nn.OptTFTWrapper(nn.SGD([p], 0.5))((Tensor([1.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    def __init__(self, opt, **kwargs):
        check.instance("OptTFTWrapper", Optimizer, "an Optimizer", opt=opt)
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
