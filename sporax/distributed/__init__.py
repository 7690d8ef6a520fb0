"""Communication of processes: there is one, so ranks are 0 and sizes 1."""

import functools
import os

from sporax.core.errors import missing
from sporax.distributed.parallel_context import SETTINGS, get_auto_parallel_context

_BACKENDS = ("hccl", "nccl", "mccl")
_SIZES = ("MS_WORKER_NUM", "RANK_SIZE", "OMPI_COMM_WORLD_SIZE")  # what launchers tell


class GlobalComm:
    """The group of all processes, by the names that MindSpore gives it."""

    BACKEND = "mccl"
    WORLD_COMM_GROUP = "mccl_world_group"
    INITED = False


def init(backend_name=None):
    """Let the processes of a launcher find each other; sporax runs one.

    `backend_name`: 'hccl', 'nccl', 'mccl' or None. Raises NotImplementedError in one of several
    processes, since each would train by itself.

    >>> init()
    >>> get_rank()
    0
    >>> release()
    """
    if backend_name not in (None, *_BACKENDS):
        raise RuntimeError(
            f"For 'init', 'backend_name' must be one of {list(_BACKENDS)} or None, but got "
            f"{backend_name!r}."
        )
    for name in _SIZES:
        if os.environ.get(name, "1") != "1":
            raise NotImplementedError(
                f"sporax has no training on several processes yet, but {name} is "
                f"{os.environ[name]}. Start the script without a launcher."
            )
    GlobalComm.INITED = True


def release():
    """Undo `init`."""
    GlobalComm.INITED = False


def _of_group(name, words, number):
    def ask(group=GlobalComm.WORLD_COMM_GROUP):
        if not isinstance(group, str):
            raise TypeError(
                f"For '{name}', 'group' must be a string, but got {type(group).__name__}."
            )
        return number

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = f"""{words}: {number}.

    >>> {name}()
    {number}
    """
    return ask


get_rank = _of_group("get_rank", "The number of this process", 0)
get_local_rank = _of_group("get_local_rank", "The number of this process on its machine", 0)
get_group_size = _of_group("get_group_size", "How many processes there are", 1)
get_local_rank_size = _of_group("get_local_rank_size", "How many there are on this machine", 1)


def create_group(group, rank_ids, options=None):
    """Name a group of processes: of the only one, `rank_ids` is [0].

    Raises NotImplementedError for a group of several.

    >>> create_group("alone", [0])
    >>> get_group_size("alone")
    1
    """
    if not isinstance(group, str) or not isinstance(rank_ids, list):
        raise TypeError(
            "For 'create_group', 'group' must be a string and 'rank_ids' a list, but got "
            f"{group!r} and {rank_ids!r}."
        )
    if rank_ids != [0]:
        raise NotImplementedError(
            f"sporax has no training on several processes yet, but 'rank_ids' is {rank_ids}."
        )


def barrier(group=GlobalComm.WORLD_COMM_GROUP):
    """Wait until every process of the group is here: there is one, which is."""
    get_group_size(group)


__all__ = [
    "GlobalComm", "create_group", "get_group_size", "get_local_rank", "get_local_rank_size",
    "get_rank", "init", "release",
]  # fmt: skip


def __getattr__(name):
    setting = name.removeprefix("_get_")
    if setting != name and setting in SETTINGS.table:  # as of `mindspore.parallel._utils`
        return functools.partial(get_auto_parallel_context, setting)
    raise missing("communication", name)
