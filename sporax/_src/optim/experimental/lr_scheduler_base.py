"""Base class of the schedules."""

from typing import Any

import jax.numpy as jnp

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.signature_errors import Fitting
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.optim.experimental.optimizer import Optimizer
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import apply

narrow: Any = Op("LRScheduler", lambda x: jnp.asarray(x).reshape(()).astype(jnp.float32))
narrow.operands = ("number",)
later = Op("LRScheduler", lambda x: x + 1)
sooner = Op("LRScheduler", lambda x: x - 1)


def set_number(parameter, value):
    """Assign a number to a 0-d Parameter."""
    value = value if isinstance(value, Tensor) else Tensor(value, dtypes.float32)
    parameter._rebind(apply(narrow, value)._value)


def state(value, name, dtype=dtypes.float32):
    return Parameter(Tensor(value, dtype), name=name)


_OPTIMIZER = kinds.instance(Optimizer, "an-optimizer-of-experimental-optim")


def checked_optimizer(who, optimizer):
    return _OPTIMIZER.checked(who, "optimizer", optimizer)


def for_each(who, name, values, optimizer):
    """Return one value per group: from a list, or one value for all."""
    count = len(optimizer.param_groups)
    if not isinstance(values, (list, tuple)):
        return [values] * count
    require(len(values) == count, "value-groups", who, argument=name, count=count, got=len(values))
    return list(values)


class Rates(Fitting, methods=("step",)):
    """The learning rates of an optimizer's groups."""

    _last_lr: list[Any]

    def get_last_lr(self):
        """Return the current learning rate of each group.

        >>> from sporax._src.optim.experimental import SGD, lr_scheduler
        >>> optimizer = SGD([Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> [float(lr) for lr in lr_scheduler.ConstantLR(optimizer, 0.5).get_last_lr()]
        [0.25]
        """
        return [lr.value() for lr in self._last_lr]


class LRScheduler(Rates):
    """Base class of schedules: `get_lr(self)` returns the groups' learning rates at `last_epoch`.

    `last_epoch`: the current step; -1 to start, in which case the first step is taken immediately.

    >>> from sporax._src.optim.experimental import SGD
    >>> class Halving(LRScheduler):
    ...     def get_lr(self):
    ...         return [lr / 2 for lr in self._last_lr]
    >>> optimizer = SGD([Parameter(Tensor([1.0]), name="w")], 0.5)
    >>> Halving(optimizer).step()
    True
    >>> float(optimizer.param_groups[0]["lr"])
    0.125
    """

    def __init__(self, optimizer, last_epoch=-1):
        who = type(self).__name__
        checked_optimizer(who, optimizer)
        kinds.at_least(-1, kinds.INT)(who, last_epoch=last_epoch)
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"].value())
            require("initial_lr" in group, "initial-lr", who, i=i)
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.optimizer = optimizer
        self._last_lr = list(optimizer.lrs)
        self.groups_num = len(optimizer.param_groups)
        self.last_epoch = state(last_epoch, f"last_epoch_{who}")
        self.step()

    def get_lr(self):
        """Return the learning rates of the groups at `last_epoch`; defined by subclasses."""
        raise rejection("method-get-lr-self-defined", type(self).__name__)

    def step(self, epoch=None):
        """Set the learning rates of the groups for the next step, or for the step `epoch`."""
        if epoch is None:
            set_number(self.last_epoch, apply(later, self.last_epoch))
        else:
            set_number(self.last_epoch, epoch)
        direct = getattr(self, "_get_closed_form_lr", None)
        values = direct() if epoch is not None and direct else self.get_lr()
        for lr, value in zip(self._last_lr, values, strict=True):
            set_number(lr, value)
        return True
