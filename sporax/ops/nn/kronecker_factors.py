"""Kronecker factors of layers' Fisher matrices, their inverses, and preconditioned gradients.

For a layer $y = W a$ with the gradient $d$ of an example's loss with respect to $y$, the Fisher
matrix of $W$ is about $A \\otimes G$ with $A = E[a a^\\top]$, $G = E[d d^\\top]$ (Martens and
Grosse, 2015). A convolution has an $a$, the window, and a $d$ at each of $T$ positions; both means
include the positions, and the Fisher matrix is about $T A \\otimes G$ (Grosse and Martens, 2016).
"""

import functools
import itertools

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy.linalg import solve_triangular

from sporax._src.runtime.engine.operation import Op

BLOCK = 128  # for larger factors, diagonal blocks of this size are inverted (THOR, 2021)


def _without_derivative(name, fn):
    op = Op(name, fn)
    op.stops_gradient = True
    return op


def _mean_product(columns):
    """`(..., n, m)` -> `(..., n, n)`: the mean outer product of the m columns."""
    columns = columns.astype(jnp.promote_types(columns.dtype, jnp.float32))
    product = jnp.matmul(columns, columns.mT, precision=lax.Precision.HIGHEST)
    return product / columns.shape[-1]


def _of_planes(x, group):
    """Return the factor of an image `(N, C, *)`: `(C, C)`, or one for each group of channels."""
    n, c, *_ = x.shape
    channels = x.reshape(n, group, c // group, -1).transpose(1, 2, 0, 3)
    factors = _mean_product(channels.reshape(group, c // group, -1))
    return factors if group > 1 else factors[0]


factor_of_rows = _without_derivative(
    "KroneckerFactor", lambda x: _mean_product(x.reshape(-1, x.shape[-1]).T)
)


@functools.cache
def factor_of_planes(group):
    return _without_derivative("KroneckerFactor", lambda x: _of_planes(x, group))


@functools.cache
def factor_of_windows(kernel, stride, dilation, around, group):
    """Return the factor of a convolution's windows; `around`: the padding of each axis."""

    def run(x):
        x = jnp.pad(x, ((0, 0), (0, 0), *around))
        counts = [
            (n - (k - 1) * d - 1) // s + 1
            for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True)
        ]
        seen = []  # slices: concurrent convolutions of XLA:CPU can deadlock
        for offset in itertools.product(*map(range, kernel)):
            steps = zip(offset, dilation, counts, stride, strict=True)
            along = [slice(i * d, i * d + (n - 1) * s + 1, s) for i, d, n, s in steps]
            seen.append(x[..., *along])
        n, c, *_ = x.shape
        windows = jnp.stack(seen, 2).reshape(n, c * len(seen), *counts)
        return _of_planes(windows, group)

    return _without_derivative("KroneckerFactor", run)


@functools.cache
def counts_of_indices(size):
    """Count each of `size` indices: the diagonal of an embedding's A, times rows."""
    return _without_derivative(
        "KroneckerFactor",
        lambda ids: jnp.zeros(size, jnp.float32).at[ids.reshape(-1)].add(1, mode="drop"),
    )


def _inverse(matrix, damping):
    eye = jnp.eye(matrix.shape[-1], dtype=matrix.dtype)
    root = jnp.linalg.cholesky(matrix + damping * eye)
    root = solve_triangular(root, jnp.broadcast_to(eye, root.shape), lower=True)
    return jnp.matmul(root.mT, root, precision=lax.Precision.HIGHEST)


def blocks_of(size):
    """Return (number of diagonal blocks of a factor of this size, their size)."""
    return (1, size) if size <= BLOCK else (-(-size // BLOCK), BLOCK)


def _block_inverses(matrix, damping):
    """`(..., n, n)` -> `(..., count, size, size)`; the last block is padded with zeros."""
    if matrix.ndim > 2:
        return jax.vmap(_block_inverses, (0, None))(matrix, damping)
    count, size = blocks_of(len(matrix))
    filled = jnp.pad(matrix, (0, count * size - len(matrix)))
    blocks = filled.reshape(count, size, count, size)
    return _inverse(blocks[jnp.arange(count), :, jnp.arange(count)], damping)


def _invert_factors(a, g, damping, count, g_scale):
    """`count`: T. The damping is split so that $T A \\otimes G$ gets `damping` itself."""
    count = count.reshape(())
    damping = jnp.sqrt(damping / count)
    share = jnp.sqrt(1 / count)
    return (
        _block_inverses(a, damping) * share,
        _block_inverses(g * g_scale, damping) * share,
    )


def _invert_counts(counts, g, damping, examples, g_scale):
    """`counts`: of the tokens in `examples` examples, the diagonal of $T A$."""
    damping = jnp.sqrt(damping)
    return 1 / (counts / examples + damping), _inverse(g * g_scale, damping)


def _times_blocks(blocks, x):
    """Multiply the matrix with these diagonal blocks by `x` `(n, m)`."""
    count, size, _ = blocks.shape
    filled = jnp.pad(x, ((0, count * size - len(x)), (0, 0))).reshape(count, size, -1)
    return jnp.matmul(blocks, filled, precision=lax.Precision.HIGHEST).reshape(count * size, -1)[
        : len(x)
    ]


def _precondition(grad, a_inverse, g_inverse):
    def one(grad, a_inverse, g_inverse):
        left = _times_blocks(g_inverse, grad)
        return _times_blocks(a_inverse, left.T).T

    group = len(a_inverse) if a_inverse.ndim > 3 else 1
    matrix = grad.reshape(group, grad.shape[0] // group, -1)
    if a_inverse.ndim == 3:
        return one(matrix[0], a_inverse, g_inverse).reshape(grad.shape)
    return jax.vmap(one)(matrix, a_inverse, g_inverse).reshape(grad.shape)


def _precondition_table(grad, a_inverse, g_inverse):
    return jnp.matmul(a_inverse[:, None] * grad, g_inverse, precision=lax.Precision.HIGHEST)


def _precondition_scale(grad, damping, examples):
    """Precondition by the diagonal of the Fisher matrix, approximated by the squared gradient."""
    return grad / (grad * grad / examples + jnp.sqrt(damping))


invert_factors = _without_derivative("InvertFactors", _invert_factors)
invert_counts = _without_derivative("InvertFactors", _invert_counts)
precondition = _without_derivative("Precondition", _precondition)
precondition_table = _without_derivative("Precondition", _precondition_table)
precondition_scale = _without_derivative("Precondition", _precondition_scale)
