"""Conversion between formats of checkpoint files."""

import concurrent.futures
import os
import re

from sporax._src.diagnosis.rules import require
from sporax.io import background_writer, file_formats


def ckpt_to_safetensors(
    file_path, save_path=None, name_map=None, file_name_regex=None, processes_num=1
):
    """Convert a `.ckpt` file to `.safetensors`, or each file in a folder's subfolders `rank*`.

    `save_path`: the output folder; by default beside the originals. `name_map`: new names by old
    names. `file_name_regex`: a regular expression that selects files by name. `processes_num`: the
    number of concurrent conversions. Raises ValueError for an invalid path, and TypeError for a
    checkpoint with strings, which the format does not support.

    >>> import tempfile; folder = tempfile.mkdtemp()
    >>> ms.save_checkpoint([Parameter(1.0, name="a")], f"{folder}/x.ckpt")
    >>> ckpt_to_safetensors(f"{folder}/x.ckpt", name_map={"a": "b"})
    >>> list(ms.load_checkpoint(f"{folder}/x.safetensors", format="safetensors"))
    ['b']
    """
    _convert("ckpt_to_safetensors", "ckpt", "safetensors", file_path, save_path, name_map,
             file_name_regex, processes_num)  # fmt: skip


def safetensors_to_ckpt(
    file_path, save_path=None, name_map=None, file_name_regex=None, processes_num=1
):
    """Convert a `.safetensors` file to `.ckpt`; otherwise as `ckpt_to_safetensors`.

    >>> import tempfile; file = tempfile.mkdtemp() + "/a.safetensors"
    >>> ms.save_checkpoint([Parameter(1.0, name="a")], file, format="safetensors")
    >>> safetensors_to_ckpt(file)
    >>> float(ms.load_checkpoint(file.replace("safetensors", "ckpt"))["a"])
    1.0
    """
    _convert("safetensors_to_ckpt", "safetensors", "ckpt", file_path, save_path, name_map,
             file_name_regex, processes_num)  # fmt: skip


def _convert(who, begin, end, path, target, name_map, pattern, count):
    _check(who, target, name_map, count)
    background_writer.wait()
    files = _files(who, path, f".{begin}", pattern)
    base = path if os.path.isdir(path) else os.path.dirname(path)

    def one(source):
        folder = os.path.dirname(source)
        if target:
            folder = os.path.join(target, os.path.relpath(folder, base or "."))
            os.makedirs(folder, exist_ok=True)
        name = os.path.basename(source).removesuffix(f".{begin}") + f".{end}"
        entries = {}
        for old, x in file_formats.contents(who, source, begin):
            new = (name_map or {}).get(old, old)
            is_new = new not in entries
            require(is_new, "names-different-name-map", who, new=new, source=source)
            entries[new] = file_formats.FORMATS[end].stored(new, x)
        file_formats.FORMATS[end].write(os.path.join(folder, name), entries, False, None)

    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        list(pool.map(one, files))


def _check(who, target, name_map, count):
    require(not target or not os.path.splitext(target)[1], "existing-folder", who, save_path=target)
    require(
        name_map is None or isinstance(name_map, dict),
        "must-be-value",
        who,
        name_map=name_map,
        kind="a-dict-or-none",
    )
    fits = isinstance(count, int) and not isinstance(count, bool) and count >= 1
    require(fits, "at-least", who, processes_num=count, n=1)


def _files(who, path, suffix, pattern):
    """Return the files to convert: `path` itself, or the files in its subfolders `rank*`."""
    if os.path.isfile(path):
        require(path.endswith(suffix), "file-end", who, suffix=suffix, got=path)
        is_found = pattern is None or re.search(pattern, path)
        require(is_found, "file-name-has-pattern", who, file_name_regex=pattern, path=path)
        return [path]
    require(os.path.isdir(path), "file-folder", who, file_path=path)
    ranks = [entry.path for entry in os.scandir(path) if entry.is_dir() and
             entry.name.startswith("rank")]  # fmt: skip
    require(ranks, "folder-folders-rank-files", who, path=path)
    return [
        entry.path
        for rank in sorted(ranks)
        for entry in sorted(os.scandir(rank), key=lambda entry: entry.name)
        if entry.name.endswith(suffix) and (pattern is None or re.search(pattern, entry.name))
    ]
