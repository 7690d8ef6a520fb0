"""Exchange of pickled Python objects between processes, through JAX's coordinator."""

import functools
import pickle
from typing import Any

from sporax._src.devices.distributed import processes
from sporax._src.devices.distributed.exchange import Exchange
from sporax._src.diagnosis.rules import require
from sporax.ops.communication.faces import publish
from sporax.ops.communication.groups import (
    check_same_length,
    group_of,
    leave_graph,
    number_in,
    other_rank,
)


def _check_list(who, name, objects):
    is_list = isinstance(objects, list) and objects
    require(is_list, "list-not-empty", who, argument=name, objects=objects)


def _exchanged(who, obj, group, sources=None):
    """Return the objects of all ranks, or of the ranks `sources`."""
    if group.size == 1:
        return [pickle.loads(pickle.dumps(obj))]
    leave_graph()
    return [pickle.loads(b) for b in group.exchange(pickle.dumps(obj), who, sources)]


def all_gather_object(object_list, obj, group=None) -> None:
    """Gather each process' object into `object_list`.

    >>> objects = [None]
    >>> mint.distributed.all_gather_object(objects, {"rank": 0})
    >>> objects
    [{'rank': 0}]
    """
    ranks = group_of("all_gather_object", group)
    _check_list("all_gather_object", "object_list", object_list)
    check_same_length("all_gather_object", "object_list", object_list, ranks)
    object_list[:] = _exchanged("all_gather_object", obj, ranks)


def gather_object(obj, object_gather_list: Any = None, dst=0, group=None) -> None:
    """Gather each process' object into `object_gather_list` of process `dst`.

    >>> objects = [None]
    >>> mint.distributed.gather_object("here", objects)
    >>> objects
    ['here']
    """
    ranks = group_of("gather_object", group)
    is_root = ranks.rank == number_in("gather_object", "dst", dst, ranks)
    if is_root:  # before the exchange
        _check_list("gather_object", "object_gather_list", object_gather_list)
        check_same_length("gather_object", "object_gather_list", object_gather_list, ranks)
    objects = _exchanged("gather_object", obj, ranks)
    if is_root:
        object_gather_list[:] = objects


def broadcast_object_list(object_list, src=0, group=None, device=None) -> None:
    """Copy the objects of process `src` to the lists of all processes; `device`: ignored.

    >>> mint.distributed.broadcast_object_list(["here", 2])
    """
    ranks = group_of("broadcast_object_list", group)
    number_in("broadcast_object_list", "src", src, ranks)
    _check_list("broadcast_object_list", "object_list", object_list)
    objects = _exchanged("broadcast_object_list", object_list, ranks, [src])[0]
    _check_count("broadcast_object_list", object_list, objects)
    object_list[:] = objects


def _check_count(who, object_list, objects):
    got, count = len(object_list), len(objects)
    require(got == count, "many-entries-sent", who, object_list=got, count=count)


def scatter_object_list(
    scatter_object_output_list, scatter_object_input_list, src=0, group=None
) -> None:
    """Put this process' entry of the objects of process `src` into `scatter_object_output_list[0]`.

    >>> objects = [None]
    >>> mint.distributed.scatter_object_list(objects, ["here"])
    >>> objects
    ['here']
    """
    who = "scatter_object_list"
    ranks = group_of(who, group)
    root = number_in(who, "src", src, ranks)
    _check_list(who, "scatter_object_output_list", scatter_object_output_list)
    if ranks.rank == root:
        _check_list(who, "scatter_object_input_list", scatter_object_input_list)
        check_same_length(who, "scatter_object_input_list", scatter_object_input_list, ranks)
    objects = _exchanged(who, scatter_object_input_list, ranks, [src])[0]
    scatter_object_output_list[0] = objects[ranks.rank]


@functools.cache
def _direction(source, target):
    return Exchange((source, target), "objects")


def _check_message(who, name, other, group, object_list):
    """Check a message to or from process `other`, the argument `name`."""
    other_rank(who, name, other, group_of(who, group))
    _check_list(who, "object_list", object_list)
    leave_graph()


def send_object_list(object_list, dst, group=None, device=None) -> None:
    """Send objects to process `dst`, which calls `recv_object_list`; `device`: ignored.

    >>> mint.distributed.send_object_list([1], 0)
    Traceback (most recent call last):
        ...
    ValueError: For 'send_object_list', 'dst' must be another rank, but got 0, which is this one.
    """
    who = "send_object_list"
    _check_message(who, "dst", dst, group, object_list)
    own = processes.rank()
    _direction(own, dst)(pickle.dumps(object_list), who, [own])


def recv_object_list(object_list, src=0, group=None, device=None) -> int:
    """Receive objects from process `src` into `object_list`; returns 0.

    >>> mint.distributed.recv_object_list([None], 0)
    Traceback (most recent call last):
        ...
    ValueError: For 'recv_object_list', 'src' must be another rank, but got 0, which is this one.
    """
    who = "recv_object_list"
    _check_message(who, "src", src, group, object_list)
    objects = pickle.loads(_direction(src, processes.rank())(b"", who, [src])[0])
    _check_count(who, object_list, objects)
    object_list[:] = objects
    return 0


for _function in (
    all_gather_object, gather_object, broadcast_object_list, scatter_object_list, send_object_list,
    recv_object_list,
):  # fmt: skip
    publish(_function.__name__, _function, _function)
