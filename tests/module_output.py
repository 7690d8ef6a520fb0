"""Output of a module that runs in a separate process, e.g. with other devices."""

import json
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def json_of(module):
    """Return the JSON object that `python -m module` prints."""
    run = subprocess.run(
        [sys.executable, "-m", module], cwd=_ROOT, check=False, text=True, capture_output=True
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
