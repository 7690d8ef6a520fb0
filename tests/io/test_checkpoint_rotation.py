"""Older checkpoints go only when the newer one is on the disk: one can be loaded at any time."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import sporax as ms
from sporax import nn, train
from sporax.io import background_writer as async_saving

FORMATS = ["ckpt", "safetensors"]
SAVES = [(format, in_thread) for format in FORMATS for in_thread in (False, True)]


def run_context(net, step):
    run = SimpleNamespace(cur_step_num=step, cur_epoch_num=1, batch_num=10**6, train_network=net)
    return SimpleNamespace(original_args=lambda: run)


def keeper_of(folder, format, in_thread, most=1):
    config = train.CheckpointConfig(
        1, keep_checkpoint_max=most, async_save=in_thread, format=format
    )
    return train.ModelCheckpoint("net", str(folder), config)


def save_often(folder, format, in_thread, steps, most=1, size=300):
    """Let a ModelCheckpoint see `steps` steps of a training."""
    net, keeper = nn.Dense(size, size), keeper_of(folder, format, in_thread, most)
    for step in range(1, steps + 1):
        keeper.step_end(run_context(net, step))
    keeper.end(run_context(net, steps))


def loadable(folder, format):
    """Names of the files under checkpoint names; an error if one cannot be loaded."""
    names = sorted(name for name in os.listdir(folder) if name.endswith(f".{format}"))
    for name in names:
        assert ms.load_checkpoint(os.path.join(folder, name), format=format).keys() >= {"weight"}
    return names


@pytest.mark.parametrize("format,in_thread", SAVES)
@pytest.mark.parametrize("most", [1, 3])
def test_one_is_there_whenever_one_is_removed(format, in_thread, most, tmp_path, monkeypatch):
    left = []

    def remove(path, removed=os.remove):
        removed(path)
        left.append(loadable(tmp_path, format))

    monkeypatch.setattr(os, "remove", remove)
    save_often(tmp_path, format, in_thread, 6, most, size=3)
    assert left == [[f"net-1_{s - i}.{format}" for i in reversed(range(most))]
                    for s in range(most + 1, 7)]  # fmt: skip
    assert loadable(tmp_path, format) == left[-1]


@pytest.mark.parametrize("in_thread", [False, True])
def test_a_save_that_fails_removes_nothing(in_thread, tmp_path, monkeypatch):
    def no_space(source, target):
        raise OSError("no space left")

    net, keeper = nn.Dense(3, 3), keeper_of(tmp_path, "ckpt", in_thread)
    keeper.step_end(run_context(net, 1))
    async_saving.wait()
    monkeypatch.setattr(os, "replace", no_space)
    errors = []
    for call, step in [(keeper.step_end, 2), (keeper.step_end, 3), (keeper.end, 3)]:
        try:
            call(run_context(net, step))
        except OSError as error:  # a thread's is raised by the next call
            errors.append(str(error))
    assert ["no space" in error for error in errors] == [True, True]
    assert loadable(tmp_path, "ckpt") == os.listdir(tmp_path) == ["net-1_1.ckpt"]


SCRIPT = textwrap.dedent("""
    import sys
    from tests.io.test_checkpoint_rotation import save_often

    print("begins", flush=True)
    save_often(sys.argv[1], sys.argv[2], sys.argv[3] == "True", 10**6)
""")


def killed(folder, format, in_thread, seconds):
    """Kill a training that saves all the time, some time after its first checkpoint."""
    command = [sys.executable, "-c", SCRIPT, str(folder), format, str(in_thread)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root) as child:
        assert child.stdout.readline().strip() == b"begins"
        while not any(folder.glob(f"*.{format}")):
            assert child.poll() is None
            time.sleep(0.001)
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("format,in_thread", [("ckpt", False), ("safetensors", True)])
def test_a_killed_training_leaves_one(format, in_thread, tmp_path):
    killed(tmp_path, format, in_thread, random.Random(format).uniform(0, 0.1))
    assert loadable(tmp_path, format)


@pytest.mark.slow
@pytest.mark.parametrize("format,in_thread", SAVES)
def test_a_training_killed_at_twenty_moments_leaves_one(format, in_thread, tmp_path):
    moments = random.Random(f"{format} {in_thread}")
    for i in range(20):
        folder = tmp_path / str(i)
        folder.mkdir()
        killed(folder, format, in_thread, moments.uniform(0, 0.3))
        assert loadable(folder, format)
