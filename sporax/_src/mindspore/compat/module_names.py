"""The names of all modules of MindSpore 2.10, and where each comes from: `module_names.csv`.

The table is recorded (`python -m tools.record module_names`). Most names of a module are imported
from another one, where sporax finds them; it is read when a name is not in `paths.csv`.
"""

import csv
import functools
from pathlib import Path

OWN = "class", "primitive", "function", "value"
_TABLE = Path(__file__).with_name("module_names.csv")


@functools.cache
def table():
    """Return {module: {name: (origin, name there)}}; the origin is a module, a module with a colon
    for a name that is a module, or a kind of `OWN`. The value of a constant takes the place of the
    name."""
    modules = {}
    with open(_TABLE, encoding="utf8") as file:
        for row in csv.DictReader(file):
            names = modules.setdefault(row["module"], {})
            for text in row["names"].split():
                name, _, there = text.partition("=")
                names[name] = row["found_in"], there or name
    return modules


def names(module):
    """Return {name: (origin, name there)} of a module, or of the one that a path is another name
    of; empty if MindSpore 2.10 has no such module."""
    if module not in table():
        package, _, name = module.rpartition(".")
        module = table().get(package, {}).get(name, ("",))[0].removesuffix(":")
    return table().get(module, {})


def is_name(path):
    """Return True for a module of MindSpore 2.10 or a name of one; None if the table does not say:
    of names below names, and names of Python's."""
    module, _, name = path.rpartition(".")
    if name[:2] == name[-2:] == "__":
        return None  # without reading the table
    if path in table() or name in names(module):
        return True
    return False if names(module) else None


def is_primitive(path):
    """Return True for a Primitive's class: one of capitals in a module of `mindspore.ops`."""
    module, _, name = path.rpartition(".")
    origin, there = names(module).get(name, ("", ""))
    if origin in table():
        return is_primitive(f"{origin}.{there}")
    is_class = origin in ("class", "primitive") and name[0].isupper()
    return is_class and module.startswith("mindspore.ops.")
