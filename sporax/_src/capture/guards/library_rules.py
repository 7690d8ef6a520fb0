"""Rules for library functions, whose code is not followed: the table `library_rules.csv`.

A row: a module (`numpy.*`: all modules of a package), names in it (`*`: all), their rule, the state
that they read, and the reason. The most specific row applies. Rules:

- "pure": the result depends only on the arguments, which are guarded;
- "reads": it also depends on `state`: objects, calls (`os.getcwd()`), attributes of the arguments
  (`.name`; `*` for all);
- "call": the result of a call without arguments is compared with the result of a later call;
- "gives": returns an object of the class `state`, whose methods have rows;
- "seeded": pure if called with arguments;
- "effect": involves the clock, a file, other threads and similar.

A function without a row has the rule "effect": a function that calls it is not captured.
"""

import csv
import functools
import sys
from pathlib import Path
from typing import NamedTuple

from sporax._src.capture.guards.class_cache import cached_by_class


class Rule(NamedTuple):
    """The rule of a function or class. `is_whole`: True if its row covers a whole module."""

    kind: str
    state: tuple[str, ...] = ()
    is_whole: bool = False


EFFECT = Rule("effect", is_whole=True)
# module that defines functions -> their public module
_KNOWN_AS = {
    "genericpath": "os.path", "nt": "os", "ntpath": "os.path", "posix": "os",
    "posixpath": "os.path",
    "_thread": "threading", "_weakrefset": "weakref", "_collections_abc": "collections.abc",
    "_pydecimal": "decimal", "_pydatetime": "datetime", "_py_abc": "abc", "re._compiler": "re",
    "_io": "io", "pathlib._local": "pathlib", "pathlib._abc": "pathlib", "_py_warnings": "warnings",
}  # fmt: skip


@functools.cache
def _table():
    """Return {(module, name): Rule}."""
    table = {}
    with open(Path(__file__).with_name("library_rules.csv"), encoding="utf8") as file:
        for row in csv.DictReader(file):
            for name in row["names"].split():
                state = tuple(row["state"].split())
                table[row["module"], name] = Rule(row["rule"], state, name == "*")
    return table


@functools.cache
def known_as(module):
    """Return the public name of a module."""
    if module in _KNOWN_AS:
        return _KNOWN_AS[module]
    if module == "mindspore" or module.startswith("mindspore."):  # see `install_as_mindspore`
        return module.replace("mindspore", "sporax", 1)
    public = module.removeprefix("_")
    return public if public in sys.stdlib_module_names else module


@functools.cache
def rule_of(module, name):
    """Return the rule of a function, a class or a method by its qualified name."""
    table, module = _table(), known_as(module)
    own, components = [name, name.partition(".")[0], "*"], module.split(".")
    packages_of_it = [
        ".".join(components[: i + 1]) + ".*" for i in reversed(range(len(components)))
    ]
    candidates = [(where, key) for where in (module, *packages_of_it) for key in own]
    rule = next((table[candidate] for candidate in candidates if candidate in table), EFFECT)
    if "." in name and rule.kind in ("seeded", "gives") and (module, name) not in table:
        return Rule("pure")  # a method of a class whose constructor has the rule
    return rule


@cached_by_class
def rules_of_methods(kind):
    """Return {method: (its name with module and class, Rule)} of the methods that have rows."""
    rules, table = {}, _table()
    for base in reversed(kind.__mro__):
        module = known_as(str(base.__module__))
        for where, name in table:
            owner, _, method = name.rpartition(".")
            if owner == base.__qualname__ and where == module:
                rules[method] = f"{module}.{name}", table[where, name]
    return rules
