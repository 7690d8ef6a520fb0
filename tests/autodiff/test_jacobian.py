"""`jvp`, `vjp`, `jacfwd`, `jacrev`: numbers against finite differences, state and time.

What they return is compared with MindSpore in `test_vmap.py`.
"""

import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff import Function, grad, jacfwd, jacrev, jvp, vjp
from sporax._src.transforms.batching import vmap

pytestmark = pytest.mark.usefixtures("on_numpy")


def double(*shape):
    return Tensor(np.random.default_rng(len(shape)).uniform(0.5, 1.5, shape))


class Cube(Function):
    """x ** 3 by a derivative of its own."""

    forward = staticmethod(lambda ctx, x: (ctx.save_for_backward(x), x * x * x)[1])
    backward = staticmethod(lambda ctx, g: g * 3 * ctx.saved_tensors[0] ** 2)


def hooked(x):
    y = x * x
    y.register_hook(lambda g: g)
    return y * x


FUNCTIONS = {
    "cube": lambda x: x**3,
    "to a scalar": lambda x: (x * x).sum(),
    "to more": lambda x: ops.concat([ops.exp(x), x * x.sum()]),
    "matrix": lambda x: ops.tanh(x.reshape(1, 3) * x.reshape(3, 1)),
    "Function": lambda x: Cube.apply(x) * x,
    "hook": hooked,
    "mapped": vmap(lambda a: Cube.apply(a) + a),
    "captured": jit(lambda x: x * x * x),
}


def jacobian(function, at, step=1e-5):
    """By central differences: the shape of the result, then that of the input."""
    columns = []
    for i in np.ndindex(at.shape):
        up, down = at.copy(), at.copy()
        up[i] += step
        down[i] -= step
        columns.append(function(Tensor(up)).asnumpy() - function(Tensor(down)).asnumpy())
    return np.stack(columns, -1).reshape(*columns[0].shape, *at.shape) / (2 * step)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jacobians_match_finite_differences(name):
    function, x = FUNCTIONS[name], double(3)
    expected = jacobian(function, x.asnumpy())
    for make in jacfwd, jacrev:
        for _ in range(2):
            np.testing.assert_allclose(make(function)(x).asnumpy(), expected, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(jit(make(function))(x).asnumpy(), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_products_match_finite_differences(name):
    function, x, v = FUNCTIONS[name], double(3), Tensor(np.array([0.3, -0.7, 1.1]))
    expected = jacobian(function, x.asnumpy())
    for run in jvp, jit(lambda fn, x, v: jvp(fn, x, v)):
        y, along = run(function, x, v)
        np.testing.assert_allclose(y.asnumpy(), function(x).asnumpy())
        np.testing.assert_allclose(along.asnumpy(), expected @ v.asnumpy(), rtol=1e-6, atol=1e-9)
    y, pull = vjp(function, x)
    (result,) = pull(ops.ones_like(y))
    np.testing.assert_allclose(
        result.asnumpy(), expected.reshape(-1, 3).sum(0), rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_hessians_match_finite_differences(name):
    def loss(x):
        return (FUNCTIONS[name](x) ** 2).sum()

    x = double(3)
    expected = jacobian(grad(loss), x.asnumpy())
    for outer in jacfwd, jacrev:
        for inner in jacfwd, jacrev, grad:
            result = outer(inner(loss))(x).asnumpy()
            np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("make", [jacfwd, jacrev])
def test_derivatives_of_jacobians_and_products(make):
    x, v = double(3), Tensor(np.array([0.3, -0.7, 1.1]))
    w = Parameter(double(3), name="w")

    def loss(x):
        return (make(lambda x: Cube.apply(x) * w)(x) ** 2).sum()

    result, of_w = grad(loss, 0, w)(x)
    a, b = x.asnumpy(), w.asnumpy()
    np.testing.assert_allclose(result.asnumpy(), 36 * a**3 * b**2)
    np.testing.assert_allclose(of_w.asnumpy(), 18 * a**4 * b)

    def along(x):
        return (jvp(lambda x: Cube.apply(x) * w, x, v)[1] ** 2).sum()

    np.testing.assert_allclose(grad(along)(x).asnumpy(), 36 * (a * b * v.asnumpy()) ** 2 * a)
    rows = vmap(lambda v: jvp(Cube.apply, x, v)[1])(Tensor(np.eye(3))).asnumpy()
    np.testing.assert_allclose(rows, np.diag(3 * a**2))


def test_a_pullback_belongs_to_the_contents_that_there_were():
    net, x = nn.Dense(3, 2), ops.ones((4, 3))
    weight = net.weight.asnumpy()
    y, pull = vjp(net, x, weights=net.trainable_params())
    net.weight.set_data(net.weight * 0)
    x *= 0
    for factor in 1.0, 2.0:
        (of_x,), (of_weight, of_bias) = pull(ops.ones_like(y) * factor)
        np.testing.assert_allclose(of_x.asnumpy()[0], factor * weight.sum(0), rtol=1e-6)
        np.testing.assert_allclose(of_weight.asnumpy(), np.full((2, 3), 4 * factor))
        np.testing.assert_allclose(of_bias.asnumpy(), np.full(2, 4 * factor))


def test_a_pullback_can_be_mapped_captured_and_differentiated():
    x, basis = double(3), Tensor(np.eye(3))
    _, pull = vjp(Cube.apply, x)
    expected = 3 * x.asnumpy() ** 2
    np.testing.assert_allclose(vmap(lambda v: pull(v)[0])(basis).asnumpy(), np.diag(expected))
    np.testing.assert_allclose(jit(lambda v: pull(v)[0])(ops.ones_like(x)).asnumpy(), expected)
    result = grad(lambda v: (pull(v)[0] ** 2).sum())(ops.ones_like(x))
    np.testing.assert_allclose(result.asnumpy(), 2 * expected**2)
    result = grad(lambda x: (vjp(Cube.apply, x)[1](x)[0] ** 2).sum())(x)
    np.testing.assert_allclose(result.asnumpy(), 9 * 6 * x.asnumpy() ** 5)


@pytest.mark.parametrize(
    "run",
    [
        lambda f, x: jvp(f, x, x),
        lambda f, x: vjp(f, x)[1](x),
        lambda f, x: jacfwd(f)(x),
        lambda f, x: jacrev(f)(x),
    ],
    ids=["jvp", "vjp", "jacfwd", "jacrev"],
)
def test_a_function_runs_once_and_writes_once(run):
    count, calls = Parameter(Tensor([0.0])), []

    def counted(x):
        calls.append(1)
        ops.assign_add(count, 1.0)
        return x * x

    run(counted, double(3))
    assert calls == [1]
    assert count.asnumpy() == 1.0


def test_complex_numbers():
    z, w = np.array([1 + 2j, 3 - 1j]), np.array([2 - 1j, 1j])

    def product(z):
        return z * z * Tensor(w)

    for make in jacfwd, jacrev:
        np.testing.assert_allclose(make(product)(Tensor(z)).asnumpy(), np.diag(2 * z * w))
    np.testing.assert_allclose(jvp(product, Tensor(z), Tensor(w))[1].asnumpy(), 2 * z * w * w)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda x: nn.Jvp(ops.sin)(x, (x,)), "'Jvp', the last argument must be a Tensor"),
        (lambda x: nn.Jvp(ops.sin)(x, x, x), "must be a tuple of 2 Tensors"),
        (lambda x: nn.Vjp(ops.sin)(x, (x, x)), "as the outputs, but got a tuple of 2"),
    ],
)
def test_wrong_vectors_of_older_cells(call, says):
    with pytest.raises(TypeError) as caught:
        call(double(3))
    assert says in str(caught.value)


def test_older_cells():
    x, v = double(3), double(3)
    for built, expected in [
        (nn.Jvp(Cube.apply)(x, v), jvp(Cube.apply, x, v)),
        (nn.Vjp(Cube.apply)(x, v), (Cube.apply(x), vjp(Cube.apply, x)[1](v)[0])),
    ]:
        for one, other in zip(built, expected, strict=True):
            np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())
    y, (dx, dz) = nn.Vjp(lambda x, z: (x * z, z))(x, v, (v, v))
    np.testing.assert_allclose(dx.asnumpy(), v.asnumpy() ** 2)
    np.testing.assert_allclose(dz.asnumpy(), (x * v + v).asnumpy())
    assert len(y) == 2
