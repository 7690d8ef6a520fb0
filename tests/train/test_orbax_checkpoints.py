"""`Checkpointer(format="orbax")`: the same trainings with the checkpoints of orbax."""

import importlib
import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sporax import Parameter, Tensor, nn
from sporax.train import Checkpointer
from tests.train.resumed_training import ALL, KINDS
from tests.train.test_checkpointer import Killed, killing

pytest.importorskip("orbax.checkpoint")
ROOT = Path(__file__).parents[2]


@pytest.mark.usefixtures("on_numpy")
@pytest.mark.parametrize("background", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_training_goes_on_from_any_step(background, tmp_path):
    whole = KINDS["hand"](tmp_path / "whole", background=False)
    folder = tmp_path / "orbax"
    for steps in (9, 7):
        with pytest.raises(Killed):
            ALL["orbax"](folder, killing(steps), 2, background)
        np.random.seed(99)
    assert ALL["orbax"](folder, background=background) == whole
    assert len(list(folder.iterdir())) <= 3


def test_arrays_of_all_kinds_come_back_and_the_newest_stay(tmp_path):
    state = {
        "tensor": Tensor([[1.5]]), "parameter": Parameter([2], name="p"), "none": np.zeros((0, 3)),
        "half": np.float16(3), "text": "a", "list": [Tensor([True]), (1, None)],
    }  # fmt: skip
    checkpointer = Checkpointer(tmp_path, keep=2, format="orbax", state=dict(state))
    for step in (1, 2, 10):
        checkpointer.save(step, at=step)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint_10", "checkpoint_2"]
    new = Checkpointer(tmp_path, format="orbax", state=(again := {}))
    position = new.restore()
    assert (position.total, position.more) == (10, {"at": 10})
    assert again["tensor"].asnumpy().tolist() == [[1.5]] and again["parameter"].name == "p"
    assert again["none"].shape == (0, 3) and again["half"].dtype == np.float16
    assert again["list"][0].asnumpy().tolist() == [True] and again["list"][1] == (1, None)


# where one read of tensorstore fails, others end after the event loop that orbax reads in
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_damaged_folder_gives_way_to_the_one_before(tmp_path, caplog):
    counts = {"n": np.zeros(1000)}
    checkpointer = Checkpointer(tmp_path, format="orbax", counts=counts)
    for step in (1, 2):
        counts["n"] = np.random.default_rng(step).random(1000)
        checkpointer.save(step)
    for path in (tmp_path / "checkpoint_2").rglob("d/*"):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    again = Checkpointer(tmp_path, format="orbax", counts=counts)
    with caplog.at_level(logging.WARNING, "sporax"):
        assert again.restore().step == 1
    assert "no whole checkpoint of orbax" in caplog.text
    np.testing.assert_array_equal(counts["n"], np.random.default_rng(1).random(1000))
    again.save(2)
    assert Checkpointer(tmp_path, format="orbax", counts=counts).restore().step == 2


def test_refusals(tmp_path, monkeypatch):
    Checkpointer(tmp_path, nn.Dense(2, 1), format="orbax").save(1)
    with pytest.raises(RuntimeError, match=r"Float32 .1, 2. there and Float32 .3, 2. here"):
        Checkpointer(tmp_path, nn.Dense(2, 3), format="orbax").restore()
    with pytest.raises(
        ValueError, match=r"'format' must be one of .'ckpt', 'orbax'., but got 'zip'"
    ):
        Checkpointer(tmp_path, format="zip")

    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ModuleNotFoundError, match=r"pip install .*\[orbax\]'"):
        Checkpointer(tmp_path, format="orbax")


SHARDED = """
import jax, numpy as np, sporax as ms, sys
from jax.sharding import NamedSharding, PartitionSpec
mesh = jax.make_mesh((2,), ("x",))
split = NamedSharding(mesh, PartitionSpec("x"))
def parameter(begin):
    return ms.Parameter(ms.Tensor(jax.device_put(begin + np.arange(4.0), split)), name="p")
for background in (False, True):
    folder = sys.argv[1] + str(background)
    cell = ms.nn.Cell()
    cell.p = parameter(0)
    c = ms.train.Checkpointer(folder , cell, format="orbax", background=background)
    c.save(1)
    c.wait()
    cell.p.set_data(parameter(9).value())
    assert ms.train.Checkpointer(folder , cell, format="orbax").restore().step == 1
    assert cell.p.asnumpy().tolist() == [0, 1, 2, 3]
    assert cell.p._value.read().sharding == split
"""


@pytest.mark.slow
def test_arrays_stay_on_their_devices(tmp_path):
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT),
        "XLA_FLAGS": "--xla_force_host_platform_device_count=2",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", SHARDED, str(tmp_path / "a")],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
