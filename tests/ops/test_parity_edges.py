"""NaN, infinities, empty and 0-dimensional inputs, every dtype, mixed dtypes, Python's numbers,
broadcasting, views, every axis: each face of each operation gives what MindSpore 2.10 gave; so do
the functions that are made of operations.

The records come from MindSpore and PyTorch, by `tools.record parity`. Where MindSpore has no
answer, or one that is wrong (`parity_differences.py` says why), PyTorch's decides, or NumPy's
in float64.
"""

import functools
import re
import warnings

import numpy as np
import pytest

from sporax._src.core.context import set_context
from sporax._src.core.tensor import Tensor
from tests.ops import call_forms, parity_edges, parity_rows, result_json
from tests.ops.parity_differences import AT_EDGES, NOT_REFERENCES, WITHOUT_NAN
from tests.ops.result_json import tensors_in

RECORDED = parity_rows.recorded(parity_rows.of_edges) | parity_rows.recorded(parity_rows.of_calls)


@functools.cache
def rows_by_family():
    """{family: its rows}; it takes seconds, which modules that are only collected need not."""
    result = {}
    for row in [*parity_rows.of_edges(), *parity_rows.of_calls()]:
        result.setdefault(row.family, []).append(row)
    return result


# XLA compiles these for long, up to minutes: loops in each operation, once per shape and dtype
COMPILED_LONG = {"bessel", "gamma_functions", "products", "mathematics"}
FAMILIES = [
    pytest.param(family, marks=[pytest.mark.slow] if family in COMPILED_LONG else [])
    for family in parity_rows.families_of_edges()
]
WITH_NAN = sorted(parity_edges.ELEMENTWISE - COMPILED_LONG | {"losses"})
MANY = 300  # calls that are read together, so that they are one program
# how far two ways of rounding are apart
LOOSE = {"float16": 5e-3, "bfloat16": 4e-2}


def close(result, expected, row):
    if result[1] != expected[1] or len(result[2]) != len(expected[2]):
        return False
    kinds = {result[0].lower(), expected[0].lower(), row.name.rpartition("/")[2]}
    loose = max(LOOSE.get(kind, 0) for kind in kinds)
    return np.allclose(
        np.array(result[2], float),
        np.array(expected[2], float),
        max(loose, 2e-5, row.rtol),
        max(loose, row.atol),
        equal_nan=True,
    )


def agree(actual, expected, row, dtypes=True):
    """Whether two results are the same; `dtypes`: in dtype too."""
    if isinstance(actual, str) or isinstance(expected, str):
        return actual == expected
    actual, expected = tensors_in(actual), tensors_in(expected)
    if len(actual) != len(expected):
        return False
    return all(
        a == b if isinstance(a, str) or isinstance(b, str)
        else (not dtypes or a[0] == b[0]) and close(a, b, row)
        for a, b in zip(actual, expected, strict=True)
    )  # fmt: skip


def evaluate(row, call):
    """What a call gives here, not read yet, or the kind of error."""
    try:
        return call_forms.evaluate(call, {name: Tensor(a) for name, a in row.named.items()})
    except (TypeError, ValueError, OverflowError, NotImplementedError) as error:
        return f"raises {type(error).__name__}"


def given(rows):
    """(row, call, result), many of them computed together."""
    calls = [(row, call) for row in rows for call in row.calls]
    for some in (calls[at : at + MANY] for at in range(0, len(calls), MANY)):
        results = [evaluate(row, call) for row, call in some]
        for (row, call), result in zip(some, results, strict=True):
            yield row, call, result if refused(result) else result_json.described(result)


def loses_nan(actual, expected):
    """Whether the reference has NaN where the result, of the same shape, has none."""
    if isinstance(actual, str) or isinstance(expected, str) or actual[1] != expected[1]:
        return False
    if len(actual[2]) != len(expected[2]):  # complex and real
        return False
    return any(b != b and a == a for a, b in zip(actual[2], expected[2], strict=True))


def refused(outcome):
    return isinstance(outcome, str) and outcome.startswith(("raises", "no ", "the process"))


def reference(row, recorded, call):
    """PyTorch's result, else NumPy's; None where neither has one. Samples' are for floats."""
    if len(recorded) > 2:
        return recorded[2]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = by_name(row, call) if call.startswith("mnp.") else row.reference()
    except (TypeError, ValueError, LookupError, ArithmeticError, NameError, AttributeError):
        return None  # it was written for other inputs, or has another name
    result = list(result) if isinstance(result, (tuple, list)) else [result]
    result = [np.asarray(one) for one in result]
    if any(one.dtype.kind not in "biufc" for one in result):
        return None
    described = [[f"{one.dtype}", list(one.shape), result_json.numbers(one)] for one in result]
    return described[0] if len(described) == 1 else described


def by_name(row, call):
    """What NumPy gives for a call of `mindspore.numpy`."""
    wide = {n: a.astype(np.float64) if a.dtype.kind == "f" else a for n, a in row.named.items()}
    return eval(call.replace("mnp.", "np."), {"np": np, **wide})


@pytest.fixture
def unchecked_indices():
    """Many calls are computed together, and one index out of range would refuse all of them; what
    is refused is in `test_index_errors`."""
    set_context(check_indices=False)
    yield
    set_context(check_indices=True)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("unchecked_indices")
def test_edges_are_mindspores_or_the_reference_s(family, on_numpy, request):
    rows = rows_by_family().get(family)
    if rows is None:
        pytest.skip("no edge fits its samples")
    if not (request.config.getoption("--compiled") or request.config.getoption("--calls")):
        rows = rows[::3]
    wrong = []
    for row, call, actual in given(rows):
        recorded = RECORDED.get(row.name)
        if recorded is None or recorded[0] != row.check():
            recorded = [None, []]
        theirs = next((outcome for outcome, calls in recorded[1] if call in calls), "no record")
        if not refused(theirs):
            if agree(actual, theirs, row):
                continue
            if parity_rows.reason(row, call, AT_EDGES) is None:
                wrong.append((row.name, call, actual, theirs))
                continue
        elif any(agree(actual, outcome, row) for outcome, _ in recorded[1]):
            continue  # another call form has a result of MindSpore
        expected = reference(row, recorded, call)
        if refused(actual) and len(recorded) < 3:
            continue
        if expected is None or agree(actual, expected, row, dtypes=False):
            continue
        if parity_rows.reason(row, call, NOT_REFERENCES) is None:
            wrong.append((row.name, call, actual, "is not the reference's", expected))
    assert not wrong, f"{len(wrong)}\n" + "\n".join(map(str, wrong))


# MindSpore loses NaN here and there: to give what it gives is no excuse for that.
@pytest.mark.parametrize("family", WITH_NAN)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("unchecked_indices")
def test_nan_stays_where_the_reference_has_it(family, on_numpy):
    rows = [row for row in rows_by_family()[family] if re.fullmatch(r".*/(odd|nan\d)", row.name)]
    lost = []
    for row, call, actual in given(rows):
        expected = None if refused(actual) else reference(row, RECORDED.get(row.name, []), call)
        if expected is None or refused(expected):
            continue
        pairs = zip(tensors_in(actual), tensors_in(expected), strict=True)
        reason = parity_rows.reason(row, call, WITHOUT_NAN)
        if any(loses_nan(a, b) for a, b in pairs) and reason is None:
            lost.append((row.name, call, actual, expected))
    assert not lost, f"{len(lost)}\n" + "\n".join(map(str, lost))


@pytest.mark.slow
def test_every_call_is_recorded():
    rows = [row for family in rows_by_family().values() for row in family]
    missing = [row.name for row in rows if not parity_rows.is_recorded(row, RECORDED)]
    assert not missing, "record them: python -m tools.record parity:missing"
