"""Derivatives of every collective against finite differences: each rank in turn moves one of its
elements, and the losses of all ranks are summed. Also `vmap` against the collectives one by one."""

import sys

import mindspore as ms
import numpy as np
from mindspore import mint, ops
from mindspore.communication import comm_func, create_group, get_group_size, get_rank, init

init()
me, n = get_rank(), get_group_size()
last, right, left = n - 1, (me + 1) % n, (me - 1) % n
dist = mint.distributed
create_group("turned", list(range(n))[::-1])
rows = {}
COUNTS = [[1 + (i + j) % 2 for j in range(n)] for i in range(n)]
MATRIX = [c for line in COUNTS for c in line]
SENT, RECEIVED = COUNTS[me], [COUNTS[i][me] for i in range(n)]
LENGTHS = [r + 1 for r in range(n)]


def row(name, shape=(n, 2), maps=True):
    """Register a row; `maps`: True if `vmap` is meaningful."""
    return lambda fn: rows.update({name: (fn, shape, maps)})


for op in ("sum", "avg", "max", "min", "prod"):
    row(f"AllReduce {op}")(ops.AllReduce(op))
    row(f"ReduceScatter {op}")(ops.ReduceScatter(op))
    row(f"Reduce {op}")(lambda x, op=op: ops.Reduce(last, op)(x) * (me == last))
    row(f"ReduceScatterV {op}", (sum(LENGTHS),), False)(
        lambda x, op=op: ops.ReduceScatterV(op)(x, LENGTHS)
    )
row("AllReduce of a group")(ops.AllReduce(group="turned"))
row("AllGather")(ops.AllGather())
row("AllGather of a group")(ops.AllGather("turned"))
row("AllGatherV", (LENGTHS[me],), False)(lambda x: ops.AllGatherV()(x, LENGTHS))
row("Broadcast")(lambda x: ops.Broadcast(last)((x,))[0])
row("AlltoAll", (n, n))(ops.AlltoAll(n, 0, 1))
row("AlltoAllV", (sum(SENT),), False)(lambda x: ops.AlltoAllV()(x, SENT, RECEIVED))
row("AlltoAllVC", (sum(SENT),), False)(lambda x: ops.AlltoAllVC()(x, MATRIX))
row("CollectiveScatter")(ops.CollectiveScatter(last))
row("CollectiveGather")(lambda x: ops.CollectiveGather(last)(x) * (me == last))
row("NeighborExchange", (2,), False)(
    lambda x: ops.NeighborExchange([right], [left], ([2],), ([2],), ms.float64)((x,))[0]
)
for name in ("all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor"):
    row(f"comm_func.{name}")(lambda x, name=name: getattr(comm_func, name)(x)[0])
row("comm_func.broadcast")(lambda x: comm_func.broadcast(x, last))
row("comm_func.scatter_tensor")(lambda x: comm_func.scatter_tensor(x, last))
row("comm_func.all_to_all_single_with_output_shape", (sum(SENT), 2), False)(
    lambda x: comm_func.all_to_all_single_with_output_shape((sum(RECEIVED), 2), x, RECEIVED, SENT)[
        0
    ]
)


@row("two in turn")
def two_in_turn(x):
    return ops.AllGather()(ops.tanh(ops.AllReduce()(x)) * x)


@row("in a condition", maps=False)
def in_a_condition(x):
    return ops.AllReduce()(x * 2 if (x > 1e6).any() else x * x)


@row("mint.distributed.all_reduce", maps=False)
def written(x):
    copy = x * 1
    dist.all_reduce(copy)
    return copy


@row("mint.distributed.all_gather_into_tensor", maps=False)
def gathered(x):
    out = ops.zeros((n * n, 2), ms.float64)
    dist.all_gather_into_tensor(out, x * 1)
    return out


def loss_of(fn):
    def loss(x):
        y = fn(x)
        weights = np.cos(np.arange(y.size) + me).reshape(y.shape)
        return (y * ms.Tensor(weights) + 0.1 * y * y).sum()

    return loss


total = ops.AllReduce()


def check_derivative(name, fn, shape):
    x = np.random.default_rng([me, 5]).uniform(0.5, 1.5, shape)
    loss, h = loss_of(fn), 1e-5
    got = [ms.grad(loss)(ms.Tensor(x)).asnumpy()]
    if "distributed" not in name:
        got.append(ms.grad(ms.jit(loss))(ms.Tensor(x)).asnumpy())
        got.append(ms.jit(ms.grad(loss))(ms.Tensor(x)).asnumpy())
    sizes = sizes_of_all(x.size)
    for rank in range(n):
        for i in range(sizes[rank]):
            sides = []
            for sign in (1, -1):
                moved = x.copy()
                if rank == me:
                    moved.flat[i] += sign * h
                sides.append(float(total(loss(ms.Tensor(moved)))))
            if rank == me:
                want = (sides[0] - sides[1]) / (2 * h)
                for g in got:
                    assert abs(g.flat[i] - want) < 1e-6 * max(1, abs(want)), (name, i, g, want)


def sizes_of_all(size):
    sizes = [None] * n
    dist.all_gather_object(sizes, size)
    return sizes


def check_vmap(name, fn, shape):
    xs = np.random.default_rng([me, 6]).uniform(0.5, 1.5, (3, *shape))
    want = np.stack([fn(ms.Tensor(x)).asnumpy() for x in xs])
    got = ms.vmap(fn)(ms.Tensor(xs)).asnumpy()
    np.testing.assert_allclose(got, want, 1e-12, 1e-12, err_msg=name)
    captured = ms.jit(ms.vmap(fn))(ms.Tensor(xs)).asnumpy()
    np.testing.assert_allclose(captured, want, 1e-12, 1e-12, err_msg=name)


for name, (fn, shape, maps) in rows.items():
    if sys.argv[1:] and name not in sys.argv[1:]:
        continue
    try:
        check_derivative(name, fn, shape)
        if maps:
            check_vmap(name, fn, shape)
    except BaseException:
        print("FAILED", name, flush=True)
        raise
print("passed", len(rows), flush=True)
