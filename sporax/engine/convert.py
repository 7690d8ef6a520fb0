"""Which functions a capture converts, and their converted code; see `engine.rewrite`."""

import ast
import contextlib
import functools
import gc
import inspect
import sys
import textwrap
import types
from typing import Any

from sporax.core.errors import is_users
from sporax.core.tensor import Tensor
from sporax.engine.rewrite import Writer, function_of, parameters_of
from sporax.engine.source import SHARED, has


@functools.cache
def converted(code):
    """How code is written with calls; None where its source cannot be had, or has nothing to
    convert."""
    function = _definition(code)
    if function is None:
        return None
    writer = Writer()
    writer.function(function)
    if not writer.count:
        return None
    made = function_of("factory", parameters_of(code.co_freevars), [function])
    module = ast.fix_missing_locations(ast.Module([made], []))
    flags = code.co_flags & 0x1FF0000  # of `from __future__ import`
    whole = compile(module, code.co_filename, "exec", flags=flags, dont_inherit=True)
    (factory,) = [c for c in whole.co_consts if isinstance(c, types.CodeType)]
    found = [c for c in factory.co_consts if isinstance(c, types.CodeType)]
    new = next(c for c in found if c.co_name == code.co_name)
    if new.co_freevars != code.co_freevars:
        return None
    return new.replace(co_qualname=code.co_qualname)


def _definition(code):
    """The `def` in the source that code was compiled from; None if it cannot be had."""
    try:
        source = textwrap.dedent(inspect.getsource(code))
        tree = ast.parse(source)
    except (OSError, TypeError, SyntaxError):
        return None
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        return None
    function: Any = tree.body[0]
    names = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
    names |= {n.attr for n in ast.walk(function) if isinstance(n, ast.Attribute)}
    is_private = any(n.startswith("__") and not n.endswith("__") for n in names)
    if function.name != code.co_name or is_private or has(function, SHARED):
        return None
    ast.increment_lineno(function, code.co_firstlineno - 1)
    function.decorator_list, function.returns = [], None
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    for argument in (arguments.vararg, arguments.kwarg):
        if argument is not None:
            argument.annotation = None
    # the function object keeps its defaults
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [d and ast.Constant(None) for d in arguments.kw_defaults]
    return function


class Conversions:
    """The functions that have converted code while a function is captured."""

    def __init__(self):
        self.functions, self.known = [], set()
        self.is_new = False  # whether some were found in the last capture, for the next one

    def found(self, codes):
        """In these codes a condition needed a number. Whether another capture gets further."""
        self.is_new = False
        for code in codes - {None}:
            key = code.co_filename, code.co_firstlineno, code.co_name
            if key not in self.known and converted(code) is not None:
                users = gc.get_referrers(code)
                users = [u for u in users if isinstance(u, types.FunctionType)]
                self.functions += users
                self.is_new = self.is_new or bool(users)
            self.known.add(key)
        return self.is_new

    @contextlib.contextmanager
    def exchanged(self):
        """The functions have converted code in the block."""
        before = [(function, function.__code__) for function in self.functions]
        try:
            for function, code in before:
                function.__code__ = converted(code)
            yield
        finally:
            for function, code in before:
                function.__code__ = code


_ASK = {Tensor.__bool__.__code__, Tensor.__index__.__code__}


def asking_code():
    """The user's code that is asking for the truth of a Tensor now; None if it asks otherwise."""
    frame, inner = sys._getframe(), None
    while frame is not None and not is_users(frame):
        frame, inner = frame.f_back, frame
    is_condition = inner is not None and inner.f_code in _ASK
    return frame.f_code if frame is not None and is_condition else None
