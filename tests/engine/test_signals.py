"""Signal handlers in the midst of a training leave it as it was, and work; see `tests.faults`."""

import signal
import threading

import numpy as np
import pytest

from sporax import Parameter, Tensor, nn
from sporax._src.capture.ast_transform.print_runtime import print_replaced
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.capture.guards import library_rules
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.signal_handlers import Handler
from sporax._src.core.value import contexts, thread
from sporax._src.runtime.engine.recorder import Recorder
from sporax._src.runtime.numpy_interpreter.interpretation import BackgroundCompilation
from sporax._src.transforms.autodiff.grad import grad
from sporax._src.transforms.batching import vmap
from tests.faults import injection
from tests.faults.donation import interpreted
from tests.faults.real_signals import trained
from tests.faults.sweep import sweep

deferred_only = pytest.mark.skipif(Recorder.immediate, reason="about the deferred executor")
W = np.array([2.0, 3.0], np.float32)


@pytest.fixture
def set_handler():
    """Sets the handler of SIGUSR1 for the length of a test."""
    before = signal.getsignal(signal.SIGUSR1)
    yield lambda handler: signal.signal(signal.SIGUSR1, handler)
    signal.signal(signal.SIGUSR1, before)


@pytest.fixture(autouse=True)
def may_be_captured(monkeypatch):
    """A captured function may raise signals here; elsewhere it is not captured."""
    monkeypatch.setitem(library_rules._table(), ("signal", "*"), library_rules.Rule("pure"))
    monkeypatch.delitem(library_rules._table(), ("signal", "raise_signal"), raising=False)
    library_rules.rule_of.cache_clear()
    yield
    library_rules.rule_of.cache_clear()


def come():
    signal.raise_signal(signal.SIGUSR1)


def test_handlers_are_told_as_they_were_set(set_handler):
    def one(number, frame): ...
    def other(number, frame): ...

    set_handler(one)
    assert signal.getsignal(signal.SIGUSR1) is one
    assert set_handler(other) is one
    assert set_handler(signal.SIG_IGN) is other
    assert signal.getsignal(signal.SIGUSR1) is set_handler(signal.SIG_DFL) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL
    with pytest.raises(TypeError, match="signal handler must be"):
        set_handler("one")
    set_handler(signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        come()


def in_gradient(w):
    return grad(lambda: come() or (w * w).sum(), None, w)().asnumpy()


def captured(w, step):
    jit(step, fullgraph=True)(w, Tensor([2.0]))
    return w.asnumpy()


def in_capture(w):
    return captured(w, lambda w, x: come() or w.set_data(w * x))


def after_a_write(w):
    return captured(w, lambda w, x: (w.set_data(w * x), come()))


def in_vmap(w):
    return vmap(lambda x: come() or x * w.sum())(w).asnumpy() / W.sum() * 2


def before_a_run(w):
    pending = w * 2.0
    come()
    return pending.asnumpy()


WHERE = [in_gradient, in_capture, after_a_write, in_vmap, before_a_run]


@pytest.mark.executors
@pytest.mark.parametrize("where", WHERE, ids=lambda f: f.__name__)
def test_a_handler_sees_what_another_thread_would(where, set_handler):
    w, seen = Parameter(Tensor(W), name="w"), []

    def handler(number, frame):
        slope = grad(lambda: (w**3).sum(), None, w)()
        seen.append((w.asnumpy(), slope.asnumpy(), (w + 1.0).asnumpy(), repr(Tensor([1.0]))))

    set_handler(handler)
    np.testing.assert_array_equal(where(w), 2 * W)
    ((value, slope, more, text),) = seen
    np.testing.assert_array_equal(value, W)
    np.testing.assert_allclose(slope, 3 * W**2, 1e-6)
    np.testing.assert_array_equal(more, W + 1)
    assert text.startswith("Tensor(shape=[1]")
    assert type(w) is Parameter
    assert thread.tape is None


def test_what_a_handler_writes_stays(set_handler):
    w = Parameter(Tensor(W), name="w")
    step = jit(lambda x: come() or w.sum() * x, fullgraph=True)
    set_handler(lambda number, frame: w.set_data(w * 10.0))
    assert float(step(Tensor([2.0]))) == 20 * W.sum()
    np.testing.assert_array_equal(w.asnumpy(), 10 * W)


def test_a_handler_waits_for_what_is_uninterrupted(set_handler):
    order = []
    set_handler(lambda number, frame: order.append("handler"))

    @uninterrupted
    def outer():
        inner()
        order.append("outer")

    @uninterrupted
    def inner():
        come()
        order.append("inner")

    outer()
    assert order == ["inner", "outer", "handler"]

    def fail(number, frame):
        raise ArithmeticError

    set_handler(fail)
    with pytest.raises(ArithmeticError):
        inner()
    assert order[3:] == ["inner"]
    assert not thread.context.busy._is_owned()


class Calling(nn.Cell):
    """Calls a function in a branch, once it is captured."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def construct(self, x):
        if x.sum() > 0:
            self.calls and self.calls.pop()()
            return x * 2.0
        return x


def test_what_a_handler_raises_comes_out(set_handler):
    came = []

    def fail(number, frame):
        came.append(number)
        raise ValueError("late")

    set_handler(fail)
    cell, x = Calling(), Tensor(W)
    captured = jit(cell)
    captured(x)
    for function in captured, cell:
        cell.calls.append(come)
        with pytest.raises(ValueError, match=r"^late$"):
            function(x)
    assert len(came) == 2
    assert not captured.dynamic
    np.testing.assert_array_equal(captured(x).asnumpy(), 2 * W)


def test_a_handler_within_a_handler(set_handler):
    w, seen = Parameter(Tensor(W), name="w"), []

    def handler(number, frame):
        if len(seen) < 2:
            seen.append(None)
            grad(lambda: come() or (w * w).sum(), None, w)()
        seen.append(w.asnumpy())

    count = len(contexts)
    set_handler(handler)
    np.testing.assert_array_equal(in_gradient(w), 2 * W)
    for value in seen[2:]:
        np.testing.assert_array_equal(value, W)
    assert len(seen) == 5
    assert len(contexts) == count


def test_a_handler_does_not_wait_for_a_compiler_in_the_background(set_handler):
    compiled, came = threading.Event(), []
    set_handler(lambda number, frame: came.append(number))
    compilation = BackgroundCompilation(object, lambda program: compiled.wait(), 0, None)

    @uninterrupted
    def run():
        come()
        return compilation.program(1)

    assert run() is None
    assert came == [signal.SIGUSR1]
    compiled.set()
    assert compilation.program(2) is not None


SWEEPS = [
    ("plain", "dynamic", "replays", "opcodes", 8, "compute"),
    ("normalized", "jit", "replays", "opcodes", 20, "save"),
    ("normalized", "graph mode", "replays", "signals", 20, "raise"),
    ("plain", "jit", "captures", "opcodes", 2, "compute"),
]


@deferred_only
@pytest.mark.parametrize("network, way, begins, kind, count, act", SWEEPS, ids=str)
def test_handlers_at_places(network, way, begins, kind, count, act):
    with interpreted():
        signals, places, problems = sweep(network, way, begins, kind, count, act=act)
    assert signals == count < places
    assert not problems


@deferred_only
def test_places_are_found_without_the_rule(monkeypatch):
    monkeypatch.setattr(Handler, "__call__", lambda self, *args: self.function(*args))
    with interpreted():
        *_, problems = sweep("plain", "jit", "captures", "opcodes", 4, act="save")
    assert problems


@pytest.mark.parametrize(
    "way, tiers, act", [("dynamic", True, "compute"), ("jit", False, "save"), ("jit", True, "save")]
)
def test_a_training_among_signals(way, tiers, act):
    count, problems = trained("plain", way, tiers, act, 6, steps=8)
    assert count >= 6
    assert not problems


def test_a_handler_that_captures_while_another_capture_begins_or_ends(set_handler):
    """Both replace `print`: at each place of the block's beginning and end."""

    def block():
        with print_replaced():
            assert print is not printer

    printer = print
    set_handler(lambda number, frame: block())
    block()
    for at in range(1, 1 + injection.places("opcodes", block)):
        injection.raised_at("opcodes", block, at, is_signal=True)
        assert print is printer
