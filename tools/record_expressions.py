"""Record MindSpore's results for the expressions in `tests/ops/expression_cases.py`.

    MINDSPORE_PYTHON tools/record_expressions.py

An expression that fails in PyNative mode is compiled; if that fails too, the first error is
recorded. Written to `tests/recorded/expressions.json`.
"""

import importlib.util
import json
import sys
import tempfile
from pathlib import Path

import mindspore as ms

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tests.ops import expression_cases as cases  # noqa: E402


def compiled(expression, names):
    """The result in graph mode."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(f"def run():\n    return {expression}\n")
    spec = importlib.util.spec_from_file_location("expression", file.name)
    module = importlib.util.module_from_spec(spec)
    vars(module).update(names)
    sys.modules["expression"] = module  # where MindSpore's parser finds the source
    spec.loader.exec_module(module)
    try:
        return repr(ms.jit(module.run)())
    except Exception as error:  # noqa: BLE001 (its kind is the answer)
        return f"! {type(error).__name__}"


def main():
    answers = {}
    for expression in cases.EXPRESSIONS:
        names = cases.scope(ms)
        answer = cases.answer(expression, names)
        if answer.startswith("! RuntimeError") and "Tensor(" not in expression:
            again = compiled(expression, names)
            answer = answer if again.startswith("!") else again
        answers[expression] = answer
    text = json.dumps(answers, indent=0, ensure_ascii=False)
    (ROOT / "tests/recorded/expressions.json").write_text(text + "\n", "utf8")


if __name__ == "__main__":
    main()
