"""Explain to the user why a function is captured (again)."""

import functools
import inspect

import numpy as np

from sporax._src.capture.guards.dependence import marks_of
from sporax._src.capture.guards.guard_types import Attribute, Contents, Entry, same
from sporax._src.capture.staging.symbolic_scalars import ScalarKind, exact
from sporax._src.core.cell_tree import CellProtocol, is_cell, tree
from sporax._src.core.errors import describe
from sporax._src.core.value import Aval
from sporax._src.runtime.engine.debug.compile_log import location

_CONTAINERS = (tuple, list, dict)


def whereabouts(function):
    """Return the definition of a function, as ` (file:line)`."""
    function = _written(inspect.unwrap(function))
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    code = getattr(function, "__code__", None)
    return "" if code is None else f" ({location(code.co_filename, code.co_firstlineno)})"


def _written(function):
    """Return the function with user source: for a Cell, its `construct`."""
    if isinstance(function, functools.partial) and function.func.__name__ == "_called":
        function = function.args[0]
    return getattr(function, "construct", function)


def why(function, kinds, now, tensors, host_results, numbers):
    """Return why a call needs a capture. `kinds`: {kind of arguments: its cache entries}; `now`:
    this call's kind; `host_results`: results of host calls that no entry expected; `numbers`: the
    numbers in its arguments."""
    if host_results:
        return "what a call on the host returned has another shape or dtype"
    entries = kinds.get(now)
    if entries and entries[0].scalars.tensors(numbers) is not None:
        return _since(entries[0], tensors)
    known = [other for other, entries in kinds.items() if entries]
    if not known:
        return "first call"
    then = now if entries else known[-1]
    return _difference(
        function, _filled(then, kinds[then][0].scalars.values), _filled(now, numbers)
    )


def _since(entry, tensors):
    """Describe the failing guard of a cache entry."""
    dependence, graph = entry.dependence, entry.graph
    if any(tensors[i] is not t for i, t in entry.pinned):
        return "an argument that the function also reaches in another way is another Tensor"
    changes = [c for cell, then in graph.cells for c in _in_cell(cell, then)]
    read = next(iter(dependence.changes()), None)
    if read is not None and (isinstance(read, Entry) or not changes):
        return _read(dependence, read)
    flips = [(tensor, was, now) for (tensor, was), (_, now) in _marks(graph) if was != now]
    for tensor, was, now in flips:
        who = _named_tensor(tensor)
        if was[0] != now[0]:
            return f"'requires_grad' of {who} flipped"
        return f"a hook was {'added to' if len(now) > len(was) else 'removed from'} {who}"
    if changes:
        return _of_cells(dependence, changes)
    if (difference := dependence.restructured()) is not None:
        thing, how = difference
        who = _path(dependence, thing) if is_cell(thing) else _named_tensor(thing)
        return f"{who} {how}"
    return "a Parameter or buffer of the function came as an argument"


def _named_tensor(tensor):
    return f"Parameter '{tensor.name}'" if hasattr(tensor, "name") else "a Tensor"


def _marks(graph):
    return zip(graph.marks, marks_of(tensor for tensor, _ in graph.marks), strict=True)


def _read(dependence, guard):
    """Describe a guarded value that changed: its value at capture and now."""
    entry = guard if isinstance(guard, Entry) else guard.read
    kind = guard.description() if entry is None else _kind(dependence, entry)
    if entry is guard:
        return f"{kind} changed from {_short(guard.value)} to {_short(guard.now())}"
    if (
        type(guard) is Contents
        and type(guard.thing) is list
        and entry
        and guard.thing is entry.value
    ):
        return f"{kind} changed from {_short([*guard.items])} to {_short(guard.thing)}"
    return f"what is in {kind} changed"


def _kind(dependence, entry):
    """Describe the name of a guarded value."""
    if isinstance(entry, Attribute) and entry.attribute == "cell_contents":
        return f"the variable '{entry.name}' of the enclosing function"
    if isinstance(entry, Attribute):
        return f"'{entry.name}' of a {type(entry.space).__name__}"
    if entry.owner is not None:
        return f"the attribute '{entry.name}' of the class {entry.owner.__name__}"
    if "__name__" in entry.space:
        return f"the global '{entry.name}'"
    for thing in dependence.followed():
        if getattr(thing, "__dict__", None) is entry.space:
            return f"the attribute '{entry.name}' of a {type(thing).__name__}"
    return f"the attribute '{entry.name}'"


def _in_cell(cell: CellProtocol, then):
    """Yield (Cell, attribute, value at capture, current value) of changed attributes."""
    for i, (name, now) in enumerate(
        zip(cell._captured_names(), cell._captured_state(), strict=True)
    ):
        was = then[i] if i < len(then) else None
        if not same(now, was):
            yield cell, name, was, now


_ORDER = {
    "_cell_hooks": 0,
    "_autocast": 0,
    "_phase": 2,
    "_cell_flags": 2,
}  # the order in which changes are reported


def _of_cells(dependence, changes):
    changes.sort(key=lambda change: _ORDER.get(change[1], 1))
    cell, name, was, now = changes[0]
    others = len({id(c[0]) for c in changes if c[1] == name}) - 1
    where = _path(dependence, cell) + (f" (and {others} more)" if others else "")
    if name == "_cell_hooks":
        verb = "added to" if was is None else "removed from" if now is None else "changed at"
        return f"a hook was {verb} {where}"
    if name == "_autocast":
        return f"'to_float' was called on {where}"
    return f"'{name}' of {where} changed from {_short(was)} to {_short(now)}"


def _path(dependence, cell):
    """Return the path from the function to a Cell, such as `net.block`."""
    roots = [(g.name, g.value) for g in dependence.guards.values() if isinstance(g, Entry)]
    roots += [(type(value).__name__, value) for value in dependence.followed()]
    for label, root in roots:
        if is_cell(root):
            for below, descendant in tree(root):
                if descendant is cell:
                    return f"{label}.{below}" if below else label
    return f"a {type(cell).__name__}"


# arguments --------------------------------------------------------------------------------------


def _difference(function, old, new):
    """Describe the differences of two kinds of arguments, see `graph_capture.input_signature`."""
    old, new = _named(function, old), _named(function, new)
    for label in old.keys() - new.keys():
        return f"argument '{label}' was given before, and is not now"
    for label in new.keys() - old.keys():
        return f"argument '{label}' was not given before, and is now"
    changes = [c for label in new if (c := _changed(f"'{label}'", old[label], new[label]))]
    return "; ".join(changes[:3]) or "the arguments differ"


def _filled(key, numbers):
    """Replace each `ScalarKind` in a kind of arguments by these numbers."""
    remaining = iter(numbers)

    def fill(item):
        if isinstance(item, ScalarKind):
            return exact(next(remaining))
        return tuple(map(fill, item)) if isinstance(item, tuple) else item

    return fill(key[:3])


def _named(function, key):
    """Return {parameter name: kind of its argument}."""
    _, (_, *positional), (_, *named) = key
    try:
        parameters = inspect.signature(_written(function)).parameters.values()
    except (TypeError, ValueError):  # not a Python function
        parameters = ()
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    labels = [p.name for p in parameters if p.kind in by_position]
    star = next((p.name for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL), "args")
    labels += [f"{star}[{i}]" for i in range(len(positional) - len(labels))]
    return dict(zip(labels, positional, strict=False)) | dict(named)


def _changed(label, old, new):
    """Describe the difference of one argument's kind; None if equal."""
    if old == new:
        return None
    if _is_container(old) and _is_container(new) and old[0] is new[0]:
        if len(old) != len(new):
            return f"argument {label} changed from {len(old) - 1} to {len(new) - 1} items"
        if new[0] is not dict:
            pairs = zip(old[1:], new[1:], strict=True)
            items = [(f"{label}[{i}]", o, n) for i, (o, n) in enumerate(pairs)]
        elif dict(old[1:]).keys() == dict(new[1:]).keys():
            items = [(f"{label}[{k!r}]", dict(old[1:])[k], n) for k, n in new[1:]]
        else:
            return f"argument {label} has other keys"
        return next(
            (c for item in items if (c := _changed(*item))), f"the order of {label} changed"
        )
    was, now = _aval(old), _aval(new)
    if was is not None and now is not None:
        if was is now:
            return f"argument {label} is another Parameter, or shared by other arguments"
        shape_only = was.dtype == now.dtype and not was.weak and not now.weak
        return f"argument {label} changed from {describe(was)} to " + (
            f"{now.shape}" if shape_only else describe(now)
        )
    kind = "argument" if was is not None or now is not None else "the Python value"
    return f"{kind} {label} changed from {_word(old)} to {_word(new)}"


def _is_container(key):
    return isinstance(key, tuple) and bool(key) and key[0] in _CONTAINERS


def _aval(key):
    if isinstance(key, tuple) and key and isinstance(key[0], Aval):
        key = key[0]
    return key if isinstance(key, Aval) else None


def _word(key):
    """Describe the kind of an argument."""
    if _aval(key) is not None:
        return describe(_aval(key))
    if not isinstance(key, tuple):
        return f"a {type(key.obj).__name__}"
    if key[0] is float:
        return repr(float.fromhex(key[1]))
    if isinstance(key[0], type) and issubclass(key[0], np.generic):
        return repr(np.frombuffer(key[1], key[0])[0])
    if len(key) == 3 and isinstance(key[1], np.dtype):
        return f"a NumPy array {key[1]} {key[0]}"
    if _is_container(key):
        return f"a {key[0].__name__} of {len(key) - 1}"
    return _short(key[1]) if len(key) == 2 else f"a {key[0].__name__}"


_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def _short(value):
    """Return a short repr of a Python value, without reading Tensors."""
    items = value if value.__class__ in (tuple, list) else (value,)
    if not all(isinstance(item, _PLAIN) for item in items):
        return f"a {type(value).__name__}"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
