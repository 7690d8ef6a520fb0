"""The `sporax` command, as a shell calls it."""

import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

import sporax
from sporax._src.workbench import cli

ROOT = Path(__file__).parents[2]

SCRIPT = """
import os, sys
import mindspore as ms
import beside


def fails():
    raise ValueError("on purpose")


what = sys.argv[1] if sys.argv[1:] else None
if what == "away":
    os.chdir("/")
    fails()
elif what == "show":
    print(sys.argv[1:], __name__, os.path.basename(__file__), os.path.basename(sys.path[0]))
    print(sys.modules["__main__"].fails is fails, ms.__version__)
elif what == "fail":
    fails()
elif what == "lacks":
    from mindspore.nn import Nowhere
elif what == "uses":
    ms.nn.Nowhere
elif what == "chain":
    try:
        ms.nowhere
    except AttributeError as error:
        raise RuntimeError("so") from error
elif what == "refused":
    ms.grad(lambda x: ms.nn.Dense(3, 4)(x))(ms.ops.ones((2, 5)))
elif what == "interrupt":
    raise KeyboardInterrupt
elif what is not None:
    sys.exit(int(what) if what.isdigit() else what)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with scripts, a package and a folder that can be run."""
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "train.py").write_text(SCRIPT)
    (folder / "beside.py").write_text("")
    (folder / "wrong.py").write_text("x = (\n")
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text("")
    (folder / "package" / "train.py").write_text(SCRIPT)
    (folder / "package" / "needs.py").write_text("import not_there_at_all")
    (folder / "whole").mkdir()
    (folder / "whole" / "__main__.py").write_text("import sys, mindspore; print(sys.argv[1:])")
    (folder / "bare").mkdir()
    return folder


def call(folder, *arguments):
    command = [sys.executable, "-m", "sporax", *arguments]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "code", "out", "err"),
    [
        ("run train.py", 0, "", ""),
        ("run train.py show -m x --help", 0, "['show', '-m', 'x', '--help'] __main__ train.py", ""),
        ("run train.py show", 0, "True 2.10.0", ""),
        ("run -m package.train show -q", 0, "['show', '-q'] __main__ train.py", ""),
        ("run whole a b", 0, "['a', 'b']", ""),
        ("run train.py 7", 7, "", ""),
        ("run train.py words", 1, "", "words"),
        ("run nowhere.py", 2, "", "nowhere.py': no such file"),
        ("run bare", 2, "", "it has no __main__.py"),
        ("run -m nowhere", 2, "", "no module named 'nowhere'"),
        ("run -m package.nowhere", 2, "", "no module named 'package.nowhere'"),
        ("run -m package.needs", 1, "", "No module named 'not_there_at_all'"),
        ("run", 2, "", "a script, or '-m' and a module, must be given"),
        ("run --mesh data=1 train.py show", 0, "True 2.10.0", ""),
        ("run --mesh data=512 train.py", 2, "", "there must be 512 devices"),
        ("run --mesh eight train.py", 2, "", "a text must be such as 'data=4,model=2'"),
        ("run train.py interrupt", 130, "", "KeyboardInterrupt"),
        ("version", 0, f"sporax {sporax.__version__} (follows MindSpore 2.10.0", ""),
        ("", 2, "", "usage: sporax"),
    ],
)
def test_command(folder, arguments, code, out, err):
    result = call(folder, *arguments.split())
    assert result.returncode == code, result.stderr
    assert out in result.stdout and err in result.stderr
    if not err:
        assert result.stderr == ""
    if code == 2 and "usage" not in result.stderr:
        assert result.stderr.count("\n") == 1


TRACEBACKS = {
    "train.py fail": """
        Traceback (most recent call last):
          File "train.py", line 19, in <module>
            fails()
          File "train.py", line 8, in fails
            raise ValueError("on purpose")
        ValueError: on purpose
        """,
    "train.py away": """
        Traceback (most recent call last):
          File "train.py", line 14, in <module>
            fails()
          File "train.py", line 8, in fails
            raise ValueError("on purpose")
        ValueError: on purpose
        """,
    "train.py lacks": """
        Traceback (most recent call last):
          File "train.py", line 21, in <module>
            from mindspore.nn import Nowhere
        ImportError: sporax has no 'mindspore.nn.Nowhere': MindSpore 2.10 has no such name
        Cause and remedy: sporax errors name-missing
        """,
    "train.py uses": """
        Traceback (most recent call last):
          File "train.py", line 23, in <module>
            ms.nn.Nowhere
        AttributeError: sporax has no 'mindspore.nn.Nowhere': MindSpore 2.10 has no such name
        Cause and remedy: sporax errors name-missing
        """,
    "train.py chain": """
        Traceback (most recent call last):
          File "train.py", line 26, in <module>
            ms.nowhere
        AttributeError: sporax has no 'mindspore.nowhere': MindSpore 2.10 has no such name

        The above exception was the direct cause of the following exception:

        Traceback (most recent call last):
          File "train.py", line 28, in <module>
            raise RuntimeError("so") from error
        RuntimeError: so
        """,
    "train.py refused": """
        Traceback (most recent call last):
          File "train.py", line 30, in <module>
            ms.grad(lambda x: ms.nn.Dense(3, 4)(x))(ms.ops.ones((2, 5)))
          File "train.py", line 30, in <lambda>
            ms.grad(lambda x: ms.nn.Dense(3, 4)(x))(ms.ops.ones((2, 5)))
        ValueError: For 'Dense', the last axis of the input must be 3 ('in_channels'), but got \
shape (2, 5).
        Cause and remedy: sporax errors layer-input-size
        """,
    "wrong.py": """
          File "wrong.py", line 1
            x = (
        SyntaxError: '(' was never closed
        """,
}


@pytest.mark.parametrize("arguments", TRACEBACKS)
def test_a_failing_script_shows_its_own_traceback(folder, arguments):
    result = call(folder, "run", *arguments.split())
    assert result.returncode == 1
    # newer Pythons underline more of a line than older ones
    lines = [line for line in result.stderr.splitlines() if line.strip(" ~^") or not line]
    lines = [line.replace(str(folder) + "/", "") for line in lines]  # paths are whole, as Python's
    expected = textwrap.dedent(TRACEBACKS[arguments]).strip().splitlines()
    assert [line.strip() for line in lines] == [line.strip() for line in expected]


def test_the_module_form_shows_its_own_traceback_too(folder):
    result = call(folder, "run", "-m", "package.train", "fail")
    frames = [line for line in result.stderr.splitlines() if line.startswith("  File")]
    assert len(frames) == 2 and all("package/train.py" in frame for frame in frames)


def test_there_is_one_version():
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    assert "version" in project["dynamic"]
    assert "version" not in project


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_knows_the_commands(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("launch", "--hosts", "doctor"):
        assert word in script


def test_completion_needs_its_package(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    with pytest.raises(SystemExit, match="2"):
        cli.main(["completion", "bash"])
    assert "[completion]'" in capsys.readouterr().err
