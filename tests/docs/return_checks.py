"""Compares the results of operations with the declared return types, which stubs and pages repeat.

A declaration without a return annotation returns a Tensor; `Arrays` is a tuple of Tensors.
"""

import contextlib
import inspect
import sys
import types
from typing import Any

from sporax import numpy as mnp
from sporax._src.core.tensor import Tensor
from sporax._src.mindspore.compat.class_modules import module_of
from sporax.ops.declare import FUNCTIONS, MINT, PRIMITIVES, Array, Arrays


def stated(function):
    """Return the return annotation of a function, or of its declaration."""
    declaration = getattr(function, "declaration", None)
    signature = inspect.signature(function) if declaration is None else declaration.signature
    said = signature.return_annotation
    return Array if said is signature.empty else said


def fits(said, result):
    """Return True if a result matches an annotation."""
    if isinstance(said, types.UnionType):
        return any(fits(part, result) for part in said.__args__)
    if said is Array:
        return isinstance(result, Tensor)
    if said is Arrays:
        return isinstance(result, tuple) and all(isinstance(part, Tensor) for part in result)
    return said is Any or not isinstance(said, type) or isinstance(result, said)


def faces():
    """Yield (name, function) of every face of an operation."""
    for label, registry in (("ops", FUNCTIONS), ("mint", MINT), ("Tensor", vars(Tensor))):
        for name, result in registry.items():
            for function in getattr(result, "overloads", [result]):
                yield f"{label}.{name}", function
    for name, built in PRIMITIVES.items():
        if "declaration" in vars(built):
            yield f"ops.{name}()", built.__call__
    for name in dir(mnp):
        yield f"numpy.{name}", getattr(mnp, name)


class Results:
    """Watches calls of faces; `wrong`: the ones whose result does not match the annotation."""

    def __init__(self):
        self.wrong, self.known, shared = set(), {}, set()
        for name, result in faces():
            own = module_of(result) == module_of(Tensor)  # not a face
            if isinstance(result, types.FunctionType) and not own:
                _, said = self.known.setdefault(result.__code__, (name, stated(result)))
                if said is not stated(result):
                    shared.add(result.__code__)  # the code of a decorator's function
        for code in shared:
            del self.known[code]

    def watch(self, frame, event, result):
        if event != "return" or result is None or frame.f_code not in self.known:
            return
        name, said = self.known[frame.f_code]
        if not fits(said, result):
            self.wrong.add(f"{name} returned {type(result).__name__}, but says {said}")

    @contextlib.contextmanager
    def watching(self):
        before = sys.getprofile()
        sys.setprofile(self.watch)
        try:
            yield
        finally:
            sys.setprofile(before)
