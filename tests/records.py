"""Records in `tests/recorded`: what MindSpore and PyTorch return, as JSON with a record per line.

Text with a record per line is what git compresses against its former version.
"""

import json
from pathlib import Path

FOLDER = Path(__file__).parent / "recorded"
LONG = 2000  # characters of an entry of the outermost level, above which its entries have lines


def read(name):
    """Return the content of `name`.json."""
    return json.loads((FOLDER / f"{name}.json").read_text("utf8"))


def write(file, content):
    """Write a record by its file's suffix: JSON, arrays by name, lines, or bytes."""
    path = FOLDER / file
    if path.suffix == ".json":
        path.write_text(_lines(content) + "\n", "utf8")
    elif path.suffix == ".npz":
        import numpy as np

        np.savez_compressed(path, **content)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text("".join(f"{line}\n" for line in content), "utf8")


def _lines(value, is_outermost=True):
    """JSON, with a line for each entry of the outermost level, and for each of its long entries."""
    if is_outermost and isinstance(value, dict):
        entries = (f"{_compact(str(k))}: {_lines(v, False)}" for k, v in value.items())
    elif isinstance(value, dict) and len(_compact(value)) > LONG:
        entries = (f"{_compact(str(k))}: {_compact(v)}" for k, v in value.items())
    elif is_outermost or (_is_table(value) and len(_compact(value)) > LONG):
        entries = map(_compact, value)
    else:
        return _compact(value)
    left, right = "{}" if isinstance(value, dict) else "[]"
    return f"{left}\n" + ",\n".join(entries) + f"\n{right}"


def _is_table(value):
    return isinstance(value, list) and any(isinstance(row, list | tuple | dict) for row in value)


def _compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
