"""Runs the tests of a library, a process for each file, and returns their verdicts."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from tools.strangers.folders import Missing
from tools.strangers.table import DRIVERS

GRACE = 20  # seconds above the limit, for code that the alarm cannot interrupt
FIRST = 300  # seconds until a file's first test, and between two tests


class Run:
    """Verdicts of one implementation for a library; a second run continues the first."""

    def __init__(self, library, folder, tree, python, path, limit, is_sporax):
        self.library, self.tree, self.folder, self.limit = library, tree, folder, limit
        self.python, self.events = python, folder / "events.jsonl"
        self.ini = folder / "pytest.ini"
        self.ini.write_text("[pytest]\naddopts =\nfilterwarnings = ignore\n", "utf8")
        entries = [path, *(tree / entry for entry in library.path or ["."])]
        numbers = "STRANGERS_EXPECTED" if is_sporax else "STRANGERS_NUMBERS"
        self.environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(map(str, entries)),
            "PATH": os.pathsep.join([str(python.parent), os.environ["PATH"]]),
            "HOME": str(folder),  # what libraries download, they keep below it
            "PYTHONHASHSEED": "0",
            "GLOG_v": "3",
            "MPLBACKEND": "Agg",
            "STRANGERS_ALIAS": str(int(is_sporax)),
            "STRANGERS_EVENTS": str(self.events),
            "STRANGERS_LIMIT": str(limit),
            "STRANGERS_NAME": library.name,
            "STRANGERS_PACKAGES": " ".join(library.packages),
            "STRANGERS_LOST": " ".join(library.lost),
            numbers: str(library.numbers if is_sporax else folder / "numbers.jsonl"),
            "STRANGERS_SELECT": str(folder / "select.txt"),
            "STRANGERS_SKIP": str(folder / "skip.txt"),
        }

    def files(self):
        """The files with tests, relative to the tree, which gets copies of the drivers."""
        found = []
        imports = ["own:imports.py"] if self.library.packages else []
        for entry in [*imports, *self.library.tests]:
            if entry.startswith("own:"):
                name = entry.removeprefix("own:")
                shutil.copyfile(DRIVERS / name, self.tree / f"own_{name}")
                found.append(f"own_{name}")
            elif (self.tree / entry).is_file():
                found.append(entry)
            else:
                pattern = entry if "*" in entry else f"{entry}/**/test_*.py"
                paths = sorted(self.tree.glob(pattern))
                if not paths:
                    raise Missing(f"no tests at {entry} in {self.library.source}")
                found += [p.relative_to(self.tree).as_posix() for p in paths]
        return list(dict.fromkeys(found))

    def forget(self, text):
        """Drop the verdicts that contain `text`, except of passed tests: these run again."""
        entries = [json.loads(line) for line in self.events.read_text("utf8").splitlines()]
        others = [e for e in entries if "id" in e and e["outcome"] != "passed"]
        dropped = {e["id"] for e in others if text in f"{e['outcome']}: {e['error']}"}
        files = {name.split("::")[0] for name in dropped}
        kept = [e for e in entries if e.get("id", e.get("start")) not in dropped]
        kept = [e for e in kept if e.get("file") not in files]
        self.events.write_text("".join(json.dumps(entry) + "\n" for entry in kept), "utf8")

    def verdicts(self, selected=None):
        """Run what has not run; return {test: verdict}, of `selected` tests only if given."""
        for file in self.files():
            mine = None if selected is None else _of_file(selected, file)
            if mine is None or mine:
                self._run_file(file, mine)
        results = self._read()[0]
        if selected is not None:
            results = {name: results.get(name, _lost(results, name)) for name in selected}
        return {name: self._plain(verdict) for name, verdict in results.items()}

    def _run_file(self, file, selected):
        """Run a file's tests; again without those that have ended a process."""
        is_over = selected is None  # otherwise, others may be selected than before
        while True:
            results, running, ended = self._read()
            if running:
                self._log(id=running, outcome="crash", error="ended before the test was over")
                continue
            is_complete = selected is not None and set(selected) <= results.keys()
            if is_complete or (is_over and file in ended):
                return
            (self.folder / "select.txt").write_text("\n".join(selected or ()), "utf8")
            (self.folder / "skip.txt").write_text("\n".join(results), "utf8")
            reason = self._process(file)
            _, running, _ = self._read()
            if running:
                self._log(id=running, **reason)
            else:
                if reason["outcome"] == "timeout":
                    self._log(id=file, **reason)
                self._log(file=file)
                is_over = True

    def _process(self, file):
        """Run pytest; return the outcome of the test that runs when the process ends."""
        command = [self.python, "-m", "pytest", "-p", "strangers_plugin", "-p", "no:cacheprovider"]
        command += ["-q", "--tb=short", "--rootdir", self.tree, "-c", self.ini]
        own = file.startswith("own_")
        command += [file] if own else [*self.library.arguments, file]
        with (self.folder / "log.txt").open("ab") as log:
            process = subprocess.Popen(
                list(map(str, command)), cwd=self.tree, env=self.environment, stdout=log,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            reason = {"outcome": "timeout", "error": f"over {self.limit:g} s"}
            size, changed = 0, time.monotonic()
            while process.poll() is None:
                time.sleep(0.3)
                now = self.events.stat().st_size if self.events.exists() else 0
                if now != size:
                    size, changed = now, time.monotonic()
                waits = self.limit + GRACE if self._read()[1] else FIRST
                if time.monotonic() - changed > waits:
                    break
            else:
                error = f"the process ended with status {process.returncode}"
                reason = {"outcome": "crash", "error": error}
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # its children, too
            process.wait()
        return reason

    def _read(self):
        """Return ({test: outcome}, the test that runs, the files that have ended)."""
        results, running, ended = {}, None, set()
        if self.events.exists():
            for line in self.events.read_text("utf8").splitlines():
                entry = json.loads(line)
                if "start" in entry:
                    running = entry["start"]
                elif "file" in entry:
                    ended.add(entry["file"])
                else:
                    running = None if entry["id"] == running else running
                    if results.get(entry["id"], {}).get("outcome") in (None, "passed"):
                        results[entry["id"]] = entry
        return results, running, ended

    def _log(self, **entry):
        with self.events.open("a", encoding="utf8") as file:
            file.write(json.dumps(entry) + "\n")

    def _plain(self, entry):
        """A verdict as text, without paths and addresses of this machine."""
        if entry["outcome"] == "passed":
            return "passed"
        error = entry["error"].replace(f"{self.tree}/", "").replace(f"{self.folder.parent}/", "")
        for old, new in ((sys.prefix, ""), (os.path.expanduser("~"), "~")):
            error = error.replace(f"{old}/", f"{new}/")
        error = re.sub(r"0x[0-9a-f]{6,}", "0x…", error)
        error = re.sub(r"/tmp/[^\s'\"]+", "/tmp/…", error)
        error = re.sub(r"/\S*/site-packages/", "", error)
        return f"{entry['outcome']}: {error[:200]}".removesuffix(": ")


def _of_file(names, file):
    return [name for name in names if name.split("::")[0] == file]


def _lost(results, name):
    """The outcome of a test that did not run: that of its file, if it cannot be imported."""
    file = results.get(name.split("::")[0])
    return file or {"outcome": "lost", "error": "the test was not collected"}
