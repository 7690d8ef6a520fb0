"""8-bit floating dtypes: printed and saved as MindSpore's (`tools.record float8`), and against
the formulas of their bits."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, grad, jit, ops
from tests import records
from tests.core.float8_cases import EXPRESSIONS, NAMES, VALUES

ANSWERS = records.read("float8")
BITS = {"float8_e4m3fn": (4, 3), "float8_e5m2": (5, 2)}  # of exponent and mantissa


def decoded(name):
    """What each of the 256 codes stands for, from the definition of the format."""
    exponents, mantissas = BITS[name]
    bias = 2 ** (exponents - 1) - 1
    codes = np.arange(256)
    exponent = (codes >> mantissas) % 2**exponents
    fraction = (codes % 2**mantissas) / 2.0**mantissas
    values = np.where(exponent > 0, (1 + fraction) * 2.0 ** (exponent - bias), 0)
    values = np.where(exponent == 0, fraction * 2.0 ** (1 - bias), values)
    if name == "float8_e5m2":
        values[exponent == 31] = np.where(fraction[exponent == 31] == 0, np.inf, np.nan)
    else:
        values[codes % 128 == 127] = np.nan
    return np.where(codes < 128, values, -values)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_it_is_printed_as_by_mindspore(name, text):
    dtype = getattr(ms, name)
    got = eval(text, {"ms": ms, "dtype": dtype, "x": Tensor(VALUES, dtype)})
    assert repr(got) == ANSWERS[name][text]


@pytest.mark.parametrize("name", NAMES)
def test_every_code_is_decoded(name):
    dtype = getattr(ms, name)
    codes = Tensor(np.arange(256).astype(np.uint8)).view(dtype)
    expected = decoded(name)
    for got in (codes.asnumpy(), codes.astype(ms.float32).asnumpy(), codes.tolist()):
        np.testing.assert_array_equal(np.asarray(got).astype(np.float64), expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("source", [ms.float32, ms.float16, ms.bfloat16])
@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["dynamic", "jit"])
def test_a_cast_goes_to_the_nearest(name, source, wrap):
    values = np.random.default_rng(0).normal(size=300) * np.geomspace(1e-3, 50, 300)
    x = Tensor(values.astype(np.float32)).astype(source)
    got = wrap(lambda x: x.astype(getattr(ms, name)))(x)
    exact = x.astype(ms.float32).asnumpy().astype(np.float64)
    codes = decoded(name)[:, None]
    codes = codes[np.isfinite(codes[:, 0])]
    distance = np.abs(codes - exact).min(0)
    np.testing.assert_array_equal(np.abs(got.asnumpy().astype(np.float64) - exact), distance)


@pytest.mark.parametrize("name", NAMES)
def test_checkpoints_keep_it(name, tmp_path):
    dtype = getattr(ms, name)
    theirs = tmp_path / "theirs.ckpt"
    theirs.write_bytes(bytes.fromhex(ANSWERS[name]["checkpoint"]))
    mine = tmp_path / "mine.ckpt"
    x = Tensor(VALUES, dtype)
    ms.save_checkpoint([{"name": "a", "data": x}], str(mine))
    assert mine.read_bytes() == theirs.read_bytes()
    ms.save_checkpoint([{"name": "a", "data": x}], str(tmp_path / "m"), format="safetensors")
    for path, kind in ((theirs, "ckpt"), (tmp_path / "m.safetensors", "safetensors")):
        loaded = ms.load_checkpoint(str(path), format=kind)["a"]
        assert loaded.dtype == dtype
        np.testing.assert_array_equal(loaded.asnumpy(), x.asnumpy())


@pytest.mark.parametrize("name", NAMES)
def test_what_moves_memory_and_casts_takes_it(name):
    dtype = getattr(ms, name)
    x = Tensor([[1.0, 2.0], [3.0, -4.0]], dtype)
    moved = ops.concat([x.T, x.reshape(1, 4)[:, :2], ops.zeros((1, 2), dtype)])
    assert moved.dtype == dtype
    np.testing.assert_array_equal(moved.asnumpy().astype(float), [[1, 3], [2, -4], [1, 2], [0, 0]])
    gradient = grad(lambda x: (x.astype(dtype).astype(ms.float32) ** 2).sum())(Tensor([3.0, 0.5]))
    np.testing.assert_array_equal(gradient.asnumpy(), [6, 1])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", [2, 2.5, Tensor([1.0]), Tensor([1])], ids=str)
def test_it_meets_no_other_dtype(name, other):
    x = Tensor([1.0], getattr(ms, name))
    with pytest.raises(TypeError, match="have no common dtype; convert one of them first"):
        x * other
