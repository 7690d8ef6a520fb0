"""The names in bytecode: what code can read besides its arguments."""

import dis
import functools
import types
from typing import Any, NamedTuple


class Named(NamedTuple):
    """The names in code and in the functions inside it.

    `attributes`: read, written, or passed to `getattr` as a constant. `optional`: attributes whose
    absence the code may notice. `modules`: (name, level) of imports. `any_attribute`: whether
    attributes are read by names that the code does not contain. `unbounded`: the name of a function
    or attribute that can read anything, or None.
    """

    variables: frozenset
    attributes: frozenset
    optional: frozenset
    modules: frozenset
    any_attribute: bool
    unbounded: str | None


@functools.cache
def names(code):
    """The `Named` of a code object."""
    variables, attributes, optional, modules = set(), set(), set(), set()
    any_attribute, unbounded = False, None
    for part in codes_in([code]):
        steps = list(dis.get_instructions(part))
        read = {s.argval for s in steps if s.opname in _ATTRIBUTE}
        written = {s.argval for s in steps if s.opname in _WRITTEN}
        constants = {word for c in part.co_consts for word in _words(c)}
        variables.update(s.argval for s in steps if s.opname in _VARIABLE)
        modules.update(_imported(steps))
        for name, implied in _IMPLIED.items():
            if name in part.co_names:
                read |= implied
        if any(s.opname in _FORMATS for s in steps):
            read |= _IMPLIED["format"]
        optional |= constants | written
        attributes |= constants | written | read
        if part.co_exceptiontable:
            optional |= read
        for function, text in _evaluated(steps):
            if text is None:
                unbounded = function
            elif function in _IMPORTING:
                modules.add((text, 0))
            else:
                inner = names(_code(text))
                variables |= inner.variables
                attributes |= inner.attributes
                optional |= inner.optional
                modules |= inner.modules
                any_attribute = any_attribute or inner.any_attribute
                unbounded = unbounded or inner.unbounded
        any_attribute = any_attribute or any(
            _reads_any_attribute(steps, i) for i in range(len(steps))
        )
    unbounded = unbounded or min((variables | attributes) & _UNBOUNDED, default=None)
    return Named(
        frozenset(variables), frozenset(attributes), frozenset(optional), frozenset(modules),
        any_attribute, unbounded,
    )  # fmt: skip


def codes_in(codes):
    """These codes, and those of the functions inside them."""
    for code in codes:
        yield code
        yield from codes_in([c for c in code.co_consts if isinstance(c, types.CodeType)])


def _words(constant):
    """The names in a constant: `getattr(x, "a")`, `attrgetter("a.b")`, `case Point(a=0)`."""
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
    """Whether step `i` reads attributes of any name, or loads a function that does."""
    step = steps[i]
    if step.opname == "MATCH_CLASS":
        return True
    if step.opname not in _LOADS:
        return False
    return step.argval in _WHOLE or (step.argval in _BY_NAME and not _has_constant(steps, i))


def _has_constant(steps, i):
    """Whether step `i` loads a function whose second argument is a constant string."""
    step: Any
    step, is_all = _argument(steps, i, 2)
    return is_all and step.opname == "LOAD_CONST" and type(step.argval) is str


def _argument(steps, i, place):
    """(the first step of argument `place` of the function that step `i` loads, whether it is the
    only step); (None, False) where the function is not called there. The depth of the stack
    separates the arguments."""
    depth, reached = 0, {}  # depth -> the step that last reached it
    for k in range(i + 1, len(steps)):
        step = steps[k]
        is_call = step.opname == "PRECALL" or (
            step.opname == "CALL" and steps[k - 1].opname != "PRECALL"
        )
        if is_call and step.arg == depth:
            if place > depth:
                break
            after = reached[place + 1] if depth > place else k
            return steps[reached[place]], after == reached[place] + 1
        if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
            break
        before, depth = depth, depth + dis.stack_effect(step.opcode, step.arg, jump=False)
        if depth < 1:
            break
        reached.update(dict.fromkeys(range(before + 1, depth + 1), k))
    return None, False


def _evaluated(steps):
    """(function, constant text) of each call that evaluates, compiles or imports; the text is None
    where the code does not contain it."""
    for i, loaded in enumerate(steps):
        if loaded.opname in _LOADS and loaded.argval in _EVALUATING:
            step: Any
            step, is_all = _argument(steps, i, 1)
            if is_all and step.opname == "LOAD_CONST" and type(step.argval) is str:
                yield loaded.argval, step.argval
            elif step is None or step.opname not in _LOADS or step.argval != "compile":
                yield loaded.argval, None


def _code(text):
    """The code of a text; empty code, if the text is no code."""
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
_FORMATS = {"FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE"}
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
_IMPLIED = {
    "repr": {"__repr__"},
    "str": {"__str__", "__repr__"},
    "print": {"__str__", "__repr__"},
    "format": {"__format__", "__str__", "__repr__"},
    "copy": {"__copy__", "__deepcopy__"},
    "deepcopy": {"__copy__", "__deepcopy__"},
    "type": {"__init__", "__new__"},
    "__class__": {"__init__", "__new__"},
}
