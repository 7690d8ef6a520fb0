"""`sporax doctor`."""

import os
import re
import warnings

import jax
import pytest

from sporax._src.runtime.compilation_cache.folder import Folder
from sporax._src.versions import JAXLIB
from sporax._src.workbench.cli import doctor, gpu


def test_says_what_there_is(capsys):
    assert doctor.doctor() == 0
    found = capsys.readouterr().out
    for line in (f"jax {jax.__version__}", "cpu:0", "extras", "of memory"):
        assert line in found
    before, after = map(float, re.search(r"loss ([\d.]+) to ([\d.]+)", found).groups())
    assert after < before / 2


def fails():
    raise doctor.Problem("the library is damaged")


def breaks():
    return 1 / 0


def warns():
    warnings.warn("it could be faster", stacklevel=1)
    return "there"


@pytest.mark.parametrize(
    ("check", "code", "shown"),
    [
        (fails, 1, "x one  the library is damaged"),
        (breaks, 1, "x one  ZeroDivisionError: division by zero"),
        (warns, 0, "! one  there\n!      it could be faster\n"),
        (lambda: ["a", "b"], 0, "  one  a\n       b\n"),
    ],
)
def test_says_what_is_wrong(check, code, shown, capsys, monkeypatch):
    monkeypatch.setattr(doctor, "CHECKS", {"one": check})
    assert doctor.doctor() == code
    assert shown in capsys.readouterr().out


def test_a_problem_is_not_forgotten(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "CHECKS", {"one": fails, "two": warns, "three": lambda: "fine"})
    assert doctor.doctor() == 1
    assert "what does not work" in capsys.readouterr().out


def test_uses_of_kept_programs_are_counted(tmp_path):
    first, second = Folder(tmp_path), Folder(tmp_path)
    first.put("a-1", b"program")
    first.note_uses()
    assert bytes(second.get("a-1")) == b"program"
    assert second.get("a-2") is None
    second.note_uses()
    Folder(tmp_path).note_uses()  # of a process that compiled nothing
    assert second.content()[0] == 1
    assert second.uses() == (1, 1)
    (tmp_path / "uses").write_bytes(b"\xff\n3\n1 x\n2 5\n" + b"9" * 5000 + b" 1\n")
    assert second.uses() == (2, 5)


OLD, NEW = gpu.Card("V100", "550.54", "7.0"), gpu.Card("H100", "580.65", "9.0")
ANCIENT = gpu.Card("K80", "470.1", "3.7")
CUDA13, CUDA12 = "jax-cuda13-plugin", "jax-cuda12-plugin"


@pytest.mark.parametrize(
    ("cards", "plugins", "platforms", "variables", "texts"),
    [
        ([], {}, {"cpu"}, {"LD_LIBRARY_PATH": "/a"}, []),
        ([NEW], {CUDA13: JAXLIB}, {"gpu"}, {}, []),
        ([OLD], {CUDA12: JAXLIB}, {"gpu"}, {"LD_LIBRARY_PATH": ""}, []),
        ([NEW], {}, {"cpu"}, {}, ["[cuda]'"]),
        ([OLD], {}, {"cpu"}, {}, ["[cuda12]'"]),
        ([NEW, OLD], {}, {"cpu"}, {}, ["[cuda12]'"]),
        ([ANCIENT], {}, {"cpu"}, {}, ["install a newer NVIDIA driver"]),
        ([OLD], {CUDA13: JAXLIB}, {"cpu"}, {}, ["driver from 580 and compute", "does not use"]),
        ([NEW], {CUDA13: "0.1"}, {"gpu"}, {}, ["0.1 and jaxlib .* differ"]),
        ([NEW], {CUDA13: JAXLIB, CUDA12: JAXLIB}, {"gpu"}, {}, [f"uninstall {CUDA12}"]),
        ([OLD], {CUDA13: JAXLIB, CUDA12: JAXLIB}, {"gpu"}, {},
         ["driver from 580", f"uninstall {CUDA13}"]),
        ([NEW], {CUDA13: JAXLIB}, {"gpu"}, {"LD_LIBRARY_PATH": "/a"}, ["unset LD_LIBRARY_PATH"]),
        ([NEW], {CUDA13: JAXLIB}, {"cpu"}, {"JAX_PLATFORMS": "cpu"}, ["JAX_PLATFORMS=cpu"]),
    ],
)  # fmt: skip
def test_advice_on_gpus(cards, plugins, platforms, variables, texts):
    advice = list(gpu.advice(cards, plugins, platforms, variables))
    assert len(advice) == len(texts)
    for given, text in zip(advice, texts, strict=True):
        assert re.search(text.replace("[", r"\["), given)


ANSWERS = 'echo "NVIDIA H100 80GB HBM3, 580.65.06, 9.0"', "echo no devices were found; exit 6"


@pytest.mark.parametrize("answer", ANSWERS)
def test_asks_the_driver(answer, tmp_path, monkeypatch):
    command = tmp_path / "nvidia-smi"
    command.write_text(f"#!/bin/sh\n{answer}\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    if answer is ANSWERS[0]:
        assert gpu.cards() == [("NVIDIA H100 80GB HBM3", "580.65.06", "9.0")]
    else:
        with pytest.raises(OSError, match="no devices were found"):
            gpu.cards()
