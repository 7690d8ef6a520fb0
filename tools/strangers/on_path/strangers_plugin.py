"""A pytest plugin: aliases mindspore, selects tests, limits their time, and logs the outcomes.

The environment has its options: STRANGERS_ALIAS (1: mindspore is sporax), _SELECT and _SKIP (files
with a test a line), _EVENTS (a file that gets JSON lines), _LIMIT (seconds for a test). Of pytest's
options, `--sample N` draws N tests of each file, always the same; `--beside` runs a test in the
folder of its file.
"""

import json
import os
import random
import re
import signal

import pytest

LIMIT = float(os.environ["STRANGERS_LIMIT"])


class OverLimit(BaseException):
    """The test took longer than its limit; `except Exception` must not catch it."""


def _log(**entry):
    with open(os.environ["STRANGERS_EVENTS"], "a", encoding="utf8") as file:
        file.write(json.dumps(entry) + "\n")


def _lines(name):
    with open(os.environ[name], encoding="utf8") as file:
        return set(file.read().splitlines())


if os.environ["STRANGERS_ALIAS"] == "1":
    import sporax

    sporax.install_as_mindspore()


def pytest_addoption(parser):
    parser.addoption("--sample", type=int, metavar="N", help="tests of a file, drawn")
    parser.addoption("--beside", action="store_true", help="run in the folder of the file")


@pytest.hookimpl(trylast=True)  # after -k and -m
def pytest_collection_modifyitems(config, items):
    drawn = sorted({item.nodeid for item in items})
    if (size := config.getoption("sample")) and size < len(drawn):
        drawn = set(random.Random(0).sample(drawn, size))
        items[:] = [item for item in items if item.nodeid in drawn]
    wanted, done = _lines("STRANGERS_SELECT"), _lines("STRANGERS_SKIP")
    items[:] = [i for i in items if i.nodeid not in done and (not wanted or i.nodeid in wanted)]


def pytest_collectreport(report):
    if report.failed:
        _log(id=report.nodeid, outcome="error", error=_last(str(report.longrepr)))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    def stop(_number, _frame):
        raise OverLimit(f"over {LIMIT:g} s")

    if item.config.getoption("beside"):
        os.chdir(item.path.parent)
    _log(start=item.nodeid)
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        crash = getattr(report.longrepr, "reprcrash", None)
        error = _first(crash.message if crash else str(report.longrepr or ""))
        outcome = "timeout" if "OverLimit: over" in error else report.outcome
        _log(id=report.nodeid, outcome=outcome, error=error if outcome != "passed" else "")


def _first(text):
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _last(text):
    """The exception of a traceback: its line after the last marker of pytest, or the last line."""
    errors = re.findall(r"^E\s+(\S.*)$", text, re.MULTILINE) or text.strip().splitlines()
    return errors[-1] if errors else ""
