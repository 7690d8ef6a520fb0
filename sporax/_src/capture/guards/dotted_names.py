"""Dotted names in bytecode, such as `os.path.join`, and the modules of their imports."""

import itertools
import sys
from typing import NamedTuple


class Dotted(NamedTuple):
    """A variable, and the attributes that the code reads from it.

    `kind`: "global", "enclosing" (a closure variable) or "import" (the module `root`, of the
    package `level` levels up). `is_called`: True if the value is only called; `is_bare`: True if it
    is called without arguments.
    """

    kind: str
    root: str
    level: int
    path: tuple
    is_called: bool
    is_bare: bool


def dotted_names(bodies):
    """Return the `Dotted`s in the instructions `bodies` of a function and its nested functions."""
    imported = {}  # local variable -> (module, level, path)
    for steps in bodies:
        imported.update(_imported(steps))
    dotted = set()
    for steps in bodies:
        for i, (opname, name, _) in enumerate(steps):
            if opname in _GLOBALS:
                dotted.add(_dotted(steps, i, "global", name, 0, ()))
            elif opname in _LOCALS and name in imported:
                dotted.add(_dotted(steps, i, "import", *imported[name]))
            elif opname in _ENCLOSING:
                dotted.add(_dotted(steps, i, "enclosing", name, 0, ()))
    return dotted


def loaded_as_values(steps):
    """Return the names of variables and attributes that are loaded other than to be called."""
    return {
        step[1] for i, step in enumerate(steps) if step[0] in _LOADS and not _is_callee(steps, i, i)
    }


def expanded(code, steps):
    """Return [(opname, name, instruction)] of code, with fused instructions split into two."""
    expanded = []
    for step in steps:
        if step.opname == "LOAD_FAST" and step.argval in code.co_cellvars:
            continue  # the cell for a nested function, not its value
        if type(step.argval) is tuple and step.opname.startswith(("LOAD_FAST", "STORE_FAST")):
            first, second = step.argval
            kinds = _PAIRS.get(step.opname, ("LOAD_FAST", "LOAD_FAST"))
            expanded += [(kinds[0], first, step), (kinds[1], second, step)]
        elif step.opname != "EXTENDED_ARG":
            expanded.append((step.opname, step.argval, step))
    return expanded


def _imported(steps):
    """Yield (local variable, (module, level, attributes of it)) of the imports."""
    for i, (opname, name, _) in enumerate(steps):
        if opname != "IMPORT_NAME":
            continue
        level, names = steps[i - 2][1], steps[i - 1][1]
        is_from = type(names) is tuple
        module, path = name if is_from else name.partition(".")[0], ()
        for kind, argument, _ in steps[i + 1 :]:
            if kind == "IMPORT_FROM":
                path = (argument,) if is_from else (*path, argument)
            elif kind in _STORES:
                yield argument, (module, level, path)
                if not path:
                    break
            elif kind not in ("SWAP", "POP_TOP") or (kind == "POP_TOP" and is_from):
                break


def _dotted(steps, i, kind, root, level, path):
    """Return the `Dotted` that begins at step `i`."""
    end = i
    for opname, name, _ in steps[i + 1 :]:
        if opname not in _ATTRIBUTES:
            break
        path, end = (*path, name), end + 1
    is_called = _is_callee(steps, i, end)
    after = itertools.dropwhile(lambda s: s[0] in ("PUSH_NULL", "PRECALL"), steps[end + 1 :])
    opname, count, _ = next(after, ("", None, None))
    return Dotted(kind, root, level, path, is_called, opname == "CALL" and count == 0)


def _is_callee(steps, i, end):
    """Return True if the value loaded by the steps `i` to `end` is only called: a NULL, or the
    object of a method, is next to it on the stack."""
    opname, _, step = steps[end]
    if opname == "LOAD_METHOD" or "NULL" in step.argrepr:
        return True
    beside = end + 1 if sys.version_info >= (3, 13) else i - 1
    return 0 <= beside < len(steps) and steps[beside][0] == "PUSH_NULL"


_PAIRS = {
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}
_GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_ENCLOSING = {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}
_LOCALS = {*_ENCLOSING, "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "LOAD_FAST_BORROW"}
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}
_LOADS = {*_GLOBALS, *_ENCLOSING, *_ATTRIBUTES}
_STORES = {"STORE_FAST", "STORE_DEREF", "STORE_NAME", "STORE_GLOBAL"}
