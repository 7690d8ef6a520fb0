"""Marks slow rows, by a list that a run of all rows writes (`make long-rows`).

The fastest row of each test function is never in the list: `make test` runs every function.
"""

import collections
from pathlib import Path

import pytest

LIST = Path(__file__).with_name("long_rows.txt")
LIMIT = 0.8  # seconds, on two cores that do nothing else


def listed():
    return set(LIST.read_text("utf8").splitlines())


def long_rows(seconds, limit=LIMIT):
    """Return the rows above the limit, given {row: seconds}; not the fastest row of each
    function."""
    functions = collections.defaultdict(list)
    for row in sorted(seconds, key=seconds.__getitem__):
        functions[row.partition("[")[0]].append(row)
    return [row for rows in functions.values() for row in rows[1:] if seconds[row] > limit]


class Mark:
    """Marks the listed rows as slow."""

    def __init__(self):
        self.listed = listed()

    def pytest_itemcollected(self, item):
        if item.nodeid in self.listed:
            item.add_marker(pytest.mark.slow)


class Write:
    """Writes the list from the durations of a run."""

    def __init__(self):
        self.seconds = collections.Counter()

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self, session, exitstatus):
        if exitstatus == pytest.ExitCode.OK and not hasattr(session.config, "workerinput"):
            LIST.write_text("\n".join(sorted(long_rows(self.seconds))) + "\n", "utf8")
