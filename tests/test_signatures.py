"""Layers and operations take MindSpore's parameters, by its names, in its order."""

import inspect
import json
from pathlib import Path

import pytest

from sporax import nn, ops, optim

RECORDED = json.loads((Path(__file__).parent / "recorded/signatures.json").read_text("utf8"))
HOMES = {"nn": nn, "ops": ops}

# Ours takes more, or what has no meaning here.
KNOWN = {
    "nn.LossBase.construct", "nn.Optimizer.construct", "nn.FixedLossScaleUpdateCell.construct",
    "ops.DynamicShape", "ops.grad", "ops.value_and_grad", "ops.vstack", "ops.bernoulli",
    *[f"ops.scatter_{name}" for name in ("add", "div", "max", "min", "mul", "update")],
}  # fmt: skip


def ours(path):
    """The function of that path; None where there is none."""
    module, *names = path.split(".")
    home = HOMES[module]
    for name in names:
        home = getattr(home, name, None)
    return home


def present():
    """Paths that sporax has, where MindSpore's signature says more than `*args`."""
    listed = {"nn": {*nn.__all__, *optim.__all__}, "ops": {*ops.__all__}}
    for path, written in RECORDED.items():
        module, name = path.split(".")[:2]
        if name in listed[module] and path not in KNOWN and not written.startswith("*args"):
            yield path


@pytest.mark.parametrize("path", list(present()))
def test_parameters_are_mindspores(path):
    found = inspect.signature(ours(path)).parameters.values()
    shown = [str(p.replace(annotation=p.empty, default=p.empty)) for p in found]
    assert shown == [p.partition("=")[0] for p in RECORDED[path].split(", ") if _is_name(p)]


def _is_name(part):
    """Whether it is not the continuation of a default like `(0.0, 0.0)`."""
    return part.strip("*").partition("=")[0].isidentifier()
