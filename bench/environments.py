"""Which interpreter runs a library, and what it weighs."""

import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENVS = ROOT / ".venvs"
# what each environment is made of; sporax and plain JAX run in the project's own
PACKAGES = {
    "torch": ["torch==2.13.0", "numpy", "pillow"],
    "mindspore": ["mindspore==2.10.0", "numpy<2"],  # only Python versions that it has can run it
    "mpi": ["mpi4py", "openmpi", "numpy"],  # of bench/collectives.py
}
# (text that an interpreter runs on its own) the installed size of a package and all that it needs
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
    """The library's interpreter, installed at the first use; None where it cannot be had."""
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
    """Seconds that a fresh interpreter needs to import the library, without its own start."""
    module = {"sporax": "sporax, sporax.nn"}.get(library, library)
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    return statistics.median(float(_output(python, code).split()[-1]) for _ in range(repeats))


def installed_size(library, python):
    """Bytes of the library's files and of all that it needs, in its environment."""
    size = int(_output(python, SIZE, library))
    if library == "sporax":  # as a working tree it has no files of its own there
        size += sum(f.stat().st_size for f in (ROOT / "sporax").rglob("*.py"))
    return size


def _output(python, code, *arguments):
    command = [str(python), "-c", code, *arguments]
    variables = dict(os.environ, PYTHONPATH=str(ROOT))
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=variables)
    return done.stdout
