"""Primitives and functions of MindSpore's private modules: `_inner_ops`, `_sequence_ops`,
`sparse_ops`, `auto_generate`.

A row maps the signature of a class, attributes and inputs, to its computation.
"""

import functools
import math

from sporax import mint, ops
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
from sporax.ops.declaration import Composite


def declared(rows, module):
    """Return {name: class} for rows {signature: computation}."""
    classes = {}
    for written, compute in rows.items():
        name = written.partition("(")[0]
        compute.__doc__ = f"MindSpore's private Primitive `{name}`."
        compute.__module__ = module
        classes[name] = Composite(compute, name).primitive(written)
    return classes


def sizes(shape):
    """Return sizes, a sequence or a Tensor, as a tuple of ints."""
    return tuple(shape.asnumpy().ravel().tolist()) if isinstance(shape, Tensor) else tuple(shape)


# sparse matrices by their parts ---------------------------------------------------------------


def _flat_indices(indices, shape):
    """Return the row-major flat indices of elements in an array of this shape."""
    flat = 0
    for axis, size in enumerate(sizes(shape)):
        flat = flat * size + indices[:, axis]
    return flat


def _of_each(choose, x1_indices, x1_values, x1_shape, x2_indices, x2_values, x2_shape):
    """Return the elementwise maximum or minimum of two sparse matrices as (indices, values)."""
    flat_indices = [_flat_indices(x1_indices, x1_shape), _flat_indices(x2_indices, x2_shape)]
    union = ops.sort(ops.unique(ops.concat(flat_indices))[0].astype("float64"))[0].astype("int64")
    values = [
        ops.zeros(union.shape, own.dtype).index_add(0, ops.searchsorted(union, flat), own)
        for flat, own in zip(flat_indices, (x1_values, x2_values), strict=True)
    ]
    return _unflattened(union, sizes(x1_shape)).astype(x1_indices.dtype), choose(*values)


def _unflattened(flat, shape):
    """Invert `_flat_indices`."""
    indices = []
    for size in reversed(shape):
        indices.append(flat % size)
        flat = flat // size
    return ops.stack(indices[::-1], 1)


def _reshaped(indices, shape, new_shape):
    """Return the indices and shape of a sparse matrix after reshaping; -1 is worked out."""
    own, wanted = math.prod(sizes(shape)), list(sizes(new_shape))
    if -1 in wanted:
        wanted[wanted.index(-1)] = own // max(1, -math.prod(wanted))
    fits = math.prod(wanted) == own and min(wanted, default=0) >= 0
    given = {"argument": "new_shape", "size": own, "own": "'shape'", "got": sizes(new_shape)}
    require(fits, "filled-elements", "SparseReshape", error=RuntimeError, **given)
    return _unflattened(_flat_indices(indices, shape), wanted), Tensor(wanted, new_shape.dtype)


def _segments(power, x, indices, segment_ids, count=None):
    """Sum the rows at `indices` by segment, divided by the segment sizes to a power."""
    ids = segment_ids.astype("int64")
    count = int(ids[-1]) + 1 if count is None else sizes(count)[0]
    lengths = ops.zeros((count,), x.dtype).index_add(0, ids, ops.ones(ids.shape, x.dtype))
    divisors = ops.maximum(lengths, ops.ones_like(lengths)) ** power
    total = ops.zeros((count, *x.shape[1:]), x.dtype)
    total = total.index_add(0, ids, x[indices.astype("int64")])
    return total / divisors.reshape((-1,) + (1,) * (x.ndim - 1))


def _group_norm(input, num_groups, weight, bias, eps):
    """Return (result, mean and inverse standard deviation of each group)."""
    groups = input.reshape((input.shape[0], num_groups, -1))
    mean = groups.mean(-1)
    variance = ((groups - mean.expand_dims(-1)) ** 2).mean(-1)
    result = mint.nn.functional.group_norm(input, num_groups, weight, bias, eps)
    return result, mean, ops.rsqrt(variance + eps)


def _tuples(nested):
    return tuple(map(_tuples, nested)) if isinstance(nested, list) else nested


def _loss_and_gradient(features, labels):
    """Return the cross entropy of each row and its gradient with respect to `features`."""
    losses = ops.cross_entropy(features, labels, reduction="none")
    rows = ops.one_hot(labels, features.shape[1], 1.0, 0.0).astype(features.dtype)  # type: ignore[reportArgumentType]  # any number
    return losses, ops.softmax(features, 1) - rows


def _offsets(axis, shapes):
    """Return where each Tensor of these shapes begins in their concatenation."""
    starts = [ops.zeros_like(shapes[0])]
    for shape in shapes[:-1]:
        step = ops.zeros_like(shape)
        step[axis] = shape[axis]
        starts.append(starts[-1] + step)
    return tuple(starts)


_INCREMENTAL = (
    "IncreFlashAttention(num_heads=1, input_layout='BSH', scale_value=1.0, num_key_value_heads=0, "
    "block_size=0, inner_precise=1)(query, key, value, attn_mask=None, actual_seq_lengths=None, "
    "pse_shift=None, dequant_scale1=None, quant_scale1=None, dequant_scale2=None, "
    "quant_scale2=None, quant_offset2=None, antiquant_scale=None, antiquant_offset=None, "
    "block_table=None, kv_padding_size=None)"
)
_INFERRED = (
    "FusedInferAttentionScore(num_heads=1, scale_value: scale = 1.0, pre_tokens=2147483647, "
    "next_tokens=2147483647, input_layout='BSH', num_key_value_heads=0, sparse_mode=0, "
    "inner_precise=1, block_size=0, antiquant_mode=0, softmax_lse_flag=False, "
    "key_antiquant_mode=0, value_antiquant_mode=0)(query, key, value, pse_shift=None, "
    "attn_mask: atten_mask = None, actual_seq_lengths=None, actual_seq_lengths_kv=None, "
    "dequant_scale1=None, quant_scale1=None, dequant_scale2=None, quant_scale2=None, "
    "quant_offset2=None, antiquant_scale=None, antiquant_offset=None, block_table=None, "
    "query_padding_size=None, kv_padding_size=None, key_antiquant_scale=None, "
    "key_antiquant_offset=None, value_antiquant_scale=None, value_antiquant_offset=None, "
    "key_shared_prefix=None, value_shared_prefix=None, actual_shared_prefix_len=None)"
)
_MATRICES = "x1_indices, x1_values, x1_shape, x2_indices, x2_values, x2_shape"

_ROWS = {
    "ConvertToDynamic(is_dynamic_rank=False)(input)": lambda is_dynamic_rank, input: input,
    f"SparseSparseMaximum()({_MATRICES})": functools.partial(_of_each, ops.maximum),
    "SparseReshape()(indices, shape, new_shape)": _reshaped,
    "SparseSegmentSqrtN()(x, indices, segment_ids)": functools.partial(_segments, 0.5),
    "SparseSegmentSqrtNWithNumSegments()(x, indices, segment_ids, num_segments)": (
        lambda x, indices, segment_ids, num_segments: _segments(
            0.5, x, indices, segment_ids, num_segments
        )
    ),
    "SparseSegmentSum()(x, indices, segment_ids)": functools.partial(_segments, 0),
    "SparseSegmentSumWithNumSegments()(x, indices, segment_ids, num_segments)": (
        lambda x, indices, segment_ids, num_segments: _segments(
            0, x, indices, segment_ids, num_segments
        )
    ),
    "GroupNorm()(input, num_groups, weight=None, bias=None, eps=1e-05)": _group_norm,
    "SparseSoftmaxCrossEntropyWithLogitsV2()(features, labels)": _loss_and_gradient,
    _INCREMENTAL: functools.partial(ops.incre_flash_attention),
    _INFERRED: functools.partial(ops.fused_infer_attention_score),
    "StackExt(dim=0)(tensors)": lambda dim, tensors: mint.stack(tensors, dim),
    "OneHotExt(axis=-1)(tensor, num_classes, on_value, off_value)": (
        lambda axis, tensor, num_classes, on_value, off_value: ops.one_hot(
            tensor, num_classes, on_value, off_value, axis
        )
    ),
    "SparseAddmm()(indices, values, sparse_shape, x2_dense, x3_dense, alpha, beta)": (
        lambda indices, values, sparse_shape, x2_dense, x3_dense, alpha, beta: (
            alpha * ops.SparseTensorDenseMatmul()(indices, values, sparse_shape, x2_dense)
            + beta * x3_dense
        )
    ),
    "ConcatOffsetV1()(axis, x)": lambda axis, x: _offsets(int(axis), x),
    # tuples and lists
    "ListAppend()(input_data, target)": lambda input_data, target: [*input_data, target],
    "ListInsert()(input_data, index, target)": (
        lambda input_data, index, target: [*input_data[:index], target, *input_data[index:]]
    ),
    "SequenceAdd()(input_1, input_2)": lambda input_1, input_2: input_1 + input_2,
    "SequenceConcat(axis=0)(x)": lambda axis, x: ops.concat(x, axis),
    "SequenceIndex()(sequence, target, start=0, end=None)": (
        lambda sequence, target, start, end: sequence.index(
            target, start, len(sequence) if end is None else end
        )
    ),
    "SequenceZerosLike()(sequence)": lambda sequence: type(sequence)(
        ops.zeros_like(item) if isinstance(item, Tensor) else 0 for item in sequence
    ),
    "SequenceStack(axis=0)(x)": lambda axis, x: ops.stack(x, axis),
    "SequenceUnstack(axis=0, num=None)(x)": lambda axis, num, x: ops.unstack(x, axis),
    "SequenceAddN()(inputs)": lambda inputs: ops.addn(inputs),
    "SequenceMul()(sequence, scalar)": lambda sequence, scalar: sequence * scalar,
    "SequenceMax()(sequence)": lambda sequence: max(sequence),
    "SequenceMin()(sequence)": lambda sequence: min(sequence),
    "SequenceCount()(sequence, target)": lambda sequence, target: sequence.count(target),
    "SequenceSlice()(seq, start, stop, step)": lambda seq, start, stop, step: seq[start:stop:step],
    "sequence_len()(sequence)": lambda sequence: len(sequence),
    "InSequence()(element, input_data)": lambda element, input_data: element in input_data,
    "TupleToTensor()(input_tuple, dtype)": lambda input_tuple, dtype: Tensor(input_tuple, dtype),
    "ListToTensor()(input_list, dtype)": lambda input_list, dtype: Tensor(input_list, dtype),
    "TensorToTuple()(input_tensor)": lambda input_tensor: _tuples(input_tensor.tolist()),
    "TensorToList()(input_tensor)": lambda input_tensor: input_tensor.tolist(),
    "TensorToScalar()(input_tensor)": lambda input_tensor: input_tensor.item(),
}

_CLASSES = declared(_ROWS, __name__)
__all__ = [*_CLASSES, "add_ext", "arg_max_with_value_", "arg_min_with_value_", "copy", "sub_ext"]
globals().update(_CLASSES)


# functions -----------------------------------------------------------------------------------


def add_ext(input, other, alpha=1):
    """`mint.add`, with `alpha` also by position."""
    return mint.add(input, other, alpha=alpha)


def sub_ext(input, other, alpha=1):
    """`mint.sub`, with `alpha` also by position."""
    return mint.sub(input, other, alpha=alpha)


def arg_max_with_value_(input):
    """Return (indices, values) of the largest elements along the first axis."""
    return ops.ArgMaxWithValue()(input)


def arg_min_with_value_(input):
    """Return (indices, values) of the smallest elements along the first axis."""
    return ops.ArgMinWithValue()(input)


def copy(input):
    """Return a copy of a Tensor."""
    return input.copy()
