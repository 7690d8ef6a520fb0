"""Loss scale managers for `Model`: each provides the scale and the Cell that updates it."""

from sporax._src.core.signature_errors import Fitting
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell


class LossScaleManager(Fitting):
    """Base class of loss scale managers: a subclass defines its methods.

    >>> ms.FixedLossScaleManager(1024.0).get_loss_scale()
    1024.0
    """

    def get_loss_scale(self):
        """Return the current scale."""

    def update_loss_scale(self, overflow):
        """Update the scale after a step; `overflow`: True if it overflowed."""

    def get_update_cell(self):
        """Return the Cell that updates the scale in a training step; None if there is none."""

    def get_drop_overflow_update(self):
        """Return True if steps that overflow are skipped."""
        return self.get_update_cell() is not None


class FixedLossScaleManager(LossScaleManager):
    """A constant scale of at least 1.

    `drop_overflow_update`: skip steps that overflow. If False, the optimizer must be created with
    the same `loss_scale`.

    >>> FixedLossScaleManager(64.0).get_loss_scale()
    64.0
    """

    def __init__(self, loss_scale=128.0, drop_overflow_update=True):
        _at_least_one("FixedLossScaleManager", "loss_scale", loss_scale)
        self._loss_scale, self._drops = loss_scale, drop_overflow_update

    def get_loss_scale(self):
        """Return the scale."""
        return self._loss_scale

    def get_drop_overflow_update(self):
        """Return True if steps that overflow are skipped."""
        return self._drops

    def update_loss_scale(self, overflow):
        """Do nothing: the scale is constant."""

    def get_update_cell(self):
        """Return a `FixedLossScaleUpdateCell`; None if no step is skipped."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drops else None


class DynamicLossScaleManager(LossScaleManager):
    """A scale divided by `scale_factor` on overflow, and multiplied by it after `scale_window`
    steps without overflow.

    >>> manager = DynamicLossScaleManager(8, 2, 10)
    >>> manager.update_loss_scale(True)
    >>> manager.get_loss_scale()
    4.0
    """

    _MOST = 1000  # allowed number of consecutive overflows

    def __init__(self, init_loss_scale=2**24, scale_factor=2, scale_window=2000):
        who = "DynamicLossScaleManager"
        _at_least_one(who, "init_loss_scale", init_loss_scale)
        kinds.POSITIVE_INT(who, scale_window=scale_window)
        kinds.POSITIVE(who, scale_factor=scale_factor)
        self.loss_scale, self.scale_window = init_loss_scale, scale_window
        self.scale_factor = self.increase_ratio = scale_factor
        self.decrease_ratio = 1 / scale_factor
        self.cur_iter, self.last_overflow_iter, self.bad_step = 1, 0, 0
        self.bad_step_max = self._MOST

    def get_loss_scale(self):
        """Return the current scale."""
        return self.loss_scale

    def update_loss_scale(self, overflow):
        """Update the scale after a step; RuntimeError after over 1000 consecutive overflows."""
        if overflow:
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
            self.last_overflow_iter = self.cur_iter
            self.bad_step += 1
        else:
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.increase_ratio
            self.bad_step = 0
        most, steps = self.bad_step_max, self.bad_step
        fields = {"bad_step_max": most, "bad_step": steps}
        require(steps <= most, "at-most-steps-row-may", "DynamicLossScaleManager", **fields)
        self.cur_iter += 1

    def get_drop_overflow_update(self):
        """Return True: steps that overflow are skipped."""
        return True

    def get_update_cell(self):
        """Return a `DynamicLossScaleUpdateCell`."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)


def _at_least_one(who, name, value):
    require(value >= 1, "at-least", who, argument=name, n=1, got=value)


__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]
