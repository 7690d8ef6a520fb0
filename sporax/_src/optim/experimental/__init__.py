"""Optimizers with `param_groups` that may be changed between steps, and their schedules."""

from sporax._src.optim.experimental import lr_scheduler
from sporax._src.optim.experimental.adaptive import (
    ASGD,
    Adadelta,
    Adagrad,
    Adamax,
    NAdam,
    RAdam,
    RMSprop,
    Rprop,
)
from sporax._src.optim.experimental.optimizer import Optimizer
from sporax._src.optim.experimental.sgd_adam import SGD, Adam, AdamW

__all__ = [
    "ASGD", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam",
    "RMSprop", "Rprop", "lr_scheduler",
]  # fmt: skip
