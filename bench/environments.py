"""The interpreter that runs a library, its import time and its size."""

import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENVS = ROOT / ".venvs"
# contents of each environment; sporax and plain JAX run in the project's environment
PACKAGES = {
    "torch": ["torch==2.14.0", "numpy", "pillow"],
    "mindspore": ["mindspore==2.10.0", "numpy<2"],  # runs only on the Pythons it supports
    "mpi": ["mpi4py", "openmpi", "numpy"],  # of bench/collectives.py
}
# (source for a separate interpreter) the installed size of a package and its dependencies
SIZE = """
import importlib.metadata as m, re, sys
seen, names = {}, [sys.argv[1]]
while names:
    name = re.sub(r"[-_.]+", "-", names.pop()).lower()
    if name in seen: continue
    try: d = m.distribution(name)
    except m.PackageNotFoundError: continue
    files = [f.locate() for f in d.files or ()]
    seen[name] = sum(f.lstat().st_size for f in files if f.is_file())
    names += [re.match(r"[\\w.-]+", r)[0] for r in d.requires or () if "extra ==" not in r]
print(sum(seen.values()))
"""


def interpreter(library):
    """The library's interpreter, installed on first use; None if it is not available."""
    if library not in PACKAGES:
        return Path(sys.executable)
    python, ready = (VENVS / library / part for part in ("bin/python", "ready"))
    wanted = " ".join(PACKAGES[library])
    if ready.exists() and ready.read_text() == wanted:
        return python
    print(f"setting up {library} ...", file=sys.stderr, flush=True)
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENVS / library)], check=True)
    done = subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES[library]])
    if done.returncode:
        print(f"{library} could not be installed; it is left out", file=sys.stderr)
        return None
    ready.write_text(wanted)
    return python


def import_time(library, python, repeats=3):
    """Seconds that a fresh interpreter needs to import the library, without its startup time."""
    module = {"sporax": "sporax, sporax.nn"}.get(library, library)
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    return statistics.median(float(_output(python, code).split()[-1]) for _ in range(repeats))


def installed_size(library, python):
    """Bytes of the library's files and its dependencies, in its environment."""
    size = int(_output(python, SIZE, library))
    if library == "sporax":  # a working tree has no files there
        size += sum(f.stat().st_size for f in (ROOT / "sporax").rglob("*.py"))
    return size


def _output(python, code, *arguments):
    command = [str(python), "-c", code, *arguments]
    variables = dict(os.environ, PYTHONPATH=str(ROOT))
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=variables)
    return done.stdout
