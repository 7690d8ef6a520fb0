r"""Bessel functions of order 0 and 1, element by element, computed in float64.

Sums replace integrals: for smooth periodic, or rapidly decaying, integrands the trapezoidal rule is
effectively exact with a few dozen points. So JAX can differentiate every formula.
"""

import math

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np

from sporax.ops.declare import Array, op
from sporax.ops.math.arithmetic import floating

_FAR = 25.0  # from here on the asymptotic series of J and Y are exact to the last digits
_TERMS = 20  # number of terms of these series
_NEAR = 2.0  # the power series of K are exact up to here
_POINTS = 128  # points of the sums for J and Y, which need J_n to n = 62, with error J_(128 - n)
_STEPS = 40  # points of the sums for K

# J and Y near zero ------------------------------------------------------------------------------

# $J_n(x)$ is the n-th Fourier coefficient of $\cos(x \sin t)$ (n even) or $\sin(x \sin t)$ (n odd)
_ANGLES = (np.arange(_POINTS // 4) + 0.5) * 2 * np.pi / _POINTS  # a quarter of the circle
_SINES = np.sin(_ANGLES)


def _wave(n):
    """Return the weights of cos(x sin t), or sin(x sin t), that give J_n."""
    return (np.cos if n % 2 == 0 else np.sin)(n * _ANGLES) * 4 / _POINTS


_J = [_wave(0), _wave(1)]
# Neumann's series: $Y$ without its logarithm (and pole), in terms of $J_2, J_4, ...$ or $J_3, ...$
_REST = [
    -4 / np.pi * sum((-1) ** k / k * _wave(2 * k) for k in range(1, 32)),
    -2 / np.pi * sum(
        (-1) ** k * (2 * k + 1) / (k * (k + 1)) * _wave(2 * k + 1) for k in range(1, 32)
    ),
]  # fmt: skip


def _sum(order, weights, x):
    return ((jnp.sin if order else jnp.cos)(x[..., None] * _SINES) * weights).sum(-1)


# J and Y far out --------------------------------------------------------------------------------


def _expansion(order):
    """Return the coefficients of Hankel's series in 1/x."""
    terms = [1.0]
    for k in range(1, _TERMS):
        terms.append(terms[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k))
    return terms


def _far(order, x):
    """$(J, Y)$ for large x."""
    signed = [(-1) ** (k // 2) * a for k, a in enumerate(_expansion(order))]
    y = 1 / (x * x)
    p, q = jnp.polyval(np.array(signed[-2::-2]), y), jnp.polyval(np.array(signed[-1::-2]), y) / x
    phase, size = x - (2 * order + 1) * np.pi / 4, jnp.sqrt(2 / (np.pi * x))
    c, s = jnp.cos(phase), jnp.sin(phase)
    return size * (p * c - q * s), size * (p * s + q * c)


def _j(order, x):
    size = jnp.abs(x)
    is_far = size > _FAR
    near = _sum(order, _J[order], jnp.where(is_far, 0.0, x))
    far, _ = _far(order, jnp.where(is_far, size, 2 * _FAR))
    return jnp.where(is_far, jnp.sign(x) * far if order else far, near)


def _y(order, x):
    is_far = x > _FAR
    inside = jnp.where(is_far, 1.0, x)
    shift = np.euler_gamma - order
    near = 2 / np.pi * (jnp.log(inside / 2) + shift) * _sum(order, _J[order], inside)
    near = near + _sum(order, _REST[order], inside)
    if order:
        near = near - 2 / (np.pi * inside) * _sum(0, _J[0], inside)
    _, far = _far(order, jnp.where(is_far, x, 2 * _FAR))
    return jnp.where(is_far, far, jnp.where(x == 0, -jnp.inf, near))


# I ----------------------------------------------------------------------------------------------

_SCALED = (special.i0e, special.i1e)


def _i(order, x):
    """$I_n(x) = i^{-n} J_n(ix)$, so the sums are the same as for J; smooth at zero."""
    is_far = jnp.abs(x) > _FAR
    waves = (jnp.sinh if order else jnp.cosh)(jnp.where(is_far, 0.0, x)[..., None] * _SINES)
    outside = jnp.where(is_far, x, 2 * _FAR)
    far = jnp.exp(jnp.abs(outside)) * _SCALED[order](outside)
    return jnp.where(is_far, far, (waves * _J[order]).sum(-1))


# K ----------------------------------------------------------------------------------------------

_SERIES = [
    [(1 / math.factorial(k) ** 2, sum(1 / i for i in range(1, k + 1))) for k in range(14)],
    [
        (
            1 / (math.factorial(k) * math.factorial(k + 1)),
            (sum(1 / i for i in range(1, k + 1)) + sum(1 / i for i in range(1, k + 2))) / 2,
        )
        for k in range(14)
    ],
]


def _k_near(order, x):
    """K by its power series; `x` at most 2."""
    y, log = x * x / 4, jnp.log(x / 2) + np.euler_gamma
    coefficients, weighted = (np.array(c)[::-1] for c in _columns(order))
    total = jnp.polyval(weighted, y) - log * jnp.polyval(coefficients, y)
    return total if order == 0 else 1 / x - x / 2 * total


def _columns(order):
    return zip(*[(a, a * h) for a, h in _SERIES[order]], strict=True)


def _ke_far(order, x):
    """The integral of exp(-x (cosh t - 1)) cosh(order t) over t > 0; `x` at least 2."""
    end = 2 * jnp.arcsinh(jnp.sqrt(20 / x))  # where the exponent is -40
    step = jax.lax.stop_gradient(end) / _STEPS
    rise = 2 * jnp.sinh(step[..., None] * (np.arange(_STEPS + 1) / 2)) ** 2  # cosh t - 1
    heights = jnp.exp(-x[..., None] * rise) * (1 + rise) ** order
    return step * (heights.sum(-1) - heights[..., 0] / 2)


def _k(order, x, scaled):
    is_near = x <= _NEAR
    inside, outside = jnp.where(is_near, x, 1.0), jnp.where(is_near, 3.0, jnp.minimum(x, 1e300))
    near, far = _k_near(order, inside), _ke_far(order, outside)
    if scaled:
        near = near * jnp.exp(inside)
    else:
        far = far * jnp.exp(-outside)
    return jnp.where(is_near, jnp.where(x == 0, jnp.inf, near), far)


# the operations ---------------------------------------------------------------------------------

# name, function, formula, its value at 1
_FUNCTIONS = [
    ("i0", lambda x: _i(0, x), r"$I_0(x) = \frac1\pi \int_0^\pi e^{x \cos t} dt$", "1.2660658"),
    ("i0e", special.i0e, "$e^{-|x|} I_0(x)$", "0.4657596"),
    ("i1", lambda x: _i(1, x), "$I_1(x) = I_0'(x)$", "0.5651591"),
    ("i1e", special.i1e, "$e^{-|x|} I_1(x)$", "0.20791042"),
    ("j0", lambda x: _j(0, x), r"$J_0(x) = \frac1\pi \int_0^\pi \cos(x \sin t) dt$", "0.7651977"),
    ("j1", lambda x: _j(1, x), "$J_1(x) = -J_0'(x)$", "0.44005057"),
    ("k0", lambda x: _k(0, x, False), r"$K_0(x) = \int_0^\infty e^{-x \cosh t} dt$", "0.42102444"),
    ("k0e", lambda x: _k(0, x, True), "$e^x K_0(x)$", "1.1444631"),
    ("k1", lambda x: _k(1, x, False), "$K_1(x) = -K_0'(x)$", "0.60190725"),
    ("k1e", lambda x: _k(1, x, True), "$e^x K_1(x)$", "1.6361535"),
    ("y0", lambda x: _y(0, x), "$Y_0(x)$, the solution beside $J_0$", "0.08825696"),
    ("y1", lambda x: _y(1, x), "$Y_1(x) = -Y_0'(x)$", "-0.7812128"),
]  # fmt: skip


def _declare(kind, compute, formula, at_one):
    def function(input: Array):
        x = floating(input)
        return compute(x.astype(jnp.float64)).astype(x.dtype)

    function.__name__, function.__module__ = f"bessel_{kind}", __name__
    function.__doc__ = f"""{formula}, element by element; nan where it is not real.

    >>> ops.bessel_{kind}(Tensor([1.0])).asnumpy()
    array([{at_one}], dtype=float32)
    """
    written = "(x: input)"
    names = [f"bessel_{kind}", "i0"] if kind == "i0" else [f"bessel_{kind}"]
    return op(
        primitive=f"Bessel{kind.capitalize()}(){written}",
        function=tuple(n + ("(input)" if n == "i0" else written) for n in names),
        tensor="i0(input)" if kind == "i0" else None,
    )(function)


for _row in _FUNCTIONS:
    _declare(*_row)
