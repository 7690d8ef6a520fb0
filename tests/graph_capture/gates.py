"""`python -m tests.graph_capture.gates [--threads N] [--only WORD] [--every N]`: a thread records a
function and is held at each step of the recording in turn, while N other threads read, compute
with, save, write and differentiate by the state that it records. Prints a table; exit status 1 if
anything was wrong.

The others must finish while the first thread is held (so it may wait for them), must see all state
as before the call, and must lose no write. While a program is compiled or run, they may read the
new state, and may have to wait for it.
"""

import argparse
import contextlib
import functools
import itertools
import sys
import tempfile
import threading
import time
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.capture.graph_capture import graph, graph_call, tracer
from sporax._src.capture.graph_capture.tracer import GraphTracer
from sporax._src.runtime.engine import compile_policy
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.transforms.lifting.abstract_trace import AbstractTrace

PATIENCE = 60  # seconds, for others that need not wait
MOMENT = 0.3  # seconds, for others that may have to

# what is held -> (owner, name of the function, whether after it, whether others may have to wait)
STEPS = {
    "begin": (GraphTracer, "begin", True, False),
    "operation": (forest, "extend", True, False),
    "lift": (GraphTracer, "lift", True, False),
    "write": (GraphTracer, "before_rebind", True, False),
    "escape": (tracer, "has_escaped", False, False),
    "escaped": (tracer, "has_escaped", True, False),
    "undo": (GraphTracer, "close", False, False),
    "undone": (GraphTracer, "close", True, False),
    "build": (graph, "trace_operation", False, False),
    "built": (graph, "trace_operation", True, False),
    "compile": (graph_call, "prepare", False, True),
    "compiled": (graph_call, "prepare", True, True),
    "donation": (graph_call, "_dead", True, True),
    "results": (graph_call, "_finish", False, True),
    "inner begin": (AbstractTrace, "__enter__", True, False),
    "inner lift": (AbstractTrace, "lift", True, False),
    "inner end": (AbstractTrace, "close", False, False),
}


class Gate:
    """Holds a thread at its n-th arrival at a step."""

    def __init__(self, step, turn):
        self.step, self.turn = step, turn
        self.owner, self.name, self.is_after, self.may_block = STEPS[step]
        self.thread, self.times, self.is_late = None, 0, False
        self.reached, self.left = threading.Event(), threading.Event()

    @contextlib.contextmanager
    def installed(self):
        """Hold the current thread in the block."""
        function, self.thread = getattr(self.owner, self.name), threading.get_ident()

        @functools.wraps(function)
        def gated(*args, **kwargs):
            if not self.is_after:
                self.come()
            result = function(*args, **kwargs)
            if self.is_after:
                self.come()
            return result

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.owner, self.name, gated)
            yield

    def come(self):
        """Count an arrival at the step; hold the thread if it is the chosen one."""
        if threading.get_ident() != self.thread:
            return
        self.times += 1
        if self.times == self.turn:
            self.reached.set()
            is_over = self.left.wait(MOMENT if self.may_block else PATIENCE)
            self.is_late = not is_over and not self.may_block


# what is recorded ---------------------------------------------------------------------------------


class Net(nn.Cell):
    """Two layers; the network that is recorded, and that other threads compute with meanwhile."""

    def __init__(self, host=False):
        super().__init__()
        self.first, self.last = nn.Dense(4, 5), nn.Dense(5, 2)
        for i, p in enumerate(self.get_parameters()):
            values = np.sin(np.arange(p.size) + i).reshape(p.shape)
            p.set_data(Tensor(values.astype(np.float32)))

    def construct(self, x):
        return self.last(ops.tanh(self.first(x)))


class OnHost(nn.Cell):
    """Reads a concrete value, so that a captured function is split at its calls."""

    def construct(self, x):
        return x * float(np.abs(x.asnumpy()).max() > 0)


def forward(state, x):
    """Return the output of a `Net` with this state, computed by NumPy."""
    hidden = np.tanh(x @ state["first.weight"].T + state["first.bias"])
    return hidden @ state["last.weight"].T + state["last.bias"]


class Subject:
    """A function that one thread calls. `extras`: Parameters that it reads and other threads
    write."""

    X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    writes_in = "results"  # the step before which nobody sees what it writes

    def __init__(self, extras=1):
        self.net = Net()
        self.optimizer = nn.Adam(self.net.trainable_params(), 0.01)
        self.extras = [Parameter(Tensor([0.5]), name=f"extra{i}") for i in range(extras)]
        self.handles = {p.name: p for p in self.net.get_parameters()}
        self.handles |= {p.name: p for p in self.optimizer.get_parameters()}
        self.on_host = OnHost()
        self.prepare()

    def prepare(self):
        """Define `function`."""
        self.function = ms.jit(self.step)

    def loss(self, x):
        """Depends on the weights and, with a derivative of 0, on what others write."""
        return (self.net(x) ** 2).sum() + sum((e * 0.0).sum() for e in self.extras)

    def step(self, x):
        """A step of training."""
        weights = self.optimizer.parameters
        loss, gradients = ms.value_and_grad(self.loss, None, weights)(x)
        self.optimizer(gradients)
        return loss

    def call(self):
        """One call, in the thread that is held."""
        return self.function(Tensor(self.X)).asnumpy()

    def state(self):
        """Return {name: array} of everything that may be written to."""
        return {name: handle.asnumpy() for name, handle in self.handles.items()}


class Undone(Subject):
    """Writes and then raises, so that its writes are undone."""

    def step(self, x):
        for p in self.net.get_parameters():
            p.set_data(p * 0.0 + 7.0)
        raise ArithmeticError

    def call(self):
        with contextlib.suppress(ArithmeticError):
            super().call()


class Split(Subject):
    """A call on the host between two stages, which have already run at the end of the capture."""

    writes_in = "undone"

    def step(self, x):
        self.net.last.bias.set_data(self.net.last.bias + 1.0)
        y = self.on_host(self.net(x))
        self.net.first.bias.set_data(self.net.first.bias + y.sum())
        return y


class Branch(Subject):
    """A condition on a Tensor, which becomes an operation at the second capture."""

    def prepare(self):
        super().prepare()
        before = self.state()
        self.function(Tensor(self.X))
        for name, handle in self.handles.items():
            handle.set_data(Tensor(before[name]))
        ms.synchronize()

    def step(self, x):
        y = self.net(x)
        if y.sum() > 100:
            y = y * 2.0
        else:
            y = y * 3.0
        self.net.last.bias.set_data(self.net.last.bias + y.sum())
        return y


class Mapped(Subject):
    """Dynamic code that records a function for `vmap` and for `recompute`."""

    def prepare(self):
        self.function = self.step

    def step(self, x):
        mapped = ms.vmap(lambda row: self.loss(row.reshape(1, 4)))(x)
        again = ms.grad(lambda x: ms.recompute(self.loss, x))(x)
        return mapped.sum() + again.sum()


SUBJECTS = {
    "training": Subject, "undone": Undone, "split": Split, "branch": Branch, "mapped": Mapped,
}  # fmt: skip


# what others do -----------------------------------------------------------------------------------


class Actor:
    """The action of one other thread; `number`: the index of the thread."""

    def __init__(self, subject, states, number):
        self.subject, self.states, self.number = subject, states, number
        self.problem = None

    def act(self):
        """Act; return the problem, or None."""
        raise NotImplementedError

    def check(self):
        """Check the final state; return the problem, or None."""

    def is_one_of(self, values, which):
        """Return None if each array of {name: array} equals its value in one of the states, else a
        text."""
        for name, value in values.items():
            known = [state[name] for state in self.states]
            if not any(np.allclose(value, k, 1e-5, 1e-6) for k in known):
                return f"{which} {name} is {value.ravel()[:3]}, not {known[0].ravel()[:3]}"
        return None

    def is_output(self, y, which):
        """Return None if an array is the network's output in one of the states, else a text."""
        known = [forward(state, Subject.X) for state in self.states]
        if any(np.allclose(y, k, 1e-4, 1e-5) for k in known):
            return None
        return f"{which} {y.ravel()[:3]}, not {known[0].ravel()[:3]}"


class Read(Actor):
    def act(self):
        return self.is_one_of(self.subject.state(), "reads that")


class Compute(Actor):
    def act(self):
        doubled = {name: h * 2.0 for name, h in self.subject.handles.items()}
        found = {name: value.asnumpy() / 2 for name, value in doubled.items()}
        return self.is_one_of(found, "computes that")


class Keep(Actor):
    """Keeps Values, and reads them at the end."""

    def act(self):
        self.kept = {name: h.value() for name, h in self.subject.handles.items()}
        self.pending = {name: h * 1.0 for name, h in self.subject.handles.items()}

    def check(self):
        for kept in self.kept, self.pending:
            found = {name: value.asnumpy() for name, value in kept.items()}
            problem = self.is_one_of(found, "has kept that")
            if problem is not None:
                return problem
        return None


class Save(Actor):
    def act(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "net.ckpt")
            ms.save_checkpoint(self.subject.net, path)
            found = {name: value.asnumpy() for name, value in ms.load_checkpoint(path).items()}
        return self.is_one_of(found, "saves that")


class Serve(Actor):
    def act(self):
        return self.is_output(self.subject.net(Tensor(Subject.X)).asnumpy(), "serves")


class Capture(Actor):
    def act(self):
        net = self.subject.net
        y = ms.jit(lambda x: net(x))(Tensor(Subject.X))
        return self.is_output(y.asnumpy(), "a captured function gives")


class Differentiate(Actor):
    def act(self):
        net, x = self.subject.net, Tensor(Subject.X)
        gradient = ms.grad(lambda: net(x).sum(), None, net.last.weight)()
        known = [_slope(state, Subject.X) for state in self.states]
        if any(np.allclose(gradient.asnumpy(), k, 1e-4, 1e-5) for k in known):
            return None
        return f"a gradient is {gradient.asnumpy()[0]}, not {known[0][0]}"


def _slope(state, x):
    hidden = np.tanh(x @ state["first.weight"].T + state["first.bias"])
    return np.repeat(hidden.sum(0)[None], 2, 0)


class Write(Actor):
    """Writes to a Parameter that the function only reads."""

    def act(self):
        extra = self.subject.extras[self.number % len(self.subject.extras)]
        extra.set_data(extra * 0.0 + 3.0)

    def check(self):
        extra = self.subject.extras[self.number % len(self.subject.extras)]
        return None if extra.asnumpy()[0] == 3.0 else f"its write is lost: {extra.asnumpy()[0]}"


class Train(Actor):
    """Calls the same function."""

    def act(self):
        self.subject.call()


ACTORS = [Read, Compute, Keep, Save, Serve, Capture, Differentiate, Write]


# one row ------------------------------------------------------------------------------------------


def turns(name):
    """Return {step: number of arrivals in a call of a subject}."""
    counts = {}
    for step in STEPS:
        gate, subject = Gate(step, 0), SUBJECTS[name]()
        with gate.installed():
            subject.call()
        counts[step] = gate.times
    return counts


def held(name, step, turn, kinds):
    """Hold a call at a step while one thread per kind of actor acts; return the list of
    problems."""
    subject = SUBJECTS[name](len(kinds))
    before = subject.state()
    twin = SUBJECTS[name]()
    states = [before]
    trainers = sum(kind is Train for kind in kinds)
    for _ in range(1 + trainers):
        twin.call()
        states.append(twin.state())
    if name == "mapped":
        forest.clear()  # else its operations are there already
    gate = Gate(step, turn)
    is_written = gate.may_block or trainers or step == subject.writes_in
    seen = states if is_written else states[:1]
    actors = [kind(subject, seen, i) for i, kind in enumerate(kinds)]
    problems, left = [], threading.Semaphore(0)

    def run(actor):
        try:
            gate.reached.wait(PATIENCE)
            problem = actor.act()
            if problem is not None:
                problems.append(f"{type(actor).__name__}: {problem}")
        except BaseException as error:  # noqa: BLE001 - the report has it
            problems.append(f"{type(actor).__name__}: {_shown(error)}")
        left.release()

    def wait_for_all():
        for _ in actors:
            left.acquire()
        gate.left.set()

    threads = [threading.Thread(target=run, args=(a,), daemon=True) for a in actors]
    threads.append(threading.Thread(target=wait_for_all, daemon=True))
    for thread in threads:
        thread.start()
    try:
        with gate.installed():
            subject.call()
    except BaseException as error:  # noqa: BLE001 - the report has it
        problems.append(f"the call: {_shown(error)}")
    gate.reached.set()
    for thread in threads:
        thread.join(PATIENCE)
        if thread.is_alive():
            return [*problems, "a thread waits for ever"]
    if gate.times < turn:
        problems.append("the step was not reached")
    if gate.is_late:
        problems.append("the others had to wait")
    problems += [f"{type(a).__name__}: {p}" for a in actors if (p := a.check()) is not None]
    found = Read(subject, states[-1:], 0).act()
    return problems if found is None else [*problems, f"in the end: {found}"]


def _shown(error):
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} ({Path(where.filename).name}:{where.lineno}): {error!s:.300}"


@contextlib.contextmanager
def tiers(is_on):
    """Interpret programs first (`is_on`), or compile them immediately, in the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compile_policy, "uses_interpreter", is_on)
        forest.clear()
        yield


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=64)
    parser.add_argument("--every", type=int, default=7, help="of the operations, writes and lifts")
    parser.add_argument("--only", default="", help="a word of the names of the rows to run")
    args = parser.parse_args()
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", ".*has been captured 8 times")
    warnings.filterwarnings("ignore", ".*shapes of a computation change")
    kinds = [*itertools.islice(itertools.cycle(ACTORS), args.threads)]
    rows, wrong = 0, 0
    for is_on, name in itertools.product((True, False), SUBJECTS):
        with tiers(is_on):
            for step, count in turns(name).items():
                for turn in range(1, count + 1, args.every):
                    trains = name == "training" and turn == 1
                    for others in [kinds, [Train] * min(args.threads, 8)] if trains else [kinds]:
                        row = f"{name}, {step} {turn}, tiers {'on' if is_on else 'off'}"
                        row += ", trains" if others[0] is Train else ""
                        if args.only not in row:
                            continue
                        began = time.monotonic()
                        problems = held(name, step, turn, others)
                        rows, wrong = rows + 1, wrong + bool(problems)
                        seconds = time.monotonic() - began
                        print(f"{row:45} {len(problems):3} wrong, {seconds:.1f} s", flush=True)
                        for problem in problems[:5]:
                            print(f"    {problem}", flush=True)
    print(f"{wrong} of {rows} rows wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
