"""`python -m tests.faults.real_signals [--signals N] [--only WORD]`: trainings interrupted by
signals of a timer, each 4 ms after the previous handler has ended, until N have arrived. The
handlers compute or save; the final weights must equal those of a training without signals. They
must be bitwise equal if programs are compiled immediately, else equal up to rounding: operations in
a handler affect the run from which on a program is compiled."""

import argparse
import contextlib
import itertools
import signal
import sys
import time

import numpy as np
import pytest

import sporax as ms
from sporax._src.runtime.engine import compile_policy
from sporax._src.runtime.engine.trace_tree import forest
from tests.faults.handlers import ACTS, Handler
from tests.faults.trainings import NETWORKS, Training

WAYS = "dynamic", "jit", "immediate"
PAUSE = 0.004


@contextlib.contextmanager
def running(way, tiers):
    """Run code in one of `WAYS` in the block; `tiers`: interpret programs first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compile_policy, "uses_interpreter", tiers)
        ms.set_context(pynative_synchronize=way == "immediate")
        forest.clear()
        try:
            yield
        finally:
            ms.set_context(pynative_synchronize=False)


def new_training(network, way):
    return Training(NETWORKS[network], "jit" if way == "jit" else "dynamic")


class Timer:
    """A context manager that sends a signal `PAUSE` seconds after the previous handler has
    ended."""

    def __init__(self, handler):
        self.handler, self.count, self.problems = handler, 0, []

    def __enter__(self):
        self._before = signal.signal(signal.SIGALRM, self._come)
        signal.setitimer(signal.ITIMER_REAL, PAUSE)

    def __exit__(self, *exception):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)

    def _come(self, number, frame):
        self.handler._come(number, frame)
        if self.handler.problem is not None:
            self.problems.append(self.handler.problem)
        self.count += 1
        signal.setitimer(signal.ITIMER_REAL, PAUSE)


def trained(network, way, tiers, act, signals, steps=20):
    """Run at least `steps` steps; return (number of signals, problems)."""
    with running(way, tiers):
        training = new_training(network, way)
        handler: Handler = ACTS[act](training)
        timer, done = Timer(handler), 0
        try:
            with timer:
                while timer.count < signals or done < steps:
                    done += 1
                    advance(training, done)
        except Exception as error:  # noqa: BLE001 - the report has it
            return timer.count, [f"the training raises {type(error).__name__}: {error}"]
        found = elements(training)
    with running(way, tiers):
        alone = new_training(network, way)
        for step in range(1, done + 1):
            advance(alone, step)
        expected = elements(alone)
    same = np.array_equal if not tiers else np.allclose
    different = [name for name in found if not same(found[name], expected[name])]
    problems = list(dict.fromkeys(timer.problems))
    return timer.count, problems + [f"after {done} steps others: {different}"] * bool(different)


def advance(training, number):
    """Run one step; read a weight after every third step."""
    training.step()
    if number % 3 == 0:
        training.net.first.weight.asnumpy()


def elements(training):
    """Return {name: array} of all state."""
    return {name: handle.asnumpy() for name, handle in training.handles.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--signals", type=int, default=200)
    parser.add_argument("--only", default="", help="a word of the names of the rows to run")
    args = parser.parse_args()
    bad = 0
    rows = itertools.product(("plain", "normalized"), WAYS, (True, False), ("compute", "save"))
    for network, way, tiers, act in rows:
        row = f"{network}, {way}, tiers {'on' if tiers else 'off'}, {act}"
        if args.only not in row or (network == "normalized" and tiers):
            continue  # what is rounding alone, a gradient of zero, is as large as the others there
        began = time.monotonic()
        count, problems = trained(network, way, tiers, act, args.signals)
        bad += bool(problems)
        seconds = time.monotonic() - began
        print(f"{row:45} {count:4} signals, {len(problems)} wrong, {seconds:.0f} s", flush=True)
        for problem in problems[:5]:
            print(f"    {problem[:300]}", flush=True)
    print(f"{bad} trainings wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
