"""A headless Chromium, if installed."""

import shutil
import subprocess

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def document_of(address, width=1200):
    """Return (the page's DOM after its scripts have run, the console messages). `address`: a path
    or a URL."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("no Chromium here")
    settings = [
        "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},900",
        "--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom",
    ]  # fmt: skip
    run = subprocess.run(
        [program, *settings, address if isinstance(address, str) else address.as_uri()],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return run.stdout, [line for line in run.stderr.splitlines() if "CONSOLE" in line]
