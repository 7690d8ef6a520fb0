"""A network as a list of statements that can be inserted, erased and replaced; see `SymbolTree`."""

from sporax.rewrite.node import Node
from sporax.rewrite.pattern_engine import PatternEngine, PatternNode, Replacement, VarNode
from sporax.rewrite.scoped_value import NodeType, ScopedValue, ValueType
from sporax.rewrite.symbol_tree import SymbolTree

__all__ = [
    "Node", "NodeType", "PatternEngine", "PatternNode", "Replacement", "ScopedValue", "SymbolTree",
    "ValueType", "VarNode",
]  # fmt: skip
