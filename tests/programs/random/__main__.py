"""Random programs for a night: `python -m tests.programs.random --programs 10000 --seed 1`.

What fails is shrunk and printed, and the run goes on. One batch in `--compiled` is compiled by XLA,
the others are run by the interpreter.
"""

import argparse
import contextlib
import sys
import time

from tests.programs.random import batches

EACH = 20  # batches for which the heap grows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1_000_000, help="of the first batch")
    parser.add_argument("--seconds", type=float, default=float(10**6))
    parser.add_argument("--compiled", type=int, default=8, help="1: all batches, 0: none")
    parser.add_argument("--no-shrink", action="store_true", help="show what fails as it is")
    args = parser.parse_args()
    began, equal, narrow, failed = time.monotonic(), 0, 0, 0
    numbers = iter(range(args.seed, args.seed + -(-args.programs // batches.AT_ONCE)))
    number = next(numbers, None)
    while number is not None and time.monotonic() - began < args.seconds:
        with batches.small_heap():
            for _ in range(EACH):
                is_compiled = args.compiled and number % args.compiled == 0
                with contextlib.nullcontext() if is_compiled else batches.interpreted():
                    try:
                        counts = batches.run(number, shrinks=not args.no_shrink)
                        equal, narrow = equal + counts[0], narrow + counts[1]
                    except Exception as error:  # noqa: BLE001 (each is shown)
                        failed += 1
                        print(f"seed {number}, compiled {is_compiled}: {type(error).__name__}")
                        print(*getattr(error, "__notes__", ()), error, sep="\n")
                print(
                    f"seed {number}: {equal} equal, {narrow} too wide for float32, {failed} "
                    f"batches failed; {time.process_time():.0f} s CPU", flush=True,
                )  # fmt: skip
                number = next(numbers, None)
                if number is None or time.monotonic() - began > args.seconds:
                    break
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
