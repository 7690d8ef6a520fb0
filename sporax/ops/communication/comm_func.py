"""Collectives as functions that return (Tensor, handle): `communication.comm_func`."""

import math

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, require
from sporax.ops.communication import collectives
from sporax.ops.communication.channels import CommHandle, start_receiving, start_sending
from sporax.ops.communication.groups import (
    TENSOR,
    TENSORS,
    WORLD,
    ReduceOp,
    check_divides,
    check_reduction,
    check_same_length,
    group_of,
    leave_graph,
    number_in,
    other_rank,
    whole_numbers,
)
from sporax.ops.communication.primitives import (
    all_to_all_of_matrix,
    all_to_all_of_parts,
    barrier_of_class,
    gathered_on,
    meaningless,
    scattered_from,
)
from sporax.ops.indexing.assignment import put
from sporax.ops.shape.creation import zeros
from sporax.ops.shape.joining import concat

default_handle = CommHandle()


def _with_handle(x, async_op):
    require(isinstance(async_op, bool), "bool-given", "async_op", got=async_op)
    return x, CommHandle(tensors=(x,)) if async_op else None


def all_reduce(tensor, op=ReduceOp.SUM, group=WORLD, async_op=False):
    """Reduce all processes' Tensors (sum, or `op`): (result, handle if `async_op` else None).

    >>> all_reduce(Tensor([1.0, 2.0]))[0].asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("all_reduce", tensor=tensor)
    check_reduction("all_reduce", op)
    return _with_handle(collectives.all_reduce(tensor, op, group_of("all_reduce", group)), async_op)


def all_gather_into_tensor(tensor, group=WORLD, async_op=False):
    """Concatenate all processes' Tensors along the first axis: (result, handle or None).

    >>> all_gather_into_tensor(Tensor([1.0, 2.0]))[0].asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "all_gather_into_tensor"
    TENSOR(who, tensor=tensor)
    return _with_handle(collectives.all_gather(tensor, group_of(who, group)), async_op)


def reduce_scatter_tensor(tensor, op=ReduceOp.SUM, group=WORLD, async_op=False):
    """Reduce all processes' Tensors (sum, or `op`) and keep this process' part along the first
    axis: (result, handle or None).

    >>> reduce_scatter_tensor(Tensor([1.0, 2.0]))[0].asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "reduce_scatter_tensor"
    TENSOR(who, tensor=tensor)
    check_reduction(who, op)
    group = group_of(who, group)
    check_divides(who, "tensor", tensor, group)
    return _with_handle(collectives.reduce_scatter(tensor, op, group), async_op)


def reduce(tensor, dst, op=ReduceOp.SUM, group=WORLD):
    """Reduce all processes' Tensors (sum, or `op`) onto process `dst`; other processes get a
    meaningless Tensor of shape (1,).

    >>> reduce(Tensor([1.0, 2.0]), 0).asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("reduce", tensor=tensor)
    check_reduction("reduce", op)
    group = group_of("reduce", group)
    root = number_in("reduce", "dst", dst, group)
    total = collectives.reduce(tensor, op, root, group)
    return total if group.rank == root else meaningless(total)


def scatter_tensor(tensor, src=0, group=WORLD):
    """Return this process' part, along the first axis, of the Tensor of process `src`.

    >>> scatter_tensor(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return scattered_from("scatter_tensor", "src", src, group, tensor=tensor)


def gather_into_tensor(tensor, dst=0, group=WORLD):
    """Concatenate all processes' Tensors on process `dst`; other processes get a meaningless Tensor
    of shape (1,).

    >>> gather_into_tensor(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return gathered_on("gather_into_tensor", "dst", dst, group, tensor=tensor)


def broadcast(tensor, src=0, group=WORLD):
    """Return the Tensor of process `src`.

    >>> broadcast(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("broadcast", tensor=tensor)
    group = group_of("broadcast", group)
    return collectives.broadcast(tensor, number_in("broadcast", "src", src, group), group)


def barrier(group=WORLD):
    """Block until every process of the group has called this.

    >>> barrier()
    """
    barrier_of_class(group)


def send(tensor, dst=0, group=WORLD, tag=0):
    """Send a Tensor to process `dst`, which calls `recv`, and block until it has arrived.

    >>> send(Tensor([1.0]), 0)
    Traceback (most recent call last):
        ...
    ValueError: For 'send', 'dst' must be another rank, but got 0, which is this one.
    """
    _isend("send", tensor, dst, group).wait()


def recv(tensor, src=0, group=WORLD, tag=0):
    """Receive a Tensor, of the shape and dtype of `tensor`, from process `src`.

    >>> recv(Tensor([1.0]), 0)
    Traceback (most recent call last):
        ...
    ValueError: For 'recv', 'src' must be another rank, but got 0, which is this one.
    """
    received, handle = _irecv("recv", tensor, src, group)
    handle.wait()
    return received


def isend(tensor, dst=0, group=WORLD, tag=0):
    """Start sending a Tensor to process `dst`; returns a handle.

    >>> isend(Tensor([1.0]), 0)
    Traceback (most recent call last):
        ...
    ValueError: For 'isend', 'dst' must be another rank, but got 0, which is this one.
    """
    return _isend("isend", tensor, dst, group)


def irecv(tensor, src=0, group=WORLD, tag=0):
    """Start receiving a Tensor, of the shape and dtype of `tensor`, from process `src`: (Tensor,
    handle). Reading the Tensor also blocks until it has arrived.

    >>> irecv(Tensor([1.0]), 0)
    Traceback (most recent call last):
        ...
    ValueError: For 'irecv', 'src' must be another rank, but got 0, which is this one.
    """
    return _irecv("irecv", tensor, src, group)


def _isend(who, tensor, dst, group):
    TENSOR(who, tensor=tensor)
    dst = other_rank(who, "dst", dst, group_of(who, group))
    leave_graph()
    return start_sending(tensor, dst)


def _irecv(who, tensor, src, group):
    TENSOR(who, tensor=tensor)
    src = other_rank(who, "src", src, group_of(who, group))
    leave_graph()
    return start_receiving(tensor.shape, tensor.dtype, src)


class P2POp:
    """One Tensor to send or to receive, for `batch_isend_irecv`.

    `op`: 'isend' or 'irecv', or the function of that name; `peer`: the other process; `recv_dtype`:
    the dtype if `tensor` is the shape to receive.

    >>> P2POp("isend", Tensor([1.0]), 1).op
    'isend'
    """

    def __init__(self, op, tensor, peer, group=None, tag=0, *, recv_dtype=None):
        self.op = getattr(op, "__name__", op)
        kinds.one_of("isend", "irecv")("P2POp", op=self.op)
        if self.op == "irecv" and isinstance(tensor, tuple):
            tensor = zeros(tensor, recv_dtype)
        TENSOR("P2POp", tensor=tensor)
        require(type(peer) is int, "int", "P2POp", peer=peer)
        require(tag == 0, "0-rank-operands", "P2POp", tag=tag)
        self.tensor, self.peer, self.group, self.tag = tensor, peer, group, tag
        self.recv_dtype = recv_dtype


def check_batch(p2p_op_list):
    """Raise TypeError unless this is a list of `P2POp` of the same group."""
    who = "batch_isend_irecv"
    are_some = isinstance(p2p_op_list, (list, tuple)) and p2p_op_list
    require(are_some, "list-p2pop", who, argument="p2p_op_list")
    for p in p2p_op_list:
        require(isinstance(p, P2POp), "hold-p2pop", who, p2p_op_list=p)
        require(p.group == p2p_op_list[0].group, "all-p2p-op-list-one-group", who)
        other_rank(who, "peer", p.peer, group_of(who, p.group))
    leave_graph()


def batch_isend_irecv(p2p_op_list):
    """Send and receive all of a list of `P2POp`; returns a Tensor for each, meaningless for an
    'isend'.

    >>> batch_isend_irecv([P2POp("isend", Tensor([1.0]), 0)])
    Traceback (most recent call last):
        ...
    ValueError: For 'batch_isend_irecv', 'peer' must be another rank, but got 0, which is this one.
    """
    check_batch(p2p_op_list)
    started = [
        (zeros((), p.tensor.dtype), start_sending(p.tensor, p.peer))
        if p.op == "isend"
        else start_receiving(p.tensor.shape, p.tensor.dtype, p.peer)
        for p in p2p_op_list
    ]
    for _, handle in started:
        handle.wait()
    return tuple(x for x, _ in started)


def _shape(who, shape):
    shape = shape.shape if isinstance(shape, Tensor) else shape
    require(isinstance(shape, tuple), "shape-tuple-tensor", who, got=shape)
    return shape


def parts_from(who, shapes, tensors, group):
    """Exchange `tensors`, one for each process; returns the received Tensors, of these shapes."""
    TENSORS(who, input_tensor_list=tensors)
    check_same_length(who, "input_tensor_list", tensors, group)
    check_same_length(who, message("list-of-outputs"), shapes, group)
    flat = concat([x.reshape(-1) for x in tensors])
    received = [math.prod(shape) for shape in shapes]
    joined = all_to_all_of_parts(who, flat, [x.size for x in tensors], received, group)
    results, start = [], 0
    for shape, size in zip(shapes, received, strict=True):
        results.append(joined[start : start + size].reshape(shape))
        start += size
    return results


def all_to_all_with_output_shape(output_shape_list, input_tensor_list, group=None, async_op=False):
    """Exchange Tensors, one of `input_tensor_list` for each process: (received Tensors, of these
    shapes; handle or None).

    >>> all_to_all_with_output_shape([(2,)], [Tensor([1.0, 2.0])])[0][0].asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "all_to_all_with_output_shape"
    group = group_of(who, group)
    shapes = [_shape(who, shape) for shape in output_shape_list]
    results = tuple(parts_from(who, shapes, input_tensor_list, group))
    return results, CommHandle(tensors=results) if async_op else None


def split_sizes(who, name, sizes, rows, group):
    """Return the number of rows of each rank; equal parts without `sizes`."""
    if sizes is None or len(sizes) == 0:
        count = group.size
        require(
            not rows % count, "without-rows-multiple-ranks", who, name=name, rows=rows, size=count
        )
        return (rows // count,) * count
    return whole_numbers(who, name, sizes)


def all_to_all_single_with_output_shape(
    output_shape, tensor, output_split_sizes=None, input_split_sizes=None, group=None,
    async_op=False,
):  # fmt: skip
    """Exchange rows: (the received rows, as a Tensor of `output_shape`; handle or None).
    `input_split_sizes`, `output_split_sizes`: the number of rows sent to and received from each
    process; equal parts by default.

    >>> all_to_all_single_with_output_shape((2,), Tensor([1.0, 2.0]))[0].asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "all_to_all_single_with_output_shape"
    TENSOR(who, tensor=tensor)
    group, shape = group_of(who, group), _shape(who, output_shape)
    sent = split_sizes(who, "input_split_sizes", input_split_sizes, tensor.shape[0], group)
    received = split_sizes(who, "output_split_sizes", output_split_sizes, shape[0], group)
    result = all_to_all_of_parts(who, tensor, sent, received, group)
    return _with_handle(result.reshape(shape), async_op)


def all_to_all_v_c(output, input, send_count_matrix, group=None, async_op=False):
    """Exchange rows and write the received ones to `output`; `send_count_matrix[i * ranks + j]`:
    the number of rows that process `i` sends to `j`.

    Returns a handle if `async_op`, else None.

    >>> output = Tensor([0.0, 0.0])
    >>> all_to_all_v_c(output, Tensor([1.0, 2.0]), [2])
    >>> output.asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "all_to_all_v_c"
    TENSOR(who, output=output, input=input)
    group = group_of(who, group)
    result = all_to_all_of_matrix(who, input, send_count_matrix, group)
    put(who, output, result.reshape(output.shape))
    return CommHandle(tensors=(output,)) if async_op else None


__all__ = [
    "P2POp", "all_gather_into_tensor", "all_reduce", "all_to_all_single_with_output_shape",
    "all_to_all_v_c", "all_to_all_with_output_shape", "barrier", "batch_isend_irecv", "broadcast",
    "gather_into_tensor", "irecv", "isend", "recv", "reduce", "reduce_scatter_tensor",
    "scatter_tensor", "send",
]  # fmt: skip
