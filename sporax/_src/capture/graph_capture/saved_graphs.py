"""The setting `save_graphs`: write each captured graph to a text file."""

import os
import re
import zlib
from pathlib import Path

import jax

from sporax._src.core import context


def save_graph(name, run, avals):
    """Write the jaxpr of `run` on arrays of these avals, if `save_graphs` of `set_context` or the
    environment variable MS_DEV_SAVE_GRAPHS is on (its folder: MS_DEV_SAVE_GRAPHS_PATH).

    The file name contains a checksum of the text: a graph captured twice is one file.
    """
    wanted = os.environ.get("MS_DEV_SAVE_GRAPHS", "0") not in ("", "0")
    if not (wanted or context.get_context("save_graphs")):
        return
    folder = os.environ.get("MS_DEV_SAVE_GRAPHS_PATH") or context.get_context("save_graphs_path")
    specs = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak) for a in avals]
    text = f"# {name}\n{jax.make_jaxpr(run)(*specs)}\n"
    word = re.sub(r"\W+", "_", name).strip("_")
    Path(folder).mkdir(parents=True, exist_ok=True)
    file = Path(folder) / f"{word}_validate_{zlib.crc32(text.encode()):08x}.ir"
    file.write_text(text, encoding="utf8")
