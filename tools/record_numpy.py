"""Record MindSpore's results for the calls of `tests/numpy/numpy_cases.py`.

Run it with an interpreter that has MindSpore 2.10: `python tools/record_numpy.py`. It writes
`tests/recorded/numpy.json`: the signature of each name of `mindspore.numpy`, and for each row the
shape, dtype and numbers of the result, or the kind of error.
"""

import inspect
import json
import sys
import warnings
from pathlib import Path

import mindspore as ms
import mindspore.numpy as mnp
from mindspore import Tensor

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
from tests.numpy import numpy_cases  # noqa: E402


def described(result):
    """A result as JSON: a Tensor by shape, dtype and numbers."""
    if isinstance(result, (tuple, list)):
        return [described(r) for r in result]
    if isinstance(result, Tensor):
        flat = [round(n, 7) if isinstance(n, float) else n
                for n in result.asnumpy().reshape(-1).tolist()]  # fmt: skip
        return {"shape": result.shape, "dtype": str(result.dtype), "numbers": flat}
    return result


def answer(row):
    scope = {name: Tensor(array) for name, array in numpy_cases.ARRAYS.items()} | {"np": mnp}
    try:
        return described(eval(row.partition(" | ")[0], scope))
    except (TypeError, ValueError, RuntimeError, AttributeError, IndexError) as error:
        return {"raises": type(error).__name__, "says": str(error).split("\n")[0][:80]}


def main():
    warnings.simplefilter("ignore")
    ms.set_context(pynative_synchronize=True)
    signatures = {}
    for name in sorted({*mnp.__all__, "around", "copy", "matrix_power"}):
        if inspect.isfunction(getattr(mnp, name)):
            signatures[name] = str(inspect.signature(getattr(mnp, name)))
    table = {"signatures": signatures, "rows": {row: answer(row) for row in numpy_cases.ROWS}}
    lines = [
        f"{json.dumps(kind)}: {{\n"
        + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in results.items())
        + "\n}"
        for kind, results in table.items()
    ]
    path = ROOT / "tests" / "recorded" / "numpy.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf8")


if __name__ == "__main__":
    main()
