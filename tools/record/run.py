"""Runs one recorder in this process, which has its library, and writes what it returns."""

import importlib
import os
import sys
import warnings

from tests import records
from tools.record.table import RECORDERS

# recorded as MindSpore is by default; where kernels write no result, what is shown depends on it
ASYNCHRONOUS = ("expressions", "networks", "settings", "updates")
VERSIONS = {"mindspore": "2.10", "torch": "2."}


def library(name, is_synchronous):
    """Return the library, as recorders expect it."""
    if name == "sporax":
        return {name: os.environ[f"{name.upper()}_PYTHON"] for name in VERSIONS}
    found = importlib.import_module(name)
    if not found.__version__.startswith(VERSIONS[name]):
        sys.exit(f"{sys.executable} has {name} {found.__version__}, not {VERSIONS[name]}")
    if name == "mindspore":
        for module in ("dataset", "mint", "numpy", "train"):
            importlib.import_module(f"mindspore.{module}")
        found.set_context(pynative_synchronize=is_synchronous)
    return found


def main(name, *parts):
    kind, module = RECORDERS[name]
    warnings.simplefilter("ignore")
    recorder = getattr(importlib.import_module(f"tools.record.{module}"), name)
    for file, content in dict(
        recorder(library(kind, name not in ASYNCHRONOUS), *parts) or {}
    ).items():
        records.write(file, content)
        print(f"{name}: {file}, {len(content)} entries", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
