"""Rows for `sporax.ops.nn.activation`."""

import numpy as np
from scipy import special

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x, beta=1, threshold=20):
    return np.where(x * beta > threshold, x, np.log1p(np.exp(beta * x)) / beta)


def gelu(x, approximate="none"):
    if approximate == "tanh":
        return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return x / 2 * (1 + special.erf(x / np.sqrt(2)))


def selu(x):
    scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
    return scale * np.where(x > 0, x, alpha * np.expm1(x))


def softmax(x, axis=-1, dtype=None):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def prelu(x, w):
    return np.where(x > 0, x, w.reshape((-1,) + (1,) * (x.ndim - 2)) * x)


def glu(x, axis=-1):
    a, b = np.split(x, 2, axis)
    return a * sigmoid(b)


SAMPLES = [
    Sample("relu_of_class", [(2, 3)], lambda x: np.maximum(x, 0)),
    Sample("relu6", [(2, 3)], lambda x: np.clip(x, 0, 6), range=(-3, 9)),
    Sample("silu", [(2, 3)], lambda x: x * sigmoid(x)),
    Sample("mish", [(2, 3)], lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    Sample("selu", [(2, 3)], selu),
    Sample("softsign", [(2, 3)], lambda x: x / (1 + np.abs(x))),
    Sample("logsigmoid", [(2, 3)], lambda x: np.log(sigmoid(x))),
    Sample("hardswish", [(2, 3)], lambda x: x * np.clip(x + 3, 0, 6) / 6, range=(-5, 5)),
    Sample("hardsigmoid", [(2, 3)], lambda x: np.clip(x + 3, 0, 6) / 6, range=(-5, 5)),
    Sample("fast_gelu", [(2, 3)], lambda x: x / (1 + np.exp(-1.702 * x))),
    Sample("gelu", [(2, 3)], gelu),
    Sample("gelu", [(2, 3)], gelu, {"approximate": "tanh"}),
    Sample("leaky_relu", [(2, 3)], lambda x, alpha: np.where(x > 0, x, alpha * x), {"alpha": 0.1}),
    Sample("elu", [(2, 3)], lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x)), {"alpha": 2}),
    Sample(
        "celu", [(2, 3)], lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x / alpha)),
        {"alpha": 2.0},
    ),
    Sample("softplus", [(2, 3)], softplus),
    Sample("softplus", [(2, 3)], softplus, {"beta": 2, "threshold": 1}),
    Sample("hardtanh", [(2, 3)], lambda x: np.clip(x, -1, 1)),
    Sample("hardshrink", [(2, 3)], lambda x: np.where(np.abs(x) > 0.5, x, 0)),
    Sample("softshrink", [(2, 3)], lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
    Sample("prelu", [(2, 3), (3,)], prelu),
    Sample("prelu", [(2, 3, 2), (1,)], prelu),
    Sample("glu", [(2, 4)], glu),
    Sample("glu", [(2, 4)], glu, {"axis": 0}),
    Sample(
        "threshold", [(2, 3)], lambda x, thr, value: np.where(x <= thr, value, x),
        {"thr": 0.3, "value": 9.0},
    ),
    Sample("softmax", [(2, 3)], softmax),
    Sample("softmax", [(2, 3)], softmax, {"axis": 0}),
    Sample("log_softmax", [(2, 3)], lambda x: np.log(softmax(x))),
    Sample("log_softmax", [(2, 3)], lambda x, axis: np.log(softmax(x, axis)), {"axis": 0}),
]  # fmt: skip

REFUSALS = [
    Refusal("softmax-axis", lambda: ops.softmax(Tensor([1.0]), 3), ValueError, ("'Softmax'", "3")),
    Refusal("softmax-int", lambda: ops.softmax(Tensor([1])), TypeError, ("'Softmax'", "Int64")),
    Refusal("gelu", lambda: ops.gelu(Tensor([1.0]), "foo"), ValueError, ("'GeLU'", "'tanh'")),
]


def swiglu(x, dim=-1):
    a, b = np.split(x, 2, dim)
    return a * sigmoid(a) * b


SAMPLES += [
    Sample("swiglu", [(2, 4)], swiglu), Sample("swiglu", [(4, 2)], swiglu, {"dim": 0}),
]  # fmt: skip
REFUSALS += [
    Refusal("swiglu-odd", lambda: ops.swiglu(ops.ones((2, 3))), ValueError, ("'SwiGLU'", "even")),
]
