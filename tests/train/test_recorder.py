"""`train.Recorder` and `sporax replay`: each recorded step again, with the bits of its loss."""

import contextlib
import json
import subprocess
import sys

import numpy as np
import pytest

from sporax import Tensor, nn, ops, value_and_grad
from sporax._src.workbench.cli.command import main
from sporax.train import Recorder, recorder

# an ordinary script: dropout, data workers that augment, mixed precision, an own loop or a Model
SCRIPT = """
import sys
import numpy as np
import mindspore as ms
from mindspore import amp, dataset, nn, train

ms.set_seed(3)
ms.set_deterministic(True)
dataset.config.set_seed(3)
rows = np.random.default_rng(0).normal(size=(64, 8)).astype(np.float32)


class Rows:
    def __len__(self):
        return len(rows)

    def __getitem__(self, i):
        return rows[i], np.int32(i % 3)


def noisy(row):
    return (row + np.random.normal(size=row.shape) / 10).astype(np.float32)


data = dataset.GeneratorDataset(Rows(), ["x", "y"], num_parallel_workers=2)
data = data.map(noisy, "x", num_parallel_workers=2).batch(8)
net = nn.SequentialCell(nn.Dense(8, 32), nn.ReLU(), nn.Dropout(p=0.3), nn.Dense(32, 3))
optimizer = nn.Adam(net.trainable_params(), 0.01)
loss_fn = nn.CrossEntropyLoss()
if sys.argv[2] == "model":
    model = train.Model(net, loss_fn, optimizer, amp_level="O2")
    model.train(3, data, [train.Recorder(sys.argv[1], every=5)])
else:
    net = amp.auto_mixed_precision(net, "O2").set_train()
    gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    step = ms.jit(step) if sys.argv[2] == "jit" else step
    with train.Recorder(sys.argv[1], net, optimizer, every=5) as recorder:
        for _ in range(3):
            for x, y in data.create_tuple_iterator():
                recorder.step(step, x, y)
print("end")
"""
STEPS = 24


def recorded_by(tmp_path_factory, kind):
    folder = tmp_path_factory.mktemp(kind)
    (folder / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-m", "sporax", "run", "script.py", "run", kind]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.endswith("end\n"), done.stderr
    return folder / "run"


@pytest.fixture(scope="module", params=["own", "jit", "model"])
def recording(request, tmp_path_factory):
    return recorded_by(tmp_path_factory, request.param)


def replayed(recording, *options):
    command = [sys.executable, "-m", "sporax", "replay", str(recording), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, input="")


def test_the_log_has_each_step(recording):
    lines = recorder.logged(recording)
    assert [line.step for line in lines] == [*range(1, STEPS + 1)]
    assert len({line.chain for line in lines}) == STEPS
    assert main(["replay", str(recording)]) == 0


@pytest.mark.parametrize("step", [1, 17, STEPS])
def test_a_step_has_the_bits_of_the_recorded_one(step, recording):
    done = replayed(recording, "--step", str(step))
    loss = recorder.logged(recording)[step - 1].loss
    assert done.stdout == f"step {step}: loss {loss!r}, as recorded\n", done.stderr
    assert done.returncode == 0


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    return recorded_by(tmp_path_factory, "own")


def test_the_first_step_with_a_property(one):
    losses = [line.loss for line in recorder.logged(one)]
    limit = sorted(losses)[3]
    first = next(i for i, loss in enumerate(losses, 1) if loss <= limit)
    done = replayed(one, "--until", f"loss <= {limit!r} and step > 0")
    assert done.stdout.startswith(f"step {first}: loss")


def test_it_stops_before_the_step(one):
    done = replayed(one, "--step", "3", "--break")
    assert "(Pdb)" in done.stdout and "BdbQuit" in done.stderr


def test_what_cannot_be_replayed(one, capsys, tmp_path):
    script = one.parent / "script.py"
    text = script.read_text()
    assert main(["replay", str(one), "--step", "999"]) == 2
    assert main(["replay", str(one), "--until", "loss > 1e9"]) == 1
    assert main(["replay", str(tmp_path)]) == 2
    script.write_text(text + "# changed\n")
    try:
        assert main(["replay", str(one), "--step", "2"]) == 2
    finally:
        script.write_text(text)
    shown = capsys.readouterr()
    lines = shown.err.splitlines()
    assert "no recorded step has loss > 1e9" in shown.out
    for line, said in zip(lines, ("step 999", "hold a recording", "has changed"), strict=True):
        assert line.startswith("sporax: ") and said in line


@pytest.mark.parametrize("condition", [
    "loss >", "__import__('os')", "loss.real > 1", "[loss]", "'a' < loss", "other > 1", "loss(1)",
    "abs", "isnan", "abs(loss, key=1)",
])  # fmt: skip
def test_conditions_hold_no_code(condition, tmp_path):
    with pytest.raises(ValueError, match="a condition must compare"):
        recorder.first_step(tmp_path, condition)


def test_a_condition_that_cannot_be_computed(tmp_path):
    (tmp_path / recorder.LOG).write_text('{"step": 1, "loss": 0.0, "chain": ""}\n')
    with pytest.raises(ValueError, match="a condition must compare"):
        recorder.first_step(tmp_path, "1 / loss > 2")


def test_steps_that_return_nothing_or_fail(tmp_path):
    def step(k):
        if k == 1:
            raise ZeroDivisionError

    with Recorder(tmp_path / "run") as recorded:
        for k in range(4):
            with contextlib.suppress(ZeroDivisionError):
                recorded.step(step, k)
    assert [line.step for line in recorder.logged(tmp_path / "run")] == [1, 3, 4]
    recorder.require_step(tmp_path / "run", 2)


def test_nan_is_found(tmp_path):
    lines = [{"step": i, "loss": loss, "chain": ""} for i, loss in enumerate((1.0, "nan", 2.0), 1)]
    (tmp_path / recorder.LOG).write_text("".join(json.dumps(line) + "\n" for line in lines) + "{")
    assert recorder.first_step(tmp_path, "isnan(loss) or abs(loss) > 1.5") == 2
    assert recorder.first_step(tmp_path, "-loss * 2 + 1 <= -3 and not step == 2") == 3


def record(folder, steps, **options):
    net = nn.Dense(64, 64, weight_init="ones", has_bias=False)
    optimizer = nn.SGD(net.trainable_params(), 1e-4)
    gradient = value_and_grad(lambda x: (net(x) ** 2).mean(), None, optimizer.parameters)

    def step(x):
        loss, gradients = gradient(x)
        optimizer(gradients)
        return loss, gradients

    with Recorder(folder, net, optimizer, **options) as recorded:
        for k in range(steps):
            loss, _ = recorded.step(step, Tensor(np.full((1, 64), k / 64, np.float32)))
        assert isinstance(loss, Tensor)
        return recorded.chain


def test_equal_runs_have_equal_hashes(tmp_path):
    chains = [record(tmp_path / name, steps) for name, steps in (("a", 4), ("b", 4), ("c", 5))]
    assert chains[0] == chains[1] != chains[2]
    lines = recorder.logged(tmp_path / "c")
    assert lines[3].chain == chains[0]


def test_the_oldest_are_removed(tmp_path):
    folder = tmp_path / "run"
    record(folder, 30, every=4, max_bytes=150_000)
    size = sum(path.stat().st_size for path in folder.rglob("*.ckpt"))
    snapshots = sorted(int(path.stem.split("-")[1]) for path in (folder / "snapshots").iterdir())
    batches = sorted(int(path.stem.split("-")[1]) for path in folder.glob("batches/*/*"))
    assert size <= 150_000 + 40_000 and snapshots[0] > 0
    assert batches == [*range(snapshots[0] + 1, 31)]
    assert len(recorder.logged(folder)) == 30


def test_bad_arguments(tmp_path):
    record(tmp_path / "run", 1)
    with pytest.raises(FileExistsError, match="must hold no recording"):
        Recorder(tmp_path / "run")
    with pytest.raises(FileNotFoundError):
        Recorder(tmp_path / "no" / "run")
    with pytest.raises(ValueError, match="max_bytes"):
        Recorder(tmp_path / "new", max_bytes="much")
    with pytest.raises(ValueError, match="every"):
        Recorder(tmp_path / "new", every=0)


def test_batches_of_containers(tmp_path):
    with Recorder(tmp_path / "run") as recorded:
        batch = {"x": ops.ones(2), "name": "a"}, (1, None), np.arange(3)
        assert recorded.step(lambda *given: given, *batch)[0]["name"] == "a"
