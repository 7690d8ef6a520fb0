"""Collectives combined with a matrix product, and changes of layout."""

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
from sporax.ops.communication import collectives
from sporax.ops.communication.groups import (
    TENSOR,
    check_divides,
    check_reduction,
    group_of,
)
from sporax.ops.declare import Arrays, composite
from sporax.ops.linalg.products import matmul


def _operands(who, input, x2, group, world_size, bias, transposed):
    """Return the matrices, transposed if requested, and the process group."""
    TENSOR(who, input=input, x2=x2)
    group = group_of(who, group)
    require(world_size == group.size, "number-ranks", who, world_size=world_size, size=group.size)
    require(bias is None, "none", who, bias=bias)
    matrices = zip((input, x2), transposed, strict=True)
    return *[x.swapaxes(0, 1) if turned else x for x, turned in matrices], group


@composite()
def all_gather_matmul(
    input, x2, group, world_size, *, bias=None, gather_index=0, gather_output=True, comm_turn=0,
    trans_input=False, trans_x2=False,
) -> Arrays:  # fmt: skip
    """Concatenate all processes' `input` and multiply by `x2`: (product, gathered input). Without
    `gather_output` the second is empty.

    >>> ops.all_gather_matmul(ops.ones((2, 3)), ops.ones((3, 1)), "hccl_world_group", 1)[0].shape
    (2, 1)
    """
    left, right, group = _operands(
        "all_gather_matmul", input, x2, group, world_size, bias, (trans_input, trans_x2)
    )
    gathered = collectives.all_gather(left, group)
    return matmul(gathered, right), gathered if gather_output else Tensor([], input.dtype)


@composite()
def matmul_reduce_scatter(
    input, x2, group, world_size, *, reduce_op="sum", bias=None, comm_turn=0, trans_input=False,
    trans_x2=False,
):  # fmt: skip
    """Reduce `input @ x2` over all processes and return this process' part along the first axis.

    >>> ops.matmul_reduce_scatter(ops.ones((2, 3)), ops.ones((3, 1)), "hccl_world_group", 1).shape
    (2, 1)
    """
    who = "matmul_reduce_scatter"
    check_reduction(who, reduce_op)
    left, right, group = _operands(who, input, x2, group, world_size, bias, (trans_input, trans_x2))
    product = matmul(left, right)
    check_divides(who, "input @ x2", product, group)
    return collectives.reduce_scatter(product, reduce_op, group)


@composite()
def reshard(tensor, layout):
    """Distribute the Tensor among devices by `layout`: on one device, unchanged.

    >>> ops.reshard(Tensor([1.0]), None).asnumpy()
    array([1.], dtype=float32)
    """
    TENSOR("reshard", tensor=tensor)
    return tensor


@composite(function=(), primitive="Reshard(in_layout, out_layout, in_strategy)(tensor)")
def reshard_of_class(tensor, in_layout, out_layout, in_strategy):
    """Convert the Tensor from one device layout to another: on one device, unchanged.

    >>> ops.Reshard(None, None, None)(Tensor([1.0])).asnumpy()
    array([1.], dtype=float32)
    """
    TENSOR("Reshard", tensor=tensor)
    return tensor
