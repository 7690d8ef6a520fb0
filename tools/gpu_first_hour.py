"""Examine sporax on a machine with one GPU within ten minutes, and write one page.

    tools/gpu_first_hour.sh [--platform cuda] [--short] [--only NAME,...] [--out gpu_first_hour.md]

Each section of `gpu_sections.py` is a process of its own with its own time limit, so that one that
hangs or crashes does not end the others. The page has each section's lines, or FAILED and the
error, or why it does not apply. The exit status is 1 if a section failed. `--platform cpu` runs
everything on the CPU, `--short` with the smallest sizes.
"""

import argparse
import datetime
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TOTAL = 600  # seconds
APPLIES_NOT = 3  # exit status of a section that does not apply
LINES = 40  # of a failed section's output that the page shows
SECTIONS = {  # name -> seconds
    "machine": 40, "doctor": 60, "admission": 90, "precision": 60, "determinism": 120,
    "float64": 60, "host reads": 60, "memory": 60, "two processes": 90, "attention": 60,
    "speed: sporax": 60, "speed: sporax under jit": 60, "speed: plain JAX": 60,
    "speed: PyTorch": 60, "speed: PyTorch, compiled": 90, "command buffers": 90,
    "autotuner": 120, "tests": 150,
}  # fmt: skip


class Result(NamedTuple):
    """Outcome of a section: 'passed', 'does not apply' or 'FAILED', and its lines."""

    outcome: str
    text: str
    seconds: float


def run(name, options, seconds, command=None):
    """Run a section in a process for at most that many seconds; return its `Result`."""
    command = command or [sys.executable, str(Path(__file__).with_name("gpu_sections.py")), name]
    start = time.monotonic()
    environment = {**os.environ, "JAX_PLATFORMS": options.platform, "SPORAX_LANG": "en"}
    environment["GPU_SHORT"] = str(int(options.short))
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), environment.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory(prefix="gpu-first-hour") as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        environment["SPORAX_CACHE_DIR"] = str(Path(folder) / "cache")  # nothing is compiled yet
        with open(out, "w") as to, open(err, "w") as errors:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=to,
                                       stderr=errors, start_new_session=True)  # fmt: skip
            status = waited(process, seconds)
        text, error = out.read_text("utf8", "replace"), err.read_text("utf8", "replace")
    took = time.monotonic() - start
    if status == 0:
        return Result("passed", text.strip(), took)
    if status == APPLIES_NOT:
        return Result("does not apply", text.strip(), took)
    why = f"no end after {seconds:.0f} s" if status is None else f"exit status {status}"
    tail = [*text.splitlines()[-LINES:], *error.splitlines()[-LINES:], why]
    return Result("FAILED", "\n".join(tail), took)


def waited(process, seconds):
    """Return the exit status of a process; None if it was killed, with its children."""
    try:
        return process.wait(max(seconds, 0.1))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return None


def page(results, options):
    """Return the page."""
    failed = [name for name, result in results.items() if result.outcome == "FAILED"]
    lines = [
        f"# sporax on {options.platform}, {datetime.date.today()}", "",
        f"Python {platform.python_version()}, {platform.platform()}. "
        + (f"**FAILED: {', '.join(failed)}.**" if failed else "No section failed."),
        "", "| section | outcome | seconds |", "|---|---|--:|",
        *[f"| {name} | {r.outcome} | {r.seconds:.0f} |" for name, r in results.items()],
    ]  # fmt: skip
    for name, result in results.items():
        lines += ["", f"## {name}: {result.outcome}", "", "```", result.text, "```"]
    return "\n".join(lines) + "\n"


def parsed(arguments):
    """Return the options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--platform", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--short", action="store_true", help="the smallest sizes")
    parser.add_argument("--only", default="", help="names of sections, with commas between them")
    parser.add_argument("--out", type=Path, default=Path("gpu_first_hour.md"))
    options = parser.parse_args(arguments)
    options.only = [name for name in options.only.split(",") if name]
    for name in options.only:
        if name not in SECTIONS:
            parser.error(f"argument --only: no section {name!r}; there are {', '.join(SECTIONS)}")
    return options


def main(arguments=None):
    """Run the sections and write the page; return the exit status."""
    options, results, end = parsed(arguments), {}, time.monotonic() + TOTAL
    for name in options.only or SECTIONS:
        results[name] = run(name, options, min(SECTIONS[name], end - time.monotonic()))
        print(f"{results[name].outcome:15} {results[name].seconds:4.0f} s  {name}", flush=True)
        options.out.write_text(page(results, options), "utf8")  # also if this process is killed
    print(f"written: {options.out}")
    return int(any(result.outcome == "FAILED" for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
