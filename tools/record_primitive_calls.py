"""Record MindSpore 2.10's results for calls of Primitives.

    python tools/record_primitive_calls.py [primitive_calls private_calls]

with an interpreter that has MindSpore. The calls are in the tables of these names in `tests/ops`.
Writes `tests/recorded/primitive_calls.json` and `private_calls.json`.
"""

import importlib.util
import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import ops
from mindspore.ops.operations import _grad_ops, _inner_ops, _sequence_ops, nn_ops, sparse_ops

ROOT = Path(__file__).parent.parent


def module(name):
    """A module of `tests/ops`, which imports nothing of sporax."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests" / "ops" / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def main():
    """Record the tables named on the command line, all by default."""
    for table in sys.argv[1:] or ("primitive_calls", "private_calls"):
        record(table)


def record(table):
    """Write the results of a table's calls."""
    calls, results = module(table), module("result_json")
    functions = ops.functional if table == "primitive_calls" else ops.function.array_func
    names = {
        "ms": ms, "ops": ops, "P": ops.operations, "F": functions,
        "G": _grad_ops, "A": ops.auto_generate,
        "I": _inner_ops, "Q": _sequence_ops, "S": sparse_ops, "L": nn_ops,
        "T": lambda values, dtype="i4": ms.Tensor(np.array(values, dtype)),
    }  # fmt: skip
    recorded = {}
    for call in calls.CALLS:
        arrays = {name: ms.Tensor(array) for name, array in calls.ARRAYS.items()}
        try:
            recorded[call] = results.described(eval(call, {**names, **arrays}))
        except Exception as error:  # noqa: BLE001
            print(call, type(error).__name__, str(error)[:300], file=sys.stderr)
    lines = [f"{json.dumps(call)}: {json.dumps(found)}" for call, found in recorded.items()]
    path = ROOT / "tests" / "recorded" / f"{table}.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf8")


if __name__ == "__main__":
    main()
