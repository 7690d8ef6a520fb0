"""Expressions whose results are compared with those that MindSpore 2.10 gave, as they are printed:
of sparse Tensors, and of what `ops.functional` has on Python's values.

`tools/record_expressions.py` records them: in PyNative mode, or in graph mode where that fails.
"""

import numpy as np

_COO = """
    c -c abs(-c.values) c.abs() c.astype(ms.float64) c.to_dense() c.to_tuple() c+d d+c c-d c*d d*c
    c/(d+1) l+l l-l l.add(r,ms.Tensor(2.0)) l.add(r,ms.Tensor(0.0)) twice.coalesce() c.size c.ndim
    c.itemsize c.dtype c.shape ms.COOTensor(coo_tensor=c) empty empty.to_dense() m.to_coo()
    ops.dense_to_sparse_coo(m) ops.coo_concat((l,l)) ops.coo_concat((l,r),1) ops.coo_isnan(c)
    ops.coo_add(l,r,ms.Tensor(2.0)) ops.coo_tensor_get_values(c) ops.coo_tensor_get_indices(c)
    ops.coo_tensor_get_dense_shape(c) nn.SparseToDense()(c) ms.SparseTensor(*c.to_tuple())
    ops.make_coo_tensor(*c.to_tuple()) ops.make_sparse_tensor(*c.to_tuple())
    ops.coalesce(columns,ms.Tensor([1.0,5.0,4.0]),pair)"""
_CSR = """
    s -s s.abs() s.astype(ms.int32) s.to_dense() s.to_tuple() s+s s-s s+u u-s s.size s.ndim
    s.itemsize s.dtype s.shape s.add(u,ms.Tensor(1.0),ms.Tensor(2.0)) m.to_csr() wide
    ms.CSRTensor(csr_tensor=s) ops.csr_to_coo(s) ops.csr_to_dense(s) ops.dense_to_sparse_csr(m)
    ops.csr_add(s,u,ms.Tensor(1.0),ms.Tensor(2.0)) ops.csr_softmax(u,ms.float32) ops.csr_isinf(s)
    ops.csr_tensor_get_indptr(s) ops.csr_tensor_get_indices(s) ops.csr_tensor_get_values(s)
    ops.csr_tensor_get_dense_shape(s) ops.make_csr_tensor(*s.to_tuple())"""
_ROWS = """
    row row.dense_shape row.values ms.RowTensor(row_tensor=row)"""
_PARTS = """
    ops.SparseToDense()(*c.to_tuple()) ops.SparseTensorDenseAdd()(l.indices,l.values,shape34,d)
    ops.SparseTensorDenseMatmul()(*c.to_tuple(),tall)
    ops.SparseTensorDenseMatmul(True,True)(*c.to_tuple(),short)
    nn.SparseTensorDenseMatmul()(*c.to_tuple(),tall) ops.SparseSlice()(*sliced)
    ops.sparse_segment_mean(d,three,segments)"""
_WRONG = """
    ms.COOTensor([1],c.values,(3,4)) ms.COOTensor(c.indices,c.values,[3,4])
    ms.COOTensor(c.indices,c.values,(3,4,5)) ms.COOTensor(d,c.values,(3,4))
    ms.COOTensor(c.indices,c.values,(0,4)) ms.COOTensor(c.indices,c.values,(1,1))
    ms.COOTensor(c.indices,three,(3,4)) ms.COOTensor(coo_tensor=1) ms.COOTensor() c*c len(c)
    ms.CSRTensor(s.indptr,s.indices,s.values,(3,4)) ms.CSRTensor(1,s.indices,s.values,(2,4))
    ms.CSRTensor(s.indptr,s.indices,m,(2,4)) ms.CSRTensor(d,s.indices,s.values,(2,4))
    ms.CSRTensor(csr_tensor=3) ms.RowTensor(1,2,3) ops.coo_abs(d) ops.csr_abs(c)
    ops.coo_concat((c,)) ops.dense_to_sparse_coo(c) ops.csr_to_coo(c) ops.csr_add(s,s,1,1)"""

EXPRESSIONS = " ".join([_COO, _CSR, _ROWS, _PARTS, _WRONG]).split()

_NAMES = """
    abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor inv isfinite isinf isnan log
    log1p neg relu relu6 round sigmoid sin sinh softsign sqrt square tan tanh"""
EXPRESSIONS += [f"ops.coo_{name}(third)" for name in _NAMES.split()]
EXPRESSIONS += [f"ops.csr_{name}(u)" for name in _NAMES.split()]


def scope(ms):
    """The names in the expressions."""

    def whole(*numbers):
        return ms.Tensor(np.array(numbers), ms.int64)

    i, v = ms.Tensor(np.array([[0, 1], [1, 2]]), ms.int32), ms.Tensor([1.0, 2.0])
    d = ms.Tensor(np.arange(12.0).reshape(3, 4), ms.float32)
    starts, ends = [ms.Tensor(np.array(a), ms.int32) for a in ([0, 1, 2], [0, 1])]
    others = [ms.Tensor(np.array(a), ms.int32) for a in ([0, 2, 3], [1, 3, 1])]
    return {
        "ms": ms, "ops": ms.ops, "nn": ms.nn, "d": d, "c": ms.COOTensor(i, v, (3, 4)),
        "third": ms.COOTensor(i, v / 3, (3, 4)),
        "l": ms.COOTensor(whole([0, 1], [1, 2]), v, (3, 4)),
        "r": ms.COOTensor(whole([0, 0], [1, 2]), ms.Tensor([3.0, -1.0]), (3, 4)),
        "twice": ms.COOTensor(whole([0, 1], [0, 1], [1, 2]), ms.Tensor([1.0, 5.0, 4.0]), (3, 3)),
        "empty": ms.COOTensor(ms.Tensor([], ms.int32), ms.Tensor([], ms.float32), (2, 3)),
        "m": ms.Tensor([[1.0, 0.0], [2.0, 3.0]]), "columns": whole([0, 0, 1], [1, 1, 2]),
        "pair": whole(3, 3), "s": ms.CSRTensor(starts, ends, ms.Tensor([2.0, 1.0]), (2, 4)),
        "u": ms.CSRTensor(*others, ms.Tensor([0.5, 2.0, 3.0]), (2, 4)),
        "wide": ms.CSRTensor(starts, ends, ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), (2, 4, 2)),
        "row": ms.RowTensor(whole(0), ms.Tensor([[1.0, 2.0]]), (3, 2)), "shape34": whole(3, 4),
        "tall": ms.Tensor(np.ones((4, 2)), ms.float32), "three": whole(0, 1, 2),
        "short": ms.Tensor(np.ones((2, 3)), ms.float32),
        "sliced": [whole([0, 1], [1, 2], [1, 3], [2, 2]), whole(1, 2, 3, 4), whole(3, 4),
                   whole(0, 1), whole(2, 3)],
        "segments": whole(0, 0, 1),
    }  # fmt: skip


def answer(expression, names):
    """What an expression gives, as it is printed; or the kind of its error."""
    try:
        return repr(eval(expression, dict(names)))
    except Exception as error:  # noqa: BLE001 (its kind is the answer)
        return f"! {type(error).__name__}"
