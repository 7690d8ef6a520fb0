"""What a training stands on fails: memory, folders, the clock, the process itself (`os.fork`).
Parameters can be read after it, and the next step is right."""

import os
import shutil
import signal
import time
import warnings

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, data, nn, ops, train
from sporax._src.diagnosis import sizes
from sporax._src.runtime.engine import compile_policy
from sporax._src.runtime.engine.recorder import Recorder
from sporax.train import SummaryRecord

deferred_only = pytest.mark.skipif(Recorder.immediate, reason="about the deferred executor")


class Steps:
    """SGD on one Parameter; the result before the sum has `rows` rows."""

    def __init__(self, way):
        self.rows = 4
        self.w = Parameter(Tensor(np.ones(4, np.float32)), name="w")
        self.optimizer = nn.SGD([self.w], 0.125)
        gradient = ms.value_and_grad(self.loss, None, [self.w])

        def step(x):
            loss, gradients = gradient(x)
            self.optimizer(gradients)
            return loss

        self.step = ms.jit(step) if way == "jit" else step

    def loss(self, x):
        rows = ops.broadcast_to(x, (self.rows, 4)) * self.w
        return ops.sort(rows, 0)[0][0].sum()


# memory ---------------------------------------------------------------------------------------


@deferred_only
@pytest.mark.parametrize("interpreted", [True, False], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("way", ["dynamic", "jit"])
def test_memory_does_not_suffice(way, interpreted, monkeypatch):
    """Several results, none of which is refused at its line: here one, with no such bound."""
    monkeypatch.setattr(sizes, "most_bytes", lambda: 2**60)
    monkeypatch.setattr(compile_policy, "uses_interpreter", interpreted)
    training, x = Steps(way), Tensor(np.ones(4, np.float32))
    training.step(x)
    for done in (1, 2):
        training.rows = 1 << 36
        with pytest.raises(MemoryError, match="For 'Sort', memory must suffice"):
            training.step(x).asnumpy()
        training.rows = 4
        np.testing.assert_array_equal(training.w.asnumpy(), np.full(4, 1 - 0.125 * done))
        training.step(x)
        np.testing.assert_array_equal(training.w.asnumpy(), np.full(4, 0.875 - 0.125 * done))


# os.fork --------------------------------------------------------------------------------------


def smooth(x):
    return (ops.tanh(x @ x.T) * 2.0).sum()


FORKS = {
    "what is pending": lambda x, pending: pending,
    "what was computed": lambda x, pending: smooth(x),
    "something new": lambda x, pending: ms.grad(smooth)(x).sum(),
    "a captured function": lambda x, pending: ms.jit(smooth)(x),
}


@deferred_only
@pytest.mark.parametrize("compute", FORKS.values(), ids=FORKS)
def test_a_forked_process_computes(compute):
    """By NumPy, for XLA's threads are not in it; what NumPy cannot run raises an error."""
    x = Tensor(np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4))
    smooth(x).asnumpy()
    pending, (read, write) = smooth(x), os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX warns of it
        child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(60)
        try:
            os.write(write, repr(compute(x, pending).item()).encode())
        finally:
            os._exit(0)
    os.close(write)
    assert os.waitpid(child, 0)[1] == 0
    with os.fdopen(read) as answer:
        result = float(answer.read())
    np.testing.assert_allclose(result, compute(x, pending).item(), 1e-5, 1e-5)


# folders --------------------------------------------------------------------------------------


def rows():
    x = np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4)
    return data.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)


def fit(callbacks, epochs=3):
    net = nn.Dense(4, 1)
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.125))
    model.train(epochs, rows(), callbacks=callbacks, dataset_sink_mode=False)
    return net


class At(train.Callback):
    """Does something after a step."""

    def __init__(self, step, do):
        self.step, self.do = step, do

    def on_train_step_end(self, run_context):
        if run_context.original_args().cur_step_num == self.step:
            self.do()


def checkpoints(folder, **settings):
    config = train.CheckpointConfig(**{"save_checkpoint_steps": 1, **settings})
    return train.ModelCheckpoint("net", str(folder), config)


def test_the_folder_of_checkpoints_vanishes(tmp_path):
    """The next one makes it again, or says which folder is missing."""
    folder = tmp_path / "saved"
    fit([checkpoints(folder, keep_checkpoint_max=2), At(5, lambda: shutil.rmtree(folder))])
    assert sorted(p.name for p in folder.glob("*.ckpt")) == ["net-3_3.ckpt", "net-3_4.ckpt"]


def test_a_file_is_where_checkpoints_go(tmp_path):
    """As where a folder may not be written to: the error names it, and training goes on."""
    folder, net = tmp_path / "saved", nn.Dense(4, 1)
    folder.write_text("")
    with pytest.raises((OSError, ValueError), match="saved"):
        ms.save_checkpoint(net, str(folder / "net.ckpt"))
    assert np.isfinite(net(Tensor(np.ones((2, 4), np.float32))).asnumpy()).all()


def test_the_folder_of_summaries_vanishes(tmp_path):
    folder = tmp_path / "events"
    with SummaryRecord(str(folder)) as record:
        shutil.rmtree(folder)
        record.add_value("scalar", "loss", Tensor(1.0))
        record.record(1)
        record.flush()


# the clock ------------------------------------------------------------------------------------


@pytest.fixture
def jumping(monkeypatch):
    """The clock is set back by an hour at each look."""
    start = time.time()
    looks = iter(range(10**6))
    monkeypatch.setattr(time, "time", lambda: start - 3600.0 * next(looks))


def test_a_clock_that_is_set_back(tmp_path, jumping, capsys):
    monitor, saved = train.TimeMonitor(), checkpoints(tmp_path, keep_checkpoint_max=3)
    hour = iter(range(100))

    def set_back():  # the files' times go back too
        past = 1e9 - 3600 * next(hour)
        os.utime(saved.latest_ckpt_file_name, (past, past))

    setters = [At(step, set_back) for step in range(1, 13)]
    fit([saved, *setters, monitor, train.LossMonitor()])
    assert "per step time: -" not in capsys.readouterr().out
    names = sorted(p.name for p in tmp_path.glob("*.ckpt"))
    assert names == ["net-3_2.ckpt", "net-3_3.ckpt", "net-3_4.ckpt"]  # the newest


def test_checkpoints_by_seconds_where_the_clock_is_set_back(tmp_path, jumping):
    saved = checkpoints(
        tmp_path, save_checkpoint_steps=0, save_checkpoint_seconds=1, keep_checkpoint_max=3
    )
    fit([saved, At(2, lambda: time.sleep(1.1))])
    assert len(list(tmp_path.glob("*.ckpt"))) == 2  # one after the second, one at the end
