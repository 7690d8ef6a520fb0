"""Record the output of MindSpore's `obfuscate_ckpt`, for `tests/io/test_obfuscation.py`.

Run under MindSpore 2.10: `python tools/record_obfuscation.py`.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.io.obfuscation_cases import CASES, obfuscated

TARGET = Path(__file__).parents[1] / "tests" / "recorded" / "obfuscation.json"

if __name__ == "__main__":
    found = {}
    for name in CASES:
        with tempfile.TemporaryDirectory() as folder:
            found[name] = obfuscated(name, folder)
    TARGET.write_text(json.dumps(found) + "\n", "utf-8")
