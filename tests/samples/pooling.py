"""Rows for `sporax.ops.nn.pooling`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def windows(x, kernel, stride, padding, ceil_mode, fill):
    """(..., windows down, windows across, kernel x kernel) and their places in the plane."""
    planes = x.shape[-2:]
    count = []
    for size in planes:
        steps = (size + 2 * padding - kernel) / stride
        n = int(np.ceil(steps) if ceil_mode else np.floor(steps)) + 1
        count.append(n - (ceil_mode and (n - 1) * stride >= size + padding))
    around = [(0, 0)] * (x.ndim - 2) + [(padding, padding + kernel)] * 2
    x = np.pad(x, around, constant_values=fill)
    seen = np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), (-2, -1))
    rows, columns = (slice(0, (n - 1) * stride + 1, stride) for n in count)
    return seen[..., rows, columns, :, :].reshape(*x.shape[:-2], *count, -1)


def max_pool(x, kernel_size=1, stride=1, padding=0, ceil_mode=False, pad_mode="pad"):
    return windows(x, kernel_size, stride, padding, ceil_mode, -np.inf).max(-1)


def max_pool_with_index(x, kernel_size, stride):
    at = np.broadcast_to(np.arange(x[0, 0].size).reshape(x.shape[-2:]), x.shape)
    seen, places = (windows(a, kernel_size, stride, 0, False, 0) for a in (x, at))
    chosen = seen.argmax(-1)[..., None]
    return seen.max(-1), np.take_along_axis(places, chosen, -1)[..., 0]


def avg_pool(
    x, kernel_size=1, stride=1, padding=0, ceil_mode=False, pad_mode="pad", count_include_pad=True,
    divisor_override=None,
):  # fmt: skip
    args = kernel_size, stride, padding, ceil_mode
    total = windows(x, *args, 0).sum(-1)
    inside = np.ones_like(x)
    if count_include_pad:
        inside = np.pad(inside, [(0, 0)] * 2 + [(padding, padding)] * 2, constant_values=1)
        counted = windows(inside, kernel_size, stride, 0, ceil_mode, 0).sum(-1)
    else:
        counted = windows(inside, *args, 0).sum(-1)
    return total / (divisor_override or counted)


def adaptive(x, output_size, pool=np.mean):
    rows, columns = output_size
    height, width = x.shape[-2:]
    y = np.zeros((*x.shape[:-2], rows, columns))
    for i, j in np.ndindex(rows, columns):
        down = slice(i * height // rows, -(-(i + 1) * height // rows))
        across = slice(j * width // columns, -(-(j + 1) * width // columns))
        y[..., i, j] = pool(x[..., down, across].reshape(*x.shape[:-2], -1), -1)
    return y


def adaptive_max(x, output_size):
    pooled = adaptive(x, output_size, np.max)
    flat = x.reshape(*x.shape[:-2], 1, -1)
    where = (flat == pooled.reshape(*x.shape[:-2], -1, 1)).argmax(-1)
    return pooled, where.reshape(pooled.shape)


PAD = {"pad_mode": "pad", "padding": 1}


def lp_pool(x, norm_type, kernel_size, axes=2):
    """Windows side by side; what is left over at the end is left out."""
    x = np.abs(x) ** norm_type
    for axis in range(x.ndim - axes, x.ndim):
        count = x.shape[axis] // kernel_size
        x = np.stack([
            x.take(range(i * kernel_size, (i + 1) * kernel_size), axis).sum(axis)
            for i in range(count)
        ], axis)  # fmt: skip
    return x ** (1 / norm_type)


SAMPLES = [
    Sample("max_pool", [(1, 2, 4, 4)], max_pool, {"kernel_size": 2, "stride": 2}),
    Sample("max_pool", [(1, 1, 4, 5)], max_pool, {"kernel_size": 3, "stride": 2, **PAD}),
    Sample("max_pool", [(1, 1, 7, 7)], max_pool, {"kernel_size": 6, "stride": 1}),
    Sample(
        "max_pool", [(1, 1, 4, 5)], max_pool,
        {"kernel_size": 2, "stride": 2, **PAD, "ceil_mode": True},
    ),
    Sample(
        "max_pool_with_index", [(1, 2, 4, 5)], max_pool_with_index,
        {"kernel_size": 2, "stride": 1},
    ),
    Sample("avg_pool", [(1, 1, 4, 4)], avg_pool, {"kernel_size": 2, "stride": 2}),
    Sample("avg_pool", [(1, 1, 4, 5)], avg_pool, {"kernel_size": 3, "stride": 2, **PAD}),
    Sample("avg_pool", [(1, 1, 7, 7)], avg_pool, {"kernel_size": 6, "stride": 1}),
    Sample("avg_pool", [(1, 1, 3, 3)], avg_pool, {"kernel_size": 3, "stride": 1}),
    Sample(
        "avg_pool", [(1, 1, 4, 5)], avg_pool,
        {"kernel_size": 2, "stride": 2, **PAD, "count_include_pad": False},
    ),
    Sample(
        "avg_pool", [(1, 1, 4, 5)], avg_pool,
        {"kernel_size": 2, "stride": 2, "ceil_mode": True, "divisor_override": 3},
    ),
    Sample("lp_pool", [(1, 2, 5, 4)], lp_pool, {"norm_type": 3, "kernel_size": 2}, (0.2, 2.0)),
    Sample("lp_pool", [(2, 5)], lp_pool, {"norm_type": 2.0, "kernel_size": 2, "axes": 1}),
    Sample("adaptive_avg_pool2d", [(1, 1, 4, 5)], adaptive, {"output_size": (3, 2)}),
    Sample(
        "adaptive_max_pool_with_index", [(1, 2, 4, 5)], adaptive_max, {"output_size": (3, 2)},
    ),
]  # fmt: skip

REFUSALS = [
    Refusal(
        "max-pool-window",
        lambda: ops.max_pool2d(ops.ones((1, 1, 4, 4)), 5),
        ValueError,
        ("'MaxPool'", "(1, 1, 4, 4)", "window"),
    ),
    Refusal(
        "avg-pool-rank",
        lambda: ops.AvgPool(2, 2)(ops.ones((4, 4))),
        ValueError,
        ("'AvgPool'", "(N, C, H, W)"),
    ),
]
