"""The Cells that a training step is made of."""

import numpy as np

from tests.case_results import result_or_error
from tests.nn.cell_cases.registry import case, kind, leaf


def loss_net(ms):
    """The sum of (x w)^2 for the label 0; w is ones."""

    class Loss(ms.nn.Cell):
        def construct(self, y, label):
            return ((y - label) * (y - label)).sum()

    net = leaf(ms)
    return net, ms.nn.WithLossCell(net, Loss())


def batch(ms):
    return ms.Tensor(np.array([2.0, 1.0], np.float32)), ms.Tensor(np.zeros(2, np.float32))


def to_lists(result):
    if isinstance(result, (tuple, list)):
        return [to_lists(item) for item in result]
    if isinstance(result, dict):
        return {k: to_lists(v) for k, v in result.items()}
    return np.round(result.asnumpy().astype(np.float64), 5).tolist()


def one_step(ms, *sens, **options):
    net, with_loss = loss_net(ms)
    step = ms.nn.TrainOneStepCell(
        with_loss, ms.nn.SGD(net.trainable_params(), 0.125), *sens, **options
    )
    return to_lists(step(*batch(ms))), to_lists(net.w), kind(step.weights), step.training


@case
def training_step(ms):
    return one_step(ms)


@case
def training_step_scaled(ms):
    return [one_step(ms, s) for s in (2.0, 2)]


@case
def training_step_scaled_by_a_tensor(ms):
    return one_step(ms, ms.Tensor(np.float32(3.0))), one_step(
        ms, ms.Tensor([3.0], ms.dtype.float32)
    )


@case
def training_step_with_gradients(ms):
    return one_step(ms, return_grad=True), one_step(ms, 2.0, return_grad=True)


@case
def training_step_parts(ms):
    net, with_loss = loss_net(ms)
    step = ms.nn.TrainOneStepCell(with_loss, ms.nn.SGD(net.trainable_params(), 0.125))
    return (
        repr(with_loss), sorted(step.name_cells()), step.sens, step.reducer_flag, step.return_grad,
        [p.name for p in with_loss.trainable_params()], [p.name for p in step.weights],
        with_loss.backbone_network is net, with_loss.requires_grad,
    )  # fmt: skip


@case
def training_step_with_gradients_by_a_number(ms):
    return one_step(ms, return_grad=1)


@case
def evaluation(ms):
    net, with_loss = loss_net(ms)
    cell = ms.nn.WithEvalCell(net, with_loss._loss_fn)
    return repr(cell), to_lists(cell(*batch(ms)))


@case
def gradients_as_a_cell(ms):
    net, with_loss = loss_net(ms)
    loss, (x, y) = with_loss._loss_fn, batch(ms)
    return (
        to_lists(ms.nn.WithGradCell(net, loss)(x, y)),
        to_lists(ms.nn.WithGradCell(net, loss, sens=ms.Tensor(np.float32(2.0)))(x, y)),
        to_lists(ms.nn.WithGradCell(net)(x)), repr(ms.nn.WithGradCell(net)),
    )  # fmt: skip


@case
def values_and_gradients_as_a_cell(ms):
    _, net = loss_net(ms)
    (x, y), make, ws = batch(ms), ms.nn.ForwardValueAndGrad, net.trainable_params()
    two = ms.Tensor(np.float32(2.0))
    return (
        to_lists(make(net)(x, y)), to_lists(make(net, get_all=True)(x, y)),
        to_lists(make(net, ws, get_by_list=True)(x, y)),
        to_lists(make(net, ws, get_all=True, get_by_list=True)(x, y)),
        to_lists(make(net, ws, get_all=True, get_by_list=True, sens_param=True)(x, y, two)),
        result_or_error(lambda _: to_lists(make(net, get_by_list=True)(x, y)), ms),
        result_or_error(lambda _: to_lists(make(net, ws[0], get_by_list=True)(x, y)), ms),
        result_or_error(lambda _: to_lists(make(net, get_all=1)(x, y)), ms),
    )  # fmt: skip
