"""`sporax replay`: computes a step of a recorded training run again."""

import os
import sys

from sporax._src.diagnosis.rules import message, rejection
from sporax._src.workbench.cli.run import run_module, run_script
from sporax.train import recorder

_REFUSED = 2


def replay(options):
    """Run the script of a recording up to its first step, and compute the requested step there, or
    print the last hash without one. Return 0 if the step's loss has the recorded bits, 1 if not, 2
    if it cannot be computed."""
    try:
        found = recorder.header(options.recording)
        lines = recorder.logged(options.recording)
        if options.step is None and options.until is None:
            print(f"{lines[-1].step} {lines[-1].chain}" if lines else "0")
            return 0
        step = options.step
        if step is None:
            step = recorder.first_step(options.recording, options.until)
            if step is None:
                print(f"sporax: {message('replay-no-step', condition=options.until)}.")
                return 1
        recorder.require_step(options.recording, step)
        _check_script(found, options.changed)
    except (OSError, ValueError) as error:
        print(f"sporax: {error}", file=sys.stderr)
        return _REFUSED
    request = recorder.Replay(os.path.abspath(options.recording), step, options.breaks)
    recorder.Replay.requested = request
    os.chdir(found["folder"])
    try:
        if found["module"] and found["module"] != "__main__":
            run_module(found["module"], found["arguments"])
        else:
            run_script(found["script"], found["arguments"])
    except SystemExit as error:
        if request.code is None:
            raise
        return error.code
    print(f"sporax: {message('replay-no-recorder', directory=options.recording)}.", file=sys.stderr)
    return _REFUSED


def _check_script(found, may_be_changed):
    """Raise unless the recorded script is there, unchanged."""
    path = found["script"]
    now = recorder.source_hash(path)
    if now is None:
        raise rejection("replay-script-missing", "replay", path=path)
    if now != found["source"] and not may_be_changed:
        raise rejection("replay-script-changed", "replay", path=path)
