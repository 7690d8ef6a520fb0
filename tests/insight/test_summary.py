"""`summary`: operations against closed formulas and XLA's own count; nothing is changed."""

import copy

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, insight, nn, ops
from sporax._src.core import language
from sporax._src.core.random import default_generator
from sporax.insight.recording import Recording, abstract_inputs

# Cell, inputs -> closed formula
CLOSED = [
    (lambda: nn.Dense(5, 7, has_bias=False), (3, 5), 2 * 3 * 5 * 7),
    (lambda: nn.Dense(5, 7), (3, 5), 2 * 3 * 5 * 7 + 3 * 7),
    (lambda: nn.Conv2d(4, 6, 3, pad_mode="valid"), (2, 4, 9, 8), 2 * 2 * 6 * 7 * 6 * 4 * 9),
    (lambda: nn.Conv2d(4, 6, 3, stride=2, pad_mode="valid", group=2), (2, 4, 9, 9),
     2 * 2 * 6 * 4 * 4 * 2 * 9),
    (lambda: nn.Conv2dTranspose(4, 6, 3, stride=2, pad_mode="valid"), (2, 4, 5, 5),
     2 * 2 * 4 * 25 * 6 * 9),
    (nn.ReLU, (3, 5), 15),
    (nn.Tanh, (3, 5), 15),
]  # fmt: skip


@pytest.mark.parametrize(("make", "shape", "flops"), CLOSED)
def test_closed_formulas(make, shape, flops):
    assert insight.summary(make(), shape).flops == flops


def by_xla(cell, shape):
    """Operations, transcendental ones too, that XLA counts in the recorded program."""
    listing = Recording("test", cell, *abstract_inputs("test", shape)).listing
    run = listing.trace.on_arrays(listing.reals, listing.integers, listing.outputs)
    specs = [jax.ShapeDtypeStruct(i.aval.shape, i.aval.dtype) for i in listing.inputs]
    cost = jax.jit(run).lower(*specs).cost_analysis()
    return cost["flops"] + cost.get("transcendentals", 0)


class Attention(nn.Cell):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Dense(32, 32), nn.Dense(32, 32), nn.Dense(32, 32)

    def construct(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        return ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) / 8.0, -1) @ v


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda: nn.SequentialCell(nn.Dense(64, 32), nn.GELU(), nn.Dense(32, 8)), (16, 64)),
        (lambda: nn.SequentialCell(nn.Conv2d(3, 8, 3, pad_mode="valid"), nn.BatchNorm2d(8)),
         (4, 3, 16, 16)),
        (Attention, (2, 24, 32)),
        (lambda: nn.LayerNorm((64,)), (32, 64)),
    ],
)  # fmt: skip
def test_xla_counts_the_same(make, shape):
    cell = make()
    assert insight.summary(cell, shape).flops == pytest.approx(by_xla(cell, shape), rel=0.08)


class Shared(nn.Cell):
    """One Cell called twice, one that is never called, a Parameter of its own and a frozen one."""

    def __init__(self):
        super().__init__()
        self.twice, self.unused = nn.Dense(6, 6), nn.Dense(6, 6)
        self.scale = Parameter(Tensor(np.ones(6, np.float32)))
        self.shift = Parameter(Tensor(np.ones(6, np.float16)), requires_grad=False)

    def construct(self, x, y=None):
        return self.twice(self.twice(x)) * self.scale


def test_rows():
    found = insight.summary(Shared(), (4, 6))
    assert [row.path for row in found.rows] == ["", "twice", "unused"]
    assert (found.parameters, found.trainable, found.buffers) == (90, 90, 6)
    assert (found.parameter_bytes, found.buffer_bytes) == (4 * 90, 2 * 6)
    twice = found.row("twice")
    assert (twice.calls, twice.flops, twice.parameters) == (2, 2 * (2 * 4 * 36 + 24), 42)
    assert twice.outputs[0].shape == (4, 6) and twice.activation_bytes == 2 * 4 * 4 * 6
    assert found.row("unused").outputs == () and found.row("unused").calls == 0
    assert found.row("").total_flops == found.flops == twice.flops + 24
    assert "twice: Dense x2" in str(found) and "not called" in str(found)
    with pytest.raises(KeyError, match="no Cell has the path 'thrice'"):
        found.row("thrice")


@pytest.mark.parametrize(
    "inputs",
    [
        (4, 6), [4, 6], [(4, 6)], ((4, 6), ms.float32), Tensor(np.ones((4, 6), np.float32)),
        np.ones((4, 6), np.float32), [np.ones((4, 6), np.float32), None], {"x": (4, 6)},
    ],
)  # fmt: skip
def test_forms_of_inputs(inputs):
    assert insight.summary(Shared(), inputs).row("").outputs[0].shape == (4, 6)


def test_statistics_are_not_parameters():
    net = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))
    net[0].weight.requires_grad = False
    found = insight.summary(copy.deepcopy(net), (2, 3, 8, 8))  # as torchinfo counts
    assert (found.parameters, found.trainable, found.buffers) == (8 * 27 + 16, 16, 16)
    assert found.row("1").buffer_bytes == 64 and found.row("").total_buffers == 16
    assert "232 (216 frozen)" in str(found) and "buffers: 16 (64 B)" in str(found)


def test_dtype_of_a_shape():
    found = insight.summary(nn.Embedding(10, 4), ((2, 3), ms.int32))
    assert found.input_bytes == 24 and found.row("").outputs[0].shape == (2, 3, 4)


def test_nothing_is_changed():
    net = nn.SequentialCell(nn.Dense(4, 4), nn.BatchNorm1d(4), nn.Dropout(p=0.5)).set_train()
    before = {p.name: p.asnumpy().copy() for p in net.get_parameters()}
    state = default_generator.get_state().asnumpy().copy()
    values = [p._value for p in net.get_parameters()]
    insight.summary(net, (8, 4))
    assert [p._value for p in net.get_parameters()] == values
    assert all((p.asnumpy() == before[p.name]).all() for p in net.get_parameters())
    assert (default_generator.get_state().asnumpy() == state).all()
    assert net.training and net[2].training


def test_html_escapes():
    net = nn.Cell()
    net.insert_child_to_cell("<b>", nn.ReLU())
    net.construct = lambda x: net._cells["<b>"](x)
    text = insight.summary(net, (2,))._repr_html_()
    assert "&lt;b&gt;" in text and "<b>" not in text


class Broken(nn.Cell):
    def __init__(self):
        super().__init__()
        self.block = nn.SequentialCell(nn.Dense(4, 4), nn.Dense(5, 4))

    def construct(self, x):
        return self.block(x)


class Reads(nn.Cell):
    def construct(self, x):
        return x * float(x.sum().asnumpy())


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: insight.summary(nn.Dense, (1,)), TypeError, "but got type Dense"),
        (lambda: insight.summary(3, (1,)), TypeError, "'cell' must be a Cell, but got int"),
        (lambda: insight.summary(Shared(), "x"), TypeError, "'inputs' must be arrays"),
        (lambda: insight.summary(Shared(), [object()]), TypeError, "but got object"),
        (lambda: insight.summary(Shared(), []), TypeError, "missing a required argument: 'x'"),
        (lambda: insight.summary(Broken(), (2, 4)), ValueError, "In the Cell 'Broken.block.1'"),
        (lambda: insight.summary(Reads(), (2, 4)), RuntimeError, "must not need a number"),
    ],
)
def test_bad_input(call, error, words, monkeypatch):
    monkeypatch.setenv("SPORAX_LANG", "en")
    with pytest.raises(error, match="For '") as caught:
        call()
    language.annotate(caught.value)
    assert "\n".join([str(caught.value), *caught.value.__notes__]).count(words) == 1
