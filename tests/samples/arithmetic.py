"""Rows for `sporax.ops.math.arithmetic`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

WHOLE = np.array([[7, -7], [8, -9]], np.int32)
DIVISOR = np.array([3, -4], np.int32)


def truncated(a, b, rounding_mode):
    return np.trunc(a / b) if rounding_mode == "trunc" else np.floor(a / b)


def integer_pow(x, exponent, real=False):
    return x ** np.float64(exponent)


SAMPLES = [
    Sample("add", [(2, 3), (3,)], np.add),
    Sample("add", [np.array([True, False]), np.array([True, True])], np.logical_or),
    Sample("sub", [(2, 3), (2, 1)], np.subtract),
    Sample("sub", [np.array([True, False]), np.array([True, True])], np.logical_xor),
    Sample("mul", [(2, 3), (1, 3)], np.multiply),
    Sample("div", [(2, 3), (2, 3)], np.divide, range=(0.5, 2.0)),
    Sample("div", [WHOLE, DIVISOR], np.divide),
    Sample("div", [WHOLE, DIVISOR], truncated, {"rounding_mode": "trunc"}),
    Sample("div", [WHOLE, DIVISOR], truncated, {"rounding_mode": "floor"}),
    Sample("div", [(2, 3), (3,)], truncated, {"rounding_mode": "floor"}),
    Sample("div", [(2, 3), (3,)], truncated, {"rounding_mode": "trunc"}),
    Sample("floor_divide", [(2, 3), (3,)], np.floor_divide),
    Sample("floor_divide", [WHOLE, DIVISOR], np.floor_divide),
    Sample("remainder", [(2, 3), (3,)], np.remainder, range=(0.5, 3.0)),
    Sample("remainder", [WHOLE, DIVISOR], np.remainder),
    Sample("fmod", [(2, 3), (3,)], np.fmod, range=(0.5, 3.0)),
    Sample("fmod", [WHOLE, DIVISOR], np.fmod),
    Sample("power", [(2, 3), (3,)], np.power, range=(0.5, 2.0)),
    Sample("power", [WHOLE, np.array([2, 3], np.int32)], np.power),
    Sample(
        "power",
        [np.array([1, -1, -1, 2]), np.array([-3, -3, -2, -1])],
        lambda x, y: np.trunc(x / 1.0**-y * (np.abs(x) == 1)) ** (2 - y % 2),
    ),
    *[
        Sample("integer_pow", [(2, 3)], integer_pow, {"exponent": n}, range=(0.5, 2.0))
        for n in (-1, 0, 1, 2, 3, 0.5, -0.5)
    ],
    Sample("integer_pow", [WHOLE], integer_pow, {"exponent": 3}),
    Sample("integer_pow", [WHOLE], integer_pow, {"exponent": 2, "real": True}),
    Sample("scaled_sum", [(2, 3), (3,), (), ()], lambda a, b, beta, alpha: beta * a + alpha * b),
    Sample("scaled_difference", [(2, 3), (3,), ()], lambda a, b, alpha: a - alpha * b),
    Sample("maximum", [(2, 3), (3,)], np.maximum),
    Sample("minimum", [(2, 3), (3,)], np.minimum),
]


def refused(name, call, says, error=ValueError):
    return Refusal(name, call, error, says)


def zeros(*shape):
    return Tensor(np.zeros(shape, np.float32))


REFUSALS = [
    Refusal(
        "add-shapes",
        lambda: ops.add(Tensor(np.ones((2, 3))), Tensor(np.ones((2, 4)))),
        ValueError,
        ("For 'Add'", "Float64 (2, 3)", "Float64 (2, 4)"),
    ),
    refused("add-none", lambda: zeros(2) + None, ("For 'Add'", "NoneType"), TypeError),
    refused("less-string", lambda: zeros(2) < "a", ("For 'Less'", "str"), TypeError),
    refused(
        "div-mode",
        lambda: ops.div(zeros(2), 2, rounding_mode="up"),
        ("For 'Div'", "rounding_mode", "up"),
    ),
    refused(
        "uint16-int32",
        lambda: Tensor(np.ones(2, np.uint16)) + Tensor(np.ones(2, np.int32)),
        ("For 'Add'", "UInt16", "Int32", "astype"),
        TypeError,
    ),
]


SAMPLES += [
    Sample("mul_no_nan", [(2, 3), np.array([[0.0, 2.0, -1.0]])], lambda x, y: x * y),
]
