"""`nn.probability.bijector` against formulas in float64; transformed laws against SciPy."""

import numpy as np
import pytest
from scipy import special, stats

import sporax as ms
from sporax._src.core.tensor import Tensor
from sporax.nn.probability import bijector as B
from sporax.nn.probability import distribution as D

pytestmark = pytest.mark.usefixtures("on_numpy")

# bijector, its function and inverse in NumPy, where it is looked at
BIJECTORS = {
    "PowerTransform(0.5)": (lambda x: (1 + x / 2) ** 2, lambda y: 2 * (y**0.5 - 1), (0.1, 3.0)),
    "PowerTransform()": (np.exp, np.log, (-2.0, 2.0)),
    "PowerTransform([0.0, 2.0])": (
        lambda x: np.stack([np.exp(x[..., 0]), np.sqrt(1 + 2 * x[..., 1])], -1),
        lambda y: np.stack([np.log(y[..., 0]), (y[..., 1] ** 2 - 1) / 2], -1),
        (0.1, 3.0),
    ),
    "Exp()": (np.exp, np.log, (-2.0, 2.0)),
    "ScalarAffine(-2.0, 0.5)": (lambda x: 0.5 - 2 * x, lambda y: (0.5 - y) / 2, (-2.0, 2.0)),
    "ScalarAffine([1.0, -3.0], 0.5)": (
        lambda x: np.array([1, -3]) * x + 0.5, lambda y: (y - 0.5) / np.array([1, -3]), (-2.0, 2.0)
    ),
    "Softplus(1.5)": (
        lambda x: np.log1p(np.exp(1.5 * x)) / 1.5, lambda y: np.log(np.expm1(1.5 * y)) / 1.5,
        (-2.0, 2.0),
    ),
    "GumbelCDF(0.5, 2.0)": (
        lambda x: stats.gumbel_r(0.5, 2).cdf(x), lambda y: stats.gumbel_r(0.5, 2).ppf(y),
        (-2.0, 3.0),
    ),
    "Invert(B.Exp())": (np.log, np.exp, (0.2, 3.0)),
    "Invert(B.GumbelCDF())": (
        lambda x: stats.gumbel_r.ppf(x), lambda y: stats.gumbel_r.cdf(y), (0.1, 0.9)
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", BIJECTORS)
def test_bijector_follows_its_formula(text):
    forward, inverse, (low, high) = BIJECTORS[text]
    bijector = eval(f"B.{text}", {"B": B})
    x = np.random.default_rng(0).uniform(low, high, (3, 2))
    y, step = forward(x), 1e-6
    slope = np.abs(forward(x + step) - forward(x - step)) / (2 * step)
    expected = {
        "forward": (x, y), "inverse": (y, inverse(y)), "forward_log_jacobian": (x, np.log(slope)),
        "inverse_log_jacobian": (y, -np.log(slope)),
    }  # fmt: skip
    for method, (at, reference) in expected.items():
        out = bijector(method, Tensor(at.astype(np.float32)))
        shape = (3, 2) if bijector.is_constant_jacobian else reference.shape
        out = np.broadcast_to(out.asnumpy(), shape)
        np.testing.assert_allclose(out, reference, rtol=2e-4, atol=2e-5, err_msg=method)
    grad = ms.grad(lambda t: bijector.forward(t).sum())(Tensor(x.astype(np.float32)))
    np.testing.assert_allclose(np.abs(grad.asnumpy()), slope, rtol=2e-4, atol=1e-5)


def test_what_a_bijector_says_of_itself():
    affine = B.ScalarAffine(2.0, 1.0)
    assert (affine.name, affine.is_constant_jacobian, affine.is_injective) == (
        "ScalarAffine", True, True,
    )  # fmt: skip
    assert affine.parameters["param_dict"] == {"scale": 2.0, "shift": 1.0}
    assert (affine.scale.item(), affine.shift.item(), affine.dtype) == (2.0, 1.0, None)
    assert affine.batch_shape == () and affine.is_scalar_batch
    batch = B.Softplus([1.0, 2.0])
    assert batch.batch_shape == (2,) and not batch.is_scalar_batch
    assert batch.shape_mapping((3, 1)) == (3, 2)
    inverse = B.Invert(affine)
    assert inverse.name == "InvertScalarAffine" and inverse.bijector is affine


def test_a_bijector_of_ones_own():
    class Cube(B.Bijector):
        def __init__(self, scale):
            param = dict(locals())
            param["param_dict"] = {"scale": scale}
            super().__init__(name="Cube", param=param)
            self.scale = self._add_parameter(scale, "scale")

        def _forward(self, x):
            return self.scale * x**3

        def _inverse(self, y):
            return ms.ops.sign(y) * (y / self.scale).abs() ** (1 / 3)

        def _inverse_log_jacobian(self, y):
            return -ms.ops.log(3 * self.scale * self._inverse(y) ** 2)

    cube = Cube(2.0)
    assert cube.forward(Tensor([2.0])).item() == 16.0
    law = cube(D.Normal(0.0, 1.0))
    np.testing.assert_allclose(law.cdf(Tensor([2.0])).asnumpy(), stats.norm.cdf(1), rtol=1e-5)
    np.testing.assert_allclose(law.prob(Tensor([2.0])).asnumpy(), stats.norm.pdf(1) / 6, rtol=1e-5)
    with pytest.raises(NotImplementedError, match="'Cube', 'forward_log_jacobian'"):
        cube.forward_log_jacobian(Tensor([1.0]))


# a bijector and a distribution -> SciPy's law of the image
LAWS = {
    "LogNormal": ("Exp()", "Normal(0.3, 0.7)", stats.lognorm(0.7, scale=np.exp(0.3)), (0.2, 3)),
    "shifted": ("ScalarAffine(2.0, 1.0)", "Normal(0.3, 0.7)", stats.norm(1.6, 1.4), (-2, 4)),
    "turned": ("ScalarAffine(-2.0, 1.0)", "Gumbel(0.3, 0.7)", stats.gumbel_l(0.4, 1.4), (-3, 3)),
    "uniform": ("GumbelCDF(0.3, 0.7)", "Gumbel(0.3, 0.7)", stats.uniform(), (0.1, 0.9)),
    "Gumbel": ("Invert(B.GumbelCDF())", "Uniform(0.0, 1.0)", stats.gumbel_r(), (-1, 2)),
}
METHODS = {
    "prob": "pdf", "log_prob": "logpdf", "cdf": "cdf", "log_cdf": "logcdf",
    "survival_function": "sf", "log_survival": "logsf",
}  # fmt: skip


@pytest.mark.parametrize("dtype", [None, ms.float32])
def test_a_bijector_of_ones_own_checks_its_input(dtype):
    bijector = B.Bijector(name="Mine", dtype=dtype)
    x = Tensor([1.0])
    assert bijector._check_value_dtype(x) is x
    assert bijector.cast_param_by_value(x, Tensor(2.0, ms.float16)).dtype == x.dtype
    for wrong in (None, 1.0, Tensor([1]), *([Tensor([1.0], ms.float16)] if dtype else [])):
        with pytest.raises(TypeError, match=r"For 'Mine', .*'value' must be"):
            bijector._check_value_dtype(wrong)


@pytest.mark.parametrize("name", LAWS)
def test_transformed_law(name):
    bijector, distribution, reference, (low, high) = LAWS[name]
    scope = {"B": B, "D": D}
    law = eval(f"B.{bijector}", scope)(eval(f"D.{distribution}", scope))
    assert isinstance(law, D.TransformedDistribution)
    x = np.linspace(low, high, 7)
    for method, theirs in METHODS.items():
        out = law(method, Tensor(x.astype(np.float32))).asnumpy()
        expected = getattr(reference, theirs)(x)
        np.testing.assert_allclose(out, expected, rtol=5e-4, atol=1e-5, err_msg=method)
    ms.set_seed(1)
    drawn = law.sample((4000,)).asnumpy()
    assert stats.kstest(drawn, reference.cdf).pvalue > 1e-3
    if law.is_linear_transformation:
        np.testing.assert_allclose(law.mean().asnumpy(), reference.mean(), rtol=1e-5)
    else:
        with pytest.raises(NotImplementedError, match="'mean'"):
            law.mean()


def test_parameters_of_a_transformed_law_at_the_call():
    law = D.TransformedDistribution(B.Exp(), D.Normal(), seed=3)
    out = law.cdf(Tensor([1.0]), Tensor(0.5), Tensor(2.0))
    np.testing.assert_allclose(out.asnumpy(), special.ndtr(-0.25), rtol=1e-5)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: B.PowerTransform(-1.0), ValueError, ("'power'", "at least 0")),
        (lambda: B.GumbelCDF(0.0, 0.0), ValueError, ("'scale'", "greater than 0")),
        (lambda: B.Softplus(True), TypeError, ("'sharpness'", "bool")),
        (lambda: B.Softplus(1), TypeError, ("'sharpness'", "Int64")),
        (lambda: B.Invert(1), TypeError, ("'Invert'", "Bijector")),
        (lambda: B.Exp().forward(1.0), TypeError, ("'Exp'", "Tensor", "float")),
        (lambda: B.Exp().forward(Tensor([1])), TypeError, ("'Exp'", "floating", "Int64")),
        (lambda: B.Exp()("backward", Tensor([1.0])), ValueError, ("'forward'", "'backward'")),
        (lambda: D.TransformedDistribution(B.Exp(), 1), TypeError, ("'distribution'", "int")),
    ],
)
def test_wrong_use_is_refused(call, error, says):
    with pytest.raises(error) as caught:
        call()
    for part in says:
        assert part in str(caught.value)
