"""Texts of Tensors that are arguments of `print`, in a function's source, as calls.

    print(f"loss {loss:.3f}")   ->   print(text(print, "loss {:.3f}".format, loss))

The runtime functions (`ast_transform.print_runtime`) format the text at once, or, in a captured
function, at each run. Only arguments of `print`, and of functions named like it (`ops.print_`,
`self.print`), are converted: a text that goes elsewhere may have any use.
"""

import ast
import copy
from typing import Any

_FUNCTIONS = {"str", "repr", "float", "int"}
_METHODS = {"asnumpy", "numpy", "item", "tolist"}


class PrintRewriter(ast.NodeTransformer):
    """Converts the texts in calls of `print`; `call(name, *arguments)` builds the call of a runtime
    function. `count`: of the texts; `lines`: those of the converted calls."""

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
        """An argument, or a part of one, in a form that can be deferred."""
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
    """The new node, with the source location of the node that it replaces."""
    new.args[0] = copy.deepcopy(new.args[0])
    for inner in ast.walk(new):
        if isinstance(inner, ast.expr) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, node)
    return new


def _is_print(function):
    """Whether a function prints, judged by its name; it can be evaluated twice."""
    name = getattr(function, "attr", getattr(function, "id", ""))
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name) and "print" in name.lower()


def _is_call(node, kind, names):
    """Whether a node calls, without keywords, a function or method with one of these names."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, kind) or node.keywords:
        return False
    return getattr(node.func, "attr", getattr(node.func, "id", "")) in names


def _is_literal(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_operation(node, kind):
    return isinstance(node, ast.BinOp) and isinstance(node.op, kind)


def _is_format(node):
    """Whether a node calls the method `format` of a literal."""
    method: Any = getattr(node, "func", None)
    if not isinstance(method, ast.Attribute) or method.attr != "format":
        return False
    return _is_literal(method.value)


def _is_text(node):
    """Whether an expression is certainly a string."""
    if _is_operation(node, ast.Add):
        return _is_text(node.left) or _is_text(node.right)
    if _is_operation(node, ast.Mod):
        return _is_literal(node.left)
    is_call = _is_format(node) or _is_call(node, ast.Name, {"str", "repr"})
    return is_call or isinstance(node, ast.JoinedStr) or _is_literal(node)


def _method(text, name):
    return ast.Attribute(ast.Constant(text), name, ast.Load())


def _template(node, fields, depth=0):
    """The `str.format` template of an f-string, whose fields are appended to `fields`; None where
    there is no such template."""
    template = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            doubled = str(part.value).replace("{", "{{").replace("}", "}}")
            if depth and doubled != part.value:
                return None
            template += doubled
            continue
        fields.append(part.value)
        spec = ""
        if part.format_spec is not None:
            spec = None if depth else _template(part.format_spec, fields, 1)
            if spec is None:
                return None
        conversion = "" if part.conversion == -1 else "!" + chr(part.conversion)
        template += "{" + conversion + (":" + spec if spec else "") + "}"
    return template
