"""Calls with NumPy scalars for numbers: a recorded call, `ops.sum(a, 1)`, becomes `ops.sum(a,
np.int64(1))`."""

import ast

_NUMPY = {bool: "bool_", int: "int64", float: "float64"}


class _Rewriter(ast.NodeTransformer):
    def __init__(self, kinds):
        self.kinds, self.found = kinds, 0

    def _scalar(self, node, value):
        kind = self.kinds.get(value.__class__)
        if kind is None:
            return node
        self.found += 1
        name = ast.Attribute(ast.Name("np", ast.Load()), kind, ast.Load())
        return ast.Call(name, [node], [])

    def visit_Constant(self, node):
        return self._scalar(node, node.value)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return self._scalar(node, node.operand.value)
        return self.generic_visit(node)


def rewritten(call, kinds=_NUMPY):
    """Return the call with NumPy scalars of these kinds for its literals; None if it has none."""
    rewriter = _Rewriter(kinds)
    tree = ast.fix_missing_locations(rewriter.visit(ast.parse(call, mode="eval")))
    return ast.unparse(tree) if rewriter.found else None
