"""How on this platform? The few operations whose best XLA form differs from the obvious one."""

from sporax.xla_kernels import cuda_atomics, host_memory


def configure_process():
    """Settings of the process, before its first program."""
    host_memory.keep_freed()
    cuda_atomics.use_native()
