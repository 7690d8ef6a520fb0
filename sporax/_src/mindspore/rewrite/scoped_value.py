"""`NodeType`, and `ScopedValue`: an argument or a target of a statement."""

import ast
from enum import Enum
from typing import Any

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require


class NodeType(Enum):
    """The kind of a `Node`.

    A call of a Cell (`CallCell`), a Primitive, a function or a method; a statement that is not
    analysed (`Python`); a parameter of `construct` (`Input`) or a `return` (`Output`); a Cell with
    a separate SymbolTree (`Tree`) or one that holds Cells in order (`CellContainer`); an operator
    (`MathOps`); a branch or a loop (`ControlFlow`).

    >>> NodeType.CallCell.value
    1
    """

    Unknown = 0
    CallCell = 1
    CallPrimitive = 2
    CallModule = 3
    CallFunction = 4
    CallMethod = 5
    Python = 6
    Input = 7
    Output = 8
    Tree = 9
    CellContainer = 10
    MathOps = 11
    ControlFlow = 12


class ValueType(Enum):
    """The kind of a `ScopedValue`: a constant, a container, a variable's name, or another object.

    >>> ScopedValue.create_naming_value("x").type
    <ValueType.NamingValue: 40>
    """

    ConstantValue = 0
    TupleValue = 20
    ListValue = 21
    DictValue = 22
    NamingValue = 40
    CustomObjValue = 41
    UnsupportedValue = 50  # an expression that is kept as its text


_CONTAINERS = {
    tuple: ValueType.TupleValue,
    list: ValueType.ListValue,
    dict: ValueType.DictValue,
}
CONSTANTS = (type(None), int, float, str, bool, complex, bytes, type(...))


class ScopedValue:
    """A variable, a constant or an object that a statement reads or assigns.

    `arg_type`: a ValueType. `scope`: the part before the dot, such as "self". `value`: the
    variable's name, the constant, or the object.

    >>> ScopedValue(ValueType.NamingValue, "self", "conv")
    self.conv
    """

    def __init__(self, arg_type: ValueType, scope: str = "", value: Any = None):
        kinds.instance(ValueType, "a-valuetype")("ScopedValue", arg_type=arg_type)
        kinds.STR("ScopedValue", scope=scope)
        self.type, self.scope, self.value = arg_type, scope, value

    @classmethod
    def create_variable_value(cls, value):
        """Create the ScopedValue of a constant, a tuple, list or dict of values, or an object.

        >>> ScopedValue.create_variable_value(2)
        2
        """
        if isinstance(value, CONSTANTS):
            return cls(ValueType.ConstantValue, "", value)
        kind = _CONTAINERS.get(type(value), ValueType.CustomObjValue)
        inner = cls.create_variable_value
        if kind == ValueType.DictValue:
            value = {inner(key): inner(item) for key, item in value.items()}
        elif kind != ValueType.CustomObjValue:
            value = type(value)(inner(item) for item in value)
        return cls(kind, "", value)

    @classmethod
    def create_naming_value(cls, name: str, scope: str = ""):
        """Create the ScopedValue of a variable, or of an attribute of one.

        >>> ScopedValue.create_naming_value("conv", "self")
        self.conv
        """
        kinds.STR("ScopedValue", name=name, scope=scope)
        return cls(ValueType.NamingValue, scope, name)

    @staticmethod
    def create_name_values(names, scopes=None):
        """Return a list of `create_naming_value` for each name and its scope.

        >>> ScopedValue.create_name_values(["z", "z_1"], ["self", "self"])
        [self.z, self.z_1]
        """
        for what, words in {"names": names, "scopes": scopes}.items():
            if words is None and what == "scopes":
                continue
            kinds.instance((list, tuple), "a-list-or-a-tuple")("ScopedValue", **{what: words})
            for word in words or ():
                kinds.instance(str, "some-strings")("ScopedValue", **{what: word})
        scopes = [""] * len(names) if scopes is None else scopes
        require(
            len(names) == len(scopes),
            "one-length-argument-value",
            "ScopedValue",
            names=len(names),
            other="scopes",
            value=len(scopes),
        )
        return [ScopedValue.create_naming_value(*pair) for pair in zip(names, scopes, strict=True)]

    def __str__(self):
        if self.type == ValueType.NamingValue and self.scope:
            return f"{self.scope}.{self.value}"
        if self.type == ValueType.CustomObjValue:
            return f"CustomObj: {self.value}"
        return str(self.value)

    __repr__ = __str__

    def __eq__(self, other):
        if not isinstance(other, ScopedValue):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self):
        return hash((self.type, self.scope, str(self.value)))

    def _parts(self):
        return self.type, self.scope, type(self.value), self.value


def read_value(expression):
    """Return the ScopedValue of a syntax tree's expression."""
    if isinstance(expression, ast.Name):
        return ScopedValue.create_naming_value(expression.id)
    if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
        return ScopedValue.create_naming_value(expression.attr, expression.value.id)
    if isinstance(expression, ast.Constant):
        return ScopedValue.create_variable_value(expression.value)
    if isinstance(expression, (ast.Tuple, ast.List)):
        items = [read_value(item) for item in expression.elts]
        if not any(item.type == ValueType.UnsupportedValue for item in items):
            kind = tuple if isinstance(expression, ast.Tuple) else list
            return ScopedValue(_CONTAINERS[kind], "", kind(items))
    return ScopedValue(ValueType.UnsupportedValue, "", ast.unparse(expression))


def expression_of(value):
    """Return the syntax tree of a ScopedValue's expression."""
    if value.type in (ValueType.ConstantValue, ValueType.CustomObjValue):
        return ast.Constant(value.value)  # an object gets a name when the node is inserted
    if value.type == ValueType.DictValue:
        keys = [expression_of(key) for key in value.value]
        return ast.Dict(keys, [expression_of(item) for item in value.value.values()])
    if value.type in _CONTAINERS.values():
        kind = ast.Tuple if value.type == ValueType.TupleValue else ast.List
        return kind([expression_of(item) for item in value.value], ast.Load())
    return parsed_expression(str(value))


def parsed_expression(text):
    """Return the syntax tree of an expression's text."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        raise rejection("value-name-expression-python", "ScopedValue", got=text) from None


def single_targets(target):
    """Return the single targets in `a, (b, c) = ...`."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return [single for item in target.elts for single in single_targets(item)]
    return [target]
