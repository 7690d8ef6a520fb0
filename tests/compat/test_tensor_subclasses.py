"""Tensor subclasses with `__fallback__`, as MindSpore's DTensor libraries define them."""

import numpy as np
import pytest

import sporax
from sporax import Parameter, Tensor, mint, nn, ops

pytestmark = pytest.mark.usefixtures("on_numpy")
ms = sporax.install_as_mindspore()

from mindspore._c_expression import NoFallbackGuard  # noqa: E402

A = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
B = np.array([[1, -2], [0.5, 3], [2, 1]], np.float32)


class Part(Tensor):
    """Like a DTensor: it does each operation on the Tensor that it was made of."""

    called = []  # noqa: RUF012

    def __new__(cls, data):
        made = Tensor._make_subclass(cls, data._of if isinstance(data, Part) else data)
        made._of = made._source
        return made

    def __fallback__(self, func, args=(), kwargs=None):
        self.called.append(func.name)
        with NoFallbackGuard():
            return _wrapped(func(*_inside(args), **(kwargs or {})))


def _wrapped(out):
    return tuple(map(Part, out)) if isinstance(out, tuple) else Part(out)


def _inside(item):
    if isinstance(item, (tuple, list)):
        return type(item)(map(_inside, item))
    return item._of if isinstance(item, Part) else item


# call, its name in MindSpore 2.10, the result in NumPy
ROWS = [
    (lambda x: ops.add(x, 1), "Add", A + 1),
    (lambda x: -x, "Neg", -A),
    (lambda x: x > 2, "Greater", A > 2),
    (lambda x: mint.matmul(x, Tensor(B)), "MatMulExt", A @ B),
    (lambda x: mint.matmul(Tensor(B), x), "MatMulExt", B @ A),
    (lambda x: ops.MatMul(transpose_b=True)(x, Tensor(B.T)), "MatMul", A @ B),
    (lambda x: nn.ReLU()(x), "ReLU", A),
    (lambda x: x.sum(), "SumExt", A.sum()),
    (lambda x: mint.mean(x, 0, True), "MeanExt", A.mean(0, keepdims=True)),
    (lambda x: x.reshape(3, 2), "Reshape", A.reshape(3, 2)),
    (lambda x: x.transpose(1, 0), "TransposeExtView", A.T),
    (lambda x: x.permute(1, 0), "Transpose", A.T),
    (lambda x: mint.concat([Tensor(A), x], 1), "Concat", np.concatenate([A, A], 1)),
    (lambda x: x.split(1)[1], "SplitTensor", A[1:]),
    (lambda x: x.split([1, 2], 1)[1], "SplitWithSize", A[:, 1:]),
    (lambda x: ops.where(Tensor(A > 2), x, 0.0), "Select", np.where(A > 2, A, 0)),
    (lambda x: mint.nn.functional.linear(x, Tensor(B.T)), "Dense", A @ B),
    (lambda x: ops.GatherNd()(x, Tensor([[1, 2]])), "GatherNd", A[1, 2:]),
    (lambda x: ops.cast(x, ms.int32), "Cast", A.astype(int)),
]


@pytest.mark.parametrize(("call", "name", "expected"), ROWS, ids=[row[1] for row in ROWS])
def test_operations_go_to_fallback(call, name, expected):
    Part.called.clear()
    out = call(Part(Tensor(A)))
    assert type(out) is Part and Part.called == [name]
    np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-6)


def test_a_guard_and_other_results():
    class Refusing(Part):
        def __fallback__(self, func, args=(), kwargs=None):
            return func.name, len(args)

    x = Refusing(Tensor(A))
    assert x * 2 == ("Mul", 2) and ops.relu(x) == ("ReLU", 1)
    with NoFallbackGuard():
        assert type(x * 2) is Tensor
        with NoFallbackGuard():
            pass
        np.testing.assert_array_equal((x * 2).asnumpy(), 2 * A)
    assert x.reshape(6) == ("Reshape", 2)
    floored = ops.div(Part(Tensor(A)), 2, rounding_mode="floor")  # passed as a keyword
    np.testing.assert_array_equal(floored.asnumpy(), A // 2)


def test_derivatives_and_parameters():
    weight = Parameter(Part(Tensor(B)), name="weight")
    assert isinstance(weight, Part) and isinstance(weight, Parameter) and weight.name == "weight"
    net = nn.SequentialCell(nn.ReLU())
    calls = []
    net.register_backward_hook(lambda cell, inside, outside: calls.append(outside[0].shape))

    def loss(x):
        return net(mint.matmul(x, weight)).sum()

    both = ms.value_and_grad(loss, 0, [weight])
    value, (by_input, (by_weight,)) = both(Part(Tensor(A)))
    positive = (A @ B > 0).astype(np.float32)
    np.testing.assert_allclose(value.asnumpy(), np.maximum(A @ B, 0).sum(), rtol=1e-6)
    np.testing.assert_allclose(by_input.asnumpy(), positive @ B.T, rtol=1e-6)
    np.testing.assert_allclose(by_weight.asnumpy(), A.T @ positive, rtol=1e-6)
    assert calls == [(2, 2)]
    with NoFallbackGuard():
        nn.SGD([weight], 0.5)((by_weight,))
    expected = B - 0.5 * A.T @ positive
    for handle in (weight, weight._of):  # they are one variable
        np.testing.assert_allclose(handle.asnumpy(), expected, rtol=1e-6)


def test_data_replaced_in_a_derivative():
    """As HSDP does: gather a weight in the forward pass, keep a part of its gradient."""
    part, seen = Parameter(Tensor(B[:1]), name="part"), []
    part.register_hook(lambda g: (seen.append(g.shape), g[:1])[1])

    def loss(x):
        part._update_data(Tensor(B))
        out = mint.matmul(x, part).sum()
        part._update_data(Tensor(B[:1]))
        return out

    _, (gradient,) = ms.value_and_grad(loss, None, [part])(Tensor(A))
    assert seen == [(3, 2)] and part.shape == (1, 2)
    np.testing.assert_array_equal(gradient.asnumpy(), [[5, 5]])


def test_a_gradient_changed_after_its_hook():
    """As MindSpore: the gradient is the Tensor that the hook returned."""
    x, kept = Parameter(Tensor(A), name="x"), []
    x.register_hook(lambda g: (kept.append(g), g)[1])
    (gradient,) = ms.grad(lambda: (x * x).sum(), None, [x])()
    kept[0].data = Tensor([7.0])
    np.testing.assert_array_equal(gradient.asnumpy(), [7.0])
