"""Settings that scripts change by name: the table `settings.csv`, checks, and current values.

A row of the table: the owner (a public function, module or class), the name, the default, the
allowed types and values (a tuple lists them, a list has the minimum and maximum), the parameters of
its own setter, and the effect. A setting without an effect controls other backends: its value is
checked, stored and returned, and nothing else happens.
"""

import csv
import os
from ast import literal_eval
from pathlib import Path
from typing import Any, NamedTuple

from sporax._src.diagnosis.argument_kinds import (
    BOOL,
    DICT,
    FLOAT,
    INT,
    LIST,
    STR,
    instance,
    one_of,
    within,
)
from sporax._src.diagnosis.rules import require

_TYPES = {kind.__name__: kind for kind in (bool, int, float, str, tuple, list, dict, os.PathLike)}
_KINDS = {
    (bool,): BOOL, (int,): INT, (float,): FLOAT, (str,): STR, (list,): LIST, (dict,): DICT,
    (str, tuple): instance((str, tuple), "a-str-or-tuple"),
    (str, os.PathLike): instance((str, os.PathLike), "a-path"),
}  # fmt: skip


class Setting(NamedTuple):
    """One row of the table."""

    default: Any
    types: tuple[type, ...]
    allowed: Any  # two limits, a list of values, or None
    parameters: list[str]
    effect: str


def _read():
    """Return {owner: {name: Setting}}."""
    owners: dict[str, dict[str, Setting]] = {}
    with open(Path(__file__).with_name("settings.csv"), encoding="utf8") as file:
        for row in csv.DictReader(file):
            owners.setdefault(row["owner"], {})[row["name"]] = Setting(
                literal_eval(row["default"]),
                tuple([_TYPES[name] for name in row["types"].split()]),
                literal_eval(row["allowed"]) if row["allowed"] else None,
                row["parameters"].split(),
                row["effect"],
            )
    return owners


TABLES = _read()


class Settings:
    """The settings of one owner: `table`, the row of each name, and `values`, the current ones."""

    def __init__(self, owner):
        self.owner, self.table = owner, TABLES[owner]
        self.values = {name: row.default for name, row in self.table.items()}

    def reset(self):
        """Reset all settings to their defaults."""
        self.values.update((name, row.default) for name, row in self.table.items())

    def check_name(self, name, who=None):
        """Raise ValueError for a name that is not in the table."""
        require(name in self.table, "no-setting", who or self.owner, name=name, names=self.table)

    def check(self, name, value):
        """Raise ValueError for an unknown name or value, TypeError for a value of another type."""
        self.check_name(name)
        types, allowed = self.table[name].types, self.table[name].allowed
        if types:
            _KINDS[types].checked(self.owner, name, value)
        if isinstance(allowed, list):
            within(*allowed, kind=INT).checked(self.owner, name, value)
        elif allowed is not None:
            kind = one_of(*allowed)._replace(rule="must-be-setting")
            kind.checked(self.owner, name, value)
