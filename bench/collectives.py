"""Measure all-reduces between processes of this host, compared with MPI.

    python bench/collectives.py [--ranks 2,4] [--rounds 15]

Ranks of `sporax launch` and of `mpirun` wait side by side, asleep, and take turns: in each round
all reduce 1 kB, 1 MB and 25 MB of float32 several times in succession. Open MPI runs twice: with
shared memory, its default on one host, and over TCP, which XLA's Gloo always uses. Shown: medians
of the rounds in milliseconds, and the medians of sporax's ratios to both with their quartiles. Open
MPI (mpi4py, from PyPI) is installed below `.venvs` at the first run.
"""

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.environments import ROOT, interpreter

SIZES = {"1 kB": (1000, 50), "1 MB": (1 << 20, 10), "25 MB": (25 << 20, 2)}
RANK = Path(__file__).with_name("collective_rank.py")


class Peer:
    """The ranks of a launcher, and the pipes to and from them."""

    def __init__(self, name, n, folder, command):
        pipes = [folder / f"{name}-{rank}" for rank in range(n)]
        for pipe in (*pipes, folder / name):
            os.mkfifo(pipe)
        variables = dict(os.environ, PYTHONPATH=str(ROOT))
        self.process = subprocess.Popen(
            [*command, str(RANK), name, str(folder)], env=variables, stdin=subprocess.DEVNULL
        )
        self.open = contextlib.ExitStack()
        self.orders = [self.open.enter_context(pipe.open("w")) for pipe in pipes]
        self.answers = self.open.enter_context((folder / name).open())

    def seconds(self, size, repeats):
        for order in self.orders:
            print(size, repeats, file=order, flush=True)
        return float(self.answers.readline())

    def close(self):
        self.open.close()
        self.process.wait()


def measured(n, rounds, mpi):
    """{size: [(seconds of sporax, of MPI, of MPI by TCP) of each round]} between `n` ranks"""
    mpirun = [str(mpi.with_name("mpirun")), "--allow-run-as-root", "--oversubscribe", "-n", str(n)]
    commands = {
        "sporax": [sys.executable, "-m", "sporax", "launch", "-n", str(n)],
        "mpi": [*mpirun, str(mpi)],
        "mpi-tcp": [*mpirun, "--mca", "pml", "ob1", "--mca", "btl", "self,tcp", str(mpi)],
    }
    with tempfile.TemporaryDirectory() as folder:
        peers = [Peer(name, n, Path(folder), command) for name, command in commands.items()]
        for work in SIZES.values():
            for peer in peers:
                peer.seconds(*work)
        found = {name: [] for name in SIZES}
        for _ in range(rounds):
            for name, work in SIZES.items():
                found[name].append([peer.seconds(*work) for peer in peers])
        for peer in peers:
            peer.close()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    mpi = interpreter("mpi")
    if mpi is None:
        raise SystemExit("MPI could not be installed")
    print(f"{'all-reduce, ms':16}{'sporax':>9}{'MPI':>9}  {'ratio':23}{'MPI, TCP':>9}  ratio")
    for n in map(int, options.ranks.split(",")):
        for name, rounds in measured(n, options.rounds, mpi).items():
            ours, *peers = zip(*rounds, strict=True)
            row = f"{f'{n} ranks, {name}':16}{statistics.median(ours) * 1e3:9.3f}"
            for theirs in peers:
                ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
                low, middle, high = statistics.quantiles(ratios, n=4)
                ratio = f"{middle:.2f} ({low:.2f} to {high:.2f})"
                row += f"{statistics.median(theirs) * 1e3:9.3f}  {ratio:23}"
            print(row.rstrip())


if __name__ == "__main__":
    main()
