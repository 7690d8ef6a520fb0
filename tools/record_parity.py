"""Record, under MindSpore 2.10, what the calls of `tests/parity_rows.py` give.

    python tools/record_parity.py MINDSPORE_PYTHON

where MINDSPORE_PYTHON is an interpreter that has MindSpore 2.10, and this one has sporax. The calls
are source, and their inputs NumPy's, so nothing of sporax is needed there. It writes
`tests/recorded/parity.json`: by row a sum over its inputs, and the answers with the calls that gave
each. A call that ends MindSpore's process is recorded as such, and the rest goes on in a new one.
"""

import json
import string
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
from tests import answers  # noqa: E402

LONGEST = 900  # seconds for one process

# how MindSpore says that it has no kernel for a processor, or none for these dtypes
NO_KERNEL = (
    "on CPU", "unregistered", "Create kernelmod", "Select CPU operator", "Kernel select failed",
    "KernelMod Init Failed", "Not implement exception",
)  # fmt: skip


def kind_of(error):
    text = " ".join(str(error).split())
    if any(part in text for part in NO_KERNEL):
        return "no CPU kernel"
    if isinstance(error, AttributeError) and "has no attribute" in text:
        return "no such name"
    return f"raises {type(error).__name__}: {text[:80]}"


def answer(questions, found, start):
    """Under MindSpore: the questions from `start` on, an answer a line."""
    import mindspore as ms
    from mindspore import mint, ops

    ms.set_context(pynative_synchronize=True)
    lines = Path(questions).read_text(encoding="utf8").splitlines()
    with Path(found).open("a", encoding="utf8") as out:
        for line in lines[int(start) :]:
            call, arrays = json.loads(line)
            tensors = [ms.Tensor(answers.unpacked(*array)) for array in arrays]
            names = dict(zip(string.ascii_lowercase, tensors, strict=False))
            try:
                result = eval(call, {"ms": ms, "ops": ops, "mint": mint, **names})
                given = answers.described(result)
            except Exception as error:  # noqa: BLE001
                given = kind_of(error)
            out.write(json.dumps(given) + "\n")
            out.flush()


def ask(interpreter, questions):
    """An answer for each (call, arrays)."""
    with tempfile.TemporaryDirectory() as folder:
        asked, found = Path(folder, "asked"), Path(folder, "found")
        asked.write_text("".join(json.dumps(q) + "\n" for q in questions), encoding="utf8")
        found.touch()
        while True:
            done = found.read_text(encoding="utf8").splitlines()
            if len(done) == len(questions):
                return [json.loads(line) for line in done]
            command = [interpreter, __file__, "--answer", asked, found, str(len(done))]
            ended = subprocess.run(command, timeout=LONGEST, cwd=folder)
            if ended.returncode:
                with found.open("a", encoding="utf8") as out:
                    out.write('"the process ended"\n')


def grouped(calls, given):
    """[[answer, calls that gave it], ...]"""
    found = {}
    for call, one in zip(calls, given, strict=True):
        found.setdefault(json.dumps(one), (one, []))[1].append(call)
    return list(found.values())


def main(interpreter):
    from tests import parity_rows

    rows = parity_rows.rows()
    questions = [
        (call, [answers.packed(a) for a in row.arrays]) for row in rows for call in row.calls
    ]
    given = iter(ask(interpreter, questions))
    table = {r.name: [r.check(), grouped(r.calls, [next(given) for _ in r.calls])] for r in rows}
    lines = [f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in table.items()]
    path = ROOT / "tests" / "recorded" / "parity.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf8")


if __name__ == "__main__":
    answer(*sys.argv[2:]) if sys.argv[1] == "--answer" else main(sys.argv[1])
