"""Rows for `sporax.ops.nn.normalization`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def normalized(x, axes, epsilon):
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon), mean, variance


def layer_norm(x, w=1.0, b=0.0, normalized_shape=(), eps=1e-5):
    axes = tuple(range(-len(normalized_shape), 0))
    return normalized(x, axes, eps)[0] * w + b


def layer_norm_with_moments(x, w, b, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7):
    y, mean, variance = normalized(x, tuple(range(begin_norm_axis, x.ndim)), epsilon)
    return y * w + b, mean, variance


def along(p, x):
    if isinstance(p, float):
        return p
    return p.reshape((1, -1) + (1,) * (x.ndim - 2))


def batch_norm(x, w, b, mean, variance, momentum=0.1, epsilon=1e-5):
    axes = tuple(i for i in range(x.ndim) if i != 1)
    y = normalized(x, axes, epsilon)[0] * along(w, x) + along(b, x)
    m, v = x.mean(axes), x.var(axes)
    n = x.size // m.size
    moved = [mean * (1 - momentum) + momentum * m, variance * (1 - momentum)]
    moved[1] = moved[1] + momentum * v * n / (n - 1)
    return y, *moved, m, v


def batch_norm_known(x, w, b, mean, variance, epsilon=1e-5):
    return (x - along(mean, x)) / np.sqrt(along(variance, x) + epsilon) * along(w, x) + along(b, x)


def group_norm(x, w=1.0, b=0.0, num_groups=1, eps=1e-5):
    y = normalized(x.reshape(x.shape[0], num_groups, -1), 2, eps)[0].reshape(x.shape)
    return y if isinstance(w, float) else y * along(w, x) + along(b, x)


def stats(x, eps):
    axes = (0, *range(2, x.ndim))
    return x.mean(axes), 1 / np.sqrt(x.var(axes) + eps)


PARTS = np.split(np.random.default_rng(1).normal(size=(6, 2, 3)), [2])
WHOLE = np.concatenate(PARTS)
MEANS, DEVIATIONS = map(np.stack, zip(*[stats(part, 0.1) for part in PARTS], strict=True))
COUNTS = np.array([6.0, 12.0])


def of_the_whole(x, mean, invstd, running_mean, running_var, counts, momentum, eps):
    """By the numbers themselves: `mean` and `invstd` are those of the parts of WHOLE."""
    moved = batch_norm(WHOLE, 1.0, 0.0, running_mean, running_var, momentum, eps)[1:3]
    return *stats(WHOLE, eps), *moved


def elemt(x, w=None, b=0.0, mean=0.0, invstd=1.0):
    return (x - along(mean, x)) * along(invstd, x) * along(w, x) + along(b, x)


POSITIVE = {"range": (0.5, 2.0), "rtol": 1e-4, "atol": 1e-5}


def lrn(x, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5):
    out = np.zeros_like(x)
    for c in range(x.shape[1]):
        near = x[:, max(c - depth_radius, 0) : c + depth_radius + 1]
        out[:, c] = x[:, c] / (bias + alpha * (near**2).sum(1)) ** beta
    return out


NAMES = ["input", "weight", "bias"]
SAMPLES = [
    Sample(
        "layer_norm", [(2, 3), (3,), (3,)], layer_norm, {"normalized_shape": (3,)}, names=NAMES,
        **POSITIVE,
    ),
    Sample(
        "layer_norm", [(2, 2, 3)], layer_norm, {"normalized_shape": (2, 3), "eps": 1e-3},
        names=NAMES[:1], **POSITIVE,
    ),
    Sample(
        "layer_norm_of_class", [(2, 2, 3), (3,), (3,)], layer_norm_with_moments,
        {"begin_params_axis": 2}, **POSITIVE,
    ),
    Sample("batch_norm_training", [(4, 2)] + [(2,)] * 4, batch_norm, outputs=(0,), **POSITIVE),
    Sample(
        "batch_norm_training", [(2, 2, 2, 2)] + [(2,)] * 4, batch_norm,
        {"momentum": 0.3, "epsilon": 1e-2}, outputs=(0,), **POSITIVE,
    ),
    Sample("batch_norm_inference", [(4, 2)] + [(2,)] * 4, batch_norm_known, **POSITIVE),
    Sample("batch_norm_stats", [(4, 2, 3)], stats, {"eps": 1e-2}),
    Sample("batch_norm_elemt", [(4, 2, 3)] + [(2,)] * 4, elemt),
    Sample(
        "batch_norm_elemt", [(4, 2)], lambda x, eps: normalized(x, 0, eps)[0], {"eps": 0.1},
        **POSITIVE,
    ),
    Sample(
        "merged_statistics", [WHOLE, MEANS, DEVIATIONS, (2,), (2,), COUNTS], of_the_whole,
        {"momentum": 0.3, "eps": 0.1}, **POSITIVE,
        names=["input", "mean", "invstd", "running_mean", "running_var", "counts"],
    ),
    Sample("lrn", [(1, 5, 2, 2)], lrn, {"depth_radius": 1, "alpha": 0.7, "beta": 0.75}),
    Sample("lrn", [(2, 3, 1, 2)], lrn, {"bias": 2.0}),
    Sample(
        "group_norm", [(2, 4, 2), (4,), (4,)], group_norm, {"num_groups": 2},
        names=NAMES, **POSITIVE,
    ),
]  # fmt: skip

REFUSALS = [
    Refusal("lrn-axes", lambda: ops.lrn(ops.ones((2, 3))), ValueError, ("'LRN'", "(2, 3)")),
    Refusal(
        "lrn-radius", lambda: ops.lrn(ops.ones((1, 2, 3, 3)), -1), ValueError, ("'depth_radius'",)
    ),
    Refusal(
        "lrn-region",
        lambda: ops.LRN(norm_region="A")(ops.ones((1, 2, 3, 3))),
        ValueError,
        ("'norm_region'", "'A'"),
    ),
    Refusal(
        "layer-norm-shape",
        lambda: ops.layer_norm(ops.ones((2, 3)), (4,)),
        ValueError,
        ("'LayerNorm'", "(2, 3)", "(4,)"),
    ),
    Refusal(
        "batch-norm-channels",
        lambda: ops.batch_norm(ops.ones((2, 3)), *[ops.ones((2,))] * 4),
        ValueError,
        ("'BatchNorm'", "3 channels", "(2,)"),
    ),
]


def by_root(x, gamma, epsilon=1e-6):
    inverse = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)
    return x * inverse * gamma, inverse


def add_layer(a, b, gamma, beta, epsilon=1e-5):
    x = a + b
    mean, inverse = x.mean(-1, keepdims=True), 1 / np.sqrt(x.var(-1, keepdims=True) + epsilon)
    return (x - mean) * inverse * gamma + beta, mean, inverse, x


SAMPLES += [
    Sample("rms_norm", [(2, 3), (3,)], by_root, {"epsilon": 0.01}),
    Sample("add_rms_norm", [(2, 3), (2, 3), (3,)], lambda a, b, g: (*by_root(a + b, g), a + b)),
    Sample("add_layer_norm", [(2, 3), (2, 3), (3,), (3,)], add_layer, {"epsilon": 0.01}),
]
REFUSALS += [
    Refusal("rms-gamma", lambda: ops.rms_norm(ops.ones((2, 3)), ops.ones((2,))), ValueError,
            ("'RmsNorm'", "'gamma'", "(2,)")),
]  # fmt: skip
