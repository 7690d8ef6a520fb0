"""Cases in child processes, because some end MindSpore's."""

import faulthandler
import importlib
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.case_results import result_or_error

LONGEST = 60  # seconds for one question


def isolated(case, *namespace):
    """The result of a case, or "ends the process" or "does not end"."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(result_or_error(case, *namespace), pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        content = pipe.read()
    _, status = os.waitpid(child, 0)
    if status:
        return "does not end" if status == signal.SIGALRM else "ends the process"
    return pickle.loads(content)


def ask(python, answerer, questions, ended, *arguments):
    """Return an answer for each question; `ended` for one at which its process ended.

    `answerer`: "module:function", which gets the arguments, and returns a function of a question.
    """
    with tempfile.TemporaryDirectory() as folder:
        asked, found, log = (Path(folder, name) for name in ("asked", "found", "log"))
        asked.write_text("".join(json.dumps(q) + "\n" for q in questions), "utf8")
        found.touch()
        while len(done := found.read_text("utf8").splitlines()) < len(questions):
            command = [python, "-m", __name__, answerer, asked, found, len(done), *arguments]
            with log.open("w") as out:
                subprocess.run([*map(str, command)], cwd=folder, stdout=out, stderr=out)
            done = found.read_text("utf8").splitlines()
            if len(done) < len(questions):
                print(log.read_text()[-800:], "ended at:", questions[len(done)], sep="\n")
                with found.open("a", encoding="utf8") as out:
                    out.write(json.dumps(ended) + "\n")
        return [json.loads(line) for line in done]


def answer(answerer, asked, found, start, *arguments):
    """Write an answer per line for the questions from `start` on."""
    module, _, function = answerer.partition(":")
    outcome = getattr(importlib.import_module(module), function)(*arguments)
    with Path(found).open("a", encoding="utf8") as out:
        for line in Path(asked).read_text("utf8").splitlines()[int(start) :]:
            faulthandler.dump_traceback_later(LONGEST, exit=True)
            result = outcome(json.loads(line))
            faulthandler.cancel_dump_traceback_later()
            out.write(json.dumps(result) + "\n")
            out.flush()


if __name__ == "__main__":
    answer(*sys.argv[1:])
