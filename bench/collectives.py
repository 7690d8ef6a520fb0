"""How long an all-reduce between processes of this host takes, beside MPI.

    python bench/collectives.py [--ranks 2,4] [--rounds 15]

Ranks of `sporax launch` and of `mpirun` wait side by side, asleep, and take turns: in each round
both reduce 1 kB, 1 MB and 25 MB of float32 several times, one right after the other. Shown: the
medians of the rounds in milliseconds, and the median of their ratios with its quartiles. Open MPI
(mpi4py, from PyPI) is installed below `.venvs` at the first run.
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
    """{size: [(seconds of sporax, seconds of MPI) of each round]} between `n` ranks"""
    commands = {
        "sporax": [sys.executable, "-m", "sporax", "launch", "-n", str(n)],
        "mpi": [
            str(mpi.with_name("mpirun")), "--allow-run-as-root", "--oversubscribe", "-n", str(n),
            str(mpi),
        ],
    }  # fmt: skip
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
    print(f"{'all-reduce':20}{'sporax, ms':>12}{'MPI, ms':>12}{'ratio':>8}  quartiles")
    for n in map(int, options.ranks.split(",")):
        for name, rounds in measured(n, options.rounds, mpi).items():
            ours, theirs = (statistics.median(x) * 1e3 for x in zip(*rounds, strict=True))
            low, middle, high = statistics.quantiles([a / b for a, b in rounds], n=4)
            row = f"{n} ranks, {name}"
            print(f"{row:20}{ours:12.3f}{theirs:12.3f}{middle:8.2f}  {low:.2f} to {high:.2f}")


if __name__ == "__main__":
    main()
