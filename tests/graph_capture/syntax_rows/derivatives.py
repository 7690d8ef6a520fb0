"""Derivatives and transformations"""

import numpy as np

import sporax as ms
from sporax import Parameter, Tensor, mint, nn, ops
from tests.graph_capture.syntax_rows.row import BREAKS, REJECTED, factory, row

M = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) - 2)
X = Tensor(np.array([1.0, -2.0, 3.0], np.float32))
Y = Tensor(np.array([4.0, 5.0, 6.0], np.float32))


@row("Works; of Tensors alone, others are left out.", (X, 2, Y))
def grad_inside(x, n, y):
    """`ms.grad(f, (0, 2))(x, n, y)` with a number among the arguments"""
    return ms.grad(lambda a, b, c: a * b * c, (0, 2))(x, n, y)


@row("Works.", (X,))
def grad_of_containers(x):
    """`ms.grad(f)(x)` where `f` returns dicts and tuples"""

    def inner(a):
        return a * a, ({"a": a, "b": 2}["a"], 3)

    return ms.grad(inner)(x)


@factory("Works.", (X, Y))
def value_and_grad_inside():
    """`ms.value_and_grad(net, None, net.trainable_params())`"""
    net = nn.Dense(3, 1, "ones", "zeros")

    def step(x, y):
        loss = lambda a, b: (net(a) - b).sum()  # noqa: E731
        return ms.value_and_grad(loss, None, net.trainable_params())(x, y)

    return step


@row("Not supported.", (X, Y))
def keyword_arguments_differentiated(x, y):
    """a function with keyword arguments: `ms.grad(f)(x, y=y)`"""
    return ms.grad(lambda a, y: a * y * a)(x, y=y)


@row("Not supported.", (X, Y))
def star_arguments_differentiated(x, y):
    """`ms.grad(lambda *args, **named: ...)`"""

    def inner(*args, scale=1, **named):
        return args[0] * args[1] * scale * named["n"]

    return ms.grad(inner, (0, 1))(x, y, scale=3, n=2)


def _branching(a):
    if a.sum() > 0:
        return a * a
    return a * 3


def _looping(a, n):
    i = n * 0
    while i < n:
        a = a * a
        i = i + 1
    return a


@row("Works.", (X,))
def second_order(x):
    """`ms.grad(ms.grad(f))`"""
    return ms.grad(ms.grad(lambda a: a**3))(x)


@row("Works.", (X,))
def vmap_inside(x):
    """`ms.vmap(f)(x)`"""
    return ms.vmap(lambda a: ops.relu(a) * 2)(x)


@row("Works.", (X,), (-X,))
def grad_through_a_branch(x):
    """`ms.grad` of a function with `if` on a Tensor"""
    return ms.grad(_branching)(x)


@row("Works for `while` too.", (X, Tensor(3)), verdict=BREAKS, words="has no derivative",
     note="`for` over a known number of turns, with `ops.where`")  # fmt: skip
def grad_through_a_while(x, n):
    """`ms.grad` of a function with `while` on a Tensor"""
    return ms.grad(_looping)(x, n)


@factory("Works.", (X, Y))
def in_place_differentiated():
    """`(x * 1).add_(y)` differentiated, with Parameters"""
    weight = Parameter(Tensor(np.ones(3, np.float32)), name="w")

    def inner(x, y):
        out = (weight + x + y) * x
        return out.add_(y)

    return lambda x, y: ms.grad(inner, (0, 1), [weight])(x, y)


@row("Not supported if the view is returned.", (X.reshape(3, 1),))
def views_differentiated(x):
    """`ms.grad` of a function that writes to a view"""

    def inner(a):
        b = ops.abs(a) * 2
        b[0] = b[1] * 3
        return b

    return ms.grad(inner)(x)


@factory("Not supported with another signature.", (X,))
def bprop():
    """a Cell with `bprop(self, x, out, dout)`"""

    class Net(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return (dout * 5,)

    return ms.grad(Net())


@factory("Works.", (X,))
def jit_in_jit():
    """a captured function called in another"""
    inner = ms.jit(lambda x: x * 2)
    return lambda x: inner(x) + inner(x + 1)


@row("Works.", (X,))
def hyper_map(x):
    """`ops.HyperMap()(f, [x, x])`, `ops.Map`"""
    return ops.HyperMap()(lambda a: a + 1, (x, x)), ops.Map()(lambda a: a * 2, [x])


@row(
    "Not supported.",
    (X,),
    verdict=REJECTED,
    error=(TypeError, "must be callable"),
    note="of an instance",
)
class JitOfAClass:
    """`jit` of a class that is not a Cell"""


@row("Not supported: the gradient with respect to an unchanged value.", (M,))
def a_view_changed_by_another(x):
    """`m, n = y[0], y[1]; m.mul_(n)` differentiated"""

    def inner(a):
        b = ops.abs(a)
        m, n = mint.select(b, 0, 0), mint.select(b, 0, 1)
        m.mul_(n)
        return b, m

    return ms.grad(inner)(x)


@factory("Works.", (X,))
def hooks():
    """forward and backward hooks of Cells"""
    relu = nn.ReLU()
    relu.register_forward_hook(lambda cell, inputs, out: out * 2)
    relu.register_backward_hook(lambda cell, grad_in, grad_out: (grad_in[0] * 3,))
    return lambda x: (relu(x), ms.grad(lambda a: relu(a).sum())(x))


@row("Not supported.", (X,))
def hooks_of_tensors(x):
    """`y.register_hook(...)` of a Tensor inside, `ops.HookBackward`"""

    def inner(a):
        b = a * 2
        b.register_hook(lambda grad: grad * 3)
        return ops.HookBackward(lambda grad: (grad[0] * 5,))(b).sum()

    return ms.grad(inner)(x)


@factory("Works.", (X,))
def a_function_made_by_exec():
    """a function that `exec` made, without conditions on Tensors"""
    space = {}
    exec("def made(x):\n    for i in range(3):\n        x = x + i\n    return x", space)
    return space["made"]


@row("Works.", (X,))
def recompute_inside(x):
    """`ms.recompute(f, x)`, differentiated"""
    return ms.grad(lambda a: ms.recompute(lambda b: b * b * b, a).sum())(x)
