"""Write the folder `locks`: versions for the tests, versions and hashes of what users install, and
the software bill of materials that the wheel contains, from the latter.

python -m tools.lock
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ROOT / "locks"
_OPTIONS = ("--universal", "--no-emit-index-url", "--no-annotate", "--no-header", "--quiet")


def _run(module, *arguments):
    subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=True)


def main():
    LOCKS.mkdir(exist_ok=True)
    compiling = ("uv", "pip", "compile", "pyproject.toml", "--upgrade", *_OPTIONS)
    extras = [f"--extra={extra}" for extra in ("demo", "test", "lint")]
    _run(*compiling, *extras, "--output-file", "locks/tests.txt")
    _run(*compiling, "--generate-hashes", "--output-file", "locks/users.txt")
    _run(
        "cyclonedx_py", "requirements", "locks/users.txt", "--pyproject", "pyproject.toml",
        "--output-reproducible", "--output-file", "locks/sporax.cdx.json",
    )  # fmt: skip


if __name__ == "__main__":
    main()
