"""Rewrites formatted Tensors in the arguments of `print` as calls.

    print(f"loss {loss:.3f}")   ->   print(text(print, "loss {:.3f}".format, loss))

The runtime functions (`ast_transform.print_runtime`) format the text immediately, or, in a captured
function, at each run. Only arguments of `print` and of functions with `print` in their name
(`ops.print_`, `self.print`) are converted: other strings may be used in any way.
"""

import ast
import copy
from typing import Any

_FUNCTIONS = {"str", "repr", "float", "int"}
_METHODS = {"asnumpy", "numpy", "item", "tolist"}


class PrintRewriter(ast.NodeTransformer):
    """Converts the strings in calls of `print`; `call(name, *arguments)` builds the call of a
    runtime function. `count`: number of strings; `lines`: lines of the converted calls."""

    def __init__(self, call):
        self.call, self.count, self.lines = call, 0, set()

    def visit_Call(self, node):
        self.generic_visit(node)
        if _is_print(node.func):
            before = self.count
            node.args = [self._argument(node.func, item) for item in node.args]
            if self.count > before:
                self.lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            if isinstance(node.func, ast.Name) and node.func.id == "print":
                converted = self.call("printer", node.func)
                node.func = _at(node.func, converted)
        return node

    def _argument(self, printer, node: Any) -> Any:
        """Convert an argument, or part of one, so that it can be deferred."""
        if _is_operation(node, ast.Add) and _is_text(node):
            node.left = self._argument(printer, node.left)
            node.right = self._argument(printer, node.right)
            return node
        if isinstance(node, ast.JoinedStr):
            return self._f_string(printer, node)
        if _is_operation(node, ast.Mod) and _is_literal(node.left):
            return self._text(printer, _method(node.left.value, "__mod__"), [node.right])
        if _is_format(node):
            return self._text(printer, node.func, node.args, node.keywords)
        if _is_call(node, ast.Name, _FUNCTIONS) and len(node.args) == 1:
            return self._text(printer, node.func, node.args)
        if _is_call(node, ast.Attribute, _METHODS) and not node.args:
            self.count += 1
            converted = self.call(
                "concrete_value", printer, node.func.value, ast.Constant(node.func.attr)
            )
            return _at(node, converted)
        return node

    def _f_string(self, printer, node):
        fields = []
        template = _template(node, fields)
        if template is None or not fields:
            return node
        return self._text(printer, _method(template, "format"), fields)

    def _text(self, printer, function, arguments, keywords=()):
        self.count += 1
        converted_arguments = [self._argument(printer, item) for item in arguments]
        converted = self.call("text", printer, function, *converted_arguments)
        converted.keywords = list(keywords)
        return _at(arguments[0] if arguments else function, converted)


def _at(node, new):
    """Give the new node the source location of the node that it replaces."""
    new.args[0] = copy.deepcopy(new.args[0])
    for inner in ast.walk(new):
        if isinstance(inner, ast.expr) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, node)
    return new


def _is_print(function):
    """Return True if a function expression has `print` in its name and is safe to evaluate
    twice."""
    name = getattr(function, "attr", getattr(function, "id", ""))
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name) and "print" in name.lower()


def _is_call(node, kind, names):
    """Return True if a node calls a function or method with one of these names, without
    keywords."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, kind) or node.keywords:
        return False
    return getattr(node.func, "attr", getattr(node.func, "id", "")) in names


def _is_literal(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_operation(node, kind):
    return isinstance(node, ast.BinOp) and isinstance(node.op, kind)


def _is_format(node):
    """Return True if a node calls the `format` method of a string literal."""
    method: Any = getattr(node, "func", None)
    if not isinstance(method, ast.Attribute) or method.attr != "format":
        return False
    return _is_literal(method.value)


def _is_text(node):
    """Return True if an expression is known to be a string."""
    if _is_operation(node, ast.Add):
        return _is_text(node.left) or _is_text(node.right)
    if _is_operation(node, ast.Mod):
        return _is_literal(node.left)
    is_call = _is_format(node) or _is_call(node, ast.Name, {"str", "repr"})
    return is_call or isinstance(node, ast.JoinedStr) or _is_literal(node)


def _method(text, name):
    return ast.Attribute(ast.Constant(text), name, ast.Load())


def _template(node, fields, depth=0):
    """Return the `str.format` template of an f-string, and append its fields to `fields`; None if
    it cannot be expressed as a template."""
    template = ""
    for piece in node.values:
        if isinstance(piece, ast.Constant):
            doubled = str(piece.value).replace("{", "{{").replace("}", "}}")
            if depth and doubled != piece.value:
                return None
            template += doubled
            continue
        fields.append(piece.value)
        spec = ""
        if piece.format_spec is not None:
            spec = None if depth else _template(piece.format_spec, fields, 1)
            if spec is None:
                return None
        conversion = "" if piece.conversion == -1 else "!" + chr(piece.conversion)
        template += "{" + conversion + (":" + spec if spec else "") + "}"
    return template
