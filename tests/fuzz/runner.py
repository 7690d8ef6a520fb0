"""Runs cases in a worker process, and counts their outcomes, including crashes of the worker."""

import collections
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time

from tests.fuzz.worker import OUTCOMES, TIME

_BATCH = 250
_STUCK = 4 * TIME  # seconds at one case, after which the worker is ended


class Runner:
    """A worker, restarted after a case has ended it."""

    def __init__(self):
        self._progress, self._path = tempfile.mkstemp()
        self._worker = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self._worker is not None:
            self._worker.stdin.close()
            self._worker.wait(60)
            self._worker.stdout.close()
        os.close(self._progress)
        os.unlink(self._path)

    def _ask(self, *question):
        """Return the worker's answer; None if it crashed or was stuck."""
        if self._worker is None:
            self._worker = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.worker", self._path],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"},
            )  # fmt: skip
        os.pwrite(self._progress, question[2].to_bytes(8, "little"), 0)
        self._worker.stdin.write(json.dumps(question) + "\n")
        self._worker.stdin.flush()
        case, since = None, time.monotonic()
        while not select.select([self._worker.stdout], [], [], 1.0)[0]:
            now = self.case()
            if now != case:
                case, since = now, time.monotonic()
            elif time.monotonic() - since > _STUCK + 30 * (now == 0):
                self._worker.kill()
        answer = self._worker.stdout.readline()
        return json.loads(answer) if answer else None

    def case(self):
        """Return the number of the worker's current case."""
        return int.from_bytes(os.pread(self._progress, 8, 0), "little")

    def run(self, loader, seed, count, seconds=float(10**9), first=0):
        """Run a loader's cases; return (number of cases, Counter of outcomes, {problem: a
        case})."""
        tally, examples, case, begun = collections.Counter(), {}, first, time.monotonic()
        while case - first < count and time.monotonic() - begun < seconds:
            left = seconds - (time.monotonic() - begun)
            answer = self._ask(loader, seed, case, min(_BATCH, first + count - case), left)
            if answer is not None:
                done, part, found = answer
                tally.update(part)
                examples = found | examples
                case += done
                continue
            ended = self._worker.wait()
            self._worker.stdin.close()
            self._worker.stdout.close()
            if ended > 0:
                raise RuntimeError(f"the worker failed at case {self.case()} of '{loader}'")
            self._worker, at = None, max(self.case(), case)
            outcome = "hangs" if ended == -signal.SIGKILL else "crashes"
            tally.update({outcome: 1, "not counted": at - case})
            examples.setdefault(f"{outcome}: the process ended with {ended}", at)
            case = at + 1
        return case - first, tally, examples


def table(results):
    """Format {loader: (cases, tally, examples)} as a table."""
    columns = ("mutations", *OUTCOMES)
    rows = [("loader", *columns)]
    total = collections.Counter()
    for name, (cases, tally, _) in results.items():
        tally = collections.Counter(tally) + collections.Counter(mutations=cases)
        total += tally
        rows.append((name, *[tally[c] for c in columns]))
    rows.append(("all", *[total[c] for c in columns]))
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(str(x).ljust(w) if i == 0 else str(x).rjust(w)
                  for i, (x, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )  # fmt: skip
