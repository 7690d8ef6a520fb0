"""Connectionist temporal classification: all alignments of labels with steps, summed."""

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.index_checks.ranges import Range
from sporax._src.transforms.autodiff import stop_gradient, vjp
from sporax.ops.declare import Array, Arrays, composite, op
from sporax.ops.indexing.gather import where
from sporax.ops.nn.activation import log_softmax
from sporax.ops.operand_checks import require_shapes
from sporax.ops.shape.creation import ones_like

_REDUCTION = kinds.one_of("mean", "sum", "none")

_NONE = -1e30  # stands for log(0), with a finite derivative


def _paths(targets, target_lengths, blank, merge):
    """Return per example the labels with blanks between, and for each True if a path may stay at
    it, and True if it may be reached by skipping the one before."""
    n, s = targets.shape
    labels = jnp.where(jnp.arange(s) < target_lengths[:, None], targets, blank)
    spaced = jnp.full((n, 2 * s + 1), blank, targets.dtype).at[:, 1::2].set(labels)
    between = jnp.arange(2 * s + 1) % 2 == 0
    if not merge:
        return spaced, between, ~between
    before = jnp.pad(spaced, ((0, 0), (2, 0)), constant_values=blank)[:, :-2]
    return spaced, True, ~between & (spaced != before)


def _bounds(log_probs, targets, input_lengths, target_lengths, **_):
    if log_probs.ndim != 3 or targets.ndim != 2:
        return []
    steps, _, classes = log_probs.shape
    counts = jnp.arange(targets.shape[1]) < jnp.reshape(target_lengths, (-1, 1))
    return [
        Range(jnp.where(counts, targets, 0), classes, low=0, span="the-classes"),
        Range(input_lengths, steps + 1, low=0, span="up-to-the-number-of-steps"),
        Range(target_lengths, targets.shape[1] + 1, low=0, span="up-to-the-number-of-labels"),
    ]


def _loss(alpha, probs, targets, input_lengths, target_lengths):
    """Return each example's loss from the sums up to the last step; NaN for invalid lengths."""
    end = 2 * target_lengths[:, None].astype(jnp.int32)
    final = jnp.take_along_axis(alpha, end, 1)[:, 0]
    label = jnp.take_along_axis(alpha, jnp.maximum(end - 1, 0), 1)[:, 0]
    total = jnp.logaddexp(final, jnp.where(target_lengths > 0, label, _NONE))
    total = jnp.where(input_lengths > 0, total, jnp.where(target_lengths > 0, _NONE, 0.0))
    loss = jnp.where(total < _NONE / 2, jnp.inf, -total)
    fits = (input_lengths >= 0) & (input_lengths <= len(probs))
    fits &= (target_lengths >= 0) & (target_lengths <= targets.shape[1])
    return jnp.where(fits, loss, jnp.nan)


@op(function=(), name="ctc_loss", bounds=_bounds)
def ctc_loss_and_alphas(
    log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank=0,
    merge=True,
):  # fmt: skip
    """Return the negative logarithm of the sum over all alignments of each example; and the
    logarithms of the sums up to each step and position, `(N, T, 2 S + 1)`, not differentiable. With
    `merge` a label may last several steps, else one. Invalid lengths give NaN."""
    require_shapes(log_probs=(log_probs, "T N C"), targets=(targets, "N S"))
    are_real = not any(map(jnp.iscomplexobj, (targets, input_lengths, target_lengths)))
    require(are_real, "labels-lengths-integers")
    require(
        0 <= blank < log_probs.shape[2], "class-in-range", blank=blank, classes=log_probs.shape[2]
    )
    probs = log_probs.astype(jnp.promote_types(log_probs.dtype, jnp.float32))
    spaced, stays, skips = _paths(targets.astype(jnp.int32), target_lengths, blank, merge)
    state = jnp.arange(spaced.shape[1])[None]

    def emitted(step):
        return jnp.take_along_axis(step, spaced, 1)

    start = jnp.where(state < jnp.where(target_lengths > 0, 2, 1)[:, None], emitted(probs[0]),
                      _NONE)  # fmt: skip

    def step(carry, inputs):
        t, probs = inputs
        one = jnp.pad(carry, ((0, 0), (1, 0)), constant_values=_NONE)[:, :-1]
        two = jnp.pad(carry, ((0, 0), (2, 0)), constant_values=_NONE)[:, :-2]
        came = jnp.stack([jnp.where(stays, carry, _NONE), one, jnp.where(skips, two, _NONE)])
        alpha = jax.scipy.special.logsumexp(came, 0) + emitted(probs)
        alpha = jnp.where((t < input_lengths)[:, None], jnp.maximum(alpha, _NONE), carry)
        return alpha, alpha

    last, alphas = jax.lax.scan(step, start, (jnp.arange(1, len(probs)), probs[1:]))
    loss = _loss(last, probs, targets, input_lengths, target_lengths)
    end = 2 * target_lengths[:, None].astype(jnp.int32)
    alphas = jax.lax.stop_gradient(jnp.concatenate([start[None], alphas]).swapaxes(0, 1))
    inside = (state <= end)[:, None] & (
        jnp.arange(len(probs))[None, :, None] < input_lengths[:, None, None]
    )
    alphas = jnp.where(inside & (alphas > _NONE / 2), alphas, -jnp.inf)
    return loss.astype(log_probs.dtype), alphas.astype(log_probs.dtype)


def reduced(loss, target_lengths, reduction, zero_infinity):
    """Reduce the examples' losses; 'mean': each over its number of labels."""
    if zero_infinity:
        loss = where(loss == float("inf"), 0.0, loss)
    if reduction == "none":
        return loss
    if reduction == "sum":
        return loss.sum()
    _REDUCTION("ctc_loss", reduction=reduction)
    return (loss / target_lengths.clamp(1).astype(loss.dtype)).mean()


@composite()
def ctc_loss(
    log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean",
    zero_infinity=False,
) -> Array | Arrays:  # fmt: skip
    r"""$-\ln \sum$ over all alignments of labels with steps (Graves et al., 2006), and `log_alpha`.

    `log_probs` `(T, N, C)`, `targets` `(N, S)`, lengths `(N,)`; or, for one example, `(T, C)`,
    `(S,)` and `(1,)` or numbers. Class `blank` separates labels. `reduction`: 'mean' (each example
    over its number of labels), 'sum' or 'none'. `zero_infinity`: an example without any alignment
    gives 0. Targets beyond an example's length are ignored.

    >>> logits = ops.log_softmax(ops.zeros((2, 1, 2)))
    >>> loss, _ = ops.ctc_loss(logits, Tensor([[1]]), Tensor([2]), Tensor([1]))
    >>> round(loss.item(), 4)
    0.2877
    """
    lengths = [t if isinstance(t, Tensor) else Tensor(t) for t in (input_lengths, target_lengths)]
    for name, length in zip(("input_lengths", "target_lengths"), lengths, strict=True):
        dtype = {"argument": name, "got": length.dtype}
        is_integer = not length.dtype.is_floating_point
        require(is_integer, "integer-dtype", "ctc_loss", **dtype)
    if log_probs.ndim != 2:
        loss, alphas = ctc_loss_and_alphas(log_probs, targets, *lengths, blank)
        return reduced(loss, lengths[1], reduction, zero_infinity), alphas
    lengths = [t.reshape(1) for t in lengths]
    loss, alphas = ctc_loss_and_alphas(
        log_probs.expand_dims(1), targets.reshape(1, -1), *lengths, blank
    )
    return reduced(loss, lengths[1], reduction, zero_infinity).reshape(()), alphas[0]


@composite(
    function=(), op="ctc_loss_and_alphas",
    primitive="CTCLossV2(blank=0, reduction='none', zero_infinity=False)"
    "(log_probs, targets, input_lengths, target_lengths)",
)  # fmt: skip
def ctc_loss_v2(
    log_probs, targets, input_lengths, target_lengths, blank=0, reduction="none",
    zero_infinity=False,
) -> Arrays:  # fmt: skip
    """The losses `(N,)` of `ctc_loss` without reduction, and `log_alpha` `(N, T, 2 S + 1)`.

    >>> logits = ops.log_softmax(ops.zeros((2, 1, 2)))
    >>> losses, alphas = ops.CTCLossV2()(logits, Tensor([[1]]), Tensor([2]), Tensor([1]))
    >>> alphas.shape
    (1, 2, 3)
    """
    require(reduction == "none", "must-equal", "CTCLossV2", reduction=reduction, value="none")
    lengths = [t if isinstance(t, Tensor) else Tensor(t) for t in (input_lengths, target_lengths)]
    losses, alphas = ctc_loss_and_alphas(log_probs, targets, *lengths, blank)
    return reduced(losses, lengths[1], "none", zero_infinity), alphas


def _collapsed(indices, values):
    """Return the positions and labels without consecutive repeats."""
    rows = indices[:, 0]
    new = np.ones(len(values), bool)
    new[1:] = (values[1:] != values[:-1]) | (rows[1:] != rows[:-1])
    rows = rows[new]
    column = np.arange(len(rows)) - np.searchsorted(rows, rows)
    return np.stack([rows, column], 1), values[new]


@composite(function=(), primitive="CTCLoss(preprocess_collapse_repeated=False, "
           "ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False)"
           "(x, labels_indices, labels_values, sequence_length)",
           op="ctc_loss_and_alphas")  # fmt: skip
def ctc_loss_of_class(
    x, labels_indices, labels_values, sequence_length, preprocess_collapse_repeated=False,
    ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False,
) -> Arrays:  # fmt: skip
    """(losses, their gradient) of logits `(T, N, C)`, whose last class is the blank.

    `labels_indices` `(n, 2)`: example and position of each of `labels_values` `(n,)`, in order;
    both are read. `preprocess_collapse_repeated`: merges equal adjacent labels.
    `ctc_merge_repeated`: a label may last several steps. `ignore_longer_outputs_than_inputs`: an
    example without any alignment gives 0.

    >>> places, labels = Tensor([[0, 0]]), Tensor([0], ms.int32)
    >>> losses, slope = ops.CTCLoss()(ops.ones((2, 1, 3)), places, labels, Tensor([2], ms.int32))
    >>> slope.shape
    (2, 1, 3)
    """
    indices, values = labels_indices.asnumpy(), labels_values.asnumpy()
    if preprocess_collapse_repeated:
        indices, values = _collapsed(indices, values)
    lengths = np.bincount(indices[:, 0], minlength=x.shape[1])
    targets = np.zeros((x.shape[1], max(1, lengths.max())), np.int32)
    targets[indices[:, 0], indices[:, 1]] = values
    arguments = Tensor(targets), sequence_length, Tensor(lengths.astype(np.int32))

    def losses(x):
        nll, _ = ctc_loss_and_alphas(
            log_softmax(x, -1), *arguments, x.shape[2] - 1, ctc_merge_repeated
        )
        return reduced(nll, arguments[2], "none", ignore_longer_outputs_than_inputs)

    loss = losses(x)
    _, back = vjp(losses, stop_gradient(x))
    return loss, back(ones_like(loss))[0]
