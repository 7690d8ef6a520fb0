"""Transformations of transformations: what each pair and triple gives, and that it compiles once.

A row is a function of the table around others, on one function of floats of 64 bits. Each says what
it makes of the function (what the derivatives taken around it see: the function, its first
derivative, its second, ...), so that the numbers that are expected follow from polynomials.
"""

import itertools

import numpy as np
import pytest
import scipy.special
from numpy.polynomial import Polynomial

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import context, random
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.runtime.engine.program import compilations
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.transforms.autodiff.grad import GradOperation, grad, value_and_grad
from sporax._src.transforms.autodiff.jacobian import jacfwd, jacrev, jvp, vjp
from sporax._src.transforms.autodiff.no_grad import no_grad, stop_gradient
from sporax._src.transforms.autodiff.remat import recompute
from sporax._src.transforms.batching.vmap import vmap
from sporax.nn.cell import Cell

pytestmark = pytest.mark.usefixtures("on_numpy")

CUBIC = Polynomial([0.5, -1.0, 2.0, 0.25, -0.5, 0.125])
POINTS = np.array([-1.5, 0.25, 2.0]).reshape(3, 1, 1, 1)  # for three times `vmap`


def tensor(numbers):
    return Tensor(np.array(numbers))


class Subject:
    """The polynomial, which counts how often it is computed, and what was captured around it."""

    def __init__(self, captured=True):
        self.calls = Parameter(Tensor(np.zeros((), np.int64)), name="calls", requires_grad=False)
        self.captured, self.captured_functions = captured, []

    def __call__(self, x):
        self.calls.set_data(self.calls + 1)
        y = x * CUBIC.coef[-1]
        for c in CUBIC.coef[-2:0:-1]:
            y = (y + c) * x
        return y + CUBIC.coef[0]

    def jit(self, function, **options):
        if not self.captured:
            return function
        self.captured_functions.append(jit(function, **options))
        return self.captured_functions[-1]


class Wrapped(Cell):
    """A function as a Cell."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, x):
        return self.function(x)


class Twofold(Wrapped):
    """The derivative that its bprop gives is twice the right one."""

    def bprop(self, x, out, dout):
        return (2.0 * grad(self.function)(x) * dout,)


def graph_mode(subject, function):
    cell = Wrapped(function)
    if not subject.captured:
        return cell
    subject.captured_functions.append(cell._graph_mode_call())

    def run(x):
        context.set_context(mode=context.GRAPH_MODE)
        try:
            return cell(x)
        finally:
            context.set_context(mode=context.PYNATIVE_MODE)

    return run


def hooked(function):
    cell = Wrapped(function)
    cell.register_backward_pre_hook(lambda cell, arriving: (2.0 * arriving[0],))
    return cell


def tensor_hook(function):
    def run(x):
        y = function(x) * 1.0
        y.register_hook(lambda g: 2.0 * g)
        return y

    return run


def weights(number):
    """A Parameter for each shape that `vmap` leaves."""
    shapes = [POINTS.shape[i:] for i in range(4)]
    return {shape: Parameter(tensor(np.full(shape, number)), name="weight") for shape in shapes}


def by_weight(function):
    weight = weights(1.0)
    return lambda x: grad(lambda x: function(x) * weight[x.shape], None, weight[x.shape])(x)


def by_both(function):
    """The derivatives by an argument and by a weight inside, with identifiers and an aux output."""
    every = weights(2.0)

    def run(x):
        weight = every[x.shape]
        result = value_and_grad(
            lambda k, x: (function(x) * weight, k), 1, [weight], has_aux=True, return_ids=True
        )
        (value, three), ((place, by_x), ((name, by_w),)) = result(3, x)
        assert (place, name, three) == (1, "weight", 3)
        return value + by_x + by_w

    return run


def without_gradient(function):
    def run(x):
        with no_grad():
            held = function(x)
        return function(x) + held

    return run


def of_value(function):
    def run(x):
        value, gradient = value_and_grad(function)(x)
        return value + gradient

    return run


def backwards(function):
    def run(x):
        value, pull = vjp(function, x)
        return value + pull(ops.ones_like(x) * 2.0)[0]

    return run


def forwards(function):
    def run(x):
        value, tangent = jvp(function, x, ops.ones_like(x) * 2.0)
        return value + tangent

    return run


def diagonal(jacobian):
    """The rest of a Jacobian is zero; there are as many axes of outputs as of inputs."""
    return jacobian.sum(tuple(range(jacobian.ndim // 2))) if jacobian.ndim else jacobian


def mapped(kind):
    return lambda function: lambda x: sum(kind()(function, (x, x)))


def lazily(function):
    """A Parameter made at the first call."""
    built = []

    def run(x):
        if not built:
            built.append(Parameter(tensor(2.0), name="late"))
        return function(x) * built[0]

    return run


def same(d):
    return d


def derived(d):
    return d[1:]


def added(*factors):
    """The sum of a function and its derivative, each times a factor."""
    return lambda d: [factors[0] * a + factors[1] * b for a, b in itertools.pairwise(d)]


def behind(factor):
    """What is seen by derivatives is so many times what it is."""
    return lambda d: [d[0], *[factor * p for p in d[1:]]]


# name -> (what is made of a function, what is made of it and its derivatives)
TRANSFORMATIONS = {
    "jit": (lambda s, f: s.jit(f), same),
    "fullgraph": (lambda s, f: s.jit(f, fullgraph=True), same),
    "graph mode": (graph_mode, same),
    "grad": (lambda s, f: grad(f), derived),
    "value_and_grad": (lambda s, f: of_value(f), added(1, 1)),
    "weight": (lambda s, f: by_weight(f), same),
    "both": (lambda s, f: by_both(f), lambda d: [3 * a + 2 * b for a, b in itertools.pairwise(d)]),
    "GradOperation": (
        lambda s, f: lambda x: GradOperation(sens_param=True)(f)(x, ops.ones_like(x) * 3.0),
        lambda d: [3 * p for p in d[1:]],
    ),
    "vjp": (lambda s, f: backwards(f), added(1, 2)),
    "jvp": (lambda s, f: forwards(f), added(1, 2)),
    "jacfwd": (lambda s, f: lambda x: diagonal(jacfwd(f)(x)), derived),
    "jacrev": (lambda s, f: lambda x: diagonal(jacrev(f)(x)), derived),
    "vmap": (lambda s, f: vmap(f), same),
    "recompute": (lambda s, f: lambda x: recompute(f, x), same),
    "bprop": (lambda s, f: Twofold(f), behind(2)),
    "HookBackward": (
        lambda s, f: lambda x: ops.HookBackward(lambda g: (2.0 * g[0],))(f(x)), behind(2)
    ),
    "Tensor hook": (lambda s, f: tensor_hook(f), behind(2)),
    "Cell hook": (lambda s, f: hooked(f), behind(2)),
    "no_grad": (lambda s, f: without_gradient(f), lambda d: [2 * d[0], *d[1:]]),
    "stop_gradient": (
        lambda s, f: lambda x: f(x) + stop_gradient(f(x)), lambda d: [2 * d[0], *d[1:]]
    ),
    "Map": (lambda s, f: mapped(ops.Map)(f), lambda d: [2 * p for p in d]),
    "HyperMap": (lambda s, f: mapped(ops.HyperMap)(f), lambda d: [2 * p for p in d]),
    "late Parameter": (lambda s, f: lazily(f), lambda d: [2 * p for p in d]),
}  # fmt: skip
CAPTURING = {"jit", "fullgraph", "graph mode"}
PAIRS = [t for t in itertools.product(TRANSFORMATIONS, repeat=2) if CAPTURING & {*t}]
OTHERS = [t for t in itertools.product(TRANSFORMATIONS, repeat=2) if not CAPTURING & {*t}]
TRIPLES = [t for t in itertools.product(TRANSFORMATIONS, repeat=3) if "jit" in t]


def composed(names, captured=True):
    subject = function = Subject(captured)
    for name in reversed(names):
        function = TRANSFORMATIONS[name][0](subject, function)
    return subject, function


def expected(names):
    derivatives = [CUBIC.deriv(i) if i else CUBIC for i in range(5)]
    for name in reversed(names):
        derivatives = TRANSFORMATIONS[name][1](derivatives)
    return derivatives[0](POINTS)


def check(names):
    if forest.weight > forest.LIMIT / 2:
        forest.clear()  # not between two calls
    (subject, function), (plain, copied) = composed(names), composed(names, captured=False)
    at, reference = tensor(POINTS), expected(names)
    for call in range(3):
        captures, programs = (
            sum(f.captures for f in subject.captured_functions),
            compilations["programs"],
        )
        np.testing.assert_allclose(function(at).asnumpy(), reference, rtol=1e-12, atol=1e-12)
        if call == 2:
            assert sum(f.captures for f in subject.captured_functions) == captures
            assert compilations["programs"] == programs
            np.testing.assert_allclose(copied(at).asnumpy(), reference, rtol=1e-12, atol=1e-12)
    assert int(subject.calls) == 3 * int(plain.calls)


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_pairs(names):
    check(names)


@pytest.mark.slow
@pytest.mark.parametrize("names", OTHERS + TRIPLES, ids="-".join)
def test_the_rest(names):
    check(names)


# networks that are trained ------------------------------------------------------------------------


class Network(Cell):
    """A layer, a BatchNorm, a Dropout: weights, buffers and random state."""

    def __init__(self):
        super().__init__()
        self.dense, self.norm = nn.Dense(4, 3), nn.BatchNorm1d(3)
        self.dropout, self.last = nn.Dropout(p=0.5), nn.Dense(3, 1)

    def construct(self, x):
        return self.last(self.dropout(self.norm(self.dense(x))))


def by_train_one_step(net, optimizer):
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)


def by_value_and_grad(net, optimizer):
    gradient = value_and_grad(nn.WithLossCell(net, nn.MSELoss()), None, optimizer.parameters)

    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    return step


def by_operation(net, optimizer):
    loss = nn.WithLossCell(net, nn.MSELoss())
    gradient = GradOperation(get_by_list=True)(loss, optimizer.parameters)

    def step(x, y):
        optimizer(gradient(x, y))
        return loss(x, y)

    return step


def by_captured_gradient(net, optimizer):
    gradient = jit(value_and_grad(nn.WithLossCell(net, nn.MSELoss()), None, optimizer.parameters))

    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    return step


def by_recomputed(net, optimizer):
    net.dense.recompute()
    net.dropout.recompute()
    return by_value_and_grad(net, optimizer)


def in_graph_mode(step):
    def run(x, y):
        context.set_context(mode=context.GRAPH_MODE)
        try:
            return step(x, y)
        finally:
            context.set_context(mode=context.PYNATIVE_MODE)

    return run


STEPS = [by_train_one_step, by_value_and_grad, by_operation, by_captured_gradient, by_recomputed]
WRAPS = {
    "jit": jit,
    "fullgraph": lambda f: jit(f, fullgraph=True),
    "jit in jit": lambda f: jit(lambda x, y: jit(f)(x, y) * 1.0),
    "graph mode": in_graph_mode,
}


TRAINED = [(make, name) for make in STEPS for name in ("jit", "graph mode")]
TRAINED += [(by_train_one_step, "fullgraph"), (by_value_and_grad, "jit in jit")]


@pytest.mark.parametrize("make, name", TRAINED, ids=lambda x: getattr(x, "__name__", x))
def test_training(make, name):
    x = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)

    def trained(wrap):
        random.set_seed(0)
        net = Network().set_train()
        optimizer = nn.Adam(net.trainable_params(), 0.01)
        step, losses = wrap(make(net, optimizer)), []
        for _ in range(4):
            programs = compilations["programs"]
            losses.append(float(step(Tensor(x), Tensor(x[:, :1]))))
        state = random.get_rng_state().asnumpy()
        numbers = [p.asnumpy() for p in (*net.get_parameters(), *optimizer.get_parameters())]
        return losses, numbers, state, compilations["programs"] - programs

    (losses, numbers, state, programs), reference = trained(WRAPS[name]), trained(lambda f: f)
    assert programs == 0
    np.testing.assert_allclose(losses, reference[0], rtol=1e-6)
    for a, b in zip(numbers, reference[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(state, reference[2])


# constants inside of functions that are recorded as one operation ------------------------------


def in_block(x):
    with no_grad():
        y = x * 2
    return y * x


def in_branch(x):
    if x.sum() > 0:
        y = stop_gradient(x * 2) * x
    else:
        y = x
    return y


def in_loop(x):
    y = x * 1
    for _ in range(3):
        if y.sum() > 100:
            break
        y = y + stop_gradient(y)
    return y


# name -> (a function in which something is taken as constant, its derivative)
CONSTANT_PARTS = {
    "stop_gradient": (lambda x: stop_gradient(x * 2) * x, lambda x: 2 * x),
    "no_grad": (in_block, lambda x: 2 * x),
    "branch": (in_branch, lambda x: 2 * x),
    "loop": (in_loop, lambda x: x**0),
    "an operation without derivative": (
        lambda x: ops.zeta(x + 2, ops.ones_like(x)) * x, lambda x: scipy.special.zeta(x + 2, 1)
    ),
}  # fmt: skip
RECORDED = {
    "recompute": lambda f: grad(lambda x: recompute(f, x).sum()),
    "recompute, jit": lambda f: jit(grad(lambda x: recompute(f, x).sum())),
    "grad of vmap": lambda f: grad(lambda x: vmap(f)(x).sum()),
    "vmap of grad": lambda f: vmap(grad(lambda x: f(x).sum())),
    "vmap of recompute": lambda f: grad(lambda x: vmap(lambda x: recompute(f, x))(x).sum()),
}


@pytest.mark.parametrize("transform", RECORDED)
@pytest.mark.parametrize("name", CONSTANT_PARTS)
def test_what_is_taken_as_constant_has_no_derivative(name, transform):
    function, slope = CONSTANT_PARTS[name]
    x = np.array([[1.0, 2.0], [0.5, 3.0]], np.float32)
    np.testing.assert_allclose(RECORDED[transform](function)(Tensor(x)).asnumpy(), slope(x), 1e-5)


@pytest.mark.parametrize("transform", [lambda f: f, jit])
def test_products_at_places_in_a_block_that_is_recomputed(transform):
    x, y = Tensor([2.0, 3.0, 5.0]), Tensor([0.5, 4.0, 7.0])

    def block(x, y):
        return ops.tensor_scatter_mul(x, Tensor([[0], [0], [2]]), y)

    slopes = transform(grad(lambda x, y: recompute(block, x, y).sum(), (0, 1)))(x, y)
    np.testing.assert_allclose(slopes[0].asnumpy(), [2, 1, 7])
    np.testing.assert_allclose(slopes[1].asnumpy(), [8, 1, 5])
