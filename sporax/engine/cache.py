"""The compiled programs that outlive the process: JAX's persistent cache, on by default.

JAX can bound the folder itself, but then looks at every file in it each time it adds one: with
4,000 programs kept, compiling a small one takes 120 ms instead of 45. So the folder is bounded
here, once, when a process that compiled something ends.
"""

import atexit
import os
from pathlib import Path

import jax

from sporax.engine.program import compilations

VARIABLE = "SPORAX_CACHE_DIR"  # another folder for it; "off" for none
MOST_BYTES = 2**30


def folder():
    """Where compiled programs are kept; None where the user has switched that off."""
    chosen = os.environ.get(VARIABLE)
    if chosen in ("off", "0", ""):
        return None
    if chosen is not None:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "sporax" / "xla"


def switch_on():
    """Have JAX keep every program it compiles, unless the user chose a folder of JAX's own."""
    chosen = folder()
    if chosen is None or jax.config.values["jax_compilation_cache_dir"] is not None:
        return
    jax.config.update("jax_compilation_cache_dir", str(chosen))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    atexit.register(_prune_if_grown, chosen)


def _prune_if_grown(where):
    if compilations["programs"]:
        prune(where, MOST_BYTES)


def prune(where, most_bytes):
    """Delete the oldest files of a folder until at most `most_bytes` are left."""
    statuses = [(file, file.stat()) for file in where.glob("*") if file.is_file()]
    found = [(status.st_mtime, status.st_size, file) for file, status in statuses]
    excess = sum(size for _, size, _ in found) - most_bytes
    for _, size, path in sorted(found):
        if excess <= 0:
            return
        path.unlink(missing_ok=True)  # another process may have been faster
        excess -= size
