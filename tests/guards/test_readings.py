"""State of all kinds that Python's reference and library have, read in all ways, never stale.

Each kind once, in a way by chance, and some of the containers in containers. `make readings` runs
ten thousand cases.
"""

import numpy as np
import pytest

from sporax._src.capture.guards import guard_types, library_reads, snapshot
from sporax._src.capture.guards.dependence import Dependence
from tests.guards.readings import cases
from tests.guards.readings.kinds import CHAPTERS, KINDS

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


def _apart(guards, parts):
    """The guards of functions without their `parts`."""
    return [], [(g.space, g.attribute, g.value) for g in guards if g.attribute not in parts]


@pytest.mark.parametrize(
    "owner, name, fault, kind",
    [
        (Dependence, "restructured", lambda self: None, "requires_grad"),
        (guard_types.Reading, "changed", lambda self: False, "current directory"),
        (library_reads.LibraryReads, "_note", lambda *args: None, "clock"),
        (snapshot, "_functions", _apart, "defaults"),
    ],
)
def test_a_planted_fault_is_found(monkeypatch, owner, name, fault, kind):
    (chosen,) = [k for k in KINDS if k.name == kind]
    case = cases.Case(chosen, chosen.reads[0], chosen.changes[0], "plain")
    with cases.interpreted():
        assert not cases.run(case).is_wrong(chosen.moves)
        monkeypatch.setattr(owner, name, fault)
        assert cases.run(case).is_wrong(chosen.moves)
