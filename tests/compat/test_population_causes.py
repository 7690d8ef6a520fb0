"""Calls by which MindSpore's own tests failed here, with MindSpore 2.10's results on a CPU."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.capture.graph_capture.executors import _pynative_executor
from sporax._src.mindspore.compat import (
    generated_functions,
    gradient_primitives,
    inner_primitives,
    private_functions,
    region_pooling,
    standard_method,
)
from sporax.ops.sparse import host_primitives

X = Tensor([1.0, 2.0])
NAN = float("nan")
SQUARES = Tensor((np.arange(32, dtype=np.float32) ** 2).reshape(1, 8, 2, 2))
REGION = Tensor([[[0.0], [0.6], [0.2], [2.6], [4.0]]])
HALVES = Tensor([[[1.1, 2.3, 3.7]]], ms.float16)
COO = ms.COOTensor(Tensor([[0, 1]]), Tensor([1.0]), (2, 3))
WHOLE = ms.COOTensor(Tensor([[0, 1]]), Tensor([1]), (2, 3))
BINS = Tensor([[[[1.0]]], [[[2.0]]]])
REGIONS = Tensor([[[0.0, 0.0], [0.6, 1.2], [0.2, 2.3], [2.6, 6.0], [4.0, 9.0]]])
PLANES = Tensor((np.arange(72, dtype=np.float32) % 7).reshape(1, 2, 6, 6))
ROIS = Tensor([[0.0, 1.0, 0.5, 5.0, 4.5]])
NAMES = {
    "ms": ms, "nn": nn, "ops": ops, "Tensor": Tensor, "X": X, "NAN": NAN, "G": gradient_primitives,
    "A": generated_functions, "I": inner_primitives, "S": standard_method, "F": private_functions,
    "R": region_pooling, "SQUARES": SQUARES,
    "REGION": REGION, "REGIONS": REGIONS, "BINS": BINS, "X64": X.astype(ms.float64),
    "HALVES": HALVES, "COO": COO, "WHOLE": WHOLE, "PLANES": PLANES, "ROIS": ROIS,
    "H": host_primitives,
}  # fmt: skip
ZERO = [0.0, 0.0]

VALUES = {
    # a result that describes Tensors is constant
    "ms.grad(lambda x: x.dtype)(X)": ZERO,
    "ms.grad(lambda x: x.shape)(X)": ZERO,
    "ms.grad(lambda x: 'text')(X)": ZERO,
    "ops.GradOperation(sens_param=True)(lambda x: x.dtype)(X, X.dtype)": ZERO,
    # NaN is neither larger nor smaller
    "ms.grad(ops.minimum, (0, 1))(Tensor([NAN, 1.0]), Tensor([1.0, 1.0]))": [[1, 0.5], [1, 0.5]],
    "ms.grad(ops.maximum, (0, 1))(Tensor([1.0, 3.0]), Tensor([NAN, 1.0]))": [[1, 1], [1, 0]],
    # operators in place return another Tensor
    "X.__isub__(Tensor([2.0, 2.0]))": [-1.0, 0.0],
    "X.__imod__(2)": [1.0, 0.0],
    "Tensor([1.0, 2.0]).__setitem__(0, 3.0)": [3.0, 2.0],
    # a truth value in an index is broadcast with arrays, and with another one
    "Tensor([[1, 2], [3, 4], [5, 6]])[True, [1, 2]]": [[3, 4], [5, 6]],
    "Tensor([[1, 2], [3, 4]])[[True, False], True]": [[1, 2]],
    "X[True, True]": [[1.0, 2.0]],
    "ops.adaptive_max_pool3d(Tensor([[[[1, 5], [2, 3]]]], ms.int32), 1)": [[[[5]]]],
    "ops.Conv2DTranspose(4, 1)(Tensor([[[[2.0]]]]), Tensor([[[[1.0, 3.0]]]]), (1, 1, 1, 2))": [
        [[[2.0, 6.0]]]
    ],
    "ops.Dropout2D(1.0)(Tensor([[[[2]]]], ms.int8))[0]": [[[[2]]]],
    "ops.Dropout3D(0.4)(ops.ones((1, 99, 1, 1, 1), ms.int32))[0].max()": 2,
    "ops.RandomChoiceWithMask(1, 0, -5)(Tensor([False, True]))[0]": [[1]],
    "ops.AssignAdd()(Tensor(1.0), Tensor([4]))": 5.0,
    "ops.AssignSub()(Tensor(1.0), Tensor([[4]]))": -3.0,
    "ops.Morph(lambda a, b=1: a * b, abs, abs)(X, b=3)": [3.0, 6.0],
    # half precision is rounded once: these are the nearest numbers to 1.9, 2.7667 and 3.2333
    "ops.ResizeLinear1D()(HALVES, (7,))": [
        [[1.099609375, 1.5, 1.900390625, 2.30078125, 2.767578125, 3.232421875, 3.69921875]]
    ],
    "ops.TopK(sorted=False)(X, 2)": [[1.0, 2.0], [0, 1]],
    "ops.UnsortedSegmentSum()(X, Tensor([1, 1]), Tensor([2]))": [0.0, 3.0],
    "ops.vmap(lambda x: ops.UniqueWithPad()(x, -1))(Tensor([[2, 1, 2], [5, 5, 5]]))": [
        [[2, 1, -1], [5, -1, -1]],
        [[0, 1, 0], [0, 0, 0]],
    ],
    # operators by name take `alpha`; pooled empty batches are empty
    "X.__isub__(Tensor([1.0, 0.5]), alpha=2)": [-1.0, 1.0],
    "X.__add__(other=Tensor([1.0, 0.5]), alpha=2)": [3.0, 3.0],
    "ops.adaptive_max_pool2d(ops.ones((0, 2, 3, 4)), (1, 2)).shape": (0, 2, 1, 2),
    "ops.fftshift(Tensor([1, 2, 3]), Tensor(0))": [3, 1, 2],
    "ops.Inv()(Tensor([1, -1, 2], ms.int32))": [1, -1, 0],
    # what stays is wrapped
    "ops.PadV3('circular')(Tensor([[[0.0, 1.0, 2.0]]]), (1, -1))": [[[1.0, 0.0, 1.0]]],
    "ms.numpy.cross(X, Tensor([[1.0, 2.0], [3.0, 4.0]]))": [0.0, -2.0],
    "ms.numpy.cross(X, Tensor([3.0, 4.0, 5.0]))": [10.0, -5.0, -2.0],
    # functions of private modules
    "S.take(X, Tensor([1]))": [2.0],
    "S.tensor_bool(X[0])": True,
    "F._infer_out_shape((5,), (6, 1))": [6, 5],
    "F._canonicalize_axis((-1, 0), 3)": [0, 2],
    "F._canonicalize_axis(-1, 3)": 2,
    # a weight of one output
    "ops.dense(Tensor([[1.0, 2.0]]), X, Tensor(0.5))": [5.5],
    "ops.Dense()(X, X)": 5.0,
    # integers of an activation
    "ops.SeLU()(Tensor([0, 1, 3, 10], ms.int32))": [0, 1, 3, 10],
    "ops.SeLU()(Tensor([0, 1, 3, 10], ms.int8))": [0, 1, 3, 10],
    # about one point for each pixel of a region
    "ops.ROIAlign(2, 2, 1.0, -1, 0)(PLANES, ROIS)": [
        [[[1.375, 2.5], [4.625, 1.375]], [[1.5, 3.5], [3.0, 1.5]]]
    ],
    "ops.LpNorm(0, 90)(Tensor([[0.338541], [-0.13]]))": [0.338541],
    "ops.PReLU()(Tensor(-0.75), Tensor([0.5]))": -0.375,
    "ops.randperm(Tensor([1]))": [0],
    "ops.tensor_scatter_div(Tensor([-7, 5, 9]), Tensor([[0], [1]]), Tensor([2, 2]))": [-3, 2, 9],
    "ms.mint.fix(Tensor([1.5, -1.5]))": [1.0, -1.0],
    # arguments by keyword have the last positions, in the order of the call
    "ms.grad(lambda a, b: a * a * b)(b=X, a=X * 3)": [9.0, 36.0],
    "ops.GradOperation(get_all=True)(lambda a, *, b: a * b)(X, b=X * 3)": [[3, 6], [1, 2]],
    # gradient Primitives; labels below 0 have slopes there
    "G.KLDivLossGrad('sum')(Tensor(-1.0), X, Tensor([-1.0, 1.0]))": [-1, 1],
    "A.tracev2_grad_op(Tensor(2.0), (2, 2))": [[2, 0], [0, 2]],
    "G.FractionalMaxPoolGrad(True)(PLANES[:, :1, :2].moveaxis(1, -1), X, "
    "Tensor([[[[1.0], [2.0]]]]), Tensor([0, 2]), Tensor([0, 3, 6]))[..., 0]": [
        [[0, 0, 0, 0, 0, 2], [1, 0, 0, 0, 0, 0]]
    ],
    "G.DeformableOffsetsGrad((1,) * 4, (0,) * 4, (1, 1))(Tensor([[[[2.0]]]]), PLANES[:, :1], "
    "Tensor([[[[0.5]], [[1.0]], [[3.0]]]]))[1]": [[[[-36.0]], [[15.0]], [[6.0]]]],
    # the last row of bins, 0 in MindSpore, agrees with its gradient
    "R.PSROIPooling(0.5, 2, 2)(SQUARES, REGION)": [
        [[[0, 16], [100, 196]], [[256, 400], [676, 900]]]
    ],
    "R.PSROIPoolingGrad((2, 3), 0.5, 1, 1)(BINS, REGIONS)": [[[[0.5, 0, 0], [0.5, 1, 1]]]],
}

REJECTED = {
    "ops.mm(ops.ones((1, 2)), 3)": (TypeError, "must be a Tensor"),
    "ops.select_scatter(ops.ones((2, 3)), Tensor([[1.0]]), 1, 0)": (ValueError, "'src' must have"),
    "ops.SquareSumAll()(X, X.astype(ms.float16))": (TypeError, "must be Tensors of one dtype"),
    "X[2]": (IndexError, "index 2 is out of bounds for dimension with size 2"),
    "X.__setitem__(Tensor([True]), 0.0)": (ValueError, "a mask must have the shape"),
    "X.__setitem__(Tensor([[True]]), 0.0)": (ValueError, "the index must have at most 1 part"),
    "ops.rank(1)": (TypeError, "'input_x' must be a Tensor"),
    "ops.UpsampleTrilinear3D()(ops.ones((1, 1, 2, 2, 2)), None, [1, 2, 3])": (
        TypeError,
        "'scales' must be .* a float",
    ),
    "ops.UpsampleTrilinear3D()(ops.ones((1, 1, 2, 2, 2), ms.int32), [1, 2, 3])": (
        TypeError,
        "a Tensor of a floating dtype",
    ),
    "H.SparseCountSparseOutput()(Tensor([[1, 1]]), Tensor([0]), Tensor([2, 1]), Tensor([1]))": (
        RuntimeError,
        "'indices' must be within 'dense_shape'",
    ),
    "H.SparseCountSparseOutput()(Tensor([[1, 0]]), Tensor([0]), Tensor([2, 1]), X)": (
        RuntimeError,
        "must have the same shape",
    ),
    "ops.swapdims(Tensor([[1]]), 0, (1,))": (TypeError, "'axis1' must be an int"),
    "ops.shape([X, X])": (TypeError, "must be a Tensor"),
    "ops.nanmean(Tensor([1, 2]))": (TypeError, "floating"),
    "X.clip(None, None)": (ValueError, "at least one of 'min' or 'max' must not be None"),
    "ops.slice_scatter(X, Tensor([1.0]), 0, 0, 2)": (ValueError, "'src' must have the shape"),
    "nn.CellList([nn.CellDict()])": (TypeError, "must be a single Cell, but got CellDict"),
    "nn.CellDict({'_scope': nn.ReLU()})": (KeyError, "a name without dots that Cell itself"),
    "nn.Pad(((0, 0),) * 5)": (ValueError, "for at most 4 axes"),
    "ops.grid_sample(ops.ones((1, 1, 2, 2)), ops.ones((1, 2, 2, 2), ms.float64))": (
        TypeError,
        "'grid' must be of the dtype of 'input'",
    ),
    "ops.slice(Tensor(1.0), (), ())": (ValueError, "at least 1 dimensions"),
    "ops.scatter_nd(Tensor(0), X, (3, 4))": (RuntimeError, "'indices' .* is a scalar"),
    "ops.Assert()(False, [X])": (RuntimeError, "assert failed: 'condition' is not true"),
    "ops.adaptive_max_pool3d(ops.ones((0, 3, 3, 4)), 1)": (RuntimeError, "must not be empty"),
    "Tensor(2**64)": (RuntimeError, "at most 64 bits"),
    "ms.scipy.linalg.eigh(Tensor([[1]], ms.int8))": (TypeError, "the dtype of 'a' must be Int32"),
    "X.__mul__(X, alpha=2)": (TypeError, "but got 'alpha'"),
    "ops.truncate_mod(Tensor([True]), Tensor([True]))": (TypeError, "must be numbers"),
    "ops.truncate_div(Tensor([True]), Tensor([True]))": (TypeError, "must be numbers"),
    "X.select(1.5, 0)": (TypeError, "must fit .*select.*, but got .float, int."),
    "ops.scatter_nd(Tensor([[0]]), X[:1], (-3,))": (ValueError, "'shape' must not be negative"),
    "ops.scatter_nd(Tensor([[0]]), X[:1], (2.0,))": (TypeError, "'shape' must be an int"),
    "ops.BroadcastTo((2, -1, 2))(X)": (ValueError, "size must not be negative"),
    "ops.Pad(((1, -1),))(X)": (ValueError, "'paddings' must be at least 0"),
    "ops.MirrorPad()(X, Tensor([[-1, 0]]))": (ValueError, "'paddings' must be at least 0"),
    "ms.Parameter(X, requires_grad=False).register_hook(abs)": (RuntimeError, "must require a"),
    "ops.RandomChoiceWithMask(2**31)(Tensor([True]))": (RuntimeError, "must be below 2[*][*]31"),
    "ops.Uniform()(Tensor([1]))": (TypeError, "'Uniform', 'dtype' must be a floating dtype"),
    "ops.coo_concat((COO, COO), 2)": (IndexError, "'concat_dim' must be an int in"),
    "ops.coo_concat((COO, COO), 1.0)": (TypeError, "'concat_dim' must be an int"),
    "ops.coo_concat((COO, WHOLE))": (TypeError, "must be Tensors of one dtype"),
    "ops.coo_concat((COO, ms.COOTensor(*COO.to_tuple()[:2], (3, 3))), 1)": (
        RuntimeError,
        "the sizes along axis 0 must be equal",
    ),
    "ops.SeLU()(Tensor([1], ms.int64))": (TypeError, "a Tensor of a floating dtype"),
    "I.SparseReshape()(Tensor([[0]]), Tensor([4]), Tensor([3, -1]))": (
        RuntimeError,
        "must be filled by the 4 elements",
    ),
    "R.PSROIPooling(0.5, 1.5, 2)": (TypeError, "'group_size' must be an int"),
    "R.PSROIPooling(0.5, 1, 2)(SQUARES, REGION)": (RuntimeError, "'features' must have shape"),
    "R.PSROIPooling(0.5, 2, 2)(SQUARES, X)": (RuntimeError, "'rois' must have shape"),
    "R.PSROIPoolingGrad(0, 0.5, 1, 1)": (ValueError, "'input_size' must be an int greater than 0"),
    "R.PSROIPoolingGrad(2, 0.5, 1, 1)(X64, REGION)": (
        TypeError,
        "the dtype of 'x'",
    ),
}


@pytest.mark.parametrize("call", VALUES)
def test_value(call):
    result = eval(call, NAMES)
    numbers = [np.asarray(t) for t in (result if isinstance(result, tuple) else (result,))]
    expected = VALUES[call]
    np.testing.assert_allclose(numbers if isinstance(result, tuple) else numbers[0], expected)


@pytest.mark.parametrize("call", REJECTED)
def test_error(call):
    error, words = REJECTED[call]
    with pytest.raises(error, match=words):
        eval(call, NAMES)


@pytest.mark.parametrize("positions", [(), 5])
def test_positions_that_no_argument_has_are_runtime_errors(positions):
    with pytest.raises(RuntimeError, match="'grad_position' must name"):
        ms.grad(ops.mul, positions)(X, X)


def test_positions_that_no_argument_has_are_index_errors_in_graphs():
    with pytest.raises(IndexError, match="'grad_position' must name"):
        ms.jit(ms.grad(ops.mul, 5))(X, X)


def test_private_functions_of_files_and_names(tmp_path):
    ms.save_checkpoint([{"name": "x", "data": X}], str(tmp_path / "x"), format="safetensors")
    loaded = private_functions._fast_load_file(str(tmp_path / "x.safetensors"))
    np.testing.assert_array_equal(loaded["x"], X.asnumpy())
    assert [private_functions._is_parameter_generated(n) for n in ("Parameter#1", "w")] == [
        True,
        False,
    ]


def test_hooks_of_unused_weights_get_zeros():
    seen, weight = [], ms.Parameter(X, name="w")
    weight.register_hook(lambda g: seen.append(g.tolist()) or g + 5)
    assert ms.grad(lambda x: x * 2, weights=[weight])(X)[1][0].tolist() == [5.0, 5.0]
    assert seen == [ZERO]


class Shift(ops.PrimitiveWithInfer):
    @ops.prim_attr_register
    def __init__(self, periods=1, axis=-1):
        pass


@pytest.mark.parametrize(("periods", "expected"), [(0, [1, 2]), (1, [9, 1]), (-3, [9, 9])])
def test_a_primitive_named_shift_runs_that_kernel(periods, expected):
    assert Shift(periods)(X, 9).tolist() == expected


def test_indices_of_rows_that_are_no_vector_are_value_errors():
    rows = [ms.Parameter(Tensor([[1.0]]), name=n) for n in "abc"]
    step = ops.FusedSparseFtrl(0.1, 0.0, 0.0, -0.5)
    with pytest.raises(ValueError, match="'indices' must be a vector"):
        step(*rows, Tensor([[1.0]]), Tensor(0, ms.int32))


def test_scipy_rejects_flags_of_another_type_first():
    with pytest.raises(TypeError, match="'lower' must be a bool"):
        ms.scipy.linalg.eigh(X, X, lower="x")
    with pytest.raises(ValueError, match="must be None"):
        ms.scipy.linalg.eigh(Tensor([[1.0]]), Tensor([[1.0]]))
    assert ms.scipy.linalg.block_diag().shape == (1, 0)


@pytest.mark.parametrize("wait", [ms.synchronize, _pynative_executor.sync])
def test_waiting_raises_errors_of_indices(wait):
    index = Tensor([4]) + 0
    rows = ops.gather(X, index, 0)
    with pytest.raises(RuntimeError, match="must be in"):
        wait()
    assert rows.shape == (1,)


@pytest.mark.parametrize("kind", [Tensor, ms.Parameter])
@pytest.mark.parametrize("way", [lambda f: f, ms.jit])
def test_vmap_writes_to_the_slices_of_an_argument(kind, way):
    x = kind(Tensor([[1.0, 2.0], [3.0, 4.0]]))
    nested = ops.vmap(ops.vmap(lambda x, y: ops.assign_add(x, y), (0, None)), (1, 0))
    assert way(nested)(x, Tensor([10.0, 20.0])).tolist() == [[11.0, 13.0], [22.0, 24.0]]
    assert x.tolist() == [[11.0, 22.0], [13.0, 24.0]]


def test_arguments_that_contain_themselves_run_dynamically():
    rows = [1, 2]
    rows[0] = rows
    for first in "__call__", "prepare":  # either one warns, once
        function = ms.jit(lambda rows: rows[1])
        with pytest.warns(RuntimeWarning, match="contains itself"):
            getattr(function, first)(rows)
        assert function(rows) == 2
    x = Tensor([1.0])
    x.twin = x
    assert ms.jit(lambda x: x.twin + 1)(x).tolist() == [2.0]


class Double(nn.Cell):
    def construct(self, x):
        return x * 2


@pytest.mark.parametrize("mode", ["ast", "bytecode"])
def test_a_captured_cell_is_its_own_construct(mode):
    net = Double()
    net.construct = ms.jit(net, capture_mode=mode)
    assert net(X).tolist() == net(X).tolist() == [2.0, 4.0]
    assert ms.grad(net)(X).tolist() == [2.0, 2.0]
