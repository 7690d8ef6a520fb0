"""Primitives of private modules, against MindSpore 2.10's recorded results."""

from types import SimpleNamespace

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax._src.core.tree import tensors_of
from sporax._src.mindspore.compat import gradient_primitives, inner_primitives
from tests import records
from tests.ops import result_json
from tests.ops.private_calls import ARRAYS, CALLS
from tests.samples.attention import attention

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.read("private_calls")
AUTO_GENERATE = SimpleNamespace(**vars(gradient_primitives) | vars(inner_primitives))
NAMES = {
    "ms": ms, "np": np, "ops": ops, "P": ops, "G": gradient_primitives, "A": AUTO_GENERATE,
    **dict.fromkeys("IQSLF", inner_primitives),
    "T": lambda values, dtype="i4": Tensor(np.array(values, dtype)),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_what_mindspore_gives(call):
    found = eval(call, NAMES | {n: Tensor(a) for n, a in ARRAYS.items()})
    result_json.assert_recorded(found, RECORDED[call], 1e-4, 1e-5)


SEQUENCES = {  # what MindSpore runs in captured functions only
    "I.ConcatOffsetV1()(T(1), (T([2, 3]), T([2, 5]), T([2, 1])))": [
        np.array(row) for row in ([0, 0], [0, 3], [0, 8])
    ],
    "Q.SequenceUnstack(1)(x)": [ARRAYS["x"][:, i] for i in range(3)],
    "Q.SequenceStack(1)((x, y))": [np.stack([ARRAYS["x"], ARRAYS["y"]], 1)],
    "Q.SequenceAddN()((x, y))": [ARRAYS["x"] + ARRAYS["y"]],
    "Q.SequenceConcat(1)((x, y))": [np.concatenate([ARRAYS["x"], ARRAYS["y"]], 1)],
    "Q.SequenceAdd()((x,), (y,))": [ARRAYS["x"], ARRAYS["y"]],
    "Q.SequenceZerosLike()((x, 2))[0]": [np.zeros_like(ARRAYS["x"])],
    "Q.ListAppend()([x], y)": [ARRAYS["x"], ARRAYS["y"]],
    "Q.ListInsert()([x], 0, y)": [ARRAYS["y"], ARRAYS["x"]],
    "T(Q.SequenceIndex()((3, 4, 3), 3, 1))": [np.array(2)],
}


HEAD = ARRAYS["t"][:, None]
ATTENTION = {  # what it runs on an Ascend only
    "A.IncreFlashAttention(1, 'BSH', 0.5)(t[:, :1], t, t)": [
        attention(HEAD[:, :, :1], HEAD, HEAD, scale=0.5)[:, 0]
    ],
    "A.FusedInferAttentionScore(1, 0.5)(t, t, t, attn_mask=T(np.eye(3), '?'))[0]": [
        attention(HEAD, HEAD, HEAD, np.where(np.eye(3), -np.inf, 0), scale=0.5)[:, 0]
    ],
    "A.StackExt(1)([x, y])": [np.stack([ARRAYS["x"], ARRAYS["y"]], 1)],
    "A.OneHotExt(0)(T([2, 0]), 3, T(5), T(1))": [np.array([[1, 5], [1, 1], [5, 1]])],
}
GRADIENTS = {  # what it computes only in GRAPH_MODE, or not for these arguments
    "A.SoftmaxBackward()(T([[1, 2]], 'f4'), T([[0.25, 0.75]], 'f4'))": [
        np.array([[-0.1875, 0.1875]])
    ],
    "G.PadV3Grad('circular')(T([[[1, 2, 3, 4], [5, 6, 7, 8]]], 'f4'), T([1, 1]))": [
        np.array([[[2 + 4, 3 + 1], [6 + 8, 7 + 5]]])
    ],
    "G.PadV3Grad('edge', False)(T([[[1, 2, 3, 4], [5, 6, 7, 8]]], 'f4'), T([1, 2]))": [
        np.array([[[1 + 2 + 3 + 4], [5 + 6 + 7 + 8]]])
    ],
    "G.FractionalAvgPoolGrad()((1, 3, 2, 1), T([[[[2], [4]], [[6], [8]]]], 'f4'), "
    "T([0, 2, 3]), T([0, 1, 2]))": [np.array([[[[1], [2]], [[1], [2]], [[6], [8]]]])],
    "G.FractionalAvgPoolGrad(True)((1, 3, 1, 1), T([[[[4]], [[6]]]], 'f4'), T([0, 1, 3]), "
    "T([0, 1]))": [np.array([[[[2]], [[2 + 3]], [[3]]]])],
    "A.SparseAddmm()(T([[0, 1]]), T([5], 'f4'), (2, 2), T([[1], [2]], 'f4'), T([[3], [4]], 'f4'), "
    "T([2], 'f4'), T([1], 'f4'))": [np.array([[2 * 5 * 2 + 3], [4]])],
}
BY_FORMULA = SEQUENCES | ATTENTION | GRADIENTS


@pytest.mark.parametrize("call", BY_FORMULA)
def test_a_call_gives_what_the_formula_gives(call):
    found = tensors_of(eval(call, NAMES | {n: Tensor(a) for n, a in ARRAYS.items()}))
    for out, expected in zip(found, BY_FORMULA[call], strict=True):
        np.testing.assert_allclose(out.asnumpy(), expected, 1e-5)


def test_every_class_has_a_row():
    called = {call.removeprefix("T(").partition("(")[0][2:] for call in (*CALLS, *BY_FORMULA)}
    assert {*gradient_primitives.__all__, *inner_primitives.__all__} - called == set()
