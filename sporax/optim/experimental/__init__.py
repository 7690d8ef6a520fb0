"""Optimizers with `param_groups` that may be changed between steps, and schedules that do so."""

from sporax.optim.experimental import lr_scheduler
from sporax.optim.experimental.adaptive import Adadelta, Adagrad, Adamax, RAdam, RMSprop
from sporax.optim.experimental.averaging import ASGD, NAdam, Rprop
from sporax.optim.experimental.descent import SGD, Adam, AdamW
from sporax.optim.experimental.optimizer import Optimizer

__all__ = [
    "ASGD", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam",
    "RMSprop", "Rprop", "lr_scheduler",
]  # fmt: skip
