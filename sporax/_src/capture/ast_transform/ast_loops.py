"""Rewrites loops without early exits, and bounds their iterations.

for i in range(9):            stop, returned, result = False, False, PENDING
    if test: return x    ->   while not stop and ...:
    y = y + 1                     if test: returned, result, stop = True, x, True
                                  else: y = y + 1
                              if returned: return result
"""

import ast
import copy
import itertools
from typing import Any

from sporax._src.capture.ast_transform.ast_analysis import has, jumps, settled, written
from sporax._src.capture.ast_transform.ast_conditions import (
    RUNTIME_NAME,
    assigned,
    call,
    located,
    names_tuple,
    of_runtime,
    thunk,
)

_LOOPS = (ast.For, ast.While)
_numbers = itertools.count()


def fresh(role):
    """Return a new variable name."""
    return f"{RUNTIME_NAME}_{role}_{next(_numbers)}"


class Returns(ast.NodeTransformer):
    """Rewrites `return` in loops as `break` and a `return` after the loop."""

    def __init__(self):
        self.names = None  # in a loop: names of the variables (is_returned, result)

    def visit_For(self, node: Any) -> Any:
        if not has(node.body, ast.Return):
            return node
        outer = self.names
        is_outermost = outer is None
        if outer is None:
            outer = fresh("returned"), fresh("result")
        self.names = outer
        node.body = [one for statement in node.body for one in _list(self.visit(statement))]
        returned, result = outer
        last: ast.stmt = ast.Break()
        statements: list[ast.stmt] = [node]
        if is_outermost:
            self.names = None
            statements = [assigned(returned, ast.Constant(False))]
            statements += [assigned(result, of_runtime("PENDING")), node]
            last = ast.Return(ast.Name(result, ast.Load()))
        statements.append(ast.If(ast.Name(returned, ast.Load()), [last], []))
        return [located(one, node) for one in statements]

    visit_While = visit_For

    def visit_Return(self, node: Any) -> Any:
        if self.names is None:
            return node
        returned, result = self.names
        statements = [
            assigned(result, node.value or ast.Constant(None)),  # first: it may raise
            assigned(returned, ast.Constant(True)),
            ast.Break(),
        ]
        return [located(one, node) for one in statements]

    def visit_FunctionDef(self, node: Any) -> Any:
        return node

    visit_Lambda = visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef


def _list(statements):
    return statements if isinstance(statements, list) else [statements]


def _stopping(body, stop):
    """Return a block of a loop body with `break`, which ends a branch, replaced by an assignment to
    the variable `stop`, and without `continue`."""
    statements = []
    for node in body:
        if isinstance(node, ast.Break):
            statements.append(located(assigned(stop, ast.Constant(True)), node))
        elif isinstance(node, ast.If):
            node.body, node.orelse = _stopping(node.body, stop), _stopping(node.orelse, stop)
            statements.append(node)
        elif not isinstance(node, ast.Continue):
            statements.append(node)
    return statements or [ast.Pass()]


def while_without_jumps(node):
    """Return the statements for a `while` with `break` or `continue`: statements that these skip
    move into branches, and a boolean variable stops the loop."""
    stop = fresh("stop")
    if has(node.test, ast.NamedExpr):  # its variables belong to the body
        leave = located(ast.If(call("not_", node.test), [ast.Break()], []), node)
        node.body, node.test = [leave, *node.body], ast.Constant(True)
    going = call("not_", ast.Name(stop, ast.Load()))
    node.test = call("and_", going, thunk(node.test))
    node.body = _stopping(settled(node.body, jumps), stop)
    return [located(assigned(stop, ast.Constant(False)), node), located(node, node)]


def for_without_jumps(node):
    """As `while_without_jumps`, for a `for` over anything but a range: iterations after `break` do
    nothing."""
    stop, item, items = fresh("stop"), fresh("item"), fresh("items")
    body = [ast.Assign([node.target], ast.Name(item, ast.Load())), *node.body]
    body = _stopping(settled(body, jumps), stop)
    over = call("is_over", ast.Name(stop, ast.Load()), ast.Name(items, ast.Load()))
    node.body = [
        ast.If(call("not_", ast.Name(stop, ast.Load())), body, []),
        ast.If(over, [ast.Break()], []),
    ]
    before = [
        assigned(items, copy.copy(node.iter)),
        assigned(stop, ast.Constant(False)),
    ]
    node.target, node.iter = ast.Name(item, ast.Store()), ast.Name(items, ast.Load())
    node.is_done = True
    return [located(one, node) for one in (*before, node)]


def over_range(node):
    """Rewrite `for i in range(...)` as a `while` with variables for the next index, the bound and
    the step."""
    names = [fresh(role) for role in ("next", "last", "step")]
    bounds = ast.Assign([names_tuple(names, ast.Store())], call("bounds", *node.iter.args))
    now = ast.Assign([node.target], ast.Name(names[0], ast.Load()))
    step = ast.BinOp(ast.Name(names[0], ast.Load()), ast.Add(), ast.Name(names[2], ast.Load()))
    variables = [ast.Name(n, ast.Load()) for n in names]
    loop = ast.While(call("is_before", *variables), [now, assigned(names[0], step), *node.body], [])
    loop.iteration_limit = call("iteration_count", *copy.deepcopy(variables))  # pyright: ignore
    return [located(one, node) for one in (bounds, loop)]


_BEYOND = {ast.Lt: (1, 0), ast.LtE: (1, 1), ast.Gt: (-1, 0), ast.GtE: (-1, -1)}
_TURNED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}


def iteration_limit(node):
    """Return an expression for the maximal number of remaining iterations of a `while`; None unless
    the test is like `i < n` and every iteration reaches an `i += 1`."""
    if hasattr(node, "iteration_limit"):
        return node.iteration_limit
    for name, kind, bound in _compared(node.test):
        sign, beyond = _BEYOND[kind]
        step = _step(node.body, name)
        if step is None or step * sign <= 0 or _may_change(bound, written(node)):
            continue
        last = ast.BinOp(copy.deepcopy(bound), ast.Add(), ast.Constant(beyond))
        return located(
            call("iteration_count", ast.Name(name, ast.Load()), last, ast.Constant(step)), node
        )
    return None


def _compared(test):
    """Yield (variable, comparison, bound) for each comparison that a loop test requires."""
    is_and = isinstance(test, ast.Call) and getattr(test.func, "attr", "") == "and_"
    if is_and:
        for term in test.args:
            yield from _compared(term.body if isinstance(term, ast.Lambda) else term)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        kind, sides = type(test.ops[0]), (test.left, test.comparators[0])
        if kind in _BEYOND and isinstance(sides[0], ast.Name):
            yield sides[0].id, kind, sides[1]
        if kind in _BEYOND and isinstance(sides[1], ast.Name):
            yield sides[1].id, _TURNED[kind], sides[0]


def _step(body, name):
    """Return the constant that each iteration adds to a variable; None if it is not known."""
    step = None
    for statement in body:
        if step is None and has([statement], ast.Continue):
            return None
        if name in written(statement):
            amount = _amount(statement, name)
            if step is not None or amount is None:
                return None
            step = amount
    return step


def _amount(statement, name):
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.AugAssign):
        op, amount = statement.op, statement.value
    elif isinstance(value, ast.BinOp) and getattr(value.left, "id", None) == name:
        op, amount = value.op, value.right
    else:
        return None
    if not isinstance(amount, ast.Constant) or type(amount.value) is not int:
        return None
    signs = {ast.Add: 1, ast.Sub: -1}
    return signs[type(op)] * amount.value if type(op) in signs else None


def _may_change(bound, variables):
    """Return True if the value of an expression may change between iterations."""
    allowed = ast.Name, ast.Constant, ast.BinOp, ast.operator, ast.expr_context
    nodes = list(ast.walk(bound))
    is_plain = all(isinstance(n, allowed) for n in nodes)
    return not is_plain or any(getattr(n, "id", None) in variables for n in nodes)
