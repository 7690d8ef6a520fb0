"""Record the modules in which MindSpore defines its classes; run with MindSpore 2.10:

python tools/record_classes.py > tests/recorded/classes.json
"""

import csv
import importlib
import json
from pathlib import Path

PATHS = Path(__file__).parents[1] / "sporax/_src/mindspore/compat/paths.csv"

if __name__ == "__main__":
    with open(PATHS, encoding="utf-8") as file:
        paths = [row["path"] for row in csv.DictReader(file) if ":" not in row["found_in"]]
    shortest = {}  # the shortest path to each class
    for path in paths:
        try:
            module = importlib.import_module(path)
        except ImportError:
            continue
        for name in dir(module):
            kind = getattr(module, name, None)
            home = str(getattr(kind, "__module__", ""))
            if isinstance(kind, type) and home.startswith("mindspore.") and kind.__name__ == name:
                known = shortest.get((home, name))
                if known is None or path.count(".") < known.count("."):
                    shortest[home, name] = path
    said = {f"{path}.{name}": home for (home, name), path in sorted(shortest.items())}
    print("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in said.items()) + "\n}")
