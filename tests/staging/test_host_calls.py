"""Cells and Functions on NumPy inside captured functions: the same numbers as in dynamic mode, with
the same calls of Python, step by step."""

import warnings

import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import context
from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.random import set_seed
from sporax._src.core.tensor import Tensor
from sporax._src.optim import Momentum
from sporax._src.transforms.autodiff import Function, grad, value_and_grad
from sporax._src.transforms.batching import vmap
from sporax.nn.cell import Cell


class Draws(Cell):
    """Three of the greater half of each row, and where they stand; `calls` counts."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def construct(self, x):
        self.calls += 1
        rows = x.asnumpy()
        at = np.stack([np.random.choice(np.argsort(row)[row.size // 2 :], 3) for row in rows])
        return Tensor(np.take_along_axis(rows, at, 1)), Tensor(at.astype(np.int32))


class Sampler(Draws):
    """As `Draws`, with a derivative."""

    def bprop(self, x, out, dout):
        size = x.shape[1]
        rows = [ops.UnsortedSegmentSum()(dout[0][i], out[1][i], size) for i in range(x.shape[0])]
        return ops.stack(rows, axis=0)


class Net(Cell):
    def __init__(self, *parts):
        super().__init__()
        self.parts = nn.SequentialCell(*parts)
        self.out = nn.Dense(3, 1)

    def construct(self, x):
        x = self.parts(x)
        return self.out(x[0] if isinstance(x, tuple) else x)


def training(make):
    """A step of training of the network that `make()` gives, and the network."""
    net = make().set_train()
    optimizer = Momentum(net.trainable_params(), 0.02, 0.9)
    gradient = value_and_grad(lambda x: (net(x) ** 2).mean(), None, optimizer.parameters)

    def step(x):
        loss, gradients = gradient(x)
        optimizer(gradients)
        return loss

    return step, net


def run(make, is_captured, steps=5, shape=(2, 6), prepare=training):
    """(what the steps return, the captured function, what `make` gave, warnings)."""
    np.random.seed(3)
    set_seed(3)
    step, built = prepare(make)
    step = jit(step) if is_captured else step
    xs = [Tensor(np.random.randn(*shape).astype(np.float32)) for _ in range(steps)]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = [np.asarray(step(x).asnumpy()) for x in xs]
    state = [p.asnumpy() for p in built.get_parameters()] if isinstance(built, Cell) else []
    return result + state, step, built, seen


def agree(make, stays=True, **options):
    """Captured and dynamic agree; `stays`: the function is still captured after the steps."""
    expected, _, there, _ = run(make, False, **options)
    result, step, built, seen = run(make, True, **options)
    for a, b in zip(result, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)
    assert step.dynamic is not stays, [str(w.message) for w in seen]
    assert stays == (not seen), [str(w.message) for w in seen]
    return step, built, there


def test_a_sampler_is_called_once_a_step():
    step, net, there = agree(lambda: Net(nn.Dense(6, 8), Sampler()), steps=30)
    assert step.captures == 1
    assert net.parts[1].calls == there.parts[1].calls == 30
    gradient = net.parts[0].weight.asnumpy() - there.parts[0].weight.asnumpy()
    assert np.abs(gradient).max() < 1e-5


def test_without_a_bprop_the_gradient_is_cut():
    _, net, _ = agree(lambda: Net(nn.Dense(6, 8, "ones"), Draws()))
    assert (net.parts[0].weight.asnumpy() == 1).all()


def test_derivatives_in_a_call_without_one_are_dropped():
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, dout):
            return dout * 2

    class Order(Cell):
        def construct(self, x):
            for _ in range(4):
                x = Double.apply(x)
            return Tensor(np.argsort(x.asnumpy()).astype(np.int32))

    order = Order()

    @jit
    @grad
    def f(x):
        weights = order(x) + 1
        return (x * weights.astype(x.dtype)).sum()

    for x in ([3.0, 1.0, 2.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]):
        np.testing.assert_array_equal(f(Tensor(x)).asnumpy(), np.argsort(x) + 1)
    assert not f.dynamic


def test_a_call_that_reads_a_hidden_value_where_vmap_records():
    class Scaled(Cell):
        def construct(self, x, hidden):
            n = float(x.asnumpy()[0])
            return vmap(lambda row: row * float(hidden().asnumpy()[0]))(ops.ones((2, 3)) * n)

    scaled = Scaled()

    @jit
    def f(x):
        y = x * 2
        return scaled(x, lambda: y) + 0

    with pytest.warns(RuntimeWarning, match="It runs dynamically from now on"):
        for number in (3.0, 4.0, 5.0):
            assert (f(Tensor([number])).asnumpy() == 2 * number**2).all()


def test_several_in_a_row():
    def make():
        return Net(nn.Dense(6, 8), Sampler(), Take(), Sampler(), Take(), nn.Dense(3, 3))

    step, net, _ = agree(make, steps=4)
    assert step.captures == 1 and [net.parts[i].calls for i in (1, 3)] == [4, 4]


class Take(Cell):
    def construct(self, x):
        return x[0]


@pytest.mark.parametrize("rate", [pytest.param(0.0, marks=pytest.mark.slow), 0.5])
def test_random_state_and_statistics_go_on(rate):
    """Dropout and batch statistics before and after the call, and numbers drawn inside of it."""

    class Noisy(Sampler):
        def construct(self, x):
            noise = ops.standard_normal(x.shape)
            return super().construct(x + noise)

    agree(lambda: Net(
        nn.Dense(6, 8), nn.BatchNorm1d(8), nn.Dropout(p=rate), Noisy(), Take(), nn.BatchNorm1d(3),
        nn.Dropout(p=rate),
    ), shape=(4, 6))  # fmt: skip


def test_parameters_are_read_and_written_as_they_are():
    class Scale(Cell):
        def __init__(self):
            super().__init__()
            self.scale = Parameter(Tensor([1.0]), name="scale")
            self.total = Parameter(Tensor([0.0]), name="total", requires_grad=False)

        def construct(self, x):
            self.total.set_data(self.total + float(x.sum()))
            return Tensor(x.asnumpy() * self.scale.asnumpy())

        def bprop(self, x, out, dout):
            return (dout * self.scale,)

    def prepare(make):
        net = make()

        def step(x):
            y, by_x = value_and_grad(net)(x)
            net.scale.set_data(net.scale * 1.5)
            return y.sum() + by_x.sum() + net.total

        return step, net

    agree(Scale, prepare=prepare)


def test_a_function_with_numpy_on_both_ways():
    class Sort(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.at = np.argsort(x.asnumpy(), 1)
            return Tensor(np.take_along_axis(x.asnumpy(), ctx.at, 1))

        @staticmethod
        def backward(ctx, g):
            back = np.zeros(ctx.at.shape, np.float32)
            np.put_along_axis(back, ctx.at, g.asnumpy(), 1)
            return Tensor(back)

    weights = Tensor(np.arange(6.0, dtype=np.float32))

    def prepare(make):
        return lambda x: grad(lambda x: (Sort.apply(x * 2) * weights).sum())(x), None

    step, _, _ = agree(None, prepare=prepare, steps=10)
    assert step.captures == 1


class Above(Cell):
    """The numbers above 0, however many there are; `calls` counts."""

    def __init__(self):
        super().__init__()
        self.norm = 0
        self.calls = []

    def construct(self, x):
        rows = x.asnumpy()
        self.calls.append(rows.sum())
        return Tensor(rows[rows > 0])


def summing(make):
    norm, above = nn.BatchNorm1d(6).set_train(), Above()
    net = nn.SequentialCell(norm)
    net.above = above
    return lambda x: (above(norm(x)) * 2).sum(), net


def test_other_shapes_are_captured_anew_and_nothing_runs_twice():
    step, net, there = agree(None, prepare=summing, steps=12, shape=(3, 6))
    assert 1 < step.captures < 12
    np.testing.assert_allclose(net.above.calls, there.above.calls, rtol=1e-4, atol=1e-5)
    assert len(net.above.calls) == 12


@pytest.mark.slow
def test_ever_other_shapes_end_the_capture():
    step, net, _ = agree(None, prepare=summing, steps=60, shape=(40, 6), stays=False)
    assert step.captures == step.MAX_ENTRIES + 1 and len(net.above.calls) == 60


class Leaves(Cell):
    """What it returns is not all that others get from it."""

    def construct(self, x):
        self.last = Tensor(x.asnumpy() * 3)
        return Tensor(x.asnumpy() * 2)


class Peeks(Cell):
    """What it is given is not all that it reads."""

    def construct(self, x):
        return Tensor(x.asnumpy() + self.other["x"].asnumpy())


class Number(Cell):
    def construct(self, x):
        return float(x.sum())


class Partly(Cell):
    """The derivative goes past the number."""

    def construct(self, x):
        return x * float(x.max()) + x


def leaving(make):
    cell = Leaves()
    return lambda x: cell(x * 1) + cell.last, cell


def peeking(make):
    cell = Peeks()
    cell.other = {}

    def step(x):
        cell.other["x"] = x * x
        return cell(x * 1)

    return step, cell


def numbering(make):
    cell = Number()
    return lambda x: x * cell(x * 1), cell


def partly(make):
    cell = Partly()
    return grad(lambda x: cell(x * 1).sum()), cell


def twice(make):
    cell = Sampler()
    return grad(lambda x: (grad(lambda y: cell(y * y)[0])(x) ** 2).sum()), cell


def outside(make):
    cell = Draws()
    return lambda x: cell(x)[0] * float(x.max()), cell


@pytest.mark.parametrize("prepare", [leaving, peeking, numbering, partly, twice, outside])
def test_where_it_would_not_be_right_the_function_runs_dynamically(prepare):
    agree(None, prepare=prepare, stays=False)


def test_an_error_in_the_call_reaches_the_user_and_the_next_call_works():
    class Fails(Cell):
        def construct(self, x):
            if x.asnumpy().max() > 5:
                raise ValueError("too large")
            return Tensor(x.asnumpy() + 1)

    cell, total = Fails(), Parameter(Tensor([0.0]))

    @jit
    def step(x):
        total.set_data(total + 1)
        return cell(x * 2) * total

    def all_of(n):
        return [10.0, float(n)], (np.array([3.0]) * n).tolist()

    for first in (10.0, 1.0):
        if first > 5:
            with pytest.raises(ValueError, match="too large"):
                step(Tensor([first]))
        assert step(Tensor([1.0])).asnumpy().tolist() == [3.0 * float(total.asnumpy()[0])]
        with pytest.raises(ValueError, match="too large"):
            step(Tensor([10.0]))
    assert total.asnumpy().tolist() == [2.0]  # a call that failed has changed nothing
    assert not step.dynamic


def test_in_graph_mode():
    mode = context._values["mode"]
    cell, x = Sampler(), Tensor(np.random.randn(2, 6).astype(np.float32))
    try:
        context.set_context(mode=context.GRAPH_MODE)
        net = Net(nn.Dense(6, 8), Sampler())
        for _ in range(3):
            np.random.seed(0)
            first = cell(x)[0].asnumpy()
            assert net(x).shape == (2, 1)
        assert cell.calls == 3 and net.parts[1].calls == 3
    finally:
        context.set_context(mode=mode)
    np.random.seed(0)
    assert (Sampler()(x)[0].asnumpy() == first).all()


def test_in_another_precision():
    agree(lambda: Net(nn.Dense(6, 8), Sampler(), Take()).to_float(dtypes.float16), steps=3)


def test_a_result_that_was_given_and_arguments_by_name():
    class Passes(Cell):
        def construct(self, x, *, scale, others):
            assert x.asnumpy().ndim == 2
            return x, {"scaled": Tensor(x.asnumpy() * scale), "other": others[1], "none": None}

    cell = Passes()

    def prepare(make):
        def step(x):
            y, more = cell(x * 2, scale=3.0, others=[x, x + 1])
            return y + more["scaled"] * 10 + more["other"] * 100

        return step, cell

    agree(None, prepare=prepare)


@pytest.mark.slow
def test_large_arrays_and_many_steps():
    def prepare(make):
        cell = Draws()
        w = Tensor(np.random.randn(512, 512).astype(np.float32) / 20)

        def step(x):
            for _ in range(3):
                x = ops.matmul(x, w)
                x = x + cell(x)[0].sum()
            return x.mean()

        return step, cell

    step, cell, _ = agree(None, prepare=prepare, steps=60, shape=(512, 512))
    assert step.captures == 1 and cell.calls == 180
