"""`mindspore.device_context.gpu`: the GPUs that JAX has, and settings of cuDNN's kernels."""

from sporax.compat import devices
from sporax.compat.device_context.device_settings import setters

globals().update(setters("device_context.gpu"))


def is_available():
    """Whether there is a GPU."""
    return devices.is_available("GPU")


def device_count():
    """How many GPUs there are; RuntimeError where there is none."""
    if not is_available():
        raise RuntimeError(
            "For 'device_count', there must be a GPU, but there is none. Ask "
            "'device_context.gpu.is_available' first."
        )
    return devices.device_count("GPU")
