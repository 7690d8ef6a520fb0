"""`Node`: one statement of a network's `construct`."""

import ast
import inspect
from typing import Any

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.mindspore.rewrite.scoped_value import (
    NodeType,
    ScopedValue,
    expression_of,
    parsed_expression,
    read_value,
    single_targets,
)
from sporax.nn.cell import Cell
from sporax.ops.primitive import Primitive

_TEST = {ast.If: "test", ast.While: "test", ast.For: "iter"}
_OPERANDS = {  # kind of expression -> its operands
    ast.Call: ("args", "keywords"),
    ast.BinOp: ("left", "right"),
    ast.UnaryOp: ("operand",),
    ast.BoolOp: ("values",),
    ast.Compare: ("left", "comparators"),
    ast.Tuple: ("elts",),
    ast.List: ("elts",),
}


def _operands(statement):
    """Return (keyword or None, holder, field or index in the holder) of a statement's operands."""
    if type(statement) in _TEST:
        return [(None, statement, _TEST[type(statement)])]
    if isinstance(statement, ast.Return):
        return [(None, statement, "value")] if statement.value is not None else []
    if not isinstance(statement, ast.Assign):
        return []
    value = statement.value
    if isinstance(value, ast.Dict):
        names = [getattr(key, "value", None) for key in value.keys]
        return [(name, value.values, i) for i, name in enumerate(names)]
    fields = _OPERANDS.get(type(value))
    if fields is None:
        return [(None, statement, "value")]
    operands = []
    for field in fields:
        child = getattr(value, field)
        if not isinstance(child, list):
            operands.append((None, value, field))
        elif field == "keywords":
            operands += [(keyword.arg, keyword, "value") for keyword in child]
        else:
            operands += [(None, child, i) for i in range(len(child))]
    return operands


class Node:
    """One statement of a network: the called object, the arguments, and the assigned variables.

    Nodes come from a `SymbolTree`, or from `create_call_cell` and `create_call_function`.

    >>> node = Node.create_call_cell(nn.ReLU(), ["y"], ScopedValue.create_name_values(["x"]))
    >>> node.get_node_type(), node.get_args()
    (<NodeType.CallCell: 1>, [x])
    """

    def __new__(cls, node_type, *_fields):
        return node_type if isinstance(node_type, Node) else super().__new__(cls)  # a handler

    def __init__(self, node_type, statement: Any = None, name="", instance=None, kind=None):
        if node_type is self:
            return
        self._type, self._name = node_type, name
        self._statement = statement  # the syntax tree, which holds arguments and targets
        self._instance, self._instance_type = instance, kind
        self._body: Any = None  # the Body inside of a branch, a loop, a container or a function
        self._sub_tree = None
        self._manager: Any = None  # the Body that this node is in
        self._attributes = _attributes_of(instance)
        self._arg_providers = {}  # those set

    @staticmethod
    def create_call_cell(cell, targets, args=None, kwargs=None, name="", is_sub_net=False):
        """Create a node for `targets = self.name(*args, **kwargs)`.

        `cell`: a Cell or Primitive. `targets`: ScopedValues or strings. `args`: a list of
        ScopedValues, `kwargs`: a dict of them. `is_sub_net`: whether the node gets a separate
        SymbolTree.
        """
        kinds.instance((Cell, Primitive), "a-cell-or-a-primitive")("Node", cell=cell)
        kinds.STR("Node", name=name)
        kinds.BOOL("Node", is_sub_net=is_sub_net)
        node_type = NodeType.CallCell if isinstance(cell, Cell) else NodeType.CallPrimitive
        name = name or type(cell).__name__
        function = f"self.{name}" if name.isidentifier() else name
        _check_call(cell, args, kwargs)
        node = Node(node_type, _call(function, targets, args, kwargs), name, cell)
        if is_sub_net and isinstance(cell, Cell):
            node._become_tree()
        return node

    @staticmethod
    def create_call_function(function, targets, args=None, kwargs=None):
        """Create a node for `targets = function(*args, **kwargs)`, with the function unchanged.

        >>> Node.create_call_function(ops.abs, ["y"], ScopedValue.create_name_values(["x"]))
        <Node abs: y = abs(x)>
        """
        require(
            callable(function) and hasattr(function, "__name__"),
            "function-argument-type-node",
            "Node.create_call_function",
            function=function,
        )
        name = function.__name__
        return Node(NodeType.CallFunction, _call(name, targets, args, kwargs), name, function)

    @staticmethod
    def create_input(param_name, default=None):
        """Create a node for another parameter of `construct`; `default`: a ScopedValue."""
        kinds.STR("Node", param_name=param_name)
        if default is not None:
            kinds.instance(ScopedValue, "a-scopedvalue")("Node", default=default)
        node = Node(NodeType.Input, ast.arg(param_name), f"input_{param_name}")
        node._default = default
        return node

    _become_tree: Any  # set by `symbol_tree`
    _default = None  # a parameter's default
    _attribute_name = None  # the network's attribute that holds the called object
    _branches, _test = (None, None), None  # the nodes of an `if` and its `else`; the condition

    def __repr__(self):
        return f"<Node {self._name}: {self.get_source_code()}>"

    # what it is -----------------------------------------------------------------------------

    def get_handler(self):
        """Return the node itself."""
        return self

    def get_name(self):
        """Return the node's name, which is unique in a SymbolTree."""
        return self._name

    def get_node_type(self):
        """Return the `NodeType`."""
        return self._type

    def get_instance(self):
        """Return the called Cell, Primitive or function; None if it is unknown."""
        return self._instance

    def get_instance_type(self):
        """Return the type of the called object; for a function, the function itself."""
        if self._instance_type is not None:
            return self._instance_type
        is_function = inspect.isfunction(self._instance)
        return self._instance if is_function else type(self._instance)

    def get_source_code(self):
        """Return the statement's text."""
        if self._type == NodeType.ControlFlow:
            return self._manager.branch_text(self)
        return ast.unparse(ast.fix_missing_locations(self._statement))

    def get_attribute(self, key):
        """Return an attribute of the called Cell or Primitive, or one set here; None if missing."""
        kinds.STR("Node attribute", key=key)
        return self._attributes.get(key)

    def get_attributes(self):
        """Return a dict of the attributes of the called Cell or Primitive and those set here."""
        return self._attributes

    def set_attribute(self, key, value):
        """Store a value with the node, under `key`."""
        kinds.STR("Node attribute", key=key)
        self._attributes[key] = value

    def get_symbol_tree(self):
        """Return the SymbolTree that the node is in, or None."""
        return self._manager.tree if self._manager is not None else None

    get_belong_symbol_tree = get_symbol_tree

    def get_sub_tree(self):
        """Return the SymbolTree of the Cell that a node of type `Tree` calls."""
        require(
            self._type == NodeType.Tree, "node-nodetype-tree", "Node.get_sub_tree", got=self._type
        )
        return self._sub_tree

    @property
    def symbol_tree(self):
        """The SymbolTree of the Cell that the node calls, or None."""
        return self._sub_tree

    def nodes(self):
        """Return the nodes inside a branch, a loop, a container of Cells or a function."""
        return [] if self._body is None else list(self._body.nodes)

    # arguments and targets ------------------------------------------------------------------

    def get_args(self):
        """Return the positional arguments, or operands, as ScopedValues."""
        return [value for name, value in self.arguments() if name is None]

    def get_kwargs(self):
        """Return the keyword arguments as {name: ScopedValue}."""
        return {name: value for name, value in self.arguments() if name is not None}

    def get_targets(self):
        """Return the variables that the statement assigns, as ScopedValues."""
        if self._type == NodeType.Input:
            return [ScopedValue.create_naming_value(self._statement.arg)]
        if self._type == NodeType.Python or not isinstance(self._statement, ast.Assign):
            return []
        return [read_value(target) for target in single_targets(self._statement.targets[0])]

    def arguments(self):
        """Return (name or None, ScopedValue) of each argument, positional ones first."""
        if self._default is not None:
            return [(None, self._default)]
        return [(name, read_value(_get(*slot))) for name, *slot in self._slots()]

    def _slots(self):
        statement = self._statement
        is_call = isinstance(getattr(statement, "value", None), ast.Call)
        if self._type == NodeType.Python or (self._type == NodeType.CellContainer and not is_call):
            return []
        return _operands(statement)

    def set_arg(self, index, arg):
        """Replace the argument at `index` by a ScopedValue or the variable of that name."""
        kinds.instance(int, "an-int")("Node", index=index)
        kinds.instance((ScopedValue, str), "a-scopedvalue-or-a-string")("Node", arg=arg)
        slots = [slot for name, *slot in self._slots() if name is None]
        if not 0 <= index < len(slots):
            raise rejection(
                "in-interval",
                "Node.set_arg",
                index=index,
                interval=f"[0, {len(slots)})",
            )
        self._put(slots[index], arg)

    def set_kwarg(self, key, arg):
        """Replace the keyword argument `key`."""
        slots = {name: slot for name, *slot in self._slots() if name is not None}
        if key not in slots:
            raise rejection("one-of", "Node.set_kwarg", key=key, choices=sorted(slots))
        self._put(slots[key], arg)

    def _put(self, slot, arg):
        new = parsed_expression(arg) if isinstance(arg, str) else expression_of(arg)
        tree, (holder, field) = self.get_symbol_tree(), slot
        new = new if tree is None else tree.objects_named(new)
        if isinstance(holder, list):
            holder[field] = new
        else:
            setattr(holder, field, new)

    def set_arg_by_node(self, arg_idx, src_node, out_idx=None):
        """Replace the argument at `arg_idx` by the output `out_idx` of another node."""
        kinds.instance(int, "an-int")("Node", arg_idx=arg_idx)
        kinds.instance(Node, "a-node")("Node", src_node=src_node)
        targets = src_node.get_targets()
        if out_idx is None:
            require(
                len(targets) == 1,
                "given-node-outputs",
                "Node.set_arg_by_node",
                argument="out_idx",
                count=len(targets),
            )
            out_idx = 0
        kinds.instance(int, "an-int")("Node", out_idx=out_idx)
        if not 0 <= out_idx < len(targets):
            raise rejection(
                "in-interval",
                "Node.set_arg_by_node",
                out_idx=out_idx,
                interval=f"[0, {len(targets)})",
            )
        self.set_arg(arg_idx, targets[out_idx])

    def set_target(self, index, target):
        """Replace the variable that the statement assigns at `index`."""
        targets = single_targets(self._statement.targets[0]) if self.get_targets() else []
        if self._type == NodeType.Input or not 0 <= index < len(targets):
            raise rejection(
                "in-interval",
                "Node.set_target",
                index=index,
                interval=f"[0, {len(targets)})",
            )
        new, old = parsed_expression(str(target)), targets[index]
        if old is self._statement.targets[0]:
            self._statement.targets[0] = new
            return
        for holder in ast.walk(self._statement.targets[0]):
            items = getattr(holder, "elts", [])
            items[:] = [new if item is old else item for item in items]

    def name_function(self, path):
        """Make the statement call the function or attribute of that name."""
        self._statement.value.func = parsed_expression(path)

    # neighbours -----------------------------------------------------------------------------

    def get_arg_providers(self):
        """Return {index of an argument: (node, index of its output)} of the earlier nodes in the
        same body that assign this node's arguments."""
        found = {} if self._manager is None else self._manager.providers(self)
        return found | self._arg_providers

    def set_arg_providers(self, index, provider):
        """Replace the provider of the argument at `index`, without a change of the statement."""
        self._arg_providers[index] = provider

    def get_target_users(self, index=-1):
        """Return {index of an output: [(node, index of its argument)]}; of one output, its list."""
        kinds.instance(int, "an-int")("get_target_users", index=index)
        users = {} if self._manager is None else self._manager.users(self)
        return users if index == -1 else users.get(index, [])

    def get_inputs(self):
        """Return the nodes whose outputs this one reads, one item for each argument."""
        return [node for node, _ in self.get_arg_providers().values()]

    def get_users(self):
        """Return the nodes that read this one's outputs."""
        users = [node for pairs in self.get_target_users().values() for node, _ in pairs]
        return list(dict.fromkeys(users))


def _attributes_of(instance):
    if not isinstance(instance, (Cell, Primitive)):
        return {}
    own = {name: value for name, value in vars(instance).items() if not name.startswith("_")}
    return {**own, "cls": type(instance)}


def _check_call(cell, args, kwargs):
    """Raise RuntimeError for arguments that the cell does not accept; some may be missing."""
    try:
        kind = type(cell)
        taken = inspect.signature(getattr(kind, "construct", kind.__call__))
        taken.bind_partial(None, *(args or ()), **(kwargs or {}))
    except TypeError as error:
        raise rejection(
            "kwargs-fit", "Node.create_call_cell", args=error, kind=kind.__name__
        ) from None


def _get(holder, field):
    return holder[field] if isinstance(holder, list) else getattr(holder, field)


def _call(function, targets, args, kwargs):
    """Create the statement `targets = function(*args, **kwargs)`."""
    kinds.LIST("Node", targets=targets)
    kinds.instance((list, tuple), "a-list")("Node", args=[] if args is None else args)
    kinds.DICT("Node", kwargs={} if kwargs is None else kwargs)
    for target in targets:
        kinds.instance((ScopedValue, str), "scopedvalues-or-strings")("Node", targets=target)
    for arg in args or ():
        kinds.instance(ScopedValue, "scopedvalues")("Node", args=arg)
    for key, arg in (kwargs or {}).items():
        kinds.instance(str, "a-dict-of-strings-to-scopedvalues")("Node", kwargs=key)
        kinds.instance(ScopedValue, "a-dict-of-strings-to-scopedvalues")("Node", kwargs=arg)
    names = [parsed_expression(str(target)) for target in targets]
    target = names[0] if len(names) == 1 else ast.Tuple(names, ast.Store())
    keywords = [ast.keyword(key, expression_of(arg)) for key, arg in (kwargs or {}).items()]
    call = ast.Call(parsed_expression(function), [*map(expression_of, args or ())], keywords)
    return ast.Assign([target], call) if names else ast.Expr(call)
