"""Elementwise functions of one array."""

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import jax.scipy.special as special

from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, attach, composite, op
from sporax.ops.math.arithmetic import floating, magnitude, maximum, minimum


def _reciprocal(x):
    return 1 / x


def _fraction(x):
    return x - jnp.trunc(x) if jnp.issubdtype(x.dtype, jnp.inexact) else jnp.zeros_like(x)


def _sign(x):
    real = jnp.issubdtype(x.dtype, jnp.floating)
    return jnp.where(jnp.isnan(x), 0, jnp.sign(x)) if real else jnp.sign(x)


# names (the first is the declaration's), Primitives, formula, function, an example
_FLOATING = [
    ("exp", "Exp", "$e^{x}$", jnp.exp, "0.0", "1."),
    ("log", "Log", r"$\ln x$", jnp.log, "1.0", "0."),
    ("log2", "", r"$\log_2 x$", jnp.log2, "8.0", "3."),
    ("log10", "", r"$\log_{10} x$", jnp.log10, "100.0", "2."),
    ("log1p", "Log1p", r"$\ln(1 + x)$", jnp.log1p, "0.0", "0."),
    ("expm1", "Expm1", "$e^x - 1$", jnp.expm1, "0.0", "0."),
    ("exp2", "", "$2^x$", jnp.exp2, "3.0", "8."),
    ("rsqrt", "Rsqrt", r"$1 / \sqrt{x}$", jax.lax.rsqrt, "4.0", "0.5"),
    ("reciprocal", "Reciprocal", "$1 / x$", _reciprocal, "4.0", "0.25"),
    ("sin", "Sin", r"$\sin x$", jnp.sin, "0.0", "0."),
    ("cos", "Cos", r"$\cos x$", jnp.cos, "0.0", "1."),
    ("tan", "Tan", r"$\tan x$", jnp.tan, "0.0", "0."),
    ("asin arcsin", "Asin", r"$\arcsin x$", jnp.arcsin, "0.0", "0."),
    ("acos arccos", "ACos", r"$\arccos x$", jnp.arccos, "1.0", "0."),
    ("atan arctan", "Atan", r"$\arctan x$", jnp.arctan, "0.0", "0."),
    ("sinh", "Sinh", r"$\sinh x$", jnp.sinh, "0.0", "0."),
    ("cosh", "Cosh", r"$\cosh x$", jnp.cosh, "0.0", "1."),
    ("tanh", "Tanh", r"$\tanh x$", jnp.tanh, "0.0", "0."),
    ("asinh arcsinh", "Asinh", r"$\operatorname{arsinh} x$", jnp.arcsinh, "0.0", "0."),
    ("acosh arccosh", "Acosh", r"$\operatorname{arcosh} x$", jnp.arccosh, "1.0", "0."),
    ("atanh arctanh", "Atanh", r"$\operatorname{artanh} x$", jnp.arctanh, "0.0", "0."),
    ("sigmoid", "Sigmoid", "$1 / (1 + e^{-x})$", jax.nn.sigmoid, "0.0", "0.5"),
    ("erf", "Erf", r"$\frac{2}{\sqrt\pi} \int_0^x e^{-t^2} dt$", special.erf, "0.0", "0."),
    ("erfc", "Erfc", r"$1 - \operatorname{erf}(x)$", special.erfc, "0.0", "1."),
    ("erfinv", "Erfinv", "The inverse of `erf`", special.erfinv, "0.0", "0."),
    ("lgamma", "Lgamma", r"$\ln |\Gamma(x)|$", special.gammaln, "0.0", "inf"),
    ("rad2deg", "", r"$180 x / \pi$", jnp.rad2deg, "0.0", "0."),
    ("deg2rad", "", r"$\pi x / 180$", jnp.deg2rad, "0.0", "0."),
    ("sinc", "Sinc", r"$\sin(\pi x) / (\pi x)$, and 1 at 0", jnp.sinc, "0.0", "1."),
]  # fmt: skip

_OF_ANY = [
    ("abs absolute", "Abs", "$|x|$", magnitude, "-2.0", "2."),
    ("neg negative", "Neg", "$-x$", jnp.negative, "2.0", "-2."),
    ("positive", "", "$x$ itself", jnp.positive, "2.0", "2."),
    ("square", "Square", "$x^2$", jnp.square, "3.0", "9."),
    ("frac", "", r"$x - \operatorname{trunc}(x)$", _fraction, "-1.5", "-0.5"),
    ("sign", "Sign", "-1, 0 or 1, the sign of $x$; 0 of NaN", _sign, "-3.0", "-1."),
]

_OF_FRACTIONS = [  # integers are returned unchanged
    ("floor", "Floor", r"$\lfloor x \rfloor$", jnp.floor, "1.5", "1."),
    ("ceil", "Ceil", r"$\lceil x \rceil$", jnp.ceil, "1.5", "2."),
    ("trunc", "Trunc", "$x$ rounded toward zero", jnp.trunc, "-1.5", "-1."),
]

_TESTS = [
    ("isnan", "IsNan", "True where $x$ is NaN", jnp.isnan, "1.0", "False"),
    ("isfinite", "IsFinite", "True where $x$ is finite", jnp.isfinite, "1.0", " True"),
    ("isinf", "IsInf", "True where $x$ is infinite", jnp.isinf, "1.0", "False"),
    ("isneginf", "", r"True where $x = -\infty$", jnp.isneginf, "1.0", "False"),
    ("isposinf", "", r"True where $x = \infty$", jnp.isposinf, "1.0", "False"),
    ("signbit", "", "True where $x < 0$", lambda x: x < 0, "-1.0", " True"),
]

_UNLIKE_NUMPY = dict.fromkeys(["sqrt", "arcsin", "frac", "rad2deg", "deg2rad"], "x")
_UNLIKE_INPUT = {"isnan": "tensor"}
_NOT_IN_MINT = {
    "absolute", "positive", "isposinf", "signbit", "lgamma", "rad2deg", "deg2rad",
}  # fmt: skip
_ALSO_IN_MINT = {
    "nn.functional": {"tanh", "sigmoid"},
    "special": {"erfc", "exp2", "expm1", "log1p", "sinc"},
}
_NOT_IN_NUMPY = {
    "rsqrt", "sigmoid", "erf", "erfc", "erfinv", "lgamma", "frac", "sinc",
}  # fmt: skip
_ALSO_IN_NUMPY = {  # names or arguments that differ there
    "asin": ["arcsin"], "acos": ["arccos(input, dtype=None)"], "atan": ["arctan"],
    "asinh": ["arcsinh"], "acosh": ["arccosh"], "atanh": ["arctanh"],
    "abs": ["abs", "absolute", "fabs"], "deg2rad": ["deg2rad", "radians"],
    "neg": ["negative(a: input, dtype=None)"], "positive": ["positive(a: input, dtype=None)"],
    "trunc": [], "ceil": [], "sign": [],  # it returns Float32 for integers
    "isneginf": ["isneginf(x: input)"], "isposinf": ["isposinf(x: input)"],
}  # fmt: skip


def _on_floating(compute):
    def function(input: Array):
        return compute(floating(input))

    return function


def _on_any(compute):
    def function(input: Array):
        return compute(input)

    return function


def _on_fractions(compute):
    def function(input: Array):
        return compute(input) if jnp.issubdtype(input.dtype, jnp.inexact) else input

    return function


def _declare(function, names, primitives, formula, example, shown, differentiable=True):
    names = names.split()
    function.__name__, function.__module__ = names[0], __name__
    function.__doc__ = f"""{formula}, element by element.

    >>> ops.{names[0]}(Tensor([{example}])).asnumpy()
    array([{shown}]{", dtype=float32" if differentiable else ""})
    """
    mint = [n for n in names if n not in _NOT_IN_MINT]
    mint += ["fix"] if "trunc" in names else []
    mint += [f"{path}.{names[0]}" for path, members in _ALSO_IN_MINT.items() if names[0] in members]
    numpy = _ALSO_IN_NUMPY.get(names[0], [n for n in names if n not in _NOT_IN_NUMPY])
    return op(
        primitive=tuple(f"{p}()(input)" for p in primitives.split()),
        function=tuple(f"{n}({_UNLIKE_NUMPY.get(n, 'input')}: input)" for n in names),
        tensor=tuple(f"{n}(input)" for n in names),
        mint=tuple(f"{n}({_UNLIKE_INPUT.get(n, 'input')}: input)" for n in mint),
        numpy=tuple(n if "(" in n else f"{n}(x: input, dtype=None)" for n in numpy),
        name=None if primitives else names[0],
        differentiable=differentiable,
    )(function)


_functions = {}
for _rows, _on, *_more in [
    (_FLOATING, _on_floating), (_OF_ANY, _on_any), (_OF_FRACTIONS, _on_fractions),
    (_TESTS, _on_any, False),
]:  # fmt: skip
    for _names, _primitives, _formula, _compute, *_example in _rows:
        _function = _declare(_on(_compute), _names, _primitives, _formula, *_example, *_more)
        _functions[_function.__name__] = _function
globals().update(_functions)
if TYPE_CHECKING:

    def __getattr__(name) -> Any: ...  # the functions of `_functions`


@op(
    primitive="Sqrt()(x: input)", function="sqrt(x: input)", tensor="sqrt(input)",
    mint="sqrt(input)", numpy="sqrt(x: input, dtype=None)",
)  # fmt: skip
def sqrt(input: Array):
    r"""$\sqrt{x}$, element by element.

    >>> ops.sqrt(Tensor([9.0])).asnumpy()
    array([3.], dtype=float32)
    """
    return jnp.sqrt(floating(input))


@op(
    primitive="Round()(input, decimals=0)",
    tensor="round(input, decimals=0)",
    mint=("round(input, *, decimals=0)", "special.round(input, *, decimals=0)"),
    numpy=(
        "rint(x: input, dtype=None)",
        "around(a: input, decimals=0)",
        "round(a: input, decimals=0)",
    ),
)
def round(input: Array, *, decimals=0):
    """Round to `decimals` places; halves go to the even neighbour.

    >>> ops.round(Tensor([1.5, 2.5])).asnumpy()
    array([2., 2.], dtype=float32)
    """
    return jnp.round(input, decimals)


attach("__neg__", _functions["neg"])
attach("__pos__", _functions["positive"])
attach("__abs__", _functions["abs"])
attach("__round__", lambda self, decimals=0: round(self, decimals=decimals or 0))


@op(promotes=True, name="Clamp", function=())
def clamp_both(input: Array, min: Array, max: Array):
    """Clamp `input` between both bounds; `max` wins if they cross. At a bound the derivative goes
    to the input."""
    return _within(_within(input, min, jnp.less), max, jnp.greater)


@op(promotes=True, name="Clamp", function=())
def clamp_one(input: Array, bound: Array, low=True):
    """Clamp `input` below (`low`) or above by `bound`, where the derivative goes to the input."""
    return _within(input, bound, jnp.less if low else jnp.greater)


def _within(x, bound, beyond):
    return jnp.where(beyond(x, bound) | jnp.isnan(bound), bound, x)


def _refuse_no_bound(name, low, high):
    is_bounded = low is not None or high is not None
    require(is_bounded, "at-least-one-given", name, other="min", other2="max")


@composite(
    function=("clamp", "clip(input, min=None, max=None)"),
    tensor=("clamp", "clip(input, min=None, max=None)"),
    mint=("clamp", "clip(input, min=None, max=None)", "nn.functional.clamp"),
)
def clamp(input, min=None, max=None):
    """Clamp each element between `min` and `max` (numbers, Tensors or None for no bound).

    If the bounds cross, `max` wins.

    >>> ops.clamp(Tensor([1.0, 5.0, 9.0]), 2, 8).asnumpy()
    array([2., 5., 8.], dtype=float32)
    """
    _refuse_no_bound("clamp", min, max)
    if max is None:
        return clamp_one(input, min)
    return clamp_one(input, max, False) if min is None else clamp_both(input, min, max)


@composite()
def clip_by_value(x, clip_value_min=None, clip_value_max=None):
    """Clamp each element between both bounds; also each Tensor of a tuple or list.

    As `clamp`, but at a bound the derivative is shared between the input and the bound.

    >>> ops.clip_by_value(Tensor([1.0, 5.0]), 2, 4).asnumpy()
    array([2., 4.], dtype=float32)
    """
    if isinstance(x, (tuple, list)):
        clipped = [clip_by_value(t, clip_value_min, clip_value_max) for t in x]
        return tuple(clipped) if isinstance(x, tuple) else clipped
    _refuse_no_bound("clip_by_value", clip_value_min, clip_value_max)
    x = x if clip_value_min is None else maximum(x, clip_value_min)
    return x if clip_value_max is None else minimum(x, clip_value_max)
