"""`mindspore.runtime`: memory settings, and synchronization with the device."""

from sporax.core import context
from sporax.core.to_host import synchronize  # noqa: F401 - a public name of this module
from sporax.xla_kernels import host_memory


def set_memory(
    init_size="2GB", increase_size="2GB", max_size="1024GB", optimize_level="O0",
    huge_page_reserve_size="0GB",
):  # fmt: skip
    """Settings of MindSpore's memory pool: kept, without effect, since XLA manages its own.

    Raises ValueError for an `optimize_level` other than 'O0' and 'O1'.
    """
    if optimize_level not in ("O0", "O1"):
        raise ValueError(
            f"For 'set_memory', 'optimize_level' must be 'O0' or 'O1', but got {optimize_level!r}."
        )
    context.set_context(
        mempool_block_size=init_size, max_device_memory=max_size,
        memory_optimize_level=optimize_level,
    )  # fmt: skip


def launch_blocking():
    """Run each operation at its own line, as `set_context(pynative_synchronize=True)` does."""
    context.set_context(pynative_synchronize=True)


def empty_cache():
    """Give memory that is free back to the system; programs that run next ask for it again.

    The memory of the host, which the process keeps for its next program (SPORAX_KEEP_MEMORY=off
    switches that off). XLA keeps that of a GPU until the process ends.

    >>> from sporax.compat import runtime
    >>> runtime.empty_cache()
    """
    host_memory.release()
