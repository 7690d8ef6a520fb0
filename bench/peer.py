"""The process of a peer (a library in one style), which runs the cases in `worker.py`."""

import atexit
import json
import os
import select
import subprocess
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_START = """
import sys
sys.path.insert(0, sys.argv[1])
from bench import worker
worker.serve(sys.argv[2])
"""


class LeftOutError(Exception):
    """Raised if a peer fails in a case or takes too long."""


class Peer:
    """A peer's process, run by the interpreter `python`; `folder` has its cache and its log."""

    def __init__(self, name, python, folder):
        folder.mkdir(exist_ok=True)
        self.log = folder / "log"
        variables = os.environ | {
            "GLOG_v": "3",
            "SPORAX_CACHE_DIR": str(folder),
            "TORCHINDUCTOR_CACHE_DIR": str(folder),
        }
        if name == "jax":
            variables |= {
                "JAX_COMPILATION_CACHE_DIR": str(folder),
                "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            }
        with open(self.log, "w", encoding="utf8") as log:
            self.process = subprocess.Popen(
                [str(python), "-P", "-c", _START, str(_ROOT), name], cwd=folder, text=True,
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
            raise self._ended()
        answer = json.loads(line)
        if isinstance(answer, dict):
            raise LeftOutError(answer["error"].splitlines()[0])
        return answer

    def _ended(self):
        status = self.process.wait()
        said = self.log.read_text("utf8", "replace").strip().splitlines()
        return LeftOutError(f"its process ended: {said[-1] if said else f'status {status}'}")

    def ask(self, limit=None, **request):
        """Return the answer to a request. Raise LeftOutError for an error answer or an ended
        process, and after `limit` seconds, when the process is killed."""
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._ended()
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
