"""`mindspore.numpy`: numbers and dtypes as MindSpore 2.10 recorded, and as NumPy in float64.

`tests/recorded/numpy.json` comes from MindSpore, by `tools.record numpy`.
"""

import inspect

import numpy as np
import pytest

import sporax.numpy as mnp
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff import check_grad
from tests import records
from tests.numpy import numpy_cases

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORD = records.read("numpy")
ROWS = RECORD["rows"]


def ours(row):
    scope = {name: Tensor(array) for name, array in numpy_cases.ARRAYS.items()} | {"np": mnp}
    return eval(row.partition(" | ")[0], scope)


def numpys(row):
    wide = {
        name: a.astype(np.float64) if a.dtype == np.float32 else a
        for name, a in numpy_cases.ARRAYS.items()
    }
    with np.errstate(all="ignore"):
        return eval(row.rpartition(" | ")[2], wide | {"np": np})


def flat(result):
    return [x for r in result for x in flat(r)] if isinstance(result, (tuple, list)) else [result]


def same_numbers(result, expected, row):
    result = result.asnumpy() if isinstance(result, Tensor) else result
    assert np.shape(result) == np.shape(expected)
    loose = {"rtol": 2e-2, "atol": 1e-2} if "float16" in row or "h, h" in row else {}
    np.testing.assert_allclose(result, expected, **{"rtol": 2e-5, "atol": 2e-5} | loose)


@pytest.mark.parametrize("row", ROWS)
def test_calls_give_what_mindspore_and_numpy_give(row, on_numpy):
    result, recorded = flat(ours(row)), flat(ROWS[row])
    refused = isinstance(recorded[0], dict) and "raises" in recorded[0]
    if not refused and row not in numpy_cases.MINDSPORE_IS_WRONG:
        for mine, expected in zip(result, recorded, strict=True):
            if isinstance(expected, dict):
                assert str(mine.dtype) == expected["dtype"]
                expected = np.reshape(expected["numbers"], expected["shape"])
            same_numbers(mine, expected, row)
    if row not in numpy_cases.UNLIKE_NUMPY:
        for mine, expected in zip(result, flat(numpys(row)), strict=True):
            same_numbers(mine, expected, row)


@pytest.mark.parametrize("row", numpy_cases.DIFFERENTIATED)
def test_composites_differentiate_and_are_captured(row, on_numpy):
    arrays = {n: a.astype(np.float64) if a.dtype == np.float32 else a
              for n, a in numpy_cases.ARRAYS.items()}  # fmt: skip
    scope = {name: Tensor(array) for name, array in arrays.items()} | {"np": mnp}

    function = eval(f"lambda x: {row}", scope)
    assert not check_grad(function, scope["x"]).noted
    same_numbers(jit(function)(scope["x"]), function(scope["x"]).asnumpy(), row)


def test_signatures_are_mindspores():
    result = {name: str(inspect.signature(getattr(mnp, name))) for name in RECORD["signatures"]}
    assert result == RECORD["signatures"]
