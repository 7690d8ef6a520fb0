"""`docs/from_pytorch.md` and its folder: both sides of each row run and agree, blocks print what is
shown. Without PyTorch, MindSpore's side runs; `make test-migrate` runs both."""

import contextlib
import functools
import re
import shutil
import tempfile

import numpy as np
import pytest

import sporax
from sporax.migrate.differing_names import FACTS
from tests.migrate.pytorch_page import PAGE, PAGES, ROOT, Block, Row, assert_same, items, outcomes
from tests.migrate.test_with_torch import needs_torch

TEXT = "\n".join(page.read_text("utf8") for page in PAGES)
ITEMS = {page: items(page.read_text("utf8")) for page in PAGES}
PLACES = [(page, i) for page in PAGES for i in range(len(ITEMS[page]))]
ROWS = [(page, i) for page, i in PLACES if isinstance(ITEMS[page][i], Row)]
BLOCKS = [(page, i) for page, i in PLACES if isinstance(ITEMS[page][i], Block)]
START = PAGE.with_suffix("") / "start.pth"


def name(place):
    page, i = place
    item = ITEMS[page][i]
    return str(item) if isinstance(item, Row) else f"{page.stem}-{i}"


@functools.cache
def run(page, side):
    """What a page's items of a side print or give; the working folder has the page's files."""
    sporax.install_as_mindspore()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        shutil.copytree(PAGE.with_suffix(""), folder, dirs_exist_ok=True)
        return outcomes(ITEMS[page], side)


def outcome(place, side):
    page, i = place
    if isinstance(result := run(page, side)[i], Exception):
        raise result
    return result


@pytest.mark.parametrize("place", ROWS, ids=name)
def test_row_runs(place):
    outcome(place, 1)


@needs_torch
@pytest.mark.parametrize("place", ROWS, ids=name)
def test_both_codes_of_a_row_give_the_same(place):
    page, i = place
    assert_same(outcome(place, 1), outcome(place, 0), ITEMS[page][i].common)


@needs_torch
@pytest.mark.parametrize(
    "place", [(page, i) for page, i in BLOCKS if ITEMS[page][i].side == 0], ids=name
)
def test_block_of_pytorch_prints_what_is_shown(place):
    page, i = place
    assert outcome(place, 0) == ITEMS[page][i].shown


@needs_torch
def test_initial_weights_are_those_that_pytorch_draws(tmp_path, monkeypatch):
    import torch

    monkeypatch.chdir(tmp_path)
    outcomes(ITEMS[PAGE][:1], 0)
    drawn, kept = (torch.load(file) for file in ("start.pth", START))
    assert drawn.keys() == kept.keys()
    for name, x in drawn.items():
        np.testing.assert_array_equal(x.numpy(), kept[name].numpy())


@needs_torch
def test_every_function_of_torch_nn_init_has_a_row():
    import torch

    names = [n for n in vars(torch.nn.init) if n.endswith("_") and n[0] != "_"]
    assert [n for n in [*names, "calculate_gain"] if f"init.{n}(" not in TEXT] == []


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.torch)
def test_every_known_difference_is_on_a_page(fact):
    """One of each family: what is said of Conv2d holds for the others, too."""
    for called in fact.sides:
        name = called.name.rpartition(".")[2]
        words = rf"\b{re.sub('[123]d', '2d', name)}\b"
        assert re.search(words, TEXT), called.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_chinese_page_has_the_same_rows(page):
    chinese = ROOT / "docs" / "zh" / page.relative_to(ROOT / "docs")
    found = items(chinese.read_text("utf8"))
    assert [getattr(item, "code", None) for item in found] == [item.code for item in ITEMS[page]]
