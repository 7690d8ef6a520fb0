"""Examples of the reference pages call the object of their entry, and print what they show."""

import doctest
import inspect
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import sporax
from sporax._src.core import random
from sporax._src.mindspore.compat.class_modules import module_of
from sporax._src.transforms import autodiff, batching
from tools import own_examples

pytestmark = pytest.mark.usefixtures("on_numpy")

ROOT = Path(__file__).parents[2]
PAGES = runpy.run_path(str(ROOT / "tools" / "write_pages.py"))["entries"]()
FAMILIES = {
    f"{folder}/{family}": items
    for folder, families in PAGES.items()
    for family, items in families.items()
}
ENTRIES = {name: value for items in FAMILIES.values() for name, value in items.items()}
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def rewritten(page):
    """Return {name: (object, docstring with its own example)} of a page's examples that change."""
    texts = {}
    for name, value in FAMILIES[page].items():
        text = inspect.getdoc(value) or ""
        own = own_examples.rewritten(name, value, text) if callable(value) else text
        if own != text:
            texts[name] = value, own
    return texts


def scope(value):
    names = dict(vars(sys.modules.get(module_of(value)) or doctest))
    for room in (autodiff, batching):
        names |= {k: getattr(room, k) for k in room.__all__}
    return names | own_examples.NAMES | {"np": np, "jit": sporax.jit}


@pytest.mark.slow  # run by `make docs`
@pytest.mark.parametrize("page", FAMILIES)
def test_rewritten_example_prints_what_it_shows(page):
    report = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for name, (value, text) in rewritten(page).items():
        random.set_seed(0)
        np.random.seed(0)
        example = doctest.DocTestParser().get_doctest(text, scope(value), name, None, 0)
        runner.run(example, out=report.append)
    assert not report, "".join(report)


# Entry: the first line of its example.
LINES = {
    "Tensor.allclose": "Tensor([1.0, 2.0]).allclose(Tensor([1.0, 2.1]))",
    "Tensor.add": "Tensor([1.0]).add(Tensor([2.0]), alpha=3).asnumpy()",  # an argument by keyword
    "Tensor.multiply": "Tensor([1.0, 2.0]).multiply(3).asnumpy()",  # an operator
    "mint.bmm": "mint.bmm(ops.ones((5, 2, 3)), ops.ones((5, 3, 4))).shape",
    "mint.stack": "mint.stack((Tensor([1, 2]), Tensor([3, 4])), dim=1).asnumpy()",  # another name
    "numpy.cosh": "ms.numpy.cosh(Tensor([0.0])).asnumpy()",
    "ops.Equal": "ops.Equal()(Tensor([1, 2, 3]), 2).asnumpy()",
    "ops.isclose": "ops.isclose(Tensor([1.0, 2.0]), Tensor([1.0, 2.1])).asnumpy()",  # its own
    "Tensor.ormqr": "reflections = ops.geqrf(Tensor([[3.0], [4.0]]))",  # arguments do not fit
}


@pytest.mark.parametrize("name", LINES)
def test_example_calls_the_object_of_the_entry(name):
    shown = own_examples.rewritten(name, ENTRIES[name], inspect.getdoc(ENTRIES[name]))
    assert doctest.DocTestParser().get_examples(shown)[0].source == f"{LINES[name]}\n"


# Entry, docstring, what is shown.
TEXTS = {
    "nested": (
        "mint.swapaxes",
        ">>> x = ops.zeros((2, 3))\n>>> ops.swapaxes(ops.swapaxes(x, 0, 1), 1, 0).shape\n(2, 3)",
        ">>> x = ops.zeros((2, 3))\n>>> mint.swapaxes(mint.swapaxes(x, 0, 1), 1, 0).shape\n(2, 3)",
    ),
    "lines": (
        "mint.bmm",
        "Text.\n\n>>> y = ops.bmm(ops.ones((5, 2, 3)),  # a remark\n...      ops.ones((5, 3, 4)))",
        "Text.\n\n>>> y = mint.bmm(ops.ones((5, 2, 3)),  # a remark\n...      ops.ones((5, 3, 4)))",
    ),
    "receiver": (
        "Tensor.swapaxes",
        ">>> ops.swapaxes(-ops.ones((2, 3)), 0, 1).shape",
        ">>> (-ops.ones((2, 3))).swapaxes(0, 1).shape",
    ),
    "list": ("Tensor.exp", ">>> ops.exp([1.0])", ">>> ops.exp([1.0])"),
    "own": (
        "mint.bmm",
        ">>> mint.bmm(x, x)\n>>> ops.bmm(x, x)",
        ">>> mint.bmm(x, x)\n>>> ops.bmm(x, x)",
    ),
    "local": ("ops.exp", ">>> exp = print\n>>> exp(1)", ">>> exp = print\n>>> exp(1)"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_rest_of_the_example_stays(case):
    name, text, shown = TEXTS[case]
    assert own_examples.rewritten(name, ENTRIES[name], text) == shown


# Entries whose example still calls another face.
LEFT = {
    # the object needs an argument that is None, or absent, in the other face
    "mint.softmax", "ops.Conv2D", "ops.Conv3D", "ops.Eye", "ops.Fill", "ops.fill",
    # its default dtype is another one
    "ops.Argmax", "ops.TrilIndices", "ops.TriuIndices",
    # it lacks a parameter
    "nn.MatrixDiag",
    # a tuple is unpacked
    "Tensor.orgqr", "Tensor.ormqr", "ops.Orgqr", "ops.Ormqr",
}  # fmt: skip


def test_all_other_examples_call_their_own_object():
    others = {
        name
        for name, value in ENTRIES.items()
        if callable(value) and (text := inspect.getdoc(value))
        if own_examples.shows_another(name, value, own_examples.rewritten(name, value, text))
    }
    assert others == LEFT
