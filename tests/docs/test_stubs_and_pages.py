"""Stubs and pages: written from the live objects, each public name once, each with an example."""

import ast
import collections
import importlib.util
import inspect
import re
import runpy
import tomllib
from enum import Enum
from pathlib import Path

import sporax
from sporax import nn, ops
from sporax._src.core.tensor import Tensor
from sporax._src.mindspore.compat.class_modules import module_of
from sporax.ops.declare import FUNCTIONS, MINT, NUMPY, PRIMITIVES

ROOT = Path(__file__).parents[2]
STUBS = runpy.run_path(str(ROOT / "tools" / "write_stubs.py"))
PAGES = runpy.run_path(str(ROOT / "tools" / "write_pages.py"))
BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["tool"]["hatch"]["build"]
ENTRIES = {
    name: found
    for families in PAGES["entries"]().values()
    for items in families.values()
    for name, found in items.items()
}


TEXTS = STUBS["stubs"]()
OPERATIONS = "sporax/ops/__init__.pyi"


def test_what_the_stubs_import_exists():
    absent = []
    for path, text in TEXTS.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and not node.level:
                module = importlib.import_module(node.module)
                names = {alias.name for alias in node.names} - {"*"}
                absent += [(path, node.module, name) for name in names if not has(module, name)]
    assert absent == []


def has(module, name):
    return hasattr(module, name) or importlib.util.find_spec(f"{module.__name__}.{name}")


def test_every_operation_has_a_stub():
    pattern = r"^(?:def |class )?(\w+)[(:]|^from .* as (\w+)$"
    shown = {a or b for a, b in re.findall(pattern, TEXTS[OPERATIONS], re.MULTILINE)}
    assert {*FUNCTIONS, *PRIMITIVES} & {*ops.__all__} <= shown


def test_builds_pack_the_stubs_which_git_ignores():
    packages = BUILD["targets"]["wheel"]["packages"]
    assert {path.partition("/")[0] for path in TEXTS} == {*packages}
    assert BUILD["artifacts"] == ["*.pyi"] and "custom" in BUILD["hooks"]
    assert "*.pyi" in (ROOT / ".gitignore").read_text("utf8").splitlines()


def test_every_public_name_is_on_one_page():
    listed = collections.Counter(
        name
        for text in PAGES["pages"]().values()
        for name in re.findall(r"^:{3,4}\{py:\w+\} mindspore\.([\w.]+)", text, re.MULTILINE)
    )
    assert [name for name, count in listed.items() if count > 1] == []
    public = {f"mint.{n}" for n in MINT} | {f"ops.{n}" for n in {*FUNCTIONS, *PRIMITIVES}}
    public |= {f"numpy.{n}" for n in NUMPY} | {f"nn.{n}" for n in nn.__all__}
    public |= {f"Tensor.{n}" for n in dir(Tensor)} | {n for n in sporax.__all__}
    public = {n for n in public if not n.rpartition(".")[2].startswith("_")}
    assert public - {*listed} == set()


# Where an example would show nothing that the sentence does not say, or no number that stays.
WITHOUT = """
    Tensor.data_ptr Tensor.flush_from_cache ops.PrimitiveWithCheck ops.PrimitiveWithInfer
    ops.custom_info_register LossMonitor train.LossMonitor ReduceLROnPlateau
    train.ReduceLROnPlateau rearrange_inputs train.rearrange_inputs dataset.BatchInfo
    amp.LossScaler communication.GlobalComm communication.release
    experimental.optim.lr_scheduler.CosineAnnealingWarmRestarts
    experimental.optim.lr_scheduler.CyclicLR experimental.optim.lr_scheduler.MultiplicativeLR
    experimental.optim.lr_scheduler.ReduceLROnPlateau
    experimental.optim.lr_scheduler.SequentialLR
    dataset.vision.CutMixBatch dataset.vision.FiveCrop dataset.vision.ImageTensorOperation
    dataset.vision.MixUpBatch dataset.vision.RandomSelectSubpolicy dataset.vision.TenCrop
    dataset.vision.UniformAugment
"""
# Images of Pillow's, and bytes of files.
WITHOUT += """
    dataset.vision.Decode dataset.vision.Grayscale dataset.vision.RandomCropDecodeResize
    dataset.vision.RandomGrayscale dataset.vision.RandomPerspective dataset.vision.ToNumpy
    dataset.vision.ToPIL
"""
FILES = (
    "sporax.data.mnist_cifar",
    "sporax.data.image_folders",
)  # data sets, which need their files


def docstring(result):
    return inspect.getdoc(getattr(result, "fget", result)) or ""


def test_every_public_name_has_a_docstring():
    bare = [n for n, result in ENTRIES.items() if callable(result) and not docstring(result)]
    assert bare == []


def test_every_public_name_shows_an_example():
    silent = {
        name
        for name, result in ENTRIES.items()
        if callable(result)
        and ">>>" not in docstring(result)
        and not isinstance(result, sporax.Type)
        if not (
            inspect.isclass(result) and (issubclass(result, Enum) or module_of(result) in FILES)
        )
    }
    assert silent == set(WITHOUT.split())
