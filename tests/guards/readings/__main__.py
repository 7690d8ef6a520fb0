"""`python -m tests.guards.readings --count 10000 --seed 1`: cases of reading state, with a table of
the kinds: how many cases of each were captured, dynamic, or refused, mattered, and were wrong."""

import argparse
import collections
import faulthandler
import sys
import time

from tests.guards.readings import cases


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", help="only kinds whose name contains this")
    parser.add_argument("--all-ways", action="store_true", help="every way of the chosen kinds")
    options = parser.parse_args()
    chosen = cases.all_cases() if options.all_ways else cases.chosen(options.count, options.seed)
    if options.kind:
        chosen = [case for case in chosen if options.kind in case.kind.name]
    start, table, wrong = time.monotonic(), collections.defaultdict(collections.Counter), []
    with cases.interpreted():
        for number, case in enumerate(chosen):
            faulthandler.dump_traceback_later(60, exit=True)  # a case that hangs
            result = cases.run(case)
            counts = table[case.kind.name]
            if result is None:
                counts["no source"] += 1
                continue
            how = "dynamic" if result.dynamic else "captured"
            counts["refused" if result.is_refused() else how] += 1
            counts["matters"] += result.matters() or case.kind.moves
            counts["raises"] += isinstance(result.reference[0], str)
            if result.is_wrong(case.kind.moves):
                counts["wrong"] += 1
                wrong.append((case, result))
                print(f"\n{describe(case, result)}", flush=True)
            if number % 500 == 499:
                print(f"{number + 1} cases, {len(wrong)} wrong", file=sys.stderr, flush=True)
    show(table, time.monotonic() - start)
    return 1 if wrong else 0


def describe(case, result):
    """Describe a case and its result."""
    return (
        f"WRONG: {case.kind.name} | {case.read} | {case.change!r} | {case.way}\n"
        f"  captured {result.captured}\n  reference {result.reference}\n"
        f"  dynamic {result.dynamic}: {result.warning[:200]}"
    )


def show(table, seconds):
    """Print the counts of each kind, and of all."""
    columns = "captured", "dynamic", "refused", "matters", "raises", "wrong", "no source"
    print(f"\n{'kind':<60}" + "".join(f"{c:>10}" for c in columns))
    for name, counts in table.items():
        print(f"{name[:59]:<60}" + "".join(f"{counts[c]:>10}" for c in columns))
    total = sum(table.values(), collections.Counter())
    print(f"{f'{len(table)} kinds':<60}" + "".join(f"{total[c]:>10}" for c in columns))
    print(f"{seconds:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
