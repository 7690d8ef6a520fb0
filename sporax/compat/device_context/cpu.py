"""`mindspore.device_context.cpu`: always there; and the number of threads of operations."""

from sporax.compat import devices
from sporax.core.context import set_context


def threads_num(num):
    """The number of threads of an operation: kept as the setting `runtime_num_threads`, no effect,
    since XLA uses all threads of the machine.

    `num`: an int greater than 0.
    """
    if not isinstance(num, int) or isinstance(num, bool):
        raise TypeError(f"For 'threads_num', 'num' must be an int, but got {type(num).__name__}.")
    if num <= 0:
        raise ValueError(f"For 'threads_num', 'num' must be greater than 0, but got {num}.")
    set_context(runtime_num_threads=num)


def is_available():
    """Whether there is a CPU: True."""
    return devices.is_available("CPU")


def device_count():
    """How many CPU devices JAX has: 1, unless XLA is asked to divide it."""
    return devices.device_count("CPU")
