"""Initializers: the laws they draw from, and what they refuse."""

import math

import numpy as np
import pytest

import sporax
from sporax import initializers
from sporax._src.core import dtype as dtypes
from sporax._src.core import random
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.initializers import (
    Constant,
    Dirac,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    Normal,
    One,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    Zero,
    initializer,
)
from tests import records
from tests.initializers.seeded_cases import CASES, values

SHAPE = (60, 50, 4)  # fan in 200, fan out 240


def uniform(bound):
    return lambda x: np.clip((x + bound) / (2 * bound), 0, 1)


def normal(sigma, mean=0.0):
    return np.vectorize(lambda x: 0.5 * math.erfc((mean - x) / (sigma * math.sqrt(2))))


def truncated(sigma, low, high, mean=0.0):
    phi = normal(sigma, mean)
    return lambda x: np.clip((phi(x) - phi(low)) / (phi(high) - phi(low)), 0, 1)


# an initializer, the distribution function of the law that it draws from
LAWS = [
    (Uniform(), uniform(0.07)),
    (Uniform(2.0), uniform(2.0)),
    (Normal(), normal(0.01)),
    (Normal(0.5, 3.0), normal(0.5, 3.0)),
    (TruncatedNormal(1.5), truncated(1.5, -2, 2)),
    (TruncatedNormal(1.0, 1.0, 0.5, 4.0), truncated(1.0, 0.5, 4.0, 1.0)),
    (TruncatedNormal(0.1, 0.0, 0.35, 0.9), truncated(0.1, 0.35, 0.9)),
    (XavierUniform(), uniform(math.sqrt(6 / 440))),
    (XavierUniform(3), uniform(3 * math.sqrt(6 / 440))),
    (XavierNormal(2), normal(2 * math.sqrt(2 / 440))),
    (HeUniform(), uniform(math.sqrt(6 / 200))),
    (HeUniform(2.0, "fan_out"), uniform(math.sqrt(3 * 2 / 5 / 240))),
    (HeNormal(), normal(math.sqrt(2 / 200))),
    (HeNormal(nonlinearity="relu", mode="fan_out"), normal(math.sqrt(2 / 240))),
    (HeNormal(nonlinearity="tanh"), normal(5 / 3 / math.sqrt(200))),
    (HeNormal(nonlinearity="sigmoid"), normal(1 / math.sqrt(200))),
    (VarianceScaling(3.0, "fan_avg", "uniform"), uniform(3 / math.sqrt(220))),
    (VarianceScaling(3.0, "fan_out", "untruncated_normal"), normal(math.sqrt(3 / 240))),
    (VarianceScaling(3.0), uniform(3 / math.sqrt(200))),  # as MindSpore's
]
IDS = [f"{type(i).__name__}{tuple(i._kwargs.values())}" for i, _ in LAWS]


@pytest.mark.parametrize(("init", "law"), LAWS, ids=IDS)
def test_values_follow_their_law(init, law):
    x = np.sort(initializer(init, SHAPE).asnumpy().ravel().astype(np.float64))
    n = x.size
    steps = np.arange(n + 1) / n
    f = law(x)
    # Kolmogorov and Smirnov: beyond this distance by chance once in a thousand draws
    assert max(np.max(steps[1:] - f), np.max(f - steps[:-1])) < 1.95 / math.sqrt(n)
    assert np.unique(x).size > 0.9 * n


MODULES = {"ms": sporax, "nn": sporax.nn, "mint": sporax.mint, **vars(initializers)}
RECORDED = records.read("seeded")


@pytest.mark.parametrize("case", CASES)
def test_a_seed_gives_the_values_of_mindspore(case):
    random.set_seed(3)
    drawn = values(eval(case, MODULES))
    assert drawn.keys() == RECORDED[case].keys()
    for name, (shape, mean, first) in RECORDED[case].items():
        assert drawn[name][0] == shape
        np.testing.assert_allclose(drawn[name][2], first, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(drawn[name][1], mean, rtol=1e-5, atol=1e-7)


def test_mean_and_variance():
    x = initializer(Normal(2.0, 1.0), (400, 500)).asnumpy()
    assert abs(x.mean() - 1) < 0.02
    assert abs(x.std() - 2) < 0.02
    x = initializer(VarianceScaling(), (400, 500)).asnumpy()
    assert abs(x.std() * math.sqrt(500) - 1) < 0.01


DTYPES = [dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ["normal", "uniform", "truncatednormal", "orthogonal"])
def test_every_floating_dtype(name, dtype):
    x = initializer(name, (8, 8), dtype)
    assert x.dtype == dtype
    assert np.isfinite(x.asnumpy().astype(np.float64)).all()


def test_truncation_holds_in_half_precision():
    x = TruncatedNormal(1.0, 0.0, -0.3, 0.3).draw((1000,), dtypes.float16)
    assert abs(x).max() <= np.float16(0.3)


@pytest.mark.parametrize("shape", [(10, 4), (4, 10), (4, 2, 3), (5, 5)])
def test_orthogonal(shape):
    w = initializer(Orthogonal(2.0), shape).asnumpy().reshape(shape[0], -1)
    gram = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
    np.testing.assert_allclose(gram, 4 * np.eye(len(gram)), atol=1e-5)


def test_sparse():
    x = initializer(Sparse(0.25, 2.0), (10, 300)).asnumpy()
    assert ((x == 0).sum(0) == 3).all()
    assert abs(x[x != 0].std() - 2) < 0.15
    assert ((x == 0).sum(1) > 40).all()  # the rows are chosen for each column anew


def test_fixed_values():
    assert initializer("zeros", (2,)).asnumpy().tolist() == [0, 0]
    assert initializer(One(), 2).asnumpy().tolist() == [1, 1]
    assert initializer(3, [2], dtypes.int32).asnumpy().tolist() == [3, 3]
    assert initializer(Constant(0.5), ()).asnumpy().shape == ()
    assert initializer(Zero(), (2,), dtypes.bool_).asnumpy().tolist() == [False, False]
    assert initializer(Identity(), (2, 3)).asnumpy().tolist() == [[1, 0, 0], [0, 1, 0]]
    inputs = Tensor([1.0, 2.0])
    assert initializer(inputs, (2,)) is inputs


@pytest.mark.parametrize("kernel", [(3,), (3, 4), (3, 4, 2)])
@pytest.mark.parametrize(("groups", "outputs"), [(1, 4), (2, 6)])
def test_dirac_passes_channels_through(kernel, groups, outputs):
    w = initializer(Dirac(groups), (outputs, 3, *kernel)).asnumpy()
    each = outputs // groups
    expected = {
        (g * each + c, c, *(k // 2 for k in kernel))
        for g in range(groups)
        for c in range(min(each, 3))
    }
    assert set(zip(*(i.tolist() for i in np.nonzero(w)), strict=True)) == expected
    assert w.sum() == len(expected)


def test_a_seed_repeats_the_values():
    draws = []
    for seed in (1, 1, 2):
        random.set_seed(seed)
        draws.append([initializer("normal", (3,)).asnumpy() for _ in range(2)])
    np.testing.assert_array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])
    assert not np.array_equal(draws[0][0], draws[0][1])


def test_an_initializer_of_ones_own():
    class Ramp(Initializer):
        def __init__(self, start):
            super().__init__(start=start)
            self.start = start

        def _initialize(self, arr):
            arr[:] = np.arange(self.start, self.start + arr.size).reshape(arr.shape)

    expected = [[2, 3], [4, 5]]
    assert initializer(Ramp(2), (2, 2)).asnumpy().tolist() == expected
    assert Tensor(shape=(2, 2), dtype=dtypes.float32, init=Ramp(2)).asnumpy().tolist() == expected
    array = np.zeros((2, 2))
    Ramp(2)(array)
    assert array.tolist() == expected


def test_clones_of_parameters():
    p = Parameter(initializer("normal", (3,)), name="w")
    assert p.clone("zeros").asnumpy().tolist() == [0, 0, 0]
    assert p.clone(0.5).asnumpy().tolist() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: initializer("nope", 2), ValueError, "must name an initializer, but got 'nope'"),
        (lambda: initializer("sparse", (2, 2)), TypeError, "Pass a Sparse(...)"),
        (lambda: initializer([1], 1), TypeError, "'init' must be a Tensor, a number, a name"),
        (lambda: initializer("ones"), ValueError, "'shape' must be positive integer, but got None"),
        (lambda: initializer("ones", -1), ValueError, "argument 'shape' is invalid, the value of "),
        (lambda: initializer("ones", [0, 2]), ValueError, "but got (0, 2)"),
        (lambda: initializer("ones", (2.0,)), ValueError, "but got (2.0,)"),
        (lambda: initializer(Tensor([1.0]), (2,)), ValueError, "must be 'shape' (2,), but got (1"),
        (lambda: initializer("he_normal", (2,)), ValueError, "at least 2 dimensions"),
        (lambda: initializer("identity", (2, 2, 2)), ValueError, "For 'Identity'"),
        (lambda: initializer("dirac", (2, 2)), ValueError, "3, 4 or 5 dimensions"),
        (lambda: initializer(Dirac(3), (4, 2, 3)), ValueError, "a multiple of 'groups' 3"),
        (lambda: initializer("orthogonal", 3), ValueError, "For 'Orthogonal'"),
        (lambda: initializer(Sparse(0.5), 3), ValueError, "For 'Sparse'"),
        (lambda: Sparse(1.5), ValueError, "'sparsity' must be in [0, 1], but got 1.5"),
        (
            lambda: HeUniform(nonlinearity="x"),
            ValueError,
            "'nonlinearity' must be one of ('lin",
        ),
        (lambda: initializer(HeNormal(mode="x"), (2, 2)), ValueError, "'mode' must be one of"),
        (lambda: VarianceScaling(-1), ValueError, "'scale' must be greater than 0, but got -1"),
        (lambda: VarianceScaling(mode="x"), ValueError, "'mode' must be one of ('fan_in'"),
        (lambda: TruncatedNormal(1.0, 0.0, 2.0, 1.0), ValueError, "'a' must be less than 'b'"),
        (lambda: Normal(-1.0), ValueError, "'sigma' must be at least 0"),
        (lambda: Initializer().draw((2,)), NotImplementedError, "'_initialize(self, arr)'"),
    ],
)
def test_bad_input_is_refused_in_one_voice(make, error, says):
    with pytest.raises(error) as caught:
        built = make()
        if isinstance(built, Tensor):
            built.init_data()
    assert says in str(caught.value)


@pytest.mark.parametrize("init, number", [("ones", 1.0), (3, 3.0)])
def test_a_tensor_drawn_by_a_name_or_a_number(init, number):
    x = Tensor(shape=(2,), dtype=dtypes.float32, init=init)
    assert x.has_init and x.init_data().asnumpy().tolist() == [number, number]
