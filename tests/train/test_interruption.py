"""Trainings that are ended, and go on: `OnRequestExit` and `BackupAndRestore`."""

import json
import os
import signal

import numpy as np
import pytest

from sporax import nn
from sporax.data import NumpySlicesDataset
from sporax.io import load, load_checkpoint
from sporax.train import BackupAndRestore, LambdaCallback, Model, OnRequestExit

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
Y = X.sum(1, keepdims=True)


def trained(epochs, *callbacks, first=0):
    """(the network after so many epochs of four steps, how many steps there were)."""
    net = nn.Dense(3, 1, weight_init="ones", bias_init="zeros")
    steps = []
    model = Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.05, 0.9))
    count = LambdaCallback(on_train_step_end=lambda context: steps.append(1))
    dataset = NumpySlicesDataset((X, Y), ["x", "y"], shuffle=False).batch(2)
    model.train(epochs, dataset, [count, *callbacks], dataset_sink_mode=False, initial_epoch=first)
    return net.weight.asnumpy(), len(steps)


def asking(step, ask):
    """A callback that calls `ask` at a step."""

    def at(context):
        if context.original_args().cur_step_num == step:
            ask()

    return LambdaCallback(on_train_step_begin=at)


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_ends_a_training_after_its_step(tmp_path, sig):
    before = signal.getsignal(sig)
    ended = OnRequestExit(directory=str(tmp_path), file_name="net", sig=sig)
    weight, steps = trained(3, ended, asking(4, lambda: os.kill(os.getpid(), sig)))
    assert signal.getsignal(sig) == before and steps == 4
    kept = load_checkpoint(str(tmp_path / "rank_0" / "net_train.ckpt"))
    assert (kept["epoch_num"].item(), kept["step_num"].item()) == (1, 4)
    np.testing.assert_array_equal(kept["weight"].asnumpy(), weight)
    assert load(str(tmp_path / "rank_0" / "net_train.mindir")) is not None
    # the next run continues from there, with the results of an uninterrupted one
    weight, steps = trained(3, OnRequestExit(directory=str(tmp_path), file_name="net"), first=1)
    assert steps == 8
    np.testing.assert_array_equal(weight, trained(3)[0])


def test_a_file_ends_a_training(tmp_path):
    asked = tmp_path / "asked.json"
    callback = OnRequestExit(False, False, directory=str(tmp_path), config_file=str(asked))
    asked.write_text('{"GracefulExit": 0}')
    ask = asking(2, lambda: asked.write_text(json.dumps({"GracefulExit": 1})))
    assert trained(2, callback, ask)[1] == 2
    assert not (tmp_path / "rank_0").exists()
    asked.write_text("[1")
    with pytest.raises(ValueError, match=r"asked.json' must be a JSON file with an object"):
        trained(2, callback)


def test_a_training_that_was_killed_goes_on_from_its_last_epoch(tmp_path):
    class Killed(Exception):
        pass

    def kill():
        raise Killed

    with pytest.raises(Killed):
        trained(4, BackupAndRestore(str(tmp_path), save_freq=2), asking(11, kill))
    assert os.listdir(tmp_path) == ["backup.ckpt"]
    weight, steps = trained(4, BackupAndRestore(str(tmp_path), delete_checkpoint=False), first=2)
    assert steps == 8
    np.testing.assert_array_equal(weight, trained(4)[0])
    trained(5, BackupAndRestore(str(tmp_path)), first=4)
    assert os.listdir(tmp_path) == []


REFUSED = [
    (lambda: OnRequestExit(save_ckpt=1), TypeError, "'save_ckpt' must be"),
    (lambda: OnRequestExit(file_name=3), TypeError, "'file_name' must be a str"),
    (lambda: OnRequestExit(sig="TERM"), TypeError, "'sig' must be an int"),
    (lambda: OnRequestExit(sig=signal.SIGKILL), ValueError, "a signal that a process can answer"),
    (lambda: OnRequestExit(sig=1000), ValueError, "a signal that a process can answer"),
    (lambda: BackupAndRestore(3), TypeError, "'backup_dir' must be a path"),
    (lambda: BackupAndRestore(".", save_freq=0), ValueError, "'save_freq' must be"),
    (lambda: BackupAndRestore(".", delete_checkpoint=2), TypeError, "'delete_checkpoint' must"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_wrong_arguments(tmp_path, monkeypatch, call, error, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=words):
        call()
