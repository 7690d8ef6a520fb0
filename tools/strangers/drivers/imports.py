"""Imports each module of the packages named in $STRANGERS_PACKAGES."""

import importlib
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PACKAGES = os.environ["STRANGERS_PACKAGES"].split()


def _modules():
    for package in PACKAGES:
        folder = Path(next(iter(find_spec(package).submodule_search_locations)))
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            if parts[-1] != "__main__":
                yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = list(_modules())


@pytest.mark.parametrize("module", MODULES, ids=MODULES)
def test_import(module):
    before = sys.modules.copy()
    try:
        importlib.import_module(module)
    except BaseException:  # what it has imported must not help the next one
        for name in sys.modules.keys() - before.keys():
            if name.split(".")[0] in PACKAGES:
                del sys.modules[name]
        raise
