"""Classes say the modules that MindSpore has them in (`tools.record classes`), and are found
there: when they are printed, pickled and copied."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import sporax
from sporax import amp, data, nn, ops, train
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.mindspore.compat import alias, class_modules
from tests import records
from tools.write_classes import table

sporax.install_as_mindspore()
RECORDED = records.read("classes")
ROOT = Path(__file__).parents[2]


def test_the_table_is_what_the_tool_writes():
    assert table() == Path(class_modules.__file__).with_name("classes.csv").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("path", sorted({path for path, _, _ in class_modules.ROWS}))
def test_classes_are_where_they_say(path):
    for name in {name for row, _, names in class_modules.ROWS if row == path for name in names}:
        result = alias.find(path, name)
        class_modules.show()
        assert (result.__module__, result.__name__) == (path, name)
        assert path in {said for p, said in RECORDED.items() if p.rpartition(".")[2] == name}
        assert class_modules.module_of(result).startswith("sporax.")


SHOWN = {
    nn.Conv2d: "mindspore.nn.layer.conv.Conv2d",
    nn.Dense: "mindspore.nn.layer.basic.Dense",
    nn.Cell: "mindspore.nn.cell.Cell",
    nn.MSELoss: "mindspore.nn.loss.loss.MSELoss",
    nn.Adam: "mindspore.nn.optim.adam.Adam",
    ops.MatMul: "mindspore.ops.auto_generate.gen_ops_prim.MatMul",
    Tensor: "mindspore.common.tensor.Tensor",
    Parameter: "mindspore.common.parameter.Parameter",
    data.NumpySlicesDataset: "mindspore.dataset.engine.datasets_user_defined.NumpySlicesDataset",
    train.LossMonitor: "mindspore.train.callback._loss_monitor.LossMonitor",
    train.Accuracy: "mindspore.train.metrics.accuracy.Accuracy",
    amp.FixedLossScaleManager: "mindspore.train.loss_scale_manager.FixedLossScaleManager",
}


@pytest.mark.parametrize("kind", SHOWN, ids=lambda kind: kind.__name__)
def test_what_is_shown(kind):
    assert repr(kind) == f"<class '{SHOWN[kind]}'>"
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_lists_of_mixed_precision():
    assert repr(amp.get_black_list()[-1:]) == (
        "[<class 'mindspore.nn.layer.normalization.LayerNorm'>]"
    )


def test_copies_of_what_says_another_module():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
    for again in (pickle.loads(pickle.dumps(net)), copy.deepcopy(net)):
        assert type(again) is nn.SequentialCell and type(again[1]) is nn.ReLU
        assert (
            again(ops.ones((1, 2))).asnumpy().tolist() == net(ops.ones((1, 2))).asnumpy().tolist()
        )


def test_without_the_name_mindspore_classes_say_their_own():
    code = """
import pickle, sys
import sporax as ms
net = pickle.loads(pickle.dumps(ms.nn.Dense(2, 3)))
print(type(net), pickle.loads(pickle.dumps(ms.Tensor)) is ms.Tensor, "mindspore" in sys.modules)
"""
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert result.stdout == "<class 'sporax.nn.dense.Dense'> True False\n"
