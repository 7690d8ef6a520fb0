"""Measure the overhead of a captured data-parallel step over its program (collective and
computation).

    sporax launch -n 2 bench/rank_step.py [LAYERS WIDTH]

A step, its program alone on existing arrays, and a step whose program returns existing results are
run in turn and waited for. If other processes use the machine, the last one is more reliable than
the difference of the first two.
"""

import collections
import contextlib
import sys
import time

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.communication import get_rank, init

from sporax._src.core.jax_internals import RanksProgram

STEPS = 400


def training_step(layers, width):
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    net = nn.SequentialCell(*[nn.Dense(width, width) for _ in range(layers)])
    optimizer = nn.Momentum(net.trainable_params(), 1e-3, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    x, y = ops.ones((8, width)), ops.zeros((8, width))
    captured = ms.jit(step.__call__)
    return lambda: captured(x, y).asnumpy()


@contextlib.contextmanager
def programs_run_by(run):
    original = RanksProgram.__call__
    RanksProgram.__call__ = run
    yield original
    RanksProgram.__call__ = original


def last_program(step):
    """(the program of a step, copies of its arguments)"""
    kept = []

    def note(program, arrays):
        kept[:] = program, [a.copy() for a in arrays]
        return original(program, arrays)

    with programs_run_by(note) as original:
        step()
    return kept


def program_alone(program, arrays):
    """A function that runs the program, with its results in place of donated arguments."""

    def run():
        results = program(arrays)
        np.asarray(results[0])  # waits like a read of the loss
        free = collections.defaultdict(list)
        for x in results:
            free[x.shape, x.dtype].append(x)
        for i, x in enumerate(arrays):
            if x.is_deleted():
                arrays[i] = free[x.shape, x.dtype].pop()

    return run


def step_alone(step):
    """A function that runs a step without its program."""
    results = []

    def first(program, arrays):
        results[:] = original(program, arrays)
        return results

    with programs_run_by(first) as original:
        step()

    def run():
        with programs_run_by(lambda program, arrays: results):
            step()

    return run


def timed(run):
    """Microseconds: (wall time, processor time of this thread)."""
    began = time.perf_counter(), time.thread_time()
    run()
    return [1e6 * (time.perf_counter() - began[0]), 1e6 * (time.thread_time() - began[1])]


def main(layers=4, width=16):
    init()
    step = training_step(layers, width)
    for _ in range(20):
        step()
    alone = program_alone(*last_program(step))
    alone()
    both = np.array([[timed(step), timed(alone)] for _ in range(STEPS)])
    run = step_alone(step)
    rest = np.array([timed(run) for _ in range(STEPS)])
    for i, what in enumerate(["time", "processor time"] if get_rank() == 0 else ()):
        for q in (0.1, 0.5):
            whole, program = np.quantile(both[:, :, i], q, 0)
            print(f"{what}, quantile {q}: step {whole:.0f} us, its program {program:.0f} us, the "
                  f"step without its program {np.quantile(rest[:, i], q):.0f} us")  # fmt: skip


main(*map(int, sys.argv[1:]))
