"""Rows of `rows`: the cost of compiled training steps on several devices."""

import contextlib
import dataclasses
import functools
import math

import jax
import numpy as np

from sporax import nn, parallel
from sporax._src.devices.sharding.collective_bytes import collectives
from sporax._src.runtime.engine.program import Program
from sporax.parallel import Mesh
from tests.sharding.rows import row
from tests.sharding.simulated import columns_and_rows, convolutions, trained


@dataclasses.dataclass(order=True)
class Cost:
    """The cost of a compiled program per device: floating-point operations, bytes of its arguments,
    and its `Collective`s."""

    flops: float
    arguments: int
    collectives: list = dataclasses.field(compare=False)

    def moved(self, *kinds):
        """Return the bytes of the arrays in collectives of these kinds."""
        return sum(c.count * c.size for c in self.collectives if c.kind in kinds)


@contextlib.contextmanager
def compiled_steps(found):
    """Append the `Cost` of every program that runs in the block to `found`."""
    run = Program.__call__

    def noting(program, arrays, reals, integers, results):
        kinds = [jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding) for x in arrays]
        pools = [[kinds[k] for k in at] for at in (program.donated, program.kept)]
        numbers = [np.array([v.array for v in n]) if n else () for n in (reals, integers)]
        made = program.compiled.lower(*numbers, *pools).compile()
        found.append(
            Cost(
                made.cost_analysis()["flops"],
                made.memory_analysis().argument_size_in_bytes,
                collectives(made),
            )
        )
        run(program, arrays, reals, integers, results)

    Program.__call__ = noting
    try:
        yield
    finally:
        Program.__call__ = run


def wide():
    return nn.SequentialCell(nn.Dense(128, 256), nn.ReLU(), nn.Dense(256, 8)), (128,)


def attention():
    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
    return nn.SequentialCell(layer, nn.Flatten(), nn.Dense(256, 8)), (8, 32)


# network -> rows of a batch: many, since each device updates all weights
BATCHES = {wide: 1024, attention: 512, convolutions: 512}


@functools.cache
def cost(network, divide=None, **axes):
    """Return (`Cost` of the largest program of a training step, bytes of the Parameters)."""
    found = []
    with compiled_steps(found):
        outcome = trained(network, Mesh(**axes), True, steps=1, batch=BATCHES[network],
                          divide=divide, ends=False)  # fmt: skip
    return max(found), sum(p.nbytes for p in outcome[2].trainable_params())


def divided_states(net, optimizer):
    parallel.divide(optimizer.moments)


def divided_weights(net, optimizer):
    parallel.divide([*optimizer.moments, *net.trainable_params()])


@row("short", attention, 4)
@row("slow", wide, 8)
@row("slow", convolutions, 8)
def bytes_reduced(network, n):
    """Data parallel: the reduced bytes are those in the gradients, plus some sums over the batch;
    with divided states weights are also gathered."""
    found, weights = cost(network, data=n)
    assert weights <= found.moved("all-reduce", "reduce-scatter") < weights + 256
    assert found.moved("all-gather", "all-to-all", "collective-permute") == 0
    zero = cost(network, divided_states, data=n)[0]
    assert weights <= zero.moved("all-reduce", "reduce-scatter") < weights + 256
    assert weights <= zero.moved("all-gather") < 1.5 * weights


@row("slow", wide, 2)
@row("slow", wide, 4)
@row("slow", wide, 8)
@row("slow", attention, 2)
@row("slow", attention, 4)
@row("slow", attention, 8)
@row("slow", convolutions, 2)
@row("slow", convolutions, 4)
@row("slow", convolutions, 8)
def flops_and_memory(network, n):
    """A device has 1/n of the operations, and of the divided arrays."""
    alone, weights = cost(network, data=1)
    size = BATCHES[network]
    batch = size * (math.prod(network()[1]) * 4 + 4)  # with its labels, which are divided too
    for divide, parts in ((None, 0), (divided_states, 1), (divided_weights, 2)):
        found = cost(network, divide, data=n)[0]
        assert abs(found.flops * n / alone.flops - 1) < 0.02, (divide, found.flops, alone.flops)
        whole = alone.arguments - batch + batch // n
        divided = parts * weights * (1 - 1 / n)
        assert whole - divided <= found.arguments <= whole - 0.9 * divided, (divide, found, whole)


@row("slow", 2)
@row("slow", 4)
@row("slow", 8)
def tensor_parallel_costs(n):
    alone, _ = cost(wide, data=1)
    batch = BATCHES[wide] * (128 * 4 + 4)
    found = cost(wide, columns_and_rows, data=1, model=n)[0]
    assert abs(found.flops * n / alone.flops - 1) < 0.02, (alone.flops, found.flops)
    assert found.arguments < alone.arguments / n + batch + 200 * n
