"""Stubs and pages: written from the live objects, each public name once, each with an example."""

import ast
import collections
import inspect
import re
import runpy
from enum import Enum
from pathlib import Path

import sporax
from sporax import nn
from sporax._src.core.tensor import Tensor
from sporax._src.mindspore.compat.class_modules import module_of
from sporax.ops.declare import FUNCTIONS, MINT, NUMPY, PRIMITIVES

ROOT = Path(__file__).parents[2]
STUBS = runpy.run_path(str(ROOT / "tools" / "write_stubs.py"))
PAGES = runpy.run_path(str(ROOT / "tools" / "write_pages.py"))
ENTRIES = {
    name: found
    for families in PAGES["entries"]().values()
    for items in families.values()
    for name, found in items.items()
}


def test_the_stubs_are_what_the_tool_writes():
    texts = STUBS["stubs"]()
    there = {str(path.relative_to(ROOT)): path.read_text("utf8") for path in STUBS["written"]()}
    assert there == texts, "run tools/write_stubs.py"
    for text in texts.values():
        ast.parse(text)


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
