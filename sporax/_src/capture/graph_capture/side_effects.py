"""Python side effects of a captured function, which a program would not repeat on each call.

The capturing call has the function's side effects: it changes what the function depends on, or
Tensors escape. The function is then captured again on its next call, in case the effect was a
one-time one (a cache that is filled); a function with an effect on every call runs dynamically.
"""

import dis
import gc
import linecache
import random
import threading
import types
from typing import Any

import numpy as np

from sporax._src.capture.graph_capture.retrace_reasons import whereabouts
from sporax._src.capture.guards.attribute_reads import space_of
from sporax._src.capture.guards.bytecode_names import codes_in
from sporax._src.capture.guards.guard_types import Attribute, Entry
from sporax._src.capture.staging.symbolic_scalars import Scalar, concrete
from sporax._src.core.cell_tree import defines, is_cell
from sporax._src.core.errors import is_own, is_users, warn
from sporax._src.core.random import own_draws
from sporax._src.core.tree import itself, map_tensors, tensors_of
from sporax._src.diagnosis.causes import recursion_of
from sporax._src.diagnosis.rules import message, rejection

# outcomes of a capture in place of a graph
ESCAPED = object()  # a recorded Tensor escaped
CONVERTED = object()  # the next capture has converted functions
MAX_CHANGES = 3  # consecutive captures with a side effect


def generator_states():
    """Return (the states of the global random generators of Python and NumPy, the number of draws
    from them by sporax itself)."""
    state: Any = np.random.get_state()
    return (random.getstate(), state[1].tobytes(), state[2:]), own_draws()


def has_escaped(recorder, result, values):
    """Return True if a recorded Value outside of `values` is still referenced, or the result
    contains an object that must be created anew on every call."""
    objects = []
    map_tensors(lambda _: None, result, objects.append)
    if any(defines(type(item), "__next__") or _has_tensors(item) for item in objects):
        return True
    known = {id(v) for v in values} | {id(t._value) for t in tensors_of(result)}
    # references may come from garbage cycles, which are mostly in the young generation
    for generation in None, 1, 2:
        if generation is not None:
            gc.collect(generation)
        if not _others(recorder, known):
            return False
    return True


def _has_tensors(item):
    if isinstance(item, (type, types.FunctionType, types.ModuleType)):
        return False
    return not is_cell(item) and bool(tensors_of(space_of(item) or ()))


def _others(recorder, known):
    return any(v is not None and id(v) not in known for v in [ref() for ref in recorder.outputs])


class SideEffect:
    """A side effect: `what` the function does, in user terms, and the rule of the `remedy`; the
    `name` of the changed variable, if known; the `codes` of the function."""

    def __init__(self, what, remedy, name=None, codes=()):
        self.what, self.remedy, self.name, self.codes = what, message(remedy), name, codes

    def _words(self, name, function):
        """Describe (the function, its effect), with the line of the effect or of the function."""
        line = None if self.name is None else _line(self.name, self.codes)
        if line is None:
            return f"'{name}'{whereabouts(function)}", message("it-does", what=self.what)
        return f"'{name}'", message("it-does-at", what=self.what, line=line)

    def warn(self, name, function):
        """Warn that the function runs dynamically from now on, and why."""
        who, what = self._words(name, function)
        warn(
            f"{who} cannot be captured, since {what}, which a program would not do. It runs "
            f"dynamically from now on, with the same results. To capture it: {self.remedy}",
        )

    def refusal(self, name, function):
        """Return the error for a function that must be captured whole."""
        who, what = self._words(name, function)
        return rejection("jit-fullgraph-true-compute", name=who, what=what, remedy=self.remedy)


SELF_CONTAINING = SideEffect(message("takes-self-containing"), "change-a-copy-without-itself")
ESCAPE = SideEffect(message("leaves-a-tensor-after-its-end"), "return-it-or-set-data")


def changed_argument(snapshot):
    """Return the effect of a function that mutated a container in its arguments; None if all equal
    their snapshot."""
    for guard in snapshot.changes():
        thing = guard.space if isinstance(guard, Attribute) else guard.thing
        return SideEffect(message("changes-what-it-is-given", thing=thing), "change-a-copy")
    return None


def replace_scalars(guards):
    """Replace each `Scalar` that a captured function stored by its concrete number."""
    for guard in guards:
        if isinstance(guard, Entry) and type(now := guard.now()) is Scalar:
            guard.put(concrete(now))


def listed(result):
    """Replace each iterator in a result by a list, since each call copies the result."""
    iterators = []
    map_tensors(itself, result, lambda item: iterators.append(isinstance(item, _ITERATORS)))
    return map_tensors(itself, result, _listed) if any(iterators) else result


def _listed(item):
    return listed(list(item)) if isinstance(item, _ITERATORS) else item


_ITERATORS = (types.GeneratorType, map, filter, zip, enumerate, reversed)


def before(dependence):
    """Return the effect that prevents the capture of a function; None if there is none."""
    codes = dependence.codes
    if dependence.hidden is not None:
        name, why = dependence.hidden
        return SideEffect(message("reads-hidden", name=name, why=why), "read-outside", name, codes)
    if (name := dependence.threads) is not None:
        what = message("computes-in-threads", name=name)
        return SideEffect(what, "start-threads-outside", name, codes)
    if (name := dependence.iterator) is not None:
        return SideEffect(message("uses-iterator", name=name), "take-outside", name, codes)
    if dependence.effect is None:
        return None
    what, name = dependence.effect
    return SideEffect(message("does-at-each-call", what=what), "do-outside", name, codes)


def random_effect(states, dependence):
    """Return the effect if user code drew random numbers since `states`; draws by other threads, or
    by sporax for a seed or an initial value, are ignored."""
    (now, own), (then, own_then) = generator_states(), states
    if now == then:
        return None
    others = threading.active_count() > 1 or own != own_then
    if others and not _names_random(dependence):
        return None
    return SideEffect(message("draws-random-numbers"), "draw-with-ops")


def _names_random(dependence):
    named = any("random" in code.co_names for code in codes_in(dependence.codes))
    return named or any(
        isinstance(getattr(value, "__self__", None), (random.Random, np.random.RandomState))
        for value in dependence.followed()
    )


def after(dependence, graph):
    """Return the effect of a capture; None if all dependencies of the function are unchanged."""
    changes = [] if dependence.changed() is None else dependence.changes()
    if graph is ESCAPED:
        changes = [guard for guard in changes if tensors_of(guard.now())]
    elif not changes and graph.is_valid() and dependence.restructured() is None:
        return None
    if not changes and graph is not ESCAPED:
        return SideEffect(message("changes-attributes"), "make-parameter-and-assign")
    what = message("leaves-a-tensor" if graph is ESCAPED else "changes-what-it-reads")
    remedy = "return-tensor-or-set-data" if graph is ESCAPED else "make-parameter-or-change-outside"
    if changes:
        what = message("does-to-something", what=what, thing=changes[0].description())
    what = message("does-at-each-call", what=what)
    return SideEffect(what, remedy, changes[0].name if changes else None, dependence.codes)


def endless(error, name, is_undone):
    """Return the error for an endless recursion; `is_undone`: True if all state was restored."""
    recursion = recursion_of(error, is_users)
    if recursion is None or is_own(error):
        return error
    state = message("state-as-before") if is_undone else ""
    return rejection("function-must-end", "jit", name=name, recursion=recursion, state=state)


def _line(name, codes):
    """Return the line at which user code writes to a name, or else reads it."""
    lines = [
        (not step.opname.startswith("STORE_"), i, code.co_filename, step.positions.lineno)
        for code in codes_in(codes)
        for i, step in enumerate(dis.get_instructions(code))
        if step.argval == name and step.positions is not None and step.positions.lineno
    ]
    if not lines:
        return None
    _, _, file, line = min(lines)
    return f"{file}:{line}: {linecache.getline(file, line).strip()}"
