"""Training with a scaled loss: the step that leaves out what overflows, and rules for the scale."""

from sporax import ops
from sporax.core import dtype as dtypes
from sporax.core.parameter import Parameter
from sporax.core.tensor import Tensor
from sporax.core.value import thread
from sporax.engine.recorder import run_pending, wrap
from sporax.nn import argument_checks as check
from sporax.nn.cell import Cell
from sporax.nn.training_cells import TrainOneStepCell


def all_finite(tensors):
    """Whether no number of these Tensors is infinite or NaN: a Tensor."""
    return ops.stack([ops.isfinite(t).all() for t in tensors]).all()


class DynamicLossScaleUpdateCell(Cell):
    r"""Divides the scale by `scale_factor` (to 1 at least) where a step overflows, and multiplies
    it after `scale_window` steps in a row that do not.

    Called with (the scale, a Parameter; whether the step overflowed), it changes the scale and
    returns the latter.

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
        """The scale to begin with."""
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
    """Leaves the scale as it is: returns whether the step overflowed.

    >>> FixedLossScaleUpdateCell(128)(None, True)
    True
    """

    def __init__(self, loss_scale_value):
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self):
        """The scale."""
        return self.loss_scale_value

    def construct(self, _, overflow):
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """One step of training with a scaled loss: gradients of the loss times the scale, divided by
    it; where one of them is infinite or NaN, nothing is changed but the scale.

    `scale_sense`: the scale, a Tensor of one element, or a Cell with a rule for it, such as
    `DynamicLossScaleUpdateCell`. Called with the network's inputs; returns the loss, whether the
    step overflowed, and the scale that it used. A loss of several elements is summed.

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
        self.loss_scaling_manager = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            scale_sense = Tensor(scale_sense.get_loss_scale(), dtypes.float32)
        elif not isinstance(scale_sense, Tensor):
            raise TypeError(
                "For 'TrainOneStepWithLossScaleCell', 'scale_sense' must be a Cell or a Tensor, "
                f"but got {type(scale_sense).__name__}."
            )
        elif scale_sense.shape not in ((), (1,)):
            raise ValueError(
                "For 'TrainOneStepWithLossScaleCell', 'scale_sense' must have the shape () or "
                f"(1,), but got {scale_sense.shape}."
            )
        self.scale_sense = Parameter(scale_sense, name="scale_sense")

    def construct(self, *inputs):
        scale = self.scale_sense * 1.0  # as it is now: the rule may change it
        step = self.grad.with_value(self.network, self.weights)
        loss, gradients = step(*inputs, scale.reshape(()))
        gradients = self.grad_reducer(tuple([g * (1 / scale).astype(g.dtype) for g in gradients]))
        overflows = self.get_overflow_status(None, gradients)
        self._update_unless(self.process_loss_scale(overflows), gradients)
        return loss, overflows, scale

    def _update_unless(self, overflows, gradients):
        """The optimizer's step, undone where it overflows: in one program, without asking."""
        kept = {id(p): p for p in (*self.weights, *self.optimizer.get_parameters())}.values()
        before = [(p, p._lift()) for p in kept]
        Cell.__call__(self.optimizer, gradients)
        for parameter, value in before:
            if parameter._value is not value:
                parameter._rebind(ops.where(overflows, wrap(value), parameter)._value)
        if thread.tape is None:
            run_pending()

    def set_sense_scale(self, sens):
        """Let the scale be `sens`, a Tensor."""
        check.instance("set_sense_scale", Tensor, "a Tensor", sens=sens)
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond, compute_input):
        """(status, `compute_input`); the status is for devices that record overflows."""
        return Tensor([0] * 8, dtypes.int32), compute_input

    def get_overflow_status(self, status, compute_output):
        """Whether a number of `compute_output` (Tensors) is infinite or NaN: a Tensor."""
        tensors = [compute_output] if isinstance(compute_output, Tensor) else compute_output
        return ops.logical_not(all_finite(tensors))

    def process_loss_scale(self, overflow):
        """Let the rule change the scale; returns whether the step is left out."""
        if self.loss_scaling_manager is None:
            return overflow
        return self.loss_scaling_manager(self.scale_sense, overflow)
