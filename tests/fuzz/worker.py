"""A process that runs cases: `python -m tests.fuzz.worker PROGRESS`, with a JSON list [loader,
seed, first, count, seconds] per line on its standard input; for each, a line of JSON on its
standard output.

A case ends with one of `OUTCOMES`. A loader may use `TIME` seconds and `MEMORY` additional bytes of
address space.
"""

import collections
import json
import logging
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

from tests.fuzz import file_formats, loaders, mutations
from tests.wrong_arguments.judge import chain

OUTCOMES = "loaded", "refused", "leaks", "hangs", "crashes", "above 1 GB", "executed"
TIME, MEMORY = 5.0, 2**30
_UNEXPLAINED = "', the arguments do not fit: "  # what sporax says of an exception from within it
_OURS = ("For '", "sporax needs", "sporax has no")


class TooLong(BaseException):
    """Raised by the timer, past every `except Exception`."""


def _stop(*_):
    raise TooLong


def _address_space():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _place(error):
    """Return the last sporax line in the traceback of an error."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/sporax/" in f.filename]
    if not frames:
        return "outside"
    return f"{frames[-1].filename.rpartition('/sporax/')[2]}:{frames[-1].lineno}"


def judged(loader, folder, error):
    """Return (outcome, description of a leak or None) for an exception of a loader."""
    if any(isinstance(e, MemoryError) and type(e).__module__ != "av.error" for e in chain(error)):
        return "above 1 GB", f"{type(error).__name__} at {_place(error)}"
    text = getattr(error, "strerror", None) or str(error)
    if not isinstance(error, (ValueError, RuntimeError, TypeError, NotImplementedError, OSError)):
        return "leaks", f"{type(error).__name__} at {_place(error)}: {text[:160]}"
    if not text.startswith(_OURS) or _UNEXPLAINED in text:
        return "leaks", f"{type(error).__name__} at {_place(error)}: {text[:160]}"
    if loader.names_file and str(folder) not in text:
        return "leaks", f"no file named, {type(error).__name__} at {_place(error)}: {text[:160]}"
    return "refused", None


def run_case(loader, folder, limit=MEMORY):
    """Run a loader on a folder; return (outcome, detail)."""
    space = _address_space() + limit
    resource.setrlimit(resource.RLIMIT_AS, (space, resource.RLIM_INFINITY))
    # once more and again: what is raised in a callback of the garbage collector is lost
    signal.setitimer(signal.ITIMER_REAL, loader.seconds or TIME, 0.5)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loader.load(folder)
        return "loaded", None
    except TooLong as error:
        return "hangs", _place(error)
    except Exception as error:  # noqa: BLE001 - which one it is, is what is asked
        signal.setitimer(signal.ITIMER_REAL, 0)
        if limit == MEMORY and any(type(e).__module__ == "av.error" for e in chain(error)):
            return run_case(loader, folder, 8 * MEMORY)  # whose limit it was, FFmpeg's or this one
        return judged(loader, folder, error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


class Corpus:
    """The intact files of a loader in a folder; a case changes one or two of them."""

    def __init__(self, loader):
        self.loader = loader
        self.folder = Path(tempfile.mkdtemp(prefix="fuzz", dir=_memory_folder()))
        loader.write(self.folder)
        found = [p.relative_to(self.folder) for p in sorted(self.folder.rglob("*")) if p.is_file()]
        self.files = {path: (self.folder / path).read_bytes() for path in found}
        self.targets = loader.targets(self.folder, found)
        assert self.targets, "no files to change"

    def change(self, rng):
        """Change files; return their paths."""
        changed = rng.sample(self.targets, min(len(self.targets), rng.choice((1, 1, 1, 1, 2))))
        for path in changed:
            if self.loader.tricks and rng.random() < 0.03:
                _tricked(rng, self.folder / path)
            else:
                content = mutations.mutated(rng, self.files[path], self.loader.change_of(path))
                (self.folder / path).write_bytes(content)
        return changed

    def restore(self, changed):
        for path in changed:
            at = self.folder / path
            if at.is_dir() and not at.is_symlink():
                shutil.rmtree(at)
            elif at.is_symlink() or at.exists():
                at.unlink()
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_bytes(self.files[path])


def _memory_folder():
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _tricked(rng, path):
    """Replace a file with a folder, link or pipe, or delete it."""
    path.unlink()
    act = rng.randrange(6)
    if act == 0:
        path.mkdir()
    elif act == 1:
        path.symlink_to(path.name)  # to itself
    elif act == 2:
        path.symlink_to("/dev/zero")
    elif act == 3:
        os.mkfifo(path)
    elif act == 4:
        path.symlink_to("/etc/passwd")


def run_cases(corpus, name, seed, first, count, seconds, at_case=lambda case: None):
    """Run a loader's cases from `first` on: `count`, or fewer if `seconds` have passed; return
    (number of cases, Counter of outcomes, {problem: a case})."""
    tally, examples, case = collections.Counter(), {}, first
    begun = time.monotonic()
    for case in range(first, first + count):
        at_case(case)
        changed = corpus.change(mutations.seeded(name, seed, case))
        outcome, detail = run_case(corpus.loader, corpus.folder)
        corpus.restore(changed)
        if os.path.exists(file_formats.MARK):
            os.rmdir(file_formats.MARK)
            outcome, detail = "executed", "a file's code ran"
        tally[outcome] += 1
        if detail:
            examples.setdefault(f"{outcome}: {detail}"[:300], case)
        if time.monotonic() - begun > seconds:
            break
    return case + 1 - first, tally, examples


def main():
    progress = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
    signal.signal(signal.SIGALRM, _stop)
    logging.disable()  # of warnings for each case
    corpora = {}
    for line in sys.stdin:
        name, *cases = json.loads(line)
        if name not in corpora:
            corpora[name] = Corpus(loaders.LOADERS[name])
        found = run_cases(
            corpora[name], name, *cases,
            at_case=lambda case: os.pwrite(progress, case.to_bytes(8, "little"), 0),
        )  # fmt: skip
        print(json.dumps(found), flush=True)
    for corpus in corpora.values():
        shutil.rmtree(corpus.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
