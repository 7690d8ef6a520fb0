"""`mindspore.device_context.gpu`: JAX's GPUs, and settings of cuDNN's kernels."""

from sporax.compat import devices
from sporax.compat.device_context.device_settings import setters

globals().update(setters("device_context.gpu"))


def is_available():
    """Return True if there is a GPU."""
    return devices.is_available("GPU")


def device_count():
    """Return the number of GPUs; raises RuntimeError if there is none."""
    if not is_available():
        raise RuntimeError(
            "For 'device_count', there must be a GPU, but there is none. Ask "
            "'device_context.gpu.is_available' first."
        )
    return devices.device_count("GPU")
