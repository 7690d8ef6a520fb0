"""Every name, path and keyword that public scripts use is there, or refused with its reason.

What is counted, and how: `tests/compat/surface.py`. `docs/coverage.md` is the same as a page.
"""

import runpy
from pathlib import Path

import pytest

from sporax import nn, ops
from sporax._src.mindspore.compat.refused_names import REFUSED, Refused
from tests.compat import surface
from tests.compat.parameter_names import ANYTHING, parameters_of

ROOT = Path(__file__).parents[2]
MEASURED = ROOT.parent / "shared"  # where the counts come from, if it is beside the repository
OFTEN = 3

# what is not there yet, each used fewer than three times
NOT_YET_SUPPORTED = """
    ops.Adam
    ops.function.nn_func.multi_head_attention_forward
    ops.operations.nn_ops.FlashAttentionScore"""
NOT_YET_SUPPORTED = frozenset(f"mindspore.{name}" for name in NOT_YET_SUPPORTED.split())


def not_yet_supported(symbol):
    return symbol in NOT_YET_SUPPORTED


OFTEN_USED = [
    symbol
    for symbol, group, _, count in surface.uses()
    if group in surface.GROUPS and count >= OFTEN and not not_yet_supported(symbol)
]


def test_every_name_in_use_is_there_or_refused():
    missing = [symbol for symbol in OFTEN_USED if surface.follow(symbol) is None]
    assert missing == []


# what is offered though MindSpore 2.10 has it no more, or elsewhere: scripts for older ones use it
OLDER = {
    "Eigh", "ResizeBilinear", "SiLU", "Uniform", "_get_cache_prim", "empty", "scatter_sub",
}  # fmt: skip


def test_ops_offers_only_mindspores_names():
    expected = set((surface.RECORDED / "ops_names.txt").read_text("utf8").split())
    assert set(ops.__all__) - expected == OLDER


def test_nothing_is_refused_that_is_there():
    there = [p for p in REFUSED if not isinstance(surface.follow(p), Refused | None)]
    assert there == []


def test_the_page_is_what_the_tool_writes():
    page = runpy.run_path(str(ROOT / "tools" / "write_coverage.py"))["page"]()
    assert (ROOT / "docs" / "coverage.md").read_text("utf8") == page, "run tools/write_coverage.py"


@pytest.mark.skipif(not MEASURED.exists(), reason="the measurements are not beside the repository")
def test_the_counts_are_those_that_were_measured(tmp_path, monkeypatch):
    usage = runpy.run_path(str(ROOT / "tools" / "write_coverage.py"))["usage"]
    names = ("uses.csv", "keywords.csv", "import_paths.csv", "public_names.csv")
    present = [(surface.RECORDED / name).read_text("utf8") for name in names]
    monkeypatch.setattr(surface, "RECORDED", tmp_path)
    usage(MEASURED)
    assert [(tmp_path / name).read_text("utf8") for name in names] == present


# paths ---------------------------------------------------------------------------------------

# what belongs to other parts of MindSpore that sporax has not begun with
ELSEWHERE = (
    "mindspore.boost", "mindspore.dataset", "mindspore.experimental", "mindspore.mindrecord",
    "mindspore.profiler",
)  # fmt: skip
PATHS = [
    row["path"]
    for row in surface.rows("import_paths.csv")
    if int(row["uses"]) >= OFTEN or (int(row["uses"]) and int(row["files"]) >= 2)
]


def test_every_path_in_use_leads_to_something():
    lost = [
        path for path in PATHS if not path.startswith(ELSEWHERE) and surface.follow(path) is None
    ]
    canonical = {row["path"]: row["canonical"] for row in surface.rows("import_paths.csv")}
    assert [path for path in lost if not not_yet_supported(canonical[path])] == []


def test_every_keyword_in_use_is_taken():
    assert surface.keywords_missing() == []


# parameters ----------------------------------------------------------------------------------

SIGNATURES = surface.mindspores_parameters()

# where the parameters are not those that MindSpore's `inspect.signature` shows, and why
DIFFERENT = {
    "mindspore.Tensor.item": "an index is documented",
    "mindspore.common.initializer._assignment": "private; called by position",
    "mindspore.dataset.Dataset": "an abstract class here as there; nobody makes one",
    "mindspore.dataset.engine.datasets.Dataset": "as Dataset",
    "mindspore.dataset.Dataset.batch": "what MindSpore takes as **kwargs is written out",
    "mindspore.dataset.Dataset.map": "what MindSpore takes as **kwargs is written out",
    "mindspore.train.Model.train": "has memory besides, see memory_limit",
    "mindspore.dataset.transforms.TypeCast": "the documented name is output_type",
    "mindspore.Tensor.expand": "one function with broadcast_to",
    "mindspore.dataset.config.set_prefetch_size": "one function for all settings",
    "mindspore.dataset.config.set_seed": "one function for all settings",
    "mindspore.nn.AdaptiveAvgPool2d()": "x, as the other poolings",
    "mindspore.mint.nn.Linear()": "input, as the other layers of mint.nn",
    "mindspore.nn.FastGelu": "Cell's own: auto_prefix and flags",
    "mindspore.nn.Triu": "Cell's own: auto_prefix and flags",
    "mindspore.grad": "per_sample is sporax's own, sens_param is not in use",
    "mindspore.value_and_grad": "as grad",
    "mindspore.nn.LossBase()": "abstract: a subclass has its own",
    "mindspore.nn.Optimizer()": "abstract: a subclass has its own",
    "mindspore.ops.Unstack": "num follows from the shape",
    "mindspore.ops.Primitive()": "abstract: a subclass has its own",
}


def _comparable(symbol, names):
    """`self` has another name where a function is a method; what `**` is called, nobody sees."""
    drop = ".Tensor." in symbol and names
    return ["**" if name.startswith("**") else name for name in names[1 if drop else 0 :]]


@pytest.mark.parametrize("key", [k for k, names in SIGNATURES.items() if names != ["*args"]])
def test_parameters_are_named_as_in_mindspore(key):
    symbol, call, _ = key.partition("()")
    result = surface.follow(symbol)
    if (
        result is None
        or isinstance(result, Refused)
        or not_yet_supported(symbol)
        or key in DIFFERENT
    ):
        return
    actual = parameters_of(result, {ops.Primitive: "__call__", nn.Cell: "construct"})[call]
    if actual != ANYTHING:
        assert _comparable(symbol, actual) == _comparable(symbol, SIGNATURES[key])
