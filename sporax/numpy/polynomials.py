"""Polynomials as coefficient vectors, highest power first."""

import jax.numpy as jnp
import numpy as np

from sporax import ops
from sporax._src.diagnosis.rules import require
from sporax._src.diagnosis.sizes import check_size
from sporax.numpy.faces import Array, array_of, array_op, composite
from sporax.numpy.manipulation import concatenate
from sporax.numpy.mathematics import convolve
from sporax.ops.math.arithmetic import floating


def _coefficients(name, x, argument):
    x = array_of(x, name, argument)
    require(x.ndim <= 1, "number-vector", f"numpy.{name}", argument=argument, shape=x.shape)
    return x.reshape((-1,))


@composite(numpy=True)
def polyadd(a1, a2):
    """The sum of two polynomials.

    >>> polyadd([1, 2], [9, 5, 4]).tolist()
    [9, 6, 6]
    """
    operands = [_coefficients("polyadd", x, n) for x, n in ((a1, "a1"), (a2, "a2"))]
    short, long = sorted(operands, key=lambda p: p.size)
    ahead = long.size - short.size
    if not ahead:
        return ops.add(long, short)
    return concatenate((long[:ahead], ops.add(long[ahead:], short)))


@composite(numpy=True)
def polysub(a1, a2):
    """The difference of two polynomials.

    >>> polysub([2, 10, -2], [3, 10, -4]).tolist()
    [-1, 0, 2]
    """
    return polyadd(a1, ops.neg(_coefficients("polysub", a2, "a2")))


@composite(numpy=True)
def polymul(a1, a2):
    """The product of two polynomials.

    >>> polymul([1, 2], [1, 1]).tolist()
    [1, 3, 2]
    """
    return convolve(_coefficients("polymul", a1, "a1"), _coefficients("polymul", a2, "a2"))


@array_op("polyval(p, x)")
def _polyval(p: Array, x: Array):
    """Evaluate the polynomial `p` at each element of `x`.

    >>> _polyval(Tensor([1.0, 0.0, 1.0]), Tensor([2.0])).tolist()
    [5.0]
    """
    require(p.ndim <= 1, "number-vector", argument="p", shape=p.shape)
    return jnp.polyval(floating(jnp.atleast_1d(p)), floating(x))


def _check_order(name, m):
    require(isinstance(m, int) and m >= 0, "int-at-least", f"numpy.{name}", m=m, n=0)


@composite(numpy=True)
def polyder(p, m=1):
    """The `m`-th derivative of a polynomial.

    >>> polyder([1, 1, 1]).tolist()
    [2, 1]
    """
    p = _coefficients("polyder", p, "p")
    _check_order("polyder", m)
    for _ in range(min(m, p.size)):
        p = ops.mul(p[:-1], array_of(list(range(p.size - 1, 0, -1))).astype(p.dtype))
    return p


@composite(numpy=True)
def polyint(p, m=1, k=None):
    """The `m`-th integral of a polynomial; `k`: the integration constants, one or `m` numbers.

    >>> polyint([6.0, 2.0], k=3).tolist()
    [3.0, 2.0, 3.0]
    """
    p = _coefficients("polyint", p, "p")
    _check_order("polyint", m)
    check_size("numpy.polyint", (m + p.size,), np.dtype(np.float64), "'m'")
    constants = _coefficients("polyint", 0.0 if k is None else k, "k")
    for i in range(m):
        c = constants[min(i, constants.size - 1)] if constants.size == 1 else constants[i]
        scaled = ops.div(p, array_of(list(range(p.size, 0, -1))))
        p = concatenate((scaled, c.reshape((1,))))
    return p


@composite(numpy=True)
def vander(x: Array, N=None, increasing=False):
    """The matrix with powers of `x` as columns: from `N` - 1 to 0, or from 0 with `increasing`.

    >>> vander(Tensor([1, 2, 3]), 2).tolist()
    [[1, 1], [2, 1], [3, 1]]
    """
    x = array_of(x)
    require(x.ndim == 1, "vector", "numpy.vander", argument="x", shape=x.shape)
    N = x.size if N is None else N
    is_count = isinstance(N, int) and N > 0
    require(is_count, "int-at-least", "numpy.vander", N=N, n=1)
    powers = range(N) if increasing else range(N - 1, -1, -1)
    return ops.stack([ops.pow(x, n) if n else ops.ones_like(x) for n in powers], 1)
