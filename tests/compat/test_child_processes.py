"""Processes that a program starts find the `mindspore` that it has itself."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import sporax
from sporax._src.mindspore.compat import child_processes

ROOT = Path(__file__).parents[2]

SCRIPT = """
import multiprocessing
import sys

import mindspore as ms
from mindspore import nn, ops


def square(x):
    import mindspore
    return mindspore.ops.square(mindspore.Tensor(x, mindspore.float32)).item()


def work(answers, x, weight):
    from mindspore.nn.layer.basic import Dense
    total = (x * 2 + weight).asnumpy().tolist()
    answers.put((total, weight.clone("zeros").name, Dense is nn.Dense))


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(1) as pool:
        print(pool.map(square, [1.0, 2.0, 3.0]))
    answers = context.Queue()
    args = answers, ms.Tensor([1.0, 2.0]), ms.Parameter(ops.ones(2), name="w")
    process = context.Process(target=work, args=args)
    process.start()
    print(answers.get())
    process.join()
"""


def call(*command, **environment):
    environment = {"PATH": "/usr/bin:/bin", "HOME": os.environ["HOME"], **environment}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, env=environment, timeout=120,
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize("method", ["spawn", pytest.param("forkserver", marks=pytest.mark.slow)])
def test_processes_of_multiprocessing(method, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    result = call("-m", "sporax", "run", str(script), method, PYTHONPATH=str(ROOT))
    assert result.stdout == "[1.0, 4.0, 9.0]\n([3.0, 5.0], 'w', True)\n", result.stderr


def test_subprocesses():
    code = """
        import os, subprocess, sys, sporax
        for _ in range(2):
            sporax.install_as_mindspore()
        child = "import mindspore.nn.layer, mindspore; print(mindspore.__sporax__)"
        subprocess.run([sys.executable, "-c", child], check=True)
        print(os.environ["PYTHONPATH"].split(os.pathsep))
    """
    result = call("-c", textwrap.dedent(code), PYTHONPATH=str(ROOT))
    expected = f"{sporax.__version__}\n{[child_processes.FOLDER, str(ROOT)]}\n"
    assert result.stdout == expected and result.stderr == ""


def test_an_interpreter_without_sporax_has_its_own(tmp_path):
    (tmp_path / "mindspore.py").write_text("other = True")
    code = "import sys; sys.path[:0] = sys.argv[1:]; import mindspore; print(mindspore.{})"
    isolated = "-I", "-S", "-c"
    result = call(*isolated, code.format("other"), child_processes.FOLDER, str(tmp_path))
    assert result.stdout == "True\n", result.stderr
    result = call(*isolated, code.format("other"), child_processes.FOLDER)
    assert "No module named 'mindspore'" in result.stderr
