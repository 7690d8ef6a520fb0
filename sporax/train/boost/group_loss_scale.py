"""Separate loss scales for groups of layers."""

from sporax import ops
from sporax._src.core.dtype import float32
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection
from sporax.nn.cell import Cell
from sporax.nn.parameter_tuple import ParameterTuple


class _ScaledGradient(Cell):
    """Identity with the gradient scaled by `ratio`."""

    def construct(self, x, ratio):
        return x * 1.0

    def bprop(self, x, ratio, out, dout):
        return dout * ratio.astype(dout.dtype), ops.zeros_like(ratio)


class GroupLossScaleManager(Cell):
    """Marks the boundaries of groups of layers with separate loss scales.

    `init_loss_scale`: a scalar, or a list with one per group. `loss_scale_groups`: lists of
    Parameters. `manager(x, layer1, layer2)` returns `x`, with its gradient multiplied by the scale
    of `layer1` over the scale of `layer2`; scale 0 and the last one are 1.

    >>> manager = GroupLossScaleManager(4.0, [[], []])
    >>> manager.set_loss_scale_status(2, 4.0)
    >>> ms.grad(lambda x: manager(x, 1, 0))(Tensor(3.0)).item()
    4.0
    """

    def __init__(self, init_loss_scale, loss_scale_groups):
        super().__init__()
        self._loss_scale, self.loss_scale_groups = init_loss_scale, loss_scale_groups
        self.loss_scale_number = 0
        self.dynamic_loss_scale = None
        self._mark = _ScaledGradient()

    def set_loss_scale_status(self, loss_scale_number, init_loss_scale):
        """Create the scales of `loss_scale_number` groups: one scalar for all, or a list."""
        kinds.POSITIVE_INT("set_loss_scale_status", loss_scale_number=loss_scale_number)
        scales = init_loss_scale
        if not isinstance(scales, list):
            scales = [init_loss_scale] * loss_scale_number
        self.loss_scale_number = loss_scale_number
        self.dynamic_loss_scale = ParameterTuple(
            Parameter(Tensor(scale, float32), name=f"layer_loss_scale_{i}", requires_grad=False)
            for i, scale in enumerate([1, *scales, 1])
        )

    def update_loss_scale_status(self, layer, update_ratio):
        """Multiply the scale of a group by a ratio; returns the new one."""
        scale = self._scales()[layer + 1]
        ops.assign(scale, scale * update_ratio)
        return scale * 1.0

    def _scales(self):
        if self.dynamic_loss_scale is None:
            raise rejection("no-scales-yet", "GroupLossScaleManager")
        return self.dynamic_loss_scale

    def construct(self, x, layer1, layer2):
        scales = self._scales()
        return self._mark(x, scales[layer1] / scales[layer2])

    def get_loss_scale(self):
        """Return the initial scale."""
        return self._loss_scale

    def get_update_cell(self):
        """Return self."""
        return self
