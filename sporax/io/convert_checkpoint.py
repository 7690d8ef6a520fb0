"""Conversion between formats of checkpoint files."""

import concurrent.futures
import os
import re

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
            if new in entries:
                raise ValueError(
                    f"For '{who}', 'name_map' must keep names different, but '{new}' would name "
                    f"two entries of '{source}'."
                )
            entries[new] = file_formats.FORMATS[end].stored(new, x)
        file_formats.FORMATS[end].write(os.path.join(folder, name), entries, False, None)

    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        list(pool.map(one, files))


def _check(who, target, name_map, count):
    if target and os.path.splitext(target)[1]:
        raise ValueError(f"For '{who}', 'save_path' must be a folder, but got '{target}'.")
    if name_map is not None and not isinstance(name_map, dict):
        raise ValueError(
            f"For '{who}', 'name_map' must be a dict or None, but got {type(name_map).__name__}."
        )
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ValueError(f"For '{who}', 'processes_num' must be at least 1, but got {count!r}.")


def _files(who, path, suffix, pattern):
    """Return the files to convert: `path` itself, or the files in its subfolders `rank*`."""
    if os.path.isfile(path):
        if not path.endswith(suffix):
            raise ValueError(f"For '{who}', the file must end in '{suffix}', but got '{path}'.")
        if pattern is not None and not re.search(pattern, path):
            raise ValueError(
                f"For '{who}', 'file_name_regex' must be found in the file's name, but {pattern!r} "
                f"is not in '{path}'."
            )
        return [path]
    if not os.path.isdir(path):
        raise ValueError(f"For '{who}', 'file_path' must be a file or folder, but got '{path}'.")
    ranks = [entry.path for entry in os.scandir(path) if entry.is_dir() and
             entry.name.startswith("rank")]  # fmt: skip
    if not ranks:
        raise ValueError(
            f"For '{who}', a folder must have folders 'rank...' with files, but '{path}' has none. "
            "Convert its files one by one."
        )
    return [
        entry.path
        for rank in sorted(ranks)
        for entry in sorted(os.scandir(rank), key=lambda entry: entry.name)
        if entry.name.endswith(suffix) and (pattern is None or re.search(pattern, entry.name))
    ]
