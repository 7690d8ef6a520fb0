"""Sending and receiving in the background: each direction between two ranks is a channel.

A channel is a thread with a queue, so that ranks that send to each other at once do not wait for
each other. What is received is a pending Value, which a read waits for.
"""

import queue
import threading
from typing import Any

from sporax.core.to_host import wait_for
from sporax.core.value import PendingTrace, Value, owned_value
from sporax.distributed import processes
from sporax.distributed.groups import Group
from sporax.engine.recorder import wrap
from sporax.ops.communication import collectives
from sporax.ops.shape.creation import zeros


class CommHandle:
    """What is under way; `wait` returns when it is done.

    >>> tensor = Tensor([1.0, 2.0])
    >>> mint.distributed.all_reduce(tensor, async_op=True).wait()
    """

    def __init__(self, *transfers, tensors=()):
        self.transfers, self.tensors = transfers, tensors

    def wait(self):
        """Wait until it is done; raises what went wrong."""
        for transfer in self.transfers:
            transfer.run()
        for tensor in self.tensors:
            wait_for(tensor._value.read())


class Transfer(PendingTrace):
    """A Tensor on its way; `value`: what is received, None where this rank sends."""

    __slots__ = ("__weakref__", "array", "done", "error", "value")

    def __init__(self, array, value):
        self.array, self.value = array, value
        self.done, self.error = threading.Event(), None

    def run(self):
        """Wait until it has arrived."""
        self.done.wait()
        if self.error is not None:
            raise self.error

    def carry(self, group):
        """Send or receive; runs in the thread of the channel."""
        try:
            result = collectives.permute(wrap(owned_value(self.array)), ((0, 1),), group)
            array = result._value.read()
            if self.value is not None:
                self.value.array, self.value.trace = array, None
        except Exception as error:  # noqa: BLE001 - raised where the transfer is waited for
            self.error = error
        self.done.set()


class _Channel:
    """A direction between two ranks."""

    def __init__(self, source, target):
        self.group = Group.of((source, target), "channel")
        self.queue: Any = queue.SimpleQueue()
        threading.Thread(target=self._carry, daemon=True).start()

    def _carry(self):
        while True:
            self.queue.get().carry(self.group)


_channels: dict[tuple[int, int], _Channel] = {}


def _start(source, target, array, value=None):
    channel = _channels.get((source, target))
    if channel is None:
        channel = _channels[source, target] = _Channel(source, target)
    transfer = Transfer(array, value)
    if value is not None:
        value.trace = transfer
    channel.queue.put(transfer)
    return transfer


def start_sending(x, target):
    """The handle of a Tensor on its way to another rank."""
    return CommHandle(_start(processes.rank(), target, x._value.read()))


def start_receiving(shape, dtype, source):
    """(a pending Tensor from another rank, its handle)"""
    blank = zeros(shape, dtype)._value
    value = Value(blank.aval, None)
    transfer = _start(source, processes.rank(), blank.read(), value)
    return wrap(value), CommHandle(transfer)


def exchange_batch(transfers, wait=False):
    """Start (kind, Tensor, other rank) each; those received are put into their Tensors."""
    handles = []
    for kind, x, other in transfers:
        if kind == "isend":
            handles.append(start_sending(x, other))
        else:
            arriving, handle = start_receiving(x.shape, x.dtype, other)
            x._rebind(arriving._value)
            handles.append(handle)
    handle = CommHandle(*[t for h in handles for t in h.transfers])
    if wait:
        handle.wait()
    return handle
