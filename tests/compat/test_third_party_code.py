"""What code written by others leans on without saying so: rows of habits met in real packages."""

import inspect

import numpy as np
import pytest

import sporax
from sporax import Parameter, ParameterTuple, Tensor, jit, nn, ops
from sporax.data import NumpySlicesDataset
from sporax.initializers import Initializer, initializer
from sporax.nn.learning_rate_schedule import LearningRateSchedule
from sporax.train import Metric

pytestmark = pytest.mark.usefixtures("on_numpy")

sporax.install_as_mindspore()
X = np.array([[1.0, -2.0], [0.5, 3.0], [0.0, 1.0]], np.float32)


@pytest.fixture(autouse=True)
def dynamic_mode():
    yield
    sporax.set_context(mode=sporax.PYNATIVE_MODE)


def test_a_parameter_is_a_tensor():
    parameter = Parameter(Tensor([1.0]), name="w")
    assert isinstance(parameter, Tensor) and issubclass(Parameter, Tensor)
    assert type(parameter * 2) is Tensor


def test_a_module_and_a_function_share_a_name():
    from mindspore.common import tensor
    from mindspore.common.tensor import Tensor as found

    assert found is Tensor and tensor([1.0]).shape == (1,)


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
    ask = sporax.value_and_grad(lambda x: (outer(inner(x)) - 1).square().mean(), None, weights)

    def step(x):
        loss, gradients = ask(x)
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


# subclasses ------------------------------------------------------------------------------------


def test_a_tensors_subclass_counts_as_one():
    class Own(Tensor):
        def doubled(self):
            return self * 2

    own = Own([1.0, 2.0])
    assert isinstance(own, Tensor) and type(own + 1) is Tensor
    np.testing.assert_array_equal(own.doubled().asnumpy(), [2, 4])
    np.testing.assert_array_equal(jit(lambda x: ops.exp(x) * 0)(own).asnumpy(), [0, 0])


def test_an_initializers_subclass_fills_an_array():
    class Own(Initializer):
        def __init__(self, value):
            super().__init__(value=value)
            self.value = value

        def _initialize(self, arr):
            arr[:] = self.value

    drawn = initializer(Own(3.0), [2], sporax.float32).init_data()
    np.testing.assert_array_equal(drawn.asnumpy(), [3, 3])
    np.testing.assert_array_equal(nn.Dense(2, 1, weight_init=Own(2.0)).weight.asnumpy(), [[2, 2]])


def test_a_schedules_subclass_drives_an_optimizer():
    class Own(LearningRateSchedule):
        def __init__(self, first):
            super().__init__()
            self.first = first

        def construct(self, global_step):
            return self.first / (1 + ops.cast(global_step, sporax.float32))

    weight = Parameter(Tensor([1.0]), name="w")
    optimizer = nn.SGD([weight], Own(0.5))
    for _ in range(2):
        optimizer((Tensor([1.0]),))
    np.testing.assert_allclose(weight.asnumpy(), [1 - 0.5 - 0.25])


@pytest.mark.executors
def test_an_optimizers_subclass_updates():
    class Own(nn.Optimizer):
        def __init__(self, params, learning_rate=0.1, sign=True):
            super().__init__(learning_rate, params)
            self.sign = sign
            self.moments = self.parameters.clone(prefix="moments", init="zeros")

        def construct(self, gradients):
            rate = self.get_lr()
            for p, m, g in zip(self.parameters, self.moments, gradients, strict=True):
                ops.assign(m, 0.5 * m + g)
                ops.assign_sub(p, rate * (ops.sign(m) if self.sign else m))
            return True

    net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
    optimizer = Own(net.trainable_params())
    for _ in range(2):
        assert optimizer((Tensor([[2.0, -3.0]]),))
    np.testing.assert_allclose(net.weight.asnumpy(), [[0.8, 1.2]], rtol=1e-6)
    assert [m.name for m in optimizer.moments] == ["moments.weight"]


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
    for kind, given, named in rows:
        layer = kind(*given, **named)
        wanted = kind.__mro__[1].construct(layer, image).asnumpy()
        np.testing.assert_allclose(layer(image).asnumpy(), wanted, rtol=1e-5, atol=1e-6)
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


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["dynamic", "captured"])
def test_gradients_are_accumulated_over_batches(run):
    """Against NumPy: Momentum's rule once in two calls, with the mean of the gradients."""
    from mindspore.boost.grad_accumulation import GradientAccumulation

    weight = Parameter(Tensor(X[0]), name="weight")
    momentum = nn.Momentum([weight], 0.1, 0.9)
    accumulate = GradientAccumulation(2, momentum)
    step = run(lambda loss, gradient: accumulate(loss, (gradient,)))
    wanted, moving = X[0].astype(float), np.zeros(2)
    for i in range(6):
        gradients = X[i % 3], X[(i - 1) % 3]
        step(Tensor(float(i)), Tensor(gradients[0]))
        if i % 2:
            moving = 0.9 * moving + np.mean(gradients, axis=0)
            wanted = wanted - 0.1 * moving
        np.testing.assert_allclose(weight.asnumpy(), wanted, rtol=1e-5)
    assert int(momentum.global_step.asnumpy()[0]) == 3


def test_an_optimizer_in_the_manner_of_model_zoos_updates():
    """It maps a function of many signatures over its Parameters, and counts steps itself."""
    rule = ops.MultitypeFuncGraph("rule")

    @rule.register("Tensor", "Tensor", "Tensor", "Tensor", "Bool", "Bool")
    def _update(rate, decay, parameter, gradient, decayed, used):
        if not used:
            return gradient
        if decayed:
            gradient = gradient + decay * parameter
        return ops.depend(True, ops.assign(parameter, parameter - rate * gradient))

    class Plain(nn.Optimizer):
        def get_lr(self):
            rate = self.learning_rate
            if self.dynamic_lr:
                rate = self.learning_rate(self.global_step).reshape(())
            if self._is_dynamic_lr_or_weight_decay():
                self.assignadd(self.global_step, self.global_step_increase_tensor)
            return rate

        @jit
        def construct(self, gradients):
            gradients = self._grad_sparse_indices_deduplicate(self.scale_grad(gradients))
            update = ops.partial(rule, self.get_lr(), self.get_weight_decay())
            lists = self.parameters, gradients, self.decay_flags, self.optim_filter
            done = self.hyper_map(update, *lists)
            if self.use_parallel:
                self.broadcast_params(done)
            return done

    weights = [Parameter(Tensor(X[0]), name="w"), Parameter(Tensor(X[1]), name="beta")]
    optimizer = Plain([0.5, 0.25], weights, weight_decay=0.1)
    for _ in range(2):
        optimizer((Tensor(X[1]), Tensor(X[2])))
    w, beta = X[0].astype(float), X[1].astype(float)
    for rate in (0.5, 0.25):
        w = w - rate * (X[1] + 0.1 * w)
        beta = beta - rate * X[2]
    for found, wanted in zip(weights, (w, beta), strict=True):
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6)


@pytest.mark.executors
@pytest.mark.parametrize("mode", [sporax.PYNATIVE_MODE, sporax.GRAPH_MODE])
@pytest.mark.parametrize("settings", [{}, {"use_nesterov": True}, {"use_amsgrad": True}], ids=str)
def test_a_step_written_anew_with_adams_own_update(mode, settings):
    sporax.set_context(mode=mode)

    class Own(nn.Adam):
        def construct(self, gradients):
            gradients = self.decay_weight(self.flatten_gradients(gradients))
            gradients = self.scale_grad(self.gradients_centralization(gradients))
            gradients = self._grad_sparse_indices_deduplicate(gradients)
            self.assignadd(self.global_step, self.global_step_increase_tensor)
            self.beta1_power *= self.beta1
            self.beta2_power *= self.beta2
            return self._apply_adam(
                self._parameters, self.beta1_power, self.beta2_power, self.moment1, self.moment2,
                self.get_lr(), gradients,
            )  # fmt: skip

    found = []
    for kind in (Own, nn.Adam):
        weights = [Parameter(Tensor([1.0, -2.0]), name=name) for name in "ab"]
        given = [{"params": weights[:1], "lr": 0.1, "weight_decay": 0.01}, {"params": weights[1:]}]
        optimizer = kind(given, 0.5, loss_scale=2.0, **settings)
        for step in range(3):
            optimizer((Tensor([0.5, 3.0 - step]), Tensor([-1.0, step + 1.0])))
        found.append([x.asnumpy() for x in (*weights, optimizer.global_step)])
    np.testing.assert_allclose(np.concatenate(found[0]), np.concatenate(found[1]), rtol=1e-6)


@pytest.mark.executors
def test_a_step_that_maps_a_function_over_gradients_and_parameters():
    class Descent(nn.Optimizer):
        def construct(self, gradients):
            down = ops.MultitypeFuncGraph("down")
            down.register("Tensor", "Tensor", "Tensor")(lambda r, g, p: ops.assign_sub(p, r * g))
            down = ops.partial(down, self.get_lr())
            return self.hyper_map_reverse(down, gradients, self._parameters)

    for name in ("map_", "map_reverse", "hyper_map", "hyper_map_reverse"):
        weight = Parameter(Tensor([1.0]), name="w")
        optimizer = Descent(0.5, [weight])
        assert getattr(optimizer, name)(lambda x: x + 1, (1, 2)) == (2, 3)
        optimizer((Tensor([0.5]),))
        assert weight.asnumpy() == 0.75
        assert not optimizer.use_parallel and optimizer.optim_filter == (True,)
        assert not optimizer._is_dynamic_lr_or_weight_decay()


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


def test_a_metrics_subclass_is_evaluated():
    class Largest(Metric):
        def __init__(self):
            super().__init__()
            self.clear()

        def clear(self):
            self.value = -np.inf

        def update(self, *inputs):
            predicted, _ = (self._convert_data(x) for x in inputs)
            self.value = max(self.value, float(predicted.max()))

        def eval(self):
            return self.value

    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    model = sporax.Model(net, nn.MSELoss(), metrics={"largest": Largest()})
    data = NumpySlicesDataset((X, X[:, :1]), ["x", "y"], shuffle=False).batch(1)
    assert model.eval(data) == {"largest": 3.5}


def test_a_primitives_subclass_keeps_its_attributes():
    class Scale(ops.PrimitiveWithInfer):
        @ops.prim_attr_register
        def __init__(self, factor=2, axis=-1):
            self.init_prim_io_names(inputs=["x"], outputs=["y"])

        def __call__(self, x):
            return x * self.factor

    scale = Scale(3)
    assert (scale.name, scale.factor, scale.axis) == ("Scale", 3, -1)
    assert repr(scale) == "Prim[Scale]<factor=3, axis=-1>"
    assert scale.get_attr_dict()["input_names"] == ["x"]
    assert float(jit(scale)(Tensor(2.0))) == 6 and float(sporax.grad(scale)(Tensor(2.0))) == 3


def test_a_primitive_without_a_kernel_says_what_to_write():
    class Nothing(ops.PrimitiveWithCheck):
        @ops.prim_attr_register
        def __init__(self):
            pass

        def infer_shape(self, x):
            return x

    with pytest.raises(NotImplementedError, match="For 'Nothing', '__call__' must be defined"):
        Nothing()(Tensor(1.0))


def test_functions_at_compile_time_run():
    from mindspore.ops import constexpr
    from mindspore.ops.primitive import _primexpr

    @constexpr
    def half(n):
        return n // 2

    @_primexpr
    def shape_of(x):
        return x[:-1]

    @jit
    def f(x):
        return x.reshape(shape_of((3, 2, 1)))[: half(2)]

    assert f(ops.zeros((6,))).shape == (1, 2)


# what course pages write ---------------------------------------------------------------------


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["dynamic", "jit"])
def test_partial_by_name(run):
    def both():
        less = ops.partial(lambda x, y: x - y, y=2)
        return less(x=5), less(7)

    assert run(both)() == (3, 5)


def test_positions_of_numbers_have_no_gradient():
    x, z = Tensor([2.0]), Tensor([3.0])

    def product(x, k, z):
        return x * k * z

    by_position = sporax.grad(product, (0, 1, 2))(x, 4, z)
    assert [g.asnumpy().tolist() for g in by_position] == [[12.0], [8.0]]
    named = sporax.grad(product, (0, 1, 2), return_ids=True)(x, 4, z)
    assert [i for i, _ in named] == [0, 2]
    with pytest.raises(TypeError, match="argument 1 must hold Tensors"):
        sporax.grad(product, 1)(x, 4, z)


def test_an_error_under_jit_is_told_once():
    class Wanting(nn.Cell):
        @jit
        def construct(self, x):
            return x + self.missing

    with pytest.raises(AttributeError, match="no attribute 'missing'") as raised:
        Wanting()(1)
    assert raised.value.__context__ is None


def test_inv_is_the_reciprocal():
    x = np.array([2.0, -4.0], np.float32)
    for found in (ops.inv(Tensor(x)), Tensor(x).inv()):
        np.testing.assert_array_equal(found.asnumpy(), 1 / x)


def test_a_primitive_that_is_told_how_to_run_is_the_same():
    relu = ops.ReLU().recompute().set_stage(0).set_prim_instance_name("first").set_device("CPU")
    assert relu.recompute(False) is relu and relu.attrs["recompute"] is False
    assert relu(Tensor([-1.0, 2.0])).asnumpy().tolist() == [0.0, 2.0]
