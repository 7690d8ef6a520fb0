"""Rows for `sporax.ops.math.elementwise`."""

import math

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

ANY, POSITIVE, UNIT = (-2.0, 2.0), (0.5, 3.0), (-0.9, 0.9)
ODD = np.array([1.0, np.nan, np.inf, -np.inf, -0.0], np.float32)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def erfinv(x):
    """By bisection of `math.erf`."""
    low, high = np.full(x.shape, -6.0), np.full(x.shape, 6.0)
    for _ in range(80):
        middle = (low + high) / 2
        below = np.vectorize(math.erf)(middle) < x
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low


def half_even(x, decimals=0):
    return np.round(x, decimals)


# name, NumPy's function, range
SMOOTH = [
    ("exp", np.exp, ANY),
    ("log", np.log, POSITIVE),
    ("log2", np.log2, POSITIVE),
    ("log10", np.log10, POSITIVE),
    ("log1p", np.log1p, POSITIVE),
    ("expm1", np.expm1, ANY),
    ("exp2", np.exp2, ANY),
    ("sqrt", np.sqrt, POSITIVE),
    ("rsqrt", lambda x: x**-0.5, POSITIVE),
    ("reciprocal", np.reciprocal, POSITIVE),
    ("sin", np.sin, ANY),
    ("cos", np.cos, ANY),
    ("tan", np.tan, UNIT),
    ("asin", np.arcsin, UNIT),
    ("acos", np.arccos, UNIT),
    ("atan", np.arctan, ANY),
    ("sinh", np.sinh, ANY),
    ("cosh", np.cosh, ANY),
    ("tanh", np.tanh, ANY),
    ("asinh", np.arcsinh, ANY),
    ("acosh", np.arccosh, (1.5, 3.0)),
    ("atanh", np.arctanh, UNIT),
    ("sigmoid", logistic, ANY),
    ("erf", np.vectorize(math.erf), ANY),
    ("erfc", np.vectorize(math.erfc), ANY),
    ("erfinv", erfinv, UNIT),
    ("rad2deg", np.rad2deg, ANY),
    ("deg2rad", np.deg2rad, ANY),
    ("lgamma", np.vectorize(math.lgamma), POSITIVE),
    ("sinc", np.sinc, POSITIVE),
    ("square", np.square, ANY),
    ("neg", np.negative, ANY),
    ("positive", np.positive, ANY),
    ("abs", np.abs, ANY),
]

SAMPLES = [
    *[Sample(name, [(2, 3)], ref, range=span) for name, ref, span in SMOOTH],
    Sample("abs", [np.array([-3, 4])], np.abs),
    Sample("sqrt", [np.array([4, 9])], np.sqrt),
    Sample("reciprocal", [np.array([4, 8])], lambda x: 1 / x),
    *[Sample(name, [(2, 3)], getattr(np, name)) for name in ("sign", "floor", "ceil", "trunc")],
    Sample("floor", [np.array([1, -2])], np.floor),
    Sample("frac", [(2, 3)], lambda x: x - np.trunc(x)),
    *[
        Sample(name, [ODD], getattr(np, name))
        for name in ("isnan", "isfinite", "isinf", "isneginf", "isposinf")
    ],
    Sample("signbit", [ODD], lambda x: x < 0),
    Sample(
        "round",
        [np.array([0.5, 1.5, 2.5, -1.2], np.float32)],
        half_even,
        sharp="it jumps at halves",
    ),
    Sample("round", [(2, 3)], half_even, {"decimals": 1}),
    Sample(
        "clamp_both",
        [(4, 5), (1,), (1, 1)],
        lambda x, low, high: np.minimum(np.maximum(x, low), high),
    ),
]

SAMPLES += [
    Sample("clamp_one", [(2, 3), (3,)], lambda x, low: np.maximum(x, low)),
    Sample("clamp_one", [(2, 3), ()], lambda x, high, low: np.minimum(x, high), {"low": False}),
]

REFUSALS = [
    Refusal(
        "clamp-open",
        lambda: ops.clamp(Tensor([1.0])),
        ValueError,
        ("For 'clamp'", "'min'", "'max'"),
    ),
]
