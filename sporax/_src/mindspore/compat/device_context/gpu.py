"""`mindspore.device_context.gpu`: JAX's GPUs, TensorFloat-32, and settings of cuDNN's kernels."""

from sporax._src.diagnosis.rules import require
from sporax._src.mindspore.compat import devices
from sporax._src.mindspore.compat.device_context.device_settings import setters
from sporax._src.runtime.xla_kernels import precision

globals().update(setters("device_context.gpu", precision.ACTIONS))


def is_available():
    """Return True if there is a GPU."""
    return devices.is_available("GPU")


def device_count():
    """Return the number of GPUs; raises RuntimeError if there is none."""
    require(is_available(), "gpu-none", "device_count")
    return devices.device_count("GPU")
