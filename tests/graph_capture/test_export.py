"""`export`, `load`, `nn.GraphCell`: functions in files that run without their Python code."""

import copy
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

import sporax as ms
from sporax import Parameter, Tensor, jit, nn, ops
from sporax._src.core.tree import tensors_of
from tests.platforms import chosen_as_on

# In a process of its own: neither this file nor any other code of a net is there.
ELSEWHERE = """
import sys, numpy as np, sporax as ms
from sporax import nn
from sporax._src.core.tree import tensors_of
net = nn.GraphCell(ms.load(sys.argv[1]))
given = np.load(sys.argv[2])
found = net(*[ms.Tensor(given[name]) for name in given.files])
np.savez(sys.argv[3], *[t.asnumpy() for t in tensors_of(found)])
"""


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(
            nn.Conv2d(1, 3, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(),
            nn.Dense(3 * 6 * 6, 12), nn.Sigmoid(), nn.Dense(12, 4),
        )  # fmt: skip

    def construct(self, x):
        return self.body(x)


class Residual(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.second = nn.Conv2d(4, 4, 3, stride=2)
        self.short = nn.Conv2d(4, 4, 1, stride=2)
        self.drop = nn.Dropout(p=0.5)
        self.head = nn.Dense(4, 5)

    def construct(self, x):
        x = ops.relu(self.norm(self.first(x)))
        features = ops.relu(self.second(x) + self.short(x)).mean((2, 3))
        return {"logits": self.head(self.drop(features)), "features": (features, 3)}


class Attention(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.query, self.out, self.norm = nn.Dense(8, 8), nn.Dense(8, 3), nn.LayerNorm((8,))

    def construct(self, ids):
        b, t = ids.shape
        x = self.embedding(ids)
        q = self.query(x).reshape(b, t, 2, 4).transpose(0, 2, 1, 3)
        weights = ops.softmax(ops.matmul(q, q.swapaxes(-1, -2)) / 2.0, -1)
        y = ops.matmul(weights, q).transpose(0, 2, 1, 3).view(b, t, 8)
        return self.out(self.norm(y + x)).mean(1)


class Recurrent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.step = nn.Dense(7, 4)

    def construct(self, x):
        h = ops.zeros((x.shape[0], 4), ms.float32)
        for t in range(x.shape[1]):
            h = ops.tanh(self.step(ops.concat([x[:, t], h], 1)))
        return h


def noise(*shape):
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def any_batch(array):
    return Tensor(shape=[None, *array.shape[1:]], dtype=Tensor(array).dtype)


IMAGES = noise(3, 1, 16, 16)
NETS = [
    pytest.param(LeNet, IMAGES, id="lenet"),
    pytest.param(Residual, IMAGES, id="residual"),
    pytest.param(Attention, np.arange(12, dtype=np.int32).reshape(3, 4), id="attention"),
    pytest.param(Recurrent, noise(3, 5, 3), id="recurrent"),
]


def same(result, expected):
    for f, w in zip(tensors_of(result), tensors_of(expected), strict=True):
        assert f.dtype == w.dtype
        np.testing.assert_allclose(f.asnumpy(), w.asnumpy(), rtol=1e-5, atol=1e-6)


def moved(net):
    """The net with moving averages and weights that are not those it was made with."""
    for i, p in enumerate(net.get_parameters()):
        p.set_data(p + 0.01 * (i + 1))
    return net


# round trips --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind, x", NETS[:2])
def test_another_process_computes_the_same(kind, x, tmp_path):
    net = moved(kind())
    ms.export(net, Tensor(x), file_name=str(tmp_path / "net"), file_format="MINDIR")
    np.savez(tmp_path / "given.npz", x)
    names = [str(tmp_path / name) for name in ("net.mindir", "given.npz", "found.npz")]
    where = dict(os.environ, PYTHONPATH=str(Path(ms.__file__).parents[1]))
    subprocess.run([sys.executable, "-c", ELSEWHERE, *names], check=True, cwd=tmp_path, env=where)
    result = np.load(tmp_path / "found.npz")
    same([Tensor(result[name]) for name in result.files], net(Tensor(x)))


@pytest.mark.parametrize("kind, x", NETS)
def test_a_batch_of_any_size(kind, x, tmp_path):
    net, file = moved(kind()), tmp_path / "net.stablehlo"
    ms.export(net, any_batch(x), file_name=file, file_format="STABLEHLO")
    again = nn.GraphCell(ms.load(file))
    for n in (1, 3, 6):
        some = Tensor(np.concatenate([x, x])[:n])
        same(again(some), net(some))


OF_ANY_BATCH = {
    "joined": lambda x: (ops.concat([x, x], 0), ops.stack([x, x]), ops.split(x, 2, 1)),
    "reshaped": lambda x: (x.view(x.shape[0], -1), x.reshape((-1, 6)), x.flatten(), x[None]),
    "taken": lambda x: (x[0], x[:, -1], x[:, 1:3], x[..., 0], ops.flip(x, (1,))),
    "reduced": lambda x: (x.mean(), x.std(0), x.max(0), x.argmax(-1), ops.cumsum(x, 1)),
    "made": lambda x: ops.zeros_like(x) + ops.full((x.shape[0], 1, 1), 3.0),
    "broadcast": lambda x: ops.broadcast_to(x[:, :1], (x.shape[0], 4, 6)),
    "chosen": lambda x: ops.where(x > 0, x, 0).masked_fill(x < -1, 2.0),
    "products": lambda x: (ops.bmm(x, x.swapaxes(1, 2)), ops.einsum("bij,bkj->bik", x, x)),
    "convolved": nn.Conv1d(4, 2, 3),
    "mapped": lambda x: ms.vmap(lambda v: (v * 2).sum())(x),
    "derived": lambda x: ms.grad(lambda v: (ops.tanh(v) ** 2).mean())(x),
    "recomputed": lambda x: ms.recompute(ops.tanh, x),
}


@pytest.mark.parametrize("name", OF_ANY_BATCH)
def test_operations_on_a_batch_of_any_size(name, tmp_path):
    f, x = OF_ANY_BATCH[name], noise(3, 4, 6)
    result = there_and_back(f, any_batch(x))(tmp_path)
    for n in (1, 3):
        same(result(Tensor(x[:n])), f(Tensor(x[:n])))


def there_and_back(net, *inputs):
    def give(tmp_path):
        file = str(tmp_path / "f.mindir")
        ms.export(net, *inputs, file_name=file, file_format="MINDIR")
        return ms.load(file)

    return give


def test_all_unknown_sizes_of_axis_0_are_one(tmp_path):
    x = Tensor(shape=[None, None], dtype=ms.float32)
    f = there_and_back(lambda a, b: ops.matmul(a.sum(1, keepdims=True), b.sum(1)[None]), x, x)
    f = f(tmp_path)
    assert [spec.shape for spec in f.inputs] == [("batch", "a_1"), ("batch", "b_1")]
    assert f.outputs[0].shape == ("batch", "batch")
    with pytest.raises(ValueError, match=r"'b' must be Float32 \(batch, b_1\), where batch is 2"):
        f(Tensor(noise(2, 3)), Tensor(noise(4, 3)))


def test_arithmetic_with_an_unknown_size(tmp_path):
    whole = Tensor(shape=[None, 3], dtype=ms.int32)

    def f(x):
        return x.sum() / x.size, x * x.shape[0] + 1, x.astype(ms.float16) / len(x.shape)

    result = there_and_back(f, whole)(tmp_path)
    assert result.outputs[1].dtype == "Int32" and result.outputs[2].dtype == "Float16"
    for n in (1, 4):
        x = Tensor(np.arange(3 * n, dtype=np.int32).reshape(n, 3))
        same(result(x), f(x))


def test_containers_numbers_and_dtypes(tmp_path):
    half, one = Tensor([1, 2], ms.bfloat16), Tensor([1 + 2j])

    def function(pair, scale, *, name="n"):
        return [pair[0] * scale, {name: pair[1]["z"] * 2}, None], "text"

    f = there_and_back(function, (half, {"z": one}), 3)(tmp_path)
    (a, d, none), text = f((half, {"z": one}), 3)
    assert (none, text, a.dtype) == (None, "text", ms.bfloat16)
    np.testing.assert_array_equal(a.astype(ms.float32).asnumpy(), [3, 6])
    np.testing.assert_array_equal(d["n"].asnumpy(), [2 + 4j])
    with pytest.raises(TypeError, match="must be as at the export"):
        f((half, {"z": one}), 4)


def test_what_a_function_closes_over_is_inside(tmp_path):
    w, v = Parameter(Tensor([2.0]), name="w"), Parameter(Tensor([3.0]), name="w")
    outside = Tensor([10.0])
    f = there_and_back(jit(lambda x: x * w + v + outside + Tensor([100.0])), Tensor([1.0]))
    f = f(tmp_path)
    kinds = [(kind, name) for kind, name, _ in f.arrays]
    assert kinds == [
        ("parameter", "w"), ("parameter", "w#2"), ("tensor", "tensor0"), ("constant", "constant0"),
    ]  # fmt: skip
    w.set_data(Tensor([5.0]))  # the file has what was there
    assert f(Tensor([1.0])).asnumpy() == [115.0]


def test_to_float_is_kept(tmp_path):
    net = LeNet().to_float(ms.float16)
    f = there_and_back(net, Tensor(IMAGES))(tmp_path)
    assert f.outputs[0].dtype == "Float16"
    same(f(Tensor(IMAGES)), net(Tensor(IMAGES)))


def test_in_a_derivative_and_in_graph_mode(tmp_path):
    net, x = nn.Dense(2, 1), Tensor(noise(3, 2))
    files = []

    def loss(x):
        files.append(there_and_back(net, x)(tmp_path))
        return net(x).sum()

    gradient = ms.grad(loss)(x)
    np.testing.assert_allclose(gradient.asnumpy(), np.tile(net.weight.asnumpy(), (3, 1)))
    again = nn.GraphCell(files[0])
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        same(again(x), net(x))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    same(jit(lambda x: again(x) * 2)(x), net(x) * 2)


# GraphCell ----------------------------------------------------------------------------------


def test_a_graph_cell_has_the_parameters(tmp_path):
    net, x = Residual(), Tensor(IMAGES)
    graph = there_and_back(net, x)(tmp_path)
    again = nn.GraphCell(graph)
    named = {p.name: p for p in net.get_parameters()}
    result = {p.name: p for p in again.get_parameters()}
    assert result.keys() == named.keys()
    for name in named:
        np.testing.assert_array_equal(result[name].asnumpy(), named[name].asnumpy())
    copied = copy.deepcopy(again)
    result["head.bias"].set_data(named["head.bias"] + 1)
    same(again(x)["logits"], net(x)["logits"] + 1)
    same(copied(x), net(x))
    ms.save_checkpoint(again, str(tmp_path / "p.ckpt"))
    ms.load_param_into_net(net, ms.load_checkpoint(str(tmp_path / "p.ckpt")))
    same(again(x), net(x))


def test_params_init(tmp_path):
    graph = there_and_back(nn.Dense(2, 1), Tensor(noise(3, 2)))(tmp_path)
    zeros = {"weight": Tensor(np.zeros((1, 2), np.float32)), "not there": Tensor([1.0])}
    again = nn.GraphCell(graph, params_init=zeros)
    assert np.ptp(again(Tensor(noise(3, 2))).asnumpy()) == 0


def test_errors_of_graph_cells(tmp_path):
    x = Tensor(noise(3, 2))
    graph = there_and_back(nn.Dense(2, 1), x)(tmp_path)
    rows = [
        (lambda: nn.GraphCell(3), TypeError, "must be what 'load' gave"),
        (lambda: nn.GraphCell(graph, 3), TypeError, "'params_init' must be a dict"),
        (lambda: nn.GraphCell(graph, {1: x}), TypeError, "Tensors by name"),
        (lambda: nn.GraphCell(graph, {"a": 1}), TypeError, "Tensors by name"),
        (lambda: nn.GraphCell(graph, {"weight": x}), ValueError, "parameter 'weight'"),
        (lambda: nn.GraphCell(graph, None, 3), NotImplementedError, "obf_random_seed"),
        (lambda: graph(x, x), TypeError, r"as at the export of 'Dense'.*x: Float32 \(3, 2\)"),
        (lambda: graph(Tensor(noise(4, 2))), ValueError, r"'x' must be Float32 \(3, 2\), but got"),
        (lambda: graph(x.astype(ms.int32)), ValueError, r"but got Int32 \(3, 2\)"),
        (lambda: ms.grad(graph)(x).asnumpy(), NotImplementedError, "forward pass only"),
    ]
    for call, error, words in rows:
        with pytest.raises(error, match=words):
            call()


# refusals -----------------------------------------------------------------------------------

X = Tensor(noise(3, 2))
UNKNOWN = Tensor(shape=[None, 2], dtype=ms.float32)


def needs_a_number(x):
    return x * float(x.sum())


def has_a_branch(x):
    if x.sum() > 0:
        return x
    return -x


class OnTheHost(nn.Cell):
    def construct(self, x):
        return Tensor(np.sin(x.asnumpy()))


SEEN = Parameter(Tensor([0.0]), name="seen")


def counts(x):
    SEEN.set_data(SEEN + 1)
    return x * SEEN


def writes_its_input(x):
    x[0] = 0.0
    return x


REFUSED = [
    (needs_a_number, [X], RuntimeError, r"test_export.py:\d+: return x \* float"),
    (nn.SequentialCell(OnTheHost()), [X], RuntimeError, r"test_export.py:\d+: return Tensor\(np.s"),
    (lambda x: x * float(x[0, 0]), [X], RuntimeError, "must not need a number"),
    (nn.BatchNorm1d(2).set_train(), [X], ValueError, r"writes 'mean', 'var.*set_train\(False"),
    (nn.Dropout(p=0.5).set_train(), [X], ValueError, "writes 'random state'"),
    (counts, [X], ValueError, "'counts' must change nothing, but it writes 'seen'"),
    (writes_its_input, [X], ValueError, "writes 'x'"),
    (lambda x: x, [X.asnumpy()], TypeError, "but got ndarray. Make a Tensor of it"),
    (lambda x: {1: x}, [X], TypeError, "dicts .by string. of these, but got dict"),
    (lambda x: x, [], TypeError, "inputs must fit the function"),
    (lambda x: x, [X, X], TypeError, "inputs must fit the function"),
    (lambda x: x * int(x.shape[0]), [UNKNOWN], ValueError, r"test_export.py:\d+: .*a known shape"),
    (lambda x: x.shape[0], [UNKNOWN], TypeError, "but got _DimExpr. Make a Tensor of it"),
    (lambda x: x, [Tensor(shape=None, dtype=ms.float32)], ValueError, "number of axes"),
    (3, [X], TypeError, "'net' must be a function or a Cell, but got int"),
]  # fmt: skip


@pytest.mark.parametrize("net, inputs, error, words", REFUSED)
def test_what_cannot_be_exported(net, inputs, error, words, tmp_path):
    with pytest.raises(error, match=words):
        ms.export(net, *inputs, file_name=str(tmp_path / "f"), file_format="MINDIR")
    assert not list(tmp_path.iterdir())
    if isinstance(net, nn.Cell):
        assert not any(np.isnan(p.asnumpy()).any() for p in net.get_parameters())


def test_not_inside_a_captured_function(tmp_path):
    def f(x):
        ms.export(nn.ReLU(), x, file_name=str(tmp_path / "f"), file_format="MINDIR")
        return x

    with pytest.raises(RuntimeError, match="Call it outside"):
        jit(f)(X)


OPTIONS = [
    ({"file_format": "AIR"}, NotImplementedError, "Ascend only. Use file_format='STABLEHLO'"),
    ({"file_format": "X"}, ValueError, "'file_format' must be one of .*'MINDIR'.*got 'X'"),
    ({"file_name": 3}, TypeError, "'file_name' must be a path, but got int 3"),
    ({"file_name": "/none/f"}, FileNotFoundError, "'/none' does not exist"),
    ({"enc_key": b"k" * 16}, NotImplementedError, "Encrypt the file after the export"),
    ({"custom_func": print}, NotImplementedError, "no protobuf messages"),
    ({"spelled": 1}, TypeError, "no keyword 'spelled'"),
]


@pytest.mark.parametrize("options, error, words", OPTIONS)
def test_options_of_export(options, error, words, tmp_path):
    keywords = {"file_name": str(tmp_path / "f"), "file_format": "MINDIR", **options}
    with pytest.raises(error, match=words):
        ms.export(nn.ReLU(), X, **keywords)
    assert not list(tmp_path.iterdir())


def test_onnx_without_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ImportError, match=r"the extra 'onnx'.*pip install .*\[onnx\]'"):
        ms.export(nn.ReLU(), X, file_name=str(tmp_path / "f"), file_format="ONNX")
    assert not list(tmp_path.iterdir())


# files --------------------------------------------------------------------------------------


def test_the_suffix_and_what_the_file_says(tmp_path):
    for name, format in (("a", "MINDIR"), ("a.mindir", "MINDIR"), ("a", "STABLEHLO")):
        ms.export(nn.Dense(2, 1), X, file_name=str(tmp_path / name), file_format=format)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.mindir", "a.stablehlo"]
    first = (tmp_path / "a.mindir").read_bytes()[8:].split(b"\\n")[0].split(b'":"')[1]
    assert first == b"graph: portable StableHLO, not MindSpore's MINDIR; version 3"
    text = str(ms.load(str(tmp_path / "a.mindir")))
    assert "exported Dense(x: Float32 (3, 2))\n  parameter weight: Float32 (1, 2)" in text


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    file = tmp_path / "f.mindir"
    ms.export(nn.Dense(2, 1), X, file_name=file, file_format="MINDIR")
    before = file.read_bytes()

    def fail(*args):
        raise OSError("no space")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        ms.export(nn.Dense(2, 1), X, file_name=file, file_format="MINDIR")
    assert file.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_damaged_and_foreign_files(tmp_path):
    file = tmp_path / "f.mindir"
    ms.export(nn.Dense(2, 1), X, file_name=file, file_format="MINDIR")
    whole = file.read_bytes()
    flipped = whole[:-200] + bytes([whole[-200] ^ 1]) + whole[-199:]
    rows = [(whole[:n], "no whole graph of sporax") for n in range(0, len(whole), 97)]
    rows += [
        (flipped, "its checksum does not fit its contents. To use it, take an intact copy"),
        (b"\x0a\x050.1.0", "begins as a file of MindSpore, but has no graph"),
        (
            whole.replace(b"version 3\\n", b"version 7\\n"),
            "its version is 7, and this sporax reads 3",
        ),
    ]
    for content, words in rows:
        file.write_bytes(content)
        with pytest.raises(ValueError, match=words):
            ms.load(file)
    for name, words in (("none.mindir", "does not exist"), ("f.txt", "must end in .mindir or")):
        with pytest.raises(ValueError, match=words):
            ms.load(str(tmp_path / name))
    with pytest.raises(TypeError, match="must be a path, but got int"):
        ms.load(3)
    with pytest.raises(NotImplementedError, match="'dec_key' is not done"):
        ms.load(file, dec_key=b"k")


def test_a_program_for_another_device_is_refused(tmp_path):
    file = tmp_path / "f.mindir"
    ms.export(nn.Dense(2, 1), X, file_name=file, file_format="MINDIR")
    with chosen_as_on("tpu"), pytest.raises(ValueError, match="is for cpu, and this is tpu"):
        ms.load(file)


def test_other_readers(tmp_path):
    """The file is one of safetensors, with the weights by name and a header in JSON."""
    file, net = tmp_path / "f.mindir", nn.Dense(2, 1)
    ms.export(net, UNKNOWN, file_name=file, file_format="MINDIR")
    arrays = safetensors.numpy.load_file(file)
    np.testing.assert_array_equal(arrays["parameter/weight"], net.weight.asnumpy())
    for i, n in enumerate((1, 3)):
        x, y = arrays[f"vector{i}/input/0"], arrays[f"vector{i}/expected/0"]
        assert x.shape == (n, 2)
        np.testing.assert_allclose(
            y, x @ net.weight.asnumpy().T + net.bias.asnumpy(), rtol=1e-5, atol=1e-6
        )
    with safetensors.safe_open(file, "numpy") as opened:
        header = json.loads(opened.metadata()["sporax"].split("\n", 2)[2])
    assert header["inputs"] == [["x", ["batch", 2], "Float32"]]
    assert header["arrays"] == [["parameter", "weight"], ["parameter", "bias"]]


def test_nothing_warns(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        there_and_back(LeNet(), any_batch(IMAGES))(tmp_path)(Tensor(IMAGES))
