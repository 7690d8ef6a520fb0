"""`python -m tests.fuzz [--seed N] [--seconds S] [--count N] [LOADER ...]`: mutations of the files
of all loaders, or some; a table, what went wrong, and 1 if something did. `--case N LOADER` runs
one case in this process, and shows where it ends."""

import argparse
import shutil
import signal
import sys
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
    results, bad = {}, 0
    with runner.Runner() as run:
        for name in names:
            results[name] = run.run(name, args.seed, args.count, args.seconds / len(names))
            for problem, case in results[name][2].items():
                bad += 1
                print(f"{name} --seed {args.seed} --case {case}: {problem}", flush=True)
    print(runner.table(results))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
