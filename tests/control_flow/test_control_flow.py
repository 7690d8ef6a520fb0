"""Branches and loops on Tensors in captured functions: the numbers of dynamic code, one graph."""

import warnings

import numpy as np
import pytest

import sporax
from sporax import Parameter, Tensor, grad, jit, nn, ops, recompute, value_and_grad, vmap
from sporax._src.core import context
from tests.comparison import assert_same, tensor

pytestmark = pytest.mark.usefixtures("on_numpy")


def early_return(x):
    y = x * 2
    if y.sum() > 0:
        return y + 1
    if y.sum() < -10:
        z = y * 3
        return z + x
    return y - 1


def one_branch(x):
    y = x
    if x.sum() > 0:
        y = x * 3
    return y + x


def nested(x, n):
    if x.sum() > 0:
        scale = 2
        if n > 3:
            scale = 5
        y = x * scale
    else:
        y = -x
        while y.sum() < n:
            y = y * 2
    return y


def counted(x, n):
    i = 0
    while i < n:
        x = x * 2 + i
        i += 1
    return x, i


def summed(x, n):
    total, i = 0.0, 0
    while i < n and total < 100:
        x = x * 2
        if x.sum() > 10:
            part = x / 2
            total = total + part.sum()
        else:
            total = total - 1
        i += 1
    return x, total


def left(x, n):
    i = 0
    while i < 10:
        i = i + 1
        if x.sum() > n:
            break
        if i == 3:
            continue
        x = x * 2
    return x, i


def over_range(x, n):
    total = x * 0
    for i in range(n):
        total = total + x * i
    return total


def down_a_range(x, n):
    for i in range(n, 0, -2):
        if x.sum() > 50:
            continue
        for k in range(3):
            x = x + i + k
    return x


def a_choice(x):
    return (x if not x.sum() > 0 else -x) + 1


def in_a_row(x, n):
    if n > 2 and not (x.sum() > 0 or x.sum() < -5):
        return x * n
    return x - n


def read_by_a_function(x):
    def result():
        return y

    if x.sum() > 0:
        y = x
    else:
        y = x * -2
    return result()


def in_place(x, n):
    x = x * 1
    i = 0
    while i < n:
        x.add_(i)
        i += 1
    return x


def of_structures(x):
    if x.sum() > 0:
        pair, name = (x, {"a": x + 1}), "same"
    else:
        pair, name = (-x, {"a": x - 1}), "same"
    return pair[0] + pair[1]["a"], name


def swapped(x):
    a, b = x, x * 2
    if x.sum() > 0:
        a, b = b, a
        for part in [a * i for i in range(3)]:
            b = b + part
    else:
        (a, b), c = (a + 1, b), 1
        a = a * c
    return a - b


def loops_in_loops(x, n):
    i, total = 0, x * 0
    while i < n:
        j = 0
        while j < i:
            total = total + x * (i - j)
            j += 1
        i += 1
    return total


def largest(x):
    best, where = x[0], 0
    for i in range(1, 4):
        if x[i] > best:
            best, where = x[i], i
    return best, where


def until(x):
    done = False
    while not done:
        x = x + 1
        done = x.sum() > 5
    return x


def read_by_a_lambda(x):
    k = 1
    times = lambda y: y * k  # noqa: E731
    if x.sum() > 0:
        k = 2
    return times(x)


def plain_values(x, flag=True, n=2):
    if flag and n:
        for i in range(n):
            x = x + i
    if x.sum() > 0:
        x = x / 2
    return x


def item_set(x, n):
    x = x * 1
    if x.sum() > 0:
        x[0] = n
    x[1] += 2
    return x


def count(n):
    return Tensor(n, sporax.int32)


# A function, and the arguments of calls that take other ways through it.
WAYS = [
    (early_return, [(tensor(1, 2),), (tensor(-1, 0),), (tensor(-20, 1),)]),
    (one_branch, [(tensor(1, 2),), (tensor(-1, 0),)]),
    (nested, [(tensor(1), count(2)), (tensor(1), count(7)), (tensor(-1), count(9))]),
    (counted, [(tensor(1, 2), count(3)), (tensor(1, 2), count(0)), (tensor(2, 2), count(11))]),
    (summed, [(tensor(1, 1), count(3)), (tensor(1, -1), count(6)), (tensor(3, 1), count(50))]),
    (left, [(tensor(1), count(5)), (tensor(1), count(100)), (tensor(0), count(5))]),
    (over_range, [(tensor(1, 2), count(3)), (tensor(1, -1), count(6)), (tensor(1, 2), count(0))]),
    (down_a_range, [(tensor(1), count(3)), (tensor(-1), count(8))]),
    (a_choice, [(tensor(1),), (tensor(-1),)]),
    (in_a_row, [(tensor(x), count(n)) for x in (1, -1, -9) for n in (1, 5)]),
    (read_by_a_function, [(tensor(1),), (tensor(-1),)]),
    (in_place, [(tensor(1, 2), count(3)), (tensor(1, 2), count(5))]),
    (of_structures, [(tensor(1, 2),), (tensor(-1, -2),)]),
    (item_set, [(tensor(1, 2), count(3)), (tensor(-1, -2), count(4))]),
    (swapped, [(tensor(1, 2),), (tensor(-1, -2),)]),
    (loops_in_loops, [(tensor(1, 2), count(n)) for n in (3, 5, 0)]),
    (largest, [(tensor(1, 2, 9, 3),), (tensor(5, 2, 4, 4),), (tensor(0, 1, 2, 3),)]),
    (until, [(tensor(1, 2),), (tensor(-9, 3),), (tensor(6, 6),)]),
    (read_by_a_lambda, [(tensor(1, 2),), (tensor(-9, 3),)]),
    (plain_values, [(tensor(1, 2),), (tensor(-9, -2),)]),
]


@pytest.mark.parametrize(("function", "calls"), WAYS, ids=lambda x: getattr(x, "__name__", ""))
def test_all_ways_in_one_graph(function, calls):
    captured = jit(function)
    captured(*calls[0])  # finds out that a number is needed
    for args in [*calls, *calls]:
        assert_same(captured(*args), function(*args))
    assert not captured.dynamic
    assert captured.captures == 2


def test_the_first_call_runs_python_once_and_code_is_put_back():
    calls = []

    @jit
    def step(x):
        calls.append(1)
        if x.sum() > 0:
            return x + 1
        return x - 1

    before = step.fn.__code__
    assert step(tensor(1)).asnumpy() == 2
    assert len(calls) == 1
    assert step(tensor(-1)).asnumpy() == -2
    assert len(calls) == 2
    assert step.fn.__code__ is before


def test_functions_without_such_conditions_are_not_converted():
    captured = jit(lambda x, n=3: x * 2 if n else x)
    captured(tensor(1))
    assert not captured.conversions.functions
    assert captured.captures == 1


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(tensor(2, 3), name="weight")
        self.steps = Parameter(Tensor(0, sporax.int32), name="steps", requires_grad=False)

    def construct(self, x):
        y = x * self.weight
        if y.sum() > 0:
            self.steps += 1
            y = y * self.weight
        return y.sum()


def test_a_cell_in_graph_mode_writes_what_its_branch_writes():
    net = Net()
    context.set_context(mode=context.GRAPH_MODE)
    try:
        result = [float(net(x)) for x in (tensor(1, 1), tensor(-1, -1), tensor(1, 0))]
    finally:
        context.set_context(mode=context.PYNATIVE_MODE)
    assert result == [13, -5, 4]
    assert int(net.steps) == 2
    assert net._captured_call.captures == 2


def test_a_training_step_with_a_branch():
    def step_of(net):
        gradient = value_and_grad(net, None, [net.weight])

        def step(x):
            loss, (g,) = gradient(x)
            net.weight.set_data(net.weight - g * 0.1)
            return loss

        return step

    one, other = Net(), Net()
    dynamic, captured = step_of(one), jit(step_of(other))
    for x in tensor(1, 1), tensor(-1, 2), tensor(-3, -1), tensor(1, 0):
        np.testing.assert_allclose(float(captured(x)), float(dynamic(x)), rtol=1e-6)
        np.testing.assert_allclose(other.weight.asnumpy(), one.weight.asnumpy(), rtol=1e-6)
    assert int(one.steps) == int(other.steps)
    assert not captured.dynamic


def test_only_the_branch_that_is_taken_draws():
    def draw(x):
        if x.sum() > 0:
            x = x + ops.standard_normal((2,))
        return x + ops.standard_normal((2,))

    captured = jit(draw)
    captured(tensor(1, 1))
    for sign in 1, -1, 1:
        sporax.set_seed(3)
        expected = [draw(tensor(sign, sign)).asnumpy() for _ in range(2)]
        sporax.set_seed(3)
        result = [captured(tensor(sign, sign)).asnumpy() for _ in range(2)]
        np.testing.assert_allclose(result, expected, rtol=1e-6)


def absolute(x):
    return x if x > 0 else -x


def test_a_condition_in_a_function_that_a_branch_calls():
    def outer(x):
        if x < 10:
            x = absolute(x) * 2
        return x

    captured = jit(outer)
    for x in (1, -3, 20, -1, 11):
        assert_same([captured(Tensor(float(x)))], [outer(Tensor(float(x)))])
    assert not captured.dynamic


def test_conditions_in_vmap_and_recompute():
    xs = tensor(1, -3, 20)
    for _ in range(2):
        np.testing.assert_array_equal(vmap(absolute)(xs).asnumpy(), [1, 3, 20])
        np.testing.assert_array_equal(vmap(grad(absolute))(xs).asnumpy(), [1, -1, 1])
        slope = grad(lambda x: recompute(absolute, x) * x)(Tensor(-3.0))
        assert slope.asnumpy() == 6


# what cannot be an operation runs dynamically ---------------------------------------------------


def of_shapes(x):
    y = x[:1]
    if x.sum() > 0:
        y = x
    return y


def of_dtypes(x):
    if x.sum() > 0:
        return x.astype(sporax.int32)
    return x


def of_containers(x):
    if x.sum() > 0:
        return x, x
    return [x]


def raising(x):
    if x.sum() > 100:
        raise ValueError("too much")
    return x


seen = []


def with_effects(x):
    if x.sum() > 0:
        seen.append(x)
    return x * 2


class Box:
    pass


def with_attributes(x):
    if x.sum() > 4:
        Box.last = x
        x = x + 1
    return x


def growing(x):
    while x.sum() < 9:
        x = ops.concat([x, x])
    return x


def rounding(x):
    rate = 0.1
    while x.sum() < 9:
        rate = rate * 0.5
        x = x + rate + 1
    return x


@pytest.mark.parametrize(
    "function",
    [
        of_shapes,
        of_dtypes,
        of_containers,
        raising,
        with_effects,
        with_attributes,
        growing,
        rounding,
    ],
)
def test_what_is_no_operation_runs_dynamically_with_a_warning(function):
    captured = jit(function)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for x in tensor(1, 2), tensor(3, 4), tensor(1, 2):
            assert_same(captured(x), function(x))
    assert captured.dynamic
    assert len([w for w in caught if "needs a number" in str(w.message)]) == 1
    assert not seen or len(seen) == 6  # nothing twice


def test_an_error_in_a_branch_is_raised_where_that_is_taken_only():
    captured = jit(raising)
    captured(tensor(1))
    with pytest.warns(RuntimeWarning, match="too much"):
        captured(tensor(1))
    with pytest.raises(ValueError, match="too much"):
        captured(tensor(200))


# loops over functions -----------------------------------------------------------------------


def test_while_loop_of_ops_is_one_operation():
    weight = Parameter(tensor(1, 1), name="w")

    def turn(pair):
        weight.set_data(weight + 1)
        return pair[0] * weight, pair[1] + 1

    def run(x):
        return ops.WhileLoop()(lambda pair: pair[0].sum() < 50, turn, (x, 0))

    captured = jit(run)
    for x in tensor(1, 2), tensor(60, 1), tensor(3, 0):
        weight.set_data(tensor(1, 1))
        expected, after = run(x), weight.asnumpy()
        weight.set_data(tensor(1, 1))
        assert_same(captured(x), expected)
        np.testing.assert_array_equal(weight.asnumpy(), after)
    assert captured.captures == 1
    assert not captured.dynamic


def test_fori_loop_between_tensors_is_one_operation():
    captured = jit(lambda x, a, b: ops.ForiLoop()(a, b, lambda i, y: y * x + i, x))
    for a, b in (0, 3), (2, 4), (3, 3):
        expected = x = tensor(2, 3)
        for i in range(a, b):
            expected = expected * x + i
        assert_same(captured(x, count(a), count(b)), expected)
    assert captured.captures == 1


def test_vmap_takes_a_branch_for_each_example():
    def run(x):
        return ops.WhileLoop()(lambda y: y < 10, lambda y: y * 2, x)

    np.testing.assert_array_equal(vmap(run)(tensor(1, 3, 20)).asnumpy(), [16, 12, 20])
    with pytest.raises(RuntimeError, match=r"no known number of turns.*'ops.where'"):
        recompute_gradient = grad(lambda x: recompute(run, x))
        recompute_gradient(tensor(1))


def test_a_while_under_a_derivative_runs_dynamically():
    captured = jit(grad(lambda x: ops.WhileLoop()(lambda y: y < 10, lambda y: y * x, x)))
    with pytest.warns(RuntimeWarning, match="no known number of turns"):
        assert captured(tensor(3)).asnumpy() == 27
    assert captured(tensor(4)).asnumpy() == 8
