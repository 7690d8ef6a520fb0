"""`mindspore.device_context.cpu`: always available; the number of threads of operations."""

from sporax.compat import devices
from sporax.core.context import set_context


def threads_num(num):
    """Set the number of threads of an operation: stored as the setting `runtime_num_threads`,
    without effect, since XLA uses all threads of the machine.

    `num`: an int greater than 0.
    """
    if not isinstance(num, int) or isinstance(num, bool):
        raise TypeError(f"For 'threads_num', 'num' must be an int, but got {type(num).__name__}.")
    if num <= 0:
        raise ValueError(f"For 'threads_num', 'num' must be greater than 0, but got {num}.")
    set_context(runtime_num_threads=num)


def is_available():
    """Return True: there is always a CPU."""
    return devices.is_available("CPU")


def device_count():
    """Return the number of JAX's CPU devices: 1, unless XLA is configured to split it."""
    return devices.device_count("CPU")
