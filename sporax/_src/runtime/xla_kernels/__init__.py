"""Platform-specific forms of the few operations whose best XLA form is not the obvious one."""

from sporax._src.runtime.xla_kernels import dispatch, host_memory, jaxlib_faults, precision


def configure_process():
    """Configure the process before its first program."""
    host_memory.keep_freed()
    dispatch.configure()
    jaxlib_faults.set_options()
    precision.configure()
