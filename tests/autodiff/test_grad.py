"""Derivatives: what they return, against MindSpore's results; their numbers, against finite
differences; and that remembered walks never serve another computation."""

import copy
import random

import numpy as np
import pytest

from sporax import ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import dtype as dtypes
from sporax._src.core.context import GRAPH_MODE, PYNATIVE_MODE, set_context
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import thread
from sporax._src.runtime.engine import trace_tree
from sporax._src.runtime.engine.recorder import run_pending
from sporax._src.transforms.autodiff import GradOperation, grad, stop_gradient, value_and_grad
from sporax._src.transforms.autodiff.tape import paused
from sporax.nn.cell import Cell
from tests import records
from tests.autodiff import grad_cases
from tests.oracle import evaluate, rows

pytestmark = pytest.mark.usefixtures("on_numpy")

# where sporax differs from MindSpore on purpose ---------------------------------------------

F = "Float32"
OURS = {
    # each place has its own derivative (MindSpore's dynamic mode gives the sum; graph mode: ours)
    "the_same_tensor_elsewhere/two positions": {"tuple": [[F, [18.0]], [F, [9.0]]]},
    "the_same_tensor_elsewhere/one of two positions": [F, [18.0]],
    "the_same_tensor_elsewhere/in one tuple": {"tuple": [[F, [18.0]], [F, [9.0]]]},
    # a derivative that comes from floats is one (MindSpore truncates it in some operations)
    "what_is_not_differentiable/integer input": [F, [2.0]],
    "what_is_not_differentiable/integer beside": {"tuple": [[F, [4.0]], [F, [3.0]]]},
    # containers are differentiated, MindSpore's dynamic mode passes them over
    "arguments_in_containers/tuple": {"tuple": [[F, [20.0]], [F, [15.0]]]},
    "arguments_in_containers/list": {"list": [[F, [20.0]], [F, [15.0]]]},
    "arguments_in_containers/tuple and tensor": {
        "tuple": [{"tuple": [[F, [20.0]], [F, [15.0]]]}, [F, [12.0]]]
    },
    "arguments_in_containers/dict": {"a": [F, [20.0]], "b": [F, [15.0]]},
    "arguments_in_containers/nested": {
        "tuple": [[F, [100.0]], {"tuple": [[F, [75.0]], [F, [60.0]]]}]
    },
    "arguments_in_containers/a number inside": {"tuple": [[F, [10.0]], None]},
    "arguments_in_containers/all": {
        "tuple": [{"tuple": [[F, [20.0]], [F, [15.0]]]}, [F, [12.0]]]
    },
    # a truth value is no number
    "what_is_not_differentiable/bool input": {"tuple": [["Bool", [False]], [F, [1.0]]]},
    # what is refused, where MindSpore returns nothing or zero
    "weights/tensor None": "raises TypeError",
    "weights/tensor 0": "raises TypeError",
    "weights/tensor (0,)": "raises TypeError",
    "numbers_as_arguments/asked": "raises TypeError",
    "numbers_as_arguments/no arguments": "raises RuntimeError",
    "numbers_as_arguments/number out": "raises TypeError",
    # another kind of error
    "sens/no sens": "raises TypeError",
    # what works, where MindSpore refuses
    "weights/generator None": {"tuple": [[F, [3.0]]]},
    "weights/generator 0": {"tuple": [[F, [2.0]], {"tuple": []}]},  # used up by the row before
    "weights/generator (0,)": {"tuple": [[F, [2.0]], {"tuple": []}]},
    "has_aux/grad number": {"tuple": [[F, [6.0]], {"tuple": [7]}]},
    "has_aux/grad list": {"tuple": [[F, [6.0]], {"tuple": [[F, [4.0]]]}]},
    "has_aux/value_and_grad number": {"tuple": [{"tuple": [[F, [9.0]], 7]}, [F, [6.0]]]},
    "has_aux/value_and_grad list": {"tuple": [{"list": [[F, [9.0]], [F, [4.0]]]}, [F, [6.0]]]},
    "sens/other dtype": [F, [6.0, 16.0]],
    "sens/number": [F, [12.0, 16.0]],
    "under_jit/weights": {"tuple": [[F, [11.0]], {"tuple": [[F, [3.0]], [F, [1.0]]]}]},
}  # fmt: skip
RECORDED = records.read("cells_grad")


@pytest.mark.filterwarnings("ignore:.*function returns None")
@pytest.mark.parametrize("name", grad_cases.CASES)
def test_returns_what_mindspore_returns(name):
    result, expected = evaluate(grad_cases.CASES[name], grad_cases.evaluate), RECORDED[name]
    for case, row in rows({name: expected}):
        key = case if row is None else f"{case}/{row}"
        actual, reference = (result, expected) if row is None else (result[row], expected[row])
        assert actual == OURS.get(key, reference), key


def test_what_differs_is_still_asked():
    requested = {n if r is None else f"{n}/{r}" for n, r in rows(RECORDED)}
    assert OURS.keys() <= requested
    assert RECORDED.keys() == grad_cases.CASES.keys()


# numbers against finite differences -----------------------------------------------------------


def double(values):
    return Tensor(np.asarray(values, np.float64))


def difference(function, at, step=1e-5):
    """The gradient of a function of one float64 array, central differences."""
    gradient = np.zeros_like(at)
    for i in np.ndindex(at.shape):
        up, down = at.copy(), at.copy()
        up[i] += step
        down[i] -= step
        gradient[i] = (function(up) - function(down)) / (2 * step)
    return gradient


FUNCTIONS = {
    "polynomial": lambda x: (x * x * x * x - x * x).sum(),
    "quotient": lambda x: (x / (x * x + 1.0)).sum(),
    "exponential": lambda x: ops.exp(x * x * 0.3).sum(),
    "tanh": lambda x: (ops.tanh(x) * x).sum(),
    "shared": lambda x: ((x + x) * x - (x * 2.0) / (x + 3.0)).sum(),
    "broadcast": lambda x: (x * x.sum() * x).sum(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_three_orders_match_finite_differences(name):
    function, at = FUNCTIONS[name], np.array([0.7, -0.4, 1.3])
    weights = double([0.3, -1.1, 0.8])
    for _ in range(3):
        gradient = grad(function)
        result = gradient(double(at)).asnumpy()
        expected = difference(lambda a, f=function: float(f(double(a))), at)
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-7)
        function = lambda x, g=gradient: (g(x) * weights).sum()  # noqa: E731


class Small(Cell):
    """tanh(x w) v, in float64."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(1)
        self.w = Parameter(double(rng.normal(size=(3,))), name="w")
        self.v = Parameter(double(rng.normal(size=(3,))), name="v")

    def construct(self, x):
        return (ops.tanh(x * self.w) * self.v).sum()


def at_weight(net, parameter, function):
    """`function()` as a function of the parameter's contents."""

    def run(array):
        kept = parameter.asnumpy()
        parameter.set_data(double(array))
        result = float(function())
        parameter.set_data(double(kept))
        return result

    return run


def test_gradient_of_weights_of_a_gradient_norm():
    """The penalty on an input's gradient: second order through two kinds of gradient."""
    net, x = Small(), double([0.5, -0.2, 0.9])

    def penalty(x):
        g = grad(net)(x)
        return (g * g).sum() + net(x)

    result = grad(penalty, None, net.trainable_params())(x)
    for p, g in zip(net.trainable_params(), result, strict=True):
        expected = difference(at_weight(net, p, lambda: penalty(x)), p.asnumpy())
        np.testing.assert_allclose(g.asnumpy(), expected, rtol=1e-6, atol=1e-8)


def test_gradient_of_weights_of_a_gradient_of_weights():
    net, x = Small(), double([0.5, -0.2, 0.9])

    def inner():
        g = grad(net, None, net.w)(x)
        return (g * g).sum()

    outer = lambda x: inner() + 0.0 * net(x)  # noqa: E731
    result = grad(outer, None, [net.w, net.v])(x)
    for p, g in zip([net.w, net.v], result, strict=True):
        expected = difference(at_weight(net, p, inner), p.asnumpy())
        np.testing.assert_allclose(g.asnumpy(), expected, rtol=1e-6, atol=1e-8)


def test_jit_around_and_within():
    net, x = Small(), double([0.5, -0.2, 0.9])
    expected = [g.asnumpy() for g in grad(net, None, net.trainable_params())(x)]

    @jit
    def forward(x):
        return net(x)

    @jit
    def gradients(x):
        return grad(net, None, net.trainable_params())(x)

    for result in (gradients(x), gradients(x), grad(forward, None, net.trainable_params())(x)):
        for a, b in zip(result, expected, strict=True):
            np.testing.assert_allclose(a.asnumpy(), b, rtol=1e-12)
    net.w.set_data(net.w * 2.0)
    changed = gradients(x)[0].asnumpy()
    assert not np.allclose(changed, expected[0])
    np.testing.assert_allclose(changed, grad(net, None, net.w)(x).asnumpy(), rtol=1e-12)


# what is meant by a variable ------------------------------------------------------------------


def numbers(result):
    return [t.asnumpy().tolist() for t in tensors_of(result)]


def test_a_deep_copy_is_another_network():
    """The target network of Q-learning: no gradient goes into it, nor through it."""
    net = Small()
    copied = copy.deepcopy(net)
    x = double([0.5, -0.2, 0.9])
    with_twin = grad(lambda x: net(x) * copied(x), None, net.w)(x).asnumpy()
    alone = grad(net, None, net.w)(x).asnumpy() * copied(x).asnumpy()
    np.testing.assert_allclose(with_twin, alone, rtol=1e-12)
    np.testing.assert_allclose(
        grad(lambda x: net(x) * net(x), None, net.w)(x).asnumpy(), 2 * alone, rtol=1e-12
    )


def test_handles_are_given_back():
    x, p = Tensor([3.0]), Parameter(Tensor([2.0]), name="p")
    before = x._value, p._value
    grad(lambda x: x * p, 0, p)(x)
    assert (x._value, p._value) == before

    def fails(x):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        grad(fails, 0, p)(x)
    assert (x._value, p._value) == before
    assert thread.tape is None


def test_changes_in_place_between_forward_and_backward():
    def changing(x):
        y = x * x
        x.add_(1.0)  # the caller sees it; the product above does not
        return y * x

    x = Tensor([3.0])
    assert grad(changing)(x).asnumpy().tolist() == [6 * 4 + 9]
    assert x.asnumpy().tolist() == [4.0]

    p = Parameter(Tensor([2.0]), name="p")

    def assigning(x):
        y = x * p
        p.set_data(p * 10.0)
        return y

    assert numbers(grad(assigning, 0, p)(Tensor([3.0]))) == [[2.0], [3.0]]
    assert p.asnumpy().tolist() == [20.0]


def test_an_argument_keeps_its_identity():
    x, seen = Tensor([3.0]), []
    inputs = [Tensor([2.0]), Tensor([1.0])]

    def function(x, pair):
        seen.extend([x, pair])
        pair.append(x * 2)
        return x * x

    assert numbers(grad(function, (0, 1))(x, inputs)) == [[6.0], [0.0], [0.0]]
    assert seen[0] is x
    assert seen[1] is inputs
    assert len(inputs) == 3


def test_requires_grad_is_looked_at_each_time():
    p, x = Parameter(Tensor([2.0]), name="p"), Tensor([3.0])
    gradient = grad(lambda x: x * p, None, p)
    for flag in (False, True, False, True, True):
        p.requires_grad = flag
        assert numbers(gradient(x)) == [[3.0 if flag else 0.0]]


# remembered walks -----------------------------------------------------------------------------


def pair(x, y):
    return x * y


WALKS = {
    # derivatives whose traces are alike, taken in turn, several times over
    "which of two that are one": (
        lambda x, y: numbers(grad(lambda a, b: a * b, (0, 1))(x, x)), [[3.0], [3.0]],
        lambda x, y: numbers(grad(lambda a, b: a * a, (0, 1))(x, x)), [[6.0], [0.0]],
        lambda x, y: numbers(grad(lambda a, b: b * b, (0, 1))(x, x)), [[0.0], [6.0]],
    ),
    "which of them is asked for": (
        lambda x, y: numbers(grad(pair, 0)(x, y)), [[4.0]],
        lambda x, y: numbers(grad(pair, 1)(x, y)), [[3.0]],
        lambda x, y: numbers(grad(pair, (1, 0))(x, y)), [[3.0], [4.0]],
        lambda x, y: numbers(grad(pair, (0, 1))(x, y)), [[4.0], [3.0]],
    ),
    "paused or not": (
        lambda x, y: numbers(grad(lambda x: hidden(lambda: x * x) * x)(x)), [[9.0]],
        lambda x, y: numbers(grad(lambda x: (x * x) * x)(x)), [[27.0]],
        lambda x, y: numbers(grad(lambda x: hidden(lambda: (x * x) * x))(x)), [[0.0]],
    ),
    "stopped or not": (
        lambda x, y: numbers(grad(lambda x: stop_gradient(x) * x)(x)), [[3.0]],
        lambda x, y: numbers(grad(lambda x: x * 1.0 * x)(x)), [[6.0]],
    ),
    "which output": (
        lambda x, y: numbers(grad(lambda x: squares(x)[0])(x)), [[6.0]],
        lambda x, y: numbers(grad(lambda x: squares(x)[1])(x)), [[108.0]],
        lambda x, y: numbers(grad(squares)(x)), [[114.0]],
        lambda x, y: numbers(grad(lambda x: squares(x)[::-1])(x)), [[114.0]],
        lambda x, y: numbers(grad(lambda x: (*squares(x), x))(x)), [[115.0]],
        lambda x, y: numbers(grad(squares, has_aux=True)(x)), [[6.0], [81.0]],
    ),
    "before or within": (
        lambda x, y: numbers((lambda h: grad(lambda x: x * h)(x))(x * x)), [[9.0]],
        lambda x, y: numbers(grad(lambda x: x * (x * x))(x)), [[27.0]],
    ),
    "which cotangent": (
        lambda x, y: numbers(seeded(lambda x: x * x)(x, y)), [[24.0]],
        lambda x, y: numbers(seeded(lambda x: x * x)(x, x)), [[18.0]],
        lambda x, y: numbers(seeded(lambda x: x * x)(x, Tensor([5.0]))), [[30.0]],
        lambda x, y: numbers(seeded(lambda x: x * x)(x, Tensor([6.0]))), [[36.0]],
        lambda x, y: numbers(seeded(lambda x: x)(x, y)), [[4.0]],
        lambda x, y: numbers(seeded(lambda x: x)(x, y * 2)), [[8.0]],
        lambda x, y: numbers(seeded(lambda x: (x, x))(x, (y, x))), [[7.0]],
    ),
    "a number read on the way": (
        lambda x, y: numbers(grad(lambda x: read(x * x) * x)(x)), [[27.0]],
        lambda x, y: numbers(grad(lambda x: (x * x) * x)(x)), [[27.0]],
        lambda x, y: numbers(grad(lambda x: read(x * x * x))(x)), [[27.0]],
    ),
}  # fmt: skip


def hidden(function):
    with paused():
        return function()


def squares(x):
    y = x * x
    return y, y * y


def seeded(function):
    return GradOperation(sens_param=True)(function)


def read(tensor):
    tensor.asnumpy()
    return tensor


@pytest.mark.parametrize("name", WALKS)
def test_alike_traces_keep_their_own_walks(name):
    row = WALKS[name]
    cases = list(zip(row[::2], row[1::2], strict=True))
    order = [*cases, *reversed(cases), *cases]
    for case, expected in order:
        run_pending()
        assert case(Tensor([3.0]), Tensor([4.0])) == expected
    x, y = Tensor([3.0]), Tensor([4.0])
    for case, expected in order:  # the same tensors, nothing run in between but by the reading
        assert case(x, y) == expected


def test_many_gradients_in_one_trace():
    x, total = Tensor([1.0]), Tensor([0.0])
    for i in range(20):
        times = GradOperation()(lambda x, k=float(i): x * k)
        total = total + grad(lambda x: x * x * 1.5)(x) + times(x)
    assert total.asnumpy().tolist() == [20 * 3.0 + sum(range(20))]


def test_values_kept_from_an_earlier_derivative():
    kept, x = [], Tensor([3.0])

    def keeping(x):
        kept.append(x * x)
        return kept[-1] * x

    for _ in range(4):
        assert numbers(grad(keeping)(x)) == [[27.0]]
        assert numbers(grad(lambda x: kept[-1] * x)(x)) == [[9.0]]


class Dual:
    """A number with its derivatives by each variable: the reference of the test below."""

    def __init__(self, value, slopes):
        self.value, self.slopes = value, slopes

    def combine(self, other, sign):
        if sign:
            return Dual(self.value + sign * other.value, self.slopes + sign * other.slopes)
        slopes = self.slopes * other.value + other.slopes * self.value
        return Dual(self.value * other.value, slopes)

    def stopped(self):
        return Dual(self.value, 0 * self.slopes)


def random_program(rng):
    """Steps (kind, operand, operand, treatment), outputs, and inputs to differentiate by."""
    steps = []
    for i in range(rng.randint(1, 4)):
        treatment = rng.choice(["plain", "plain", "plain", "stop", "pause", "read"])
        steps.append((rng.choice("*+-"), rng.randrange(i + 4), rng.randrange(i + 4), treatment))
    outputs = rng.sample(range(3, len(steps) + 4), rng.randint(1, 2))
    requested = rng.sample(range(3), rng.randint(1, 3))
    return steps, outputs, requested


def run_tensors(steps, inputs):
    """Values: three arguments, a constant, and one for each step."""
    built = [*inputs, Tensor(np.float32(0.5))]
    for kind, i, j, treatment in steps:
        a, b = built[i], built[j]
        go = {"*": lambda a=a, b=b: a * b, "+": lambda a=a, b=b: a + b, "-": lambda a=a, b=b: a - b}
        out = hidden(go[kind]) if treatment == "pause" else go[kind]()
        out = stop_gradient(out) if treatment == "stop" else out
        built.append(read(out) if treatment == "read" else out)
    return built


def run_duals(steps, values, argnums, aliased):
    built = []
    for k, value in enumerate([*values, 0.5]):
        slopes = np.array([float(k == a) for a in argnums])
        built.append(Dual(values[0] if k == 1 and aliased else value, slopes))
    for kind, i, j, treatment in steps:
        out = built[i].combine(built[j], {"*": 0, "+": 1, "-": -1}[kind])
        built.append(out.stopped() if treatment in ("stop", "pause") else out)
    return built


@pytest.mark.parametrize("cap", [10_000, 7, 3])
def test_random_programs_against_dual_numbers(cap, monkeypatch):
    """Short programs, so that traces coincide often while what is meant by them differs; `cap`:
    after how many operations a trace is cut, wherever that is."""
    monkeypatch.setattr(trace_tree, "CAP", cap)
    monkeypatch.setattr(
        trace_tree, "CUTS", ((min(cap, trace_tree.CUTS[0][0]), 4), *trace_tree.CUTS[1:])
    )
    trace_tree.forest.clear()  # what has been recorded once is not looked at for a cut again
    read(Tensor([1.0]) + 1.0)
    rng = random.Random(0)
    tensors = [Tensor(np.float32(v)) for v in (1.5, -0.75, 2.25)]
    values = [1.5, -0.75, 2.25]
    programs = [random_program(rng) for _ in range(120)]
    for n in range(240 if cap == 10_000 else 25):
        steps, outputs, argnums = rng.choice(programs)
        aliased = rng.random() < 0.3
        inputs = [tensors[0], tensors[0], tensors[2]] if aliased else tensors
        if rng.random() < 0.3:
            run_pending()

        def function(*xs, steps=steps, outputs=outputs):
            built = run_tensors(steps, xs)
            return tuple(built[i] for i in outputs)

        value, result = value_and_grad(function, tuple(argnums))(*inputs)
        result = result if isinstance(result, tuple) else (result,)
        duals = run_duals(steps, values, argnums, aliased)
        note = f"{n}: {steps} -> {outputs} by {argnums}, {'aliased' if aliased else ''}"
        expected = sum(duals[i].slopes for i in outputs)
        got = [float(g) for g in result]
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5, err_msg=note)
        np.testing.assert_allclose(
            [float(v) for v in value], [duals[i].value for i in outputs], rtol=1e-5, err_msg=note
        )


def test_a_remembered_walk_is_taken():
    """The second time the same forward pass is differentiated, the backward one is one step."""
    from sporax._src.runtime.engine.recorder import ReplayedPath

    if thread.recorder.immediate:
        pytest.skip("the immediate executor keeps no trace to remember a walk with")
    x, taken = Tensor([3.0]), []
    take = ReplayedPath.take

    def noting(self, recorder):
        taken.append(self)
        return take(self, recorder)

    ReplayedPath.take = noting
    try:
        for _ in range(3):
            run_pending()
            assert numbers(grad(lambda x: x * x * x - x * 7.0)(x)) == [[20.0]]
    finally:
        ReplayedPath.take = take
    assert len(taken) >= 2


def test_what_is_half_precision_stays_so():
    x = Tensor([3.0], dtypes.float16)
    result = grad(lambda x: x.astype(dtypes.float32) * 2.0)(x)
    assert result.dtype == dtypes.float16
    assert result.asnumpy().tolist() == [2.0]


@pytest.mark.parametrize("arguments", [(), (Tensor([2.0]),)], ids=["plain", "sens_param"])
def test_a_function_without_inputs_has_no_gradients(arguments):
    """As in MindSpore: the gradients of all inputs, and of the first, are an empty tuple."""
    p = Parameter(Tensor([3.0]), "p")
    sens = {"sens_param": bool(arguments)}
    assert GradOperation(**sens)(lambda: p * p)(*arguments) == ()
    assert GradOperation(get_all=True, **sens)(lambda: p * p)(*arguments) == ()
    by_weight = GradOperation(get_by_list=True, **sens)(lambda: p * p, [p])(*arguments)
    assert numbers(by_weight) == [[12.0 if arguments else 6.0]]


# what MindSpore 2.10 gives: BERT's training cell has a loss of shape (1,), and a scalar for `sens`
SENS = [Tensor(1024.0), Tensor([1024.0]), Tensor([[1024.0]]), 1024.0]


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2,)])
def test_graphs_broadcast_a_gradient_of_one_element(shape):
    def function(x):
        return (x * x).sum().reshape(shape) if shape != (2,) else x * x

    derivative, x = seeded(function), Tensor([1.0, 2.0])
    for sens in SENS:
        assert jit(derivative)(x, sens).tolist() == [2048.0, 4096.0]
        if getattr(sens, "shape", shape) == shape or shape == ():
            assert derivative(x, sens).tolist() == [2048.0, 4096.0]
        else:
            with pytest.raises(ValueError, match="'sens' must have the shape of output 0"):
                derivative(x, sens)
    with pytest.raises(ValueError, match="'sens' must have the shape of output 0"):
        jit(derivative)(x, Tensor([1.0, 2.0, 3.0]))


def test_graph_mode_broadcasts_a_gradient_of_one_element():
    set_context(mode=GRAPH_MODE)
    try:
        derivative = seeded(lambda x: (x * x).sum().reshape((1,)))(Tensor([1.0, 2.0]), Tensor(3.0))
    finally:
        set_context(mode=PYNATIVE_MODE)
    assert derivative.tolist() == [6.0, 12.0]


def test_a_function_that_returns_none():
    """Zeros, as MindSpore's, and a warning."""
    w, x = Parameter(Tensor([2.0])), Tensor([1.0])

    def forward(x):
        w * x

    for do in (lambda f: f, jit):
        with pytest.warns(RuntimeWarning, match="'value_and_grad', the function returns None"):
            value, (at_x, (at_w,)) = do(lambda x: value_and_grad(forward, 0, [w])(x))(x)
        assert value is None and at_x.asnumpy() == at_w.asnumpy() == [0]


def test_second_order_leaves_out_zero_cotangents():
    """With respect to x, the gradient of sum(tanh(x w)), (1 - tanh(x w)^2) w', depends on x only
    through tanh: its derivative has a product with w each for the cotangent and for tanh's part."""
    x, w = Tensor(np.ones((4, 3), np.float32)), Parameter(Tensor(np.ones((3, 3), np.float32)))

    def total(x):
        return ops.tanh(ops.matmul(x, w)).sum()

    def penalty(x):
        return (grad(total)(x) ** 2).sum()

    compiled = jit(grad(penalty)).graph(x)
    lines = [line for line in str(compiled).splitlines() if "MatMul" in line.partition("=")[2]]
    assert len(lines) == 4  # forward, its gradient, and the derivatives of both
    assert all(line.count("Float32") == 1 for line in lines)  # one result each
