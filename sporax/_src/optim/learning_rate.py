"""An optimizer's learning rate and weight decay, converted to a uniform type each."""

from collections.abc import Iterable

import jax.numpy as jnp
import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.optim.update_rule import operation
from sporax._src.runtime.engine.recorder import apply
from sporax.nn.cell import Cell
from sporax.nn.learning_rate_schedule import LearningRateSchedule

_scalar = operation("LearningRate", lambda x: x.reshape(()).astype(jnp.float32))
# past the end the rate is NaN, which is noticeable without reading a concrete value
_pick = operation("LearningRate", lambda rates, step: rates.at[step].get(mode="fill"))
_times = operation("WeightDecay", lambda decay, scale: decay.reshape(()) * scale)


class _IteratorLearningRate(LearningRateSchedule):
    """Returns the i-th of the given rates in step i."""

    def __init__(self, rates, name):
        super().__init__()
        self.learning_rate = Parameter(rates, name=name)
        self._calls = [0]

    def construct(self, global_step):
        if thread.recorder.tracer is None:
            self._check_end(global_step)
        return apply(_pick, self.learning_rate, global_step)

    def _check_end(self, global_step):
        # the step is on the device: it is read only after as many calls as rates
        self._calls[0] += 1
        size = self.learning_rate.size
        if self._calls[0] > size:
            step, fields = int(global_step), {"argument": "learning_rate", "size": size}
            require(step < size, "values-step-counted-0", "Optimizer", step=step, **fields)


class _ConvertToCell(LearningRateSchedule):
    """A fixed rate among dynamic ones."""

    def __init__(self, rate):
        super().__init__()
        self.learning_rate = rate

    def construct(self, global_step):
        return self.learning_rate


class _WrappedWeightDecay(Cell):
    """A weight decay computed by a Cell, times the loss scale."""

    def __init__(self, weight_decay, loss_scale):
        super().__init__()
        self.weight_decay = weight_decay
        self.loss_scale = loss_scale

    def construct(self, global_step):
        return apply(_times, self.weight_decay(global_step), self.loss_scale)


def checked_rate(who, rate):
    """Convert a learning rate to a float, a 0-d or 1-d Float32 Tensor, or a schedule."""
    if isinstance(rate, LearningRateSchedule):
        return rate
    if isinstance(rate, (int, float)):
        kinds.NOT_NEGATIVE(who, learning_rate=float(rate))
        return float(rate)
    if isinstance(rate, Tensor):
        require(rate.ndim <= 1, "tensor-learning-rate-0-1", who, shape=rate.shape)
        return Tensor(rate.asnumpy(), dtypes.float32)
    if isinstance(rate, Iterable) and not isinstance(rate, (str, bytes, dict)):
        rates = np.array(list(rate), np.float32)
        require(rates.ndim == 1 and rates.size, "list-learning-rate-hold-number", who, got=rate)
        return Tensor(rates)
    raise rejection("number-tensor-list-other", who, learning_rate=rate)


def is_dynamic(rate):
    """Return True if a checked rate changes between steps."""
    return isinstance(rate, Cell) or (isinstance(rate, Tensor) and rate.ndim == 1)


def built_rate(rate, name):
    """Convert a checked rate to a Parameter called `name`, or a schedule."""
    if isinstance(rate, Cell):
        return rate
    if is_dynamic(rate):
        return _IteratorLearningRate(rate, name)
    return Parameter(Tensor(rate, dtypes.float32), name=name)


def plain_rate(rate):
    """Return the Parameter of a wrapped rate; other schedules unchanged."""
    return rate.learning_rate if isinstance(rate, (_ConvertToCell, _IteratorLearningRate)) else rate


def checked_decay(who, decay, loss_scale):
    """Convert a weight decay to a float or a Cell, times the loss scale."""
    if isinstance(decay, Cell):
        return _WrappedWeightDecay(decay, loss_scale)
    require(isinstance(decay, (int, float)), "number-cell", who, weight_decay=decay)
    kinds.NOT_NEGATIVE(who, weight_decay=float(decay))
    return float(decay) * loss_scale


def current_rate(schedule, step):
    """Return a schedule's rate at a step, a 0-d Float32 Tensor."""
    return apply(_scalar, schedule(step))


def convert(rate):
    """Convert a rate to a Cell."""
    return rate if isinstance(rate, Cell) else _ConvertToCell(rate)
