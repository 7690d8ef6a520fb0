"""A Cell's own `bprop`, and `Function`: what reaches them, what they may return, what is refused.

Numbers are exact and follow from the formulas of the row; where MindSpore 2.10 has a result, it
is the same.
"""

import inspect

import numpy as np
import pytest

from sporax import ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import context
from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.transforms.autodiff import Function, grad, value_and_grad
from sporax.nn.cell import Cell

pytestmark = pytest.mark.usefixtures("on_numpy")

X, Y = 2.0, 3.0


def tensor(*values, dtype=dtypes.float32):
    return Tensor(list(values), dtype)


def plain(result):
    """Tensors as numbers or lists, in the same containers."""
    if isinstance(result, Tensor):
        return result.item() if result.size == 1 else result.tolist()
    if isinstance(result, (tuple, list)):
        return type(result)(plain(item) for item in result)
    if isinstance(result, dict):
        return {k: plain(v) for k, v in result.items()}
    return result


def cell(construct, bprop, **attributes):
    built = type("Net", (Cell,), {"construct": construct, "bprop": bprop})()
    for name, value in attributes.items():
        setattr(built, name, value)
    return built


# what reaches bprop: construct, bprop's signature, how it is called, (name: value) that it sees ---

SEEN = [
    ("x, y", "x, y, out, dout", "x, y", dict(x=X, y=Y, out=6.0, dout=1.0)),
    ("x, y", "x, y, out, dout", "y=y, x=x", dict(x=X, y=Y, out=6.0, dout=1.0)),
    ("x, y", "y, x, out, dout", "x, y", dict(x=X, y=Y, out=6.0, dout=1.0)),
    ("x, y", "out, dout, x, y", "x, y", dict(x=X, y=Y, out=6.0, dout=1.0)),
    ("x, y", "x, out, y, dout", "x, y", dict(x=X, y=Y, out=6.0, dout=1.0)),
    ("x, y", "dout, x", "x, y", dict(x=X, dout=1.0)),
    ("x, y=1", "x, out, dout, y=1", "x, y=0", dict(x=X, y=0, out=0.0, dout=1.0)),
    ("x, y=1", "x, y, out, dout", "x", dict(x=X, y=1, out=2.0, dout=1.0)),
    ("x, y=1", "x, out, dout, y=5", "x", dict(x=X, y=1, out=2.0, dout=1.0)),
    ("x, w=1, y=1", "x, w, y, out, dout", "x, y=4, w=7", dict(x=X, w=7, y=4, out=56.0, dout=1.0)),
    ("x, y=1", "x, y, out, dout", "x, y=None", dict(x=X, y=None, out=2.0, dout=1.0)),
    ("x, *, y=1", "x, y, out, dout", "x, y=5", dict(x=X, y=5, out=10.0, dout=1.0)),
    ("x, *, y=1", "x, out, dout, *, y", "x", dict(x=X, y=1, out=2.0, dout=1.0)),
    ("x, y", "a, b, out, dout", "x, y", dict(a=X, b=Y, out=6.0, dout=1.0)),
    ("x, y", "a, b, o, g", "x, y", dict(a=X, b=Y, o=6.0, g=1.0)),
    ("x, y", "out, a, b, dout", "x, y", dict(a=X, b=Y, out=6.0, dout=1.0)),
    ("x, y", "*args", "x, y", dict(args=(X, Y, 6.0, 1.0))),
    ("x, y=1", "*args", "x, y=4", dict(args=(X, 4, 8.0, 1.0))),
    ("x, y=1", "*args", "x", dict(args=(X, 1, 2.0, 1.0))),
    ("x, y", "x, *args", "x, y", dict(x=X, args=(Y, 6.0, 1.0))),
    ("x, y", "*args, out, dout", "x, y", dict(args=(X, Y), out=6.0, dout=1.0)),
    ("x, *, y=1", "*args, **named", "x, y=5", dict(args=(X, 5, 10.0, 1.0), named={})),
    ("x, **named", "x, y, out, dout", "x, y=5", dict(x=X, y=5, out=10.0, dout=1.0)),
    ("*xs", "xs, out, dout", "x, y", dict(xs=(X, Y), out=6.0, dout=1.0)),
    ("*xs", "a, b, out, dout", "x, y", dict(a=X, b=Y, out=6.0, dout=1.0)),
    ("out, y", "a, b, o, g", "x, y", dict(a=X, b=Y, o=6.0, g=1.0)),
]


def product(values):
    result = 1
    for item in values:
        if isinstance(item, tuple):
            item = product(item)
        if isinstance(item, dict):
            item = product(item.values())
        result = result if item is None else result * item
    return result


def with_signature(construct, bprop, seen):
    """A cell that multiplies its inputs, and notes in `seen` what its bprop is given."""
    scope = {"product": product, "seen": seen}
    exec(f"def construct(self, {construct}): return product(list(locals().values())[1:])", scope)
    exec(f"def bprop(self, {bprop}): seen.update(locals())", scope)
    inner = scope["bprop"]

    def outer(self, *args, **kwargs):
        inner(self, *args, **kwargs)
        return tensor(7.0)

    outer.__signature__ = inspect.signature(inner)
    return cell(scope["construct"], outer)


@pytest.mark.parametrize("mode", ["dynamic", "graph"])
@pytest.mark.parametrize("construct, bprop, call, wanted", SEEN, ids=lambda s: str(s)[:40])
def test_inputs_are_bound_by_name(construct, bprop, call, wanted, mode):
    seen = {}
    net = with_signature(construct, bprop, seen)
    requested = eval(f"lambda x, y: net({call})", {"net": net})
    context.set_context(mode=context.GRAPH_MODE if mode == "graph" else context.PYNATIVE_MODE)
    try:
        # of two floating Tensors, a bare gradient would not say whose it is
        assert plain(grad(requested)(tensor(X), Tensor(int(Y)))) == 7.0
    finally:
        context.set_context(mode=context.PYNATIVE_MODE)
    del seen["self"]
    assert plain(seen) == wanted


UNCLEAR = [
    ("x, y", "y, a, out, dout"), ("x, y", "a, x, out, dout"), ("x", "a, b, out, dout"),
    ("x, y", "a, out, dout"), ("out, y", "y, out, o, g"), ("x, y", "y, *args"),
]  # fmt: skip


@pytest.mark.parametrize("construct, bprop", UNCLEAR)
def test_a_signature_that_can_be_read_in_two_ways_is_refused(construct, bprop):
    net = with_signature(construct, bprop, {})
    inputs = [tensor(X), tensor(Y)][: construct.count(",") + 1]
    with pytest.raises(TypeError, match=r"'Net.bprop'.*must be \(.*but got"):
        grad(net)(*inputs)


# what bprop may return: construct, bprop, positions, the gradients --------------------------------


def mul(self, x, y):
    return x * y


RETURNED = {
    "tuple": (mul, lambda self, x, y, out, dout: (dout * 5, dout * 6), (0, 1), (5.0, 6.0)),
    "list": (mul, lambda self, x, y, out, dout: [dout * 5, dout * 6], (0, 1), (5.0, 6.0)),
    "none": (mul, lambda self, x, y, out, dout: (None, dout * 6), (0, 1), (0.0, 6.0)),
    "identity": (lambda self, x: x, lambda self, x, out, dout: dout * 5, 0, 5.0),
    "no path": (
        lambda self, x: Tensor(x.asnumpy()), lambda self, x, out, dout: dout * 5, 0, 5.0,
    ),
    "cut": (lambda self, x: ops.stop_gradient(x), lambda self, x, out, dout: dout * 5, 0, 5.0),
    "outputs": (lambda self, x: (x * 2, [x * 3]), lambda self, x, out, dout:
                dout[0] * out[1][0] + dout[1][0] * 10, 0, 16.0),
    "one output twice": (lambda self, x: (x, x), lambda self, x, out, dout:
                         dout[0] * 2 + dout[1] * 10, 0, 12.0),
    "number among outputs": (lambda self, x: (x, 3), lambda self, x, out, dout:
                             dout[0] * out[1], 0, 3.0),
    "other float": (lambda self, x: x, lambda self, x, out, dout:
                    dout.astype(dtypes.float16) * 5, 0, 5.0),
}  # fmt: skip


@pytest.mark.parametrize("name", RETURNED)
def test_results_are_gradients(name):
    construct, bprop, positions, expected = RETURNED[name]
    net = cell(construct, bprop)
    inputs = (tensor(X), tensor(Y))[: construct.__code__.co_argcount - 1]
    result = grad(net, positions)(*inputs)
    assert plain(result) == expected
    for gradient in result if isinstance(result, tuple) else (result,):
        assert gradient.dtype == dtypes.float32


def test_inputs_that_are_no_tensors():
    net = cell(lambda self, k, x: x * k, lambda self, k, x, out, dout: (dout * k * 10,))
    assert plain(grad(net, 1)(2, tensor(X))) == 20.0  # one for each input that holds Tensors
    net = cell(lambda self, k, x: x * k, lambda self, k, x, out, dout: (None, dout * k * 10))
    assert plain(grad(net, 1)(2, tensor(X))) == 20.0  # one for each input
    index = Tensor([1], dtypes.int32)
    net = cell(lambda self, x, i: x * i, lambda self, x, i, out, dout: (dout * 4, dout))
    assert plain(grad(net, (0, 1))(tensor(X), index)) == (4.0, 1.0)


def test_containers_of_tensors():
    net = cell(
        lambda self, xs, named: xs[0] * xs[1] * named["a"],
        lambda self, xs, named, out, dout: ((xs[1], xs[0]), {"a": dout * 9}),
    )
    result = grad(net, (0, 1))((tensor(X), tensor(Y)), {"a": tensor(1.0)})
    assert plain(result) == ((3.0, 2.0), {"a": 9.0})


def test_the_same_tensor_twice():
    net = cell(mul, lambda self, x, y, out, dout: (dout * 5, dout * 6))
    assert plain(grad(lambda x: net(x, x))(tensor(X))) == 11.0


def test_out_is_the_forwards_own_output():
    kept = []

    def construct(self, x):
        kept.append(x * x)
        return kept[-1]

    def bprop(self, x, out, dout):
        assert out is kept[-1] or thread.recorder.immediate  # there it is a copy of its handle
        assert plain(out) == 4.0
        return dout * 2

    grad(cell(construct, bprop))(tensor(X))


def test_what_happens_later_changes_nothing():
    net = cell(lambda self, x: x * x, lambda self, x, out, dout: (x * 100 + out) * dout)

    def function(x):
        x = x + 0
        y = net(x)
        z = y * 1
        ops.assign_add(x, tensor(50.0))
        ops.assign_add(y, tensor(50.0))
        return z

    assert plain(grad(function)(tensor(X))) == 204.0


# parameters ---------------------------------------------------------------------------------------


def scale(bprop, **attributes):
    w = Parameter(tensor(2.0), name="w")
    return cell(lambda self, x: self.w * x, bprop, w=w, internal_params=[w], **attributes)


BOTH = {
    "tuple": lambda self, x, out, dout: ((self.w * dout,), {self.w: x * dout}),
    "bare": lambda self, x, out, dout: (self.w * dout, {self.w: x * dout}),
    "args": lambda self, *args: ((self.w * args[-1],), {self.w: args[0] * args[-1]}),
}


@pytest.mark.parametrize("name", BOTH)
def test_parameters_get_their_gradients(name):
    net = scale(BOTH[name])
    assert plain(grad(net, 0, [net.w])(tensor(Y))) == (2.0, (3.0,))
    assert plain(grad(net, None, net.w)(tensor(Y))) == 3.0
    assert plain(jit(grad(net, 0, [net.w]))(tensor(Y))) == (2.0, (3.0,))
    net.w.requires_grad = False
    assert plain(grad(net)(tensor(Y))) == 2.0


def test_parameters_not_listed_get_none():
    net = scale(lambda self, x, out, dout: (self.w * dout,))
    net.internal_params = None
    assert plain(grad(net, 0, [net.w])(tensor(Y))) == (2.0, (0.0,))


def test_in_another_precision():
    net = scale(BOTH["tuple"]).to_float(dtypes.float16)
    result = value_and_grad(net, 0, [net.w])(tensor(Y))
    assert plain(result) == (6.0, (2.0, (3.0,)))
    assert result[1][0].dtype == result[1][1][0].dtype == dtypes.float32


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool_", "float16"])
@pytest.mark.parametrize(
    ("shape", "wider"),
    [((3,), (3, 3)), ((3,), (2, 4, 3)), ((3, 1), (3, 3)), ((3, 1), (2, 3, 3)), ((), (2,))],
    ids=str,
)
def test_the_gradient_of_what_was_broadcast_is_summed(shape, wider, dtype):
    # MindSpore 2.10 forgets the axis of length 1 of shape (3, 1)
    inputs = np.arange(np.prod(wider)).reshape(wider) % 2
    net = cell(mul, lambda self, x, y, out, dout: (Tensor(inputs, getattr(dtypes, dtype)), None))
    result = grad(net, 0)(Tensor(np.ones(shape, np.float32)), tensor(Y))
    assert (result.shape, result.dtype) == (shape, dtypes.float32)
    repeated = np.broadcast_to(np.arange(np.prod(shape, dtype=int)).reshape(shape), wider)
    expected = np.bincount(repeated.ravel(), inputs.ravel()).reshape(shape)
    np.testing.assert_array_equal(result.asnumpy(), expected)


@pytest.mark.parametrize("shape", [(2,), (4, 4), (1,), ()], ids=str)
def test_a_gradient_of_a_shape_that_does_not_fit(shape):
    net = cell(mul, lambda self, x, y, out, dout: (Tensor(np.ones(shape, np.float32)), None))
    with pytest.raises(ValueError, match=r"the gradient of 'x' must have its shape, \(3,\)"):
        grad(net, 0)(Tensor(np.ones(3, np.float32)), tensor(Y))


def test_a_gradient_for_each_parameter_of_bprop():
    """`out` and `dout` too, as MindSpore's graph mode once required; they have none."""
    net = cell(mul, lambda self, x, y, out, dout: (x + y, x * y, out, dout))
    assert plain(grad(net, (0, 1))(tensor(X), tensor(Y))) == (X + Y, X * Y)


# errors -------------------------------------------------------------------------------------------

REFUSED = {
    "too few": (lambda self, x, y, out, dout: (dout,), ValueError,
                r"'Net.bprop', .* each of the 2 inputs \(x, y\), but got 1"),
    "too many": (lambda self, x, y, out, dout: (dout,) * 3, ValueError, r"2 inputs .* got 3"),
    "shape": (lambda self, x, y, out, dout: (dout, tensor(1.0).reshape(())), ValueError,
              r"'Net.bprop', the gradient of 'y' .* \(1,\), but got \(\)"),
    "dtype": (lambda self, x, y, out, dout: (dout.astype(dtypes.complex64), dout), TypeError,
              r"'Net.bprop', the gradient of 'x' must be of Float32, but got Complex64"),
    "number": (lambda self, x, y, out, dout: (dout, 1.0), TypeError, r"'y' .* but got float"),
    "nothing": (lambda self, x, y, out, dout: None, TypeError, r"\(x, y\), but got NoneType"),
    "another's parameter": (
        lambda self, x, y, out, dout: ((dout, dout), {Parameter(1.0, name="z"): dout}),
        ValueError, r"'self.internal_params', but got 'z'",
    ),
    "an input that it lacks": (
        lambda self, x, out, dout: (dout * y, dout * x),  # noqa: F821
        NameError, r"'Net.bprop', 'y' is used, .* \(x, out, dout\)\. 'construct' takes \(x, y\): ",
    ),
    "another name": (lambda self, x, y, out, dout: z, NameError, "^name 'z' is not def"),  # noqa: F821
    "its own error": (lambda self, x, y, out, dout: 1 / 0, ZeroDivisionError, "division"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_named(name):
    bprop, kind, message = REFUSED[name]
    net = cell(mul, bprop)
    with pytest.raises(kind, match=message):
        grad(net, (0, 1))(tensor(X), tensor(Y))
    assert thread.tape is None
    net = cell(mul, lambda self, x, y, out, dout: (y * dout, x * dout))
    assert plain(grad(net, (0, 1))(tensor(X), tensor(Y))) == (3.0, 2.0)  # the next step works


def test_parameters_that_are_missing_or_no_list():
    with pytest.raises(ValueError, match="but got none for 'w'"):
        net = scale(lambda self, x, out, dout: (dout,))
        grad(net, 0, [net.w])(tensor(X))
    net = cell(mul, mul, internal_params=5)
    with pytest.raises(TypeError, match=r"'internal_params' must be a list .* but got int"):
        grad(net)(tensor(X), tensor(Y))


# orders, modes ------------------------------------------------------------------------------------


def test_higher_orders_go_through_what_bprop_computes():
    by_input = cell(lambda self, x: x * x * x, lambda self, x, out, dout: 3 * x * x * dout)
    by_output = cell(lambda self, x: x * x * x, lambda self, x, out, dout: 2 * out * dout)
    x = tensor(X)
    assert plain(grad(grad(by_input))(x)) == 12.0
    assert plain(grad(grad(grad(by_input)))(x)) == 6.0
    assert plain(grad(grad(by_output))(x)) == 32.0  # 2 dout goes back through out: 2 * 2 * 8


def test_a_cell_with_a_bprop_inside_another():
    inner = cell(lambda self, x: x * x, lambda self, x, out, dout: dout * 100)
    outer = cell(lambda self, x: self.c(x) * 2, lambda self, x, out, dout: dout * 7, c=inner)
    through = cell(lambda self, x: self.c(x) * 2, None, c=inner)
    assert plain(grad(outer)(tensor(X))) == 7.0
    assert plain(grad(through)(tensor(X))) == 200.0
    calling = cell(
        lambda self, x: grad(self.c)(x) * x, lambda self, x, out, dout: dout * out, c=inner
    )
    assert plain(grad(calling)(tensor(X))) == 200.0


def test_the_same_numbers_under_jit_and_again():
    net = cell(lambda self, x: ops.sin(x), lambda self, x, out, dout: (ops.cos(x) + 1) * dout)
    forms = [grad(net), jit(grad(net)), grad(jit(net))]
    for at in (0.5, 1.5, 2.5):
        for form in forms:
            expected = np.cos(np.float64(at)) + 1
            np.testing.assert_allclose(plain(form(tensor(at))), expected, rtol=1e-6)


def test_a_walk_with_a_bprop_is_not_remembered_for_one_without():
    """The same operations recorded, but another derivative: one must not serve the other."""
    factor = [5]
    net = cell(lambda self, x: x * x, lambda self, x, out, dout: dout * factor[0])
    x = tensor(X)
    result = []
    for factor[0] in (5, 6, 7):
        result.append(plain(grad(net)(x)))
        result.append(plain(grad(lambda x: x * x)(x)))
    assert result == [5.0, 4.0, 6.0, 4.0, 7.0, 4.0]


def test_without_a_derivative_bprop_is_not_asked():
    net = cell(mul, lambda self, x, y, out, dout: 1 / 0)
    assert plain(net(tensor(X), tensor(Y))) == 6.0
    assert plain(grad(lambda z: net(tensor(X), tensor(Y)) + z)(tensor(1.0))) == 1.0


# Function -----------------------------------------------------------------------------------------


def function(forward, backward, **more):
    members = {"forward": forward, "backward": backward, **more}
    return type("Own", (Function,), {k: staticmethod(f) for k, f in members.items()})


def keeping(ctx, x, y=None, *, k=3):
    ctx.save_for_backward(x, None)
    ctx.k = k
    return x * x * k


FUNCTIONS = {
    "saved": (keeping, lambda ctx, g: g * 2 * ctx.saved_tensors[0] * ctx.k, "x", 12.0),
    "keyword": (keeping, lambda ctx, g: (g * ctx.k, None), "x, k=5", 5.0),
    "no tensor": (keeping, lambda ctx, g: (g * ctx.k, None), "x, 4", 3.0),
    "none": (keeping, lambda ctx, g: None, "x", 0.0),
    "in front": (keeping, lambda ctx, g: (g, None, None), "x", 1.0),
    "identity": (lambda ctx, x: x, lambda ctx, g: g * 7, "x", 7.0),
    "needs": (lambda ctx, x, y: x, lambda ctx, g, *_: (
        g * sum(ctx.needs_input_grad), None), "x, tensor(3.0)", 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    forward, backward, call, expected = FUNCTIONS[name]
    own = function(forward, backward)
    requested = eval(f"lambda x: own.apply({call})", {"own": own, "tensor": tensor})
    assert plain(grad(requested)(tensor(X))) == expected


def test_second_order_of_a_function():
    own = function(keeping, lambda ctx, g: g * 2 * ctx.saved_tensors[0] * ctx.k)
    assert plain(grad(grad(own.apply))(tensor(X))) == 6.0


def test_several_outputs_of_a_function():
    seen = []

    def backward(ctx, a, b):
        seen.append(plain((a, b)))
        return b

    def forward(ctx, x):
        ctx.set_materialize_grads(len(seen) == 0)
        return x * 2, x * 3

    own = function(forward, backward)
    assert plain(grad(lambda x: own.apply(x)[1])(tensor(X))) == 1.0
    assert plain(grad(lambda x: own.apply(x)[1])(tensor(X))) == 1.0
    assert seen == [(0.0, 1.0), (None, 1.0)]


def test_outputs_without_a_derivative():
    def forward(ctx, x):
        cut = x * 3
        ctx.mark_non_differentiable(cut)
        return x * 2, cut

    own = function(forward, lambda ctx, a, b: a * 10 + b)
    assert plain(grad(own.apply)(tensor(X))) == 10.0


def test_a_context_filled_apart():
    def setup_context(ctx, inputs, output):
        ctx.both = inputs, output

    own = function(
        lambda x, k=4: x * k, lambda ctx, g: (g * ctx.both[0][1] * 10, None),
        setup_context=setup_context,
    )  # fmt: skip
    assert plain(grad(own.apply)(tensor(X))) == 40.0


def test_wrong_counts_of_a_function():
    own = function(lambda ctx, x, y: x * y, lambda ctx, g: g)
    with pytest.raises(ValueError, match=r"'Own.backward', .* 2 inputs \(0, 1\), but got 1"):
        grad(own.apply)(tensor(X), tensor(Y))
