"""Sparse Tensors: products against SciPy, derivatives, and that they cross `jit`, `grad`, `vmap`
and Cells. What they print: `tests/ops/test_expressions.py`."""

import copy
import pickle
import re

import numpy as np
import pytest
import scipy.sparse

import sporax as ms
from sporax import Parameter, Tensor, check_grad, grad, jit, nn, ops, value_and_grad, vmap
from sporax.ops.sparse.tensors import COOTensor, CSRTensor, RowTensor

pytestmark = pytest.mark.usefixtures("on_numpy")


def matrix(rows, columns, count, seed=0):
    """A SciPy matrix with `count` values at random places."""
    return scipy.sparse.random(rows, columns, count / rows / columns, "csr", random_state=seed)


def as_csr(a):
    parts = [Tensor(x.astype(np.int32)) for x in (a.indptr, a.indices)]
    return CSRTensor(*parts, Tensor(a.data), a.shape)


def as_coo(a):
    a = a.tocoo()
    return COOTensor(Tensor(np.stack([a.row, a.col], 1)), Tensor(a.data), a.shape)


A, B, SQUARE = matrix(5, 7, 12), matrix(5, 7, 9, 1), matrix(7, 7, 14, 2)
DENSE = np.random.default_rng(3).normal(size=(7, 3))
FULL = np.random.default_rng(4).uniform(1, 2, (5, 7))
# a call, and what it gives by SciPy; `a`, `b`, `square`: CSRTensors, `p`, `q`: COOTensors
PRODUCTS = [
    ("a.mv(x[:, 0])", A @ DENSE[:, 0]), ("a.mv(x[:, :1])", A @ DENSE[:, :1]),
    ("ops.csr_mv(a, x[:, :1])", A @ DENSE[:, :1]),
    ("a.mm(x)", A @ DENSE), ("a.mm(square)", A @ SQUARE), ("ops.csr_mm(a, square)", A @ SQUARE),
    ("ops.csr_mm(a, b, trans_a=True)", A.T @ B), ("ops.csr_mm(a, b, adjoint_b=True)", A @ B.T),
    ("a.sum(1)", A.sum(1)), ("a.sum(0)", A.sum(0)), ("ops.csr_reduce_sum(a, 1)", A.sum(1)),
    ("a * full", A.toarray() * FULL), ("full * a", A.toarray() * FULL), ("a * 2", A * 2),
    ("ops.csr_mul(a, full[0])", A.toarray() * FULL[0]), ("ops.csr_div(a, 4)", A / 4),
    ("ops.csr_mul(a, full[:, :1])", A.toarray() * FULL[:, :1]), ("3 * a", A * 3),
    ("a / full", A.toarray() / FULL), ("a + b", A + B), ("a - b", A - B), ("p + q", A + B),
    ("p - q", A - B), ("p + full", A + FULL), ("full - p", FULL - A), ("p * 2", A * 2),
    ("p * full", A.toarray() * FULL), ("p / full", A.toarray() / FULL),
    ("a.add(b, Tensor(2.0), Tensor(-1.0))", 2 * A - B), ("a.to_coo()", A), ("p.to_csr()", A),
    ("p.to_csr().to_coo()", A), ("ops.dense_to_sparse_csr(full).to_coo()", FULL),
    ("a.to_dense()", A.toarray()), ("p.to_dense()", A.toarray()),
    ("ops.coo_concat((p, q))", scipy.sparse.vstack([A, B])),
    ("ops.coo_concat((p, q), 1)", scipy.sparse.hstack([A, B])),
    ("ops.csr_gather(a.indptr, a.indices, full, (5, 7))", FULL[A.nonzero()]),
    ("ops.SparseGatherV2()(full, Tensor([1, 2]), 1)", FULL[:, 1:3]),
    ("ops.coo2csr(p.to_csr().rows, 5)", A.indptr),
    ("ops.csr2coo(a.indptr, 12)", A.nonzero()[0]),
    ("ops.Coalesce()(Tensor([[0, 0], [1, 1]]), x[:2, 0], Tensor([2, 2]))[1]", [DENSE[:2, 0].sum()]),
    ("rows.to_dense()", np.array([[0, 0], [4, 6], [0, 0]])),
    ("ops.row_tensor_add(rows, rows).to_dense()", np.array([[0, 0], [8, 12], [0, 0]])),
    ("ops.row_tensor_add(rows, Tensor(np.ones((3, 2)))).values", [[1, 1], [5, 7], [1, 1]]),
    ("(rows * 2).to_dense()", np.array([[0, 0], [8, 12], [0, 0]])),
    ("ops.make_row_tensor(Tensor([0]), x[:1], (4, 3)).values", DENSE[:1]),
    ("ops.make_row_tensor_inner(Tensor([0]), x[:1], (4, 3)).to_dense()[0]", DENSE[0]),
    ("ops.row_tensor_get_values(rows)", [[1, 2], [3, 4]]),
    ("ops.row_tensor_get_indices(rows)", [1, 1]),
    ("Tensor(ops.row_tensor_get_dense_shape(rows))", [3, 2]),
    ("deep.to_dense()", np.array([[[1, 2], [0, 0]], [[0, 0], [3, 4]]])),
    ("deep.sum(1)", [[[1, 2]], [[3, 4]]]), ("deep.sum(0)", [[[1, 2], [3, 4]]]),
    ("(deep * Tensor([1.0, 10.0])).values", [[1, 20], [3, 40]]),
    ("ops.SparseToDense()(Tensor([[1], [1]]), Tensor([1.0, 2.0]), (3,))", [0, 3, 0]),
]  # fmt: skip
NAMES = {
    "ops": ops, "np": np, "Tensor": Tensor, "a": as_csr(A), "b": as_csr(B),
    "square": as_csr(SQUARE), "p": as_coo(A), "q": as_coo(B), "x": Tensor(DENSE),
    "full": Tensor(FULL),
    "rows": RowTensor(Tensor([1, 1]), Tensor([[1.0, 2.0], [3.0, 4.0]]), (3, 2)),
    "deep": CSRTensor(
        Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([[1.0, 2.0], [3.0, 4.0]]), (2, 2, 2)
    ),
}  # fmt: skip


def numbers(result):
    result = result if isinstance(result, Tensor) else result.to_dense()
    return result.asnumpy()


@pytest.mark.parametrize(("call", "expected"), PRODUCTS, ids=[call for call, _ in PRODUCTS])
def test_products_and_sums_are_scipys(call, expected):
    expected = expected.toarray() if scipy.sparse.issparse(expected) else np.asarray(expected)
    np.testing.assert_allclose(numbers(eval(call, NAMES)), expected, rtol=1e-6)


def test_softmax_of_the_values_of_each_row():
    result = ops.csr_softmax(as_csr(A), ms.float64)
    for row in range(5):
        values = A.data[A.indptr[row] : A.indptr[row + 1]]
        here = result.values.asnumpy()[A.indptr[row] : A.indptr[row + 1]]
        np.testing.assert_allclose(here, np.exp(values) / np.exp(values).sum())


PLACES = Tensor(np.array([[0, 1], [1, 2], [1, 0]]))


def at_places(values):
    return COOTensor(PLACES, values, (2, 3))


# functions of the values of a sparse matrix
OF_VALUES = {
    "to_dense": lambda v: at_places(v).to_dense() ** 2,
    "coo_plus_coo": lambda v: (at_places(v) + at_places(v * v)).values,
    "to_csr_mv": lambda v: at_places(v).to_csr().mv(Tensor([1.0, 2.0, 3.0])),
    "softmax": lambda v: ops.csr_softmax(at_places(v).to_csr(), v.dtype).values ** 2,
    "csr_mm": lambda v: ops.csr_mm(*[at_places(v).to_csr()] * 2, trans_b=True).values,
    "sin": lambda v: ops.coo_sin(at_places(v)).values,
    "matmul": lambda v: ops.SparseTensorDenseMatmul()(PLACES, v, (2, 3), Tensor(np.eye(3))),
    "coalesce": lambda v: COOTensor(PLACES[:1].tile((3, 1)), v * v, (2, 3)).coalesce().values,
}


@pytest.mark.parametrize("name", OF_VALUES)
def test_derivatives_by_the_values_are_finite_differences(name):
    assert check_grad(OF_VALUES[name], Tensor([0.5, -1.5, 2.0]), order=2)


def places_of(sparse):
    return [getattr(sparse, n).asnumpy() for n in ("indptr", "indices") if hasattr(sparse, n)]


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize("make", [as_coo, as_csr])
def test_the_gradient_by_a_sparse_matrix_has_its_places(make, captured):
    def f(sparse, x):
        return (sparse * x).values ** 2

    derivative = grad(f, (0, 1))
    sparse = make(A)
    gradient, by_dense = (jit(derivative) if captured else derivative)(sparse, Tensor(FULL))
    assert type(gradient) is type(sparse) and gradient.shape == (5, 7)
    for here, there in zip(places_of(gradient), places_of(sparse), strict=True):
        np.testing.assert_array_equal(here, there)
    np.testing.assert_allclose(numbers(gradient), 2 * A.toarray() * FULL**2, rtol=1e-6)
    np.testing.assert_allclose(by_dense.asnumpy(), 2 * A.toarray() ** 2 * FULL, rtol=1e-6)


def test_no_derivative_goes_through_indices():
    def f(indices, values):
        matrix = COOTensor(indices, values, (2, 3))
        return matrix.indices, matrix.to_csr(), matrix.astype(ms.float16).to_tuple()

    for function in (f, jit(f)):
        by_indices, by_values = grad(function, (0, 1))(PLACES, Tensor([1.0, 2.0, 3.0]))
        assert by_indices.asnumpy().tolist() == [[0, 0]] * 3
        assert by_values.asnumpy().tolist() == [2, 2, 2]


@jit
def raised(sparse, n, dense):
    while n < 3:
        sparse, n = -sparse * 2, n + 1
    if n > 2:
        sparse = dense * sparse
    return sparse, ops.dtype(sparse), ops.shape(sparse)


@pytest.mark.parametrize("make", [as_coo, as_csr])
def test_loops_and_branches_carry_sparse_matrices(make):
    for n in (0, 2, 3):
        result, dtype, shape = raised(make(A), Tensor(n), Tensor(FULL))
        np.testing.assert_allclose(numbers(result), A.toarray() * (-2) ** (3 - n) * FULL)
        assert (dtype, shape, type(result)) == (ms.float64, (5, 7), type(make(A)))


class Weighted(nn.Cell):
    """A Cell with a sparse matrix as attribute, whose values are a Parameter."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(A.data), name="weight")
        self.matrix = as_csr(A).with_values(self.weight)

    def construct(self, x):
        return self.matrix.mm(x), -self.matrix


def test_a_cell_holds_and_returns_a_sparse_matrix():
    cell = Weighted()
    for _ in range(2):
        product, negative = cell(Tensor(DENSE))
        np.testing.assert_allclose(product.asnumpy(), A @ DENSE)
        np.testing.assert_allclose(numbers(negative), -A.toarray())
    (_, _), gradient = value_and_grad(cell, None, cell.weight)(Tensor(DENSE))
    np.testing.assert_allclose(gradient.asnumpy(), DENSE[A.indices].sum(1) - 1)
    cell.weight.set_data(Tensor(2 * A.data))
    np.testing.assert_allclose(cell(Tensor(DENSE))[0].asnumpy(), 2 * (A @ DENSE))


@jit
def doubled(sparse, x):
    return (sparse * 2).values, sparse.to_dense() * x, sparse, sparse.shape, sparse.dtype


@pytest.mark.parametrize("make", [as_coo, as_csr])
def test_a_captured_function_takes_and_returns_sparse_matrices(make):
    for a in (A, B, A):
        values, dense, again, shape, dtype = doubled(make(a), 3.0)
        np.testing.assert_allclose(values.asnumpy(), 2 * a.data)
        np.testing.assert_allclose(dense.asnumpy(), 3 * a.toarray())
        np.testing.assert_allclose(numbers(again), a.toarray())
        assert (shape, dtype, type(again)) == ((5, 7), ms.float64, type(make(a)))


def test_a_captured_function_whose_places_depend_on_numbers_runs_dynamically():
    @jit
    def added(one, other):
        return (one + other).to_dense()

    with pytest.warns(RuntimeWarning, match="runs dynamically"):
        np.testing.assert_allclose(added(as_csr(A), as_csr(B)).asnumpy(), (A + B).toarray())


def test_vmap_over_values_vectors_and_whole_matrices():
    stack = np.stack([A.data, 2 * A.data])
    a = as_csr(A)
    product = vmap(lambda v, x: a.with_values(v).mv(x), (0, None))(
        Tensor(stack), Tensor(DENSE[:, 0])
    )
    np.testing.assert_allclose(product.asnumpy(), np.stack([A @ DENSE[:, 0], 2 * A @ DENSE[:, 0]]))
    columns = vmap(lambda m, x: m.mv(x), (None, 1), 1)(a, Tensor(DENSE))
    np.testing.assert_allclose(columns.asnumpy(), A @ DENSE)
    several = vmap(lambda v: COOTensor(PLACES, v * 2, (2, 3)))(Tensor([[1.0, 2.0, 3.0]] * 4))
    assert several.values.shape == (4, 3) and several.indices.shape == (4, 3, 2)
    dense = vmap(lambda m: m.to_dense())(several)
    np.testing.assert_allclose(dense.asnumpy()[3], [[0, 2, 0], [6, 0, 4]])


def test_sparse_matrices_are_copied_pickled_and_immutable():
    for again in (
        copy.copy(as_coo(A)),
        copy.deepcopy(as_csr(A)),
        pickle.loads(pickle.dumps(as_coo(A))),
    ):
        np.testing.assert_allclose(numbers(again), A.toarray())
    with pytest.raises(AttributeError):
        as_coo(A).values = Tensor([1.0])
    assert as_coo(A).to_csr().is_sparse and len({as_coo(A), as_coo(A)}) == 2


class Negated(nn.Cell):
    def construct(self, values, x):
        matrix = as_csr(A).with_values(values)
        return -matrix, x * matrix.to_coo()


def test_an_exported_graph_returns_sparse_matrices(tmp_path):
    values, x = Tensor(A.data), Tensor(FULL)
    ms.export(Negated(), values, x, file_name=str(tmp_path / "negated"), file_format="MINDIR")
    loaded = nn.GraphCell(ms.load(str(tmp_path / "negated.mindir")))
    negative, product = loaded(values, x)
    assert type(negative) is CSRTensor and type(product) is COOTensor
    np.testing.assert_allclose(numbers(negative), -A.toarray())
    np.testing.assert_allclose(numbers(product), A.toarray() * FULL)


ONE = COOTensor(Tensor([[0, 1]]), Tensor([1.0]), (2, 3))
# a call, its error, and words of the message
REFUSED = [
    (lambda: ms.COOTensor(Tensor([[0, 1]]), Tensor([1.0, 2.0]), (2, 3)), ValueError, "'indices'"),
    (lambda: ms.COOTensor(Tensor([[0.0, 1]]), Tensor([1.0]), (2, 3)), TypeError, "Int64"),
    (lambda: as_csr(A).mv(DENSE), TypeError, "'dense_vector'"),
    (lambda: as_csr(A).mv(Tensor(FULL)), ValueError, "7 rows"),
    (lambda: as_csr(A).mm(as_csr(B)), ValueError, "(5, 7) and (5, 7)"),
    (lambda: as_csr(A).sum(2), ValueError, "'axis'"),
    (lambda: ONE + as_coo(A), ValueError, "same shape"),
    (lambda: ONE * Tensor(FULL), ValueError, "same shape"), (lambda: ONE + 1, TypeError, "int"),
    (lambda: ops.coo_concat((ONE, as_coo(A))), RuntimeError, "along axis 1"),
    (lambda: Tensor([1.0]).to_coo(), ValueError, "a matrix"),
    (lambda: ops.sparse_segment_mean(PLACES, *[Tensor([1, 0])] * 2), ValueError, "order"),
    (lambda: ops.SparseTensorDenseMatmul()(PLACES, Tensor([1.0, 2, 3]), (2, 3), Tensor(FULL)),
     ValueError, "columns of the first"),
    (lambda: ops.SparseTensorDenseMatmul(1)(PLACES, 1, (2, 3), 1), TypeError, "adjoint_st"),
    (lambda: nn.SparseToDense()(Tensor(FULL)), TypeError, "COOTensor"),
    (lambda: as_csr(A) * Tensor(np.ones((2, 5, 7))), ValueError, "broadcast"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), REFUSED, ids=range(len(REFUSED)))
def test_wrong_arguments_are_refused(call, error, words):
    with pytest.raises(error, match=re.escape(words)):
        call()
