"""Layers that few networks use: against MindSpore, or where it has them not, formulas."""

import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import dtype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax.nn import probability  # noqa: F401  (nn.probability in the rows)
from sporax.nn.parameter_tuple import ParameterTuple
from tests import records
from tests.nn import rare_layer_cases as cases
from tests.nn.layer_cases import arrays, build, computed
from tests.nn.test_layers import RECORDED, ms

pytestmark = pytest.mark.usefixtures("on_numpy")


@pytest.fixture(scope="module")
def recorded():
    with np.load(RECORDED / "rare_layers.npz") as arrays:
        return dict(arrays)


@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.name)
def test_layer_computes_what_mindspore_does(case, recorded):
    start = f"{case.name}|train|"
    expected = {k.removeprefix(start): v for k, v in recorded.items() if k.startswith(start)}
    result = computed(case, True, nn, ms)
    assert result.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_allclose(result[name], array, rtol=3e-4, atol=case.atol, err_msg=name)
        assert result[name].dtype == array.dtype, name


@pytest.mark.parametrize("text", cases.PRINTED)
def test_layer_prints_as_in_mindspore(text):
    expected = records.read("rare_layers")
    assert str(eval(text, {"nn": nn, "ops": ops})) == expected[text]


@pytest.mark.parametrize(("case", "formula"), cases.FORMULAS, ids=lambda x: getattr(x, "name", ""))
def test_layer_follows_its_formula(case, formula):
    result = computed(case, True, nn, ms)
    weights = [p.asnumpy().astype(float) for p in build(case, nn, ms).trainable_params()]
    operands = weights + [a.astype(float) if a.dtype == np.float32 else a for a in arrays(case)]
    np.testing.assert_allclose(result["out"], formula(*operands), rtol=2e-5, atol=2e-6)
    names = [f"weight{i}" for i in range(len(weights))]
    names += [f"input{i}" for i in range(len(operands) - len(weights))]
    for at, name in enumerate(names):
        if name in result:
            expected = _slopes(formula, operands, at)
            np.testing.assert_allclose(result[name], expected, rtol=2e-4, atol=2e-5, err_msg=name)


def _slopes(formula, operands, at, step=1e-6):
    """The derivatives of the weighted sum of a formula's results, by differences."""

    def total(moved):
        out = np.asarray(formula(*operands[:at], moved, *operands[at + 1 :]))
        return (out * np.cos(np.arange(out.size)).reshape(out.shape)).sum()

    x = operands[at]
    slopes = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        shift = np.zeros(x.shape)
        shift[place] = step
        slopes[place] = (total(x + shift) - total(x - shift)) / (2 * step)
    return slopes


# errors ---------------------------------------------------------------------------------------

X = "ops.ones((2, 3))"
REFUSED = [
    ("nn.FocalLoss(gamma=2)", TypeError, ("'FocalLoss'", "gamma", "float")),
    (f"nn.FocalLoss()({X}, Tensor([[1, 0], [0, 1]]))", ValueError, ("(2, 3)", "(2, 2)")),
    (f"nn.MultiMarginLoss()({X}, Tensor([0]))", ValueError, ("'MultiMarginLoss'", "(1,)")),
    ("nn.MultiMarginLoss(p=3)", ValueError, ("'MultiMarginLoss'", "'p'")),
    (f"nn.MultilabelMarginLoss()({X}, Tensor([0]))", ValueError, ("'MultilabelMarginLoss'",)),
    (f"nn.MultiLabelSoftMarginLoss()({X}, ops.ones(3))", ValueError, ("target", "(3,)")),
    ("nn.TripletMarginLoss()(*[ops.ones(3)] * 3)", ValueError, ("'TripletMarginLoss'", "2 axes")),
    ("nn.TripletMarginWithDistanceLoss(margin=1)", TypeError, ("margin", "float")),
    ("nn.MultiClassDiceLoss(activation='x')", ValueError, ("'MultiClassDiceLoss'", "softmax")),
    (f"nn.MultiClassDiceLoss(ops.ones((2, 1)))({X}, {X})", ValueError, ("'weights'", "3 rows")),
    ("nn.SampledSoftmaxLoss(9, 5)", ValueError, ("'num_sampled'", "5", "9")),
    ("nn.SampledSoftmaxLoss(2, 5, sampled_values=[1])", ValueError, ("'sampled_values'", "three")),
    (f"nn.SSIM()({X}, {X})", ValueError, ("'SSIM'", "(N, C, H, W)", "(2, 3)")),
    ("nn.SSIM()(ops.ones((1, 1, 5, 5)), ops.ones((1, 1, 5, 5)))", ValueError, ("'SSIM'", "11")),
    ("nn.SSIM(max_val=0)", ValueError, ("'SSIM'", "max_val")),
    ("nn.SSIM()(Tensor([[[[1]]]]), Tensor([[[[1]]]]))", TypeError, ("'SSIM'", "Int64")),
    ("nn.MSSSIM()(ops.ones((1, 1, 64, 64)), ops.ones((1, 1, 64, 64)))", ValueError,
     ("'MSSSIM'", "halved 4 times")),
    ("nn.PSNR()(ops.ones((1, 1, 2, 2)), ops.ones((1, 1, 2, 3)))", ValueError, ("'PSNR'", "shape")),
    (f"nn.ImageGradients()({X})", ValueError, ("'ImageGradients'", "(2, 3)")),
    ("nn.LPPool1d(0, 2)(ops.ones((1, 2, 4)))", ValueError, ("'LPPool'", "'norm_type'")),
    ("nn.LPPool2d('2', 2)(ops.ones((1, 2, 4, 4)))", TypeError, ("'LPPool'", "str")),
    (f"nn.Softmax2d()({X})", ValueError, ("'Softmax2d'", "(2, 3)")),
    (f"nn.Unflatten(2, (1, 3))({X})", ValueError, ("'Unflatten'", "[-2, 2)")),
    ("nn.Unflatten(1, 3)", TypeError, ("'Unflatten'", "unflattened_size")),
    ("nn.Roll([1, 2], 0)", ValueError, ("'Roll'", "2 and 1")),
    (f"nn.BiDense(3, 4, 5)({X}, {X})", ValueError, ("'BiDense'", "(3, 4)")),
    ("nn.EmbeddingLookup(5, 3, sparse=False)", ValueError, ("'EmbeddingLookup'", "DEVICE")),
    ("nn.EmbeddingLookup(5, 3, max_norm=-1.0)", ValueError, ("'EmbeddingLookup'", "max_norm")),
    ("nn.EmbeddingLookup(5, 3)(ops.ones(2))", TypeError, ("'EmbeddingLookup'", "integers")),
    ("nn.MultiFieldEmbeddingLookup(5, 3, 2, operator='x')", ValueError, ("'MEAN'", "'x'")),
    ("nn.MultiFieldEmbeddingLookup(5, 3, 2)(*[ops.ones((1, 2))] * 3)", TypeError, ("Int32",)),
    ("nn.L1Regularizer(float('inf'))", ValueError, ("'L1Regularizer'", "finite")),
    ("nn.TimeDistributed(3, 1)", TypeError, ("'TimeDistributed'", "Cell", "int")),
    (f"nn.TimeDistributed(nn.ReLU(), 1)({X})", ValueError, ("'TimeDistributed'", "(2, 3)")),
    ("nn.TimeDistributed(nn.Flatten(0), 1, 0)(ops.ones((2, 3, 4)))", ValueError,
     ("'TimeDistributed'", "'reshape_with_axis'")),
    ("nn.GradAccumulationCell(nn.ReLU(), 0)", ValueError, ("'GradAccumulationCell'", "micro_size")),
    (f"nn.GradAccumulationCell(nn.ReLU(), 3)({X})", ValueError, ("multiple of 3", "(2, 3)")),
    ("nn.PipelineCell(nn.ReLU(), 2, {'x': 1})", KeyError, ("'PipelineCell'", "stage_config", "x")),
    ("nn.ParameterUpdate(1)", TypeError, ("'ParameterUpdate'", "Parameter")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "error", "says"), REFUSED, ids=[r[0] for r in REFUSED])
def test_wrong_use_is_refused_in_one_voice(text, error, says):
    with pytest.raises(error) as caught:
        eval(text, {"nn": nn, "ops": ops, "ms": dtype, "Tensor": Tensor})
    for part in says:
        assert part in str(caught.value)


# what is no function of numbers ---------------------------------------------------------------


def test_a_loss_draws_its_classes():
    loss = nn.SampledSoftmaxLoss(3, 6, seed=1)
    weights, biases, rows = (Tensor(np.full(n, 0.1, "f")) for n in ((6, 4), (6,), (2, 4)))
    # equal scores: the true class among itself and the three drawn, with their expectations
    out = loss(weights, biases, Tensor([1, 4]), rows)
    _, true, drawn = ops.uniform_candidate_sampler(Tensor([[1], [4]]), 1, 3, True, 6, 1, True)
    share = (1 / true.asnumpy()) / (1 / true.asnumpy() + (1 / drawn.asnumpy()).sum())
    np.testing.assert_allclose(out.asnumpy(), -np.log(share[:, 0]), rtol=1e-5)
    mean = nn.SampledSoftmaxLoss(3, 6, reduction="mean")(weights, biases, Tensor([1, 4]), rows)
    np.testing.assert_allclose(mean.asnumpy(), out.asnumpy().mean(), rtol=1e-5)


def test_rows_beyond_a_table_are_zero():
    lookup = nn.EmbeddingLookup(3, 2, "ones")
    assert lookup(Tensor([2, 3, 7])).tolist() == [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    slope = ms.grad(lambda ids: lookup(ids).sum(), None, lookup.trainable_params())
    assert slope(Tensor([2, 3, 2]))[0].tolist() == [[0.0, 0.0], [0.0, 0.0], [2.0, 2.0]]


def test_parts_of_a_pipeline():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
    cell = nn.PipelineCell(net, 2, {"0": 0, "1": 1}, {"1": 2})
    assert [net[0].pipeline_stage, net[1].pipeline_stage, net[1].pipeline_segment] == [0, 1, 2]
    x = Tensor(np.arange(8, dtype=np.float32).reshape(4, 2))
    parts = net(x[:2]) + net(x[2:])
    np.testing.assert_allclose(cell(x).asnumpy(), parts.asnumpy(), rtol=1e-6)
    reducer = nn.PipelineGradReducer(ParameterTuple(net.trainable_params()), 2.0)
    assert reducer((Tensor([3.0]),))[0].item() == 1.5


def test_a_parameter_is_updated_in_a_captured_function():
    p = Parameter(Tensor([1.0]), name="p")
    update = nn.ParameterUpdate(p)
    assert jit(lambda x: update(x) * 2)(Tensor([3.0])).item() == 6.0
    assert p.item() == 3.0


def test_a_batch_of_three_goes_through():
    class Total(nn.Cell):
        def construct(self, a, b, c):
            return a + b * c

    three = nn.VirtualDatasetCellTriple(Total())
    assert three(Tensor(1.0), Tensor(2.0), Tensor(3.0)).item() == 7.0
