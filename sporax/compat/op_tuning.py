"""Settings of operations on a CPU: `mindspore.device_context.cpu.op_tuning`."""

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
