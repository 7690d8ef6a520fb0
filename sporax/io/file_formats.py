"""The formats of checkpoint files, and the error where a file cannot be read."""

from sporax.io import ckpt_file, safetensors_file
from sporax.io.corrupt_file import CorruptFile

# Each has `stored`, `write`, `read` and `deduplicated`.
FORMATS = {"ckpt": ckpt_file, "safetensors": safetensors_file}
_NAMES = {"ckpt": "MindSpore checkpoint", "safetensors": "safetensors file"}


def known(who, format):
    """The format of that name; ValueError if there is none."""
    if format not in FORMATS:
        raise ValueError(
            f"For '{who}', 'format' must be one of {tuple(FORMATS)}, but got {format!r}."
        )
    return FORMATS[format]


def deduplicated(who, path, format):
    """What the format's `deduplicated` says of a file; ValueError if it is damaged."""
    try:
        return FORMATS[format].deduplicated(path)
    except CorruptFile as error:
        raise _damaged(who, path, format, error) from None


def contents(who, path, format, chosen=lambda name: True, crc_check=False, label=None):
    """(name, array or string) of each chosen entry of a file; ValueError if it is damaged."""
    try:
        yield from FORMATS[format].read(path, chosen, crc_check)
    except CorruptFile as error:
        raise _damaged(who, label or path, format, error) from None


def _damaged(who, label, format, error):
    return ValueError(
        f"For '{who}', '{label}' is no whole {_NAMES[format]}: {error}. Nothing was loaded; "
        f"{error.remedy}."
    )
