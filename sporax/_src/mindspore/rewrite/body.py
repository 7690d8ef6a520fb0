"""`Body`: the nodes of a function, a branch, a loop or a container of Cells, in order."""

import ast
import copy
from typing import Any

from sporax._src.mindspore.rewrite.scoped_value import NodeType, expression_of


class Body:
    """Nodes in order. `function`: the `def` they come from; None for branches and containers.
    `namespace`: the values of its global names. `owner`: the node that contains this body."""

    class_name: Any

    def __init__(self, tree, function=None, namespace=None, owner=None):
        self.tree = tree
        self.function: Any = function
        self.owner: Any = owner
        self.namespace = {} if namespace is None else namespace
        self.called = {}  # name -> function, for nodes inserted by the user
        self.nodes, self.local = [], set()  # `local`: names of the function's own variables
        self.is_method = True
        if owner is not None:
            owner._body = self

    def append(self, node):
        """Append a node; it gets a name that is unique in the tree."""
        node._name = self.tree.names.unique(node._name)
        node._manager = self
        self.nodes.append(node)
        return node

    @property
    def outermost(self):
        """The Body of the function that contains this one."""
        inner = self.owner is not None and self.function is None
        return self.owner._manager.outermost if inner else self  # type: ignore[reportOptionalMemberAccess]  # `inner`

    @property
    def title(self):
        """The path of the names of the enclosing nodes, for tables."""
        if self.owner is None:
            return self.tree.class_name
        return f"{self.owner._manager.title}.{self.owner.get_name()}"

    def is_container(self):
        """Return True if this is the body of a SequentialCell or CellList."""
        return self.owner is not None and self.owner.get_node_type() == NodeType.CellContainer

    # who reads what -------------------------------------------------------------------------

    def _links(self):
        """Return (node, argument's index, provider, output's index) of each argument that an
        earlier node assigns."""
        last, links = {}, []
        for node in self.nodes:
            for i, (_, value) in enumerate(node.arguments()):
                if value in last:
                    links.append((node, i, *last[value]))
            last.update((target, (node, k)) for k, target in enumerate(node.get_targets()))
        return links

    def providers(self, node):
        """Return {argument's index: (node, output's index)}."""
        return {i: (source, k) for reader, i, source, k in self._links() if reader is node}

    def users(self, node):
        """Return {output's index: [(node, argument's index)]}."""
        users = {}
        for reader, i, source, k in self._links():
            if source is node:
                users.setdefault(k, []).append((reader, i))
        return dict(sorted(users.items()))

    # source ---------------------------------------------------------------------------------

    def statements(self):
        """Return the syntax trees of the nodes."""
        statements = [statement for node in self.nodes for statement in self._statements_of(node)]
        return statements or [ast.Pass()]

    def _statements_of(self, node):
        if isinstance(node._statement, ast.arg):  # a parameter is part of the `def`
            return []
        if node.get_node_type() != NodeType.ControlFlow:
            return [node._statement]
        body, orelse = node._branches
        if node is orelse and any(body is other for other in self.nodes):
            return []
        new = copy.copy(node._statement)
        new.body = body._body.statements() if node is body else [ast.Pass()]
        has_else = any(orelse is other for other in self.nodes)
        new.orelse = orelse._body.statements() if has_else else []
        return [new]

    def definition(self):
        """Return the `def` with the statements of the nodes and the current parameters."""
        new = copy.copy(self.function)
        new.args = copy.copy(self.function.args)
        inputs = [n for n in self.nodes if isinstance(n._statement, ast.arg)]
        kept = {id(n._statement) for n in inputs}
        receiver = self.function.args.args[:1] if self.is_method else []
        known = {id(arg) for arg in parameters(new.args)}
        _drop_parameters(new.args, lambda arg: id(arg) in kept or arg in receiver)
        for node in inputs:
            if id(node._statement) not in known:
                new.args.args.append(node._statement)
                if node._default is not None:
                    new.args.defaults.append(expression_of(node._default))
        new.body = self.statements()
        return new

    def branch_text(self, node):
        """Return the source of one branch of an `if` or of a loop."""
        new = copy.copy(node._statement)
        new.body, new.orelse = node._body.statements(), []
        text = ast.unparse(ast.fix_missing_locations(new))
        return text if node is node._branches[0] else "else:\n" + text.partition("\n")[2]


def parameters(arguments):
    """Return all parameters of a `def`."""
    stars = [arg for arg in (arguments.vararg, arguments.kwarg) if arg is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *stars]


def _drop_parameters(arguments, keep):
    """Remove the parameters that `keep` rejects, and their defaults."""
    plain = [*arguments.posonlyargs, *arguments.args]
    missing = [None] * (len(plain) - len(arguments.defaults))
    pairs = list(zip(plain, [*missing, *arguments.defaults], strict=True))
    arguments.defaults = [default for arg, default in pairs if default is not None and keep(arg)]
    arguments.posonlyargs = [arg for arg in arguments.posonlyargs if keep(arg)]
    arguments.args = [arg for arg in arguments.args if keep(arg)]
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    named = [pair for pair in named if keep(pair[0])]
    arguments.kwonlyargs = [arg for arg, _ in named]
    arguments.kw_defaults = [default for _, default in named]
    arguments.vararg = arguments.vararg if keep(arguments.vararg) else None
    arguments.kwarg = arguments.kwarg if keep(arguments.kwarg) else None
