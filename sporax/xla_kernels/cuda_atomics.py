"""Additions at an index on NVIDIA GPUs use the hardware's atomic addition.

The LLVM of jaxlib 0.10.2 to 0.11.0 holds the hardware's addition of float32 for wrong, since it
flushes subnormal numbers, and writes a loop of compare-and-swap in its place: the gradient of an
embedding whose words repeat takes up to 2,000 times as long (jax-ml/jax issue 38806; LLVM has
repaired it since). An option of LLVM's, which XLA reads when it starts, brings the addition back.
"""

import importlib.util
import os
from importlib.metadata import version

import jax

from sporax.core.errors import warn
from sporax.core.jax_internals import backends_are_initialized

SLOW = {"0.10.2", "0.11.0"}  # versions of jaxlib
OPTION = "-nvptx-allow-ftz-atomics"
_FLAG = "--xla_backend_extra_options="
_PLUGINS = "jax_cuda12_plugin", "jax_cuda13_plugin"


def use_native():
    """Give XLA the option, where this jaxlib is slow without and runs on CUDA. Warns where XLA has
    started before, so that the option comes too late."""
    if not any(map(importlib.util.find_spec, _PLUGINS)) or version("jaxlib") not in SLOW:
        return
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = with_option(flags)
    came_too_late = os.environ["XLA_FLAGS"] != flags and backends_are_initialized()
    if came_too_late and jax.default_backend() == "gpu":
        warn(
            "JAX ran before sporax was imported, so that additions at an index on this GPU are up "
            f"to 2,000 times slower (jaxlib {version('jaxlib')}). Import sporax first, or set "
            f"XLA_FLAGS={_FLAG}{OPTION}."
        )


def with_option(flags):
    """XLA's flags with the option, beside other options of LLVM's; unchanged where they have it."""
    if OPTION in flags or "--xla_gpu_ftz=true" in flags:
        return flags
    if _FLAG in flags:
        return flags.replace(_FLAG, f"{_FLAG}{OPTION},", 1)
    return f"{flags} {_FLAG}{OPTION}".strip()
