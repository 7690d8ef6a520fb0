"""Collectives whose only face is a Primitive class, by MindSpore's names: `ops.Barrier()()`."""

import math

from sporax._src.core import dtype as dtypes
from sporax._src.devices.distributed.groups import Group
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.communication import collectives
from sporax.ops.communication.channels import exchange_batch
from sporax.ops.communication.groups import (
    TENSOR,
    check_divides,
    group_of,
    leave_graph,
    number_in,
    other_rank,
    rank_number,
)
from sporax.ops.communication.unequal_splits import plans_of_ranks
from sporax.ops.declare import Arrays, composite
from sporax.ops.shape.creation import zeros


def primitive(written):
    """Declare a function on Tensors whose only face is a class, as written."""
    return composite(function=(), primitive=written, name=written.partition("(")[0])


@primitive("Broadcast(root_rank, group='hccl_world_group')(input_x)")
def broadcast_of_class(input_x, root_rank, group="hccl_world_group") -> Arrays:
    """Return the Tensors, a tuple, of the process with global rank `root_rank`.

    >>> ops.Broadcast(0)((Tensor([1.0]),))[0].asnumpy()
    array([1.], dtype=float32)
    """
    group = group_of("Broadcast", group)
    root = number_in("Broadcast", "root_rank", root_rank, group)
    inputs = input_x if isinstance(input_x, (list, tuple)) else (input_x,)
    for x in inputs:
        TENSOR("Broadcast", input_x=x)
    return tuple([collectives.broadcast(x, root, group) for x in inputs])


@primitive("AlltoAll(split_count, split_dim, concat_dim, group='hccl_world_group')(input_x)")
def all_to_all_of_class(input_x, split_count, split_dim, concat_dim, group="hccl_world_group"):
    """Exchange parts along `split_dim`; concatenate the received parts along `concat_dim`.

    `split_count`: the number of ranks.

    >>> ops.AlltoAll(1, 0, 0)(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("AlltoAll", input_x=input_x)
    group = group_of("AlltoAll", group)
    who, size = "AlltoAll", group.size
    require(split_count == size, "number-ranks", who, split_count=split_count, size=size)
    for name, axis in [("split_dim", split_dim), ("concat_dim", concat_dim)]:
        is_axis, last = type(axis) is int and 0 <= axis < input_x.ndim, input_x.ndim - 1
        require(is_axis, "0-rank-number-primitives", who, argument=name, number=last, got=axis)
    check_divides("AlltoAll", "input_x", input_x, group, split_dim)
    return collectives.all_to_all(input_x, split_dim, concat_dim, group)


@primitive("Barrier(group='hccl_world_group')()")
def barrier_of_class(group="hccl_world_group"):
    """Block until every process of the group has called this.

    >>> ops.Barrier()()
    """
    group = group_of("Barrier", group)
    leave_graph()
    group.exchange(b"", "Barrier")


# from rank to rank ------------------------------------------------------------------------------


@primitive(
    "Send(sr_tag, dest_rank, group='hccl_world_group', group_back='hccl_world_group')(input_x)"
)
def send_of_class(
    input_x, sr_tag, dest_rank, group="hccl_world_group", group_back="hccl_world_group"
):
    """Send a Tensor to group rank `dest_rank`, which calls `Receive`; returns zeros.

    >>> ops.Send(0, 0)(Tensor([1.0]))
    Traceback (most recent call last):
        ...
    ValueError: For 'Send', 'dest_rank' must be another rank, but got 0, which is this one.
    """
    TENSOR("Send", input_x=input_x)
    group = group_of("Send", group)
    other = _another("Send", "dest_rank", dest_rank, group)
    leave_graph()
    pair = Group.intern((group.ranks[group.rank], other), "Send")
    return collectives.permute(input_x, ((0, 1),), pair)


def _another(who, name, number, group):
    """Return the global rank of group rank `number`; raise ValueError if it is this process."""
    return other_rank(who, name, group.ranks[rank_number(who, name, number, group)], group)


@primitive(
    "Receive(sr_tag, src_rank, shape, dtype, group='hccl_world_group', "
    "group_back='hccl_world_group')(input_x=None)"
)
def receive_of_class(
    input_x, sr_tag, src_rank, shape, dtype, group="hccl_world_group",
    group_back="hccl_world_group",
):  # fmt: skip
    """Receive a Tensor, of this shape and dtype, that group rank `src_rank` passes to `Send`.

    `input_x`: ignored.

    >>> ops.Receive(0, 0, [1], ms.float32)()
    Traceback (most recent call last):
        ...
    ValueError: For 'Receive', 'src_rank' must be another rank, but got 0, which is this one.
    """
    group = group_of("Receive", group)
    other = _another("Receive", "src_rank", src_rank, group)
    leave_graph()
    pair = Group.intern((other, group.ranks[group.rank]), "Send")
    return collectives.permute(zeros(tuple(shape), dtype), ((0, 1),), pair)


def exchange_between(who, inputs, destinations, sources, shapes, dtype, group):
    """Send one of `inputs` to each of the ranks `destinations`; return the Tensors, of these
    shapes, received from the ranks `sources`."""
    sends = [(to, x.size) for x, to in zip(inputs, destinations, strict=True)]
    takes = [(source, math.prod(shape)) for source, shape in zip(sources, shapes, strict=True)]
    rounds = _rounds(who, plans_of_ranks(who, (sends, takes), group), group)
    return collectives.neighbor_exchange(
        inputs, rounds, tuple(tuple(s) for s in shapes), dtypes.dtype_to_nptype(dtype), group
    )


def _rounds(who, plans, group):
    """Arrange transfers in rounds in which each rank sends and receives at most once."""
    own, rounds = group.rank, []
    for i, (sends, _) in enumerate(plans):
        for k, (to, elements) in enumerate(sends):
            takes = [r for r, (source, _) in enumerate(plans[to][1]) if source == i]
            number = [t for t, _ in sends[:k]].count(to)
            if number >= len(takes) or plans[to][1][takes[number]][1] != elements:
                items = [n for source, n in plans[to][1] if source == i]
                raise rejection(
                    "what-received-much-sent-number",
                    who,
                    i=i,
                    elements=elements,
                    to=to,
                    items=items,
                )
            edge = (i, to), elements, k if i == own else None, takes[number] if to == own else None
            for entries in rounds:
                if all(i != a and to != b for (a, b), *_ in entries):
                    entries.append(edge)
                    break
            else:
                rounds.append([edge])
    return tuple(
        (
            tuple(pair for pair, *_ in entries),
            max(n for _, n, *_ in entries),
            next((sent for *_, sent, _ in entries if sent is not None), None),
            next((received for *_, received in entries if received is not None), None),
        )
        for entries in rounds
    )


@primitive(
    "NeighborExchange(send_rank_ids, recv_rank_ids, recv_shapes, send_shapes, recv_type, "
    "group='hccl_world_group')(input_x)"
)
def neighbor_exchange_of_class(
    input_x, send_rank_ids, recv_rank_ids, recv_shapes, send_shapes, recv_type,
    group="hccl_world_group",
) -> Arrays:  # fmt: skip
    """Send one of `input_x` to each of the group ranks `send_rank_ids`; returns a tuple of the
    Tensors received from `recv_rank_ids`. All ranks of the group must call it.

    >>> exchange = ops.NeighborExchange([0], [0], ([2],), ([2],), ms.float32)
    >>> exchange((Tensor([1.0, 2.0]),))[0].asnumpy()
    array([1., 2.], dtype=float32)
    """
    who = "NeighborExchange"
    group = group_of(who, group)
    inputs = list(input_x)
    for x, shape in zip(inputs, send_shapes, strict=True):
        TENSOR(who, input_x=x)
        require(x.shape == tuple(shape), "shapes-send-shapes", who, input_x=x.shape, shape=shape)
    for name, ranks in [("send_rank_ids", send_rank_ids), ("recv_rank_ids", recv_rank_ids)]:
        for rank in ranks:
            rank_number(who, name, rank, group)
    return exchange_between(
        who, inputs, send_rank_ids, recv_rank_ids, recv_shapes, recv_type, group
    )


# relative position of each neighbour: (rows, columns), -1 above or left, 1 below or right
_NEIGHBORS = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))


@primitive(
    "NeighborExchangeV2(send_rank_ids, send_lens, recv_rank_ids, recv_lens, data_format, "
    "group='hccl_world_group')(input_x)"
)
def neighbor_exchange_v2_of_class(
    input_x, send_rank_ids, send_lens, recv_rank_ids, recv_lens, data_format,
    group="hccl_world_group",
):  # fmt: skip
    """Surround images `(N, C, H, W)` with borders received from neighbours.

    `send_rank_ids`, `recv_rank_ids`: the neighbours' group ranks, above and then clockwise, -1 for
    none. `send_lens`, `recv_lens`: the widths of the borders above, below, left and right. Borders
    without a neighbour are zeros. All ranks of the group must call it.

    >>> none = [-1] * 8
    >>> border = ops.NeighborExchangeV2(none, [1, 1, 1, 1], none, [1, 1, 1, 1], "NCHW")
    >>> border(ops.ones((1, 1, 2, 2))).shape
    (1, 1, 4, 4)
    """
    who = "NeighborExchangeV2"
    TENSOR(who, input_x=input_x)
    group = group_of(who, group)
    is_batch, shape = data_format == "NCHW" and input_x.ndim == 4, input_x.shape
    require(is_batch, "nchw-input-x-4-axes", who, data_format=data_format, shape=shape)
    n, c, height, width = input_x.shape
    top, bottom, left, right = recv_lens
    extents = {-1: (top, left), 0: (height, width), 1: (bottom, right)}
    sent = {-1: (send_lens[0], send_lens[2]), 1: (send_lens[1], send_lens[3])}
    inputs, targets, sources, shapes, sides = [], [], [], [], []
    for (row, column), to, source in zip(_NEIGHBORS, send_rank_ids, recv_rank_ids, strict=True):
        if to != -1:
            rows = _border(row, row and sent[row][0], height)
            columns = _border(column, column and sent[column][1], width)
            inputs.append(input_x[:, :, rows, columns])
            targets.append(to)
        if source != -1:
            sources.append(source)
            shapes.append((n, c, extents[row][0], extents[column][1]))
            sides.append((row, column))
    arrived = exchange_between(who, inputs, targets, sources, shapes, input_x.dtype, group)
    result = zeros((n, c, top + height + bottom, left + width + right), input_x.dtype)
    starts = {-1: (0, 0), 0: (top, left), 1: (top + height, left + width)}
    placed = [((0, 0), input_x), *zip(sides, arrived, strict=True)]
    for (row, column), block in placed:
        y, x = starts[row][0], starts[column][1]
        result[:, :, y : y + block.shape[2], x : x + block.shape[3]] = block
    return result


def _border(side, length, size):
    return slice(size) if side == 0 else slice(length) if side < 0 else slice(size - length, size)


@primitive(
    "BatchISendIRecv(op_types, remote_ranks, receive_shapes=None, receive_dtypes=None, "
    "group='hccl_world_group')(input_x)"
)
def batch_of_class(
    input_x, op_types, remote_ranks, receive_shapes=None, receive_dtypes=None,
    group="hccl_world_group",
) -> Arrays:  # fmt: skip
    """Send and receive several Tensors at once.

    `op_types`: 'isend' or 'irecv' for each; `remote_ranks`: the other group rank of each.
    `receive_shapes`, `receive_dtypes`: of each received Tensor. Returns a Tensor for each,
    meaningless for an 'isend'.

    >>> ops.BatchISendIRecv(("isend",), (0,))((Tensor([1.0]),))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: For 'BatchISendIRecv', 'remote_ranks' must be another rank, but got 0, which is...
    """
    who = "BatchISendIRecv"
    group = group_of(who, group)
    for r in remote_ranks:
        rank_number(who, "remote_ranks", r, group)
    ranks = [_another(who, "remote_ranks", r, group) for r in remote_ranks]
    leave_graph()
    inputs = iter(input_x or ())
    buffers = iter(zip(receive_shapes or (), receive_dtypes or (), strict=True))
    tensors = [next(inputs) if kind == "isend" else zeros(*next(buffers)) for kind in op_types]
    exchange_batch(list(zip(op_types, tensors, ranks, strict=True)), wait=True)
    return tuple(
        zeros((), x.dtype) if kind == "isend" else x
        for kind, x in zip(op_types, tensors, strict=True)
    )
