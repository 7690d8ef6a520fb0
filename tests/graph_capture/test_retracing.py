"""What changes from call to call of a captured function, and compiles nothing."""

import math

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, jit, nn, ops
from sporax._src.runtime.engine.program import compilations
from sporax._src.runtime.engine.recorder import Recorder

ARRAY = np.array([0.5, 1.0, 2.0, 4.0], np.float32)
X, Y = Tensor(ARRAY), Tensor(ARRAY * 2)

INPUTS = {  # functions of a number that take it as an input, whatever it is
    "operand": lambda x, a: x * a + a,
    "arithmetic": lambda x, a: x * (1 - a) / (2 + abs(-a) * 3) + a**2 + a // 2 + a % 3 + 2.0**-a,
    "reflected": lambda x, a: 1 - a * x + (3 / (a + 1)) * x + (7 % (a + 5)),
    "other types": lambda x, a: x.astype(ms.float16) * (1 - a),
    "integers": lambda x, a: x.astype(ms.int32) * a,
    "gradient": lambda x, a: ms.grad(lambda x: (x * x * a).sum())(x),
    "nested": lambda x, a: jit(lambda x, a: x + a)(x, a * 2),
    "loop of Tensors": lambda x, a: ops.stack([row * a for row in x]),
    "mapped": lambda x, a: ops.vmap(lambda row: row * a)(x),
    "assumed": lambda x, a: x * a if isinstance(a, (int, float)) and a < 10**6 else None,
}
CONCRETE = {  # functions of an int that Python needs, and how many programs 1, 2, 3, 4, 1 take
    "a comparison": (lambda x, n: x * n if n > 2 else x + n, 2),
    "a chain of them": (lambda x, n: x if n <= 1 else x * n if 1 < n < 4 else -x, 3),
    "truth": (lambda x, n: x + n if n - 1 else x * 2, 2),
    "a loop": (lambda x, n: sum((x * i for i in range(n)), x), 4),
    "half of it": (lambda x, n: sum((x * n for _ in range(n // 2)), x), 3),
    "a size": (lambda x, n: ops.ones((n, 4)) * x, 4),
    "an index": (lambda x, n: x[:n].sum() + x[n - 1], 4),
    "an axis": (lambda x, n: ops.softmax(x.reshape(1, 1, 1, 4, 1), n - 1), 4),
    "a list's index": (lambda x, n: x * [5, 6, 7, 8, 9][n], 4),
    "a dict's key": (lambda x, n: x * {1: 3}.get(n, 4), 4),
    "math": (lambda x, n: x * math.sin(n) + math.floor(n / 2), 4),
    "NumPy": (lambda x, n: x * float(np.sqrt(n)) + Tensor(np.arange(4) * n), 4),
    "int of a part": (lambda x, n: x * int(n / 2 + 0.5), 2),
    "text": (lambda x, n: x * len(f"{n:02d}{n}"), 4),
    "a Tensor of it": (lambda x, n: x * Tensor(n, ms.float32), 4),
    "returned": (lambda x, n: (x * n, n + 1, (n,)), 4),
    "compared with others": (lambda x, n: x * 2 if n in (2, 3) else x if n is not None else n, 3),
    "its type": (lambda x, n: x * n if type(n) is int else x, 4),
    "errors": (lambda x, n: x * n if _quotient(n) is None else x, 2),
}  # fmt: skip


class Masked(Tensor):
    """A Tensor of a class of its own."""


def by_name(x, pair, *rest, scale=1.0, **more):
    return x * pair[0] + pair[1][0] * rest[0] + scale * more["shift"]


def arguments(*args, **kwargs):
    return args, kwargs


CALLS = {  # a function, arguments of several calls, and how many programs they take
    "a number beyond 64 bits, and another type": (
        lambda x, n: x * (n % 7), [arguments(X, n) for n in (3, 2**70, 10, 3.5)], 2,
    ),
    "numbers in tuples and by name": (
        by_name,
        [arguments(X, (i, (i + 1,)), i / 2, scale=i * 2.0, shift=i * i) for i in range(1, 6)], 1,
    ),
    "one number twice, or two": (
        lambda x, m, n: x if m is n else -x, [arguments(X, 1, 1), arguments(X, 1, 2)], 2,
    ),
    "one Tensor twice, or two": (
        lambda x, y: x + 10.0 * y, [arguments(X, X), arguments(X, Y), arguments(Y, X)], 2,
    ),
    "an array from the host is a constant": (lambda x: x + Tensor(ARRAY), [arguments(X)] * 2, 1),
    "a mutable index": (lambda x, i: x[i], [arguments(X, ms.mutable(i)) for i in range(3)], 1),
    "mutable numbers in containers": (
        lambda inputs, x: x * inputs["a"][0] + inputs["b"],
        [arguments(ms.mutable({"a": (a, 0), "b": a + 1}), X) for a in (1, 3)], 1,
    ),
    "Tensors in containers": (
        lambda pair, named: pair[0] * named["a"],
        [arguments([t, 1], named={"a": X}) for t in (Y, Y + 1)], 1,
    ),
    "the class of a Tensor": (
        lambda x: x * (2.0 if isinstance(x, Masked) else 3.0),
        [arguments(Masked(ARRAY)), arguments(X)], 2,
    ),
}  # fmt: skip


def _quotient(n):
    try:
        return 1 / (n - 2)
    except ZeroDivisionError:
        return None


def same(got, want):
    if isinstance(want, tuple):
        assert isinstance(got, tuple)
        for g, w in zip(got, want, strict=True):
            same(g, w)
    elif isinstance(want, Tensor):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-4, atol=1e-5)
    else:
        assert (type(got), got) == (type(want), want)


@pytest.mark.parametrize("values", [(1, 3, 0, -2), (0.25, 0.5, 1e-3, 3.5)], ids=["int", "float"])
@pytest.mark.parametrize("name", INPUTS)
def test_a_number_in_the_arguments_is_an_input(name, values):
    function = INPUTS[name]
    run = jit(function)
    for a in values:
        same(run(X, a), function(X, a))
    assert run.captures == 1


@pytest.mark.parametrize("name", CONCRETE)
def test_what_python_asks_of_a_number_is_asked_again(name):
    function, captures = CONCRETE[name]
    run = jit(function)
    for n in (1, 2, 3, 4, 1):
        same(run(X, n), function(X, n))
    assert run.captures == captures


@pytest.mark.parametrize("name", CALLS)
def test_calls_give_what_dynamic_code_gives(name):
    function, calls, captures = CALLS[name]
    run = jit(function)
    for args, kwargs in calls:
        same(run(*args, **kwargs), function(*args, **kwargs))
    assert run.captures == captures


@pytest.mark.parametrize("first", [(), (3,)], ids=["first", "after another"])
def test_a_factor_beyond_64_bits_is_refused_as_in_dynamic_code(first):
    run = jit(lambda x, n: x * n)
    for n in first:
        run(X, n)
    with pytest.raises(OverflowError, match="at most 64 bits"):
        run(X, 2**70)


def test_a_number_that_is_kept_past_the_call_is_one():
    kept = []

    @jit
    def f(x, n):
        kept.append(n * 2)
        return x * n

    f(X, 3)
    assert kept[0] + 1 == 7
    assert isinstance(kept[0], int)
    np.testing.assert_array_equal((X * kept[0]).asnumpy(), X * 6)


def test_a_number_where_a_call_is_made_on_the_host():
    class Host(nn.Cell):
        def construct(self, x):
            return Tensor(x.asnumpy() * 2)

        def bprop(self, x, out, dout):
            return (dout * 2,)

    host = Host()
    run = jit(lambda x, a: host(x * a) + a)
    for a in (1.0, 2.0, 3.0):
        np.testing.assert_allclose(run(X, a).asnumpy(), ARRAY * a * 2 + a)


def test_thousand_values_compile_one_program():
    run = jit(lambda x, a, n: x * a + n)
    run(X, 0.0, 0)
    before = compilations["programs"]
    for i in range(1, 1000):
        y = run(X, i / 7, i)
    np.testing.assert_allclose(y.asnumpy(), ARRAY * np.float32(999 / 7) + 999, rtol=1e-6)
    assert compilations["programs"] == before
    assert run.captures == 1


def trained(rate, where):
    """(a training step, the weights after each of its calls)."""
    ms.set_seed(0)
    net = nn.SequentialCell(nn.Dense(4, 3), nn.Tanh(), nn.Dense(3, 1))
    optimizer = nn.Adam(net.trainable_params(), rate())
    gradient = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, net.trainable_params())

    def step(x):
        value, gradients = gradients_of(x)
        optimizer(gradients)
        return value

    gradients_of = jit(gradient) if where == "outside" else gradient
    return net, optimizer, (jit(step) if where == "inside" else step)


@pytest.mark.skipif(Recorder.immediate, reason="each operation is a program of its own there")
@pytest.mark.parametrize("where", ["inside", "outside"])
@pytest.mark.parametrize(
    "rate",
    [lambda: nn.ExponentialDecayLR(0.1, 0.9, 2), lambda: [0.1, 0.05, 0.02] * 10, lambda: 0.1],
    ids=["schedule", "list", "set"],
)  # fmt: skip
def test_a_learning_rate_that_changes_compiles_nothing(rate, where):
    net, optimizer, step = trained(rate, where)
    other, its_optimizer, dynamic = trained(rate, "dynamic")
    x = X.reshape(1, 4)
    for i in range(6):
        if isinstance(rate(), float):
            for one in (optimizer, its_optimizer):
                ops.assign(one.learning_rate, Tensor(0.1 / (i + 1), ms.float32))
        if i == 2:
            before = compilations["programs"]
        step(x)
    assert compilations["programs"] == before
    for _ in range(6):
        dynamic(x)
    if not isinstance(rate(), float):
        for p, q in zip(net.get_parameters(), other.get_parameters(), strict=True):
            np.testing.assert_allclose(p.asnumpy(), q.asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(Recorder.immediate, reason="each operation is a program of its own there")
def test_a_captured_step_is_one_program_from_its_first_call_on():
    _, _, step = trained(lambda: 0.1, "inside")
    before = compilations["programs"]
    for width in (1, 2):
        for _ in range(3):
            step(Tensor(np.ones((width, 4), np.float32)))
    assert (step.captures, compilations["programs"] - before) == (2, 2)


def test_initial_values_are_computed_apart_from_the_first_call():
    """What Parameters begin with is one program, the first call another, which later ones share."""

    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(4, 4)
            self.scale = ms.Parameter(0.25 * ops.ones((4,)) + 0.03125, name="scale")

        def construct(self, x):
            return self.scale * self.dense(x)

    net, x = Scaled(), X
    before = compilations["programs"]
    first = net(x).asnumpy()
    assert compilations["programs"] - before == 2 or Recorder.immediate
    again = [net(x).asnumpy() for _ in range(3)]
    assert compilations["programs"] - before == 2 or Recorder.immediate
    for y in again:
        np.testing.assert_array_equal(y, first)
    expected = 0.28125 * (net.dense.weight.asnumpy() @ ARRAY + net.dense.bias.asnumpy())
    np.testing.assert_allclose(first, expected, rtol=1e-5)


class Parts(nn.Cell):
    def __init__(self, parts):
        super().__init__()
        self.parts = parts

    def construct(self, x):
        if isinstance(self.parts, nn.SequentialCell):
            return self.parts(x)
        for part in self.parts if isinstance(self.parts, nn.CellList) else self.parts.values():
            x = part(x)
        return x


class Add(nn.Cell):
    def __init__(self, n):
        super().__init__()
        self.n = n

    def construct(self, x):
        return x + self.n


@pytest.mark.parametrize("jitted", [lambda net: net.construct, lambda net: lambda x: net(x)])
@pytest.mark.parametrize("kind", [nn.CellList, nn.SequentialCell])
def test_other_cells_in_a_container_are_captured(kind, jitted):
    net = Parts(kind([Add(1), Add(2)]))
    run = jit(jitted(net))
    assert (run(X) - X).tolist() == (run(X) - X).tolist() == [3.0] * 4
    del net.parts[0]
    assert (run(X) - X).tolist() == [2.0] * 4
    net.parts.append(Add(5))
    assert (run(X) - X).tolist() == [7.0] * 4
    net.parts[-1] = Add(0)
    assert (run(X) - X).tolist() == [2.0] * 4


def test_other_cells_in_a_dict_of_them_are_captured():
    net = Parts(nn.CellDict({"a": Add(1), "b": Add(2)}))
    run = jit(net)
    assert (run(X) - X).tolist() == (run(X) - X).tolist() == [3.0] * 4
    net.parts["a"] = Add(4)
    assert (run(X) - X).tolist() == [6.0] * 4
    net.parts.pop("b")
    assert (run(X) - X).tolist() == [4.0] * 4
