"""Every operation, by every face, gives what MindSpore 2.10 gave: dtype, shape and numbers.

`tests/recorded/parity.json` comes from MindSpore, by `tools/record_parity.py`. The numbers are also
NumPy's in float64; where MindSpore has no CPU kernel or refuses the call, they are that alone.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from sporax.core.tensor import Tensor
from tests.ops import call_forms, parity_rows, result_json
from tests.ops.parity_differences import DIFFERENT

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = json.loads((Path(__file__).parents[1] / "recorded" / "parity.json").read_text("utf8"))
ROWS = list(parity_rows.of_samples())
FAMILIES = sorted({row.family for row in ROWS})


def tensors_in(answer):
    """The [dtype, shape, numbers] of an answer, one after the other."""
    if isinstance(answer, str) or (answer and isinstance(answer[0], str)):
        return [answer]
    return [tensor for part in answer for tensor in tensors_in(part)]


def close(found, wanted, row):
    return len(found) == len(wanted) and np.allclose(
        found, wanted, rtol=row.rtol, atol=row.atol, equal_nan=True
    )


def agree(ours, theirs, row):
    ours, theirs = tensors_in(ours), tensors_in(theirs)
    if isinstance(theirs[0], str) or len(ours) != len(theirs):
        return ours == theirs
    return all(a[:2] == b[:2] and close(a[2], b[2], row) for a, b in zip(ours, theirs, strict=True))


def right(ours, reference, row):
    """Whether shapes and numbers are the reference's."""
    wanted = reference if isinstance(reference, (tuple, list)) else [reference]
    wanted = [(list(np.shape(w)), result_json.numbers(np.asarray(w))) for w in wanted]
    ours = tensors_in(ours)
    return len(ours) == len(wanted) and all(
        a[1] == shape and close(a[2], numbers, row)
        for a, (shape, numbers) in zip(ours, wanted, strict=True)
    )


def asked(row, call):
    """Our answer, or the kind of error."""
    try:
        return result_json.described(call_forms.evaluate(call, map(Tensor, row.arrays)))
    except (TypeError, ValueError, OverflowError) as error:
        return f"raises {type(error).__name__}"


def recorded(row):
    """(call, MindSpore's answer)."""
    check, groups, *_ = RECORDED[row.name]
    assert check == row.check(), f"record again: the inputs of {row.name} have changed"
    found = {call: answer for answer, calls in groups for call in calls}
    assert set(found) >= set(row.calls), f"record again: {row.name} has other calls"
    return [(call, found[call]) for call in row.calls]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_face_gives_what_mindspore_and_numpy_give(family):
    wrong, explained = [], set()
    rows = [row for row in ROWS if row.family == family]
    for row in rows:
        reference = row.reference()
        for call, theirs in recorded(row):
            ours = asked(row, call)
            if not right(ours, reference, row):
                wrong.append((row.name, call, ours, "is not NumPy's"))
            if isinstance(theirs, str) or agree(ours, theirs, row):
                continue
            keys = (row.name, f"{row.name} {call.partition('(')[0]}")
            key = next((key for key in keys if key in DIFFERENT), None)
            explained.add(key)
            if key is None:
                wrong.append((row.name, call, ours, theirs))
    assert not wrong, "\n".join(map(str, wrong))
    names = {row.name for row in rows}
    assert explained == {key for key in DIFFERENT if key.partition(" ")[0] in names}


def test_every_explained_difference_has_a_row():
    assert {key.partition(" ")[0] for key in DIFFERENT} <= {row.name for row in ROWS}
