"""Child processes: a folder on their path in which `mindspore` is sporax.

`multiprocessing` (spawn, forkserver) passes `sys.path` on, and every Python that is started with
this process's environment reads PYTHONPATH. No interpreter hook is involved.
"""

import os
import sys
from pathlib import Path

FOLDER = str(Path(__file__).with_name("on_path"))
_VARIABLE = "PYTHONPATH"


def inherit():
    """Make `import mindspore` import sporax in child processes that start from now on."""
    if FOLDER not in sys.path:
        sys.path.insert(1, FOLDER)  # the first is the script's own folder
    there = os.environ.get(_VARIABLE, "")
    if FOLDER not in there.split(os.pathsep):
        os.environ[_VARIABLE] = f"{FOLDER}{os.pathsep}{there}" if there else FOLDER
