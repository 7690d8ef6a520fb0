"""MindSpore's and PyTorch's results for the calls of `tests/ops/parity_rows.py`.

The calls are source, and their inputs NumPy arrays, so they do not need sporax. PyTorch runs the
calls of `mint`, which follows its interface. By row a checksum of its inputs, MindSpore's results,
each with its calls, and PyTorch's result if it differs.
"""

import json

import numpy as np

from tests.ops import result_json
from tools.record.children import ask

# MindSpore's messages for a missing kernel on a CPU, or for these dtypes
NO_KERNEL = (
    "on CPU", "unregistered", "Create kernelmod", "Select CPU operator", "Kernel select failed",
    "KernelMod Init Failed", "Not implement exception",
)  # fmt: skip


def _kind_of(error):
    text = " ".join(str(error).split())
    if any(part in text for part in NO_KERNEL):
        return "no CPU kernel"
    if isinstance(error, AttributeError) and "has no attribute" in text:
        return "no such name"
    return f"raises {type(error).__name__}: {text[:80]}"


def parity(pythons, *which):
    """Yield the files; with the part `missing`, only new rows and rows that differ are asked."""
    from tests.ops import parity_rows

    for source, file in parity_rows.FILES.items():
        rows = list(source())
        known = parity_rows.recorded(source) if "missing" in which else {}
        missing = [row for row in rows if not parity_rows.is_recorded(row, known)]
        known |= _record(missing, pythons)
        yield f"{file}.json", {row.name: known[row.name] for row in rows}


def primitives(pythons):
    """Return by call of `tests/ops/primitive_cases.py` a checksum of its inputs and the result."""
    from tests.ops import primitive_cases

    calls, entries = primitive_cases.calls(), {}
    questions = [
        (call, {n: result_json.packed(a) for n, a in primitive_cases.inputs(call).items()})
        for call in calls
    ]
    for call, result in zip(calls, _ask("mindspore", pythons, questions), strict=True):
        entries[call] = [primitive_cases.check(call), result]
        if isinstance(result, str):
            print(call, result)
    return {"primitives.json": entries}


def _ask(library, pythons, questions):
    answerer = f"tools.record.parity:under_{library}"
    return ask(pythons[library], answerer, questions, "the process ended") if questions else []


def under_mindspore():
    import mindspore as ms
    import mindspore.numpy as mnp
    from mindspore import mint, ops

    ms.set_context(pynative_synchronize=True)
    names = {"ms": ms, "ops": ops, "mint": mint, "mnp": mnp}
    return lambda question: _answer(question, names, ms.Tensor, _kind_of)


def under_torch():
    import torch as pt

    pt.Tensor.astype = lambda tensor, dtype: tensor.to(dtype)
    pt.Tensor.asnumpy = lambda tensor: tensor.resolve_conj().numpy()
    pt.bool_ = pt.bool
    names = {"ms": pt, "mint": pt, "pt": pt}
    return lambda question: _answer(
        question, names, lambda a: pt.from_numpy(np.array(a)), lambda error: None
    )


def _answer(question, names, tensor, kind):
    call, arrays = question
    try:
        inputs = {name: tensor(result_json.unpacked(*a)) for name, a in arrays.items()}
        return result_json.described(eval(call, {**names, **inputs}))
    except Exception as error:  # noqa: BLE001
        return kind(error)


def _grouped(calls, given):
    """[[answer, calls that gave it], ...]"""
    found = {}
    for call, one in zip(calls, given, strict=True):
        found.setdefault(json.dumps(one), (one, []))[1].append(call)
    return list(found.values())


def _record(rows, pythons):
    """{row: entry}"""
    arrays = [{name: result_json.packed(a) for name, a in row.named.items()} for row in rows]
    asked = [(call, a) for row, a in zip(rows, arrays, strict=True) for call in row.calls]
    answers = iter(_ask("mindspore", pythons, asked))
    likewise = [row.torch() for row in rows]
    asked = [(c, a) for c, a in zip(likewise, arrays, strict=True) if c is not None]
    torchs = iter(_ask("torch", pythons, asked))
    rows_out = {}
    for row, call in zip(rows, likewise, strict=True):
        groups = _grouped(row.calls, [next(answers) for _ in row.calls])
        pt = None if call is None else next(torchs)
        known = [one for one, _ in groups]
        kept = [pt] if isinstance(pt, list) and pt not in known else []
        rows_out[row.name] = [row.check(), groups, *kept]
    return rows_out
