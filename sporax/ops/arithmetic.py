"""Arithmetic on two operands that meet in one dtype, and Tensor's operators for it."""

import functools

import jax
import jax.numpy as jnp

from sporax.core.tensor import Tensor
from sporax.engine.recorder import apply
from sporax.ops.declare import Array, attach, op

binary = functools.partial(op, promotes=True)


@binary(tensor="add(input, other)", primitive="Add()(x: input, y: other)", mint="add(input, other)")
def add(input: Array, other: Array):
    """$input + other$, broadcast together."""
    return jnp.logical_or(input, other) if input.dtype == bool else jnp.add(input, other)


@binary(tensor="sub(input, other)", primitive="Sub()(x: input, y: other)", mint="sub(input, other)")
def sub(input: Array, other: Array):
    """$input - other$, broadcast together."""
    return jnp.subtract(input, other)


@binary(tensor="mul(input, other)", primitive="Mul()(x: input, y: other)", mint="mul(input, other)")
def mul(input: Array, other: Array):
    """$input \\cdot other$, broadcast together."""
    return jnp.multiply(input, other)


@binary(tensor="div(input, other)", primitive=("Div()(x: input, y: other)", "RealDiv()(x: input, y: other)"))
def div(input: Array, other: Array):
    """$input / other$, broadcast together; integers divide to Float32."""
    if not jnp.issubdtype(input.dtype, jnp.inexact):
        input, other = input.astype(jnp.float32), other.astype(jnp.float32)
    return jnp.divide(input, other)


def operators(function, name, symbol):
    """Tensor's `a + b`, reflected and in place, for an operation without attributes."""
    bound = function.declaration.bind(())

    def forward(self, other):
        return apply(bound, self, other)

    def reflected(self, other):
        return apply(bound, other, self)

    def in_place(self, other):
        return self._rebind(apply(bound, self, other)._value)

    for method, kind in [(forward, ""), (reflected, "r"), (in_place, "i")]:
        method.__name__ = f"__{kind}{name}__"
        method.__doc__ = f"`{symbol}`"
        attach(method.__name__, method)


for _function, _name, _symbol in [
    (add, "add", "+"), (sub, "sub", "-"), (mul, "mul", "*"), (div, "truediv", "/"),
]:  # fmt: skip
    operators(_function, _name, _symbol)
