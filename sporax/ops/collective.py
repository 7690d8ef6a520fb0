"""What processes do together, in a group of one: each collective operation gives what came in."""

from sporax.core.tensor import Tensor
from sporax.ops.declare import Arrays, composite


class ReduceOp:
    """How several processes' Tensors become one, by the names that MindSpore gives it.

    >>> ops.ReduceOp.SUM
    'sum'
    """

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"
    AVG = "avg"


_REDUCTIONS = (ReduceOp.SUM, ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PROD, ReduceOp.AVG)


def _of_one(name, x, group, reduction=ReduceOp.SUM):
    if not isinstance(group, str):
        raise TypeError(f"For '{name}', 'group' must be a string, but got {type(group).__name__}.")
    if reduction not in _REDUCTIONS:
        raise ValueError(
            f"For '{name}', 'op' must be one of {list(_REDUCTIONS)}, but got {reduction!r}."
        )
    if not isinstance(x, Tensor):
        raise TypeError(f"For '{name}', 'input_x' must be a Tensor, but got {type(x).__name__}.")
    return x


@composite(function=(), primitive="AllReduce(op='sum', group='hccl_world_group')(input_x)")
def all_reduce_of_class(input_x, op="sum", group="hccl_world_group"):
    """The sum, or what `op` says, of all processes' Tensors: of one process, its own.

    >>> ops.AllReduce()(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return _of_one("AllReduce", input_x, group, op)


@composite(function=(), primitive="ReduceScatter(op='sum', group='hccl_world_group')(input_x)")
def reduce_scatter_of_class(input_x, op="sum", group="hccl_world_group"):
    """This process' part of the sum of all processes' Tensors: of one process, its own.

    >>> ops.ReduceScatter()(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return _of_one("ReduceScatter", input_x, group, op)


@composite(function=(), primitive="AllGather(group='hccl_world_group')(input_x)")
def all_gather_of_class(input_x, group="hccl_world_group"):
    """All processes' Tensors, one after the other along the first axis: of one process, its own.

    >>> ops.AllGather()(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return _of_one("AllGather", input_x, group)


@composite(function=(), primitive="Broadcast(root_rank, group='hccl_world_group')(input_x)")
def broadcast_of_class(input_x, root_rank, group="hccl_world_group") -> Arrays:
    """The Tensors, a tuple, of the process `root_rank`, which is 0 where there is one process.

    >>> ops.Broadcast(0)((Tensor([1.0]),))[0].asnumpy()
    array([1.], dtype=float32)
    """
    if root_rank != 0:
        raise ValueError(
            f"For 'Broadcast', 'root_rank' must be 0, the only process, but got {root_rank!r}."
        )
    return tuple([_of_one("Broadcast", x, group) for x in input_x])
