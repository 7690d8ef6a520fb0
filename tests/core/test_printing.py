"""Printing, character by character as MindSpore's."""

import numpy as np
import pytest

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax.nn.parameter_tuple import ParameterTuple
from tests import records

ROWS = records.read("printing")
NAMES = {
    **dtypes.NAMES, "np": np, "dtype": dtypes, "Tensor": Tensor, "Parameter": Parameter,
    "ParameterTuple": ParameterTuple,
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_it_prints_as_mindspore(row):
    source, text, representation = row
    value = eval(source, dict(NAMES))
    assert (str(value), repr(value)) == (text, representation)


# MindSpore's Tensor knows no format but the empty one; here it is that of its number.
FORMATS = [
    ("{:.3f}", Tensor(1.23456), "1.235"),
    ("{:d}", Tensor(3), "3"),
    ("{:>6}", Tensor([2.5]), "   2.5"),
    ("{:.2e}", Tensor(1250.0, dtypes.bfloat16), "1.25e+03"),
    ("{!r:.6}", Tensor(1.0), "Tensor"),
    ("{}", Tensor([1.0, 2.0]), "[1. 2.]"),
]


@pytest.mark.parametrize(("form", "tensor", "text"), FORMATS)
def test_formats(form, tensor, text):
    assert form.format(tensor) == text


def test_a_format_for_many_numbers_is_refused():
    with pytest.raises(ValueError, match=r"one element.*\(2,\)"):
        f"{Tensor([1.0, 2.0]):.3f}"


def test_numpys_print_options_hold_for_str():
    with np.printoptions(precision=3):
        assert str(Tensor([1.23456789])) == "[1.235]"
