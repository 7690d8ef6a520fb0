"""What captured functions print: the text of dynamic code, at each run, in the graph."""

import builtins
import contextlib
import functools
import io
import json
import sys
import threading
import warnings
from pathlib import Path

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
from sporax.core import context

pytestmark = pytest.mark.usefixtures("on_numpy")


def tensor(*xs):
    return Tensor(np.array(xs, np.float32))


def printed(function, *args):
    """What a call prints, to stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        function(*args)
    return out.getvalue(), err.getvalue()


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
    for given in CALLS:
        assert printed(captured, *given) == printed(function, *given)
    assert captured.captures == 1
    assert not captured.dynamic
    assert not hasattr(builtins.print, "takes_text")


# In the graph from the second call on: the text is found in the source.
def f_strings(x):
    loss = (x * x).sum()
    n = 3
    print(f"loss {loss:.3f}", f"{loss!r:>60}|{x!s:<{n * 8}}|{{}} {n:03d} {'a'}", f"{n}", sep=", ")
    print(f"{loss=}", f"{[x, loss]}", f"{loss:{n + 4}.{n}e}", flush=True)
    return loss


def other_texts(x):
    loss = (x * x).sum()
    print("%.2f of %s" % (loss, x), "%s" % x, "{:.1f} {x}".format(loss, x=x))  # noqa: UP031, UP032
    print("loss: " + str(loss) + ", " + repr(x) + f"{x}", str(x))
    ops.print_(f"loss {loss:.4f}", x)
    return loss


def numbers(x):
    loss = (x * x).sum()
    print(loss.item(), float(loss), int(loss), x.asnumpy(), x.tolist())
    print(f"{loss.item():.2f} {float(loss):5.1f} {x.asnumpy()!r} {int(loss):d}")
    print("%d" % loss.item())  # noqa: UP031
    return loss


def helper(x):
    print(f"helped {x}")
    return x + 1


def through_a_helper(x):
    print("before")
    y = helper(x)
    print("after", y)
    return helper(y)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
        self.print = ops.Print()

    def construct(self, x):
        y = self.dense(x)
        self.print(f"y {y}", self.dense.weight)
        return y.sum()


net = Net()


def of_a_cell(x):
    value, gradient = value_and_grad(net, None, net.trainable_params())(x.reshape((1, 2)))
    print(f"value {value:.3f}", gradient)
    return value


def defined_inside(x):
    def inner(y):
        loss = (y * y).sum()
        print(f"loss {loss:.2f}")
        return loss

    return grad(inner)(x)


def with_conditions(x):
    if x.sum() > 0:
        x = x * 2
    print(f"x is {x}")
    return x


def in_a_branch(x):
    if x.sum() > 0:
        print("positive", x)
    else:
        print("not positive")
    return x


def deeper_in_branches(x):
    print("begin")
    if x.sum() > 1:
        x = x * 2
        print(f"large {x.sum():.1f}", x > 3)
        if x.sum() > 5:
            print("very large", [x, 1])
        else:
            x = shown(x)
    elif x.sum() < 0:
        ops.print_("small", x)
    print("end", x)
    return x


def in_a_function_of_a_branch(x):
    if x.sum() > 0:
        x = shown(x)
    return x


def of_a_derivative_with_a_branch(x):
    def inner(y):
        if y.sum() > 0:
            print("positive", y)
            y = y * y
        return y.sum()

    return grad(inner)(x)


CONVERTED = [
    f_strings, other_texts, numbers, through_a_helper, of_a_cell, defined_inside, with_conditions,
    in_a_branch, deeper_in_branches, in_a_function_of_a_branch, of_a_derivative_with_a_branch,
]  # fmt: skip


@pytest.mark.parametrize("function", CONVERTED, ids=lambda f: f.__name__)
def test_texts_of_tensors_wait_for_the_run(function):
    captured, whole = jit(function), jit(function, fullgraph=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given in CALLS:
            wanted = printed(function, *given)
            assert printed(captured, *given) == wanted
            assert printed(whole, *given) == wanted
    assert not captured.dynamic
    assert captured.captures == 2 + (function is of_a_cell)  # one more function that is converted


def test_what_is_printed_is_what_numpy_says():
    def step(x):
        y = x * x - 1
        print(f"{y.sum():.3f}", y.max(), y)
        return y

    captured = jit(step)
    for xs in [1.5, 2.5], [0.25, -3.0], [1e3, 2.0]:
        y = np.float32(xs) * np.float32(xs) - 1
        wanted = f"{y.sum():.3f} {y.max()} {y}\n"
        assert printed(captured, tensor(*xs))[0] == wanted


ROWS = json.loads((Path(__file__).parents[1] / "recorded/prints.json").read_text())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_print_as_mindspore(row):
    source, text = row
    names = {"np": np, "ops": ops, "Tensor": Tensor, "Parameter": Parameter, "ms": sporax}
    function = eval(f"lambda: {source}", names)
    assert printed(function)[0] == text
    assert printed(jit(function))[0] == text


# Not in the graph: right all the same, with one warning -----------------------------------------


def kept_text(x):
    text = f"{x}"
    print(text)
    return text


def measured_text(x):
    print(len(f"{x}"))
    return x


def shown(x):
    print("shown", x)
    return x + 1


def in_a_loop(x):
    while x.sum() < 9:
        x = shown(x)
    return x


def in_a_condition(x):
    if x.sum() > 2 and shown(x).sum() > 0:
        x = x + 1
    return x


def to_a_buffer(x):
    out = io.StringIO()
    print("first", file=out)
    print(x, file=out)
    print(out.getvalue())
    return out.getvalue()


def redirected(x):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        print("no Tensor")
    print(out.getvalue(), x)
    return out.getvalue()


def a_set(x):
    print("set", {x.sum()})
    return x


class Holder:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"holds {self.x}"


def an_object(x):
    print("before", x)
    print(Holder(x * 2))
    print("after", x)
    return x


def computed(x):
    print(f"{x.sum().item() * 2:.2f}")
    return x


BROKEN = [
    (kept_text, "print", "f-string"), (measured_text, "print", "f-string"),
    (in_a_loop, "ops.where", "prints"), (in_a_condition, "ops.where", "a term prints"),
    (to_a_buffer, "outside", "another file"),
    (redirected, "outside", "another file"), (a_set, "outside", "inside"),
    (an_object, "ops.print_", "f-string"), (computed, "", "item"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "remedy", "what"), BROKEN, ids=lambda f: str(f)[:20])
def test_what_cannot_wait_breaks_the_graph(function, remedy, what):
    captured, got = jit(function), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for given in CALLS:
            wanted = printed(lambda given=given: got.append(function(*given)))
            assert printed(lambda given=given: got.append(captured(*given))) == wanted
            assert str(got[-1]) == str(got[-2])
    assert captured.dynamic
    (warning,) = caught
    assert remedy in str(warning.message)
    assert what in str(warning.message)
    with pytest.raises(RuntimeError, match="must be captured whole"):
        printed(jit(function, fullgraph=True), tensor(1, 2))


def test_vmap_refuses_to_print_what_differs_between_examples():
    run = vmap(lambda x: shown(x * 2))
    for function in run, jit(run, fullgraph=True):
        with pytest.raises(RuntimeError, match=r"'vmap'.*number.*test_deferred_print.py.*'print'"):
            function(tensor(1, 2))


def test_a_print_of_ones_own():
    lines = []

    def print(*args):
        lines.append(args)

    def step(x):
        print(f"{x}")
        return x

    captured = jit(step)
    with pytest.warns(RuntimeWarning, match="f-string"):
        for _ in range(3):
            captured(tensor(1))
    assert lines == 3 * [("[1.]",)]


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
    for given in (ones, two), (ones * 3, two), (ones, Tensor(1)), (ones, two), (ones, Tensor(1)):
        assert printed(captured, *given) == printed(step, *given)
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
    wanted = [printed(net, x * 1) for x in (ops.ones((1, 2)), ops.zeros((1, 2)))]
    step = grad(lambda x: net(x).sum())
    of_step = [printed(step, x) for x in (ops.ones((1, 2)), ops.zeros((1, 2)))]
    context.set_context(mode=context.GRAPH_MODE)
    try:
        found = [printed(net, x * 1) for x in (ops.ones((1, 2)), ops.zeros((1, 2)))]
    finally:
        context.set_context(mode=context.PYNATIVE_MODE)
    assert found == wanted
    assert not net._graph.dynamic
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
