"""How the tests of tiers and of verification have programs compiled."""

import pytest

from sporax._src.runtime.numpy_interpreter import interpretation


@pytest.fixture
def compiled_aside(monkeypatch):
    """Threads compile everything: four runs before they begin, seven while they do."""
    monkeypatch.setattr(interpretation, "LONG", 0)
    monkeypatch.setattr(interpretation, "WORK", 0)
    monkeypatch.setattr(interpretation, "COMPILE", 20.5 * interpretation.STEP)
