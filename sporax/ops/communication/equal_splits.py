"""Collectives of Tensors of equal size, each declared once for all of its faces."""

from sporax.ops.communication import collectives
from sporax.ops.communication.faces import faces
from sporax.ops.communication.groups import (
    TENSORS,
    check_same_length,
    check_same_type,
    leave_graph,
)
from sporax.ops.shape.creation import zeros
from sporax.ops.shape.joining import concat


@faces(
    primitive="AllReduce(op='sum', group='hccl_world_group')(input_x: x)",
    returned="all_reduce(tensor: x, op='sum', group='hccl_world_group', async_op=False)",
    in_place="all_reduce(tensor: x, op='sum', group=None)",
    returns=True,
)
def all_reduce(face, x, op, group):
    """Reduce all processes' Tensors (sum, or `op`); every process gets the result.

    `op`: 'sum', 'avg', 'max', 'min' or 'prod'. The shapes and dtypes must be equal. The derivative
    of the sum of all losses is the sum of the cotangents.
    """
    return collectives.all_reduce(x, op, group)


@faces(
    primitive="ReduceScatter(op='sum', group='hccl_world_group')(input_x: x)",
    returned="reduce_scatter_tensor(tensor: x, op='sum', group='hccl_world_group', async_op=False)",
    in_place="reduce_scatter_tensor(output: into, input: x, op='sum', group=None)",
    returns=True,
    shares=True,
    shape=lambda x, group: (x.shape[0] // group.size, *x.shape[1:]),
)
def reduce_scatter(face, x, op, group):
    """Reduce all processes' Tensors (sum, or `op`) and keep this process' part of the first axis.

    `(N * ranks, ...) -> (N, ...)`.
    """
    return collectives.reduce_scatter(x, op, group)


@faces(
    primitive="AllGather(group='hccl_world_group')(input_x: x)",
    returned="all_gather_into_tensor(tensor: x, group='hccl_world_group', async_op=False)",
    in_place="all_gather_into_tensor(output_tensor: into, input_tensor: x, group=None)",
    returns=True,
    shape=lambda x, group: (group.size * (x.shape or (1,))[0], *x.shape[1:]),
)
def all_gather(face, x, group):
    """Concatenate all processes' Tensors along the first axis.

    `(N, ...) -> (N * ranks, ...)`.
    """
    return collectives.all_gather(x, group)


@faces(
    returned="broadcast(tensor: x, src: root = 0, group='hccl_world_group')",
    in_place="broadcast(tensor: x, src: root, group=None)",
)
def broadcast(face, x, root, group):
    """Copy the Tensor of process `root` to all processes."""
    return collectives.broadcast(x, root, group)


@faces(
    primitive="Reduce(dest_rank: number, op='sum', group='hccl_world_group')(input_x: x)",
    returned="reduce(tensor: x, dst: root, op='sum', group='hccl_world_group')",
    in_place="reduce(tensor: x, dst: root, op='sum', group=None)",
)
def reduce(face, x, op, root, group):
    """Reduce all processes' Tensors (sum, or `op`) onto process `root`."""
    total = collectives.reduce(x, op, root, group, face.writes)
    return total if face.writes else face.on_root(total, root, group)


@faces(
    primitive="CollectiveGather(dest_rank: root, group='hccl_world_group')(input_x: x)",
    returned="gather_into_tensor(tensor: x, dst: root = 0, group='hccl_world_group')",
    in_place="gather_into_tensor(output_tensor: into, input_tensor: x, dst: root = 0, group=None)",
)
def gather(face, x, root, group):
    """Concatenate all processes' Tensors along the first axis on process `root`."""
    if face.writes:
        leave_graph()  # without a write, a program would eliminate the collective
    return face.on_root(collectives.gather(x, root, group), root, group)


@faces(
    primitive="CollectiveScatter(src_rank: root = 0, group='hccl_world_group')(input_x: x)",
    returned="scatter_tensor(tensor: x, src: root = 0, group='hccl_world_group')",
    in_place="scatter_tensor(output_tensor: into, input_tensor: x, src: root = 0, group=None)",
    shares=True,
)
def scatter(face, x, root, group):
    """Return this process' part, along the first axis, of the Tensor of process `root`."""
    return collectives.scatter(x, root, group)


# of lists: a Tensor for each process -------------------------------------------------------------


def _check_like(face, tensor, name, tensors, group):
    """Raise unless the list has one Tensor like `tensor` for each process."""
    TENSORS(face.who, **{name: tensors})
    check_same_length(face.who, name, tensors, group)
    for x in tensors:
        check_same_type(face.who, "tensor", tensor, name, x)


@faces(in_place="scatter(tensor: into, scatter_list, src: root = 0, group=None)",
       example={"scatter_list": "[Tensor([1.0, 2.0])]"})  # fmt: skip
def scatter_list(face, into, scatter_list, root, group):
    """Return this process' entry of `scatter_list`, of process `root`."""
    if scatter_list is not None or group.rank == root:
        _check_like(face, into, "scatter_list", scatter_list, group)
    flat = zeros((group.size * into.size,), into.dtype)
    if group.rank == root:
        flat = concat([x.reshape(-1) for x in scatter_list or ()])
    return collectives.scatter(flat, root, group).reshape(into.shape)


@faces(in_place="gather(tensor: x, gather_list: kept, dst: root = 0, group=None)")
def gather_list(face, x, kept, root, group):
    """Gather each process' Tensor on process `root`."""
    if kept is not None or group.rank == root:
        _check_like(face, x, "gather_list", kept, group)
    leave_graph()  # see `gather`
    gathered = face.on_root(collectives.gather(x.reshape(-1), root, group), root, group)
    return gathered if gathered is None else list(gathered.reshape((group.size, *x.shape)))
