"""Collectives as Primitive classes, by MindSpore's names: `ops.AllReduce()(x)`."""

import json
import math

from sporax._src.core import dtype as dtypes
from sporax._src.devices.distributed.groups import Group
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.ops.communication import collectives
from sporax.ops.communication.channels import exchange_batch
from sporax.ops.communication.groups import (
    TENSOR,
    check_divides,
    check_reduction,
    check_same_length,
    group_of,
    leave_graph,
    number_in,
    other_rank,
    whole_numbers,
)
from sporax.ops.declare import Arrays, composite
from sporax.ops.shape.creation import zeros


def primitive(written):
    """Declare a function on Tensors whose only face is a class, as written."""
    return composite(function=(), primitive=written, name=written.partition("(")[0])


def meaningless(x):
    """Return the meaningless result, of shape (1,), of a rank that does not receive."""
    return x.reshape((-1,))[:1]


@primitive("AllReduce(op='sum', group='hccl_world_group')(input_x)")
def all_reduce_of_class(input_x, op="sum", group="hccl_world_group"):
    """Reduce all processes' Tensors (sum, or `op`); every process gets the result.

    `op`: 'sum', 'avg', 'max', 'min' or 'prod'. The shapes and dtypes must be equal. The derivative
    of the sum of all losses is the sum of the cotangents.

    >>> ops.AllReduce()(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("AllReduce", input_x=input_x)
    check_reduction("AllReduce", op)
    return collectives.all_reduce(input_x, op, group_of("AllReduce", group))


@primitive("ReduceScatter(op='sum', group='hccl_world_group')(input_x)")
def reduce_scatter_of_class(input_x, op="sum", group="hccl_world_group"):
    """Reduce all processes' Tensors (sum, or `op`); returns this process' part of the first axis.

    `(N * ranks, ...) -> (N, ...)`.

    >>> ops.ReduceScatter()(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("ReduceScatter", input_x=input_x)
    check_reduction("ReduceScatter", op)
    group = group_of("ReduceScatter", group)
    check_divides("ReduceScatter", "input_x", input_x, group)
    return collectives.reduce_scatter(input_x, op, group)


@primitive("AllGather(group='hccl_world_group')(input_x)")
def all_gather_of_class(input_x, group="hccl_world_group"):
    """Concatenate all processes' Tensors along the first axis.

    `(N, ...) -> (N * ranks, ...)`.

    >>> ops.AllGather()(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("AllGather", input_x=input_x)
    return collectives.all_gather(input_x, group_of("AllGather", group))


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


@primitive("Reduce(dest_rank, op='sum', group='hccl_world_group')(input_x)")
def reduce_of_class(input_x, dest_rank, op="sum", group="hccl_world_group"):
    """Reduce all processes' Tensors (sum, or `op`) onto group rank `dest_rank`; other ranks get a
    meaningless Tensor of shape (1,).

    >>> ops.Reduce(0)(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("Reduce", input_x=input_x)
    check_reduction("Reduce", op)
    group = group_of("Reduce", group)
    is_rank, number = type(dest_rank) is int and 0 <= dest_rank < group.size, group.size - 1
    require(is_rank, "0-rank-number-primitives", "Reduce", dest_rank=dest_rank, number=number)
    total = collectives.reduce(input_x, op, dest_rank, group)
    return total if group.rank == dest_rank else meaningless(total)


@primitive("CollectiveGather(dest_rank, group='hccl_world_group')(input_x)")
def gather_of_class(input_x, dest_rank, group="hccl_world_group"):
    """Concatenate all processes' Tensors on process `dest_rank`; other processes get a meaningless
    Tensor of shape (1,).

    >>> ops.CollectiveGather(0)(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return gathered_on("CollectiveGather", "dest_rank", dest_rank, group, input_x=input_x)


def gathered_on(who, name, rank, group, **tensor):
    """Gather the Tensor, given by its argument's name, on process `rank`, the argument `name`;
    other processes get `meaningless`."""
    TENSOR(who, **tensor)
    (x,) = tensor.values()
    group = group_of(who, group)
    root = number_in(who, name, rank, group)
    gathered = collectives.gather(x, root, group)
    return gathered if group.rank == root else meaningless(gathered)


@primitive("CollectiveScatter(src_rank=0, group='hccl_world_group')(input_x)")
def scatter_of_class(input_x, src_rank=0, group="hccl_world_group"):
    """Return this process' part, along the first axis, of the Tensor of process `src_rank`.

    >>> ops.CollectiveScatter()(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return scattered_from("CollectiveScatter", "src_rank", src_rank, group, input_x=input_x)


def scattered_from(who, name, rank, group, **tensor):
    """Return this process' part of the Tensor, given by its argument's name, of process `rank`, the
    argument `name`."""
    TENSOR(who, **tensor)
    ((argument, x),) = tensor.items()
    group = group_of(who, group)
    root = number_in(who, name, rank, group)
    check_divides(who, argument, x, group)
    return collectives.scatter(x, root, group)


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


# parts of different lengths ---------------------------------------------------------------------


def _plans(who, plan, group):
    """Exchange the ranks' plans, lists of whole numbers. Encoded as JSON because unpickling runs
    code, and anyone who reaches the coordinator may write to it."""
    plans = group.exchange(json.dumps(plan, default=int).encode(), who)
    try:
        return [json.loads(one) for one in plans]
    except ValueError as error:
        raise rejection("rank-tell-numbers-json", who, cause=error) from None


def _counts(who, sent, received, group):
    """Return `counts[i][j]`, the size that rank `i` sends to `j`, from each rank's own counts."""
    check_same_length(who, message("numbers-sent"), sent, group)
    check_same_length(who, message("numbers-received"), received, group)
    if group.size > 1:
        leave_graph()  # other ranks' counts may differ from call to call
    rows = _plans(who, (sent, received), group)
    for i, (gives, _) in enumerate(rows):
        for j, (_, takes) in enumerate(rows):
            if gives[j] != takes[i]:
                raise rejection(
                    "what-received-much-sent", who,
                    ranks=group.ranks[i], gives=gives[j], ranks2=group.ranks[j], takes=takes[i],
                )  # fmt: skip
    return tuple(tuple(gives) for gives, _ in rows)


def all_to_all_of_parts(who, x, sent, received, group):
    """Exchange rows; returns the received ones. `sent`, `received`: the row counts per process."""
    counts = _counts(who, sent, received, group)
    _check_rows(who, x, counts[group.rank])
    return collectives.all_to_all_v(x, counts, group)


def _check_rows(who, x, lengths):
    fits, rows = x.ndim > 0 and x.shape[0] == sum(lengths), sum(lengths)
    require(fits, "first-axis-input-rows", who, sum=rows, lengths=[*lengths], shape=x.shape)


@primitive(
    "AlltoAllV(group='hccl_world_group', block_size=1)(input_x, send_numel_list, recv_numel_list)"
)
def all_to_all_v_of_class(
    input_x, send_numel_list, recv_numel_list, group="hccl_world_group", block_size=1
):
    """Exchange elements of flat Tensors; returns the received ones.

    `send_numel_list`, `recv_numel_list`: the number of blocks of `block_size` elements sent to and
    received from each process.

    >>> ops.AlltoAllV()(Tensor([1.0, 2.0]), [2], [2]).asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("AlltoAllV", input_x=input_x)
    group = group_of("AlltoAllV", group)
    sent, received = [
        [n * block_size for n in whole_numbers("AlltoAllV", name, numbers)]
        for name, numbers in [
            ("send_numel_list", send_numel_list), ("recv_numel_list", recv_numel_list)
        ]
    ]  # fmt: skip
    return all_to_all_of_parts("AlltoAllV", input_x, sent, received, group)


def all_to_all_of_matrix(who, x, matrix, group, factor=1):
    """As `all_to_all_of_parts`; `matrix`: all ranks' send counts, row by row."""
    numbers, n = whole_numbers(who, "send_count_matrix", matrix), group.size
    require(len(numbers) == n * n, "x-entries", who, send_count_matrix=len(numbers), n=n)
    counts = tuple(tuple(k * factor for k in numbers[i * n : i * n + n]) for i in range(n))
    _check_rows(who, x, counts[group.rank])
    return collectives.all_to_all_v(x, counts, group)


@primitive(
    "AlltoAllVC(group='hccl_world_group', block_size=1, transpose=False)"
    "(input_x, send_count_matrix)"
)
def all_to_all_vc_of_class(
    input_x, send_count_matrix, group="hccl_world_group", block_size=1, transpose=False
):
    """As `AlltoAllV`; `send_count_matrix[i * ranks + j]`: the number of blocks that process `i`
    sends to `j`, with `transpose` that `j` sends to `i`.

    >>> ops.AlltoAllVC()(Tensor([1.0, 2.0]), [2]).asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("AlltoAllVC", input_x=input_x)
    group = group_of("AlltoAllVC", group)
    numbers = whole_numbers("AlltoAllVC", "send_count_matrix", send_count_matrix)
    if transpose:
        numbers = [x for j in range(group.size) for x in numbers[j :: group.size]]
    return all_to_all_of_matrix("AlltoAllVC", input_x, numbers, group, block_size)


@primitive("AllGatherV(group='hccl_world_group')(input_x, output_split_sizes)")
def all_gather_v_of_class(input_x, output_split_sizes, group="hccl_world_group"):
    """Concatenate all processes' Tensors; `output_split_sizes`: the length of each.

    >>> ops.AllGatherV()(Tensor([1.0, 2.0]), [2]).asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("AllGatherV", input_x=input_x)
    group = group_of("AllGatherV", group)
    lengths = whole_numbers("AllGatherV", "output_split_sizes", output_split_sizes)
    check_same_length("AllGatherV", "output_split_sizes", lengths, group)
    _check_rows("AllGatherV", input_x, lengths[group.rank : group.rank + 1])
    return collectives.all_gather_v(input_x, lengths, group)


@primitive("ReduceScatterV(op='sum', group='hccl_world_group')(input_x, input_split_sizes)")
def reduce_scatter_v_of_class(input_x, input_split_sizes, op="sum", group="hccl_world_group"):
    """Reduce all processes' Tensors (sum, or `op`) and return this process' part;
    `input_split_sizes`: the length of each process' part.

    >>> ops.ReduceScatterV()(Tensor([1.0, 2.0]), [2]).asnumpy()
    array([1., 2.], dtype=float32)
    """
    TENSOR("ReduceScatterV", input_x=input_x)
    check_reduction("ReduceScatterV", op)
    group = group_of("ReduceScatterV", group)
    lengths = whole_numbers("ReduceScatterV", "input_split_sizes", input_split_sizes)
    check_same_length("ReduceScatterV", "input_split_sizes", lengths, group)
    _check_rows("ReduceScatterV", input_x, lengths)
    return collectives.reduce_scatter_v(input_x, lengths, op, group)


@primitive("_AllSwap(group='hccl_world_group')(tensor_in, send_size, recv_size)")
def all_swap_of_class(tensor_in, send_size, recv_size, group="hccl_world_group"):
    """Exchange rows of matrices; returns the received ones. `send_size`, `recv_size`: the number of
    elements sent to and received from each process.

    >>> ops._AllSwap()(ops.ones((2, 3)), Tensor([6]), Tensor([6])).shape
    (2, 3)
    """
    TENSOR("_AllSwap", tensor_in=tensor_in)
    group, width = group_of("_AllSwap", group), tensor_in.shape[1]
    sent, received = [
        [n // width for n in whole_numbers("_AllSwap", name, numbers)]
        for name, numbers in [("send_size", send_size), ("recv_size", recv_size)]
    ]
    return all_to_all_of_parts("_AllSwap", tensor_in, sent, received, group)


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
    other = other_rank(
        "Send", "dest_rank", _world_rank("Send", "dest_rank", dest_rank, group), group
    )
    leave_graph()
    pair = Group.of((group.ranks[group.rank], other), "Send")
    return collectives.permute(input_x, ((0, 1),), pair)


def _world_rank(who, name, number, group):
    is_rank, last = type(number) is int and 0 <= number < group.size, group.size - 1
    require(is_rank, "0-rank-number-primitives", who, argument=name, number=last, got=number)
    return group.ranks[number]


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
    other = _world_rank("Receive", "src_rank", src_rank, group)
    other_rank("Receive", "src_rank", other, group)
    leave_graph()
    pair = Group.of((other, group.ranks[group.rank]), "Send")
    return collectives.permute(zeros(tuple(shape), dtype), ((0, 1),), pair)


def exchange_between(who, inputs, destinations, sources, shapes, dtype, group):
    """Send one of `inputs` to each of the ranks `destinations`; return the Tensors, of these
    shapes, received from the ranks `sources`."""
    sends = [(to, x.size) for x, to in zip(inputs, destinations, strict=True)]
    takes = [(of, math.prod(shape)) for of, shape in zip(sources, shapes, strict=True)]
    rounds = _rounds(who, _plans(who, (sends, takes), group), group)
    return collectives.neighbor_exchange(
        inputs, rounds, tuple(tuple(s) for s in shapes), dtypes.dtype_to_nptype(dtype), group
    )


def _rounds(who, plans, group):
    """Arrange transfers in rounds in which each rank sends and receives at most once."""
    own, rounds = group.rank, []
    for i, (sends, _) in enumerate(plans):
        for at, (to, elements) in enumerate(sends):
            takes = [k for k, (of, _) in enumerate(plans[to][1]) if of == i]
            number = [t for t, _ in sends[:at]].count(to)
            if number >= len(takes) or plans[to][1][takes[number]][1] != elements:
                items = [n for of, n in plans[to][1] if of == i]
                raise rejection(
                    "what-received-much-sent-number",
                    who,
                    i=i,
                    elements=elements,
                    to=to,
                    items=items,
                )
            edge = (i, to), elements, at if i == own else None, takes[number] if to == own else None
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
            _world_rank(who, name, rank, group)
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
    inputs, targets, sources, shapes, places = [], [], [], [], []
    for (row, column), to, of in zip(_NEIGHBORS, send_rank_ids, recv_rank_ids, strict=True):
        if to != -1:
            rows = _border(row, row and sent[row][0], height)
            columns = _border(column, column and sent[column][1], width)
            inputs.append(input_x[:, :, rows, columns])
            targets.append(to)
        if of != -1:
            sources.append(of)
            shapes.append((n, c, extents[row][0], extents[column][1]))
            places.append((row, column))
    arrived = exchange_between(who, inputs, targets, sources, shapes, input_x.dtype, group)
    result = zeros((n, c, top + height + bottom, left + width + right), input_x.dtype)
    starts = {-1: (0, 0), 0: (top, left), 1: (top + height, left + width)}
    placed = [((0, 0), input_x), *zip(places, arrived, strict=True)]
    for (row, column), part in placed:
        y, x = starts[row][0], starts[column][1]
        result[:, :, y : y + part.shape[2], x : x + part.shape[3]] = part
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
    ranks = [_world_rank(who, "remote_ranks", r, group) for r in remote_ranks]
    for r in ranks:
        other_rank(who, "remote_ranks", r, group)
    leave_graph()
    inputs = iter(input_x or ())
    places = iter(zip(receive_shapes or (), receive_dtypes or (), strict=True))
    tensors = [next(inputs) if kind == "isend" else zeros(*next(places)) for kind in op_types]
    exchange_batch(list(zip(op_types, tensors, ranks, strict=True)), wait=True)
    return tuple(
        zeros((), x.dtype) if kind == "isend" else x
        for kind, x in zip(op_types, tensors, strict=True)
    )
