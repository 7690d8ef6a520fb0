"""`docs/from_pytorch.md`: both sides of each row run and agree, blocks print what is shown. Without
PyTorch, MindSpore's side runs; `make test-migrate` runs both."""

import contextlib
import functools
import re
import shutil
import tempfile

import numpy as np
import pytest

import sporax
from sporax.migrate.differing_names import FACTS
from tests.migrate.pytorch_page import PAGE, ROOT, Block, Row, assert_same, items, outcomes
from tests.migrate.test_with_torch import needs_torch

ITEMS = items(PAGE.read_text("utf8"))
ROWS = [i for i, item in enumerate(ITEMS) if isinstance(item, Row)]
BLOCKS = [i for i, item in enumerate(ITEMS) if isinstance(item, Block)]
START = PAGE.with_suffix("") / "start.pth"


@functools.cache
def run(side):
    """What the items of a side print or give; the working folder has the page's files."""
    sporax.install_as_mindspore()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        shutil.copytree(PAGE.with_suffix(""), folder, dirs_exist_ok=True)
        return outcomes(ITEMS, side)


def outcome(i, side):
    if isinstance(result := run(side)[i], Exception):
        raise result
    return result


@pytest.mark.parametrize("i", ROWS, ids=lambda i: str(ITEMS[i]))
def test_row_runs(i):
    outcome(i, 1)


@needs_torch
@pytest.mark.parametrize("i", ROWS, ids=lambda i: str(ITEMS[i]))
def test_both_codes_of_a_row_give_the_same(i):
    assert_same(outcome(i, 1), outcome(i, 0), ITEMS[i].common)


@needs_torch
@pytest.mark.parametrize("i", [i for i in BLOCKS if ITEMS[i].side == 0])
def test_block_of_pytorch_prints_what_is_shown(i):
    assert outcome(i, 0) == ITEMS[i].shown


@needs_torch
def test_initial_weights_are_those_that_pytorch_draws(tmp_path, monkeypatch):
    import torch

    monkeypatch.chdir(tmp_path)
    outcomes(ITEMS[:1], 0)
    drawn, kept = (torch.load(file) for file in ("start.pth", START))
    assert drawn.keys() == kept.keys()
    for name, x in drawn.items():
        np.testing.assert_array_equal(x.numpy(), kept[name].numpy())


@needs_torch
def test_every_function_of_torch_nn_init_has_a_row():
    import torch

    text = PAGE.read_text("utf8")
    names = [n for n in vars(torch.nn.init) if n.endswith("_") and n[0] != "_"]
    assert [n for n in [*names, "calculate_gain"] if f"init.{n}(" not in text] == []


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.torch)
def test_every_known_difference_is_on_the_page(fact):
    """One of each family: what is said of Conv2d holds for the others, too."""
    for called in fact.sides:
        name = called.name.rpartition(".")[2]
        words = rf"\b{re.sub('[123]d', '2d', name)}\b"
        assert re.search(words, PAGE.read_text("utf8")), called.name


def test_chinese_page_has_the_same_rows():
    chinese = items((ROOT / "docs" / "zh" / PAGE.name).read_text("utf8"))
    assert [getattr(item, "code", None) for item in chinese] == [item.code for item in ITEMS]
