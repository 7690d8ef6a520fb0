"""Decompositions of stacks of matrices, one after another.

jaxlib divides a stack among XLA's threads and waits for them inside of one of them. When a program
runs as many such decompositions at once as there are threads, all wait, and none works: on two
cores, `eigh` of ten stacks of three matrices never ends (jaxlib 0.10 and 0.11). So each one begins
when the one before it has ended. A barrier would not do: XLA removes barriers before it decides
what runs at once, so an operand depends on an element of the result before it.
"""

import math

import jax.numpy as jnp
from jax import lax

from sporax.core.jax_internals import Literal

_DECOMPOSITIONS = {
    "cholesky", "cholesky_update", "eig", "eigh", "geqp3", "geqrf", "hessenberg",
    "householder_product", "lu", "ormqr", "qr", "schur", "svd", "triangular_solve", "tridiagonal",
    "tridiagonal_solve",
}  # fmt: skip


def is_of_stack(eqn):
    """Whether an equation decomposes a stack of matrices."""
    return eqn.primitive.name in _DECOMPOSITIONS and any(
        math.prod(v.aval.shape[:-2]) > 1 for v in eqn.invars
    )


def may_wait(variable):
    """Whether an operand can depend on another result."""
    is_variable = not isinstance(variable, Literal) and variable.aval.size > 0
    return is_variable and jnp.issubdtype(variable.aval.dtype, jnp.number)


def after(operand, result):
    """The operand, once the result is there."""
    element = lax.reshape(result, (result.size,))[0]
    if jnp.issubdtype(element.dtype, jnp.complexfloating):
        element = lax.real(element)
    bits = lax.bitcast_convert_type(element, f"uint{element.dtype.itemsize * 8}")
    nothing = lax.shift_right_logical(lax.clz(bits), bits.dtype.type(7))  # at most 64 bits are 0
    return lax.select(nothing == 0, operand, lax.full_like(operand, 0))
