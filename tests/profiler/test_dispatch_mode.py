"""`MsDispatchMode`: which operations call a mode's method, and what it may do."""

import numpy as np
import pytest

import sporax as ms
from sporax import MsDispatchMode, Tensor, grad, jit, nn, ops

pytestmark = pytest.mark.usefixtures("on_numpy")
X, Y = Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])


class Log(MsDispatchMode):
    def __init__(self, mark="", seen=None):
        self.mark, self.seen = mark, [] if seen is None else seen

    def __ms_dispatch__(self, func, args, kwargs=None):
        self.seen.append(self.mark + func.name)
        assert isinstance(args, tuple)
        return func(*args)


CALLS = [
    ("x + y", ["Add"]),
    ("x * 2", ["Mul"]),
    ("-x", ["Neg"]),
    ("x == y", ["Equal"]),
    ("ops.relu(x)", ["ReLU"]),
    ("ops.Add()(x, y)", ["Add"]),
    ("x.astype(ms.float16)", ["Cast"]),
    ("x.reshape(3, 1)", ["Reshape"]),
    ("nn.ReLU()(x)", ["ReLU"]),
    ("Tensor([1.0])", []),
    ("x.asnumpy()", []),
    ("ops.concat([x, y])", ["Concat"]),
    ("ops.split(x, 1)[0]", ["split"]),
    ("jit(lambda x: x + 1)(x)", ["Add"]),
    ("nn.ReLU().to_float(ms.float16)(x)", ["Cast", "ReLU"]),
]


@pytest.mark.parametrize(("text", "names"), CALLS)
def test_each_operation_is_dispatched(text, names):
    scope = {"x": X, "y": Y, "ms": ms, "ops": ops, "nn": nn, "Tensor": Tensor, "jit": jit}
    with Log() as log:
        got = eval(text, scope)
    assert log.seen == names
    expected = eval(text, scope)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(got), np.asarray(expected))


def test_the_innermost_mode_takes_precedence():
    seen = []
    outer, inner = Log("outer ", seen), Log("inner ", seen)
    with outer:
        a = X * 2
        with inner:
            b = a + X
        b - X
    X + X
    assert seen == ["outer Mul", "inner Add", "outer Sub"]


def test_a_mode_is_a_decorator():
    log = Log()
    assert log(lambda x: x + x)(X).tolist() == [2, 4, 6]
    assert log.seen == ["Add"]


def test_both_passes_of_a_derivative_are_dispatched():
    class Doubled(MsDispatchMode):
        def __ms_dispatch__(self, func, args, kwargs=None):
            out = func(*args)
            return out * 2 if func.name == "Mul" else out

    with Doubled():
        gradient = grad(lambda x: (x * x).sum())(X)
    np.testing.assert_array_equal(gradient.asnumpy(), 4 * X.asnumpy())
    with Log() as log:
        grad(lambda x: (x * x).sum())(X)
    assert [name for name in log.seen if name.startswith("Mul")] == ["Mul", "Mul.grad"]


def test_a_method_may_compute_what_it_likes():
    class Own(MsDispatchMode):
        def __ms_dispatch__(self, func, args, kwargs=None):
            assert func.attributes == {"dtype": ms.int32}
            return func(args[0] + 0.5) * 10

    with Own():
        y = X.astype(ms.int32)
    assert y.tolist() == [10, 20, 30]


class TwoArguments(MsDispatchMode):
    def __ms_dispatch__(self, func):
        return func()


class NoTensor(MsDispatchMode):
    def __ms_dispatch__(self, func, args, kwargs=None):
        return 5


class Raises(MsDispatchMode):
    def __ms_dispatch__(self, func, args, kwargs=None):
        raise ValueError("mine")


@pytest.mark.parametrize(
    ("mode", "error", "words"),
    [
        (TwoArguments, TypeError, "takes 2 positional arguments but 3 were given"),
        (NoTensor, TypeError, "must return what 'Add' does, a Tensor or a tuple of Tensors, but"),
        (Raises, ValueError, "mine"),
    ],
)
def test_a_mode_that_fails_leaves_nothing_behind(mode, error, words):
    with pytest.raises(error, match=words), mode():
        X + Y
    with Log() as log:
        assert (X + Y).tolist() == [5, 7, 9]
    assert log.seen == ["Add"]


def test_nothing_is_changed_by_the_base_class():
    with MsDispatchMode():
        assert (X + Y).tolist() == [5, 7, 9]
