"""The ranks of a run by name and number: `mindspore.communication`."""

import functools
import socket

from sporax.core.errors import warn
from sporax.core.jax_internals import coordinator
from sporax.distributed import groups, launch_environment, processes
from sporax.distributed.groups import member, named

_BACKENDS = ("hccl", "nccl", "mccl")
HCCL_WORLD_COMM_GROUP, NCCL_WORLD_COMM_GROUP, MCCL_WORLD_COMM_GROUP = groups.WORLD_NAMES


class GlobalComm:
    """The group of all processes, by the names that MindSpore gives it."""

    BACKEND = "mccl"
    WORLD_COMM_GROUP = MCCL_WORLD_COMM_GROUP
    INITED = False


def init(backend_name=None):
    """Let the processes of a launcher communicate. A process by itself is a world of one.

    `backend_name`: 'hccl', 'nccl', 'mccl' or None. The processes of a launcher wait for each other
    here, and start their devices. Raises RuntimeError where one does not come within op_timeout,
    and where an environment variable names several processes, but not where they are.

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
    if processes.World.launch is None:
        launch_environment.read()  # which raises for what no launcher here sets
        reason = launch_environment.incomplete()
        if reason is not None:
            raise RuntimeError(reason)
    elif not GlobalComm.INITED:
        groups.meet("init")
    GlobalComm.INITED = True


def release():
    """Undo `init`, and forget the groups that were created."""
    for name in groups.names():
        groups.remove(name)
    GlobalComm.INITED, GlobalComm.BACKEND = False, "mccl"


def get_rank(group=GlobalComm.WORLD_COMM_GROUP):
    """The number of this process in a group, from 0 on.

    >>> get_rank()
    0
    """
    return member(group, "get_rank").rank


def get_group_size(group=GlobalComm.WORLD_COMM_GROUP):
    """How many processes a group has.

    >>> get_group_size()
    1
    """
    return named(group, "get_group_size").size


@functools.cache
def _host(rank):
    """The name of the host of a rank, which each rank gives when it joins."""
    if processes.size() == 1:
        return socket.gethostname()
    milliseconds = processes.timeout() * 1000
    return coordinator().blocking_key_value_get(processes.HOST_KEY.format(rank), milliseconds)


def _local(group, who):
    own = _host(processes.rank())
    return [rank for rank in member(group, who).ranks if _host(rank) == own]


def get_local_rank(group=GlobalComm.WORLD_COMM_GROUP):
    """The number of this process among those of its group on its host.

    >>> get_local_rank()
    0
    """
    return _local(group, "get_local_rank").index(processes.rank())


def get_local_rank_size(group=GlobalComm.WORLD_COMM_GROUP):
    """How many processes of a group are on this host.

    >>> get_local_rank_size()
    1
    """
    return len(_local(group, "get_local_rank_size"))


class GroupOptions:
    """Options of a group for `create_group`: `hccl_config`, a dict of settings of HCCL's buffers,
    and `use_async`. Kept, without effect: JAX's communicators have none of these.

    >>> GroupOptions().hccl_config
    {}
    """

    def __init__(self):
        self.hccl_config, self.use_async = {}, False


def create_group(group, rank_ids, options=None):
    """Name a group of ranks, numbered in the order of `rank_ids`; each member calls it.

    `options`: a `GroupOptions`, which has no effect. Raises ValueError for a rank that there is
    not, for one that is there twice, and for a name that another group has.

    >>> create_group("alone", [0])
    >>> get_group_size("alone")
    1
    >>> destroy_group("alone")
    """
    if not isinstance(group, str) or not isinstance(rank_ids, list):
        raise TypeError(
            "For 'create_group', 'group' must be a string and 'rank_ids' a list, but got "
            f"{group!r} and {rank_ids!r}."
        )
    if not isinstance(options, GroupOptions | None):
        raise TypeError(
            "For 'create_group', 'options' must be a GroupOptions or None, but got "
            f"{type(options).__name__}."
        )
    if options is not None:
        warn("'options' of 'create_group' has no effect: JAX's communicators have no such settings")
    size = processes.size()
    wrong = [r for r in rank_ids if type(r) is not int or not 0 <= r < size]
    if wrong or not rank_ids:
        raise ValueError(
            f"For 'create_group', 'rank_ids' must hold ranks from 0 to {size - 1}, but got "
            f"{rank_ids}."
        )
    if len(set(rank_ids)) < len(rank_ids):
        raise ValueError(
            f"For 'create_group', 'rank_ids' must name each rank once, but got {rank_ids}."
        )
    taken = group in groups.WORLD_NAMES or (
        group in groups.names() and named(group, "create_group").ranks != tuple(rank_ids)
    )
    if taken:
        raise ValueError(
            f"For 'create_group', 'group' must be a new name, but there is a group {group!r} of "
            f"ranks {list(named(group, 'create_group').ranks)}. Call destroy_group first."
        )
    groups.add(group, rank_ids)


def destroy_group(group):
    """Forget the name of a group.

    Raises ValueError for the group of all processes, and for a name that there is not.

    >>> create_group("alone", [0])
    >>> destroy_group("alone")
    """
    named(group, "destroy_group")
    if group in groups.WORLD_NAMES:
        raise ValueError(
            f"For 'destroy_group', 'group' must be one that create_group made, but got {group!r}."
        )
    groups.remove(group)


def _in_range(who, name, number, size):
    if type(number) is not int:
        raise TypeError(f"For '{who}', '{name}' must be an int, but got {type(number).__name__}.")
    if not 0 <= number < size:
        raise ValueError(f"For '{who}', '{name}' must be from 0 to {size - 1}, but got {number}.")


def get_world_rank_from_group_rank(group, group_rank_id):
    """The number among all processes of number `group_rank_id` of a group.

    >>> create_group("alone", [0])
    >>> get_world_rank_from_group_rank("alone", 0)
    0
    >>> destroy_group("alone")
    """
    who = "get_world_rank_from_group_rank"
    ranks = named(group, who).ranks
    _in_range(who, "group_rank_id", group_rank_id, len(ranks))
    return ranks[group_rank_id]


def get_group_rank_from_world_rank(world_rank_id, group):
    """The number in a group of process `world_rank_id`.

    >>> create_group("alone", [0])
    >>> get_group_rank_from_world_rank(0, "alone")
    0
    >>> destroy_group("alone")
    """
    who = "get_group_rank_from_world_rank"
    ranks = named(group, who).ranks
    _in_range(who, "world_rank_id", world_rank_id, processes.size())
    if world_rank_id not in ranks:
        raise ValueError(
            f"For '{who}', 'world_rank_id' must be a member of the group, one of {list(ranks)}, "
            f"but got {world_rank_id}."
        )
    return ranks.index(world_rank_id)


def get_comm_name(group=GlobalComm.WORLD_COMM_GROUP):
    """The name of a group's communicator: that of its ranks.

    >>> get_comm_name()
    'ranks [0]'
    """
    return repr(named(group, "get_comm_name"))


def get_process_group_ranks(group=GlobalComm.WORLD_COMM_GROUP):
    """The numbers among all processes of a group's members, in order.

    >>> get_process_group_ranks()
    [0]
    """
    return list(named(group, "get_process_group_ranks").ranks)
