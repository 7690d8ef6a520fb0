"""`jet`, `derivative`, `linearize`, `custom_vjp`: against closed forms and finite differences."""

import numpy as np
import pytest
from scipy import special

import sporax
from sporax import Tensor, grad, jit, nn, ops, vmap
from sporax._src.core.parameter import Parameter
from sporax.nn.custom_vjp import custom_vjp

pytestmark = pytest.mark.usefixtures("on_numpy")

X = np.linspace(0.4, 1.3, 6).reshape(2, 3)
S, C, T = np.sin(X), np.cos(X), np.tanh(X)

# function -> its value and its derivatives at X
FORMS = {
    "sin": (ops.sin, [S, C, -S, -C]),
    "exp of sin": (
        lambda x: ops.exp(ops.sin(x)),
        [np.exp(S), C * np.exp(S), (C * C - S) * np.exp(S), C * (C * C - 3 * S - 1) * np.exp(S)],
    ),
    "power": (lambda x: x**4, [X**4, 4 * X**3, 12 * X**2, 24 * X]),
    "reciprocal": (lambda x: 1 / x, [1 / X, -(X**-2), 2 * X**-3, -6 * X**-4]),
    "log": (ops.log, [np.log(X), 1 / X, -(X**-2), 2 * X**-3]),
    "tanh": (ops.tanh, [T, 1 - T * T, -2 * T * (1 - T * T), (1 - T * T) * (6 * T * T - 2)]),
    "without a rule of JAX's": (
        ops.lgamma,
        [special.gammaln(X), *[special.polygamma(k, X) for k in range(3)]],
    ),
    "a branch of each": (
        lambda x: ops.where(x > 0.8, x * x, -x),
        [np.where(X > 0.8, X * X, -X), np.where(X > 0.8, 2 * X, -1), 2.0 * (X > 0.8), 0 * X],
    ),
    "captured": (jit(lambda x: x * x), [X * X, 2 * X, 2 + 0 * X, 0 * X]),
    "constant": (lambda x: ops.ones((2, 3), sporax.float64), [1 + 0 * X, 0 * X, 0 * X, 0 * X]),
}
CURVE = [X, 1 + X, X * X - 2, 3 - X]  # x and x', x'', x''' at one time


def by_faa_di_bruno(forms):
    """The derivatives of f(x(t)), from those of f and of x."""
    f, f1, f2, f3 = forms
    _, x1, x2, x3 = CURVE
    return [f, f1 * x1, f2 * x1**2 + f1 * x2, f3 * x1**3 + 3 * f2 * x1 * x2 + f1 * x3]


@pytest.mark.parametrize("name", FORMS)
def test_jet_along_a_curve(name):
    function, forms = FORMS[name]
    value, terms = ops.jet(function, Tensor(X), Tensor(np.stack(CURVE[1:])))
    expected = by_faa_di_bruno(forms)
    assert value.dtype == terms.dtype == sporax.float64
    np.testing.assert_allclose(value.asnumpy(), expected[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(terms.asnumpy(), np.stack(expected[1:]), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("name", FORMS)
def test_derivatives_of_an_order(name, order):
    function, forms = FORMS[name]
    value, term = ops.derivative(function, Tensor(X), order)
    np.testing.assert_allclose(value.asnumpy(), forms[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(term.asnumpy(), forms[order], rtol=1e-9, atol=1e-9)


def test_several_inputs_and_outputs():
    def function(x, y):
        return x * y, x + y

    first = ops.jet(function, (Tensor([2.0]), Tensor([3.0])), (Tensor([1.0]), Tensor([5.0])))
    (product, total), (along_product, along_total) = first
    assert (product.item(), total.item()) == (6.0, 5.0)
    assert (along_product.shape, along_product.item(), along_total.item()) == ((1, 1), 13.0, 6.0)
    values, seconds = ops.derivative(function, (Tensor([2.0]), Tensor([3.0])), 2)
    assert [v.item() for v in values] == [6.0, 5.0]
    assert [s.item() for s in seconds] == [2.0, 0.0]  # along (x + t, y + t)


def test_integers_are_floating_numbers():
    value, terms = ops.jet(lambda x: x * x, Tensor([3]), Tensor([1]))
    assert (value.dtype, value.item(), terms.item()) == (sporax.float32, 9.0, 6.0)


class Scaled(nn.Cell):
    """A Cell with a Parameter that counts its calls."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(2.0, sporax.float64), "weight")
        self.calls = Parameter(Tensor(0), "calls", requires_grad=False)

    def construct(self, x):
        self.calls.set_data(self.calls + 1)
        return ops.sin(self.weight * x)


def test_jets_of_cells_are_differentiable_and_captured():
    net, x = Scaled(), Tensor(X)

    def second(x):
        return ops.derivative(net, x, 2)[1]

    expected = -4 * np.sin(2 * X)
    np.testing.assert_allclose(second(x).asnumpy(), expected)
    assert net.calls.item() == 1
    np.testing.assert_allclose(jit(second)(x).asnumpy(), expected)
    np.testing.assert_allclose(vmap(second)(x).asnumpy(), expected)
    np.testing.assert_allclose(grad(second)(x).asnumpy(), -8 * np.cos(2 * X))
    (by_weight,) = grad(second, None, [net.weight])(x)
    np.testing.assert_allclose(
        by_weight.asnumpy(), np.sum(-4 * np.sin(2 * X) - 4 * X * np.cos(2 * X))
    )


REFUSED = [
    (lambda: ops.jet(ops.sin, Tensor([1.0]), (Tensor([1.0]),)), TypeError, "two Tensors, or two"),
    (lambda: ops.jet(ops.sin, (), (Tensor([1.0]),)), ValueError, "two tuples of as many"),
    (lambda: ops.jet(ops.sin, Tensor([1.0]), Tensor([1.0, 2.0])), ValueError, "shapes \\(2,\\)"),
    (
        lambda: ops.jet(ops.sin, Tensor([1.0]), Tensor(np.ones(1))),
        TypeError,
        "the dtype of 'primals'",
    ),
    (lambda: ops.jet(ops.sin, Tensor([True]), Tensor([True])), TypeError, "got Bool"),
    (lambda: ops.jet(3, Tensor([1.0]), Tensor([1.0])), TypeError, "'fn' must be a function"),
    (lambda: ops.derivative(ops.sin, Tensor([1.0]), 0), ValueError, "at least 1, but got 0"),
    (lambda: ops.derivative(ops.sin, Tensor([1.0]), 1.5), TypeError, "an int, but got float"),
    (lambda: ops.derivative(ops.sin, 1.0, 1), TypeError, "Tensors of Float32.*got float"),
    (lambda: ops.linearize(ops.sin, 1.0), TypeError, "inputs must be Tensors, but got float"),
    (lambda: ops.linearize(ops.sin, Tensor(1.0))[1](2.0), TypeError, "v must be Tensors"),
    (
        lambda: ops.linearize(ops.sin, Tensor([1.0]))[1](Tensor([1.0, 2.0])),
        ValueError,
        "must be as the inputs",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_linearize_computes_the_function_once():
    calls = []

    def function(x, y):
        calls.append(1)
        return x @ y, x.sum()

    x, y = Tensor(X), Tensor(X.T.copy())
    (product, total), push = ops.linearize(function, (x, y))
    np.testing.assert_allclose(product.asnumpy(), X @ X.T)
    for k in (1.0, 2.0):
        u, v = k * np.ones((2, 3)), np.arange(6.0).reshape(3, 2)
        first, second = push((Tensor(u), Tensor(v)))
        np.testing.assert_allclose(first.asnumpy(), u @ X.T + X @ v)
        np.testing.assert_allclose(second.asnumpy(), u.sum())
    assert len(calls) == 1
    x += 1  # the linear function belongs to what x was
    np.testing.assert_allclose(push((Tensor(u), Tensor(v)))[0].asnumpy(), u @ X.T + X @ v)
    assert total.item() == X.sum()


def test_linearize_in_other_transforms():
    def pushed(x):
        return ops.linearize(lambda a: a * a * a, x)[1](ops.ones_like(x))

    x = Tensor(X)
    np.testing.assert_allclose(pushed(x).asnumpy(), 3 * X**2)
    np.testing.assert_allclose(jit(pushed)(x).asnumpy(), 3 * X**2)
    np.testing.assert_allclose(grad(pushed)(x).asnumpy(), 6 * X)
    np.testing.assert_allclose(vmap(pushed)(x).asnumpy(), 3 * X**2)


def test_a_custom_derivative():
    @custom_vjp
    def product(x, y):
        return x * y

    x, y = Tensor([2.0]), Tensor([3.0])
    assert product(x, y).item() == 6.0
    with pytest.raises(RuntimeError, match="'defbwd' must be called before"):
        grad(product)(x, y)
    product.defbwd(lambda x, y, out, dout: (dout * out, dout * 10))
    first, second = grad(product, (0, 1))(x, y)
    assert (first.item(), second.item()) == (6.0, 10.0)
    with pytest.raises(TypeError, match="'bwd' must be a function, but got int"):
        product.defbwd(3)
    assert grad(jit(custom_vjp()(lambda x: x * x).fwd))(x).item() == 4.0
