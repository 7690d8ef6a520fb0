"""Rows of `rows`: what XLA makes of a training step on several devices."""

import contextlib

import jax
import numpy as np

from sporax import nn, parallel
from sporax.engine.program import Program
from sporax.parallel import Mesh
from tests.sharding.rows import row
from tests.sharding.simulated import columns_and_rows, trained


@contextlib.contextmanager
def compiled_steps(found):
    """Collects the programs that run, as (flops, bytes of arguments) a device."""
    run = Program.__call__

    def noting(program, arrays, reals, integers, results):
        kinds = [jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding) for x in arrays]
        pools = [[kinds[k] for k in at] for at in (program.donated, program.kept)]
        numbers = [np.array([v.array for v in n]) if n else () for n in (reals, integers)]
        made = program.compiled.lower(*numbers, *pools).compile()
        found.append((
            made.cost_analysis()["flops"], made.memory_analysis().argument_size_in_bytes,
        ))  # fmt: skip
        run(program, arrays, reals, integers, results)

    Program.__call__ = noting
    try:
        yield
    finally:
        Program.__call__ = run


BATCH = 1024  # the update of weights, which each device does whole, is small beside it


def wide():
    return nn.SequentialCell(nn.Dense(128, 256), nn.ReLU(), nn.Dense(256, 8)), (128,)


def cost(axes, divide=None):
    """(flops, bytes of arguments) a device, of the largest program of a training step."""
    found = []
    with compiled_steps(found):
        trained(wide, Mesh(**axes), True, steps=1, batch=BATCH, divide=divide)
    return max(found)


@row("slow", 2)
@row("slow", 4)
@row("slow", 8)
def flops_and_memory(n):
    flops, memory = cost({"data": 1})
    shared, whole = cost({"data": n})
    assert abs(shared * n / flops - 1) < 0.02, (flops, shared)
    batch = BATCH * (128 * 4 + 4)  # a batch and its labels, which are divided; weights are whole
    assert whole == memory - batch + batch // n
    weights = memory - batch
    zero = cost({"data": n}, lambda net, o: parallel.divide(o.moments))[1]
    assert zero < whole - 0.4 * weights * (1 - 1 / n), (weights, whole, zero)
    both = cost({"data": 1, "model": n}, columns_and_rows)
    assert abs(both[0] * n / flops - 1) < 0.02, (flops, both)
    assert both[1] < memory / n + batch + 200 * n, (memory, both)
