"""The library of a class or module, and which objects have state that no guard can read."""

import abc
import collections
import datetime
import decimal
import enum
import fractions
import functools
import operator
import pathlib
import re
import sys
import sysconfig
import threading
import types
import typing
import uuid

import numpy as np

from sporax._src.capture.guards.class_cache import cached_by_class
from sporax._src.capture.guards.library_rules import rule_of

_LIBRARIES = {"builtins", "jax", "jaxlib", "mindspore", "ml_dtypes", "numpy", "sporax"}
_INSTALLED = {"site-packages", "dist-packages"}
_STANDARD = sysconfig.get_path("stdlib")


@functools.cache
def origin(module):
    """Return the library of a module: a name of `_LIBRARIES`, whose code is not followed,
    "standard" for the standard library and installed packages that do not import sporax, or None
    for user code, which is followed."""
    root = str(module).partition(".")[0]
    if root in _LIBRARIES:
        return "sporax" if root == "mindspore" else root  # the alias of `install_as_mindspore`
    if root == "__main__":
        return None
    file = str(getattr(sys.modules.get(root), "__file__", None) or "")
    if root in sys.stdlib_module_names:
        return "standard" if not file or file.startswith(_STANDARD) else None
    is_installed = not _INSTALLED.isdisjoint(pathlib.Path(file).parts)
    return "standard" if is_installed and not _knows_sporax(root) else None


def _knows_sporax(package):
    """Return True if a module of an installed package has a class, function or module of sporax."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == package and isinstance(module, types.ModuleType):
            for value in list(vars(module).values()):
                if isinstance(value, (type, types.FunctionType)):
                    home = value.__module__
                else:
                    home = value.__name__ if isinstance(value, types.ModuleType) else ""
                if str(home).partition(".")[0] in ("sporax", "mindspore"):
                    return True
    return False


@cached_by_class
def is_immutable(kind):
    """Return True if no state of an instance can change."""
    if kind in _IMMUTABLE or issubclass(kind, (np.generic, np.dtype)):
        return True
    if has_effects(kind):
        return False
    if issubclass(kind, type):
        return False
    return origin(kind.__module__) in ("jax", "jaxlib", "ml_dtypes") or kind.__module__ == "typing"


@cached_by_class
def has_effects(kind):
    """Return True if a class has its own row with the rule "effect"."""
    rule = rule_of(str(kind.__module__), kind.__qualname__)
    return rule.kind == "effect" and not rule.is_whole


@cached_by_class
def has_hidden_state(kind):
    """Return True if instances have C state that is not an attribute: an instance is larger than
    one of the base by more than its slots."""
    if kind in _VISIBLE:
        return False
    base = kind.__base__
    own = sum(type(v) is types.MemberDescriptorType for v in vars(kind).values())
    own += (kind.__weakrefoffset__ != 0) > (base.__weakrefoffset__ != 0)
    own += base.__dictoffset__ == 0 and (kind.__dictoffset__ > 0 or base.__itemsize__ > 0)
    extra = kind.__basicsize__ - base.__basicsize__ - own * tuple.__itemsize__
    return extra > 0 or kind.__itemsize__ != base.__itemsize__ or has_hidden_state(base)


# types without state, or whose state guards can read
_VISIBLE = {
    object, int, float, complex, str, bytes, tuple, frozenset, list, dict, set, collections.deque,
    collections.OrderedDict,
    bytearray, np.ndarray, types.SimpleNamespace, types.ModuleType, type, property, staticmethod,
    classmethod,
}  # fmt: skip
_IMMUTABLE = {
    bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented), range,
    slice, types.CodeType, types.GenericAlias, types.UnionType, types.GetSetDescriptorType,
    types.MemberDescriptorType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.MethodWrapperType, types.ClassMethodDescriptorType, np.ufunc, type(np.sum), re.Pattern,
    re.Match,
    datetime.date, datetime.time, datetime.datetime, datetime.timedelta, datetime.timezone,
    decimal.Decimal, fractions.Fraction, uuid.UUID, operator.itemgetter, pathlib.PurePath,
    pathlib.PurePosixPath,
    pathlib.PureWindowsPath, pathlib.PosixPath, pathlib.Path, enum.auto, typing.TypeVar,
    type(vars(collections.namedtuple("Pair", "first"))["first"]),
    type(vars(abc.ABC)["_abc_impl"]),  # registered classes have their own guard
    # reading whether a lock is held has its own guard
    type(threading.Lock()), type(threading.RLock()),
}  # fmt: skip
