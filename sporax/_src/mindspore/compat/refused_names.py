"""Names that sporax rejects on purpose: a table with the reasons.

A name of the table can be imported, since scripts import names that they may never use; using it
raises an error with the reason.
"""

import csv
from pathlib import Path

_TABLE = Path(__file__).with_name("refused.csv")


def _rows():
    with open(_TABLE, encoding="utf8") as file:
        return {name: r["reason"] for r in csv.DictReader(file) for name in r["names"].split()}


REFUSED = _rows()  # path -> reason


def explained(path):
    """Return the message for a path that does not resolve."""
    reason = REFUSED.get(path)
    return f"sporax has no '{path}'" + (f": {reason}." if reason else " yet")


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
        return REFUSED[self._path]

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(explained(self._path))

    def __getattr__(self, name):
        if name.startswith("__"):  # Python looks these up on any object
            raise AttributeError(name)
        raise NotImplementedError(explained(self._path))

    def __repr__(self):
        return f"<{explained(self._path)}>"
