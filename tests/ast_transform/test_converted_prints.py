"""`print` of texts made from Tensors: f-strings, `%`, `str`; what breaks the graph."""

import contextlib
import io
import warnings

import numpy as np
import pytest

from sporax import (
    grad,
    jit,
    nn,
    ops,
    value_and_grad,
    vmap,
)  # fmt: skip
from tests.comparison import printed, tensor

pytestmark = pytest.mark.usefixtures("on_numpy")

CALLS = [(tensor(1, 2),), (tensor(-3, 0.5),), (tensor(1, 2),)]


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
        for args in CALLS:
            expected = printed(function, *args)
            assert printed(captured, *args) == expected
            assert printed(whole, *args) == expected
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
        expected = f"{y.sum():.3f} {y.max()} {y}\n"
        assert printed(captured, tensor(*xs))[0] == expected


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
        for args in CALLS:
            expected = printed(lambda args=args: got.append(function(*args)))
            assert printed(lambda args=args: got.append(captured(*args))) == expected
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
        with pytest.raises(
            RuntimeError, match=r"'vmap'.*number.*test_converted_prints.py.*'print'"
        ):
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
