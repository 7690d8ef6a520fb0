"""Pooling by slices and by windows, and its derivatives, against NumPy in float64."""

import functools
import itertools
import math

import jax
import numpy as np
import pytest

from sporax._src.runtime.xla_kernels import pooling
from sporax.ops.nn.pooling import Windows
from tests.xla_kernels.derivatives import compare, evaluated

DTYPES = [np.float32] * 6 + [np.float64] * 2 + [np.float16]


def random_windows(rng, is_dilated):
    """`Windows` over one to three axes."""
    while True:
        axes = int(rng.integers(1, 4))
        is_large = rng.random() < (0, 0.05, 0.3, 0.1)[axes]
        kernel = rng.integers(*((5, 9) if is_large else (1, 4)), axes)
        dilation = rng.integers(1, 4, axes) if is_dilated else np.ones(axes, int)
        planes = rng.integers(1, 12 if axes < 3 else 6, axes)
        stride, padding = rng.integers(1, 5, axes), rng.integers(0, kernel // 2 + 1)
        mode, is_ceil = str(rng.choice(["pad", "pad", "same", "valid"])), bool(rng.integers(2))
        settings = kernel, stride, mode, padding if mode == "pad" else 0, dilation, is_ceil
        settings = [tuple(map(int, s)) if isinstance(s, np.ndarray) else s for s in settings]
        try:
            return Windows([int(n) for n in planes], *settings)
        except ValueError:
            continue  # no window fits


def places(windows):
    """(window, element of the plane) for each that a window sees, both in row-major order."""
    axes = range(len(windows.planes))
    for number, window in enumerate(itertools.product(*map(range, windows.sizes))):
        for offset in itertools.product(*map(range, windows.kernel)):
            at = [
                window[i] * windows.stride[i] - windows.padding[i][0]
                + offset[i] * windows.dilation[i]
                for i in axes
            ]  # fmt: skip
            if all(0 <= at[i] < windows.planes[i] for i in axes):
                yield number, int(np.ravel_multi_index(at, windows.planes))


def selected(plane, pairs):
    """Of the pairs, the greatest element of each window: the first, or the last NaN."""
    best = {}
    for window, place in pairs:
        value = plane[place]
        if window not in best or value > plane[best[window]] or np.isnan(value):
            best[window] = place
    return list(best.items())


def reference(x, windows, weights):
    """Results and derivatives of a plane. `weights`: what an average divides by; None: maxima."""
    pairs = list(places(windows))
    pairs = pairs if weights is not None else selected(x, pairs)
    rows, columns = np.array(pairs, int).reshape(-1, 2).T
    factors = np.ones(len(rows)) if weights is None else 1 / weights[rows]

    def forward(x):
        return np.bincount(rows, factors * x[columns], math.prod(windows.sizes)).astype(np.float64)

    def transposed(g):
        return np.bincount(columns, factors * g[rows], len(x)).astype(np.float64)

    y = forward(x)
    is_empty = np.bincount(rows, minlength=len(y)) == 0
    y[is_empty & (weights is None)] = -np.inf
    first = transposed(np.sin(y))
    return y, first, transposed(0.5 * y + np.cos(y) * forward(0.5 * first))


def operand(rng, shape, dtype):
    """Few values, so that some are equal, or many; with NaN and infinity or without.
    Not negative infinity: the padding is, and of equals the first has the gradient."""
    x = rng.integers(-2, 3, shape) if rng.random() < 0.3 else rng.standard_normal(shape)
    x = x.astype(dtype)
    if rng.random() < 0.2:
        x[rng.random(shape) < 0.1] = rng.choice([np.nan, np.inf])
    return x


def first_of_pair(*args, dilation):
    return pooling.max_pool_with_index(*args, dilation)[0]


MAXIMA = pooling.max_pool, first_of_pair


def listed(run, args, x):
    return [run(x, *args)]


def check(seed, count, share_by_xla):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        is_max, dtype = bool(rng.integers(2)), DTYPES[rng.integers(len(DTYPES))]
        windows, weights = random_windows(rng, is_max and rng.random() < 0.3), None
        shape = (int(rng.integers(0, 3)), int(rng.integers(1, 3)), *windows.planes)
        x = operand(rng, shape, dtype)
        args = windows.sizes, windows.kernel, windows.stride, windows.padding
        if is_max:
            run = MAXIMA[rng.integers(len(MAXIMA))]
            run = functools.partial(run, dilation=windows.dilation)
        else:
            divisor = windows.window_sizes(bool(rng.integers(2)))
            run = functools.partial(pooling.average_pool, divisor=divisor)
            weights = divisor.reshape(-1).astype(np.float64)
        run = functools.partial(listed, run, args)
        results = evaluated(run, [x], rng.random() < share_by_xla)
        planes = x.astype(np.float64).reshape(math.prod(shape[:2]), math.prod(shape[2:]))
        with np.errstate(invalid="ignore"):
            planes = [reference(plane, windows, weights) for plane in planes]
        wanted = [
            np.array([plane[i] for plane in planes], np.float64).reshape(result.shape)
            for i, result in enumerate(results)
        ]
        compare(results, wanted, dtype, f"{vars(windows)} {shape} {dtype} maximum: {is_max}")


@pytest.mark.parametrize("seed", range(2))
def test_pooling_has_the_values_of_float64_in_both_orders(seed):
    check(seed, 20, share_by_xla=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 150))
def test_five_thousand_shapes(seed):
    check(seed, 100, share_by_xla=0.1)


@pytest.mark.parametrize("lowest", [-np.inf, np.iinfo(np.int32).min])
def test_indices_are_of_elements_where_these_equal_the_padding(lowest):
    x = np.full((1, 1, 3, 3), lowest, np.float32 if lowest == -np.inf else np.int32)
    windows = Windows((3, 3), 3, 2, "pad", 1)
    args = windows.sizes, windows.kernel, windows.stride, windows.padding, windows.dilation
    best, places = pooling.max_pool_with_index(x, *args)
    assert (np.asarray(best) == lowest).all()
    assert np.asarray(places).tolist() == [[[[0, 1], [3, 4]]]]


# planes, kernel, stride, padding, dilation, whether a last window may reach beyond the padding
LARGE = {
    "overlapping": ((9, 11), (6, 7), (2, 1), 3, (1, 1), False),
    "dilated, float16": ((13, 12), (4, 7), (3, 2), 2, (2, 1), True),
    "along one axis": ((40,), (27,), (5,), 13, (1,), True),
    "volumes, int32": ((4, 5, 6), (3, 3, 4), (1, 2, 1), 1, (1, 1, 1), False),
    "larger than the plane": ((2, 3), (97, 97), (1, 1), "same", (1, 1), False),
}


@pytest.mark.parametrize("name", LARGE)
def test_places_of_maxima_in_large_windows(name):
    planes, kernel, stride, padding, dilation, is_ceil = LARGE[name]
    mode = padding if padding == "same" else "pad"
    windows = Windows(
        planes, kernel, stride, mode, padding if mode == "pad" else 0, dilation, is_ceil
    )
    args = windows.sizes, windows.kernel, windows.stride, windows.padding, windows.dilation
    assert math.prod(kernel) > pooling._largest.get()
    dtype = np.dtype(name.partition(", ")[2] or np.float32)
    rng = np.random.default_rng(0)
    x = rng.integers(-2, 3, (2, 2, *planes)).astype(dtype)
    if dtype.kind == "f":
        x[0, :][rng.random((2, *planes)) < 0.1] = np.nan
    best, found = jax.jit(lambda x: pooling.max_pool_with_index(x, *args))(x)
    pairs, flat = list(places(windows)), (4, math.prod(planes))
    for plane, maxima, at in zip(
        x.reshape(flat), np.reshape(best, (4, -1)), np.reshape(found, (4, -1)), strict=True
    ):
        with np.errstate(invalid="ignore"):
            wanted = np.array([place for _, place in sorted(selected(plane, pairs))])
        assert at.tolist() == wanted.tolist()
        np.testing.assert_array_equal(maxima, plane[wanted])
