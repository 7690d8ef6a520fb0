"""Precision of float32 matrix products and convolutions on an NVIDIA GPU.

XLA rounds the operands of both to TensorFloat-32 by default, from 24 bits to 11. As in MindSpore,
here only convolutions do, and `device_context.gpu.op_precision` (or `set_context(gpu_config=...)`)
changes either. A precision that the user has set in JAX is left unchanged. XLA:CPU computes in
float32 in any case.
"""

from typing import Any

import jax
from jax import lax

from sporax._src.core import context
from sporax._src.core.jax_internals import default_platform
from sporax._src.core.settings import Settings
from sporax._src.runtime.xla_kernels import jaxlib_faults

_config: Any = jax.config
_values = Settings("device_context.gpu").values
_FULL, _TF32 = "highest", "default"


def configure():
    """Compute products in full float32 on an NVIDIA GPU, unless the user has set a precision."""
    if jaxlib_faults.has_cuda() and _config.jax_default_matmul_precision is None:
        allow_in_products(False)


def allow_in_products(allowed):
    """Allow TensorFloat-32 in matrix products of operations that have not run yet, or not."""
    _values["matmul_allow_tf32"] = allowed
    jax.config.update("jax_default_matmul_precision", _TF32 if allowed else _FULL)


def allow_in_convolutions(allowed):
    """Allow TensorFloat-32 in convolutions that have not run yet, or not."""
    _values["conv_allow_tf32"] = allowed


def of_convolution():
    """Return the precision of a convolution for `lax`; None: of products."""
    is_own = _config.jax_default_matmul_precision in (_FULL, _TF32)
    if default_platform() != "gpu" or not is_own:
        return None
    allowed = _values["conv_allow_tf32"]
    return lax.Precision.DEFAULT if allowed else lax.Precision.HIGHEST


ACTIONS = {"matmul_allow_tf32": allow_in_products, "conv_allow_tf32": allow_in_convolutions}


def _from_context(settings):
    for name in ACTIONS.keys() & settings.keys():
        ACTIONS[name](bool(settings[name]))


context.when_set("gpu_config", _from_context)
