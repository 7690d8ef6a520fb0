"""Collectives of parts of different sizes, and exchanges between all pairs of ranks."""

import json
import math

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.ops.communication import collectives
from sporax.ops.communication.faces import check_output, faces
from sporax.ops.communication.groups import (
    TENSORS,
    check_same_length,
    check_same_type,
    leave_graph,
    whole_numbers,
)
from sporax.ops.shape.joining import concat


def plans_of_ranks(who, plan, group):
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
    rows = plans_of_ranks(who, (sent, received), group)
    for i, (gives, _) in enumerate(rows):
        for j, (_, takes) in enumerate(rows):
            if gives[j] != takes[i]:
                raise rejection(
                    "what-received-much-sent", who,
                    ranks=group.ranks[i], gives=gives[j], ranks2=group.ranks[j], takes=takes[i],
                )  # fmt: skip
    return tuple(tuple(gives) for gives, _ in rows)


def all_to_all_of_counts(who, x, sent, received, group):
    """Exchange rows; returns the received ones. `sent`, `received`: the row counts per process."""
    counts = _counts(who, sent, received, group)
    _check_rows(who, x, counts[group.rank])
    return collectives.all_to_all_v(x, counts, group)


def _check_rows(who, x, lengths):
    fits, rows = x.ndim > 0 and x.shape[0] == sum(lengths), sum(lengths)
    require(fits, "first-axis-input-rows", who, sum=rows, lengths=[*lengths], shape=x.shape)


def all_to_all_of_matrix(who, x, matrix, group, factor=1):
    """As `all_to_all_of_counts`; `matrix`: all ranks' send counts, row by row."""
    numbers, n = whole_numbers(who, "send_count_matrix", matrix), group.size
    require(len(numbers) == n * n, "x-entries", who, send_count_matrix=len(numbers), n=n)
    counts = tuple(tuple(k * factor for k in numbers[i * n : i * n + n]) for i in range(n))
    _check_rows(who, x, counts[group.rank])
    return collectives.all_to_all_v(x, counts, group)


def _lengths(who, name, sizes, rows, group):
    """Return the number of rows of each rank; equal parts without `sizes`."""
    if sizes is None or len(sizes) == 0:
        count = group.size
        require(
            not rows % count, "without-rows-multiple-ranks", who, name=name, rows=rows, size=count
        )
        return (rows // count,) * count
    return whole_numbers(who, name, sizes)


def _scaled(who, sent, received, scale):
    """Return scaled numbers, given as (name, whole numbers), to send and to receive."""
    return [[scale(n) for n in whole_numbers(who, *numbers)] for numbers in (sent, received)]


# from all to all --------------------------------------------------------------------------------


@faces(
    primitive="AlltoAllV(group='hccl_world_group', block_size=1)"
    "(input_x: x, send_numel_list, recv_numel_list)",
    example={"send_numel_list": "[2]", "recv_numel_list": "[2]"},
)
def all_to_all_v(face, x, send_numel_list, recv_numel_list, group, block_size):
    """Exchange elements of flat Tensors; returns the received ones.

    `send_numel_list`, `recv_numel_list`: the number of blocks of `block_size` elements sent to and
    received from each process.
    """
    sizes = ("send_numel_list", send_numel_list), ("recv_numel_list", recv_numel_list)
    sent, received = _scaled(face.who, *sizes, lambda n: n * block_size)
    return all_to_all_of_counts(face.who, x, sent, received, group)


@faces(
    primitive="AlltoAllVC(group='hccl_world_group', block_size=1, transpose=False)"
    "(input_x: x, send_count_matrix)",
    example={"send_count_matrix": "[2]"},
)
def all_to_all_vc(face, x, send_count_matrix, group, block_size, transpose):
    """As `AlltoAllV`; `send_count_matrix[i * ranks + j]`: the number of blocks that process `i`
    sends to `j`, with `transpose` that `j` sends to `i`."""
    numbers = whole_numbers(face.who, "send_count_matrix", send_count_matrix)
    if transpose:
        numbers = [x for j in range(group.size) for x in numbers[j :: group.size]]
    return all_to_all_of_matrix(face.who, x, numbers, group, block_size)


@faces(
    primitive="_AllSwap(group='hccl_world_group')(tensor_in: x, send_size, recv_size)",
    example={
        "x": "Tensor([[1.0, 2.0]])",
        "send_size": "[2]",
        "recv_size": "[2]",
        "shown": "array([[1., 2.]], dtype=float32)",
    },
)
def all_swap(face, x, send_size, recv_size, group):
    """Exchange rows of matrices; returns the received ones. `send_size`, `recv_size`: the number of
    elements sent to and received from each process."""
    sizes, width = (("send_size", send_size), ("recv_size", recv_size)), x.shape[1]
    sent, received = _scaled(face.who, *sizes, lambda n: n // width)
    return all_to_all_of_counts(face.who, x, sent, received, group)


@faces(
    in_place="all_to_all_v_c(output: into, input: x, send_count_matrix, group=None)",
    in_mint=False,
    example={"send_count_matrix": "[2]"},
)
def all_to_all_v_c(face, into, x, send_count_matrix, group):
    """Exchange rows; `send_count_matrix[i * ranks + j]`: the number of rows that process `i` sends
    to `j`."""
    return all_to_all_of_matrix(face.who, x, send_count_matrix, group)


@faces(
    in_place="all_to_all_single(output: into, input: x, output_split_sizes=None, "
    "input_split_sizes=None, group=None)"
)
def all_to_all_single(face, into, x, output_split_sizes, input_split_sizes, group):
    """Exchange rows between all processes.

    `input_split_sizes`, `output_split_sizes`: the number of rows sent to and received from each
    process; equal parts by default.
    """
    return _rows_exchanged(face.who, x, into.shape, output_split_sizes, input_split_sizes, group)


def _rows_exchanged(who, x, shape, output_split_sizes, input_split_sizes, group):
    sent = _lengths(who, "input_split_sizes", input_split_sizes, x.shape[0], group)
    received = _lengths(who, "output_split_sizes", output_split_sizes, shape[0], group)
    return all_to_all_of_counts(who, x, sent, received, group)


@faces(
    returned="all_to_all_single_with_output_shape(output_shape, tensor: x, "
    "output_split_sizes=None, input_split_sizes=None, group=None, async_op=False)",
    example={"output_shape": "(2,)"},
)
def all_to_all_single_with_output_shape(
    face, output_shape, x, output_split_sizes, input_split_sizes, group
):
    """Exchange rows: the received ones, as a Tensor of `output_shape`.

    `input_split_sizes`, `output_split_sizes`: the number of rows sent to and received from each
    process; equal parts by default.
    """
    shape = shape_of(face.who, output_shape)
    got = _rows_exchanged(face.who, x, shape, output_split_sizes, input_split_sizes, group)
    return got.reshape(shape)


def shape_of(who, shape):
    """Return a shape given as a tuple or as a Tensor of this shape."""
    shape = shape.shape if isinstance(shape, Tensor) else shape
    require(isinstance(shape, tuple), "shape-tuple-tensor", who, got=shape)
    return shape


def exchanged(who, shapes, tensors, group):
    """Exchange `tensors`, one for each process; returns the received Tensors, of these shapes."""
    TENSORS(who, input_tensor_list=tensors)
    check_same_length(who, "input_tensor_list", tensors, group)
    check_same_length(who, message("list-of-outputs"), shapes, group)
    flat = concat([x.reshape(-1) for x in tensors])
    received = [math.prod(shape) for shape in shapes]
    joined = all_to_all_of_counts(who, flat, [x.size for x in tensors], received, group)
    return _cut(joined, shapes, received)


def _cut(flat, shapes, sizes):
    """Return consecutive slices of a flat Tensor in these shapes."""
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    slices = zip(shapes, sizes, ends, strict=True)
    return [flat[end - n : end].reshape(shape) for shape, n, end in slices]


@faces(
    in_place="all_to_all(output_tensor_list: into_each, input_tensor_list, group=None)",
    example={"input_tensor_list": "[Tensor([1.0, 2.0])]"},
)
def all_to_all(face, into_each, input_tensor_list, group):
    """Exchange Tensors, one of `input_tensor_list` for each process."""
    return exchanged(face.who, [x.shape for x in into_each], input_tensor_list, group)


# gathers and reductions -------------------------------------------------------------------------


@faces(
    primitive="AllGatherV(group='hccl_world_group')(input_x: x, output_split_sizes)",
    example={"output_split_sizes": "[2]"},
)
def all_gather_v(face, x, output_split_sizes, group):
    """Concatenate all processes' Tensors; `output_split_sizes`: the length of each."""
    lengths = whole_numbers(face.who, "output_split_sizes", output_split_sizes)
    check_same_length(face.who, "output_split_sizes", lengths, group)
    _check_rows(face.who, x, lengths[group.rank : group.rank + 1])
    return collectives.all_gather_v(x, lengths, group)


@faces(
    in_place="all_gather_into_tensor_uneven(output: into, input: x, output_split_sizes=None, "
    "group=None)",
    example={"output_split_sizes": "[2]"},
)
def all_gather_uneven(face, into, x, output_split_sizes, group):
    """As `all_gather_into_tensor`; `output_split_sizes`: the number of rows of each process."""
    who = face.who
    lengths = _lengths(who, "output_split_sizes", output_split_sizes, into.shape[0], group)
    check_same_length(who, "output_split_sizes", lengths, group, ValueError)
    rows, shape = lengths[group.rank], x.shape
    require(shape[0] == rows, "rows-as-split-sizes", who, input=shape, rows=rows)
    check_output(who, into, (sum(lengths), *shape[1:]), x.dtype)
    return collectives.all_gather_v(x, lengths, group)


@faces(in_place="all_gather(tensor_list: into_each, tensor: x, group=None)")
def all_gather(face, into_each, x, group):
    """Gather each process' Tensor, whose shapes may differ."""
    check_same_length(face.who, "tensor_list", into_each, group)
    check_same_type(face.who, "tensor", x, "tensor_list", into_each[group.rank])
    sizes = tuple(x.size for x in into_each)  # may differ
    gathered = collectives.all_gather_v(x.reshape(-1), sizes, group)
    return _cut(gathered, [x.shape for x in into_each], sizes)


@faces(
    primitive="ReduceScatterV(op='sum', group='hccl_world_group')(input_x: x, input_split_sizes)",
    example={"input_split_sizes": "[2]"},
)
def reduce_scatter_v(face, x, input_split_sizes, op, group):
    """Reduce all processes' Tensors (sum, or `op`) and return this process' part;
    `input_split_sizes`: the length of each process' part."""
    lengths = whole_numbers(face.who, "input_split_sizes", input_split_sizes)
    check_same_length(face.who, "input_split_sizes", lengths, group)
    _check_rows(face.who, x, lengths)
    return collectives.reduce_scatter_v(x, lengths, op, group)


@faces(
    in_place="reduce_scatter_tensor_uneven(output: into, input: x, input_split_sizes=None, "
    "op='sum', group=None)",
    example={"input_split_sizes": "[2]"},
)
def reduce_scatter_uneven(face, into, x, input_split_sizes, op, group):
    """As `reduce_scatter_tensor`; `input_split_sizes`: the number of rows for each process."""
    lengths = _lengths(face.who, "input_split_sizes", input_split_sizes, x.shape[0], group)
    check_same_length(face.who, "input_split_sizes", lengths, group, ValueError)
    check_output(face.who, into, (lengths[group.rank], *x.shape[1:]), x.dtype)
    return collectives.reduce_scatter_v(x, lengths, op, group)


@faces(in_place="reduce_scatter(output: into, input_list: each, op='sum', group=None)")
def reduce_scatter(face, into, each, op, group):
    """Reduce (sum, or `op`) all processes' Tensors for this one; `each`: one for each process."""
    check_same_length(face.who, "input_list", each, group)
    check_same_type(face.who, "output", into, "input_list", each[group.rank])
    flat = concat([x.reshape(-1) for x in each])
    total = collectives.reduce_scatter_v(flat, tuple(x.size for x in each), op, group)
    return total.reshape(into.shape)
