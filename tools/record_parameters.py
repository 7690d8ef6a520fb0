"""Record the parameters of the names that scripts use; run it where MindSpore 2.10 is installed.

    python tools/record_parameters.py tests/recorded

Writes `parameters.json`: for each name of `uses.csv` with three uses or more that `inspect`
supports, its parameters in order. For a class, the parameters of its constructor; for a Primitive
also the parameters of its call (under `name()`).
"""

import csv
import functools
import importlib
import json
import sys
from pathlib import Path

import mindspore as ms

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.compat.parameter_names import ANYTHING, parameters_of

CALLED_THROUGH = {ms.ops.Primitive: "__call__", ms.nn.Cell: "construct"}


def follow(path):
    """The object at a path; None if there is none."""
    parts = path.split(".")
    for i in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:i]))
        except ImportError:
            continue
        return functools.reduce(lambda at, name: getattr(at, name, None), parts[i:], module)
    return None


if __name__ == "__main__":
    folder, kept = Path(sys.argv[1]), {}
    with open(folder / "uses.csv", encoding="utf8") as file:
        symbols = [row["symbol"] for row in csv.DictReader(file) if int(row["uses"]) >= 3]
    for symbol in sorted(symbols):
        value = follow(symbol)
        if callable(value):
            for suffix, names in parameters_of(value, CALLED_THROUGH).items():
                if names is not None and names != ANYTHING:
                    kept[symbol + suffix] = names
    lines = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in kept.items())
    (folder / "parameters.json").write_text("{\n" + lines + "\n}\n", "utf8")
