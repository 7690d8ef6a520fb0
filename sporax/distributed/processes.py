"""Joins the processes of a launcher through JAX's coordinator, and leaves them.

A rank joins when sporax is imported, since nothing may wake a device before. One that fails leaves
at once: JAX would wait, when Python ends, for ranks that wait for this one.
"""

import atexit
import os
import socket
import sys
import threading

import jax

from sporax.core import context
from sporax.core.errors import warn
from sporax.core.jax_internals import (
    backends_are_initialized,
    bind_collectives,
    coordinator,
)
from sporax.distributed import launch_environment

_HEARTBEAT = 20  # seconds until a process that died is noticed where no launcher watches
HOST_KEY = "sporax/host/{}"  # of a rank, in the coordinator's store
_LONGEST = 24 * 3600  # how long ranks that are through wait for the last one
_TIMEOUT_FLAG = "--xla_cpu_collective_timeout_seconds"


class World:
    """The processes that have joined: `launch` is this one's place, None for a process alone."""

    launch: launch_environment.Launch | None = None
    exit_code: int | None = None  # of this process, where it has failed


def rank():
    """This process' number."""
    return World.launch.rank if World.launch else 0


def size():
    """How many processes there are."""
    return World.launch.size if World.launch else 1


def join():
    """Join the other ranks, if a launcher has started this process."""
    launch = launch_environment.read()
    if launch is None or World.launch is not None:
        return
    World.launch = launch
    os.environ[launch_environment.JOINED] = str(os.getpid())
    set_timeout(timeout())
    jax.config.update("jax_enable_preemption_service", False)  # it would take SIGTERM for itself
    jax.distributed.initialize(
        launch.address, launch.size, launch.rank, _own_devices(launch),
        coordinator_bind_address=launch.address, cluster_detection_method="deactivate",
        heartbeat_timeout_seconds=_HEARTBEAT, shutdown_timeout_seconds=_LONGEST,
    )  # fmt: skip
    is_here = launch.address.rpartition(":")[0] == launch_environment.LOOPBACK
    if is_here or jax.config.jax_cpu_collectives_implementation == "gloo":
        bind_collectives(launch_environment.LOOPBACK if is_here else None)
    coordinator().key_value_set(HOST_KEY.format(launch.rank), socket.gethostname())
    _leave_when_failed()
    _end_with_launcher()


def _own_devices(launch):
    """The GPU of this rank among those of its host; None where it sees one alone."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if launch.local_rank is None or (visible is not None and "," not in visible):
        return None
    return [launch.local_rank]


def timeout():
    """How many seconds ranks wait for each other: the setting `op_timeout`."""
    return context.get_context("op_timeout")


def set_timeout(seconds):
    """Have XLA's collectives on CPUs wait that long; it reads this when a device starts."""
    if World.launch is None:
        return
    if backends_are_initialized():
        warn(
            "'op_timeout' of 'set_context' has no effect on collectives after 'init'; set it before"
        )
    flags = [f for f in os.environ.get("XLA_FLAGS", "").split() if not f.startswith(_TIMEOUT_FLAG)]
    os.environ["XLA_FLAGS"] = " ".join([*flags, f"{_TIMEOUT_FLAG}={seconds}"])
    minutes = -(-seconds // 60)  # which the start of a device waits for those of other ranks
    jax.config.update("jax_cpu_get_local_topology_timeout_minutes", minutes)
    jax.config.update("jax_cpu_get_global_topology_timeout_minutes", minutes + 1)


def _leave_when_failed():
    """Have the process leave without waiting for the others after an error or a failing `exit`."""
    show, leave, process = sys.excepthook, sys.exit, os.getpid()

    def show_and_note(kind, error, trace):
        World.exit_code = 130 if kind is KeyboardInterrupt else 1
        show(kind, error, trace)

    def exit_and_note(status=None, /):
        if status not in (None, 0) and threading.current_thread() is threading.main_thread():
            World.exit_code = status if isinstance(status, int) else 1
        leave(status)

    def end():
        if World.exit_code is not None and os.getpid() == process:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(World.exit_code)

    sys.excepthook, sys.exit = show_and_note, exit_and_note
    atexit.register(end)


def _end_with_launcher():
    """End this process when its launcher has ended, however that was."""
    pipe = os.environ.get(launch_environment.LAUNCHER_PIPE)
    if pipe is None:
        return

    def wait():
        os.read(int(pipe), 1)  # nothing is written: it returns when the other end closes
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


context.when_set("op_timeout", set_timeout)
