"""A time limit for files that may be endless."""

import signal

import pytest


@pytest.fixture
def timer():
    from tests.fuzz import worker

    before = signal.signal(signal.SIGALRM, worker._stop)
    yield
    signal.signal(signal.SIGALRM, before)
