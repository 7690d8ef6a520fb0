"""The command: starts a process for each name, with the interpreter of its library."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.record.table import RECORDERS

ROOT = Path(__file__).parents[2]


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.record")
    parser.add_argument("names", nargs="+", metavar="NAME[:PART,...]", help=", ".join(RECORDERS))
    for library in ("mindspore", "torch"):
        found = os.environ.get(f"{library.upper()}_PYTHON", sys.executable)
        parser.add_argument(f"--{library}", metavar="PYTHON", default=found)
    options = parser.parse_args()
    wanted = [(name, *name.partition(":")[::2]) for name in options.names]
    if unknown := [name for _, name, _ in wanted if name not in RECORDERS]:
        parser.error(f"no recorder is named {', '.join(unknown)}; there are {', '.join(RECORDERS)}")
    pythons = {"mindspore": options.mindspore, "torch": options.torch, "sporax": sys.executable}
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    environment |= {f"{library.upper()}_PYTHON": path for library, path in pythons.items()}
    for name, recorder, parts in wanted:
        command = [pythons[RECORDERS[recorder][0]], "-m", "tools.record.run", recorder]
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                [*command, *filter(None, parts.split(","))], cwd=folder, env=environment
            )
        if ended.returncode:
            sys.exit(f"{name}: ended with status {ended.returncode}")


if __name__ == "__main__":
    main()
