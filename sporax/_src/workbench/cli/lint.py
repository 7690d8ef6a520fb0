"""`sporax lint`: static checks of a MindSpore or PyTorch script: missing names, names that differ
between the two libraries, and code that breaks a graph."""

import ast
import dataclasses
import inspect
from typing import Any

from sporax._src.diagnosis import pytorch_names
from sporax._src.diagnosis.rules import message
from sporax._src.mindspore.compat.refused_names import Refused
from sporax._src.workbench.cli.check import Reader, follow, is_absent, parsed, read_each, read_with
from sporax.migrate.call_alignment import CELL_NAMES
from sporax.migrate.differing_names import FACTS
from sporax.migrate.graph_pitfalls import pitfalls

KINDS = {
    "missing": "names that sporax lacks, with PyTorch's methods if a file imports torch",
    "differs": "names whose default or meaning differs in PyTorch, if a file imports torch",
    "graph": "what breaks the graph of a construct, or under jit",
}
_FOUND, _NO_FILE = 1, 2
# PyTorch name -> MindSpore name, where they differ
_OPTIMIZERS = {"RMSprop": "RMSProp", "Adamax": "AdaMax"}
# names that are PyTorch's on modules, but MindSpore's on Tensors
_ON_TENSORS = "float", "half", "double"
# methods of PyTorch -> rules of their remedies
_METHODS = {
    name: rule
    for names in (pytorch_names.TENSOR, pytorch_names.CELL, pytorch_names.OPTIMIZER)
    for name, rule in names.items()
    if name not in _ON_TENSORS
}
_ROOMS = {  # PyTorch module -> MindSpore modules with its counterparts
    "torch.nn": ("mindspore.nn", "mindspore.mint.nn"),
    "torch.nn.functional": ("mindspore.ops", "mindspore.mint.nn.functional"),
    "torch.optim": ("mindspore.nn", "mindspore.mint.optim"),
}


@dataclasses.dataclass(frozen=True)
class Finding:
    """One printed line."""

    location: str
    line: int
    kind: str
    says: str

    def __str__(self):
        return f"{self.location}:{self.line}: {self.kind}: {self.says}"


def lint(paths, skip=(), ported=False):
    """Print the findings below `paths`, except the kinds in `skip`; return the exit code. `ported`:
    list differences from PyTorch also in files that do not import torch.

    0: no findings; 1: a finding, or a file cannot be read; 2: a path does not exist.
    """
    if is_absent(paths):
        return _NO_FILE
    shown, files, unread = [], 0, 0
    for here in read_each(paths, lambda path: findings(parsed(path), ported)):
        if here is None:
            unread += 1
            continue
        here = [finding for finding in here if finding.kind not in skip]
        for finding in here:
            print(finding)
        shown += here
        files += 1
    counts = ", ".join(f"{kind} {sum(f.kind == kind for f in shown)}" for kind in KINDS
                       if kind not in skip)  # fmt: skip
    print(f"files: {files}; {counts}")
    return _FOUND if shown or unread else 0


def findings(trees, ported=False):
    """Return the [Finding] of a program's (place, tree) parts, in line order; see `lint`."""
    mindspore, torch = Reader(), _Calls("torch")
    calls = _Calls("mindspore")
    for reader in (mindspore, calls, torch):
        read_with(reader, trees)
    results = [_finding(use.location, "missing", use.fault) for use in mindspore.uses if use.fault]
    if torch.bound or ported:
        results += _differing(calls, 1)
    if torch.bound:
        results += [*_differing(torch, 0), *_without_counterpart(torch), *_methods(torch)]
    for location, tree in trees:
        results += [Finding(location, p.line, "graph", p.says) for p in pitfalls(tree)]
    order = [location for location, _ in trees]
    return sorted(dict.fromkeys(results), key=lambda f: (order.index(f.location), f.line, f.kind))


def _finding(location, kind, says):
    where, _, line = location.rpartition(":")
    return Finding(where, int(line), kind, says)


class _Calls(Reader):
    """Records calls of a package's names: (place, name, keywords, positional count, is_open), and
    calls of methods of other objects: (place, node).

    `is_open`: the call has a `*` or `**` argument.
    """

    def __init__(self, root):
        super().__init__(root)
        self.calls, self.names, self.methods, self.forwards = [], [], [], []

    def visit_Call(self, node):
        path = self._path(node.func)
        if path is not None:
            keywords = {k.arg for k in node.keywords}
            is_open = any(isinstance(a, ast.Starred) for a in node.args) or None in keywords
            self.calls.append((f"{self.location}:{node.lineno}", path, keywords, len(node.args),
                               is_open))  # fmt: skip
        elif isinstance(node.func, ast.Attribute):
            self.methods.append((f"{self.location}:{node.lineno}", node))
        self.generic_visit(node)

    def visit_ClassDef(self, node):
        if any(self._path(base) == "torch.nn.Module" for base in node.bases):
            self.forwards += [
                f"{self.location}:{item.lineno}"
                for item in node.body
                if isinstance(item, ast.FunctionDef) and item.name == "forward"
            ]
        self.generic_visit(node)

    def _note(self, node, path):
        self.names.append((f"{self.location}:{node.lineno}", path))


def _differing(reader, side):
    """Yield a Finding for each call in the table of differences; side 0: PyTorch, 1: MindSpore."""
    by_name = {}
    for fact in FACTS:
        by_name.setdefault(fact.sides[side].name, []).append(fact)
    for location, path, keywords, count, is_open in reader.calls:
        for fact in by_name.get(path, ()):
            called = fact.sides[side]
            is_given = not keywords.isdisjoint(called.defaults) or count > _position(called, side)
            if called.defaults and (is_open or is_given != fact.when_given):
                continue
            yield _finding(location, "differs", _told(fact, side))


def _position(called, side):
    """Return the position of the first argument of `called.defaults`; 0 if there is none."""
    if not called.defaults:
        return 0
    if side == 0:
        return called.position
    value: Any = follow(called.name)[1]
    return list(inspect.signature(value).parameters).index(next(iter(called.defaults)))


def _told(fact, side):
    here, there = fact.sides[side], fact.sides[1 - side]
    return f"{_written(here)}, {_written(there)}: {fact.says}"


def _written(called):
    defaults = ", ".join(f"{name}={value!r}" for name, value in called.defaults.items())
    return called.name + (f"({defaults})" if defaults else "")


def _without_counterpart(reader):
    """Yield a Finding for each PyTorch layer, function or optimizer without a MindSpore counterpart
    of the same (or a known renamed) name."""
    renamed = CELL_NAMES | _OPTIMIZERS
    for location, path in reader.names:
        room, _, name = path.rpartition(".")
        is_name = room == "torch.nn.functional" or name[:1].isupper()
        if room not in _ROOMS or not is_name or name == "Parameter":  # is mindspore.Parameter
            continue
        there = [f"{r}.{n}" for n in (name, renamed.get(name)) for r in _ROOMS[room]]
        home = next(filter(_is_there, there), None)
        if home is None:
            rooms = " and ".join(_ROOMS[room])
            yield _finding(location, "missing", f"{path} has no counterpart of its name in {rooms}")
        elif not home.endswith(f".{name}"):
            yield _finding(location, "missing", f"{path} is {home}")


def _methods(reader):
    """Yield a Finding for each call of a method of PyTorch's that MindSpore lacks, and for each
    `forward` of a module."""
    for location in reader.forwards:
        yield _finding(location, "missing", "'forward' of a module is 'construct' of a Cell")
    for location, node in reader.methods:
        rule = _METHODS.get(node.func.attr)
        if node.func.attr == "to" and any(map(_is_device, node.args)):
            rule = pytorch_names.TENSOR["cuda"]
        if rule is not None:
            says = f"'.{node.func.attr}()' is PyTorch's. {message(rule)}"
            yield _finding(location, "missing", says)


def _is_device(node):
    """Return True for the text 'cuda', or a variable of the name 'device'."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return (is_text and node.value.startswith("cuda")) or getattr(node, "id", "") == "device"


def _is_there(path):
    name, value = follow(path)
    return name == path and value is not None and not isinstance(value, Refused)
