"""The wheel in fresh environments on each Python of this machine: `make test-wheel` builds it."""

import json
import os
import re
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

import sporax

ROOT = Path(__file__).parents[1]
WHEEL = ROOT / "dist" / f"sporax-{sporax.__version__}-py3-none-any.whl"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not WHEEL.exists(), reason="make test-wheel builds the wheel"),
]

TRAINING = """
import mindspore as ms
from mindspore import Tensor, nn, ops
from sporax.insight import RunRecord

ms.set_seed(0)  # the script is run several times
net = nn.Dense(4, 2)
optimizer = nn.Adam(net.trainable_params(), 0.01)
gradient = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, optimizer.parameters)
run = RunRecord("run", resume=True)
for step in range(1, 6):
    loss, gradients = gradient(ops.ones((8, 4)))
    optimizer(gradients)
    run.log(step, loss=float(loss))
ms.export(net, Tensor(shape=[None, 4], dtype=ms.float32), file_name="net", file_format="MINDIR")
print(*net(ops.ones((1, 4))).asnumpy()[0])
"""
RANKS = """
from mindspore.communication import get_group_size, get_rank, init

init()
print("rank", get_rank(), "of", get_group_size())
"""


class Installed:
    """The wheel in an environment of its own, and an empty folder to work in."""

    def __init__(self, python, folder):
        self.programs, self.folder = folder / "env" / "bin", folder / "work"
        self.folder.mkdir()
        self.environment = {
            name: text for name, text in os.environ.items() if not name.startswith("PYTHON")
        }
        self.environment["SPORAX_LANG"] = "en"
        subprocess.run([python, "-m", "venv", folder / "env"], check=True)
        self.run("pip", "install", "--quiet", "--disable-pip-version-check", f"{WHEEL}[serve]")

    def run(self, program, *arguments):
        """Return what a program of the environment prints; fail if it fails."""
        done = subprocess.run(
            [self.programs / program, *arguments], cwd=self.folder, env=self.environment,
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, (program, arguments, done.stdout, done.stderr)
        return done.stdout

    def write(self, name, text):
        self.folder.joinpath(name).write_text(text, "utf8")
        return name


VERSIONS = [
    pytest.param(version, marks=pytest.mark.xdist_group(version))  # one environment for each
    for version in ("3.11", "3.12", "3.13", "3.14")
]


@pytest.fixture(scope="module", params=VERSIONS)
def installed(request, tmp_path_factory):
    found = subprocess.run(
        [ROOT / "tools" / "find_python.sh", request.param], capture_output=True, text=True
    )
    if found.returncode:
        pytest.skip(f"no Python {request.param} here")
    return Installed(found.stdout.strip(), tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def trained(installed):
    """What the training script prints: the output of its network for ones."""
    words = installed.run("sporax", "run", installed.write("train.py", TRAINING)).split()
    return [float(word) for word in words[-2:]]


def test_version_and_doctor(installed):
    assert installed.run("sporax", "--version").startswith(f"sporax {sporax.__version__} ")
    assert "Everything is as it should be" in installed.run("sporax", "doctor")


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_the_readmes_code(installed, readme):
    code = re.search(r"```python\n(.*?)```", (ROOT / readme).read_text("utf8"), re.DOTALL)[1]
    assert float(installed.run("python", installed.write("readme.py", code))) < 1.2  # log 3 = 1.1


def test_plan_and_verify(installed, trained):
    assert "at the peak" in installed.run("sporax", "plan", "train.py")
    assert installed.run("sporax", "verify", "train.py")


def test_launch(installed):
    printed = installed.run("sporax", "launch", "-n", "2", installed.write("ranks.py", RANKS))
    assert "rank 0 of 2" in printed and "rank 1 of 2" in printed


def test_watch(installed, trained):
    page = installed.run("sporax", "watch", "run", "--html", "runs.html").strip()
    assert "eval_loss" in installed.folder.joinpath(page).read_text("utf8")
    assert "http://127.0.0.1:" in installed.run("sporax", "watch", "run", "--seconds", "0.2")


def test_serve(installed, trained):
    server = subprocess.Popen(
        [installed.programs / "sporax", "serve", "net.mindir"], cwd=installed.folder, text=True,
        env=installed.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        line, until = "", time.time() + 60
        while not (address := re.search(r"http://127\.0\.0\.1:\d+/", line)):
            assert time.time() < until and server.poll() is None, line
            line = server.stdout.readline()
        request = urllib.request.Request(
            f"{address[0]}predict", json.dumps({"inputs": {"x": [[1.0] * 4]}}).encode(),
            {"Content-Type": "application/json"},
        )  # fmt: skip
        with urllib.request.urlopen(request, timeout=30) as answer:
            numbers = re.findall(r"-?\d+\.\d+(?:e-?\d+)?", json.dumps(json.load(answer)))
    finally:
        server.terminate()
        server.communicate(timeout=30)
    assert [float(number) for number in numbers] == pytest.approx(trained, rel=1e-5)


def test_the_list_of_parts(installed):
    (parts,) = installed.programs.parent.glob("lib/python*/site-packages/sporax-*/sboms/*.json")
    assert json.loads(parts.read_text("utf8"))["bomFormat"] == "CycloneDX"
