"""Which interpreter runs a library, what it weighs, and the processes of the peers."""

import atexit
import json
import os
import select
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


class LeftOutError(Exception):
    """A peer failed in a case, or took too long for it."""


class Worker:
    """A peer's process, see bench/worker.py; its compiled programs are kept in `folder`."""

    def __init__(self, peer, python, folder):
        self.peer = peer
        variables = dict(
            os.environ,
            PYTHONPATH=str(ROOT),
            GLOG_v="3",
            SPORAX_CACHE_DIR=str(folder),
            TORCHINDUCTOR_CACHE_DIR=str(folder),
        )
        if peer == "jax":
            variables |= {
                "JAX_COMPILATION_CACHE_DIR": str(folder),
                "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            }
        VENVS.mkdir(exist_ok=True)
        self.log = VENVS / f"{peer}.log"
        with open(self.log, "w", encoding="utf8") as log:
            self.process = subprocess.Popen(
                [str(python), "-P", "-m", "bench.worker", peer], cwd=VENVS, text=True,
                env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            )  # fmt: skip
        atexit.register(self.process.kill)  # for an interrupted run
        try:
            _, self.cases, self.version = self._answer()
        except LeftOutError:
            self.close()
            raise

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            raise LeftOutError(f"its process ended: see {self.log}")
        answer = json.loads(line)
        if isinstance(answer, dict):
            raise LeftOutError(answer["error"].splitlines()[0])
        return answer

    def ask(self, limit=None, **request):
        """The answer to a request; raises LeftOutError, also after `limit` seconds, which end the
        process."""
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise LeftOutError(f"its process ended: see {self.log}")
        if select.select([self.process.stdout], [], [], limit)[0]:
            return self._answer()
        self.process.kill()
        self.process.wait()
        raise LeftOutError(f"more than {limit:g} s")

    def is_running(self):
        return self.process.poll() is None

    def close(self):
        if self.is_running():
            self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
