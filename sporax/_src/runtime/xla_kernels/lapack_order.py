"""Decompositions of stacks of matrices, one after another.

jaxlib divides a stack among XLA's threads and waits for them inside one of them. A program that
runs one such decomposition on each thread at once deadlocks: on two cores, `eigh` of ten stacks of
three matrices never returns (jaxlib 0.10 and 0.11). So each one starts after the previous one has
finished. A barrier is not enough, since XLA removes barriers before it decides what runs
concurrently; instead, an operand depends on an element of the previous result.
"""

import math
from typing import Any

import jax.numpy as jnp
from jax import lax

from sporax._src.core.jax_internals import Literal

_DECOMPOSITIONS = {
    "cholesky", "cholesky_update", "eig", "eigh", "geqp3", "geqrf", "hessenberg",
    "householder_product", "lu", "ormqr", "qr", "schur", "svd", "triangular_solve", "tridiagonal",
    "tridiagonal_solve",
}  # fmt: skip


def is_of_stack(eqn):
    """Return True if an equation decomposes a stack of matrices."""
    return eqn.primitive.name in _DECOMPOSITIONS and any(
        math.prod(v.aval.shape[:-2]) > 1 for v in eqn.invars
    )


def may_wait(variable: Any):
    """Return True if an operand can be made to depend on another result."""
    is_variable = not isinstance(variable, Literal) and variable.aval.size > 0
    aval: Any = variable.aval
    return is_variable and jnp.issubdtype(aval.dtype, jnp.number)


def after(operand, result):
    """Return `operand`, with a dependency on `result`."""
    element = lax.reshape(result, (result.size,))[0]
    if jnp.issubdtype(element.dtype, jnp.complexfloating):
        element = lax.real(element)
    bits = lax.bitcast_convert_type(element, f"uint{element.dtype.itemsize * 8}")
    nothing = lax.shift_right_logical(lax.clz(bits), bits.dtype.type(7))  # at most 64 bits are 0
    return lax.select(nothing == 0, operand, lax.full_like(operand, 0))
