"""`python -m tests.faults [--count N] [--seed N] [--only WORD] [--act ACT]`: faults at N places,
divided among all rows; a table, and 1 if any left an inconsistent state. N is 5000 by default: ten
minutes. With an ACT (compute, save, raise), signals whose handler does that, in place of faults."""

import argparse
import itertools
import sys
import time

from tests.faults.donation import interpreted
from tests.faults.handlers import ACTS
from tests.faults.injection import KINDS
from tests.faults.sweep import sweep
from tests.faults.trainings import NETWORKS, WAYS

# how much of the whole each way to begin gets: a capture takes long
BEGINS = {"replays": 8, "captures": 1, "cold": 1}


def rows():
    """Yield (network, way, beginning, kind, its share) of all rows."""
    for row in itertools.product(NETWORKS, WAYS, BEGINS, KINDS):
        _, way, begins, _ = row
        if (way, begins) != ("dynamic", "captures"):
            yield *row, BEGINS[begins]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="a word of the names of the rows to run")
    parser.add_argument("--act", choices=ACTS, help="signals, whose handler does this")
    args = parser.parse_args()
    chosen = [row for row in rows() if args.only in " ".join(row[:4])]
    shares, done, bad = sum(row[4] for row in chosen), 0, 0
    with interpreted():
        for *row, share in chosen:
            began = time.monotonic()
            count = round(args.count * share / shares) or 1
            faults, places, problems = sweep(*row, count, args.seed, args.act)
            done += faults
            wrong = sum(sum(at.values()) for at in problems.values())
            bad += wrong
            seconds = time.monotonic() - began
            print(
                f"{', '.join(row):45} {faults:5} of {places:7} places, {wrong:3} inconsistent, "
                f"{seconds:.0f} s",
                flush=True,
            )
            for problem, at in problems.items():
                for place, times in at.most_common(5):
                    print(f"    {times} x {place}: {problem}", flush=True)
    print(f"{bad} inconsistent states of {done}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
