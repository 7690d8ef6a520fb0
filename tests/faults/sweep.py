"""A sweep: a fault at each of many places of a training step, and what is left after it."""

import collections
import gc
import random
import threading

import numpy as np

from sporax.core.value import thread, updating
from sporax.engine.recorder import in_use
from sporax.engine.trace_tree import forest
from sporax.storage import lending
from tests.faults import injection
from tests.faults.trainings import NETWORKS, Training


class Row:
    """A training, and what the step with the fault finds: "replays" that it was captured, or
    recorded, before; "captures" that it has to be captured; "cold" that in addition all traces are
    forgotten."""

    def __init__(self, training, begins):
        self.training, self.begins, self.references = training, begins, {}
        for _ in range(3):
            self.training.step().asnumpy()
        self.before = self.training.state()
        self.after = self._following(self.before)
        self.flags = self.training.flags()

    def _following(self, state):
        """The state one step after `state`, without a fault."""
        key = tuple(state.values())
        if key not in self.references:
            self.training.load(state)
            self.training.step()
            self.references[key] = self.training.state()
        return self.references[key]

    def _begin(self):
        if self.begins != "replays":
            self.training.forget()
        if self.begins == "cold":
            forest.clear()
            thread.recorder = thread.new_recorder()
        self.training.load(self.before)

    def places(self, kind):
        """At how many places of the step a fault of this kind can come."""
        counts = []
        for _ in range(2):  # the first time fills caches
            self._begin()
            gc.disable()
            try:
                counts.append(injection.places(kind, self.training.step))
            finally:
                gc.enable()
        return counts[-1]

    def problem(self, kind, at):
        """(what is wrong after a fault at a place, or None; the place)."""
        self._begin()
        gc.disable()
        try:
            place, came_out = injection.raised_at(kind, self.training.step, at)
        except BaseException as error:  # noqa: BLE001 - the report has it
            return f"raises {type(error).__name__}: {error}", None
        finally:
            gc.enable()
        open_ends = left_open()
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


def left_open():
    """What is not as between two steps in this thread, and which locks are held."""
    ends = [name for name in ("tape", "saving", "watch", "precision") if getattr(thread, name)]
    if thread.recorder.tracer is not None:
        ends.append("tracer")
    if thread.gates:
        ends.append("gates")
    if not _is_free(updating):
        ends.append("updating")
    ends += ["scopes"] * len(lending.scopes)
    return ends


def has_claims():
    """Whether arrays count as inputs of an operation to come, which may not be given away."""
    mine = id(thread.recorder)
    return any(use() is not None for key, use in list(in_use.items()) if key != mine)


def _is_free(lock):
    """Whether another thread can take a lock."""
    taken = []

    def take():
        taken.append(lock.acquire(blocking=False))
        if taken[0]:
            lock.release()

    other = threading.Thread(target=take)
    other.start()
    other.join()
    return taken[0]


def sweep(network, way, begins, kind, count, seed=0):
    """(faults, places, {problem: Counter of places}) of faults at `count` places of a step, evenly
    among all."""
    training = Training(NETWORKS[network], way)
    with training.mode():
        return _swept(Row(training, begins), kind, count, seed)


def _swept(row, kind, count, seed):
    total = row.places(kind)
    first = random.Random(seed).random()
    ats = np.unique([1 + int((i + first) * total / count) for i in range(min(count, total))])
    problems = collections.defaultdict(collections.Counter)
    for at in ats:
        problem, place = row.problem(kind, int(at))
        if problem is not None:
            problems[problem][place] += 1
            heal()
    return len(ats), total, problems


def heal():
    """Bring a thread back to a clean state, so that one problem does not hide the next."""
    thread.tape = thread.saving = thread.watch = thread.precision = None
    thread.recorder = thread.new_recorder()
    thread.gates = ()
    in_use.clear()
    lending.scopes.clear()
    while updating._is_owned():
        updating.release()
