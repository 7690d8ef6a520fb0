"""Every operation, by every face, gives what MindSpore 2.10 gave: dtype, shape and numbers.

`tests/recorded/parity.json` comes from MindSpore, by `tools.record parity`. The numbers are also
NumPy's in float64; where MindSpore has no CPU kernel or refuses the call, they are that alone.
"""

import numpy as np
import pytest

from sporax._src.core.tensor import Tensor
from tests import records
from tests.ops import call_forms, parity_rows, result_json
from tests.ops.parity_differences import DIFFERENT
from tests.ops.result_json import tensors_in
from tests.samples import SEEDS, collect

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.read("parity")
ROWS = list(parity_rows.of_samples())
FAMILIES = sorted({row.family for row in ROWS})


def close(result, expected, row):
    return len(result) == len(expected) and np.allclose(
        result, expected, rtol=row.rtol, atol=row.atol, equal_nan=True
    )


def agree(actual, expected, row):
    actual, expected = tensors_in(actual), tensors_in(expected)
    if isinstance(expected[0], str) or len(actual) != len(expected):
        return actual == expected
    return all(
        a[:2] == b[:2] and close(a[2], b[2], row) for a, b in zip(actual, expected, strict=True)
    )


def right(actual, reference, row):
    """Whether shapes and numbers are the reference's."""
    expected = reference if isinstance(reference, (tuple, list)) else [reference]
    expected = [(list(np.shape(w)), result_json.numbers(np.asarray(w))) for w in expected]
    actual = tensors_in(actual)
    return len(actual) == len(expected) and all(
        a[1] == shape and close(a[2], numbers, row)
        for a, (shape, numbers) in zip(actual, expected, strict=True)
    )


def evaluate(row, call):
    """The result, or the kind of error."""
    try:
        return result_json.described(call_forms.evaluate(call, map(Tensor, row.arrays)))
    except (TypeError, ValueError, OverflowError) as error:
        return f"raises {type(error).__name__}"


def recorded(row):
    """(call, MindSpore's result)."""
    check, groups, *_ = RECORDED[row.name]
    assert check == row.check(), f"record again: the inputs of {row.name} have changed"
    result = {call: outcome for outcome, calls in groups for call in calls}
    assert set(result) >= set(row.calls), f"record again: {row.name} has other calls"
    return [(call, result[call]) for call in row.calls]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_face_gives_what_mindspore_and_numpy_give(family):
    wrong, explained = [], set()
    rows = [row for row in ROWS if row.family == family]
    for row in rows:
        reference = row.reference()
        for call, expected in recorded(row):
            actual = evaluate(row, call)
            if not right(actual, reference, row):
                wrong.append((row.name, call, actual, "is not NumPy's"))
            if isinstance(expected, str) or agree(actual, expected, row):
                continue
            keys = (row.name, f"{row.name} {call.partition('(')[0]}")
            key = next((key for key in keys if key in DIFFERENT), None)
            explained.add(key)
            if key is None:
                wrong.append((row.name, call, actual, expected))
    assert not wrong, "\n".join(map(str, wrong))
    names = {row.name for row in rows}
    assert explained == {key for key in DIFFERENT if key.partition(" ")[0] in names}


def test_every_explained_difference_has_a_row():
    assert {key.partition(" ")[0] for key in DIFFERENT} <= {row.name for row in ROWS}


def test_every_recorded_seed_has_a_sample():
    assert SEEDS.keys() <= {sample.op for sample in collect("SAMPLES")}
