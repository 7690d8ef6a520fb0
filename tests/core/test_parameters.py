"""Parameters and lazy Tensors: when numbers are drawn, what is differentiated, what copies are."""

import copy
import pickle

import numpy as np
import pytest

from sporax import ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import random
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.initializers import Initializer, Normal, initializer
from sporax._src.optim import SGD
from sporax._src.runtime.engine.recorder import Recorder
from sporax._src.transforms.autodiff import grad, value_and_grad
from sporax.nn import Dense, Optimizer
from sporax.nn.cell import Cell
from sporax.nn.parameter_tuple import ParameterTuple


class Counting(Initializer):
    """Counts how often it draws."""

    drawn = 0

    def _initialize(self, arr):
        self.drawn += 1
        arr[...] = self.drawn


def test_reading_numbers_draws_them_once():
    for read in (str, repr, lambda x: x.asnumpy(), lambda x: x.tolist(), lambda x: float(x[:])):
        init = Counting()
        x = initializer(init, (1,))
        if read.__name__ == "<lambda>" and x.has_init:
            x.init_data()
        assert init.drawn == (0 if x.has_init else 1)
        read(x), read(x)
        assert (init.drawn, x.has_init, x.asnumpy().tolist()) == (1, False, [1.0])
        with pytest.raises(TypeError, match="has not drawn yet"):
            x.init_data()


def test_nothing_is_drawn_before():
    init = Counting()
    x = initializer(init, (2, 3))
    assert (x.shape, x.dtype.name, x.size, len(x), init.drawn) == ((2, 3), "Float32", 6, 2, 0)
    p = Parameter(x)
    assert (init.drawn, p.has_init, x.has_init) == (1, False, False)
    assert not any(q.has_init for q in Dense(2, 2).get_parameters())


def test_seeds_count_where_numbers_are_drawn():
    x = initializer(Normal(), (3,))
    random.set_seed(5)
    first = x.init_data().asnumpy()
    random.set_seed(5)
    np.testing.assert_array_equal(first, initializer(Normal(), (3,)).asnumpy())


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x + 1, lambda x: ops.relu(x), lambda x: x[0], lambda x: x.astype(np.float16),
        lambda x: grad(lambda x: (x * 2).sum())(x), lambda x: x.__setitem__(0, 1.0),
        lambda x: ops.assign(Parameter(np.zeros((2, 3), np.float32)), x),
    ],
)  # fmt: skip
def test_computing_with_what_is_lazy_is_refused(use):
    x = initializer("ones", (2, 3))
    with pytest.raises(RuntimeError, match=r"only has an initializer \(One\). Call its 'init_data"):
        use(x)
    assert x.has_init
    assert (x.init_data() + 1).asnumpy().tolist() == [[2.0] * 3] * 2


def test_printing_inside_a_captured_function_draws():
    x, texts = initializer("ones", (2,)), []

    @jit
    def show(y):
        texts.append(str(x))
        return x * y

    assert show(Tensor([3.0])).asnumpy().tolist() == [3.0, 3.0]
    assert texts == ["[1. 1.]"]


# what is frozen -------------------------------------------------------------------------------


class Three(Cell):
    """Three layers in a row; `cut`: no derivative goes beyond the last."""

    def __init__(self, cut=False):
        super().__init__()
        self.a, self.b, self.c, self.cut = Dense(8, 8), Dense(8, 8), Dense(8, 8), cut

    def construct(self, x):
        h = ops.tanh(self.b(ops.tanh(self.a(x))))
        return (self.c(ops.stop_gradient(h) if self.cut else h) ** 2).sum()


def pullbacks(net, weights):
    """(gradients, how many pullbacks the derivative records)."""
    x = Tensor(np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8))
    thread.recorder.run()
    thread.recorder = Recorder()
    _, result = value_and_grad(net, None, weights)(x)
    names = [state.op.name for state in thread.recorder.state.path()]
    return [g.asnumpy() for g in result], sum(name.endswith(".grad") for name in names)


def test_a_frozen_layer_is_differentiated_through_and_a_cut_saves_work(monkeypatch):
    monkeypatch.setattr(Recorder, "immediate", False)  # counted is what is pending
    net = Three()
    first = list(net.a.get_parameters())
    whole, of_all = pullbacks(net, net.trainable_params())
    for p in net.b.get_parameters():
        p.requires_grad = False
    assert [p.name for p in net.untrainable_params()] == ["b.weight", "b.bias"]
    through, without_b = pullbacks(net, net.trainable_params())
    for got, expected in zip(through, whole[:2] + whole[4:], strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-6)
    assert np.abs(through[0]).max() > 0
    for p in first:
        p.requires_grad = False
    _, last_only = pullbacks(net, net.trainable_params())
    net.cut = True
    after, behind_the_cut = pullbacks(net, [*first, *net.c.get_parameters()])
    assert behind_the_cut == last_only < without_b <= of_all
    assert [np.abs(g).max() > 0 for g in after] == [False, False, True, True]


# copies ---------------------------------------------------------------------------------------


class Scale(Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0]), name="w")

    def construct(self, x):
        return x * self.w


COPIES = {
    "deepcopy": copy.deepcopy, "pickle": lambda net: pickle.loads(pickle.dumps(net)),
}  # fmt: skip


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_a_copy_made_inside_a_derivative_is_of_its_own(make):
    net, x = Scale(), Tensor([3.0])
    f = lambda x: (make(net)(x) + net(x)).sum()  # noqa: E731
    value, (by_x, by_w) = value_and_grad(f, 0, [net.w])(x)
    assert (value.item(), by_x.item(), by_w[0].item()) == (12.0, 4.0, 3.0)
    assert grad(lambda x: (Parameter(x) * x).sum())(x).item() == 3.0
    assert grad(lambda x: (net.w.clone() * net(x)).sum(), None, net.w)(x).item() == 6.0


class Tied(Cell):
    """One weight under two names, a part used twice, a tuple of Parameters, a hook, a bprop."""

    def __init__(self):
        super().__init__()
        self.a, self.b = Scale(), Scale()
        self.b.w = self.a.w
        self.again = self.a
        self.both = ParameterTuple([self.a.w])
        self.plain = [self.a]
        self.register_buffer("seen", Tensor([0.0]))
        self.b.register_forward_hook(ten_times)
        self.run = jit(self.a)

    def construct(self, x):
        return self.b(self.run(x)) + self.seen

    def bprop(self, x, out, dout):
        return (dout * 7.0,)


def ten_times(cell, args, out):
    return out * 10.0


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_what_is_shared_inside_a_net_stays_shared_in_its_copy(make):
    net, x = Tied(), Tensor([1.0])
    assert net(x).item() == 40.0
    copied = make(net)
    shared = [
        copied.a.w,
        copied.b.w,
        copied.both[0],
        copied.plain[0].w,
        copied.again.w,
        copied.run.fn.w,
    ]
    assert all(w is shared[0] for w in shared)
    assert shared[0] is not net.a.w
    copied.a.w.set_data(Tensor([3.0]))
    copied.seen[0] = 1.0
    assert (net(x).item(), copied(x).item()) == (40.0, 91.0)
    assert grad(copied)(x).item() == 7.0
    assert [p.name for p in copied.get_parameters()] == [p.name for p in net.get_parameters()]


def test_an_optimizer_and_its_net_are_copied_together():
    net = Scale()
    step = Cell()
    step.net, step.optimizer = net, SGD(net.trainable_params(), 0.5)
    step.optimizer((Tensor([2.0]),))  # its operation knows the Parameters' dtypes and shapes now
    copied = copy.deepcopy(step)
    assert isinstance(copied.optimizer, Optimizer)
    copied.optimizer((Tensor([1.0]),))
    assert (copied.net.w.item(), net.w.item()) == (0.5, 1.0)


# names ----------------------------------------------------------------------------------------


def test_one_name_twice_is_refused_with_both_owners():
    net = Cell()
    net.part, net.other = Scale(), Scale()
    net.part.w.name = net.other.w.name = "same"
    with pytest.raises(ValueError, match=r"name 'same'.* but 'part.w' and 'other.w' have it"):
        net.check_names()
    twins = [Parameter(1.0, name="a"), Parameter(1.0, name="a")]
    with pytest.raises(ValueError, match=r"'a'.*'ps\[0\]' and 'ps\[1\]'"):
        net.ps = twins
    with pytest.raises(ValueError, match="two Parameters, numbers 0 and 1, are called 'a'"):
        ParameterTuple(twins)


def test_update_parameters_name():
    net = Cell()
    net.part = Scale()
    net.update_parameters_name("top.")
    assert [p.name for p in net.get_parameters()] == ["top.part.w"]
    with pytest.raises(ValueError, match="must be letters, digits"):
        net.update_parameters_name("a b")


# in both modes --------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["dynamic", "jit"])
def test_assignment(wrap):
    w = Parameter(np.zeros((2, 3), np.float32), name="w")

    @wrap
    def change(row):
        w[1] = row
        ops.assign(w, w * 2)
        ops.Assign()(w, w + 1)
        w[0, 2] = 9.0
        return w.sum()

    total = change(Tensor([1.0, 2.0, 3.0]))
    expected = np.array([[1.0, 1.0, 9.0], [3.0, 5.0, 7.0]])
    np.testing.assert_array_equal(w.asnumpy(), expected)
    assert total.item() == expected.sum()
    with pytest.raises(TypeError, match="dtype that 'variable' can hold, but got Float64"):
        ops.assign(w, Tensor(np.zeros((2, 3))))


def test_set_data_says_what_it_takes():
    w = Parameter(np.zeros(2, np.float32), name="w")
    for data in ([1.0, 2.0], np.zeros(2), None, "zeros"):
        with pytest.raises(TypeError, match="'data' must be a Tensor or a number"):
            w.set_data(data)
    w.set_data(initializer("ones", (2,)))
    assert w.asnumpy().tolist() == [1.0, 1.0]
