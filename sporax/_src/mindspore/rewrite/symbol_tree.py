"""`SymbolTree`: the statements of a network's `construct`, which can be changed and run again."""

import ast
import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any, NamedTuple

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.mindspore.rewrite.body import Body
from sporax._src.mindspore.rewrite.flatten import Names
from sporax._src.mindspore.rewrite.generate import generated
from sporax._src.mindspore.rewrite.node import Node
from sporax._src.mindspore.rewrite.parse import (
    definition_of,
    is_sub_network,
    names_of,
    read_function,
)
from sporax._src.mindspore.rewrite.scoped_value import CONSTANTS, NodeType, ScopedValue
from sporax._src.mindspore.rewrite.tables import dumped, tabulated
from sporax.io.atomic_write import replacing
from sporax.nn.cell import Cell

_FOLDER = "rewritten_network"
_CALLS = (NodeType.CallCell, NodeType.CallPrimitive, NodeType.Tree)


class Position(NamedTuple):
    """A position before or after a node, for `SymbolTree.insert`."""

    symbol_tree: "SymbolTree"
    node: Node
    before_node: bool


class SymbolTree:
    """The source of a network as nodes, one for each operation.

    `SymbolTree.create(net)` reads it; `insert`, `erase`, `replace` and the methods of `Node` change
    it; `get_network` returns a network that computes it, with the same parameters.

    >>> class Net(nn.Cell):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.relu = nn.ReLU()
    ...     def construct(self, x):
    ...         return self.relu(x) + 1
    >>> tree = SymbolTree.create(Net())
    >>> [node.get_name() for node in tree.nodes()]
    ['input_x', 'relu', 'binop_add', 'return']
    """

    def __new__(cls, handler):
        return handler if isinstance(handler, SymbolTree) else super().__new__(cls)

    def __init__(self, handler):
        if handler is self:
            return
        kinds.instance(Cell, "a-cell")("SymbolTree", handler=handler)
        self._network, self._known = handler, {}
        self.class_name = f"{type(handler).__name__}Opt"
        self.names, self.variables, self.functions = Names(["obj"]), Names(), Names()
        self.methods = {}  # name -> Body of a method that `construct` calls
        self._file = "./network_define.py"

    @classmethod
    def create(cls, network):
        """Create the SymbolTree of a Cell from the source of its `construct`; sub-networks of
        user-defined classes get separate trees."""
        kinds.instance(Cell, "a-cell")("SymbolTree", network=network)
        return cls(network)._read()

    def _read(self):
        construct = type(self._network).construct
        source: Any = definition_of(construct)
        require(
            source is not None, "source-construct-unchanged", "SymbolTree", network=self._network
        )
        self.body = Body(self, source[0], names_of(construct))
        self.body.class_name = source[1]
        self._known[id(self._network)] = self
        read_function(self.body)
        return self

    def give_tree(self, node):
        """Turn a node that calls a user-defined Cell into one of type `Tree`; ignore others."""
        cell = node.get_instance()
        if not is_sub_network(cell):
            return
        if id(cell) not in self._known:
            tree = SymbolTree(cell)
            tree._known = self._known
            tree._read()
        node._type, node._sub_tree = NodeType.Tree, self._known[id(cell)]
        node._attributes = {}

    def mangled(self, name):
        """Return an attribute's name as Python stores it."""
        is_private = name.startswith("__") and not name.endswith("__")
        owner = getattr(getattr(self, "body", None), "class_name", None)
        return f"_{owner.lstrip('_')}{name}" if is_private and owner else name

    # reading --------------------------------------------------------------------------------

    def get_handler(self):
        """Return the tree itself."""
        return self

    def get_origin_network(self):
        """Return the Cell that the tree was created from."""
        return self._network

    def nodes(self, all_nodes=False):
        """Yield the nodes of `construct`; with `all_nodes`, also the nodes inside branches, loops,
        functions, containers and sub-networks."""
        kinds.BOOL("nodes", all_nodes=all_nodes)
        yield from self.all_nodes() if all_nodes else list(self.body.nodes)

    def all_nodes(self, subtree_nodes=True):
        """Return a list of all nodes; `subtree_nodes`: include sub-networks."""
        kinds.BOOL("all_nodes", subtree_nodes=subtree_nodes)
        trees = [self, *self.sub_trees()] if subtree_nodes else [self]
        return [node for tree in trees for body in tree.bodies() for node in body.nodes]

    def bodies(self):
        """Return the Bodies of this tree: `construct`, branches, functions, containers."""
        waiting, visited = [self.body], []
        while waiting:
            body = waiting.pop()
            if any(body is other for other in visited):
                continue
            visited.append(body)
            waiting += [node._body for node in body.nodes if node._body is not None]
        return visited

    def sub_trees(self):
        """Return the SymbolTrees of all nested sub-networks, each once."""
        trees = {}
        for body in self.bodies():
            for node in body.nodes:
                if node._sub_tree is not None and id(node._sub_tree) not in trees:
                    trees[id(node._sub_tree)] = node._sub_tree
                    trees |= {id(tree): tree for tree in node._sub_tree.sub_trees()}
        return list(trees.values())

    def get_node(self, node_name):
        """Return the node of that name in this tree, or None."""
        kinds.STR("SymbolTree", node_name=node_name)
        every = self.all_nodes(subtree_nodes=False)
        return next((node for node in every if node.get_name() == node_name), None)

    def get_inputs(self):
        """Return the nodes of the parameters of `construct`."""
        return [n for n in self.body.nodes if n.get_node_type() == NodeType.Input]

    def unique_name(self, name="output"):
        """Return `name`, with a number appended if a variable has that name already."""
        kinds.STR("SymbolTree", name=name)
        return self.variables.unique(name)

    def print_node_tabulate(self, all_nodes=False):
        """Print a table of the nodes: type, name, source, providers of arguments ([index, (node,
        output)]) and users of results ([index, [(node, argument)]])."""
        kinds.BOOL("print_node_tabulate", all_nodes=all_nodes)
        bodies = self.bodies() if all_nodes else [self.body]
        bodies += [b for tree in self.sub_trees() for b in tree.bodies()] if all_nodes else []
        print("".join(map(tabulated, bodies)))

    def dump(self):
        """Print the nodes of `construct` with the attributes of the called objects."""
        print(dumped(self))

    # changing -------------------------------------------------------------------------------

    def _own(self, node):
        kinds.instance((Node, str), "a-node-or-the-name-of-one")("SymbolTree", node=node)
        own = self.get_node(node) if isinstance(node, str) else node
        if own is None or own.get_symbol_tree() is None:
            raise rejection(
                "tree", "SymbolTree", node=node, items=[n.get_name() for n in self.nodes()]
            )
        return own

    def before(self, node):
        """Return the position before a node or the node of that name."""
        node = self._own(node)
        return Position(node.get_symbol_tree(), node, True)

    def after(self, node):
        """Return the position after a node or the node of that name."""
        node = self._own(node)
        return Position(node.get_symbol_tree(), node, False)

    def insert(self, position, node):
        """Insert a node that is not in a tree at a position; returns the node."""
        kinds.instance(Position, "what-before-or-after-gave")("SymbolTree", position=position)
        kinds.instance(Node, "a-node")("SymbolTree", node=node)
        if node.get_symbol_tree() is not None:
            raise rejection(
                "no-tree-yet-one", "SymbolTree.insert", argument="node", get_name=node.get_name()
            )
        body = position.node._manager
        if body is None or position.symbol_tree is not self:
            raise rejection(
                "tree-argument-value",
                "SymbolTree.insert",
                argument="position",
                get_origin_network=position.symbol_tree.get_origin_network(),
            )
        index = body.nodes.index(position.node) + (not position.before_node)
        _check_position(body, index, node)
        self._name_parts(node, body)
        body.nodes.insert(index, node)
        node._manager = body
        return node

    def _name_parts(self, node, body):
        """Name the node, the object that it calls, and the objects among its arguments."""
        node._name = self.names.unique(node._name)
        top, is_call = body.outermost, node.get_node_type() in _CALLS
        if body.is_container():
            if not is_call:
                raise rejection(
                    "container-takes-cells",
                    "SymbolTree.insert",
                    get_name=node.get_name(),
                    get_node_type=node.get_node_type(),
                )
            node._attribute_name = self._attribute(node.get_name(), node.get_instance())
            node.name_function(node.get_name())
            return
        if is_call:
            if not top.is_method:
                raise rejection(
                    "function-no-method-not",
                    "SymbolTree.insert",
                    get_name=node.get_name(),
                    name=top.function.name,
                )
            name = self._attribute(node.get_name(), node.get_instance())
            node.name_function(f"{top.function.args.args[0].arg}.{name}")
        elif node.get_node_type() == NodeType.CallFunction and node._body is None:
            node.name_function(_global_name(top, node))
        node._statement = self.objects_named(node._statement, top)
        self.variables.taken |= {str(target) for target in node.get_targets()}

    def _attribute(self, name, value):
        """Store a value as an attribute of the network, under a free name; returns the name."""
        own, count, name = self._network, 0, name if name.isidentifier() else "cell"
        free = name
        while hasattr(own, free) and getattr(own, free) is not value:
            count += 1
            free = f"{name}_{count}"
        if not hasattr(own, free):
            setattr(own, free, value)
        return free

    def objects_named(self, syntax, body=None):
        """Return the syntax tree with objects replaced by attributes of the network."""
        tree, receiver = self, (body or self.body).function.args.args[0].arg

        class Named(ast.NodeTransformer):
            def visit_Constant(self, node):
                if isinstance(node.value, CONSTANTS):
                    return node
                name = tree._attribute(f"arg_{type(node.value).__name__}", node.value)
                return ast.Attribute(ast.Name(receiver, ast.Load()), name, ast.Load())

        return Named().visit(syntax)

    def erase(self, node):
        """Remove a node, or the node of that name, from the tree; returns it."""
        node = self._own(node)
        node._manager.nodes.remove(node)
        node._manager = None
        return node

    def replace(self, old_node, new_nodes):
        """Replace a node by nodes, in order; returns the last."""
        kinds.instance(Node, "a-node")("SymbolTree", old_node=old_node)
        kinds.instance((list, tuple), "a-list-of-nodes")("SymbolTree", new_nodes=new_nodes)
        for node in new_nodes:
            kinds.instance(Node, "a-list-of-nodes")("SymbolTree", new_nodes=node)
        last = self._own(old_node)
        for node in new_nodes:
            last = self.insert(self.after(last), node)
        self.erase(old_node)
        return last

    def set_output(self, index, return_value):
        """Replace value `index` of the first `return` of `construct` by a variable, by name."""
        kinds.instance(int, "an-int")("SymbolTree", index=index)
        kinds.STR("SymbolTree", return_value=return_value)
        node = next(n for n in self.body.nodes if n.get_node_type() == NodeType.Output)
        node.set_arg(index, return_value)
        return node

    def set_node_target(self, node, index, target):
        """Replace the variable that a node assigns at `index` by a ScopedValue or a name."""
        kinds.instance((str, ScopedValue), "a-scopedvalue-or-a-string")("SymbolTree", target=target)
        self._own(node).set_target(index, target)
        self.variables.taken.add(str(target))

    def flatten_nodes(self, node, erase_nodes_after_return=False):
        """Replace a branch or a loop by its nodes; with `erase_nodes_after_return`, erase the nodes
        after a `return`."""
        kinds.instance(Node, "a-node")("flatten_nodes", node=node)
        require(
            node.get_node_type() == NodeType.ControlFlow,
            "nodetype-controlflow",
            "flatten_nodes",
            node=node.get_node_type(),
        )
        body = self._own(node)._manager
        index, inner = body.nodes.index(node), node._body.nodes
        body.nodes[index : index + 1] = inner
        for moved in inner:
            moved._manager, moved._name = body, self.names.unique(moved._name)
        node._body.nodes, node._manager = [], None
        types = [n.get_node_type() for n in body.nodes]
        if erase_nodes_after_return and NodeType.Output in types:
            for behind in body.nodes[types.index(NodeType.Output) + 1 :]:
                self.erase(behind)

    def flatten_static_if_control_flow(self):
        """Replace each `if` that attributes of the network decide by the selected branch."""
        for tree in [self, *self.sub_trees()]:
            for node in tree.all_nodes(subtree_nodes=False):
                is_if = node.get_symbol_tree() is not None and node._test is not None
                chosen = tree._decided(node) if is_if and node is node._branches[0] else None
                if chosen is None:
                    continue
                kept, dropped = node._branches if chosen else node._branches[::-1]
                if dropped is not None and dropped.get_symbol_tree() is not None:
                    tree.erase(dropped)
                if kept is not None and kept.get_symbol_tree() is not None:
                    tree.flatten_nodes(kept, erase_nodes_after_return=True)

    def _decided(self, node):
        """Return the truth of an `if`; None if a variable of `construct` or a Tensor decides it."""
        top = node._manager.outermost
        receiver = top.function.args.args[0].arg if top.is_method else None
        names = {n.id for n in ast.walk(node._test) if isinstance(n, ast.Name)}
        if names & (top.local - {receiver}):
            return None
        known: dict[Any, Any] = {
            name: top.namespace[name] for name in names if name in top.namespace
        }
        expression = ast.fix_missing_locations(ast.Expression(node._test))
        code = compile(expression, "<test of an if>", "eval")
        try:
            value = eval(code, {**known, receiver: self._network})  # type: ignore[reportArgumentType]
        except (AttributeError, TypeError, ValueError, LookupError, NameError):
            return None  # not defined before the network runs
        return bool(value) if isinstance(value, (bool, int, float, str, type(None))) else None

    # the rewritten network ------------------------------------------------------------------

    def get_code(self):
        """Return the source of the rewritten network's class and of its dependencies."""
        return generated(self)[0]

    def get_network(self):
        """Return the rewritten network, with the parameters and sub-cells of the original one,
        which should not be used any more. Its source is written to `./rewritten_network`."""
        code, objects, name = generated(self)
        folder = Path(_FOLDER).resolve()
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / f"{name}_{id(self)}.py"
        _write(path, code)
        specification: Any = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(specification)
        vars(module).update(objects)
        sys.modules[path.stem] = module
        specification.loader.exec_module(module)
        return getattr(module, name)(self._network)

    def set_saved_file_name(self, file_name):
        """Set the file for `save_network_to_file`; `.py` is added if missing."""
        kinds.STR("Saving network", file_name=file_name)
        self._file = file_name if file_name.endswith(".py") else f"{file_name}.py"

    def get_saved_file_name(self):
        """Return the file for `save_network_to_file`."""
        return self._file

    def save_network_to_file(self):
        """Write `get_code()` to the file of `set_saved_file_name`."""
        _write(self._file, self.get_code())


def _write(path, text):
    with replacing(path) as temporary:
        Path(temporary).write_text(text, "utf8")


def _check_position(body, index, node):
    """Raise if parameters would not come first, or would be separated."""
    kinds = [n.get_node_type() == NodeType.Input for n in body.nodes]
    is_input = node.get_node_type() == NodeType.Input
    if any(kinds[index:]) or (is_input and not all(kinds[:index])):
        raise rejection(
            "node-not-before-between", "SymbolTree.insert", got=node.get_name(), place=index
        )
    if is_input and body.function is None:
        raise rejection(
            "parameter-inserted-into-construct",
            "SymbolTree.insert",
            got=node.get_name(),
            get_name=body.owner.get_name(),
        )


def _global_name(body, node):
    """Return a name for the function that a node calls, in the source of `body`."""
    function = node.get_instance()
    own = inspect.unwrap(function).__name__ if function is not None else node.get_name()
    name = own = own if own.isidentifier() else "function"
    count = 0
    while {**body.namespace, **body.called}.get(name, function) is not function:
        count += 1
        name = f"{own}_{count}"
    body.called[name] = function
    return name


def _become_tree(node):
    """Turn a node that calls a user-defined Cell into one of type `Tree`."""
    SymbolTree(node.get_instance()).give_tree(node)


Node._become_tree = _become_tree
