"""Training steps with the methods of `boost`."""

from typing import Any

from sporax import ops
from sporax._src.core.dtype import float32, int32
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
from sporax._src.transforms.control_flow.runtime import branch
from sporax.nn.loss_scale import TrainOneStepWithLossScaleCell
from sporax.nn.parameter_tuple import ParameterTuple
from sporax.nn.training_cells import TrainOneStepCell
from sporax.train.boost.auto_boost import AutoBoost
from sporax.train.boost.dim_reduce import DimReduce
from sporax.train.boost.freezing import FreezeOpt, freeze_cell
from sporax.train.boost.group_loss_scale import GroupLossScaleManager
from sporax.train.gradient_accumulation import GradientAccumulation


class BoostTrainOneStepCell(TrainOneStepCell):
    """One training step like `nn.TrainOneStepCell`, with the methods enabled by `AutoBoost` and the
    optimizer: frozen layers (a `FreezeOpt`), gradients accumulated over several steps, or
    `DimReduce`.

    >>> net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
    >>> opt = nn.SGD(net.trainable_params(), 0.1)
    >>> step = BoostTrainOneStepCell(net, opt)
    >>> step(ops.ones((3, 2)), ops.ones((3, 1))).shape
    ()
    """

    def __init__(self, network, optimizer, sens=None):
        super().__init__(network, optimizer, sens)
        self.auto_boost = AutoBoost()
        self.freeze = isinstance(optimizer, FreezeOpt)
        self.train_strategy = getattr(optimizer, "train_strategy", None)
        steps = self.auto_boost.grad_accumulation_step
        accumulates = self.auto_boost.boost_config["grad_accumulation"] and steps > 1
        self.use_grad_accumulation = accumulates
        self.max_accumulation_step = steps if accumulates else 1
        self.accumulation = None
        if accumulates and not self.freeze:
            self.accumulation = GradientAccumulation(steps, optimizer)
        self.freeze_nets: Any = None
        if self.freeze:
            self.freeze_nets = freeze_cell(
                False, self.network, optimizer, self.sens, self.grad, accumulates,
                max_accumulation_step=self.max_accumulation_step,
            )  # fmt: skip
        self.step = Parameter(Tensor(0, int32), name="boost_step", requires_grad=False)
        self.enable_dim_reduce = self.check_dim_reduce_enable()
        self.enable_adasum = self.check_adasum_enable()
        if self.enable_dim_reduce:
            boost = self.auto_boost
            self.weights_clone = ParameterTuple(self.weights).clone("weights_clone", init="same")
            self.dim_reduce = DimReduce(
                self.network, optimizer, self.weights, boost.pca_mat, boost.n_components, boost.rho,
                boost.gamma, boost.alpha, boost.sigma, 0, 1,
            )  # fmt: skip

    def construct(self, *inputs):
        if self.freeze:
            return self.gradient_freeze_process(*inputs)
        sens = self.sens.reshape(()) if isinstance(self.sens, Tensor) else self.sens
        loss, grads = self.grad.with_value(self.network, self.weights)(*inputs, sens)
        return self._updated(loss, self.grad_reducer(grads), sens, inputs)

    def _updated(self, loss, grads, sens, inputs):
        if self.enable_dim_reduce:
            return self.dim_reduce(loss, grads, sens, self.weights, self.weights_clone, *inputs)
        if self.accumulation is not None:
            return self.accumulation(loss, grads)
        self.optimizer(grads)
        return loss

    def gradient_freeze_process(self, *inputs):
        """Run one step of the current group; returns the loss."""
        count = len(self.freeze_nets)
        index, length = self.step % count, count
        if self.train_strategy is not None:
            length = len(self.train_strategy)
            index = self.train_strategy[self.step]

        def chosen(group):
            if group == count - 1:
                return self.freeze_nets[group](*inputs)
            return branch(
                index == group, lambda: self.freeze_nets[group](*inputs), lambda: chosen(group + 1),
                (),
            )  # fmt: skip

        loss = chosen(0)
        ops.assign(self.step, ((self.step + 1) % length).astype(int32))
        return loss

    def check_adasum_enable(self):
        """Return False: there is one process, so no updates of device groups to combine."""
        return False

    def check_dim_reduce_enable(self):
        """Return True if `AutoBoost` marked the optimizer for `DimReduce`."""
        return bool(getattr(self.optimizer, "dim_reduce", False))


_SHRINK, _GROW = 0.5**0.5, 2 ** (1 / 1000)  # factors of a group's scale, after overflow or without


class BoostTrainOneStepWithLossScaleCell(BoostTrainOneStepCell, TrainOneStepWithLossScaleCell):
    """One training step with a scaled loss like `nn.TrainOneStepWithLossScaleCell`, with the
    methods of `BoostTrainOneStepCell`; or, with a `GroupLossScaleManager` and the method
    'loss_scale_group', a scale per group of layers.

    Returns the loss, the overflow flag (with groups: the number of overflows), and the scale.

    >>> net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
    >>> opt = nn.SGD(net.trainable_params(), 0.1)
    >>> step = BoostTrainOneStepWithLossScaleCell(net, opt, Tensor(16.0))
    >>> loss, overflow, scale = step(ops.ones((3, 2)), ops.ones((3, 1)))
    >>> bool(overflow), scale.item()
    (False, 16.0)
    """

    def __init__(self, network, optimizer, scale_sense):
        by_groups = AutoBoost().boost_config["loss_scale_group"]
        fits = not isinstance(optimizer, FreezeOpt)
        require(fits, "not-freezeopt", "BoostTrainOneStepWithLossScaleCell", argument="optimizer")
        require(by_groups == isinstance(scale_sense, GroupLossScaleManager),
                "grouplossscalemanager-method-loss-scale-group-autoboost",
                "BoostTrainOneStepWithLossScaleCell", scale_sense=scale_sense)  # fmt: skip
        super().__init__(network, optimizer, Tensor(1.0) if by_groups else scale_sense)
        self.enable_enhanced_amp = by_groups
        if by_groups:
            groups = [{p.name for p in group} for group in scale_sense.loss_scale_groups]
            scale_sense.set_loss_scale_status(len(groups), scale_sense.get_loss_scale())
            self.loss_scaling_manager, self._groups = scale_sense, groups

    def construct(self, *inputs):
        step: Any = self.grad.with_value(self.network, self.weights)
        if self.enable_enhanced_amp:
            loss, grads = step(*inputs, 1.0)
            return self._by_groups(loss, self.grad_reducer(grads), inputs)
        scale = self.scale_sense * 1.0  # the current value, as the rule may change it
        loss, grads = step(*inputs, scale.reshape(()))
        grads = self.grad_reducer(tuple([g * (1 / scale).astype(g.dtype) for g in grads]))
        overflows = self.get_overflow_status(None, grads)
        self._update_where_finite(self.process_loss_scale(overflows), loss, grads, inputs)
        return loss, overflows, scale

    def _update_where_finite(self, overflows, loss, grads, inputs):
        def update():
            self._updated(loss, grads, 1.0, inputs)

        branch(overflows, lambda: None, update, ())

    def _by_groups(self, loss, grads, inputs):
        manager, unscaled, count = self.loss_scaling_manager, [None] * len(grads), 0
        for i, names in enumerate(self._groups):
            mine = [n for n, p in enumerate(self.weights) if p.name in names]
            scale = manager.dynamic_loss_scale[i + 1] * 1.0
            for n in mine:
                unscaled[n] = grads[n] / scale.astype(grads[n].dtype)
            overflows = self.get_overflow_status(None, [grads[n] for n in mine])
            ratio = ops.where(overflows, _SHRINK, _GROW).astype(float32)
            manager.update_loss_scale_status(i, ratio)
            count = count + overflows.astype(int32)
        self._update_where_finite(count > 0, loss, tuple(unscaled), inputs)
        return loss, count, manager.dynamic_loss_scale[1] * 1.0
