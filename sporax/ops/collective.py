"""What processes do together, in a group of one: each collective operation gives what came in."""

from sporax.core.tensor import Tensor
from sporax.ops.declare import Arrays, composite
from sporax.ops.linalg.products import matmul


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


# with a product --------------------------------------------------------------------------------


def _product(name, input, x2, group, world_size, bias, trans_input, trans_x2):
    _of_one(name, input, group)
    if world_size != 1:
        raise ValueError(f"For '{name}', 'world_size' must be 1, but got {world_size!r}.")
    if bias is not None:
        raise ValueError(f"For '{name}', 'bias' must be None, but got {type(bias).__name__}.")
    left, right = [
        x.swapaxes(0, 1) if transposed else x
        for x, transposed in [(input, trans_input), (x2, trans_x2)]
    ]
    return matmul(left, right), left


@composite()
def all_gather_matmul(
    input, x2, group, world_size, *, bias=None, gather_index=0, gather_output=True, comm_turn=0,
    trans_input=False, trans_x2=False,
) -> Arrays:  # fmt: skip
    """All processes' `input`, one after the other, times `x2`: (product, gathered input). Of one
    process, its own; without `gather_output` the second is empty.

    >>> ops.all_gather_matmul(ops.ones((2, 3)), ops.ones((3, 1)), "hccl_world_group", 1)[0].shape
    (2, 1)
    """
    product, gathered = _product(
        "all_gather_matmul", input, x2, group, world_size, bias, trans_input, trans_x2
    )
    return product, gathered if gather_output else Tensor([], input.dtype)


@composite()
def matmul_reduce_scatter(
    input, x2, group, world_size, *, reduce_op="sum", bias=None, comm_turn=0, trans_input=False,
    trans_x2=False,
):  # fmt: skip
    """This process' part of the sum of all processes' `input @ x2`: of one process, its own.

    >>> ops.matmul_reduce_scatter(ops.ones((2, 3)), ops.ones((3, 1)), "hccl_world_group", 1).shape
    (2, 1)
    """
    _of_one("matmul_reduce_scatter", input, group, reduce_op)
    return _product(
        "matmul_reduce_scatter", input, x2, group, world_size, bias, trans_input, trans_x2
    )[0]


@composite()
def reshard(tensor, layout):
    """The Tensor as `layout` distributes it among devices: on one device, as it is.

    >>> ops.reshard(Tensor([1.0]), None).asnumpy()
    array([1.], dtype=float32)
    """
    return _of_one("reshard", tensor, "")


@composite(function=(), primitive="Reshard(in_layout, out_layout, in_strategy)(tensor)")
def reshard_of_class(tensor, in_layout, out_layout, in_strategy):
    """The Tensor from one layout on devices to another: on one device, as it is.

    >>> ops.Reshard(None, None, None)(Tensor([1.0])).asnumpy()
    array([1.], dtype=float32)
    """
    return _of_one("Reshard", tensor, "")
