"""Layers against what MindSpore computed and printed, and Dropout against its own law."""

import json
import types
from pathlib import Path

import numpy as np
import pytest

from sporax import nn, ops
from sporax.autodiff.grad import grad
from sporax.core import dtype
from sporax.core.random import set_seed
from sporax.core.tensor import Tensor
from sporax.engine.jit import jit
from tests import layer_cases as cases

RECORDED = Path(__file__).with_name("recorded")
ms = types.SimpleNamespace(Tensor=Tensor, float32=dtype.float32, grad=grad)


@pytest.fixture(scope="module")
def recorded():
    with np.load(RECORDED / "layers.npz") as arrays:
        return dict(arrays)


@pytest.mark.executors
@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.name)
def test_layer_computes_what_mindspore_does(case, recorded):
    for train in case.modes:
        start = f"{case.name}|{'train' if train else 'eval'}|"
        wanted = {k.removeprefix(start): v for k, v in recorded.items() if k.startswith(start)}
        found = cases.computed(case, train, nn, ms)
        assert found.keys() == wanted.keys()
        for name, array in wanted.items():
            np.testing.assert_allclose(
                found[name], array, rtol=2e-4, atol=2e-5, err_msg=start + name
            )
            assert found[name].dtype == array.dtype, name


@pytest.mark.parametrize("text", cases.PRINTED)
def test_layer_prints_as_in_mindspore(text):
    wanted = json.loads((RECORDED / "layers.json").read_text("utf8"))
    assert str(eval(text, {"nn": nn, "ops": ops})) == wanted[text]


# errors ---------------------------------------------------------------------------------------

REFUSED = [
    ("nn.Dense(3, 4)(ops.ones((2, 5)))", ValueError, ("'Dense'", "in_channels", "(2, 5)")),
    ("nn.Dense(3, 4)(ops.ones((2, 3), ms.int32))", TypeError, ("'Dense'", "Int32", "astype")),
    ("nn.Dense(0, 4)", ValueError, ("'Dense'", "in_channels")),
    ("nn.Dense(3, 4.0)", TypeError, ("'Dense'", "out_channels")),
    ("nn.Dense(3, 4, activation='foo')", KeyError, ("foo", "relu")),
    ("nn.Dense(3, 4, activation=3)", TypeError, ("'Dense'", "activation", "int")),
    ("nn.Dense(3, 4, weight_init=ops.ones((4, 4)))", ValueError, ("'Dense'", "(4, 3)", "(4, 4)")),
    ("nn.Conv2d(3, 4, 3)(ops.ones((1, 2, 5, 5)))", ValueError, ("'Conv2d'", "3 channels")),
    ("nn.Conv2d(3, 4, 3)(ops.ones((3, 5, 5)))", ValueError, ("'Conv2d'", "(3, 5, 5)")),
    ("nn.Conv2d(1, 4, 3, pad_mode='valid')(ops.ones((1, 1, 2, 2)))", ValueError, ("kernel",)),
    ("nn.Conv2d(3, 4, 3, pad_mode='foo')", ValueError, ("'Conv2d'", "pad_mode", "foo")),
    ("nn.Conv2d(3, 4, 3, padding=1)", ValueError, ("'Conv2d'", "pad_mode='pad'")),
    ("nn.Conv2d(3, 4, 3, group=2)", ValueError, ("'Conv2d'", "group")),
    ("nn.Conv2d(3, 4, 0)", ValueError, ("'Conv2d'", "kernel_size")),
    ("nn.Conv2d(3, 4, (1, 2, 3))", TypeError, ("'Conv2d'", "kernel_size")),
    ("nn.BatchNorm2d(3)(ops.ones((2, 3)))", ValueError, ("'BatchNorm2d'", "4 dimensions")),
    ("nn.BatchNorm2d(3)(ops.ones((2, 4, 3, 3)))", ValueError, ("'BatchNorm'", "num_features")),
    ("nn.BatchNorm1d(3, momentum=2)", ValueError, ("'BatchNorm1d'", "momentum", "2")),
    ("nn.LayerNorm(4)", TypeError, ("'LayerNorm'", "(size,)")),
    ("nn.LayerNorm((4,))(ops.ones((2, 3)))", ValueError, ("'LayerNorm'", "(4,)", "(2, 3)")),
    ("nn.Dropout(p=1.0)", ValueError, ("'Dropout'", "'p'", "[0, 1)")),
    ("nn.Dropout(keep_prob=0.0)", ValueError, ("'Dropout'", "'keep_prob'", "(0, 1]")),
    ("nn.Dropout(p=0.3).set_train()(Tensor([1, 2]))", TypeError, ("'Dropout'", "Int64")),
    ("nn.Embedding(4, 3, padding_idx=9)", ValueError, ("'Embedding'", "padding_idx", "9")),
    ("nn.Embedding(4, 3)(Tensor([1.5]))", TypeError, ("integers",)),
    ("nn.MaxPool2d(0)", ValueError, ("'MaxPool2d'", "kernel_size")),
    ("nn.MaxPool2d(2, padding=1)", ValueError, ("'MaxPool2d'", "pad_mode='pad'")),
    ("nn.MaxPool2d(5, 2)(ops.ones((1, 1, 4, 4)))", ValueError, ("'MaxPool'", "window")),
    ("nn.Softmax(3)(ops.ones((2, 3)))", ValueError, ("'Softmax'", "[-2, 2)")),
    ("nn.Softmax()(Tensor([1, 2]))", TypeError, ("'Softmax'", "Int64")),
    ("nn.ReLU()(3)", TypeError, ("'ReLU'", "Tensor")),
    ("nn.CrossEntropyLoss(reduction='foo')", ValueError, ("'CrossEntropyLoss'", "foo")),
    ("nn.CrossEntropyLoss()(ops.ones((2, 3)), Tensor([0, 1, 2]))", ValueError, ("(2, 3)", "(3,)")),
    ("nn.CrossEntropyLoss()(ops.ones((2, 3)), ops.ones((2,)))", ValueError, ("integer dtype",)),
    ("nn.SoftmaxCrossEntropyWithLogits()(ops.ones((2, 3)), Tensor([0, 1]))", ValueError,
     ("'SoftmaxCrossEntropyWithLogits'", "(2,)")),
    ("nn.MSELoss()(ops.ones((2, 3)), ops.ones((2, 4)))", ValueError, ("'MSELoss'", "(2, 4)")),
    ("nn.BCELoss()(ops.ones((2, 2)), ops.ones((2, 3)))", ValueError, ("(2, 2)", "(2, 3)")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "error", "says"), REFUSED, ids=[r[0] for r in REFUSED])
def test_wrong_use_is_refused_in_one_voice(text, error, says):
    with pytest.raises(error) as caught:
        eval(text, {"nn": nn, "ops": ops, "ms": dtype, "Tensor": Tensor})
    for part in says:
        assert part in str(caught.value)


# states ---------------------------------------------------------------------------------------


def test_weights_start_as_in_mindspore():
    bound = {"weight": 1 / np.sqrt(3 * 25), "bias": 1 / np.sqrt(3 * 25)}
    for p in nn.Conv2d(3, 64, 5, has_bias=True).get_parameters():
        values = p.asnumpy()
        assert np.abs(values).max() <= bound[p.name]
        assert np.abs(values).max() > 0.9 * bound[p.name]
    weight = nn.Dense(100, 50).weight.asnumpy()
    assert np.abs(weight).max() <= 0.1
    assert abs(weight.std() - 0.1 / np.sqrt(3)) < 0.002
    table = nn.Embedding(500, 10).embedding_table.asnumpy()
    assert abs(table.std() - 0.01) < 5e-4


@pytest.mark.executors
def test_batch_norm_moves_its_statistics_under_jit_too():
    layers = [nn.BatchNorm1d(3).set_train() for _ in range(2)]
    run = jit(layers[1])
    x = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
    for step in range(3):
        outs = [layers[0](Tensor(x + step)), run(Tensor(x + step))]
        np.testing.assert_allclose(outs[0].asnumpy(), outs[1].asnumpy(), rtol=1e-5, atol=1e-6)
    wanted = np.zeros(3)
    for step in range(3):
        wanted = 0.9 * wanted + 0.1 * (x + step).mean(0)
    for layer in layers:
        np.testing.assert_allclose(layer.moving_mean.asnumpy(), wanted, rtol=1e-4)
        assert not layer.moving_mean._value.watched


# dropout --------------------------------------------------------------------------------------


@pytest.mark.executors
@pytest.mark.parametrize("layer", [nn.Dropout(p=0.3), nn.Dropout(0.7), nn.Dropout2d(0.3)], ids=str)
def test_dropout_follows_its_law(layer):
    x = Tensor(np.full((200, 100, 2, 2), 2.0, np.float32))
    np.testing.assert_array_equal(layer.set_train(False)(x).asnumpy(), x.asnumpy())
    out = layer.set_train()(x).asnumpy()
    kept = out != 0
    np.testing.assert_allclose(out[kept], 2 / 0.7, rtol=1e-6)
    independent = kept[:, :, 0, 0] if isinstance(layer, nn.Dropout2d) else kept
    n = independent.size
    assert abs(independent.mean() - 0.7) < 5 * np.sqrt(0.3 * 0.7 / n)
    if isinstance(layer, nn.Dropout2d):
        np.testing.assert_array_equal(kept, kept[:, :, :1, :1].repeat(2, 2).repeat(2, 3))
    slope = grad(lambda t: layer(t).sum())
    set_seed(3)
    gradient = slope(x).asnumpy()
    set_seed(3)
    np.testing.assert_allclose(gradient * 2, layer(x).asnumpy(), rtol=1e-6)


@pytest.mark.executors
def test_dropout_draws_the_same_numbers_dynamic_and_captured():
    layer = nn.Dropout(p=0.5).set_train()
    run, x = jit(lambda t: layer(t) + layer(t)), ops.ones((64,))
    set_seed(1)
    dynamic = [(layer(x) + layer(x)).asnumpy() for _ in range(3)]
    set_seed(1)
    captured = [run(x).asnumpy() for _ in range(3)]
    np.testing.assert_array_equal(dynamic, captured)
    assert not np.array_equal(captured[0], captured[1])
