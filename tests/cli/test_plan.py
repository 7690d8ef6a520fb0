"""`sporax plan`: the first training step of scripts of many kinds, which is not computed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import Tensor, nn
from sporax import parallel

style = sys.argv[1]
ms.set_context(mode=ms.GRAPH_MODE if style.startswith("graph") else ms.PYNATIVE_MODE)
net = nn.SequentialCell(nn.Dense(8, 64), nn.ReLU(), nn.Dense(64, 4))
optimizer = nn.Adam(net.trainable_params(), 1e-3)
loss_fn = nn.CrossEntropyLoss()
rows = np.ones((96, 8), np.float32), np.zeros(96, np.int32)
x, y = (Tensor(a[:32]) for a in rows)
print("before", net(x).shape)


def forward(x, y):
    z = net(x)
    for _ in range(int(z.asnumpy().max() > 9) if style == "values" else 0):
        z = z * 2
    return loss_fn(z.reshape((32, 4)) if style == "fixed" else z, y)


derive = ms.value_and_grad(forward, None, optimizer.parameters)


def step(x, y):
    loss, gradients = derive(x, y)
    optimizer(gradients)
    return loss


if style == "fails":
    sys.exit(3)
elif style == "never":
    net(x)
elif style == "swallows":
    try:
        step(x, y)
    except Exception:
        print("after")
elif style in ("loop", "values", "fixed"):
    for _ in range(2):
        loss, gradients = derive(x, y)
        print("after", loss)
        optimizer(gradients)
elif style == "mesh":
    with parallel.Mesh(data=1):
        step(x, y)
elif style in ("function", "jit"):
    print("after", (ms.jit(step) if style == "jit" else step)(x, y))
elif style == "apart":
    with_loss = nn.WithLossCell(net, loss_fn)
    cell = nn.ForwardValueAndGrad(with_loss, net.trainable_params(), get_by_list=True)
    loss, gradients = cell(x, y)
    print("after", loss)
elif style == "cell":
    print("after", nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)(x, y))
else:
    model = ms.Model(net, loss_fn, optimizer)
    data = ds.NumpySlicesDataset(rows, shuffle=False).batch(32)
    model.train(1, data, dataset_sink_mode=style.endswith("sink"))
    print("after")
print("end")
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("scripts") / "train.py"
    path.write_text(SCRIPT)
    return path


def planned(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "sporax", "plan", *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, check=False, env=environment or None,
    )  # fmt: skip


@pytest.mark.parametrize(
    "style",
    ["loop", "function", "jit", "cell", "swallows", "sink", "graph"],
)
def test_the_first_step_is_planned_and_not_run(script, style):
    result = planned("--memory", "200MB", script, style)
    assert (result.returncode, result.stderr) == (0, "")
    before, *lines = result.stdout.splitlines()
    assert before == "before (32, 4)" and lines[0].startswith("memory plan of ")
    assert "after" not in result.stdout and "end" not in lines
    rows = dict(re.findall(r"^  ([a-zA-Z ]+?)  +([\d.]+ k?B) ", result.stdout, re.MULTILINE))
    # 8 * 64 + 64 + 64 * 4 + 4 floats, and Adam's two moments
    assert float(rows["Parameters"].split()[0]) == pytest.approx(3.34, abs=0.02)
    assert float(rows["optimizer state"].split()[0]) == pytest.approx(6.69, abs=0.02)
    assert "200 MB of memory, batch 32 fits:" in lines


@pytest.mark.parametrize(
    ("style", "code", "text"),
    [
        ("never", 1, "sporax plan: the script ended without a training step: no gradient of "),
        ("values", 1, "sporax plan: For 'memory_plan', the function must not need a number of "),
        ("mesh", 1, "sporax plan: For 'memory_plan', no Mesh must be entered: "),
        ("fails", 3, ""),
        ("fixed", 0, "no other batch is planned: For 'MemoryPlan.at', the step must accept "),
        ("apart", 0, "Adam updates in a program of its own, with 6.7"),
    ],
)
def test_other_scripts(script, style, code, text):
    result = planned(script, style)
    assert result.returncode == code
    assert text in result.stdout + result.stderr and "Traceback" not in result.stderr


def test_bad_arguments(script):
    result = planned("--memory", "much", script)
    assert result.returncode == 2 and "'24GB' or a positive number of bytes" in result.stderr
    assert planned().returncode == 2
