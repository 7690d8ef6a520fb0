"""The source of a rewritten network: imports, functions, and a class for each SymbolTree."""

import ast
import copy
import sys
import types

from sporax._src.capture.ast_transform.ast_analysis import written
from sporax._src.mindspore.rewrite.body import parameters
from sporax._src.mindspore.rewrite.flatten import Names
from sporax._src.mindspore.rewrite.scoped_value import NodeType
from sporax.nn.cell import Cell
from sporax.nn.container import index_prefix

_ABSENT = object()


def with_cells(container, items):
    """Return a copy of a container with these (key, cell). Cells with numeric keys are renumbered
    by position, and so are the names of their parameters."""
    if isinstance(container, list):
        return [cell for _, cell in items]
    new = type(container).__new__(type(container))  # type: ignore[reportCallIssue]  # a Cell
    Cell.__setstate__(new, Cell.__getstate__(container))
    new._renumber(items, index_prefix(container))
    return new


def generated(tree):
    """Return (source, {name: object} of objects without an import, class name) of a SymbolTree."""
    source = _Source()
    name = source.class_of(tree)
    return source.text(), source.objects, name


class _Source:
    """Source under construction, in which each object has one name."""

    def __init__(self):
        self.names = Names()
        self.bound, self.imports, self.objects = {}, [], {}
        self.definitions = {}  # text with "_" in place of the name -> the name
        self.texts, self.classes = [], {}

    def text(self):
        """Return the whole source."""
        words = ", ".join(sorted(self.objects))
        notes = [f"# {words}: objects that no import gives, set by SymbolTree"] if words else []
        head = "\n".join([*sorted(set(self.imports)), *notes])
        return "\n\n\n".join([head, *self.texts]) + "\n"

    def bind(self, name, value, owner):
        """Return a name for an object: `name`, with a number if taken. `owner`: its module."""
        if (name, id(value)) in self.bound:
            return self.bound[name, id(value)]
        new = self.bound[name, id(value)] = self.names.unique(name)
        line = _import_of(name, new, value, owner)
        if line is None:
            self.objects[new] = value
        else:
            self.imports.append(line)
        return new

    def define(self, name, make):
        """Add the definition `make(name)` unless one with its text exists; returns its name."""
        text = make("_")
        if text not in self.definitions:
            self.definitions[text] = self.names.unique(name)
            self.texts.append(make(self.definitions[text]))
        return self.definitions[text]

    # functions ------------------------------------------------------------------------------

    def function_of(self, body):
        """Return the syntax tree of a function, with names as they are bound here."""
        syntax = copy.deepcopy(body.definition())
        inner = {}  # functions that have nodes, by their names in calls
        for nested in _within(body):
            for node in nested.nodes:
                if node.get_node_type() == NodeType.CallFunction and _has_source(node):
                    inner[node._body.function.name] = self.plain_function(node._body)
        moved = _Moved(body, lambda name: self._name_of(name, body, inner))
        return moved.function(syntax)

    def _name_of(self, name, body, inner):
        if name in inner:
            return inner[name]
        owner = body.called if name in body.called else body.namespace
        value = owner.get(name, _ABSENT)
        if value is _ABSENT:
            return name  # a builtin, or an undefined name, which raises at run time
        if name in body.called:
            return self.bind(name, value, getattr(value, "__module__", None))
        return self.bind(name, value, _module_of(body.namespace))

    def plain_function(self, body):
        """Add a function; returns its name."""
        syntax = self.function_of(body)

        def make(name):
            syntax.name = name
            return ast.unparse(ast.fix_missing_locations(syntax))

        return self.define(body.function.name, make)

    # classes --------------------------------------------------------------------------------

    def class_of(self, tree):
        """Add the class of a SymbolTree and its sub-networks' classes; returns its name."""
        if tree in self.classes:
            return self.classes[tree]
        kind = type(tree.get_origin_network())
        base = self.bind(kind.__name__, kind, kind.__module__)
        cell = self.bind("Cell", Cell, "sporax.nn")
        lines = [f"{cell}.__init__(self)", f"{cell}.__setstate__(self, {cell}.__getstate__(obj))"]
        for body in tree.bodies():
            lines += [line for node in body.nodes for line in self._settings(node, body)]
        lines = list(dict.fromkeys(lines))  # a Cell may be called more than once
        bodies = [*tree.methods.values(), tree.body]
        methods = "\n\n".join(ast.unparse(self.function_of(body)) for body in bodies)
        start = "\n".join(["def __init__(self, obj):", *(f"    {line}" for line in lines)])
        source = f"{start}\n\n{methods}".replace("\n", "\n    ")

        def make(name):
            return f"class {name}({base}):\n\n    {source}".replace("\n    \n", "\n\n")

        self.classes[tree] = self.define(tree.class_name, make)
        return self.classes[tree]

    def _settings(self, node, body):
        """Return the lines of `__init__` that replace a node's sub-network by the rewritten one."""
        if body.is_container() or node.get_node_type() not in (
            NodeType.Tree,
            NodeType.CellContainer,
        ):
            return []
        value = node._statement.value
        path = value.func if isinstance(value, ast.Call) else value
        if not isinstance(path, ast.Attribute):
            return []
        new = self._replacement(node, f"obj.{path.attr}")
        if new == f"obj.{path.attr}":
            return []
        if isinstance(node.get_instance(), list):
            return [f"self.{path.attr} = {new}"]
        return [f"self._cells[{path.attr!r}] = {new}"]

    def _replacement(self, node, path):
        """Return the expression of a Cell as the tree has it now; `path` if it is unchanged."""
        if node.get_node_type() == NodeType.Tree:
            return f"{self.class_of(node.get_sub_tree())}({path})"
        if node.get_node_type() != NodeType.CellContainer:
            return path
        cells, item_paths = node.get_instance(), {}
        keys = list(getattr(cells, "_cells", range(len(cells))))
        for i, cell in enumerate(cells):
            item_paths.setdefault(id(cell), (str(keys[i]), f"{path}[{i}]"))
        items = []
        for child in node._body.nodes:
            new = "0", f"obj.{child._attribute_name}"  # any number: it is renumbered by position
            key, item_path = item_paths.get(id(child.get_instance()), new)
            items.append((key, self._replacement(child, item_path)))
        if items == [(str(key), f"{path}[{i}]") for i, key in enumerate(keys)]:
            return path
        name = self.bind("with_cells", with_cells, __name__)
        return f"{name}({path}, [{', '.join(f'({key!r}, {cell})' for key, cell in items)}])"


def _module_of(namespace):
    """Return the name of the module that holds a function's global names."""
    return getattr(namespace, "maps", [namespace])[-1].get("__name__")


def _has_source(node):
    body = node._body
    return body is not None and body.function is not None and not body.is_method


def _within(body):
    """Return a Body and its nested Bodies, except functions."""
    bodies = [body]
    for node in body.nodes:
        if node._body is not None and node._body.function is None:
            bodies += _within(node._body)
    return bodies


def _import_of(name, new, value, owner):
    """Return the import statement that names an object `new`; None if there is none."""
    if isinstance(value, types.ModuleType) and sys.modules.get(value.__name__) is value:
        return f"import {value.__name__}" + (f" as {new}" if value.__name__ != new else "")
    for own in (name, getattr(value, "__name__", name)):
        if getattr(sys.modules.get(owner), own, _ABSENT) is value:
            return f"from {owner} import {own}" + (f" as {new}" if own != new else "")
    return None


class _Moved(ast.NodeTransformer):
    """Transform a function's syntax for another module and class: names are `rename`d, private
    attributes and `super()` are written out, annotations are removed."""

    def __init__(self, body, rename):
        self.rename, self.class_name = rename, getattr(body, "class_name", None)
        function = body.function
        self.receiver = function.args.args[0].arg if body.is_method else None
        self.local = {*(arg.arg for arg in parameters(function.args)), *written(function.body)}

    def function(self, syntax):
        self.local |= written(syntax.body)
        syntax.returns = None
        syntax.args = self.visit(syntax.args)
        syntax.decorator_list = [self.visit(one) for one in syntax.decorator_list]
        syntax.body = [self.visit(statement) for statement in syntax.body]
        return ast.fix_missing_locations(syntax)

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_Name(self, node):
        if node.id not in self.local:
            node.id = self.rename(node.id)
        return node

    def visit_Attribute(self, node):
        name = node.attr
        if self.class_name and name.startswith("__") and not name.endswith("__"):
            node.attr = f"_{self.class_name.lstrip('_')}{name}"
        return self.generic_visit(node)

    def visit_Call(self, node):
        plain = isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args
        if plain and self.class_name and self.receiver:
            names = (self.class_name, self.receiver)
            node.args = [ast.Name(name, ast.Load()) for name in names]
        return self.generic_visit(node)
