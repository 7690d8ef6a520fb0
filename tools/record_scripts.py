"""Record the output of the scripts in tests/programs/test_scripts.py under MindSpore 2.10.

    python tools/record_scripts.py        # with MindSpore installed

Writes tests/recorded/scripts.json.
"""

import json
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
SCRIPTS = [
    "gan", "jit_styles", "lenet", "model_fit", "own_optimizer", "pinn", "resnet",
    "transfer_learning", "transformer_encoder",
]  # fmt: skip


def printed(name):
    command = [sys.executable, str(TESTS / "programs" / "scripts" / f"{name}.py")]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    printed_lines = {f"{name}.py": printed(name).splitlines() for name in SCRIPTS}
    target = TESTS / "recorded" / "scripts.json"
    target.write_text(json.dumps(printed_lines, indent=0) + "\n", encoding="utf-8")
