"""`saved_tensors_hooks`: what is packed and unpacked, when, and that the numbers stay.

What MindSpore 2.10 prints in these cases is the same, but for operands that no derivative needs
needs, and operations whose derivative it computes from the output (`exp`), where ours takes the
operand.
"""

import numpy as np
import pytest

from sporax import ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.transforms.autodiff import Function, grad, saved_tensors_hooks
from sporax.nn.cell import Cell
from tests.comparison import tensor

pytestmark = pytest.mark.usefixtures("on_numpy")


def noting(calls, name=""):
    """Hooks that keep NumPy arrays, and note what they do."""

    def pack(x):
        calls.append((name + "pack", x.asnumpy().item()))
        return x.asnumpy()

    def unpack(array):
        calls.append((name + "unpack", array.item()))
        return Tensor(array)

    return saved_tensors_hooks(pack, unpack)


W = Parameter(tensor(5.0), name="w")
# function of x = 2 and y = 3, what is differentiated, gradients, what is packed, and unpacked
PACKED = {
    "product": (lambda x, y: x * y, (0, 1), (3.0, 2.0), [2.0, 3.0], [2.0, 3.0]),
    "one factor": (lambda x, y: x * y, 0, 3.0, [3.0], [3.0]),
    "sum": (lambda x, y: x + y, (0, 1), (1.0, 1.0), [], []),
    "number": (lambda x, y: x * 3.0, 0, 3.0, [], []),
    "square": (lambda x, y: x * x, 0, 4.0, [2.0, 2.0], [2.0, 2.0]),
    "parameter": (lambda x, y: x * W, 0, 5.0, [5.0], [5.0]),
    "chain": (lambda x, y: (x * y) * x, 0, 12.0, [3.0, 6.0, 2.0], [6.0, 2.0, 3.0]),
}


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("outside", [False, True])
def test_what_is_packed(name, outside):
    function, positions, expected, packed, unpacked = PACKED[name]
    calls = []

    def inside(x, y):
        with noting(calls):
            result = function(x, y)
        calls.append("end")
        return result

    x, y = tensor(2.0), tensor(3.0)
    for _ in range(2):
        calls.clear()
        if outside:
            with noting(calls):
                results = grad(function, positions)(x, y)
        else:
            results = grad(inside, positions)(x, y)
        results = results if isinstance(results, tuple) else (results,)
        assert [g.item() for g in results] == list(np.atleast_1d(expected))
        assert [c for c in calls if c != "end"] == [
            *[("pack", v) for v in packed], *[("unpack", v) for v in unpacked]
        ]  # fmt: skip
    assert thread.saving is None
    assert calls.index("end") == len(packed) if not outside else True


def test_the_innermost_counts_and_the_outer_comes_back():
    calls = []

    def function(x):
        with noting(calls, "a "):
            y = ops.sin(x)
            with noting(calls, "b "):
                y = ops.sin(y)
            y = ops.sin(y)
        return ops.sin(y)

    result = grad(function)(tensor(2.0)).item()
    kinds = [kind for kind, _ in calls]
    assert kinds == ["a pack", "b pack", "a pack", "a unpack", "b unpack", "a unpack"]
    assert result == pytest.approx(grad(lambda x: ops.sin(ops.sin(ops.sin(ops.sin(x)))))(
        tensor(2.0)).item(), rel=1e-6)  # fmt: skip


def test_packed_numbers_are_those_that_the_derivative_uses():
    def function(x):
        with saved_tensors_hooks(lambda x: x, lambda x: x * 10):
            return ops.square(x)

    assert grad(function)(tensor(2.0)).item() == 40.0


def test_in_half_precision():
    def function(x):
        with saved_tensors_hooks(lambda x: x.asnumpy().astype(np.float16),
                                 lambda a: Tensor(a.astype(np.float32))):  # fmt: skip
            return ops.sin(x)

    assert grad(function)(tensor(0.1)).item() == pytest.approx(np.cos(0.1), abs=1e-4)


def test_higher_orders_go_on_to_what_was_packed():
    def function(x):
        with noting([]):
            return x * x * x

    assert grad(grad(function))(tensor(2.0)).item() == 12.0
    assert grad(grad(grad(function)))(tensor(2.0)).item() == 6.0


class Own(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x, None)
        return x * x * k

    @staticmethod
    def backward(ctx, g):
        x, nothing = ctx.saved_tensors
        assert nothing is None
        return g * 2 * x, None


def test_what_a_function_saves_is_packed():
    calls = []

    def function(x):
        with noting(calls):
            return Own.apply(x, 1)

    assert grad(function)(tensor(2.0)).item() == 4.0
    assert calls == [("pack", 2.0), ("unpack", 2.0)]
    assert grad(grad(function))(tensor(2.0)).item() == 2.0
    calls.clear()
    function(tensor(2.0))
    assert calls == []  # nothing is differentiated


class Bprop(Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (x * 100 + out) * dout


def test_what_a_bprop_is_given_is_packed():
    calls, cell = [], Bprop()

    def function(x):
        with noting(calls):
            return cell(x)

    assert grad(function)(tensor(2.0)).item() == 204.0
    assert calls == [("pack", 2.0), ("pack", 4.0), ("unpack", 2.0), ("unpack", 4.0)]
    assert grad(grad(function))(tensor(2.0)).item() == 304.0  # 100, and 204 by way of out


def test_of_a_cell():
    class Sine(Cell):
        def construct(self, x):
            return ops.sin(x)

    calls, cell = [], Sine()
    hooks = noting(calls).hooks
    assert cell.register_saved_tensors_hooks(*hooks) is None
    cell.register_saved_tensors_hooks(*hooks)  # takes the place of the first
    slope = grad(lambda x: ops.sin(cell(x)))(tensor(2.0)).item()
    assert slope == pytest.approx(np.cos(np.sin(2.0)) * np.cos(2.0), rel=1e-5)
    assert [kind for kind, _ in calls] == ["pack", "unpack"]


def test_around_a_captured_function():
    calls = []
    run = jit(grad(lambda x: ops.square(x)))
    assert run(tensor(2.0)).item() == 4.0
    with noting(calls):
        assert run(tensor(2.0)).item() == 4.0
    assert len(calls) == 2
    assert run(tensor(3.0)).item() == 6.0
    assert len(calls) == 2


WRONG = {
    "no tensor": (lambda x: x, lambda x: x.asnumpy(), TypeError, "must return .* got ndarray"),
    "shape": (lambda x: x, lambda x: tensor(1.0, 2.0), ValueError, r"\(1,\) .* but got .* \(2"),
    "dtype": (lambda x: x, lambda x: x.astype("int32"), ValueError, "Float32, but got .* Int32"),
    "pack": (lambda x: 1 / 0, lambda x: x, ZeroDivisionError, "division"),
    "unpack": (lambda x: x, lambda x: 1 / 0, ZeroDivisionError, "division"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_leaves_no_trace(name):
    pack, unpack, error, message = WRONG[name]

    def function(x):
        with saved_tensors_hooks(pack, unpack):
            return ops.square(x)

    with pytest.raises(error, match=message):
        grad(function)(tensor(2.0))
    assert thread.tape is None
    assert thread.saving is None
    assert grad(lambda x: ops.square(x))(tensor(2.0)).item() == 4.0


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (
            TypeError,
            "'pack_hook' must be a function, but got int",
            lambda: saved_tensors_hooks(3, len),
        ),
        (
            TypeError,
            "'unpack_hook' must be a function, but got int",
            lambda: Cell().register_saved_tensors_hooks(len, 3),
        ),
    ],
)
def test_hooks_must_be_functions(error, message, call):
    with pytest.raises(error, match=message):
        call()
