"""`mindspore.runtime`: memory settings, and synchronization with the device."""

import gc
import logging

from sporax._src import operating_system
from sporax._src.core import context, to_host
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.recorder import run_pending
from sporax._src.runtime.xla_kernels import host_memory
from sporax.nn import Cell
from sporax.ops import Primitive


def set_memory(
    init_size="2GB", increase_size="2GB", max_size="1024GB", optimize_level="O0",
    huge_page_reserve_size="0GB",
):  # fmt: skip
    """Set MindSpore's memory pool: stored without effect, since XLA manages its own memory.

    >>> ms.set_memory(max_size="8GB")
    """
    require(
        optimize_level in ("O0", "O1"),
        "one-of",
        "set_memory",
        optimize_level=optimize_level,
        choices=("O0", "O1"),
    )
    context.set_context(
        mempool_block_size=init_size, max_device_memory=max_size,
        memory_optimize_level=optimize_level,
    )  # fmt: skip


def synchronize():
    """Wait until all operations so far have run; pending operations are started first.

    >>> ms.synchronize()
    """
    run_pending()
    to_host.synchronize()


def launch_blocking():
    """Run each operation at its line, as `set_context(pynative_synchronize=True)` does.

    >>> ms.launch_blocking()
    >>> ms.set_context(pynative_synchronize=False)
    """
    context.set_context(pynative_synchronize=True)


def empty_cache():
    """Return free host memory to the system; the next programs allocate it again.

    The process keeps free host memory for its next program (SPORAX_KEEP_MEMORY=off disables this).
    XLA keeps GPU memory until the process ends.

    >>> from sporax._src.mindspore.compat import runtime
    >>> runtime.empty_cache()
    """
    host_memory.release()


def ms_memory_recycle():
    """Collect deleted networks and their programs, and return free memory to the system.

    >>> ms.ms_memory_recycle()
    """
    gc.collect()
    empty_cache()


def set_dump(target, enabled=True):
    """Let MindSpore's Ascend backend dump the results of a Cell or Primitive: accepted, without
    effect (logged once), as in MindSpore on a CPU. A forward hook sees the outputs of a Cell.

    >>> ms.set_dump(nn.Dense(2, 2))
    """
    for name, value, kinds, words in (
        ("target", target, (Cell, Primitive), "a Cell or a Primitive"),
        ("enabled", enabled, (bool,), "a bool"),
    ):
        require(
            isinstance(value, kinds),
            "must-be-argument-type-runtime",
            "set_dump",
            argument=name,
            words=words,
            got=value,
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
    """Set the number of MindSpore's dispatch threads: accepted, without effect in XLA.

    >>> from sporax._src.mindspore.compat import runtime
    >>> runtime.dispatch_threads_num(4)
    """
    _positive("dispatch_threads_num", threads_num=threads_num)
    without_effect("dispatch_threads_num", "a whole program is started at once")


def set_kernel_launch_group(thread_num=2, kernel_group_num=8):
    """Set the groups in which MindSpore launches kernels: accepted; XLA launches whole programs.

    >>> from sporax._src.mindspore.compat import runtime
    >>> runtime.set_kernel_launch_group()
    """
    _positive("set_kernel_launch_group", thread_num=thread_num, kernel_group_num=kernel_group_num)
    without_effect("set_kernel_launch_group", "a whole program is started at once")


def set_kernel_launch_capture(enable_capture_graph, op_capture_skip=None):
    """Enable the capture of GPU or NPU device graphs: accepted, without effect; XLA decides that.

    >>> from sporax._src.mindspore.compat import runtime
    >>> runtime.set_kernel_launch_capture(True)
    """
    for name, value, kinds in (
        ("enable_capture_graph", enable_capture_graph, (bool,)),
        ("op_capture_skip", op_capture_skip, (list, type(None))),
    ):
        if not isinstance(value, kinds):
            raise rejection(
                "must-be-a",
                "set_kernel_launch_capture",
                argument=name,
                kinds=kinds[0].__name__,
                got=value,
            )
    without_effect("set_kernel_launch_capture", "XLA decides which device graphs there are")


def set_cpu_affinity(
    enable_affinity, affinity_cpu_list=None, module_to_cpu_dict=None, bind_file=None
):
    """Restrict the process to the processors `affinity_cpu_list`, such as ["0-3", "8"]; with
    `enable_affinity=False`, restore the initial ones.

    Raises NotImplementedError for `module_to_cpu_dict` and `bind_file`, which name threads of
    MindSpore.

    >>> from sporax._src.mindspore.compat import runtime
    >>> runtime.set_cpu_affinity(True, ["0-0"])
    >>> runtime.set_cpu_affinity(False)
    """
    require(
        isinstance(enable_affinity, bool),
        "must-be-type",
        "set_cpu_affinity",
        enable_affinity=enable_affinity,
        kind="a-bool",
    )
    require(
        not module_to_cpu_dict and (not bind_file),
        "bind-file-left-out-name",
        "set_cpu_affinity",
        argument="module_to_cpu_dict",
    )
    wanted = _PROCESSORS
    if enable_affinity and affinity_cpu_list:
        wanted = {cpu for text in affinity_cpu_list for cpu in _range(text)}
    if not wanted <= _PROCESSORS:
        raise rejection(
            "name-processors-process",
            "set_cpu_affinity",
            affinity_cpu_list=sorted(wanted),
            processors=sorted(_PROCESSORS),
        )
    if not operating_system.pin(0, wanted):
        without_effect("set_cpu_affinity", "this operating system does not pin processes to cores")


_PROCESSORS = operating_system.cores()


def _range(text):
    """Return the processors of "3" or "0-3"."""
    first, dash, last = str(text).partition("-")
    require(
        first.isdigit() and (not dash or last.isdigit()),
        "hold-texts-such-0",
        "set_cpu_affinity",
        affinity_cpu_list=text,
    )
    return range(int(first), int(last or first) + 1)
