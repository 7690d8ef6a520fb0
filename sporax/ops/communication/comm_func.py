"""Collectives as functions that return (Tensor, handle): `communication.comm_func`."""

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.communication import equal_splits  # noqa: F401 - it declares faces
from sporax.ops.communication.channels import CommHandle, start_receiving, start_sending
from sporax.ops.communication.faces import RETURNED
from sporax.ops.communication.groups import TENSOR, WORLD, group_of, leave_graph, other_rank
from sporax.ops.communication.primitives import barrier_of_class
from sporax.ops.communication.unequal_splits import all_to_all_of_matrix, exchanged, shape_of
from sporax.ops.indexing.assignment import put
from sporax.ops.shape.creation import zeros

default_handle = CommHandle()
globals().update(RETURNED)


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


def recv(tensor, src=0, group: str | None = WORLD, tag=0):
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


def irecv(tensor, src=0, group: str | None = WORLD, tag=0):
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
        require(type(peer) is int, "must-be-type", "P2POp", peer=peer, kind="an-int")
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


def all_to_all_with_output_shape(output_shape_list, input_tensor_list, group=None, async_op=False):
    """Exchange Tensors, one of `input_tensor_list` for each process: (received Tensors, of these
    shapes; handle or None).

    >>> all_to_all_with_output_shape([(2,)], [Tensor([1.0, 2.0])])[0][0].asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "all_to_all_with_output_shape"
    group = group_of(who, group)
    shapes = [shape_of(who, shape) for shape in output_shape_list]
    results = tuple(exchanged(who, shapes, input_tensor_list, group))
    return results, CommHandle(tensors=results) if async_op else None


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


__all__ = sorted([
    *RETURNED, "P2POp", "all_to_all_v_c", "all_to_all_with_output_shape", "barrier",
    "batch_isend_irecv", "irecv", "isend", "recv", "send",
])  # fmt: skip
