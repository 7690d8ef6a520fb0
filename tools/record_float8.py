"""Record how MindSpore prints and saves tensors of 8-bit floating dtypes, for
`tests/core/test_float8.py`; it computes nothing with them on a CPU.

Run under MindSpore 2.10: `python tools/record_float8.py`.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import mindspore as ms

from tests.core.float8_cases import EXPRESSIONS, NAMES, VALUES

TARGET = Path(__file__).parents[1] / "tests" / "recorded" / "float8.json"


def saved(dtype):
    """The bytes of a checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/a.ckpt"
        ms.save_checkpoint([{"name": "a", "data": ms.Tensor(VALUES, dtype)}], path)
        return Path(path).read_bytes().hex()


if __name__ == "__main__":
    found = {}
    for name in NAMES:
        dtype = getattr(ms, name)
        names = {"ms": ms, "dtype": dtype, "x": ms.Tensor(VALUES, dtype)}
        found[name] = {text: repr(eval(text, dict(names))) for text in EXPRESSIONS}
        found[name]["checkpoint"] = saved(dtype)
    TARGET.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
