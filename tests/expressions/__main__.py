"""Expressions for a night: `python -m tests.expressions --count 4000 --seed 1`. What differs is
shrunk and printed."""

import argparse
import os
import sys

os.environ.setdefault("SPORAX_TIERS", "off")

from tests.expressions import agreement

TOGETHER = 20


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    failed = 0
    for seed in range(args.seed, args.seed + -(-args.count // TOGETHER)):
        for expression, way, _ in agreement.failures(seed, TOGETHER):
            failed += 1
            _, arrays = agreement.drawn(seed, TOGETHER)
            small, where = agreement.shrunk(expression, arrays, way)
            print(f"seed {seed}, {way}: {small}: {where}", flush=True)
        done = (seed - args.seed + 1) * TOGETHER
        print(f"{done} expressions, {failed} differ", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
