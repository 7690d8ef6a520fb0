"""Record MindSpore 2.10's result dtypes for NumPy scalars and Python numbers.

    python tools/record_numpy_scalars.py

It writes `tests/recorded/numpy_scalars.json`: "dynamic" and "jit" -> row of
`tests/core/numpy_scalar_calls.py` -> for each dtype of tensor a letter for each kind of number.
"""

import importlib
import json
import sys
import tempfile
import warnings
from pathlib import Path

import mindspore as ms

_ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(_ROOT))
from tests.core import numpy_scalar_calls as calls  # noqa: E402

_HEAD = """
import mindspore as ms
from mindspore import mint, ops

def set_item(x, index, value):
    x[index] = value
    return x
"""


def letter(function, dtype, kind):
    try:
        x = ms.Tensor([1, 2], getattr(ms, dtype))
        out = function(x, calls.NUMBERS[kind])
        if isinstance(out, ms.Tensor):
            (out.astype(ms.float32) if out.dtype == ms.bfloat16 else out).asnumpy()
            return calls.LETTERS[str(out.dtype)]
    except (TypeError, ValueError, RuntimeError, AttributeError, IndexError):  # no kernel, often
        return calls.LETTERS["refused"]
    return calls.LETTERS["array"]


def table(functions, kinds):
    return {
        row: " ".join("".join(letter(f, d, k) for k in kinds) for d in calls.TENSORS)
        for row, f in functions.items()
    }


def captured(folder):
    """The functions for graph mode, whose compiler reads them from a file."""
    lines = [f"def f{i}(x, s):\n    return {row}\n" for i, row in enumerate(calls.ROWS)]
    Path(folder, "captured_rows.py").write_text(_HEAD + "\n".join(lines), encoding="utf8")
    sys.path.insert(0, folder)
    module = importlib.import_module("captured_rows")
    return {row: ms.jit(getattr(module, f"f{i}")) for i, row in enumerate(calls.ROWS)}


def main():
    warnings.simplefilter("ignore")
    ms.set_context(pynative_synchronize=True)
    results = {"dynamic": table(calls.functions(ms), calls.NUMBERS)}
    with tempfile.TemporaryDirectory() as folder:
        # its compiler falls back to dynamic mode for arrays, three seconds each
        kinds = [kind for kind in calls.NUMBERS if not kind.startswith("array")]
        results["jit"] = table(captured(folder), kinds)
    path = _ROOT / "tests" / "recorded" / "numpy_scalars.json"
    path.write_text(json.dumps(results, indent=0) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
