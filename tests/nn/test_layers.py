"""Layers against what MindSpore computed and printed, and Dropout against its own law."""

import types

import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import dtype
from sporax._src.core.random import set_seed
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff.grad import grad
from tests import records
from tests.nn import layer_cases as cases

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.FOLDER
ms = types.SimpleNamespace(Tensor=Tensor, float32=dtype.float32, int32=dtype.int32, grad=grad)


@pytest.fixture(scope="module")
def recorded():
    with np.load(RECORDED / "layers.npz") as arrays:
        return dict(arrays)


@pytest.mark.executors
@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.name)
def test_layer_computes_what_mindspore_does(case, recorded):
    for train in case.modes:
        start = f"{case.name}|{'train' if train else 'eval'}|"
        expected = {k.removeprefix(start): v for k, v in recorded.items() if k.startswith(start)}
        result = cases.computed(case, train, nn, ms)
        assert result.keys() == expected.keys()
        for name, array in expected.items():
            np.testing.assert_allclose(
                result[name], array, rtol=2e-4, atol=case.atol, err_msg=start + name
            )
            assert result[name].dtype == array.dtype, name


@pytest.mark.parametrize("text", cases.PRINTED)
def test_layer_prints_as_in_mindspore(text):
    expected = records.read("layers")
    assert str(eval(text, {"nn": nn, "ops": ops})) == expected[text]


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
    ("nn.BatchNorm2d(3)(ops.ones((2, 3)))", ValueError, ("'BatchNorm2d'", "be 4, but")),
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
    ("nn.Conv2dTranspose(3, 4, 3)(ops.ones((1, 2, 5, 5)))", ValueError, ("3 channels",)),
    ("nn.Conv2dTranspose(3, 4, 3, output_padding=1)", ValueError, ("'stride'", "'dilation'")),
    ("nn.Conv2dTranspose(3, 4, 3, 2, output_padding=1)", ValueError, ("pad_mode='pad'",)),
    ("nn.Conv2dTranspose(3, 4, 1, 1, 'pad', 9)(ops.ones((1, 3, 5, 5)))", ValueError, ("1 elem",)),
    ("nn.Conv1dTranspose(3, 4, (3,))", TypeError, ("'Conv1dTranspose'", "kernel_size")),
    ("nn.Conv1dTranspose(3, 4, 3)(ops.ones((1, 3, 5, 5)))", ValueError, ("NCL with 3",)),
    ("nn.Conv3d(3, 4, (3, 3))", TypeError, ("'Conv3d'", "tuple of 3")),
    ("nn.Conv3d(3, 4, 3, padding=(1, 1))", ValueError, ("'Conv3d'", "six (front")),
    ("nn.Conv3d(3, 4, 3, data_format='NCHW')", ValueError, ("'Conv3d'", "'NCDHW'")),
    ("nn.Conv3d(3, 4, 3)(ops.ones((3, 5, 5, 5)))", ValueError, ("NCDHW", "(3, 5, 5, 5)")),
    ("nn.MaxPool1d(2, ceil_mode=True)", ValueError, ("'MaxPool1d'", "pad_mode='pad'")),
    ("nn.MaxPool1d((2, 2))", ValueError, ("'MaxPool1d'", "kernel_size")),
    ("nn.AvgPool3d(2, divisor_override=0)", ValueError, ("'AvgPool3d'", "divisor_override")),
    ("nn.MaxPool3d(2)(ops.ones((3, 5, 5)))", ValueError, ("'MaxPool'", "(N, C, D, H, W)")),
    ("nn.AdaptiveAvgPool1d(0)(ops.ones((1, 3, 5)))", ValueError, ("'output_size'",)),
    ("nn.InstanceNorm2d(3)(ops.ones((2, 3, 4)))", ValueError, ("'InstanceNorm2d'", "4 dimensions")),
    ("nn.SyncBatchNorm(3, process_groups=[[0, 1]])", ValueError, ("process_groups", "[[0, 1]]")),
    ("nn.LSTM(3, 4)(ops.ones((5, 3)))", ValueError, ("'LSTM'", "be 3, but")),
    ("nn.LSTM(3, 4)(ops.ones((5, 2, 3)), ops.ones((1, 2, 4)))", TypeError, ("'LSTM'", "tuple")),
    ("nn.GRU(3, 4)(ops.ones((5, 2, 3)), ops.ones((2, 2, 4)))", ValueError, ("(1, 2, 4)",)),
    ("nn.GRU(3, 4)(ops.ones((5, 2, 2)))", ValueError, ("'GRU'", "must be 3 ('input_size')")),
    ("nn.GRU(3, 4)(ops.ones((5, 2, 3)), None, Tensor([1, 2, 3]))", ValueError, ("(2,)", "(3,)")),
    ("nn.GRU(3, 4)(ops.ones((5, 2, 3)), None, ops.ones(2))", TypeError, ("'seq_length'", "Int32")),
    ("nn.GRU(3, 4, dropout=1)", TypeError, ("'GRU'", "float")),
    ("nn.RNN(3, 4, nonlinearity='x')", ValueError, ("'RNN'", "nonlinearity")),
    ("nn.RNNCell(3, 4)(Tensor([[1]]), ops.ones((1, 4)))", TypeError, ("'RNNCell'", "floating")),
    ("nn.LSTMCell(3, 4)(ops.ones((2, 3)), ops.ones((2, 4)))", TypeError, ("'LSTMCell'", "two")),
    ("nn.GRUCell(3, 4)(ops.ones((2, 2)), ops.ones((2, 4)))", ValueError, ("('input_size')",)),
    ("nn.MultiheadAttention(5, 2)", ValueError, ("'MultiheadAttention'", "multiple")),
    ("nn.MultiheadAttention(4, 2)(ops.ones((3, 4)), ops.ones((3, 4)), 1)", TypeError, ("'value'",)),
    ("nn.MultiheadAttention(4, 2)(*[ops.ones((3, 1, 5))] * 3)", ValueError, ("'query'", "be 4")),
    ("nn.MultiheadAttention(4, 2)(*[ops.ones((3, 4))] * 3, attn_mask=ops.ones((2, 3)))", ValueError,
     ("'attn_mask'", "(3, 3)", "(2, 3)")),
    ("nn.TransformerEncoderLayer(4, 2, activation='x')", ValueError, ("'activation'", "'gelu'")),
    ("nn.Transformer(4, 2, 1, 1)(ops.ones((3, 2, 4)), ops.ones((3, 1, 4)))", ValueError,
     ("'Transformer'", "equally many")),
    ("nn.Pad([(1, 1)])", TypeError, ("'Pad'", "paddings")),
    ("nn.Pad((0, 2))", TypeError, ("'Pad'", "pairs (before, after)")),
    ("nn.Pad(((1, 1),), 'x')", ValueError, ("'Pad'", "'SYMMETRIC'")),
    ("nn.Pad(((0, -1),))(ops.ones(3))", ValueError, ("'Pad'", "at least 0")),
    ("nn.ReflectionPad2d(-1)", ValueError, ("'ReflectionPad2d'", "at least 0")),
    ("nn.ReflectionPad2d(3)(ops.ones((1, 2, 2)))", ValueError, ("'reflect'", "at most 1")),
    ("nn.ZeroPad2d((1, 2, 3))", ValueError, ("'ZeroPad2d'", "at most 2")),
    ("nn.ZeroPad2d(1.5)", TypeError, ("'ZeroPad2d'", "ints")),
    ("nn.Unfold([2, 2], [1, 1, 1, 1], [1, 1, 1, 1])", ValueError, ("'Unfold'", "ksizes")),
    ("nn.ResizeBilinear()(ops.ones((1, 1, 2, 2)))", ValueError, ("'size'", "'scale_factor'")),
    ("nn.Range(1, 2, 0)", ValueError, ("'Range'", "delta")),
    ("nn.ReduceLogSumExp(1.0)", TypeError, ("'ReduceLogSumExp'", "axis")),
    ("nn.Conv2dBnAct(1, 2, 3, has_bn=1)", TypeError, ("'Conv2dBnAct'", "has_bn")),
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
    expected = np.zeros(3)
    for step in range(3):
        expected = 0.9 * expected + 0.1 * (x + step).mean(0)
    for layer in layers:
        np.testing.assert_allclose(layer.moving_mean.asnumpy(), expected, rtol=1e-4)
        assert not layer.moving_mean._value.tracked


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


# recurrence and attention -----------------------------------------------------------------------


@pytest.mark.executors
@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_a_sequence_ends_where_its_length_says(kind):
    """As if each sequence had been given by itself; the output beyond is zero."""
    lengths = [4, 1, 3]
    layer = getattr(nn, kind)(3, 2, 2, batch_first=True, bidirectional=True)
    x = np.random.default_rng(0).normal(size=(3, 4, 3)).astype(np.float32)
    y, last = layer(Tensor(x), None, Tensor(lengths))
    for n, length in enumerate(lengths):
        one, end = layer(Tensor(x[n : n + 1, :length]))
        np.testing.assert_allclose(y.asnumpy()[n, :length], one.asnumpy()[0], rtol=1e-5, atol=1e-6)
        assert not y.asnumpy()[n, length:].any()
        pairs = zip(last, end, strict=True) if kind == "LSTM" else [(last, end)]
        for all_of, its in pairs:
            np.testing.assert_allclose(
                all_of.asnumpy()[:, n], its.asnumpy()[:, 0], rtol=1e-5, atol=1e-6
            )


def test_dropout_acts_between_recurrent_layers_in_training_alone():
    layer, x = nn.GRU(3, 64, 2, dropout=0.9), ops.ones((2, 2, 3))
    layer.set_train(False)
    quiet = [layer(x)[0].asnumpy() for _ in range(2)]
    np.testing.assert_array_equal(*quiet)
    layer.set_train()
    assert not np.array_equal(layer(x)[0].asnumpy(), quiet[0])


@pytest.mark.executors
def test_masks_of_attention():
    """Against softmax by hand: bool masks hide, floats are added."""
    rng = np.random.default_rng(0)
    layer = nn.MultiheadAttention(4, 2, batch_first=True)
    x = rng.normal(size=(2, 3, 4)).astype(np.float32)
    hidden, padding = np.triu(np.ones((3, 3), bool), 1), np.array([[0, 0, 1], [0, 0, 0]], bool)
    added = rng.normal(size=(4, 3, 3)).astype(np.float32)
    packed, bias = (p.asnumpy() for p in (layer.in_proj_weight, layer.in_proj_bias))
    q, k, v = np.split((x @ packed.T + bias).reshape(2, 3, 6, 2).transpose(0, 2, 1, 3), 3, 1)

    def weights(mask):
        scores = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(2) + mask)
        return scores / scores.sum(-1, keepdims=True)

    never = np.where(padding[:, None, None], -np.inf, 0)
    for mask, expected in [
        (hidden, weights(np.where(hidden, -np.inf, 0) + never)),
        (added, weights(added.reshape(2, 2, 3, 3) + never)),
    ]:
        y, result = layer(*[Tensor(x)] * 3, Tensor(padding), True, Tensor(mask), False)
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-5, atol=1e-6)
        joined = (expected @ v).transpose(0, 2, 1, 3).reshape(2, 3, 4)
        out = joined @ layer.out_proj.weight.asnumpy().T + layer.out_proj.bias.asnumpy()
        np.testing.assert_allclose(y.asnumpy(), out, rtol=1e-5, atol=1e-6)
    assert len(layer(*[Tensor(x)] * 3, need_weights=False)) == 1


def test_how_recurrent_and_transposed_layers_start():
    wide = {"nn.LSTM(3, 16)": 0.25, "nn.GRUCell(3, 16)": 0.25,
            "nn.Conv2dTranspose(4, 64, 5, has_bias=True)": 1 / np.sqrt(64 * 25)}  # fmt: skip
    for text, bound in wide.items():
        for p in eval(text, {"nn": nn}).get_parameters():
            assert 0.8 * bound < np.abs(p.asnumpy()).max() <= bound, (text, p.name)


def test_instance_norm_against_numpy():
    x = np.random.default_rng(0).normal(size=(2, 3, 4, 5)).astype(np.float32)
    expected = (x - x.mean((2, 3), keepdims=True)) / np.sqrt(x.var((2, 3), keepdims=True) + 1e-5)
    layer = nn.InstanceNorm2d(3)
    for train in (True, False):
        out = layer.set_train(train)(Tensor(x))
        np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_windows_in_the_channels():
    x = np.arange(2 * 2 * 5 * 6, dtype=np.float32).reshape(2, 2, 5, 6)
    y = nn.Unfold([1, 2, 3, 1], [1, 1, 2, 1], [1, 2, 1, 1])(Tensor(x)).asnumpy()
    assert y.shape == (2, 12, 3, 2)
    for i, j, c, a, b in np.ndindex(2, 3, 2, 3, 2):  # rows, columns, channels
        np.testing.assert_array_equal(
            y[:, (i * 3 + j) * 2 + c, a, b], x[:, c, a + 2 * i, 2 * b + j]
        )
    assert nn.Unfold([1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "same")(Tensor(x)).shape == (
        2,
        8,
        3,
        3,
    )


# MindSpore divides by the number of elements that a network had before.
@pytest.mark.parametrize("way", [lambda f: f, jit], ids=["dynamic", "jit"])
def test_the_gradient_of_a_mean_is_of_its_own_number_of_elements(way):
    loss = nn.BCEWithLogitsLoss()
    derivative = way(grad(lambda x, w: loss(x @ w, ops.zeros_like(x @ w)), 1))
    for rows, columns in [(6, 6), (2, 3), (6, 6), (4, 5)]:
        result = derivative(ops.ones((rows, 3)), ops.zeros((3, columns))).asnumpy()
        np.testing.assert_allclose(result, np.full((3, columns), 0.5 / columns), 1e-6)
