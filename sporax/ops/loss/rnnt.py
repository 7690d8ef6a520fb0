"""The transducer loss (Graves, 2012), over all ways to emit the labels between time steps."""

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, Arrays, op
from sporax.ops.math.arithmetic import at_least_single
from sporax.ops.operand_checks import require_integers, require_shapes


def _costs(acts, labels, input_lengths, label_lengths, blank):
    """-ln P(labels | acts), one for each example."""
    scores = jax.nn.log_softmax(at_least_single(acts), -1)
    batch, times, positions, _ = acts.shape
    skip = scores[..., blank]
    emit = jnp.take_along_axis(scores[:, :, : positions - 1], labels[:, None, :, None], -1)[..., 0]
    nothing = jnp.finfo(scores.dtype).min / 2  # finite, so that its derivative is, too
    emit = jnp.pad(emit, [(0, 0), (0, 0), (1, 0)], constant_values=nothing)  # into position u
    u = jnp.arange(positions)
    last_time, last_position = input_lengths - 1, label_lengths

    def along(diagonal, table, shift):
        """Return the elements of `table` at the times `diagonal - u - shift`."""
        t = diagonal - u - shift
        seen = jnp.take_along_axis(table, jnp.clip(t, 0, times - 1)[None, None, :], 1)[:, 0]
        return jnp.where((t >= 0) & (t < times), seen, nothing)

    def step(carried, diagonal):
        reached, result = carried
        waited = reached + along(diagonal, skip, 1)
        before = jnp.pad(reached[:, :-1], [(0, 0), (1, 0)], constant_values=nothing)
        reached = jnp.maximum(jnp.logaddexp(waited, before + along(diagonal, emit, 0)), nothing)
        is_end = (diagonal == last_time + last_position)[:, None] & (u == last_position[:, None])
        return (reached, jnp.where(is_end, reached, result)), None

    start = jnp.where(u == 0, jnp.zeros((batch, positions), scores.dtype), nothing)
    is_end = (last_time + last_position == 0)[:, None] & (u == 0)
    carried = start, jnp.where(is_end, start, nothing)
    (_, result), _ = lax.scan(step, carried, jnp.arange(1, times + positions - 1))
    ends = jnp.take_along_axis(result, last_position[:, None], 1)[:, 0]
    rows = jnp.arange(batch)
    return -(ends + skip[rows, last_time, last_position])


@op(primitive="RNNTLoss(blank_label=0)(acts, labels, input_lengths, label_lengths)", function=())
def rnnt_loss(
    acts: Array, labels: Array, input_lengths: Array, label_lengths: Array, blank_label=0
) -> Arrays:
    r"""$-\ln P(labels \mid acts)$ `(B,)`, and its gradient with respect to `acts`.

    At time t and after u labels, the softmax of `acts[b, t, u]` `(B, T, U, V)` is the probability
    of each next label, or of `blank_label`, which advances to the next time. `labels`: `(B, U -
    1)`; `input_lengths`, `label_lengths`: `(B,)`, the lengths of T and of U - 1 that each example
    uses.

    >>> numbers = [Tensor([n], sporax.int32) for n in ([1], 2, 1)]
    >>> costs, grads = ops.RNNTLoss()(ops.zeros((1, 2, 2, 2)), *numbers)
    >>> costs.asnumpy().round(4), grads.shape
    (array([1.3863], dtype=float32), (1, 2, 2, 2))
    """
    require_shapes(
        acts=(acts, "B T U V"), input_lengths=(input_lengths, "B"),
        label_lengths=(label_lengths, "B"),
    )  # fmt: skip
    shape = acts.shape[0], acts.shape[2] - 1
    require(labels.shape == shape, "shape-shape-size", labels=labels.shape, shape=shape)
    require_integers(labels=labels, input_lengths=input_lengths, label_lengths=label_lengths)
    is_class, interval = 0 <= blank_label < acts.shape[3], f"[0, {acts.shape[3]})"
    require(is_class, "in-interval", blank_label=blank_label, interval=interval)
    args = labels, input_lengths, label_lengths, blank_label
    costs, pullback = jax.vjp(lambda x: _costs(x, *args), acts)
    (grads,) = pullback(jnp.ones_like(costs))
    return costs.astype(acts.dtype), grads
