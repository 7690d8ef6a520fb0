"""Operands meet in one dtype before a factor (alpha, beta, value) multiplies one of them, as in
PyTorch and in MindSpore's `mint`; all pairs of dtypes, compared with NumPy."""

import itertools

import numpy as np
import pytest

from sporax import mint, ops
from sporax._src.core.tensor import Tensor

pytestmark = pytest.mark.usefixtures("on_numpy")

# a call | the same in NumPy; of one dtype `x`, whose elements are small, of another `y` and `v`,
# whose elements are large
CALLS = """
mint.add(x, y, alpha=2) | x + 2 * y
mint.add(x, y, alpha=300) | x + 300 * y
mint.sub(x, y, alpha=3) | x - 3 * y
x.add(y, alpha=2) | x + 2 * y
x.sub(y, alpha=-1) | x + y
x.subtract(y, alpha=2) | x - 2 * y
ops.subtract(x, y, alpha=2) | x - 2 * y
x.add_(y, alpha=2) | x + 2 * y
x.sub_(y, alpha=2) | x - 2 * y
ops.addcmul(x, y, y, value=2) | x + 2 * y * y
mint.addcmul(x, y, v) | x + y * v
ops.addcdiv(x, y, v, value=4) | x + 4 * y / v
ops.addmm(y, x, x, beta=2) | 2 * y + x @ x
mint.addmm(y, x, x, alpha=300) | y + 300 * (x @ x)
mint.addmv(v, x, x[0], beta=2) | 2 * v + x @ x[0]
y.addr(x[0], x[1], beta=2, alpha=300) | 2 * y + 300 * np.outer(x[0], x[1])
ops.baddbmm(y[None], x[None], x[None], beta=3)[0] | 3 * y + x @ x
mint.index_add(x, 0, at, y, alpha=2) | x + 2 * y
""".strip().split("\n")
LARGE = {"uint8": 200, "int8": 100, "int16": 30000, "int32": 2**30, "int64": 2**40 + 1,
         "float16": 300, "float32": 2**20 + 1, "float64": 2**40 + 1}  # fmt: skip
DTYPES = [np.dtype(name) for name in LARGE]


def operands(left, right):
    most = LARGE[right.name]
    return {
        "x": np.array([[3, 1], [0, 2]], left),
        "y": np.array([[most, 1], [2, most // 2]], right),
        "v": np.array([1, most // 4], right),
    }


def in_numpy(written, arrays, met):
    """The result where all operands are converted to `met` before; integers wrap round."""
    wide = np.dtype(np.int64) if met.kind in "iu" else met
    with np.errstate(all="ignore"):
        inside = {name: array.astype(wide) for name, array in arrays.items()}
        return np.asarray(eval(written, {"np": np, **inside})).astype(met)


@pytest.mark.parametrize("row", CALLS)
def test_operands_meet_before_one_is_multiplied(row):
    call, written = row.split(" | ")
    for left, right in itertools.product(DTYPES, DTYPES):
        arrays = operands(left, right)
        tensors = {name: Tensor(array) for name, array in arrays.items()}
        met = (tensors["x"] + tensors["y"]).asnumpy().dtype
        if "addcdiv" in call and met.kind in "iu":
            met = np.dtype(np.float32)
        if "index_add" in call:
            met = left
        result = eval(call, {"mint": mint, "ops": ops, "at": Tensor([0, 1]), **tensors}).asnumpy()
        expected = in_numpy(written, arrays, met)
        assert result.dtype == met, (left, right)
        tolerance = 2e-3 if met == np.float16 else 1e-6
        np.testing.assert_allclose(
            result, expected, tolerance, err_msg=f"{left}, {right}", equal_nan=True
        )


# A Python float makes integers Float32, except where the result has to stay what it was.
def test_a_float_as_a_factor_of_integers():
    whole, at = Tensor(np.array([3, 4], np.int8)), Tensor([0, 1])
    assert mint.add(whole, whole, alpha=0.5).asnumpy().tolist() == [4.5, 6.0]
    assert ops.addcmul(whole, whole, whole, value=0.5).asnumpy().tolist() == [7.5, 12.0]
    with pytest.raises(TypeError, match="For 'index_add', 'alpha' must be an int where 'input' is"):
        mint.index_add(whole, 0, at, whole, alpha=0.5)
