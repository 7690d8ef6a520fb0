"""Files in ONNX's format, run by onnxruntime beside the Cells they were made of."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.core.tree import tensors_of
from sporax.io import onnx_operators
from tests.graph_capture.test_export import NETS, OF_ANY_BATCH, any_batch, moved, noise

ONNX = {"file_format": "ONNX"}


onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")


def session(net, *inputs, folder):
    ms.export(net, *inputs, file_name=str(folder / "net"), **ONNX)
    (file,) = folder.iterdir()
    assert file.name == "net.onnx"
    onnx.checker.check_model(str(file), full_check=True)
    return onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])


def same(running, net, *arrays):
    names = [value.name for value in running.get_inputs()]
    result = running.run(None, dict(zip(names, arrays, strict=True)))
    expected = [tensor.asnumpy() for tensor in tensors_of(net(*map(Tensor, arrays)))]
    for reference, actual in zip(result, expected, strict=True):
        assert reference.dtype == actual.dtype and reference.shape == actual.shape
        np.testing.assert_allclose(reference, actual, rtol=1e-5, atol=1e-5)


class Block(nn.Cell):
    """A block of a transformer."""

    def __init__(self, width=8):
        super().__init__()
        self.norm, self.wide = nn.LayerNorm((width,)), nn.Dense(width, 16)
        self.narrow, self.q, self.k = nn.Dense(16, width), nn.Dense(width, 8), nn.Dense(width, 8)

    def construct(self, x):
        y = self.norm(x)
        weights = ops.softmax(ops.bmm(self.q(y), self.k(y).swapaxes(1, 2)) / 8**0.5, -1)
        x = x + ops.bmm(weights, y)
        return x + self.narrow(ops.gelu(self.wide(x)))


class LSTM(nn.Cell):
    """Its cell by hand."""

    def __init__(self, size=5):
        super().__init__()
        self.gates, self.size = nn.Dense(3 + size, 4 * size), size

    def construct(self, x):
        h = c = ops.zeros((x.shape[0], self.size), ms.float32)
        for t in range(x.shape[1]):
            i, f, g, o = ops.split(self.gates(ops.concat([x[:, t], h], 1)), self.size, 1)
            c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
            h = ops.sigmoid(o) * ops.tanh(c)
        return h, c


class Convolutions(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(
            nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.AvgPool2d(2, 2),
            nn.Conv2d(4, 4, 3, pad_mode="pad", padding=1, group=2), nn.GELU(), nn.MaxPool2d(2, 2),
            nn.Flatten(), nn.Dense(64, 5),
        )  # fmt: skip

    def construct(self, x):
        return self.body(x)


def mlp():
    return nn.SequentialCell(nn.Dense(6, 8, activation="relu"), nn.Dense(8, 3, activation="tanh"))


ALL = [
    *NETS,
    pytest.param(mlp, noise(3, 6), id="mlp"),
    pytest.param(Block, noise(3, 4, 8), id="block"),
    pytest.param(LSTM, noise(3, 4, 3), id="lstm"),
    pytest.param(Convolutions, noise(3, 1, 16, 16), id="convolutions"),
    pytest.param(lambda: nn.LSTM(3, 5), noise(3, 4, 3), id="nn.LSTM"),
    pytest.param(
        lambda: nn.GRU(3, 5, 2, bidirectional=True), noise(3, 4, 3), id="bidirectional nn.GRU"
    ),
    pytest.param(lambda: nn.RNN(3, 5, batch_first=True), noise(3, 4, 3), id="nn.RNN"),
    pytest.param(lambda: nn.Embedding(9, 4), np.arange(6).reshape(3, 2), id="embedding"),
]


@pytest.mark.parametrize("kind, x", ALL)
def test_networks(kind, x, tmp_path):
    net = moved(kind())
    same(session(net, Tensor(x), folder=tmp_path), net, x)


@pytest.mark.parametrize("kind, x", ALL)
def test_a_batch_of_any_size(kind, x, tmp_path):
    net = moved(kind())
    running = session(net, any_batch(x), folder=tmp_path)
    assert running.get_inputs()[0].shape[0] == "batch"
    for n in (1, 3, 6):
        same(running, net, np.concatenate([x, x])[:n])


@pytest.mark.parametrize("name", OF_ANY_BATCH)
def test_operations_on_a_batch_of_any_size(name, tmp_path):
    f, x = OF_ANY_BATCH[name], noise(3, 4, 6)
    running = session(f, any_batch(x), folder=tmp_path)
    for n in (1, 3):
        same(running, f, x[:n])


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_gradient_of_a_recurrent_layer(kind, tmp_path):
    net, x = moved(kind(3, 5)), noise(3, 4, 3)
    gradient = ms.grad(lambda x: (net(x)[0] ** 2).sum())
    same(session(gradient, Tensor(x), folder=tmp_path), gradient, x)


def test_names_and_what_is_inside(tmp_path):
    net = nn.Dense(3, 2)

    def f(x, pair):
        return {"a": net(x) * pair[0], "b": [x.argmax(1), pair[1] + 2**10, 3]}

    arrays = noise(2, 3), noise(2, 2), np.arange(4)
    inputs = Tensor(arrays[0]), (Tensor(arrays[1]), Tensor(arrays[2]))
    running = session(f, *inputs, folder=tmp_path)
    assert [value.name for value in running.get_inputs()] == ["x", "pair[0]", "pair[1]"]
    assert [value.name for value in running.get_outputs()] == ["output0", "output1", "output2"]
    same(running, lambda x, a, b: f(x, (a, b)), *arrays)
    held = {one.name for one in onnx.load(tmp_path / "net.onnx").graph.initializer}
    assert {"weight", "bias"} <= held


def test_jax_is_as_it_was(tmp_path):
    session(lambda x: ops.cumsum(x, 0) + ops.cumsum(x, 1), Tensor(noise(2, 3)), folder=tmp_path)
    x = Tensor(noise(2, 3))
    np.testing.assert_allclose(ops.cumsum(x, 0).asnumpy(), np.cumsum(x.asnumpy(), 0))
    assert Tensor(np.arange(3)).sum().dtype == ms.int64


def test_integers_of_64_bits(tmp_path):
    huge, x = Parameter(Tensor([2**40]), name="huge"), np.arange(3)
    net = lambda x: x + huge  # noqa: E731
    same(session(net, Tensor(x), folder=tmp_path), net, x)


X = Tensor(noise(3, 3))
REFUSED = [
    (lambda x: ops.sin(x.astype(ms.float64)), X, TypeError, r"'Cast' at .*test_onnx.py:\d+ is"),
    (lambda x: x * 2, X.astype(ms.float64), TypeError, "'x' is Float64"),
    (lambda x: x * 2, X.astype(ms.bfloat16), TypeError, "'x' is BFloat16"),
    (lambda x: x.astype(ms.complex64) * 1, X, TypeError, "'Cast' .* is Complex64"),
    (nn.BatchNorm1d(3).set_train(), X, ValueError, "set_train.False"),
]


@pytest.mark.parametrize("f, x, error, words", REFUSED)
def test_what_has_no_onnx(f, x, error, words, tmp_path):
    with pytest.raises(error, match=words):
        ms.export(f, x, file_name=str(tmp_path / "f"), **ONNX)
    assert not list(tmp_path.iterdir())


def test_an_operation_without_a_form_in_onnx(tmp_path):
    def f(x):
        y = x + 1
        return ops.det(y)

    with pytest.raises(NotImplementedError, match=r"but got 'det' at .*test_onnx.py:\d+ "):
        ms.export(f, Tensor(noise(4, 4)), file_name=str(tmp_path / "f"), **ONNX)
    assert not list(tmp_path.iterdir())


def test_a_wrong_conversion_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setitem(onnx_operators.RULES, "max", onnx_operators.RULES["min"])
    with pytest.raises(RuntimeError, match="computes something else for its result 0"):
        ms.export(nn.ReLU(), X, file_name=str(tmp_path / "f"), **ONNX)
    assert not list(tmp_path.iterdir())
