"""Marks rows that take long, by lists that a run of all rows writes (`make long-rows`).

`make test` leaves them out. A row whose function has faster rows is for `make test-all`; a row that
is the only one, or the fastest, of its function is also for `make test-long`, which continuous
integration runs: together they run every function.
"""

import collections
from pathlib import Path

import pytest

LIST, ALONE = (Path(__file__).with_name(name) for name in ("long_rows.txt", "long_functions.txt"))
LIMIT = 0.5  # seconds, on two cores that do nothing else, of a row beside faster ones
LIMIT_ALONE = 2.5  # of the fastest row of a function


def listed(path=LIST):
    return set(path.read_text("utf8").splitlines())


def long_rows(seconds, limit=LIMIT, limit_alone=LIMIT_ALONE):
    """Return (the rows above the limit besides the fastest of their functions, those that are the
    fastest and above the other limit), given {row: seconds}."""
    functions = collections.defaultdict(list)
    for row in sorted(seconds, key=seconds.__getitem__):
        functions[row.partition("[")[0]].append(row)
    others = [row for rows in functions.values() for row in rows[1:] if seconds[row] > limit]
    fastest = [rows[0] for rows in functions.values() if seconds[rows[0]] > limit_alone]
    return others, fastest


class Mark:
    """Marks the listed rows as slow, those of functions without other rows also as long."""

    def __init__(self):
        self.listed, self.alone = listed(), listed(ALONE)

    def pytest_itemcollected(self, item):
        if item.nodeid in self.listed | self.alone:
            item.add_marker(pytest.mark.slow)
        if item.nodeid in self.alone:
            item.add_marker(pytest.mark.long)


class Write:
    """Writes the lists from the durations of a run."""

    def __init__(self):
        self.seconds = collections.Counter()

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self, session, exitstatus):
        if exitstatus == pytest.ExitCode.OK and not hasattr(session.config, "workerinput"):
            for path, rows in zip((LIST, ALONE), long_rows(self.seconds), strict=True):
                path.write_text("\n".join(sorted(rows)) + "\n", "utf8")
