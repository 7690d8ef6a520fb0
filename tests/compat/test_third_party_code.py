"""What packages written for MindSpore use without saying so: subclasses, names."""

import numpy as np
import pytest

import sporax
from sporax import Parameter, Tensor, jit, nn, ops
from sporax._src.initializers import Initializer, initializer
from sporax.data import GeneratorDataset, NumpySlicesDataset
from sporax.train import Metric

pytestmark = pytest.mark.usefixtures("on_numpy")


sporax.install_as_mindspore()
X = np.array([[1.0, -2.0], [0.5, 3.0], [0.0, 1.0]], np.float32)


def test_a_parameter_is_a_tensor():
    parameter = Parameter(Tensor([1.0]), name="w")
    assert isinstance(parameter, Tensor) and issubclass(Parameter, Tensor)
    assert type(parameter * 2) is Tensor


def test_a_module_and_a_function_share_a_name():
    from mindspore.common import tensor
    from mindspore.common.tensor import Tensor as found

    assert found is Tensor and tensor([1.0]).shape == (1,)


# private names that MindSpore's Cell does not have: MindSPONGE's layers have
# a method `_compute`
@pytest.mark.parametrize("mode", [sporax.PYNATIVE_MODE, sporax.GRAPH_MODE])
def test_a_cells_subclass_has_private_names_of_its_own(mode):
    def own(self, _x):
        return self.dense(_x * self.w)

    names = [
        "compute",
        "call",
        "called",
        "adopt",
        "make_room",
        "static_state",
        "as_graph",
        "set_part",
    ]
    values = ["graph", "hooks", "flags", "precision"]

    class Own(nn.Cell):
        def __init__(self):
            super().__init__()
            for name in values:
                setattr(self, f"_{name}", 3)
            self.dense, self.w = nn.Dense(2, 1), Parameter(Tensor([1.0, 1.0]), name="w")

        def construct(self, x):
            return self._compute(x) * self._graph

    for name in names:
        setattr(Own, f"_{name}", own)
    sporax.set_context(mode=mode)
    net = Own()
    value = sporax.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    expected = 3 * (X @ net.dense.weight.asnumpy().T + net.dense.bias.asnumpy()).sum()
    np.testing.assert_allclose(value(Tensor(X))[0].asnumpy(), expected, rtol=1e-5, atol=1e-5)
    assert [getattr(net, f"_{name}") for name in values] == [3] * 4


def test_methods_of_an_optimizers_subclass():
    """Adaptive optimizers of libraries define helpers under such names."""

    class Own(nn.Adam):
        def __init__(self, parameters):
            super().__init__(parameters, 0.1)
            self._updates, self._prepared = 3, 4

        def _update(self):
            return self._updates

        _prepare = _take_all = _constructed_with = _update

    nets = [nn.Dense(2, 1, weight_init="ones") for _ in range(2)]
    for net, kind in zip(nets, (Own, lambda parameters: nn.Adam(parameters, 0.1)), strict=True):
        optimizer = kind(net.trainable_params())
        optimizer(tuple(p * 2 + 1 for p in net.trainable_params()))
    assert nets[0].weight.asnumpy().tolist() == nets[1].weight.asnumpy().tolist() != [[1.0, 1.0]]


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
    for result in (ops.inv(Tensor(x)), Tensor(x).inv()):
        np.testing.assert_array_equal(result.asnumpy(), 1 / x)


def test_a_primitive_that_is_told_how_to_run_is_the_same():
    relu = ops.ReLU().recompute().set_stage(0).set_prim_instance_name("first").set_device("CPU")
    assert relu.recompute(False) is relu and relu.attrs["recompute"] is False
    assert relu(Tensor([-1.0, 2.0])).asnumpy().tolist() == [0.0, 2.0]


def test_hyper_parallel_imports_the_planner_of_shardings():
    from sporax._src.mindspore.compat.alias import find

    guard, planner = (
        find("mindspore._c_expression", n) for n in ("NoFallbackGuard", "TensorTransform")
    )
    with guard(), pytest.raises(NotImplementedError, match="XLA takes their place"):
        planner.get_instance().transform_tensor_sharding([[2]], [[2]], [0], True, 0)


def test_the_arguments_of_an_optimizer_are_in_its_dict():  # MindSPONGE's copy of a wrapper
    net = nn.Dense(1, 1)
    rest = nn.Adam(net.trainable_params(), 0.1, beta1=0.8).__dict__["init_args"]
    assert rest["beta1"] == 0.8 and "learning_rate" not in rest and "params" not in rest


def test_a_source_of_rows_gets_indices_of_numpy():  # MindEarth's calls `.item()` on them
    class Source:
        def __getitem__(self, i):
            return np.float32(i.item())

        def __len__(self):
            return 2

    rows = GeneratorDataset(Source(), ["x"], shuffle=False).create_tuple_iterator(num_epochs=1)
    assert [x.item() for (x,) in rows] == [0, 1]
