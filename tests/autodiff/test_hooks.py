"""Hooks of operations, Tensors and Cells: when they are called, with what, and what they change.

Each row says what MindSpore 2.10 does, unless it says otherwise.
"""

import copy
import pickle

import pytest

from sporax import ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import context
from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.transforms.autodiff import grad
from sporax.nn.cell import Cell
from tests.programs.script_runs import printed

pytestmark = pytest.mark.usefixtures("on_numpy")


def tensor(*values):
    return Tensor(list(values), dtypes.float32)


def plain(result):
    """Tensors as numbers or lists, Cells by their names, in the same containers."""
    if isinstance(result, Tensor):
        return result.item() if result.size == 1 else result.tolist()
    if isinstance(result, Cell):
        return type(result).__name__
    if isinstance(result, (tuple, list)):
        return type(result)(plain(item) for item in result)
    if isinstance(result, dict):
        return {k: plain(v) for k, v in result.items()}
    return result


def noting(calls, name, answer=None):
    """A hook that records its arguments, and returns what `answer` returns for them."""

    def hook(*args):
        calls.append((name, *plain(args)))
        return None if answer is None else answer(*args)

    return hook


# HookBackward -------------------------------------------------------------------------------------

OPERATION = {
    "looks": (None, 3.0),
    "tensor": (lambda g: g[0] * 10, 30.0),
    "tuple": (lambda g: (g[0] * 10,), 30.0),
    "fresh": (lambda g: tensor(7.0), 7.0),
}


@pytest.mark.parametrize("name", OPERATION)
def test_operation(name):
    outcome, expected = OPERATION[name]
    calls = []
    hook = ops.HookBackward(noting(calls, "h", outcome))
    for _ in range(2):
        assert plain(grad(lambda x: hook(x) * 3)(tensor(2.0))) == expected
    assert calls == [("h", (3.0,))] * 2
    assert plain(hook(tensor(2.0))) == 2.0


def test_operation_of_two_inputs():
    calls = []
    hook = ops.HookBackward(noting(calls, "h", lambda g: (g[0], g[1] + 5)))
    result = grad(lambda x, y: hook(x, y)[0] * 3, (0, 1))(tensor(2.0), tensor(3.0))
    assert plain(result) == (3.0, 5.0)
    assert calls == [("h", (3.0, 0.0))]


def test_operation_to_second_order():
    hook = ops.HookBackward(lambda g: g[0] * g[0] * 5)
    # y = x^3, dy/dx = 5 * 3x^2, and what the hook computes is differentiated too
    assert plain(grad(grad(lambda x: hook(x * x * x)))(tensor(2.0))) == 60.0


# Tensor.register_hook -----------------------------------------------------------------------------


def test_hooks_of_a_tensor_follow_one_another():
    calls = []

    def function(x):
        z = x * 3
        late = z * z
        z.register_hook(noting(calls, "a"))
        z.register_hook(noting(calls, "b", lambda g: g * 2))
        z.register_hook(noting(calls, "c"))
        z.register_hook(noting(calls, "removed")).remove()
        return late + z

    assert plain(grad(function)(tensor(2.0))) == 78.0
    assert calls == [("a", 13.0), ("b", 13.0), ("c", 26.0)]


def test_hooks_of_arguments_and_parameters_stay():
    calls = []
    x, p = tensor(2.0), Parameter(tensor(5.0), name="p")
    handles = [x.register_hook(noting(calls, "x")), p.register_hook(lambda g: g * 10)]
    run = grad(lambda x: x * p + x, 0, [p])
    assert plain(run(x)) == (6.0, (20.0,))
    assert plain(grad(lambda x: x * p)(x)) == 5.0
    assert len(p.hooks()) == 1
    for handle in handles:
        handle.remove()
        handle.remove()
    assert plain(run(x)) == (6.0, (2.0,))
    assert calls == [("x", 6.0), ("x", 5.0)]


def hooked_result(x):
    y = x * x
    y.register_hook(lambda g: g * 2)
    return grad(lambda t: t * t * t)(y)


def hooked_inside(x):
    def cubed(t):
        t.register_hook(lambda g: g * 2)
        return t * t * t

    return grad(cubed)(x * x)


def hooked_argument(x):
    x.register_hook(lambda g: g * 2)
    return grad(lambda t: t * t * t)(x)


@pytest.mark.parametrize("transform", [lambda f: f, jit], ids=["dynamic", "jit"])
@pytest.mark.parametrize(("function", "first", "second"), [
    (hooked_result, 96.0, 384.0),  # 2 * 3 y^2, and 2 * 12 y * 2 x
    (hooked_inside, 96.0, 384.0),
    (hooked_argument, 24.0, 48.0),  # 2 * 3 x^2, and 2 * 12 x
])  # fmt: skip
def test_a_derivative_of_a_derivative_calls_a_hook_once(function, first, second, transform):
    assert plain(transform(function)(tensor(2.0))) == first
    assert plain(transform(grad(function))(tensor(2.0))) == second


def test_a_tensor_changed_afterwards():
    calls = []

    def function(x):
        z = x * 3
        z.register_hook(noting(calls, "z"))
        ops.assign_add(z, tensor(1.0))
        return z * 4

    assert plain(grad(function)(tensor(2.0))) == 12.0
    assert calls == [("z", 4.0)]


def test_copies_have_no_hooks_in_files():
    x = tensor(2.0)
    x.register_hook(lambda g: g * 2)
    assert pickle.loads(pickle.dumps(x)).hooks() == []
    assert plain(copy.deepcopy(x)) == 2.0


# Cells --------------------------------------------------------------------------------------------


class Scale(Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(tensor(5.0), name="w")

    def construct(self, x, y=None, z=None):
        x = x * self.w
        return x if y is None else x * y


class Net(Cell):
    """2 w x (times y), where hooks are on the cell that computes w x y."""

    def __init__(self, *hooks):
        super().__init__()
        self.c = Scale()
        self.handles = [getattr(self.c, f"register_{kind}_hook")(*hook) for kind, *hook in hooks]

    def construct(self, x, y=None):
        return self.c(x * 1, y) * 2 if y is not None else self.c(x * 1) * 2


C = "Scale"
# hooks in the order of registration as (kind, what it returns); output, gradient, calls
CELLS = {
    "pre": ([("forward_pre", None), ("forward_pre", lambda c, a: (a[0] * 2,)),
             ("forward_pre", None)], 40.0, 20.0,
            [("0", C, (2.0,)), ("1", C, (2.0,)), ("2", C, (4.0,))]),
    "pre, bare": ([("forward_pre", lambda c, a: a[0] * 2)], 40.0, 20.0, [("0", C, (2.0,))]),
    "pre, fresh": ([("forward_pre", lambda c, a: tensor(1.0))], 10.0, 0.0, [("0", C, (2.0,))]),
    "forward": ([("forward", None), ("forward", lambda c, a, o: o * 2), ("forward", None)],
                40.0, 20.0, [("0", C, (2.0,), 10.0), ("1", C, (2.0,), 10.0),
                             ("2", C, (2.0,), 20.0)]),
    "forward, fresh": ([("forward", lambda c, a, o: tensor(1.0))], 2.0, 0.0,
                       [("0", C, (2.0,), 10.0)]),
    "backward": ([("backward", None), ("backward", lambda c, i, o: (i[0] * 10,)),
                  ("backward", None)], 20.0, 100.0,
                 [("0", C, (10.0,), (2.0,)), ("1", C, (10.0,), (2.0,)),
                  ("2", C, (100.0,), (2.0,))]),
    "backward, bare": ([("backward", lambda c, i, o: i[0] * 10)], 20.0, 100.0,
                       [("0", C, (10.0,), (2.0,))]),
    "backward pre": ([("backward_pre", None), ("backward_pre", lambda c, o: (o[0] * 10,)),
                      ("backward", None)], 20.0, 100.0,
                     [("0", C, (2.0,)), ("1", C, (2.0,)), ("2", C, (100.0,), (20.0,))]),
    # what a forward hook adds is seen on the way back, what a pre hook adds is not
    "all": ([("forward_pre", lambda c, a: (a[0] * 2,)), ("forward", lambda c, a, o: o * 3),
             ("backward_pre", None), ("backward", None)], 120.0, 60.0,
            [("0", C, (2.0,)), ("1", C, (4.0,), 20.0), ("2", C, (2.0,)),
             ("3", C, (30.0,), (2.0,))]),
}  # fmt: skip


@pytest.mark.parametrize("mode", ["dynamic", "graph", "jit"])
@pytest.mark.parametrize("name", CELLS)
def test_hooks_of_a_cell(name, mode):
    hooks, output, gradient, expected = CELLS[name]
    calls = []
    net = Net(*((k, noting(calls, str(i), outcome)) for i, (k, outcome) in enumerate(hooks)))
    context.set_context(mode=context.GRAPH_MODE if mode == "graph" else context.PYNATIVE_MODE)
    try:
        if mode == "jit":  # a hook that reads numbers would break the graph
            calls.clear()
            net = Net(*((k, outcome) for k, outcome in hooks if outcome is not None))
            assert plain(jit(grad(net))(tensor(2.0))) == gradient
            assert plain(jit(net)(tensor(2.0))) == output
        else:
            assert plain(grad(net)(tensor(2.0))) == gradient
            assert calls == expected
            for handle in net.handles:
                handle.remove()
            assert plain(net(tensor(2.0))) == 20.0
            assert plain(grad(net)(tensor(2.0))) == 10.0
            assert calls == expected
    finally:
        context.set_context(mode=context.PYNATIVE_MODE)
    assert net.c._cell_hooks is None or mode == "jit"


def test_keyword_arguments_and_order():
    calls, cell = [], Scale()

    def pre(cell, args, kwargs):
        calls.append(("pre", plain(args), plain(kwargs)))
        return (args[0] * 2,), {"y": tensor(3.0)}

    def post(cell, args, kwargs, output):
        calls.append(("post", plain(args), plain(kwargs), plain(output)))

    cell.register_forward_hook(post, with_kwargs=True)
    cell.register_forward_pre_hook(pre, with_kwargs=True)
    cell.register_forward_pre_hook(noting(calls, "first"), prepend=True)
    assert plain(cell(tensor(2.0), z=1)) == 60.0
    assert calls == [
        ("first", C, (2.0,)), ("pre", (2.0,), {"z": 1}), ("post", (4.0,), {"y": 3.0}, 60.0)
    ]  # fmt: skip


def test_gradients_of_several_inputs_and_outputs():
    class Two(Cell):
        def construct(self, x, k=2):
            return x * 2, x * 3

    calls, cell = [], Two()
    cell.register_backward_hook(noting(calls, "b"))
    assert plain(grad(lambda x: cell(x, 3)[0])(tensor(2.0))) == 2.0
    assert plain(grad(lambda x: cell(x=x)[0])(tensor(2.0))) == 2.0
    assert plain(grad(cell)(tensor(2.0))) == 5.0
    assert calls == [("b", "Two", (2.0,), (1.0, None))] * 2 + [("b", "Two", (5.0,), (1.0, 1.0))]
    calls.clear()
    net = Net(("backward", noting(calls, "b")))
    assert plain(grad(net, (0, 1))(tensor(2.0), tensor(3.0))) == (30.0, 20.0)
    assert calls == [("b", C, (30.0, 20.0), (2.0,))]


def test_where_only_parameters_are_differentiated():
    calls = []
    net = Net(("backward", noting(calls, "b")))
    assert plain(grad(net, None, net.trainable_params())(tensor(2.0))) == (4.0,)
    assert calls == [("b", C, (None,), (2.0,))]


def test_with_a_bprop_of_its_own():
    class Own(Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return dout * 7

    calls, cell = [], Own()
    cell.register_backward_hook(noting(calls, "b"))
    assert plain(grad(cell)(tensor(2.0))) == 7.0
    assert calls == [("b", "Own", (7.0,), (1.0,))]


def test_the_same_hook_twice_and_one_registered_inside():
    calls = []
    hook = noting(calls, "h")

    class Inside(Cell):
        def construct(self, x):
            self.register_forward_hook(hook)
            return x * 2

    cell = Inside()
    cell(tensor(1.0))
    assert calls == []  # none was there when the call began
    cell(tensor(1.0))
    assert calls == [("h", "Inside", (1.0,), 2.0)] * 2


def test_a_captured_function_sees_new_hooks():
    cell = Scale()
    run = jit(lambda x: cell(x))
    assert plain(run(tensor(2.0))) == 10.0
    handle = cell.register_forward_hook(lambda c, a, o: o * 3)
    assert plain(run(tensor(2.0))) == 30.0
    handle.remove()
    assert plain(run(tensor(2.0))) == 10.0


def test_the_convention_of_2_3():
    calls = []
    net = Net(("forward", lambda c, a, o: o * 3), ("backward", noting(calls, "b")))
    context.set_context(hook_convention="2.3")
    try:
        assert plain(grad(net)(tensor(2.0))) == 30.0
    finally:
        context.set_context(hook_convention="2.10")
    # arriving, then leaving, and the forward hook's factor is not seen
    assert calls == [("b", f"Scale({id(net.c)})", (6.0,), (30.0,))]


# errors -------------------------------------------------------------------------------------------

REFUSED = {
    "count": ("backward", lambda c, i, o: (i[0], i[0]), ValueError, r"each input, 1, but got 2"),
    "shape": ("backward", lambda c, i, o: (tensor(1.0, 2.0),), ValueError, r"\(1,\), but got \(2"),
    "type": ("backward", lambda c, i, o: 3.0, TypeError, "Tensor .* but got float"),
    "dtype": ("backward", lambda c, i, o: i[0].astype(dtypes.int32), TypeError, "got Int32"),
    "outputs": ("backward_pre", lambda c, o: (o[0], o[0]), ValueError, "each output, 1, .* got 2"),
    "its own": ("backward", lambda c, i, o: 1 / 0, ZeroDivisionError, "division"),
    "forward": ("forward", lambda c, i, o: 1 / 0, ZeroDivisionError, "division"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_named(name):
    kind, hook, error, message = REFUSED[name]
    net = Net((kind, hook))
    with pytest.raises(error, match=message):
        grad(net)(tensor(2.0))
    assert thread.tape is None
    net.handles[0].remove()
    assert plain(grad(net)(tensor(2.0))) == 10.0  # the next step works


@pytest.mark.parametrize(
    "register",
    [
        lambda: tensor(1.0).register_hook(3), lambda: ops.HookBackward(3),
        *[lambda k=kind: Net((k, 3))
          for kind in ("forward_pre", "forward", "backward_pre", "backward")],
    ],
)  # fmt: skip
def test_a_hook_must_be_a_function(register):
    with pytest.raises(TypeError, match="'hook_fn' must be a function, but got int"):
        register()


def test_results_of_tensor_hooks_are_checked():
    x = tensor(2.0)
    x.register_hook(lambda g: (g,))
    with pytest.raises(TypeError, match=r"'register_hook'.* but got tuple"):
        grad(lambda x: x * 3)(x)


# the tutorial -------------------------------------------------------------------------------------

# what it prints of its backward hooks, letter by letter
SHOWN = (
    """\
(Tensor(shape=[1, 2, 1, 1], dtype=Float32, value=
[[[[ 1.00000000e+00]],
  [[ 1.00000000e+00]]]]),)
(Tensor(shape=[1, 2, 1, 1], dtype=Float32, value=
[[[[ 9.99994993e-01]],
  [[ 9.99994993e-01]]]]),)
""",
    """\
forward inputs:  (Tensor(shape=[1], dtype=Float32, value= [ 2.00000000e+00]),)
forward inputs:  (Tensor(shape=[1], dtype=Float32, value= [ 2.00000000e+00]),)
forward outputs:  [2.]
grad input:  (Tensor(shape=[1], dtype=Float32, value= [ 2.00000000e+00]),)
grad output:  (Tensor(shape=[1], dtype=Float32, value= [ 2.00000000e+00]),)
(Tensor(shape=[1], dtype=Float32, value= [ 2.00000000e+00]), \
Tensor(shape=[1], dtype=Float32, value= [ 2.00000000e+00]))
""",
)


def test_prints_what_the_tutorial_shows():
    """With the convention of its version; `test_seed_documents` has the present one."""
    result = printed("hooks.py", "--2.3")
    assert all(text in result for text in SHOWN)
