"""Rows of `rows`: pipelines of several stages, by both schedules."""

import collections
import contextlib
import functools

import jax
import numpy as np

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.core.hooks import hooks
from sporax._src.devices.sharding import schedule, stages
from sporax._src.runtime.engine.operation import Pullback
from sporax.parallel import AutoParallel, Mesh, placement_of
from tests.sharding.rows import COUNT, close, refused, row

WIDTH = 32


class Staged(nn.Cell):
    """Equal blocks, one for each stage."""

    def __init__(self, count, block):
        super().__init__()
        self.blocks = nn.CellList([block() for _ in range(count)])

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class Loss(nn.Cell):
    def __init__(self, net, count):
        super().__init__(auto_prefix=False)
        self.net, self.loss, self.count = net, nn.MSELoss(), count

    def construct(self, x, y):
        return self.loss(self.net(x), y) / self.count


def dense():
    return nn.SequentialCell(nn.Dense(WIDTH, WIDTH), nn.ReLU(), nn.Dense(WIDTH, WIDTH), nn.Tanh())


def normalized():
    return nn.SequentialCell(
        nn.Dense(WIDTH, WIDTH), nn.BatchNorm1d(WIDTH), nn.Dropout(p=0.2), nn.Tanh()
    )


def set_scheduler(name):
    config = {"pipeline_interleave": False, "pipeline_scheduler": name}
    ms.set_auto_parallel_context(pipeline_config=config)


def trained(mesh, count, micro_batches, block=dense, mode="dynamic", batch=64, steps=2):
    """(losses, weights, network, optimizer) of a pipeline of `count` stages."""
    ms.set_seed(1)
    with mesh or contextlib.nullcontext():
        net = Staged(count, block)
        net.set_train()
        at = {f"net.blocks.{k}": k for k in range(count)}
        piped = nn.PipelineCell(Loss(net, micro_batches), micro_batches, at)
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        forward = ms.value_and_grad(piped, None, optimizer.parameters)

        def step(x, y):
            loss, gradients = forward(x, y)
            optimizer(ops.clip_by_global_norm(gradients, 1.0))
            return loss

        step = ms.jit(step) if mode == "jit" else step
        rng, losses = np.random.default_rng(0), []
        for _ in range(steps):
            x, y = [Tensor(rng.normal(size=(batch, WIDTH)).astype(np.float32)) for _ in "xy"]
            losses.append(float(step(x, y)))
        return losses, [p.asnumpy() for p in net.get_parameters()], net, optimizer


@row("short", "1f1b")
@row("slow", "gpipe")
@row("slow", "1f1b", "jit")
@row("slow", "gpipe", "jit")
@row("slow", "1f1b", "dynamic", "normalized")
@row("slow", "1f1b", "jit", "normalized")
@row("slow", "gpipe", "dynamic", "normalized")
@row("slow", "1f1b", "dynamic", "dense", 4, 8)
@row("slow", "gpipe", "dynamic", "dense", 4, 8)
@row("slow", "1f1b", "dynamic", "normalized", 4, 2)
def pipeline(scheduler, mode="dynamic", block="dense", count=2, micro_batches=4):
    """The weights after some steps are those of one device; each is on its stage."""
    block = {"dense": dense, "normalized": normalized}[block]
    set_scheduler(scheduler)
    wanted = trained(None, count, micro_batches, block, mode)
    outcome = trained(Mesh(data=COUNT), count, micro_batches, block, mode)
    close(outcome[0], wanted[0])
    for a, b in zip(outcome[1], wanted[1], strict=True):
        close(a, b, 1e-6)
    size = COUNT // count
    for k, cell in enumerate(outcome[2].blocks):
        for p in (cell[0].weight, outcome[3].moments[len(outcome[3].moments) // count * k]):
            held = {d.id for d in p._value.read().devices()}
            assert held == {*range(k * size, (k + 1) * size)}, (p.name, held)
    assert hooks.program is None  # without a Mesh
    ms.reset_auto_parallel_context()


# what stages keep -----------------------------------------------------------------------------


@contextlib.contextmanager
def plans(found):
    """Collects the plans that run in pieces."""
    run = stages._Pieces.run

    def noting(pieces, *args):
        found.append(pieces)
        return run(pieces, *args)

    stages._Pieces.run = noting
    try:
        yield
    finally:
        stages._Pieces.run = run


@contextlib.contextmanager
def peaks(found):
    """Collects {devices: the most bytes that arrays on them have between pieces}."""
    run = stages._Piece.run

    def noting(piece, values):
        run(piece, values)
        now = collections.Counter()
        for x in jax.live_arrays():
            now[tuple(sorted(d.id for d in x.devices()))] += x.nbytes
        for devices, size in now.items():
            found[devices] = max(found.get(devices, 0), size)

    stages._Piece.run = noting
    try:
        yield
    finally:
        stages._Piece.run = run


def live_micro_batches(pieces, of):
    """The most micro-batches of which a stage keeps arrays of the forward pass at once, those that
    have come from another stage, and wait, as well."""
    schedule.number_micro_batches(pieces.steps)
    backward, micro = set(), {}
    for step in pieces.steps:
        is_backward = isinstance(step.op, Pullback) or step.op.name == "gradient.seed"
        if is_backward or backward.intersection(step.ins):
            backward.update(step.outs)
        elif step.devices == of and step.micro >= 0:
            arrays = [i for i in step.outs if pieces.sizes[i] > 8]  # not the losses
            micro.update(dict.fromkeys(arrays, step.micro))
    alive, most = set(), 0
    for part, released in zip(pieces.plan, pieces.released, strict=True):
        alive.update(part.outs)
        alive.difference_update(released)
        most = max(most, len({micro[i] for i in alive if i in micro}))
    return most


@functools.cache
def kept(scheduler, count, micro_batches):
    """(live micro-batches, peaks of bytes) of each stage in a training step."""
    set_scheduler(scheduler)
    found, sizes, mesh = [], {}, Mesh(data=COUNT)
    with plans(found), peaks(sizes):
        trained(mesh, count, micro_batches, batch=4096, steps=1)
    ms.reset_auto_parallel_context()
    pieces = max(found, key=lambda p: len(p.steps))
    parts = [stage.devices for stage in stages.split(mesh, count)]
    return (
        [live_micro_batches(pieces, part) for part in parts],
        [sizes[tuple([d.id for d in part])] for part in parts],
    )


@row("short", 2, 4)
@row("slow", 2, 8)
@row("slow", 4, 4)
@row("slow", 4, 8)
def stages_keep(count, micro_batches):
    """1F1B: a stage keeps the activations of as many micro-batches as there are stages, at most;
    GPipe: of all."""
    live, sizes = kept("1f1b", count, micro_batches)
    assert all(0 < n <= count for n in live), live
    live_all, sizes_all = kept("gpipe", count, micro_batches)
    assert all(n == micro_batches for n in live_all), live_all
    assert sum(sizes) < 0.7 * sum(sizes_all), (sizes, sizes_all)
    assert sizes[-1] < sizes_all[-1] / micro_batches * 1.3 + 150_000, (sizes, sizes_all)


# refusals -------------------------------------------------------------------------------------


def piped(*numbers):
    return nn.PipelineCell(Loss(Staged(2, dense), 2), 2, {
        f"net.blocks.{k}": n for k, n in enumerate(numbers)
    })  # fmt: skip


@row("short")
def stages_refused():
    with Mesh(data=COUNT):
        with refused(ValueError, "'PipelineCell'", "8 devices", "3 stages"):
            piped(0, 2)
        ms.set_auto_parallel_context(pipeline_stages=2)
        with refused(ValueError, "'PipelineCell'", "'pipeline_stages' = 2", "stage 2"):
            piped(0, 2)
        ms.set_auto_parallel_context(pipeline_stages=4)
        cell = piped(0, 1).network.net.blocks[1]
        assert placement_of(cell[0].weight).mesh.devices == tuple(jax.devices()[2:4])
        ms.reset_auto_parallel_context()
        net = AutoParallel(piped(0, 1))
        net.pipeline(2, scheduler="gpipe")
        with refused(ValueError, "'AutoParallel.pipeline'", "must be 2", "got 4"):
            net.pipeline(4)
