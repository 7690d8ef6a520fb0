"""`jit`: one program, state lifted and written back, captured anew only when it must be."""

from functools import partial

import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.capture.graph_capture.mutable import mutable
from sporax._src.core import random
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.runtime.engine.program import compilations
from sporax._src.transforms.autodiff.grad import grad, value_and_grad
from sporax.nn.cell import Cell


def ones(*shape):
    return Tensor(np.ones(shape, np.float32))


class Scale(Cell):
    """x * weight, twice that in training; counts its calls in a parameter."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(ones(3), name="weight")
        self.calls = Parameter(Tensor(np.zeros((), np.float32)), name="calls", requires_grad=False)
        self.factor = 2.0

    def construct(self, x):
        self.calls.set_data(self.calls + 1.0)
        return x * self.weight * (self.factor if self.training else 1.0)


def test_state_is_lifted_and_written_back():
    net = Scale()
    run = jit(lambda x: net(x).sum())
    assert [float(run(ones(3) * float(i))) for i in range(4)] == [0.0, 3.0, 6.0, 9.0]
    assert float(net.calls) == 4.0
    assert run.captures == 1
    net.weight.set_data(ones(3) * 5.0)
    assert float(run(ones(3))) == 15.0
    assert run.captures == 1


CHANGES = [
    ("shape", lambda net: (ones(2, 3),)),
    ("dtype", lambda net: (Tensor(np.ones(3, np.float16)),)),
    ("mode", lambda net: net.set_train() and (ones(3),)),
    ("attribute", lambda net: setattr(net.set_train(), "factor", 7.0) or (ones(3),)),
]


@pytest.mark.parametrize("name, change", CHANGES, ids=[n for n, _ in CHANGES])
def test_what_a_graph_depends_on_makes_a_new_one(name, change):
    net = Scale()
    run = jit(lambda x: net(x))
    run(ones(3))
    args = change(net)
    np.testing.assert_allclose(run(*args).asnumpy(), net(*args).asnumpy())
    assert run.captures == 2
    run(*args)
    assert run.captures == 2


def test_static_values_make_new_graphs_and_old_ones_are_found_again():
    @jit
    def power(x, n, flag=True):
        for _ in range(n):
            x = x * 2.0
        return x if flag else -x

    result = [power(ones(1), n).asnumpy()[0] for n in (1, 2, 1, 2)]
    assert result == [2.0, 4.0, 2.0, 4.0]
    assert power.captures == 2
    assert power(ones(1), 1, flag=False).asnumpy()[0] == -2.0
    assert power.captures == 3


def test_nested_arguments_and_results():
    @jit
    def swap(pair, named):
        return {"sum": pair[0] + pair[1], "kept": named["a"]}, [pair[1], 3]

    a, b, c = ones(2), ones(2) * 2.0, ones(2) * 3.0
    for _ in range(2):
        table, (second, three) = swap((a, b), {"a": c})
        assert table["sum"].asnumpy().tolist() == [3.0, 3.0]
        assert table["kept"].asnumpy().tolist() == [3.0, 3.0]
        assert second.asnumpy().tolist() == [2.0, 2.0]
        assert three == 3


def test_a_tensor_of_the_enclosing_function_is_an_input_not_a_constant():
    table = ones(2)
    run = jit(lambda x: x + table)
    assert run(ones(2)).asnumpy().tolist() == [2.0, 2.0]
    table.add_(1.0)
    assert run(ones(2)).asnumpy().tolist() == [3.0, 3.0]
    assert run.captures == 1


def train_step():
    net = Scale()
    net.set_train()
    momentum = Parameter(ops.zeros_like(net.weight), name="momentum")
    gradient = value_and_grad(lambda x: (net(x) ** 2).sum(), None, [net.weight])

    def step(x, rate):
        loss, (g,) = gradient(x)
        momentum.set_data(momentum * 0.9 + g)
        net.weight.set_data(net.weight - momentum * rate)
        return loss

    return step, net


def test_a_train_step_gives_the_numbers_of_dynamic_code():
    (dynamic, net), (captured, copied) = train_step(), train_step()
    captured = jit(captured)
    rate = Tensor(np.float32(0.01))
    for i in range(5):
        x = ones(3) * (0.1 * i)
        np.testing.assert_allclose(float(captured(x, rate)), float(dynamic(x, rate)), rtol=1e-6)
    np.testing.assert_allclose(copied.weight.asnumpy(), net.weight.asnumpy(), rtol=1e-6)
    assert captured.captures == 1


def test_jit_in_grad_and_grad_in_jit_and_jit_in_jit():
    cube = jit(lambda x: (x * x * x).sum())
    x = ones(2) * 2.0
    assert grad(cube)(x).asnumpy().tolist() == [12.0, 12.0]
    assert jit(grad(cube))(x).asnumpy().tolist() == [12.0, 12.0]
    assert jit(lambda x: cube(x) + 1.0)(x).asnumpy() == 17.0
    second = grad(lambda x: jit(grad(cube))(x).sum())
    assert second(x).asnumpy().tolist() == [12.0, 12.0]


def test_methods_and_the_decorator_with_arguments():
    class Net(Cell):
        def __init__(self, k):
            super().__init__()
            self.k = Parameter(ones(1) * k, name="k")

        @jit(capture_mode="ast", jit_level="O1")
        def construct(self, x):
            return x * self.k

    two, three = Net(2.0), Net(3.0)
    for _ in range(2):
        assert two(ones(1)).asnumpy()[0] == 2.0
        assert three(ones(1)).asnumpy()[0] == 3.0


def test_a_needed_number_breaks_the_graph_with_one_warning_and_the_right_result():
    calls = []

    @jit
    def step(x):
        calls.append(1)
        y = x * 2.0
        if float(y.sum()) > 0:
            return y + 1.0
        return y - 1.0

    with pytest.warns(RuntimeWarning, match=r"needs a number.*if float\(y.sum\(\)\) > 0"):
        assert step(ones(2)).asnumpy().tolist() == [3.0, 3.0]
    assert len(calls) == 1  # Python ran once
    assert step(-ones(2)).asnumpy().tolist() == [-3.0, -3.0]


def test_an_error_in_the_middle_changes_nothing():
    net = Scale()

    @jit
    def step(x):
        net(x)
        return x + ones(7)

    for _ in range(2):
        with pytest.raises(ValueError, match="For 'Add'"):
            step(ones(3))
        assert float(net.calls) == 0.0
    assert net(ones(3)).asnumpy().tolist() == [1.0, 1.0, 1.0]


def test_a_result_that_is_an_argument_or_a_parameter():
    net = Scale()
    run = jit(lambda x: (x, net.weight, 5))
    for k in (1.0, 2.0):
        x, weight, five = run(ones(2) * k)
        assert x.asnumpy().tolist() == [k, k]
        assert weight.asnumpy().tolist() == [1.0, 1.0, 1.0]
        assert five == 5


def endless(x):
    yield x


# What MindSpore 2.10 refuses, and with which error.
REFUSED = [
    ({"capture_mode": "pijit"}, ValueError, "'capture_mode' must be one of"),
    ({"capture_mode": None}, ValueError, "'capture_mode'"),
    ({"jit_level": "O2"}, ValueError, "'jit_level' must be one of"),
    ({"dynamic": 2}, ValueError, "'dynamic' must be one of .0, 1., but got 2"),
    ({"dynamic": True}, TypeError, "'dynamic' must be an int, but got bool"),
    ({"dynamic": "0"}, TypeError, "'dynamic'"),
    ({"fullgraph": 1}, TypeError, "'fullgraph' must be a bool, but got int"),
    ({"exec_order": "x"}, ValueError, "'exec_order' must be one of"),
    ({"exec_order": 3}, TypeError, "'exec_order' must be a str, but got int"),
    ({"infer_boost": "x"}, ValueError, "'infer_boost'"),
    ({"auto_offload": ""}, ValueError, "'auto_offload'"),
    ({"disable_format_transform": 1}, TypeError, "must be a bool, but got int"),
    ({"ge_options": 3}, TypeError, "'ge_options' must be a dict"),
    ({"ge_options": {"a": {}}}, ValueError, "'global' or 'session'"),
    ({"function": 3}, TypeError, "For 'jit', 'function' must be callable"),
    ({"function": endless}, TypeError, "For 'jit', 'function' must return its results"),
    ({"function": int}, TypeError, "but got type int"),
]


@pytest.mark.parametrize("given, error, words", REFUSED, ids=[words for *_, words in REFUSED])
def test_what_jit_must_not_be_told(given, error, words):
    with pytest.raises(error, match=words):
        jit(**given)


def test_an_option_that_nothing_knows():
    with pytest.warns(RuntimeWarning, match="option 'full_graph' is not known"):
        jit(full_graph=True)
    assert jit(fn=abs, mode="PSJit", input_signature=None)(ones(1)).asnumpy() == 1.0


class Kinds:
    """Functions of every kind, for `jit`."""

    k = 2.0

    @jit
    def method(self, x):
        return x * self.k

    @jit
    @classmethod
    def inside(cls, x):
        return x * cls.k

    @classmethod
    @jit(fullgraph=True)
    def outside(cls, x):
        return x * cls.k

    @jit
    @staticmethod
    def below(x):
        return x * 2.0

    @staticmethod
    @jit()
    def above(x):
        return x * 2.0

    def __call__(self, x):
        return x * self.k


def twice(x, k=1.0):
    return x * k


@jit(fullgraph=True)
class Doubled(Cell):
    """A Cell class under `jit`."""

    def construct(self, x):
        return x * 2.0


KINDS = {
    "method": Kinds().method,
    "classmethod inside": Kinds().inside,
    "classmethod outside": Kinds.outside,
    "staticmethod below": Kinds().below,
    "staticmethod above": Kinds.above,
    "callable": jit(Kinds()),
    "its __call__": jit(Kinds().__call__),
    "partial": jit(partial(twice, k=2.0)),
    "lambda": jit(lambda x: x + x),
    "Cell": jit(Doubled()),
    "Cell class": Doubled(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_function(kind):
    function = KINDS[kind]
    for n in (1.0, 2.0):
        assert function(ones(1) * n).asnumpy().tolist() == [2.0 * n]


class Noisy(Cell):
    """Changes a Parameter, a buffer and the random state before `then` needs a number."""

    def __init__(self, then):
        super().__init__()
        self.net, self.then = Scale(), then
        self.register_buffer("seen", ones(2))
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x):
        self.seen.assign_value(self.seen + 1.0)
        y = self.drop(self.net(x))
        return self.then(y)


class OnHost(Cell):
    """A Cell of NumPy, which a captured function otherwise calls on the host."""

    def construct(self, x):
        return Tensor(np.sort(x.asnumpy()))


class Showing(Cell):
    """A Cell that makes a text, which is called on the host too."""

    def construct(self, x):
        self.text = str(x)
        return x


BREAKS = [  # what needs a number -> what the message calls it, and what it says to write
    (lambda y: y * bool(y.sum()), "'if', 'while'", "ops.where"),
    (lambda y: y * int(y.sum()), "'int' of a Tensor", "astype"),
    (lambda y: y * float(y.sum()), "'float' of a Tensor", "astype"),
    (lambda y: Tensor(y.asnumpy()), "'asnumpy'", "'ops' instead of NumPy"),
    (lambda y: Tensor(np.median(y)), "NumPy on a Tensor", "'ops' or 'mint'"),
    (lambda y: Tensor(np.sin(y)), "NumPy on a Tensor", "'ops' or 'mint'"),
    (lambda y: y * y.sum().item(), "'item'", "outside"),
    (lambda y: y * len(str(y)), "'str', 'repr'", "outside"),
    (lambda y: y * len(range(y.sum().astype("int32"))), "a 'range'", "Python numbers"),
    (OnHost(), "'asnumpy'", "'ops' instead of NumPy"),
    (Showing(), "'str', 'repr'", "'ops.print_' the Tensor itself"),
]
NOT_ON_HOST = [row for row in BREAKS if not isinstance(row[0], Cell)]


@pytest.mark.parametrize("then, what, rewrite", BREAKS, ids=[str(row[1:]) for row in BREAKS])
def test_fullgraph_refuses_a_number_and_leaves_everything_as_it_was(then, what, rewrite):
    net = Noisy(then).set_train()
    whole = jit(net, fullgraph=True)
    state = random.get_rng_state().asnumpy()
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"fullgraph=True, 'Noisy'.*test_jit.py:") as caught:
            whole(ones(3))
        assert what in str(caught.value)
        assert rewrite in str(caught.value)
        assert float(net.net.calls) == 0.0
        assert net.seen.asnumpy().tolist() == [1.0, 1.0]
        assert random.get_rng_state().asnumpy().tolist() == state.tolist()
    outer = jit(lambda x: whole(x) + 1.0)
    with pytest.raises(RuntimeError, match="fullgraph=True, 'Noisy'"):
        outer(ones(3))
    assert float(net.net.calls) == 0.0


@pytest.mark.parametrize("then, what, rewrite", NOT_ON_HOST, ids=[str(r[1:]) for r in NOT_ON_HOST])
def test_the_warning_without_fullgraph_says_the_same(then, what, rewrite):
    run = jit(lambda x: then(x * 2.0))
    with pytest.warns(RuntimeWarning, match="runs dynamically") as caught:
        run(ones(3))
    assert what in str(caught[0].message)
    assert rewrite in str(caught[0].message)


def test_fullgraph_where_the_error_is_caught_inside():
    @jit(fullgraph=True)
    def step(x):
        try:
            return x if float(x.sum()) > 0 else -x
        except RuntimeError:
            return x * 3.0

    with pytest.raises(RuntimeError, match="must be captured whole"):
        step(ones(2))


def test_fullgraph_takes_branches_and_loops_at_the_first_call():
    @jit(fullgraph=True)
    def step(x):
        while x.sum() < 10.0:
            x = x * 2.0 if x.min() > 0 else x + 1.0
        return x

    assert step(ones(2)).asnumpy().tolist() == [8.0, 8.0]
    assert step(ones(2) - 2.0).asnumpy().tolist() == [8.0, 8.0]
    assert step.captures == 1


def test_fullgraph_is_a_graph_as_any_other():
    net = Scale()
    whole = jit(net, fullgraph=True)
    assert [whole(ones(3) * float(i)).asnumpy()[0] for i in range(3)] == [0.0, 1.0, 2.0]
    assert float(net.calls) == 3.0
    assert whole.captures == 1


def test_a_parameter_of_another_shape_is_captured_anew():
    p = Parameter(ones(2), name="p")

    @jit
    def step(x):
        p.set_data(p * 2.0)
        return (p * x).sum()

    assert float(step(Tensor([1.0]))) == 4.0
    p.set_data(ones(3), slice_shape=True)
    assert float(step(Tensor([1.0]))) == 6.0
    assert p.asnumpy().tolist() == [2.0, 2.0, 2.0]
    assert step.captures == 2


def test_two_parameters_with_one_array_and_a_number():
    p, q = (Parameter(ones(2), name=name) for name in "pq")
    q.set_data(p)

    @jit
    def step(n):
        p.set_data(p * 2.0)
        q.set_data(q + p * n)

    for _ in range(2):
        step(mutable(3))
    assert p.asnumpy().tolist() == [4.0, 4.0]
    assert q.asnumpy().tolist() == [19.0, 19.0]
    assert step.captures == 1


@pytest.mark.filterwarnings("ignore:For .Adam., the network is trained in evaluation")
def test_a_training_step_is_one_program():
    """Already the first call gives its state away; a program that keeps it would be another."""
    net = nn.SequentialCell(nn.Dense(3, 3), nn.BatchNorm1d(3), nn.Dense(3, 1))
    optimizer = nn.Adam(net.trainable_params())
    gradient = value_and_grad(lambda x: (net(x) ** 2).mean(), None, optimizer.parameters)

    @jit
    def step(x):
        loss, gradients = gradient(x)
        optimizer(gradients)
        return loss

    x = Tensor(np.ones((4, 3), np.float32))
    x.asnumpy(), [p.asnumpy() for p in net.get_parameters()]
    before = compilations["programs"]
    losses = [float(step(x).asnumpy()) for _ in range(4)]
    assert compilations["programs"] == before + 1
    assert len(set(losses)) == 4
