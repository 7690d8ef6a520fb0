"""`sporax convert`: weights from one file format into another."""

import sys

from sporax import migrate
from sporax._src.diagnosis.rules import require

_REFUSED = 2


def convert(options):
    """Convert and print each tensor's old and new name; return the exit code: 0, or 2 on
    failure."""
    try:
        lines = migrate.convert(
            options.source, options.target, options.to, names(options.names), options.force,
            options.key,
        )  # fmt: skip
    except (ImportError, OSError, RuntimeError, TypeError, ValueError) as error:
        text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        print(f"sporax: {text}", file=sys.stderr)
        return _REFUSED
    width = max(len(line.old) for line in lines)
    for line in lines:
        new = "(left out)" if line.new is None else line.new
        print(f"{line.old.ljust(width)} -> {new.ljust(width)}  {line.shape}  {line.dtype}".rstrip())
    written = sum(line.new is not None for line in lines)
    print(f"{written} tensors: {options.source} -> {options.target}")
    return 0


def names(pairs):
    """Parse `OLD=NEW` pairs into {old name: new name, or None if it is empty}."""
    chosen = {}
    for pair in pairs:
        old, equals, new = pair.partition("=")
        require(old and equals, "name-old-new", got=pair)
        chosen[old] = new or None
    return chosen
