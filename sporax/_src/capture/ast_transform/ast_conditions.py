"""Rewrites expressions that take a truth value, and assignments, as function calls.

    a if test else b   ->   branch(test, lambda: a, lambda: b, ())
    a and b            ->   both(a, lambda: b)
    0 < x < 1          ->   chained(0, ("lt", lambda: x), ("lt", lambda: 1))
    a.b = x            ->   set_attribute(a, "b", x)

The functions are registered in `ast_transform.runtime_functions`.
"""

import ast
import copy
from typing import Any

from sporax._src.capture.ast_transform.ast_analysis import YIELDS, has

RUNTIME_NAME = "_sporax_flow"  # constant that `convert` replaces with `runtime_functions.RUNTIME`
_COMPARED = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
_IN_PLACE = {ast.Add: "iadd", ast.Sub: "isub", ast.Mult: "imul", ast.Div: "itruediv"}
_UNMOVABLE = (*YIELDS, ast.NamedExpr)  # cannot move into another function


class Expressions(ast.NodeTransformer):
    """Rewrites conditional expressions, `and`, `or`, `not` and chained comparisons; `count`: number
    of rewritten expressions."""

    def __init__(self):
        self.count = 0

    def condition(self, node) -> Any:
        """Rewrite an expression of which only the truth value is used."""
        if isinstance(node, ast.BoolOp):
            return self._of_terms(node, "and_" if isinstance(node.op, ast.And) else "or_")
        return self.visit(node)

    def _of_terms(self, node, name):
        first, *others = node.values
        if has(others, _UNMOVABLE):
            return node
        visit = self.condition if name.endswith("_") else self.visit
        return self._as_call(node, name, visit(first), *[thunk(visit(term)) for term in others])

    def visit_BoolOp(self, node: Any) -> Any:
        return self._of_terms(node, "both" if isinstance(node.op, ast.And) else "either")

    def visit_UnaryOp(self, node: Any) -> Any:
        if isinstance(node.op, ast.Not):
            return self._as_call(node, "not_", self.condition(node.operand))
        return self.generic_visit(node)

    def visit_Compare(self, node: Any) -> Any:
        self.generic_visit(node)
        names = [_COMPARED.get(type(op)) for op in node.ops]
        if len(names) == 1 or None in names or has(node.comparators[1:], _UNMOVABLE):
            return node
        terms = [
            ast.Tuple([ast.Constant(name), thunk(term)], ast.Load())
            for name, term in zip(names, node.comparators, strict=True)
        ]
        first: Any = terms[0].elts[1]
        terms[0].elts[1] = first.body  # always evaluated
        return self._as_call(node, "chained", node.left, *terms)

    def visit_IfExp(self, node: Any) -> Any:
        node.test = self.condition(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        if has([node.body, node.orelse], _UNMOVABLE):
            return node
        arguments = thunk(node.body), thunk(node.orelse), ast.Tuple([], ast.Load())
        return self._as_call(node, "branch", node.test, *arguments)

    def _as_call(self, node, name, *arguments):
        self.count += 1
        return located(call(name, *arguments), node)

    def visit_If(self, node: Any) -> Any:
        node.test = self.condition(node.test)
        node.body = [self.visit(one) for one in node.body]
        node.orelse = [self.visit(one) for one in node.orelse]
        return node

    def visit_While(self, node: Any) -> Any:
        return self.visit_If(node)

    def visit_FunctionDef(self, node: Any) -> Any:
        return node  # converted separately

    visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef


class Supers(ast.NodeTransformer):
    """Adds the explicit arguments to `super()`, which depends on the enclosing function."""

    def __init__(self, function):
        arguments = [*function.args.posonlyargs, *function.args.args]
        self.first = arguments[0].arg if arguments else None

    def visit_Call(self, node: Any) -> Any:
        self.generic_visit(node)
        if getattr(node.func, "id", "") == "super" and not node.args and self.first:
            node.args = [ast.Name(n, ast.Load()) for n in ("__class__", self.first)]
        return located(node, node)

    def visit_FunctionDef(self, node: Any) -> Any:
        return node

    visit_Lambda = visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef


class AssignmentRewriter(ast.NodeTransformer):
    """Rewrites `a.b = x`, `a[i] = x` and these with `+=` as calls, and `x: T = y` as `x = y`.

    `class_name`: name of the enclosing class, for its mangled private names.
    """

    def __init__(self, class_name):
        self.class_name = class_name

    def visit_AnnAssign(self, node: Any) -> Any:
        if node.value is None or not isinstance(node.target, ast.Name):
            return node
        return located(ast.Assign([node.target], node.value), node)

    def visit_Assign(self, node: Any) -> Any:
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, (ast.Attribute, ast.Subscript)):
            return node
        return self._set(node, target, node.value)

    def visit_AugAssign(self, node: Any) -> Any:
        target = node.target
        name = _IN_PLACE.get(node.op.__class__)
        # calls in the target must not be evaluated twice
        if isinstance(target, ast.Name) or name is None or has(target, (ast.Call, *_UNMOVABLE)):
            return node
        before = copy.deepcopy(target)
        before.ctx = ast.Load()
        return self._set(node, target, call("changed", ast.Constant(name), before, node.value))

    def _set(self, node, target, value):
        if isinstance(target, ast.Attribute):
            name = mangled(target.attr, self.class_name)
            setter = call("set_attribute", target.value, ast.Constant(name), value)
        elif not has(target.slice, ast.Slice):
            setter = call("set_item", target.value, target.slice, value)
        else:
            return node
        return located(ast.Expr(setter), node)

    def visit_FunctionDef(self, node: Any) -> Any:
        return node

    visit_Lambda = visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef


def mangled(name, class_name):
    """Return the mangled name of an attribute `__x` in a class."""
    is_private = name.startswith("__") and not name.endswith("__")
    owner = (class_name or "").lstrip("_")
    return f"_{owner}{name}" if is_private and owner else name


def call(name, *arguments):
    """Return a call of a runtime function."""
    return ast.Call(of_runtime(name), list(arguments), [])


def of_runtime(name):
    """Return a reference to an attribute of the runtime."""
    return ast.Attribute(ast.Constant(RUNTIME_NAME), name, ast.Load())


def thunk(body):
    """Return a lambda without parameters for an expression; it is called immediately."""
    function: Any = ast.Lambda(parameters_of([]), body)
    function.is_generated = True
    return function


def function_of(name, parameters, body):
    """Return a function definition."""
    definition: Any = ast.FunctionDef(name, parameters, body, [], None, None)
    if "type_params" in ast.FunctionDef._fields:
        definition.type_params = []
    return definition


def parameters_of(names):
    """Return positional parameters with these names."""
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


def names_tuple(names, context):
    """Return a tuple of variables."""
    return ast.Tuple([ast.Name(n, context) for n in names], context)


def assigned(name, value):
    """Return the statement `name = value`."""
    return ast.Assign([ast.Name(name, ast.Store())], value)


def located(node, source):
    """Give the new nodes in `node` the source position at which `source` begins."""
    for inner in ast.walk(node):
        if isinstance(inner, (ast.expr, ast.stmt, ast.arg)) and not hasattr(inner, "lineno"):
            inner.lineno = inner.end_lineno = source.lineno
            inner.col_offset = inner.end_col_offset = source.col_offset
    return node
