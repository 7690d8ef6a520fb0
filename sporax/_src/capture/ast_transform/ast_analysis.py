"""Analysis of a syntax tree: the variables it reads and assigns, its exits and side effects."""

import ast
import copy

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
# statements that only assign variables, raise or leave a block
_PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Pass, ast.Raise, ast.Assert)
_PLAIN = (*_PLAIN, ast.Break, ast.Continue)
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_BLOCKS = (ast.If, ast.For, ast.While)
SHARED = (ast.Global, ast.Nonlocal)
YIELDS = (ast.Yield, ast.YieldFrom, ast.Await)


def walk(node):
    """Yield the nodes of a tree (or list of trees), without the bodies of inner scopes."""
    left = list(node) if isinstance(node, list) else [node]
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, SCOPES):
            left.extend(ast.iter_child_nodes(node))


def has(node, types):
    """Return True if the tree contains a node of one of these types."""
    return any(isinstance(n, types) for n in walk(node))


def written(node):
    """Return the variables that are assigned."""
    return {
        n.id for n in _outside_comprehensions(node)
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }  # fmt: skip


def _outside_comprehensions(node):
    left = list(node) if isinstance(node, list) else [node]
    while left:
        node = left.pop()
        if isinstance(node, ast.comprehension):
            left.append(node.iter)
            left.extend(node.ifs)
            continue
        yield node
        if not isinstance(node, SCOPES):
            left.extend(ast.iter_child_nodes(node))


def read(node):
    """Return the variables that are read, also by inner functions."""
    nodes = node if isinstance(node, list) else [node]
    return {
        n.id for one in nodes for n in ast.walk(one)
        if isinstance(n, ast.Name) and (isinstance(n.ctx, ast.Load) or _is_augmented(n, one))
    }  # fmt: skip


def _is_augmented(name, node):
    return any(isinstance(n, ast.AugAssign) and n.target is name for n in ast.walk(node))


def ends(body):
    """Return True if control never reaches the end of a block."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return ends(last.body) and ends(last.orelse)
    return isinstance(last, _ENDS)


def returns(statement):
    """Return True if a statement may return from the function."""
    return has(statement, ast.Return)


MAX_COPIES, MAX_LEVELS = 2000, 24  # statements that `settled` may copy; nesting of `if`


def settled(body, leaves):
    """Return the block with the statements after an `if` that may leave it (`leaves(if)`) moved
    into the branches that continue; None if that takes too many copies."""
    left = [MAX_COPIES]
    copied = _settled(copy.deepcopy(body), leaves, left, MAX_LEVELS)
    return copied if left[0] >= 0 else None


def _settled(body, leaves, left, levels):
    left[0] -= len(body) if levels else MAX_COPIES + 1
    for i, statement in enumerate(body):
        if isinstance(statement, ast.If) and leaves(statement):
            remainder = body[i + 1 :]
            for field in "body", "orelse":
                block = getattr(statement, field)
                more = [] if ends(block) or left[0] < 0 else copy.deepcopy(remainder)
                if left[0] >= 0:
                    setattr(statement, field, _settled(block + more, leaves, left, levels - 1))
            return body[: i + 1]
        if isinstance(statement, _ENDS):
            return body[: i + 1]
    return body


_EFFECTS = {"next", "input", "open", "setattr", "delattr", "exec", "eval"}


def effect(body):
    """Return the first node that does more than assign variables; None if there is none."""
    effects = [n for n in walk(body) if _is_effect(n)]
    return min(effects, key=lambda n: (n.lineno, n.col_offset), default=None)


def _is_effect(node):
    if isinstance(node, ast.Expr):
        return not _is_quiet(node.value)
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return not isinstance(node.ctx, ast.Load)
    if isinstance(node, YIELDS) or getattr(getattr(node, "func", None), "id", "") in _EFFECTS:
        return True
    return isinstance(node, ast.stmt) and not isinstance(node, (*_PLAIN, *_BLOCKS))


def calls(body):
    """Return True if a user function may be called."""
    called = [n.func for one in body for n in ast.walk(one) if isinstance(n, ast.Call)]
    return any(not isinstance(getattr(f, "value", None), ast.Constant) for f in called)


def jumps(body):
    """Return True if a `break` or `continue` in a block (or statement) belongs to an outer loop."""
    body = body if isinstance(body, list) else [body]
    return any(
        isinstance(node, (ast.Break, ast.Continue))
        or (isinstance(node, ast.If) and jumps([*node.body, *node.orelse]))
        or (isinstance(node, (ast.With, ast.Try)) and has(node, (ast.Break, ast.Continue)))
        for node in body
    )


def _is_quiet(expression):
    """Return True if an expression statement is a constant or a call that writes to a Tensor or
    prints, which a recording handles."""
    if isinstance(expression, ast.Constant):
        return True
    if not isinstance(expression, ast.Call):
        return False
    called = expression.func
    called = called.func if isinstance(called, ast.Call) else called
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in _WRITERS or (name.endswith("_") and not name.endswith("__"))


_WRITERS = {"assign", "assign_add", "assign_sub", "assign_value", "set_data"}
_WRITERS |= {"set_attribute", "set_item", "printer"}  # these check their effect at run time


def leaks(body, assigned):
    """Return True if an inner lambda reads a variable that the block assigns: it would not see
    later assignments."""
    inner = [n for one in body for n in ast.walk(one) if isinstance(n, ast.Lambda)]
    return any(read(n) & assigned for n in inner if not hasattr(n, "is_generated"))


def read_by_functions(body):
    """Return the variables that inner functions and classes read."""
    inner = [n for one in body for n in ast.walk(one) if isinstance(n, SCOPES)]
    return {name for n in inner if not hasattr(n, "is_generated") for name in read(n)}


def shared(function):
    """Return the variables declared `global` or `nonlocal` in the function or its inner
    functions."""
    declarations = [n for n in ast.walk(function) if isinstance(n, SHARED)]
    return {name for n in declarations for name in n.names}


def is_over_range(node):
    """Return True if a `for` iterates over a `range` with a single variable."""
    over = node.iter
    return (
        isinstance(node.target, ast.Name)
        and isinstance(over, ast.Call)
        and isinstance(over.func, ast.Name)
        and over.func.id == "range"
        and not over.keywords
        and not has(over.args, ast.Starred)
        and not node.orelse
    )
