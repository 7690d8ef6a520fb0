"""Primitives of MindSpore's private modules, against NumPy and SciPy."""

import importlib

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

import sporax
from sporax import Tensor

sporax.install_as_mindspore()
import mindspore as ms  # noqa: E402

pytestmark = pytest.mark.usefixtures("on_numpy")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3, 4)).astype(np.float32)
IMAGE = RNG.normal(size=(1, 2, 4, 4)).astype(np.float32)
SYMMETRIC = (X[0, :, :3] + X[0, :, :3].T).astype(np.float32)
WHOLE = np.array([[3, 1, 3], [0, 1, 0]], np.int32)
LOGITS, TARGET = RNG.normal(size=(3, 4)).astype(np.float32), np.array([1, 0, 3])


def log_softmax(x):
    return x - np.log(np.exp(x).sum(1, keepdims=True))


def means_of_four(x):
    return x.reshape(1, 2, 2, 2, 2, 2).mean((3, 5))


# module, class, arguments (arrays are Tensors), results of NumPy
CALLS = [
    ("auto_generate", "MaxDim", (X, 1, True), (X.max(1, keepdims=True), X.argmax(1)[:, None])),
    ("auto_generate", "MinDim", (X, 1), (X.min(1), X.argmin(1))),
    ("auto_generate", "NewOnes", (WHOLE, (2, 3)), np.ones((2, 3), np.int32)),
    ("auto_generate", "NewZeros", (WHOLE, (2, 3)), np.zeros((2, 3), np.int32)),
    ("auto_generate", "LinSpaceExt", (1, 10, 4), np.linspace(1, 10, 4, dtype=np.float32)),
    ("auto_generate", "InnerNonZero", (WHOLE,), np.stack(np.nonzero(WHOLE))),
    ("auto_generate", "AvgPool2D", (IMAGE, 2, 2), means_of_four(IMAGE)),
    ("auto_generate", "SliceExtView", (X, 1, 0, 3, 2), X[:, 0:3:2]),
    ("auto_generate", "ExpandDimsView", (WHOLE, 1), WHOLE[:, None]),
    ("auto_generate", "InnerIndex", (X, [np.array([0, 1]), np.array([2, 0])]), X[[0, 1], [2, 0]]),
    ("auto_generate", "index", (X, [None, np.array([2, 0])]), X[:, [2, 0]]),
    ("auto_generate", "Unique2", (WHOLE,), np.unique(WHOLE, False, True, True)),
    ("auto_generate", "UniqueDim", (WHOLE, True, True, 1), np.unique(WHOLE, False, True, True, 1)),
    ("auto_generate", "XLogYScalarOther", (np.abs(X), 2.0), np.abs(X) * np.log(2.0)),
    ("auto_generate", "XLogYScalarSelf", (3.0, np.abs(X)), 3 * np.log(np.abs(X))),
    (
        "auto_generate",
        "LogSigmoid",
        (X,),
        (-np.log1p(np.exp(-X.astype(np.float64))), np.exp(-np.abs(X))),
    ),
    ("auto_generate", "clamp_scalar", (X, -0.5, 0.5), X.clip(-0.5, 0.5)),
    ("auto_generate", "correlate", (X[0, 0], X[1, 0, :2]), np.correlate(X[0, 0], X[1, 0, :2])),
    ("auto_generate", "UpsampleNearest1D", (X, [8]), X.repeat(2, 2)),
    ("auto_generate", "UpsampleNearest2D", (IMAGE, [8, 8]), IMAGE.repeat(2, 2).repeat(2, 3)),
    (
        "auto_generate",
        "UpsampleBilinear2D",
        (IMAGE, [7, 7], None, True),
        lambda got: np.testing.assert_allclose(got[0][..., ::2, ::2], IMAGE, rtol=1e-5),
    ),
    (
        "auto_generate",
        "ScatterAddExt",
        (np.zeros((1, 3), np.float32), 1, np.array([[2, 2]]), np.ones((1, 2), np.float32)),
        np.array([[0.0, 0.0, 2.0]]),
    ),
    ("auto_generate", "Embedding", (WHOLE, LOGITS.repeat(2, 0)), LOGITS.repeat(2, 0)[WHOLE]),
    (
        "auto_generate",
        "CrossEntropyLoss",
        (LOGITS, TARGET),
        lambda got: (
            np.testing.assert_allclose(
                got[0], [-log_softmax(LOGITS)[range(3), TARGET].mean()], rtol=1e-5
            ),
            np.testing.assert_allclose(got[1], log_softmax(LOGITS), rtol=1e-5, atol=1e-6),
        ),
    ),
    ("operations.math_ops", "AddV2", (X, X), X + X),
    ("operations.math_ops", "SelfAdjointEig", (SYMMETRIC,), lambda got: eigen(*got)),
    ("operations._inner_ops", "ClipByNorm", (X, np.float32(1)), X / np.linalg.norm(X)),
    (
        "operations._inner_ops",
        "DynamicBroadcastGradientArgs",
        (np.array([4, 2, 1]), np.array([2, 7])),
        (np.array([2]), np.array([0])),
    ),
    ("operations._inner_ops", "MixedPrecisionCast", (ms.float16, X), X.astype(np.float16)),
    (
        "operations._inner_ops",
        "TensorCopySlices",
        (np.zeros((3, 2)), np.ones((2, 2)), (1, 0), (3, 2), (1, 1)),
        np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]),
    ),
    (
        "operations._grad_ops",
        "AffineGridGrad",
        (np.ones((1, 2, 2, 2), np.float32), (1, 2, 2, 2)),
        np.array([[[0.0, 0.0, 4.0]] * 2]),
    ),
    ("_utils.arg_dtype_cast", "TupleToList", ((1, 2),), [1, 2]),
    ("_utils.arg_dtype_cast", "ListToTuple", ([1, 2],), (1, 2)),
    ("function.array_func", "new_ones", (WHOLE, (1,)), np.ones(1, np.int32)),
    ("function.array_func", "new_zeros", (WHOLE, (1,)), np.zeros(1, np.int32)),
    ("functional_overload", "imag", (X * 1j,), X),
    ("auto_generate", "add_ext", (X, X, 2), 3 * X),
    ("auto_generate", "sub_ext", (X, X, 2), -X),
    ("function.math_func", "mean_ext", (X, 1, True), X.mean(1, keepdims=True)),
]


def eigen(values, vectors):
    np.testing.assert_allclose(values, np.linalg.eigvalsh(SYMMETRIC), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(vectors @ np.diag(values) @ vectors.T, SYMMETRIC, atol=1e-5)


def tensors(arguments):
    return [
        Tensor(a)
        if isinstance(a, (np.ndarray, np.generic))
        else tensors(a)
        if isinstance(a, list) and any(isinstance(b, np.ndarray) for b in a)
        else a
        for a in arguments
    ]


def called(module, name, arguments, *attributes, **settings):
    found = getattr(importlib.import_module(f"mindspore.ops.{module}"), name)
    call = found(*attributes, **settings) if isinstance(found, type) else found
    result = call(*tensors(arguments))
    if isinstance(result, Tensor):
        result = (result,)
    return [r.asnumpy() if isinstance(r, Tensor) else r for r in result]


@pytest.mark.parametrize(
    ("module", "name", "arguments", "expected"), CALLS, ids=[row[1] for row in CALLS]
)
def test_private_primitive(module, name, arguments, expected):
    got = called(module, name, arguments)
    if callable(expected):
        expected(got)
        return
    expected = expected if isinstance(expected, tuple) else (expected,)
    if isinstance(expected[0], list) or not isinstance(expected[0], np.ndarray):
        expected = expected[0] if isinstance(expected[0], list) else expected
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(ours, np.asarray(theirs).reshape(np.shape(ours)), 1e-5, 1e-6)


def test_in_place():
    x = Tensor(np.zeros((2, 2), np.float32))
    index = [Tensor([0, 0]), Tensor([1, 1])]
    called("auto_generate", "InnerInplaceIndexPut", (x, index, np.ones(2, np.float32), True))
    assert x.tolist() == [[0, 2], [0, 0]]
    a, b = X[0, :, :2], X[1, :, :2]
    (got,) = called("auto_generate", "inplace_matmul_add_op", (a, b, x))
    np.testing.assert_allclose(got, a.T @ b + np.array([[0, 2], [0, 0]]), rtol=1e-5)
    assert x.tolist() == got.tolist()
    uniform = importlib.import_module("mindspore.ops.function.random_func").uniform_ext
    drawn = uniform(Tensor(np.zeros(100, np.float32)), 2.0, 3.0).asnumpy()
    assert (drawn >= 2).all() and (drawn < 3).all() and drawn.std() > 0.1


def test_steps_of_some_rows():
    before, grads = X[0, :, :2], np.ones((2, 2), np.float32)
    var, accum = Tensor(before), Tensor(np.full((3, 2), 2, np.float32))
    rows = np.array([0, 2])
    called("operations.nn_ops", "SparseApplyMomentum", (var, accum, 0.1, grads, rows, 0.5))
    np.testing.assert_allclose(var.asnumpy(), before - 0.2 * np.array([[1], [0], [1]]), rtol=1e-5)
    assert accum.tolist() == [[2, 2]] * 3
    var = Tensor(before)
    step = (var, 0.5, 0.2, 1.0, grads, rows)
    (got,) = called("operations.nn_ops", "SparseApplyProximalGradientDescent", step)
    moved = before - 0.5
    expected = np.sign(moved) * np.maximum(np.abs(moved) - 0.1, 0) / 1.5
    np.testing.assert_allclose(got[rows], expected[rows], rtol=1e-5)
    np.testing.assert_allclose(got[1], before[1])


# sparse: a class, attributes, arguments, results
COO = np.array([[0, 1], [2, 0]]), np.array([5.0, 7.0], np.float32), np.array([3, 2])
DENSE = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)
A = scipy.sparse.random(4, 5, 0.5, "csr", np.float32, 0)
B = scipy.sparse.random(5, 3, 0.5, "csr", np.float32, 1)


def parts(matrix):
    return (
        np.array(matrix.shape),
        np.array([0, matrix.nnz]),
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int64),
        matrix.data,
    )


def as_coo(matrix):
    coo = matrix.tocoo()
    return np.stack([coo.row, coo.col], 1).astype(np.int64), coo.data, np.array(coo.shape)


def product(got):
    indptr, indices, data = got[2], got[3], got[4]
    dense = scipy.sparse.csr_matrix((data, indices, indptr), got[0]).toarray()
    np.testing.assert_allclose(dense, (A @ B).toarray(), rtol=1e-5)


def softmax(got):
    for first, last in zip(A.indptr, A.indptr[1:], strict=False):
        row = A.data[first:last]
        np.testing.assert_allclose(got[4][first:last], np.exp(row) / np.exp(row).sum(), rtol=1e-5)


SPARSE = [
    ("SparseDenseCwiseAdd", {}, (*COO, DENSE), [7.0, 12.0]),
    ("SparseDenseCwiseMul", {}, (*COO, DENSE), [10.0, 35.0]),
    ("SparseDenseCwiseDiv", {}, (*COO, DENSE), [2.5, 1.4]),
    ("SparseReorder", {}, (COO[0][::-1], COO[1][::-1], COO[2]), COO[:2]),
    (
        "SparseAdd",
        {},
        (*COO, np.array([[0, 0], [0, 1]]), np.array([1.0, -5.0], np.float32), COO[2], 0.5),
        ([[0, 0], [2, 0]], [1.0, 7.0], COO[2]),
    ),
    (
        "SparseSparseMinimum",
        {},
        (*COO, np.array([[0, 0], [0, 1]]), np.array([1.0, -5.0], np.float32), COO[2]),
        ([[0, 0], [0, 1], [2, 0]], [0.0, -5.0, 0.0]),
    ),
    (
        "SparseSegmentMeanWithNumSegments",
        {},
        (DENSE, np.array([0, 2, 1]), np.array([0, 0, 2]), np.array([4])),
        [[3.0, 4.0], [0.0, 0.0], [3.0, 4.0], [0.0, 0.0]],
    ),
    (
        "SparseSegmentMean",
        {},
        (DENSE, np.array([0, 1]), np.array([1, 1])),
        [[0.0, 0.0], [2.0, 3.0]],
    ),
    ("CSRSparseMatrixToSparseTensor", {}, parts(A), as_coo(A)),
    ("SparseTensorToCSRSparseMatrix", {}, as_coo(A), parts(A)),
    ("SparseMatrixSparseMatMul", {}, (*parts(A), *parts(B)), product),
    ("SparseMatrixMatMul", {}, (*parts(A), B.toarray()), (A @ B).toarray()),
    (
        "SparseMatrixMatMul",
        {"adjoint_x1": True, "transpose_x2": True, "transpose_output": True},
        (*parts(B), A.toarray()),
        (A @ B).toarray(),
    ),
    ("SparseMatrixSoftmax", {"dtype": ms.float32}, parts(A), softmax),
    (
        "SparseMatrixOrderingAMD",  # a star: its leaves come first
        {},
        (
            np.array([4, 4]),
            np.array([0, 6]),
            np.array([0, 3, 4, 5, 6]),
            np.array([1, 2, 3, 0, 0, 0]),
            np.ones(6, np.float32),
        ),
        [1, 2, 0, 3],
    ),
    (
        "SparseCountSparseOutput",
        {},
        (np.array([[1, 0], [0, 1], [1, 2]]), np.array([3, 1, 3]), np.array([2, 3]), np.ones(3)),
        ([[0, 1], [1, 3]], [1.0, 2.0], [2, 4]),
    ),
    *[
        (
            "DenseToSparseSetOperation",
            {"set_operation": name},
            (np.array([[1, 2], [3, 4]]), np.array([[0, 0], [1, 0]]), np.array([2, 9]), [2, 1]),
            expected,
        )
        for name, expected in [
            ("intersection", ([[0, 0]], [2], [2, 1])),
            ("a-b", ([[0, 0], [1, 0], [1, 1]], [1, 3, 4], [2, 2])),
            ("b-a", ([[1, 0]], [9], [2, 1])),
            ("union", ([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], [1, 2, 3, 4, 9], [2, 3])),
        ]
    ],
    (
        "RaggedTensorToTensor",
        {"row_partition_types": ["ROW_SPLITS"]},
        (np.array([3, -1]), np.arange(1, 5), np.array(0), [np.array([0, 3, 3, 4])]),
        [[1, 2, 3], [0, 0, 0], [4, 0, 0]],
    ),
    (
        "RaggedTensorToTensor",
        {"row_partition_types": ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]},
        (np.array([2, 2]), np.arange(1, 5), np.array(9), [np.array(2), np.array([0, 0, 0, 1])]),
        [[1, 2], [4, 9]],
    ),
    (
        "RaggedTensorToSparse",
        {"Tsplits": ms.int64},
        ([np.array([0, 2, 3])], np.array([5, 6, 7])),
        ([[0, 0], [0, 1], [1, 0]], [5, 6, 7], [2, 2]),
    ),
]


@pytest.mark.parametrize(
    ("name", "settings", "arguments", "expected"), SPARSE, ids=[row[0] for row in SPARSE]
)
def test_sparse_primitive(name, settings, arguments, expected):
    got = called("operations.sparse_ops", name, arguments, **settings)
    if callable(expected):
        expected(got)
        return
    for ours, theirs in zip(
        got, expected if isinstance(expected, tuple) else [expected], strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_scipy_of_factorizations():
    a = RNG.normal(size=(4, 4))
    factors = ms.scipy.linalg.lu_factor(Tensor(a))
    for right in (RNG.normal(size=4), RNG.normal(size=(4, 2))):
        for trans in (0, 1, 2):
            got = ms.scipy.linalg.lu_solve(factors, Tensor(right), trans).asnumpy()
            expected = scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), right, trans)
            np.testing.assert_allclose(got, expected, rtol=1e-8)
    np.testing.assert_allclose(ms.scipy.linalg.det(Tensor(a)).item(), scipy.linalg.det(a))
    with pytest.raises(ValueError, match=r"'trans' must be one of .0, 1, 2."):
        ms.scipy.linalg.lu_solve(factors, Tensor(right), 3)
    diagonals = importlib.import_module("mindspore.scipy.ops_wrapper").matrix_set_diag
    got = diagonals(Tensor(np.zeros((2, 2), np.float32)), Tensor(np.array([1.0, 2.0], np.float32)))
    assert got.tolist() == [[1, 0], [0, 2]]


def test_norms_along_an_axis():
    clip = importlib.import_module("mindspore.ops.operations._inner_ops").ClipByNorm(1)
    got = clip(Tensor(X), Tensor(1.0)).asnumpy()
    expected = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1)
    np.testing.assert_allclose(got, expected, rtol=1e-5)


def test_one_element_and_scaled_gradients():
    assert ms.mint.item(Tensor([2.5])) == 2.5
    with pytest.raises(RuntimeError, match="must have one element"):
        ms.mint.item(Tensor([1.0, 2.0]))
    with pytest.raises(TypeError, match="must be a Tensor"):
        ms.mint.item(3)
    scale, inputs = Tensor(4.0), (Tensor([2.0]), [Tensor([8.0])])
    up, down = ms.amp._grad_scale_map(scale, inputs), ms.amp._grad_unscale_map(scale, inputs)
    assert (up[0].item(), up[1][0].item()) == (8.0, 32.0)
    assert (down[0].item(), down[1][0].item()) == (0.5, 2.0)


def test_a_layer_named_as_a_metric():
    a, b = X[0], X[1]
    got = ms.nn.layer.CosineSimilarity()(Tensor(a), Tensor(b)).asnumpy()
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    np.testing.assert_allclose(got, (a * b).sum(1) / lengths, rtol=1e-5)
    x = ms.Parameter(Tensor(a), name="x")
    assert x._offload() is x._load() is None and x._data_ptr() == x.data_ptr()


def test_tensors_one_after_another():
    module = importlib.import_module("mindspore.hal.contiguous_tensors_handle")
    handle = module.combine_tensor_list_contiguous([Tensor([1, 2, 3]), Tensor([[4], [5]])])
    assert handle[0].tolist() == [1] and handle[1:3].tolist() == [2, 3]
    assert handle.slice_by_tensor_index(0, 1).tolist() == [1, 2, 3]
    assert handle.slice_by_tensor_index(1).tolist() == [4, 5] and handle.total_size == 5
    with pytest.raises(TypeError, match="must hold Tensors"):
        module.ContiguousTensorsHandle([3])
