"""Learning rates that are functions of the step, computed on the device."""

import functools

import jax.numpy as jnp

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import apply
from sporax.nn.cell import Cell


class LearningRateSchedule(Cell):
    """Base class of schedules: a Cell whose `construct(global_step)` returns the learning rate.

    `global_step`: an Int32 Tensor of shape (1,), starting at 0. The result has one element.

    >>> class Halving(LearningRateSchedule):
    ...     def construct(self, global_step):
    ...         return 0.1 * 0.5**global_step
    """

    def __init__(self):
        super().__init__()

    def construct(self, global_step):
        raise rejection("method-construct-self-global-step", type(self).__name__)


@functools.cache
def _operation(formula, **static):
    """Return the operation `formula(step, *numbers)`; changing a rate does not recompile."""

    def run(step, *numbers):
        floats = [jnp.asarray(x, jnp.float32) for x in (step, *numbers)]
        return formula(*floats, **static)

    op = Op(formula.__name__, run)
    op.stops_gradient = True
    return op


def _fraction(step, steps, is_stair):
    p = step / steps
    return jnp.floor(p) if is_stair else p


def exponential_decay(step, rate, decay, steps, *, is_stair):
    return rate * decay ** _fraction(step, steps, is_stair)


def natural_exponential_decay(step, rate, decay, steps, *, is_stair):
    p = jnp.floor(step / steps) * steps if is_stair else step
    return rate * jnp.exp(-decay * p)


def inverse_decay(step, rate, decay, steps, *, is_stair):
    return rate / (1 + decay * _fraction(step, steps, is_stair))


def cosine_decay(step, low, high, steps):
    p = jnp.minimum(step, steps) / steps
    return low + (high - low) / 2 * (1 + jnp.cos(jnp.float32(jnp.pi) * p))


def polynomial_decay(step, start, end, steps, power, *, update_decay_steps):
    if update_decay_steps:
        steps = steps * jnp.maximum(jnp.ceil(step / steps), 1)
    p = jnp.minimum(step, steps) / steps
    return (start - end) * (1 - p) ** power + end


def warm_up(step, rate, steps):
    return rate * (jnp.minimum(step, steps) / steps)


class _Decay(LearningRateSchedule):
    """Base class of schedules with a rate, a decay, decay steps and `is_stair`."""

    def __init__(self, learning_rate, decay_rate, decay_steps, is_stair=False):
        super().__init__()
        who = type(self).__name__
        kinds.POSITIVE_INT(who, decay_steps=decay_steps)
        kinds.POSITIVE(who, learning_rate=learning_rate, decay_rate=decay_rate)
        kinds.BOOL(who, is_stair=is_stair)
        self.learning_rate, self.decay_rate = learning_rate, decay_rate
        self.decay_steps, self.is_stair = decay_steps, is_stair

    def construct(self, global_step):
        operation = _operation(self._formula, is_stair=self.is_stair)
        return apply(operation, global_step, self.learning_rate, self.decay_rate, self.decay_steps)


class ExponentialDecayLR(_Decay):
    r"""$learning\_rate \cdot decay\_rate^p$, where $p = step / decay\_steps$.

    `learning_rate`, `decay_rate`: greater than 0. `decay_steps`: a positive int. `is_stair`: round
    $p$ down.

    >>> print(ExponentialDecayLR(0.1, 0.5, 2)(Tensor(2)))
    0.05
    """

    _formula = staticmethod(exponential_decay)


class NaturalExpDecayLR(_Decay):
    r"""$learning\_rate \cdot e^{-decay\_rate \cdot step}$.

    `is_stair`: round the step down to a multiple of `decay_steps`, which has no effect otherwise.
    Other arguments: see `ExponentialDecayLR`.

    >>> print(NaturalExpDecayLR(0.1, 0.9, 4, True)(Tensor(2)))
    0.1
    """

    _formula = staticmethod(natural_exponential_decay)


class InverseDecayLR(_Decay):
    r"""$learning\_rate / (1 + decay\_rate \cdot p)$, where $p = step / decay\_steps$.

    Arguments: see `ExponentialDecayLR`.

    >>> print(InverseDecayLR(0.1, 1.0, 2)(Tensor(2)))
    0.05
    """

    _formula = staticmethod(inverse_decay)


class CosineDecayLR(LearningRateSchedule):
    r"""$min + (max - min) (1 + \cos(\pi p)) / 2$, where $p = \min(step / decay\_steps, 1)$.

    `min_lr`: at least 0 and less than `max_lr`. `decay_steps`: a positive int.

    >>> print(CosineDecayLR(0.0, 0.1, 4)(Tensor(4)))
    0.0
    """

    def __init__(self, min_lr, max_lr, decay_steps):
        super().__init__()
        who = "CosineDecayLR"
        kinds.NOT_NEGATIVE(who, min_lr=min_lr)
        kinds.POSITIVE(who, max_lr=max_lr)
        kinds.POSITIVE_INT(who, decay_steps=decay_steps)
        require(min_lr < max_lr, "less-than", who, min_lr=min_lr, other="max_lr", high=max_lr)
        self.min_lr, self.max_lr, self.decay_steps = min_lr, max_lr, decay_steps

    def construct(self, global_step):
        return apply(
            _operation(cosine_decay), global_step, self.min_lr, self.max_lr, self.decay_steps
        )


class PolynomialDecayLR(LearningRateSchedule):
    r"""$(start - end) (1 - p)^{power} + end$, where $p = \min(step / decay\_steps, 1)$.

    `end_learning_rate`: at least 0. `update_decay_steps`: instead of staying at the end, restart
    with `decay_steps` times the number of cycles begun.

    >>> print(PolynomialDecayLR(0.1, 0.0, 4, 1.0)(Tensor(2)))
    0.05
    """

    def __init__(
        self, learning_rate, end_learning_rate, decay_steps, power, update_decay_steps=False
    ):
        super().__init__()
        who = "PolynomialDecayLR"
        kinds.POSITIVE(who, learning_rate=learning_rate, power=power)
        kinds.NOT_NEGATIVE(who, end_learning_rate=end_learning_rate)
        kinds.POSITIVE_INT(who, decay_steps=decay_steps)
        kinds.BOOL(who, update_decay_steps=update_decay_steps)
        self.start_learning_rate, self.end_learning_rate = learning_rate, end_learning_rate
        self.decay_steps, self.power = decay_steps, power
        self.update_decay_steps = update_decay_steps

    def construct(self, global_step):
        operation = _operation(polynomial_decay, update_decay_steps=self.update_decay_steps)
        ends = self.start_learning_rate, self.end_learning_rate
        return apply(operation, global_step, *ends, self.decay_steps, self.power)


class WarmUpLR(LearningRateSchedule):
    r"""$learning\_rate \cdot \min(step / warmup\_steps, 1)$.

    `learning_rate`: at least 0. `warmup_steps`: a positive int.

    >>> print(WarmUpLR(0.1, 4)(Tensor(2)))
    0.05
    """

    def __init__(self, learning_rate, warmup_steps):
        super().__init__()
        kinds.NOT_NEGATIVE("WarmUpLR", learning_rate=learning_rate)
        kinds.POSITIVE_INT("WarmUpLR", warmup_steps=warmup_steps)
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps

    def construct(self, global_step):
        return apply(_operation(warm_up), global_step, self.learning_rate, self.warmup_steps)


__all__ = [
    "CosineDecayLR", "ExponentialDecayLR", "InverseDecayLR", "LearningRateSchedule",
    "NaturalExpDecayLR", "PolynomialDecayLR", "WarmUpLR",
]  # fmt: skip
