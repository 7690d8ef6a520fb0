"""`sporax doctor`."""

import re
import warnings

import jax
import pytest

from sporax._src.runtime.compilation_cache.folder import Folder
from sporax._src.workbench.cli import doctor


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
