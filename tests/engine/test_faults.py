"""Faults at places of training steps leave a state from before or after; see `tests.faults`."""

import pytest

from sporax._src.runtime.engine.recorder import Recorder
from tests.faults.donation import interpreted
from tests.faults.sweep import sweep

ROWS = [
    ("plain", "dynamic", "replays", "opcodes", 20),
    ("normalized", "jit", "replays", "signals", 20),
    ("plain", "graph mode", "replays", "opcodes", 20),
    ("plain", "jit", "captures", "opcodes", 2),
]


@pytest.mark.skipif(Recorder.immediate, reason="about the deferred executor")
@pytest.mark.parametrize("network, way, begins, kind, count", ROWS, ids=lambda x: str(x))
def test_no_half_of_a_step(network, way, begins, kind, count):
    with interpreted():
        faults, places, problems = sweep(network, way, begins, kind, count)
    assert faults == count < places
    assert not problems
