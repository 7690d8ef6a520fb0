"""Loss scaling for custom training steps: `scale` the loss, `unscale` the gradients."""

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.signature_errors import Fitting
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import map_tensors, tensors_of
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.nn import loss_scale as cells


def all_finite(inputs):
    """Return a Tensor, True if all elements of a Tensor, or a tuple or list of them, are finite.

    >>> all_finite((Tensor([1.0]), Tensor([np.inf]))).asnumpy()
    array(False)
    """
    tensors = tensors_of(inputs)
    require(tensors, "tensor-inputs-none", "all_finite")
    return cells.all_finite(tensors)


class LossScaler(Fitting):
    """Base class of loss scalers: a subclass defines `scale`, `unscale` and `adjust`."""

    def scale(self, inputs):
        """Multiply a Tensor, or a tuple or list of them, by the scale."""
        raise rejection("method-defined", type(self).__name__, other="scale")

    def unscale(self, inputs):
        """Divide a Tensor, or a tuple or list of them, by the scale."""
        raise rejection("method-defined", type(self).__name__, other="unscale")

    def adjust(self, grads_finite):
        """Update the scale after a step; `grads_finite`: False if it overflowed."""
        raise rejection("method-defined", type(self).__name__, other="adjust")


class StaticLossScaler(LossScaler):
    """A constant scale of at least 1.

    >>> scaler = StaticLossScaler(4)
    >>> scaler.scale(Tensor([1.0])).tolist(), scaler.unscale((Tensor([1.0]),))[0].tolist()
    ([4.0], [0.25])
    """

    def __init__(self, scale_value):
        kinds.at_least(1)(type(self).__name__, scale_value=scale_value)
        self.scale_value = Parameter(Tensor(scale_value, dtypes.float32), name="scale_value")

    def scale(self, inputs):
        """Multiply a Tensor, or a tuple or list of them, by the scale."""
        return map_tensors(lambda x: x * self.scale_value.astype(x.dtype), inputs)

    def unscale(self, inputs):
        """Divide a Tensor, or a tuple or list of them, by the scale."""
        return map_tensors(lambda x: x * (1 / self.scale_value).astype(x.dtype), inputs)

    def adjust(self, grads_finite):
        """Do nothing: the scale is constant. Returns False."""
        return False


class DynamicLossScaler(StaticLossScaler):
    """A scale divided by `scale_factor` (but not below 1) on overflow, and multiplied by it after
    `scale_window` consecutive steps without overflow.

    >>> scaler = DynamicLossScaler(4, 2, 10)
    >>> scaler.adjust(Tensor(False))
    True
    >>> float(scaler.scale_value)
    2.0
    """

    def __init__(self, scale_value, scale_factor, scale_window):
        super().__init__(scale_value)
        who = type(self).__name__
        kinds.POSITIVE_INT(who, scale_factor=scale_factor, scale_window=scale_window)
        self.scale_factor, self.scale_window = scale_factor, scale_window
        self.counter = Parameter(Tensor(0, dtypes.int32), name="counter")

    def adjust(self, grads_finite):
        """Update the scale after a step; `grads_finite`: a Tensor, True if all gradients were
        finite. Returns True."""
        finite = grads_finite if isinstance(grads_finite, Tensor) else Tensor(bool(grads_finite))
        now = self.scale_value * 1.0
        more = now * self.scale_factor
        is_due = ops.logical_and(self.counter == self.scale_window - 1, ops.isfinite(more))
        lower = ops.maximum(now / self.scale_factor, Tensor(1.0, dtypes.float32))
        ops.assign(self.scale_value, ops.where(finite, ops.where(is_due, more, now), lower))
        count = (self.counter + 1) % self.scale_window * finite.astype(dtypes.int32)
        ops.assign(self.counter, count)
        return True


__all__ = ["DynamicLossScaler", "LossScaler", "StaticLossScaler", "all_finite"]
