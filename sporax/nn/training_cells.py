"""A network with its loss, and one training step as a Cell."""

from sporax._src.core.dtype import bfloat16, float16, float32
from sporax._src.core.tensor import Tensor
from sporax._src.devices.distributed.groups import member, world
from sporax._src.devices.distributed.parallel_context import ParallelMode, get_auto_parallel_context
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.transforms.autodiff import GradOperation
from sporax.nn.cell import CELL, Cell
from sporax.nn.cell_precision import cast_floats
from sporax.nn.parameter_tuple import ParameterTuple
from sporax.ops.communication import collectives
from sporax.ops.communication.groups import number_in
from sporax.ops.declare import PRIMITIVES


class WithLossCell(Cell):
    """$loss(backbone(data), label)$.

    >>> net = WithLossCell(Cell(), Cell())
    >>> net.backbone_network
    Cell()
    """

    def __init__(self, backbone, loss_fn):
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn

    @property
    def backbone_network(self):
        """Network without the loss."""
        return self._backbone

    def construct(self, data, label):
        return self._loss_fn(self._backbone(data), label)


class WithEvalCell(Cell):
    """$(loss(y, label), y, label)$ with $y = network(data)$.

    `add_cast_fp32`: cast a floating output and label to float32 before the loss.

    >>> evaluated = nn.WithEvalCell(nn.Dense(2, 1), nn.MSELoss())
    >>> loss, y, label = evaluated(ops.ones((3, 2)), ops.ones((3, 1)))
    >>> loss.shape, y.shape
    ((), (3, 1))
    """

    def __init__(self, network, loss_fn, add_cast_fp32=False):
        super().__init__(auto_prefix=False)
        self._network = network
        self._loss_fn = loss_fn
        self.add_cast_fp32 = add_cast_fp32

    def construct(self, data, label):
        outputs = self._network(data)
        if self.add_cast_fp32:
            outputs, label = cast_floats((outputs, label), float32)
        return self._loss_fn(outputs, label), outputs, label


class WithGradCell(Cell):
    """Gradients of $loss(network(data), label)$, or of $network(...)$ without `loss_fn`, with
    respect to all weights. `sens`: the cotangent of the output.

    >>> gradient = nn.WithGradCell(nn.Dense(2, 1), nn.MSELoss())
    >>> grads = gradient(ops.ones((3, 2)), ops.ones((3, 1)))
    >>> [g.shape for g in grads]
    [(1, 2), (1,)]
    """

    def __init__(self, network, loss_fn=None, sens=None):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.weights = ParameterTuple(network.trainable_params())
        self.sens = sens
        self.grad = GradOperation(get_by_list=True, sens_param=sens is not None)

    def construct(self, *inputs):
        inputs = inputs if self.sens is None else (*inputs, self.sens)
        return self.grad(self.network_with_loss, self.weights)(*inputs)


class ForwardValueAndGrad(Cell):
    """(outputs, gradients) of a network.

    `weights`: the Parameters to differentiate with respect to, with `get_by_list`; `get_all`: all
    inputs; neither: the first input; `sens_param`: the last input is the cotangent of the output.

    >>> net = nn.Dense(2, 1)
    >>> step = nn.ForwardValueAndGrad(net, net.trainable_params(), get_by_list=True)
    >>> value, grads = step(ops.ones((3, 2)))
    >>> value.shape, [g.shape for g in grads]
    ((3, 1), [(1, 2), (1,)])
    """

    def __init__(self, network, weights=None, get_all=False, get_by_list=False, sens_param=False):
        super().__init__(auto_prefix=False)
        require(
            callable(network),
            "must-be-type",
            "ForwardValueAndGrad",
            network=network,
            kind="a-function-or-cell",
        )
        self.grad = GradOperation(get_all, get_by_list, sens_param)
        fits = not get_by_list or isinstance(weights, (tuple, list))
        require(fits, "weights-with-get-by-list", "ForwardValueAndGrad", weights=weights)
        self.network = network
        self.weights = ParameterTuple(weights) if get_by_list else None
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def construct(self, *inputs):
        return self.grad.with_value(self.network, self.weights)(*inputs)


class Identity(Cell):
    """Returns the gradients unchanged, for a single process."""

    def construct(self, x):
        return x


class DistributedGradReducer(Cell):
    """Sums or averages gradients over all processes.

    `parameters`: the Parameters of the gradients; gradients of `layerwise_parallel` ones are not
    reduced. `mean`: average them; default: `gradients_mean` of `set_auto_parallel_context`.
    `degree`: the number of processes. `fusion_type`: accepted; gradients are sent in buffers of up
    to 25 MB. `group`: a group name.

    >>> nn.DistributedGradReducer([])((Tensor([1.0]),))[0].asnumpy()
    array([1.], dtype=float32)
    """

    def __init__(self, parameters, mean=None, degree=None, fusion_type=1, group="hccl_world_group"):
        super().__init__(auto_prefix=False)
        who = "DistributedGradReducer"
        kinds.optional(kinds.BOOL)(who, mean=mean)
        self._ranks = member(group, who)
        size = self._ranks.size
        fits = degree in (None, size) and not isinstance(degree, bool)
        require(fits, "number-processes-none", who, degree=degree, size=size)
        self.mean = get_auto_parallel_context("gradients_mean") if mean is None else mean
        self.degree, self.group = self._ranks.size, group
        # for scripts that call it: `construct` reduces in buffers
        self.allreduce = PRIMITIVES["AllReduce"]("sum", group)
        self._is_kept = tuple([bool(p.layerwise_parallel) for p in parameters])

    def construct(self, grads):
        if self.degree == 1:
            return grads
        listed = [grads] if isinstance(grads, Tensor) else list(grads)
        kept = self._is_kept if len(self._is_kept) == len(listed) else (False,) * len(listed)
        shared = [i for i, is_kept in enumerate(kept) if not is_kept]
        halves = {i for i in shared if listed[i].dtype in (float16, bfloat16)}
        sent = [listed[i].astype(float32) if i in halves else listed[i] for i in shared]
        op = "avg" if self.mean else "sum"
        for i, total in zip(
            shared, collectives.all_reduce_together(sent, op, self._ranks), strict=True
        ):
            listed[i] = total.astype(listed[i].dtype) if i in halves else total
        return listed[0] if isinstance(grads, Tensor) else tuple(listed)


def is_data_parallel():
    """Return True if `set_auto_parallel_context` requests gradients over all processes."""
    return get_auto_parallel_context("parallel_mode") in (
        ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL
    )  # fmt: skip


def grad_reducer(parameters):
    """Return the gradient reducer of a training step, as set by `set_auto_parallel_context`."""
    return DistributedGradReducer(parameters) if is_data_parallel() else Identity()


def parameter_broadcast(net, layout=None, cur_rank=0, initial_rank=0):
    """Broadcast the Parameters of `net` from the process `initial_rank` to all processes.

    `layout`, `cur_rank`: accepted.

    >>> ms.parallel.parameter_broadcast(nn.Dense(2, 3), {})
    """
    CELL("parameter_broadcast", net=net)
    ranks = world()
    root = number_in("parameter_broadcast", "initial_rank", initial_rank, ranks)
    for parameter in net.get_parameters() if ranks.size > 1 else ():
        parameter.set_data(collectives.broadcast(parameter, root, ranks))


class TrainOneStepCell(Cell):
    """One training step: the gradients of `network`'s output (the loss), then `optimizer`.

    Called with the network's inputs; returns the loss, or with `return_grad` (loss, {parameter
    name: gradient}). `sens`: the initial gradient, a scalar, 1 by default. With
    `set_auto_parallel_context(parallel_mode='data_parallel')` gradients are reduced over all
    processes; with `parameter_broadcast=True` all start with the Parameters of the first process.

    >>> net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
    >>> step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    >>> step(ops.ones((3, 2)), ops.ones((3, 1))).shape
    ()
    """

    def __init__(self, network, optimizer, sens=None, return_grad=False):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        self.sens = 1.0 if sens is None else sens
        self.return_grad = return_grad
        self.parallel_mode = get_auto_parallel_context("parallel_mode")
        self.reducer_flag = is_data_parallel()
        self.grad_reducer = grad_reducer(self.weights)
        if self.reducer_flag and get_auto_parallel_context("parameter_broadcast"):
            parameter_broadcast(self)

    def construct(self, *inputs):
        sens = self.sens.reshape(()) if isinstance(self.sens, Tensor) else self.sens
        loss, gradients = self.grad.with_value(self.network, self.weights)(*inputs, sens)
        gradients = self.grad_reducer(gradients)
        self.optimizer(gradients)
        if self.return_grad:
            return loss, {p.name: g for p, g in zip(self.weights, gradients, strict=True)}
        return loss
