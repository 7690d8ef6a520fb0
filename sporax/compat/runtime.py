"""`mindspore.runtime`: memory settings, and synchronization with the device."""

import gc
import logging
import os

from sporax.core import context, to_host
from sporax.engine.recorder import run_pending
from sporax.nn import Cell
from sporax.ops import Primitive
from sporax.xla_kernels import host_memory


def set_memory(
    init_size="2GB", increase_size="2GB", max_size="1024GB", optimize_level="O0",
    huge_page_reserve_size="0GB",
):  # fmt: skip
    """Settings of MindSpore's memory pool: kept, without effect, since XLA manages its own.

    Raises ValueError for an `optimize_level` other than 'O0' and 'O1'.

    >>> ms.set_memory(max_size="8GB")
    """
    if optimize_level not in ("O0", "O1"):
        raise ValueError(
            f"For 'set_memory', 'optimize_level' must be 'O0' or 'O1', but got {optimize_level!r}."
        )
    context.set_context(
        mempool_block_size=init_size, max_device_memory=max_size,
        memory_optimize_level=optimize_level,
    )  # fmt: skip


def synchronize():
    """Wait until all operations so far have run: those that are pending are started first.

    >>> ms.synchronize()
    """
    run_pending()
    to_host.synchronize()


def launch_blocking():
    """Run each operation at its own line, as `set_context(pynative_synchronize=True)` does.

    >>> ms.launch_blocking()
    >>> ms.set_context(pynative_synchronize=False)
    """
    context.set_context(pynative_synchronize=True)


def empty_cache():
    """Give memory that is free back to the system; programs that run next ask for it again.

    The memory of the host, which the process keeps for its next program (SPORAX_KEEP_MEMORY=off
    switches that off). XLA keeps that of a GPU until the process ends.

    >>> from sporax.compat import runtime
    >>> runtime.empty_cache()
    """
    host_memory.release()


def ms_memory_recycle():
    """Free what networks that are gone have left, their programs too, and give memory that is free
    back to the system.

    >>> ms.ms_memory_recycle()
    """
    gc.collect()
    empty_cache()


def set_dump(target, enabled=True):
    """Whether MindSpore's Ascend writes what a Cell or a Primitive computes: accepted, without
    effect (said once), as MindSpore on a CPU does. A forward hook sees what a Cell computes.

    >>> ms.set_dump(nn.Dense(2, 2))
    """
    for name, value, kinds, words in (
        ("target", target, (Cell, Primitive), "a Cell or a Primitive"),
        ("enabled", enabled, (bool,), "a bool"),
    ):
        if not isinstance(value, kinds):
            raise TypeError(
                f"For 'set_dump', '{name}' must be {words}, but got {type(value).__name__}. "
                "Use Cell.register_forward_hook to see what a Cell computes."
            )
    without_effect("set_dump", "Cell.register_forward_hook sees what a Cell computes")


_log = logging.getLogger("sporax")
_mentioned = set()


def without_effect(name, why):
    """Log once that a setting has no effect here."""
    if name not in _mentioned:
        _mentioned.add(name)
        _log.warning("'%s' has no effect here: %s.", name, why)


def _positive(who, **values):
    for name, value in values.items():
        if type(value) is not int or value < 1:
            raise (ValueError if type(value) is int else TypeError)(
                f"For '{who}', '{name}' must be an int from 1, but got {value!r:.80}. Leave it out."
            )


def dispatch_threads_num(threads_num):
    """How many threads prepare operations in MindSpore: accepted, XLA has its own.

    >>> from sporax.compat import runtime
    >>> runtime.dispatch_threads_num(4)
    """
    _positive("dispatch_threads_num", threads_num=threads_num)
    without_effect("dispatch_threads_num", "a whole program is started at once")


def set_kernel_launch_group(thread_num=2, kernel_group_num=8):
    """In which groups MindSpore starts operations: accepted, XLA starts a whole program.

    >>> from sporax.compat import runtime
    >>> runtime.set_kernel_launch_group()
    """
    _positive("set_kernel_launch_group", thread_num=thread_num, kernel_group_num=kernel_group_num)
    without_effect("set_kernel_launch_group", "a whole program is started at once")


def set_kernel_launch_capture(enable_capture_graph, op_capture_skip=None):
    """Whether a GPU's or NPU's own graphs are captured: accepted, XLA decides that.

    >>> from sporax.compat import runtime
    >>> runtime.set_kernel_launch_capture(True)
    """
    for name, value, kinds in (
        ("enable_capture_graph", enable_capture_graph, (bool,)),
        ("op_capture_skip", op_capture_skip, (list, type(None))),
    ):
        if not isinstance(value, kinds):
            raise TypeError(
                f"For 'set_kernel_launch_capture', '{name}' must be a {kinds[0].__name__}, but got "
                f"{type(value).__name__}. Leave it out."
            )
    without_effect("set_kernel_launch_capture", "XLA decides which device graphs there are")


def set_cpu_affinity(
    enable_affinity, affinity_cpu_list=None, module_to_cpu_dict=None, bind_file=None
):
    """Let the process run on some processors only, `affinity_cpu_list`, such as ["0-3", "8"]; with
    `enable_affinity=False` on all that it began with.

    `module_to_cpu_dict` and `bind_file`, which name threads of MindSpore's own, are refused.

    >>> from sporax.compat import runtime
    >>> runtime.set_cpu_affinity(True, ["0-0"])
    >>> runtime.set_cpu_affinity(False)
    """
    if not isinstance(enable_affinity, bool):
        raise TypeError(
            "For 'set_cpu_affinity', 'enable_affinity' must be a bool, but got "
            f"{type(enable_affinity).__name__}. Give True or False."
        )
    if module_to_cpu_dict or bind_file:
        raise NotImplementedError(
            "For 'set_cpu_affinity', 'module_to_cpu_dict' and 'bind_file' must be left out: they "
            "name threads of MindSpore's own. Give 'affinity_cpu_list' for the whole process."
        )
    wanted = _PROCESSORS
    if enable_affinity and affinity_cpu_list:
        wanted = {cpu for text in affinity_cpu_list for cpu in _range(text)}
    if not wanted <= _PROCESSORS:
        raise ValueError(
            "For 'set_cpu_affinity', 'affinity_cpu_list' must name processors of this process, "
            f"{sorted(_PROCESSORS)}, but got {sorted(wanted)}. Remove the others."
        )
    os.sched_setaffinity(0, wanted)


_PROCESSORS = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


def _range(text):
    """The processors of "3" or "0-3"."""
    first, dash, last = str(text).partition("-")
    if not first.isdigit() or (dash and not last.isdigit()):
        raise ValueError(
            "For 'set_cpu_affinity', 'affinity_cpu_list' must hold texts such as '0-3', but got "
            f"{text!r:.80}. Number processors from 0."
        )
    return range(int(first), int(last or first) + 1)
