"""Measures one row: the peers, each in its own process, take turns."""

import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np

from bench.peer import LeftOutError, Peer
from bench.rows import COMPILING

BUSY = 0.5  # cores that other work may use


def say(text):
    print(text, file=sys.stderr, flush=True)


def others_load(seconds=1.0):
    """Return the number of cores in use while nothing is measured; None if not on Linux."""
    facts = Path("/proc/stat")
    if not facts.exists():
        return None

    def ticks():
        line = facts.read_text().splitlines()[0]
        user, nice, system, idle, waiting, *rest = map(int, line.split()[1:])
        return np.array([user + nice + system + sum(rest[:3]), idle + waiting])

    before = ticks()
    time.sleep(seconds)
    busy, idle = ticks() - before
    return float(os.cpu_count() * busy / (busy + idle))


def start_up(answers):
    """Return the extra seconds of the first calls over the same number of later calls, mainly
    compile time."""
    if not answers.get("rounds"):
        return None
    number, seconds = answers["calls"]
    later = (number + 1) * statistics.median(answers["rounds"])
    return max(answers["first"] + seconds - later, 0.0)


class Measurement:
    """Measures one row with a process per peer; for each case a peer has results, or the reason why
    it is left out."""

    def __init__(self, row, pythons, options):
        self.row, self.pythons, self.options = row, pythons, options
        self.results = {case: {} for case in row.cases}
        self.workers, self.versions = {}, {}

    def run(self, folder):
        probes = []
        for case in self.row.cases:  # one after another: a compilation would slow down others
            for peer in self.pythons:
                if peer in self.row.peers:
                    self.start(peer, case, folder)
            if self.row.how == "steps":
                probes += self.rounds(case)
        for worker in self.workers.values():
            worker.close()
        if self.row.starts_warm:
            for peer in COMPILING:
                self.start_warm(peer, folder)
        middle = [statistics.median(values) for values in zip(*probes, strict=True)]
        return {"cases": self.results, "versions": self.versions, "probe": middle}

    def open(self, peer, folder):
        return Peer(peer, self.pythons[peer], Path(folder) / peer)

    def start(self, peer, case, folder):
        """Make the first calls of a case; keep the process for the rounds and the next cases."""
        try:
            worker = self.workers.get(peer)
            if worker is None or not worker.is_running():
                worker = self.workers[peer] = self.open(peer, folder)
            if case in worker.cases:
                self.versions[peer] = worker.version
                self.results[case][peer] = self.first(worker, case)
        except LeftOutError as reason:
            self.leave_out(peer, case, reason)

    def leave_out(self, peer, case, reason):
        say(f"  {peer} leaves out {case}: {reason}")
        self.results[case][peer] = {"left_out": str(reason)}

    def first(self, worker, case):
        limit = self.options.limit
        if self.row.how == "each":
            return {"each": worker.ask(limit, do="each", case=case, calls=self.options.calls)}
        if self.row.how == "once":
            return {"first": worker.ask(limit, do="first", case=case)[0]}
        first, calls, highest, later = worker.ask(limit, do="start", case=case)
        return {"first": first, "calls": calls, "memory": [highest, later], "rounds": []}

    def rounds(self, case):
        """Append the median of each round's calls, peer by peer, to the results; return the
        machine's peak rates, measured once per round."""
        results, options, probes = self.results[case], self.options, []
        having = [p for p in self.workers if "rounds" in results.get(p, ())]
        seconds = options.seconds / options.repeats
        for _ in range(options.repeats):
            for peer in having:
                try:
                    calls = self.workers[peer].ask(do="repeat", case=case, **{"for": seconds})
                    results[peer]["rounds"].append(statistics.median(calls))
                except LeftOutError as reason:
                    self.leave_out(peer, case, reason)
            having = [p for p in having if "rounds" in results[p]]
            probing = [p for p in ("torch", *having) if p in having][:1]
            probes += [self.workers[peer].ask(do="probe") for peer in probing]
        return probes

    def start_warm(self, peer, folder):
        for case in self.row.cases:
            cold = self.results[case].get(peer, {})
            if "calls" in cold:
                try:
                    worker = self.open(peer, folder)
                    first, calls, *_ = worker.ask(self.options.limit, do="start", case=case)
                    cold["warm"] = {"first": first, "calls": calls}
                    worker.close()
                except LeftOutError as reason:
                    say(f"  {peer} has no warm start of {case}: {reason}")
