"""`python -m tests.fuzz [--seed N] [--seconds S] [--count N] [LOADER ...]`: mutations of the files
of all loaders, or some; a table, what went wrong, and 1 if something did. `--case N LOADER` runs
one case in this process, and shows where it ends."""

import argparse
import collections
import contextlib
import shutil
import signal
import sys
import time
import traceback

from tests.fuzz import loaders, mutations, runner, worker


def one(name, seed, case):
    signal.signal(signal.SIGALRM, worker._stop)
    corpus = worker.Corpus(loaders.LOADERS[name])
    corpus.change(mutations.seeded(name, seed, case))
    shutil.copytree(corpus.folder, "/tmp/fuzz_case", dirs_exist_ok=True, symlinks=True)
    load = corpus.loader.load

    def shown(folder):
        try:
            print(load(folder))
        except BaseException:
            traceback.print_exc()
            raise

    corpus.loader.load = shown
    print(worker.run_case(corpus.loader, corpus.folder), "the files: /tmp/fuzz_case")
    shutil.rmtree(corpus.folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float(10**6), help="for all loaders")
    parser.add_argument("--count", type=int, default=10**9, help="cases of each loader")
    parser.add_argument("--case", type=int, help="run this one of the one loader named")
    parser.add_argument("loaders", nargs="*")
    args = parser.parse_args()
    names = args.loaders or list(loaders.LOADERS)
    if args.case is not None:
        one(names[0], args.seed, args.case)
        return 0
    results = {}
    with runner.Runner() as run, contextlib.suppress(KeyboardInterrupt):
        sweep(run, names, args, results)
    print(runner.table(results))
    return 1 if any(problems for _, _, problems in results.values()) else 0


def sweep(run, names, args, results):
    """Fill {loader: what `Runner.run` returns}: half of the time is divided evenly among the
    loaders, the other half as they are fast."""
    took = {}

    def go_on(name, seconds):
        cases, tally, problems = results.get(name, (0, collections.Counter(), {}))
        begun = time.monotonic()
        done, more, found = run.run(name, args.seed, args.count - cases, seconds, cases)
        took[name] = took.get(name, 0) + time.monotonic() - begun
        for problem, case in found.items():
            if problem not in problems:
                print(f"{name} --seed {args.seed} --case {case}: {problem}", flush=True)
        results[name] = cases + done, tally + more, found | problems

    for name in names:
        go_on(name, args.seconds / 2 / len(names))
    speed = {name: results[name][0] / took[name] for name in names}
    for name in names:
        go_on(name, args.seconds / 2 * speed[name] / sum(speed.values()))


if __name__ == "__main__":
    sys.exit(main())
