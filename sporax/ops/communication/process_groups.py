"""Processes and groups by the names of `mint.distributed`, and `TCPStore`."""

import datetime
import hashlib
import socketserver
import threading
import time
import xmlrpc.client
import xmlrpc.server
from typing import Any

from sporax._src.core.jax_internals import backends_are_initialized
from sporax._src.devices.distributed import groups, processes, ranks
from sporax._src.devices.distributed.launch_environment import Launch
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.ops.communication.faces import publish
from sporax.ops.communication.groups import WORLD


def _named(group):
    """Return the name of a group; None means all processes."""
    return WORLD if group is None else group


def is_available() -> bool:
    """Return True: processes can always communicate.

    >>> mint.distributed.is_available()
    True
    """
    return True


def is_initialized() -> bool:
    """Return True if `init_process_group` or `init` has been called.

    >>> mint.distributed.is_initialized()
    False
    """
    return ranks.GlobalComm.INITED


def init_process_group(
    backend="hccl", init_method=None, timeout=None, world_size=-1, rank=-1, store=None,
    group_name="", pg_options=None, device_id=None,
) -> None:  # fmt: skip
    """Connect the processes of a launcher, or the processes that call this.

    `backend`: 'hccl', 'nccl' or 'mccl'. `world_size`: -1, or the number of processes. Without a
    launcher, `init_method` 'tcp://address:port' (or a `store`), `world_size` and `rank` locate the
    other processes; call it before anything is computed. Other arguments are ignored.

    >>> mint.distributed.init_process_group()
    >>> mint.distributed.get_world_size()
    1
    >>> mint.distributed.destroy_process_group()
    """
    who = "init_process_group"
    _BACKEND(who, backend=backend)
    require(init_method is None or store is None, "store-none", who, argument="init_method")
    if (init_method or store) and processes.World.launch is None:
        _join(who, init_method, store, world_size, rank)
    n = processes.size()
    require(world_size in (-1, n), "1-number-processes", who, world_size=world_size, size=n)
    ranks.init()
    ranks.GlobalComm.BACKEND = backend


_BACKEND = kinds.one_of(*ranks._BACKENDS)
_TIMEOUT = kinds.instance(datetime.timedelta, "a-timedelta")
_TEXT = kinds.instance((str, bytes), "bytes-or-str")


def _join(who, init_method, store, size, rank):
    is_place = type(size) is int and size >= 1 and type(rank) is int and 0 <= rank < size
    require(is_place, "init-method-store-world-size-positive", who, got=size, rank=rank)
    if size == 1:
        return
    if store is not None:
        host, port = store.host, store.port + 1  # `store.port` is taken by the store
    else:
        scheme, _, address = init_method.partition("://")
        host, _, port = address.partition(":")
        is_address = scheme == "tcp" and port.isdigit()
        require(is_address, "tcp-address-port", who, init_method=init_method)
    require(not backends_are_initialized(), "process-join-others-before", who)
    processes.join(Launch(rank, size, f"{host}:{port}"))


def destroy_process_group(group=None) -> None:
    """Remove a group; None: all, and `is_initialized` becomes False.

    >>> mint.distributed.destroy_process_group()
    """
    if group is None or group in groups.WORLD_NAMES:
        ranks.release()
    else:
        ranks.destroy_group(group)


def get_rank(group=None) -> int:
    """Return the rank of this process in a group; -1 if it is not a member.

    >>> mint.distributed.get_rank()
    0
    """
    number = groups.named(_named(group), "get_rank").rank
    return -1 if number is None else number


def get_world_size(group=None) -> int:
    """Return the number of processes in a group; -1 if this one is not a member.

    >>> mint.distributed.get_world_size()
    1
    """
    members = groups.named(_named(group), "get_world_size")
    return -1 if members.rank is None else members.size


def new_group(
    ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False,
    group_desc=None,
) -> str:  # fmt: skip
    """Return the name of a group of `ranks` (None: all processes), the same for the same ranks.

    `backend`: None, 'hccl', 'nccl' or 'mccl', as returned by `get_backend`. Other arguments are
    ignored.

    >>> group = mint.distributed.new_group([0])
    >>> mint.distributed.get_world_size(group)
    1
    >>> mint.distributed.destroy_process_group(group)
    """
    _BACKEND("new_group", backend=backend or "hccl")
    if ranks is None:
        return groups.WORLD_NAMES[0]
    members = ranks
    kinds.LIST("new_group", ranks=members)
    digest = hashlib.sha1("_".join(map(str, members)).encode()).hexdigest()
    name = f"{backend or 'hccl'}_{len(members)}_{digest}"  # as MindSpore forms it
    _create(name, members)
    return name


def _create(name, members):
    ranks.create_group(name, members)


def get_backend(group=None) -> str:
    """Return the backend that a group was created for: 'hccl', 'nccl' or 'mccl'. Messages use JAX.

    >>> mint.distributed.get_backend(mint.distributed.new_group([0], backend="nccl"))
    'nccl'
    """
    name = _named(group)
    groups.named(name, "get_backend")
    if name in groups.WORLD_NAMES:
        return ranks.GlobalComm.BACKEND
    backend = name.partition("_")[0]
    return backend if backend in ranks._BACKENDS else ranks.GlobalComm.BACKEND


def get_global_rank(group, group_rank) -> int:
    """Return the global rank of group rank `group_rank`.

    >>> mint.distributed.get_global_rank(None, 0)
    0
    """
    return ranks.get_world_rank_from_group_rank(_named(group), group_rank)


def get_group_rank(group, global_rank) -> int:
    """Return the group rank of global rank `global_rank`.

    >>> mint.distributed.get_group_rank(None, 0)
    0
    """
    return ranks.get_group_rank_from_world_rank(global_rank, _named(group))


def get_process_group_ranks(group=None) -> list[int]:
    """Return the global ranks of a group's members, in order.

    >>> mint.distributed.get_process_group_ranks()
    [0]
    """
    return ranks.get_process_group_ranks(_named(group))


for _function in (
    is_available, is_initialized, init_process_group, destroy_process_group, get_rank,
    get_world_size, new_group, get_backend, get_global_rank, get_group_rank,
    get_process_group_ranks,
):  # fmt: skip
    publish(_function.__name__, _function, _function)


class _Server(socketserver.ThreadingMixIn, xmlrpc.server.SimpleXMLRPCServer):
    daemon_threads = True


class _Entries:
    """The entries of a store, in the process that serves it."""

    def __init__(self):
        self.lock, self.values, self.clients = threading.Lock(), {}, 0

    def come(self):
        with self.lock:
            self.clients += 1
            return self.clients

    def count(self):
        return self.clients

    def add(self, key, amount):
        with self.lock:
            self.values[key] = str(int(self.values.get(key, b"0")) + amount).encode()
            return int(self.values[key])

    def set(self, key, value):
        with self.lock:
            self.values[key] = value.data
            return True

    def get(self, key):
        """Return [value], or [] if there is none."""
        with self.lock:
            return [xmlrpc.client.Binary(self.values[key])] if key in self.values else []

    def delete_key(self, key):
        with self.lock:
            return self.values.pop(key, None) is not None


class TCPStore:
    """A key-value store of bytes, for all processes that know the address.

    `host_name`, `port`: where the process with `is_master` serves it. `world_size`: with
    `wait_for_workers`, the number of processes it waits for. `timeout`: a timedelta, the maximum
    time that methods wait. Other arguments are ignored.

    >>> store = mint.distributed.TCPStore("127.0.0.1", 0, is_master=True)
    >>> store.set("name", "value")
    >>> store.get("name"), store.add("count", 2), store.delete_key("name")
    (b'value', 2, True)
    """

    def __init__(
        self, host_name, port, world_size=None, is_master=False,
        timeout=datetime.timedelta(seconds=300), wait_for_workers=True, multi_tenant=False,
        master_listen_fd=None, use_libuv=True,
    ):  # fmt: skip
        who = "TCPStore"
        kinds.STR(who, host_name=host_name)
        kinds.INT(who, port=port, world_size=1 if world_size is None else world_size)
        kinds.BOOL(who, is_master=is_master, wait_for_workers=wait_for_workers)
        _TIMEOUT(who, timeout=timeout)
        is_port = 0 <= port <= 65535 and (world_size is None or world_size >= 1)
        require(is_port, "0-65535-world-size-positive", who, port=port, world_size=world_size)
        self.host, self.timeout = host_name, timeout.total_seconds()
        self.port = self._serve(host_name, port) if is_master else port
        self._until("come")()
        if wait_for_workers and is_master and world_size is not None:
            self._wait(lambda: self._entries.count() >= world_size, "all processes")

    @staticmethod
    def _serve(host, port):
        server = _Server((host, port), logRequests=False, allow_none=True)
        server.register_instance(_Entries())
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server.server_address[1]

    @property
    def _entries(self):
        return xmlrpc.client.ServerProxy(f"http://{self.host}:{self.port}", allow_none=True)

    def _until(self, method):
        """Return a function that calls a method of the entries once the server is reachable."""

        def call():
            try:
                return [getattr(self._entries, method)()]
            except ConnectionRefusedError:
                return []

        server = message("the-store-at", address=f"{self.host}:{self.port}")
        return lambda: self._wait(call, server)[0]

    def _wait(self, ask, what) -> Any:
        end = time.monotonic() + self.timeout
        while not (answer := ask()):
            is_in_time = time.monotonic() <= end
            require(
                is_in_time, "within-timeout-was-not", "TCPStore", what=what, timeout=self.timeout
            )
            time.sleep(0.02)
        return answer

    def add(self, key, amount):
        """Add to the integer under a key, initially 0; returns the sum."""
        kinds.STR("TCPStore.add", key=key)
        kinds.INT("TCPStore.add", amount=amount)
        try:
            return self._entries.add(key, amount)
        except xmlrpc.client.Fault as fault:
            cause = fault.faultString
            raise rejection(
                "value-key-number", "TCPStore.add", got=key, faultstring=cause
            ) from None

    def set(self, key, value):
        """Set the value of a key: bytes or a string."""
        kinds.STR("TCPStore.set", key=key)
        _TEXT("TCPStore.set", value=value)
        value = value.encode() if isinstance(value, str) else value
        self._entries.set(key, xmlrpc.client.Binary(value))

    def get(self, key):
        """Return the value of a key, as bytes; waits for it."""
        kinds.STR("TCPStore.get", key=key)
        return self._wait(lambda: self._entries.get(key), message("the-key", key=key))[0].data

    def delete_key(self, key):
        """Remove a key; returns True if it existed."""
        kinds.STR("TCPStore.delete_key", key=key)
        return self._entries.delete_key(key)


publish("TCPStore", TCPStore, TCPStore)
