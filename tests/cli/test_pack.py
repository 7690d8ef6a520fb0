"""`sporax pack` and `sporax run --packed`: what is loaded, what is rejected."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sporax import __version__
from sporax._src.runtime.compilation_cache import folder, packed_file
from sporax._src.runtime.engine import packing

ROOT = Path(__file__).parents[2]
KEY = bytes(range(32))
# A training with a convolution, a recurrent layer, a decomposition, dynamic code and a graph; says
# its results and what was compiled, interpreted and loaded.
SCRIPT = """
import json
import numpy as np
import mindspore as ms
from mindspore import Tensor, nn, ops
from sporax._src.runtime.engine import packing, program
from sporax._src.runtime.numpy_interpreter import interpretation

plans, real = [], interpretation.Interpretation.__init__
def counted(self, *args, **kwargs):
    plans.append(1)
    real(self, *args, **kwargs)
interpretation.Interpretation.__init__ = counted
compiled = []
import jax
def happened(event, duration, **_):
    if event == "/jax/core/compile/jaxpr_to_mlir_module_duration":
        compiled.append(duration)
jax.monitoring.register_event_duration_secs_listener(happened)

ms.set_seed(3)
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.convolve, self.recur = nn.Conv2d(1, 4, 3), nn.LSTM(8, 8, batch_first=True)
        self.out = nn.Dense(8, 3)
    def construct(self, x):
        y = self.recur(ops.relu(self.convolve(x)).mean(1))[0].mean(1)
        return self.out(y) + ops.cholesky(ops.eye(3) * 4.0).sum()
net, loss = Net(), nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 1e-2)
x = Tensor(np.linspace(-1, 1, 4 * 64, dtype=np.float32).reshape(4, 1, 8, 8))
y = Tensor([0, 1, 2, 1])
gradient = ms.value_and_grad(lambda: loss(net(x), y), None, optimizer.parameters)
def step():
    value, gradients = gradient()
    optimizer(gradients)
    return value
jitted = ms.jit(lambda x: ops.tanh(x * 2).sum())
losses = [float(step()) for _ in range(4)]
print(json.dumps([losses, float(jitted(x)), len(plans), len(compiled), packing.State.used]))
"""


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """A folder with a script, its packed file, and what the packed run printed."""
    path = tmp_path_factory.mktemp("packed")
    (path / "train.py").write_text(SCRIPT)
    (path / "train.key").write_bytes(KEY)
    (path / "train.key").chmod(0o600)
    ran = run(path, "pack", "--key", "train.key", "train.py")
    assert ran.returncode == 0, ran.stderr
    return path, ran.stdout


def run(path, *arguments, **variables):
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "HOME": str(path)}
    if "XLA_FLAGS" in os.environ:
        environment["XLA_FLAGS"] = os.environ["XLA_FLAGS"]
    return subprocess.run(
        [sys.executable, "-m", "sporax", *arguments], cwd=path, env=environment | variables,
        capture_output=True, text=True,
    )  # fmt: skip


def results(ran):
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


def test_a_packed_run_neither_interprets_nor_lowers(packed):
    path, said = packed
    shown = re.search(r"sporax pack: (\d+) programs in \S+train.packed, .*interpreter: (\d+), equal"
                      r": (\d+)$", said, re.M)  # fmt: skip
    count, compared, equal = map(int, shown.groups())
    assert count == compared == equal == 3  # the first step returns its gradients, see `step_end`
    ours = json.loads(said.splitlines()[0])
    losses, value, plans, _, used = results(
        run(path, "run", "--packed", "train.packed", "--key", "train.key", "train.py")
    )
    assert (used, plans) == (3, 0)
    assert losses == ours[0] and value == ours[1]  # the same programs
    plain = results(run(path, "run", "train.py"))
    np.testing.assert_allclose(losses, plain[0], rtol=1e-4)
    assert plain[2] > 0 and plain[4] == 0


@pytest.mark.parametrize("change", ["script", "always"])
def test_what_is_not_in_the_file_runs_as_always(change, packed):
    path, _ = packed
    (path / "other.py").write_text(SCRIPT.replace("* 2", "* 3") if change == "script" else SCRIPT)
    variables = {"SPORAX_VERIFY": "always"} if change == "always" else {}
    arguments = "run", "--packed", "train.packed", "--key", "train.key", "other.py"
    found = results(run(path, *arguments, **variables))
    assert found[2] > 0 and (found[4] == 0) == (change == "always")


def test_what_is_said_of_a_file(packed):
    path, _ = packed
    content = (path / "train.packed").read_bytes()
    damaged = bytearray(content)
    damaged[-100] ^= 1
    for name, data in ("damaged", damaged), ("short", content[:1000]), ("text", b"import os\n"):
        (path / name).write_bytes(data)
    (path / "open.key").write_bytes(KEY)
    (path / "open.key").chmod(0o644)
    for file, key, said in (
        ("damaged", "train.key", "is damaged, or was signed with another key"),
        ("short", "train.key", "is damaged, or was signed with another key"),
        ("text", "train.key", "must be a file that 'sporax pack' has written"),
        ("away", "train.key", "No such file"),
        ("train.packed", None, "is damaged, or was signed with another key; its programs are code"),
        ("train.packed", "away.key", "the key 'away.key' must be there"),
        ("train.packed", "open.key", "can be read by others"),
    ):
        keys = ["--key", key] if key else []
        ran = run(path, "run", "--packed", file, *keys, "train.py")
        assert ran.returncode == 2 and said in ran.stderr and not ran.stdout, (file, key)
        assert len(ran.stderr.splitlines()) == 1


HERE = packing.fingerprint(__version__)


@pytest.mark.parametrize("name", HERE)
def test_a_file_of_another_machine(name, tmp_path, monkeypatch):
    monkeypatch.setattr(packing.State, "programs", None)
    monkeypatch.setattr(folder.Folder, "packed", {})
    path = tmp_path / "a.packed"
    there = HERE | {name: "avx1024 " + HERE[name] if name == "instruction sets" else "elsewhere"}
    facts = {"fingerprint": there, "verdict": {"faults": []}, "programs": 0}
    packed_file.write(path, facts, {}, KEY)
    shown = "avx1024" if name == "instruction sets" else "elsewhere"
    with pytest.raises(ValueError, match=f"does not fit this process: {name} must be .*{shown}"):
        packing.load(path, __version__, KEY)
    assert packing.State.programs is None


def test_a_file_of_a_faulty_compiler(tmp_path):
    path = tmp_path / "a.packed"
    facts = {"fingerprint": HERE, "verdict": {"faults": ["window of a window"]}, "programs": 0}
    packed_file.write(path, facts, {}, KEY)
    with pytest.raises(ValueError, match="was packed with a jaxlib that gives wrong numbers"):
        packing.load(path, __version__, KEY)


def test_contents_come_back(tmp_path):
    contents = {"a": b"one", "b": b"", "c": bytes(range(256))}
    packed_file.write(tmp_path / "f", {"x": 1}, contents, KEY)
    facts, found = packed_file.read(tmp_path / "f", KEY)
    assert facts == {"x": 1} and {k: bytes(v) for k, v in found.items()} == contents
    assert os.listdir(tmp_path) == ["f"]


def test_nothing_is_packed_of_a_script_that_fails(tmp_path):
    (tmp_path / "bad.py").write_text("print('begun')\n1 / 0\n")
    ran = run(tmp_path, "pack", "bad.py")
    assert ran.returncode == 1 and "begun" in ran.stdout
    assert "ZeroDivisionError" in ran.stderr and "nothing is packed" in ran.stderr
    assert not (tmp_path / "bad.packed").exists()


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "good.py").write_text("print('begun')\n")
    ran = run(tmp_path, "pack", "--output", str(tmp_path / "no" / "f"), "good.py")
    assert ran.returncode == 2 and "begun" not in ran.stdout and "No such file" in ran.stderr
