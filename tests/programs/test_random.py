"""Random Cells give one outcome in all ways to run them, which NumPy in float64 gives too.

`pytest tests/programs/test_random.py -m slow --programs 10000 --seed 1` tries that many; the seed
makes a run repeatable. A failing program is shrunk to a few lines, which become a row here.
"""

import warnings

import pytest
from hypothesis import HealthCheck, Phase, assume, given, seed, settings

from sporax.engine import recorder
from sporax.graph_capture import graph_call
from tests import interpretation
from tests.programs.random import writer
from tests.programs.random.agreement import check

AT_ONCE = 15  # programs for one seed: hypothesis draws neighbours of what it has drawn
IN_MAKE_TEST = 15


@pytest.fixture(autouse=True)
def interpreted(monkeypatch, request):
    """Run programs by NumPy: each is run a few times."""
    if not request.config.getoption("--compiled"):
        for module in (recorder, graph_call):
            monkeypatch.setattr(module, "prepare", interpretation.prepare)


def agree(first, count):
    for number in range(first, first + count, AT_ONCE):

        @seed(number)
        @settings(
            max_examples=AT_ONCE, deadline=None, database=None,
            suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink],
        )  # fmt: skip
        @given(writer.programs())
        def agrees(program):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # what runs dynamically, says so
                assume(check(program))

        agrees()


@pytest.mark.executors
@pytest.mark.parametrize("first", range(0, IN_MAKE_TEST, AT_ONCE))
def test_programs(first):
    agree(first, AT_ONCE)


# programs that failed once, shrunk
FOUND = {
    "a loop writes to what has an expanded view": """
        v1 = ops.relu(x)
        v2 = v1.expand(2, *v1.shape)
        v3 = ops.mean(ops.abs(x)) + 0.5
        while v3 < 4:
            v1[0] = 2
            v3 = v3 * 2
        return v1, v2
""",
}


@pytest.mark.parametrize("name", FOUND)
def test_programs_that_failed(name):
    assert check(writer.Program(writer.HEAD + FOUND[name], {"branch", "kink"}))


@pytest.mark.slow
def test_many_programs(request):
    agree(request.config.getoption("--seed"), request.config.getoption("--programs"))
