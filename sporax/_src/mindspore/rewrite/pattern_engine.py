"""`PatternEngine`: replaces matches of a pattern of Cells and Primitives in a `SymbolTree`."""

import abc
from collections import OrderedDict
from typing import Any

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.mindspore.rewrite.node import Node
from sporax._src.mindspore.rewrite.scoped_value import NodeType
from sporax._src.mindspore.rewrite.symbol_tree import SymbolTree
from sporax.nn.cell import Cell
from sporax.ops.primitive import Primitive

_MATCHED = (NodeType.CallCell, NodeType.CallPrimitive, NodeType.Input)


class PatternNode:
    """A node of a pattern: it matches a call of a Cell or Primitive whose type is `match_type`.

    `pattern_node_name`: the key of the matched node in the dict that a `Replacement` receives.
    `inputs`: the PatternNodes that the inputs of a matched node must match, in order; if empty, any
    inputs match. The default `match_type` matches no node.

    >>> pattern = PatternNode("relu", nn.ReLU, [PatternNode("dense", nn.Dense, [VarNode()])])
    >>> pattern.name(), [node.name() for node in pattern.get_inputs()]
    ('relu', ['dense'])
    """

    def __init__(self, pattern_node_name, match_type: Any = type[None], inputs=None):
        kinds.STR("PatternNode", pattern_node_name=pattern_node_name)
        self._name, self._type = pattern_node_name, match_type
        self.set_inputs([] if inputs is None else inputs)

    @staticmethod
    def from_node(node):
        """Create the PatternNode, without inputs, that matches nodes of the same type as `node`."""
        kinds.instance(Node, "a-node")("PatternNode.from_node", node=node)
        return PatternNode(str(node.get_targets()[0]), node.get_instance_type())

    @staticmethod
    def create_pattern_from_node(node):
        """Create the pattern of a node and all nodes that it depends on, up to the parameters."""
        pattern = PatternNode.from_node(node)
        pattern.set_inputs([PatternNode.create_pattern_from_node(n) for n in node.get_inputs()])
        return pattern

    @staticmethod
    def create_pattern_from_list(type_list):
        """Create a chain in which each type's node is the next one's input; returns the last."""
        kinds.LIST("create_pattern_from_list", type_list=type_list)
        last = None
        for i, kind in enumerate(type_list):
            last = PatternNode(f"{i}-{kind}", kind, [] if last is None else [last])
        return last

    def add_input(self, node):
        """Add a PatternNode for another input."""
        kinds.instance(PatternNode, "a-patternnode")("PatternNode", node=node)
        self._inputs.append(node)

    def set_inputs(self, inputs):
        """Replace the PatternNodes of the inputs."""
        kinds.instance(list, "a-list-of-patternnodes")("PatternNode", inputs=inputs)
        for node in inputs:
            kinds.instance(PatternNode, "patternnodes")("PatternNode", inputs=node)
        self._inputs = inputs

    def match(self, node):
        """Return True if a node matches, regardless of its inputs."""
        kinds.instance(Node, "a-node")("PatternNode.match", node=node)
        return node.get_node_type() in _MATCHED and self._type == node.get_instance_type()

    def get_inputs(self):
        """Return the PatternNodes of the inputs."""
        return self._inputs

    def name(self):
        """Return the name given to the constructor."""
        return self._name

    def type(self):
        """Return the type that matches."""
        return self._type


class VarNode(PatternNode):
    """A placeholder: matches any node, which is left unchanged.

    >>> PatternNode("add", ops.Add, [VarNode(), VarNode()]).get_inputs()[0].name()
    'placeholder'
    """

    def __init__(self):
        super().__init__("placeholder", Cell, [])

    def match(self, node):
        return node is not None


class Replacement(abc.ABC):
    """Base class for creating the nodes that replace a match: override `build`.

    >>> class ToTanh(Replacement):
    ...     def build(self, pattern, is_chain_pattern, matched):
    ...         old = matched[pattern.name()]
    ...         return [Node.create_call_cell(nn.Tanh(), old.get_targets(), old.get_args())]
    """

    @abc.abstractmethod
    def build(self, pattern, is_chain_pattern, matched):
        """Return a list of new Nodes, which replace the last matched node; if it is empty, nothing
        is replaced.

        `pattern`: the root of the pattern. `is_chain_pattern`: whether it was a list of types.
        `matched`: an OrderedDict of the matched nodes by the names of their PatternNodes.
        """

    def __call__(self, pattern, is_chain_pattern, matched):
        return self.build(pattern, is_chain_pattern, matched)


class PatternEngine:
    """Replaces each match of `pattern` in a SymbolTree by the nodes that `replacement` creates.

    `pattern`: the root `PatternNode`, whose inputs are the preceding ones; or a list of types of
    Cells and Primitives, each called with the result of the previous one.

    >>> from sporax._src.mindspore.rewrite import Node, PatternEngine, Replacement, SymbolTree
    >>> class ToTanh(Replacement):
    ...     def build(self, pattern, is_chain_pattern, matched):
    ...         old = matched[pattern.name()]
    ...         return [Node.create_call_cell(nn.Tanh(), old.get_targets(), old.get_args())]
    >>> class Net(nn.Cell):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.relu = nn.ReLU()
    ...     def construct(self, x):
    ...         return self.relu(x) + 1
    >>> tree = SymbolTree.create(Net())
    >>> PatternEngine([nn.ReLU], ToTanh()).apply(tree)
    True
    >>> [node.get_name() for node in tree.nodes()]
    ['input_x', 'Tanh', 'binop_add', 'return']
    """

    def __init__(self, pattern, replacement=None):
        who = "PatternEngine"
        kinds.instance((Replacement, type(None)), "a-replacement-or-none")(
            who, replacement=replacement
        )
        kinds.instance((PatternNode, list), "a-patternnode-or-a-list")(who, pattern=pattern)
        self._is_chain = isinstance(pattern, list)
        if self._is_chain:
            for kind in pattern or [None]:
                require(
                    isinstance(kind, type) and issubclass(kind, (Cell, Primitive)),
                    "list-pattern-hold-types",
                    who,
                    got=pattern,
                )
            pattern = PatternNode.create_pattern_from_list(pattern)
        self._pattern, self._replacement = pattern, replacement

    def pattern(self):
        """Return the root of the pattern."""
        return self._pattern

    def apply(self, stree):
        """Replace all matches in a SymbolTree, its branches, functions, containers and
        sub-networks; returns True if there were any."""
        kinds.instance(SymbolTree, "a-symboltree")("PatternEngine.apply", stree=stree)
        trees = [stree, *stree.sub_trees()]
        return any([self._apply(tree, body) for tree in trees for body in tree.bodies()])

    def _apply(self, tree, body):
        changed = False
        for node in list(body.nodes):  # the new ones are not matched again
            matched = None if node._manager is None else self._match(self._pattern, node)
            if not matched or self._leaks(matched) or self._replacement is None:
                continue
            new_nodes = self._replacement(self._pattern, self._is_chain, matched)
            if new_nodes:
                tree.replace(node, new_nodes)
                for other in matched.values():
                    if other is not node and other.get_node_type() != NodeType.Input:
                        tree.erase(other)
                changed = True
        return changed

    def _match(self, pattern, node):
        """Return the matched nodes by name, inputs first; None if one does not match."""
        if not pattern.match(node):
            return None
        wanted, inputs, matched = pattern.get_inputs(), node.get_inputs(), OrderedDict()
        if wanted and len(wanted) != len(inputs):
            return None
        for subpattern, source in zip(wanted, inputs, strict=False):
            submatch = self._match(subpattern, source)
            if submatch is None:
                return None
            matched.update(submatch)
        if not isinstance(pattern, VarNode):
            matched[pattern.name()] = node
        return matched

    def _leaks(self, matched):
        """Return True if an unmatched node reads an inner result, which would be lost."""
        nodes = list(matched.values())
        inner = [n for n in nodes[:-1] if n.get_node_type() != NodeType.Input]
        return any(user not in nodes for node in inner for user in node.get_users())
