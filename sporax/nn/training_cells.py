"""A network with its loss, and one step of training as a Cell."""

from sporax.autodiff import GradOperation
from sporax.core.tensor import Tensor
from sporax.nn.cell import Cell
from sporax.nn.parameter_tuple import ParameterTuple


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
        """The network without the loss."""
        return self._backbone

    def construct(self, data, label):
        return self._loss_fn(self._backbone(data), label)


class WithEvalCell(Cell):
    """$(loss(y, label), y, label)$ with $y = network(data)$.

    `add_cast_fp32`: whether the output and the label are cast to float32 before the loss.

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
            outputs, label = outputs.float(), label.float()
        return self._loss_fn(outputs, label), outputs, label


class WithGradCell(Cell):
    """The gradients of all weights of $loss(network(data), label)$, or of $network(...)$ without
    `loss_fn`. `sens`: the gradient of the output to start from.

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

    `weights`: the Parameters to differentiate by, with `get_by_list`; `get_all`: by all inputs;
    neither: by the first input; `sens_param`: the last input is the gradient of the output.

    >>> net = nn.Dense(2, 1)
    >>> step = nn.ForwardValueAndGrad(net, net.trainable_params(), get_by_list=True)
    >>> value, grads = step(ops.ones((3, 2)))
    >>> value.shape, [g.shape for g in grads]
    ((3, 1), [(1, 2), (1,)])
    """

    def __init__(self, network, weights=None, get_all=False, get_by_list=False, sens_param=False):
        super().__init__(auto_prefix=False)
        self.grad = GradOperation(get_all, get_by_list, sens_param)
        if get_by_list and not isinstance(weights, (tuple, list)):
            raise TypeError(
                "For 'ForwardValueAndGrad' with get_by_list=True, 'weights' must be a "
                f"ParameterTuple, tuple or list, but got {type(weights).__name__}."
            )
        self.network = network
        self.weights = ParameterTuple(weights) if get_by_list else None
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def construct(self, *inputs):
        return self.grad.with_value(self.network, self.weights)(*inputs)


class Identity(Cell):
    """The gradients unchanged: there are no other devices."""

    def construct(self, x):
        return x


class DistributedGradReducer(Cell):
    """The gradients, summed or averaged over all processes: of one process, its own.

    `parameters`: those that the gradients belong to. `mean`: whether they are averaged. `degree`:
    of how many processes, 1. `fusion_type`, `group`: accepted. Raises NotImplementedError for
    another `degree`.

    >>> nn.DistributedGradReducer([])((Tensor([1.0]),))[0].asnumpy()
    array([1.], dtype=float32)
    """

    def __init__(self, parameters, mean=None, degree=None, fusion_type=1, group="hccl_world_group"):
        super().__init__(auto_prefix=False)
        if mean is not None and not isinstance(mean, bool):
            raise TypeError(
                "For 'DistributedGradReducer', 'mean' must be a bool or None, but got "
                f"{type(mean).__name__}."
            )
        if degree is not None and (not isinstance(degree, int) or degree < 1):
            raise ValueError(
                "For 'DistributedGradReducer', 'degree' must be a positive int or None, but got "
                f"{degree!r}."
            )
        if degree not in (None, 1):
            raise NotImplementedError(
                f"sporax has no training on several processes yet, but 'degree' is {degree}."
            )
        self.mean, self.degree, self.group = bool(mean), 1, group

    def construct(self, grads):
        return grads


class TrainOneStepCell(Cell):
    """One step of training: the gradients of `network`'s output (the loss), then `optimizer`.

    Called with the network's inputs; returns the loss, or with `return_grad` (loss, {parameter's
    name: gradient}). `sens`: a number that the gradients start from, 1 by default.

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
        self.reducer_flag = False
        self.grad_reducer = Identity()

    def construct(self, *inputs):
        sens = self.sens.reshape(()) if isinstance(self.sens, Tensor) else self.sens
        loss, gradients = self.grad.with_value(self.network, self.weights)(*inputs, sens)
        gradients = self.grad_reducer(gradients)
        self.optimizer(gradients)
        if self.return_grad:
            return loss, {p.name: g for p, g in zip(self.weights, gradients, strict=True)}
        return loss
