"""`RunRecord` and its folder: what is written, what is read again, and what is refused."""

import io
import json
import math
import os
import re
import sys

import numpy as np
import pytest
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util

import sporax as ms
from sporax import Tensor, insight, nn, ops
from sporax.data import NumpySlicesDataset
from sporax.insight.layer_statistics import BINS, statistics
from sporax.insight.run_files import FILE, Run
from sporax.train import Callback, Model
from tests.insight.networks import Attending

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 1, 2, 2)).astype(np.float32)
Y = RNG.normal(size=(12, 3)).astype(np.float32)
RATES = [0.1, 0.05, 0.02, 0.01, 0.005, 0.002]


class Losses(Callback):
    """The losses of all steps."""

    def __init__(self):
        self.losses = []

    def on_train_step_end(self, run_context):
        self.losses.append(float(run_context.original_args().net_outputs.asnumpy()))


def train(callbacks, epochs=2):
    """Two epochs of three steps; returns the network."""
    ms.set_seed(1)
    net = nn.SequentialCell(
        nn.Flatten(), nn.Dense(4, 3), nn.BatchNorm1d(3), nn.Dropout(p=0.5), nn.Dense(3, 3)
    )
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), RATES), metrics={"mae"})
    rows = NumpySlicesDataset((X, Y), ["x", "y"], shuffle=False).batch(4)
    model.fit(epochs, rows, rows, callbacks=callbacks)
    return net


@pytest.mark.parametrize(
    "mode", [ms.PYNATIVE_MODE, pytest.param(ms.GRAPH_MODE, marks=pytest.mark.slow)]
)
def test_training_is_recorded_and_not_changed(tmp_path, mode):
    ms.set_context(mode=mode)
    try:
        alone, beside = Losses(), Losses()
        expected = train(alone)
        found = train([beside, insight.RunRecord(tmp_path, every=1, layers_every=2)])
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_allclose(beside.losses, alone.losses, rtol=1e-4)
    for a, b in zip(expected.get_parameters(), found.get_parameters(), strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-3, atol=1e-5)
    run = Run(tmp_path)
    np.testing.assert_allclose(list(run.curves["loss"].values()), beside.losses, rtol=1e-6)
    np.testing.assert_allclose(list(run.curves["learning_rate"].values()), RATES, rtol=1e-6)
    assert list(run.curves["mae"]) == [3, 6]
    assert list(run.curves["samples_per_second"]) == [2, 3, 4, 5, 6]
    assert list(run.layers["activations"]) == ["0", "1", "2", "3", "4"]
    assert list(run.layers["gradients"]["1.weight"]) == [1, 2, 4, 6]
    assert run.layers["parameters"].keys() == run.layers["gradients"].keys()
    assert 0.2 < run.layers["activations"]["3"][1]["zeros"] < 0.8
    (files,) = {len(files) for files in run.images["input"].values()}
    assert files == 4 and run.image("image-0-0.png").startswith("data:image/png;base64,iVBOR")


class OwnStep(nn.Cell):
    """A training step as a user writes it."""

    def __init__(self):
        super().__init__()
        self.net, self.loss = nn.Dense(4, 3), nn.MSELoss()
        self.optimizer = nn.SGD(self.net.trainable_params(), 0.1)
        self.derive = ms.value_and_grad(self.forward, None, self.optimizer.parameters)

    def forward(self, x, y):
        return self.loss(self.net(x), y)

    def construct(self, x, y):
        loss, gradients = self.derive(x, y)
        self.optimizer(gradients)
        return loss


def test_a_step_of_the_users_is_called_once_a_step(tmp_path):
    rows = NumpySlicesDataset((X.reshape(12, 4), Y), ["x", "y"], shuffle=False).batch(4)
    weights = []
    for callbacks in ([], [insight.RunRecord(tmp_path, every=1)]):
        ms.set_seed(1)
        step = OwnStep()
        if callbacks:
            with pytest.warns(RuntimeWarning, match="but got OwnStep: no gradients"):
                Model(step).train(1, rows, callbacks=callbacks)
        else:
            Model(step).train(1, rows)
        weights.append(step.net.weight.asnumpy())
    np.testing.assert_allclose(*weights, rtol=1e-5)
    run = Run(tmp_path)
    assert list(run.curves["loss"]) == [1, 2, 3] and not run.layers["gradients"]


def test_gradients_are_those_of_the_loss(tmp_path):
    x, y = X.reshape(12, 4), Y
    net = nn.Dense(4, 3)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.0))
    weight, bias = (p.asnumpy().astype(np.float64) for p in net.get_parameters())
    model.train(1, NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(12),
                callbacks=insight.RunRecord(tmp_path))  # fmt: skip
    error = 2 * (x @ weight.T + bias - y) / y.size
    gradients = {"weight": error.T @ x, "bias": error.sum(0)}
    run = Run(tmp_path)
    for name, expected in gradients.items():
        (at,) = [s[1] for key, s in run.layers["gradients"].items() if key.endswith(name)]
        np.testing.assert_allclose(
            [at["low"], at["high"], at["mean"], at["std"], at["norm"]],
            [expected.min(), expected.max(), expected.mean(), expected.std(),
             np.linalg.norm(expected)], rtol=1e-4, atol=1e-6,
        )  # fmt: skip
    norm = np.sqrt(sum((g**2).sum() for g in gradients.values()))
    assert run.curves["gradient_norm"][1] == pytest.approx(norm, rel=1e-4)


def test_layers_are_captured_once(tmp_path):
    rows = NumpySlicesDataset((X.reshape(12, 4), Y), ["x", "y"], shuffle=False).batch(1)
    net = nn.Dense(4, 3)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    record = insight.RunRecord(tmp_path, layers_every=1)
    for _ in range(2):  # a warning, which is an error here, would say 16 captures
        model.train(1, rows, callbacks=record)
    run = Run(tmp_path)
    (activations,) = run.layers["activations"].values()
    assert list(activations) == list(range(1, 25)) and net._cell_hooks is None


@pytest.mark.parametrize(
    "array",
    [
        RNG.normal(size=(7, 50)), np.zeros(9), np.full(5, 3.0), np.array([-1.0, 2.0]),
        np.array([1.0, np.nan, -np.inf, 2.0, 0.0]), np.array([np.nan]),
    ],
    ids=["normal", "zeros", "constant", "two", "not finite", "nan"],
)  # fmt: skip
def test_statistics(array):
    found = statistics({"a": Tensor(array.astype(np.float32)), "ints": Tensor([1, 2])})
    assert list(found) == ["a"]
    finite = array[np.isfinite(array)].astype(np.float64)
    some = finite if finite.size else np.zeros(1)
    expected = {
        "low": some.min(), "high": some.max(), "mean": some.mean(), "std": some.std(),
        "norm": np.linalg.norm(some), "zeros": (finite == 0).sum() / array.size,
        "not_finite": 1 - finite.size / array.size,
    }  # fmt: skip
    for name, value in expected.items():
        assert found["a"][name] == pytest.approx(value, rel=1e-5, abs=1e-6), name
    counts = found["a"]["counts"]
    assert len(counts) == BINS and sum(counts) == finite.size
    if np.ptp(some):
        assert np.abs(np.cumsum(counts) - np.cumsum(np.histogram(finite, BINS)[0])).max() <= 1


class Noted(nn.Cell):
    """A network that shows its weights of attention, as a user would write it."""

    def __init__(self):
        super().__init__()
        self.inner, self.head = Attending(4), nn.Dense(4, 3)

    def construct(self, x):
        return ops.exp(self.head(self.inner(x)).mean(1))


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        ((), []),
        (["Softmax"], ["inner.Softmax"]),
        (["inner.MatMul", "inner"], ["inner", "inner.MatMul", "inner.MatMul (2)"]),
        (["Exp", "inner.S*"], ["inner.Softmax", "Exp"]),
    ],
)
def test_activations_of_operations(tmp_path, patterns, names):
    x = RNG.normal(size=(4, 5, 4)).astype(np.float32)
    net, rows = Noted(), NumpySlicesDataset((x, Y[:4]), ["x", "y"], shuffle=False).batch(4)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.0))
    model.train(1, rows, callbacks=insight.RunRecord(tmp_path, activations=patterns))
    found = Run(tmp_path).layers["activations"]
    assert list(found) == ["inner.query", "inner.key", "head", *names]
    inner = net.inner
    scores = ops.softmax(ops.matmul(inner.query(Tensor(x)), inner.key(Tensor(x)).swapaxes(-1, -2)))
    expected = {
        "inner.Softmax": scores, "inner": ops.matmul(scores, Tensor(x)),
        "Exp": net(Tensor(x)),
    }  # fmt: skip
    for name in names:
        if name in expected:
            array, at = expected[name].asnumpy(), found[name][1]
            assert [at["low"], at["high"], at["norm"]] == pytest.approx(
                [array.min(), array.max(), np.linalg.norm(array)], rel=1e-4
            )


def test_activations_that_are_not_there(tmp_path):
    x = RNG.normal(size=(4, 5, 4)).astype(np.float32)
    net, rows = Noted(), NumpySlicesDataset((x, Y[:4]), ["x", "y"], shuffle=False).batch(4)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.0))
    with pytest.warns(
        RuntimeWarning, match="but none is 'Tanh'.*: Exp, ReduceMean, inner, inner.M"
    ):
        model.train(1, rows, callbacks=insight.RunRecord(tmp_path, activations=["Tanh", "Exp"]))
    assert "Exp" in Run(tmp_path).layers["activations"]


def test_event_files_say_the_same(tmp_path):
    record = insight.RunRecord(tmp_path, tensorboard=True)
    array = np.array([1.0, 2.0, 2.0, np.inf], np.float32)
    pixels = RNG.integers(0, 256, (2, 3, 4, 5), dtype=np.uint8)
    record.log(3, loss=0.25, rate=float("nan"))
    record.log_layers(3, "activations", {"net.a": Tensor(array)})
    record.log_images(4, "input", pixels)
    insight.RunRecord(tmp_path, resume=True, tensorboard=True).log(5, loss=0.125)
    events = EventAccumulator(str(tmp_path), {"tensors": 0, "images": 0}).Reload()
    tags = {tag: [(e.step, tensor_util.make_ndarray(e.tensor_proto)) for e in events.Tensors(tag)]
            for tag in events.Tags()["tensors"]}  # fmt: skip
    assert tags.keys() == {"loss", "rate", "activations/net.a"}
    assert tags["loss"] == [(3, 0.25), (5, 0.125)] and np.isnan(tags["rate"][0][1])
    ((step, buckets),) = tags["activations/net.a"]
    assert step == 3 and buckets.shape == (BINS, 3) and buckets[0, 0] == 1 and buckets[-1, 1] == 2
    assert (buckets[0, 2], buckets[-1, 2], buckets[:, 2].sum()) == (1, 2, 3)
    assert events.SummaryMetadata("activations/net.a").plugin_data.plugin_name == "histograms"
    (picture,) = events.Images("input")
    found = np.asarray(Image.open(io.BytesIO(picture.encoded_image_string)))
    np.testing.assert_array_equal(found, np.concatenate(list(pixels), 2).transpose(1, 2, 0))


def test_event_files_need_their_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboard.summary.writer.record_writer", None)
    with pytest.raises(ModuleNotFoundError, match=r"For 'RunRecord', .*\[summary\]'"):
        insight.RunRecord(tmp_path, tensorboard=True)


def test_a_loop_of_ones_own(tmp_path):
    record = insight.RunRecord(tmp_path, name="first")
    for step, loss in enumerate([1.0, float("nan"), Tensor(0.5)]):
        record.log(step, loss=loss, samples=8)
    record.log_layers(2, "activations", {"a": Tensor([1.0, 2.0])})
    record.log_images(2, "<b>", np.zeros((9, 3, 2, 2), np.uint8))
    run = Run(tmp_path)
    assert run.name == "first" and run.curves["loss"] == {0: 1.0, 1: "nan", 2: 0.5}
    assert list(run.curves["samples_per_second"]) == [1, 2]
    assert len(run.images["<b>"][2]) == 8
    with open(tmp_path / FILE, "a") as file:
        file.write('{"step":3,"scal')  # the process ended here
    assert Run(tmp_path).curves == run.curves
    insight.RunRecord(tmp_path, resume=True).log(3, loss=0.25)
    assert run.update() and run.curves["loss"][3] == 0.25


@pytest.mark.parametrize("shape", [(1, 5, 7), (3, 4, 2), (3, 1, 1)])
def test_images_are_png(tmp_path, shape):
    image = RNG.integers(0, 256, shape, dtype=np.uint8)
    record = insight.RunRecord(tmp_path)
    record.log_images(1, "a", image[None])
    record.log_images(2, "a", Tensor(image[None].astype(np.float32) / 255))
    for file in ("image-0-0.png", "image-1-0.png"):
        with Image.open(tmp_path / file) as found:
            array = np.asarray(found)
        np.testing.assert_array_equal(array.reshape(*shape[1:], -1), image.transpose(1, 2, 0))


def test_the_page(tmp_path):
    evil = "</script><img src=x onerror=alert(1)>"
    for k in range(2):
        record = insight.RunRecord(tmp_path / f"run{k}", name=evil)
        for step in range(3000):
            if step % 10 == 0 or 1500 < step < 1504:
                record.log(step, **{evil: 99.0 if step == 1502 else step / 3000})
        record.log_images(1, evil, np.zeros((1, 1, 2, 2)))
    page = insight.write_dashboard(tmp_path, tmp_path / "page.html").read_text("utf8")
    assert "<img" not in page and "connect-src" not in page
    data = json.loads(re.search(r'id="runs">(.*?)</script>', page)[1])
    assert [run["name"] for run in data] == [f"{evil} ({tmp_path}/run{k})" for k in range(2)]
    assert [1502, 99.0] in data[0]["curves"][evil]
    assert not re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?https?:", page)


def test_long_curves_keep_their_extremes(tmp_path):
    record = insight.RunRecord(tmp_path / "run")
    lines = [
        json.dumps({"step": s, "scalars": {"a": "nan" if s == 7 else 50.0 * (s == 4321)}})
        for s in range(5000)
    ]
    with open(record._writers[0].path, "a") as file:
        file.write("\n".join(lines) + "\n")
    page = insight.write_dashboard(tmp_path, tmp_path / "page.html").read_text("utf8")
    (run,) = json.loads(re.search(r'id="runs">(.*?)</script>', page)[1])
    points = run["curves"]["a"]
    assert len(points) <= 1002 and [4321, 50.0] in points and points[-1] == [4999, 0.0]
    assert points == sorted(points)


HEADER = '{"format":"sporax run","version":1,"name":"a"}\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "is no run: it has no 'run.jsonl'"),
        ("", "begins with no whole line"),
        ("PNG\n", "is damaged in line 1"),
        ('{"format":"other","version":1}\n', "it says that it is 'other'"),
        (HEADER.replace("1", "9"), "is a run of version 9, but this sporax reads version 1"),
        (HEADER + "3\n", "is damaged in line 2"),
        (HEADER + '{"step":"a"}\n', "its step is no whole number"),
        (HEADER + '{"step":1,"scalars":{"a":[1]}}\n', "is no number"),
        (HEADER + '{"step":1,"scalars":{"a":1e999}}\n', "is no number"),
        (HEADER + '{"step":1,"images":{"a":["../../x.png"]}}\n', "no file of a run"),
        (HEADER + '{"step":1,"layers":{"weights":{"a":{}}}}\n', "is damaged in line 2"),
        (HEADER + "[" * 100000 + "\n", "nested too deeply"),
    ],
)
def test_folders_that_are_no_run(tmp_path, content, words):
    if content is not None:
        (tmp_path / FILE).write_text(content)
    with pytest.raises((FileNotFoundError, ValueError)) as caught:
        insight.write_dashboard(tmp_path, tmp_path / "page.html")
    assert words in str(caught.value) and not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda r: insight.RunRecord(r._writers[0].path.parent), FileExistsError, "resume=True"),
        (lambda r: insight.RunRecord(3), TypeError, "'folder' must be a path"),
        (lambda r: insight.RunRecord("x", activations="a"), TypeError, "each item a str"),
        (lambda r: r.log(-1, loss=1), ValueError, "'step' must be an int of at least 0"),
        (lambda r: r.log(1, loss=Tensor([1.0, 2.0])), ValueError, "'loss' must be one real"),
        (lambda r: r.log_layers(1, "weights", {}), ValueError, "'kind' must be"),
        (lambda r: r.log_images(1, "a", np.zeros((2, 2))), ValueError, "must have shape"),
    ],
)
def test_bad_input(tmp_path, call, error, words):
    with pytest.raises(error) as caught:
        call(insight.RunRecord(tmp_path))
    assert words in str(caught.value)


def test_a_folder_that_vanishes_is_a_warning(tmp_path):
    record = insight.RunRecord(tmp_path / "run")
    record.log(1, loss=1.0)
    os.unlink(tmp_path / "run" / FILE)
    with pytest.warns(RuntimeWarning, match="could not be written"):
        record.log(2, loss=1.0)
    record.log(3, loss=1.0)


def test_hyperparameters_and_times(tmp_path):
    given = {"rate": np.float32(0.5), "layers": 3, "act": nn.ReLU, "clip": None, "nan": math.nan}
    record = insight.RunRecord(tmp_path, hyperparameters=given, note="a note")
    record.log(1, loss=1)
    record.log(5, loss=0.5)
    run = Run(tmp_path)
    assert run.about["note"] == "a note"
    of_run = run.about["hyperparameters"]
    assert (of_run["rate"], of_run["layers"], of_run["clip"], of_run["nan"]) == (
        0.5,
        3,
        None,
        "nan",
    )
    assert "ReLU" in of_run["act"]
    assert list(run.times) == [1, 5] and 0 <= run.times[1] <= run.times[5]
    with pytest.raises(TypeError, match="hyperparameters"):
        insight.RunRecord(tmp_path / "b", hyperparameters=[1])
