"""What is differentiated: integers, complex numbers, and what `no_grad` and `requires_grad_` leave
out."""

import numpy as np
import pytest

from sporax import ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff import grad, no_grad

pytestmark = pytest.mark.usefixtures("on_numpy")


def tensor(values):
    return Tensor(np.array(values, np.float32))


def numbers(result):
    return [t.item() for t in result]


# integers and complex numbers ------------------------------------------------------------------

N = Tensor(np.array([1, 2, 3], np.int32))


def put(n):
    x = n * 1
    x[0] = n[1] * 2
    return x


def put_into_constants(n):
    x = Tensor(np.zeros(4, np.int32))
    x[1:] = n * n
    return x


OF_INTEGERS = {
    # function, derivative at N, and what dtype it has
    "product": (lambda n: n * n, [2, 4, 6], "int32"),
    "power": (lambda n: n**3, [3, 12, 27], "int32"),
    "sum": (lambda n: (n * n).sum(), [2, 4, 6], "int32"),
    "matmul": (lambda n: ops.matmul(n.reshape(1, 3), n.reshape(3, 1)), [2, 4, 6], "int32"),
    "wider": (lambda n: n.astype(dtypes.int64) ** 2, [2, 4, 6], "int32"),
    "pieces": (lambda n: ops.concat([n[1:], n[:1] * 5]), [5, 1, 1], "int32"),
    "chosen": (lambda n: ops.where(n > 1, n * 2, n), [1, 2, 2], "int32"),
    "half": (lambda n: n / 2, [0.5, 0.5, 0.5], "float32"),
    "cast": (lambda n: n.astype(dtypes.float32) * 2.5, [2.5, 2.5, 2.5], "float32"),
    "both ways": (lambda n: n * n + n * 0.5, [2.5, 4.5, 6.5], "float32"),
    "assigned by an index": (put, [0, 3, 1], "int32"),
    "assigned to constants": (put_into_constants, [2, 4, 6], "int32"),
    "converted to others": (
        lambda n: ops.index_add(Tensor(np.zeros(3, np.int32)), Tensor([0, 2, 2]), n * n, 0),
        [2, 4, 6],
        "int32",
    ),
    "an index besides": (lambda n: ops.gather(n * n, n - 1, 0), [2, 4, 6], "int32"),
}


@pytest.mark.parametrize("name", OF_INTEGERS)
def test_integers_are_differentiated_as_numbers(name):
    function, expected, dtype = OF_INTEGERS[name]
    result = grad(function)(N).asnumpy()
    assert result.tolist() == expected
    assert result.dtype == dtype


def test_second_derivative_with_respect_to_integers():
    assert grad(grad(lambda n: n.astype(dtypes.int64) ** 3))(N).tolist() == [6, 12, 18]
    assert grad(grad(lambda n: n * n * n))(N).tolist() == [6, 12, 18]
    of_updates = lambda n: ops.index_add(Tensor(np.zeros(3, np.int32)), Tensor([0, 2, 2]), n**3, 0)  # noqa: E731
    assert grad(grad(of_updates))(N).tolist() == [6, 12, 18]
    assert ops.jvp(lambda n: n * n, N, N)[1].tolist() == [2, 8, 18]


NO_NUMBERS = {
    "index": lambda n: ops.gather(tensor([1.0, 2.0, 3.0, 4.0]), n, 0),
    "index of a product": lambda n: tensor([1.0, 2.0, 3.0, 4.0])[n * 1],
}
OF_NO_USE = {
    "comparison": lambda n: n > 1,
    "what a comparison chooses": lambda n: ops.where(n > 1, tensor([1.0]), tensor([2.0])),
    "argmax": lambda n: n.argmax(),
    "not at all": lambda n: tensor([1.0]),
    "rank, an int": lambda n: ops.rank(n),
}


@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["dynamic", "jit"])
@pytest.mark.parametrize("name", OF_NO_USE)
def test_what_does_not_change_with_integers_has_derivative_zero(name, wrap):
    assert wrap(grad(OF_NO_USE[name]))(N).tolist() == [0, 0, 0]
    assert wrap(grad(OF_NO_USE[name]))(N.astype(dtypes.float32)).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("name", NO_NUMBERS)
def test_integers_that_are_no_numbers_are_refused(name):
    with pytest.raises(TypeError, match=r"For 'grad', .* got Int32 \(argument 0\)"):
        grad(NO_NUMBERS[name])(N)


def test_integers_that_are_no_numbers_beside_others_have_no_derivative():
    table = tensor([1.0, 2.0, 3.0, 4.0])
    by_index, by_table = grad(lambda n, t: ops.gather(t, n, 0), (0, 1))(N, table)
    assert by_index.tolist() == [0, 0, 0]
    assert by_table.tolist() == [0, 1, 1, 1]


OF_COMPLEX = {
    "abs": lambda z: ops.abs(z),
    "square": lambda z: ops.abs(z * z) ** 2,
    "product": lambda z: ops.abs(z * (1 + 2j) + 1.0),
}


@pytest.mark.parametrize("name", OF_COMPLEX)
def test_complex_gradient_points_uphill(name):
    """d/dx + i d/dy, by finite differences of the real-valued function."""
    function, z, step = OF_COMPLEX[name], 0.3 + 0.8j, 1e-6

    def at(z):
        return function(Tensor(np.array(z, np.complex128))).item()

    expected = (at(z + step) - at(z - step)) / (2 * step)
    expected += 1j * (at(z + 1j * step) - at(z - 1j * step)) / (2 * step)
    result = grad(function)(Tensor(np.array(z, np.complex128))).item()
    np.testing.assert_allclose(result, expected, rtol=1e-6)


# what is left out --------------------------------------------------------------------------------


def cubed_in_parts(x):
    with no_grad():
        y = x * x
    return x * y


@no_grad()
def squared_outside(x):
    return x * x


LEFT_OUT = {
    "block": (cubed_in_parts, 9.0),
    "decorated": (lambda x: x * squared_outside(x), 9.0),
    "gradient inside": (lambda x: x * no_grad()(grad(lambda x: x * x))(x), 6.0),
    "all": (squared_outside, 0.0),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_no_grad(name):
    function, expected = LEFT_OUT[name]
    assert grad(function)(tensor(3.0)).item() == expected
    assert jit(grad(function))(tensor(3.0)).item() == expected


def test_integers_under_no_grad():
    assert grad(squared_outside)(N).tolist() == [0, 0, 0]


def test_a_tensor_that_requires_no_gradient():
    x, y = tensor(3.0), tensor(4.0)
    product = jit(grad(pair_product, (0, 1)))
    assert numbers(product(x, y)) == [4.0, 3.0]
    assert x.requires_grad_(False) is x
    assert numbers(grad(pair_product, (0, 1))(x, y)) == [0.0, 3.0]
    assert numbers(product(x, y)) == [0.0, 3.0]
    x.requires_grad_()
    assert numbers(product(x, y)) == [4.0, 3.0]


def pair_product(x, y):
    return x * y
