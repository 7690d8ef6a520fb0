"""Norms and distances."""

import jax.numpy as jnp

from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, composite, op
from sporax.ops.operand_checks import require_shapes


def _power(d, p):
    """The p-norm of differences over the last axis, with a zero gradient at zero."""
    size = jnp.abs(d)
    if p == float("inf"):
        return size.max(-1)
    if p == 0:
        return jnp.where(jnp.isnan(size), size, size != 0).sum(-1)
    total = (size**p).sum(-1)
    zero = total == 0
    return jnp.where(zero, 0, jnp.where(zero, 1, total) ** (1 / p))


@op(primitive="Cdist(p=2.0)(x1, x2)")
def cdist(x1: Array, x2: Array, p=2.0):
    """The `p`-norm distances between the rows of `(*, n, k)` and of `(*, m, k)`: `(*, n, m)`.

    >>> ops.cdist(Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]])).tolist()
    [[5.0]]
    """
    require_shapes(x1=(x1, "... n k"), x2=(x2, "... m k"))
    require(p >= 0, "at-least", p=p, n=0)
    return _power(x1[..., :, None, :] - x2[..., None, :, :], p)


@composite(function=(), name="cdist",
    mint="cdist(x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary')")  # fmt: skip
def cdist_of_mint(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """As `ops.cdist`; `compute_mode`: ignored, all give the same.

    >>> mint.cdist(Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]])).asnumpy()
    array([[5.]], dtype=float32)
    """
    return cdist(x1, x2, p)


@op(primitive="Pdist(p=2.0)(x: input)")
def pdist(input: Array, p=2.0):
    """The `p`-norm distances between all pairs of rows of `(n, k)`, in the order of the rows.

    >>> ops.pdist(Tensor([[0.0, 0.0], [3.0, 4.0]])).tolist()
    [5.0]
    """
    require_shapes(input=(input, "n k"))
    require(p >= 0, "at-least", p=p, n=0)
    first, second = jnp.triu_indices(input.shape[0], 1)
    return _power(input[first] - input[second], p)


@op(promotes=True)
def dist(input: Array, other: Array, p=2):
    """The `p`-norm of all elements of $input - other$, broadcast together.

    >>> ops.dist(Tensor([0.0, 0.0]), Tensor([3.0, 4.0])).item()
    5.0
    """
    return _power((input - other).reshape(-1), p)


@op(promotes=True)
def cosine_similarity(x1: Array, x2: Array, dim=1, eps=1e-8):
    r"""$x_1 \cdot x_2 / (\max(\|x_1\|, \epsilon) \max(\|x_2\|, \epsilon))$ along `dim`.

    >>> ops.cosine_similarity(Tensor([[3.0, 4.0]]), Tensor([[3.0, 0.0]])).asnumpy()
    array([0.6], dtype=float32)
    """
    x1, x2 = jnp.broadcast_arrays(x1, x2)
    lengths = [_power(jnp.moveaxis(x, dim, -1), 2) for x in (x1, x2)]
    below = jnp.maximum(lengths[0], eps) * jnp.maximum(lengths[1], eps)
    return (x1 * x2).sum(dim) / below
