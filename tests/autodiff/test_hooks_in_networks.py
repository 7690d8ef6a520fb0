"""Hooks and bprops among ordinary Cells: the walk between them is remembered, an accident in one
leaves nothing behind, and what they compute agrees with the same network without them."""

import random

import numpy as np
import pytest

from sporax import ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import context
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.transforms.autodiff import Function, grad, value_and_grad
from sporax._src.transforms.autodiff.backward import BackwardSegment
from sporax.nn.cell import Cell
from tests.comparison import tensor

pytestmark = pytest.mark.usefixtures("on_numpy")


class Layer(Cell):
    """sin(w x) + x / 2, or what a bprop says is its derivative."""

    def __init__(self, w):
        super().__init__()
        self.w = Parameter(tensor(w), name="w")

    def construct(self, x):
        return ops.sin(x * self.w) + x * 0.5


class Own(Layer):
    def __init__(self, w):
        super().__init__(w)
        self.internal_params = [self.w]

    def bprop(self, x, out, dout):
        slope = ops.cos(x * self.w) * dout
        return (slope * self.w + dout * 0.5,), {self.w: slope * x}


class Scaled(Function):
    @staticmethod
    def forward(ctx, x, k=1):
        ctx.save_for_backward(x)
        ctx.k = k
        return x * x * k

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x * ctx.k, None


class Network(Cell):
    def __init__(self, layers):
        super().__init__()
        self.layers, self.outs = layers, []
        for i, layer in enumerate(layers):
            setattr(self, f"layer{i}", layer)

    def construct(self, x):
        total = x
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i % 3 == 1:
                total = total * 0.5 + x  # a value that two entries of the tape use
        return total + x


def look(*args):
    gradients = [g for item in args if isinstance(item, tuple) for g in item]
    assert all(g is None or isinstance(g, Tensor) for g in gradients)


def doubled(cell, grad_input, grad_output):
    return tuple(g * 2 for g in grad_input)


def halved(cell, grad_output):
    return tuple(g * 0.5 for g in grad_output)


KINDS = ["forward", "forward_pre", "backward", "backward_pre"]


def networks(seed):
    """The same network twice: with bprops and hooks that change nothing in sum, and without."""
    rng = random.Random(seed)
    values = [rng.uniform(0.5, 1.5) for _ in range(rng.randint(3, 14))]
    plain, hooked = Network([Layer(w) for w in values]), []
    for w in values:
        layer = rng.choice([Layer, Layer, Own])(w)
        for kind in rng.sample(KINDS, rng.randint(0, 2)):
            getattr(layer, f"register_{kind}_hook")(look)
        if rng.random() < 0.3:
            layer.register_backward_hook(doubled)
            layer.register_backward_hook(lambda cell, i, o: tuple(g * 0.5 for g in i))
        hooked.append(layer)
    return plain, Network(hooked)


def numbers(result):
    value, (by_input, by_weight) = result
    return [float(t.asnumpy()[0]) for t in (value, by_input, *by_weight)]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("captured", [False, True])
def test_hooks_that_change_nothing_in_sum(seed, captured):
    plain, hooked = networks(seed)
    form = jit if captured else lambda function: function
    runs = [form(value_and_grad(net, 0, net.trainable_params())) for net in (plain, hooked)]
    for at in (0.3, 0.3, -1.1, 0.7):  # recorded, then remembered
        expected, result = [numbers(run(tensor(at))) for run in runs]
        np.testing.assert_allclose(result, expected, rtol=2e-5, atol=1e-6)


def test_the_stretches_between_are_remembered():
    """Without this the test above would not say anything about it."""
    taken, before = [], BackwardSegment.take
    hooked = Network([Layer(1.0) for _ in range(9)])
    hooked.layers[4].register_backward_hook(look)
    run = grad(hooked)
    for _ in range(2):  # the first may follow operations of another test that are still pending
        run(tensor(0.5)).asnumpy()
    BackwardSegment.take = lambda *args: taken.append(1) or before(*args)
    try:
        run(tensor(0.5)).asnumpy()
    finally:
        BackwardSegment.take = before
    assert len(taken) == (0 if thread.recorder.immediate else 3)


def test_what_a_hook_returns_decides_what_comes_after():
    """The same forward pass; what the hook does is different each time."""
    outcome = [None]
    net = Network([Layer(1.0) for _ in range(6)])
    net.layers[3].register_backward_hook(lambda cell, i, o: outcome[0] and outcome[0](i))
    run, result = grad(net), []
    outcomes = [None, lambda i: i[0] * 2, lambda i: (tensor(0.0),), lambda i: (i[0] + 0,), None,
               lambda i: (Tensor(i[0].asnumpy()),), lambda i: i[0] * 2]  # fmt: skip
    for outcome[0] in outcomes * 2:
        result.append(run(tensor(0.5)).item())
    same, twice, cut = result[0], result[1], result[2]
    assert len({same, twice, cut}) == 3
    np.testing.assert_allclose(result, [same, twice, cut, same, same, same, twice] * 2, rtol=1e-5)
    assert twice - same == pytest.approx(same - cut, rel=1e-4)


def test_hooks_of_tensors_among_them():
    factor = [1.0]

    def function(x):
        for i in range(8):
            x = ops.sin(x) + x
            if i == 4:
                x.register_hook(lambda g: g * factor[0])
        return x

    run = grad(function)
    plain = run(tensor(0.5)).item()
    for factor[0] in (3.0, 1.0, 3.0, -2.0):
        assert run(tensor(0.5)).item() == pytest.approx(plain * factor[0], rel=1e-5)


def test_added_and_removed_while_the_walk_goes_on():
    calls, net = [], Network([Layer(1.0) for _ in range(4)])
    handles = [layer.register_backward_hook(lambda *_, i=i: calls.append(i))
               for i, layer in enumerate(net.layers)]  # fmt: skip
    net.layers[3].register_backward_hook(lambda *args: handles[1].remove())
    first = grad(net)(tensor(0.5)).item()
    assert calls == [3, 2, 1, 0]  # a call asks which hooks there are when it begins
    calls.clear()
    assert grad(net)(tensor(0.5)).item() == first
    assert calls == [3, 2, 0]


# accidents ----------------------------------------------------------------------------------------


class Accident(Exception):
    pass


def fails(*args):
    raise Accident


class FailingBprop(Layer):
    def bprop(self, x, out, dout):
        raise Accident


class FailingFunction(Layer):
    """Its Function fails in `where`."""

    where = "backward"

    def construct(self, x):
        kind = type("Own", (Function,), {
            "forward": staticmethod(fails if self.where == "forward" else lambda ctx, x: x * 2),
            "backward": staticmethod(fails),
        })  # fmt: skip
        return kind.apply(x)


def hooked_by(kind, **options):
    def make():
        layer = Layer(1.0)
        getattr(layer, f"register_{kind}_hook")(fails, **options)
        return layer

    return make


def of_parameters():
    layer = Layer(1.0)
    layer.register_parameter_forward_hook(fails)
    return layer


def of_operation():
    layer, hook = Layer(1.0), ops.HookBackward(fails)
    layer.construct = lambda x: hook(x) * 2
    return layer


def of_tensor():
    layer = Layer(1.0)
    layer.w.register_hook(fails)
    return layer


def failing_forward():
    layer = FailingFunction(1.0)
    layer.where = "forward"
    return layer


ACCIDENTS = {
    **{kind: hooked_by(kind) for kind in KINDS},
    "always": hooked_by("forward", always_call=True), "bprop": lambda: FailingBprop(1.0),
    "backward of a Function": lambda: FailingFunction(1.0),
    "forward of a Function": failing_forward,
    "parameters": of_parameters, "operation": of_operation, "tensor": of_tensor,
}  # fmt: skip


@pytest.mark.parametrize("mode", ["dynamic", "graph", "jit"])
@pytest.mark.parametrize("name", ACCIDENTS)
def test_an_accident_leaves_nothing_behind(name, mode):
    layers = [Layer(0.7), Layer(1.2)]
    net = Network(layers)
    weights = net.trainable_params()
    form = jit if mode == "jit" else lambda function: function
    context.set_context(mode=context.GRAPH_MODE if mode == "graph" else context.PYNATIVE_MODE)
    try:
        expected = numbers(form(value_and_grad(net, 0, weights))(tensor(0.5)))
        failing = Network([layers[0], ACCIDENTS[name](), layers[1]])
        run = form(value_and_grad(failing, 0, failing.trainable_params()))
        for _ in range(2):
            with pytest.raises(Accident) as caught:
                run(tensor(0.5))
            assert caught.traceback[-1].name == fails.__name__ or name == "bprop"
            assert thread.tape is None
            assert thread.recorder.tracer is None
            assert thread.saving is None
            again = numbers(form(value_and_grad(net, 0, weights))(tensor(0.5)))
            assert again == expected
    finally:
        context.set_context(mode=context.PYNATIVE_MODE)


# always_call, hooks of Parameters -----------------------------------------------------------------


class Raises(Cell):
    def construct(self, x):
        raise Accident


def test_a_hook_that_is_always_called():
    calls, cell = [], Raises()
    cell.register_forward_hook(lambda *args: calls.append("not"))
    cell.register_forward_hook(lambda c, a, k, o: calls.append((k, o)) or 7, with_kwargs=True,
                               always_call=True)  # fmt: skip
    cell.register_forward_hook(lambda c, a, o: calls.append(o), always_call=True)
    with pytest.raises(Accident):
        cell(tensor(1.0))
    assert calls == [({}, None), 7]
    cell.register_forward_hook(lambda c, a, o: 1 / 0, always_call=True)
    with pytest.raises(Accident), pytest.warns(UserWarning, match="ZeroDivisionError"):
        cell(tensor(1.0))


def test_a_hook_called_once_though_a_later_one_fails():
    calls, cell = [], Layer(1.0)
    cell.register_forward_hook(lambda *args: calls.append(1), always_call=True)
    cell.register_forward_hook(fails)
    with pytest.raises(Accident):
        cell(tensor(1.0))
    assert calls == [1]


class Product(Cell):
    def __init__(self, w=2.0):
        super().__init__()
        self.w = Parameter(tensor(w), name="w")

    def construct(self, x):
        return x * self.w


@pytest.mark.parametrize("captured", [False, True])
def test_hooks_of_parameters(captured):
    form = jit if captured else lambda function: function
    net = Product()
    run = form(value_and_grad(net, 0, net.w))
    assert [t.item() for t in _flat(run(tensor(3.0)))] == [6.0, 2.0, 3.0]
    net.register_parameter_forward_hook([{"params": [net.w], "hook": lambda p: p * 10}])
    assert [t.item() for t in _flat(run(tensor(3.0)))] == [60.0, 20.0, 30.0]
    assert net.w.item() == 2.0
    outer = Network([Product(2.0), Product(3.0)])
    outer.register_parameter_forward_hook(lambda p: p + 1)
    assert form(outer)(tensor(1.0)).item() == 24.5  # 0.5 + 3 * 4 and 3 * 4 again


def _flat(result):
    value, (a, b) = result
    return value, a, b


def test_wrong_hooks_of_parameters():
    net = Product()
    for hook, error, message in [
        (3, TypeError, "must be a function or a list of dicts, but got int"),
        ([{"params": [net.w]}], ValueError, "with the keys 'params' and 'hook'"),
        ([{"params": [3], "hook": fails}], TypeError, "must be a Parameter, but got int"),
        ([{"params": [net.w], "hook": 3}], TypeError, "must be a function, but got int"),
    ]:
        with pytest.raises(error, match=message):
            net.register_parameter_forward_hook(hook)
    net.register_parameter_forward_hook(lambda p: tensor(1.0, 2.0))
    with pytest.raises(TypeError, match=r"shape of 'w', \(1,\), but got \(2,\)"):
        net(tensor(3.0))
    assert net.w.item() == 2.0
