"""The nodes of a function, read from its source."""

import ast
import builtins
import collections
import copy
import inspect
import site
import sysconfig
import types

from sporax._src import PACKAGE
from sporax._src.capture.ast_transform.ast_analysis import walk, written
from sporax._src.capture.ast_transform.convert import written_definition
from sporax._src.mindspore.rewrite.body import Body, parameters
from sporax._src.mindspore.rewrite.flatten import flat
from sporax._src.mindspore.rewrite.node import Node
from sporax._src.mindspore.rewrite.scoped_value import NodeType, single_targets
from sporax.nn.cell import Cell
from sporax.nn.container import CellList, SequentialCell
from sporax.ops.primitive import Primitive

_LIBRARIES = (PACKAGE, *site.getsitepackages(), sysconfig.get_path("stdlib"))
_OPERATORS = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare)
_SIMPLE = (ast.Name, ast.Attribute, ast.Tuple, ast.Constant)
_LOOPS = {ast.For: "for", ast.While: "while"}
_NOT_THERE = object()
kept_whole: list[type] = []  # classes whose Cells get no tree; MindSpore: _subtree_black_list


def is_sub_network(cell):
    """Return True if a Cell gets a separate SymbolTree: its class is a user's, with source."""
    inside = inspect.unwrap(type(cell).construct).__code__.co_filename.startswith(PACKAGE)
    inside = inside or isinstance(cell, tuple(kept_whole))
    return not inside and definition_of(type(cell).construct) is not None


def is_container(value):
    """Return True if `value` holds Cells in order and does not override `construct`."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(cell, Cell) for cell in value)
    plain = (SequentialCell.construct, CellList.construct)
    return isinstance(value, (SequentialCell, CellList)) and type(value).construct in plain


def definition_of(function):
    """Return (a copy of the `def`, the name of the enclosing class); None without source."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    definition = code and written_definition(code)
    if not definition or not isinstance(definition[0], ast.FunctionDef):
        return None
    return copy.deepcopy(definition[0]), definition[1]


def names_of(function):
    """Return the values of a function's global names and free variables."""
    function = inspect.unwrap(function)
    free = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells = {name: _content(cell) for name, cell in free.items() if name != "__class__"}
    cells = {name: value for name, value in cells.items() if value is not _NOT_THERE}
    return collections.ChainMap(cells, function.__globals__)


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _NOT_THERE


def read_function(body):
    """Fill a Body with the nodes of its function."""
    return _Reader(body).function()


class _Reader:
    """Read the statements of one function into a Body and its nested Bodies."""

    def __init__(self, body):
        self.tree, self.body, self.top = body.tree, body, body
        function = body.function
        arguments = [arg.arg for arg in parameters(function.args)]
        self.local = body.local = {*arguments, *written(function.body)}
        self.receiver = arguments[0] if body.is_method and arguments else None
        self.classes = {}  # variable -> the class of Primitive that it is an instance of

    def function(self):
        function, tree = self.body.function, self.tree
        tree.variables.taken |= self.local
        for arg in parameters(function.args):
            if arg.arg == self.receiver:
                continue
            is_star = arg in (function.args.vararg, function.args.kwarg)
            kind = NodeType.Python if is_star else NodeType.Input
            self._add(kind, arg, "arg" if is_star else f"input_{arg.arg}")
        statements = function.body
        self.block(statements[1:] if ast.get_docstring(function) is not None else statements)

    def block(self, statements):
        tests = {s: copy.deepcopy(s.test) for s in statements if isinstance(s, ast.If)}
        for statement in flat(statements, self.tree.variables):
            if isinstance(statement, ast.If):
                self.branches("if_node", "else_node", statement, tests[statement])
            elif type(statement) in _LOOPS:
                word = _LOOPS[type(statement)]
                self.branches(f"{word}_node", f"{word}_else_node", statement, None)
            elif isinstance(statement, ast.Return):
                self._add(NodeType.Output, statement, "return")
                return  # the following statements never run
            elif isinstance(statement, ast.Assign):
                self.assign(statement)
            else:
                self._add(NodeType.Python, statement, type(statement).__name__)

    def _add(self, node_type, statement, name, instance=None, instance_type=None):
        node = Node(node_type, statement, name, instance, instance_type)
        return self.body.append(node)

    def branches(self, name, else_name, statement, test):
        outer, nodes = self.body, []
        for title, statements in ((name, statement.body), (else_name, statement.orelse)):
            if not statements:
                nodes.append(None)
                continue
            self.body = outer
            nodes.append(self._add(NodeType.ControlFlow, statement, title))
            nodes[-1]._test = test
            self.body = Body(self.tree, owner=nodes[-1])
            self.block(statements)
        self.body = outer
        for node in nodes:
            if node is not None:
                node._branches = tuple(nodes)

    def assign(self, statement):
        value = statement.value
        if len(statement.targets) == 1 and isinstance(value, ast.Call):
            self.call(statement)
            return
        node_type, name = NodeType.CallMethod, None
        kind = type(value).__name__.lower()
        if isinstance(value, _OPERATORS):
            node_type = NodeType.MathOps
            operators = value.ops if isinstance(value, ast.Compare) else [value.op]
            name = "_".join([kind, *(type(op).__name__.lower() for op in operators)])
        elif isinstance(value, ast.Subscript):
            name = "subscript_var"
        elif isinstance(value, (ast.Constant, ast.Name, ast.Attribute)):
            instance = self._resolve(value) if isinstance(value, ast.Attribute) else None
            if is_container(instance):
                self.container(statement, ast.unparse(value), instance)
                return
            name = f"{kind}_assign"
        elif isinstance(value, (ast.Tuple, ast.List)):
            name = kind if all(isinstance(item, _SIMPLE) for item in value.elts) else None
        elif isinstance(value, ast.Dict):
            keys = all(isinstance(getattr(key, "value", None), str) for key in value.keys)
            name = "dict" if keys and all(isinstance(v, _SIMPLE) for v in value.values) else None
        if name is None or len(statement.targets) > 1:
            self._add(NodeType.Python, statement, type(statement).__name__)
        else:
            self._add(node_type, statement, name)

    # calls ----------------------------------------------------------------------------------

    def _resolve(self, function):
        """Return the value of a name or a path of attributes; `_NOT_THERE` if it is not known."""
        root, names = function, []
        while isinstance(root, ast.Attribute):
            root, names = root.value, [root.attr, *names]
        if not isinstance(root, ast.Name):
            return _NOT_THERE
        if root.id == self.receiver:
            value = self.tree.get_origin_network() if len(names) == 1 else _NOT_THERE
        elif root.id in self.local:
            return _NOT_THERE
        else:
            value = self.top.namespace.get(root.id, getattr(builtins, root.id, _NOT_THERE))
        for name in names:
            value = getattr(value, self.tree.mangled(name), _NOT_THERE)
        return value

    def call(self, statement):
        function = statement.value.func
        text = ast.unparse(function)
        name = getattr(function, "attr", None) or getattr(function, "id", text)
        callee = self._resolve(function)
        if text in self.classes:
            self._add(NodeType.CallPrimitive, statement, name, None, self.classes[text])
        elif is_container(callee):
            self.container(statement, name, callee)
        elif isinstance(callee, Cell):
            self.cell(statement, name, callee)
        elif isinstance(callee, Primitive):
            self._add(NodeType.CallPrimitive, statement, name, callee)
        elif inspect.ismethod(callee) and callee.__self__ is self.tree.get_origin_network():
            self.method(statement, name, callee)
        elif isinstance(callee, types.FunctionType):
            self.plain_function(statement, name, text, callee)
        else:
            if isinstance(callee, type) and issubclass(callee, Primitive):
                targets = single_targets(statement.targets[0])
                self.classes |= {ast.unparse(target): callee for target in targets}
            self._add(NodeType.CallFunction, statement, name)

    def cell(self, statement, name, cell):
        self.tree.give_tree(self._add(NodeType.CallCell, statement, name, cell))

    def container(self, statement, name, cells):
        node = self._add(NodeType.CellContainer, statement, name, cells)
        outer, self.body = self.body, Body(self.tree, owner=node)
        for cell in cells:
            name, call = type(cell).__name__, self._inner_call(statement)
            if is_container(cell):
                self.container(call, name, cell)
            else:
                self.cell(call, name, cell)
            node = self.body.nodes[-1]
            node.name_function(node.get_name())
        self.body = outer

    def _inner_call(self, statement):
        call = copy.deepcopy(statement)
        if not isinstance(call.value, ast.Call):
            call.value = ast.Call(call.value, [], [])
        return call

    def method(self, statement, name, method):
        definition = definition_of(method.__func__)
        is_library = method.__func__.__code__.co_filename.startswith(PACKAGE)
        node = self._add(NodeType.CallFunction, statement, name, method)
        if definition is None or is_library:
            node._instance = None
            return
        body = self.tree.methods.get(name)
        if body is None:
            body = Body(self.tree, definition[0], names_of(method.__func__), owner=node)
            body.class_name = definition[1]
            self.tree.methods[name] = body
            read_function(body)
        node._body = body

    def plain_function(self, statement, name, text, function):
        code, source = function.__code__, None
        is_library = code.co_filename.startswith(_LIBRARIES)
        if not (is_library or code.co_freevars or self._is_inside(function)):
            source = definition_of(function)
        if source is None or any(isinstance(n, _CLOSED) for n in walk(source[0].body)):
            if code.co_filename.startswith(PACKAGE) and function.__name__ != text:
                name = f"{function.__name__}_opt"  # MindSpore's name for its copies
            self._add(NodeType.CallFunction, statement, name, function)
            return
        definition, class_name = source
        own = definition.name if definition.name == text else f"{definition.name}_opt"
        definition.name = self.tree.functions.unique(own)
        statement.value.func = ast.Name(definition.name, ast.Load())
        node = self._add(NodeType.CallFunction, statement, definition.name, function)
        body = Body(self.tree, definition, names_of(function), owner=node)
        body.is_method, body.class_name = False, class_name
        read_function(body)

    def _is_inside(self, function):
        """Return True if a function is called in its source."""
        body = self.top
        while body.owner is not None:
            if body.owner.get_instance() is function:
                return True
            body = body.owner._manager.outermost
        return False


_CLOSED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Yield, ast.YieldFrom)
