"""Expressions whose results are compared with those that MindSpore 2.10 gave, as they are printed:
of sparse Tensors, and of what `ops.functional` has on Python's values.

`tools.record expressions` records them: in PyNative mode, or in graph mode where that fails.
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

_SCALARS = """
    F.scalar_add(1,2) F.scalar_sub(5,2.5) F.scalar_mul(2,3) F.scalar_div(6,4) F.scalar_div(6,0)
    F.scalar_floordiv(7,2) F.scalar_floordiv(7.5,-2) F.scalar_mod(-7,3) F.scalar_mod(7,0)
    F.scalar_mod(-7.5,2) F.scalar_pow(2,3) F.scalar_pow(2.0,0.5) F.scalar_log(2.0)
    F.scalar_uadd(3) F.scalar_usub(3) F.scalar_max(2,2.5) F.scalar_min(2,5) F.scalar_eq(2,2.0)
    F.scalar_ne(2,3) F.scalar_gt(2,1) F.scalar_ge(2,2) F.scalar_lt(1,2) F.scalar_le(3,2)
    F.bool_and(True,False) F.bool_or(True,False) F.bool_eq(True,True) F.string_eq('a','b')
    F.string_concat('a','b') F.is_(None,None) F.is_(3,3) F.is_not(1,None) F.scalar_eq('a','a')
    F.scalar_add('a','b') F.scalar_log(-1.0)
    ops.augassign_add(7,2) ops.augassign_sub(7,2) ops.augassign_mul(7,2) ops.augassign_div(7,2)
    ops.augassign_floordiv(7,2) ops.augassign_mod(7,2) ops.augassign_add([1],[2])
    ops.augassign_add(d,2) ops.augassign_mod(d,5) ops.augassign_add('a',2)"""
_CONTAINERS = """
    F.tuple_getitem((1,2),1) F.tuple_getitem((1,2),-1) F.tuple_getitem((1,2),5)
    F.tuple_setitem((1,2),0,5) F.tuple_setitem((1,2),5,3) F.list_getitem([1,2],0)
    F.list_setitem([1,2],-1,7) F.dict_getitem({'a':1},'a') F.dict_getitem({'a':1},'b')
    F.dict_setitem({'a':1},'b',2) F.tuple_div((4,6),(2,3)) F.list_len([1,2])
    F.tuple_reversed((1,2,3)) F.tuple_reversed([1,2]) F.make_tuple(1,2) F.make_list(1,2)
    F.make_dict(('a','b'),(1,2)) F.make_slice(1,5,2) F.tuple_equal((1,2),(1,2))
    F.tuple_equal((1,),(1,2)) F.list_equal([1],[1]) F.in_dict('a',{'a':1})
    F.not_in_dict('a',{'a':1}) F.SliceGetItem(slice(1,2,3),'stop') F.shape_mul((2,3,4))
    F.shape_mul(()) F.reduced_shape((2,3,4),(-1,)) F.reduced_shape((2,3),()) F.make_range(5)
    F.reduced_shape((2,3),1) F.broadcast_gradient_args((2,1,3),(2,4,3))
    F.broadcast_gradient_args((1,1,3),(1,2,3)) F.broadcast_gradient_args((3,),(2,3))
    F.broadcast_gradient_args((1,3),(1,3)) F.broadcast_gradient_args((),(2,))"""
_TYPES = """
    F.typeof(d) F.typeof(3) F.typeof(2.5) F.typeof(True) F.typeof('a') F.typeof((1,2.0))
    F.typeof([d]) F.typeof(None) F.typeof({'a':1}) F.hastype(3,ms.int64) F.hastype((1,),ms.int64)
    F.hastype(3,ms.number) F.hastype(d,ms.tensor_type) F.hastype(2.5,ms.float32)
    F.hastype(2.5,ms.float64) F.isconstant(3) F.isconstant(None)
    F.is_tensor_bool_cond(ms.Tensor(True)) F.is_tensor_bool_cond(d)
    F.is_sequence_value_unknown((1,2)) F.is_sequence_shape_unknown((1,2))
    F.is_dynamic_sequence_element_unknown(1) F.switch(True,1,2) F.switch(False,1,2)
    F.DtypeToEnum()('op','x',3) ops._ones_like_for_grad(d) ops._ones_like_for_grad((d,3))
    ops.reshard(d,None)"""
_DTYPES = "bool_ int8 int32 int64 uint8 uint64 float16 float64 bfloat16 complex64"
_TYPES += " ".join([
    f" F.DtypeToEnum()('op','x',ms.{name})"
    for name in _DTYPES.split()
])  # fmt: skip
_ALIASES = """
    F.tensor_add(d,d) F.tensor_sub(d,1) F.tensor_mul(d,2) F.tensor_muls(d,2) F.tensor_div(d,2)
    F.tensor_floordiv(d,2) F.floordiv(d,2) F.tensor_mod(d,5) F.floormod(d,5) F.tensor_pow(d,2)
    F.tensor_exp(m) F.tensor_expm1(m) F.tensor_gt(d,2) F.tensor_ge(d,2) F.tensor_lt(d,2)
    F.tensor_le(d,2) F.tensor_range(0,5,2) F.tensor_range(1.0,2.0,0.5) F.reshape_(m,(4,))
    F.shape_(d) F.matrix_determinant(m) F.soft_shrink(m,0.5) F.isnan_ext(m) F.diff_ext(d)
    F.float_power_ext(m,2) F.view_as(m,ms.Tensor([1.0,2.0,3.0,4.0])) F.einsum_ext('ij->i',m)
    F.baddbmm_ext(m.reshape((1,2,2)),m.reshape((1,2,2)),m.reshape((1,2,2)))"""
_KERNELS = """
    ops.{0}('Abs').fusion_type('ELEMWISE').input(0,'x').output(0,'y').get_op_info()
    ops.{0}('Abs').input(0,'x','required',more=1).get_op_info()
    ops.{0}('Abs').attr('a','required','int').get_op_info() ops.{0}('') ops.{0}(3)
    ops.{0}('A').dtype_format(('a','b')) ops.{0}('A').input('x')
    ops.{0}('Abs').input(0,'x').dtype_format(ops.DataType.F32_Default).get_op_info()"""
_KERNELS = " ".join([
    _KERNELS.format(name)
    for name in ["TBERegOp", "AkgGpuRegOp", "AkgAscendRegOp", "AiCPURegOp", "CpuRegOp"]
])  # fmt: skip
_TBE = """
    async_flag('a') compute_cost('a') binfile_name(1) kernel_name(1) partial_flag(1) reshape_type(1)
    op_pattern('formatAgnostic') dynamic_shape(1) need_check_supported(1) is_dynamic_format(1)
    input(0,'x',True,'required','all',value_depend='zz') dynamic_rank_support('a') attr(3)
    real_input_index(3) real_input_index([1,0]) input_to_attr_index(3) input_to_attr_index([1])
    unknown_shape_formats(3) unknown_shape_formats(['a']) fusion_type(3) async_flag() partial_flag()
    compute_cost() output(0,'y',True,'required','all') attr('k','required','int','all','1')
    input(0,'x',None,'required',None,'optional') dynamic_shape(True) reshape_type('NC')
    is_dynamic_format(True) need_check_supported(True) dynamic_compile_static(True)"""
_KERNELS += " ".join([f" ops.TBERegOp('A').{call}.get_op_info()" for call in _TBE.split()])

EXPRESSIONS += " ".join([_SCALARS, _CONTAINERS, _TYPES, _ALIASES, _KERNELS]).split()


def scope(ms):
    """Return the names in the expressions."""

    def whole(*numbers):
        return ms.Tensor(np.array(numbers), ms.int64)

    i, v = ms.Tensor(np.array([[0, 1], [1, 2]]), ms.int32), ms.Tensor([1.0, 2.0])
    d = ms.Tensor(np.arange(12.0).reshape(3, 4), ms.float32)
    starts, ends = [ms.Tensor(np.array(a), ms.int32) for a in ([0, 1, 2], [0, 1])]
    others = [ms.Tensor(np.array(a), ms.int32) for a in ([0, 2, 3], [1, 3, 1])]
    return {
        "ms": ms, "ops": ms.ops, "F": getattr(ms.ops, "functional", ms.ops), "nn": ms.nn, "d": d,
        "c": ms.COOTensor(i, v, (3, 4)),
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
    """Return the printed result of an expression, or the kind of its error."""
    try:
        return repr(eval(expression, dict(names)))
    except Exception as error:  # noqa: BLE001 (its kind is the answer)
        return f"! {type(error).__name__}"
