"""Record the results of MindSpore's SymbolTree for `tests/rewrite/cases.py`.

Run under MindSpore 2.10: `python tools/record_rewrite.py`.
"""

import json
import os
import sys
import tempfile
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mindspore.rewrite.common import namer

from tests.rewrite import cases

TARGET = Path(__file__).parents[1] / "tests" / "recorded" / "rewrite.json"


def fresh(question, name, edit):
    """The result of a fresh process, because MindSpore numbers classes and functions per
    process."""
    for kind in (namer.ClassNamer, namer.FunctionNamer):
        kind.instance()._names.clear()
    try:
        return question(name, edit)
    except (TypeError, ValueError, RuntimeError, AttributeError) as error:
        traceback.print_exc()
        return {"error": type(error).__name__}


if __name__ == "__main__":
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for question, rows in cases.QUESTIONS:
            for name, edit in rows:
                found[f"{name}: {edit}"] = fresh(question, name, edit)
        os.chdir(TARGET.parent)
    rows = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in found.items())
    TARGET.write_text("{\n" + rows + "\n}\n", "utf-8")
