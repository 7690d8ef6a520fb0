"""Pages that are one script: their blocks run in order and print what the pages show."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import run_page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("tutorial/*.md"), *DOCS.glob("from_*.md"), *DOCS.glob("from_*/*.md"),
                DOCS / "how_it_works.md", DOCS / "verified.md"])  # fmt: skip
DEVICES = {"5_devices.md": 4}  # simulated ones; they need a process of their own


@pytest.mark.parametrize("page", [p for p in PAGES if p.name not in DEVICES], ids=lambda p: p.stem)
def test_page_prints_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page.provide_files(page)
    for code, shown, printed in run_page.differences(page.read_text("utf8")):
        pytest.fail(f"{code}\nshown:\n{shown}\nprinted:\n{printed}")


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if p.name in DEVICES], ids=lambda p: p.stem)
def test_page_of_several_devices_prints_what_it_shows(page):
    count = DEVICES[page.name]
    flags = f"--xla_force_host_platform_device_count={count} --xla_backend_optimization_level=0"
    command = [sys.executable, str(ROOT / "tools" / "run_page.py"), str(page)]
    environment = os.environ | {"XLA_FLAGS": flags, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_chinese_page_has_the_same_blocks(page):
    chinese = DOCS / "zh" / page.relative_to(DOCS)
    assert page.read_text("utf8").count("```python") > 0
    blocks = map(run_page.FENCE.findall, [chinese.read_text("utf8"), page.read_text("utf8")])
    assert next(blocks) == next(blocks)


def test_other_output_is_a_difference(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = "```python\nx = 1\nprint(x)\n```\n\n```text\n2\n```\n\n```python\nprint(x + 1)\n```\n"
    assert [row[1:] for row in run_page.differences(page)] == [("2\n", "1\n"), ("", "2\n")]
    assert run_page.differences(run_page.rewritten(page)) == []


def test_engine_of_how_it_works_is_built_on_jax_alone():
    text = (DOCS / "how_it_works.md").read_text("utf8")
    *parts, comparison = [code for code, _ in run_page.blocks(text)]
    assert "import sporax" in comparison
    assert not any("sporax" in part or "mindspore" in part for part in parts)
    engine = [line for part in parts if "print(" not in part and "training" not in part
              for line in part.splitlines() if line.strip()]  # fmt: skip
    assert f"in {round(len(engine), -1)} lines" in text
