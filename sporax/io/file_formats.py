"""Formats of checkpoint files, and the error for an unreadable file."""

from sporax._src.diagnosis.rules import rejection
from sporax.io import ckpt_file, safetensors_file
from sporax.io.corrupt_file import CorruptFile

# Each has `stored`, `write`, `read` and `deduplicated`.
FORMATS = {"ckpt": ckpt_file, "safetensors": safetensors_file}
_NAMES = {"ckpt": "MindSpore checkpoint", "safetensors": "safetensors file"}


def known(who, format):
    """Return the module of a format; raises ValueError for an unknown format."""
    if format not in FORMATS:
        raise rejection("one-of", who, format=format, choices=tuple(FORMATS))
    return FORMATS[format]


def deduplicated(who, path, format):
    """Call `deduplicated` of a file's format; raises ValueError if the file is damaged."""
    try:
        return FORMATS[format].deduplicated(path)
    except CorruptFile as error:
        raise _damaged(who, path, format, error) from None


def contents(who, path, format, chosen=lambda name: True, crc_check=False, label=None):
    """Yield (name, array or string) of each chosen entry; raises ValueError for a damaged file."""
    try:
        yield from FORMATS[format].read(path, chosen, crc_check)
    except CorruptFile as error:
        raise _damaged(who, label or path, format, error) from None


def _damaged(who, label, format, error):
    fields = {"argument": label, "names": _NAMES[format], "cause": error, "remedy": error.remedy}
    return rejection("no-whole", who, **fields)
