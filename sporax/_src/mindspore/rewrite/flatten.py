"""Conversion of nested expressions to statements of one operation each.

`return self.relu(self.fc(x) + y)` becomes `fc_var = self.fc(x)`, `add_var = fc_var + y`,
`relu_var = self.relu(add_var)` and `return relu_var`.
"""

import ast
import copy
import keyword
from typing import Any

# the parts of each kind of expression or statement that become separate statements
_PARTS = {
    ast.Return: ("value",),
    ast.Call: ("func", "args", "keywords"),
    ast.BinOp: ("left", "right"),
    ast.BoolOp: ("values",),
    ast.UnaryOp: ("operand",),
    ast.Compare: ("left", "comparators"),
    ast.If: ("test",),
    ast.For: ("iter",),
    ast.Tuple: ("elts",),
    ast.List: ("elts",),
}
# the number of items in these lists that are always evaluated: the others may not run
_ALWAYS_RUN = {(ast.BoolOp, "values"): 1, (ast.Compare, "comparators"): 1}
_STAY = (ast.Name, ast.Constant, ast.Starred, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


class Names:
    """A supply of unique names: `x`, then `x_1`, `x_2`."""

    def __init__(self, taken=()):
        self.taken = set(taken)

    def unique(self, name):
        """Return `name`, with a number if it is taken."""
        if name == "_":
            return name
        new, count = name, 0
        while new in self.taken:
            count += 1
            new = f"{name}_{count}"
        self.taken.add(new)
        return new


def flat(statements, names):
    """Return statements of one operation each. `names`: the function's `Names`. Bodies of branches
    and loops are unchanged."""
    single = [item for statement in statements for item in _single_assigns(statement)]
    # the last statements name their variables first, as in MindSpore
    flattened = [_flat_statement(statement, names) for statement in reversed(single)]
    return [statement for item in reversed(flattened) for statement in item]


def _single_assigns(statement):
    """Split `a = b = f()` into `b = f()` and `a = b`."""
    targets: list[Any] = statement.targets if isinstance(statement, ast.Assign) else [None]
    if len(targets) == 1 or any(isinstance(n, ast.Starred) for t in targets for n in ast.walk(t)):
        return [statement]
    names = [target for target in targets if isinstance(target, ast.Name)]
    first = (names or targets)[-1]
    value = ast.parse(ast.unparse(first), mode="eval").body
    others = [target for target in targets if target is not first]
    copies = [ast.Assign([target], copy.deepcopy(value)) for target in others]
    return [ast.Assign([first], statement.value), *copies]


def _flat_statement(statement, names):
    is_plain = isinstance(statement, (ast.Assign, ast.Expr))
    lifted = _lift_parts(statement.value if is_plain else statement, names)
    before = [_flat_statement(assign, names) for assign in reversed(lifted)]
    return [*(one for group in reversed(before) for one in group), statement]


def _lift_parts(node, names):
    """Replace the parts of an expression by variables; returns their assignments."""
    lifted = []

    def replaced(operand) -> Any:
        if isinstance(operand, ast.keyword):
            operand.value = replaced(operand.value)
            return operand
        whole, holder = operand, None
        if isinstance(operand, ast.Attribute) and not isinstance(node, ast.For):
            while isinstance(operand, ast.Attribute):
                holder, operand = operand, operand.value
        if operand is None or isinstance(operand, _STAY):
            return whole
        new = ast.Name(names.unique(_variable_name(operand)), ast.Load())
        lifted.append(ast.Assign([ast.Name(new.id, ast.Store())], operand))
        if holder is None:
            return new
        holder.value = new
        return whole

    for name in _PARTS.get(type(node), ()):
        value = getattr(node, name)
        operands = value if isinstance(value, list) else [value]
        count = _ALWAYS_RUN.get((type(node), name), len(operands))
        news = [*map(replaced, operands[:count]), *operands[count:]]
        setattr(node, name, news if isinstance(value, list) else news[0])
    return lifted


def _variable_name(expression):
    """Return the name of the variable that holds an expression."""
    name = type(expression).__name__.lower()
    if isinstance(expression, ast.Call):
        function = expression.func
        name = getattr(function, "attr", None) or getattr(function, "id", "function")
    elif isinstance(expression, (ast.BinOp, ast.BoolOp, ast.UnaryOp)):
        name = type(expression.op).__name__.lower()
    elif isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
        name = f"{expression.value.id}_{expression.attr}"
        return f"{name}_var" if keyword.iskeyword(name) else name
    return f"{name}_var"
