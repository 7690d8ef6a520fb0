"""Functions of sparse Tensors, under the names of MindSpore's `ops`."""

import numpy as np

from sporax._src.core.from_host import plain
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import FUNCTIONS, composite
from sporax.ops.indexing.gather import gather, gather_nd
from sporax.ops.indexing.scatter import unsorted_segment_max, unsorted_segment_sum
from sporax.ops.math.elementwise import exp
from sporax.ops.math.sorting import argsort
from sporax.ops.operand_checks import TENSOR
from sporax.ops.shape.joining import broadcast_to, concat
from sporax.ops.sparse.structure import merged
from sporax.ops.sparse.tensors import COOTensor, CSRTensor, RowTensor, RowTensorInner

# functions of each value -------------------------------------------------------------------------

# names of dense functions to apply to the values
_ELEMENTWISE = """
    abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor inv isfinite isinf isnan log
    log1p neg relu relu6 round sigmoid sin sinh softsign sqrt square tan tanh"""

_COO = "Tensor([[0, 1]]), Tensor([1.0]), (2, 3)"
_CSR = "Tensor([0, 1, 1]), Tensor([1]), Tensor([1.0]), (2, 3)"
_ROWS = "Tensor([1]), ops.ones((1, 3)), (2, 3)"
_EXAMPLES = {COOTensor: f"ms.COOTensor({_COO})", CSRTensor: f"ms.CSRTensor({_CSR})",
             RowTensorInner: f"ms.RowTensor({_ROWS})"}  # fmt: skip
KINDS = {"coo": COOTensor, "csr": CSRTensor}


_CHECKS = {
    kind: kinds.instance(kind, "an-instance", kind=kind.__name__)
    for kind in (COOTensor, CSRTensor, RowTensorInner)
}
A_COO, A_CSR, A_ROW = _CHECKS.values()


def _of_values(prefix, name):
    kind, who = KINDS[prefix], f"{prefix}_{name}"

    def function(x):
        _CHECKS[kind](who, x=x)
        return x.with_values(FUNCTIONS[name](x.values))

    function.__annotations__["return"] = kind
    function.__name__, function.__module__ = who, __name__
    function.__doc__ = f"""`{name}` of each value of a {kind.__name__}, at the same places.

    >>> ops.{who}({_EXAMPLES[kind]}).shape
    (2, 3)
    """
    return composite()(function)


for _name in _ELEMENTWISE.split():
    for _prefix in KINDS:
        globals()[f"{_prefix}_{_name}"] = _of_values(_prefix, _name)


# what they consist of ----------------------------------------------------------------------------


def _getter(who, kind, field):
    what = {"shape": "shape, a tuple of ints"}.get(field, f"`{field}`")

    def function(x):
        _CHECKS[kind](who, x=x)
        return getattr(x, field)

    if field == "shape":
        function.__annotations__["return"] = tuple

    function.__name__, function.__module__ = who, __name__
    example = _EXAMPLES[kind]
    shown = {"shape": "(2, 3)"}.get(field, "True")
    is_tensor = "" if field == "shape" else "ops.is_tensor("
    function.__doc__ = f"""The {what} of a {kind.__name__.removesuffix("Inner")}.

    >>> {is_tensor}ops.{who}({example}{")" if is_tensor else ""})
    {shown}
    """
    return composite()(function)


for _kind, _prefix, _fields in [
    (COOTensor, "coo", "indices values"),
    (CSRTensor, "csr", "indptr indices values"),
    (RowTensorInner, "row", "indices values"),
]:
    for _field in [*_fields.split(), "shape"]:
        _shown = "dense_shape" if _field == "shape" else _field
        _getter(f"{_prefix}_tensor_get_{_shown}", _kind, _field)


_MAKERS = [
    ("make_coo_tensor", "indices, values, shape", COOTensor, _COO),
    ("make_sparse_tensor", "indices, values, dense_shape: shape", COOTensor, _COO),
    ("make_csr_tensor", "indptr, indices, values, shape", CSRTensor, _CSR),
    ("make_row_tensor", "indices, values, dense_shape: shape", RowTensor, _ROWS),
    ("make_row_tensor_inner", "indices, values, shape", RowTensorInner, _ROWS),
]


def _maker(name, parameters, kind, example):
    def of_rows(indptr, indices, values, shape):
        return kind(indptr, indices, values, shape)

    def of_indices(indices, values, shape):
        return kind(indices, values, shape)

    function = of_rows if kind is CSRTensor else of_indices
    function.__annotations__["return"] = kind
    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""A `{kind.__name__}` of these parts; see the class.

    >>> ops.{name}({example}).shape
    (2, 3)
    """
    composite(function=f"{name}({parameters})")(function)


for _row in _MAKERS:
    _maker(*_row)


# from one form to another ------------------------------------------------------------------------


@composite()
def dense_to_sparse_coo(tensor) -> COOTensor:
    """Convert the nonzero elements of a matrix to a `COOTensor`; see `Tensor.to_coo`.

    >>> ops.dense_to_sparse_coo(Tensor([[0.0, 5.0]])).values.asnumpy()
    array([5.], dtype=float32)
    """
    TENSOR("dense_to_sparse_coo", tensor=tensor)
    return tensor.to_coo()


@composite()
def dense_to_sparse_csr(tensor) -> CSRTensor:
    """Convert the nonzero elements of a matrix to a `CSRTensor`; see `Tensor.to_csr`.

    >>> ops.dense_to_sparse_csr(Tensor([[0.0, 5.0]])).values.asnumpy()
    array([5.], dtype=float32)
    """
    TENSOR("dense_to_sparse_csr", tensor=tensor)
    return tensor.to_csr()


@composite()
def csr_to_coo(tensor) -> COOTensor:
    """Convert the matrix to a `COOTensor`.

    >>> x = ms.CSRTensor(Tensor([0, 1, 2]), Tensor([1, 2]), Tensor([1.0, 2.0]), (2, 3))
    >>> ops.csr_to_coo(x).indices.asnumpy()
    array([[0, 1],
           [1, 2]])
    """
    A_CSR("csr_to_coo", tensor=tensor)
    return tensor.to_coo()


@composite()
def csr_to_dense(csr_tensor):
    """Convert the matrix to a dense Tensor.

    >>> x = ms.CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([5.0]), (1, 2))
    >>> ops.csr_to_dense(x).asnumpy()
    array([[0., 5.]], dtype=float32)
    """
    A_CSR("csr_to_dense", csr_tensor=csr_tensor)
    return csr_tensor.to_dense()


# of matrices -------------------------------------------------------------------------------------


@composite(primitive="Coalesce()(x_indices, x_values, x_shape)")
def coalesce(x_indices, x_values, x_shape) -> tuple:
    """Merge a sparse matrix to one value per position, sorted by rows: (indices, values, shape).

    `x_indices`: `(ndim, n)`, a column for each value. `x_values`: `(n,)`. `x_shape`: `(ndim,)`.
    Values at the same position are summed. This call runs the pending operations.

    >>> indices, values, _ = ops.coalesce(
    ...     Tensor([[0, 0, 1], [1, 1, 2]]), Tensor([1.0, 5.0, 4.0]), Tensor([3, 3]))
    >>> indices.asnumpy(), values.asnumpy()
    (array([[0, 1],
           [1, 2]]), array([6., 4.], dtype=float32))
    """
    positions, values = merged(x_indices.asnumpy().T, x_values, tuple(x_shape.asnumpy().tolist()))
    return Tensor(positions.T, x_indices.dtype), values, x_shape


@composite()
def coo_add(x1, x2, thresh) -> COOTensor:
    """The sum of two matrices; see `COOTensor.add`.

    `thresh`: a 0-d Tensor; sums of a smaller magnitude are dropped.

    >>> x = ms.COOTensor(Tensor([[0, 1]]), Tensor([1.0]), (2, 3))
    >>> ops.coo_add(x, x, Tensor(0.0)).values.asnumpy()
    array([2.], dtype=float32)
    """
    A_COO("coo_add", x1=x1, x2=x2)
    return x1.add(x2, thresh)


@composite()
def coo_concat(sp_input, concat_dim=0) -> COOTensor:
    """Concatenate matrices along an axis, sorted by rows.

    `sp_input`: at least two `COOTensor`, of the same size along the other axis.

    >>> x = ms.COOTensor(Tensor([[0, 1]]), Tensor([1.0]), (2, 3))
    >>> ops.coo_concat((x, x), 1).indices.asnumpy()
    array([[0, 1],
           [0, 4]])
    """
    matrices = [COOTensor(*p) if isinstance(p, tuple) else p for p in sp_input]
    require(len(matrices) >= 2, "give-at-least-2-cootensors", "coo_concat", got=len(matrices))
    kinds.INT("coo_concat", concat_dim=concat_dim)
    fits, interval = -2 <= concat_dim < 2, {"argument": "concat_dim", "interval": "[-2, 2)"}
    require(fits, "int-in-interval", "coo_concat", IndexError, got=concat_dim, **interval)
    axis = concat_dim % 2
    shapes, dtypes = [p.shape for p in matrices], [p.values.dtype for p in matrices]
    fits, axes = len({shape[1 - axis] for shape in shapes}) == 1, {"axis": 1 - axis, "got": shapes}
    require(fits, "sizes-along-axis-equal", "coo_concat", RuntimeError, **axes)
    fits = len(set(dtypes)) == 1
    require(fits, "operands-tensors-one-dtype", "coo_concat", got=dtypes)
    ends = np.cumsum([p.shape[axis] for p in matrices]).tolist()
    offset = np.zeros((len(matrices), 2), np.int64)
    offset[1:, axis] = ends[:-1]
    indices = concat([
        p.indices + Tensor(row, p.indices.dtype) for p, row in zip(matrices, offset, strict=True)
    ], 0)  # fmt: skip
    shape = list(matrices[0].shape)
    shape[axis] = ends[-1]
    order = argsort(indices[:, 0] * shape[1] + indices[:, 1])
    values = concat([p.values for p in matrices], 0)
    return COOTensor(gather(indices, order, 0), gather(values, order, 0), tuple(shape))


@composite()
def csr_add(a, b, alpha, beta) -> CSRTensor:
    r"""$\alpha A + \beta B$; see `CSRTensor.add`. `alpha`, `beta`: 0-d Tensors.

    >>> x = ms.CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([5.0]), (1, 2))
    >>> ops.csr_add(x, x, Tensor(1.0), Tensor(2.0)).values.asnumpy()
    array([15.], dtype=float32)
    """
    A_CSR("csr_add", a=a, b=b)
    TENSOR("csr_add", alpha=alpha, beta=beta)
    return a.add(b, alpha, beta)


@composite()
def csr_mul(x, y) -> CSRTensor:
    """`x * y`: each value times the element of `y` (a number, or broadcast to `x`) at its position.

    >>> x = ms.CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([5.0]), (1, 2))
    >>> ops.csr_mul(x, Tensor([2.0, 3.0])).values.asnumpy()
    array([15.], dtype=float32)
    """
    A_CSR("csr_mul", x=x)
    return x * y


@composite()
def csr_div(x, y) -> CSRTensor:
    """`x / y`: each value over the element of `y` (a number, or broadcast to `x`) at its position.

    >>> x = ms.CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([6.0]), (1, 2))
    >>> ops.csr_div(x, Tensor([2.0, 3.0])).values.asnumpy()
    array([2.], dtype=float32)
    """
    A_CSR("csr_div", x=x)
    return x / y


@composite()
def csr_mv(csr_tensor, dense):
    """The product of a matrix and a vector; see `CSRTensor.mv`.

    >>> x = ms.CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([5.0]), (1, 2))
    >>> ops.csr_mv(x, Tensor([[2.0], [3.0]])).asnumpy()
    array([[15.]], dtype=float32)
    """
    A_CSR("csr_mv", csr_tensor=csr_tensor)
    return csr_tensor.mv(dense)


@composite()
def csr_mm(a, b, trans_a=False, trans_b=False, adjoint_a=False, adjoint_b=False) -> CSRTensor:
    """The product of two sparse matrices, a `CSRTensor`; `trans_*`: transposed first, `adjoint_*`:
    conjugated and transposed first.

    >>> x = ms.CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([5.0]), (1, 2))
    >>> ops.csr_mm(x, x, trans_b=True).values.asnumpy()
    array([25.], dtype=float32)
    """
    A_CSR("csr_mm", a=a, b=b)
    left, right = [
        _transposed(m, adjoint) if trans or adjoint else m
        for m, trans, adjoint in [(a, trans_a, adjoint_a), (b, trans_b, adjoint_b)]
    ]
    return left.times_csr(right)


def _transposed(matrix, adjoint):
    coo = matrix.to_coo()
    values = FUNCTIONS["conj"](coo.values) if adjoint else coo.values
    return COOTensor(coo.indices[:, ::-1], values, coo.shape[::-1]).to_csr()


@composite()
def csr_reduce_sum(csr_tensor, axis):
    """The sums of rows (`axis` 1) or columns (0); see `CSRTensor.sum`.

    >>> x = ms.CSRTensor(Tensor([0, 2]), Tensor([0, 1]), Tensor([2.0, 5.0]), (1, 2))
    >>> ops.csr_reduce_sum(x, 1).asnumpy()
    array([[7.]], dtype=float32)
    """
    A_CSR("csr_reduce_sum", csr_tensor=csr_tensor)
    return csr_tensor.sum(axis)


@composite()
def csr_softmax(logits, dtype) -> CSRTensor:
    r"""$e^{x_i} / \sum_j e^{x_j}$ over the values of each row, in `dtype`.

    >>> x = ms.CSRTensor(Tensor([0, 2]), Tensor([0, 1]), Tensor([2.0, 2.0]), (1, 3))
    >>> ops.csr_softmax(x, ms.float32).values.asnumpy()
    array([0.5, 0.5], dtype=float32)
    """
    A_CSR("csr_softmax", logits=logits)
    values, rows, height = logits.values.astype(dtype), logits.rows, logits.shape[0]
    largest = FUNCTIONS["stop_gradient"](unsorted_segment_max(values, rows, height))
    powers = exp(values - gather(largest, rows, 0))
    sums = unsorted_segment_sum(powers, rows, height)
    return logits.with_values(powers / gather(sums, rows, 0))


@composite()
def csr_gather(indptr, indices, dense, sparse_shape):
    """The elements of `dense`, broadcast to `sparse_shape`, at the positions of a CSR matrix.

    >>> dense = Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> ops.csr_gather(Tensor([0, 1, 2]), Tensor([1, 0]), dense, (2, 2)).asnumpy()
    array([2., 3.], dtype=float32)
    """
    shape = plain(sparse_shape)
    there = CSRTensor(indptr, indices, FUNCTIONS["zeros"]((indices.size, *shape[2:])), shape)
    return gather_nd(broadcast_to(dense, shape), there.positions)


# of rows -----------------------------------------------------------------------------------------


@composite()
def row_tensor_add(x, y) -> RowTensorInner:
    """The sum of a RowTensor and another (or a Tensor), a RowTensor.

    >>> x = ms.RowTensor(Tensor([1]), Tensor([[1.0, 2.0]]), (3, 2))
    >>> ops.row_tensor_add(x, x).to_dense().asnumpy()[1]
    array([2., 4.], dtype=float32)
    """
    A_ROW("row_tensor_add", x=x)
    if not isinstance(y, Tensor):
        A_ROW("row_tensor_add", y=y)
    return x + y
