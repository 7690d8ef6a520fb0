"""Selects the functions that a capture converts, and compiles their converted code."""

import ast
import collections
import contextlib
import copy
import functools
import gc
import inspect
import sys
import threading
import traceback
import types
from typing import Any

from sporax._src.capture.ast_transform.ast_analysis import walk
from sporax._src.capture.ast_transform.ast_conditions import (
    RUNTIME_NAME,
    call,
    function_of,
    parameters_of,
)
from sporax._src.capture.ast_transform.ast_prints import PrintRewriter
from sporax._src.capture.ast_transform.print_runtime import print_replaced
from sporax._src.capture.ast_transform.runtime_functions import RUNTIME
from sporax._src.capture.ast_transform.transform import FunctionRewriter
from sporax._src.capture.guards.guard_types import originals, written_code
from sporax._src.core.environment import Process
from sporax._src.core.errors import is_users
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import live_objects
from sporax._src.diagnosis.rules import message

_UNNAMED = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}  # parts of the enclosing function
_FUTURE = 0x1FF0000  # the flags of `from __future__ import`


def converted(code):
    """Return the converted code; None if the source is unavailable or has nothing to convert."""
    return code if id(code) in originals else _converted(code, code.co_filename)


@functools.cache
def _converted(code, _):  # equal code may come from another file
    source = definition(code)
    if source is None:
        return None
    node, class_name, lines, imports = source
    node = copy.deepcopy(node)
    writer = FunctionRewriter(class_name, lines)
    try:
        writer.function(node)
        new = _compiled(node, class_name, imports, code)
    except RecursionError:  # nested too deep for Python
        return None
    if not writer.count:
        return None
    if new.co_freevars != code.co_freevars:
        return None
    new = _finished(new, new.co_qualname, code.co_qualname).replace(co_qualname=code.co_qualname)
    originals.update({id(inner): inner for inner in all_codes(new)} | {id(new): code})
    return new


def _compiled(node, class_name, imports, code):
    """Compile a definition as if it stood where the function of `code` does. The module's imports
    are included: calls of imported names' methods compile to another instruction."""
    names = parameters_of(code.co_freevars)
    is_lambda = isinstance(node, ast.Lambda)
    body: list[ast.stmt] = [ast.Return(node)] if is_lambda else [node]
    if not is_lambda and node.name not in code.co_freevars:  # not a local of the factory
        body.insert(0, ast.Global([node.name]))
    definition: ast.stmt = function_of("factory", names, body)
    if class_name is not None:  # for mangled private names
        definition = _class_of(class_name, definition)
    module = ast.fix_missing_locations(ast.Module([*imports, definition], []))
    flags = code.co_flags & _FUTURE
    whole = compile(module, code.co_filename, "exec", flags=flags, dont_inherit=True)
    (factory,) = [c for c in all_codes(whole) if c.co_name == "factory"][:1]
    (new,) = [c for c in codes_in(factory) if c.co_name == code.co_name][-1:]
    return new


def _class_of(name, body):
    definition: Any = ast.ClassDef(name, [], [], [body], [])
    if "type_params" in ast.ClassDef._fields:
        definition.type_params = []
    return definition


def codes_in(code):
    """Return the code objects of the functions defined directly in `code`."""
    return [c for c in code.co_consts if isinstance(c, types.CodeType)]


def all_codes(code):
    """Return `code` and the code objects of all functions defined in it, recursively."""
    return [code, *[nested for inner in codes_in(code) for nested in all_codes(inner)]]


def _finished(code, was, name):
    """Return the code with the runtime inserted and the original qualified names restored."""

    def constant(c):
        if isinstance(c, types.CodeType):
            return _finished(c, was, name)
        if isinstance(c, str):
            return RUNTIME if c == RUNTIME_NAME else _renamed(c, was, name)
        return c

    constants = tuple(map(constant, code.co_consts))
    return code.replace(co_consts=constants, co_qualname=_renamed(code.co_qualname, was, name))


def _renamed(text, was, name):
    is_inside = text.startswith(f"{was}.<locals>.")
    return name + text[len(was) :] if is_inside else text


# the source ---------------------------------------------------------------------------------


@functools.lru_cache(maxsize=32)
def _functions(source):
    """Return ({(first line, name): [(definition, enclosing class)]} of the functions and lambdas in
    a source, its imports outside functions)."""
    functions = {}
    tree = ast.parse(source)
    imports = [n for n in walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom))]
    left: list[Any] = [(tree, None)]
    while left:
        node, class_name = left.pop()
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            key = _first_line(node), getattr(node, "name", "<lambda>")
            functions.setdefault(key, []).append((node, class_name))
        class_name = node.name if isinstance(node, ast.ClassDef) else class_name
        left += [(inner, class_name) for inner in ast.iter_child_nodes(node)]
    return functions, imports


def definition(code):
    """Return (the `def` or `lambda` that code was compiled from, the enclosing class name, the
    source lines, the imports); None if the source is unavailable or has changed."""
    entry = _definition(code, code.co_filename)
    return entry and entry[1:]


def written_definition(code):
    """Return (the `def` or `lambda` with decorators and annotations, the enclosing class name);
    None as in `definition`."""
    entry = _definition(code, code.co_filename)
    return entry and (entry[0], entry[2])


@functools.cache
def _definition(code, _):
    try:
        lines = inspect.findsource(code)[0]
        functions, imports = _functions("".join(lines))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    for node, class_name in functions.get((code.co_firstlineno, code.co_name), ()):
        plain = _plain(node)
        if _is_same(_compiled(plain, class_name, imports, code), code):
            return node, plain, class_name, lines, imports
    return None


def _plain(node):
    """Copy a definition without decorators, annotations and defaults: the function object keeps its
    defaults."""
    node = copy.deepcopy(node)
    arguments = node.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    for argument in (arguments.vararg, arguments.kwarg):
        if argument is not None:
            argument.annotation = None
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [d and ast.Constant(None) for d in arguments.kw_defaults]
    if isinstance(node, ast.FunctionDef):
        node.lineno = _first_line(node)
        node.decorator_list, node.returns = [], None
    return node


def _first_line(node):
    """Return the first line of a definition, including decorators."""
    return min([node.lineno, *[d.lineno for d in getattr(node, "decorator_list", ())]])


def _is_same(one, other):
    """Return True if two code objects have the same instructions at the same lines, or if pytest
    has rewritten an `assert` in the function."""
    if any(name.startswith("@py") for inner in all_codes(other) for name in inner.co_names):
        return True
    if one.co_code != other.co_code or one.co_names != other.co_names:
        return False
    if one.co_freevars != other.co_freevars or one.co_varnames != other.co_varnames:
        return False
    if len(one.co_consts) != len(other.co_consts):
        return False
    for a, b in zip(one.co_consts, other.co_consts, strict=True):
        is_code = isinstance(a, types.CodeType) and isinstance(b, types.CodeType)
        if not (_is_same(a, b) if is_code else repr(a) == repr(b) or _is_name(a, b)):
            return False
    return list(one.co_lines()) == list(other.co_lines())


def _is_name(one, other):
    """Return True if both are a class's qualified name, `one` with the factory's prefix."""
    tail = one.partition("factory.<locals>.")[2] if isinstance(one, str) else ""
    return bool(tail) and isinstance(other, str) and other.endswith(tail)


def obstacle(code):
    """Return why code with a condition on a Tensor cannot be converted; None if it can."""
    if code is None or id(code) in originals or code.co_name in _UNNAMED:
        return None
    if definition(code) is not None:
        return None
    return message("no-source", name=code.co_name)


@functools.cache
def _print_lines(code):
    """Return the lines of code with `print` calls that can be converted."""
    source = definition(code)
    if source is None:
        return set()
    prints = PrintRewriter(call)
    prints.visit(copy.deepcopy(source[0]))
    return prints.lines


# which functions ----------------------------------------------------------------------------


def _holders(code):
    """Return the live functions whose code contains the definition of `code`."""
    if "<locals>" not in code.co_qualname:
        return []
    functions = live_objects(types.FunctionType)
    functions = [f for f in functions if f.__code__.co_filename == code.co_filename]
    return [f for f in functions if _defines(written_code(f.__code__), code)]


def _defines(outer, code):
    return any(inner is code for inner in all_codes(outer)[1:])


def _users(code):
    """Return the functions with this code, and the functions that define it. Objects frozen by
    `gc.freeze` are not found."""
    users = [u for u in gc.get_referrers(code) if isinstance(u, types.FunctionType)]
    users += [u for u, (own, _) in list(_blocks.items()) if own is code and u not in users]
    return users + _holders(code)


class Conversions:
    """The functions that run converted code during a capture, in which `print` is replaced too."""

    MAX_FUNCTIONS = 4  # with the same code, if each call creates a new one

    def __init__(self):
        self.functions, self.counts = [], collections.Counter()
        self.is_new = False  # True if the last capture added functions

    def add(self, codes):
        """Convert the functions of these codes, in which a condition or a `print` needed a concrete
        value. Return True if there are new ones, so that another capture may succeed."""
        self.is_new = False
        for code in codes - {None}:
            if self.counts[code] == self.MAX_FUNCTIONS or id(code) in originals:
                continue
            self.counts[code] += 1
            users = _users(code)
            new = self._not_converted(users)
            if not new and (not users or self.counts[code] > 1):
                gc.unfreeze()  # `get_referrers` omits frozen objects
                new = self._not_converted(_users(code))
            self.functions += new
            self.is_new = self.is_new or bool(new)
        return self.is_new

    def may_help(self, error, codes):
        """As `add`, after a capture that ended with `error`. If another capture may succeed,
        release the Tensors of the failed one: a write updates all live Tensors of its memory."""
        if not self.add(codes):
            return False
        while error is not None:
            traceback.clear_frames(error.__traceback__)
            error = error.__cause__ or error.__context__
        return True

    def _not_converted(self, users):
        return [u for u in users if u not in self.functions and converted(u.__code__)]

    @contextlib.contextmanager
    def applied(self):
        """Give the functions their converted code in the block, in all threads."""
        functions, block = self.functions[:], object()
        try:
            if functions:
                _convert(functions, block)
            with print_replaced():
                yield
        finally:
            if functions:
                _restore(functions, block)


_lock = threading.RLock()
Process.locks.append(_lock)
_blocks = {}  # function with converted code -> (original code, its open blocks)


@uninterrupted
def _convert(functions, block):
    with _lock:
        for function in functions:
            code, blocks = _blocks.setdefault(function, (function.__code__, set()))
            blocks.add(block)
            function.__code__ = converted(code)


@uninterrupted
def _restore(functions, block):
    with _lock:
        for function in functions:
            code, blocks = _blocks.get(function, (function.__code__, set()))
            blocks.discard(block)
            if not blocks:
                function.__code__ = code
                _blocks.pop(function, None)


_CONDITIONS = {Tensor.__bool__.__code__, Tensor.__index__.__code__}
_TEXTS = (
    Tensor.__str__, Tensor.__repr__, Tensor.__format__, Tensor.__float__, Tensor.__int__,
    Tensor.asnumpy, Tensor.item, Tensor.tolist,
)  # fmt: skip
_TEXTS = {function.__code__ for function in _TEXTS}


def reading_code():
    """Return the user code that is now reading a Tensor's truth value, or formatting it in a
    `print`; None if it reads a concrete value in another way."""
    frame, inner = sys._getframe(), None
    while frame is not None and not is_users(frame):
        frame, inner = frame.f_back, frame
    if frame is None or inner is None:
        return None
    is_text = inner.f_code in _TEXTS and frame.f_lineno in _print_lines(frame.f_code)
    return frame.f_code if is_text or inner.f_code in _CONDITIONS else None
