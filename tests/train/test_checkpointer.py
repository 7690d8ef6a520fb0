"""`Checkpointer`: trainings that are killed, and end as if they had not been."""

import errno
import logging
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax.data import GeneratorDataset
from sporax.io import atomic_write
from sporax.train import Checkpointer, EarlyStopping
from tests.train.resumed_training import KINDS

ROOT = Path(__file__).parents[2]


class Killed(BaseException):
    """Stands for the end of a process."""


def killing(at):
    """A function that raises at its call of that number."""
    calls = iter(range(1, at + 1))

    def step():
        if next(calls) == at:
            raise Killed

    return step


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """{kind: digest of a training that was not stopped}."""
    return {
        kind: train(tmp_path_factory.mktemp(kind), background=False)
        for kind, train in KINDS.items()
    }


@pytest.mark.usefixtures("on_numpy")
@pytest.mark.parametrize("every", [None, 1, 4])
@pytest.mark.parametrize("background", [False, True], ids=["", "background"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_training_goes_on_from_any_step(kind, background, every, whole, tmp_path):
    for steps in (9, 7, 6):  # the ends lie in the middle of epochs, and at their ends
        with pytest.raises(Killed):
            KINDS[kind](tmp_path, killing(steps), every, background)
        np.random.seed(99)  # another process has other states
        random.seed(99)
    assert KINDS[kind](tmp_path, every=every, background=background) == whole[kind]
    assert len(list(tmp_path.iterdir())) <= 3
    # a training that has ended takes no step more
    assert KINDS[kind](tmp_path, killing(1), every, background) == whole[kind]


def in_process(folder, kind):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SPORAX_TIERS": "off"}
    command = [sys.executable, "-m", "tests.train.resumed_training", folder, kind]
    return subprocess.Popen(
        [*command, Path(folder).with_suffix(".digest")], env=environment, cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def ended(folder, kind):
    process = in_process(folder, kind)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return Path(folder).with_suffix(".digest").read_text("ascii")


def kill(folder, kind, draw):
    """Kill a training after some steps and some milliseconds: also while a file is written."""
    process, steps = in_process(folder, kind), draw.randrange(1, 6)
    for _ in range(steps):
        if not process.stdout.readline():
            break
    time.sleep(draw.uniform(0, 0.01))
    process.send_signal(signal.SIGKILL)
    process.communicate()


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.parametrize(
    "kind, kills",  # ten with compiled programs
    [("hand", 2), pytest.param("hand", 10, marks=pytest.mark.slow),
     pytest.param("model", 10, marks=pytest.mark.slow),
     pytest.param("orbax", 10, marks=pytest.mark.slow)],
)  # fmt: skip
def test_a_killed_process_ends_bit_identical(kind, kills, tmp_path, monkeypatch):
    if kills > 2:
        monkeypatch.setenv("COMPILED", "1")
    expected = ended(str(tmp_path / "whole"), kind)
    draw = random.Random(kills)
    for _ in range(kills):
        kill(str(tmp_path / "killed"), kind, draw)
    assert ended(str(tmp_path / "killed"), kind) == expected


# the order of the data -----------------------------------------------------------------------


class Counted:
    """Rows that note which were read."""

    def __init__(self):
        self.read = []

    def __len__(self):
        return 12

    def __getitem__(self, i):
        self.read.append(i)
        return np.float32(i)


PIPELINES = {
    "batch": (lambda rows: rows.batch(2), 2),
    "map": (lambda rows: rows.map(lambda x: x * 2).batch(3).rename("x", "y"), 3),
    "project": (lambda rows: rows.project("x").batch(2, drop_remainder=True), 2),
    "shuffle": (lambda rows: rows.shuffle(5).batch(2), None),
    "filter": (lambda rows: rows.filter(lambda x: x > 2).batch(2), None),
    "repeat": (lambda rows: rows.batch(2).repeat(2), None),
    "skip take": (lambda rows: rows.skip(1).take(8).batch(2), None),
    "per_batch_map": (lambda rows: rows.batch(2, per_batch_map=lambda x, info: (
        [np.float32(info.get_epoch_num() * 100 + info.get_batch_num()) + v for v in x],)), 2),
}  # fmt: skip


@pytest.mark.parametrize("name", PIPELINES)
def test_an_epoch_goes_on_at_a_row(name):
    make, size = PIPELINES[name]
    source = Counted()
    epochs = make(GeneratorDataset(source, ["x"]))._resumable()
    rows = [x.tolist() for (x,) in epochs.rows(1, 0)]
    assert rows != [x.tolist() for (x,) in epochs.rows(2, 0)]
    for first in (1, 3):
        source.read.clear()
        assert [x.tolist() for (x,) in epochs.rows(1, first)] == rows[first:]
        if size is not None:  # what is skipped is not read
            assert len(source.read) == 12 - first * size


def test_a_dataset_of_others_is_gone_through(tmp_path):
    taken = []
    for _ in range(2):
        checkpointer = Checkpointer(tmp_path, dataset=[1, 2, 3, 4], every=1)
        for _ in checkpointer.epochs(1):
            for x in checkpointer.batches():
                taken.append(x)
                if len(taken) == 3:
                    break
            if len(taken) == 3:
                break
    assert taken == [1, 2, 3, 3, 4]  # the third step had not been saved


# states --------------------------------------------------------------------------------------


def test_states_of_every_kind_come_back(tmp_path):
    def made(seed):
        scaler = ms.amp.DynamicLossScaler(2.0**seed, 2, 3)
        generator = ms.Generator().manual_seed(seed)
        stop = EarlyStopping("loss", patience=3)
        stop.best_weights_param_dict = {"w": Parameter(Tensor([float(seed)]), name="w")}
        stop.best = seed / 3
        other = np.random.default_rng(seed)
        plain = {"a": (seed, [None, "x"], {1: np.float64(seed / 7)}), "b": np.nan}
        return {"scaler": scaler, "generator": generator, "stop": stop, "other": other,
                "plain": plain}  # fmt: skip

    one, two = made(3), made(4)
    Checkpointer(tmp_path, **one).save(7, note={"x": np.arange(3), "e": np.zeros((0, 2))})
    position = Checkpointer(tmp_path, **two).restore()
    assert (position.epoch, position.step, position.total) == (0, 7, 7)
    assert position.more["note"]["x"].tolist() == [0, 1, 2]
    assert position.more["note"]["e"].shape == (0, 2)
    assert two["scaler"].scale_value.item() == 8.0 and two["generator"].initial_seed() == 3
    assert two["stop"].best == 1.0
    assert two["stop"].best_weights_param_dict["w"].name == "w"
    assert two["stop"].best_weights_param_dict["w"].tolist() == [3.0]
    assert two["other"].random() == np.random.default_rng(3).random()
    assert two["plain"]["a"] == one["plain"]["a"] and np.isnan(two["plain"]["b"])


def test_a_damaged_file_gives_way_to_the_one_before(tmp_path, caplog):
    counts = {"n": 0}
    checkpointer = Checkpointer(tmp_path, keep=2, counts=counts)
    for step in (1, 2, 3):
        counts["n"] = step
        checkpointer.save(step)
    one, two = sorted(tmp_path.iterdir())
    content = bytearray(two.read_bytes())
    content[len(content) // 2] ^= 1
    two.write_bytes(content)
    (tmp_path / ".checkpoint-000000000009.ckpt.aa.part").write_bytes(b"half")
    again = Checkpointer(tmp_path, keep=2, counts=counts)
    with caplog.at_level(logging.WARNING, "sporax"):
        assert again.restore().step == 2 and counts == {"n": 2}
    assert len(caplog.records) == 1 and two.name in caplog.text
    again.save(3)
    assert Checkpointer(tmp_path, counts=counts).restore().step == 3
    for path in (one, two):
        path.write_bytes(b"")
    with pytest.raises(ValueError, match="all 2 are damaged"):
        Checkpointer(tmp_path, counts=counts).restore()


# bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other, words",
    [(lambda: nn.Dense(2, 3), "Float32 .1, 2. there and Float32 .3, 2. here"),
     (lambda: nn.Dense(2, 1, has_bias=False), "'network/bias' is Float32 .1,. there and absent"),
     (lambda: nn.Dense(2, 1, dtype=ms.float16), "and Float16 .1, 2. here")],
)  # fmt: skip
def test_a_checkpoint_of_another_network_is_refused(other, words, tmp_path):
    Checkpointer(tmp_path, nn.Dense(2, 1)).save(1)
    net, state = other(), ms.get_rng_state()
    before = [p.asnumpy() for p in net.get_parameters()]
    with pytest.raises(RuntimeError, match=words):
        Checkpointer(tmp_path, net).restore()
    for p, value in zip(net.get_parameters(), before, strict=True):
        np.testing.assert_array_equal(p.asnumpy(), value)
    assert (ms.get_rng_state() == state).all()


@pytest.mark.parametrize("background", [False, True], ids=["", "background"])
def test_a_full_disk_is_one_error(background, tmp_path, monkeypatch):
    checkpointer = Checkpointer(tmp_path, nn.Dense(2, 1), background=background)
    checkpointer.save(1)
    checkpointer.wait()

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(atomic_write.os, "fsync", full)
    with pytest.raises(OSError, match="could not be written: No space left") as caught:
        checkpointer.save(2)
        checkpointer.wait()
    assert caught.value.errno == errno.ENOSPC
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-000000000001.ckpt"]
    assert Checkpointer(tmp_path, nn.Dense(2, 1)).restore().step == 1


@pytest.mark.parametrize(
    "call, error, words",
    [(lambda f: Checkpointer(f / "a" / "b"), FileNotFoundError, "does not exist"),
     (lambda f: Checkpointer(f / "file"), NotADirectoryError, "is a file"),
     (lambda f: Checkpointer(f, keep=0), ValueError, "'keep'"),
     (lambda f: Checkpointer(f, every=1.5), TypeError, "'every'"),
     (lambda f: Checkpointer(f, thing=object()), TypeError, "'thing' must be a Cell"),
     (lambda f: Checkpointer(f).save(1, x=object()), TypeError, "a state must hold"),
     (lambda f: next(Checkpointer(f).batches()), ValueError, "must be a 'dataset'"),
     (lambda f: (Checkpointer(f).save(5), Checkpointer(f).save(4)), ValueError, "of step 5")],
)  # fmt: skip
def test_bad_input(call, error, words, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(error, match=words):
        call(tmp_path)
