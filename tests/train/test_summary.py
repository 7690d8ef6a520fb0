"""`SummaryRecord` and `SummaryCollector`: what TensorBoard's own loader reads from their files."""

import io
import json

import numpy as np
import pytest
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util

import sporax as ms
from sporax import Tensor, jit, nn, ops
from sporax._src.mindspore.compat import private_functions
from sporax.data import NumpySlicesDataset
from sporax.train import MAE, Model, SummaryCollector, SummaryRecord


def read(folder):
    """What TensorBoard finds in a folder."""
    events = EventAccumulator(str(folder), {"tensors": 0, "images": 0})
    events.Reload()
    return events


def numbers(events, tag):
    return [(e.step, float(tensor_util.make_ndarray(e.tensor_proto))) for e in events.Tensors(tag)]


class Shown(nn.Cell):
    """A layer that shows what it computes."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 2)
        self.scalar, self.histogram = ops.ScalarSummary(), ops.HistogramSummary()
        self.tensor, self.image = ops.TensorSummary(), ops.ImageSummary()

    def construct(self, x):
        y = self.dense(x)
        self.scalar("total", y.sum())
        self.histogram("weight", self.dense.weight)
        self.tensor("y", y)
        self.image("picture", x.reshape(2, 1, 2, 3))
        return y


X = np.linspace(0, 1, 12, dtype=np.float32).reshape(4, 3)


@pytest.mark.parametrize("prepare", [lambda net: net, jit], ids=["dynamic", "captured"])
def test_what_summary_operations_show(tmp_path, prepare):
    net = Shown()
    run = prepare(net)
    run(Tensor(X))  # nothing is open: nothing is kept
    with SummaryRecord(tmp_path, export_options={"tensor_format": "npy"}) as record:
        assert record.record(7)
        for step in range(3):
            y = run(Tensor(X * step))
            assert record.record(step)
        record.set_mode("eval")
        run(Tensor(X))
        assert record.record(3)
        assert "tfevents" in record.log_dir and record.log_dir.endswith("_MS")
    assert record.record(4) is False
    events = read(tmp_path)
    totals = numbers(events, "total")
    assert [step for step, _ in totals] == [0, 1, 2]
    assert totals[2][1] == pytest.approx(float(y.asnumpy().sum()), rel=1e-5)
    (last,) = [e for e in events.Tensors("y") if e.step == 2]
    np.testing.assert_array_equal(tensor_util.make_ndarray(last.tensor_proto), y.asnumpy())
    np.testing.assert_array_equal(np.load(tmp_path / "export" / "y_2.npy"), y.asnumpy())
    buckets = tensor_util.make_ndarray(events.Tensors("weight")[0].tensor_proto)
    assert buckets[:, 2].sum() == 6
    picture = Image.open(io.BytesIO(events.Images("picture")[1].encoded_image_string))
    assert picture.size == (6, 2)  # two images, side by side
    expected = np.concatenate(list(X.reshape(2, 2, 3)), 1) * 255
    np.testing.assert_allclose(np.asarray(picture), expected, atol=0.6)


def test_values_by_their_private_name(tmp_path):
    with SummaryRecord(tmp_path) as record:
        for step in (1, 2):
            values = [{"name": "loss[:Scalar]", "data": Tensor(step * 0.5)}]
            assert private_functions._cache_summary_tensor_data(values)
            record.record(step)
    assert numbers(read(tmp_path), "loss") == [(1, 0.5), (2, 1.0)]


def test_values_of_the_user(tmp_path):
    net = nn.SequentialCell(nn.Dense(3, 2), nn.ReLU())
    with SummaryRecord(str(tmp_path), network=net.set_inputs(Tensor(X)) or net) as record:
        record.add_value("scalar", "loss", Tensor(3.0))
        record.add_value("scalar", "loss", Tensor([0.5]))  # the last one counts
        record.add_value("custom_lineage_data", "run", {"seed": 3})
        with pytest.warns(RuntimeWarning, match="1 of the 4 values of 'odd' are not finite"):
            record.add_value("histogram", "odd", Tensor([1.0, 2.0, np.nan, 4.0]))
            assert record.record(5, plugin_filter=lambda plugin: plugin != "tensor")
    events = read(tmp_path)
    assert numbers(events, "loss") == [(5, 0.5)]
    text = tensor_util.make_ndarray(events.Tensors("custom_lineage_data/run")[0].tensor_proto)
    assert json.loads(text.item()) == {"seed": 3}
    nodes = {node.name: node for node in events.Graph().node}
    assert list(nodes["ReLU_1"].input) == ["Dense_0"]
    assert {"arguments/input_data", "parameters/0.weight", "results/0"} <= nodes.keys()
    assert list(nodes["Dense_0"].input) == [
        "arguments/input_data", "parameters/0.weight", "parameters/0.bias",
    ]  # fmt: skip


def test_a_training_is_collected(tmp_path):
    net = Shown()
    dataset = NumpySlicesDataset((np.tile(X, (3, 1)), np.ones((12, 2), np.float32)), ["x", "y"])
    dataset = dataset.batch(4)
    rates = [0.1, 0.09, 0.08, 0.07, 0.06, 0.05]  # as many as there are steps
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), rates), metrics={"mae": MAE()})
    collector = SummaryCollector(
        tmp_path, collect_freq=2, custom_lineage_data={"author": "someone"}, collect_tensor_freq=4
    )
    model.fit(2, dataset, dataset, callbacks=collector, dataset_sink_mode=False)
    events = read(tmp_path)
    losses = numbers(events, "loss/auto")
    assert [step for step, _ in losses] == [1, 2, 4, 6]
    assert losses[-1][1] < losses[0][1]
    found = [value for _, value in numbers(events, "learning_rate/auto")]
    assert found == pytest.approx([rates[step - 1] for step in (1, 2, 4, 6)])
    assert [e.step for e in events.Tensors("y")] == [1, 4]
    assert [e.step for e in events.Tensors("dense.weight/auto")] == [1, 2, 4, 6]
    assert len(numbers(events, "mae/auto")) == 2
    lineage = tensor_util.make_ndarray(events.Tensors("train_lineage/auto")[0].tensor_proto)
    facts = json.loads(lineage.item())
    assert (facts["network"], facts["optimizer"], facts["trained_numbers"]) == ("Shown", "SGD", 8)
    assert any("SGD" in node.op or "Assign" in node.op for node in events.Graph().node)


REFUSED = [
    (lambda d: SummaryRecord(3), TypeError, "'log_dir' must be a path, but got int"),
    (lambda d: SummaryRecord(d, file_prefix=3), TypeError, "'file_prefix' must be a str"),
    (lambda d: SummaryRecord(d, max_file_size="1"), TypeError, "'max_file_size' must be an int"),
    (lambda d: SummaryRecord(d, export_options={"a": 1}), ValueError, "'export_options' must be"),
    (lambda d: SummaryRecord(d / "file"), OSError, "For 'SummaryRecord', '.*file' could not be"),
    (lambda d: SummaryCollector(d, collect_freq=0), ValueError, "'collect_freq' must be an int"),
    (
        lambda d: SummaryCollector(d, collect_specified_data={"all": True}),
        ValueError,
        "must have keys of",
    ),
    (
        lambda d: SummaryCollector(d, collect_specified_data={"collect_landscape": {"unit": 1}}),
        NotImplementedError,
        "no landscapes",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_wrong_arguments(tmp_path, call, error, words):
    (tmp_path / "file").write_text("")
    with pytest.raises(error, match=words):
        call(tmp_path)
    SummaryRecord(tmp_path / "other").close()  # nothing is left open


WRONG_VALUES = [
    (("nothing", "x", Tensor(1)), ValueError, "'plugin' must be"),
    (("scalar", 3, Tensor(1)), TypeError, "'name' must be a str"),
    (("scalar", "x", 1.0), TypeError, "'value' must be a Tensor, but got float"),
    (("scalar", "x", Tensor([1, 2])), ValueError, "must have one element, but got shape \\(2,\\)"),
    (("image", "x", Tensor(X)), ValueError, "shape \\(N, C, H, W\\)"),
    (("histogram", "x", ops.zeros((0,))), ValueError, "must have elements"),
    (("graph", "x", "graph"), TypeError, "'value' must be a graph"),
]


@pytest.mark.parametrize(("arguments", "error", "words"), WRONG_VALUES)
def test_wrong_values(tmp_path, arguments, error, words):
    with SummaryRecord(tmp_path) as record, pytest.raises(error, match=words):
        record.add_value(*arguments)


def test_two_records_and_files_that_are_full(tmp_path):
    with SummaryRecord(tmp_path / "a") as record:
        with pytest.raises(RuntimeError, match="no other record must be open"):
            SummaryRecord(tmp_path / "b")
        with pytest.raises(TypeError, match="'value' must be a Tensor, but got float"):
            ops.ScalarSummary()("x", 1.0)
        with pytest.raises(TypeError, match="'step' must be an int"):
            record.record("first")
    for raises in (False, True):
        with SummaryRecord(tmp_path / "c", max_file_size=200, raise_exception=raises) as record:
            record.add_value("tensor", "x", Tensor(np.zeros(100)))
            if raises:
                with pytest.raises(OSError, match="it would exceed 200 bytes"):
                    record.record(1)
            else:
                with pytest.warns(RuntimeWarning, match="Nothing more is recorded"):
                    assert record.record(1) is False
    assert ms.SummaryRecord is SummaryRecord
