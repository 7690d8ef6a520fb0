"""Complex numbers: their parts, and tensors built from parts."""

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.diagnosis.rules import require
from sporax.ops.declare import PRIMITIVES, Array, attach, composite, op
from sporax.ops.math.arithmetic import floating
from sporax.ops.math.elementwise import abs as absolute
from sporax.ops.shape.reshape import swapaxes


@op(primitive="Real()(input)", tensor="real(input)", mint="real(input)")
def real(input: Array):
    """The real part; real tensors are returned unchanged.

    >>> ops.real(Tensor([1 + 2j])).asnumpy()
    array([1.])
    """
    return jnp.real(input)


@op(primitive="Imag()(input)", tensor="imag(input)", mint="imag(input)")
def imag(input: Array):
    """The imaginary part; zeros for real tensors.

    >>> ops.imag(Tensor([1 + 2j])).asnumpy()
    array([2.])
    """
    return jnp.imag(input)


@op(primitive="Conj()(input)", tensor="conj(input)")
def conj(input: Array):
    """$a - b i$ for $a + b i$; real tensors are returned unchanged.

    >>> ops.conj(Tensor([1 + 2j])).asnumpy()
    array([1.-2.j])
    """
    return jnp.conj(input)


@op(primitive="Angle()(input)", tensor="angle(input)")
def angle(input: Array):
    r"""The angle $\operatorname{atan2}(b, a)$ of $a + b i$; 0 or $\pi$ for a real number.

    >>> ops.angle(Tensor([1j, -1.0])).asnumpy()
    array([1.57079633, 3.14159265])
    """
    return jnp.angle(floating(input))


@op(primitive="Complex()(real, imag)", name="Complex", function=())
def complex_of_class(real: Array, imag: Array):
    """$a + b i$ from $a$ and $b$, both Float32 or both Float64.

    >>> ops.Complex()(Tensor([1.0]), Tensor([2.0])).asnumpy()
    array([1.+2.j], dtype=complex64)
    """
    is_pair = real.dtype == imag.dtype and real.dtype in (np.float32, np.float64)
    require(is_pair, "both-parts-float32-both")
    return jax.lax.complex(*jnp.broadcast_arrays(real, imag))  # 1j times infinity would be NaN


@op(name="Polar", primitive="Polar()(abs, angle)", mint=True)
def polar(abs: Array, angle: Array):
    r"""$r (\cos \varphi + i \sin \varphi)$ from r = `abs` and the angle.

    >>> ops.polar(Tensor([2.0]), Tensor([0.0])).asnumpy()
    array([2.+0.j], dtype=complex64)
    """
    # from its two parts: a product with 1j would turn an infinite one into NaN
    wide = jnp.promote_types(abs.dtype, jnp.float32)
    return jax.lax.complex(*[(abs * f(angle)).astype(wide) for f in (jnp.cos, jnp.sin)])


@op(name="view_as_real")
def view_as_real(input: Array):
    """The real and imaginary parts side by side on a new last axis of size 2.

    >>> ops.view_as_real(Tensor([1 + 2j])).asnumpy()
    array([[1., 2.]])
    """
    require(jnp.iscomplexobj(input), "complex", argument="input")
    return jnp.stack([jnp.real(input), jnp.imag(input)], -1)


@op(tensor="isreal(input)", differentiable=False)
def isreal(input: Array):
    """Return True where the imaginary part is zero.

    >>> ops.isreal(Tensor([1 + 0j, 1j])).asnumpy()
    array([ True, False])
    """
    return jnp.isreal(input)


@composite(tensor="adjoint", function="adjoint(x)")
def adjoint(x):
    """Swap the last two axes, and conjugate.

    >>> ops.adjoint(Tensor([[1 + 2j, 3 + 0j]])).asnumpy()
    array([[1.-2.j],
           [3.-0.j]])
    """
    swapped = swapaxes(x, -1, -2)
    return conj(swapped) if swapped.is_complex() else swapped


@composite(function=(), primitive="ConjugateTranspose()(x, perm)")
def conjugate_transpose(x, perm):
    """`x` with its axes in the order of `perm`, conjugated.

    >>> ops.ConjugateTranspose()(Tensor([[1 + 2j, 3 + 0j]]), (1, 0)).asnumpy()
    array([[1.-2.j],
           [3.-0.j]])
    """
    turned = x.permute(*perm)
    return conj(turned) if turned.is_complex() else turned


def _conjugate_transpose(self):
    """The conjugate transpose of a matrix; ValueError for another number of dimensions."""
    require(self.ndim == 2, "tensor-2-dimensions", "Tensor.H", got=self.ndim)
    return adjoint(self)


attach("H", property(_conjugate_transpose))
attach("mH", property(adjoint))
PRIMITIVES["ComplexAbs"] = type("ComplexAbs", (PRIMITIVES["Abs"],), {"__doc__": absolute.__doc__})
