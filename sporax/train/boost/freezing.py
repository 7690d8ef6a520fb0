"""Training with the first layers frozen in some of the steps."""

import itertools

import numpy as np

from sporax._src.core.dtype import int32
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.optim import Optimizer
from sporax.nn.cell import Cell
from sporax.nn.parameter_tuple import ParameterTuple
from sporax.nn.training_cells import DistributedGradReducer, Identity
from sporax.train.boost.parameter_groups import OptimizerProcess, ParameterProcess
from sporax.train.gradient_accumulation import GradientAccumulation

CONTINUOUS, INTERVAL = 0, 1


class FreezeOpt(Cell):
    """Optimizers like `opt`, one per group of parameters in `train_parameter_groups` (default: one
    group with all parameters); `train_strategy` selects the group of each step: ints, or a 1-d
    Int32 Tensor.

    >>> net = nn.Dense(2, 3)
    >>> groups = [net.trainable_params(), [net.bias]]
    >>> frozen = FreezeOpt(nn.SGD(net.trainable_params(), 0.1), groups, [0, 1, 1])
    >>> [len(opt.parameters) for opt in frozen.opts]
    [2, 1]
    """

    def __init__(self, opt, train_parameter_groups=None, train_strategy=None):
        super().__init__()
        kinds.instance(Optimizer, "an-optimizer")("FreezeOpt", opt=opt)
        fits = train_strategy is None or train_parameter_groups is not None
        require(
            fits,
            "come-with",
            "FreezeOpt",
            argument="train_strategy",
            other="train_parameter_groups",
        )
        groups = [tuple(opt.parameters)]
        if train_parameter_groups is not None:
            kind = kinds.instance((tuple, list), "sequences")
            for group in (train_parameter_groups, *train_parameter_groups):
                kind("FreezeOpt", train_parameter_groups=group)
            groups = train_parameter_groups
        self.train_strategy = _strategy(train_strategy)
        process = OptimizerProcess(opt)
        self.opt_class, self.opt_init_args = process.opt_class, process.opt_init_args
        self.single_opt, self.learning_rate = process.single_opt, process.learning_rate
        self.is_lars, self.parameters = process.is_lars, process.single_opt.parameters
        self.dynamic_lr, self.groups_num = process.single_opt.dynamic_lr, len(groups)
        rates = self._rates()
        self.opts = []
        for index, params in enumerate(groups):
            process.learning_rate = rates.get(index) or self.learning_rate
            new = process.optimizer_of(params)
            for parameter in new.get_parameters():
                if not any(parameter is p for p in new.parameters):
                    parameter.name = f"boost_{index}.{parameter.name}"
            self.opts.append(new)

    def _rates(self):
        """Return {group: learning rates of the steps that use it}."""
        rates = {}
        is_listed = self.dynamic_lr and isinstance(self.learning_rate, list)
        if is_listed and self.train_strategy is not None:
            for group, rate in zip(self.train_strategy.tolist(), self.learning_rate, strict=False):
                rates.setdefault(group, []).append(rate)
        return rates


def _strategy(given):
    """Return the group of each step as an Int32 Tensor, or None."""
    if given is None or isinstance(given, Tensor):
        if given is not None and (given.ndim != 1 or given.dtype != int32):
            raise rejection("int32-one-axis", "FreezeOpt", train_strategy=given.dtype,
                            shape=given.shape)  # fmt: skip
        return given
    kind = kinds.instance((tuple, list), "tensor-ints-or-none")
    kind._replace(is_in_range=lambda groups: all(isinstance(group, int) for group in groups))(
        "FreezeOpt", train_strategy=given
    )
    return Tensor(list(given), int32)


class GradientFreeze:
    """Freezes the first parameters of a network in some of the steps.

    `param_groups`: the number of groups, each of which omits more of the first parameters.
    `freeze_type`: 0, all groups in sequence after steps with all parameters ('00001234'), or 1,
    randomly drawn groups in between ('01020304'). `freeze_p`: the share of steps with all
    parameters. `total_steps`: the number of planned steps.

    >>> freeze = GradientFreeze(3, 0, 0.5, 6)
    >>> freeze.generate_freeze_index_sequence(3, 0, 0.5, 6)
    [0, 0, 1, 2, 0, 0, 1, 2]
    """

    def __init__(self, param_groups, freeze_type, freeze_p, total_steps):
        kinds.POSITIVE_INT("GradientFreeze", param_groups=param_groups, total_steps=total_steps)
        kinds.INSIDE_ONE("GradientFreeze", freeze_p=freeze_p)
        kinds.one_of(CONTINUOUS, INTERVAL)("GradientFreeze", freeze_type=freeze_type)
        self._param_groups, self._freeze_type = param_groups, freeze_type
        self._freeze_p, self._total_steps = freeze_p, total_steps
        self.grad_reducer = Identity()

    def split_parameters_groups(self, net, freeze_para_groups_number):
        """Return the parameters of `net` from the first on, from a later one on, ...; parameters of
        norms and biases stay with the preceding weights."""
        blocks = []
        for p in net.trainable_params():
            joins = "bn" in p.name or "bias" in p.name
            if blocks and (joins or len(blocks[-1]) < 3):
                blocks[-1].append(p)
            else:
                blocks.append([p])
        stride = len(blocks) // freeze_para_groups_number
        return [
            list(itertools.chain.from_iterable(blocks[i * stride :]))
            for i in range(freeze_para_groups_number)
        ]

    def generate_freeze_index_sequence(
        self, parameter_groups_number, freeze_strategy, freeze_p, total_steps
    ):
        """Return the group of each step, for about 1 % more steps than planned."""
        count, groups = int(total_steps * 1.01), range(1, parameter_groups_number)
        if not groups:
            return [0] * count
        kinds.one_of(CONTINUOUS, INTERVAL)("GradientFreeze", freeze_strategy=freeze_strategy)
        if freeze_strategy == CONTINUOUS:
            zeros = int(freeze_p * len(groups) // (1 - freeze_p) + 0.5)
            cycle = [0] * zeros + list(groups)
            return cycle * -(-count // len(cycle))
        indices, odds = [0], np.array(groups) / sum(groups)
        while len(indices) < count:
            frozen = sum(index > 0 for index in indices)
            freeze = frozen / len(indices) < 1 - freeze_p
            indices.append(int(np.random.choice(groups[::-1], p=odds)) if freeze else 0)
        return indices

    def freeze_generate(self, network, optimizer):
        """Return the network, and a `FreezeOpt` for `optimizer`."""
        origin = optimizer.init_params["params"]
        groups = [
            ParameterProcess.generate_group_params(params, origin)
            for params in self.split_parameters_groups(network, self._param_groups)
        ]
        strategy = self.generate_freeze_index_sequence(
            self._param_groups, self._freeze_type, self._freeze_p, self._total_steps
        )
        return network, FreezeOpt(optimizer, groups, strategy)


class _TrainFreezeCell(Cell):
    """One training step for the parameters of one optimizer."""

    def __init__(self, net, sens, grad, reducer, accumulates, optimizer, steps):
        super().__init__(auto_prefix=False)
        self.net, self.sens, self.grad, self.grad_reducer = net, sens, grad, reducer
        self.opt, self.parameters = optimizer, ParameterTuple(optimizer.parameters)
        self.accumulation = GradientAccumulation(steps, optimizer) if accumulates else None

    def construct(self, *inputs):
        loss, grads = self.grad.with_value(self.net, self.parameters)(*inputs, self.sens)
        grads = self.grad_reducer(grads)
        if self.accumulation is not None:
            return self.accumulation(loss, grads)
        self.opt(grads)
        return loss


def freeze_cell(
    reducer_flag, network, optimizer, sens, grad, use_grad_accumulation, mean=None, degree=None,
    max_accumulation_step=1,
):  # fmt: skip
    """Return a Cell per optimizer of a `FreezeOpt`: one training step for its parameters.

    `network`: returns the loss. `sens`: the initial gradient. `grad`: a `GradOperation` with
    respect to Parameters, with `sens_param`. `use_grad_accumulation`: call the optimizer once every
    `max_accumulation_step` steps. `reducer_flag`, `mean`, `degree`: reduce gradients among
    processes, and how.

    >>> net = nn.WithLossCell(nn.Dense(2, 3), nn.MSELoss())
    >>> opt = FreezeOpt(nn.SGD(net.trainable_params(), 0.1))
    >>> grad = ms.ops.GradOperation(get_by_list=True, sens_param=True)
    >>> (step,) = freeze_cell(False, net, opt, 1.0, grad, False)
    >>> step(ops.ones((4, 2)), ops.ones((4, 3))).shape
    ()
    """
    process = ParameterProcess()

    def reducer(opt):
        if not reducer_flag:
            return Identity()
        return DistributedGradReducer(process.assign_parameter_group(opt.parameters), mean, degree)

    return tuple(
        _TrainFreezeCell(
            network, sens, grad, reducer(opt), use_grad_accumulation, opt, max_accumulation_step
        )
        for opt in optimizer.opts
    )
