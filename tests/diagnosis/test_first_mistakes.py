"""The mistakes and habits of a newcomer: what sporax says of each, or that it works."""

import contextlib
import io
import runpy
import subprocess
import sys
import traceback
import warnings
from pathlib import Path

import pytest

import sporax
from sporax._src.core.language import annotate, hide_frames
from sporax._src.diagnosis.pytorch_names import CELL, OPTIMIZER, TENSOR
from sporax._src.workbench.cli import main

START = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import Tensor, nn, ops

x, y = ops.ones((2, 4)), ops.ones((2, 1))


def batches(label=np.int32):
    return ds.GeneratorDataset([(np.ones(4, np.float32), label(i % 3)) for i in range(4)],
                               ["x", "y"], shuffle=False).batch(2)


class Mul(nn.Cell):
    def construct(self, x, y):
        return x * y


class Silent(nn.Cell):
    def construct(self, x):
        x + 1


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm, self.drop, self.last = nn.BatchNorm1d(4), nn.Dropout(p=0.5), nn.Dense(4, 1)

    def construct(self, x):
        return self.last(self.drop(self.norm(x)))


def train(net, loss=lambda out: out.sum(), steps=3):
    optimizer = nn.SGD(net.trainable_params())
    step = ms.value_and_grad(lambda x: loss(net(x)), None, optimizer.parameters)
    for _ in range(steps):
        optimizer(step(x)[1])


"""

EVALUATED = """
for level in "O2", "O3":
    net, loss = nn.Dense(4, 3), nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(net, loss, nn.SGD(net.trainable_params()), {"acc", "loss"}, amp_level=level)
    model.fit(1, batches(), batches())
    print(sorted(model.eval(batches())))
"""
BACKWARD = "Mul.bprop = lambda self, x, y, out, dout: dout * y\nprint(ms.grad(Mul(), {})({}))"
PROBABILITIES = "For 'BinaryCrossEntropy', 'logits' must be in [0, 1], but got {}, at "
LOSS = "loss, labels = nn.BCELoss(), Tensor([1.0, 0.0])\n"
IN_EVALUATION = "UserWarning: For 'SGD', the network is trained in evaluation mode, in which"
ACCUMULATES = """
count, optimizer = ms.Parameter(Tensor(0)), nn.SGD(nn.Dense(4, 1).trainable_params())
@ms.jit
def step(x):
    ops.assign_add(count, Tensor(1))
    if count % 2 == 0:
        optimizer((ops.ones((1, 4)), ops.ones(1)))
    return x
for _ in range(2): step(x)
"""

# a script after `START`, and parts of what is printed, warned of and raised
SAID = {
    "labels at O2 and O3": (EVALUATED, "['acc', 'loss']\n['acc', 'loss']\n"),
    "clipped Parameters": (
        "print(type(ops.clip_by_value(ms.ParameterTuple(Net().trainable_params()), -1, 1)))",
        "<class 'tuple'>"),
    "one gradient of two": (
        BACKWARD.format((0, 1), "Tensor(2.0), Tensor(3.0)"),
        "'Mul.bprop', the result must have a gradient for each of the 2 inputs (x, y), but got 1"),
    "one gradient of an input and a number": (BACKWARD.format(0, "Tensor(2.0), y=3"), "3.0\n"),
    "loss of logits": (LOSS + "print(loss(Tensor([3.0, 0.5]), labels))", PROBABILITIES.format(3)),
    "loss of logits, captured": (
        LOSS + "print(ms.jit(lambda x: loss(x, labels))(Tensor([0.5, -0.25])))",
        PROBABILITIES.format(-0.25)),
    "loss of logits, differentiated": (
        LOSS + "print(ms.grad(lambda x: loss(x, labels))(Tensor([1.5, 0.5])))",
        PROBABILITIES.format(1.5), "Apply 'ops.sigmoid'", "sporax errors numerics-domain"),
    "loss of NaN": (LOSS + "print(loss(Tensor([float('nan'), 0.5]), labels))", "nan\n"),
    "no set_train": ("train(Net())", IN_EVALUATION, "'Net.norm' (BatchNorm1d)"),
    "no set_train, captured": (
        "net = Net()\noptimizer = nn.SGD(net.trainable_params())\n"
        "step = ms.value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)\n"
        "ms.jit(lambda x: optimizer(step(x)[1]))(x)", IN_EVALUATION),
    "prediction broadcast": (
        "for _ in range(2): print(nn.MSELoss()(ops.ones((4, 1)), ops.zeros(4)))",
        "UserWarning: For 'MSELoss', the prediction (4, 1) and the target (4,) are broadcast"),
    "to cuda": ("x.to('cuda')", "For 'Tensor.to', 'device' must be the one in use, 'CPU', or "
                "'meta', but got 'cuda'. Leave it out"),
    "to CPU": ("print(x.to('CPU', ms.float16).dtype)", "Float16"),
    "Cells in a list": (
        "class Two(nn.Cell):\n  def __init__(self):\n    super().__init__()\n"
        "    self.layers = [nn.Dense(2, 2)]\nnn.Adam(Two().trainable_params())",
        "'params' must not be empty.", "nn.CellList"),
    "forward": ("class A(nn.Cell):\n  def forward(self, x): return x\nA()(x)",
                "A defines 'forward', which is PyTorch's. Rename it"),
    "a name misspelt": ("ops.rellu", "MindSpore 2.10 has no such name\nDid you mean 'relu'?"),
    "an import misspelt": ("from mindspore.mint.nn.functional import rellu", "mean 'relu'?"),
    "a name of MindSpore's that is not there": (
        "ms.numpy.allclose", "no 'mindspore.numpy.allclose': MindSpore 2.10 has no such name"),
    "a class of PyTorch": ("nn.Module()", "write nn.Cell"),
    "Model without a loss": (
        "net = nn.Dense(4, 3)\n"
        "ms.Model(net, optimizer=nn.SGD(net.trainable_params())).train(1, batches())",
        "without a 'loss_fn', the network gets all 2 columns", "Dense(x) takes others"),
    "no MNIST": ("import tempfile\nnext(iter(ds.MnistDataset(tempfile.mkdtemp())))",
                 "train-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
    "no batch axis": ("nn.Conv2d(3, 4, 3)(ops.ones((3, 8, 8)))", "missing: give 'x[None]'"),
    "channels last": ("nn.Conv2d(3, 4, 3)(ops.ones((2, 8, 8, 3)))", "'x.permute(0, 3, 1, 2)'"),
    "an image": ("nn.Conv2d(3, 4, 3)(ops.ones((8, 8, 3)))", "'x.permute(2, 0, 1)[None]'"),
    "a signal with channels last": (
        "nn.Conv1d(3, 4, 3)(ops.ones((2, 8, 3)))", "give 'x.permute(0, 2, 1)'"),
    "neither": ("nn.Conv2d(3, 4, 3)(ops.ones((2, 5, 8, 8)))", "got shape (2, 5, 8, 8).\n"),
    "a step in a branch": (ACCUMULATES, "To capture it: Capture only what computes the loss"),
    "no Parameters": ("ms.ParameterTuple([x])", "sporax errors optimizer-parameters"),
    "floating labels": ("nn.SoftmaxCrossEntropyWithLogits(sparse=True)(x, ops.ones(2))",
                        "sporax errors loss-shapes"),
    "a callback of both": (
        "class Back(ms.Callback):\n  def step_end(self, run): pass\nnet = nn.Dense(4, 1)\n"
        "model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), {'mae'})\n"
        "model.fit(1, batches(), batches(), callbacks=Back())", "sporax errors callback-methods"),
    "a row that raises": (
        "class Rows:\n  def __len__(self): return 4\n  def __getitem__(self, i): return {}[i]\n"
        "list(ds.GeneratorDataset(Rows(), ['x'], shuffle=False))", "the row at index 0"),
    "no return": ("Silent()(x).sum()", "'Silent.construct' returns nothing"),
    "no return, in a network": ("nn.SequentialCell(Silent(), nn.Dense(4, 1))(x)",
                                "'Silent.construct' returns nothing"),
    "axes of a sequence": ("nn.LSTM(4, 8)(ops.ones((5, 3, 6)))",
                           "With batch_first=False the axes are (length, batch, input_size)"),
    "text in place of a Tensor": ("ops.tanh('a')", "must be a Tensor or a number, but got str"),
    "state of a sequence": (
        "nn.GRU(4, 8, batch_first=True)(ops.ones((5, 3, 4)), ops.zeros((1, 3, 8)))",
        "With batch_first=True the axes of the input are (batch, length, input_size)"),
}  # fmt: skip


def said(script, path):
    """Run a script; return (what is printed, warned of and raised, the printed traceback)."""
    path.write_text(START + script)
    sporax.install_as_mindspore()
    raised = ""
    with (
        contextlib.redirect_stdout(io.StringIO()) as printed,
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("default")
        try:
            runpy.run_path(str(path), run_name="__main__")
        except Exception as error:  # noqa: BLE001 - it is what a row asks for
            annotate(error)
            hide_frames(error, (__file__, "<frozen runpy>"))
            raised = "".join(traceback.format_exception(error))
    given = [f"{one.category.__name__}: {one.message}\n" for one in caught]
    return printed.getvalue() + "".join(given) + raised, raised, given


@pytest.mark.parametrize("row", SAID)
def test_what_is_said(row, tmp_path, monkeypatch):
    monkeypatch.setenv("SPORAX_LANG", "en")
    script, *parts = SAID[row]
    text, raised, given = said(script, tmp_path / "newcomer.py")
    assert not [part for part in parts if part not in text], text
    assert len(given) == sum("Warning: " in part or "To capture" in part for part in parts), given
    if "no return" not in row and "row that" not in row:
        assert str(Path(sporax.__file__).parent) not in raised
        assert "During handling" not in raised


FROZEN = (
    "net = Net().set_train()\nfor part in net.norm, net.drop: part.set_train(False)\ntrain(net)"
)


@pytest.mark.parametrize(
    "script", ["train(Net().set_train())", FROZEN, "ms.grad(Net())(x)", "Net()(x)",
               "nn.MSELoss()(ops.ones((4, 3)), ops.ones(3))"],
)  # fmt: skip
def test_nothing_is_said_of_what_is_meant(script, tmp_path):
    assert said(script, tmp_path / "expert.py")[0] == ""


PYTORCH = [
    *[("x", name, TENSOR) for name in TENSOR],
    *[("net", name, CELL) for name in CELL],
    *[("nn.SGD(net.trainable_params())", name, OPTIMIZER) for name in OPTIMIZER],
]


@pytest.mark.parametrize(("what", "name", "names"), PYTORCH, ids=lambda v: str(v)[:30])
def test_a_name_of_pytorch_names_mindspores(what, name, names, tmp_path):
    text, raised, _ = said(f"net = nn.Dense(4, 1)\n{what}.{name}", tmp_path / "porting.py")
    assert f"object has no attribute '{name}', which is PyTorch's. " in text
    assert "Did you mean" not in text and ".." not in text.split("Error: ")[1]
    assert str(Path(sporax.__file__).parent) not in raised


def test_names_of_pytorch_are_not_there():
    x = sporax.Tensor([1.0])
    assert not [n for n in TENSOR if hasattr(x, n) or n in dir(x)]
    assert x.astype(sporax.int32).dtype == sporax.int32
    x.grad = 1
    assert x.grad == 1 and "grad" in dir(x)


COMMANDS = {
    "--version": "(follows MindSpore 2.10.0; jax ",
    "errors | true": "",
    "errors callback-methods": "on_train_epoch_end",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command(command):
    done = subprocess.run(
        f"{sys.executable} -m sporax {command}", shell=True, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert COMMANDS[command] in done.stdout and done.stderr == ""


def test_check_says_what_mindspore_lacks_itself(tmp_path, capsys):
    (tmp_path / "a.py").write_text("import mindspore as ms\nms.nn.generator\nms.nn.Module\n")
    assert main(["check", str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert "'mindspore.nn.generator': MindSpore 2.10 has no such name" in printed
    assert "'mindspore.nn.Module': PyTorch's name" in printed


def test_a_forked_process_is_not_warned_of(tmp_path):
    (tmp_path / "forks.py").write_text(
        "import os\nfrom mindspore import ops\nprint(ops.ones(2).sum())\n"
        "if not (child := os.fork()):\n    os._exit(0)\nos.waitpid(child, 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "sporax", "run", str(tmp_path / "forks.py")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "os.fork() was called" not in done.stderr
