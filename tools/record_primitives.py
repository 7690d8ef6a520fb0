"""Record MindSpore 2.10's results on a CPU for the calls of `tests/ops/primitive_cases.py`.

    python tools/record_primitives.py MINDSPORE_PYTHON

with an interpreter that has MindSpore 2.10. Writes `tests/recorded/primitives.json`: by call
[checksum of its inputs, result].
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tests.ops import primitive_cases, result_json  # noqa: E402
from tools.record_parity import ask  # noqa: E402


def main(interpreter):
    calls = primitive_cases.calls()
    questions = [
        (call, {n: result_json.packed(a) for n, a in primitive_cases.inputs(call).items()})
        for call in calls
    ]
    results = ask("mindspore", interpreter, questions)
    entries = {c: [primitive_cases.check(c), r] for c, r in zip(calls, results, strict=True)}
    lines = [f"{json.dumps(c)}: {json.dumps(e, separators=(',', ':'))}" for c, e in entries.items()]
    path = ROOT / "tests" / "recorded" / "primitives.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf8")
    for call, result in zip(calls, results, strict=True):
        if isinstance(result, str):
            print(call, result)


if __name__ == "__main__":
    main(sys.argv[1])
