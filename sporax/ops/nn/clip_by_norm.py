"""Tensors scaled by their norms."""

import jax
import jax.numpy as jnp

from sporax._src.core.tree import map_tensors, tensors_of
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import Array, Arrays, composite, op
from sporax.ops.indexing.gather import where
from sporax.ops.math.arithmetic import div, floating, minimum, mul
from sporax.ops.math.reduction import axes
from sporax.ops.math.statistics import norm
from sporax.ops.shape.joining import stack
from sporax.ops.shape.zero_dimensional import of_any_rank


@op(primitive="L2Normalize(axis=0, epsilon=1e-4)(input_x: input)")
def l2_normalize(input: Array, axis=0, epsilon=1e-4):
    r"""$x / \sqrt{\max(\sum_i x_i^2, \epsilon)}$, summed along `axis`.

    >>> ops.L2Normalize()(Tensor([3.0, 4.0])).asnumpy()
    array([0.6, 0.8], dtype=float32)
    """
    x = floating(input)
    square = jnp.sum(x * x, axes(axis), keepdims=True)
    return x / jnp.sqrt(jnp.maximum(square, epsilon))


@op(primitive="LpNorm(axis, p=2, keep_dims=False, epsilon=1e-12)(input)")
@of_any_rank
def lp_norm(input: Array, axis, p=2, keep_dims=False, epsilon=1e-12):
    r"""$\max((\sum_i |x_i|^p)^{1/p}, \epsilon)$ along `axis`.

    >>> ops.LpNorm(0)(Tensor([3.0, 4.0])).asnumpy()
    array(5., dtype=float32)
    """
    x = jnp.abs(floating(input))
    largest = jax.lax.stop_gradient(jnp.max(x, axes(axis), keepdims=True, initial=0))
    unit = 1 if p <= 2 else jnp.where(largest > 0, largest, 1)  # x**p may underflow
    x = x / unit
    total = jnp.sum(x * x if p == 2 else x**p, axes(axis), keepdims=True)
    zero = total == 0  # where a root has no derivative
    total = jnp.where(zero, 1, total)
    root = jnp.sqrt(total) if p == 2 else total ** (1 / p)
    root = jnp.where(zero, 0, root * unit)
    root = root if keep_dims else root.squeeze(axes(axis))
    return jnp.maximum(root, epsilon)


@op(name="clip_by_global_norm")
def global_norm(tensors: Arrays):
    """The Euclidean norm of all elements of a tuple of Tensors together: at least Float32.

    >>> ops.global_norm((Tensor([3.0]), Tensor([4.0]))).asnumpy()
    array(5., dtype=float32)
    """
    kind = jnp.result_type(jnp.float32, *tensors)
    total = jnp.zeros((), kind)
    for x in tensors:
        total = total + jnp.sum(jnp.square(x.astype(kind)))
    zero = total == 0
    return jnp.where(zero, 0, jnp.sqrt(jnp.where(zero, 1, total)))


@composite()
def clip_by_global_norm(x, clip_norm=1.0, use_norm=None) -> Arrays:
    """Scale the Tensors of a tuple or list down together so that their joint Euclidean norm is at
    most `clip_norm`.

    >>> [t.asnumpy() for t in ops.clip_by_global_norm((Tensor([3.0]), Tensor([4.0])), 1.0)]
    [array([0.6], dtype=float32), array([0.8], dtype=float32)]
    """
    require(clip_norm > 0, "greater-than", "clip_by_global_norm", clip_norm=clip_norm, n=0)
    length = global_norm(tuple(tensors_of(x))) if use_norm is None else use_norm
    return tuple(_at_most(t, length, clip_norm) for t in tensors_of(x))


def _at_most(t, length, bound):
    return where(length > bound, mul(t, div(bound, length)), t).astype(t.dtype)


@composite(tensor=True, primitive="Renorm(p, dim: axis, maxnorm)(input)")
def renorm(input, p, axis, maxnorm):
    """Scale each slice along `axis` down so that its `p`-norm is at most `maxnorm`.

    >>> ops.renorm(Tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0).asnumpy()
    array([[0.6, 0.8],
           [0.3, 0.4]], dtype=float32)
    """
    is_axis, interval = -input.ndim <= axis < input.ndim, f"[{-input.ndim}, {input.ndim})"
    require(is_axis, "in-interval", "renorm", axis=axis, interval=interval)
    others = tuple(dim for dim in range(input.ndim) if dim != axis % input.ndim)
    return _at_most(input, lp_norm(input, others, p, True) if others else input.abs(), maxnorm)


@composite()
def clip_by_norm(x, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Scale a Tensor, or the Tensors of a tuple or list together, to a norm of at most `max_norm`.

    `norm_type`: the norm, as in `ops.norm` for vectors. `error_if_nonfinite`: raise RuntimeError if
    the norm is infinite or NaN.

    >>> ops.clip_by_norm(Tensor([3.0, 4.0]), 1.0).asnumpy().round(3)
    array([0.6, 0.8], dtype=float32)
    """
    lengths = [norm(t.reshape((-1,)), norm_type, 0) for t in tensors_of(x)]
    length = norm(stack(lengths), norm_type, 0)
    if error_if_nonfinite and not bool(length.isfinite()):
        raise rejection("norm-finite", "clip_by_norm", got=length.item())
    factor = minimum(div(max_norm, length + 1e-6), 1.0)
    return map_tensors(lambda t: mul(t, factor).astype(t.dtype), x)


@composite()
def make_range(start, limit=None, delta=1) -> tuple:
    """The ints `start, start + delta, ...` before `limit`, a tuple; with one argument, from 0.

    >>> ops.make_range(1, 7, 2)
    (1, 3, 5)
    """
    return tuple(range(start) if limit is None else range(start, limit, delta))
