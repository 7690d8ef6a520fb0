"""Every collective against NumPy; each rank can compute what all ranks hold."""

import datetime
import pathlib
import sys
import tempfile

import mindspore as ms
import numpy as np
from mindspore import mint, nn, ops
from mindspore.communication import (
    comm_func,
    create_group,
    get_group_size,
    get_local_rank,
    get_local_rank_size,
    get_process_group_ranks,
    get_rank,
    init,
)

init()
me, n = get_rank(), get_group_size()
dist = mint.distributed
comm = ops.communication
rows = []


def of(rank, *shape, dtype=np.float32):
    """Return the data of a rank."""
    values = np.random.default_rng([rank, *shape]).normal(size=shape) * 4
    return values.astype(dtype)


def T(array):
    return ms.Tensor(array)


def row(function):
    rows.append(function)
    return function


def every(*shape, dtype=np.float32):
    return [of(r, *shape, dtype=dtype) for r in range(n)]


REDUCTIONS = {"sum": np.sum, "avg": np.mean, "max": np.max, "min": np.min, "prod": np.prod}


def reduced(op, *shape, dtype=np.float32):
    return REDUCTIONS[op](np.stack(every(*shape, dtype=dtype)).astype(np.float64), 0)


def same(got, want, what=""):
    np.testing.assert_allclose(
        np.asarray(got.asnumpy(), np.float64), want, 2e-5, 2e-5, err_msg=what
    )


@row
def reductions():
    for op in REDUCTIONS:
        x = T(of(me, 2 * n, 3))
        same(ops.AllReduce(op)(x), reduced(op, 2 * n, 3), op)
        part = reduced(op, 2 * n, 3)[2 * me : 2 * me + 2]
        same(ops.ReduceScatter(op)(x), part, op)
        same(comm_func.reduce_scatter_tensor(x, op)[0], part, op)
        same(comm_func.all_reduce(x, op)[0], reduced(op, 2 * n, 3))
        copy = x.copy()
        assert dist.all_reduce(copy, op) is None
        same(copy, reduced(op, 2 * n, 3))
        lengths = [i + 1 for i in range(n)]
        whole, end = of(me, sum(lengths), 2), sum(lengths[: me + 1])
        want = reduced(op, sum(lengths), 2)[end - lengths[me] : end]
        flat = ops.ReduceScatterV(op)(T(whole[:, 0].copy()), lengths)
        same(flat, want[:, 0])
        out = T(np.zeros((lengths[me], 2), np.float32))
        dist.reduce_scatter_tensor_uneven(out, T(whole), lengths, op)
        same(out, want)


@row
def dtypes_and_shapes():
    for dtype in (np.int32, np.int64, np.float16, np.uint8, np.float64):
        x = np.arange(3).astype(dtype) + dtype(me)
        got = ops.AllReduce()(T(x))
        assert got.asnumpy().dtype == dtype
        same(got, sum(np.arange(3) + r for r in range(n)))
    same(ops.AllReduce()(T(np.float32(me))), sum(range(n)))  # no axes
    assert ops.AllReduce()(T(np.zeros((0, 3), np.float32))).shape == (0, 3)
    got = ops.Broadcast(1)((T(np.array([me == 1])),))[0]
    assert got.asnumpy().tolist() == [True]
    half = ops.AllReduce()(T(of(me, 3)).astype(ms.bfloat16))
    assert half.dtype == ms.bfloat16


@row
def gatherings():
    x, whole = T(of(me, 2, 3)), np.concatenate(every(2, 3))
    same(ops.AllGather()(x), whole)
    same(comm_func.all_gather_into_tensor(x)[0], whole)
    out = T(np.zeros((2 * n, 3), np.float32))
    handle = dist.all_gather_into_tensor(out, x, async_op=True)
    handle.wait()
    same(out, whole)
    outs = [T(np.zeros((2, 3), np.float32)) for _ in range(n)]
    dist.all_gather(outs, x)
    for got, want in zip(outs, every(2, 3), strict=True):
        same(got, want)
    lengths = [2 * r + 1 for r in range(n)]
    whole = np.concatenate([of(r, 2 * r + 1) for r in range(n)])
    same(ops.AllGatherV()(T(of(me, 2 * me + 1)), lengths), whole)
    out = T(np.zeros(len(whole), np.float32))
    dist.all_gather_into_tensor_uneven(out, T(of(me, 2 * me + 1)), lengths)
    same(out, whole)


@row
def roots():
    last = n - 1
    x = T(of(me, 2 * n, 3))
    same(ops.Broadcast(last)((x, x * 2))[1], 2 * of(last, 2 * n, 3))
    same(comm_func.broadcast(x, last), of(last, 2 * n, 3))
    copy = x.copy()
    dist.broadcast(copy, last)
    same(copy, of(last, 2 * n, 3))
    part = of(last, 2 * n, 3)[2 * me : 2 * me + 2]
    same(ops.CollectiveScatter(last)(x), part)
    same(comm_func.scatter_tensor(x, last), part)
    out = T(np.zeros((2, 3), np.float32))
    comm.scatter_tensor(out, x, last)
    same(out, part)
    dist.scatter(out, [T(of(last, 2, 3) + r) for r in range(n)] if me == last else None, last)
    same(out, of(last, 2, 3) + me)
    whole = np.concatenate(every(2 * n, 3))
    for got in (ops.CollectiveGather(last)(x), comm_func.gather_into_tensor(x, last)):
        if me == last:
            same(got, whole)
        else:
            assert got.shape == (1,)
    out = T(np.zeros(whole.shape, np.float32))
    comm.gather_into_tensor(out, x, last)
    same(out, whole if me == last else 0 * whole)
    outs = [T(np.zeros((2 * n, 3), np.float32)) for _ in range(n)]
    dist.gather(x, outs if me == last else None, last)
    if me == last:
        same(outs[0], of(0, 2 * n, 3))
    for got in (ops.Reduce(last)(x), comm_func.reduce(x, last)):
        if me == last:
            same(got, reduced("sum", 2 * n, 3))
        else:
            assert got.shape == (1,)
    copy = x.copy()
    dist.reduce(copy, last, "max")
    same(copy, reduced("max", 2 * n, 3) if me == last else of(me, 2 * n, 3))


@row
def all_to_all():
    x, parts = T(of(me, n, 2 * n)), [of(r, n, 2 * n) for r in range(n)]
    want = np.concatenate([p[me : me + 1] for p in parts], 1)
    same(ops.AlltoAll(n, 0, 1)(x), want)
    counts = [[i + j + 1 for j in range(n)] for i in range(n)]
    mine, theirs = counts[me], [counts[i][me] for i in range(n)]
    sent = [of(i, sum(counts[i]), 2) for i in range(n)]
    starts = [np.cumsum([0, *row]) for row in counts]
    want = np.concatenate([sent[i][starts[i][me] : starts[i][me + 1]] for i in range(n)])
    out = T(np.zeros(want.shape, np.float32))
    dist.all_to_all_single(out, T(sent[me]), theirs, mine)
    same(out, want)
    got, _ = comm_func.all_to_all_single_with_output_shape(want.shape, T(sent[me]), theirs, mine)
    same(got, want)
    flat = T(sent[me][:, 0].copy())
    same(ops.AlltoAllV()(flat, mine, theirs), want[:, 0])
    matrix = [c for row in counts for c in row]
    same(ops.AlltoAllVC()(flat, matrix), want[:, 0])
    turned = np.array(counts).T.ravel().tolist()
    same(ops.AlltoAllVC(transpose=True)(flat, turned), want[:, 0])
    out = T(np.zeros(want.shape, np.float32))
    comm_func.all_to_all_v_c(out, T(sent[me]), matrix)
    same(out, want)
    swapped = ops._AllSwap()(T(sent[me]), T(2 * np.array(mine)), T(2 * np.array(theirs)))
    same(swapped, want)
    outs = [T(np.zeros((r + 1, 2), np.float32)) for r in range(n)]
    dist.all_to_all(outs, [T(of(me * 10 + j, me + 1, 2)) for j in range(n)])
    for r in range(n):
        same(outs[r], of(r * 10 + me, r + 1, 2))
    got, _ = comm_func.all_to_all_with_output_shape(
        [(r + 1, 2) for r in range(n)], [T(of(me * 10 + j, me + 1, 2)) for j in range(n)]
    )
    same(got[n - 1], of((n - 1) * 10 + me, n, 2))


@row
def messages():
    right, left = (me + 1) % n, (me - 1) % n
    x = T(of(me, 3))
    # all send first, and nobody waits for ever
    handle = comm_func.isend(x, right)
    got, arriving = comm_func.irecv(T(np.zeros(3, np.float32)), left)
    same(got, of(left, 3))
    handle.wait(), arriving.wait()
    out = T(np.zeros(3, np.float32))
    handles = [dist.isend(x * i, right) for i in range(3)]
    for i in range(3):
        dist.irecv(out, left).wait()
        same(out, of(left, 3) * i)
    [h.wait() for h in handles]
    if me == 0:
        dist.send(x, 1)
        ops.Send(0, 1)(x)
    if me == 1:
        assert dist.recv(out, 0) == 0
        same(out, of(0, 3))
        same(ops.Receive(0, 0, [3], ms.float32)(), of(0, 3))
    out = T(np.zeros(3, np.float32))
    ring = [dist.P2POp("isend", x, right), dist.P2POp(dist.irecv, out, left)]
    dist.batch_isend_irecv(ring)[0].wait()
    same(out, of(left, 3))
    ring = [
        comm_func.P2POp("irecv", (3,), left, recv_dtype=ms.float32),
        comm_func.P2POp("isend", x, right),
    ]
    same(comm_func.batch_isend_irecv(ring)[0], of(left, 3))
    batch = ops.BatchISendIRecv(("isend", "irecv"), (right, left), ([3],), (ms.float32,))
    same(batch((x,))[1], of(left, 3))
    shapes = ([me + 1, 2],), ([left + 1, 2],)
    exchange = ops.NeighborExchange([right], [left], shapes[1], shapes[0], ms.float32)
    same(exchange((T(of(me, me + 1, 2)),))[0], of(left, left + 1, 2))


@row
def neighbors():
    # two pictures beside each other: 0 on the left
    if n != 2:
        return
    x = of(me, 1, 2, 4, 4)
    other = [-1] * 8
    other[2 if me == 0 else 6] = 1 - me
    lengths = [0, 0, 0, 1] if me == 0 else [0, 0, 2, 0]
    sent = [0, 0, 0, 2] if me == 0 else [0, 0, 1, 0]
    got = ops.NeighborExchangeV2(other, sent, other, lengths, "NCHW")(T(x))
    both = np.concatenate(every(1, 2, 4, 4), 3)
    same(got, both[..., :5] if me == 0 else both[..., 2:])


@row
def groups():
    evens = list(range(0, n, 2))
    if me in evens:
        create_group("evens", evens)
        assert get_group_size("evens") == len(evens) and get_rank("evens") == evens.index(me)
        same(ops.AllReduce(group="evens")(T(np.float32(me))), sum(evens))
    turned = list(range(n))[::-1]
    create_group("turned", turned)
    same(ops.AllGather("turned")(T(np.array([me], np.float32))), turned)
    assert get_process_group_ranks("turned") == turned
    assert dist.get_group_rank("turned", me) == n - 1 - me == get_rank("turned")
    assert dist.get_global_rank("turned", 0) == n - 1
    name = dist.new_group([0])
    assert dist.get_rank(name) == (0 if me == 0 else -1)
    assert (get_local_rank(), get_local_rank_size()) == (me, n)


@row
def objects():
    out = [None] * n
    dist.all_gather_object(out, {"rank": me})
    assert out == [{"rank": r} for r in range(n)]
    out = [None] * n
    dist.gather_object(f"{me}", out, 1)
    assert out == ([str(r) for r in range(n)] if me == 1 else [None] * n)
    things = [me, "a" * 3_000_000]
    dist.broadcast_object_list(things, 1)
    assert things[0] == 1 and len(things[1]) == 3_000_000
    out = [None]
    dist.scatter_object_list(out, [r * 10 for r in range(n)] if me == 0 else None, 0)
    assert out == [me * 10]
    for _ in range(3):
        if me == 0:
            dist.send_object_list([1, "two"], 1)
        if me == 1:
            got = [None, None]
            assert dist.recv_object_list(got, 0) == 0 and got == [1, "two"]
    comm_func.barrier(), dist.barrier(), ops.Barrier()()
    store = dist_store()
    store.set(f"k{me}", str(me))
    assert store.get(f"k{(me + 1) % n}") == str((me + 1) % n).encode()


def dist_store():
    port = [None]
    if me == 0:
        store = ops.TCPStore("127.0.0.1", 0, is_master=True)
        port = [store.port]
    dist.broadcast_object_list(port, 0)
    if me:
        store = ops.TCPStore("127.0.0.1", port[0], timeout=datetime.timedelta(seconds=20))
    return store


@row
def derivatives():
    """Check derivatives of the sum of all ranks' losses; the weights of the losses differ."""
    w = [np.float32(r + 1) for r in range(n)]
    x = of(me, 2 * n)
    total, weight = sum(w), w[me]
    for op in (ops.AllReduce(), ms.jit(ops.AllReduce().__call__)):
        got = ms.grad(lambda t, op=op: (op(t) * weight).sum())(T(x))
        same(got, np.full(2 * n, total))
        got = ms.grad(lambda t, op=op: (op(t) ** 2).sum())(T(x))
        same(got, 2 * n * reduced("sum", 2 * n))
    got = ms.grad(lambda t: (ops.AllReduce("max")(t) * weight).sum())(T(x))
    same(got, np.where(x == reduced("max", 2 * n).astype(np.float32), total, 0))
    got = ms.grad(lambda t: (ops.AllGather()(t) * weight).sum())(T(x))
    same(got, np.full(2 * n, total))
    got = ms.grad(lambda t: (ops.ReduceScatter()(t) * weight).sum())(T(x))
    same(got, np.repeat(w, 2))
    got = ms.grad(lambda t: (ops.Broadcast(0)((t,))[0] * weight).sum())(T(x))
    same(got, np.full(2 * n, total if me == 0 else 0))
    got = ms.grad(lambda t: (ops.AlltoAll(n, 0, 0)(t) * weight).sum())(T(x))
    same(got, np.repeat(w, 2))
    prod = ms.grad(lambda t: (ops.AllReduce("prod")(t) * weight).sum())(T(x))
    same(prod, total * reduced("prod", 2 * n) / x)
    second = ms.grad(ms.grad(lambda t: (ops.AllReduce()(t) ** 3).sum()))(T(x))
    # the inner derivative is n 3 s^2 on each rank; the outer one that of their sum
    same(second, 6 * n * n * reduced("sum", 2 * n))
    mapped = ms.vmap(lambda t: ops.AllReduce()(t) * 2)(T(of(me, 3, 2)))
    same(mapped, 2 * reduced("sum", 3, 2))


@row
def captured():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(ms.Tensor([2.0, 3.0]), name="w")
            self.reduce, self.gather = ops.AllReduce(), ops.AllGather()

        def construct(self, x):
            y = self.reduce(x * self.w)
            return self.gather(ops.tanh(y)).sum() + y.sum()

    net = Net()
    x = T(of(me, 2))
    plain = net(x), ms.grad(net, None, net.trainable_params())(x)[0]
    fast = ms.jit(lambda x: (net(x), ms.grad(net, None, net.trainable_params())(x)[0]))
    for _ in range(3):
        got = fast(x)
        for a, b in zip(plain, got, strict=True):
            same(b, a.asnumpy())
    s = sum(of(r, 2).astype(np.float64) * [2.0, 3.0] for r in range(n))
    same(plain[0], n * np.tanh(s).sum() + s.sum())


@row
def several_groups_in_one_function():
    """Pairs of neighbours, each rank in two of them, in an order without deadlock."""
    pairs = [(i, (i + 1) % n) for i in range(n)]
    reductions = []
    for i, pair in enumerate(pairs):
        if me in pair:
            create_group(f"pair {i}", list(pair))
            reductions.append(ops.AllReduce(group=f"pair {i}"))

    @ms.jit(fullgraph=True)
    def f(x, w):
        for reduce in reductions:
            x = reduce(x * w).reshape(2, 1).reshape(2)
        return x

    steps = np.eye(n)
    for a, b in pairs:
        sums = np.eye(n) * 2
        sums[[a, b]] = np.eye(n)[a] * 2 + np.eye(n)[b] * 2
        sums[[r for r in range(n) if r not in (a, b)]] /= 2
        steps = sums @ steps
    x, w = T(of(me, 2)), T(np.full(2, 2, np.float32))
    alone = ms.Parameter(T(of(me, 2)), name="p")
    rate = ms.jit(ms.grad(lambda x: (f(x, w) * (me + 1)).sum()))

    @ms.jit
    def update(x):
        alone.set_data(f(x, w) + alone)
        return alone.sum()

    total = of(me, 2).astype(np.float64)
    for _ in range(3):
        want = steps @ np.stack(every(2))
        same(f(x, w), want[me], "forward")
        gradient = np.tile((steps.T @ np.arange(1, n + 1))[me], 2)
        same(rate(x), gradient, "captured derivative")
        same(ms.grad(lambda x: (f(x, w) * (me + 1)).sum())(x), gradient, "derivative")
        total += want[me]
        same(update(x), total.sum(), "written")
        same(alone, total)


@row
def groups_within_a_group():
    """The pair of this rank and the next, in a function of all ranks, with a branch for one
    group."""
    create_group("all again", list(range(n))[::-1])

    @ms.jit(fullgraph=True)
    def f(x):
        y = ops.AllReduce()(x) + ops.AllGather("all again")(x)[:1]
        return ops.AllReduce("max")(y * (me + 1)) + y

    for _ in range(3):
        y = sum(range(n)) + n - 1
        same(f(T(np.array([me], np.float32))), [y * n + y])


@row
def constants_of_a_rank():
    """XLA treats a constant as equal on all ranks; here each rank compiles a different one."""
    x = np.full(2 * n, me + 1, np.float32)
    for op in (
        ops.AllReduce(), ops.AllReduce("max"), ops.AllReduce("prod"), ops.AllGather(),
        ops.ReduceScatter(), ops.Broadcast(1), ops.AlltoAll(n, 0, 0),
    ):  # fmt: skip
        call = (lambda t, op=op: op((t,))[0]) if isinstance(op, ops.Broadcast) else op
        captured = ms.jit(lambda call=call: call(ops.full((2 * n,), me + 1, dtype=ms.float32)))
        for _ in range(2):
            same(captured(), call(T(x)).asnumpy())
    weighted = ms.jit(ms.grad(lambda t: (ops.AllReduce()(t) * (me + 1)).sum()))
    same(weighted(T(x)), np.full(2 * n, sum(range(1, n + 1))))
    lengths = [3] + [0] * (n - 1)
    part = T(np.arange(3 if me == 0 else 0, dtype=np.float32))
    same(ops.AllGatherV()(part, lengths), np.arange(3))


@row
def order_in_one_function():
    """Ranks agree in the sequence of collectives, but not in the operations between them."""
    reduce = ops.AllReduce()

    @ms.jit
    def different(x, y):
        a, b = reduce(ops.sin(x) if me else x * 2), reduce(ops.exp(y) if me == 0 else y)
        return a.sum() + b.sum() if me == 0 else b.sum() - a.sum()

    @ms.jit
    def unused(x):
        total = reduce(x)
        return total if me == 0 else x * 2

    @ms.jit
    def returned(x):
        total = reduce(x)
        return total if me == 0 else x

    x, y = of(me, 3), of(me, 5)
    sent = [2 * of(0, 3), *[np.sin(of(r, 3)) for r in range(1, n)]]
    a, b = sum(sent).sum(), sum([np.exp(of(0, 5)), *every(5)[1:]]).sum()
    for _ in range(2):
        same(different(T(x), T(y)), a + b if me == 0 else b - a)
        same(unused(T(x)), reduced("sum", 3) if me == 0 else 2 * x)
        same(returned(T(x)), reduced("sum", 3) if me == 0 else x)
        reduce(T(x)) if me else same(reduce(T(x)), reduced("sum", 3))


@row
def order_in_loops_and_branches():
    """As `order_in_one_function`, with collectives in loop bodies and branches."""
    reduce = ops.AllReduce()

    def part(x, y):
        a, b = reduce(ops.sin(x) if me else x * 2), reduce(ops.exp(y) if me == 0 else y)
        unused = reduce(x + 1)
        both = a.sum() + b.sum() if me == 0 else b.sum() - a.sum()
        return both + unused.sum() * 0 if me else both

    @ms.jit
    def turns(x, y, count):
        i, total = ops.zeros((), ms.int32), ops.zeros((), ms.float32)
        while i < count:
            total = total + part(x, y)
            i = i + 1
        return total

    @ms.jit
    def scanned(x, y):
        total = ops.zeros((), ms.float32)
        for _ in range(40):
            total = total + part(x, y)
        return total

    @ms.jit
    def branch(x, y):
        total = ops.zeros((), ms.float32)
        if reduce(x * x).sum() >= 0:
            total = total + part(x, y)
        return total

    x, y = of(me, 3), of(me, 5)
    sent = [2 * of(0, 3), *[np.sin(of(r, 3)) for r in range(1, n)]]
    a, b = sum(sent).sum(), sum([np.exp(of(0, 5)), *every(5)[1:]]).sum()
    want = a + b if me == 0 else b - a
    for _ in range(2):
        same(turns(T(x), T(y), ms.Tensor(4)), 4 * want)
        same(scanned(T(x), T(y)), 40 * want)
        same(branch(T(x), T(y)), want)


@row
def graphs_of_functions():
    """Printed and saved graphs of functions show their collectives."""
    step = ms.jit(lambda x: ops.AllReduce()(x) * 2)
    assert "AllReduce" in str(step.graph(T(of(me, 3))))
    with tempfile.TemporaryDirectory() as folder:
        ms.set_context(save_graphs=True, save_graphs_path=folder)
        same(ms.jit(lambda x: ops.AllReduce()(x) * 2)(T(of(me, 3))), 2 * reduced("sum", 3))
        ms.set_context(save_graphs=False)
        assert any("psum" in f.read_text() for f in pathlib.Path(folder).iterdir())


chosen = sys.argv[1:]
for function in rows:
    if not chosen or function.__name__ in chosen:
        try:
            function()
        except BaseException:
            print("FAILED", function.__name__, flush=True)
            raise
print("passed", len(rows), flush=True)
