"""Captures that are held at one of their steps while eight threads act; see `gates`."""

import pytest

from sporax._src.core.hooks import hooks
from sporax._src.runtime.engine.recorder import Recorder
from sporax._src.runtime.storage import lending
from tests.graph_capture.gates import ACTORS, Train, held, tiers

pytestmark = [
    pytest.mark.skipif(Recorder.immediate, reason="captures run in any executor alike"),
    pytest.mark.filterwarnings("ignore:.*has been captured 8 times"),
    pytest.mark.filterwarnings("ignore:.*shapes of a computation change"),
]
ROWS = [
    ("training", "begin", 1),
    ("training", "operation", 30),
    ("training", "write", 3),
    ("training", "escape", 1),
    ("training", "build", 1),
    ("training", "donation", 1),
    ("undone", "undo", 1),
    ("split", "write", 2),
    ("branch", "inner lift", 1),
    ("mapped", "inner lift", 2),
]


@pytest.mark.parametrize("is_on", [True, False], ids=["interpreted first", "compiled at once"])
@pytest.mark.parametrize("name, step, turn", ROWS)
def test_others_see_nothing_of_a_capture(name, step, turn, is_on):
    with tiers(is_on):
        assert not held(name, step, turn, ACTORS)


def test_all_train_while_one_is_held():
    with tiers(True):
        assert not held("training", "escape", 1, [Train] * 4)


def test_what_is_seen_without_the_rule(monkeypatch):
    monkeypatch.setattr(lending, "contexts", {None})
    monkeypatch.setattr(hooks, "new_context", lambda: None)
    monkeypatch.setattr("tests.graph_capture.gates.PATIENCE", 2)
    with tiers(True):
        problems = held("training", "escape", 1, ACTORS)
    assert any("Read: reads that" in problem for problem in problems)
