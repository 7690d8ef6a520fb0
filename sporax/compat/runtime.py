"""`mindspore.runtime`: memory settings, and synchronization with the device."""

from sporax.core import context
from sporax.core.to_host import synchronize  # noqa: F401 - a public name of this module


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
