"""Primitives that update variables: what MindSpore 2.10 gives on a CPU, or their formula."""

import numpy as np
import pytest

import sporax
from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff import grad
from tests import records
from tests.ops import update_cases

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.read("updates")
TOLERANCE = {"rtol": 2e-5, "atol": 1e-6}


def evaluate(call):
    return update_cases.run(call, sporax, vars(ops))


def assert_changes(call, changed, wanted):
    assert set(changed) == set(wanted), call
    for name, value in wanted.items():
        np.testing.assert_allclose(changed[name], value, err_msg=f"{call}: {name}", **TOLERANCE)


@pytest.mark.parametrize("call", update_cases.CALLS)
def test_updates_give_what_mindspore_gives(call):
    results, changed = evaluate(call)
    wanted, new = RECORDED[call]
    assert_changes(call, changed, new)
    assert [r.shape for r in results] == [np.shape(w) for w in wanted]
    if not call.startswith(update_cases.UNFILLED):
        for actual, value in zip(results, wanted, strict=True):
            np.testing.assert_allclose(actual, value, err_msg=call, **TOLERANCE)


@pytest.mark.parametrize("call", update_cases.DOCUMENTED)
def test_updates_give_what_is_documented(call):
    results, changed = evaluate(call)
    wanted = update_cases.expected(call)
    if "result" in wanted:
        np.testing.assert_allclose(results[0], wanted.pop("result"), **TOLERANCE)
    else:
        np.testing.assert_allclose(results[0], wanted["var"], err_msg=call, **TOLERANCE)
    assert_changes(call, changed, wanted)


class Step(nn.Cell):
    """A step of Adam, then one of Adagrad by rows of a gradient."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(update_cases.VARIABLES["var"]), name="weight")
        self.m = Parameter(Tensor(update_cases.VARIABLES["m"]), name="m")
        self.v = Parameter(Tensor(update_cases.VARIABLES["v"]), name="v")
        self.adam = ops.Adam(use_nesterov=True)
        self.adagrad = ops.SparseApplyAdagrad(0.1)

    def construct(self, gradient, rows, indices):
        self.adam(self.weight, self.m, self.v, 0.81, 0.998, 0.1, 0.9, 0.99, 1e-3, gradient)
        return self.adagrad(self.weight, self.v, rows, indices)[0] * 2


def test_updates_in_a_captured_cell():
    inputs = [Tensor(update_cases.INPUTS[n]) for n in "gtd"]
    cells = Step(), Step()
    captured = jit(cells[1].construct)
    for _ in range(3):
        np.testing.assert_allclose(cells[0](*inputs), captured(*inputs), **TOLERANCE)
        for a, b in zip(*(c.get_parameters() for c in cells), strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), err_msg=a.name, **TOLERANCE)
    assert not np.allclose(cells[0].weight.asnumpy(), update_cases.VARIABLES["var"], atol=0.05)


def test_results_keep_their_contents_and_variables_their_dtype():
    weight = Parameter(Tensor([1.0, 2.0], sporax.float16), name="weight")
    step = ops.ApplyGradientDescent()
    before = step(weight, 0.5, Tensor([2.0, 2.0]))
    step(weight, Tensor([0.5]), Tensor([2.0, 2.0]))
    assert before.asnumpy().tolist() == [0, 1]
    assert weight.asnumpy().tolist() == [-1, 0]
    assert weight.dtype == before.dtype == sporax.float16


def test_ftrl_rounds_as_mindspore_does():
    state = (Parameter(Tensor(np.float32([1]))) for _ in range(3))
    changed = ops.SparseApplyFtrl(0.001, 0.0, 0.0, -0.5)(*state, Tensor([1.0]), Tensor([0]))[0]
    assert changed.asnumpy() == np.float32(0.291479)  # MindSpore 2.10


def test_no_derivative_goes_through_an_update():
    def loss(x):
        return ops.ApplyGradientDescent()(Parameter(Tensor([1.0]), name="w"), 0.5, x).sum()

    assert grad(loss)(Tensor([3.0])).asnumpy().tolist() == [0]


W, G = Parameter(Tensor(np.ones((2, 3), "f4")), name="w"), Tensor(np.ones((2, 3), "f4"))
REFUSED = [
    (lambda: ops.ApplyGradientDescent()(1.0, 0.5, G), TypeError, "'var' must be a Parameter or"),
    (lambda: ops.ApplyMomentum()(W, [1.0], 0.5, G, 0.5), TypeError, "'accumulation' must be a"),
    (lambda: ops.ApplyGradientDescent()(W, 0.5, G[0]), ValueError, "'delta' must have shape"),
    (lambda: ops.ApplyGradientDescent()(W, G, G), ValueError, "'alpha' must be one number"),
    (lambda: ops.ApplyGradientDescent()(W, 0.5, G.astype(sporax.int32)), TypeError, "floating"),
    (lambda: ops.ApplyAdagrad(1)(W, W, 0.5, G), TypeError, "'update_slots' must be a bool"),
    (lambda: ops.Adam("no")(W, W, W, 0.5, 0.5, 0.1, 0.5, 0.5, 0.1, G), TypeError, "'use_locking'"),
    (lambda: ops.SparseApplyAdagrad(0.1)(W, W, G, Tensor([0])), ValueError, "must have shape"),
    (lambda: ops.SparseApplyAdagrad(0.1)(W, W, G, Tensor([0.0])), TypeError, "'indices' must be a"),
    (lambda: ops.SparseApplyAdagrad(0.1)(W, W, G, Tensor([0, 2]))[0].asnumpy(), IndexError, "2"),
    (lambda: ops.SparseApplyAdagrad(0.1)(W, W, G, Tensor([0, -1]))[0].asnumpy(), IndexError, "-1"),
    (
        lambda: ops.FusedAdaFactor()(G[0, :2], *[0.1] * 5, G, W, W, W, W, W),
        ValueError,
        "_row' must",
    ),
    (
        lambda: ops.FusedAdaFactor()(G, *[0.1] * 5, G, W, W, W, W, 1.0),
        TypeError,
        "exp_avg_sq' must",
    ),
    (lambda: ops.SparseApplyAdagrad(0.1)(W, W, [G, G], Tensor([0])), TypeError, "be a Tensor"),
    (lambda: ops.LARSUpdate()(G, G[0], 1.0, 1.0, 0.0, 0.1), ValueError, "'gradient' must have"),
]


@pytest.mark.parametrize("call, kind, words", REFUSED)
def test_updates_refuse(call, kind, words):
    with pytest.raises(kind, match=words):
        call()
