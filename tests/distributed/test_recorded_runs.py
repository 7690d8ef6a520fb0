"""`RunRecord` of several ranks: who writes, and that the curves are those of one process."""

import numpy as np
import pytest

from sporax.insight.run_files import Runs
from tests.distributed.test_launch import passes
from tests.distributed.test_mesh_of_ranks import devices

NAMES = {"first": ["a"], "mesh": ["a"], "all": ["a rank0", "a rank1"]}


@pytest.mark.slow
@pytest.mark.parametrize("how", NAMES)
def test_who_writes(how, tmp_path):
    passes(1, "recorded_run.py", str(tmp_path / "alone"), "first")
    passes(2, "recorded_run.py", str(tmp_path / how), how, XLA_FLAGS=devices(1))
    (alone,) = Runs([tmp_path / "alone"])
    runs = list(Runs([tmp_path / how]))
    assert [run.name for run in runs] == NAMES[how]
    assert all(list(run.folder.glob("*tfevents*")) for run in runs)
    norms = np.array([list(run.curves["gradient_norm"].values()) for run in runs])
    expected = list(alone.curves["gradient_norm"].values())
    np.testing.assert_allclose(norms, [expected] * len(runs), rtol=1e-3)
    losses = [list(run.curves["loss"].values()) for run in runs]
    if how != "first":  # a rank's loss is that of its own rows
        np.testing.assert_allclose(
            np.mean(losses, 0), list(alone.curves["loss"].values()), rtol=1e-3
        )
    for run in runs:
        steps = list(range(1, 4))
        assert list(run.images["input"]) == list(run.layers["activations"]["head"]) == steps
