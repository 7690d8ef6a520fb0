"""Memory limits of the process, and errors for allocations that would exceed them.

When memory runs out, the process ends: an allocation of XLA or LLVM fails that is too small to be
checked, or the system kills a process whose control group (a container) is full. So the memory of
arrays and programs is counted, and MemoryError raised while `RESERVE` is left.
"""

import functools
import gc
import re
from pathlib import Path

from sporax._src.core import heap
from sporax._src.core.units import bytes_text
from sporax._src.diagnosis.rules import Phrase, message, rejection

try:
    import resource
except ImportError:  # not a POSIX system: no such limits
    resource = None

RESERVE = 2**25  # bytes reserved for uncounted memory: threads, traces, XLA's own
COMPILING = 2**25  # further bytes that a compilation needs
TO_COMPILE = "process-limit-to-compile"
_APART = 2**24  # bytes after which the limits are checked again
_UNLIMITED = 2**60  # bytes; control groups report "no limit" as a larger number
# rlimit -> index in `heap.pages` of the number that it bounds
_RLIMITS = {"RLIMIT_AS": 0, "RLIMIT_DATA": 5}
# files of a control group, version 2 and 1: folder, controller, limit, usage, and the entry of
# `memory.stat` for reclaimable memory
_GROUP_FILES = (
    ("/sys/fs/cgroup", "", "memory.max", "memory.current", b"inactive_file"),
    ("/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     b"total_inactive_file"),
)  # fmt: skip
_PHRASES = ("RESOURCE_EXHAUSTED", "Out of memory", "bad_alloc", "YNNPACK operation failed")
_BYTES = re.compile(r"allocating (\d+) bytes")


class Budget:
    """The bytes that may be allocated before the limits are checked again.

    `is_limited`: whether the last check found a limit. `is_near`: whether so little was left that
    a program may fail while it runs, and must be waited for.
    """

    left = 0
    is_limited = is_near = False

    def spend(self, size):
        """Count `size` bytes. Raises MemoryError if they would exceed the limits."""
        self.left -= size
        if self.left < 0:
            self.require(size)

    def require(self, size, rule="process-limit"):
        """Check the limits. Raises MemoryError, by this rule, if they leave less."""
        in_heap = rule == TO_COMPILE or size < heap.BLOCK  # a compiler allocates many small blocks
        left = _left(in_heap)
        if left is not None and left < size + RESERVE:
            _give_back()
            for release in releases:
                release()
            left = _left(in_heap)
        self.is_limited = left is not None
        if left is None:
            self.left, self.is_near = _APART, False
            return
        left -= size + RESERVE
        self.is_near = left < size + 4 * RESERVE
        self.left = max(0, min(_APART, left // 4))
        if left < 0:
            asked, left = bytes_text(size), bytes_text(max(left + size, 0))
            raise rejection(rule, size=asked, left=left)


releases = [gc.collect, heap.release]  # functions that free unneeded memory
budget = Budget()


@functools.cache
def _give_back():
    """Return freed memory to the system from now on: in the heap it counts as used and, if the
    address space is limited, is unavailable to stacks, code and larger blocks."""
    heap.keep_freed(False)
    heap.release()


def _left(in_heap):
    """Return the bytes left under the tightest limit, or None without one. For a limit of the
    address space, blocks that are `in_heap` can use free heap memory."""
    remaining = []
    for name, number in _RLIMITS.items():
        limit = _rlimit(name)
        if 0 <= limit < _UNLIMITED and Path("/proc/self/statm").exists():
            _give_back()
            left = limit - heap.pages()[number]
            # free memory may be fragmented: some addresses must be left for stacks and code
            remaining.append(left + (min(heap.usage()[1], 2 * left) if in_heap else 0))
    for limit, used, statistics, name in _control_groups():
        used = int(used.read_bytes())
        maximum = limit.read_bytes().strip()
        if maximum.isdigit():
            taken_back = re.search(rb"^%s (\d+)" % name, statistics.read_bytes(), re.M)
            remaining.append(int(maximum) - used + int(taken_back[1]))
    return min(remaining, default=None)


def _rlimit(name):
    """Return the soft limit of this name; -1 or a large number if there is none."""
    return -1 if resource is None else resource.getrlimit(getattr(resource, name))[0]


@functools.cache
def _control_groups():
    """Return the files of each control group of the process that has a limit."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:  # not Linux
        return ()
    paths = {name: path for _, names, path in (line.split(":", 2) for line in lines)
             for name in names.split(",")}  # fmt: skip
    groups = []
    for root, name, limit, used, entry in _GROUP_FILES:
        folder = Path(root + paths.get(name, "/"))
        for group in (folder, *folder.parents):
            if group.is_relative_to(root) and (group / limit).exists():
                text = (group / limit).read_text().strip()
                if text.isdigit() and int(text) < _UNLIMITED:
                    groups.append((group / limit, group / used, group / "memory.stat", entry))
    return tuple(groups)


def limit():
    """Return the maximum bytes of memory of the process, or None without a limit."""
    texts = [limit.read_text().strip() for limit, *_ in _control_groups()]
    limits = [*map(_rlimit, _RLIMITS), *(int(text) for text in texts if text.isdigit())]
    return min((size for size in limits if 0 <= size < _UNLIMITED), default=None)


def is_out_of_memory(error):
    """Return True if an error reports a failed allocation."""
    return isinstance(error, MemoryError) or any(phrase in str(error) for phrase in _PHRASES)


def reason_of(error):
    """Describe the failed allocation that an error reports."""
    if error.args and isinstance(error.args[0], Phrase):
        return error.args[0]
    size = _BYTES.search(str(error))
    size = bytes_text(int(size[1])) if size else None
    return message("allocation-of-failed", size=size) if size else message("allocation-failed")


def memory_error(error, array, what, is_large=False):
    """Return a MemoryError if the error reports a failed allocation, else the error itself.

    `what`: the phrase of what the memory is needed for, of the `array`. `is_large`: True if more
    than this array may be needed.
    """
    if not is_out_of_memory(error):
        return error
    size = bytes_text(array.nbytes)
    need = message(what, dtype=array.dtype.name, shape=array.shape, size=size)
    remedy = message("smaller-batches" if is_large else "let-go-of-tensors")
    return rejection("memory-suffices", need=need, reason=reason_of(error), remedy=remedy)
