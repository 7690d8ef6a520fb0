"""Asynchronous send and receive: each direction between two ranks is a channel.

A channel is a thread with a queue, so that ranks that send to each other at the same time do not
wait for each other. A received array is a pending Value; reading it blocks until it has arrived.
"""

import queue
import threading
from typing import Any

from sporax._src.core.to_host import wait_for
from sporax._src.core.value import PendingTrace, Value, owned_value
from sporax._src.devices.distributed import processes
from sporax._src.devices.distributed.groups import Group
from sporax._src.runtime.engine.recorder import wrap
from sporax.ops.communication import collectives
from sporax.ops.shape.creation import zeros


class CommHandle:
    """A handle of pending transfers; `wait` blocks until they are done.

    >>> tensor = Tensor([1.0, 2.0])
    >>> mint.distributed.all_reduce(tensor, async_op=True).wait()
    """

    def __init__(self, *transfers, tensors=()):
        self.transfers, self.tensors = transfers, tensors

    def wait(self):
        """Block until all transfers are done; raise the error of a failed one."""
        for transfer in self.transfers:
            transfer.run()
        for tensor in self.tensors:
            wait_for(tensor._value.read())


class Transfer(PendingTrace):
    """A Tensor in transit; `value`: the received Value, None if this rank sends."""

    __slots__ = ("__weakref__", "array", "done", "error", "value")

    def __init__(self, array, value):
        self.array, self.value = array, value
        self.done, self.error = threading.Event(), None

    def run(self):
        """Block until the transfer is done; raise its error."""
        self.done.wait()
        if self.error is not None:
            raise self.error

    def carry(self, group):
        """Send or receive; called in the thread of the channel."""
        try:
            result = collectives.permute(wrap(owned_value(self.array)), ((0, 1),), group)
            array = result._value.read()
            if self.value is not None:
                self.value.array, self.value.trace = array, None
        except Exception as error:  # noqa: BLE001 - raised where the transfer is waited for
            self.error = error
        self.done.set()


class _Channel:
    """One direction between two ranks."""

    def __init__(self, source, target):
        self.group = Group.intern((source, target), "channel")
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
    """Start sending a Tensor to another rank; returns the handle."""
    return CommHandle(_start(processes.rank(), target, x._value.read()))


def start_receiving(shape, dtype, source):
    """Start receiving from another rank; returns (pending Tensor, handle)."""
    blank = zeros(shape, dtype)._value
    value = Value(blank.aval, None)
    transfer = _start(source, processes.rank(), blank.read(), value)
    return wrap(value), CommHandle(transfer)


def exchange_batch(transfers, wait=False):
    """Start each (kind, Tensor, other rank); received values are written to their Tensors."""
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
