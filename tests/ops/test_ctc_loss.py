"""`ctc_loss` against a sum over all paths, in float64."""

import itertools

import numpy as np
import pytest

import sporax
from sporax import nn, ops
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff import grad, value_and_grad

pytestmark = pytest.mark.usefixtures("on_numpy")

T, N, C = 4, 8, 3
RNG = np.random.default_rng(1)
LOGITS = RNG.normal(size=(T, N, C))
# what stands behind a target is not looked at: 9 and -7 are no classes
TARGETS = np.array([[1, 2, 9, 9], [1, 1, -7, -7], [1, 1, 1, 9], [2, 9, 9, 9], [9, 9, 9, 9],
                    [1, 2, 1, 2], [2, 1, 9, 9], [9, 9, 9, 9]])  # fmt: skip
STEPS = np.array([4, 4, 4, 1, 3, 4, 0, 0])
LENGTHS = np.array([2, 2, 3, 1, 0, 4, 2, 0])


def collapsed(path, blank, merge):
    """The labels that a path says, or None for one that is none."""
    kept = [c for c, _ in itertools.groupby(path)] if merge else path
    return [c for c in kept if c != blank]


def by_all_paths(scores, target, blank=0, merge=True):
    """(the loss of one example, its derivative by the logarithms of probabilities)"""
    total, slope = 0.0, np.zeros(scores.shape)
    for path in itertools.product(range(C), repeat=len(scores)):
        if collapsed(path, blank, merge) == list(target):
            share = np.exp(sum(scores[t, c] for t, c in enumerate(path)))
            total += share
            slope[range(len(path)), path] -= share
    with np.errstate(divide="ignore"):
        return -np.log(total), slope / total if total else slope


def reference(scores, blank=0, merge=True):
    losses, slopes = np.zeros(N), np.zeros(scores.shape)
    for n in range(N):
        losses[n], slopes[: STEPS[n], n] = by_all_paths(
            scores[: STEPS[n], n], TARGETS[n, : LENGTHS[n]], blank, merge
        )
    return losses, slopes


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def hard(scores):
    """With classes that cannot be, and steps that are certain."""
    scores = scores.copy()
    scores[:, 0, 1] = -np.inf
    scores[1, 1:4] = [0.0, -np.inf, -np.inf]
    return scores


SCORES = {
    "plain": log_softmax(LOGITS), "certain": hard(log_softmax(LOGITS)),
    "far apart": log_softmax(LOGITS * 200), "no probabilities": LOGITS * 0,
}  # fmt: skip


@pytest.mark.parametrize("name", SCORES)
def test_values_and_derivatives_are_those_of_all_paths(name):
    scores = SCORES[name]
    losses, slopes = reference(scores)
    args = [Tensor(TARGETS), Tensor(STEPS), Tensor(LENGTHS)]
    result = {}
    for reduction in ("none", "sum", "mean"):
        for finite in (False, True):

            def loss(x, reduction=reduction, finite=finite):
                return ops.ctc_loss(x, *args, 0, reduction, finite)[0]

            result[reduction, finite] = value_and_grad(loss)(Tensor(scores))
    for finite in (False, True):
        kept = np.where(np.isinf(losses), 0, losses) if finite else losses
        share = np.maximum(LENGTHS, 1)
        expected = {"none": (kept, 1.0), "sum": (kept.sum(), 1.0),
                  "mean": ((kept / share).mean(), (1 / share / N)[:, None])}  # fmt: skip
        for reduction, (value, factor) in expected.items():
            actual, slope = result[reduction, finite]
            np.testing.assert_allclose(actual.asnumpy(), value, 1e-7, 1e-9)
            np.testing.assert_allclose(slope.asnumpy(), slopes * factor, 1e-6, 1e-9)


def test_sums_up_to_each_step_end_with_the_target():
    scores = Tensor(SCORES["plain"])
    alphas = ops.ctc_loss(scores, Tensor(TARGETS), Tensor(STEPS), Tensor(LENGTHS))[1].asnumpy()
    assert alphas.shape == (N, T, 2 * TARGETS.shape[1] + 1)
    for n in range(N):
        assert np.all(alphas[n, STEPS[n] :] == -np.inf)
        assert np.all(alphas[n, :, 2 * LENGTHS[n] + 1 :] == -np.inf)
    total = np.logaddexp(*alphas[0, 3, 3:5])
    np.testing.assert_allclose(-total, reference(SCORES["plain"])[0][0])


def test_lengths_are_integers():
    with pytest.raises(TypeError, match="'target_lengths' must be integers, but got Float32"):
        ops.ctc_loss(Tensor(LOGITS[:, :1]), Tensor([[1, 2]]), Tensor([4]), (0.5,))


@pytest.mark.parametrize("steps, lengths", [([5], [1]), ([-1], [1]), ([4], [3]), ([4], [-1])])
def test_lengths_that_cannot_be_are_refused_or_give_nan(steps, lengths):
    args = Tensor(LOGITS[:, :1]), Tensor([[1, 2]]), Tensor(steps), Tensor(lengths)
    with pytest.raises(IndexError, match="_lengths' must be in"):
        ops.ctc_loss(*args)[0].asnumpy()
    sporax.set_context(check_indices=False)
    try:
        loss, _ = ops.ctc_loss(*args, reduction="none")
        assert np.isnan(loss.asnumpy()).all()
    finally:
        sporax.set_context(check_indices=True)


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_one_example_needs_no_axis_for_it(reduction):
    scores, target = SCORES["plain"][:, 0], np.array([1, 2])
    value, slope = by_all_paths(scores, target)
    value, slope = (value / 2, slope / 2) if reduction == "mean" else (value, slope)
    layer = nn.CTCLoss(reduction=reduction)
    for lengths in (([4], [2]), (Tensor([4]), Tensor([2])), (4, 2)):
        result = value_and_grad(lambda x, n=lengths: layer(x, Tensor(target), *n))(Tensor(scores))
        assert result[0].shape == ()
        np.testing.assert_allclose(result[0].asnumpy(), value)
        np.testing.assert_allclose(result[1].asnumpy(), slope, 1e-6, 1e-9)


def test_half_precision_is_computed_in_single():
    scores = SCORES["plain"].astype(np.float16)
    args = [Tensor(TARGETS), Tensor(STEPS), Tensor(LENGTHS)]
    value, slope = value_and_grad(lambda x: ops.ctc_loss(x, *args, 0, "none")[0])(Tensor(scores))
    losses, slopes = reference(scores.astype(float))
    np.testing.assert_allclose(value.asnumpy(), losses, 1e-3)
    np.testing.assert_allclose(slope.asnumpy(), slopes, 2e-3, 2e-3)


@pytest.mark.parametrize("collapse", [False, True])
@pytest.mark.parametrize("merge", [True, False])
def test_the_class_has_the_last_class_as_its_blank_and_its_own_gradient(merge, collapse):
    """Of logits; labels come as places and values."""
    logits = LOGITS[:, :3]
    rows = [[0, 1], [0, 0], [1]]
    places = np.array([[n, i] for n, row in enumerate(rows) for i in range(len(row))])
    values = np.array([c for row in rows for c in row])
    steps = np.array([4, 4, 2])
    loss, slope = ops.CTCLoss(collapse, merge)(
        Tensor(logits), Tensor(places), Tensor(values), Tensor(steps)
    )
    for n, row in enumerate(rows):
        expected = [c for c, _ in itertools.groupby(row)] if collapse else row
        scores = log_softmax(logits[: steps[n], n])
        value, by_scores = by_all_paths(scores, expected, C - 1, merge)
        by_logits = by_scores - np.exp(scores) * by_scores.sum(-1, keepdims=True)
        np.testing.assert_allclose(loss.asnumpy()[n], value)
        np.testing.assert_allclose(slope.asnumpy()[: steps[n], n], by_logits, 1e-6, 1e-9)
        assert not slope.asnumpy()[steps[n] :, n].any()


def test_the_gradient_by_logits_is_that_of_the_fused_form():
    """Through `log_softmax` it is softmax - posterior, as MindSpore and PyTorch have it."""
    args = [Tensor(TARGETS), Tensor(STEPS), Tensor(LENGTHS)]
    slope = grad(lambda x: ops.ctc_loss(ops.log_softmax(x, -1), *args, 0, "sum")[0])
    _, slopes = reference(SCORES["plain"])
    expected = slopes - np.exp(SCORES["plain"]) * slopes.sum(-1, keepdims=True)
    np.testing.assert_allclose(slope(Tensor(LOGITS)).asnumpy(), expected, 1e-6, 1e-9)
