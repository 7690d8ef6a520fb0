"""How on this platform? The few operations whose best XLA form differs from the obvious one."""

from sporax.xla_kernels import host_memory, jaxlib_faults


def configure_process():
    """Settings of the process, before its first program."""
    host_memory.keep_freed()
    jaxlib_faults.set_options()
