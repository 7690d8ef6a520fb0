"""The compiled programs that outlive the process: JAX's persistent cache, on by default."""

import os
from pathlib import Path

import jax

VARIABLE = "SPORAX_CACHE_DIR"  # another folder for it; "off" for none


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
    jax.config.update("jax_compilation_cache_max_size", 2**30)  # the oldest entries go first
