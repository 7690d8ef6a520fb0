"""`__module__` of public classes: MindSpore's module if `mindspore` is sporax.

Then `type(layer)` prints `<class 'mindspore.nn.layer.conv.Conv2d'>`, as scripts and logs expect,
and pickle finds the class under that name. If sporax is not installed as `mindspore`, that name
would not resolve, and classes keep their own modules. The table is `classes.csv`
(`tools/write_classes.py`).
"""

import csv
import sys
from pathlib import Path

_TABLE = Path(__file__).with_name("classes.csv")


def _rows():
    """Return [(MindSpore's module, sporax's module, names of classes)]."""
    with open(_TABLE, encoding="utf8") as file:
        return [(r["path"], r["found_in"], r["names"].split()) for r in csv.DictReader(file)]


ROWS = _rows()
_waiting = {}  # sporax's module, not imported yet -> [(MindSpore's module, names)]
for _path, _home, _names in ROWS:
    _waiting.setdefault(_home, []).append((_path, _names))
_defined = {}  # class -> the module that defines it, where `__module__` was changed


def symbols():
    """Return {path under MindSpore's module: `module:name` in sporax} of the classes."""
    return {f"{path}.{name}": f"{home}:{name}" for path, home, names in ROWS for name in names}


def show():
    """Set `__module__` of the classes in all modules imported since the last call."""
    for home in [home for home in _waiting if home in sys.modules]:
        module = sys.modules[home]
        if getattr(module.__spec__, "_initializing", False):
            continue
        for path, names in _waiting.pop(home):
            for name in names:
                kind = getattr(module, name)
                _defined[kind] = kind.__module__
                kind.__module__ = path


def module_of(value):
    """Return the module that defines an object, whatever its `__module__` is."""
    own = getattr(value, "__module__", None)
    return _defined.get(value, own) if isinstance(value, type) else own
