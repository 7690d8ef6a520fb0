"""Cells as packages write them: overridden methods, parts in containers, subclassed layers."""

import inspect

import numpy as np
import pytest

import sporax
from sporax import Parameter, ParameterTuple, Tensor, jit, nn, ops

pytestmark = pytest.mark.usefixtures("on_numpy")


X = np.array([[1.0, -2.0], [0.5, 3.0], [0.0, 1.0]], np.float32)


@pytest.fixture(autouse=True)
def dynamic_mode():
    yield
    sporax.set_context(mode=sporax.PYNATIVE_MODE)


# methods that users override -------------------------------------------------------------------

# what is there to be overridden
MEANT = {"construct", "extend_repr", "get_extra_state", "set_extra_state"}


METHODS = [
    name
    for name, _ in inspect.getmembers(nn.Cell, inspect.isfunction)
    if not name.startswith("_") and name not in MEANT
]


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2)
        self.scale = Parameter(Tensor([1.0, 2.0]), name="scale")
        self.blocks = nn.SequentialCell([nn.Dense(2, 2), nn.Tanh()])

    def construct(self, x):
        return self.blocks(self.dense(x)) * self.scale


class Net(nn.Cell):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def construct(self, x):
        return self.inner(x).sum()


def _refuse(self, *args, **kwargs):
    raise AssertionError("sporax has called what a user overrides")


@pytest.fixture(scope="module")
def overridden():
    """A Cell that has its own version of every method there is."""
    return type("Overridden", (Block,), dict.fromkeys(METHODS, _refuse))


def test_no_overridden_method_is_called_while_a_network_is_used(overridden, tmp_path):
    inner = overridden()
    net, x = Net(inner), Tensor(X)
    weights = net.trainable_params()
    assert [p.name for p in weights] == [
        "inner.scale", "inner.dense.weight", "inner.dense.bias", "inner.blocks.0.weight",
        "inner.blocks.0.bias",
    ]  # fmt: skip
    step = nn.TrainOneStepCell(net, nn.Momentum(weights, 0.1, 0.9)).set_train()
    before = float(net(x))
    step(x)
    assert float(net(x)) < before
    np.testing.assert_allclose(float(jit(net)(x)), float(net(x)), rtol=1e-6)
    assert "Overridden" in repr(net)
    assert sporax.grad(inner)(x).shape == x.shape
    for saved in (net, inner):
        sporax.save_checkpoint(saved, str(tmp_path / "net.ckpt"))
        values = sporax.load_checkpoint(str(tmp_path / "net.ckpt"))
        assert sporax.load_param_into_net(saved, values) == ([], [])
    net.set_train(False)
    nn.CellList([inner]), nn.SequentialCell(inner)
    net.update_parameters_name("outer.")
    net.check_names()
    assert sporax.check_grad(net, x)


def test_no_overridden_method_is_called_in_graph_mode_and_with_less_precision(overridden):
    inner = overridden()
    net, x = Net(inner), Tensor(X)
    full = float(net(x))
    sporax.set_context(mode=sporax.GRAPH_MODE)
    np.testing.assert_allclose(float(net(x)), full, rtol=1e-6)
    inner(x)
    sporax.set_context(mode=sporax.PYNATIVE_MODE)
    net.to_float(sporax.float16)
    np.testing.assert_allclose(float(net(x)), full, rtol=2e-2)
    sporax.amp.auto_mixed_precision(net, "O2")
    np.testing.assert_allclose(float(net(x)), full, rtol=2e-2)


def test_an_announced_gradient_calls_no_overridden_method():
    class Own(Block):
        get_parameters = trainable_params = parameters_and_names = _refuse

    net = Own()
    net.set_grad()
    net(Tensor(X))
    assert sporax.grad(net)(Tensor(X)).shape == X.shape


# where Cells are kept ---------------------------------------------------------------------------
class InContainers(nn.Cell):
    """Cells in a list and a dict, which are no sub-cells."""

    def __init__(self):
        super().__init__()
        self.layers = [nn.Dense(2, 2), nn.Dense(2, 2)]
        self.by_name = {"last": nn.Dense(2, 1)}

    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.by_name["last"](x)


@pytest.mark.executors
def test_cells_in_lists_and_dicts_run_but_are_no_parts():
    net, x = InContainers(), Tensor(X)
    assert not list(net.get_parameters()) and [n for n, _ in net.cells_and_names()] == [""]
    captured = jit(net)
    np.testing.assert_allclose(captured(x).asnumpy(), net(x).asnumpy(), rtol=1e-6)
    net.by_name["last"].weight.set_data(ops.zeros((1, 2)))
    np.testing.assert_allclose(captured(x).asnumpy(), net(x).asnumpy(), rtol=1e-6)
    net.layers[0] = nn.Dense(2, 2, weight_init="ones")
    np.testing.assert_allclose(captured(x).asnumpy(), net(x).asnumpy(), rtol=1e-6)


@pytest.mark.executors
def test_cells_in_closures_are_trained():
    inner = nn.Dense(2, 1, weight_init="zeros")
    outer = nn.Dense(1, 1, weight_init="ones")
    outer.update_parameters_name("outer.")
    weights = ParameterTuple([*inner.trainable_params(), *outer.trainable_params()])
    optimizer = nn.SGD(weights, 0.1)
    run = sporax.value_and_grad(lambda x: (outer(inner(x)) - 1).square().mean(), None, weights)

    def step(x):
        loss, gradients = run(x)
        optimizer(gradients)
        return loss

    step = jit(step)
    losses = [float(step(Tensor(X))) for _ in range(5)]
    assert losses == sorted(losses, reverse=True) and losses[-1] < losses[0]


# set before super().__init__() ---------------------------------------------------------------
EARLY = {
    "a Parameter": lambda: Parameter(Tensor([1.0]), name="w"),
    "a Cell": lambda: nn.Dense(1, 1),
    "a ParameterTuple": lambda: ParameterTuple([Parameter(Tensor([1.0]), name="w")]),
}


@pytest.mark.parametrize("make", EARLY.values(), ids=EARLY)
def test_parts_set_before_the_base_is_ready_are_an_attribute_error(make):
    class Early(nn.Cell):
        def __init__(self):
            self.part = make()
            super().__init__()

    with pytest.raises(AttributeError, match=r"'super\(\).__init__\(\)' must be called before"):
        Early()


@pytest.mark.parametrize("value", [3, [nn.Tanh()], {"a": 1}, Tensor([2.0])], ids=str)
def test_plain_attributes_may_be_set_before_the_base_is_ready(value):
    class Early(nn.Cell):
        def __init__(self):
            self.kept = value
            super().__init__()

        def construct(self, x):
            return x

    cell = Early()
    assert cell.kept is value and float(cell(Tensor(1.0))) == 1


def test_a_base_that_is_never_made_ready_is_named():
    class Never(nn.Cell):
        def __init__(self):
            pass

    with pytest.raises(AttributeError, match="has not called 'super"):
        Never()(Tensor(1.0))


def test_subclasses_call_the_primitives_of_their_layers():
    """Each layer's own Primitive, called by a subclass, computes what the layer does."""

    class Standardized(nn.Conv2d):
        def construct(self, x):
            y = self.conv2d(x, self.weight)
            return self.bias_add(y, self.bias) if self.has_bias else y

    class Written(nn.Dense):
        def construct(self, x):
            y = self.matmul(self.reshape(x, (-1, self.shape_op(x)[-1])), self.weight)
            return self.reshape(self.bias_add(y, self.bias), (*self.shape_op(x)[:-1], -1))

    class Channels(nn.LayerNorm):
        def construct(self, x):
            y, _, _ = self.layer_norm(x, self.gamma, self.beta)
            return y

    class Fixed(nn.BatchNorm2d):
        def construct(self, x):
            moving = self.moving_mean, self.moving_variance
            return self.bn_infer(x, self.gamma, self.beta, *moving)[0]

    class Mean(nn.LossBase):
        def construct(self, x, y):
            return self.reduce_mean(self.cast(self.mul(x - y, x - y), sporax.float32))

    image = Tensor(np.random.default_rng(0).normal(size=(2, 3, 5, 5)).astype(np.float32))
    rows = [
        (Standardized, (3, 4, 3), {"stride": 2, "pad_mode": "pad", "padding": 1, "has_bias": True}),
        (Written, (5, 4), {}),
        (Channels, ((5,),), {}),
        (Fixed, (3,), {}),
    ]
    for kind, args, named in rows:
        layer = kind(*args, **named)
        expected = kind.__mro__[1].construct(layer, image).asnumpy()
        np.testing.assert_allclose(layer(image).asnumpy(), expected, rtol=1e-5, atol=1e-6)
        assert "conv2d" not in layer.__dict__ and len(kind._on_request) > 0
    assert Mean()(Tensor([1.0, 3.0]), Tensor([0.0, 1.0])).asnumpy() == 2.5


def test_what_a_layer_makes_on_request_can_be_set_by_a_subclass():
    class Own(nn.Dense):
        def __init__(self):
            super().__init__(2, 2)
            self.matmul = nn.Identity()

        def construct(self, x):
            return self.matmul(x)

    assert Own()(Tensor(X)).shape == X.shape


def test_a_number_is_assigned_to_a_parameter_without_dimensions():
    class Counter(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = Parameter(Tensor(0, sporax.int32), name="count")

        def construct(self, x):
            self.count += 1
            if self.count >= 3:
                self.count = 0
            return x + self.count

    for run in (lambda f: f, jit):
        counter = Counter()
        held, call = counter.count, run(counter)  # a warning, of a graph that breaks, is an error
        assert [int(call(Tensor(0))) for _ in range(7)] == [1, 2, 0, 1, 2, 0, 1]
        assert counter.count is held
    with pytest.raises(TypeError, match="attribute 'weight' is that of a Parameter"):
        nn.Dense(2, 2).weight = 0


@pytest.mark.executors
@pytest.mark.parametrize("mode", [sporax.PYNATIVE_MODE, sporax.GRAPH_MODE])
def test_parts_of_a_cell_may_be_named_in_its_slots(mode):
    sporax.set_context(mode=mode)

    class Scaled(nn.Cell):
        __slots__ = ("dense", "scale", "shift", "weights")

        def __init__(self):
            super().__init__()
            self.shift = self.scale = 2.0
            self.scale = Parameter(Tensor([3.0]), name="scale")
            self.weights = sporax.ParameterTuple([Parameter(Tensor([0.5]), name="half")])
            self.dense = nn.Dense(1, 1, weight_init="ones", has_bias=False)

        def construct(self, x):
            return self.dense(x) * self.scale + self.weights[0] + self.shift

    net, x = Scaled(), Tensor([[1.0]])
    assert [p.name for p in net.trainable_params()] == ["scale", "half", "dense.weight"]
    assert float(net(x)) == 5.5
    net.scale = Tensor([4.0])
    assert float(net(x)) == 6.5
    gradients = sporax.grad(net, None, net.trainable_params())(x)
    assert [float(g) for g in gradients] == [1.0, 1.0, 4.0]
