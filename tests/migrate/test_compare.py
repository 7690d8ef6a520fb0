"""`compare` against runs of PyTorch 2.13 (tools.record migrate): equal networks are equal, a
planted difference is found where it is, and named."""

import re

import numpy as np
import pytest

from sporax import migrate, nn
from sporax.migrate.known_differences import RULES
from tests import records
from tests.migrate.cell_networks import (
    IDS,
    ROWS,
    Classifier,
    Encoder,
    OneLSTM,
    Recurrent,
    ResNet,
    Wrapped,
    flattened,
    mlp,
)

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.FOLDER / "migrate"
QUICK = {
    "story-pad_mode left out", "story-equal", "resnet-momentum", "encoder-tanh", "lstm-batch_first",
    "flattened-a size that Dense refuses", "one_lstm-gates", "classifier-stop", "classifier-frozen",
    "classifier-function", "mlp-none", "mlp-in the layer", "max_norm-equal", "prelu-equal",
    "batch_norm_3d-equal", "conv1d-equal",
}  # fmt: skip


def run(name):
    return migrate.ModuleRun.load(RECORDED / f"{name}.npz")


def is_found(report, expected):
    """Whether the report says what the row expects: (place, beginning of the first cause)."""
    if expected is None:
        return report.equal
    departure = report.first_departure
    return departure.location == expected[0] and str(departure.causes[0]).startswith(expected[1])


def rows():
    for row, name in zip(ROWS, IDS, strict=True):
        yield pytest.param(*row, id=name, marks=[] if name in QUICK else [pytest.mark.slow])


@pytest.mark.parametrize("name, planted, make, expected", [*rows()])
def test_what_is_planted_is_found(name, planted, make, expected):
    report = migrate.compare(run(name), make())
    assert is_found(report, expected), str(report)


def test_each_rule_has_a_row():
    assert {*IDS} >= QUICK
    assert {rule.name for rule in RULES} <= {expected[1] for *_, expected in ROWS if expected}


@pytest.mark.parametrize(
    "name, make, shown",
    [
        ("resnet", ResNet, {"layer2.0.downsample.1.weight": "layer2.0.downsample.1.gamma",
                            "bn1.running_var": "bn1.moving_variance", "fc.weight": "fc.weight"}),
        ("encoder", Encoder, {"embedding.weight": "embedding.embedding_table",
                              "layers.1.norm2.weight": "layers.1.norm2.gamma"}),
        ("lstm", Recurrent, {"recurrent.bias_hh_l1_reverse": "recurrent.bias_hh_l1_reverse"}),
        ("mlp", lambda: mlp(), {"2.bias": "2.bias"}),
        ("mlp", lambda: nn.SequentialCell(nn.Dense(4, 6), nn.Dense(6, 3)), {"2.bias": "1.bias"}),
        ("batch_norm_3d", lambda: Wrapped(nn.BatchNorm3d(4)), {"net.weight": "net.bn2d.gamma"}),
    ],
)  # fmt: skip
def test_names_are_mapped(name, make, shown):
    recorded, cell = run(name), make()
    before = {p.name: p.asnumpy() for p in cell.get_parameters()}
    mapping = migrate.map_names(recorded, migrate.cell_weights(cell), {*before})
    assert {n: mapping.pairs[n] for n in shown} == {n: [p] for n, p in shown.items()}
    there = {n for n in recorded.weights if "num_batches" not in n and n != "positions"}
    assert set(mapping.pairs) == there


def test_names_may_be_given():
    names = {"shared.weight": "shared.weight", "last.bias": None}
    report = migrate.compare(run("classifier"), Classifier(), names=names)
    assert "last.bias" not in report.mapping.pairs and str(report.causes[0]).startswith("unknown")
    assert not report.equal and report.first_departure.row.torch == "last"


class Split(nn.Cell):
    """An attention of which query, key and value have layers of their own."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Dense(8, 8) for _ in range(4))

    def construct(self, query, key, value):
        q, k, v = self.query(query), self.key(key), self.value(value)
        q, k, v = (x.reshape(4, 3, 2, 4).permute(1, 2, 0, 3) for x in (q, k, v))
        weights = nn.Softmax()(q @ k.swapaxes(-1, -2) / 2)
        y = (weights @ v).permute(2, 0, 1, 3).reshape(4, 3, 8)
        return self.out(y), weights.mean(1)


def test_one_parameter_may_become_several():
    parts = ("query", "key", "value")
    names = {f"in_proj_{kind}": [f"{part}.{kind}" for part in parts] for kind in ("weight", "bias")}
    names |= {f"out_proj.{kind}": f"out.{kind}" for kind in ("weight", "bias")}
    assert migrate.compare(run("attention"), Split(), names=names).equal


@pytest.mark.parametrize(
    "make, names, says",
    [
        (lambda: nn.SequentialCell(nn.Dense(4, 7), nn.ReLU(), nn.Dense(7, 3)), None,
         "shapes of parameters must agree, but '0.weight' is (6, 4) in PyTorch and '0.weight' is "
         "(7, 4) in the Cell"),
        (lambda: nn.SequentialCell(nn.Conv2d(2, 2, 3)), None, "cannot be aligned: nothing goes "
         "together; without a counterpart are '0.weight' (6, 4), '0.bias' (6,), '2.weight' (3, 6), "
         "'2.bias' (3,) of PyTorch and '0.weight' (2, 2, 3, 3) of the Cell. Give 'names'"),
        (lambda: nn.SequentialCell(nn.Dense(4, 6)), None, "'2.weight' (3, 6), '2.bias' (3,) of "
         "PyTorch and none of the Cell"),
        (mlp, {"3.weight": "0.weight"}, "but it has no '3.weight'; there are 0.weight, 0.bias"),
        (mlp, {"0.weight": "1.weight"}, "must lead to parameters of the Cell, but it has no '1.w"),
        (mlp, {"0.weight": "2.weight"}, "'0.weight' is (6, 4) in PyTorch and '2.weight' is (3, 6)"),
    ],
)  # fmt: skip
def test_what_cannot_be_aligned_is_one_sentence(make, names, says):
    cell = make()
    before = {p.name: p.asnumpy() for p in cell.get_parameters()}
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        migrate.compare(run("mlp"), cell, names=names)
    assert str(caught.value).startswith("For 'compare', ") and "\n" not in str(caught.value)
    for p in cell.get_parameters():
        np.testing.assert_array_equal(p.asnumpy(), before[p.name])


@pytest.mark.parametrize(
    "arguments, says",
    [
        (("mlp", nn.ReLU), "'cell' must be a Cell, but got type"),
        (("mlp", mlp(), np.zeros(3)), "'inputs' must be left out for a recorded run"),
        (({}, mlp()), "'inputs' must be given"),
        (({}, mlp(), [[1.0]]), "for each argument, but argument 0 is list"),
        (({}, mlp(), np.array(["a"])), "argument 0 is an array of <U1"),
    ],
)
def test_wrong_arguments(arguments, says):
    first, *others = arguments
    with pytest.raises(TypeError, match=re.escape(says)):
        migrate.compare(run(first) if isinstance(first, str) else first, *others)


def test_unreadable_runs(tmp_path):
    path = tmp_path / "run.npz"
    with pytest.raises(ValueError, match=r"is no recorded run: No such file"):
        migrate.compare(str(path), mlp())
    for content in (b"", b"PK nonsense", (RECORDED / "mlp.npz").read_bytes()[:-80]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is no recorded run"):
            migrate.ModuleRun.load(path)
    np.savez(path, structure=np.array('{"format": 9, "run": {}}'))
    with pytest.raises(ValueError, match="it is of format 9, and 1 is read; record it anew"):
        migrate.ModuleRun.load(path)
    np.savez(path, structure=np.array([object()]))
    with pytest.raises(ValueError, match="is no recorded run"):
        migrate.ModuleRun.load(path)


def test_the_cell_is_as_it_was_but_for_the_weights():
    cell, recorded = ResNet(), run("resnet")
    assert migrate.compare(recorded, cell, rtol=1e-3).equal
    np.testing.assert_array_equal(
        cell.bn1.moving_mean.asnumpy(), recorded.weights["bn1.running_mean"]
    )
    assert cell.training and not any(part._cell_hooks for _, part in cell.cells_and_names())


def test_errors_of_the_cell():
    """After a departure they are a note, else they are raised."""
    report = migrate.compare(run("flattened"), flattened())
    assert report.notes[0].startswith("The Cell ended after the departure, before gradients: For '")
    assert "the last axis of the input must be 96" in str(report)

    class Raises(nn.Cell):
        def construct(self, x):
            raise ValueError("of its own")

    cell = nn.SequentialCell(nn.Dense(4, 6), Raises(), nn.Dense(6, 3))
    with pytest.raises(ValueError, match="of its own"):
        migrate.compare(run("mlp"), cell)
    assert not any(part._cell_hooks for _, part in cell.cells_and_names())


def test_optimizers_are_compared():
    class Torchs:
        defaults = {"lr": 0.001, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.01}  # noqa: RUF012

    cell = mlp()
    ours = nn.AdamWeightDecay(cell.trainable_params(), learning_rate=0.001)
    report = migrate.compare(run("mlp"), cell, optimizers=(Torchs(), ours))
    assert [c.name for c in report.causes] == ["optimizer's eps", "optimizer's weight_decay"]


def test_gradients_are_finite_differences():
    """The loss of both sides is the documented one: its slope along a random direction."""
    recorded, cell = run("one_lstm"), OneLSTM()
    report = migrate.compare(recorded, cell)
    assert report.equal
    x = recorded.inputs[0].astype(np.float64)
    direction = np.random.default_rng(1).standard_normal(x.shape)
    weights = migrate.loss_weights(0, recorded.outputs[0].shape)

    def loss(step):
        arrays = [(x + step * direction).astype(np.float32)]
        return float((migrate.run_cell(cell, arrays).outputs[0].astype(np.float64) * weights).sum())

    slope = (loss(1e-2) - loss(-1e-2)) / 2e-2
    np.testing.assert_allclose(
        (recorded.input_gradients[0] * direction).sum(), slope, rtol=1e-2, atol=1e-2
    )
