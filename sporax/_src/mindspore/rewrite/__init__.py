"""A network as a list of statements that can be inserted, erased and replaced; see `SymbolTree`."""

from sporax._src.mindspore.rewrite.node import Node
from sporax._src.mindspore.rewrite.pattern_engine import (
    PatternEngine,
    PatternNode,
    Replacement,
    VarNode,
)
from sporax._src.mindspore.rewrite.scoped_value import NodeType, ScopedValue, ValueType
from sporax._src.mindspore.rewrite.symbol_tree import SymbolTree

__all__ = [
    "Node", "NodeType", "PatternEngine", "PatternNode", "Replacement", "ScopedValue", "SymbolTree",
    "ValueType", "VarNode",
]  # fmt: skip
