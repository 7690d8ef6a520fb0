"""Fourier transforms and singular values."""

import jax.numpy as jnp

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import Array, Arrays, composite, op
from sporax.ops.math.arithmetic import at_least_single, floating
from sporax.ops.operand_checks import require_shapes

_SCALES = "backward", "forward", "ortho"
_SCALE = kinds.one_of(*_SCALES)


@op(
    primitive="FFTWithSize(signal_ndim, inverse, real, norm='backward', onesided=True, "
    "signal_sizes=())(x)",
    function=(),
)
def fft_with_size(
    x: Array, signal_ndim, inverse, real, norm="backward", onesided=True, signal_sizes=()
):
    """Compute the discrete Fourier transform of the last `signal_ndim` axes, or its inverse.

    `real`: the input, or with `inverse` the output, is real; `onesided`: the last axis of its
    spectrum then has only the n // 2 + 1 distinct frequencies, and `signal_sizes` gives the sizes
    of the signal. `norm`: the direction that divides by the number of elements ('ortho': both, by
    its square root).

    >>> ops.FFTWithSize(1, False, True)(Tensor([1.0, 2.0, 3.0, 4.0])).asnumpy()
    array([10.+0.j, -2.+2.j, -2.+0.j], dtype=complex64)
    """
    fits = signal_ndim in (1, 2, 3) and x.ndim >= signal_ndim
    require(fits, "1-2-3-at-most", signal_ndim=signal_ndim, ndim=x.ndim)
    _SCALE(None, norm=norm)
    axes = tuple(range(-signal_ndim, 0))
    require(all(x.shape[axis] for axis in axes), "last-axes-x-at-least", signal_ndim=signal_ndim)
    complex_ = jnp.issubdtype(x.dtype, jnp.complexfloating)
    if complex_ == (real and not inverse):
        rule = "complex64-complex128" if inverse or not real else "real-numbers"
        raise rejection(rule, error=TypeError, x=x.dtype)
    if real and onesided:
        if not inverse:
            return jnp.fft.rfftn(x, axes=axes, norm=norm)
        sizes = tuple(signal_sizes) or None
        require(sizes or x.shape[-1] > 1, "last-axis-at-least-2", shape=x.shape)
        return jnp.fft.irfftn(x, sizes, axes=axes, norm=norm)
    out = (jnp.fft.ifftn if inverse else jnp.fft.fftn)(x, axes=axes, norm=norm)
    return out.real if real and inverse else out


@op(function=(), name="svd")
def svdvals(input: Array):
    """Return the singular values of each matrix, in descending order."""
    return jnp.linalg.svd(at_least_single(input), compute_uv=False).astype(floating(input).dtype)


@op(function=(), name="svd")
def svd_with_vectors(input: Array, full_matrices=False) -> Arrays:
    """As `svd`."""
    u, s, v = jnp.linalg.svd(at_least_single(input), full_matrices)
    factors = s, u, jnp.conj(jnp.swapaxes(v, -1, -2))
    return tuple([x.astype(floating(input).dtype) for x in factors])


@composite(tensor=True, primitive="Svd(full_matrices=False, compute_uv=True)(a: input)")
def svd(input, full_matrices=False, compute_uv=True):
    r"""$A = u \, diag(s) \, v^H$ of each matrix `(*, m, n)`: (s, u, v), or s if not `compute_uv`.

    `full_matrices`: u and v are square; differentiable only without it.

    >>> ops.svd(Tensor([[3.0, 0.0], [0.0, 2.0]]), compute_uv=False).asnumpy()
    array([3., 2.], dtype=float32)
    """
    require_shapes("svd", input=(input, "... M N"))
    return svd_with_vectors(input, full_matrices) if compute_uv else svdvals(input)
