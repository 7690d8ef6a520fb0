"""Joining and leaving the processes of a launcher, through JAX's coordinator.

A rank joins when sporax is imported, since no device may be started before. A rank that fails
leaves at once: when Python exits, JAX would wait for ranks that wait for this one.
"""

import atexit
import os
import socket
import sys
import threading
from typing import Any

import jax

from sporax._src.core import context
from sporax._src.core.errors import warn
from sporax._src.core.jax_internals import (
    backends_are_initialized,
    bind_collectives,
    coordinator,
)
from sporax._src.devices.distributed import launch_environment

_HEARTBEAT = 20  # seconds until a dead process is noticed without a launcher
HOST_KEY = "sporax/host/{}"  # of a rank, in the coordinator's store
_LONGEST = 24 * 3600  # seconds that finished ranks wait for the last one
_TIMEOUT_FLAG = "--xla_cpu_collective_timeout_seconds"


class World:
    """The processes that have joined. `launch`: this one's place; None for a single process."""

    launch: launch_environment.Launch | None = None
    exit_code: int | None = None  # of this process, if it has failed


def rank():
    """Return this process's rank."""
    launch = World.launch or launch_environment.simulated()
    return launch.rank if launch else 0


def size():
    """Return the number of processes, also of simulated ones."""
    launch = World.launch or launch_environment.simulated()
    return launch.size if launch else 1


def join(launch=None):
    """Join the other ranks of `launch`; None: if a launcher has started this process."""
    launch = launch_environment.read() if launch is None else launch
    if launch is None or World.launch is not None:
        return
    World.launch = launch
    os.environ[launch_environment.JOINED] = str(os.getpid())
    set_timeout(timeout())
    jax.config.update("jax_enable_preemption_service", False)  # it would handle SIGTERM itself
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
    """Return [index of this rank's GPU on its host]; None if it sees only one GPU."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if launch.local_rank is None or (visible is not None and "," not in visible):
        return None
    return [launch.local_rank]


def timeout() -> Any:
    """Return the seconds that ranks wait for each other: the setting `op_timeout`."""
    return context.get_context("op_timeout")


def set_timeout(seconds):
    """Set the timeout of XLA's collectives on CPUs; XLA reads it when a device starts."""
    if World.launch is None:
        return
    if backends_are_initialized():
        warn(
            "'op_timeout' of 'set_context' has no effect on collectives after 'init'; set it before"
        )
    flags = [f for f in os.environ.get("XLA_FLAGS", "").split() if not f.startswith(_TIMEOUT_FLAG)]
    os.environ["XLA_FLAGS"] = " ".join([*flags, f"{_TIMEOUT_FLAG}={seconds}"])
    minutes = -(-seconds // 60)  # that the start of a device waits for other ranks
    jax.config.update("jax_cpu_get_local_topology_timeout_minutes", minutes)
    jax.config.update("jax_cpu_get_global_topology_timeout_minutes", minutes + 1)


def _leave_when_failed():
    """Make the process exit without waiting for the others after an error or a failing `exit`."""
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
    """End this process when its launcher has ended, for any reason."""
    pipe = os.environ.get(launch_environment.LAUNCHER_PIPE)
    if pipe is None:
        return

    def wait():
        os.read(int(pipe), 1)  # nothing is written: it returns when the other end closes
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


context.when_set("op_timeout", set_timeout)
