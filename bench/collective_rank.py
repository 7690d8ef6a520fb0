"""One rank of `bench/collectives.py`: an all-reduce for each line of its pipe.

    collective_rank.py PEER FOLDER

`PEER`: sporax, or a name that begins with mpi. Each line of the pipe PEER-RANK in `FOLDER` is
"bytes repeats"; rank 0 writes the seconds of one repetition to the pipe PEER.
"""

import sys
import time
from pathlib import Path

import numpy as np


def sporax_peer():
    """(rank, a function from bytes to a reduction that can be run, a barrier)"""
    from mindspore import Tensor, ops
    from mindspore.communication import get_rank, init

    init()
    reduce, wait = ops.AllReduce(), ops.Barrier()

    def reduction(size):
        x = Tensor(np.ones(size // 4, np.float32))
        return lambda: reduce(x)._value.read().block_until_ready()

    return get_rank(), reduction, wait


def mpi_peer():
    """Like `sporax_peer`."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD

    def reduction(size):
        x = np.ones(size // 4, np.float32)
        total = np.empty_like(x)
        return lambda: world.Allreduce(x, total)

    return world.rank, reduction, world.Barrier


def main():
    peer, folder = sys.argv[1], Path(sys.argv[2])
    rank, reduction, barrier = (sporax_peer if peer == "sporax" else mpi_peer)()
    reductions = {}
    with open(folder / f"{peer}-{rank}") as orders, open(folder / peer, "w") as answers:
        for line in orders:
            size, repeats = map(int, line.split())
            if size not in reductions:
                reductions[size] = reduction(size)
            barrier()
            start = time.perf_counter()
            for _ in range(repeats):
                reductions[size]()
            if rank == 0:
                print((time.perf_counter() - start) / repeats, file=answers, flush=True)


if __name__ == "__main__":
    main()
