"""Names in bytecode: everything that code can read besides its arguments."""

import dis
import functools
import itertools
import types
from typing import Any

from sporax._src.capture.guards.dotted_names import dotted_names, expanded, loaded_as_values


class Named:
    """The names in code and in its nested functions.

    `variables`: globals. `attributes`: read, written, or passed to `getattr` as a constant.
    `optional`: attributes whose absence the code may detect. `modules`: (name, level) of imports;
    `imported`: modules that a function such as `import_module` imports. `dotted`: names with their
    attributes, see `Dotted`; `values`: names that are not only called; `texts`: string constants.
    `any_attribute`: True if attributes are read under names that the code does not contain.
    `has_texts`: True if objects are converted to strings. `sees_identity`: True if local variables
    are compared by `is`, or classes read by `type`. `unbounded`: the name of a function or
    attribute that can read anything, or None.
    """

    SETS = (
        "variables", "attributes", "optional", "modules", "imported", "dotted", "values", "texts",
    )  # fmt: skip

    def __init__(self, code):
        self.variables, self.attributes, self.optional = set(), set(), set()
        self.modules, self.imported, self.dotted = set(), set(), set()
        self.values, self.texts = set(), set()
        self.any_attribute, self.has_texts, self.unbounded = False, False, None
        self.sees_identity = False
        instructions = []
        for code_object in codes_in([code]):
            steps = list(dis.get_instructions(code_object))
            instructions.append(expanded(code_object, steps))
            self.values |= loaded_as_values(instructions[-1])
            self._add(code_object, steps)
            for function, text in _evaluated(steps):
                self._add_evaluated(function, text)
        self.dotted |= dotted_names(instructions)
        self.unbounded = self.unbounded or min(
            (self.variables | self.attributes) & _UNBOUNDED, default=None
        )

    def _add(self, code, steps):
        """Add the names in one code object."""
        read = {s.argval for s in steps if s.opname in _ATTRIBUTE}
        written = {s.argval for s in steps if s.opname in _WRITTEN}
        constants = {word for c in code.co_consts for word in _words(c)}
        for name, implied in _IMPLIED.items():
            if name in code.co_names:
                read |= implied
        for step in steps:
            read |= _of_syntax(step.opname, step.argrepr if step.opname in _SIGNED else "")
        self.texts.update(c for c in code.co_consts if type(c) is str)
        self.variables.update(s.argval for s in steps if s.opname in _VARIABLE)
        self.modules.update(_imported(steps))
        self.has_texts = self.has_texts or not read.isdisjoint(_TEXTS)
        self.sees_identity |= "type" in self.variables or any(
            step.opname == "IS_OP" and right.opname.startswith("LOAD_FAST")
            for right, step in itertools.pairwise(steps)
        )
        self.optional |= constants | written
        self.attributes |= constants | written | read
        if code.co_exceptiontable:
            self.optional |= read
        self.any_attribute = self.any_attribute or any(
            _reads_any_attribute(steps, i) for i in range(len(steps))
        )

    def _add_evaluated(self, function, text):
        """Add the names in a text that a call evaluates, compiles or imports; None: any names."""
        if text is None:
            self.unbounded = function
        elif function in _IMPORTING:
            self.imported.add(text)
        else:
            inner = names(_code(text))
            for name in self.SETS:
                getattr(self, name).update(getattr(inner, name))
            self.any_attribute = self.any_attribute or inner.any_attribute
            self.sees_identity |= inner.sees_identity
            self.has_texts = self.has_texts or inner.has_texts
            self.unbounded = self.unbounded or inner.unbounded


@functools.cache
def names(code):
    """Return the `Named` of a code object."""
    return Named(code)


@functools.cache
def _of_syntax(opname, operator):
    """Return the special methods that an instruction calls."""
    if opname == "COMPARE_OP":
        return _COMPARISONS[operator.removeprefix("bool(").removesuffix(")")]
    if opname == "BINARY_OP":
        sign = operator.removesuffix("=")
        name = _OPERATORS.get(sign)
        methods = set() if name is None else {f"__{name}__", f"__r{name}__", f"__i{name}__"}
        return methods | _TEXTS if sign == "%" else methods
    return _OF_SYNTAX.get(opname, set())


def codes_in(codes):
    """Yield code objects and the code objects of their nested functions."""
    for code in codes:
        yield code
        yield from codes_in([c for c in code.co_consts if isinstance(c, types.CodeType)])


def _words(constant):
    """Return the names in a constant: `getattr(x, "a")`, `attrgetter("a.b")`, `case Point(a=0)`."""
    if isinstance(constant, str):
        return [word for word in constant.split(".") if word.isidentifier()]
    if isinstance(constant, (tuple, frozenset)):
        return [word for item in constant for word in _words(item)]
    return ()


def _imported(steps):
    for i, step in enumerate(steps):
        if step.opname == "IMPORT_NAME":
            yield step.argval, next(s.argval for s in steps[i - 2 :: -1] if type(s.argval) is int)


def _reads_any_attribute(steps, i):
    """Return True if step `i` reads attributes of any name, or loads a function that does."""
    step = steps[i]
    if step.opname == "MATCH_CLASS":
        return True
    if step.opname not in _LOADS:
        return False
    return step.argval in _WHOLE or (step.argval in _BY_NAME and not _has_constant(steps, i))


def _has_constant(steps, i):
    """Return True if step `i` loads a function whose second argument is a constant string."""
    step: Any
    step, is_all = _argument(steps, i, 2)
    return is_all and step.opname == "LOAD_CONST" and type(step.argval) is str


def _argument(steps, i, position):
    """Return (first step of argument `position` of the function that step `i` loads, True if it is
    the only step), or (None, False) if the function is not called. The stack depth separates the
    arguments."""
    depth, reached = 0, {}  # depth -> the step that last reached it
    for k in range(i + 1, len(steps)):
        step = steps[k]
        is_call = step.opname == "PRECALL" or (
            step.opname == "CALL" and steps[k - 1].opname != "PRECALL"
        )
        if is_call and step.arg == depth:
            if position > depth:
                break
            after = reached[position + 1] if depth > position else k
            return steps[reached[position]], after == reached[position] + 1
        if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
            break
        before, depth = depth, depth + dis.stack_effect(step.opcode, step.arg, jump=False)
        if depth < 1:
            break
        reached.update(dict.fromkeys(range(before + 1, depth + 1), k))
    return None, False


def _evaluated(steps):
    """Yield (function, constant text) of each call that evaluates, compiles or imports; the text is
    None if the code does not contain it."""
    for i, loaded in enumerate(steps):
        if loaded.opname in _LOADS and loaded.argval in _EVALUATING:
            step: Any
            step, is_all = _argument(steps, i, 1)
            if is_all and step.opname == "LOAD_CONST" and type(step.argval) is str:
                yield loaded.argval, step.argval
            elif step is None or step.opname not in _LOADS or step.argval != "compile":
                yield loaded.argval, None


def _code(text):
    """Compile a text; return empty code for a syntax error."""
    try:
        return compile(text, "", "exec")
    except SyntaxError:
        return compile("", "", "exec")


_VARIABLE = {
    "LOAD_GLOBAL",
    "LOAD_NAME",
    "STORE_GLOBAL",
    "DELETE_GLOBAL",
    "LOAD_FROM_DICT_OR_GLOBALS",
}
_ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM"}
_WRITTEN = {"STORE_ATTR", "DELETE_ATTR"}
_LOADS = {*_VARIABLE, *_ATTRIBUTE}
_BY_NAME = {"getattr", "hasattr", "setattr", "delattr"}
_WHOLE = {
    "vars", "dir", "attrgetter", "methodcaller", "__dict__", "__getattribute__", "__getattr__",
    "__getstate__", "__reduce__", "__reduce_ex__", "__slots__",
}  # fmt: skip
_UNBOUNDED = {
    "globals", "__globals__", "f_globals", "f_locals", "_getframe", "currentframe", "get_objects",
    "get_referrers", "__subclasses__", "__closure__",
}  # fmt: skip
_IMPORTING = {"__import__", "import_module"}
_EVALUATING = {"eval", "exec", "compile", *_IMPORTING}
# methods that a function of this name calls
_TEXTS = {"__format__", "__str__", "__repr__", "extend_repr"}  # the last of Cells
_COPIES = {
    "__copy__", "__deepcopy__", "__replace__", "__reduce__", "__reduce_ex__", "__getstate__",
    "__setstate__", "__getnewargs__", "__getnewargs_ex__", "__new__",
}  # fmt: skip
_IMPLIED = {
    **dict.fromkeys(
        ["repr", "ascii", "str", "print", "format", "format_map", "substitute", "safe_substitute"],
        _TEXTS,
    ),
    "dir": {"__dir__"},
    "type": {"__init__", "__new__"},
    "__class__": {"__init__", "__new__"},
    **dict.fromkeys(["copy", "deepcopy", "replace", "dumps", "dump"], _COPIES),
}
_SIGNED = {"BINARY_OP", "COMPARE_OP"}
_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
    "**": "pow", "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
_COMPARISONS = {
    "<": {"__lt__", "__gt__"}, ">": {"__lt__", "__gt__"}, "<=": {"__le__", "__ge__"},
    ">=": {"__le__", "__ge__"}, "==": {"__eq__"}, "!=": {"__ne__", "__eq__"},
}  # fmt: skip
_OF_SYNTAX = {
    **dict.fromkeys(["FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE"], _TEXTS),
    "BINARY_SUBSCR": {"__getitem__"},
    "BINARY_SLICE": {"__getitem__"},
    "STORE_SUBSCR": {"__setitem__"},
    "STORE_SLICE": {"__setitem__"},
    "CONTAINS_OP": {"__contains__"},
    "GET_ITER": {"__iter__", "__next__"},
    "BEFORE_WITH": {"__enter__", "__exit__"},
    "UNARY_NEGATIVE": {"__neg__"},
    "UNARY_INVERT": {"__invert__"},
    "MATCH_CLASS": {"__match_args__"},
    "LOAD_BUILD_CLASS": {"__init_subclass__", "__set_name__", "__prepare__", "__init__", "__new__"},
}
