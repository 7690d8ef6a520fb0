"""Tuples and lists of Tensors as operands are stacked, as by MindSpore 2.10's `+`, `-` and `//`:
the reference is `ops.stack`."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops

X = np.arange(1.0, 7.0, dtype=np.float32).reshape(2, 3)

# an expression | the same with `stack`, which is `ops.stack`
ROWS = [row.split(" | ") for row in """
x - (x[0] + 1, x[1] * 2) | x - stack([x[0] + 1, x[1] * 2])
(x[0] + 1, x[1] * 2) - x | stack([x[0] + 1, x[1] * 2]) - x
x + [x[1], x[0]] | x + stack([x[1], x[0]])
x * [x[1] + 0, x[0]] | x * stack([x[1], x[0]])
(x[1] / x[0], x[0]) / x | stack([x[1] / x[0], x[0]]) / x
x - (x.sum(), x.mean(), x.max()) | x - stack([x.sum(), x.mean(), x.max()])
x + (1, x[0, 0] * 2, 2.5) | x + stack([x[0, 0] * 0 + 1, x[0, 0] * 2, x[0, 0] * 0 + 2.5])
x * ((x[0], x[1] * 2),) | x * stack([stack([x[0], x[1] * 2])])
x + (x[0] * 2, [1, 2.5, 3]) | x + stack([x[0] * 2, x[0] * 0 + Tensor([1, 2.5, 3])])
ops.maximum(x, (x[1], x[0] * 5)) | ops.maximum(x, stack([x[1], x[0] * 5]))
ops.gather(x, [x[0].argmin(), x[0].argmin() + 1], 1) | x[:, :2]
ops.exp((x[0], x[1] * 2)) | ops.exp(stack([x[0], x[1] * 2]))
""".strip().split("\n")]  # fmt: skip


def function(written):
    return eval(f"lambda x: {written}", {"ops": ops, "stack": ops.stack, "Tensor": Tensor})


@pytest.mark.parametrize(("written", "reference"), ROWS)
@pytest.mark.parametrize("way", [lambda f: f, ms.jit], ids=["dynamic", "jit"])
def test_sequences_of_tensors_are_stacked(written, reference, way):
    f, expected = function(written), function(reference)
    for _ in range(2):
        np.testing.assert_array_equal(way(f)(Tensor(X)).asnumpy(), expected(Tensor(X)).asnumpy())
    derivative = way(ms.grad(lambda x: (f(x) * f(x)).sum()))(Tensor(X)).asnumpy()
    of_reference = ms.grad(lambda x: (expected(x) * expected(x)).sum())(Tensor(X)).asnumpy()
    np.testing.assert_allclose(derivative, of_reference, 1e-6)


def test_they_are_stacked_within_a_captured_function():
    f = ms.jit(function("x - (x[0] + 1, x[1] * 2)"))
    f(Tensor(X))
    assert not f.dynamic


@pytest.mark.parametrize("written", [
    "x - (x[0] + 1, x[1].astype(ms.int64))", "x * [x[0].astype(ms.float16), x[1]]",
    "x.astype(ms.int32) + (1.5, x[0, 0].astype(ms.int32), 2)", "x - (x[0] + 1, None)",
    "x < (x[0] + 1, 'a')",
])  # fmt: skip
def test_those_of_several_dtypes_are_refused(written):
    f = eval(f"lambda x: {written}", {"ms": ms})
    for way in (f, ms.jit(f)):
        with pytest.raises(TypeError, match="must hold Tensors of one dtype, and Python numbers"):
            way(Tensor(X))


def test_what_follows_a_refused_sequence_is_not_disturbed():
    x = Tensor(X)
    pending = x * 2
    with pytest.raises(ValueError, match="For 'Stack'"):
        pending - (pending[0] + 1, pending[1, :2])
    np.testing.assert_array_equal((pending + 1).asnumpy(), X * 2 + 1)
