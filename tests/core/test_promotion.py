"""The dtype of a binary operator's result, for all pairs of dtypes and kinds of Python number.

MindSpore's where it computes; where it refuses, or has no kernel on a CPU, PyTorch's; where that
refuses too, the dtype in which a sum meets, or a refusal. The results come from
`tools.record binary_dtypes`.
"""

import operator

import numpy as np
import pytest

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from tests import records

pytestmark = pytest.mark.usefixtures("on_numpy")

MINDSPORE = records.read("binary_dtypes")
PYTORCH = records.read("binary_dtypes_torch")

DTYPES = [*MINDSPORE["add"]]
NUMBERS = {
    "Python bool": True, "Python int": 2, "Python float": 2.5, "Python complex": 1 + 2j,
}  # fmt: skip
ORDERED = {"lt", "maximum", "mod", "floordiv"}  # what complex numbers do not have
COMPARED = {"eq", "lt"}


def operand(name, numbers=(1, 1)):
    return NUMBERS[name] if name in NUMBERS else Tensor(list(numbers), dtypes.NAMES[name])


def function_of(name):
    return ops.maximum if name == "maximum" else getattr(operator, name)


def result(name, left, right):
    try:
        return str(function_of(name)(operand(left), operand(right)).dtype)
    except TypeError:
        return "refused"


def recorded(name, left, right):
    """MindSpore's result, else PyTorch's; None where both refuse."""
    results = MINDSPORE[name][left].get(right, PYTORCH[name][left].get(right))
    return "Complex64" if results == "Complex32" else results


def expected(name, left, right):
    if name in ORDERED and ("complex" in left or "complex" in right):
        return "refused"  # MindSpore's `//` of complex numbers rounds the real part
    results, met = recorded(name, left, right), recorded("add", left, right)
    if results is not None:
        return results
    if met is None and left.startswith("uint") and right in ("Python bool", "Python int"):
        met = f"UInt{left[4:]}"
    if met is None:
        return "refused"
    if name in COMPARED:
        return "Bool"
    return "Float32" if name == "truediv" and met.startswith(("Bool", "Int", "UInt")) else met


@pytest.mark.parametrize("name", MINDSPORE)
def test_dtypes_of_binary_operators(name):
    results = {(a, b): result(name, a, b) for a in DTYPES for b in (*DTYPES, *NUMBERS)}
    wrong = [
        f"{left}, {right}: {dtype}, not {expected(name, left, right)}"
        for (left, right), dtype in results.items()
        if dtype != expected(name, left, right)
    ]
    assert not wrong, "\n".join(wrong)


def test_refusals_name_what_does_not_meet():
    with pytest.raises(TypeError, match="UInt16 and Int32 have no common dtype"):
        operand("uint16") + operand("int32")
    for compare in (operator.lt, operator.ge, ops.maximum, ops.minimum):
        with pytest.raises(TypeError, match="Complex numbers have no order"):
            compare(operand("complex64"), operand("float32"))


@pytest.mark.executors
@pytest.mark.parametrize("left, right", [
    ("bfloat16", "bfloat16"), ("bfloat16", "int8"), ("uint16", "float32"), ("float16", "uint64"),
    ("uint8", "int16"),
])  # fmt: skip
def test_values_where_mindspore_has_no_kernel(left, right):
    a, b = operand(left, (7, 13)), operand(right, (2, 5))
    for name in ("add", "mul", "floordiv", "mod", "truediv"):
        out = function_of(name)(a, b).astype(dtypes.NAMES["float64"]).asnumpy()
        reference = function_of(name)(np.array([7.0, 13.0]), np.array([2.0, 5.0]))
        np.testing.assert_allclose(out, reference, 2.0**-8, err_msg=name)


def test_bool_stays_bool():
    a, b = Tensor([False, False, True, True]), Tensor([False, True, False, True])
    assert (a**b).asnumpy().tolist() == [True, False, True, True]
    assert (a % b).asnumpy().tolist() == [False] * 4


OUTSIDE = [-1, -129, 128, 255, 256, 257, 2**31, 2**32 + 1, 2**40, -(2**40)]
INTEGERS = {
    "uint8": [0, 1, 200],
    "int8": [-128, 1, 127],
    "int32": [-(2**31), 1, 5],
    "int64": [0, 1],
}


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge", "truediv"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_a_python_integer_counts_by_its_value(dtype, name):
    function, numbers = getattr(operator, name), INTEGERS[dtype]
    x = Tensor(numbers, dtypes.NAMES[dtype])
    for n in OUTSIDE:
        np.testing.assert_allclose(
            function(x, n).asnumpy(), [function(k, n) for k in numbers], rtol=1e-6, err_msg=str(n)
        )
        if name != "truediv" or 0 not in numbers:
            np.testing.assert_allclose(
                function(n, x).asnumpy(), [function(n, k) for k in numbers], rtol=1e-6
            )


@pytest.mark.parametrize("exponent", [-3, -2, -1, 0, 3, 9, 64, 255, 257, 2**40 + 1])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_powers_of_integers_wrap_around(dtype, exponent):
    numbers = INTEGERS[dtype]
    bits, signed = dtypes.NAMES[dtype].numpy_dtype.itemsize * 8, not dtype.startswith("u")
    reference = []
    for k in numbers:
        power = pow(k, exponent, 2**bits) if exponent >= 0 else int(k == 1)
        reference.append(power - 2**bits if signed and power >= 2 ** (bits - 1) else power)
    results = Tensor(numbers, dtypes.NAMES[dtype]) ** exponent
    assert results.asnumpy().tolist() == reference


def test_python_bools_stay_bools():
    x = Tensor([True, False])
    x += True
    assert [a.asnumpy().dtype for a in (x, ops.full((2,), True), x & True)] == [bool] * 3
