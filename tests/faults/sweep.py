"""Injects a fault or a signal at each of many places of a training step, and checks the state
left."""

import collections
import contextlib
import gc
import random
import threading

import numpy as np

from sporax._src.core.value import contexts, thread, updating
from sporax._src.runtime.engine.recorder import in_use, run_pending
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.storage import lending
from tests.faults import injection
from tests.faults.handlers import ACTS
from tests.faults.trainings import NETWORKS, Training


class Row:
    """A training, and how its step with the fault begins: "replays": it was captured, or recorded,
    before; "captures": it must be captured; "cold": in addition, all traces are cleared."""

    def __init__(self, training, begins):
        self.training, self.begins, self.references = training, begins, {}
        for _ in range(3):
            self.training.step().asnumpy()
        self.before = self.training.state()
        self.after = self._following(self.before)
        self.flags, self.contexts = self.training.flags(), len(contexts)

    def _following(self, state):
        """Return the state one step after `state`, without a fault."""
        key = tuple(state.values())
        if key not in self.references:
            self.training.load(state)
            self.training.step()
            self.references[key] = self.training.state()
        return self.references[key]

    def _begin(self):
        run_pending()  # pending work of the previous step must not count
        if self.begins != "replays":
            self.training.forget()
        if self.begins == "cold":
            forest.clear()
            thread.recorder = thread.new_recorder()
        self.training.load(self.before)

    def places(self, kind):
        """Return the number of places of the step at which a fault of this kind can occur."""
        counts = []
        for _ in range(2):  # the first run fills caches
            self._begin()
            gc.disable()
            try:
                counts.append(injection.places(kind, self.training.step))
            finally:
                gc.enable()
        return counts[-1]

    def problem(self, kind, at, act=None):
        """Return (problem after a fault at a place, or None; the place). `act`: one of
        `handlers.ACTS`, run by a signal handler there instead of a fault."""
        handler = contextlib.nullcontext() if act is None else ACTS[act](self.training)
        place = None
        while place is None:  # a step has fewer places if its program exists
            self._begin()
            gc.disable()
            try:
                with handler:
                    place, count, came_out = injection.raised_at(
                        kind, self.training.step, at, bool(act)
                    )
            except BaseException as error:  # noqa: BLE001 - the report has it
                return f"raises {type(error).__name__}: {error}", None
            finally:
                gc.enable()
            at -= count
        if act is not None:
            problem = self._problem_of(handler)
            if problem is not None:
                return problem, place
        open_ends = left_open() + ["contexts"] * (len(contexts) - self.contexts)
        try:
            state = self.training.state()
        except BaseException as error:  # noqa: BLE001 - the report has it
            return f"unreadable: {type(error).__name__}: {error}", place
        if open_ends:
            return f"left open: {', '.join(open_ends)}", place
        if self.training.flags() != self.flags:
            return "modes, hooks or code differ", place
        allowed = self.training.allowed(self.before, self.after)
        if state not in (allowed if came_out else [self.after]):
            changed = [name for name, data in state.items() if data != self.before[name]]
            return f"half a step: {changed}", place
        try:
            self.training.step()
            following = self.training.state()
        except BaseException as error:  # noqa: BLE001 - the report has it
            return f"next step: {type(error).__name__}: {error}", place
        if following != self._following(state):
            return "the next step is another", place
        if has_claims():
            return "arrays count as inputs of what will never run", place
        return None, place

    def _problem_of(self, handler):
        """Return what a signal handler found wrong, or how its view of the state is
        inconsistent."""
        if handler.count != 1:
            return f"the handler came {handler.count} times"
        if handler.problem is not None:
            return f"in the handler: {handler.problem}"
        state, before = handler.state, self.before
        if state not in self.training.allowed(before, self.after):
            return f"the handler sees half a step: {[n for n in state if state[n] != before[n]]}"
        return None


def left_open():
    """Return the thread state that was not reset after a step, and the locks that are held."""
    names = "tape", "saving", "watch", "precision", "gates"
    ends = [name for name in names if getattr(thread, name)]
    ends += ["postponed"] * len(thread.context.postponed)
    if thread.recorder.tracer is not None:
        ends.append("tracer")
    locks = {"updating": updating, "lending": lending.lock, "busy": thread.context.busy}
    ends += [name for name, lock in locks.items() if not _is_free(lock)]
    ends += ["scopes"] * len(lending.scopes) + ["own Values"] * len(lending._own)
    return ends


def has_claims():
    """Return True if arrays are still registered as inputs of a pending operation, so that they
    cannot be donated."""
    mine = id(thread.recorder)
    return any(use() is not None for key, use in list(in_use.items()) if key != mine)


def _is_free(lock):
    """Return True if another thread can acquire a lock."""
    taken = []

    def take():
        taken.append(lock.acquire(blocking=False))
        if taken[0]:
            lock.release()

    other = threading.Thread(target=take)
    other.start()
    other.join()
    return taken[0]


def sweep(network, way, begins, kind, count, seed=0, act=None):
    """Run faults, or signals, at `count` evenly spaced places of a step; return (number of faults,
    number of places, {problem: Counter of places})."""
    training = Training(NETWORKS[network], way)
    with training.mode():
        return _swept(Row(training, begins), kind, count, seed, act)


def _swept(row, kind, count, seed, act):
    gc.collect()  # the frames of earlier tests' errors hold inputs of what failed there
    total = row.places(kind)
    first = random.Random(seed).random()
    ats = np.unique([1 + int((i + first) * total / count) for i in range(min(count, total))])
    problems = collections.defaultdict(collections.Counter)
    for at in ats:
        problem, place = row.problem(kind, int(at), act)
        if problem is not None:
            problems[problem][place] += 1
            heal()
    return len(ats), total, problems


def heal():
    """Reset a thread to a clean state, so that one problem does not hide the next."""
    thread.tape = thread.saving = thread.watch = thread.precision = None
    thread.gates, thread.recorder = (), thread.new_recorder()
    thread.context.postponed.clear()
    in_use.clear()
    lending.scopes.clear()
    for lock in updating, lending.lock, thread.context.busy:
        while lock._is_owned():
            lock.release()
