"""`vmap` against MindSpore's results, and against a Python loop over the examples."""

import gc
import weakref

import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.runtime.engine.program import compilations
from sporax._src.runtime.engine.recorder import Recorder
from sporax._src.transforms.autodiff import Function, grad, jacfwd
from sporax._src.transforms.batching import vmap
from tests import records
from tests.autodiff import grad_cases, transform_cases
from tests.oracle import evaluate, rows

pytestmark = pytest.mark.usefixtures("on_numpy")

F = "Float32"
OURS = {
    # containers come back as they were
    "vmap_results/list": {"list": [[F, [[0.0, 1.0, 8.0], [27.0, 64.0, 125.0]]],
                                   [F, [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]]]},
    # what works, where MindSpore refuses
    "jvp/in a tuple": {"tuple": [[F, [1.0, 8.0]], [F, [3.0, 36.0]]]},
    "jacfwd/half": ["Float16", [[3.0, 0.0], [0.0, 12.0]]],
    "jacrev/half": ["Float16", [[3.0, 0.0], [0.0, 12.0]]],
    # what is refused, where MindSpore broadcasts
    "jvp/other shape": "raises ValueError",
}  # fmt: skip
RECORDED = records.read("cells_transforms")


@pytest.mark.parametrize("name", transform_cases.CASES)
def test_returns_what_mindspore_returns(name):
    result, expected = evaluate(transform_cases.CASES[name], grad_cases.evaluate), RECORDED[name]
    for case, row in rows({name: expected}):
        assert result[row] == OURS.get(f"{case}/{row}", expected[row]), f"{case}/{row}"


def test_what_differs_is_still_asked():
    assert OURS.keys() <= {f"{name}/{row}" for name, row in rows(RECORDED)}
    assert RECORDED.keys() == transform_cases.CASES.keys()


# against a loop ---------------------------------------------------------------------------------


def double(shape):
    return Tensor(np.random.default_rng(len(shape)).uniform(0.5, 1.5, shape))


class Scaled(Function):
    """a * a * b, with another derivative than it has: ten times that with respect to a."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * a * 2 * b * 10, g * a * a


class Weighted(nn.Cell):
    """x * w, with a bprop: seven and eleven times the derivative."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(double((3,)), name="w")
        self.internal_params = [self.w]

    def construct(self, x):
        return x * self.w

    def bprop(self, x, out, dout):
        return (dout * self.w * 7,), {self.w: dout * x * 11}


def hooked(a, b):
    c = a * b
    c.register_hook(lambda g: g * 5)
    return (c * a).sum()


FUNCTIONS = {
    "product": lambda a, b: a * b + ops.exp(a).sum(),
    "matrix": lambda a, b: ops.tanh(a.reshape(1, 3) @ b.reshape(3, 1)).sum(),
    "norm": lambda a, b: ops.softmax(a * b, -1) * a,
    "function": Scaled.apply,
    "function of function": lambda a, b: Scaled.apply(Scaled.apply(a, b), a * b),
    "hook": hooked,
    "inner grad": lambda a, b: grad(lambda a: (a * a * a * b).sum())(a),
    "inner grad of function": lambda a, b: grad(lambda a: Scaled.apply(a, b).sum())(a) * a,
    "captured": jit(lambda a, b: a * b * 2.0),
    "mapped": lambda a, b: vmap(lambda x: x * b.sum() + a)(a),
    "mapped function": lambda a, b: vmap(lambda x: Scaled.apply(x, b.sum()))(a),
}


def looped(function, x, y):
    return ops.stack([function(a, y) for a in x])


def mapped(function, x, y):
    return vmap(function, (0, None))(x, y)


def close(result, expected):
    result, expected = (item if isinstance(item, tuple) else (item,) for item in (result, expected))
    for one, other in zip(result, expected, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gives_what_a_loop_gives_in_three_orders(name):
    function, x, y = FUNCTIONS[name], double((4, 3)), double((3,))

    def first(run):
        return grad(lambda x, y: (run(function, x, y) ** 2).sum(), (0, 1))

    def second(run):
        return grad(lambda x, y: sum((g * g).sum() for g in first(run)(x, y)), (0, 1))

    close(mapped(function, x, y), looped(function, x, y))
    for derivative in first, second:
        expected = derivative(looped)(x, y)
        for _ in range(2):
            close(derivative(mapped)(x, y), expected)
        close(jit(derivative(mapped))(x, y), expected)


@pytest.mark.parametrize("make", [lambda: nn.Dense(3, 2), Weighted], ids=["Dense", "bprop"])
def test_parameters_are_shared_and_get_the_sum(make):
    cell, x = make(), double((4, 3)).astype("float32")
    weights = cell.trainable_params()
    result = grad(lambda x: (vmap(cell)(x) ** 2).sum(), 0, weights)(x)
    expected = grad(lambda x: (ops.stack([cell(a) for a in x]) ** 2).sum(), 0, weights)(x)
    for one, other in zip((result[0], *result[1]), (expected[0], *expected[1]), strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5)


def test_a_hook_sees_the_gradient_of_one_example():
    shapes, x = [], double((4, 3))

    def clipped(a):
        b = a * 1.0
        b.register_hook(lambda g: (shapes.append(g.shape), ops.clamp(g, 0.0, 2.0))[1])
        return (b * b).sum()

    result = grad(lambda x: vmap(clipped)(x).sum())(x).asnumpy()
    np.testing.assert_allclose(result, np.minimum(2 * x.asnumpy(), 2.0))
    assert shapes == [(3,)]


def test_axes_of_operands_and_results_are_differentiated_through():
    x, y, by = double((3, 4)), double((4, 3)), double((3, 4))
    run = vmap(Scaled.apply, (1, 0), 1)
    result = grad(lambda x, y: (run(x, y) ** 2 * by).sum(), (0, 1))(x, y)
    expected = grad(lambda x, y: (Scaled.apply(x, y.T) ** 2 * by).sum(), (0, 1))(x, y)
    close(result, expected)


def test_the_axis_of_one_result_may_be_in_a_tuple():
    assert vmap(ops.neg, (0,), (1,))(ops.ones((2, 3))).shape == (3, 2)


def test_what_is_the_same_for_all_has_its_own_cotangent():
    def both(a, b):
        return Scaled.apply(a, b), Scaled.apply(b, b)

    x, y = double((4, 3)), double((3,))
    run = vmap(both, (0, None), (0, None))
    result = grad(lambda x, y: sum((r * r).sum() for r in run(x, y)), (0, 1))(x, y)
    expected = grad(
        lambda x, y: (looped(Scaled.apply, x, y) ** 2).sum() + (Scaled.apply(y, y) ** 2).sum(),
        (0, 1),
    )(x, y)
    close(result, expected)


def test_integers_are_differentiated_as_the_numbers_they_are():
    x, n = double((2, 3)).astype("float32"), Tensor([[1, 2, 3], [4, 5, 6]])
    result = grad(lambda n: (vmap(lambda a, k: a * k)(x, n) ** 2).sum())(n)
    expected = grad(lambda n: ((x * n) ** 2).sum())(n)
    np.testing.assert_allclose(result.asnumpy(), expected.asnumpy(), rtol=1e-6)


def test_each_slice_has_bands_of_its_own():
    x, below, above = double((3, 4, 5)), [1, 0, -1], [2, -1, 0]
    result = vmap(ops.matrix_band_part)(x, Tensor(below), Tensor(above)).asnumpy()
    far = [[(n if n >= 0 else 9) for n in bounds] for bounds in (below, above)]
    bands = [
        np.tril(np.triu(a, -low), high) for a, low, high in zip(x.asnumpy(), *far, strict=True)
    ]
    np.testing.assert_array_equal(result, bands)


def test_a_cell_list_has_a_cell_for_each_slice():
    cells = nn.CellList([nn.Dense(3, 2) for _ in range(4)])
    weights, x = cells.trainable_params(), double((4, 3)).astype("float32")

    def loop(x):
        return ops.stack([cell(a) for cell, a in zip(cells, x, strict=True)])

    np.testing.assert_allclose(vmap(cells)(x).asnumpy(), loop(x).asnumpy(), rtol=1e-6)
    same = vmap(cells, None)(x[0])
    np.testing.assert_allclose(same[3].asnumpy(), cells[3](x[0]).asnumpy(), rtol=1e-6)
    result = grad(lambda x: (vmap(cells)(x) ** 2).sum(), 0, weights)(x)
    expected = grad(lambda x: (loop(x) ** 2).sum(), 0, weights)(x)
    for one, other in zip((result[0], *result[1]), (expected[0], *expected[1]), strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5)
    with pytest.raises(RuntimeError, match=r"must be of one size, but got 3 .*, 4 Cells"):
        vmap(cells)(x[:3])
    with pytest.raises(ValueError, match="must be of one class"):
        vmap(nn.CellList([nn.Dense(3, 2), nn.Dense(3, 3)]))(x[:2])


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["dynamic", "jit"])
def test_a_cell_list_keeps_what_each_of_its_cells_writes(run):
    x = double((2, 4, 3)).astype("float32")
    norms, alone = (nn.CellList([nn.BatchNorm1d(3) for _ in range(2)]).set_train() for _ in "ab")
    for _ in range(2):  # the second call begins from what the first has written
        result = run(lambda x: vmap(norms)(x))(x)
        expected = [norm(part) for norm, part in zip(alone, x, strict=True)]
    np.testing.assert_allclose(result[1].asnumpy(), expected[1].asnumpy(), rtol=1e-5)
    for one, other in zip(norms.get_parameters(), alone.get_parameters(), strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5)


# state ------------------------------------------------------------------------------------------


def test_what_is_the_same_for_all_may_be_written():
    count = Parameter(Tensor([0.0]))

    def counted(a):
        ops.assign_add(count, 1.0)
        return a * count

    x = double((4, 3)).astype("float32")
    np.testing.assert_allclose(vmap(counted)(x).asnumpy(), x.asnumpy())
    np.testing.assert_allclose(jit(vmap(counted))(x).asnumpy(), 2 * x.asnumpy())
    assert count.asnumpy() == 2.0


def test_what_differs_may_not_be_written():
    p, norm = Parameter(Tensor([0.0, 0.0, 0.0])), nn.BatchNorm1d(3).set_train()
    with pytest.raises(ValueError, match="must be the same for all examples, but Parameter"):
        vmap(lambda a: ops.assign(p, a))(ops.ones((2, 3)))
    before = norm.moving_mean.asnumpy()
    with pytest.raises(ValueError, match="BatchNorm"):
        vmap(norm)(ops.ones((2, 4, 3)))
    assert not p.asnumpy().any()
    assert (norm.moving_mean.asnumpy() == before).all()
    assert vmap(norm.set_train(False))(ops.ones((2, 4, 3))).shape == (2, 4, 3)


def test_all_draw_the_same_numbers_and_other_ones_the_next_time():
    def noise(a):
        return a * 0 + ops.rand(3)

    drawn = [vmap(noise)(ops.ones((2, 3))).asnumpy() for _ in range(2)]
    nested = vmap(vmap(lambda a: a * 0 + ops.rand(1)))(ops.ones((2, 3))).asnumpy()
    assert all((d[0] == d[1]).all() for d in drawn)
    assert (drawn[0] != drawn[1]).all()
    assert len(np.unique(nested)) == 1


def test_an_error_inside_leaves_everything_as_it_was():
    p, x = Parameter(Tensor([2.0, 2.0, 2.0])), ops.ones((2, 3))
    recorder = thread.recorder

    def fails(a):
        ops.assign_add(p, 1.0)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        vmap(fails)(x)
    assert thread.recorder is recorder or Recorder.immediate
    assert (p.asnumpy() == 2.0).all()
    with pytest.raises(ValueError, match="operands do not fit"):
        vmap(lambda a: a @ p[:2])(x)
    assert vmap(lambda a: a + p)(x).asnumpy()[0, 0] == 3.0


def test_a_number_is_not_there():
    x, outside = ops.ones((2, 3)), Tensor(2.0) * 3.0

    def choosing(a):
        return a if float(a.sum()) > 2 else -a

    with pytest.raises(RuntimeError, match=r"test_vmap.py:\d+: return a if float"):
        vmap(choosing)(x)
    with pytest.raises(RuntimeError, match="must not need a number"):
        vmap(lambda a: vmap(lambda b: b * float(a.sum()))(a))(x)
    assert vmap(lambda a: a * float(outside))(x).asnumpy()[0, 0] == 6.0
    kept = []
    vmap(lambda a: (kept.append(a * 2), a)[1])(x)
    with pytest.raises(RuntimeError, match="kept past its end"):
        kept[0].asnumpy()


# what it costs ----------------------------------------------------------------------------------


def test_the_same_recording_is_compiled_once():
    x, y = double((4, 3)), double((3,))

    def step(factor):
        run = vmap(lambda a: Scaled.apply(a * factor, y) + factor)
        return grad(lambda x: run(x).sum())(x).asnumpy()

    for _ in range(2):  # the first may go on with what an earlier test left
        step(1.0)
    before = compilations["programs"]
    result = [step(float(i)) for i in range(2, 5)]
    assert compilations["programs"] == before
    np.testing.assert_allclose(result[1], result[0] / 4 * 9)


def test_nothing_outside_is_kept_alive():
    x = double((4, 3))
    gc.collect()
    gc.disable()
    try:
        outside = [x * 2.0]
        value = weakref.ref(outside[0]._value)
        run = vmap(lambda a: Scaled.apply(a, outside[0][0]) + outside[0][1])
        grad(lambda x: run(x).sum())(x).asnumpy()
        outside.clear()
        assert value() is None
    finally:
        gc.enable()


def test_a_captured_function_notices_state_that_is_used_inside():
    p = Parameter(Tensor([1.0, 1.0, 1.0]))
    run = jit(lambda x: vmap(lambda a: a * p)(x))
    x = ops.ones((2, 3))
    assert run(x).asnumpy()[0, 0] == 1.0
    p.set_data(Tensor([5.0, 5.0, 5.0]))
    assert run(x).asnumpy()[0, 0] == 5.0
    assert run.captures == 1


def test_jacobians_of_mapped_functions():
    x = double((2, 3))
    result = jacfwd(vmap(lambda a: a * a))(x).asnumpy()
    np.testing.assert_allclose(result.reshape(6, 6), np.diag(2 * x.asnumpy().ravel()))


def test_an_axis_may_be_an_argument_of_a_captured_function():
    run = jit(lambda x, axis: vmap(lambda row: row * 2, axis, axis)(x))
    x = ops.ones((2, 3))
    assert [run(x, axis).shape for axis in (0, 1, -1)] == [(2, 3)] * 3
