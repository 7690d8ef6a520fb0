"""Ranks and groups of a run, with the API of `mindspore.communication`."""

import functools
import socket

from sporax._src.core.errors import warn
from sporax._src.core.jax_internals import coordinator
from sporax._src.devices.distributed import groups, launch_environment, processes
from sporax._src.devices.distributed.groups import member, named
from sporax._src.diagnosis.argument_kinds import INT, LIST, STR, instance_of, optional, within
from sporax._src.diagnosis.rules import rejection, require

_BACKENDS = ("hccl", "nccl", "mccl")
HCCL_WORLD_COMM_GROUP, NCCL_WORLD_COMM_GROUP, MCCL_WORLD_COMM_GROUP = groups.WORLD_NAMES


class GlobalComm:
    """The group of all processes, under MindSpore's names."""

    BACKEND: str = "mccl"
    WORLD_COMM_GROUP = MCCL_WORLD_COMM_GROUP
    INITED: bool = False


def init(backend_name=None):
    """Initialize communication of a launcher's processes. A single process is a world of one.

    `backend_name`: 'hccl', 'nccl', 'mccl' or None. The processes of a launcher wait for each other
    here, and start their devices. Raises RuntimeError if one does not arrive within op_timeout, or
    if the environment sets a number of processes but not this one's rank or their address.

    >>> init()
    >>> get_rank()
    0
    >>> release()
    """
    if backend_name not in (None, *_BACKENDS):
        raise rejection("one-none", "init", backend_name=backend_name, choices=_BACKENDS)
    if processes.World.launch is None:
        launch_environment.read()  # raises for an unsupported environment
        simulated = launch_environment.simulated() is not None
        reason = None if simulated else launch_environment.incomplete()
        if reason is not None:
            raise RuntimeError(reason)
    elif not GlobalComm.INITED:
        groups.meet("init")
    GlobalComm.INITED = True


def release():
    """Undo `init`, and remove the groups that were created."""
    for name in groups.names():
        groups.remove(name)
    GlobalComm.INITED, GlobalComm.BACKEND = False, "mccl"


def get_rank(group=GlobalComm.WORLD_COMM_GROUP):
    """Return the rank of this process in a group, starting at 0.

    >>> get_rank()
    0
    """
    return member(group, "get_rank").rank


def get_group_size(group=GlobalComm.WORLD_COMM_GROUP):
    """Return the number of processes in a group.

    >>> get_group_size()
    1
    """
    return named(group, "get_group_size").size


@functools.cache
def _host(rank):
    """Return the host name of a rank, which each rank stores when it joins."""
    if processes.World.launch is None:
        return socket.gethostname()
    milliseconds = processes.timeout() * 1000
    return coordinator().blocking_key_value_get(processes.HOST_KEY.format(rank), milliseconds)


def _local(group, who):
    own = _host(processes.rank())
    return [rank for rank in member(group, who).ranks if _host(rank) == own]


def get_local_rank(group=GlobalComm.WORLD_COMM_GROUP):
    """Return the rank of this process among the group's processes on its host.

    >>> get_local_rank()
    0
    """
    return _local(group, "get_local_rank").index(processes.rank())


def get_local_rank_size(group=GlobalComm.WORLD_COMM_GROUP):
    """Return the number of processes of a group on this host.

    >>> get_local_rank_size()
    1
    """
    return len(_local(group, "get_local_rank_size"))


class GroupOptions:
    """Options of a group for `create_group`: `hccl_config`, a dict of settings of HCCL's buffers,
    and `use_async`. They have no effect: JAX's communicators have no such settings.

    >>> GroupOptions().hccl_config
    {}
    """

    def __init__(self):
        self.hccl_config, self.use_async = {}, False


def create_group(group, rank_ids, options=None):
    """Name a group of ranks, numbered in the order of `rank_ids`; each member must call it.

    `options`: a `GroupOptions`, which has no effect.

    >>> create_group("alone", [0])
    >>> get_group_size("alone")
    1
    >>> destroy_group("alone")
    """
    STR("create_group", group=group)
    LIST("create_group", rank_ids=rank_ids)
    optional(instance_of(GroupOptions))("create_group", options=options)
    if options is not None:
        warn("'options' of 'create_group' has no effect: JAX's communicators have no such settings")
    size = processes.size()
    wrong = [r for r in rank_ids if type(r) is not int or not 0 <= r < size]
    if wrong or not rank_ids:
        raise rejection("hold-ranks-0", "create_group", rank_ids=rank_ids, number=size - 1)
    is_once = len(set(rank_ids)) == len(rank_ids)
    require(is_once, "name-rank-once", "create_group", rank_ids=rank_ids)
    taken = group in groups.WORLD_NAMES or (
        group in groups.names() and named(group, "create_group").ranks != tuple(rank_ids)
    )
    if taken:
        ranks = list(named(group, "create_group").ranks)
        raise rejection("new-name-group-ranks", "create_group", group=group, ranks=ranks)
    groups.add(group, rank_ids)


def destroy_group(group):
    """Remove the name of a group.

    >>> create_group("alone", [0])
    >>> destroy_group("alone")
    """
    named(group, "destroy_group")
    is_made = group not in groups.WORLD_NAMES
    require(is_made, "one-create-group-made", "destroy_group", group=group)
    groups.remove(group)


def _in_range(who, name, number, size):
    within(0, size, INT, "[)").checked(who, name, number)


def get_world_rank_from_group_rank(group, group_rank_id):
    """Return the world rank of the process with rank `group_rank_id` in a group.

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
    """Return the rank in a group of the process with world rank `world_rank_id`.

    >>> create_group("alone", [0])
    >>> get_group_rank_from_world_rank(0, "alone")
    0
    >>> destroy_group("alone")
    """
    who = "get_group_rank_from_world_rank"
    ranks = named(group, who).ranks
    _in_range(who, "world_rank_id", world_rank_id, processes.size())
    is_member, ranks = world_rank_id in ranks, list(ranks)
    require(is_member, "member-group-one", who, world_rank_id=world_rank_id, ranks=ranks)
    return ranks.index(world_rank_id)


def get_comm_name(group=GlobalComm.WORLD_COMM_GROUP):
    """Return the name of a group's communicator, which lists its ranks.

    >>> get_comm_name()
    'ranks [0]'
    """
    return repr(named(group, "get_comm_name"))


def get_process_group_ranks(group=GlobalComm.WORLD_COMM_GROUP):
    """Return the world ranks of a group's members, in order.

    >>> get_process_group_ranks()
    [0]
    """
    return list(named(group, "get_process_group_ranks").ranks)
