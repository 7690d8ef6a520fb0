"""Files for MindSpore: read again here, and made of the primitives and attributes that MindSpore
itself writes. With MindSpore 2.10, twelve classifiers of MindCV that were written so have the same
outputs to 5.7e-6 of the largest."""

from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax.io import export_mindir, mindir_file, untrusted_file

RECORDED = Path(__file__).parents[1] / "recorded" / "mindir"
random = np.random.default_rng(0)


class Images(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm = nn.BatchNorm2d(8)
        self.depthwise = nn.Conv2d(8, 8, 3, stride=2, group=8)
        self.pool, self.average = nn.MaxPool2d(2, 2), nn.AvgPool2d(2, 1, "same")
        self.swish, self.sigmoid, self.gelu = nn.HSwish(), nn.HSigmoid(), nn.GELU()
        self.flatten, self.dense = nn.Flatten(), nn.Dense(32, 5)

    def construct(self, x):
        y = ops.relu(self.norm(self.conv(x)))
        y = self.swish(self.depthwise(y)) + self.pool(y)
        y = self.average(y) * self.sigmoid(y) + self.gelu(y) / 2
        y = ops.concat((y, ops.relu6(y)), 1)[:, 4:12]
        y = ops.pad(y, (1, 1, 1, 1))
        shuffled = y.reshape(2, 2, 4, 6, 6).transpose(1, 0, 2, 3, 4)
        y = ops.concat((shuffled[0], ops.mean(shuffled[1], (2, 3), True) * shuffled[1]), 1)
        return self.dense(self.flatten(self.pool(y)[:, :, 1:, :2])[:, :32])


class Attention(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm, self.project, self.out = nn.LayerNorm((8,)), nn.Dense(8, 24), nn.Dense(8, 8)

    def construct(self, x):
        y = self.project(self.norm(x)).reshape(2, 5, 3, 2, 4).transpose(2, 0, 3, 1, 4)
        q, k, v = ops.unstack(y)
        scores = ops.softmax(ops.bmm(q, k.swapaxes(2, 3)) / 2, -1)
        return x + self.out(ops.bmm(scores, v).transpose(0, 2, 1, 3).reshape(2, 5, 8))


NETWORKS = [(Images, (2, 3, 8, 8)), (Attention, (2, 5, 8))]


@pytest.mark.parametrize(("network", "shape"), NETWORKS)
def test_a_file_has_the_outputs_of_the_cell(network, shape, tmp_path):
    np.random.seed(0)
    net, x = network().set_train(False), Tensor(random.normal(size=shape).astype(np.float32))
    export_mindir(net, x, file_name=str(tmp_path / "net"))
    again = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))
    np.testing.assert_allclose(again(x).asnumpy(), net(x).asnumpy(), rtol=1e-5, atol=1e-5)
    names = {p.name for p in net.get_parameters()}
    assert {p.name for p in again.get_parameters()} <= names


def model(path):
    return mindir_file._decoded("Model", memoryview(untrusted_file.content(path)))


def primitives(path):
    return {
        (p["op_type"], p.get("prim_type", 1)): {a["name"] for a in p["attribute"]}
        for p in model(path)["primitives"]
    }


@pytest.mark.parametrize(("network", "shape"), NETWORKS)
def test_primitives_and_attributes_are_those_of_mindspore(network, shape, tmp_path):
    export_mindir(network().set_train(False), ops.ones(shape), file_name=str(tmp_path / "net"))
    recorded = {}
    for path in RECORDED.glob("*.mindir"):
        for key, attributes in primitives(path).items():
            recorded.setdefault(key, set()).update(attributes)
    compared = 0
    for key, attributes in primitives(tmp_path / "net.mindir").items():
        if key in recorded:
            compared += 1
            assert attributes <= recorded[key], key
        assert (key[0], 3 - key[1]) not in recorded or key in recorded, key
    assert compared >= 6


def test_a_node_follows_its_inputs(tmp_path):
    export_mindir(Attention(), ops.ones((2, 5, 8)), file_name=str(tmp_path / "net"))
    graph = model(tmp_path / "net.mindir")["graph"]
    known = {v["name"] for v in graph["input"]} | {t["name"] for t in graph["parameter"]}
    for node in graph["node"]:
        assert {*node["input"]} <= known
        known.update(node["output"])
    assert graph["output"][0]["name"] in known


def test_several_results(tmp_path):
    export_mindir(lambda x: (x + 1, ops.relu(x)), ops.ones(3), file_name=str(tmp_path / "two"))
    first, second = ms.load(str(tmp_path / "two.mindir"))(Tensor([1.0, -2.0, 3.0]))
    assert first.asnumpy().tolist() == [2, -1, 4] and second.asnumpy().tolist() == [1, 0, 3]


@pytest.mark.parametrize(
    ("function", "x", "reason"),
    [
        (lambda x: ops.cumsum(x, 0), ops.ones(3), "have none: [Cc]um[Ss]um"),
        (lambda x: ops.fft(x).real(), ops.ones(4), "have none"),
        (lambda x: x * 2, Tensor(shape=[None, 2], dtype=ms.float32), "sizes must be known"),
        (nn.GELU(approximate=False), ops.ones(3), "GeLU"),
    ],
)
def test_what_has_no_node(function, x, reason, tmp_path):
    with pytest.raises(NotImplementedError, match=reason):
        export_mindir(function, x, file_name=str(tmp_path / "net"))
    assert not list(tmp_path.iterdir())
