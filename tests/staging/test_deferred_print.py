"""What captured functions print: the text of dynamic code, at each run, in the graph."""

import builtins
import contextlib
import functools
import io
import sys
import threading

import numpy as np
import pytest

import sporax
from sporax import (
    Parameter,
    Tensor,
    grad,
    jit,
    mutable,
    nn,
    ops,
    recompute,
    value_and_grad,
    vmap,
)  # fmt: skip
from sporax._src.core import context
from tests import records
from tests.comparison import printed, tensor

pytestmark = pytest.mark.usefixtures("on_numpy")


# In the graph from the first call on: nothing makes a text before `print` is called.
def directly(x):
    y = x * 2
    print("y:", y, y.sum(), x.shape, 3, None)
    print()
    print("done", end=".\n")
    return y


def containers(x):
    print([x, 1], (x, "a"), {"x": x, "n": {"m": -x}})
    return x


def streams(x):
    print(x, x + 1, sep="|", file=sys.stderr)
    print(x, x, sep=None, end=" <\n", file=sys.stdout, flush=True)
    return x


def as_mindspore(x):
    ops.Print()("x", x, [x, 2], 1.5)
    got = ops.print_(x.sum(), (x, "a"))
    return ops.depend(x * 2, got)


def in_place(x):
    x = x * 1
    print(x, x.add_(1))
    print(x)
    x[0] = 7
    print(x)
    return x


def constants(x):
    print(Tensor([1, 2]), Tensor(2.5))
    return x


def argument(x):
    print(x)
    return x


def returned_too(x):
    y = x + 1
    print(y, y)
    return y, y


class Point:
    def __str__(self):
        return "a point"


def of_objects(x):
    print(Point(), np.arange(3), sporax.float32, {1})
    return x


def from_a_lambda(x):
    show = lambda y: print("seen", y)  # noqa: E731
    show(x * 3)
    list(map(print, [x, x * 2]))
    functools.partial(print, "partial")(x)
    return x


def of_derivatives(x):
    def inner(y):
        print("forward", y)
        return (y * y).sum()

    value, gradient = value_and_grad(inner)(x)
    print("gradient", gradient)
    return value


def of_second_order(x):
    def inner(y):
        print("y", y)
        return (y * y * y).sum()

    return grad(lambda z: grad(inner)(z).sum())(x)


def with_hooks(x):
    def inner(y):
        z = y * 2
        z.register_hook(lambda g: print("hook", g))
        z = ops.HookBackward(lambda g: print("back", g))(z)
        return (z * z).sum()

    return grad(inner)(x)


@jit
def nested_part(x):
    print("inner", x)
    return x * 2


def nested(x):
    print("outer", x)
    y = nested_part(x)
    print("outer again", y)
    return nested_part(y)


def recomputed(x):
    def block(y):
        print("block")
        print("in block", y * 2)
        return y * y

    return grad(lambda z: recompute(block, z).sum())(x)


def mapped(x):
    def one(y):
        print("recorded for one")
        return y * 2

    return vmap(one)(x)


class Square(nn.Cell):
    """A Cell with a derivative of its own that prints."""

    def construct(self, x):
        print("construct", x)
        return x * x

    def bprop(self, x, out, dout):
        print("bprop", dout)
        return (2 * x * dout,)


square = Square()


def with_bprop(x):
    return grad(square)(x)


IN_GRAPH = [
    directly, containers, streams, as_mindspore, in_place, constants, argument, returned_too,
    of_objects, from_a_lambda, of_derivatives, of_second_order, with_hooks, nested, recomputed,
    mapped, with_bprop,
]  # fmt: skip


CALLS = [(tensor(1, 2),), (tensor(-3, 0.5),), (tensor(1, 2),)]


@pytest.mark.parametrize("function", IN_GRAPH, ids=lambda f: f.__name__)
def test_each_call_prints_its_numbers(function):
    captured = jit(function, fullgraph=True)
    for args in CALLS:
        assert printed(captured, *args) == printed(function, *args)
    assert captured.captures == 1
    assert not captured.dynamic
    assert not hasattr(builtins.print, "takes_text")


ROWS = records.read("prints")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_print_as_mindspore(row):
    source, text = row
    names = {"np": np, "ops": ops, "Tensor": Tensor, "Parameter": Parameter, "ms": sporax}
    function = eval(f"lambda: {source}", names)
    assert printed(function)[0] == text
    assert printed(jit(function))[0] == text


# Where prints stand among other things -----------------------------------------------------------
class OnHost(nn.Cell):
    """A Cell of NumPy, which prints."""

    def construct(self, x, n):
        print("host, before", x)
        array = x.asnumpy()
        print("host", array)
        return Tensor(array[: int(n)])


def test_calls_on_the_host_stand_between():
    host = OnHost()

    def step(x, n):
        print("start", x)
        y = host(x * 2, n)
        print("middle", y, x)
        y = host(y + 1, n)
        print("end", y)
        return y

    captured = jit(step)
    ones, two = tensor(1, 2, 3), Tensor(2)
    for args in (ones, two), (ones * 3, two), (ones, Tensor(1)), (ones, two), (ones, Tensor(1)):
        assert printed(captured, *args) == printed(step, *args)
    assert not captured.dynamic
    assert captured.captures < 5


def test_state_is_printed_as_it_is_at_that_place():
    weight = Parameter(tensor(1, 2), name="weight")

    def step(x):
        print(weight.value(), weight)
        weight.set_data(weight * x)
        print([weight.value()])
        return weight.sum()

    captured = jit(step, fullgraph=True)
    texts = [printed(captured, tensor(2, 3))[0] for _ in range(2)]
    weight.set_data(tensor(1, 2))
    assert texts == [printed(step, tensor(2, 3))[0] for _ in range(2)]
    assert texts[1].startswith("[2. 6.] Parameter (name=weight")


def test_random_numbers_are_drawn_once():
    def step():
        x = ops.standard_normal((2,))
        print(x)
        return x

    captured = jit(step)
    for _ in range(2):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            x = captured()
        assert out.getvalue() == f"{x}\n"


def test_mutable_numbers_are_printed_as_numbers():
    def step(x, n):
        print(n, [n], f"{n:d}")
        ops.print_(n)
        return x * n

    captured = jit(step, fullgraph=True)
    for n in 2, 5:
        assert printed(captured, tensor(1), mutable(n)) == printed(step, tensor(1), n)
    assert captured.captures == 1


def test_a_net_in_graph_mode_with_a_hook_that_prints():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
    net[0].register_forward_hook(lambda cell, args, output: print("hook", args, output))
    net[1].register_backward_hook(lambda cell, into, out: print("gradient", into, out))
    expected = [printed(net, x * 1) for x in (ops.ones((1, 2)), ops.zeros((1, 2)))]
    step = grad(lambda x: net(x).sum())
    of_step = [printed(step, x) for x in (ops.ones((1, 2)), ops.zeros((1, 2)))]
    context.set_context(mode=context.GRAPH_MODE)
    try:
        result = [printed(net, x * 1) for x in (ops.ones((1, 2)), ops.zeros((1, 2)))]
    finally:
        context.set_context(mode=context.PYNATIVE_MODE)
    assert result == expected
    assert not net._captured_call.dynamic
    captured = jit(step, fullgraph=True)
    assert [printed(captured, x) for x in (ops.ones((1, 2)), ops.zeros((1, 2)))] == of_step


def test_recompute_prints_once_in_dynamic_code_too():
    def block(x):
        print(f"block {x * 2}")
        return x * x

    out, _ = printed(grad(lambda x: recompute(block, x).sum()), tensor(1, 2))
    assert out == "block [2. 4.]\n"


def test_what_was_printed_before_an_error_is_there():
    weight = Parameter(tensor(1, 2), name="weight")

    @jit
    def step(x):
        weight.set_data(x)
        print("x", x, weight.sum())
        raise ValueError("wrong")

    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(ValueError, match="wrong"):
        step(tensor(3, 4))
    assert out.getvalue() == "x [3. 4.] 7.0\n"
    assert weight.asnumpy().tolist() == [1, 2]


def test_nothing_is_printed_by_capturing_alone():
    net = Square()
    assert printed(net.compile, tensor(1, 2)) == ("", "")


def test_other_threads_print_meanwhile():
    lines = []
    begun, done = threading.Event(), threading.Event()

    def other():
        begun.wait(10)
        lines.append(printed(print, "other", tensor(5))[0])
        done.set()

    thread = threading.Thread(target=other)
    thread.start()

    @jit
    def step(x):
        begun.set()
        assert done.wait(10)
        return x

    step(tensor(1))
    thread.join()
    assert lines == ["other [5.]\n"]


def test_a_listing_shows_what_is_printed():
    def step(x):
        y = x * 2
        print("y", y, f"{y.sum():.3f}", float(y.sum()))
        print("%.1f" % y.sum())  # noqa: UP031
        return y + x

    lines = str(jit(step).graph(tensor(1, 2))).split("\n")
    first, second = [line for line in lines if line.startswith("  print")]
    assert first == r"  print 'y %0 {%1:.3f} float(%2)\n'"
    assert second == r"  print '__mod__(%3)\n'"
    assert "%2 = " in lines[lines.index(first) - 1]
    assert "Add(%0, x)" in lines[lines.index(second) + 1]
    assert printed(jit(step).graph, tensor(1, 2)) == ("", "")


def test_an_export_prints_nothing_and_says_so(tmp_path):
    def shown(x):
        print("shown", x)
        return x + 1

    file = str(tmp_path / "shown.mindir")
    with pytest.warns(RuntimeWarning, match="'shown' prints.*prints nothing"):
        sporax.export(shown, tensor(1, 2), file_name=file, file_format="MINDIR")
    again = nn.GraphCell(sporax.load(file))
    assert printed(again, tensor(1, 2)) == ("", "")


def test_depend_is_its_value():
    def step(x, y):
        return ops.Depend()(x * x, y).sum() + ops.depend((x, 2), ops.print_("seen", y))[0].sum()

    x, y = tensor(1, 2), tensor(3, 4)
    for function in grad(step, (0, 1)), jit(grad(step, (0, 1)), fullgraph=True):
        gradients = function(x, y)
        assert gradients[0].asnumpy().tolist() == [3, 5]
        assert gradients[1].asnumpy().tolist() == [0, 0]
    assert printed(step, x, y) == printed(jit(step, fullgraph=True), x, y)
