"""Samplers of classes, callbacks and waiting, as in MindSpore (`tools/record_steps.py`)."""

import json
import threading

import numpy as np
import pytest

from sporax import data as ds
from sporax import nn
from sporax.compat.waited_callback import WaitedDSCallback
from sporax.train import Model
from tests.data.step_cases import CASES, image_folder
from tests.oracle import recorded

RECORDED = recorded("steps")


@pytest.mark.parametrize("name", CASES)
def test_as_mindspore(name, tmp_path):
    assert json.loads(json.dumps(CASES[name](ds, tmp_path))) == RECORDED[name]


def numbers(count=4):
    return ds.NumpySlicesDataset(list(range(count)), ["x"], shuffle=False)


def test_events_in_order():
    events = []

    class Told(ds.DSCallback):
        def ds_begin(self, at):
            events.append("begin")

        def ds_step_begin(self, at):
            events.append(f"step {at.cur_step_num}")

        def ds_step_end(self, at):
            events.append("end of step")

        def ds_epoch_end(self, at):
            events.append("end of epoch")

    def row(x):
        events.append("row")
        return x

    list(numbers(2).map(row, "x", callbacks=Told()))
    step = "row", "end of step"
    assert events == ["begin", "step 1", *step, "step 2", *step, "end of epoch"]


def trained(callback, data):
    net = nn.Dense(1, 1)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    model.train(2, data, callbacks=callback, dataset_sink_mode=False)


def test_rows_wait_for_the_training():
    events = []

    class Told(WaitedDSCallback):
        def sync_step_begin(self, of_training, of_data):
            assert of_training.original_args().cur_step_num == of_data.cur_step_num // 2
            events.append(("step", of_data.cur_step_num))

        def sync_epoch_begin(self, of_training, of_data):
            assert of_training.original_args().cur_step_num == 2
            events.append(("epoch", of_data.cur_epoch_num))

    told = Told(step_size=2)
    x = np.ones((4, 1), np.float32)
    data = ds.NumpySlicesDataset((x, x), ["x", "y"], shuffle=False)
    trained(told, data.map(lambda x: x, "x", callbacks=told).batch(2))
    assert events == [("step", 3), ("epoch", 2), ("step", 5), ("step", 7)]


@pytest.fixture
def short_wait():
    ds.config.set_callback_timeout(1)
    yield
    ds.config.set_callback_timeout(60)


def test_waiting_ends(short_wait):
    class Told(WaitedDSCallback):
        def sync_step_begin(self, of_training, of_data):
            pass

    with pytest.raises(RuntimeError, match="a step of the training must have ended"):
        list(numbers().map(lambda x: x, "x", callbacks=Told()))
    with pytest.raises(RuntimeError, match=r"'sync_update\('c'\)' must be called after 1 batches"):
        list(numbers().sync_wait("c"))


def test_another_thread_lets_rows_pass():
    data, rows = numbers().sync_wait("c"), []
    reader = threading.Thread(target=lambda: rows.extend(data), daemon=True)
    reader.start()
    for _ in range(3):
        data.sync_update("c")
    reader.join(10)
    assert [int(x) for (x,) in rows] == [0, 1, 2, 3]


class Nothing(ds.DSCallback):
    pass


class Raises(ds.DSCallback):
    def ds_step_begin(self, at):
        raise KeyError("mine")


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda _: ds.PKSampler("a"), TypeError, "'num_val' must be an int"),
        (lambda _: ds.PKSampler(0), ValueError, "'num_val' must be in"),
        (lambda _: ds.PKSampler(2, 2), NotImplementedError, "'num_class' must be None"),
        (lambda _: ds.PKSampler(2, shuffle=1), TypeError, "'shuffle' must be a bool"),
        (lambda _: ds.PKSampler(2, class_column=3), TypeError, "'class_column' must be a str"),
        (lambda _: ds.PKSampler(2, num_samples=-1), ValueError, "'num_samples' must be at least"),
        (lambda _: ds.PKSampler(2).add_child(ds.RandomSampler()), RuntimeError, "no other sampler"),
        (lambda _: list(ds.NumpySlicesDataset([1], sampler=ds.PKSampler(1))), ValueError,
         "it knows no classes"),
        (lambda folder: list(ds.ImageFolderDataset(
            image_folder(folder), sampler=ds.PKSampler(1, class_column="image"))),
         RuntimeError, "'PKSampler' needs the name of a column of classes"),
        (lambda _: ds.DSCallback("a"), TypeError, "'step_size' must be an int"),
        (lambda _: ds.DSCallback(0), ValueError, "'step_size' must be in"),
        (lambda _: numbers().map(lambda x: x, callbacks=3), TypeError, "'callbacks' must be a"),
        (lambda _: numbers().map(lambda x: x, callbacks=Nothing()), AttributeError,
         "one of the methods ds_begin"),
        (lambda _: list(numbers().map(lambda x: x, callbacks=Raises())), KeyError, "mine"),
        (lambda _: numbers().sync_wait("c").sync_wait("c"), RuntimeError, "must come once"),
        (lambda _: numbers().sync_wait("c", 0), ValueError, "'num_batch' must be in"),
        (lambda _: numbers().sync_wait("c", callback=3), TypeError, "'callback' must be a func"),
        (lambda _: numbers().sync_update("c"), RuntimeError, "must be that of a 'sync_wait'"),
        (lambda _: numbers().sync_wait("c").sync_update("c", 0), ValueError, "'num_batch' must"),
    ],
)  # fmt: skip
def test_what_is_refused(call, error, said, tmp_path):
    with pytest.raises(error, match=said):
        call(tmp_path)
