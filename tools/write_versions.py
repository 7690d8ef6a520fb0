"""Write docs/versions.md from `sporax._src.versions` and the table of jaxlib's faults.

python -m tools.write_versions
"""

from pathlib import Path

from sporax._src import versions
from sporax._src.runtime.xla_kernels.jaxlib_faults import FAULTS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "versions.md"

_HEAD = """# Versions and their known bugs

sporax runs with jaxlib {oldest} and NumPy {numpy}, and later ones. The tests run on the newest
Python with the newest JAX that supports it, and on the oldest Python with its newest JAX.

| Python | newest compatible JAX |
|---|---|
{pythons}

Rejected when sporax is imported:

| jaxlib | reason |
|---|---|
{refused}

## Known bugs of jaxlib

XLA has bugs that silently change results. Each known bug is a row of the table in
`sporax/_src/runtime/xla_kernels/jaxlib_faults.py`, and sporax applies its workaround
automatically. `sporax doctor` lists the bugs of the installed jaxlib. Reproducers ("yes") run once
on each machine, before its first program is compiled, and as rows of
`tests/xla_kernels/test_jaxlib_faults.py` with every version. [The comparison of each
program](verified.md) detects unknown bugs.

| bug | report | jaxlib | platform | trigger | effect | what sporax does | reproducer |
|---|---|---|---|---|---|---|---|
{faults}

`tools/write_versions.py` writes this page.
"""


def _row(*cells):
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _range(fault):
    first, last = fault.first, fault.last
    if first == last:
        return first or "all known"
    if last is None:
        return f"{first} and later"
    return f"up to {last}" if first is None else f"{first} to {last}"


def _remedy(fault):
    if fault.option is None:
        return fault.remedy
    return f"{fault.remedy}: `--{fault.option.name}={fault.option.value}`"


def text():
    """The page."""
    pythons = [_row(*pair) for pair in versions.NEWEST.items()]
    refused = [_row(f"before {versions.OLDEST}", versions.TOO_OLD)]
    refused += [_row(*pair) for pair in versions.REFUSED.items()]
    faults = [
        _row(
            f.name, f.issue, _range(f), f.platform, f.trigger, f.effect, _remedy(f),
            "yes" if f.reproducer else "",
        )
        for f in FAULTS
    ]  # fmt: skip
    lists = {"pythons": pythons, "refused": refused, "faults": faults}
    filled = {name: "\n".join(rows) for name, rows in lists.items()}
    return _HEAD.format(oldest=versions.OLDEST, numpy=versions.OLDEST_NUMPY, **filled)


if __name__ == "__main__":
    PAGE.write_text(text(), "utf8")
