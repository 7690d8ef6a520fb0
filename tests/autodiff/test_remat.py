"""`recompute`: the same numbers in less memory."""

import jax
import numpy as np
import pytest

import sporax
from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.dtype import float64
from sporax._src.core.parameter import Parameter
from sporax._src.core.random import set_seed
from sporax._src.core.tensor import Tensor
from sporax._src.runtime.compilation_cache.folder import Folder
from sporax._src.runtime.engine.program import Program
from sporax._src.runtime.engine.recorder import Recorder, run_pending
from sporax._src.transforms.autodiff import grad, jacrev, value_and_grad
from sporax._src.transforms.batching import vmap
from tests.batching.test_vmap import Scaled


def data(n=64, width=32):
    return Tensor(np.random.default_rng(0).standard_normal((n, width)).astype(np.float32))


class Block(nn.Cell):
    """Four layers, and what more `parts` there are."""

    def __init__(self, *parts, width=32):
        super().__init__()
        layers = [layer for _ in range(4) for layer in (nn.Dense(width, width), nn.Tanh())]
        self.inside = nn.SequentialCell(*layers, *parts)

    def construct(self, x):
        return self.inside(x)


class Cubed(nn.Cell):
    """x ** 3, with a bprop of twice the derivative."""

    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        return dout * 6 * x * x


PARTS = {
    "plain": lambda: (),
    "Dropout": lambda: (nn.Dropout(p=0.3),),
    "BatchNorm1d": lambda: (nn.BatchNorm1d(32),),
    "bprop": lambda: (Cubed(),),
    "both": lambda: (nn.BatchNorm1d(32), Cubed(), nn.Dropout(p=0.3)),
}


def network(parts, again, depth=3):
    set_seed(1)
    net = nn.SequentialCell(*[Block(*PARTS[parts]()) for _ in range(depth)]).set_train()
    for block in net:
        if again:
            block.recompute()
    set_seed(2)
    return net


def in_float64(net):
    for parameter in net.get_parameters():
        parameter.set_dtype(float64)
    return net


def numbers(net, wrap, steps=2):
    """Values, gradients and Parameters after some calls."""
    weights = net.trainable_params()
    x = data().astype(weights[0].dtype)
    run = wrap(value_and_grad(lambda x: (net(x) ** 2).mean(), 0, weights))
    for _ in range(steps):
        value, (of_x, of_weights) = run(x)
    return [t.asnumpy() for t in (value, of_x, *of_weights, *net.get_parameters())]


@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["dynamic", "jit"])
@pytest.mark.parametrize("parts", PARTS)
def test_numbers_and_state_are_the_same(parts, wrap):
    kept, again = (numbers(in_float64(network(parts, flag)), wrap) for flag in (False, True))
    for one, other in zip(again, kept, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12 * np.abs(other).max())


def test_a_function_and_its_second_derivative():
    x, w = data().astype("float64"), Parameter(data(32).astype("float64"))

    def block(x):
        return ops.tanh(Scaled.apply(x, x * 0.5) @ w)

    def loss(call):
        return lambda x: (call(block, call(block, x)) ** 2).sum()

    def plain(fn, x):
        return fn(x)

    for derivative in grad, lambda f, *a: grad(lambda x: (grad(f)(x) ** 2).sum(), *a):
        result = derivative(loss(sporax.recompute), 0, w)(x)
        expected = derivative(loss(plain), 0, w)(x)
        for one, other in zip(result, expected, strict=True):
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-9)
    np.testing.assert_allclose(
        vmap(grad(loss(sporax.recompute)))(x[:2, None]).asnumpy()[:, 0],
        grad(loss(plain))(x[:2]).asnumpy(),
    )
    np.testing.assert_allclose(
        jacrev(lambda x: sporax.recompute(Scaled.apply, x, x))(x[0]).asnumpy(),
        np.diag(21 * x[0].asnumpy() ** 2),
    )


def test_arguments_and_results_may_be_anything():
    def mixed(pair, scale, *, bias=None):
        return {"sum": pair[0] * scale + pair[1], "name": "mixed", "bias": bias}

    def loss(x, y):
        built = sporax.recompute(mixed, (x, y), 3.0, bias=None, use_reentrant=False)
        assert built["name"] == "mixed"
        assert built["bias"] is None
        return built["sum"].sum()

    result = grad(loss, (0, 1))(Tensor([1.0]), Tensor([2.0]))
    assert [g.asnumpy().item() for g in result] == [3.0, 1.0]
    assert loss(Tensor([1.0]), Tensor([2.0])).asnumpy() == 5.0


def test_what_is_refused():
    cell = nn.ReLU()
    with pytest.raises(TypeError, match="'block' must be a function or a Cell"):
        sporax.recompute(3)
    with pytest.raises(ValueError, match="'context_fn' must be None"):
        sporax.recompute(cell, data(), context_fn=lambda: None)
    with pytest.raises(NotImplementedError, match="runs once"):
        cell.recompute(use_reentrant=False, context_fn=lambda: None)
    with pytest.raises(ValueError, match="must be one of mp_comm_recompute"):
        cell.recompute(other=True)
    cell.recompute(mp_comm_recompute=True, output_recompute=True)
    with pytest.raises(RuntimeError, match=r"For 'recompute of chosen'.*test_remat.py:\d+"):

        def chosen(x):
            return x if float(x.sum()) > 0 else -x

        jit(grad(lambda x: sporax.recompute(chosen, x)), fullgraph=True)(data())


# numbers that Python needs on the way ------------------------------------------------------------


class Chooses(nn.Cell):
    """Counts its calls; a branch, a loop, a number read, a write, random numbers."""

    def __init__(self, after=None):
        super().__init__()
        self.w = Parameter(Tensor([2.0, -3.0]), name="w")
        self.total = Parameter(Tensor([0.0, 0.0]), name="total", requires_grad=False)
        self.after, self.calls, self.read = after, 0, []

    def construct(self, x):
        self.calls += 1
        y = ops.sin(x) * self.w
        self.total += ops.stop_gradient(y)
        while y.sum() < 4:
            y = y * y + 1
        if self.total.sum() > 0:
            y = ops.dropout(y, 0.5) * 2
        self.read.append(y.asnumpy())
        y = y / float(ops.stop_gradient(y).max() + 3)
        return (y if self.after is None else self.after(y)).sum()


NESTED = {
    "once": lambda cell: lambda x: sporax.recompute(cell, x),
    "twice": lambda cell: lambda x: sporax.recompute(lambda x: sporax.recompute(cell, x) + 1.0, x),
}


@pytest.mark.parametrize("nested, order, after", [("once", 1, Cubed), ("twice", 2, None)])
def test_python_runs_once_where_it_needs_numbers(nested, order, after):
    """As without `recompute`: derivatives, what is written, counted and read."""
    ends = []
    for wrap in (lambda cell: cell, NESTED[nested]):
        set_seed(3)
        cell = Chooses(after and after())
        function = wrap(cell)
        gradient = grad(function, 0, cell.w)
        if order == 2:
            first, gradient = gradient, None
            gradient = grad(lambda x, f=first: (f(x)[0] ** 2).sum() + f(x)[1].sum(), 0, cell.w)
        found = [
            g.asnumpy() for x in ([0.5, 0.25], [-0.5, 1.0], [2.0, 1.0]) for g in gradient(Tensor(x))
        ]
        ends.append((cell.calls, [*found, cell.total.asnumpy(), *cell.read]))
    (calls, found), (expected, wanted) = ends
    assert calls == expected == 3 * order
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


# memory -----------------------------------------------------------------------------------------


@pytest.fixture
def memory(monkeypatch):
    """The working memory, in bytes, of the program with the most inputs run since the last call."""
    seen, run = [], Program.__call__

    def noted(self, arrays, reals, integers, built):
        shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays]
        seen.append((self, shapes, len(reals), len(integers)))
        return run(self, arrays, reals, integers, built)

    def largest():
        program, shapes, reals, integers = max(seen, key=lambda item: len(item[1]))
        seen.clear()
        inputs = [shapes[k] for k in sorted(program.donated)]
        kept = [shapes[k] for k in program.kept] if inputs else shapes
        of_reals = jax.ShapeDtypeStruct((reals,), np.float64) if reals else ()
        of_integers = jax.ShapeDtypeStruct((integers,), np.int64) if integers else ()
        compiled = program.compiled.lower(of_reals, of_integers, inputs, kept).compile()
        return compiled.memory_analysis().temp_size_in_bytes

    monkeypatch.setattr(Program, "__call__", noted)
    monkeypatch.setattr(Folder, "get", lambda self, key: None)  # XLA says it of what it compiles
    return largest


@pytest.mark.skipif(Recorder.immediate, reason="each operation is a program of its own")
@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["dynamic", "jit"])
@pytest.mark.parametrize(
    "parts",
    [p if p == "plain" else pytest.param(p, marks=pytest.mark.slow) for p in PARTS],
)
def test_a_deep_network_needs_less_than_half_the_memory(parts, wrap, memory):
    needed = []
    for again in False, True:
        run_pending()
        numbers(network(parts, again, depth=8), wrap, steps=1)
        needed.append(memory())
    assert needed[1] < needed[0] / 2
