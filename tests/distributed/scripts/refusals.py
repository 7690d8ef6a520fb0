"""Wrong arguments raise the same error on every rank, and the ranks continue together."""

import sys

import mindspore as ms
import numpy as np
from mindspore import mint, ops
from mindspore.communication import (
    comm_func,
    create_group,
    destroy_group,
    get_group_rank_from_world_rank,
    get_rank,
    get_world_rank_from_group_rank,
    init,
)

init()
me, dist = get_rank(), mint.distributed
n = dist.get_world_size()
x = ms.Tensor(np.ones((n, 2), np.float32))
odd = ms.Tensor(np.ones((n + 1, 2), np.float32))
create_group("zero", [0])
between, in_range = f"from 0 to {n - 1}", f"must be an int in [0, {n})"
no_member = "must be a member of 'group'"

# (kind of error, what its message says, a call)
ROWS = [
    (ValueError, between, lambda: create_group("g", [0, n])),
    (ValueError, between, lambda: create_group("g", [-1, 0])),
    (ValueError, between, lambda: create_group("g", [])),
    (ValueError, between, lambda: create_group("g", [0.0, 1])),
    (ValueError, "each rank once", lambda: create_group("g", [1, 1])),
    (TypeError, "'rank_ids' must be a list", lambda: create_group("g", (0, 1))),
    (TypeError, "'group' must be a str", lambda: create_group(3, [0, 1])),
    (ValueError, "a new name", lambda: create_group("zero", [0, 1])),
    (ValueError, "a new name", lambda: create_group("hccl_world_group", [0, 1])),
    (ValueError, "create_group first", lambda: destroy_group("none")),
    (ValueError, "one that create_group made", lambda: destroy_group("hccl_world_group")),
    (ValueError, between, lambda: dist.new_group([0, n])),
    (TypeError, "'ranks' must be a list", lambda: dist.new_group(3)),
    (ValueError, "create_group first", lambda: ops.AllReduce(group="none")(x)),
    (TypeError, "'group' must be a string", lambda: ops.AllReduce(group=3)(x)),
    (ValueError, in_range, lambda: get_group_rank_from_world_rank(n, "hccl_world_group")),
    (ValueError, in_range, lambda: get_world_rank_from_group_rank("hccl_world_group", n)),
    (ValueError, "'op' must be one of", lambda: ops.AllReduce("difference")(x)),
    (TypeError, "'op' must be a str", lambda: ops.AllReduce(3)(x)),
    (TypeError, "must be a Tensor", lambda: ops.AllReduce()(3.0)),
    (TypeError, "must hold numbers", lambda: ops.AllReduce()(ms.Tensor([True]))),
    (ValueError, "must be one of the ranks", lambda: ops.Broadcast(n)((x,))),
    (ValueError, "must be one of the ranks", lambda: ops.Broadcast(-1)((x,))),
    (ValueError, between, lambda: ops.Reduce(n)(x)),
    (ValueError, "must be one of the ranks", lambda: ops.CollectiveGather(n)(x)),
    (ValueError, "must be one of the ranks", lambda: ops.CollectiveScatter(n)(x)),
    (ValueError, "a multiple of the", lambda: ops.CollectiveScatter(0)(odd)),
    (ValueError, "a multiple of the", lambda: ops.ReduceScatter()(odd)),
    (ValueError, "must be", lambda: ops.AlltoAll(n + 1, 0, 0)(x)),
    (ValueError, "a multiple of the", lambda: ops.AlltoAll(n, 0, 0)(odd)),
    (TypeError, "entry for each", lambda: ops.AllGatherV()(x.reshape(-1), [1] * (n + 1))),
    (ValueError, between, lambda: ops.Send(0, n)(x)),
    (ValueError, "must be another rank", lambda: comm_func.isend(x, me)),
    (ValueError, "must be another rank", lambda: comm_func.irecv(x, me)),
    (ValueError, "must be one of the ranks", lambda: dist.broadcast(x, n)),
    (ValueError, "must be one of the ranks", lambda: dist.gather(x, [x] * n, n)),
    (ValueError, "must be one of the ranks", lambda: dist.reduce(x, n)),
    (TypeError, "entry for each", lambda: dist.all_gather([x], x)),
    (TypeError, "entry for each", lambda: dist.all_to_all([x], [x] * n)),
    (ValueError, "the output must have dtype", lambda: dist.all_gather_into_tensor(odd, x)),
    (ValueError, "the output must have dtype", lambda: dist.reduce_scatter_tensor(odd, x)),
    (TypeError, "'async_op' must be a bool", lambda: dist.all_reduce(x, async_op=1)),
    (TypeError, "not empty", lambda: dist.all_gather_object([], 1)),
    (TypeError, "entry for each", lambda: dist.all_gather_object([None] * (n + 1), 1)),
    (ValueError, "must be one of the ranks", lambda: dist.broadcast_object_list([1], n)),
    (ValueError, "must be one of the ranks", lambda: dist.scatter_object_list([1], [1] * n, n)),
    (ValueError, "must be another rank", lambda: dist.send_object_list([1], me)),
    (ValueError, "as many entries", lambda: dist.broadcast_object_list([1] * (1 + bool(me)), 0)),
    (RuntimeError, no_member, lambda: ops.AllReduce(group="zero")(x)),
    (RuntimeError, no_member, lambda: get_rank("zero")),
    # the last one, since rank 0 gives up a collective that it has begun
    (ValueError, "the same 'rank_ids'", lambda: overlap(list(range(n))[::-1])),
]
ONE_SIDED = {no_member: range(1, n), "as many entries": range(1, n)}  # who raises


def overlap(others):
    """Use a group name for other ranks on rank 0 than elsewhere: rank 0, the first, waits in vain
    in its collective."""
    assert float(ops.AllReduce()(ms.Tensor(1.0))) == n  # the ranks went on together
    if me == 0:
        create_group("h", list(range(n)))
    dist.barrier()
    if me:
        create_group("h", others)
    ops.AllReduce(group="h")(x * 3)


failed = False
for number, (kind, text, call) in enumerate(ROWS):
    try:
        call()
        message = "no error"
    except (ValueError, TypeError, RuntimeError) as error:
        message = f"{type(error).__name__}: {error}"
    wanted = me in ONE_SIDED.get(text, range(n))
    if wanted != (text in message) or wanted != message.startswith(kind.__name__):
        print(f"FAILED row {number}, {text}: {message}", flush=True)
        failed = True
    said = [None] * n
    dist.all_gather_object(said, message.partition(", but ")[0])
    if text not in ONE_SIDED and len(set(said)) > 1:
        print(f"FAILED row {number}, the ranks differ: {said}", flush=True)
        failed = True
if failed:
    sys.exit(1)
print("passed", len(ROWS), flush=True)
