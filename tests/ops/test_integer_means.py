"""Means of integers are exact, compiled and interpreted; their spread is that of Float64."""

from fractions import Fraction
from statistics import fmean, pvariance

import numpy as np
import pytest

import sporax.numpy as mnp
from sporax import mint, ops
from sporax._src.core.tensor import Tensor


@pytest.fixture(params=["compiled", "interpreted"])
def way(request):
    if request.param == "interpreted":
        request.getfixturevalue("on_numpy")


def near_limits(dtype):
    """Arrays (4, 3) of elements anywhere, near the greatest, and near the least."""
    draw, limits = np.random.default_rng(0).integers, np.iinfo(dtype)
    for low, high in [
        (limits.min, limits.max), (limits.max - 5, limits.max), (limits.min, limits.min + 5)
    ]:  # fmt: skip
        yield draw(low, high, (4, 3), dtype, endpoint=True)


DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_mean_is_exact_whatever_the_sum_is(dtype, way):
    for array in near_limits(dtype):
        for axis, rows in [(None, [array.ravel()]), (0, array.T), (1, array), ((0, 1), [array])]:
            rows = [np.asarray(row).ravel().tolist() for row in rows]
            expected = [int(Fraction(sum(row), len(row))) for row in rows]  # toward zero
            result = ops.mean(Tensor(array), axis).asnumpy()
            assert result.dtype == dtype
            assert result.ravel().tolist() == expected, (array, axis)


def test_each_face_of_a_mean(way):
    x = Tensor(np.array([2**31 - 1, 2**31 - 2, 2**31 - 5], np.int32))
    for result in (x.mean(), mint.mean(x), ops.ReduceMean()(x), mnp.mean(x), ops.reduce_mean(x)):
        assert result.item() == 2**31 - 3
    assert ops.mean(Tensor(np.zeros((0, 2), np.int32)), 0).asnumpy().tolist() == [0, 0]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32"])
def test_the_spread_is_not_rounded_on_the_way(dtype, way):
    for array in near_limits(dtype):
        x, numbers = Tensor(array), array.ravel().tolist()
        spread = pvariance(map(Fraction, numbers))
        np.testing.assert_allclose(x.var().item(), float(spread), 1e-6)
        np.testing.assert_allclose(x.std().item(), float(spread) ** 0.5, 1e-6)
        np.testing.assert_allclose(mnp.average(x).item(), fmean(numbers), 1e-6)
        weighted = mnp.average(x, weights=x).item()
        np.testing.assert_allclose(weighted, np.average(numbers, weights=numbers), 1e-6)
