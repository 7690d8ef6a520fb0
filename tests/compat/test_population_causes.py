"""Calls by which MindSpore's own tests failed here, with MindSpore 2.10's results on a CPU."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.capture.graph_capture.executors import _pynative_executor

X = Tensor([1.0, 2.0])
NAN = float("nan")
NAMES = {"ms": ms, "ops": ops, "Tensor": Tensor, "X": X, "NAN": NAN}
ZERO = [0.0, 0.0]

VALUES = {
    # a result that describes Tensors is constant
    "ms.grad(lambda x: x.dtype)(X)": ZERO,
    "ms.grad(lambda x: x.shape)(X)": ZERO,
    "ms.grad(lambda x: 'text')(X)": ZERO,
    "ops.GradOperation(sens_param=True)(lambda x: x.dtype)(X, X.dtype)": ZERO,
    # NaN is neither larger nor smaller
    "ms.grad(ops.minimum, (0, 1))(Tensor([NAN, 1.0]), Tensor([1.0, 1.0]))": [[1, 0.5], [1, 0.5]],
    "ms.grad(ops.maximum, (0, 1))(Tensor([1.0, 3.0]), Tensor([NAN, 1.0]))": [[1, 1], [1, 0]],
    # operators in place return another Tensor
    "X.__isub__(Tensor([2.0, 2.0]))": [-1.0, 0.0],
    "X.__imod__(2)": [1.0, 0.0],
    # a weight of one output
    "ops.dense(Tensor([[1.0, 2.0]]), X, Tensor(0.5))": [5.5],
    "ops.Dense()(X, X)": 5.0,
}


@pytest.mark.parametrize("call", VALUES)
def test_value(call):
    result = eval(call, NAMES)
    numbers = [t.asnumpy() for t in (result if isinstance(result, tuple) else (result,))]
    expected = VALUES[call]
    np.testing.assert_allclose(numbers if isinstance(result, tuple) else numbers[0], expected)


@pytest.mark.parametrize("positions", [(), 5])
def test_positions_that_no_argument_has_are_runtime_errors(positions):
    with pytest.raises(RuntimeError, match="'grad_position' must name"):
        ms.grad(ops.mul, positions)(X, X)


def test_indices_of_rows_that_are_no_vector_are_value_errors():
    rows = [ms.Parameter(Tensor([[1.0]]), name=n) for n in "abc"]
    step = ops.FusedSparseFtrl(0.1, 0.0, 0.0, -0.5)
    with pytest.raises(ValueError, match="'indices' must be a vector"):
        step(*rows, Tensor([[1.0]]), Tensor(0, ms.int32))


def test_scipy_rejects_flags_of_another_type_first():
    with pytest.raises(TypeError, match="'lower' must be a bool"):
        ms.scipy.linalg.eigh(X, X, lower="x")
    with pytest.raises(ValueError, match="must be None"):
        ms.scipy.linalg.eigh(Tensor([[1.0]]), Tensor([[1.0]]))
    assert ms.scipy.linalg.block_diag().shape == (1, 0)


@pytest.mark.parametrize("wait", [ms.synchronize, _pynative_executor.sync])
def test_waiting_raises_errors_of_indices(wait):
    index = Tensor([4]) + 0
    rows = ops.gather(X, index, 0)
    with pytest.raises(RuntimeError, match="must be in"):
        wait()
    assert rows.shape == (1,)


def test_arguments_that_contain_themselves_run_dynamically():
    rows = [1, 2]
    rows[0] = rows
    for first in "__call__", "prepare":  # either one warns, once
        function = ms.jit(lambda rows: rows[1])
        with pytest.warns(RuntimeWarning, match="contains itself"):
            getattr(function, first)(rows)
        assert function(rows) == 2
    x = Tensor([1.0])
    x.twin = x
    assert ms.jit(lambda x: x.twin + 1)(x).tolist() == [2.0]


class Double(nn.Cell):
    def construct(self, x):
        return x * 2


@pytest.mark.parametrize("mode", ["ast", "bytecode"])
def test_a_captured_cell_is_its_own_construct(mode):
    net = Double()
    net.construct = ms.jit(net, capture_mode=mode)
    assert net(X).tolist() == net(X).tolist() == [2.0, 4.0]
    assert ms.grad(net)(X).tolist() == [2.0, 2.0]
