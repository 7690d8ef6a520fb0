"""Primitives of derivatives, against MindSpore 2.10's recorded results."""

import json
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax.ops import gradient_primitives
from tests.ops import result_json
from tests.ops.gradient_calls import ARRAYS, CALLS
from tests.ops.test_parity import tensors_in

pytestmark = pytest.mark.usefixtures("on_numpy")

PATH = Path(__file__).parents[1] / "recorded" / "gradient_calls.json"
RECORDED = json.loads(PATH.read_text("utf8"))
NAMES = {
    "ms": ms, "ops": ops, "P": ops, "G": gradient_primitives, "A": gradient_primitives,
    "T": lambda values, dtype="i4": Tensor(np.array(values, dtype)),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_what_mindspore_gives(call):
    found = result_json.described(eval(call, NAMES | {n: Tensor(a) for n, a in ARRAYS.items()}))
    found, expected = tensors_in(found), tensors_in(RECORDED[call])
    assert len(found) == len(expected)
    for (dtype, shape, numbers), wanted in zip(found, expected, strict=True):
        assert [dtype, shape] == wanted[:2]
        np.testing.assert_allclose(numbers, wanted[2], 1e-4, 1e-5)


def test_every_class_has_a_row():
    called = {call.partition("(")[0][2:] for call in CALLS}
    assert set(gradient_primitives.__all__) - called == set()
