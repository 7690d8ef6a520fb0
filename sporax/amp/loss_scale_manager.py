"""Loss scale managers for `Model`: each has the scale and the Cell that updates it."""

from sporax.core.signature_errors import Fitting
from sporax.nn import argument_checks as check
from sporax.nn.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell


class LossScaleManager(Fitting):
    """Base of what tells a scale: a subclass defines its methods.

    >>> ms.FixedLossScaleManager(1024.0).get_loss_scale()
    1024.0
    """

    def get_loss_scale(self):
        """The scale now."""

    def update_loss_scale(self, overflow):
        """Take note of a step; `overflow`: whether it overflowed."""

    def get_update_cell(self):
        """The Cell that changes the scale in a training step; None for a step without one."""

    def get_drop_overflow_update(self):
        """Whether a step that overflows is left out."""
        return self.get_update_cell() is not None


class FixedLossScaleManager(LossScaleManager):
    """Always the same scale, at least 1.

    `drop_overflow_update`: whether a step that overflows is left out. If not, the optimizer must
    be made with the same `loss_scale`.

    >>> FixedLossScaleManager(64.0).get_loss_scale()
    64.0
    """

    def __init__(self, loss_scale=128.0, drop_overflow_update=True):
        _at_least_one("FixedLossScaleManager", "loss_scale", loss_scale)
        self._loss_scale, self._drops = loss_scale, drop_overflow_update

    def get_loss_scale(self):
        """The scale."""
        return self._loss_scale

    def get_drop_overflow_update(self):
        """Whether a step that overflows is left out."""
        return self._drops

    def update_loss_scale(self, overflow):
        """Nothing: the scale stays."""

    def get_update_cell(self):
        """A `FixedLossScaleUpdateCell`; None where no step is dropped."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drops else None


class DynamicLossScaleManager(LossScaleManager):
    """A scale divided by `scale_factor` where a step overflows, and multiplied by it after
    `scale_window` steps that do not.

    >>> manager = DynamicLossScaleManager(8, 2, 10)
    >>> manager.update_loss_scale(True)
    >>> manager.get_loss_scale()
    4.0
    """

    _MOST = 1000  # steps in a row that may overflow

    def __init__(self, init_loss_scale=2**24, scale_factor=2, scale_window=2000):
        who = "DynamicLossScaleManager"
        _at_least_one(who, "init_loss_scale", init_loss_scale)
        check.positive_int(who, scale_window=scale_window)
        check.positive(who, scale_factor=scale_factor)
        self.loss_scale, self.scale_window = init_loss_scale, scale_window
        self.scale_factor = self.increase_ratio = scale_factor
        self.decrease_ratio = 1 / scale_factor
        self.cur_iter, self.last_overflow_iter, self.bad_step = 1, 0, 0
        self.bad_step_max = self._MOST

    def get_loss_scale(self):
        """The scale now."""
        return self.loss_scale

    def update_loss_scale(self, overflow):
        """Change the scale after a step; RuntimeError after 1000 in a row that overflowed."""
        if overflow:
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
            self.last_overflow_iter = self.cur_iter
            self.bad_step += 1
        else:
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.increase_ratio
            self.bad_step = 0
        if self.bad_step > self.bad_step_max:
            raise RuntimeError(
                f"For 'DynamicLossScaleManager', at most {self.bad_step_max} steps in a row may "
                f"overflow, but {self.bad_step} did. The network's numbers are no longer finite."
            )
        self.cur_iter += 1

    def get_drop_overflow_update(self):
        """Whether a step that overflows is left out: yes."""
        return True

    def get_update_cell(self):
        """A `DynamicLossScaleUpdateCell`."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)


def _at_least_one(who, name, value):
    if value < 1:
        raise ValueError(f"For '{who}', '{name}' must be at least 1, but got {value}.")


__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]
