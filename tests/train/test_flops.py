"""`flops_collection` against the counts of MindSpore 2.10 (`tools.record flops`), and its
callback."""

import importlib
import re
import sys

import numpy as np
import pytest

import sporax as ms
from sporax import FlopsUtilizationCollector, Model, Tensor, flops_collection, nn, ops
from sporax.data import NumpySlicesDataset
from tests import records

pytestmark = pytest.mark.usefixtures("on_numpy")
ANSWERS = records.read("flops")


@pytest.fixture(scope="module")
def cases():
    if "mindspore" not in sys.modules:
        ms.install_as_mindspore()
    return importlib.import_module("tests.train.flops_cases")


@pytest.mark.parametrize("row", ANSWERS)
def test_counts_are_mindspores(row, cases):
    name, kind = row.split(": ")
    cell, inputs = cases.steps(name)[kind]
    cell.compile(*inputs)
    model, done, *_ = got = flops_collection(cell.current_phase)
    expected = ANSWERS[row]
    assert model == expected[0]
    if row == "recomputed: train":  # both layers are computed again, in MindSpore the first
        assert done == model + 2 * (2 * 32 * 20 * 20)
    else:
        assert list(got) == expected


HOST = ops.Custom(lambda x: x + 1, lambda x: x, lambda x: x, func_type="pyfunc")


@pytest.mark.parametrize(
    ("function", "shapes", "expected"),
    [
        (lambda x, y: x @ y, [(3, 4), (4, 5)], 2 * 3 * 4 * 5),
        (lambda x, y: x @ y + x @ y, [(3, 4), (4, 5)], 2 * 3 * 4 * 5),
        (lambda x: nn.Conv2d(4, 8, 3, group=2)(x), [(1, 4, 6, 6)], 2 * 36 * 8 * 2 * 9),
        (lambda x: ops.Einsum("ij,kj->ik")((x, x)), [(3, 4)], 2 * 3 * 3 * 4),
        (lambda x: ops.exp(x), [(3, 4)], 0),
        (lambda x: HOST(x @ x.T) @ x, [(3, 4)], 2 * 3 * 4 * 3 + 2 * 3 * 3 * 4),
    ],
    ids=["product", "twice", "grouped", "einsum", "elementwise", "around a host call"],
)
def test_counts_follow_the_formulas(function, shapes, expected):
    class Net(nn.Cell):
        def construct(self, *inputs):
            return function(*inputs)

    net = Net()
    net.compile(*[Tensor(np.ones(shape, np.float32)) for shape in shapes])
    assert flops_collection(net.current_phase)[0] == expected


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def trained(**settings):
    net = nn.Dense(10, 5)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = Model(net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9), metrics={"accuracy"})
    rows = {"x": np.ones((64, 10), np.float32), "y": np.zeros(64, np.int32)}
    collector = FlopsUtilizationCollector(2, **settings)
    data = NumpySlicesDataset(rows).batch(32)
    model.train(2, data, callbacks=[collector], dataset_sink_mode=False)
    return model, data, collector


def test_the_callback_prints_shares(graph_mode, capsys):
    model, data, collector = trained(computility=10e6)
    model.eval(
        data, callbacks=[FlopsUtilizationCollector(1, computility=10e6, full_flops=False)],
        dataset_sink_mode=False,
    )  # fmt: skip
    lines = capsys.readouterr().out.splitlines()
    count = "Full model flops is 6400.0, Full hardware flops is 6400.0, "
    assert lines[0] == count + "Shard model flops is 6400.0, Shard hardware flops is 6400.0."
    shared = r"{} per step time: +([\d.]+) ms mfu:([\d.]+)% hfu:\2%"
    for line in lines[1:3]:
        time, share = map(float, re.fullmatch(shared.format("Train"), line).groups())
        assert share == pytest.approx(100 * 6400 / (10e6 * time / 1000), abs=0.02, rel=0.01)
    assert lines[3] == "Shard model flops is 3200.0, Shard hardware flops is 3200.0."
    assert re.fullmatch(shared.format("Eval"), lines[4])
    assert collector.full_mfu == 6400 / 10e6


def test_counts_are_written_to_files(graph_mode, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("MA_LOG_DIR", str(tmp_path))
    trained(enable_ma_collector=True)
    assert capsys.readouterr().out == ""
    lines = (tmp_path / "flops_rank_0.txt").read_text("utf8").splitlines()
    assert [line.rpartition(" ")[0] for line in lines] == [
        'flops{type="model_flops", rank_id="0"} 6400.0',
        'flops{type="hardware_flops", rank_id="0"} 6400.0',
    ]
    text = (tmp_path / "time_step_rank_0.txt").read_text("utf8")
    assert re.fullmatch(r'time_monitor{type="per_step_time", rank_id="0"} [\d.]+ \d+\n', text)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: flops_collection(), RuntimeError, "must be that of a captured Cell, but got 'tra"),
        (lambda: flops_collection(3), TypeError, "'phase' must be a str, but got int"),
        (lambda: trained(computility=1e6), ValueError, "must run in GRAPH_MODE, but got PYNATIVE"),
        (lambda: FlopsUtilizationCollector(0), ValueError, "'data_size' must be an int greater"),
        (lambda: FlopsUtilizationCollector(1.5), TypeError, "'data_size' must be an int greater"),
        (lambda: FlopsUtilizationCollector(2, 1, 1), TypeError, "'full_flops' must be a bool"),
        (lambda: FlopsUtilizationCollector(2, 0), ValueError, "'computility' must be a number gr"),
    ],
    ids=["absent", "int", "dynamic", "zero", "float", "flag", "peak"],
)
def test_bad_input_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
