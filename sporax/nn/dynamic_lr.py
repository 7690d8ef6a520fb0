"""Lists of per-step learning rates that are constant within an epoch."""

import math

import numpy as np

from sporax._src.core.signature_errors import fitting
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.diagnosis.sizes import check_size


def _refuse_long(who, steps, argument):
    check_size(who, (steps,), np.dtype(np.complex128), argument)  # a float and its list slot


def _by_epoch(who, rate, total_step, step_per_epoch, **epochs):
    """Return the list of `rate(epoch)` for `total_step` steps; check that all counts are positive
    ints."""
    kinds.POSITIVE_INT(who, total_step=total_step, step_per_epoch=step_per_epoch, **epochs)
    _refuse_long(who, total_step, "'total_step'")
    return [rate(step // step_per_epoch) for step in range(total_step)]


@fitting
def piecewise_constant_lr(milestone, learning_rates):
    """`learning_rates[t]` for steps from `milestone[t - 1]` (0 for t = 0) to `milestone[t]`.

    `milestone`: non-decreasing positive ints. `learning_rates`: as many scalars.

    >>> piecewise_constant_lr([2, 3], [0.1, 0.05])
    [0.1, 0.1, 0.05]
    """
    who = "piecewise_constant_lr"
    kinds.SEQUENCE(who, milestone=milestone, learning_rates=learning_rates)
    steps, rates = len(milestone), len(learning_rates)
    is_equal, other = steps == rates, "learning_rates"
    require(is_equal, "equally-long", who, milestone=steps, other=other, count=rates)
    rates, last = [], 0
    for i, (until, rate) in enumerate(zip(milestone, learning_rates, strict=True)):
        kinds.POSITIVE_INT(who, **{f"milestone[{i}]": until})
        kinds.NOT_NEGATIVE(who, **{f"learning_rates[{i}]": rate})
        require(until >= last, "not-decrease", who, milestone=until, last=last)
        _refuse_long(who, until, f"'milestone[{i}]'")
        rates += [rate] * (until - last)
        last = until
    return rates


def _check_decay(who, learning_rate, decay_rate, is_stair):
    kinds.POSITIVE(who, learning_rate=learning_rate, decay_rate=decay_rate)
    kinds.BOOL(who, is_stair=is_stair)


@fitting
def exponential_decay_lr(
    learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False
):
    r"""$learning\_rate \cdot decay\_rate^p$, where $p = epoch / decay\_epoch$.

    Steps and epochs are positive ints, rates greater than 0; `is_stair` rounds $p$ down.

    >>> exponential_decay_lr(0.1, 0.5, 4, 2, 1)
    [0.1, 0.1, 0.05, 0.05]
    """
    who = "exponential_decay_lr"
    _check_decay(who, learning_rate, decay_rate, is_stair)

    def rate(epoch):
        p = epoch // decay_epoch if is_stair else epoch / decay_epoch
        return learning_rate * decay_rate**p

    return _by_epoch(who, rate, total_step, step_per_epoch, decay_epoch=decay_epoch)


@fitting
def natural_exp_decay_lr(
    learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False
):
    r"""$learning\_rate \cdot e^{-decay\_rate \cdot epoch}$.

    `is_stair`: round the epoch down to a multiple of `decay_epoch`, which has no effect otherwise.
    Other arguments: see `exponential_decay_lr`.

    >>> natural_exp_decay_lr(0.1, 0.9, 3, 1, 4, True)
    [0.1, 0.1, 0.1]
    """
    who = "natural_exp_decay_lr"
    _check_decay(who, learning_rate, decay_rate, is_stair)

    def rate(epoch):
        p = epoch // decay_epoch * decay_epoch if is_stair else epoch
        return learning_rate * math.e ** (-decay_rate * p)

    return _by_epoch(who, rate, total_step, step_per_epoch, decay_epoch=decay_epoch)


@fitting
def inverse_decay_lr(
    learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False
):
    r"""$learning\_rate / (1 + decay\_rate \cdot p)$, where $p = epoch / decay\_epoch$.

    Arguments: see `exponential_decay_lr`.

    >>> inverse_decay_lr(0.1, 1.0, 3, 1, 1)[1]
    0.05
    """
    who = "inverse_decay_lr"
    _check_decay(who, learning_rate, decay_rate, is_stair)

    def rate(epoch):
        if is_stair:
            return learning_rate / (1 + decay_rate * (epoch // decay_epoch))
        return learning_rate / (1 + decay_rate * epoch / decay_epoch)

    return _by_epoch(who, rate, total_step, step_per_epoch, decay_epoch=decay_epoch)


@fitting
def cosine_decay_lr(min_lr, max_lr, total_step, step_per_epoch, decay_epoch):
    r"""$min + (max - min) (1 + \cos(\pi p)) / 2$, where $p = \min(epoch / decay\_epoch, 1)$.

    `min_lr`: at least 0 and less than `max_lr`.

    >>> cosine_decay_lr(0.0, 0.1, 3, 1, 2)
    [0.1, 0.05, 0.0]
    """
    who = "cosine_decay_lr"
    kinds.NOT_NEGATIVE(who, min_lr=min_lr)
    kinds.POSITIVE(who, max_lr=max_lr)
    require(min_lr < max_lr, "less-than", who, min_lr=min_lr, other="max_lr", high=max_lr)

    def rate(epoch):
        p = min(epoch, decay_epoch)
        return min_lr + 0.5 * (max_lr - min_lr) * (1 + math.cos(math.pi * p / decay_epoch))

    return _by_epoch(who, rate, total_step, step_per_epoch, decay_epoch=decay_epoch)


@fitting
def polynomial_decay_lr(
    learning_rate, end_learning_rate, total_step, step_per_epoch, decay_epoch, power,
    update_decay_epoch=False,
):  # fmt: skip
    r"""$(start - end) (1 - p)^{power} + end$, where $p = \min(epoch / decay\_epoch, 1)$.

    `end_learning_rate`: at least 0. `update_decay_epoch`: instead of staying at the end, restart
    with `decay_epoch` times the number of cycles begun.

    >>> polynomial_decay_lr(0.1, 0.0, 3, 1, 2, 1.0)
    [0.1, 0.05, 0.0]
    """
    who = "polynomial_decay_lr"
    kinds.POSITIVE(who, learning_rate=learning_rate, power=power)
    kinds.NOT_NEGATIVE(who, end_learning_rate=end_learning_rate)
    kinds.BOOL(who, update_decay_epoch=update_decay_epoch)

    def rate(epoch):
        rounds = max(math.ceil(epoch / decay_epoch), 1) if update_decay_epoch else 1
        p = min(epoch, decay_epoch * rounds) / (decay_epoch * rounds)
        return (learning_rate - end_learning_rate) * (1 - p) ** power + end_learning_rate

    return _by_epoch(who, rate, total_step, step_per_epoch, decay_epoch=decay_epoch)


@fitting
def warmup_lr(learning_rate, total_step, step_per_epoch, warmup_epoch):
    r"""$learning\_rate \cdot \min(epoch / warmup\_epoch, 1)$.

    `learning_rate`: at least 0; the steps and epochs are positive ints.

    >>> warmup_lr(0.1, 4, 1, 2)
    [0.0, 0.05, 0.1, 0.1]
    """
    kinds.NOT_NEGATIVE("warmup_lr", learning_rate=learning_rate)

    def rate(epoch):
        return learning_rate * min(epoch, warmup_epoch) / warmup_epoch

    return _by_epoch("warmup_lr", rate, total_step, step_per_epoch, warmup_epoch=warmup_epoch)


__all__ = [
    "cosine_decay_lr", "exponential_decay_lr", "inverse_decay_lr", "natural_exp_decay_lr",
    "piecewise_constant_lr", "polynomial_decay_lr", "warmup_lr",
]  # fmt: skip
