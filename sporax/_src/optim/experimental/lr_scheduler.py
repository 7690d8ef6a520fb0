"""Schedules that set the learning rates of an optimizer's groups when `step` is called."""

import math
from bisect import bisect_right
from functools import partial
from typing import Any

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.optim.experimental import schedule_formulas as formulas
from sporax._src.optim.experimental.lr_scheduler_base import (
    LRScheduler,
    Rates,
    checked_optimizer,
    for_each,
    later,
    narrow,
    set_number,
    sooner,
    state,
)
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import apply


class _Formula(LRScheduler):
    """A schedule defined by `following(epoch, lr, base)`, or `direct(epoch, base)` for a given
    epoch, functions of arrays."""

    def _begin(self, optimizer, last_epoch, following, direct, **numbers):
        """Complete `__init__`; the constants of the formulas also become attributes."""
        vars(self).update(numbers)
        each = (partial(fn, **numbers) for fn in (following, direct))
        self._following, self._direct = (Op(type(self).__name__, fn) for fn in each)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        each = zip(self._last_lr, self.base_lrs, strict=True)
        return [apply(self._following, self.last_epoch, lr, base) for lr, base in each]

    def _get_closed_form_lr(self):
        return [apply(self._direct, self.last_epoch, base) for base in self.base_lrs]


class StepLR(_Formula):
    """Multiplies the rate by `gamma` every `step_size` steps.

    >>> from sporax._src.optim.experimental import SGD
    >>> schedule = StepLR(SGD([Parameter(1.0, name="p")], 0.5), 2)
    >>> [schedule.step() and round(float(schedule.get_last_lr()[0]), 3) for _ in range(4)]
    [0.5, 0.05, 0.05, 0.005]
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        kinds.POSITIVE_INT("StepLR", step_size=step_size)
        kinds.NUMBER("StepLR", gamma=gamma)
        self._begin(
            optimizer, last_epoch, formulas.step, formulas.step_at,
            step_size=step_size, gamma=gamma,
        )  # fmt: skip


class MultiStepLR(_Formula):
    """Multiplies the rate by `gamma` at each step in `milestones`.

    >>> from sporax._src.optim.experimental import SGD
    >>> schedule = MultiStepLR(SGD([Parameter(1.0, name="p")], 0.5), [1, 3])
    >>> [schedule.step() and round(float(schedule.get_last_lr()[0]), 4) for _ in range(4)]
    [0.05, 0.05, 0.005, 0.005]
    """

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        kinds.LIST("MultiStepLR", milestones=milestones)
        for i, milestone in enumerate(milestones):
            kinds.INT.checked("MultiStepLR", f"milestones[{i}]", milestone)
        kinds.NUMBER("MultiStepLR", gamma=gamma)
        self._begin(
            optimizer, last_epoch, formulas.milestones, formulas.milestones_at,
            milestones=tuple(milestones), gamma=gamma,
        )  # fmt: skip


class ConstantLR(_Formula):
    """Multiplies the rate by `factor` (0 to 1) for the first `total_iters` steps.

    >>> from sporax._src.optim.experimental import SGD
    >>> schedule = ConstantLR(SGD([Parameter(1.0, name="p")], 0.5), 0.5, 3)
    >>> [schedule.step() and float(schedule.get_last_lr()[0]) for _ in range(4)]
    [0.25, 0.25, 0.5, 0.5]
    """

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        kinds.FRACTION("ConstantLR", factor=factor)
        kinds.INT("ConstantLR", total_iters=total_iters)
        self._begin(
            optimizer, last_epoch, formulas.constant, formulas.constant_at,
            factor=factor, total_iters=total_iters,
        )  # fmt: skip


class LinearLR(_Formula):
    """Multiplies the rate by a factor from `start_factor` to `end_factor` over `total_iters` steps.

    >>> from sporax._src.optim.experimental import SGD
    >>> schedule = LinearLR(SGD([Parameter(1.0, name="p")], 0.5), 0.5, total_iters=2)
    >>> [schedule.step() and float(schedule.get_last_lr()[0]) for _ in range(3)]
    [0.375, 0.5, 0.5]
    """

    def __init__(
        self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1
    ):
        kinds.within(0, 1, ends="(]")("LinearLR", start_factor=start_factor)
        kinds.FRACTION("LinearLR", end_factor=end_factor)
        kinds.POSITIVE_INT("LinearLR", total_iters=total_iters)
        self._begin(
            optimizer, last_epoch, formulas.linear, formulas.linear_at,
            start_factor=start_factor, end_factor=end_factor, total_iters=total_iters,
        )  # fmt: skip


class ExponentialLR(_Formula):
    """Multiplies the rate by `gamma` in every step.

    >>> from sporax._src.optim.experimental import SGD
    >>> schedule = ExponentialLR(SGD([Parameter(1.0, name="p")], 0.5), 0.5)
    >>> [schedule.step() and float(schedule.get_last_lr()[0]) for _ in range(3)]
    [0.25, 0.125, 0.0625]
    """

    def __init__(self, optimizer, gamma, last_epoch=-1):
        kinds.NUMBER("ExponentialLR", gamma=gamma)
        self._begin(
            optimizer, last_epoch, formulas.exponential, formulas.exponential_at, gamma=gamma
        )


class PolynomialLR(_Formula):
    """Multiplies the initial rate by (1 - step / `total_iters`) ** `power`, until that is 0.

    >>> from sporax._src.optim.experimental import SGD
    >>> schedule = PolynomialLR(SGD([Parameter(1.0, name="p")], 0.5), 4)
    >>> [schedule.step() and round(float(schedule.get_last_lr()[0]), 3) for _ in range(4)]
    [0.375, 0.25, 0.125, 0.0]
    """

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        kinds.POSITIVE_INT("PolynomialLR", total_iters=total_iters)
        kinds.NOT_NEGATIVE("PolynomialLR", power=power)
        self._begin(
            optimizer, last_epoch, formulas.polynomial, formulas.polynomial_at,
            total_iters=total_iters, power=power,
        )  # fmt: skip


class CosineAnnealingLR(_Formula):
    """Anneals the rate to `eta_min` and back along a cosine, in `T_max` steps each way.

    >>> from sporax._src.optim.experimental import SGD
    >>> schedule = CosineAnnealingLR(SGD([Parameter(1.0, name="p")], 0.5), 2)
    >>> [schedule.step() and round(float(schedule.get_last_lr()[0]), 3) for _ in range(2)]
    [0.25, 0.0]
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        kinds.POSITIVE_INT("CosineAnnealingLR", T_max=T_max)
        kinds.NUMBER("CosineAnnealingLR", eta_min=eta_min)
        self._begin(
            optimizer, last_epoch, formulas.cosine, formulas.cosine_at, T_max=T_max, eta_min=eta_min
        )


class LambdaLR(LRScheduler):
    """Initial rate times `lr_lambda(epoch)`; a function, or a list with one per group.

    >>> from sporax._src.optim.experimental import SGD
    >>> schedule = LambdaLR(SGD([Parameter(1.0, name="p")], 0.5), lambda epoch: 0.5**epoch)
    >>> [schedule.step() and float(schedule.get_last_lr()[0]) for _ in range(3)]
    [0.25, 0.125, 0.0625]
    """

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.lr_lambdas = for_each(
            "LambdaLR", "lr_lambda", lr_lambda, checked_optimizer("LambdaLR", optimizer)
        )
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        each = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * fn(self.last_epoch) for base, fn in each]


class MultiplicativeLR(LRScheduler):
    """Multiplies the rate by `lr_lambda(epoch)` in every step; a function, or a list with one per
    group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        who = "MultiplicativeLR"
        self.lr_lambdas = for_each(who, "lr_lambda", lr_lambda, checked_optimizer(who, optimizer))
        self._started = last_epoch >= 0
        super().__init__(optimizer, last_epoch)
        self._started = True

    def get_lr(self):
        if not self._started:
            return [lr.value() for lr in self._last_lr]
        each = zip(self._last_lr, self.lr_lambdas, strict=True)
        return [lr * fn(self.last_epoch) for lr, fn in each]


# mode -> (argument of the amplitude function, amplitude function)
_SCALES = {
    "triangular": ("cycle", lambda x, gamma: 1.0),
    "triangular2": ("cycle", lambda x, gamma: 0.5 ** (x - 1)),
    "exp_range": ("iterations", lambda x, gamma: gamma**x),
}


class CyclicLR(LRScheduler):
    """Cycles from `base_lr` to `max_lr` in `step_size_up` steps, and back in `step_size_down`.

    The amplitude of a cycle: `mode` 'triangular' keeps it, 'triangular2' halves it every cycle,
    'exp_range' multiplies it by `gamma` every step; or `scale_fn(x)`, where x is the cycle (from 1)
    or the step, for `scale_mode` 'cycle' or 'iterations'.
    """

    def __init__(
        self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None,
        mode="triangular", gamma=1.0, scale_fn=None, scale_mode="cycle", last_epoch=-1,
    ):  # fmt: skip
        checked_optimizer("CyclicLR", optimizer)
        base = for_each("CyclicLR", "base_lr", base_lr, optimizer)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, base, strict=True):
                set_number(group["lr"], lr)
        fits = scale_fn is not None or mode in _SCALES
        require(fits, "one-no-scale-fn", "CyclicLR", mode=mode, names=[*_SCALES])
        self.mode, self.gamma, self.scale_mode = mode, gamma, scale_mode
        self.scale_fn: Any = scale_fn
        if scale_fn is None:
            self.scale_mode, scale = _SCALES[mode]
            self.scale_fn = partial(scale, gamma=gamma)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_step_size, self.step_up_ratio = up + down, up / (up + down)
        self._triangle = Op("CyclicLR", partial(formulas.triangle, total=up + down, up=up))
        self.max_lrs = [Tensor(lr) for lr in for_each("CyclicLR", "max_lr", max_lr, optimizer)]
        self._lowest = [Tensor(lr) for lr in base]
        super().__init__(optimizer, last_epoch)
        self.base_lrs = self._lowest

    def get_lr(self):
        cycle, height = apply(self._triangle, self.last_epoch)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        each = zip(self._lowest, self.max_lrs, strict=True)
        return [low + (high - low) * height * scale for low, high in each]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Anneals the rate to `eta_min` along a cosine in `T_0` steps, then restarts, with `T_mult`
    times as many steps each time."""

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0, last_epoch=-1):
        who = "CosineAnnealingWarmRestarts"
        kinds.POSITIVE_INT(who, T_0=T_0, T_mult=T_mult)
        kinds.NUMBER(who, eta_min=eta_min)
        self.T_0, self.T_i = state(T_0, "T_0"), state(T_0, "T_i")
        self.T_cur = state(last_epoch, "T_cur")
        self.T_mult, self.eta_min = T_mult, Tensor(eta_min, dtypes.float32)
        self._restart = Op(who, partial(formulas.restart, T_mult=T_mult))
        self._restart_at = Op(who, partial(formulas.restart_at, T_0=T_0, T_mult=T_mult))
        self._cosine = Op(who, formulas.cosine_between)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        cycle = self.T_cur, self.T_i, self.eta_min
        return [apply(self._cosine, base, *cycle) for base in self.base_lrs]

    def step(self, epoch=None):
        """Advance to the next step, or to the step `epoch`, which may be fractional."""
        if epoch is None:
            new = apply(self._restart, self.last_epoch, self.T_cur, self.T_i)
        else:
            require(epoch >= 0, "at-least", "CosineAnnealingWarmRestarts", epoch=epoch, n=0)
            epoch = epoch if isinstance(epoch, Tensor) else Tensor(epoch, dtypes.float32)
            new = apply(self._restart_at, epoch)
        for handle, value in zip((self.last_epoch, self.T_cur, self.T_i), new, strict=True):
            set_number(handle, value)
        for lr, value in zip(self._last_lr, self.get_lr(), strict=True):
            set_number(lr, value)


class SequentialLR(Rates):
    """Runs `schedulers` in sequence, switching at each step in `milestones`."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        for i, scheduler in enumerate(schedulers):
            is_its = scheduler.optimizer is optimizer
            require(is_its, "all-schedulers-optimizer-scheduler", "SequentialLR", i=i)
        got, count = len(schedulers), len(milestones)
        fits = count == got - 1
        require(fits, "milestone-between-two-schedulers", "SequentialLR", got=got, count=count)
        self.optimizer, self._schedulers, self.milestones = optimizer, schedulers, milestones
        self.last_epoch = state(last_epoch + 1, "last_epoch_SequentialLR")
        for group in optimizer.param_groups:
            set_number(group["lr"], group["initial_lr"])
        for scheduler in schedulers:
            set_number(scheduler.last_epoch, apply(sooner, scheduler.last_epoch))
        schedulers[0].step()
        self._last_lr = schedulers[0]._last_lr

    def step(self):
        """Advance to the next step."""
        set_number(self.last_epoch, apply(later, self.last_epoch))
        epoch = int(self.last_epoch)
        now = bisect_right(self.milestones, epoch)
        begins = now > 0 and self.milestones[now - 1] == epoch
        self._schedulers[now].step(*([0] if begins else []))


class ReduceLROnPlateau(Rates):
    """Multiplies the rate by `factor` when a metric has not improved for more than `patience`
    steps.

    An improvement is less (`mode` 'min') or more ('max') than the best by `threshold`, relative
    (`threshold_mode` 'rel') or absolute ('abs'). After a reduction, `cooldown` steps are not
    counted; no rate falls below `min_lr` (a scalar, or one per group), and reductions of at most
    `eps` are skipped.
    """

    def __init__(
        self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4,
        threshold_mode="rel", cooldown=0, min_lr=0, eps=1e-8,
    ):  # fmt: skip
        who = "ReduceLROnPlateau"
        checked_optimizer(who, optimizer)
        kinds.NUMBER(who, factor=factor, patience=patience, threshold=threshold, eps=eps)
        require(factor < 1, "in-interval", who, factor=factor, interval="(-inf, 1)")
        kinds.one_of("min", "max")(who, mode=mode)
        kinds.one_of("rel", "abs")(who, threshold_mode=threshold_mode)
        lowest = for_each(who, "min_lr", min_lr, optimizer)
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        self.min_lrs = [Tensor(lr, dtypes.float32) for lr in lowest]
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.last_epoch = state(0, f"last_epoch_{who}")
        self.best, self.wait = state(self.mode_worse, "best"), state(0, "wait")
        self.cooldown_counter = state(0, "cooldown_counter")
        self._last_lr = [group["lr"] for group in optimizer.param_groups]
        better = partial(
            formulas.better, mode=mode, threshold=threshold, relative=threshold_mode == "rel"
        )
        self._watch = Op(
            who, partial(formulas.watch, better=better, patience=patience, cooldown=cooldown)
        )
        self._reduce = Op(who, partial(formulas.reduced, factor=factor, eps=eps))

    def step(self, metrics):
        """Update with one value of the metric."""
        metrics = metrics if isinstance(metrics, Tensor) else Tensor(metrics, dtypes.float32)
        set_number(self.last_epoch, apply(later, self.last_epoch))
        kept = self.best, self.wait, self.cooldown_counter
        *new, stale = apply(self._watch, apply(narrow, metrics), *kept)
        for handle, value in zip(kept, new, strict=True):
            set_number(handle, value)
        for lr, lowest in zip(self._last_lr, self.min_lrs, strict=True):
            set_number(lr, apply(self._reduce, lr, lowest, stale))
        return True

    def in_cooldown(self):
        """Return True during the cooldown, when steps are not counted."""
        return self.cooldown_counter > 0


__all__ = [
    "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR",
    "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "PolynomialLR",
    "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip
