"""Record the names that MindSpore 2.10 has in `ops`.

Run it with an interpreter that has MindSpore: `python tools/record_names.py`. It writes
`tests/recorded/ops_names.txt`, one per line.
"""

from pathlib import Path

from mindspore import ops

if __name__ == "__main__":
    path = Path(__file__).parent.parent / "tests" / "recorded" / "ops_names.txt"
    names = [name for name in dir(ops) if not name.startswith("__")]
    path.write_text("".join(f"{name}\n" for name in names), encoding="utf8")
