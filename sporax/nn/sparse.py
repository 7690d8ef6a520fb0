"""Layers for sparse matrices."""

from sporax import ops
from sporax._src.diagnosis import argument_kinds as kinds
from sporax.nn.cell import Cell
from sporax.ops.sparse.tensors import COOTensor

_SPARSE = kinds.instance(COOTensor, "a-cootensor")


class SparseToDense(Cell):
    """Convert a `COOTensor` to a dense matrix.

    >>> x = ms.COOTensor(Tensor([[0, 1]]), Tensor([5.0]), (1, 2))
    >>> nn.SparseToDense()(x).asnumpy()
    array([[0., 5.]], dtype=float32)
    """

    def __init__(self):
        super().__init__()

    def construct(self, sparse_tensor):
        _SPARSE("SparseToDense", sparse_tensor=sparse_tensor)
        return sparse_tensor.to_dense()


class SparseTensorDenseMatmul(Cell):
    """Product of a sparse matrix, given by its components, and a dense matrix.

    `adjoint_st`, `adjoint_dt`: use the conjugate transpose of the sparse or dense matrix. Called
    with `indices` `(n, 2)`, `values` `(n,)`, `sparse_shape` and `dense`.

    >>> product = nn.SparseTensorDenseMatmul()
    >>> product(Tensor([[0, 1]]), Tensor([5.0]), (1, 2), Tensor([[1.0], [2.0]])).asnumpy()
    array([[10.]], dtype=float32)
    """

    def __init__(self, adjoint_st=False, adjoint_dt=False):
        super().__init__()
        self.adj_st, self.adj_dt = adjoint_st, adjoint_dt
        self.sparse_dense_matmul = ops.SparseTensorDenseMatmul(adjoint_st, adjoint_dt)

    def construct(self, indices, values, sparse_shape, dense):
        return self.sparse_dense_matmul(indices, values, sparse_shape, dense)
