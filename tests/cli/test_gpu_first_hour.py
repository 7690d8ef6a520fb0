"""`tools/gpu_first_hour.sh`, run on the CPU: every section ends, and the page says how."""

import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import gpu_first_hour as kit  # noqa: E402
import gpu_sections  # noqa: E402

OF_GPUS = {"memory", "attention", "speed: PyTorch", "speed: PyTorch, compiled"}
OPTIONS = Namespace(platform="cpu", short=True)


def outcomes(path):
    rows = [line.split(" | ") for line in path.read_text().splitlines() if line.startswith("| ")]
    return {row[0].removeprefix("| "): row[1] for row in rows[1:]}


def on_a_cpu(tmp_path, *arguments):
    command = [str(ROOT / "tools/gpu_first_hour.sh"), "--platform", "cpu", "--short", *arguments]
    out = tmp_path / "page.md"
    run = subprocess.run([*command, "--out", str(out)], env={**kit.os.environ, "PYTHON":
                         sys.executable}, capture_output=True, text=True)  # fmt: skip
    assert run.returncode == 0, out.read_text()
    return outcomes(out)


def test_some_sections_on_a_cpu(tmp_path):
    names = "machine,float64,memory"
    found = on_a_cpu(tmp_path, "--only", names)
    assert found == {"machine": "passed", "float64": "passed", "memory": "does not apply"}


@pytest.mark.slow
def test_all_sections_on_a_cpu(tmp_path):
    found = on_a_cpu(tmp_path)
    assert found.keys() == kit.SECTIONS.keys()
    assert {name for name, outcome in found.items() if outcome != "passed"} <= OF_GPUS


def test_each_section_has_a_limit():
    assert gpu_sections.ALL.keys() == kit.SECTIONS.keys()


@pytest.mark.parametrize(
    ("script", "seconds", "outcome", "text"),
    [
        ("print('all is well')", 60, "passed", "all is well"),
        ("print('no GPU'); raise SystemExit(3)", 60, "does not apply", "no GPU"),
        ("print('before'); 1 / 0", 60, "FAILED", "ZeroDivisionError: division by zero"),
        ("import os; os.abort()", 60, "FAILED", "exit status -6"),
        ("print('x', flush=True); import time; time.sleep(60)", 1, "FAILED", "no end after 1 s"),
    ],
)
def test_outcome_of_a_section(script, seconds, outcome, text):
    result = kit.run("a", OPTIONS, seconds, [sys.executable, "-c", script])
    assert result.outcome == outcome and text in result.text


def test_a_failed_section_is_on_the_page(tmp_path, monkeypatch, capsys):
    failed = kit.Result("FAILED", "RuntimeError: sums differ", 1.0)
    monkeypatch.setattr(kit, "run", lambda name, options, seconds: failed)
    out = tmp_path / "page.md"
    assert kit.main(["--platform", "cpu", "--only", "doctor,tests", "--out", str(out)]) == 1
    assert outcomes(out) == {"doctor": "FAILED", "tests": "FAILED"}
    assert "**FAILED: doctor, tests.**" in out.read_text()
    assert "RuntimeError: sums differ" in out.read_text()
    assert "FAILED" in capsys.readouterr().out


def test_an_unknown_section_is_named(capsys):
    with pytest.raises(SystemExit):
        kit.main(["--only", "docter"])
    assert "no section 'docter'; there are machine, doctor" in capsys.readouterr().err
