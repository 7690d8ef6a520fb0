"""Which runs are the interpreter's and which are compiled; that both give the same values."""

import os
import signal
import subprocess
import sys
import threading
import time

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.runtime.engine import compile_policy
from sporax._src.runtime.engine.program import Program, compilations
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.engine.verification.agreement import Tolerance
from sporax._src.runtime.numpy_interpreter import comparison, interpretation

VALUE = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


def forget():
    """Forget all traces; the one that was begun before ends here."""
    forest.clear()
    (Tensor(1.0) + 1).asnumpy()


@pytest.fixture(autouse=True)
def interpreted_first(monkeypatch):
    forget()
    monkeypatch.setattr(compile_policy, "uses_interpreter", True)


def smooth(x):
    return ops.tanh(x * 2.0) @ x.T


def counted(x):
    total = x.sum()
    while total < 5:
        total = total + 1
    return total


def programs(function, *args, runs=3):
    """(how many programs each run compiled, the results)."""
    counts, results = [], []
    for _ in range(runs):
        before = compilations["programs"]
        results.append(function(*args).asnumpy())
        counts.append(compilations["programs"] - before)
    return counts, results


@pytest.mark.parametrize(
    "function, size, interpreted",
    [(ms.jit(smooth), 3, 1), (smooth, 3, 16), (smooth, 1000, 3), (smooth, 2000, 1)],
    ids=["jit", "dynamic", "more work", "much work"],
)
def test_when_a_trace_is_compiled(function, size, interpreted):
    x = np.linspace(-1, 1, size * size, dtype=np.float32).reshape(size, size)
    counts, results = programs(function, Tensor(x), runs=interpreted + 2)
    assert counts == [0] * interpreted + [1, 0]
    for result in results:
        np.testing.assert_allclose(result, np.tanh(x * 2) @ x.T, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "function, shape, compiled_at",
    [
        (ms.jit(counted), (2, 3), 1),  # captured at the second call; a loop of unknown length
        (lambda x: x @ x, (4000, 4000), 0),  # 6.4e10 multiplications
    ],
    ids=["while", "much work"],
)
def test_what_may_take_long_is_compiled_at_once(function, shape, compiled_at):
    assert programs(function, Tensor(np.zeros(shape, np.float32)), runs=3)[0][compiled_at] == 1


def test_a_deterministic_run_is_compiled_at_once():
    ms.set_deterministic(True)
    try:
        counts, results = programs(smooth, Tensor(VALUE))
    finally:
        ms.set_deterministic(False)
    assert counts == [1, 0, 0]
    assert results[0].tobytes() == results[1].tobytes()


@pytest.fixture
def compiling():
    """The threads in which XLA compiled, in order."""
    threads = []

    def note(event, _, **kw):
        if event == "/jax/core/compile/backend_compile_duration":
            threads.append(threading.current_thread())

    jax.monitoring.register_event_duration_secs_listener(note)
    yield threads
    jax.monitoring.unregister_event_duration_listener(note)


@pytest.mark.parametrize("function", [smooth, ms.jit(smooth)], ids=["dynamic", "jit"])
def test_a_thread_compiles_while_the_interpreter_runs(function, compiled_aside, compiling):
    counts, results = programs(function, Tensor(VALUE), runs=13)
    assert (sum(counts[:4]), sum(counts)) == (0, 1)
    assert len(compiling) == 1 and compiling[0] is not threading.main_thread()
    for result in results:
        np.testing.assert_allclose(result, np.tanh(VALUE * 2) @ VALUE.T, rtol=1e-6)


def test_no_run_waits_for_a_program_of_other_outputs(compiled_aside, compiling):
    """The first step of a training often holds, or may give away, other arrays than the next."""
    x, held = Tensor(VALUE), []

    def step():
        inner = ops.tanh(x * 2.0)
        held[:] = [inner] if held else [None]
        return inner @ x.T

    counts, results = programs(step, runs=13)
    assert (sum(counts[:2]), sum(counts)) == (0, 1)
    assert len(compiling) == 1 and compiling[0] is not threading.main_thread()
    for result in results:
        np.testing.assert_allclose(result, np.tanh(VALUE * 2) @ VALUE.T, rtol=1e-6)


def test_no_run_waits_while_the_effect_of_rounding_is_measured(compiled_aside, monkeypatch):
    served, differences = threading.Event(), iter([[0], []])  # far, then near

    def wider(self, *args):
        args[-1]()  # `measuring`
        assert served.wait(60)
        yield self

    monkeypatch.setattr(Tolerance, "wider", wider)
    monkeypatch.setattr(comparison, "different", lambda *args: next(differences))
    programs(smooth, Tensor(VALUE), runs=4 + 7 + interpretation.MEASURING)
    served.set()
    programs(smooth, Tensor(VALUE), runs=1)
    assert next(differences, "none left") == "none left"


def test_an_error_of_the_thread_is_raised_where_the_program_runs(compiled_aside, monkeypatch):
    def fail(*operands):
        raise RuntimeError("the compiler failed")

    monkeypatch.setattr(Program, "compile", fail)
    programs(smooth, Tensor(VALUE), runs=11)
    with pytest.raises(RuntimeError, match="the compiler failed"):
        programs(smooth, Tensor(VALUE), runs=1)


EXIT = """
import atexit
import signal
import sys
import time
import numpy as np
from sporax import Tensor, ops
from sporax._src.core.interruptions import uninterrupted
from sporax._src.runtime.engine.program import Program
from sporax._src.runtime.numpy_interpreter import interpretation

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it

def slowly(*operands):
    time.sleep(float(sys.argv[1]))
    compiled(*operands)
    uninterrupted(print)("compiled")

compiled, Program.compile = Program.compile, slowly
interpretation.LONG, interpretation.WORK, interpretation.COMPILE = 0, 0, 50 * interpretation.STEP
for _ in range(15):
    ops.tanh(Tensor(np.ones(2, np.float32)) * 2.0).asnumpy()
atexit.register(print, "end", flush=True)  # called before the handlers that are there already
"""


@pytest.mark.parametrize(
    ("seconds", "is_interrupted", "code", "after"), [(2, False, 0, "compiled"), (60, True, 130, "")]
)
def test_python_ends_while_a_thread_compiles(seconds, is_interrupted, code, after):
    with subprocess.Popen(
        [sys.executable, "-c", EXIT, str(seconds)], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ, "SPORAX_TIERS": "on"},
    ) as run:  # fmt: skip
        assert run.stdout.readline() == "end\n"
        if is_interrupted:
            time.sleep(0.5)  # within the handler at exit
            run.send_signal(signal.SIGINT)
        output, errors = run.communicate()
    assert (run.returncode, output.strip(), errors) == (code, after, "")


def test_errors_are_those_of_the_compiled_run():
    table = Tensor(VALUE)
    for _ in range(2):
        with pytest.raises(IndexError, match=r"indices must be in .* but got 7"):
            table[Tensor([7])].asnumpy()


class Net(nn.Cell):
    """A convolution, norm, pooling, recurrence and attention, to have all of them interpreted."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)
        self.deep = nn.Conv2d(8, 8, 3, group=8, stride=2)
        self.up = nn.Conv2dTranspose(8, 4, 2, stride=2)
        self.pool, self.flat = nn.MaxPool2d(2, 2), nn.Flatten()
        self.lstm, self.dense = nn.LSTM(4, 6, batch_first=True), nn.Dense(6, 3)
        self.drop = nn.Dropout(p=0.3)

    def construct(self, x):
        x = self.pool(self.up(self.deep(ops.relu(self.norm(self.conv(x))))))
        x = x.reshape(x.shape[0], x.shape[1], -1).swapaxes(1, 2)
        scores = ops.softmax(x @ x.swapaxes(1, 2), -1)
        states, _ = self.lstm(scores @ x)
        return self.dense(self.drop(states[:, -1]))


def trained(uses_interpreter, monkeypatch):
    monkeypatch.setattr(compile_policy, "uses_interpreter", uses_interpreter)
    forget()
    ms.set_seed(3)
    net, loss = Net().set_train(), nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 1e-2)
    rng = np.random.default_rng(0)
    x = Tensor(rng.standard_normal((4, 3, 12, 12)).astype(np.float32))
    y = Tensor(np.array([0, 1, 2, 0], np.int32))
    step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
    before = compilations["programs"]
    for i in range(3):
        value, grads = step(x, y)
        optimizer(grads)
        value.asnumpy()
        if i == 0:
            first = compilations["programs"] - before
    return first, [value.asnumpy(), *(p.asnumpy() for p in net.get_parameters())]


def test_training_has_the_same_values_with_and_without_the_interpreter(monkeypatch):
    (first, tiered), (_, compiled) = (trained(on, monkeypatch) for on in (True, False))
    assert first == 0
    for mine, theirs in zip(tiered, compiled, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=2e-4, atol=2e-5)


SCRIPT = """
import sys
import numpy as np, mindspore as ms
from mindspore import nn, Tensor
for seed in range(int(sys.argv[1])):
    ms.set_seed(seed)
    net = nn.SequentialCell(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout(p=0.2), nn.Flatten(),
        nn.Dense(144, 2),
    )
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
    x, y = (Tensor(np.random.randn(8, *s), ms.float32) for s in ((1, 6, 6), (2,)))
    for _ in range(5):
        print(step(x, y).asnumpy().tobytes().hex())
"""


@pytest.mark.parametrize(
    ("mode", "seeds"), [("on", 2), ("off", 2), pytest.param("on", 100, marks=pytest.mark.slow)]
)
def test_two_runs_of_a_script_have_the_same_bits(mode, seeds, tmp_path):
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    outputs = [
        subprocess.run(
            [sys.executable, "-m", "sporax", "run", str(script), str(seeds)], check=True, text=True,
            capture_output=True, env={**os.environ, "SPORAX_TIERS": mode},
        ).stdout
        for _ in range(2)
    ]  # fmt: skip
    assert outputs[0] == outputs[1] and len(set(outputs[0].splitlines())) == 5 * seeds


def test_another_setting_is_refused():
    done = subprocess.run(
        [sys.executable, "-c", "import sporax._src.runtime.engine"], text=True, capture_output=True,
        env={**os.environ, "SPORAX_TIERS": "maybe"},
    )  # fmt: skip
    assert "SPORAX_TIERS must be 'on' or 'off', but got 'maybe'" in done.stderr
