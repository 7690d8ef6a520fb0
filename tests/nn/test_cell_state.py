"""Buffers and `state_dict`, what Cells compute in, what is compiled: beyond what is recorded."""

import copy

import numpy as np
import pytest

from sporax import ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import context
from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.transforms.autodiff import grad, value_and_grad
from sporax.nn import Dense, LayerNorm
from sporax.nn.cell import Cell
from sporax.nn.cell_buffers import register_cell_buffer_registration_hook
from sporax.nn.container import SequentialCell


class Running(Cell):
    """x * w, and a running sum of x in a buffer."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0]), name="w")
        self.register_buffer("total", Tensor([0.0]))
        self.register_buffer("calls", Tensor([0]), persistent=False)

    def construct(self, x):
        self.total.assign_value(self.total + x)
        self.calls[0] = self.calls[0] + 1
        return x * self.w


# buffers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["dynamic", "jit", "graph", "grad"])
def test_buffers_are_state(how):
    net = Running()
    run = {"jit": jit(net), "grad": lambda x: value_and_grad(net, 0, [net.w])(x)[0]}.get(how, net)
    context.set_context(mode=context.GRAPH_MODE if how == "graph" else context.PYNATIVE_MODE)
    try:
        for x in (1.0, 2.0, 4.0):
            assert run(Tensor([x])).item() == 2.0 * x
    finally:
        context.set_context(mode=context.PYNATIVE_MODE)
    assert (net.total.item(), net.calls.item()) == (7.0, 3)
    assert list(net.state_dict()) == ["w", "total"]
    copied = copy.deepcopy(net)
    copied(Tensor([1.0]))
    assert (copied.total.item(), net.total.item()) == (8.0, 7.0)
    assert list(copied.state_dict()) == ["w", "total"]


def test_a_captured_function_sees_another_buffer():
    net = Running()
    run = jit(net.construct)
    run(Tensor([1.0]))
    net.register_buffer("total", Tensor([10.0]))
    run(Tensor([1.0]))
    assert net.total.item() == 11.0


def test_registration_hooks():
    handle = register_cell_buffer_registration_hook(lambda cell, name, b: b * 2 if b.ndim else None)
    try:
        net = Cell()
        net.register_buffer("b", Tensor([1.0]))
        net.register_buffer("c", Tensor(1.0))
    finally:
        handle.remove()
    assert (net.b.item(), net.c.item()) == (2.0, 1.0)


# state ----------------------------------------------------------------------------------------


def test_a_state_that_does_not_fit_changes_nothing():
    net = Running()
    state = {"w": Tensor([5.0]), "total": Tensor([1.0, 2.0]), "more": Tensor([1.0])}
    with pytest.raises(RuntimeError, match="Nothing was changed") as caught:
        net.load_state_dict(state)
    words = str(caught.value)
    assert "'total' must have shape (1,), but got (2,)" in words
    assert "['more'] are unexpected" in words
    assert (net.w.item(), net.total.item()) == (2.0, 0.0)


def test_numbers_are_not_truncated():
    net = Cell()
    net.register_buffer("n", Tensor([1]))
    with pytest.raises(RuntimeError, match="'n' must hold Int64, but got Float32"):
        net.load_state_dict({"n": Tensor([1.5])})


def test_hooks_of_a_state_that_fails():
    net = Running()
    net.register_load_state_dict_post_hook(lambda cell, keys: 3)
    with pytest.raises(RuntimeError, match="must return None"):
        net.load_state_dict({"w": Tensor([9.0]), "total": Tensor([9.0])})
    assert net.w.item() == 2.0


# conversion -----------------------------------------------------------------------------------


def test_to_keeps_what_others_hold():
    net = Running()
    w, total = net.w, net.total
    run = jit(net)
    assert run(Tensor([1.0])).dtype == dtypes.float32
    net.to(dtypes.float16)
    assert (w.dtype, total.dtype, net.calls.dtype) == (dtypes.float16, dtypes.float16, dtypes.int64)
    assert net.w is w
    assert net.total is total
    assert run(Tensor(np.ones(1, np.float16))).dtype == dtypes.float16
    with pytest.raises(TypeError, match="'dtype' must be floating or complex, but got Int32"):
        net.to(dtypes.int32)
    with pytest.raises(ValueError, match="choose another with 'set_device'"):
        net.to("TPU:3")
    with pytest.warns(UserWarning, match="made for real numbers"):
        net.to(dtypes.complex64)


def test_compile_computes_nothing():
    net = Running()
    net.compile(Tensor([1.0]))
    assert (net.total.item(), net._captured_call.captures) == (0.0, 1)
    assert net.compile_and_run(Tensor([1.0])).item() == 2.0
    assert (net.total.item(), net._captured_call.captures) == (1.0, 1)


# to_float -------------------------------------------------------------------------------------


class Mixed(Cell):
    """A Parameter, a constant, a buffer and numbers made on the way."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1 / 3]), name="w")
        self.c = Tensor([1 / 7])
        self.register_buffer("b", Tensor([0.0]))
        self.outside = [Tensor([1 / 9])]

    def construct(self, x):
        self.b.assign_value(self.b + x)
        y = x * self.w + self.c
        y = y.astype(dtypes.float32) * self.outside[0]
        return y + Tensor([1 / 11])


def half(x):
    return np.float16(x)


RUNS = {
    "dynamic": lambda net: net,
    "jit": jit,
    "under a derivative": lambda net: lambda x: value_and_grad(net, 0)(x)[0],
}


@pytest.mark.parametrize("how", RUNS)
def test_everything_is_computed_in_that_type(how):
    net = Mixed()
    outer = Cell()
    outer.net = net
    outer.to_float(dtypes.float16)
    run = RUNS[how](net)
    y = half(0.3) * half(1 / 3) + half(1 / 7)
    y = y * half(1 / 9) + half(1 / 11)
    for _ in range(2):  # the second time along a path walked before
        result = run(Tensor([0.3]))
        assert result.dtype == dtypes.float16
        np.testing.assert_allclose(result.asnumpy(), [y], rtol=1e-3)
    assert [t.dtype for t in (net.w, net.c, net.b, net.outside[0])] == [dtypes.float32] * 4
    np.testing.assert_allclose(net.b.asnumpy(), [0.6], rtol=1e-3)
    assert thread.precision is None
    g = grad(net, None, net.w)(Tensor([0.3]))
    assert g.dtype == dtypes.float32
    np.testing.assert_allclose(g.asnumpy(), [0.3 / 9], rtol=2e-3)


def test_precision_ends_with_the_cell_whatever_happens():
    class Failing(Cell):
        def construct(self, x):
            raise ValueError("on purpose")

    class Reading(Cell):
        def construct(self, x):
            y = x * 0.1
            assert float(y) == float(half(0.1))  # ends the trace in between
            return y * Tensor([1.0])

    x = Tensor([1.0])
    with pytest.raises(ValueError, match="on purpose"):
        Failing().to_float(dtypes.float16)(x)
    assert Reading().to_float(dtypes.float16)(x).dtype == dtypes.float16
    assert (x * 0.1).dtype == dtypes.float32
    assert thread.precision is None


def test_a_long_chain_in_half_precision_keeps_its_programs():
    class Chain(Cell):
        def construct(self, x):
            one = Tensor([1.0])
            for _ in range(300):
                x = x * one
            return x

    net, x = Chain().to_float(dtypes.float16), Tensor([1.5])
    assert [net(x).item() for _ in range(3)] == [1.5] * 3


def test_a_function_captured_inside_computes_in_that_type_too():
    scale = jit(lambda x: x * Tensor([3.0]))

    class Net(Cell):
        def construct(self, x):
            return scale(x)

    x = Tensor([1.0])
    assert scale(x).dtype == dtypes.float32
    assert Net().to_float(dtypes.float16)(x).dtype == dtypes.float16
    assert scale(x).dtype == dtypes.float32


def test_a_norm_may_stay_in_single_precision():
    net = SequentialCell(Dense(4, 4), LayerNorm((4,)), Dense(4, 4))
    net.to_float(dtypes.float16)[1].to_float(dtypes.float32)
    seen = []
    for cell in net:
        cell.register_forward_hook(lambda cell, args, out: seen.append(out.dtype))
    x = Tensor(np.full((2, 4), 300.0, np.float32))  # whose squares are too large for Float16
    y = net(x)
    assert seen == [dtypes.float16, dtypes.float32, dtypes.float16]
    assert np.isfinite(y.asnumpy()).all()
    net.to_float(dtypes.bfloat16)
    assert net(x).dtype == dtypes.bfloat16


def test_index_assignment_outside_keeps_its_dtype():
    kept = Tensor([0.0, 0.0])

    class Net(Cell):
        def construct(self, x):
            kept[0] = x[0]
            return ops.relu(x)

    Net().to_float(dtypes.float16)(Tensor([0.5]))
    assert (kept.dtype, kept.asnumpy().tolist()) == (dtypes.float32, [0.5, 0.0])
