"""How much memory the process may still ask for, and the errors where it does not suffice.

Where memory runs out, XLA and LLVM end the process: an allocation of theirs fails that is too small
to be checked, or the system kills a process whose control group (a container) is full. So arrays
and programs are counted as they ask for memory, and refused while `RESERVE` is left.
"""

import functools
import gc
import re
from pathlib import Path

from sporax.core import heap
from sporax.core.units import bytes_text

try:
    import resource
except ImportError:  # no POSIX system, and no such limits
    resource = None

RESERVE = 2**25  # bytes that are left to what is not counted: threads, traces, XLA's own
COMPILING = 2**25  # bytes that a compilation must find besides
TO_COMPILE = " to compile"
_APART = 2**24  # bytes after which the limits are looked at again
_UNLIMITED = 2**60  # bytes; what control groups have for "no limit" is above
# rlimits -> which number of `heap.pages` they bound
_RLIMITS = {"RLIMIT_AS": 0, "RLIMIT_DATA": 5}
# files of a control group: the limit, what is used, and which entry of `memory.stat` can be taken
# back, under version 2 and 1
_GROUP_FILES = (
    ("/sys/fs/cgroup", "", "memory.max", "memory.current", b"inactive_file"),
    ("/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     b"total_inactive_file"),
)  # fmt: skip
_PHRASES = ("RESOURCE_EXHAUSTED", "Out of memory", "bad_alloc", "YNNPACK operation failed")
_BYTES = re.compile(r"allocating (\d+) bytes")


class Budget:
    """The bytes that may be asked for before the limits are looked at again.

    `is_limited`: whether there was a limit at the last look. `is_near`: whether so little was left
    that a program may fail while it runs, and has to be waited for.
    """

    left = 0
    is_limited = is_near = False

    def spend(self, size):
        """Count `size` bytes. MemoryError where the limits do not leave them."""
        self.left -= size
        if self.left < 0:
            self.require(size)

    def require(self, size, purpose=""):
        """Look at the limits. MemoryError where they do not leave so much; `purpose`: for what."""
        in_heap = bool(purpose) or size < heap.BLOCK  # a compiler's are many small blocks
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
            raise MemoryError(
                f"{bytes_text(size)} were asked for{purpose}, and "
                f"{bytes_text(max(left + size, 0))} of the process's limit are left"
            )


releases = [gc.collect, heap.release]  # functions that free what is not needed
budget = Budget()


@functools.cache
def _give_back():
    """From now on, what is freed is given back: what stays in the heap counts as used, and where
    addresses are limited, it is lost to stacks, to code, and to larger blocks."""
    heap.keep_freed(False)
    heap.release()


def _left(in_heap):
    """Bytes that the tightest limit leaves; None where there is none. Of addresses, blocks that are
    `in_heap` can have what is free there."""
    found = []
    for name, number in _RLIMITS.items():
        limit = _rlimit(name)
        if 0 <= limit < _UNLIMITED and Path("/proc/self/statm").exists():
            _give_back()
            left = limit - heap.pages()[number]
            # what is free may be in small pieces: some addresses must be left for stacks and code
            found.append(left + (min(heap.usage()[1], 2 * left) if in_heap else 0))
    for limit, used, statistics, name in _control_groups():
        used = int(used.read_bytes())
        maximum = limit.read_bytes().strip()
        if maximum.isdigit():
            taken_back = re.search(rb"^%s (\d+)" % name, statistics.read_bytes(), re.M)
            found.append(int(maximum) - used + int(taken_back[1]))
    return min(found, default=None)


def _rlimit(name):
    """The soft limit of this name; -1 or a large number where there is none."""
    return -1 if resource is None else resource.getrlimit(getattr(resource, name))[0]


@functools.cache
def _control_groups():
    """The files of each control group with a limit that the process is in."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:  # no Linux
        return ()
    paths = {name: path for _, names, path in (line.split(":", 2) for line in lines)
             for name in names.split(",")}  # fmt: skip
    found = []
    for root, name, limit, used, entry in _GROUP_FILES:
        folder = Path(root + paths.get(name, "/"))
        for group in (folder, *folder.parents):
            if group.is_relative_to(root) and (group / limit).exists():
                text = (group / limit).read_text().strip()
                if text.isdigit() and int(text) < _UNLIMITED:
                    found.append((group / limit, group / used, group / "memory.stat", entry))
    return tuple(found)


def limit():
    """Bytes of memory that the process may have at most; None where nothing says."""
    texts = [limit.read_text().strip() for limit, *_ in _control_groups()]
    found = [*map(_rlimit, _RLIMITS), *(int(text) for text in texts if text.isdigit())]
    return min((size for size in found if 0 <= size < _UNLIMITED), default=None)


def is_out_of_memory(error):
    """Whether an error is that an allocation has failed."""
    return isinstance(error, MemoryError) or any(phrase in str(error) for phrase in _PHRASES)


def reason_of(error):
    """What an error says of the allocation that has failed."""
    text = str(error)
    if "were asked for" in text:
        return text
    size = _BYTES.search(text)
    return f"an allocation{f' of {bytes_text(int(size[1]))}' if size else ''} failed"


def memory_error(error, sentence, remedy="Let go of Tensors not needed"):
    """The MemoryError for an error that is one; else the error itself.

    `sentence`: what memory must suffice for.
    """
    if not is_out_of_memory(error):
        return error
    return MemoryError(f"{sentence}, but {reason_of(error)}. {remedy}.")
