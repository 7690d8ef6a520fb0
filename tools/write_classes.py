"""Write `sporax/_src/mindspore/compat/classes.csv`: the MindSpore module of each sporax class.

    python tools/write_classes.py

MindSpore's modules are recorded (`tools.record classes`). If one sporax class represents several
MindSpore classes, the one outside of `mint` is used.
"""

import json
import sys
from pathlib import Path

import sporax
from sporax._src.mindspore.compat import alias, class_modules

ROOT = Path(__file__).parents[1]
RECORDED = ROOT / "tests/recorded/classes.json"


def table():
    """The file's text."""
    saying = {}
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    for path, said in sorted(recorded.items(), key=lambda item: ("mint" in item[1], item[0])):
        module, _, name = path.rpartition(".")
        kind = _class(module, name)
        if kind is not None:
            saying.setdefault((_home(kind, name), name), said)
    rows = {}
    for (home, name), said in saying.items():
        if home is not None:
            rows.setdefault((said, home), []).append(name)
    lines = [f"{said},{home},{' '.join(sorted(names))}" for (said, home), names in rows.items()]
    return "\n".join(["path,found_in,names", *sorted(lines), ""])


def _class(module, name):
    """The sporax class at a path; None if the path is not one."""
    try:
        value = alias.find(module, name) if module in alias.MODULES else None
    except (AttributeError, ImportError):
        return None
    is_ours = isinstance(value, type) and str(class_modules.module_of(value)).startswith("sporax.")
    return value if is_ours and value.__name__ == name else None


def _home(kind, name):
    """The module that has the class under its name; None if there is none."""
    for home in (class_modules.module_of(kind), "sporax.ops"):
        if vars(sys.modules[home]).get(name) is kind:
            return home
    return None


if __name__ == "__main__":
    sporax.install_as_mindspore()
    (ROOT / "sporax/_src/mindspore/compat/classes.csv").write_text(table(), encoding="utf-8")
