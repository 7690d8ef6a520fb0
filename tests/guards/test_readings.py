"""State of all kinds that Python's reference and library have, read in all ways, never stale.

Each kind once, in a way by chance, and some of the containers in containers. `make readings` runs
ten thousand cases.
"""

import numpy as np
import pytest

from tests.guards.readings import cases
from tests.guards.readings.kinds import CHAPTERS

MOST = 130  # kinds of a chapter
# the least share of a chapter's cases that are captured: clocks, files, random numbers are not
CAPTURED = {
    "special methods": 0.95, "data model": 0.9, "containers": 0.7, "process": 0.15,
    "libraries": 0.5, "sporax": 0.8,
}  # fmt: skip


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nothing_is_stale(chapter):
    chosen = cases.chosen(min(MOST, len(CHAPTERS[chapter])), 1, CHAPTERS[chapter][:MOST])
    with cases.interpreted():
        results = [(case, cases.run(case)) for case in chosen]
    results = [(case, result) for case, result in results if result is not None]
    wrong = [(case, result) for case, result in results if result.is_wrong(case.kind.moves)]
    assert not wrong
    assert np.mean([not result.dynamic for _, result in results]) >= CAPTURED[chapter]
    assert np.mean([result.matters() or case.kind.moves for case, result in results]) > 0.8
