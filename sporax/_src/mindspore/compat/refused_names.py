"""Names that sporax rejects on purpose: a table with the reasons.

A name of the table can be imported, since scripts import names that they may never use; using it
raises an error with the reason. A row's name that ends in `.*` is for all names below.
"""

import csv
import itertools
from pathlib import Path

from sporax._src.diagnosis.rules import message, phrase
from sporax._src.mindspore.compat import module_names

_TABLE = Path(__file__).with_name("refused.csv")


def _rows():
    with open(_TABLE, encoding="utf8") as file:
        rows = [(phrase(r["reason"], r["chinese"]), r["names"]) for r in csv.DictReader(file)]
    return {name: reason for reason, names in rows for name in names.split()}


REFUSED = _rows()  # path -> reason


def reason_of(path):
    """Return why a path does not resolve: of its row, of a package around it, or of MindSpore's own
    names; None if it is to be implemented."""
    packages = [f"{name}.*" for name in itertools.accumulate(path.split("."), "{}.{}".format)]
    for name in path, *reversed(packages):
        if name in REFUSED:
            return REFUSED[name]
    rule = {True: "internal-to-mindspore", False: "no-such-name", None: None}
    known = rule[module_names.is_name(path)]
    return known and message(known)


def explained(path):
    """Return the message for a path that does not resolve."""
    reason = reason_of(path)
    if reason is None:
        return message("sporax-no-path", path=path)
    return message("sporax-no-path-because", path=path, reason=reason)


class RefusedUse(NotImplementedError, AttributeError):
    """A name without a counterpart is used; also an AttributeError, which `hasattr` expects."""


class Refused:
    """A placeholder for a name of the table: any use of it raises NotImplementedError.

    >>> Refused("mindspore.SummaryLandscape")()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    NotImplementedError: sporax has no 'mindspore.SummaryLandscape': TensorBoard ...
    """

    def __init__(self, path, *subclassing):
        if subclassing:  # Python makes a subclass by calling the type of the base
            raise NotImplementedError(explained(subclassing[0][0]._path))
        self._path = path

    @property
    def reason(self):
        """The reason for the rejection, and the alternative."""
        return reason_of(self._path)

    def __call__(self, *args, **kwargs):
        if module_names.is_primitive(self._path):
            return _unusable_primitive(self._path)
        raise NotImplementedError(explained(self._path))

    def __getattr__(self, name):
        if name.startswith("__"):  # Python looks these up on any object
            raise AttributeError(name)
        raise RefusedUse(explained(self._path))

    def __instancecheck__(self, instance):
        return False  # nothing here is an instance of an internal class

    def __subclasscheck__(self, subclass):
        return False

    def __repr__(self):
        return f"<{explained(self._path)}>"


def _unusable_primitive(path):
    """Return a Primitive whose call raises: Cells create Primitives that they may never call."""
    from sporax.ops.primitive import Primitive  # only when a Cell makes one: loads all operations

    class Unusable(Primitive):
        def __call__(self, *args, **kwargs):
            raise NotImplementedError(explained(path))

    return Unusable(path.rpartition(".")[2])
