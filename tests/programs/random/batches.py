"""Batches of random programs: drawn and compared; failing ones are shrunk by hypothesis."""

import contextlib
import gc
import warnings

import jax
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from sporax._src.capture.graph_capture import graph_call
from sporax._src.runtime.engine import recorder
from sporax._src.runtime.engine.trace_tree import forest
from tests import interpretation
from tests.programs.random import writer
from tests.programs.random.agreement import check

AT_ONCE = 15  # programs of one seed: hypothesis draws neighbours of what it has drawn


@contextlib.contextmanager
def interpreted():
    """Run programs by NumPy, since each runs only a few times."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (recorder, graph_call):
            patch.setattr(module, "prepare", interpretation.prepare)
        yield


@contextlib.contextmanager
def small_heap():
    """Hide existing objects from the garbage collector in the block: captures search for the
    referrers of objects."""
    recorder.run_pending()
    forest.clear()
    jax.clear_caches()
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def run(number, every_way=True, shrinks=True):
    """Compare the programs of seed `number`; return (number of equal ones, number of those for
    which float32 is too narrow). Raise for one that is not equal, shrunk to a few lines if
    `shrinks`."""
    outcomes = []

    @seed(number)
    @settings(
        max_examples=AT_ONCE, deadline=None, database=None, report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink] if shrinks else [Phase.generate],
    )  # fmt: skip
    @given(writer.programs())
    def agrees(program):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # what runs dynamically, says so
            outcomes.append(check(program, every_way))

    agrees()
    return outcomes.count(True), outcomes.count(False)
