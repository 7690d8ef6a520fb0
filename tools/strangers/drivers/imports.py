"""Imports each module of the packages named in $STRANGERS_PACKAGES."""

import importlib
import os
from importlib.util import find_spec
from pathlib import Path

import pytest


def _modules():
    for package in os.environ["STRANGERS_PACKAGES"].split():
        folder = Path(next(iter(find_spec(package).submodule_search_locations)))
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            if parts[-1] != "__main__":
                yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("module", _modules())
def test_import(module):
    importlib.import_module(module)
