"""Training with a scaled loss: the step that skips overflows, and update rules for the scale."""

from typing import Any

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.engine.recorder import run_pending, wrap
from sporax.nn.cell import Cell
from sporax.nn.layer_inputs import TENSOR
from sporax.nn.training_cells import TrainOneStepCell


def all_finite(tensors):
    """Return a Tensor, True if all elements of these Tensors are finite."""
    return ops.stack([ops.isfinite(t).all() for t in tensors]).all()


class DynamicLossScaleUpdateCell(Cell):
    r"""Divides the scale by `scale_factor` (but not below 1) on overflow, and multiplies it after
    `scale_window` consecutive steps without overflow.

    Called with (the scale, a Parameter; the overflow flag), it updates the scale and returns the
    flag.

    >>> scale, update = Parameter(Tensor(4.0)), DynamicLossScaleUpdateCell(4, 2, 10)
    >>> update(scale, Tensor(True)).asnumpy(), float(scale)
    (array(True), 2.0)
    """

    def __init__(self, loss_scale_value, scale_factor, scale_window):
        super().__init__()
        self.scale_window = Tensor(scale_window, dtypes.int32)
        self.scale_factor = Tensor(scale_factor, dtypes.float32)
        self.loss_scale_value = loss_scale_value
        self.cur_iter = Parameter(Tensor(1, dtypes.int32), name="current_iterator_step")
        self.last_overflow_iter = Parameter(
            Tensor(0, dtypes.int32), name="last_overflow_iterator_step"
        )

    def get_loss_scale(self):
        """Return the initial scale."""
        return self.loss_scale_value

    def construct(self, loss_scale, overflow):
        lower = ops.maximum(loss_scale / self.scale_factor, Tensor(1.0, dtypes.float32))
        scale = ops.select(overflow, lower, loss_scale)
        is_due = self.cur_iter - self.last_overflow_iter >= self.scale_window
        rises = ops.logical_and(is_due, ops.logical_not(overflow))
        begins = ops.logical_or(overflow, is_due)
        ops.assign(
            self.last_overflow_iter, ops.select(begins, self.cur_iter, self.last_overflow_iter)
        )
        ops.assign(loss_scale, ops.select(rises, scale * self.scale_factor, scale))
        ops.assign(self.cur_iter, self.cur_iter + 1)
        return overflow


class FixedLossScaleUpdateCell(Cell):
    """Keeps the scale constant: returns the overflow flag.

    >>> FixedLossScaleUpdateCell(128)(None, True)
    True
    """

    def __init__(self, loss_scale_value):
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self):
        """Return the scale."""
        return self.loss_scale_value

    def construct(self, _, overflow):
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """One training step with a scaled loss: gradients of the scaled loss, divided by the scale;
    if one of them is infinite or NaN, only the scale is updated.

    `scale_sense`: the scale, a Tensor of one element, or a Cell that updates it, such as
    `DynamicLossScaleUpdateCell`. Called with the network's inputs; returns the loss, the overflow
    flag and the scale used in this step. A loss of several elements is summed.

    >>> net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
    >>> scale = Tensor([1024.0])
    >>> step = nn.TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params(), 0.1), scale)
    >>> loss, overflow, scale = step(ops.ones((3, 2)), ops.ones((3, 1)))
    >>> bool(overflow), float(scale)
    (False, 1024.0)
    """

    def __init__(self, network, optimizer, scale_sense):
        super().__init__(network, optimizer, sens=None)
        self.hyper_map = ops.HyperMap()
        self.base = Tensor(1, dtypes.float32)
        self.is_distributed = self.reducer_flag
        self.loss_scaling_manager, who = None, "TrainOneStepWithLossScaleCell"
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            scale_sense = Tensor(scale_sense.get_loss_scale(), dtypes.float32)
        elif not isinstance(scale_sense, Tensor):
            raise rejection("cell-tensor", who, scale_sense=scale_sense)
        elif scale_sense.shape not in (shapes := ((), (1,))):
            raise rejection("shape-one-of", who, scale_sense=scale_sense.shape, shapes=shapes)
        self.scale_sense = Parameter(scale_sense, name="scale_sense")

    def construct(self, *inputs):
        scale = self.scale_sense * 1.0  # the current value, as the rule may change it
        step: Any = self.grad.with_value(self.network, self.weights)
        loss, gradients = step(*inputs, scale.reshape(()))
        gradients = self.grad_reducer(tuple([g * (1 / scale).astype(g.dtype) for g in gradients]))
        overflows = self.get_overflow_status(None, gradients)
        self._update_unless(self.process_loss_scale(overflows), gradients)
        return loss, overflows, scale

    def _update_unless(self, overflows, gradients):
        """Run the optimizer and undo it on overflow: one program, no host synchronization."""
        kept = {id(p): p for p in (*self.weights, *self.optimizer.get_parameters())}.values()
        before = [(p, p._lift()) for p in kept]
        Cell.__call__(self.optimizer, gradients)
        for parameter, value in before:
            if parameter._value is not value:
                parameter._rebind(ops.where(overflows, wrap(value), parameter)._value)
        if thread.tape is None:
            run_pending()

    def set_sense_scale(self, sens):
        """Set the scale to `sens`, a Tensor."""
        TENSOR("set_sense_scale", sens=sens)
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond, compute_input):
        """Return (status, `compute_input`); the status is for devices that record overflows."""
        return Tensor([0] * 8, dtypes.int32), compute_input

    def get_overflow_status(self, status, compute_output):
        """Return a Tensor, True if an element of `compute_output` (Tensors) is infinite or NaN."""
        tensors = [compute_output] if isinstance(compute_output, Tensor) else compute_output
        return ops.logical_not(all_finite(tensors))

    def process_loss_scale(self, overflow):
        """Update the scale by the rule; return True if the step is skipped."""
        if self.loss_scaling_manager is None:
            return overflow
        return self.loss_scaling_manager(self.scale_sense, overflow)
