"""Shared fixtures and options: every test starts from the same random state."""

import gc
import os
from unittest import mock

# Modules with `on_numpy` test the interpreter, modules without it compiled programs.
os.environ.setdefault("SPORAX_TIERS", "off")
os.environ.setdefault("SPORAX_VERIFY_FILES", "off")  # no files in the user's folder

import jax
import numpy as np
import pytest

from sporax._src.capture.graph_capture import graph_call
from sporax._src.core import random
from sporax._src.core.value import deferred
from sporax._src.runtime.engine import compile_policy, recorder
from sporax._src.runtime.engine.trace_tree import forest
from sporax.data import config as data_config
from tests import interpretation, long_rows, sampled_rows


@pytest.fixture(autouse=True)
def seeded():
    random.set_seed(0)
    data_config.set_seed(5489)  # the default, i.e. no seed
    np.random.seed(0)
    deferred.clear()  # errors that a previous test did not read
    compile_policy.families.clear()  # shapes that differ between tests must not count as dynamic
    with mock.patch.dict(data_config._values), mock.patch.dict(data_config._times):
        yield  # restores e.g. the number of workers, whose threads draw in any order


@pytest.fixture(autouse=True, scope="module")
def generators(request):
    """Return [(generator of the module, its state after the import)]."""
    found = vars(request.module).values()
    return [(g, g.bit_generator.state) for g in found if isinstance(g, np.random.Generator)]


@pytest.fixture(autouse=True)
def same_data(generators):
    """Reset the module's generators, so that a row draws the same numbers in any order of rows."""
    for generator, state in generators:
        generator.bit_generator.state = state


@pytest.fixture(scope="module")
def on_numpy(request):
    """Run programs with the interpreter of jaxprs: the tests check results, and compiling takes
    most of the time. With `--compiled` they are compiled."""
    if request.config.getoption("--compiled"):
        yield
        return

    recorder.run_pending()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorder, "prepare", interpretation.prepare)
        patch.setattr(graph_call, "prepare", interpretation.prepare)
        yield
    forest.clear()


def pytest_collection_finish():
    """Freeze pytest's million objects, so that the garbage collector skips them: see
    `small_heap`."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def small_heap():
    """Clear JAX's traces between modules: finding the referrers of an object takes time
    proportional to the number of live objects."""
    yield
    is_thawed = not gc.get_freeze_count()
    if len(gc.get_objects()) > 500_000 + 1_000_000 * is_thawed:
        recorder.run_pending()
        forest.clear()
        jax.clear_caches()
        gc.collect()
    if is_thawed:
        gc.collect()
        gc.freeze()


def pytest_addoption(parser):
    parser.addoption("--compiled", action="store_true", help="compile what `on_numpy` would not")
    parser.addoption("--programs", type=int, default=300, help="how many random programs to try")
    parser.addoption("--seed", type=int, default=1_000_000, help="of the first random program")
    parser.addoption("--mutations", type=int, default=5000, help="of the files of each loader")
    parser.addoption("--minutes", type=float, default=2, help="of derivatives in eight threads")
    parser.addoption("--long-rows", action="store_true", help="list anew which rows take long")
    parser.addoption("--sample", type=int, help="run one row in each N, and changed files")
    parser.addoption("--calls", help="a folder: note which public names passing tests call")


def pytest_itemcollected(item):
    if " at 0x" in item.nodeid:  # it differs between the workers of pytest-xdist
        raise pytest.UsageError(f"Give the rows of '{item.nodeid}' names without addresses.")


def pytest_configure(config):
    if config.getoption("--long-rows"):
        config.pluginmanager.register(long_rows.Write())
    elif not config.getoption("--calls"):
        config.pluginmanager.register(long_rows.Mark())
    if config.getoption("--sample"):
        config.pluginmanager.register(sampled_rows.Sample(config.getoption("--sample")))
    if config.getoption("--calls"):
        from tests.compat.call_coverage import Calls

        config.pluginmanager.register(Calls(config.getoption("--calls")))
