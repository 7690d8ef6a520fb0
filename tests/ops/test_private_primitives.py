"""Primitives of private modules, against MindSpore 2.10's recorded results."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax.compat import gradient_primitives, inner_primitives
from sporax.core.tree import tensors_of
from tests.ops import result_json
from tests.ops.private_calls import ARRAYS, CALLS
from tests.ops.test_parity import tensors_in

pytestmark = pytest.mark.usefixtures("on_numpy")

PATH = Path(__file__).parents[1] / "recorded" / "private_calls.json"
RECORDED = json.loads(PATH.read_text("utf8"))
AUTO_GENERATE = SimpleNamespace(**vars(gradient_primitives) | vars(inner_primitives))
NAMES = {
    "ms": ms, "ops": ops, "P": ops, "G": gradient_primitives, "A": AUTO_GENERATE,
    **dict.fromkeys("IQSLF", inner_primitives),
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


SEQUENCES = {  # what MindSpore runs in captured functions only
    "Q.SequenceUnstack(1)(x)": [ARRAYS["x"][:, i] for i in range(3)],
    "Q.SequenceStack(1)((x, y))": [np.stack([ARRAYS["x"], ARRAYS["y"]], 1)],
    "Q.SequenceAddN()((x, y))": [ARRAYS["x"] + ARRAYS["y"]],
}


@pytest.mark.parametrize("call", SEQUENCES)
def test_tuples_of_tensors(call):
    found = tensors_of(eval(call, NAMES | {n: Tensor(a) for n, a in ARRAYS.items()}))
    for out, expected in zip(found, SEQUENCES[call], strict=True):
        np.testing.assert_array_equal(out.asnumpy(), expected)


def test_every_class_has_a_row():
    called = {call.removeprefix("T(").partition("(")[0][2:] for call in (*CALLS, *SEQUENCES)}
    assert {*gradient_primitives.__all__, *inner_primitives.__all__} - called == set()
