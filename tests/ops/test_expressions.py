"""Sparse Tensors and functions of Python's values give and print what MindSpore 2.10 does, also in
captured functions."""

import re

import numpy as np
import pytest

import sporax as ms
from tests import records
from tests.ops import expression_cases as cases

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.read("expressions")
# what MindSpore refuses, has no kernel for, or computes wrongly: docs/differences.md
DIFFERENT = {
    "empty.to_dense()", "ops.csr_add(s,u,ms.Tensor(1.0),ms.Tensor(2.0))",
    "F.einsum_ext('ij->i',m)",
}  # fmt: skip
_NUMBER = re.compile(r"[-+]?\d+\.\d*(?:e[-+]\d+)?")


def same(shown, recorded):
    """Whether two texts are the same but for the last digits of their floating numbers."""
    shown, recorded = [text.replace("-nan", "nan") for text in (shown, recorded)]
    numbers = [np.array(_NUMBER.findall(text), float) for text in (shown, recorded)]
    texts = [" ".join(_NUMBER.sub("x", text).split()) for text in (shown, recorded)]
    return texts[0] == texts[1] and np.allclose(*numbers, rtol=2e-6, atol=1e-12)


def test_expressions_print_what_mindspore_prints():
    names, wrong = cases.scope(ms), {}
    for expression, recorded in RECORDED.items():
        answer = cases.answer(expression, names)
        if not same(answer, recorded) and expression not in DIFFERENT:
            wrong[expression] = answer, recorded
    assert wrong == {}
    assert set(RECORDED) == set(cases.EXPRESSIONS)


CAPTURED = [e for e in cases.EXPRESSIONS if not e.startswith("F.DtypeToEnum")][::5]


@pytest.mark.filterwarnings("ignore:.*runs dynamically")
def test_expressions_are_the_same_in_captured_functions():
    names, wrong = cases.scope(ms), {}
    for expression in CAPTURED:
        expected = cases.answer(expression, names)
        if expected.startswith("!") or "RegOp" in expression or "to_c" in expression:
            continue
        function = ms.jit(eval(f"lambda: {expression}", dict(names)))
        answer = cases.answer("function()", {"function": function})
        if not same(answer, expected):
            wrong[expression] = answer, expected
    assert wrong == {}
