"""`nn.probability.distribution`, against SciPy; divergences against sums and integrals."""

import numpy as np
import pytest
from scipy import integrate, special, stats

import sporax as ms
from sporax import nn, ops
from sporax._src.core import dtype as dtypes
from sporax._src.core import random
from sporax._src.core.tensor import Tensor
from sporax.nn.probability import distribution as D

pytestmark = pytest.mark.usefixtures("on_numpy")

# name -> parameters, others of the same kind, SciPy's law of them, where it is looked at
LAWS = {
    "Normal": ([0.5, 2.0], [1.0, 3.0], stats.norm, (-3, 5)),
    "Laplace": ([0.5, 2.0], [1.0, 3.0], stats.laplace, (-3, 5)),
    "Logistic": ([0.5, 2.0], [1.0, 3.0], stats.logistic, (-3, 5)),
    "Gumbel": ([0.5, 2.0], [1.0, 3.0], stats.gumbel_r, (-3, 5)),
    "Cauchy": ([0.5, 2.0], [1.0, 3.0], stats.cauchy, (-3, 5)),
    "StudentT": ([3.0, 0.5, 2.0], [5.0, 1.0, 3.0], stats.t, (-3, 5)),
    "LogNormal": ([0.5, 0.7], [0.2, 0.9], lambda m, s: stats.lognorm(s, scale=np.exp(m)), (-1, 5)),
    "HalfNormal": ([0.5, 2.0], [0.5, 3.0], stats.halfnorm, (-1, 5)),
    "Uniform": ([1.0, 3.0], [0.5, 4.0], lambda a, b: stats.uniform(a, b - a), (0, 4)),
    "Exponential": ([0.5], [0.9], lambda r: stats.expon(scale=1 / r), (-1, 5)),
    "Gamma": ([2.0, 3.0], [1.5, 2.0], lambda a, b: stats.gamma(a, scale=1 / b), (0.1, 4)),
    "Beta": ([2.0, 3.0], [1.5, 2.0], stats.beta, (-0.2, 1.2)),
    "Bernoulli": ([0.3], [0.6], stats.bernoulli, None),
    "Geometric": ([0.3], [0.6], lambda p: stats.geom(p, loc=-1), None),
    "Poisson": ([2.5], [1.5], stats.poisson, None),
    "Categorical": (
        [[0.2, 0.3, 0.5]], [[0.4, 0.4, 0.2]],
        lambda p: stats.rv_discrete(values=(range(3), p)), None,
    ),
}  # fmt: skip
LACKING = {
    "StudentT": {"cdf", "log_cdf", "survival_function", "log_survival", "kl_loss"},
    "Beta": {"cdf", "log_cdf", "survival_function", "log_survival"},
    "Poisson": {"entropy"}, "Logistic": {"kl_loss"}, "HalfNormal": {"kl_loss"},
}  # fmt: skip
SCIPYS = {
    "log_prob": "logpdf", "cdf": "cdf", "log_cdf": "logcdf", "survival_function": "sf",
    "log_survival": "logsf", "prob": "pdf",
}  # fmt: skip


def points(name):
    where = LAWS[name][3]
    return np.arange(-1, 6) if where is None else np.linspace(*where, 23) + 1e-3


def distribution(name, seed=0, **options):
    return getattr(D, name)(*LAWS[name][0], seed=seed, **options)


def law_of(name):
    return LAWS[name][2](*LAWS[name][0])


CASES = [(n, f) for n in LAWS for f in SCIPYS]


@pytest.mark.parametrize(("name", "function"), CASES)
def test_functions_of_a_value(name, function):
    if function in LACKING.get(name, ()):
        with pytest.raises(NotImplementedError, match=f"'{function}' is not defined"):
            getattr(distribution(name), function)(Tensor([1.0]))
        return
    x, law = points(name), law_of(name)
    scipys = SCIPYS[function]
    scipys = scipys if hasattr(law, "pdf") and LAWS[name][3] else scipys.replace("pdf", "pmf")
    with np.errstate(divide="ignore"):
        expected = getattr(law, scipys)(x)
    kind = dtypes.float64 if LAWS[name][3] else None
    d = distribution(name, dtype=kind) if kind else distribution(name)
    got = getattr(d, function)(Tensor(x, kind or dtypes.int32)).asnumpy()
    np.testing.assert_allclose(
        got, expected, rtol=1e-6 if kind else 1e-4, atol=1e-7 if kind else 1e-5
    )


@pytest.mark.parametrize("name", sorted(set(LAWS) - {"Gumbel"}))
def test_parameters_given_at_the_call(name):
    x = Tensor(points(name), dtypes.float32)
    args = [Tensor(p, dtypes.float32) for p in LAWS[name][0]]
    np.testing.assert_allclose(  # two programs, which XLA may fuse in two ways
        getattr(D, name)().prob(x, *args).asnumpy(), distribution(name).prob(x).asnumpy(), rtol=1e-6
    )


@pytest.mark.parametrize("name", LAWS)
def test_moments(name):
    d, law = distribution(name), law_of(name)
    if name != "Poisson":
        np.testing.assert_allclose(d.entropy().asnumpy(), law.entropy(), rtol=1e-5)
    if name == "Cauchy":
        with pytest.raises(ValueError, match="do not exist"):
            d.mean()
        return
    np.testing.assert_allclose(d.mean().asnumpy(), law.mean(), rtol=1e-5)
    np.testing.assert_allclose(d.sd().asnumpy(), law.std(), rtol=1e-5)
    np.testing.assert_allclose(d.var().asnumpy(), law.var(), rtol=1e-5)
    if name != "Uniform":
        x = points(name)
        p = d.prob(Tensor(x, dtypes.float32 if LAWS[name][3] else dtypes.int32)).asnumpy()
        at_mode = d.prob(d.mode().astype(dtypes.float32)).asnumpy()
        assert (at_mode >= p - 1e-6).all()


@pytest.mark.parametrize("name", LAWS)
def test_divergences(name):
    d, others = distribution(name), [Tensor(p, dtypes.float32) for p in LAWS[name][1]]
    if "kl_loss" in LACKING.get(name, ()):
        with pytest.raises(NotImplementedError):
            d.kl_loss(name, *others)
        return
    p, q = law_of(name), LAWS[name][2](*LAWS[name][1])
    if LAWS[name][3] is None:
        k = np.arange(0, 60)
        k = k[p.pmf(k) > 0]
        expected = (p.pmf(k) * (p.logpmf(k) - q.logpmf(k))).sum()
    else:
        # over what p believes likely: u is uniform where x follows p
        expected, _ = integrate.quad(
            lambda u: p.logpdf(p.ppf(u)) - q.logpdf(p.ppf(u)), 0, 1, limit=300
        )
    got = d.kl_loss(name, *others).asnumpy()
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)
    by_name = {f"{n}_b": v for n, v in zip(d.parameter_names, others, strict=True)}
    np.testing.assert_allclose(d.kl_loss(name, **by_name).asnumpy(), got)
    if name != "Poisson":
        both = d.cross_entropy(name, *others).asnumpy()
        np.testing.assert_allclose(both, expected + p.entropy(), rtol=1e-4)


@pytest.mark.parametrize("name", LAWS)
def test_samples_follow_their_law(name):
    x = np.sort(distribution(name, seed=3).sample((20000,)).asnumpy().ravel().astype(np.float64))
    law, steps = law_of(name), np.arange(20001) / 20000
    if LAWS[name][3] is None:
        k = np.arange(0, 30)
        counts, expected = np.array([(x == i).sum() for i in k]), law.pmf(k) * x.size
        many = expected >= 5
        distance = ((counts - expected)[many] ** 2 / expected[many]).sum()
        assert counts.sum() == x.size and distance < stats.chi2.ppf(0.999, many.sum())
        return
    f = law.cdf(x)
    assert max(np.max(steps[1:] - f), np.max(f - steps[:-1])) < 1.95 / np.sqrt(x.size)


@pytest.mark.parametrize("name", LAWS)
def test_shapes_of_samples(name):
    d = distribution(name)
    assert d.sample((2, 3)).shape == (2, 3)
    assert d.sample().shape == ()
    assert d.sample((2,)).dtype == d.dtype
    rows = [Tensor(np.stack([p, p]), dtypes.float32) for p in map(np.array, LAWS[name][0])]
    assert d.sample((5,), *rows).shape == (5, 2)


def test_seeds():
    one, two = D.Normal(0.0, 1.0, seed=4), D.Normal(0.0, 1.0, seed=4)
    first = [one.sample((3,)).tolist() for _ in "ab"]
    assert first == [two.sample((3,)).tolist() for _ in "ab"] and first[0] != first[1]
    plain, runs = D.Beta([2.0], [3.0]), []
    for _ in range(2):
        random.set_seed(1)
        runs.append(plain.sample((3,)).tolist())
    assert runs[0] == runs[1]


def test_captured_and_differentiated():
    d = D.Normal(dtype=dtypes.float32)

    def loss(x, mean, sd):
        return d.log_prob(x, mean, sd).sum()

    x, mean, sd = Tensor([0.5, 2.0]), Tensor(1.0), Tensor(2.0)
    for f in (loss, ms.jit(loss)):
        slopes = ms.grad(f, (1, 2))(x, mean, sd)
        z = (np.array([0.5, 2.0]) - 1) / 2
        np.testing.assert_allclose(
            [s.item() for s in slopes], [z.sum() / 2, ((z**2 - 1) / 2).sum()]
        )
    sample = ms.jit(lambda: D.Normal(0.0, 1.0).sample((3,)))
    assert sample().tolist() != sample().tolist()


def test_a_distribution_of_ones_own():
    class Arcsine(D.Distribution):
        RULES = (("scale", "positive"),)

        def __init__(self, scale):
            super().__init__(0, dtypes.float32, "Arcsine", {"scale": scale})

        def _cdf(self, x, scale):
            return 2 / np.pi * ops.asin(ops.sqrt(x / scale))

    d = Arcsine(2.0)
    np.testing.assert_allclose(d.survival_function(Tensor([1.0])).asnumpy(), [0.5], rtol=1e-6)
    assert isinstance(d, nn.Cell) and d.batch_shape == () and d.is_scalar_batch
    assert D.Normal([0.0, 1.0], [[1.0], [2.0]]).batch_shape == (2, 2)
    assert D.Normal().batch_shape is None


REFUSED = [
    (lambda: D.Normal(0.0, -1.0), ValueError, "'sd' must be a number greater than 0, but"),
    (lambda: D.Bernoulli(1.5), ValueError, "'probs' must be a number in (0, 1)"),
    (lambda: D.Categorical([0.5, 0.6]), ValueError, "'probs' must sum to 1"),
    (lambda: D.Uniform(3.0, 1.0), ValueError, "'low' must be less than 'high'"),
    (lambda: D.Normal(0.0, 1.0, seed=-1), ValueError, "'seed' must be an int of at least 0"),
    (lambda: D.Normal(0.0, 1.0, dtype=dtypes.int32), TypeError, "a floating dtype"),
    (lambda: D.Normal().mean(), TypeError, "'mean' must be a Tensor, but got NoneType"),
    (lambda: D.Normal(0.0, 1.0).prob(1.0), TypeError, "'value' must be a Tensor, but got float"),
    (lambda: D.Normal(0.0, 1.0).kl_loss("Uniform"), ValueError, "must be 'Normal'"),
    (lambda: D.Normal(0.0, 1.0).kl_loss("Normal"), TypeError, "must be given mean_b, sd_b"),
    (lambda: D.Normal(0.0, 1.0).mean(loc=1), TypeError, "must be mean, sd"),
]


@pytest.mark.parametrize(("call", "error", "says"), REFUSED)
def test_refusals(call, error, says):
    with pytest.raises(error) as caught:
        call()
    assert says in str(caught.value)


def test_the_derivatives_of_the_incomplete_gamma_functions():
    a, x = (Tensor(v, dtypes.float64) for v in (2.5, 1.5))
    for f, sign in ((ops.igamma, 1), (ops.igammac, -1)):
        by_a, by_x = (s.item() for s in ms.grad(f, (0, 1))(a, x))
        step = 1e-6
        expected = (
            (special.gammainc(2.5 + step, 1.5) - special.gammainc(2.5 - step, 1.5)) / 2 / step
        )
        np.testing.assert_allclose(by_a, sign * expected, rtol=1e-6)
        np.testing.assert_allclose(by_x, sign * stats.gamma(2.5).pdf(1.5), rtol=1e-9)
