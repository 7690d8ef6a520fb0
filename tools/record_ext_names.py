"""Record which names of `mindspore.ops` and of modules below it are functions of `mint`.

Run it with an interpreter that has MindSpore 2.10: `python tools/record_ext_names.py`. It writes
`tests/recorded/ext_names.json`: path -> path below `mint`, where the names differ.
"""

import importlib
import json
import types
from pathlib import Path

from mindspore import mint

MODULES = [
    "ops.function", "ops.function.math_func", "ops.function.nn_func", "ops.function.array_func",
    "ops.function.random_func", "ops.auto_generate", "ops.functional",
]  # fmt: skip
SUFFIXES = "_ext", "_view"
PLACES = {
    "": mint, "nn.functional.": mint.nn.functional, "linalg.": mint.linalg, "special.": mint.special
}  # fmt: skip


def main():
    faces = {}
    for place, module in PLACES.items():
        for name, value in vars(module).items():
            is_face = callable(value) and not isinstance(value, types.ModuleType)
            if is_face and not name.endswith(SUFFIXES):
                faces.setdefault(id(value), []).append(f"{place}{name}")
    answer = {}
    for path in MODULES:
        for name, value in vars(importlib.import_module(f"mindspore.{path}")).items():
            found = faces.get(id(value), [])
            if found and name.endswith(SUFFIXES):
                answer[f"mindspore.{path}.{name}"] = found[0]
    file = Path(__file__).parent.parent / "tests" / "recorded" / "ext_names.json"
    rows = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(answer.items()))
    file.write_text("{\n" + rows + "\n}\n", encoding="utf8")


if __name__ == "__main__":
    main()
