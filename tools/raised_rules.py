"""The rules that a function's source may raise, for the 'Raises' lists of the site.

`raised(value)` follows a function or class into the private functions of its module, and into
checks (`require_...`) and kinds of arguments of others; `reachable(value)` into everything that it
refers to. Both read the source and call nothing of it.
"""

import ast
import dataclasses
import functools
import inspect
import re
import string
import types
from pathlib import Path
from typing import NamedTuple, get_args

import sporax
from sporax._src.diagnosis import argument_kinds, rules
from sporax._src.diagnosis.argument_kinds import Kind
from sporax.ops import declaration

_ROOTS = "sporax", "mindspore"  # names of the modules of classes, see `compat.classes`
_PACKAGE = str(Path(sporax.__file__).parent)
_RAISES = {rules.require: 1, rules.rejection: 0}  # the position of the rule
_CHECKS = re.compile(r"_|require|check|refuse")  # names of functions that check arguments
_CUTS = {"en": r",? but (got|has|it|is|they|none)\b|\. (?=[A-Z])", "zh": "，但|。"}
_ARGUMENT = {"en": "an argument ", "zh": "参数"}  # whose name the source does not tell
_COLUMNS = {"en": "english", "zh": "chinese"}
_TABLE = rules.table()
_DEPTH = 4  # calls of private functions
# the sources of what every call may raise: at the door of a function, or after a failure in it
_DOORS = [
    "_src/core/*.py", "_src/diagnosis/*.py", "ops/declaration.py", "ops/overload.py",
    "ops/indexing/index_pattern.py", "numpy/faces.py", "_src/runtime/engine/operation.py",
    "_src/runtime/index_checks/ranges.py",
]  # fmt: skip


class Raised(NamedTuple):
    """A rule that may be raised: its id, the class of its error, and known texts of its slots."""

    rule: str
    error: str
    fields: tuple

    def sentence(self, language="en"):
        """Return the rule as a sentence, without what came and the remedy."""
        fields, row = dict(self.fields), _TABLE[self.rule]
        text = "".join(
            literal + ("" if slot is None else fields.get((slot, language), f"<{slot}>"))
            for literal, slot, *_ in rules.template_fields(getattr(row, _COLUMNS[language]))
        )
        text = re.sub("'<argument>' ?", _ARGUMENT[language], text)
        return re.split(_CUTS[language], " ".join(text.split()))[0].rstrip(".。")

    @property
    def entry(self):
        """The entry of the error index."""
        entry, *special = _TABLE[self.rule].entry.split()
        named = dict(item.split(":") for item in special)
        argument = dict(self.fields).get(("argument", "en"))
        return named.get(argument, named.get(self.error, entry))


# sources ----------------------------------------------------------------------------------------


@functools.cache
def _nodes(file):
    """Return {first line: function or class} of a file."""
    found = {}
    for node in ast.walk(ast.parse(Path(file).read_text("utf8"))):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            first = [d.lineno for d in getattr(node, "decorator_list", [])]
            found.setdefault(min([*first, node.lineno]), node)
    return found


def _is_own(code):
    return code.co_filename.startswith(_PACKAGE) and code.co_filename.endswith(".py")


@functools.cache
def _source(code):
    """Return the nodes of a function's source, without its decorators."""
    node = _nodes(code.co_filename).get(code.co_firstlineno) if _is_own(code) else None
    if node is None:
        return []
    inside = node.body if isinstance(node, ast.FunctionDef) else [node.body]
    return [one for part in (node.args, *inside) for one in ast.walk(part)]


class Scope:
    """The names that a function's source refers to. `owner`: the class of `self`."""

    def __init__(self, function, owner=None):
        self.names, self.owner = function.__globals__, owner
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        self.closure = {name: cell.cell_contents for name, cell in cells if not _is_empty(cell)}

    def value(self, node):
        """Return the value of a name or an attribute, or of a kind of arguments; else None."""
        if isinstance(node, ast.Name):
            return self.closure.get(node.id, self.names.get(node.id))
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                return self.owner and inspect.getattr_static(self.owner, node.attr, None)
            of = self.value(node.value)
            is_known = isinstance(of, (types.ModuleType, type, Kind))
            return inspect.getattr_static(of, node.attr, None) if is_known else None
        if isinstance(node, ast.Call):
            makes = self.value(node.func)
            if getattr(makes, "__module__", "") == argument_kinds.__name__:
                try:
                    return eval(ast.unparse(node), dict(self.names), self.closure)
                except (NameError, TypeError):  # it depends on an argument
                    return None
        return None


def _is_empty(cell):
    try:
        return cell.cell_contents is None
    except ValueError:
        return True


def functions(value):
    """Yield (function, class or None) that make up a public name: of an operation the function on
    arrays with its checks, of a class its constructor and its call."""
    value = getattr(value, "fget", getattr(value, "__func__", value))
    declared = getattr(value, "declaration", None)
    if isinstance(declared, declaration.Declaration) and declared.fn is not value:
        for one in (declared.fn, declared.check, declared.bounds):
            if isinstance(one, types.FunctionType):
                yield inspect.unwrap(one), None
        return
    for one in getattr(value, "overloads", ()):
        yield from functions(one)
    if isinstance(value, functools.partial):
        yield from functions(value.func)
    elif inspect.isclass(value):
        called = "construct" if hasattr(value, "construct") else "__call__"
        for name in ("__new__", "__init__", called):
            member = inspect.getattr_static(value, name, None)
            for function, _ in functions(member):
                yield function, value
    elif isinstance(value, types.FunctionType):
        made_for = value.__globals__.get("function")  # of `nn.functional_layers.layer`
        if _is_own(value.__code__):
            yield inspect.unwrap(value), None
        elif made_for is not None:
            yield from functions(made_for)


def _declared(value):
    """Yield (name, kind or function that checks) of the arguments that a dataclass annotates."""
    for field in dataclasses.fields(value) if dataclasses.is_dataclass(value) else ():
        annotations = [field.type, *get_args(field.type)]  # the type itself, or of it or None
        for kind in [k for a in annotations for k in getattr(a, "__metadata__", ())]:
            yield field.name, kind
        if bool in annotations:
            yield field.name, argument_kinds.BOOL


# what is raised ---------------------------------------------------------------------------------


def raised(value, owner=None):
    """Return the `Raised` of a public function or class, or of a method of `owner`, in the order of
    its source."""
    found, seen = {}, set()
    for name, kind in _declared(value):
        if isinstance(kind, Kind):
            found.update(dict.fromkeys(_of_kind(kind, [ast.keyword(name, None)])))
    for function, of in functions(value):
        _collect(function, of or owner, found, seen, _DEPTH)
    return [*found]


def _collect(function, owner, found, seen, depth):
    if (function.__code__, owner) in seen:
        return
    seen.add((function.__code__, owner))
    scope = Scope(function, owner)
    for call in [one for one in _source(function.__code__) if isinstance(one, ast.Call)]:
        called = scope.value(call.func)
        if isinstance(called, types.FunctionType) and called in _RAISES:
            found.update(dict.fromkeys(_of_call(call, _RAISES[called], scope)))
        elif isinstance(called, Kind):
            found.update(dict.fromkeys(_of_kind(called, call.keywords)))
        elif _is_checked(call, scope):
            kind, name = scope.value(call.func.value), call.args[1:2]
            named = [ast.keyword(text, None) for text in map(_text, name) if text]
            named = named or [ast.keyword("<argument>", None)]
            found.update(dict.fromkeys(_of_kind(kind, named)))
        elif depth and _is_followed(called, call, function):
            _collect(inspect.unwrap(called), owner, found, seen, depth - 1)


def _is_checked(call, scope):
    is_method = isinstance(call.func, ast.Attribute) and call.func.attr == "checked"
    return is_method and isinstance(scope.value(call.func.value), Kind)


def _is_followed(called, call, function):
    if not isinstance(called, types.FunctionType):
        return False
    if called.__module__ == function.__module__:
        is_own = isinstance(call.func, ast.Attribute)
        return is_own or called.__name__.startswith("_")
    return bool(_CHECKS.match(called.__name__))


def _of_call(call, at, scope):
    """Yield the `Raised` of a call of `require` or `rejection`."""
    if len(call.args) <= at:
        return
    given = {k.arg: k.value for k in call.keywords if k.arg}
    error = given.pop("error", call.args[at + 2] if len(call.args) > at + 2 else None)
    error = error.id if isinstance(error, ast.Name) and error.id.endswith("Error") else ""
    for rule in _ids(call.args[at], scope):
        row, fields = _TABLE[rule], {}
        slots = {name for _, name, *_ in rules.template_fields(row.english) if name}
        for name, value in given.items():
            for language, text in _texts(value, scope).items():
                fields[name, language] = text
            if name not in slots and "argument" in slots and "argument" not in given:
                fields.update({("argument", language): name for language in _COLUMNS})
        yield Raised(rule, error or row.error, tuple(sorted(fields.items())))


def _of_kind(kind, keywords):
    words = kind.words()
    for name in [k.arg for k in keywords if k.arg]:
        fields = [(("argument", language), name) for language in _COLUMNS]
        fields += [(("kind", "en"), str(words)), (("kind", "zh"), words.chinese)]
        if kind.has_type is not argument_kinds._any:
            yield Raised("must-be-type", "TypeError", tuple(sorted(fields)))
        if kind.is_in_range is not argument_kinds._any:
            yield Raised(kind.rule, "ValueError", tuple(sorted(fields)))


def _ids(node, scope):
    """Yield the rules that an expression may be."""
    if isinstance(node, ast.IfExp):
        yield from _ids(node.body, scope)
        yield from _ids(node.orelse, scope)
    else:
        text = _text(node) or scope.value(node)
        if isinstance(text, str) and text in _TABLE:
            yield text


def _text(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _texts(node, scope):
    """Return {language: text} of a field that is a constant or a phrase without slots."""
    value = node.value if isinstance(node, ast.Constant) else scope.value(node)
    if isinstance(value, str) and value in _TABLE and not _TABLE[value].error:  # a phrase
        return {language: getattr(_TABLE[value], name) for language, name in _COLUMNS.items()}
    if isinstance(value, bool | int | float | str):
        return {language: str(value) for language in _COLUMNS}
    if isinstance(value, tuple) and all(isinstance(item, str | int) for item in value):
        return {language: ", ".join(map(str, value)) for language in _COLUMNS}
    if isinstance(node, ast.Call) and scope.value(node.func) is rules.message and node.args:
        for rule in _ids(node.args[0], scope):
            row = _TABLE[rule]
            if not any(name for _, name, *_ in string.Formatter().parse(row.english)):
                return {language: getattr(row, column) for language, column in _COLUMNS.items()}
    return {}


# what may be raised by what is called -------------------------------------------------------------


@functools.cache
def _doors():
    """Return the ids of the rules that every call may raise."""
    files = [file for pattern in _DOORS for file in Path(_PACKAGE).glob(pattern)]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf8")))]
    return {node.value for node in nodes if isinstance(node, ast.Constant)} & _TABLE.keys()


def reachable(value):
    """Return the ids of the rules named by everything that a function or class refers to, and of
    those that every call may raise."""
    return _closure(value) | _doors()


def _closure(root):
    """Return the ids named by a root and by what it calls: of a class that is a root all members,
    of another one what its construction and call run."""
    found, seen = set(), {}
    pending = [(root, None)]
    while pending:
        value, owner = pending.pop()
        key = value if isinstance(value, (str, Kind)) else id(value), owner
        if key in seen:
            continue
        seen[key] = value  # kept: another object could get its id
        if isinstance(value, str):
            found |= {value} & _TABLE.keys()
        elif isinstance(value, Kind):
            found |= {"must-be-type", value.rule, *_parts(value.words())}
        elif isinstance(value, dict):
            pending += [(item, None) for pair in value.items() for item in pair]
        elif isinstance(value, (tuple, list, set, frozenset)):
            pending += [(item, None) for item in value]
        elif isinstance(value, functools.partial):
            pending += [(value.func, None), (value.args, None), (value.keywords, None)]
        elif inspect.isclass(value) and value is root:
            pending += _members(value)
        else:
            for function, of in functions(value):
                pending += _references(function, of or owner)
    return found


def _members(cls):
    """Return the attributes of a class of sporax and of its bases."""
    own = [one for one in cls.__mro__ if (one.__module__ or "").startswith(_ROOTS)]
    members = [member for one in own for member in vars(one).values()]
    members += [kind for _, kind in _declared(cls)]
    return [(getattr(m, "fget", getattr(m, "__func__", m)), cls) for m in members]


@functools.cache
def _references(function, owner):
    """Return [(value, class or None)] of the names and texts in a function's source."""
    nodes = _source(function.__code__)
    scope = Scope(function, owner)
    found = [(value, owner) for value in scope.closure.values()]
    called = {id(one.func) for one in nodes if isinstance(one, ast.Call)}
    for one in nodes:
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            found.append((one.value, None))
        elif isinstance(one, (ast.Name, ast.Attribute)):
            value = scope.value(one)
            if value is None and id(one) in called and isinstance(one, ast.Attribute):
                value = inspect.getattr_static(sporax.Tensor, one.attr, None)
            home = getattr(value, "__module__", None) or ""
            is_data = isinstance(value, (str, dict, tuple, list, set, Kind, functools.partial))
            is_run = not inspect.isclass(value) or id(one) in called
            if is_data or (is_run and home.startswith(_ROOTS)):
                found.append((value, owner if isinstance(one, ast.Attribute) else None))
    return found


def _parts(message):
    yield message.rule
    for field in message.fields.values():
        if isinstance(field, rules.Message):
            yield from _parts(field)
