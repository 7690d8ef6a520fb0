"""Record MindSpore 2.10's and PyTorch's results for the calls of `tests/ops/parity_rows.py`.

    python tools/record_parity.py MINDSPORE_PYTHON TORCH_PYTHON [--missing]

where the two are interpreters that have MindSpore 2.10 and PyTorch, and this one has sporax
(`--missing`: only rows that are new, or whose inputs or calls have changed). The calls are source,
and their inputs NumPy arrays, so they do not need sporax. PyTorch runs the calls of `mint`, which
follows its interface. Writes `tests/recorded/parity.json` (samples), `parity_calls.json` and
`parity_edges.json.gz` (derived from the samples): by row a checksum of its inputs, MindSpore's
results, each with its calls, and PyTorch's result if it differs. A call that ends MindSpore's
process is recorded as such, and the others continue in a new process.
"""

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
from tests.ops import result_json  # noqa: E402

LONGEST = 900  # seconds for one process

# MindSpore's messages for a missing kernel on a CPU, or for these dtypes
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


def mindspore():
    """(the names of a call, an input of NumPy's as a Tensor, what an error is recorded as)"""
    import mindspore as ms
    import mindspore.numpy as mnp
    from mindspore import mint, ops

    ms.set_context(pynative_synchronize=True)
    return {"ms": ms, "ops": ops, "mint": mint, "mnp": mnp}, ms.Tensor, kind_of


def torch():
    import torch as pt

    pt.Tensor.astype = lambda tensor, dtype: tensor.to(dtype)
    pt.Tensor.asnumpy = lambda tensor: tensor.resolve_conj().numpy()
    pt.bool_ = pt.bool
    return (
        {"ms": pt, "mint": pt, "pt": pt},
        lambda a: pt.from_numpy(np.array(a)),
        lambda error: None,
    )


def answer(library, questions, found, start):
    """Under MindSpore or PyTorch: run the calls from `start` on, and print one result per line."""
    names, tensor, kind = {"mindspore": mindspore, "torch": torch}[library]()
    lines = Path(questions).read_text(encoding="utf8").splitlines()
    with Path(found).open("a", encoding="utf8") as out:
        for line in lines[int(start) :]:
            call, arrays = json.loads(line)
            try:
                inputs = {name: tensor(result_json.unpacked(*a)) for name, a in arrays.items()}
                given = result_json.described(eval(call, {**names, **inputs}))
            except Exception as error:  # noqa: BLE001
                given = kind(error)
            out.write(json.dumps(given) + "\n")
            out.flush()


def ask(library, interpreter, questions):
    """A result for each (call, inputs by name)."""
    with tempfile.TemporaryDirectory() as folder:
        asked, found = Path(folder, "asked"), Path(folder, "found")
        asked.write_text("".join(json.dumps(q) + "\n" for q in questions), encoding="utf8")
        found.touch()
        while True:
            done = found.read_text(encoding="utf8").splitlines()
            if len(done) == len(questions):
                return [json.loads(line) for line in done]
            command = [interpreter, __file__, "--answer", library, asked, found, str(len(done))]
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


def record(rows, pythons):
    """{row: entry}"""
    arrays = [{name: result_json.packed(a) for name, a in row.named.items()} for row in rows]
    asked = [(call, a) for row, a in zip(rows, arrays, strict=True) for call in row.calls]
    answers = iter(ask("mindspore", pythons[0], asked))
    likewise = [row.torch() for row in rows]
    asked = [(c, a) for c, a in zip(likewise, arrays, strict=True) if c is not None]
    torchs = iter(ask("torch", pythons[1], asked))
    rows_out = {}
    for row, call in zip(rows, likewise, strict=True):
        groups = grouped(row.calls, [next(answers) for _ in row.calls])
        pt = None if call is None else next(torchs)
        known = [one for one, _ in groups]
        kept = [pt] if isinstance(pt, list) and pt not in known else []
        rows_out[row.name] = [row.check(), groups, *kept]
    return rows_out


def main(*arguments):
    from tests.ops import parity_rows

    pythons, folder = arguments[:2], ROOT / "tests" / "recorded"
    for source in (parity_rows.of_samples, parity_rows.of_calls, parity_rows.of_edges):
        path, rows = folder / parity_rows.FILES[source], list(source())
        known = parity_rows.recorded(source) if "--missing" in arguments else {}
        missing = [row for row in rows if not parity_rows.is_recorded(row, known)]
        known |= record(missing, pythons) if missing else {}
        entries = [(row.name, json.dumps(known[row.name], separators=(",", ":"))) for row in rows]
        lines = [f"{json.dumps(name)}: {entry}" for name, entry in entries]
        text = ("{\n" + ",\n".join(lines) + "\n}\n").encode()
        path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)


if __name__ == "__main__":
    answer(*sys.argv[2:]) if sys.argv[1] == "--answer" else main(*sys.argv[1:])
