"""`thor` against a reference in NumPy's float64, step by step, and what its layers keep."""

import itertools
import pathlib

import numpy as np
import pytest

import sporax
from sporax import nn, ops, train
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import dtype as dtypes
from sporax._src.core.random import set_seed
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff import value_and_grad
from sporax.data import NumpySlicesDataset

pytestmark = pytest.mark.usefixtures("on_numpy")

DIGITS = pathlib.Path(sporax.__file__).parent / "data" / "digits.npz"
RATE, DAMPING, MOMENTUM, DECAY, BATCH = 0.1, 0.03, 0.9, 0.05, 4


# the reference: layers as matrices, K-FAC's factors, momentum ---------------------------------


def blocks_inverse(matrix, damping, block=128):
    """The inverse of the diagonal blocks, zero elsewhere."""
    matrix = matrix + damping * np.eye(len(matrix))
    inverse = np.zeros_like(matrix)
    for i in range(0, len(matrix), block):
        at = np.s_[i : i + block, i : i + block]
        inverse[at] = np.linalg.inv(matrix[at])
    return inverse


def windows(x, kernel, stride, dilation, around):
    """(N, C, H, W) -> (N, H' W', C kh kw)."""
    x = np.pad(x, ((0, 0), (0, 0), *around))
    span = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    seen = np.lib.stride_tricks.sliding_window_view(x, span, (2, 3))
    seen = seen[:, :, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
    n, _, h, w, *_ = seen.shape
    return seen.transpose(0, 2, 3, 1, 4, 5).reshape(n, h * w, -1)


class Reference:
    """Steps of `thor` for one layer; `rows(x)`: the inputs (N, T, in) of its weight (out, in)."""

    def __init__(self, weight, rows, frequency, group=1):
        self.weight, self.rows, self.group = weight.astype(np.float64), rows, group
        self.frequency, self.moment, self.steps = frequency, 0.0, 0

    def step(self, x, d):
        """`d` (N, T, out): the gradient of the mean loss by the layer's result."""
        w = self.weight.reshape(self.group, len(self.weight) // self.group, -1)
        a = np.stack(np.split(self.rows(x), self.group, 2))
        d = np.stack(np.split(d, self.group, 2))
        places = a.shape[2]
        if self.steps % self.frequency == 0:
            a_factor = np.einsum("gnti,gntj->gij", a, a) / (BATCH * places)
            g_factor = np.einsum("gnti,gntj->gij", d, d) / (BATCH * places) * BATCH**2
            split = np.sqrt(DAMPING / places)
            self.inverses = [
                [blocks_inverse(m, split) / np.sqrt(places) for m in factor]
                for factor in (a_factor, g_factor)
            ]
        gradient = np.einsum("gnti,gntj->gij", d, a)
        natural = np.stack([g @ x @ a for a, g, x in zip(*self.inverses, gradient, strict=True)])
        self.moment = MOMENTUM * self.moment + natural + DECAY * w
        self.weight = (w - RATE * self.moment).reshape(self.weight.shape)
        self.steps += 1


def dense_rows(x):
    return x[:, None]


CONVOLUTIONS = {
    "same": ({}, ((1, 1), (1, 1))),
    "strides": ({"stride": (2, 1), "pad_mode": "valid"}, ((0, 0), (0, 0))),
    "padded": ({"pad_mode": "pad", "padding": (1, 0, 2, 1)}, ((1, 0), (2, 1))),
    "dilated": ({"dilation": 2, "pad_mode": "valid"}, ((0, 0), (0, 0))),
    "groups": ({"group": 2, "pad_mode": "valid"}, ((0, 0), (0, 0))),
}


def conv_case(name):
    options, around = CONVOLUTIONS[name]
    layer = nn.Conv2d(4, 6, 3, **options)
    sizes = layer.kernel_size, layer.stride, layer.dilation, around
    return layer, (4, 6, 5), lambda x: windows(x, *sizes), layer.group


CASES = {
    "Dense": lambda: (nn.Dense(5, 3, has_bias=False), (5,), dense_rows, 1),
    "blocks": lambda: (nn.Dense(150, 3, has_bias=False), (150,), dense_rows, 1),
    **{name: lambda name=name: conv_case(name) for name in CONVOLUTIONS},
}


def made(layer, **options):
    net = nn.SequentialCell(layer)
    options = {"weight_decay": DECAY, "batch_size": BATCH, "frequency": 2, **options}
    return net, nn.thor(net, Tensor(RATE), Tensor(DAMPING), MOMENTUM, **options)


def squares(net, weights, scale=1.0):
    """The mean over the examples of a sum of squares, whose gradient is easy by hand."""

    def loss(x):
        y = net(x)
        return (y * y * weights).sum() / BATCH * scale

    return loss


@pytest.mark.parametrize("name, scale", [*[(name, 1.0) for name in CASES], ("groups", 8.0)])
def test_steps_are_those_of_the_reference(name, scale):
    rng = np.random.default_rng(0)
    layer, shape, rows, group = CASES[name]()
    start = rng.normal(size=layer.weight.shape).astype(np.float32)
    layer.weight.set_data(Tensor(start))
    net, optimizer = made(layer, loss_scale=scale)
    reference = Reference(start.reshape(len(start), -1), rows, 2, group)
    for _ in range(3):
        x = rng.normal(size=(BATCH, *shape)).astype(np.float32)
        y = net(Tensor(x)).asnumpy()
        weights = rng.normal(size=y.shape[1:]).astype(np.float32)
        loss = squares(net, Tensor(weights), scale)
        optimizer(value_and_grad(loss, None, optimizer.parameters)(Tensor(x))[1])
        d = (2 * y * weights / BATCH).reshape(BATCH, y.shape[1], -1).transpose(0, 2, 1)
        reference.step(x.astype(np.float64), d.astype(np.float64))
        weight = net[0].weight.asnumpy().reshape(reference.weight.shape)
        np.testing.assert_allclose(weight, reference.weight, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("kind", ["Embedding", "EmbeddingLookup"])
def test_tables_are_preconditioned(kind):
    rng = np.random.default_rng(1)
    net = nn.SequentialCell(getattr(nn, kind)(6, 3))
    optimizer = nn.thor(net, Tensor(RATE), Tensor(DAMPING), 0.0, batch_size=2)
    table = net[0].embedding_table
    before = table.asnumpy().astype(np.float64)
    ids, weights = np.array([[1, 4, 1], [0, 5, 4]]), rng.normal(size=(2, 3, 3)).astype(np.float32)
    loss = lambda ids: (net(ids) * Tensor(weights)).sum() / 2  # noqa: E731
    optimizer(value_and_grad(loss, None, optimizer.parameters)(Tensor(ids, dtypes.int32))[1])
    d = weights.reshape(-1, 3).astype(np.float64) / 2
    counts, gradient = np.zeros(6), np.zeros((6, 3))
    np.add.at(counts, ids.ravel(), 1)
    np.add.at(gradient, ids.ravel(), d)
    root = np.sqrt(DAMPING)
    g = np.linalg.inv(d.T @ d / len(d) * 2**2 + root * np.eye(3))
    expected = before - RATE * (gradient / (counts / 2 + root)[:, None]) @ g
    np.testing.assert_allclose(table.asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_factors_are_those_of_rows_before_they_are_shortened():
    net = nn.EmbeddingLookupThor(4, 2, "ones", max_norm=1.0)
    grad = value_and_grad(lambda: (net(Tensor([1, 3])) * Tensor([[1.0, 0], [0, 2]])).sum(), None,
                          net.trainable_params())()[1][0].asnumpy()  # fmt: skip
    rows = grad[[1, 3]].astype(np.float64)
    np.testing.assert_allclose(net.matrix_g.asnumpy(), rows.T @ rows / 2, rtol=1e-2)
    assert abs(rows.sum()) < 1e-2  # shortened rows change along their direction alone by nothing


def test_layer_norms_are_scaled_and_biases_are_not():
    net = nn.SequentialCell(nn.LayerNorm((3,)), nn.Dense(3, 2, weight_init="ones"))
    optimizer = nn.thor(
        net, Tensor([RATE, 0.0]), Tensor([DAMPING, 1.0]), 0.0, enable_clip_grad=True
    )
    names = [p.name for p in optimizer.parameters]
    gradients = {p.name: np.full(p.shape, 0.3, np.float32) for p in optimizer.parameters}
    start = {p.name: p.asnumpy() for p in optimizer.parameters}
    optimizer(tuple(Tensor(gradients[name]) for name in names))
    for p in optimizer.parameters:
        change = (start[p.name] - p.asnumpy()) / RATE
        if "gamma" in p.name or "beta" in p.name:
            whole = np.full(3, 0.3 / (0.09 / 32 + np.sqrt(DAMPING)))
            np.testing.assert_allclose(change, whole / max(1, np.linalg.norm(whole)), rtol=1e-4)
        elif "bias" in p.name:
            np.testing.assert_allclose(change, gradients[p.name], rtol=1e-4)


# layers, conversion, models -------------------------------------------------------------------


def test_layers_keep_their_factors():
    """The example is MindSpore 2.10's, which has the same G and divides A by the channels."""
    x = Tensor(np.arange(6).reshape(2, 3).astype(np.float32))
    net = nn.DenseThor(3, 4, weight_init="ones")
    grad = value_and_grad(lambda x: (net(x) ** 2).sum())(x)[1]
    np.testing.assert_allclose(grad.asnumpy(), [[24.0] * 3, [96.0] * 3])
    np.testing.assert_allclose(net.matrix_g.asnumpy(), np.full((4, 4), 306.0))
    np.testing.assert_allclose(net.matrix_a.asnumpy() * 2 / 3, np.array(MINDSPORES_A), rtol=1e-6)
    net.add_flags_recursive(thor=False)
    net(x * 2)
    np.testing.assert_allclose(net.matrix_a.asnumpy()[0, 0], 4.5)


MINDSPORES_A = [[3, 4, 5], [4, 5.666667, 7.3333335], [5, 7.3333335, 9.666667]]


def every_kind():
    shared = nn.Dense(3, 3)
    frozen = nn.Dense(3, 3)
    frozen.weight.requires_grad = False
    return nn.SequentialCell(
        nn.Conv2d(1, 3, 2, pad_mode="valid", dilation=2, has_bias=True).to_float(dtypes.float16),
        nn.SequentialCell(shared, nn.Dense(3, 3, activation="tanh"), shared),
        nn.Conv1d(3, 3, 1), nn.Embedding(4, 3), nn.EmbeddingLookup(4, 3), frozen,
    )  # fmt: skip


def test_conversion_keeps_parameters_names_and_settings():
    net = every_kind()
    before = {id(p): p.name for p in net.get_parameters()}
    train.ConvertNetUtils().convert_to_thor_net(net)
    kinds = [type(cell).__name__ for cell in net.cells()]
    assert kinds == [
        "Conv2dThor", "SequentialCell", "Conv1d", "EmbeddingThor", "EmbeddingLookupThor", "Dense"
    ]  # fmt: skip
    assert {id(p): p.name for p in net.get_parameters() if id(p) in before} == before
    assert net[1][0] is net[1][2] and type(net[1][0]) is nn.DenseThor
    assert net[0].matrix_a_cov.name == "0.matrix_a" and net[1][1].matrix_g.name == "1.1.matrix_g"
    assert (net[0].dilation, net[0].has_bias, net[0].bias.name) == ((2, 2), True, "0.bias")
    assert net[0].get_flags()["fp16"] and net[1][1].activation_flag
    assert not any("matrix" in p.name for p in net.trainable_params())
    again = net[1][0]
    train.ConvertNetUtils().convert_to_thor_net(net)
    assert net[1][0] is again


def flags(optimizer):
    return {optimizer.thor, *[layer.thor for layer in optimizer._collecting]}


def test_frequency_in_a_loop_and_after_resuming():
    _, optimizer = made(nn.Dense(2, 1), frequency=3)
    seen = []
    for step in range(7):
        if step == 4:  # another process goes on from the saved step
            _, optimizer = made(nn.Dense(2, 1), frequency=3)
            optimizer.global_step.set_data(Tensor([step], dtypes.int32))
        else:
            seen.append(flags(optimizer))
        optimizer(tuple(ops.ones(p.shape) for p in optimizer.parameters))
    assert seen == [{True}, {False}, {False}, {True}, {False}, {True}]


@pytest.mark.parametrize("sink", [False, True])
def test_models_tell_steps_when_to_invert(sink):
    x = np.random.default_rng(0).normal(size=(12, 2)).astype(np.float32)
    data = NumpySlicesDataset((x, x[:, :1]), ["x", "y"], shuffle=False).batch(4)
    net, optimizer = made(nn.Dense(2, 1, weight_init="zeros"), frequency=2)
    model = train.Model(net, nn.MSELoss(), optimizer)
    convert = train.ConvertModelUtils.convert_to_thor_model
    model = convert(model, net, nn.MSELoss(), optimizer)
    inverses = [optimizer.matrix_a[0].asnumpy().ravel()]

    class Watch(train.Callback):
        def on_train_step_end(self, run_context):
            inverses.append(optimizer.matrix_a[0].asnumpy().ravel())

    model.train(2, data, [Watch()], dataset_sink_mode=sink)
    changed = [not np.array_equal(a, b) for a, b in itertools.pairwise(inverses)]
    assert changed == [True, False] * 3
    assert convert(3, net, optimizer=nn.SGD(net.trainable_params(), 0.1)) == 3


def test_captured_steps_are_dynamic_ones():
    histories = []
    for wrap in (lambda f: f, jit):
        layer = nn.Conv2d(1, 2, 3, weight_init="ones")
        net, optimizer = made(layer)
        grads = value_and_grad(squares(net, Tensor(1.0)), None, optimizer.parameters)
        step = wrap(lambda x, g=grads, o=optimizer: o(g(x)[1]))
        for i in range(3):
            optimizer.choose(i)
            step(ops.ones((BATCH, 1, 4, 4)) * (i + 1))
        histories.append(net[0].weight.asnumpy())
    np.testing.assert_allclose(*histories, rtol=1e-4)


REFUSED = {
    "learning_rate": (TypeError, {"learning_rate": 0.1}),
    "damping": (ValueError, {"damping": Tensor([0.1, 0.0])}),
    "momentum": (TypeError, {"momentum": 1}),
    "'momentum' must be a float of at least 0": (ValueError, {"momentum": -0.1}),
    "'frequency' must be an int of at least 2": (ValueError, {"frequency": 1}),
    "'frequency' must be an int": (TypeError, {"frequency": 2.0}),
    "weight_decay": (ValueError, {"weight_decay": -1.0}),
    "loss_scale": (ValueError, {"loss_scale": 0.0}),
    "batch_size": (TypeError, {"batch_size": "a"}),
    "use_nesterov": (TypeError, {"use_nesterov": 1}),
    "split_indices": (TypeError, {"split_indices": 3}),
}


@pytest.mark.parametrize("words", REFUSED)
def test_wrong_arguments(words):
    error, arguments = REFUSED[words]
    given = {"learning_rate": Tensor(0.1), "damping": Tensor(0.1), "momentum": 0.9, **arguments}
    with pytest.raises(error, match=words):
        nn.thor(nn.SequentialCell(nn.Dense(2, 1)), **given)


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 3, weight_init="xavier_uniform")
        self.conv2 = nn.Conv2d(6, 16, 3, weight_init="xavier_uniform")
        self.fc = nn.SequentialCell(
            nn.Dense(64, 120, "xavier_uniform", activation="relu"),
            nn.Dense(120, 84, "xavier_uniform", activation="relu"),
            nn.Dense(84, 10, "xavier_uniform"),
        )

    def construct(self, x):
        x = ops.max_pool2d(ops.relu(self.conv1(x)), 2, 2)
        return self.fc(ops.max_pool2d(ops.relu(self.conv2(x)), 2, 2).flatten(start_dim=1))


def losses(optimizer_of, steps, batch=64):
    set_seed(3)
    net = LeNet()
    optimizer = optimizer_of(net)
    with np.load(DIGITS) as file:
        images = file["images"][:, None].astype(np.float32) / 16
        labels = file["labels"].astype(np.int32)
    grads = value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
    order, seen = np.random.default_rng(0), []
    for _ in range(steps):
        at = order.integers(0, len(labels), batch)
        loss, gradients = grads(Tensor(images[at]), Tensor(labels[at]))
        optimizer(gradients)
        seen.append(float(loss))
    return np.mean(seen[-5:])


@pytest.mark.slow
def test_lenet_learns_faster_per_step_than_with_momentum():
    """Momentum with the best of its rates, `thor` with one."""
    momentum = min(
        losses(lambda n, r=r: nn.Momentum(n.trainable_params(), r, 0.9), 25) for r in (0.1, 0.3)
    )
    natural = losses(
        lambda n: nn.thor(n, Tensor(0.1), Tensor(0.03), 0.5, batch_size=64, frequency=2), 25
    )
    assert natural < momentum / 2, (natural, momentum)
