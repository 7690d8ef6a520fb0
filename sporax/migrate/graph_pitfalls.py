"""Finds code in a `construct`, or under `jit`, that breaks the graph or is not supported.

`docs/graph_syntax.md` lists the syntax that runs as a graph and the syntax that breaks it; the
rules here find the rows of it that can be detected in the source, without running the program.
"""

import ast
import dataclasses
from typing import Any, TypeGuard

_READS = {"asnumpy", "item", "tolist", "numpy"}
_CHANGES = {
    "append", "extend", "insert", "pop", "popitem", "clear", "remove", "update", "setdefault",
    "reverse", "sort", "add", "discard",
}  # fmt: skip
_CASTS = {"int": "astype(ms.int64)", "float": "astype(ms.float32)", "bool": "x != 0"}
_BUILTINS = {
    "sorted": "ops.sort(x)", "all": "x.all()", "any": "x.any()", "max": "x.max()", "min": "x.min()",
}  # fmt: skip
_KEPT = {"Parameter", "ParameterTuple", "Tensor", "Buffer", "initializer"}  # may be reassigned


@dataclasses.dataclass(frozen=True)
class Pitfall:
    """A line, the problem, and the alternative."""

    line: int
    says: str


def pitfalls(tree):
    """Return [Pitfall] of a module's `construct` methods and functions under `jit`, in order."""
    results, numpy = [], _numpy_names(tree)
    for owner, function in _captured(tree):
        body = _Body(function, owner, numpy)
        results += [Pitfall(node.lineno, says) for node in body.nodes for says in body.wrong(node)]
    return sorted(set(results), key=lambda p: (p.line, p.says))


def _captured(tree):
    """Yield (class or None, function) of the captured functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.bases:
            if any(_is_function(inner) and inner.name == "bprop" for inner in node.body):
                continue  # called on the host, between two graphs
            for statement in node.body:
                if _is_function(statement) and statement.name == "construct":
                    yield node, statement
        elif _is_function(node) and any(_names_jit(d) for d in node.decorator_list):
            yield None, node


def _is_function(node) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def _names_jit(decorator):
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in ("jit", "ms_function")


def _numpy_names(tree):
    """Return the names under which a module imports NumPy."""
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "numpy"
    }


def _dotted(node):
    """Return 'np.random.rand' for an expression of names; None for any other."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else None


class _Body:
    """A captured function, to which the rules are applied."""

    def __init__(self, function, owner, numpy):
        self.function, self.numpy = function, numpy
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        self.arguments = {a.arg for a in arguments} - {"self", "cls"}
        self.nodes = list(_own_nodes(function.body))
        stored = {n.id for n in self.nodes if isinstance(n, ast.Name)
                  and isinstance(n.ctx, ast.Store)}  # fmt: skip
        self.given = self.arguments - stored  # arguments that are not reassigned
        self.own = stored | self.arguments
        self.kept = _kept_attributes(owner)
        self.depending = self._depending()

    def _depending(self):
        """Return the names that may depend on the arguments' values."""
        names = set(self.arguments)
        for node in self.nodes * 2:  # twice: a loop may assign a name after its use
            if isinstance(node, ast.Assign | ast.AugAssign) and _mentions(node.value, names):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        return names

    def wrong(self, node):
        """Yield the messages of the rules for a node."""
        for rule in _RULES:
            says = rule(self, node)
            if says:
                yield says

    def is_argument(self, node):
        """Return True if an expression is an argument of the function, or an element of one."""
        while isinstance(node, ast.Subscript):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.given


def _own_nodes(nodes):
    """Yield all nodes, except for nested functions and classes."""
    for node in nodes:
        if not _is_function(node) and not isinstance(node, ast.ClassDef | ast.Lambda):
            yield node
            yield from _own_nodes(ast.iter_child_nodes(node))


def _mentions(node, names):
    """Return True if an expression has one of the names, other than for its shape or dtype."""
    if isinstance(node, ast.Attribute) and node.attr in ("shape", "dtype", "ndim", "size"):
        return False
    if isinstance(node, ast.Name):
        return node.id in names
    return any(_mentions(child, names) for child in ast.iter_child_nodes(node))


def _kept_attributes(owner):
    """Return {attribute: True if it may be reassigned} of the class's other methods."""
    kept = {}
    for statement in owner.body if owner else ():
        if not _is_function(statement) or statement.name == "construct":
            continue
        for node in ast.walk(statement):
            if not isinstance(node, ast.Assign):
                continue
            names = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
            names |= {n.attr for n in ast.walk(node.value) if isinstance(n, ast.Attribute)}
            for target in node.targets:
                if isinstance(target, ast.Attribute):
                    kept[target.attr] = not _KEPT.isdisjoint(names)
    return kept


# rules: each says what is wrong with a node, or None ------------------------------------------


def _reads_elements(body, node):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in _READS and _mentions(node.func.value, body.depending):
            return f"'.{name}()' reads a Tensor on the host: compute with 'ops', return the Tensor"
    return None


def _converts(body, node):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        name, is_given = node.func.id, isinstance(node.args[0], ast.Name)
        if name in _CASTS and is_given and body.is_argument(node.args[0]):
            return f"'{name}(x)' of a Tensor breaks the graph: write {_CASTS[name]}"
        if name in _BUILTINS and is_given and body.is_argument(node.args[0]):
            return f"'{name}(x)' of a Tensor breaks the graph: write {_BUILTINS[name]}"
    return None


def _calls_numpy(body, node):
    if not isinstance(node, ast.Call):
        return None
    name = _dotted(node.func) or ""
    first = name.partition(".")[0]
    if name.startswith("random.") and "random" not in body.own:
        return f"'{name}' draws on the host: draw with 'ops'"
    if first not in body.numpy or first in body.own:
        return None
    if name.startswith(f"{first}.random."):
        return f"'{name}' draws on the host: draw with 'ops'"
    if any(isinstance(a, ast.Name) and body.is_argument(a) for a in node.args):
        return f"'{name}' of a Tensor breaks the graph and cuts the gradient: use 'ops'"
    return None


def _changes_outside(body, node):
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return None
    function = node.value.func
    if not isinstance(function, ast.Attribute) or function.attr not in _CHANGES:
        return None
    owner = function.value
    if isinstance(owner, ast.Attribute) and _dotted(owner) == f"self.{owner.attr}":
        return (
            f"'{_dotted(function)}' changes the Cell: return what is to be kept, or keep it in a "
            "Parameter"
        )
    if isinstance(owner, ast.Name) and owner.id in body.given:
        return f"'{_dotted(function)}' changes an argument: change a copy, and return that"
    if isinstance(owner, ast.Name) and owner.id not in body.own:
        return f"'{_dotted(function)}' changes what is outside: return what is to be kept"
    return None


def _gives_attribute(body, node):
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        return None
    target: Any
    for target in targets:
        name = _dotted(target) if isinstance(target, ast.Attribute) else None
        if name == f"self.{getattr(target, 'attr', '')}" and not body.kept.get(target.attr):
            return f"'{name}' is given in construct: keep it in a Parameter"
    return None


def _writes_names(body, node):
    if isinstance(node, ast.Nonlocal):
        return f"'{node.names[0]}' of outside is changed: a Parameter may count"
    return None


def _yields(body, node):
    if isinstance(node, ast.Yield | ast.YieldFrom):
        return "'yield' is refused: return a list"
    return "'await' is refused: await outside" if isinstance(node, ast.Await) else None


def _filters(body, node):
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        for loop in node.generators:
            if loop.ifs and isinstance(loop.iter, ast.Name) and body.is_argument(loop.iter):
                return (
                    "how many elements stay depends on numbers: use a mask, which keeps the shape"
                )
    return None


_RULES = (
    _reads_elements, _converts, _calls_numpy, _changes_outside, _gives_attribute, _writes_names,
    _yields, _filters,
)  # fmt: skip
