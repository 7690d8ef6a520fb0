"""`sporax lint`: what it says of scripts, and what it leaves alone."""

import inspect
import json

import pytest

import sporax
from sporax._src.workbench.cli.check import follow
from sporax._src.workbench.cli.command import main
from sporax.migrate.differing_names import FACTS

MS = "import mindspore as ms, torch\nfrom mindspore import nn, ops, mint\n"
TORCH = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"

# a program, and what is said of it: (line, kind, part of what is printed), in order
ROWS = {
    "pad_mode and bias left out": (MS + "nn.Conv2d(3, 8, 3)\n", [
        (3, "differs", "mindspore.nn.Conv2d(pad_mode='same'), torch.nn.Conv2d(padding=0)"),
        (3, "differs", "mindspore.nn.Conv2d(has_bias=False)")]),
    "given by position and by name": (
        MS + "nn.Conv2d(3, 8, 3, 1, 'pad', has_bias=True)\nnn.GELU(approximate=False)\n", []),
    "given by a dict": (MS + "nn.Conv2d(3, 8, 3, **settings)\nnn.LeakyReLU(*a)\n", []),
    "keep_prob": (MS + "nn.Dropout(0.2)\nnn.Dropout(p=0.2)\n",
                  [(3, "differs", "probability to keep an element")]),
    "momentum, where it is given": (
        MS + "nn.BatchNorm2d(8)\nnn.BatchNorm2d(8, momentum=0.1)\n",
        [(4, "differs", "share of the old statistics")]),
    "a meaning": (MS + "ops.gather(x, i, 0)\n", [(3, "differs", "torch.index_select")]),
    "mint is as PyTorch": (MS + "mint.nn.Conv2d(3, 8, 3)\nmint.nn.GELU()\n", []),
    "missing": (MS + "nn.Nowhere()\n", [
        (3, "missing", "no 'mindspore.nn.Nowhere': MindSpore 2.10 has no such name")]),
    "a keyword": (MS + "nn.ReLU(inplace=True)\n", [(3, "missing", "takes no 'inplace'")]),
    "a graph": (
        MS + "class Net(nn.Cell):\n  def construct(self, x):\n    print(x)\n"
        "    return x.asnumpy()\n", [(6, "graph", "'.asnumpy()' reads a Tensor on the host")]),
    "under jit": (MS + "@ms.jit\ndef f(x):\n    seen.append(x)\n    return x\n",
                  [(5, "graph", "'seen.append' changes what is outside")]),
    "outside of graphs": (MS + "def f(x):\n    return x.asnumpy()\n", []),
    "PyTorch's": (TORCH + "nn.Conv2d(3, 8, 3, 1, 1, bias=False)\nnn.Linear(3, 4)\nnn.GELU()\n", [
        (6, "differs", "torch.nn.GELU(approximate='none'), mindspore.nn.GELU(approximate=True)")]),
    "PyTorch's without a counterpart": (
        TORCH + "nn.Nowhere()\nF.relu(x)\nF.nowhere(x)\nclass A(nn.Module): pass\n"
        "torch.optim.RMSprop(p, 0.1, 0.9, 1e-8)\ntorch.optim.LBFGS(p)\nnn.Parameter(x)\n", [
            (4, "missing", "torch.nn.Nowhere has no counterpart of its name in mindspore.nn"),
            (6, "missing", "torch.nn.functional.nowhere has no counterpart"),
            (7, "missing", "torch.nn.Module is mindspore.nn.Cell"),
            (8, "missing", "torch.optim.RMSprop is mindspore.nn.RMSProp"),
            (9, "missing", "torch.optim.LBFGS has no counterpart")]),
    "PyTorch's methods": (
        TORCH + "net = make().cuda()\noptimizer.zero_grad()\nloss.backward()\noptimizer.step()\n"
        "make_optimizer(net.parameters())\nx.to('cuda').detach()\nx.to('cpu').float()\nnet.eval()\n"
        "class Net(nn.Module):\n  def __init__(self):\n    self.parts = nn.ModuleList([])\n"
        "  def forward(self, x): pass\n", [
            (4, "missing", "'.cuda()' is PyTorch's. Leave it out"),
            (5, "missing", "'.zero_grad()' is PyTorch's. Leave it out"),
            (6, "missing", "'mindspore.value_and_grad'"), (7, "missing", "'optimizer(grads)'"),
            (8, "missing", "'net.trainable_params()'"), (9, "missing", "'ops.stop_gradient(x)'"),
            (9, "missing", "'.to()' is PyTorch's"), (11, "missing", "'net.set_train(False)'"),
            (12, "missing", "torch.nn.Module is mindspore.nn.Cell"),
            (14, "missing", "torch.nn.ModuleList is mindspore.nn.CellList"),
            (15, "missing", "'construct' of a Cell")]),
    "MindSpore's alone, and methods of others": (
        "import mindspore as ms\nfrom mindspore import nn\nnn.Conv2d(3, 8, 3)\nx.step()\n", []),
    "neither": ("import numpy as np\nnp.nowhere\nclass A:\n  def construct(self): yield 1\n", []),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_what_is_said(row, tmp_path, capsys):
    source, expected = ROWS[row]
    path = tmp_path / "train.py"
    path.write_text(source)
    assert main(["lint", str(path)]) == bool(expected)
    *lines, last = capsys.readouterr().out.splitlines()
    assert len(lines) == len(expected), lines
    for said, (line, kind, part) in zip(lines, expected, strict=True):
        assert said.startswith(f"{path}:{line}: {kind}: ") and part in said
    assert last.startswith("files: 1; missing ")


def test_a_ported_script_may_be_compared(tmp_path, capsys):
    path = tmp_path / "train.py"
    path.write_text("from mindspore import nn\nnn.GELU()\n")
    assert main(["lint", str(path)]) == 0
    assert main(["lint", str(path), "--ported"]) == 1
    assert "differs: mindspore.nn.GELU(" in capsys.readouterr().out


def test_kinds_may_be_left_out(tmp_path, capsys):
    path = tmp_path / "train.py"
    path.write_text(MS + "nn.GELU()\nnn.Nowhere()\n")
    assert main(["lint", str(path), "--skip", "missing", "--skip", "differs"]) == 0
    assert capsys.readouterr().out == "files: 1; graph 0\n"
    assert main(["lint", str(path), "--skip", "missing"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "files: 1; differs 1, graph 0"


def test_notebooks_and_files_that_cannot_be_read(tmp_path, capsys):
    cells = [
        {"cell_type": "code", "source": MS},
        {"cell_type": "code", "source": "!pip install x\n\nnn.GELU()\n"},
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "b.py").write_text("x = (\n")
    assert main(["lint", str(tmp_path)]) == 1
    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{tmp_path / 'a.ipynb'}, cell 2:3: differs: mindspore.nn.GELU(")
    assert second.startswith(f"{tmp_path / 'b.py'}: is no Python program: ")
    assert last == "files: 1; missing 0, differs 1, graph 0"
    assert main(["lint", "nowhere.py"]) == 2
    assert capsys.readouterr().err == "sporax: no file or folder 'nowhere.py'\n"


def test_nothing_of_the_program_runs(tmp_path):
    (tmp_path / "train.py").write_text("import mindspore\nraise SystemExit(9)\n")
    assert main(["lint", str(tmp_path)]) == 0


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.mindspore)
def test_defaults_of_the_table_are_those_here(fact):
    sporax.install_as_mindspore()
    called = fact.sides[1]
    name, value = follow(called.name)
    assert name == called.name and value is not None
    parameters = inspect.signature(value).parameters if called.defaults else {}
    assert {n: parameters[n].default for n in called.defaults} == called.defaults
