"""Names that scripts use often and no family's rows call: each against NumPy, or what it is for."""

import numpy as np
import pytest

import sporax
from sporax import Parameter, Tensor, jit, nn, ops

X = np.array([[1.0, -2.0, 3.5], [0.5, 0.0, -1.5]], np.float32)
IMAGE = np.arange(4.0, dtype=np.float32).reshape(1, 1, 2, 2)
AT = np.array([[0, 1], [1, 2]], np.int32)


def _updated():
    expected = X.copy()
    expected[0, 1], expected[1, 2] = 7, 8
    return expected


def _added():
    expected = X.copy()
    expected[0, 1] += 7
    expected[1, 2] += 8
    return expected


# an expression with x = Tensor(X) and p = Parameter(X), and what it gives
ROWS = [
    ("x.data", X),
    ("p.data", X),
    ("p.value()", X),
    ("x.data_sync()", None),
    ("x.contiguous()", X),
    ("x.repeat_interleave(2, dim=1)", np.repeat(X, 2, 1)),
    ("x.repeat_interleave(2, axis=0)", np.repeat(X, 2, 0)),
    ("x.repeat_interleave(2)", np.repeat(X, 2)),
    ("image.unfold((2, 1))", IMAGE.reshape(1, 2, 2)),
    ("image.unfold(2, padding=1, stride=2).sum()", IMAGE.sum()),
    ("ops.zeros((1, 4, 1)).fold((2, 2), 2)", np.zeros((1, 1, 2, 2))),
    ("nn.MaxPool2d(2, 1, 'pad', [1, 0])(image)", np.float32([[[[1], [3], [3]]]])),
    ("nn.AvgPool2d(2, 2, 'pad', [1, 1], count_include_pad=False)(image)", IMAGE),
    # what does not drop anything does not look at axes, as in MindSpore
    ("nn.Dropout1d()(ops.ones((2, 3, 4, 5))).sum()", 120),
    ("nn.Dropout2d()(x)", X),
    ("ops.dropout3d(x, 0.5, False)", X),
    ("ops.ScalarSummary()('loss', x)", None),
    ("ops.HistogramSummary()('weights', x)", None),
    ("x.dim()", 2),
    ("x.numel()", 6),
    ("x.itemsize", 4),
    ("x.nbytes", 24),
    ("x.strides", (12, 4)),
    ("x.new_ones((2,))", np.ones(2, np.float32)),
    ("x.expand_as(ops.zeros((2, 2, 3)))", np.broadcast_to(X, (2, 2, 3))),
    ("x.view_as(ops.zeros((3, 2)))", X.reshape(3, 2)),
    ("x.reshape_as(ops.zeros((6,)))", X.reshape(6)),
    ("x.type_as(Tensor([1]))", X.astype(np.int64)),
    ("Tensor([1.0, 3.0]).searchsorted(Tensor([2.0]))", np.array([1])),
    ("ops.depend(x, x + 1)", X),
    ("ops.Depend()(x, x + 1)", X),
    ("ops.identity(x)", X),
    ("ops.multiply(x, 2)", X * 2),
    ("ops.true_divide(x, 2)", X / 2),
    ("ops.reduce_max(x)", X.max()),
    ("ops.baddbmm(ops.ones((1, 2, 2)), x[None], x.T[None])", 1 + X[None] @ X.T[None]),
    ("ops.Shape()(x)", (2, 3)),
    ("ops.DType()(x)", sporax.float32),
    ("ops.Size()(x)", 6),
    ("ops.OnesLike()(x)", np.ones_like(X)),
    ("ops.Flatten()(ops.ones((2, 3, 4)))", np.ones((2, 12), np.float32)),
    ("ops.Pad(((0, 1), (2, 0)))(x)", np.pad(X, ((0, 1), (2, 0)))),
    ("ops.ScalarToArray()(2.5)", np.float32(2.5)),
    ("ops.scalar_to_array(2.5)", np.float32(2.5)),
    ("ops.TupleToArray()((1, 2, 3))", np.array([1, 2, 3])),
    ("ops.make_range(0, 6, 2)", (0, 2, 4)),
    ("ops.ResizeNearestNeighbor((4, 4))(image)", IMAGE.repeat(2, 2).repeat(2, 3)),
    ("ops.ResizeBilinearV2(True)(image, (3, 3))[0, 0, 1]", np.array([1.0, 1.5, 2.0])),
    ("ops.AssignAdd()(p, x)", X + X),
    ("ops.ScatterNdUpdate()(p, at, Tensor([7.0, 8.0]))", _updated()),
    ("ops.ScatterNdAdd()(p, at, Tensor([7.0, 8.0]))", _added()),
    ("ops.Unique()(Tensor([3, 1, 3]))[0]", np.array([3, 1])),
    ("ops.Addcmul()(x, x, x, Tensor(2.0))", X + 2 * X * X),
    ("ops.BatchNorm()(one, *four)[0]", np.ones((1, 4)) / np.sqrt(1 + 1e-5)),
    ("ops.ReLU().set_device('CPU').shard(((1, 1),))(x)", np.maximum(X, 0)),
    ("ops.ReLU().add_prim_attr('fast', True).fast", True),
]


@pytest.mark.executors
@pytest.mark.parametrize("text, wanted", ROWS, ids=[text for text, _ in ROWS])
def test_a_name_gives_what_it_says(text, wanted):
    names = {
        "ops": ops,
        "nn": nn,
        "Tensor": Tensor,
        "x": Tensor(X),
        "p": Parameter(Tensor(X), name="p"),
    }
    names |= {"image": Tensor(IMAGE), "at": Tensor(AT), "one": ops.ones((1, 4))}
    names["four"] = [ops.ones((4,)), ops.zeros((4,)), ops.zeros((4,)), ops.ones((4,))]
    result = eval(text, names)
    if isinstance(result, Tensor):
        assert result.shape == np.shape(wanted)
        np.testing.assert_allclose(result.asnumpy(), wanted, 1e-6)
    else:
        assert result == wanted


def test_settings_of_the_process():
    sporax.set_seed(7)
    assert sporax.get_seed() == 7
    sporax.set_device("CPU")
    assert sporax.get_context("device_target") == "CPU" and Tensor(X).device.startswith("CPU")
    x = Tensor(X)
    assert x.flush_from_cache() is None


def test_settings_of_a_cell_change_no_number():
    net, x = nn.Dense(3, 2), Tensor(X)
    before = net(x).asnumpy()
    net.recompute()
    net.shard(((1, 1),))
    net.set_comm_fusion(2)
    net.init_parameters_data()
    net.set_inputs(x)
    np.testing.assert_array_equal(net(x).asnumpy(), before)
    np.testing.assert_allclose(jit(net)(x).asnumpy(), before, 1e-6)
    with pytest.raises(AttributeError, match="'construct' must be defined"):
        nn.Cell()(x)


def test_a_loss_of_ones_own():
    class Squared(nn.LossBase):
        def construct(self, logits, labels):
            return self.get_loss((logits - labels) ** 2)

    result = Squared()(Tensor(X), Tensor(X) * 0)
    np.testing.assert_allclose(float(result), (X**2).mean(), 1e-6)
    assert Squared("none")(Tensor(X), Tensor(X)).shape == X.shape
