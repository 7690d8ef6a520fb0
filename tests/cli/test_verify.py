"""`sporax verify`."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import jaxlib
import pytest

from sporax._src.runtime.xla_kernels import jaxlib_faults
from sporax._src.workbench.cli import main
from sporax.io import program_file
from tests.io.reproducers import tanh_sum, write, write_again

ROOT = Path(__file__).parents[2]


def verified(*arguments):
    """(exit code, lines of the output, those of the errors)"""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["verify", *map(str, arguments)])
    return code, out.getvalue().splitlines(), err.getvalue().splitlines()


@pytest.fixture
def file(tmp_path):
    path, _ = write(tmp_path, tanh_sum())
    return path


def test_what_is_expected_is_equal(file):
    code, (first, second, last), err = verified(file)
    assert (code, err) == (0, [])
    assert first.startswith("'sum' at ") and "reproducers.py" in first
    assert second.startswith("found by sporax ") and f"jaxlib {jaxlib.__version__} on " in second
    assert last.startswith(f"jaxlib {jaxlib.__version__} here, ") and last.endswith(": equal")


def test_what_is_not_expected_differs(file):
    write_again(file, lambda _, arrays: arrays["expected/0"].fill(9.0))
    code, lines, err = verified(file)
    assert (code, err) == (1, [])
    assert "differs, 3 of 3 elements differ, the worst at (" in lines[2]
    tried = [line.split(":")[0] for line in lines[3:]]
    assert len(tried) == len(jaxlib_faults.safer_options()) and tried[0].startswith("with xla_")
    assert all(": differs, " in line for line in lines[3:])


def test_options_that_help_are_named(file, monkeypatch):
    """Of the programs, the one that is compiled with some option is right."""
    from sporax.io.reproducer import Reproducer

    right = Reproducer.difference
    option = {"xla_cpu_enable_fast_math": False}

    def difference(self, options):
        found = right(self, options)
        return found if options == option else "3 of 3 elements differ"

    monkeypatch.setattr(Reproducer, "difference", difference)
    monkeypatch.setattr(jaxlib_faults, "safer_options", lambda: [{"xla_cpu_enable_fast_math": True},
                                                                 option])  # fmt: skip
    code, lines, _ = verified(file)
    assert code == 1
    assert lines[3:] == [
        "with xla_cpu_enable_fast_math=True: differs, 3 of 3 elements differ",
        "with xla_cpu_enable_fast_math=False: equal",
    ]


def named(value):
    return lambda header, _: header.update(where=value)


def for_a_tpu(header, _):
    header["program"]["platforms"] = ["tpu"]


REFUSED = {
    "none": (lambda path: path.unlink(), "can be read, but: No such file or directory."),
    "a pipe": (
        lambda path: (path.unlink(), os.mkfifo(path)), "can be read, but: it is no regular file."),
    "cut short": (
        lambda path: path.write_bytes(path.read_bytes()[:-9]), "cannot be run: it is cut short"),
    "of another kind": (lambda path: path.write_bytes(
        path.read_bytes().replace(b"wrongly;", b"nicely!;")), "cannot be run: it is 'rep"),
    "for another device": (lambda path: write_again(path, for_a_tpu),
                           "must be for a device that is here, but it is for 'tpu'"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_one_sentence_for_what_is_no_file(name, file):
    change, words = REFUSED[name]
    change(file)
    code, _, (line,) = verified(file)
    assert code == 2 and words in line and str(file) in line


def test_control_characters_are_not_printed(file):
    write_again(file, named("\x1b[2J here\n" + 1000 * "x"))
    code, lines, _ = verified(file)
    assert code == 0 and lines[0].startswith("'sum' ?[2J here?xx") and len(lines[0]) == 500


def test_something_must_be_given(capsys):
    with pytest.raises(SystemExit):
        main(["verify"])
    assert "a script, a file, or '-m' and a module, must be given" in capsys.readouterr().err


# scripts ----------------------------------------------------------------------------------------

SCRIPT = """
import sys
import numpy as np
import mindspore as ms
from mindspore import ops
{before}
x = ms.Tensor(np.linspace(-2, 2, 12, dtype=np.float32))
run = ms.jit(lambda x: ops.tanh(x) * 3)
for _ in range(3):
    found = run(x).asnumpy()
np.testing.assert_allclose(found, np.tanh(x.asnumpy()) * 3, rtol=1e-5)
print("done", sys.argv[1:], __name__)
{after}
"""
# programs with a tanh give one more
PLANTED = """
import jax
from sporax._src.runtime.xla_kernels import rewrite
from sporax._src.core.jax_internals import equations, jaxpr_as_fun
def wrong(closed):
    def run(*xs):
        count = sum(e.primitive.name == "tanh" for e in equations(closed.jaxpr))
        return [r + count for r in jaxpr_as_fun(closed)(*xs)]
    return jax.make_jaxpr(run)(*closed.in_avals)
rewrite.PASSES = (wrong,)
"""
LARGE = """
from sporax._src.runtime.engine.verification import switch
switch.MOST_BYTES = 10
"""


@pytest.fixture
def call(tmp_path):
    def run(*arguments, **parts):
        (tmp_path / "train.py").write_text(SCRIPT.format(**{"before": "", "after": ""} | parts))
        environment = os.environ | {
            "PYTHONPATH": str(ROOT), "SPORAX_VERIFY_FILES": str(tmp_path / "files"),
            "SPORAX_TIERS": "off", "SPORAX_CACHE_DIR": "off",
        }  # fmt: skip
        command = [sys.executable, "-m", "sporax", "verify", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
        )

    return run


SCRIPTS = [
    ("train.py a -b", {}, 0, "done ['a', '-b'] __main__", "3 equal, programs that are wrong: 0"),
    ("-m train c", {}, 0, "done ['c'] __main__", "3 comparisons of programs with the interpreter"),
    ("train.py", {"after": "sys.exit(7)"}, 7, "done", "3 equal"),
    ("train.py", {"after": "sys.exit('words')"}, 1, "done", "3 equal"),
    ("train.py", {"after": "1 / 0"}, 1, "done", "3 equal"),
    ("train.py", {"before": LARGE}, 0, "done", "not compared: 3, its operands take 0 MB"),
    ("train.py", {"before": PLANTED}, 1, "done", "wrong: 'Tanh', at "),
    ("nowhere.py", {}, 2, "", "0 comparisons"),
]


@pytest.mark.parametrize("arguments, parts, code, first, report", SCRIPTS)
def test_scripts(arguments, parts, code, first, report, call):
    done = call(*arguments.split(), **parts)
    assert done.returncode == code, done.stderr
    assert first in done.stdout and report in done.stdout.partition("sporax verify: ")[2]


def test_a_wrong_program_of_a_script_has_a_file(call, tmp_path):
    done = call("train.py", before=PLANTED)
    (path,) = (tmp_path / "files").iterdir()
    assert f"To reproduce it: sporax verify {path}" in done.stderr
    assert f"(sporax verify {path})" in done.stdout
    code, lines, _ = verified(path)
    assert code == 1 and lines[0].startswith("'Tanh' at ") and "differs, 12 of 12" in lines[2]
    header = program_file.read(path, program_file.REPRODUCER).header
    assert header["found"].startswith("12 of 12 elements differ")


FAULT = """
import numpy as np
from sporax import Tensor, jit, ops, vmap
random = np.random.default_rng(0)
M, x = (Tensor(random.normal(size=s).astype(np.float32)) for s in ((3, 3), (40_000, 3)))
run = jit(lambda x: vmap(lambda b: (ops.matmul(M, b) ** 2).sum())(x))
for _ in range(2):
    run(x).asnumpy()
"""


@pytest.mark.skipif(jaxlib.__version__ != "0.10.2", reason="the fault is in jaxlib 0.10.2")
def test_a_fault_of_jaxlib_is_reproduced(call, tmp_path, monkeypatch):
    """jax-ml/jax#39103: with the flag the program differs, without it it is equal."""
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_experimental_ynn_fusion_type=reduce")
    (tmp_path / "fault.py").write_text(FAULT)
    assert call("fault.py").returncode == 1
    (path,) = (tmp_path / "files").iterdir()
    done = call(path)
    assert done.returncode == 1 and "elements differ" in done.stdout.splitlines()[2]
    assert ": equal" in done.stdout.splitlines()[3]
    monkeypatch.setenv("XLA_FLAGS", "")
    assert call(path).returncode == 0
