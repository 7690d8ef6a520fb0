"""Hooks, bprops and recompute under `jit` and in GRAPH_MODE: as in dynamic mode, at every call."""

import numpy as np
import pytest

from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import context
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff.grad import grad, value_and_grad
from sporax._src.transforms.autodiff.remat import recompute
from sporax.nn.cell import Cell

pytestmark = pytest.mark.usefixtures("on_numpy")

X = np.array([1.0, 2.0], np.float32)
FACTOR = 1.0


class Layer(Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.array([3.0, 4.0], np.float32)), name="w")

    def construct(self, x):
        return x * self.w


class Net(Cell):
    """Two layers, one of them in a Cell of its own."""

    def __init__(self):
        super().__init__()
        self.a, self.b = Layer(), Layer()
        self.calls = 0

    def construct(self, x):
        return recompute(self.b, self.a(x)) if self.calls else self.b(self.a(x))


class Own(Layer):
    """Its derivative is what a global says."""

    def bprop(self, x, out, dout):
        return (dout * self.w * FACTOR,)


def flat(result):
    if isinstance(result, (tuple, list)):
        return [n for item in result for n in flat(item)]
    return result.asnumpy().reshape(-1).tolist()


def modes():
    def in_graph_mode(function):
        cell = Cell()
        cell.construct = function

        def run(x):
            context.set_context(mode=context.GRAPH_MODE)
            try:
                return cell(x)
            finally:
                context.set_context(mode=context.PYNATIVE_MODE)

        return run

    return {"jit": jit, "graph": in_graph_mode}


# name -> what registers a hook, and returns its handle
KINDS = {
    "forward": lambda net, x: net.b.register_forward_hook(lambda c, a, out: out * 2),
    "forward_pre": lambda net, x: net.b.register_forward_pre_hook(lambda c, a: (a[0] * 2,)),
    "backward": lambda net, x: net.b.register_backward_hook(lambda c, i, o: (i[0] * 2,)),
    "backward_pre": lambda net, x: net.b.register_backward_pre_hook(lambda c, o: (o[0] * 2,)),
    "of the whole": lambda net, x: net.register_backward_hook(lambda c, i, o: (i[0] * 2,)),
    "of a Parameter": lambda net, x: net.a.w.register_hook(lambda g: g * 2),
    "of the argument": lambda net, x: x.register_hook(lambda g: g * 2),
}


@pytest.mark.parametrize("wrap", modes().values(), ids=list(modes()))
@pytest.mark.parametrize("kind", KINDS)
def test_added_and_removed_after_it_was_compiled(kind, wrap):
    def run(wrap):
        net, x = Net(), Tensor(X)
        step = wrap(value_and_grad(lambda x: net(x).sum(), 0, net.trainable_params()))
        result = [flat(step(x)), flat(step(x))]
        first = KINDS[kind](net, x)
        result += [flat(step(x)), flat(step(x))]
        second = KINDS[kind](net, x)
        result += [flat(step(x)), flat(step(x))]
        first.remove()
        result += [flat(step(x))]
        second.remove()
        return [*result, flat(step(x))]

    result, expected = run(wrap), run(lambda f: f)
    assert result == expected
    assert result[0] == result[-1] != result[2] != result[4]


def scaling(calls):
    return lambda c, i, o: (i[0] * calls[0],)


def counting(calls):
    def hook(c, i, o):
        calls[0] += 1

    return hook


def keeping(calls):
    return lambda c, i, o: calls.append(i[0])


def reading(calls):
    return lambda c, i, o: calls.append(float(i[0].sum()))


@pytest.mark.filterwarnings("ignore:.*It runs dynamically from now on")
@pytest.mark.parametrize("wrap", modes().values(), ids=list(modes()))
@pytest.mark.parametrize("make", [scaling, counting, keeping, reading], ids=lambda f: f.__name__)
def test_hooks_that_read_and_write_python(make, wrap):
    def run(wrap):
        net, calls, result = Net(), [1.0], []
        net.b.register_backward_hook(make(calls))
        step = wrap(grad(lambda x: net(x).sum()))
        for i in range(5):
            result.append(flat(step(Tensor(X))))
            if make is scaling:
                calls[0] = float(i)
        return result, [flat(c) if isinstance(c, Tensor) else c for c in calls]

    assert run(wrap) == run(lambda f: f)


@pytest.mark.parametrize("wrap", modes().values(), ids=list(modes()))
def test_a_bprop_that_reads_a_global_and_recompute_switched_on(wrap):
    global FACTOR

    def change_factor(net):
        global FACTOR
        FACTOR = 3.0

    def run(wrap):
        global FACTOR
        FACTOR = 1.0
        net = Net()
        net.b = Own()
        step, result = wrap(grad(lambda x: net(x).sum())), []
        for change in (
            lambda net: None,
            change_factor,
            lambda net: setattr(net, "calls", 1),
            lambda net: net.b.recompute(),
            lambda net: net.b.register_backward_hook(lambda c, i, o: (i[0] * 2,)),
        ):
            change(net)
            result += [flat(step(Tensor(X))), flat(step(Tensor(X)))]
        return result

    assert run(wrap) == run(lambda f: f)
