"""Layers and operations take MindSpore's parameters, by its names, in its order."""

import inspect

import pytest

from sporax import mint, nn, ops, optim
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from tests import records

RECORDED = records.read("signatures")
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


OVERLOADS = records.read("overloads")
# what may be written as several arguments has no keyword; one index out of range is another matter
ONE_BY_ONE = {"Tensor.flip dims", "Tensor.permute dims", "Tensor.take index", "Tensor.view shape",
              "Tensor.view dtype"}  # fmt: skip


def _takes(function, names):
    parameters = inspect.signature(function).parameters.values()
    kinds = {p.kind for p in parameters}
    named = {p.name for p in parameters if p.kind is not p.VAR_POSITIONAL}
    return inspect.Parameter.VAR_KEYWORD in kinds or names <= named


def test_methods_take_the_keywords_of_each_way_that_mindspore_has_to_call_them():
    refused = set()
    for path, ways in OVERLOADS.items():
        method = getattr(Tensor, path.partition(".")[2], None)
        for way in ways if method is not None else ():
            own = getattr(method, "overloads", [method])
            if not any(_takes(function, set(way.split())) for function in own):
                refused.add(f"{path} {way}")
    assert len(OVERLOADS) > 80
    assert refused <= ONE_BY_ONE, refused - ONE_BY_ONE


X = Tensor([[1.0, 3.0, 2.0], [4.0, 5.0, 9.0]])
TURNED = [  # a call by other keywords, and the call that it is
    ("X.median(dim=1)", "X.median(1)"), ("X.median(dim=1, keepdim=True)", "X.median(1, True)"),
    ("X.remainder(divisor=2)", "X % 2"), ("X.expand_as(x=X)", "X"),
    ("X[:1].expand(size=(2, 3))", "X[:1].expand_as(X)"), ("X.matmul(other=X.T)", "X @ X.T"),
    ("X.narrow(axis=1, start=1, length=2)", "X[:, 1:]"), ("X.unsqueeze(axis=0)", "X[None]"),
    ("X.index_select(dim=1, index=Tensor([2, 0]))", "X[:, ::-2]"), ("X.sub(y=1)", "X - 1"),
    ("X.where(condition=X > 2, other=X)", "X"), ("X.logical_and(y=X - 1)", "X > 1"),
    ("X.tile(reps=(2, 1))", "X.tile((2, 1))"), ("X.tile(dims=(2, 1))", "X.tile(2, 1)"),
    ("X.isclose(x2=X)", "X > 0"), ("X.to(X > 1)", "X > 0"), ("X.to(other=X > 1)", "X > 0"),
    ("X.trace(offset=1)", "X[0, 1] + X[1, 2]"), ("X.trace(axis1=1, axis2=0)", "X[0, 0] + X[1, 1]"),
    ("X.scatter_add(indices=Tensor([[0]]), updates=X[:1])", "X * Tensor([[2.0], [1.0]])"),
    ("X.copy().scatter_(dim=0, index=Tensor([[1]]), value=X[:1])",
     "X.scatter(0, Tensor([[1]]), X[:1])"),
    ("mint.linalg.inv(input=X[:, :2])", "mint.linalg.inv(A=X[:, :2])"),
    ("ops.vstack(inputs=(X, X))", "X.tile((2, 1))"),
]  # fmt: skip


@pytest.mark.parametrize("call, same", TURNED)
def test_a_call_by_other_keywords_is_the_same(call, same):
    names = {"X": X, "Tensor": Tensor, "ops": ops, "mint": mint}
    result, expected = eval(call, names), eval(same, names)
    for one, other in zip(tensors_of(result), tensors_of(expected), strict=True):
        assert one.asnumpy().tolist() == other.asnumpy().tolist()


@pytest.mark.parametrize("path", list(present()))
def test_parameters_are_mindspores(path):
    result = inspect.signature(ours(path)).parameters.values()
    shown = [str(p.replace(annotation=p.empty, default=p.empty)) for p in result]
    assert shown == [p.partition("=")[0] for p in RECORDED[path].split(", ") if _is_name(p)]


def _is_name(part):
    """Whether it is not the continuation of a default like `(0.0, 0.0)`."""
    return part.strip("*").partition("=")[0].isidentifier()
