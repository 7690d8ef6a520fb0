"""`mindspore.device_context.cpu`: always available; the number of threads of operations."""

from sporax._src.core.context import set_context
from sporax._src.diagnosis.rules import require
from sporax._src.mindspore.compat import devices


def threads_num(num):
    """Set the number of threads of an operation: stored as the setting `runtime_num_threads`,
    without effect, since XLA uses all threads of the machine.

    `num`: an int greater than 0.
    """
    require(
        isinstance(num, int) and (not isinstance(num, bool)),
        "must-be-type",
        "threads_num",
        num=num,
        kind="an-int",
    )
    require(num > 0, "greater-than", "threads_num", num=num, n=0)
    set_context(runtime_num_threads=num)


def is_available():
    """Return True: there is always a CPU."""
    return devices.is_available("CPU")


def device_count():
    """Return the number of JAX's CPU devices: 1, unless XLA is configured to split it."""
    return devices.device_count("CPU")
